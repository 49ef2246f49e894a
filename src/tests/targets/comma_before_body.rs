//! A comma is missing before the body.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf"
    |text: &[u8]| { let _ = text; }
}
// error 4:1: `fuzz!` needs a comma after `grammar: "grammars/list.ebnf"`
