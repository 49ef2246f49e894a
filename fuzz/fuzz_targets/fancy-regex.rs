//! The crate fancy-regex compiles and matches sentences of `grammars/fancy_regex/fancy_regex.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/fancy_regex/fancy_regex.ebnf",
    |text: &[u8]| { fancy_regex::run(text); }
}
