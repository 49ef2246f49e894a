//! The crate httparse reads requests, whole and in parts, from sentences of `grammars/http/http.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/http/http.ebnf",
    |text: &[u8]| { httparse::run(text); }
}
