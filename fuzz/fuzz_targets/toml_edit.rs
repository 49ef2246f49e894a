//! The crate toml_edit reads, edits and prints sentences of `grammars/toml/toml.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/toml/toml.ebnf",
    |text: &[u8]| { toml_edit::run(text); }
}
