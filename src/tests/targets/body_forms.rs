//! All forms of the body's parameter, and of what it yields. Each target exports the same names, so only one is made for the linker.
#![no_main]
#![allow(unused)]

macro_rules! each {
    ($($name:ident { $($target:tt)* })*) => {
        $(mod $name {
            use libfuzzer_sys::Corpus;
            pleach::fuzz! { grammar: "grammars/list.ebnf", $($target)* }
        })*
    };
}

each! {
    bytes { |text: &[u8]| { let _ = text.len(); } }
    no_type { |text| { let _ = text.first(); } }
    string { |text: &str| { let _ = text.chars(); } }
    own_bytes { |text: Vec<u8>| { let _ = text.len(); } }
    own_string { |text: String| { let _ = text.len(); } }
    changed { |mut text: Vec<u8>| { text.push(0) } }
    unused { |_| {} }
    unused_string { |_: &str| {} }
    long_type { |text: std::string::String| drop(text), }
    expression { |text: &[u8]| assert!(text.len() < 9000) }
    trailing_comma { |text: &[u8]| { let _ = text; }, }
    returns { |text: &[u8]| { if text.is_empty() { return; } let _ = text[0]; } }
    let_else { |text: &[u8]| { let Some(first) = text.first() else { return }; let _ = *first; } }
    corpus { |text: &[u8]| { if text.is_empty() { Corpus::Reject } else { Corpus::Keep } } }
    returns_corpus { |text: &str| { let Ok(_) = text.parse::<u8>() else { return Corpus::Reject }; Corpus::Keep } }
    says_corpus { |text: &[u8]| -> Corpus { if text.is_empty() { return Corpus::Reject; } Corpus::Keep } }
    says_nothing { |text: &[u8]| -> () { let _ = text; } }
    always_fails { |text: &[u8]| panic!("{text:?}") }
    ends_nowhere { |_| { loop { std::hint::spin_loop(); } } }
    inner_closure { |text: &[u8]| { let _ = text.iter().map(|byte| byte | 1).count(); } }
}
