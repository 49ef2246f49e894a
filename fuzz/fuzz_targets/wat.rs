//! The crate wat encodes, and wasmparser validates, modules of `grammars/wat/wat.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/wat/wat.ebnf",
    |text: &[u8]| { wat::run(text); }
}
