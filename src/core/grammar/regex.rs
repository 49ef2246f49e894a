//! Regular expressions to parts of a grammar.
//!
//! `regex-syntax` reads and simplifies them; what it calls Hir has literals, classes, alternations, concatenations and
//! repetitions just as a grammar does. What a grammar cannot say (anchors, word boundaries) is an error that points
//! at it. Repetitions stay nodes, so `/((a{1000}){1000}){1000}/` is four of them. Linear in the pattern and without native
//! recursion; the nesting that `regex-syntax` accepts is limited by itself.

use crate::grammar::ast::Span;
use crate::grammar::{CharClass, Error, ErrorKind};
use regex_syntax::ast;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::ops::Range;

/// A step of a walk over a regular expression: a leaf, the opening of an inner node, or the closing of the innermost one.
#[derive(Debug)]
pub(super) enum Part<'h> {
    Literal(&'h [u8]),
    Class(CharClass),
    Alternation,
    Concatenation,
    Quantifier { min: u32, max: Option<u32> },
    Close,
}

/// What is wrong with a pattern, and where in it.
#[derive(Debug)]
pub(super) struct RegexError {
    kind: ErrorKind,
    within: Option<Range<usize>>,
    message: String,
    help: &'static str,
}

impl RegexError {
    fn unsupported(within: Option<Range<usize>>, message: &str, help: &'static str) -> RegexError {
        RegexError {
            kind: ErrorKind::UnsupportedRegex,
            within,
            message: message.to_owned(),
            help,
        }
    }

    /// The error for a pattern that starts at `offset` of `source`, or at an unknown place within `whole`.
    pub(super) fn at(self, source: &[u8], offset: Option<u32>, whole: Span) -> Error {
        let span = match (offset, self.within) {
            (Some(offset), Some(within)) => {
                let offset = offset as usize;
                Span::new(offset + within.start, offset + within.end)
            }
            _ => whole,
        };
        Error::new(self.kind, source, span, self.message, self.help)
    }
}

/// Reads a pattern. The result has no anchor and no empty class.
pub(super) fn parse(pattern: &[u8]) -> Result<Hir, RegexError> {
    let text = std::str::from_utf8(pattern).map_err(|_| RegexError {
        kind: ErrorKind::InvalidRegex,
        within: None,
        message: "a regular expression that is not UTF-8".to_owned(),
        help: "write a raw byte as `(?-u:\\xHH)`",
    })?;
    // Matching only bytes that are no UTF-8 is what binary formats need.
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
    let hir = parser.parse(text).map_err(|error| invalid(&error))?;
    let mut rest = vec![&hir];
    while let Some(hir) = rest.pop() {
        match hir.kind() {
            HirKind::Look(_) => {
                return Err(RegexError::unsupported(
                    find_assertion(text),
                    "an anchor or word boundary in a regular expression",
                    "take it away: a regular expression of a grammar derives exactly what it matches",
                ));
            }
            HirKind::Class(class) if char_class(class).is_none() => {
                return Err(RegexError {
                    kind: ErrorKind::EmptyClass,
                    within: None,
                    message: "a regular expression with a class that has no member".to_owned(),
                    help: "nothing matches such a class; take it away",
                });
            }
            _ => rest.extend(hir.kind().subs()),
        }
    }
    Ok(hir)
}

/// Walks over a regular expression that [`parse`] returned.
pub(super) fn parts(hir: &Hir) -> impl Iterator<Item = Part<'_>> {
    let mut rest = vec![Some(hir)];
    std::iter::from_fn(move || {
        loop {
            let Some(hir) = rest.pop()? else {
                return Some(Part::Close);
            };
            let part = match hir.kind() {
                HirKind::Literal(literal) => return Some(Part::Literal(&literal.0)),
                HirKind::Class(class) => return char_class(class).map(Part::Class),
                HirKind::Capture(capture) => {
                    rest.push(Some(&capture.sub));
                    continue;
                }
                HirKind::Repetition(repetition) => Part::Quantifier {
                    min: repetition.min,
                    max: repetition.max,
                },
                HirKind::Alternation(_) => Part::Alternation,
                HirKind::Empty | HirKind::Look(_) | HirKind::Concat(_) => Part::Concatenation,
            };
            rest.push(None);
            rest.extend(hir.kind().subs().iter().rev().map(Some));
            return Some(part);
        }
    })
}

fn char_class(class: &Class) -> Option<CharClass> {
    match class {
        Class::Unicode(class) => {
            let chars: Vec<_> = class.iter().map(|r| (r.start(), r.end())).collect();
            CharClass::new(&chars, &[])
        }
        Class::Bytes(class) => {
            let bytes: Vec<_> = class.iter().map(|r| (r.start(), r.end())).collect();
            CharClass::new(&[], &bytes)
        }
    }
}

fn invalid(error: &regex_syntax::Error) -> RegexError {
    let (message, span) = match error {
        regex_syntax::Error::Parse(error) => {
            let within = Some(range(error.span()));
            match error.kind() {
                ast::ErrorKind::UnsupportedLookAround => {
                    return RegexError::unsupported(
                        within,
                        "look-around in a regular expression",
                        "take it away, and spell out what may stand there with alternatives or classes",
                    );
                }
                ast::ErrorKind::UnsupportedBackreference => {
                    return RegexError::unsupported(
                        within,
                        "a backreference in a regular expression",
                        "take it away: a context-free grammar cannot repeat what it derived",
                    );
                }
                kind => (kind.to_string(), within),
            }
        }
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), Some(range(error.span())))
        }
        error => (error.to_string(), None),
    };
    RegexError {
        kind: ErrorKind::InvalidRegex,
        within: span,
        message: format!("regular expression: {message}"),
        help: "the syntax is that of the regex crate; literal text may stand in quotes instead",
    }
}

fn range(span: &ast::Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

/// The place of the first anchor or word boundary. The Hir has none, so the pattern is read once more.
fn find_assertion(pattern: &str) -> Option<Range<usize>> {
    struct Finder;
    impl ast::Visitor for Finder {
        type Output = ();
        type Err = Range<usize>;
        fn finish(self) -> Result<(), Range<usize>> {
            Ok(())
        }
        fn visit_pre(&mut self, node: &ast::Ast) -> Result<(), Range<usize>> {
            match node {
                ast::Ast::Assertion(assertion) => Err(range(&assertion.span)),
                _ => Ok(()),
            }
        }
    }
    let syntax = ast::parse::Parser::new().parse(pattern).ok()?;
    ast::visit(&syntax, Finder).err()
}
