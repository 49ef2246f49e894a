//! The body yields what the engine cannot use.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &str| text.parse::<u8>()
}
// error 4:1: the body of `fuzz!` yields a value of the type `Result<u8, ParseIntError>`
//   it yields nothing, or a `libfuzzer_sys::Corpus`
// note: end the body with `;`
