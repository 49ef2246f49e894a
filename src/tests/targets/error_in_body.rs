//! Errors of the body are the compiler's own, and point into it.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8]| {
        let length: u32 = text.len();
    }
}
// error 7:27: mismatched types
//   expected `u32`, found `usize`
// help: you can convert a `usize` to a `u32` and panic if the converted value doesn't fit
