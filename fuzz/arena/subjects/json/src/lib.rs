//! `serde_json`: what was read survives printing, and all ways of reading agree.

use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/json/json.ebnf");

/// Reads `text` in several ways, prints the value and reads it again. True if `text` is accepted.
pub fn run(text: &[u8]) -> bool {
    // Skipping a text checks less than building its value (the range of a number, for example), never more.
    let skipped = serde_json::from_slice::<IgnoredAny>(text).is_ok();
    let raw = serde_json::from_slice::<&RawValue>(text);
    let streamed = serde_json::from_reader::<_, Value>(text);
    let value = match serde_json::from_slice::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            assert!(streamed.is_err(), "only a slice is refused: {error}");
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    assert!(skipped, "a value that cannot be skipped");
    assert_eq!(
        streamed.expect("a slice is accepted"),
        value,
        "slice and stream differ"
    );

    let raw = raw.expect("a value has a raw form").get();
    assert_eq!(
        serde_json::from_str::<Value>(raw).expect("the raw form is a text"),
        value
    );

    let printed = serde_json::to_string(&value).expect("a value prints");
    let again: Value = serde_json::from_str(&printed).expect("printed text is accepted");
    assert_eq!(again, value, "printing changed the value: {printed}");
    assert_eq!(again.to_string(), printed, "the second print differs");

    let pretty = serde_json::to_string_pretty(&value).expect("a value prints");
    let again: Value = serde_json::from_str(&pretty).expect("pretty text is accepted");
    assert_eq!(again, value, "pretty printing changed the value: {pretty}");

    walk(&value);
    true
}

/// Visits every value, by key or index and by pointer.
fn walk(root: &Value) {
    let mut open = vec![(String::new(), root)];
    while let Some((pointer, value)) = open.pop() {
        // A pointer costs its length; deep values are left to the walk itself.
        if pointer.len() < 256 {
            assert_eq!(
                root.pointer(&pointer),
                Some(value),
                "pointer {pointer} leads elsewhere"
            );
        }
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    open.push((format!("{pointer}/{index}"), item));
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    assert_eq!(value.get(name), Some(member));
                    let token = name.replace('~', "~0").replace('/', "~1");
                    open.push((format!("{pointer}/{token}"), member));
                }
            }
            Value::Number(number) => {
                assert!(
                    number.as_f64().is_some_and(f64::is_finite),
                    "{number} is not finite"
                );
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
