//! What a document holds, in one form whatever way it is written: what two documents are compared by.

use std::fmt::Write as _;

use toml_edit::{Item, Table, TableLike, Value};

/// The data of a table, with sorted keys.
pub fn data(table: &Table) -> String {
    let mut text = String::new();
    add_table(table, &mut text);
    text
}

/// The data of a value.
pub fn value(value: &Value) -> String {
    let mut text = String::new();
    add_value(value, &mut text);
    text
}

fn add_table(table: &dyn TableLike, text: &mut String) {
    let mut entries: Vec<(&str, &Item)> = table.iter().filter(|(_, item)| is_shown(item)).collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    text.push('{');
    for (name, item) in entries {
        let _ = write!(text, "{name:?}:");
        match item {
            Item::None => {}
            Item::Value(value) => add_value(value, text),
            Item::Table(table) => add_table(table, text),
            Item::ArrayOfTables(tables) => {
                text.push('[');
                for table in tables {
                    add_table(table, text);
                    text.push(',');
                }
                text.push(']');
            }
        }
        text.push(',');
    }
    text.push('}');
}

/// Whether anything of an item is printed: tables that only their contents called for go with them.
fn is_shown(item: &Item) -> bool {
    match item {
        Item::None => false,
        Item::Value(Value::InlineTable(table)) if table.is_dotted() => {
            TableLike::iter(table).any(|(_, item)| is_shown(item))
        }
        Item::Value(_) => true,
        Item::Table(table) => {
            !(table.is_implicit() || table.is_dotted())
                || table.iter().any(|(_, item)| is_shown(item))
        }
        Item::ArrayOfTables(tables) => !tables.is_empty(),
    }
}

fn add_value(value: &Value, text: &mut String) {
    let _ = match value {
        Value::String(string) => write!(text, "{:?}", string.value()),
        Value::Integer(integer) => write!(text, "{}", integer.value()),
        // Which of the many NaNs it is makes no difference to TOML.
        Value::Float(float) => write!(text, "{:?}", float.value()),
        Value::Boolean(boolean) => write!(text, "{}", boolean.value()),
        Value::Datetime(datetime) => write!(text, "{:?}", datetime.value()),
        Value::Array(array) => {
            text.push('[');
            for value in array {
                add_value(value, text);
                text.push(',');
            }
            text.push(']');
            Ok(())
        }
        Value::InlineTable(table) => {
            add_table(table, text);
            Ok(())
        }
    };
}
