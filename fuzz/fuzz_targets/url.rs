//! The url crate parses, joins and edits sentences of `grammars/url/url.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/url/url.ebnf",
    |text: &[u8]| { url::run(text); }
}
