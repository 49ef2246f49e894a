//! The feature is missing.
//@ without_feature
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 5:1: `pleach::fuzz!` needs a feature of pleach: add `features = ["libfuzzer"]` to the dependency in Cargo.toml
