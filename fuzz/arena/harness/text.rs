//! The subject under pleach, with the text codec.
#![no_main]

pleach::fuzz! {
    grammar: subject::GRAMMAR.parse().expect("the subject's grammar is right"),
    codec: text,
    |text: &[u8]| { subject::run(text); }
}
