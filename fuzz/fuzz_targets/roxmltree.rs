//! The crate roxmltree parses, walks and writes sentences of `grammars/xml/xml.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/xml/xml.ebnf",
    |text: &[u8]| { roxmltree::run(text); }
}
