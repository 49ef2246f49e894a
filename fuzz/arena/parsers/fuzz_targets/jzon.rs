//! The crate jzon reads, prints and reads again sentences of `grammars/json/json.ebnf`.
#![no_main]

use libfuzzer_sys::Corpus;

pleach::fuzz! {
    grammar: "../../../grammars/json/json.ebnf",
    |text: &str| {
        let Ok(value) = jzon::parse(text) else {
            return Corpus::Reject;
        };
        let _ = jzon::parse(&value.dump());
        let _ = value.pretty(2);
        Corpus::Keep
    }
}
