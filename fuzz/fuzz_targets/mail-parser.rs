//! The crate mail-parser finds the addresses of sentences of `grammars/email/email.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/email/email.ebnf",
    |text: &[u8]| { mail_parser::run(text); }
}
