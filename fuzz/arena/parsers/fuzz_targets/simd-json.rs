//! The crate simd-json reads and prints sentences of `grammars/json/json.ebnf`.
#![no_main]

use libfuzzer_sys::Corpus;
use simd_json::prelude::Writable as _;

pleach::fuzz! {
    grammar: "../../../grammars/json/json.ebnf",
    |text: &[u8]| {
        // It writes to what it reads.
        let mut text = text.to_vec();
        match simd_json::to_owned_value(&mut text) {
            Ok(value) => {
                let _ = value.encode_pp();
                Corpus::Keep
            }
            Err(_) => Corpus::Reject,
        }
    }
}
