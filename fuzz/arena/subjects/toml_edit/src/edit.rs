//! What is done to documents: each edit uses another part of the interface, on every item that it fits.

use toml_edit::visit_mut::{self, VisitMut};
use toml_edit::{
    Array, ArrayOfTables, Datetime, DocumentMut, Entry, Formatted, InlineTable, Item, KeyMut,
    Table, Value, value,
};

/// The edits: their names, what they do, and whether they keep the data.
#[expect(clippy::type_complexity, reason = "a table that is read in one place")]
pub const EDITS: &[(&str, fn(&mut DocumentMut), bool)] = &[
    ("sorting", sort, true),
    ("formatting", format, true),
    ("spreading inline tables", spread, true),
    ("folding tables", fold, true),
    ("commenting", comment, true),
    ("changing", change, false),
];

fn sort(document: &mut DocumentMut) {
    struct Sort(bool);
    impl VisitMut for Sort {
        fn visit_table_mut(&mut self, table: &mut Table) {
            self.0 = !self.0;
            if self.0 {
                table.sort_values();
            } else {
                table.sort_values_by(|left, _, right, _| right.get().cmp(left.get()));
            }
            visit_mut::visit_table_mut(self, table);
        }

        fn visit_inline_table_mut(&mut self, table: &mut InlineTable) {
            table.sort_values_by(|left, _, right, _| right.get().len().cmp(&left.get().len()));
            visit_mut::visit_inline_table_mut(self, table);
        }
    }
    Sort(true).visit_document_mut(document);
}

/// Forgets how everything was written.
fn format(document: &mut DocumentMut) {
    struct Format;
    impl VisitMut for Format {
        fn visit_table_mut(&mut self, table: &mut Table) {
            visit_mut::visit_table_mut(self, table);
            table.fmt();
            table.decor_mut().clear();
        }

        fn visit_inline_table_mut(&mut self, table: &mut InlineTable) {
            visit_mut::visit_inline_table_mut(self, table);
            table.fmt();
            table.set_trailing("");
            table.set_trailing_comma(false);
        }

        fn visit_array_mut(&mut self, array: &mut Array) {
            visit_mut::visit_array_mut(self, array);
            array.fmt();
        }

        fn visit_table_like_kv_mut(&mut self, mut key: KeyMut<'_>, item: &mut Item) {
            key.fmt();
            visit_mut::visit_table_like_kv_mut(self, key, item);
        }

        fn visit_boolean_mut(&mut self, value: &mut Formatted<bool>) {
            value.fmt();
        }

        fn visit_datetime_mut(&mut self, value: &mut Formatted<Datetime>) {
            value.fmt();
        }

        fn visit_float_mut(&mut self, value: &mut Formatted<f64>) {
            value.fmt();
        }

        fn visit_integer_mut(&mut self, value: &mut Formatted<i64>) {
            value.fmt();
        }

        fn visit_string_mut(&mut self, value: &mut Formatted<String>) {
            value.fmt();
        }
    }
    Format.visit_document_mut(document);
    document.set_trailing("");
}

/// Makes tables of inline tables, and arrays of tables of arrays of inline tables.
fn spread(document: &mut DocumentMut) {
    struct Spread;
    impl VisitMut for Spread {
        fn visit_table_mut(&mut self, table: &mut Table) {
            for (_, item) in table.iter_mut() {
                // `into_table` would also take standard tables, which stay as they are.
                if item.is_value() {
                    let taken = std::mem::take(item);
                    *item = match taken.into_table() {
                        Ok(table) => Item::Table(table),
                        Err(taken) => taken
                            .into_array_of_tables()
                            .map_or_else(|taken| taken, Item::ArrayOfTables),
                    };
                }
            }
            visit_mut::visit_table_mut(self, table);
        }
    }
    Spread.visit_document_mut(document);
}

/// Makes inline tables of every other table of the root, and arrays of arrays of tables.
fn fold(document: &mut DocumentMut) {
    for (index, (_, item)) in document.iter_mut().enumerate() {
        if index % 2 == 0 {
            item.make_value();
        } else if let Item::Table(table) = item {
            for (_, item) in table.iter_mut() {
                item.make_value();
            }
        }
    }
}

/// Sets what stands around items.
fn comment(document: &mut DocumentMut) {
    struct Comment;
    impl VisitMut for Comment {
        fn visit_table_mut(&mut self, table: &mut Table) {
            table.decor_mut().set_prefix("\n# table\n\t");
            table.decor_mut().set_suffix(" # header");
            for (_, item) in table.iter_mut() {
                if let Item::Value(value) = item {
                    value.decor_mut().set_prefix("\t");
                    value.decor_mut().set_suffix(" # end");
                }
            }
            visit_mut::visit_table_mut(self, table);
        }

        fn visit_array_mut(&mut self, array: &mut Array) {
            for value in array.iter_mut() {
                let taken = std::mem::replace(value, Value::from(false));
                *value = taken.decorated("\n  # before\n", "# after\n");
            }
            array.set_trailing("\n");
            array.set_trailing_comma(true);
            visit_mut::visit_array_mut(self, array);
        }
    }
    Comment.visit_document_mut(document);
    document.set_trailing("# the end");
}

/// Inserts, replaces and removes.
fn change(document: &mut DocumentMut) {
    struct Change;
    impl VisitMut for Change {
        fn visit_table_mut(&mut self, table: &mut Table) {
            visit_mut::visit_table_mut(self, table);
            // A new table is printed where the table before it in the data stands, which may be anywhere in the document. So
            // all of them are printed in the order of the data here.
            table.set_position(None);
            let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
            for (index, name) in names.iter().enumerate() {
                match index % 3 {
                    0 => drop(table.remove(name)),
                    1 if table[name.as_str()].is_value() => {
                        table[name.as_str()] = value(name.as_str())
                    }
                    _ => {}
                }
            }
            let Entry::Vacant(entry) = table.entry("new \"key\"\n") else {
                return;
            };
            entry.insert(value(1.0));
            table.entry("é").or_insert(value(i64::MIN));
            table.retain(|name, _| name != "xx");
        }

        fn visit_inline_table_mut(&mut self, table: &mut InlineTable) {
            visit_mut::visit_inline_table_mut(self, table);
            let first = table.iter().next().map(|(name, _)| name.to_owned());
            if let Some(name) = first {
                let old = table.remove(&name).expect("a name of the table");
                table.insert(format!("{name}'"), old);
            }
            table.get_or_insert("'", "'''\n\"\"\"\u{7f}\\");
        }

        fn visit_array_mut(&mut self, array: &mut Array) {
            visit_mut::visit_array_mut(self, array);
            match array.len() {
                0 => array.push(f64::NEG_INFINITY),
                1 => array.insert(0, "a\tb"),
                2 => drop(array.replace(1, true)),
                _ => drop(array.remove(1)),
            }
            if array.len() > 2 {
                array.sort_by_key(|value| value.type_name().len());
                array.fmt();
            }
        }

        fn visit_array_of_tables_mut(&mut self, tables: &mut ArrayOfTables) {
            visit_mut::visit_array_of_tables_mut(self, tables);
            if tables.len() > 1 {
                tables.remove(0);
            }
            tables.push(Table::new());
        }
    }
    Change.visit_document_mut(document);
}
