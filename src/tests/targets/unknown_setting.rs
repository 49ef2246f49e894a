//! A setting is misspelled.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    erors: 0.1,
    |text: &[u8]| { let _ = text; }
}
// error 6:5: no field `erors` on type `Settings`
//   unknown field
// help: a field with a similar name exists
