//! The grammar is misspelled: not that it is missing.
#![no_main]

pleach::fuzz! {
    codec: text,
    grammer: "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 6:5: no field `grammer` on type `Settings`
//   unknown field
// help: a field with a similar name exists
