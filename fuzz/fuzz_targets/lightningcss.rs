//! The crate lightningcss reads, minifies and compiles style sheets of `grammars/css/css.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/css/css.ebnf",
    |text: &[u8]| { lightningcss::run(text); }
}
