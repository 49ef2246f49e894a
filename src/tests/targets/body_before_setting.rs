//! A setting stands behind the body.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; },
    codec: text,
}
// error 4:1: the body of `fuzz!` comes last, after all settings; behind it stands `codec: text,`
