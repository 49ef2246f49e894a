//! Tokens to syntax.
//!
//! ```text
//! grammar     = { [ role ] Name ":=" alternation ";" }
//! role        = ( "token" | "skip" ) [ "(" Name ")" ]
//! alternation = alternative { "|" alternative }
//! alternative = [ probability ] item { item }
//! item        = atom [ quantifier ]
//! atom        = Name | literal | class | regex | "(" alternation ")" | "(" ")"
//! ```
//!
//! What a recursive descent would keep on the native stack is a stack of [`Frame`]s here, one for each open parenthesis.
//! The finished parts of all open alternations share two vectors, and a frame knows where its own begin. Linear in the
//! number of tokens.

use super::lexer::{Lexer, Token, TokenKind};
use crate::grammar::ast::{Alternative, Ast, ExprId, NameId, Span};
use crate::grammar::{Error, ErrorKind, Probability, Role};

/// Reads a text in the notation of pleach. Names are not resolved yet.
///
/// ```
/// let syntax = pleach_core::grammar::notation::parse("a := \"x\" | b;").unwrap();
/// assert_eq!(syntax.productions().len(), 1);
/// ```
pub fn parse(text: &str) -> Result<Ast, Error> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ast: Ast::new(),
        frames: Vec::new(),
        alternatives: Vec::new(),
        elements: Vec::new(),
        last: Last::Nothing,
    };
    loop {
        let token = parser.lexer.next()?;
        match token.kind {
            TokenKind::End => return Ok(parser.ast),
            TokenKind::Name => parser.production(token.span)?,
            _ => {
                let rest = &parser.lexer.text[token.span.range().start..];
                let help = match rest.starts_with("(*") {
                    true => "comments start with `//` or `#` and end with the line",
                    false => "a production is written `Name := …;`",
                };
                return Err(parser.unexpected(&token, "the name of a production", help));
            }
        }
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    ast: Ast,
    frames: Vec<Frame>,
    alternatives: Vec<Alternative>,
    elements: Vec<ExprId>,
    last: Last,
}

/// An open alternation: that of the production, or that of a parenthesis.
struct Frame {
    /// The token that opened it.
    open: Span,
    /// Where its finished alternatives begin.
    alternatives: usize,
    /// Where the elements of its current alternative begin.
    elements: usize,
    /// Where the current alternative starts in the text, once it has.
    start: Option<Span>,
    /// The stated probability of the current alternative.
    probability: Option<(Probability, Span)>,
}

/// What stands before the current token in the current alternative.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    /// A name, which may turn out to be that of the next production.
    Name(Span),
    /// Something else that a quantifier may follow.
    Atom,
    /// A quantifier, the place of its subject's start and its own.
    Quantifier(Span),
}

