//! The crate json5 reads, prints and reads again sentences of `grammars/json5/json5.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/json5/json5.ebnf",
    |text: &[u8]| { json5::run(text); }
}
