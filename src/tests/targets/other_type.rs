//! The body takes the text as what it is not.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: u32| { let _ = text; }
}
// error 6:12: the body of `fuzz!` cannot take the text as a `u32`
//   write `&[u8]`, `&str`, `Vec<u8>` or `String`
