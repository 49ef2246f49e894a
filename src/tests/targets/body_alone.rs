//! There is nothing but a body.
#![no_main]

pleach::fuzz!(|text: &[u8]| { let _ = text; });
// error 4:1: `fuzz!` needs a grammar: add `grammar: "json.ebnf",`
