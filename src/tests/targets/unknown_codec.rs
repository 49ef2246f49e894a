//! There is no such codec.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    codec: binary,
    |text: &[u8]| { let _ = text; }
}
// error 4:1: there is no codec `binary`: write `codec: choices` or `codec: text`
