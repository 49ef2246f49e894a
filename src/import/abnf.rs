//! Augmented Backus-Naur form: RFC 5234, with case-sensitive strings of RFC 7405.
//!
//! A rule begins where a name stands before `=`, so lines may be indented as in the text of an RFC. Names are the same in
//! either case. The rules of RFC 5234, appendix B.1, are there when they are asked for. Numbers are characters if any of them is
//! above FF, else bytes. Prose (`<…>`) is a reference if it is the name of a rule, as in `0<pchar>`; other prose
//! cannot be read by a machine and is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::build::{Builder, Scan, any_case};
use super::names::Names;
use super::{Effect, Imported, Remark};
use pleach_core::grammar::ast::{Alternative, Ast, ExprId, NameId, Span};
use pleach_core::grammar::{CharClass, Error, ErrorKind};

#[derive(Clone, PartialEq, Debug)]
enum Token<'t> {
    Name(&'t str),
    Define,
    DefineMore,
    Slash,
    Open,
    Close,
    OpenOption,
    CloseOption,
    Repeat(u32, Option<u32>),
    /// Text, and whether the case of letters counts.
    Text(&'t str, bool),
    Sequence(Vec<u32>),
    Range(u32, u32),
    Prose(&'t str),
}

/// The core rules, as expressions of their own.
const CORE: [&str; 16] = [
    "alpha", "bit", "char", "cr", "crlf", "ctl", "digit", "dquote", "hexdig", "htab", "lf", "lwsp",
    "octet", "sp", "vchar", "wsp",
];

/// A rule: where its name stands first, and its right sides, several if it was added to.
struct Rule {
    name: NameId,
    span: Span,
    parts: Vec<ExprId>,
}

struct Reader<'t> {
    scan: Scan<'t>,
    build: Builder,
    names: Names,
    rules: Vec<Rule>,
    /// By lower-case name.
    defined: BTreeMap<String, usize>,
    /// The names that any rule has, in lower case.
    known: BTreeSet<String>,
    /// Core rules that were asked for, and where.
    core: Vec<(&'static str, NameId, Span)>,
    /// Whether numbers are characters.
    characters: bool,
    remarks: Vec<Remark>,
}

pub(crate) fn read(text: &str) -> Result<Imported, Error> {
    let tokens = tokens(text)?;
    let above = |value: &u32| *value > 0xff;
    let characters = tokens.iter().any(|(token, _)| match token {
        Token::Sequence(values) => values.iter().any(above),
        Token::Range(low, high) => above(low) || above(high),
        _ => false,
    });
    let mut reader = Reader {
        scan: Scan::new(text),
        build: Builder::default(),
        names: Names::new(),
        rules: Vec::new(),
        defined: BTreeMap::new(),
        known: BTreeSet::new(),
        core: Vec::new(),
        characters,
        remarks: Vec::new(),
    };
    // Names are spelled as where they are defined.
    for pair in tokens.windows(2) {
        if let [(Token::Name(name), _), (Token::Define, _)] = pair {
            reader.name(name);
            reader.known.insert(name.to_ascii_lowercase());
        }
    }
    reader.rules(&tokens)?;
    Ok(reader.finish())
}

impl Reader<'_> {
    fn name(&mut self, name: &str) -> NameId {
        let key = name.to_ascii_lowercase();
        self.names.id_as(&mut self.build.ast, &key, name)
    }

    fn rules(&mut self, tokens: &[(Token<'_>, Span)]) -> Result<(), Error> {
        let mut at = 0;
        while let Some((token, span)) = tokens.get(at) {
            let (name, more) = match (token, tokens.get(at + 1).map(|(next, _)| next)) {
                (Token::Name(name), Some(Token::Define)) => (*name, false),
                (Token::Name(name), Some(Token::DefineMore)) => (*name, true),
                _ => {
                    return Err(self.scan.error(
                        ErrorKind::UnexpectedToken,
                        *span,
                        "expected a rule",
                        "a rule is written `name = elements`",
                    ));
                }
            };
            let len = tokens[at + 2..]
                .windows(2)
                .position(|pair| {
                    matches!(
                        pair,
                        [(Token::Name(_), _), (Token::Define | Token::DefineMore, _)]
                    )
                })
                .unwrap_or(tokens.len() - at - 2);
            let own = &tokens[at + 2..at + 2 + len];
            let root = self.elements(own, tokens[at + 1].1)?;
            self.define(name, *span, more, root)?;
            at += 2 + len;
        }
        Ok(())
    }

    fn define(&mut self, name: &str, span: Span, more: bool, root: ExprId) -> Result<(), Error> {
        let id = self.name(name);
        let known = self.defined.get(&name.to_ascii_lowercase()).copied();
        match known {
            Some(rule) if more => self.rules[rule].parts.push(root),
            Some(rule) => {
                let error = self.scan.error(
                    ErrorKind::DuplicateProduction,
                    span,
                    format!("a second rule for `{name}`"),
                    format!("write `{name} =/ …` to add alternatives, or give it another name"),
                );
                let text = self.scan.text.as_bytes();
                return Err(error.with_related("the first one", text, self.rules[rule].span));
            }
            None => {
                self.defined
                    .insert(name.to_ascii_lowercase(), self.rules.len());
                self.rules.push(Rule {
                    name: id,
                    span,
                    parts: vec![root],
                });
            }
        }
        Ok(())
    }

    /// Reads the right side behind `define`.
    fn elements(&mut self, tokens: &[(Token<'_>, Span)], define: Span) -> Result<ExprId, Error> {
        self.build.open(define, None);
        let mut last = define;
        for (token, span) in tokens {
            let span = *span;
            let expr = match token {
                Token::Slash => {
                    self.complete(span)?;
                    self.build.alternative(span);
                    None
                }
                Token::Open => {
                    self.build.open(span, None);
                    None
                }
                Token::OpenOption => {
                    self.build.open(span, Some((0, Some(1))));
                    None
                }
                Token::Close | Token::CloseOption => {
                    self.complete(span)?;
                    self.close(token, span)?
                }
                Token::Repeat(min, max) => {
                    if !self.build.repeat_next(*min, *max, span) {
                        return Err(self.scan.error(
                            ErrorKind::RepeatedQuantifier,
                            span,
                            "a repetition of a repetition",
                            "put parentheses around what is repeated twice: `2(3DIGIT)`",
                        ));
                    }
                    None
                }
                _ => Some(self.atom(token, span)?),
            };
            if let Some(expr) = expr {
                self.build.push(expr);
            }
            last = span;
        }
        let end = Span::new(last.range().end, last.range().end);
        self.complete(end)?;
        if self.build.depth() > 1 {
            let open = self.build.opened().unwrap_or(define);
            return Err(self.scan.error(
                ErrorKind::UnexpectedToken,
                open,
                "a group that its rule does not close",
                "close it by `)` or `]`",
            ));
        }
        let root = self.build.close(end);
        Ok(root.unwrap_or_else(|| self.build.ast.literal(b"", end)))
    }

    /// An alternative ends here: it must have elements, and nothing that waits for one.
    fn complete(&self, at: Span) -> Result<(), Error> {
        let (kind, span, message) = match self.build.waiting() {
            Some(repeat) => (
                ErrorKind::UnexpectedToken,
                repeat,
                "a repetition of nothing",
            ),
            None if self.build.elements().is_empty() => {
                (ErrorKind::EmptyAlternative, at, "an empty alternative")
            }
            None => return Ok(()),
        };
        let help = "write what is repeated behind the number; the empty text is written `\"\"`";
        Err(self.scan.error(kind, span, message, help))
    }

    fn close(&mut self, token: &Token<'_>, span: Span) -> Result<Option<ExprId>, Error> {
        let opened = self.build.opened().unwrap_or(span);
        let sign = &self.scan.text[opened.range()];
        let fits = self.build.depth() > 1 && (sign == "(") == (*token == Token::Close);
        if !fits {
            let error = self.scan.error(
                ErrorKind::UnexpectedToken,
                span,
                "this closes no group",
                "`(` is closed by `)`, and `[` by `]`",
            );
            return Err(error.with_related("opened here", self.scan.text.as_bytes(), opened));
        }
        Ok(self.build.close(span))
    }

    fn atom(&mut self, token: &Token<'_>, span: Span) -> Result<ExprId, Error> {
        Ok(match token {
            Token::Name(name) => self.reference(name, span),
            Token::Text(text, true) => self.build.ast.literal(text.as_bytes(), span),
            Token::Text(text, false) => any_case(&mut self.build.ast, text, span),
            Token::Sequence(values) => {
                let mut text = Vec::new();
                for &value in values {
                    self.encode(value, span, &mut text)?;
                }
                self.build.ast.literal(&text, span)
            }
            Token::Range(low, high) => self.range(*low, *high, span)?,
            Token::Prose(prose) if self.is_name(prose) => self.reference(prose, span),
            Token::Prose(prose) => {
                self.remarks.push(Remark {
                    span,
                    what: format!("the prose `<{prose}>`"),
                    effect: Effect::Other,
                });
                self.build.ast.concatenation(&[], span)
            }
            _ => {
                return Err(self.scan.error(
                    ErrorKind::UnexpectedToken,
                    span,
                    "`=` behind what is not a name",
                    "a rule is written `name = elements`",
                ));
            }
        })
    }

    fn reference(&mut self, name: &str, span: Span) -> ExprId {
        let id = self.name(name);
        let key = name.to_ascii_lowercase();
        if let Some(core) = CORE.iter().find(|core| **core == key)
            && self.core.iter().all(|(known, _, _)| known != core)
        {
            self.core.push((core, id, span));
        }
        self.build.ast.reference(id, span)
    }

    /// Whether prose is the name of a rule.
    fn is_name(&self, prose: &str) -> bool {
        let key = prose.to_ascii_lowercase();
        self.known.contains(&key) || CORE.contains(&&*key)
    }

    /// A number as a character or byte.
    fn encode(&self, value: u32, span: Span, text: &mut Vec<u8>) -> Result<(), Error> {
        match (char::from_u32(value), u8::try_from(value)) {
            (_, Ok(byte)) if !self.characters => text.push(byte),
            (Some(c), _) => text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            (None, _) => {
                return Err(self.scan.error(
                    ErrorKind::InvalidEscape,
                    span,
                    format!("{value:X} is the number of no character"),
                    "characters go from 0 to 10FFFF, without D800 to DFFF",
                ));
            }
        }
        Ok(())
    }

    fn range(&mut self, low: u32, high: u32, span: Span) -> Result<ExprId, Error> {
        let class = if self.characters {
            // Surrogates at the ends are left out, as they are in the middle.
            let low = (low..=high.min(0x10_ffff)).find_map(char::from_u32);
            let high = (0..=high.min(0x10_ffff))
                .rev()
                .take(0x801)
                .find_map(char::from_u32);
            match (low, high) {
                (Some(low), Some(high)) => CharClass::new(&[(low, high)], &[]),
                _ => None,
            }
        } else {
            let byte = |value: u32| u8::try_from(value).unwrap_or(u8::MAX);
            CharClass::new(&[], &[(byte(low), byte(high))])
        };
        let class = class.filter(|_| low <= high);
        match class {
            Some(class) => Ok(self.build.ast.char_class(class, span)),
            None => Err(self.scan.error(
                ErrorKind::InvalidRange,
                span,
                "a range without a character",
                "its first number must not be above the second",
            )),
        }
    }

    fn finish(mut self) -> Imported {
        let mut ast = std::mem::take(&mut self.build.ast);
        for rule in &self.rules {
            let root = match rule.parts[..] {
                [single] => single,
                _ => {
                    let alternatives: Vec<Alternative> = rule
                        .parts
                        .iter()
                        .map(|&expr| Alternative {
                            expr,
                            probability: None,
                        })
                        .collect();
                    ast.alternation(&alternatives, rule.span)
                }
            };
            ast.production(rule.name, rule.span, root);
        }
        let asked: Vec<_> = self
            .core
            .into_iter()
            .filter(|(key, _, _)| !self.defined.contains_key(*key))
            .collect();
        for (key, name, span) in asked {
            let root = core(&mut ast, key, span);
            ast.production(name, span, root);
        }
        Imported {
            ast,
            remarks: self.remarks,
        }
    }
}

/// A rule of RFC 5234, appendix B.1.
fn core(ast: &mut Ast, name: &str, span: Span) -> ExprId {
    let chars: &[(char, char)] = match name {
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "bit" => &[('0', '1')],
        "char" => &[('\x01', '\x7f')],
        "ctl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "digit" => &[('0', '9')],
        // Strings are the same in either case.
        "hexdig" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        "vchar" => &[('!', '~')],
        "wsp" => &[(' ', ' '), ('\t', '\t')],
        _ => &[],
    };
    let bytes: &[(u8, u8)] = match name {
        "octet" => &[(0, 0xff)],
        _ => &[],
    };
    if let Some(class) = CharClass::new(chars, bytes) {
        return ast.char_class(class, span);
    }
    let text: &[u8] = match name {
        "cr" => b"\r",
        "crlf" | "lwsp" => b"\r\n",
        "dquote" => b"\"",
        "htab" => b"\t",
        "lf" => b"\n",
        _ => b" ",
    };
    let literal = ast.literal(text, span);
    if name != "lwsp" {
        return literal;
    }
    let blank = CharClass::new(&[(' ', ' '), ('\t', '\t')], &[]);
    let Some(blank) = blank.map(|class| ast.char_class(class, span)) else {
        return literal;
    };
    let fold = ast.quantifier(literal, 0, Some(1), span);
    let one = ast.concatenation(&[fold, blank], span);
    ast.quantifier(one, 0, None, span)
}

fn tokens(text: &str) -> Result<Vec<(Token<'_>, Span)>, Error> {
    let mut scan = Scan::new(text);
    let mut tokens = Vec::new();
    loop {
        scan.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n' | '\x0c'));
        let start = scan.at;
        let Some(first) = scan.peek() else {
            return Ok(tokens);
        };
        let token = match first {
            ';' => {
                scan.take_while(|c| c != '\n');
                continue;
            }
            '=' => {
                scan.at += 1;
                match scan.eat("/") {
                    true => Token::DefineMore,
                    false => Token::Define,
                }
            }
            '/' => sign(&mut scan, Token::Slash),
            '(' => sign(&mut scan, Token::Open),
            ')' => sign(&mut scan, Token::Close),
            '[' => sign(&mut scan, Token::OpenOption),
            ']' => sign(&mut scan, Token::CloseOption),
            '*' | '0'..='9' => repetition(&mut scan)?,
            '"' => string(&mut scan, start, false)?,
            '%' => value(&mut scan)?,
            '<' => {
                scan.at += 1;
                let prose = scan.take_until('>');
                Token::Prose(prose.ok_or_else(|| scan.unterminated(start, "prose", "`>`"))?)
            }
            c if c.is_ascii_alphabetic() => {
                Token::Name(scan.take_while(|c| c.is_ascii_alphanumeric() || c == '-'))
            }
            _ => {
                return Err(scan.unexpected(
                    "a text is written \"…\", a character %x41, a comment behind `;`",
                ));
            }
        };
        tokens.push((token, scan.span_from(start)));
    }
}

fn sign<'t>(scan: &mut Scan<'t>, token: Token<'t>) -> Token<'t> {
    scan.at += 1;
    token
}

fn string<'t>(scan: &mut Scan<'t>, start: usize, exact: bool) -> Result<Token<'t>, Error> {
    scan.at += 1;
    match scan.take_until('"') {
        Some(text) => Ok(Token::Text(text, exact)),
        None => Err(scan.unterminated(start, "a text", "`\"`")),
    }
}

/// `3`, `*`, `1*`, `*5`, `1*5`.
fn repetition<'t>(scan: &mut Scan<'t>) -> Result<Token<'t>, Error> {
    let start = scan.at;
    let min = scan.take_while(|c| c.is_ascii_digit());
    let (min, max) = match scan.eat("*") {
        false => (min, min),
        true => {
            let max = scan.take_while(|c| c.is_ascii_digit());
            (if min.is_empty() { "0" } else { min }, max)
        }
    };
    let read = |digits: &str| digits.parse::<u32>().ok();
    let bounds = match (read(min), max) {
        (Some(min), "") => Some((min, None)),
        (Some(min), max) => read(max)
            .filter(|max| min <= *max)
            .map(|max| (min, Some(max))),
        _ => None,
    };
    match bounds {
        Some((min, max)) => Ok(Token::Repeat(min, max)),
        None => Err(scan.error(
            ErrorKind::InvalidBounds,
            scan.span_from(start),
            "bounds that no repetition meets, or that are too large",
            "write the smaller one first, as in `1*5`",
        )),
    }
}

/// `%x41`, `%d13.10`, `%x41-5A`, `%s"text"`, `%i"text"`.
fn value<'t>(scan: &mut Scan<'t>) -> Result<Token<'t>, Error> {
    let start = scan.at;
    scan.at += 1;
    let base = match scan.peek().map(|c| c.to_ascii_lowercase()) {
        Some('x') => 16,
        Some('d') => 10,
        Some('b') => 2,
        Some(kind @ ('s' | 'i')) if scan.rest()[1..].starts_with('"') => {
            scan.at += 1;
            return string(scan, start, kind == 's');
        }
        _ => return Err(scan.unexpected("a value is written %x41, %d65, %b1000001 or %s\"A\"")),
    };
    scan.at += 1;
    let mut values = Vec::new();
    loop {
        let digits = scan.take_while(|c| c.is_digit(base));
        let Ok(value) = u32::from_str_radix(digits, base) else {
            return Err(match digits {
                "" => scan.unexpected("a number stands here"),
                _ => scan.error(
                    ErrorKind::InvalidEscape,
                    scan.span_from(start),
                    "a number that is too large",
                    "characters go up to 10FFFF",
                ),
            });
        };
        values.push(value);
        let range = values.len() == 1 && scan.peek() == Some('-');
        if !range && scan.peek() != Some('.') {
            break;
        }
        scan.at += 1;
        if range {
            let digits = scan.take_while(|c| c.is_digit(base));
            let Ok(high) = u32::from_str_radix(digits, base) else {
                return Err(scan.unexpected("the end of the range stands here"));
            };
            return Ok(Token::Range(values[0], high));
        }
    }
    Ok(Token::Sequence(values))
}
