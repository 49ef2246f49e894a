//! One goal, without brackets.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: "time",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: `goals` takes names in brackets: write `goals: ["time"]`
