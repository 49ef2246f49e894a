//! What is said of a text that is no sentence.

use std::fmt;

use crate::caret::Position;

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

    /// What could have come instead, the first few of it: a line for each terminal. Nothing if that is not known.
    pub fn expectation(&self) -> Option<String> {
        let expected = &self.inner.expected;
        if !matches!(self.inner.refusal, Refusal::NoSentence { .. }) || expected.is_empty() {
            return None;
        }
        // That the text could have ended is worth more than how it could have gone on: often a line break is all that is too
        // much.
        let end = expected.iter().filter(|it| it.is_end());
        let others = expected.iter().filter(|it| !it.is_end());
        let mut lines = Vec::new();
        for expected in end.chain(others).take(SHOWN) {
            let lead = if lines.is_empty() {
                "expected"
            } else {
                "      or"
            };
            let mut line = format!("{lead} {}", expected.terminal);
            if !expected.productions.is_empty() {
                line += " in ";
                line += &expected.productions.join(", ");
            }
            lines.push(line);
        }
        if let Some(more @ 1..) = expected.len().checked_sub(SHOWN) {
            lines.push(format!("      or {more} more"));
        }
        Some(lines.join("\n"))
    }

    /// What to do next, or how much of the text is in order.
    pub fn help(&self) -> String {
        let inner = &*self.inner;
        match (inner.refusal, inner.longest_prefix) {
            (Refusal::OutOfSteps { .. }, _) => "allow it more steps".to_owned(),
            (Refusal::OutOfMemory { .. }, _) => "allow it more memory".to_owned(),
            (_, Some(0)) => "only the empty text before it is a sentence".to_owned(),
            (_, Some(1)) => "the first byte is a sentence".to_owned(),
            (_, Some(prefix)) => format!("the first {prefix} bytes are a sentence"),
            (_, None) if inner.is_prefix_known => "no beginning of it is a sentence".to_owned(),
            (_, None) => "mend it there, and try again".to_owned(),
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

/// The place and the message, what was expected, and the longest prefix.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.inner;
        if let Some(path) = &inner.path {
            write!(f, "{path}:")?;
        }
        writeln!(f, "{}: {}", inner.position, self.message())?;
        if let Some(expectation) = self.expectation() {
            writeln!(f, "{expectation}")?;
        }
        write!(f, "help: {}", self.help())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {self}", self.inner.refusal)
    }
}

impl std::error::Error for Error {}
