//! The crate regex-syntax parses, prints and compiles sentences of `grammars/regex/regex.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/regex/regex.ebnf",
    |text: &[u8]| { regex_syntax::run(text); }
}
