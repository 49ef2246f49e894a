#![no_main]

use serde_json::{Value, from_slice, from_str};

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    codec: text,
    |text: &[u8]| {
        if let Ok(value) = from_slice::<Value>(text) {
            assert!(from_str::<Value>(&value.to_string()).is_ok());
        }
    }
}
