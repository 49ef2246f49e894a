//! `json5`: what was read survives printing.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/json5/json5.ebnf");

/// Brackets that may be open at once. The crate has no limit, and overflows the stack.
const MAX_NESTING: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    128
};

/// A value of JSON5. Members keep their order, and names may occur twice.
#[derive(Debug)]
enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Number(f64),
    String(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Reads `text`, prints the value and reads it again. True if `text` is accepted.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    // Brackets in strings and comments count, too.
    if text.bytes().filter(|byte| b"[{".contains(byte)).count() > MAX_NESTING {
        return false;
    }
    let skipped = json5::from_str::<IgnoredAny>(text);
    let value = match json5::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    assert!(skipped.is_ok(), "a value that cannot be skipped");
    let printed = json5::to_string(&value).expect("a value prints");
    let again: Value = json5::from_str(&printed).expect("printed text is accepted");
    assert_eq!(again, value, "printing changed the value: {printed}");
    let twice = json5::to_string(&again).expect("a value prints");
    assert_eq!(twice, printed, "the second print differs");
    true
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Integer(one), Value::Integer(other)) => one == other,
            // A number that is no number is like another one.
            (Value::Number(one), Value::Number(other)) => {
                one == other || one.is_nan() && other.is_nan()
            }
            // Numbers beyond 64 bits print without a fraction.
            (Value::Integer(one), Value::Number(other)) => *one as f64 == *other,
            (Value::Number(one), Value::Integer(other)) => *one == *other as f64,
            (Value::String(one), Value::String(other)) => one == other,
            (Value::Array(one), Value::Array(other)) => one == other,
            (Value::Object(one), Value::Object(other)) => one == other,
            _ => false,
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => serializer.serialize_i128(*value),
            Value::Number(value) => serializer.serialize_f64(*value),
            Value::String(value) => serializer.serialize_str(value),
            Value::Array(items) => serializer.collect_seq(items),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Builder)
    }
}

/// Builds values of what a reader meets.
struct Builder;

impl<'de> Visitor<'de> for Builder {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // A negative zero prints as `-0`, which reads as the integer 0 (json5 1.3.7).
        Ok(match value == 0.0 {
            true => Value::Integer(0),
            false => Value::Number(value),
        })
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests;
