//! A setting is like none that there is.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    dictionary: "list.dict",
    |text: &[u8]| { let _ = text; }
}
// error 6:5: no field `dictionary` on type `Settings`
//   unknown field
// note: available fields are: `grammar`, `codec`, `errors`, `semantics`, `model` ... and 3 others
