//! The engine is missing.
//@ without_engine
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 5:1: unresolved import `libfuzzer_sys`
//   no external crate `libfuzzer_sys`
