//! The files that a grammar was read from, one after another in one text.
//!
//! Places in a grammar are offsets in one text. Where a grammar has several files, that text is all of them, each beginning on a
//! line of its own; an offset or a line of the whole then says which file it is in, and where there.

use std::ops::Range;

use pleach_core::caret::Position;
use pleach_core::grammar::Error;
use pleach_core::id::MAX_IDS;

/// The texts that a grammar was read from.
///
/// ```
/// use pleach_import::{Files, Notation, read_with};
///
/// let lexer = "lexer grammar L;\nB : 'b';\nC : [c;\n";
/// let mut files = Files::new("parser grammar P;\noptions { tokenVocab = L; }\na : B C;\n");
/// let error = read_with(&mut files, Notation::Antlr, &mut |name| {
///     (name == "L").then(|| ("L.g4".to_owned(), lexer.to_owned()))
/// });
/// let error = files.locate(error.unwrap_err());
/// assert_eq!((error.path(), error.line(), error.column()), (Some("L.g4"), 3, 5));
/// ```
#[derive(Clone, Debug)]
pub struct Files {
    text: String,
    /// Those beside the first one, in order.
    companions: Vec<Companion>,
}

/// A file beside the first one.
#[derive(Clone, Debug)]
struct Companion {
    name: String,
    /// The offset of its first byte.
    start: usize,
    /// The number of lines before it.
    lines: u32,
}

/// A place in one of the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<'f> {
    /// The name of the file, unless it is the first one.
    pub file: Option<&'f str>,
    /// Where it is in that file.
    pub position: Position,
}

impl Files {
    /// One file.
    pub fn new(text: impl Into<String>) -> Files {
        Files {
            text: text.into(),
            companions: Vec::new(),
        }
    }

    /// All texts, one after another; what places count in.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the files beside the first one, in the order in which they were asked for.
    pub fn companions(&self) -> impl ExactSizeIterator<Item = &str> {
        self.companions.iter().map(|it| it.name.as_str())
    }

    /// Adds a file, and says where it stands; `None` if that is too much text.
    pub(crate) fn add(&mut self, name: String, text: &str) -> Option<Range<usize>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if self.text.len().saturating_add(text.len()) >= MAX_IDS {
            return None;
        }
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let start = self.text.len();
        let (known, lines) = self
            .companions
            .last()
            .map_or((0, 0), |it| (it.start, it.lines));
        let newlines = self.text.as_bytes()[known..]
            .iter()
            .filter(|&&b| b == b'\n');
        self.companions.push(Companion {
            name,
            start,
            lines: lines + newlines.count() as u32,
        });
        self.text.push_str(text);
        Some(start..self.text.len())
    }

    /// The file and the place in it of an offset in the whole.
    pub fn place(&self, offset: usize) -> Place<'_> {
        let Position { line, column } = Position::of(self.text.as_bytes(), offset);
        let (file, line) = self.line(line);
        Place {
            file,
            position: Position { line, column },
        }
    }

    /// The file of a line of the whole, and which of its lines it is, from 1.
    pub fn line(&self, line: u32) -> (Option<&str>, u32) {
        let after = self.companions.partition_point(|it| it.lines < line);
        match after.checked_sub(1) {
            Some(at) => {
                let companion = &self.companions[at];
                (Some(&companion.name), line - companion.lines)
            }
            None => (None, line),
        }
    }

    /// An error with its places in the files rather than in the whole. One in a file beside the first has that as its path.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        error.relocated(|line| {
            let after = self.companions.partition_point(|it| it.lines < line);
            let companion = &self.companions[after.checked_sub(1)?];
            Some((&*companion.name, companion.lines, companion.start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Files;
    use pleach_core::caret::Position;

    #[test]
    fn places_are_those_in_the_files() {
        let mut files = Files::new("a\nb");
        let second = files.add("x".into(), "\u{feff}c\nd\n").unwrap();
        let third = files.add("y".into(), "").unwrap();
        let fourth = files.add("z".into(), "e").unwrap();
        assert_eq!(files.text(), "a\nb\nc\nd\ne");
        assert_eq!((second.start, third.start, fourth.start), (4, 8, 8));
        let place = |offset| {
            let place = files.place(offset);
            let Position { line, column } = place.position;
            (place.file, line, column)
        };
        assert_eq!(place(2), (None, 2, 1));
        assert_eq!(place(4), (Some("x"), 1, 1));
        assert_eq!(place(6), (Some("x"), 2, 1));
        assert_eq!(place(8), (Some("z"), 1, 1));
        assert_eq!(files.companions().collect::<Vec<_>>(), ["x", "y", "z"]);
    }
}
