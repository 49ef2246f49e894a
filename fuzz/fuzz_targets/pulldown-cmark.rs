//! The crate pulldown-cmark renders sentences of `grammars/markdown/markdown.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/markdown/markdown.ebnf",
    |text: &[u8]| { pulldown_cmark::run(text); }
}
