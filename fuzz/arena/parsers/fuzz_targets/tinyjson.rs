//! The crate tinyjson reads, prints and reads again sentences of `grammars/json/json.ebnf`.
#![no_main]

use libfuzzer_sys::Corpus;
use tinyjson::JsonValue;

pleach::fuzz! {
    grammar: "../../../grammars/json/json.ebnf",
    |text: &str| {
        let Ok(value) = text.parse::<JsonValue>() else {
            return Corpus::Reject;
        };
        let printed = value.stringify().and_then(|_| value.format());
        if let Ok(printed) = printed {
            let _ = printed.parse::<JsonValue>();
        }
        Corpus::Keep
    }
}
