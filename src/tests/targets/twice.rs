//! A setting is given twice.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    codec: text,
    codec: choices,
    |text: &[u8]| { let _ = text; }
}
// error 4:1: the name `codec` is defined multiple times
//   `codec` redefined here
