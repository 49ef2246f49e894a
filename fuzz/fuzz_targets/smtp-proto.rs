//! The crate smtp-proto reads sessions, whole and in parts, from sentences of `grammars/dialogue/dialogue.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/dialogue/dialogue.ebnf",
    |text: &[u8]| { smtp_proto::run(text); }
}
