//! There are two grammars.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.ebnf",
    grammar: "grammars/list.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: the setting `grammar` is given twice
