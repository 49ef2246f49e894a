//! As `json`, but the inputs are texts: corpora come and go as they are.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    codec: text,
    |text: &[u8]| { json::run(text); }
}
