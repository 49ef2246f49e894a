//! A goal is a number.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: [1],
    |text: &[u8]| { let _ = text; }
}
// error 6:13: mismatched types
//   expected `&str`, found integer
