//! The body takes nothing.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    || {}
}
// error 4:1: the body of `fuzz!` takes the text: write `|text: &[u8]| { … }`
