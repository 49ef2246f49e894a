//! What readers share: expressions put together from their parts, in the order in which they are written.
//!
//! An open group is a frame on a stack of the builder's, so groups nest as deep as memory goes.

use pleach_core::grammar::ast::{Alternative, Ast, ExprId, Span};
use pleach_core::grammar::{CharClass, Error, ErrorKind, Probability};

/// Expressions under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) ast: Ast,
    frames: Vec<Frame>,
    /// The elements of all open concatenations.
    elements: Vec<ExprId>,
    /// The alternatives of all open alternations.
    alternatives: Vec<Alternative>,
}

/// An open group, or a whole right side.
#[derive(Debug)]
struct Frame {
    open: Span,
    /// What repeats the group once it is closed.
    bounds: Option<(u32, Option<u32>)>,
    /// Where its elements and alternatives begin.
    elements: usize,
    alternatives: usize,
    /// A repetition that was written before what it repeats.
    ahead: Option<(u32, Option<u32>, Span)>,
    probability: Option<(Probability, Span)>,
}

impl Builder {
    /// Opens a right side, or a group which `bounds` repeats.
    pub(crate) fn open(&mut self, open: Span, bounds: Option<(u32, Option<u32>)>) {
        self.frames.push(Frame {
            open,
            bounds,
            elements: self.elements.len(),
            alternatives: self.alternatives.len(),
            ahead: None,
            probability: None,
        });
    }

    /// The number of open groups, the right side among them.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Where the innermost group was opened.
    pub(crate) fn opened(&self) -> Option<Span> {
        self.frames.last().map(|frame| frame.open)
    }

    /// Adds an element to the innermost concatenation.
    pub(crate) fn push(&mut self, expr: ExprId) {
        let ahead = self.frames.last_mut().and_then(|frame| frame.ahead.take());
        let expr = match ahead {
            Some((min, max, span)) => self.repeated(expr, min, max, span),
            None => expr,
        };
        self.elements.push(expr);
    }

    /// The elements of the innermost concatenation so far.
    pub(crate) fn elements(&self) -> &[ExprId] {
        let from = self.frames.last().map_or(0, |frame| frame.elements);
        &self.elements[from..]
    }

    /// Takes back the last element of the innermost concatenation.
    pub(crate) fn pop(&mut self) -> Option<ExprId> {
        let from = self.frames.last()?.elements;
        (self.elements.len() > from).then(|| self.elements.pop())?
    }

    /// Repeats the last element. False if there is none.
    pub(crate) fn repeat(&mut self, min: u32, max: Option<u32>, span: Span) -> bool {
        let Some(subject) = self.pop() else {
            return false;
        };
        let expr = self.repeated(subject, min, max, span);
        self.elements.push(expr);
        true
    }

    /// Repeats the next element. False if a repetition waits for it already.
    pub(crate) fn repeat_next(&mut self, min: u32, max: Option<u32>, span: Span) -> bool {
        match self.frames.last_mut() {
            Some(frame) if frame.ahead.is_none() => {
                frame.ahead = Some((min, max, span));
                true
            }
            _ => false,
        }
    }

    /// The repetition that waits for an element.
    pub(crate) fn waiting(&self) -> Option<Span> {
        self.frames.last()?.ahead.map(|(_, _, span)| span)
    }

    fn repeated(&mut self, subject: ExprId, min: u32, max: Option<u32>, span: Span) -> ExprId {
        match (min, max) {
            (1, Some(1)) => subject,
            // Nothing, however often.
            (_, Some(0)) => self.ast.concatenation(&[], span),
            _ => self.ast.quantifier(subject, min, max, span),
        }
    }

    /// States the probability of the present alternative.
    pub(crate) fn probable(&mut self, probability: Probability, span: Span) {
        if let Some(frame) = self.frames.last_mut() {
            frame.probability = Some((probability, span));
        }
    }

