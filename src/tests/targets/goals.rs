//! Goals, in both macros: names in brackets, or a constant.
#![no_main]

const GOALS: &[&str] = &["time", "depth of the tree"];

pleach::fuzz! {
    goals: ["depth", "time",],
    grammar: "grammars/list.ebnf",
    |text: &[u8]| { pleach::goal!("depth", text.len()); }
}

pleach::language! { static LIST: List = "grammars/list.ebnf", goals: GOALS; }
pleach::language! { static NONE: None = "grammars/list.ebnf", goals: []; }
pleach::language! { static MANY: Many = "grammars/list.ebnf", counters: 5120, goals: ["a", "b", "c", "d", "e"]; }

#[allow(dead_code)]
fn use_them() {
    LIST.load();
    NONE.load();
    MANY.load();
}
