//! What is said of a text that is not a sentence.

use std::fmt;

use crate::caret::Position;

use super::Refusal;

/// The most lines of terminals that an error prints; [`Error::expected`] has all.
const SHOWN: usize = 8;
/// The most terminals on one of them.
const SHOWN_TOGETHER: usize = 10;

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
    /// What most likely made the text no sentence, where that shows in its bytes: what to do about it.
    cause: Option<&'static str>,
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
                cause: cause(text, offset, refusal, longest_prefix.flatten()),
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

    /// What could have come instead, the first few of it: a line for the terminals of a production. Nothing if that is not known.
    pub fn expectation(&self) -> Option<String> {
        let expected = &self.inner.expected;
        if !matches!(self.inner.refusal, Refusal::NoSentence { .. }) || expected.is_empty() {
            return None;
        }
        // Terminals of the same productions stand together. That the text could have ended is worth more than how it could have
        // gone on: often a line break is all that is too much.
        let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
        let end = expected.iter().filter(|it| it.is_end());
        let others = expected.iter().filter(|it| !it.is_end());
        for one in end.chain(others) {
            let known = groups.iter_mut().find(|(it, _)| *it == one.productions);
            match known {
                Some((_, terminals)) => terminals.push(&one.terminal),
                None => groups.push((&one.productions, vec![&one.terminal])),
            }
        }
        let mut lines = Vec::new();
        for (productions, terminals) in groups.iter().take(SHOWN) {
            let lead = if lines.is_empty() {
                "expected"
            } else {
                "      or"
            };
            let shown = &terminals[..terminals.len().min(SHOWN_TOGETHER)];
            let mut line = format!("{lead} {}", shown.join(", "));
            if terminals.len() > shown.len() {
                line += ", …";
            }
            if !productions.is_empty() {
                line += " in ";
                line += &productions.join(", ");
            }
            lines.push(line);
        }
        let listed = groups.iter().take(SHOWN);
        let listed: usize = listed.map(|(_, terminals)| terminals.len()).sum();
        if let Some(more @ 1..) = expected.len().checked_sub(listed) {
            lines.push(format!("      or {more} more"));
        }
        Some(lines.join("\n"))
    }

    /// What to do next, or how much of the text is in order.
    pub fn help(&self) -> String {
        let inner = &*self.inner;
        if let Some(cause) = inner.cause {
            return cause.to_owned();
        }
        match (inner.refusal, inner.longest_prefix) {
            (Refusal::OutOfSteps { .. }, _) => "allow it more steps".to_owned(),
            (Refusal::OutOfMemory { .. }, _) => "allow it more memory".to_owned(),
            (_, Some(0)) => "only the empty text before it is a sentence; correct the text there, or the grammar".to_owned(),
            (_, Some(1)) => "the first byte is a sentence; correct the text there, or the grammar".to_owned(),
            (_, Some(prefix)) => format!("the first {prefix} bytes are a sentence; correct the text there, or the grammar"),
            (_, None) => "correct the text there, or the grammar".to_owned(),
        }
    }

    /// Names the file that the text came from.
    #[must_use]
    pub fn with_path(mut self, path: impl fmt::Display) -> Error {
        self.inner.path = Some(path.to_string());
        self
    }
}

/// What makes most texts of beginners no sentences, if that is all that this one has: a line break at its end, and what editors add.
fn cause(
    text: &[u8],
    offset: usize,
    refusal: Refusal,
    longest_prefix: Option<usize>,
) -> Option<&'static str> {
    if !matches!(refusal, Refusal::NoSentence { .. }) {
        return None;
    }
    let rest = &text[offset..];
    if offset == 0 && matches!(text, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Some("the text is UTF-16: save it as UTF-8");
    }
    if offset == 0 && text.starts_with("\u{feff}".as_bytes()) {
        return Some("the text begins with a byte order mark: save it without");
    }
    if text.is_empty() {
        return Some("the text is empty, which is not a sentence of this grammar");
    }
    if longest_prefix == Some(offset) && matches!(rest, b"\n" | b"\r\n") {
        return Some(
            "all but the line break at the end is a sentence: take it away, as by `printf %s`, or let the grammar end with `\"\\n\"?`",
        );
    }
    if rest.starts_with(b"\r\n") {
        return Some(
            "the lines of the text end with \"\\r\\n\": convert them to \"\\n\", or let the grammar have `\"\\r\"?` there",
        );
    }
    None
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
