//! There is no body, and no comma.
#![no_main]

pleach::fuzz! { grammar: "grammars/list.ebnf" }
// error 4:1: `fuzz!` needs a comma after `grammar: …`, and then the body: `|text: &[u8]| { … }`
