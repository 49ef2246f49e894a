//! serde_json reads, prints and reads again sentences of `grammars/json/json.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    |text: &[u8]| { json::run(text); }
}
