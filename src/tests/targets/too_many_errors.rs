//! A share is too large.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    errors: 10.0,
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: `errors` is a share from 0 to 1
