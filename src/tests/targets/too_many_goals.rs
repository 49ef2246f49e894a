//! More goals than there are counters for.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goals: ["a", "b", "c", "d", "e"],
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: `goals` takes 512 counters for each, and half of them are for k-paths: name fewer, or set `counters` to 1024 for each
