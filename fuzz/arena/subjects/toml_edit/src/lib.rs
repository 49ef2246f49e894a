//! `toml_edit`: a document prints as it was, and after every edit it prints as what it holds.

mod data;
mod edit;
#[cfg(test)]
mod tests;

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Key, Table, Value};

use data::data;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/toml/toml.ebnf");

/// No text nests deeper than it has dots, brackets and braces. The parser limits each kind for itself (80), which still lets
/// them multiply, and all that works on a document is recursive.
const MAX_NESTING: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    400
};

/// Reads `text`, walks it, edits it, prints it and reads it again. True if `text` is accepted.
pub fn run(text: &[u8]) -> bool {
    let nesting = text.iter().filter(|&byte| b".[{".contains(byte)).count();
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if nesting > MAX_NESTING {
        return false;
    }
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            if let Some(span) = error.span() {
                assert!(span.end <= text.len(), "an error beyond the text: {span:?}");
            }
            return false;
        }
    };
    walk(text, document.as_table());

    let document = document.into_mut();
    let printed = document.to_string();
    check_unedited(text, &document, &printed);
    let before = data(document.as_table());
    let again = read(&printed);
    assert_eq!(
        data(again.as_table()),
        before,
        "printing changed the data: {printed}"
    );
    assert_eq!(again.to_string(), printed, "the second print differs");

    for (name, edit, keeps) in edit::EDITS {
        let mut edited = document.clone();
        edit(&mut edited);
        let after = data(edited.as_table());
        if *keeps {
            assert_eq!(after, before, "{name} changed the data");
        }
        let printed = edited.to_string();
        assert_eq!(
            data(read(&printed).as_table()),
            after,
            "{name} prints other data: {printed}"
        );
    }
    true
}

/// Reads what was printed.
fn read(printed: &str) -> DocumentMut {
    printed
        .parse()
        .unwrap_or_else(|error| panic!("printed text is refused: {error}\n{printed}"))
}

/// A document that nobody edited prints as it was, but for what the crate does not keep: the byte order mark, carriage
/// returns, the missing last line break, and the place and form of keys that several lines share.
fn check_unedited(text: &str, document: &DocumentMut, printed: &str) {
    if shares_keys(document.as_table()) {
        return;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n");
    let printed = printed.replace("\r\n", "\n");
    let same = printed == text
        || printed
            .strip_suffix('\n')
            .is_some_and(|shown| shown == text);
    assert!(same, "the unedited document differs: {text:?}, {printed:?}");
}

/// Whether a key may belong to several headers or dotted keys.
fn shares_keys(root: &Table) -> bool {
    root.iter().any(|(_, item)| match item {
        Item::None => false,
        Item::Value(value) => shares_keys_within(value),
        Item::Table(table) => {
            table.is_dotted()
                || table
                    .iter()
                    .any(|(_, item)| item.as_value().is_none_or(shares_keys_within))
        }
        Item::ArrayOfTables(tables) => {
            tables.len() > 1
                || tables
                    .iter()
                    .flatten()
                    .any(|(_, item)| item.as_value().is_none_or(shares_keys_within))
        }
    })
}

fn shares_keys_within(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.iter().any(shares_keys_within),
        Value::InlineTable(table) => {
            table.is_dotted() || table.iter().any(|(_, value)| shares_keys_within(value))
        }
        _ => false,
    }
}

/// Looks at everything in a table, by name and by place.
fn walk(text: &str, table: &Table) {
    check_span(text, table.span());
    assert_eq!(table.iter().count(), table.len());
    for (name, item) in table {
        let (key, found) = table.get_key_value(name).expect("a key leads to its item");
        assert!(std::ptr::eq(found, item), "{name:?} leads to another item");
        assert!(table.contains_key(name));
        assert_eq!(table.contains_table(name), item.is_table());
        assert_eq!(table.contains_value(name), item.is_value());
        assert_eq!(
            table.contains_array_of_tables(name),
            item.is_array_of_tables()
        );
        assert_eq!(key.get(), name);
        check_key(text, key);
        check_span(text, item.span());
        match item {
            Item::None => panic!("nothing has a name: {name:?}"),
            Item::Value(value) => walk_value(text, value),
            Item::Table(table) => walk(text, table),
            Item::ArrayOfTables(tables) => {
                for (index, table) in tables.iter().enumerate() {
                    assert!(
                        tables
                            .get(index)
                            .is_some_and(|found| std::ptr::eq(found, table))
                    );
                    walk(text, table);
                }
            }
        }
    }
    for (path, value) in table.get_values() {
        let first = table.get(path[0].get());
        let last = path[1..]
            .iter()
            .fold(first, |item, key| item?.get(key.get()));
        assert_eq!(
            last.map(Item::type_name),
            Some(value.type_name()),
            "a dotted key leads elsewhere"
        );
    }
}

fn walk_value(text: &str, value: &Value) {
    check_span(text, value.span());
    match value {
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                assert!(
                    array
                        .get(index)
                        .is_some_and(|found| std::ptr::eq(found, value))
                );
                walk_value(text, value);
            }
        }
        Value::InlineTable(table) => {
            check_span(text, table.span());
            for (name, value) in table {
                check_key(text, table.key(name).expect("a name has a key"));
                assert!(
                    table
                        .get(name)
                        .is_some_and(|found| std::ptr::eq(found, value))
                );
                walk_value(text, value);
            }
        }
        _ => {
            // What stands there is the value.
            let place = value.span().expect("a read value has a place");
            let alone: Value = text[place].parse().expect("a value alone is accepted");
            assert_eq!(data::value(&alone), data::value(value));
        }
    }
}

fn check_key(text: &str, key: &Key) {
    check_span(text, key.span());
    let written = key.default_repr();
    let written = written.as_raw().as_str().expect("a new form is a text");
    let read: Key = written.parse().expect("the default form of a key is one");
    assert_eq!(read.get(), key.get());
    if let Some(place) = key.span() {
        let read: Key = text[place].parse().expect("what stands there is a key");
        assert_eq!(read.get(), key.get());
    }
}

fn check_span(text: &str, span: Option<Range<usize>>) {
    if let Some(span) = span {
        assert!(
            text.get(span.clone()).is_some(),
            "no place in the text: {span:?}"
        );
    }
}
