//! A setting is nearly `goals`.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    goal: ["time"],
    |text: &[u8]| { let _ = text; }
}
// error 6:5: no field `goal` on type `Settings`
//   unknown field
// help: a field with a similar name exists
