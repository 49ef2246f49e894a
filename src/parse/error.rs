//! What is said of a text that is no sentence.

use std::fmt;

use crate::caret::{Position, Snippet};

use super::Refusal;

/// The most terminals that an error prints; [`Error::expected`] has all.
const SHOWN: usize = 8;

/// A terminal that could have come next, or that the text is in the middle of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Expected {
    /// The terminal in the notation of grammars, shortened if it is long, or [`Expected::END`].
    pub terminal: String,
    /// The productions that it is written in, sorted; none for the end of the text.
    pub productions: Vec<String>,
}

impl Expected {
    /// What stands for the end of the text.
    pub const END: &'static str = "end of text";

    /// Whether this is the end of the text.
    pub fn is_end(&self) -> bool {
        self.productions.is_empty()
    }
}

/// A text that could not be parsed: why, where, and what was expected.
#[derive(Clone)]
pub struct Error {
    // An error is rare and large: results stay one word.
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    refusal: Refusal,
    path: Option<String>,
    found: String,
    position: Position,
    snippet: Snippet,
    expected: Vec<Expected>,
    longest_prefix: Option<usize>,
    is_prefix_known: bool,
}

impl Error {
    /// `longest_prefix` is `None` where it was not found out.
    pub(super) fn new(
        text: &[u8],
        refusal: Refusal,
        expected: Vec<Expected>,
        longest_prefix: Option<Option<usize>>,
    ) -> Error {
        let refusal = refusal.within(text.len());
        let offset = refusal.offset();
        Error {
            inner: Box::new(Inner {
                refusal,
                path: None,
                found: found(text, offset),
                position: Position::of(text, offset),
                snippet: Snippet::new(text, offset..offset),
                expected,
                longest_prefix: longest_prefix.flatten(),
                is_prefix_known: longest_prefix.is_some(),
            }),
        }
    }

    /// Why, in short.
    pub fn refusal(&self) -> Refusal {
        self.inner.refusal
    }

    /// Where: the bytes that some sentence begins with, or that were read when the budget was spent.
    pub fn offset(&self) -> usize {
        self.inner.refusal.offset()
    }

    /// The line of the offset, from 1.
    pub fn line(&self) -> u32 {
        self.inner.position.line
    }

    /// The column of the offset, in characters, from 1.
    pub fn column(&self) -> u32 {
        self.inner.position.column
    }

    /// The terminals that could have come at the offset, sorted, and [`Expected::END`] last.
    pub fn expected(&self) -> &[Expected] {
        &self.inner.expected
    }

    /// The length of the longest prefix that is a sentence; `None` if there is none, or if finding it cost too much.
    pub fn longest_prefix(&self) -> Option<usize> {
        self.inner.longest_prefix
    }

    /// What is wrong, in one sentence without the place.
    pub fn message(&self) -> String {
        match self.inner.refusal {
            Refusal::NoSentence { .. } => format!("unexpected {}", self.inner.found),
            Refusal::OutOfSteps { .. } => "the budget of steps is spent".to_owned(),
            Refusal::OutOfMemory { .. } => "the budget of memory is spent".to_owned(),
        }
    }

    /// Names the file that the text came from.
    #[must_use]
    pub fn with_path(mut self, path: impl fmt::Display) -> Error {
        self.inner.path = Some(path.to_string());
        self
    }
}

/// What stands at an offset.
fn found(text: &[u8], offset: usize) -> String {
    let rest = &text[offset..];
    let window = &rest[..rest.len().min(4)];
    let Some(&byte) = window.first() else {
        return "end of text".to_owned();
    };
    let valid = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or(""),
    };
    match valid.chars().next() {
        Some(c) => format!("{c:?}"),
        None => format!("byte 0x{byte:02x}"),
    }
}

/// The place, the message, the line with a caret, what was expected, and the longest prefix.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.inner;
        if let Some(path) = &inner.path {
            write!(f, "{path}:")?;
        }
        let Position { line, column } = inner.position;
        write!(
            f,
            "{line}:{column}: {}\n{}\n",
            self.message(),
            inner.snippet
        )?;
        match inner.refusal {
            Refusal::NoSentence { .. } => {}
            Refusal::OutOfSteps { .. } => return f.write_str("help: allow it more steps"),
            Refusal::OutOfMemory { .. } => return f.write_str("help: allow it more memory"),
        }
        // That the text could have ended is worth more than how it could have gone on: often a line break is all that is too
        // much.
        let end = inner.expected.iter().filter(|it| it.is_end());
        let others = inner.expected.iter().filter(|it| !it.is_end());
        for (at, expected) in end.chain(others).take(SHOWN).enumerate() {
            let lead = if at == 0 { "expected " } else { "      or " };
            write!(f, "{lead}{}", expected.terminal)?;
            if !expected.productions.is_empty() {
                write!(f, " in {}", expected.productions.join(", "))?;
            }
            writeln!(f)?;
        }
        if let Some(more @ 1..) = inner.expected.len().checked_sub(SHOWN) {
            writeln!(f, "      or {more} more")?;
        }
        match inner.longest_prefix {
            Some(0) => f.write_str("help: only the empty text before it is a sentence"),
            Some(1) => f.write_str("help: the first byte is a sentence"),
            Some(prefix) => write!(f, "help: the first {prefix} bytes are a sentence"),
            None if inner.is_prefix_known => f.write_str("help: no beginning of it is a sentence"),
            None => f.write_str("help: mend it there, and try again"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {self}", self.inner.refusal)
    }
}

impl std::error::Error for Error {}
