//! The grammar is in ANTLR's notation.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/list.g4",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: evaluation panicked: `grammars/list.g4` is a grammar of another notation. Make one of pleach's of it: `pleach convert grammars/list.g4 -o NAME.ebnf`, and name that file
