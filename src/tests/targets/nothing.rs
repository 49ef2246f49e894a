//! There is nothing.
#![no_main]

pleach::fuzz! {}
// error 4:1: `fuzz!` needs a grammar and a body: `grammar: "json.ebnf", |text: &[u8]| { … }`
