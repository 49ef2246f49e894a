//! The crate piccolo compiles and runs scripts of `grammars/lua/lua.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/lua/lua.ebnf",
    |text: &[u8]| { piccolo::run(text); }
}
