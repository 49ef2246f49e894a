//! The crates of oxc check, print and minify scripts of `grammars/javascript/javascript.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/javascript/javascript.ebnf",
    |text: &[u8]| { oxc::run(text); }
}
