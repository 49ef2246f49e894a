//! serde_json reads sentences of `grammars/json/json.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../../grammars/json/json.ebnf",
    |text: &[u8]| { let _ = serde_json::from_slice::<serde_json::Value>(text); }
}
