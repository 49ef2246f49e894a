//! Goals of a target have no weights.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: [("time", 10)],
    |text: &[u8]| { let _ = text; }
}
// error 6:13: mismatched types
//   expected `&str`, found `(&str, {integer})`
