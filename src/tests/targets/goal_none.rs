//! No goal has the name of none.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: ["none"],
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: `none` in `goals` is no name: leave `goals` out
