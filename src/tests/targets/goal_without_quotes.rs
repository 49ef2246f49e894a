//! A goal is no text.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: [time],
    |text: &[u8]| { let _ = text; }
}
// error 6:13: cannot find value `time` in this scope
//   not found in this scope