    /// Ends an alternative, before the sign at `at`. One without elements derives the empty text.
    pub(crate) fn alternative(&mut self, at: Span) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let (from, probability) = (frame.elements, frame.probability.take());
        let expr = match self.elements[from..] {
            [] => self
                .ast
                .literal(b"", Span::new(at.range().start, at.range().start)),
            [single] => single,
            _ => {
                let first = self.ast.expr(self.elements[from]).span;
                let span = Span::new(first.range().start, at.range().start);
                self.ast.concatenation(&self.elements[from..], span)
            }
        };
        self.elements.truncate(from);
        self.alternatives.push(Alternative { expr, probability });
    }

    /// Closes the innermost group before or at `at` and gives what it is. Whether that is an element of the next group is for
    /// the caller to say.
    pub(crate) fn close(&mut self, at: Span) -> Option<ExprId> {
        self.alternative(at);
        let frame = self.frames.pop()?;
        let own = &self.alternatives[frame.alternatives..];
        let expr = match own {
            [only] if only.probability.is_none() => only.expr,
            _ => self.ast.alternation(own, frame.open.to(at)),
        };
        self.alternatives.truncate(frame.alternatives);
        Some(match frame.bounds {
            Some((min, max)) => self.repeated(expr, min, max, frame.open.to(at)),
            None => expr,
        })
    }
}

/// Text whose ASCII letters may be in either case. A single letter is a class of both.
pub(crate) fn any_case(ast: &mut Ast, text: &str, span: Span) -> ExprId {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => {
            let letter = char::from(*letter);
            let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
            match CharClass::new(&[(lower, lower), (upper, upper)], &[]) {
                Some(class) => ast.char_class(class, span),
                None => ast.literal(text.as_bytes(), span),
            }
        }
        bytes if bytes.iter().any(u8::is_ascii_alphabetic) => ast.any_case(bytes, span),
        bytes => ast.literal(bytes, span),
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

impl<'t> Scan<'t> {
    pub(crate) fn new(text: &'t str) -> Scan<'t> {
        Scan {
            text,
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        }
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on behind `prefix`, if it stands here.
    pub(crate) fn eat(&mut self, prefix: &str) -> bool {
        let here = self.rest().starts_with(prefix);
        self.at += if here { prefix.len() } else { 0 };
        here
    }

    /// Takes the longest run of such characters.
    pub(crate) fn take_while(&mut self, mut holds: impl FnMut(char) -> bool) -> &'t str {
        let rest = self.rest();
        let len = rest.find(|c| !holds(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Takes what stands before `end` on this line, and `end`.
    pub(crate) fn take_until(&mut self, end: char) -> Option<&'t str> {
        let rest = self.rest();
        let len = rest.find([end, '\n'])?;
        rest[len..].starts_with(end).then(|| {
            self.at += len + end.len_utf8();
            &rest[..len]
        })
    }

    /// Passes over blanks and comments, which are those of C.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        loop {
            self.take_while(char::is_whitespace);
            let start = self.at;
            if self.eat("//") {
                self.take_while(|c| c != '\n');
            } else if self.eat("/*") {
                match self.rest().find("*/") {
                    Some(len) => self.at += len + 2,
                    None => return Err(self.unterminated(start, "a comment", "`*/`")),
                }
            } else {
                return Ok(());
            }
        }
    }

    /// From a place to this one.
    pub(crate) fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The character here, as a span.
    pub(crate) fn here(&self) -> Span {
        Span::new(self.at, self.at + self.peek().map_or(0, char::len_utf8))
    }

    pub(crate) fn error(
        &self,
        kind: ErrorKind,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        Error::new(kind, self.text.as_bytes(), span, message, help)
    }

    /// The error for a character that begins nothing.
    pub(crate) fn unexpected(&self, help: &str) -> Error {
        let message = match self.peek() {
            Some(c) => format!("unexpected {c:?}"),
            None => "unexpected end of the text".to_owned(),
        };
        self.error(ErrorKind::UnexpectedCharacter, self.here(), message, help)
    }

    /// The error for something that its line does not finish.
    pub(crate) fn unterminated(&self, start: usize, what: &str, end: &str) -> Error {
        let line = self.text[start..].find('\n');
        let end_of_line = line.map_or(self.text.len(), |len| start + len);
        self.error(
            ErrorKind::Unterminated,
            Span::new(start, end_of_line),
            format!("{what} that its line does not finish"),
            format!("write {end} behind it"),
        )
    }
}
