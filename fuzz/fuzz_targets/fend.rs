//! fend-core evaluates sentences of `grammars/fend/fend.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/fend/fend.ebnf",
    |text: &[u8]| { fend::run(text); }
}
