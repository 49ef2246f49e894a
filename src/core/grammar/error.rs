//! What can be wrong with a grammar: one typed error that points.
//!
//! An error keeps the places that it is about, not the text, so it can be returned from anywhere. It displays as the place and
//! one sentence, and a hint at what to do next; whoever has the text can draw the lines, too.
//!
//! ```text
//! json.ebnf:4:17: undefined nonterminal `Foo`
//! help: define it (`Foo := …;`) or correct the name
//! ```

use crate::caret::Position;
use crate::grammar::ast::Span;
use std::fmt;
use std::ops::Range;

/// The kinds of error in a grammar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not UTF-8.
    InvalidUtf8,
    /// A character that begins nothing in the notation.
    UnexpectedCharacter,
    /// A part of the notation where another one should be.
    UnexpectedToken,
    /// An alternative with nothing in it; `""` writes one that derives the empty text.
    EmptyAlternative,
    /// A literal, class or regular expression that its line does not finish.
    Unterminated,
    /// An escape that the notation does not have.
    InvalidEscape,
    /// A class range whose ends are in the wrong order, or of different kinds.
    InvalidRange,
    /// A class without a member.
    EmptyClass,
    /// A negated class that names a raw byte, though it means all other characters.
    NegatedByte,
    /// Bounds of a quantifier that no repetition meets, or that are too large.
    InvalidBounds,
    /// A quantifier directly on a quantifier.
    RepeatedQuantifier,
    /// A probability that is none, or that stands where nothing is chosen.
    InvalidProbability,
    /// Stated probabilities of one alternation that sum up to more than 100 %.
    ProbabilitySum,
    /// A regular expression that cannot be read.
    InvalidRegex,
    /// A regular expression that no part of a grammar can express, such as one with an anchor.
    UnsupportedRegex,
    /// A name that the notation cannot write.
    InvalidName,
    /// A reference to a name that has no production.
    UndefinedNonterminal,
    /// A second production of one name.
    DuplicateProduction,
    /// A text without a production.
    NoProduction,
    /// A production that is syntax and part of a token at once, or a token that is not regular.
    MixedLevels,
    /// A start symbol that derives no finite sentence.
    UnproductiveStart,
    /// A grammar of more nodes than there are ids.
    TooLarge,
    /// A file that a grammar asks for and that is not there.
    MissingFile,
}

/// What is wrong with a grammar, and where.
#[derive(Clone)]
pub struct Error {
    // An error is rare and large: results stay one word.
    inner: Box<Inner>,
}

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    path: Option<String>,
    span: Range<usize>,
    position: Position,
    message: String,
    related: Option<Related>,
    help: String,
}

/// A second place that an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    label: &'static str,
    /// The file, if it is another one than that of the error.
    path: Option<String>,
    span: Range<usize>,
    position: Position,
}

impl Related {
    /// What it has to do with the error, in a few words.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// The bytes of the text that it points at.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Where it is.
    pub fn position(&self) -> Position {
        self.position
    }
}

impl Error {
    /// An error at `span` of `source`. The message is one sentence in lower case without a full stop, the help says what
    /// to do next.
    pub fn new(
        kind: ErrorKind,
        source: &[u8],
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        let span = span.range();
        Error {
            inner: Box::new(Inner {
                kind,
                path: None,
                position: Position::of(source, span.start),
                span,
                message: message.into(),
                related: None,
                help: help.into(),
            }),
        }
    }

    /// Adds a second place, with a word on what it has to do with the error.
    #[must_use]
    pub fn with_related(mut self, label: &'static str, source: &[u8], span: Span) -> Error {
        let span = span.range();
        self.inner.related = Some(Related {
            label,
            path: None,
            position: Position::of(source, span.start),
            span,
        });
        self
    }

    /// Names the file that the grammar came from.
    ///
    /// ```
    /// let error = "a := b;".parse::<pleach_core::Grammar>().unwrap_err().with_path("a.ebnf");
    /// assert!(error.to_string().starts_with("a.ebnf:1:6: undefined nonterminal `b`\n"));
    /// ```
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Error {
        self.inner.path = Some(path.into());
        self
    }

    /// The error with its places in single files: `file` gives for a line the name of its file, and the lines and the bytes before
    /// it; nothing for the first file.
    #[must_use]
    pub fn relocated<'f>(mut self, file: impl Fn(u32) -> Option<(&'f str, u32, usize)>) -> Error {
        let inner = &mut *self.inner;
        let lift = |position: &mut Position, lines: u32, span: &mut Range<usize>, start: usize| {
            position.line = position.line.saturating_sub(lines).max(1);
            span.start = span.start.saturating_sub(start);
            span.end = span.end.saturating_sub(start);
        };
        if let Some((name, lines, start)) = file(inner.position.line) {
            inner.path = Some(name.to_owned());
            lift(&mut inner.position, lines, &mut inner.span, start);
        }
        if let Some(related) = &mut inner.related
            && let Some((name, lines, start)) = file(related.position.line)
        {
            related.path = Some(name.to_owned());
            lift(&mut related.position, lines, &mut related.span, start);
        }
        self
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The line that it points at, from 1.
    pub fn line(&self) -> u32 {
        self.inner.position.line
    }

    /// The column that it points at, in characters, from 1.
    pub fn column(&self) -> u32 {
        self.inner.position.column
    }

    /// The bytes of the text that it points at.
    pub fn span(&self) -> Range<usize> {
        self.inner.span.clone()
    }

    /// What is wrong, in one sentence without the place.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// What to do next.
    pub fn help(&self) -> &str {
        &self.inner.help
    }

    /// The file given to [`Error::with_path`].
    pub fn path(&self) -> Option<&str> {
        self.inner.path.as_deref()
    }

    /// Another place that it is about: where a name was defined first, or what was opened and not closed.
    pub fn related(&self) -> Option<&Related> {
        self.inner.related.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.inner;
        let place = |f: &mut fmt::Formatter<'_>, path: Option<&String>, position: Position| {
            if let Some(path) = path {
                write!(f, "{path}:")?;
            }
            position.fmt(f)
        };
        place(f, inner.path.as_ref(), inner.position)?;
        writeln!(f, ": {}", inner.message)?;
        if let Some(related) = &inner.related {
            let path = related.path.as_ref().or(inner.path.as_ref());
            place(f, path, related.position)?;
            writeln!(f, ": {}", related.label)?;
        }
        write!(f, "help: {}", inner.help)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {self}", self.inner.kind)
    }
}

impl std::error::Error for Error {}
