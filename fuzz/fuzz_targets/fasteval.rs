//! The crate fasteval interprets and compiles sentences of `grammars/arithmetic/arithmetic.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/arithmetic/arithmetic.ebnf",
    |text: &[u8]| { fasteval::run(text); }
}
