//! The texts that are parsed: JSON documents that look like what services answer, the same on every run.

use std::fmt::Write;

use pleach_core::rng::Rng;

/// How a document is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// No white space.
    Compact,
    /// A line for every member and element, indented by two spaces a level.
    Pretty,
}

impl Layout {
    /// Both layouts.
    pub const ALL: [Layout; 2] = [Layout::Compact, Layout::Pretty];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Compact => "compact",
            Layout::Pretty => "pretty",
        }
    }
}

/// The characters beyond ASCII that documents have.
pub const BEYOND_ASCII: &str = "Äöøé日本語Журнал😀";

/// Words of names and sentences; every eighth or so has characters beyond ASCII, as the mix of western services has.
const WORDS: [&str; 24] = [
    "harbor",
    "north",
    "of",
    "the",
    "review",
    "ticket",
    "and",
    "Ängström",
    "quick",
    "invoice",
    "a",
    "pending",
    "seven",
    "københavn",
    "in",
    "market",
    "to",
    "blue",
    "日本語",
    "meeting",
    "station",
    "river",
    "Журнал",
    "with",
];

/// A document of about so many bytes: an object with an array of records, at least one.
pub fn document(size: usize, layout: Layout, seed: u64) -> String {
    let mut writer = Writer {
        text: String::with_capacity(size + size / 8),
        layout,
        depth: 0,
        first: true,
        rng: Rng::new(seed),
    };
    writer.open('{');
    writer.name("generated");
    writer.text.push_str("\"2026-03-14T15:09:26Z\"");
    writer.name("page");
    writer.number();
    writer.name("items");
    writer.open('[');
    loop {
        writer.next();
        writer.record();
        // What closes the document, and half a record.
        if writer.text.len() + 100 >= size {
            break;
        }
    }
    writer.close(']');
    writer.close('}');
    if layout == Layout::Pretty {
        writer.text.push('\n');
    }
    writer.text
}

struct Writer {
    text: String,
    layout: Layout,
    depth: usize,
    /// Whether nothing has been written in the open object or array.
    first: bool,
    rng: Rng,
}

impl Writer {
    fn open(&mut self, bracket: char) {
        self.text.push(bracket);
        self.depth += 1;
        self.first = true;
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        if !self.first {
            self.line();
        }
        self.text.push(bracket);
        self.first = false;
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.text.push('\n');
            for _ in 0..self.depth {
                self.text.push_str("  ");
            }
        }
    }

    /// Before an element or a member.
    fn next(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
        self.line();
    }

    fn name(&mut self, name: &str) {
        self.next();
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str(match self.layout {
            Layout::Compact => "\":",
            Layout::Pretty => "\": ",
        });
    }

    fn record(&mut self) {
        self.open('{');
        self.name("id");
        let id = self.rng.below(10_000_000);
        self.push(id);
        self.name("name");
        self.string(2);
        if self.rng.below(3) == 0 {
            self.name("description");
            let words = 8 + self.rng.index(16);
            self.string(words);
        }
        self.name("active");
        let flag = ["true", "false", "null"][self.rng.index(3)];
        self.text.push_str(flag);
        self.name("price");
        self.number();
        self.name("tags");
        self.open('[');
        for _ in 0..self.rng.index(4) {
            self.next();
            self.string(1);
        }
        self.close(']');
        if self.rng.below(2) == 0 {
            self.name("position");
            self.open('{');
            for axis in ["lat", "lon"] {
                self.name(axis);
                self.number();
            }
            self.close('}');
        }
        self.close('}');
    }

    fn push(&mut self, value: impl std::fmt::Display) {
        write!(self.text, "{value}").expect("strings take everything");
    }

    fn number(&mut self) {
        let (whole, fraction) = (self.rng.below(100_000), self.rng.below(100));
        match self.rng.below(8) {
            0 => self.push(whole % 10),
            1 => self.push(format_args!("-{whole}")),
            2 => self.push(format_args!(
                "{}.{fraction:02}e-{}",
                whole % 10,
                fraction % 12
            )),
            3 => self.push(format_args!("-{fraction}.{whole:05}")),
            4 => self.push(format_args!("1.5E{}", fraction % 20)),
            _ => self.push(format_args!("{whole}.{fraction:02}")),
        }
    }

    fn string(&mut self, words: usize) {
        self.text.push('"');
        for word in 0..words {
            if word > 0 {
                self.text.push(' ');
            }
            let word = WORDS[self.rng.index(WORDS.len())];
            self.text.push_str(word);
            if self.rng.below(16) == 0 {
                let escape = [
                    "\\n", "\\\"", "\\\\", "\\/", "\\t", "\\u00e9", "\\u2026", "😀",
                ];
                self.text.push_str(escape[self.rng.index(escape.len())]);
            }
        }
        self.text.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::{BEYOND_ASCII, Layout, document};

    #[test]
    fn documents_are_json_of_the_size() {
        for layout in Layout::ALL {
            for size in [1_000, 10_000, 100_000] {
                for seed in 0..8 {
                    let text = document(size, layout, seed);
                    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
                    assert!(
                        value["items"]
                            .as_array()
                            .is_some_and(|items| !items.is_empty())
                    );
                    assert!(text.len().abs_diff(size) <= 600, "{size}: {}", text.len());
                    assert_eq!(text, document(size, layout, seed));
                    assert_eq!(
                        layout == Layout::Compact,
                        serde_json::to_string(&value).unwrap().len() + size / 20 > text.len()
                    );
                }
            }
        }
    }

    #[test]
    fn characters_beyond_ascii_are_listed() {
        let text = document(100_000, Layout::Compact, 1);
        let mut beyond = text.chars().filter(|char| !char.is_ascii());
        assert!(beyond.all(|char| BEYOND_ASCII.contains(char)));
    }
}
