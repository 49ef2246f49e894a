#![no_main]

use serde_json::{Value, from_slice};

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    mode: self,
    |text: &[u8]| { let _ = from_slice::<Value>(text); }
}
