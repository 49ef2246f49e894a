//! The grammar is not there.
#![no_main]

pleach::fuzz! {
    grammar: "grammars/nowhere.ebnf",
    |text: &[u8]| { let _ = text; }
}
// error 4:1: couldn't read `…/targets/grammars/nowhere.ebnf`: No such file or directory (os error 2)
