//! The grammar is in another notation, and the extension has capitals.
#![no_main]

pleach::language! { static LIST: List = "grammars/list.Abnf"; }
// error 4:1: evaluation panicked: `grammars/list.Abnf` is a grammar of another notation. Make one of pleach's of it: `pleach convert grammars/list.Abnf -o NAME.ebnf`, and name that file
