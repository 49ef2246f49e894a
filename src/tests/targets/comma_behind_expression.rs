//! A comma is missing behind a grammar that is an expression.
#![no_main]

pleach::fuzz! {
    grammar: "list := [a-z]+;".parse().unwrap()
    |text| { let _ = text; }
}
// error 4:1: `fuzz!` needs a comma after `grammar: …`, and then the body: `|text: &[u8]| { … }`
