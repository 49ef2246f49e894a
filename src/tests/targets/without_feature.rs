//! The grammar is compiled, and pleach is without the feature for that.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/compiled",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: `grammars/compiled` is a compiled grammar, which takes a feature of pleach: add `features = ["compiled"]` to the dependency in Cargo.toml
