//! Two goals in one text.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: ["time,work"],
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: a name in `goals` has a comma
