//! Peer: mutatis, on a JSON data type with a derived mutator.
//!
//! mutatis mutates values and knows no grammar: the type below and its printer are what a user writes. The derive macro
//! cannot name the mutator of a type that contains itself, so the two lists have mutators written by hand that make the
//! derived one where they need it.

use crate::arms::{Arm, Pool, Task};
use mutatis::{Candidates, Context, DefaultMutate, Generate, Mutate, Session, mutators};
use std::hint::black_box;
use std::io::Write;
use std::rc::Rc;

/// The name of the arm.
pub const NAME: &str = "mutatis";

/// One derived mutation of a fresh value, and printing it. Copying the value is not part of the time.
pub fn mutate(pool: &Rc<Pool>) -> Arm {
    // Numbers beyond a double and escaped surrogates are JSON, but not of this type.
    let parse = |text: &[u8]| serde_json::from_slice(text).ok();
    let values: Vec<Value> = pool
        .sentences()
        .iter()
        .filter_map(|sentence| parse(&sentence.text))
        .map(Value::new)
        .collect();
    assert!(
        values.len() >= pool.sentences().len() / 4,
        "too few sentences fit the type"
    );
    let workload = pool.workload(Task::Mutate);
    let mut session = Session::new().seed(1);
    let mut turn = 0;
    let mut batch: Vec<Value> = Vec::new();
    let mut text = Vec::new();
    Arm::new(NAME, workload, move |operations, meter| {
        let mut left = operations as usize;
        while left > 0 {
            let size = left.min(workload.batch());
            batch.clear();
            for _ in 0..size {
                batch.push(values[turn % values.len()].clone());
                turn += 1;
            }
            let mut bytes = 0;
            meter.time(|| {
                for value in &mut batch {
                    session
                        .mutate(value)
                        .expect("there is always something to mutate");
                    text.clear();
                    value.print(&mut text);
                    bytes += black_box(&text).len();
                }
            });
            meter.add_bytes(bytes);
            left -= size;
        }
    })
}

/// A JSON value.
#[derive(Clone, Debug, Mutate)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; `null` where it is not finite.
    Number(f64),
    /// A string.
    String(String),
    /// An array.
    Array(Items),
    /// An object.
    Object(Members),
}

/// A name and a value in an object.
#[derive(Clone, Debug, Mutate)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A list type with a mutator that ends the recursion of types.
macro_rules! list {
    ($(#[$doc:meta])* $list:ident, $mutator:ident, $item:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $list(pub Vec<$item>);

        /// Mutates a list by the mutator of its items.
        #[derive(Clone, Debug, Default)]
        pub struct $mutator;

        impl DefaultMutate for $list {
            type DefaultMutate = $mutator;
        }

        impl Mutate<$list> for $mutator {
            fn mutate(&mut self, candidates: &mut Candidates<'_>, list: &mut $list) -> mutatis::Result<()> {
                mutators::vec(mutators::default::<$item>()).mutate(candidates, &mut list.0)
            }

            fn mutation_count(&self, list: &$list, shrink: bool) -> Option<u32> {
                mutators::vec(mutators::default::<$item>()).mutation_count(&list.0, shrink)
            }
        }

        impl Generate<$list> for $mutator {
            fn generate(&mut self, context: &mut Context) -> mutatis::Result<$list> {
                mutators::vec(mutators::default::<$item>()).generate(context).map($list)
            }
        }
    };
}

list! {
    /// The items of an array.
    Items, ItemsMutator, Value
}

list! {
    /// The members of an object.
    Members, MembersMutator, Member
}

impl Value {
    fn new(value: serde_json::Value) -> Value {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(value),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(0.0)),
            serde_json::Value::String(string) => Value::String(string),
            serde_json::Value::Array(items) => {
                Value::Array(Items(items.into_iter().map(Value::new).collect()))
            }
            serde_json::Value::Object(members) => {
                let member = |(name, value)| Member {
                    name,
                    value: Value::new(value),
                };
                Value::Object(Members(members.into_iter().map(member).collect()))
            }
        }
    }

    /// Appends the value as JSON text.
    pub fn print(&self, out: &mut Vec<u8>) {
        match self {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(true) => out.extend_from_slice(b"true"),
            Value::Bool(false) => out.extend_from_slice(b"false"),
            // The debug form has an exponent where the number is long.
            Value::Number(number) if number.is_finite() => {
                write!(out, "{number:?}").expect("a vector takes everything");
            }
            Value::Number(_) => out.extend_from_slice(b"null"),
            Value::String(string) => print_string(string, out),
            Value::Array(Items(items)) => {
                out.push(b'[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    item.print(out);
                }
                out.push(b']');
            }
            Value::Object(Members(members)) => {
                out.push(b'{');
                for (place, member) in members.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    print_string(&member.name, out);
                    out.push(b':');
                    member.value.print(out);
                }
                out.push(b'}');
            }
        }
    }
}

fn print_string(string: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in string.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => write!(out, "\\u{byte:04x}").expect("a vector takes everything"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::Value;
    use mutatis::Session;

    #[test]
    fn values_stay_json() {
        let text = r#"[null,true,{"a\"":[1.5,"\u0001\n"],"":{}},-3.0]"#;
        let mut value = Value::new(serde_json::from_str(text).unwrap());
        let mut session = Session::new().seed(7);
        for _ in 0..2000 {
            let mut out = Vec::new();
            value.print(&mut out);
            let read = serde_json::from_slice::<serde_json::Value>(&out);
            assert!(read.is_ok(), "{}", String::from_utf8_lossy(&out));
            session.mutate(&mut value).unwrap();
        }
    }
}
