//! The crate rhai compiles, optimizes and runs sentences of `grammars/rhai/rhai.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/rhai/rhai.ebnf",
    |text: &[u8]| { rhai::run(text); }
}
