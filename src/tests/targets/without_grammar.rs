//! There is no grammar.
#![no_main]

pleach::fuzz! {
    codec: text,
    |text: &[u8]| { let _ = text; }
}
// error 4:1: `fuzz!` needs a grammar: add `grammar: "json.ebnf",`
