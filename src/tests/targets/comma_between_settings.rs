//! A comma is missing between settings.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    codec: text
    errors: 0.1,
    |text: &[u8]| { let _ = text; }
}
// error 4:1: `fuzz!` needs a comma after `codec: text`
