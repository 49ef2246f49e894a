//! A setting has an equals sign.
#![no_main]

pleach::fuzz! {
    grammar = "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: a setting of `fuzz!` is written with a colon: `grammar: …,`
