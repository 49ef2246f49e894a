//! EBNF of the W3C's specifications (XML 1.0, section 6): `Name ::= 'text' [a-z#xE9] (A | B)* (A - B)`.
//!
//! A production begins where a name stands before `::=`; a number in brackets may stand before that. `A - B` is a class where both
//! are; other differences keep all of A, so the language is larger, and so it is where a constraint such as
//! `[ wfc: … ]` stands.

use super::build::{Builder, Scan};
use super::names::Names;
use super::until::minus;
use super::{Effect, Imported, Remark};
use pleach_core::grammar::ast::{Ast, ExprId, ExprKind, Span};
use pleach_core::grammar::{CharClass, Error, ErrorKind};

#[derive(Clone, PartialEq, Debug)]
enum Token<'t> {
    Name(&'t str),
    Define,
    Bar,
    Minus,
    Open,
    Close,
    Quantifier(u32, Option<u32>),
    Text(&'t str),
    Char(char),
    /// A class, or the number of a production, or a constraint.
    Brackets(&'t str),
}

struct Reader<'t> {
    scan: Scan<'t>,
    build: Builder,
    names: Names,
    remarks: Vec<Remark>,
    /// Differences whose right side has not been read: how many groups were open, and how many elements stood before.
    minus: Vec<(usize, usize, Span)>,
}

pub(crate) fn read(text: &str) -> Result<Imported, Error> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        scan: Scan::new(text),
        build: Builder::default(),
        names: Names::new(),
        remarks: Vec::new(),
        minus: Vec::new(),
    };
    let mut at = 0;
    while at < tokens.len() {
        at = reader.production(&tokens, at)?;
    }
    Ok(Imported {
        ast: reader.build.ast,
        remarks: reader.remarks,
    })
}

