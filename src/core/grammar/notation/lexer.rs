//! Text to tokens, one at a time.
//!
//! Literals, classes, quantifiers and probabilities are one token each, so that the parser sees no characters. The bytes
//! of the last literal are in a buffer of the lexer. Linear in the text.

use super::{continues_name, starts_name};
use crate::caret::BYTE_ORDER_MARK;
use crate::grammar::ast::Span;
use crate::grammar::{CharClass, Error, ErrorKind, Probability};

/// One billionth is the finest probability that can be stated: seven decimals of a percent.
const DECIMALS: usize = 7;

/// A part of the notation and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TokenKind {
    Name,
    Define,
    Semicolon,
    Pipe,
    Open,
    Close,
    Quantifier(u32, Option<u32>),
    /// The text is in [`Lexer::literal`]; whether its letters may be in either case.
    Literal(bool),
    Class(CharClass),
    Regex,
    Probability(Probability),
    End,
}

#[derive(Debug)]
pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) literal: Vec<u8>,
    pub(super) at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer {
            text,
            literal: Vec::new(),
            at: if text.as_bytes().starts_with(BYTE_ORDER_MARK) {
                BYTE_ORDER_MARK.len()
            } else {
                0
            },
        }
    }

    /// The next token; [`TokenKind::End`] again and again once there is none.
    pub(super) fn next(&mut self) -> Result<Token, Error> {
        let before = self.at;
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            // Where something is missing at the end, its place is after the last token.
            return Ok(self.token(TokenKind::End, before, before));
        };
        let kind = match first {
            ':' if rest.starts_with(":=") => {
                return Ok(self.token(TokenKind::Define, start, start + 2));
            }
            ';' => TokenKind::Semicolon,
            '|' => TokenKind::Pipe,
            '(' => TokenKind::Open,
            ')' => TokenKind::Close,
            '?' => TokenKind::Quantifier(0, Some(1)),
            '*' => TokenKind::Quantifier(0, None),
            '+' => TokenKind::Quantifier(1, None),
            '{' => return self.bounds(start),
            '"' | '\'' => return self.literal_token(start),
            '[' => return self.class_token(start),
            '/' => return self.regex(start),
            '0'..='9' => return self.probability(start),
            c if starts_name(c) => {
                let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                return Ok(self.token(TokenKind::Name, start, start + length));
            }
            c => return Err(self.unexpected(start, c)),
        };
        Ok(self.token(kind, start, start + 1))
    }

    /// The text at a place.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    pub(super) fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        self.at = end;
        Token {
            kind,
            span: Span::new(start, end),
        }
    }

    pub(super) fn error(
        &self,
        kind: ErrorKind,
        start: usize,
        end: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        Error::new(
            kind,
            self.text.as_bytes(),
            Span::new(start, end),
            message,
            help,
        )
    }

    /// The character at the current place.
    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') && !rest.starts_with("//") {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn unexpected(&self, start: usize, c: char) -> Error {
        let rest = &self.text[start..];
        // What other notations have there, and how it is written here.
        const RANGE: &str = "a range of characters is a class: `[a-z]`";
        const TABLE: &[(&str, &str)] = &[
            ("::=", "a production is written `Name := …;`"),
            (":", "a production is written `Name := …;`"),
            ("=", "a production is written `Name := …;`"),
            ("->", "a production is written `Name := …;`"),
            ("<", "names of nonterminals stand without angle brackets"),
            (">", "names of nonterminals stand without angle brackets"),
            ("..", RANGE),
            (
                ".",
                "parts that follow each other are written side by side; any character is `/(?s:.)/`",
            ),
            (
                ",",
                "parts that follow each other are written side by side, without a comma",
            ),
            ("--", "comments start with `//` or `#`"),
            (
                "-",
                "names start with a letter or `_`; what a class lacks is written `[^…]`, and literal text stands in quotes",
            ),
            (
                "~",
                "parts that follow each other are written side by side; what a class lacks is written `[^…]`",
            ),
            (
                "!",
                "a grammar says what texts are, not what they are not: what a class lacks is written `[^…]`",
            ),
            (
                "&",
                "a grammar has no predicates: write what the text is, part by part",
            ),
            (
                "^",
                "what a class lacks is written `[^…]`, and either case `\"text\"i`",
            ),
            (
                "%",
                "a probability is written `40% …`, a byte in quotes or brackets, as in \"\\x41\"",
            ),
            (
                "\\",
                "escapes belong into quotes or brackets, as in \"\\n\" and [\\n]; regular expressions into slashes, as in `/\\d/`",
            ),
            (
                "]",
                "a class opens with `[`; a literal bracket is written \"]\"",
            ),
            (
                "}",
                "a part that repeats is written `( … )*`; a literal brace is written \"}\"",
            ),
            (
                "\0",
                "this is not text, or UTF-16: save it as UTF-8, or name another file",
            ),
        ];
        let known = TABLE.iter().find(|(start, _)| rest.starts_with(start));
        let help = match known {
            Some((_, help)) => help,
            None if matches!(c, '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '`' | '´') => {
                "quotes are straight: write \"…\" or '…'"
            }
            None if matches!(c, '→' | '⇒' | '＝') => "a production is written `Name := …;`",
            None if is_invisible(c) => "an invisible character, often pasted along: take it away",
            None if c.is_control() => "this does not look like text: name another file",
            None => "literal text stands in quotes, as in \"+\"",
        };
        self.error(
            ErrorKind::UnexpectedCharacter,
            start,
            start + c.len_utf8(),
            match c {
                '\\' | '\'' | '"' => format!("unexpected character `{c}`"),
                _ => format!("unexpected character `{}`", c.escape_debug()),
            },
            help,
        )
    }

    /// The error for how another notation defines a name, if that stands next.
    pub(super) fn foreign_definition(&mut self) -> Option<Error> {
        const FOREIGN: &[&str] = &[
            "::=", ":==", "=>", "==", "=", "->", "<-", "→", "⇒", "::", ":",
        ];
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let found = FOREIGN.iter().find(|it| rest.starts_with(**it))?;
        if rest.starts_with(":=") && !rest.starts_with(":==") {
            return None;
        }
        Some(self.error(
            ErrorKind::UnexpectedCharacter,
            self.at,
            self.at + found.len(),
            format!("`{found}` where a production has `:=`"),
            "a production is written `Name := …;`",
        ))
    }

    /// `{n}`, `{n,}`, `{n,m}` or `{,m}`, blanks allowed between the parts.
    fn bounds(&mut self, start: usize) -> Result<Token, Error> {
        const HELP: &str = "bounds are written `{3}`, `{2,}`, `{2,5}` or `{,5}`";
        let inner = &self.text[start + 1..];
        if !inner
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, ',' | '}'))
        {
            return Err(self.error(
                ErrorKind::InvalidBounds,
                start,
                start + 1,
                "a brace that no bounds follow",
                "what repeats is written `( … )*`, what is optional `( … )?`, the brace itself \"{\", and bounds `{2,5}`",
            ));
        }
        let length = inner.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | ' ' | '\t'));
        let closed = length.filter(|&length| inner[length..].starts_with('}'));
        let Some(length) = closed else {
            let end = start + 1 + length.unwrap_or(inner.len());
            return Err(self.error(
                ErrorKind::InvalidBounds,
                start,
                end,
                "the bounds of a quantifier are two numbers and a comma",
                HELP,
            ));
        };
        let end = start + length + 2;
        let (low, high) = match inner[..length].split_once(',') {
            Some((low, high)) => (low.trim(), Some(high.trim())),
            None => (inner[..length].trim(), None),
        };
        let number = |digits: &str| {
            digits.parse::<u32>().map_err(|_| {
                let (message, help) = if digits.is_empty() || digits.contains([',', ' ', '\t']) {
                    ("the bounds of a quantifier are two numbers and a comma", HELP)
                } else {
                    (
                        "a bound of a quantifier is too large",
                        "bounds go up to 4294967295; leave the upper one out for as many as you like",
                    )
                };
                self.error(ErrorKind::InvalidBounds, start, end, message, help)
            })
        };
        let (min, max) = match (low, high) {
            (count, None) => {
                let count = number(count)?;
                (count, Some(count))
            }
            (low, Some("")) => (number(low)?, None),
            ("", Some(high)) => (0, Some(number(high)?)),
            (low, Some(high)) => (number(low)?, Some(number(high)?)),
        };
        Ok(self.token(TokenKind::Quantifier(min, max), start, end))
    }

    /// `/…/`; a slash inside is escaped.
    fn regex(&mut self, start: usize) -> Result<Token, Error> {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        if bytes.get(at) == Some(&b'*') {
            return Err(self.error(
                ErrorKind::UnexpectedCharacter,
                start,
                at + 1,
                "`/*` starts no comment",
                "comments start with `//` or `#` and end with the line",
            ));
        }
        loop {
            match bytes.get(at) {
                None | Some(b'\n') => break,
                Some(b'/') => return Ok(self.token(TokenKind::Regex, start, at + 1)),
                Some(b'\\') if bytes.get(at + 1) != Some(&b'\n') => at += 2,
                Some(_) => at += 1,
            }
        }
        Err(self.error(
            ErrorKind::Unterminated,
            start,
            at.min(bytes.len()),
            "unterminated regular expression",
            "end it with `/` on the same line; a slash inside is written `\\/`",
        ))
    }

    /// A decimal number and `%`.
    fn probability(&mut self, start: usize) -> Result<Token, Error> {
        let rest = &self.text[start..];
        let length = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let after = rest[length..].trim_start_matches([' ', '\t']);
        if !after.starts_with('%') {
            return Err(self.error(
                ErrorKind::UnexpectedToken,
                start,
                start + length,
                "unexpected number",
                "literal text stands in quotes, as in \"0\"; a probability is written `40%`; names start with a letter or `_`",
            ));
        }
        let end = self.text.len() - after.len() + 1;
        let invalid = |message: &str, help: &str| {
            self.error(ErrorKind::InvalidProbability, start, end, message, help)
        };
        let (whole, decimals) = rest[..length]
            .split_once('.')
            .unwrap_or((&rest[..length], "0"));
        if decimals.is_empty() || decimals.contains('.') {
            return Err(invalid(
                "a probability is a decimal number",
                "write `40%` or `12.5%`",
            ));
        }
        if decimals.len() > DECIMALS {
            return Err(invalid(
                "a probability has more than seven decimals",
                "round it to seven decimals, which are billionths",
            ));
        }
        let whole: u64 = whole.parse().unwrap_or(u64::MAX);
        let decimals: u64 = format!("{decimals:0<DECIMALS$}")
            .parse()
            .unwrap_or(u64::MAX);
        let billionths = whole.saturating_mul(10_000_000).saturating_add(decimals);
        match u32::try_from(billionths) {
            Ok(billionths) if billionths <= Probability::CERTAIN.0 => {
                Ok(self.token(TokenKind::Probability(Probability(billionths)), start, end))
            }
            _ => Err(invalid(
                "a probability is above 100%",
                "the probabilities of one alternation are at most 100% together",
            )),
        }
    }
}

/// Whether a character takes no room, so that nobody sees it.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}
