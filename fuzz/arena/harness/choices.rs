//! The subject under pleach, on choice sequences.
#![no_main]

pleach::fuzz! {
    grammar: subject::GRAMMAR.parse().expect("the subject's grammar is right"),
    |text: &[u8]| { subject::run(text); }
}
