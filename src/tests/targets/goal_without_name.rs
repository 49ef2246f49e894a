//! A goal without a name.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: ["time", ""],
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: a name in `goals` is empty
