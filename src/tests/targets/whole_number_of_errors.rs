//! A share is a whole number.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    errors: 1,
    |text: &[u8]| { let _ = text; }
}
// error 6:13: mismatched types
//   expected `f64`, found integer
// help: use a float literal
