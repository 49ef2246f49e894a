//! There is no body.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    codec: text,
}
// error 4:1: `fuzz!` needs a body after its settings: `|text: &[u8]| { … }`