impl Parser<'_> {
    /// Reads a production whose first name has been read: its own, or the word for its role.
    fn production(&mut self, first: Span) -> Result<(), Error> {
        let role = match self.lexer.slice(first) {
            "token" => Role::Token,
            "skip" => Role::Skip,
            _ => Role::Syntax,
        };
        let mut token = self.behind_name()?;
        let (mut role, mut mode, mut name_span) = (role, None, first);
        if role.is_lexical() && matches!(token.kind, TokenKind::Name | TokenKind::Open) {
            if token.kind == TokenKind::Open {
                mode = Some(self.mode()?);
                token = self.lexer.next()?;
            }
            if token.kind != TokenKind::Name {
                return Err(self.unexpected(
                    &token,
                    "the name of a production",
                    "a token is written `token Name := …;`",
                ));
            }
            name_span = token.span;
            token = self.behind_name()?;
        } else {
            // A production may be called `token`, too.
            role = Role::Syntax;
        }
        let name = self.name(name_span);
        if token.kind != TokenKind::Define {
            let expected = format!("`:=` after the name `{}`", self.lexer.slice(name_span));
            return Err(self.unexpected(
                &token,
                &expected,
                "a production is written `Name := …;`, a comment starts with `//` or `#`",
            ));
        }
        let root = self.alternation(token.span)?;
        self.ast
            .lexical_production(role, mode, name, name_span, root);
        Ok(())
    }

    /// The token behind the name that a production begins with.
    fn behind_name(&mut self) -> Result<Token, Error> {
        match self.lexer.foreign_definition() {
            Some(error) => Err(error),
            None => self.lexer.next(),
        }
    }

    /// The name of a mode and the parenthesis behind it.
    fn mode(&mut self) -> Result<NameId, Error> {
        const HELP: &str = "a token of a mode is written `token(mode) Name := …;`";
        let token = self.lexer.next()?;
        if token.kind != TokenKind::Name {
            return Err(self.unexpected(&token, "the name of a mode", HELP));
        }
        let mode = self.name(token.span);
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Close => Ok(mode),
            _ => Err(self.unexpected(&token, "`)`", HELP)),
        }
    }

    /// Reads a right side up to its semicolon.
    fn alternation(&mut self, open: Span) -> Result<ExprId, Error> {
        self.open(open);
        loop {
            let token = self.lexer.next()?;
            let span = token.span;
            match token.kind {
                TokenKind::Name => {
                    let name = self.name(span);
                    let expr = self.ast.reference(name, span);
                    self.atom(expr, span, Last::Name(span));
                }
                TokenKind::Literal(is_caseless) => {
                    let text = &self.lexer.literal;
                    let expr = match is_caseless {
                        true => self.ast.any_case(text, span),
                        false => self.ast.literal(text, span),
                    };
                    self.atom(expr, span, Last::Atom);
                }
                TokenKind::Class(class) => {
                    let expr = self.ast.char_class(class, span);
                    self.atom(expr, span, Last::Atom);
                }
                TokenKind::Regex => {
                    let slashed = self.lexer.slice(span);
                    let pattern = &slashed[1..slashed.len() - 1];
                    let expr = self.ast.regex(pattern, Some(span.start as usize + 1), span);
                    self.atom(expr, span, Last::Atom);
                }
                TokenKind::Quantifier(min, max) => self.quantifier(min, max, span)?,
                TokenKind::Probability(probability) => self.probability(probability, span)?,
                TokenKind::Open => {
                    self.frame().start.get_or_insert(span);
                    self.open(span);
                }
                TokenKind::Pipe => self.finish_alternative(&token)?,
                TokenKind::Close => {
                    if self.frames.len() == 1 {
                        return Err(self.lexer.error(
                            ErrorKind::UnexpectedToken,
                            span.range().start,
                            span.range().end,
                            "`)` without a `(` before it",
                            "take it away, or open the group; a literal one is written \")\"",
                        ));
                    }
                    let expr = self.finish(&token)?;
                    self.elements.push(expr);
                    self.last = Last::Atom;
                }
                TokenKind::Semicolon if self.frames.len() == 1 => return self.finish(&token),
                TokenKind::Semicolon | TokenKind::End if self.frames.len() > 1 => {
                    let open = self.frame().open;
                    let error = self.unexpected(&token, "`)`", "close the group");
                    return Err(error.with_related(
                        "the group opens here",
                        self.lexer.text.as_bytes(),
                        open,
                    ));
                }
                TokenKind::Semicolon | TokenKind::End | TokenKind::Define => {
                    return Err(self.no_semicolon(&token));
                }
            }
        }
    }

    fn name(&mut self, span: Span) -> NameId {
        self.ast.name(self.lexer.slice(span))
    }

    fn open(&mut self, open: Span) {
        self.frames.push(Frame {
            open,
            alternatives: self.alternatives.len(),
            elements: self.elements.len(),
            start: None,
            probability: None,
        });
        self.last = Last::Nothing;
    }

    /// The innermost open alternation. There is one from the first token of a right side to its semicolon.
    fn frame(&mut self) -> &mut Frame {
        let top = self.frames.len() - 1;
        &mut self.frames[top]
    }

    fn atom(&mut self, expr: ExprId, span: Span, last: Last) {
        self.frame().start.get_or_insert(span);
        self.elements.push(expr);
        self.last = last;
    }

    fn quantifier(&mut self, min: u32, max: Option<u32>, span: Span) -> Result<(), Error> {
        let error = |kind, message: &str, help: &str| {
            let range = span.range();
            Err(self
                .lexer
                .error(kind, range.start, range.end, message, help))
        };
        match (self.last, self.elements.pop()) {
            (Last::Nothing, _) | (_, None) if self.opens_comment(span) => error(
                ErrorKind::UnexpectedToken,
                "`(*` starts no comment",
                "comments start with `//` or `#` and end with the line; a literal star is written \"*\"",
            ),
            (Last::Nothing, _) | (_, None) => error(
                ErrorKind::UnexpectedToken,
                "a quantifier with nothing to repeat before it",
                "write it after what it repeats; literal text stands in quotes",
            ),
            (Last::Quantifier(first), _) => error(
                ErrorKind::RepeatedQuantifier,
                "a quantifier directly on a quantifier",
                &format!(
                    "put parentheses around what the first one repeats: `(…{}){}`",
                    self.lexer.slice(first),
                    self.lexer.slice(span),
                ),
            ),
            (Last::Name(_) | Last::Atom, Some(subject)) => {
                let expr = self.ast.quantifier(subject, min, max, span);
                self.elements.push(expr);
                self.last = Last::Quantifier(span);
                Ok(())
            }
        }
    }

    /// Whether a quantifier is the star of `(*`.
    fn opens_comment(&self, quantifier: Span) -> bool {
        let before = &self.lexer.text[..quantifier.range().start];
        before.ends_with('(') && self.lexer.slice(quantifier) == "*"
    }

    fn probability(&mut self, probability: Probability, span: Span) -> Result<(), Error> {
        let frame = self.frame();
        if frame.start.is_none() {
            frame.start = Some(span);
            frame.probability = Some((probability, span));
            return Ok(());
        }
        Err(self.lexer.error(
            ErrorKind::InvalidProbability,
            span.range().start,
            span.range().end,
            "a probability inside an alternative",
            "state it before the alternative, as in `40% \"a\" | \"b\"`",
        ))
    }

    /// Ends the current alternative at `token`.
    fn finish_alternative(&mut self, token: &Token) -> Result<(), Error> {
        let text = self.lexer.text.as_bytes();
        let frame = self.frame();
        let (from, probability) = (frame.elements, frame.probability.take());
        let start = frame.start.take().unwrap_or(token.span);
        let elements = &self.elements[from..];
        let expr = match *elements {
            [] => {
                return Err(Error::new(
                    ErrorKind::EmptyAlternative,
                    text,
                    token.span,
                    "an empty alternative",
                    "take the `|` away, or write `\"\"` for the alternative that derives the empty text",
                ));
            }
            [single] => single,
            _ => {
                let span = Span::new(start.range().start, token.span.range().start);
                self.ast.concatenation(elements, span)
            }
        };
        self.elements.truncate(from);
        self.alternatives.push(Alternative { expr, probability });
        self.last = Last::Nothing;
        Ok(())
    }

    /// Ends the innermost alternation at `token`.
    fn finish(&mut self, token: &Token) -> Result<ExprId, Error> {
        let frame = self.frame();
        let (open, from) = (frame.open, frame.alternatives);
        let nothing = token.kind == TokenKind::Close
            && frame.start.is_none()
            && from == self.alternatives.len();
        let expr = if nothing {
            self.ast.concatenation(&[], open.to(token.span))
        } else {
            self.finish_alternative(token)?;
            match self.alternatives[from..] {
                [
                    Alternative {
                        expr,
                        probability: None,
                    },
                ] => expr,
                _ => self
                    .ast
                    .alternation(&self.alternatives[from..], open.to(token.span)),
            }
        };
        self.alternatives.truncate(from);
        self.frames.pop();
        Ok(expr)
    }

    fn unexpected(&self, token: &Token, expected: &str, help: &str) -> Error {
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", excerpt(self.lexer.slice(token.span))),
        };
        let range = token.span.range();
        self.lexer.error(
            ErrorKind::UnexpectedToken,
            range.start,
            range.end,
            format!("expected {expected}, found {found}"),
            help,
        )
    }

    /// The error for a right side that goes on where a semicolon should be.
    fn no_semicolon(&self, token: &Token) -> Error {
        const HELP: &str = "every production ends with `;`: put it behind what comes before";
        match (self.last, &token.kind) {
            (Last::Name(span), TokenKind::Define) => self.lexer.error(
                ErrorKind::UnexpectedToken,
                span.range().start,
                span.range().end,
                format!(
                    "expected `;` before the production of `{}`",
                    excerpt(self.lexer.slice(span))
                ),
                HELP,
            ),
            _ => self.unexpected(token, "`;`", HELP),
        }
    }
}

/// The start of a long token.
fn excerpt(token: &str) -> String {
    const MOST: usize = 40;
    match token.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}