/// Whether a production begins here: a name before `::=`, or a number in brackets before these.
fn begins(tokens: &[(Token<'_>, Span)], at: usize) -> bool {
    match &tokens[at..] {
        [(Token::Name(_), _), (Token::Define, _), ..] => true,
        [
            (Token::Brackets(number), _),
            (Token::Name(_), _),
            (Token::Define, _),
            ..,
        ] => is_number(number),
        _ => false,
    }
}

/// Whether brackets hold the number of a production: `1`, `28a`.
fn is_number(inside: &str) -> bool {
    let letters = inside.trim_start_matches(|c: char| c.is_ascii_digit());
    letters.len() < inside.len()
        && letters.len() <= 2
        && letters.chars().all(|c| c.is_ascii_alphabetic())
}

impl Reader<'_> {
    fn production(&mut self, tokens: &[(Token<'_>, Span)], start: usize) -> Result<usize, Error> {
        let mut at = start;
        if begins(tokens, at) && matches!(tokens[at].0, Token::Brackets(_)) {
            at += 1;
        }
        let (Token::Name(name), name_span) = &tokens[at] else {
            return Err(self.error(tokens[at].1, "expected a production"));
        };
        if !matches!(tokens.get(at + 1), Some((Token::Define, _))) {
            return Err(self.error(*name_span, "expected `::=` behind the name of a production"));
        }
        let (name, name_span) = (self.names.id(&mut self.build.ast, name), *name_span);
        let define = tokens[at + 1].1;
        self.build.open(define, None);
        at += 2;
        let mut last = define;
        while at < tokens.len() && !begins(tokens, at) {
            self.token(&tokens[at].0, tokens[at].1)?;
            last = tokens[at].1;
            at += 1;
        }
        let end = Span::new(last.range().end, last.range().end);
        self.settle()?;
        if self.build.depth() > 1 {
            let open = self.build.opened().unwrap_or(define);
            return Err(self.error(open, "a group that its production does not close"));
        }
        if let Some(root) = self.build.close(end) {
            self.build.ast.production(name, name_span, root);
        }
        Ok(at)
    }

    fn token(&mut self, token: &Token<'_>, span: Span) -> Result<(), Error> {
        let expr = match token {
            Token::Quantifier(min, max) => {
                if !self.build.repeat(*min, *max, span) {
                    return Err(self.error(span, "a quantifier with nothing to repeat before it"));
                }
                return Ok(());
            }
            Token::Bar => {
                self.settle()?;
                self.build.alternative(span);
                return Ok(());
            }
            Token::Open => {
                self.settle_before()?;
                self.build.open(span, None);
                return Ok(());
            }
            Token::Close => {
                self.settle()?;
                if self.build.depth() < 2 {
                    return Err(self.error(span, "`)` without a `(` before it"));
                }
                match self.build.close(span) {
                    Some(expr) => self.build.push(expr),
                    None => return Ok(()),
                }
                return Ok(());
            }
            Token::Minus => {
                self.settle_before()?;
                let before = self.build.elements().len();
                if before == 0 {
                    return Err(self.error(span, "a difference of nothing"));
                }
                self.minus.push((self.build.depth(), before, span));
                return Ok(());
            }
            Token::Brackets(inside) if is_constraint(inside) => {
                self.remarks.push(Remark {
                    span,
                    what: format!("the constraint `[{}]`", inside.trim()),
                    effect: Effect::Larger,
                });
                return Ok(());
            }
            Token::Name(name) => {
                let id = self.names.id(&mut self.build.ast, name);
                self.build.ast.reference(id, span)
            }
            Token::Text(text) => self.build.ast.literal(text.as_bytes(), span),
            Token::Char(c) => {
                let mut bytes = [0; 4];
                let text = c.encode_utf8(&mut bytes);
                self.build.ast.literal(text.as_bytes(), span)
            }
            Token::Brackets(inside) => self.class(inside, span)?,
            Token::Define => return Err(self.error(span, "`::=` behind what is not a name")),
        };
        self.settle_before()?;
        self.build.push(expr);
        Ok(())
    }

    /// Before another element: a difference that has its right side is finished.
    fn settle_before(&mut self) -> Result<(), Error> {
        match self.minus.last() {
            Some((depth, before, _))
                if *depth == self.build.depth() && self.build.elements().len() > *before =>
            {
                self.settle()
            }
            _ => Ok(()),
        }
    }

    /// Finishes the difference of this concatenation, if there is one.
    fn settle(&mut self) -> Result<(), Error> {
        let Some((depth, before, span)) = self.minus.last().copied() else {
            return Ok(());
        };
        if depth != self.build.depth() {
            return Ok(());
        }
        self.minus.pop();
        if self.build.elements().len() <= before {
            return Err(self.error(span, "a difference without what is taken away"));
        }
        let (right, left) = (self.build.pop(), self.build.pop());
        let (Some(right), Some(left)) = (right, left) else {
            return Ok(());
        };
        let ast = &mut self.build.ast;
        let difference = match (class_of(ast, left), class_of(ast, right)) {
            (Some(left), Some(right)) => {
                minus(&left, Some(&right)).map(|class| ast.char_class(class, span))
            }
            _ => None,
        };
        if difference.is_none() {
            self.remarks.push(Remark {
                span,
                what: "what is taken away by `-`".to_owned(),
                effect: Effect::Larger,
            });
        }
        self.build.push(difference.unwrap_or(left));
        Ok(())
    }

    /// Reads what is between brackets.
    fn class(&mut self, inside: &str, span: Span) -> Result<ExprId, Error> {
        let (negated, inside) = match inside.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, inside),
        };
        let start = span.range().end - 1 - inside.len();
        let mut members = Scan {
            text: self.scan.text,
            at: start,
        };
        let end = start + inside.len();
        let mut ranges = Vec::new();
        while members.at < end {
            let low = member(&mut members)?;
            let is_range = members.rest().starts_with('-') && members.at + 1 < end;
            let high = match is_range {
                true => {
                    members.at += 1;
                    member(&mut members)?
                }
                false => low,
            };
            if low > high {
                return Err(self.scan.error(
                    ErrorKind::InvalidRange,
                    span,
                    format!("a range from {low:?} down to {high:?}"),
                    "write the smaller character first",
                ));
            }
            ranges.push((low, high));
        }
        let class = CharClass::new(&ranges, &[]);
        let class = match negated {
            true => match class {
                Some(class) => class.negated_chars(),
                None => CharClass::new(&[('\0', char::MAX)], &[]),
            },
            false => class,
        };
        match class {
            Some(class) => Ok(self.build.ast.char_class(class, span)),
            None => Err(self.scan.error(
                ErrorKind::EmptyClass,
                span,
                "a class without a member",
                "name a character in it",
            )),
        }
    }

    fn error(&self, span: Span, message: &str) -> Error {
        self.scan.error(
            ErrorKind::UnexpectedToken,
            span,
            message,
            "a production is written `Name ::= …`, text in quotes, a character #x41, a class [a-z]",
        )
    }
}

/// Whether brackets hold a constraint: `wfc: …`, `vc: …`, `gc: …` and the like.
fn is_constraint(inside: &str) -> bool {
    let inside = inside.trim_start();
    let word = inside.find(|c: char| !c.is_ascii_alphabetic());
    word.is_some_and(|len| len >= 2 && inside[len..].starts_with(':') && inside.contains(": "))
}

/// The set of characters that an expression is, if it is one character of a set.
fn class_of(ast: &Ast, expr: ExprId) -> Option<CharClass> {
    let ExprKind::Alternation(alternatives) = ast.expr(expr).kind else {
        return flat_class(ast, expr);
    };
    let mut ranges = Vec::new();
    for alternative in ast.alternatives(alternatives) {
        ranges.extend_from_slice(flat_class(ast, alternative.expr)?.chars());
    }
    CharClass::new(&ranges, &[])
}

fn flat_class(ast: &Ast, expr: ExprId) -> Option<CharClass> {
    match ast.expr(expr).kind {
        ExprKind::Class(class) => Some(ast.class(class).clone()),
        ExprKind::Literal(text) => {
            let mut chars = std::str::from_utf8(ast.bytes(text)).ok()?.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => CharClass::new(&[(c, c)], &[]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A character in a class: itself, or `#xN`.
fn member(scan: &mut Scan<'_>) -> Result<char, Error> {
    if scan.rest().starts_with("#x") {
        return number(scan);
    }
    let c = scan.peek();
    scan.at += c.map_or(0, char::len_utf8);
    c.ok_or_else(|| scan.unexpected("a class ends with `]`"))
}

/// `#xN`.
fn number(scan: &mut Scan<'_>) -> Result<char, Error> {
    let start = scan.at;
    scan.at += 2;
    let digits = scan.take_while(|c| c.is_ascii_hexdigit());
    let c = u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32);
    c.ok_or_else(|| {
        scan.error(
            ErrorKind::InvalidEscape,
            scan.span_from(start),
            "the number of no character",
            "write a character as #x41; they go up to #x10FFFF",
        )
    })
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn tokens(text: &str) -> Result<Vec<(Token<'_>, Span)>, Error> {
    let mut scan = Scan::new(text);
    let mut tokens = Vec::new();
    loop {
        scan.take_while(char::is_whitespace);
        let start = scan.at;
        let Some(first) = scan.peek() else {
            return Ok(tokens);
        };
        let signs: [(&str, Token<'_>); 8] = [
            ("::=", Token::Define),
            ("|", Token::Bar),
            ("-", Token::Minus),
            ("(", Token::Open),
            (")", Token::Close),
            ("?", Token::Quantifier(0, Some(1))),
            ("*", Token::Quantifier(0, None)),
            ("+", Token::Quantifier(1, None)),
        ];
        let token = match first {
            '/' if scan.eat("/*") => match scan.rest().find("*/") {
                Some(len) => {
                    scan.at += len + 2;
                    continue;
                }
                None => return Err(scan.unterminated(start, "a comment", "`*/`")),
            },
            quote @ ('"' | '\'') => {
                scan.at += 1;
                let inside = scan.take_until(quote);
                Token::Text(inside.ok_or_else(|| scan.unterminated(start, "a text", "a quote"))?)
            }
            '#' if scan.rest().starts_with("#x") => Token::Char(number(&mut scan)?),
            '[' => {
                scan.at += 1;
                let inside = scan.take_until(']');
                Token::Brackets(inside.ok_or_else(|| scan.unterminated(start, "a class", "`]`"))?)
            }
            c if c.is_alphabetic() || c == '_' => {
                let name = scan.take_while(continues_name);
                // A minus that is glued to the name belongs to it, but not at its end.
                let trimmed = name.trim_end_matches('-');
                scan.at -= name.len() - trimmed.len();
                Token::Name(trimmed)
            }
            _ => match signs.into_iter().find(|(sign, _)| scan.eat(sign)) {
                Some((_, token)) => token,
                None => {
                    return Err(scan.unexpected(
                        "text stands in quotes, a character is written #x41, a comment /* … */",
                    ));
                }
            },
        };
        tokens.push((token, scan.span_from(start)));
    }
}
