//! The body's parameter is there, but not the body.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8]|
}
// error 4:1: `fuzz!` needs a body: `|text: &[u8]| { … }`
