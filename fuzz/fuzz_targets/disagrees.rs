//! A parser that its grammar does not fit, on purpose, for tests of `pleach agree`: JSON without exponents, which makes the grammar too wide,
//! and with commas behind the last item of an array, which makes it too narrow.
#![no_main]

use libfuzzer_sys::Corpus;

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    |text: &str| {
        let Some(text) = without_last_commas(text) else { return Corpus::Reject };
        match serde_json::from_str::<serde_json::Value>(&text) {
            Ok(_) => Corpus::Keep,
            Err(_) => Corpus::Reject,
        }
    }
}

/// The text without commas before brackets; nothing if there is an exponent.
fn without_last_commas(text: &str) -> Option<String> {
    let mut kept = String::new();
    let (mut is_string, mut is_escaped) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !is_escaped => is_string = !is_string,
            'e' | 'E' if !is_string && kept.ends_with(|it: char| it.is_ascii_digit()) => {
                return None;
            }
            ']' if !is_string && kept.trim_end().ends_with(',') => {
                kept.truncate(kept.trim_end().len() - 1);
            }
            _ => {}
        }
        is_escaped = is_string && c == '\\' && !is_escaped;
        kept.push(c);
    }
    Some(kept)
}
