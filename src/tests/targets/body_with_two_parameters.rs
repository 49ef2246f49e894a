//! The body takes two things.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8], size: usize| { let _ = (text, size); }
}
// error 4:1: the body of `fuzz!` takes the text by one name: write `|text: &[u8]| { … }`
