#![no_main]

pleach::fuzz! {
    grammar: "../grammars/json/json.pleach",
    |text: &[u8]| { let _ = serde_json::from_slice::<serde_json::Value>(text); }
}
