//! A comma is missing behind a grammar that is an expression, before a body with a type.
#![no_main]

pleach::fuzz! {
    grammar: "list := [a-z]+;".parse().unwrap()
    |text: &[u8]| { let _ = text; }
}
// error 4:1: `fuzz!` takes settings, each with a comma after it, and then the body: `grammar: "json.ebnf", |text: &[u8]| { … }`; it cannot read from here on: `grammar: "list := [a-z]+;".parse().unwrap() |text: &[u8]| { let _ = text; }`
