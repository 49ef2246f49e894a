//! Literals and character classes, escapes included.

use super::continues_name;
use super::lexer::{Lexer, Token, TokenKind};
use crate::grammar::{CharClass, Error, ErrorKind, Member};

/// The characters that may follow a backslash for themselves in a class.
const CLASS_ESCAPES: &str = "]-^[";

impl Lexer<'_> {
    /// A literal in either quote.
    pub(super) fn literal_token(&mut self, start: usize) -> Result<Token, Error> {
        self.literal.clear();
        let quote = self.text.as_bytes()[start];
        self.at = start + 1;
        loop {
            let plain = self.text.as_bytes()[self.at..]
                .iter()
                .position(|&byte| byte == quote || byte == b'\\' || byte == b'\n')
                .unwrap_or(self.text.len() - self.at);
            self.literal
                .extend_from_slice(&self.text.as_bytes()[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                Some('\\') => match self.escape("")? {
                    Member::Char(c) => self
                        .literal
                        .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    Member::Byte(byte) => self.literal.push(byte),
                },
                None | Some('\n') => {
                    return Err(self.error(
                        ErrorKind::Unterminated,
                        start,
                        self.at,
                        "unterminated literal",
                        format!(
                            "end it with {} on the same line; a line break inside is written `\\n`",
                            char::from(quote)
                        ),
                    ));
                }
                Some(_) => return Ok(self.end_literal(start, self.at + 1)),
            }
        }
    }

    /// A literal whose quote ends at `end`, with the `i` directly behind it if it may be in either case.
    fn end_literal(&mut self, start: usize, end: usize) -> Token {
        let mut behind = self.text[end..].chars();
        let is_caseless = behind.next() == Some('i') && !behind.next().is_some_and(continues_name);
        self.token(
            TokenKind::Literal(is_caseless),
            start,
            end + usize::from(is_caseless),
        )
    }

    /// A class in brackets.
    pub(super) fn class_token(&mut self, start: usize) -> Result<Token, Error> {
        let mut chars: Vec<(char, char)> = Vec::new();
        let mut bytes: Vec<(u8, u8)> = Vec::new();
        self.at = start + 1;
        let negated = self.peek() == Some('^');
        if negated {
            self.at += 1;
        }
        while !self.at_class_end(start)? {
            let first_at = self.at;
            let low = self.member()?;
            if self.peek() != Some('-') || self.text[self.at..].starts_with("-]") {
                match low {
                    Member::Char(c) => chars.push((c, c)),
                    Member::Byte(byte) => bytes.push((byte, byte)),
                }
                continue;
            }
            self.at += 1;
            self.at_class_end(start)?;
            let high = self.member()?;
            let wrong = |message: &str, help: &str| {
                Err(self.error(ErrorKind::InvalidRange, first_at, self.at, message, help))
            };
            match (low, high) {
                (Member::Char(low), Member::Char(high)) if low <= high => chars.push((low, high)),
                (Member::Byte(low), Member::Byte(high)) if low <= high => bytes.push((low, high)),
                (Member::Char(low), Member::Byte(high)) if low.is_ascii() => {
                    bytes.push((low as u8, high));
                }
                (Member::Char(low), Member::Byte(_)) | (Member::Byte(_), Member::Char(low))
                    if !low.is_ascii() =>
                {
                    return wrong(
                        "a class range from a character to a raw byte",
                        "write `\\u{…}` at both ends for characters, `\\xHH` for bytes",
                    );
                }
                _ => {
                    return wrong(
                        "a class range that ends before it starts",
                        "swap its ends, or write `\\-` for the character itself",
                    );
                }
            }
            if self.peek() == Some('-') && !self.text[self.at..].starts_with("-]") {
                return Err(self.error(
                    ErrorKind::InvalidRange,
                    self.at,
                    self.at + 1,
                    "a class range that goes on from the end of another",
                    "write `\\-` for the character itself",
                ));
            }
        }
        let end = self.at + 1;
        let class = if negated {
            self.negate(start, end, &chars, &bytes)?
        } else {
            CharClass::new(&chars, &bytes)
        };
        match class {
            Some(class) => Ok(self.token(TokenKind::Class(class), start, end)),
            None => Err(self.error(
                ErrorKind::EmptyClass,
                start,
                end,
                "a class without a member",
                if end == start + "[^]".len() {
                    "name what the class lacks; the character itself is written `\\^`"
                } else if negated {
                    "nothing is left once all members are taken away; name fewer"
                } else {
                    "name its members, as in `[a-z]`; brackets themselves are written `\\[` and `\\]`"
                },
            )),
        }
    }

    /// The class of all characters but the given ones.
    fn negate(
        &self,
        start: usize,
        end: usize,
        chars: &[(char, char)],
        bytes: &[(u8, u8)],
    ) -> Result<Option<CharClass>, Error> {
        let Some(class) = CharClass::new(chars, bytes) else {
            // `[^]`: most likely the bracket was meant as a member.
            return Ok(None);
        };
        if class.bytes().is_empty() {
            return Ok(class.negated_chars());
        }
        let is_ascii = class.chars().iter().all(|(_, high)| high.is_ascii());
        let help = match class.negated_bytes().filter(|_| is_ascii) {
            Some(others) => format!("the other bytes are written `{others}`"),
            None => {
                "write characters only (`\\u{…}`), or the bytes that are meant, without `^`".into()
            }
        };
        Err(self.error(
            ErrorKind::NegatedByte,
            start,
            end,
            "a negated class means all other characters, and this one names a raw byte",
            help,
        ))
    }

    /// Whether the class that began at `start` ends here; an error if its line does.
    fn at_class_end(&self, start: usize) -> Result<bool, Error> {
        match self.peek() {
            Some(']') => Ok(true),
            None | Some('\n') => Err(self.error(
                ErrorKind::Unterminated,
                start,
                self.at,
                "unterminated class",
                "end it with `]` on the same line; a line break inside is written `\\n`",
            )),
            Some(_) => Ok(false),
        }
    }

    /// A member of a class, as it is or escaped.
    fn member(&mut self) -> Result<Member, Error> {
        match self.peek() {
            Some('\\') => self.escape(CLASS_ESCAPES),
            Some(c) => {
                self.at += c.len_utf8();
                Ok(Member::Char(c))
            }
            None => Ok(Member::Char('\0')),
        }
    }

    /// An escape; `extra` are the characters that stand for themselves here.
    fn escape(&mut self, extra: &str) -> Result<Member, Error> {
        let start = self.at;
        let Some(c) = self.text[start + 1..].chars().next() else {
            return Err(self.invalid_escape(start, start + 1, extra));
        };
        let after = start + 1 + c.len_utf8();
        let (member, end) = match c {
            'n' => (Member::Char('\n'), after),
            't' => (Member::Char('\t'), after),
            'r' => (Member::Char('\r'), after),
            '\\' | '"' | '\'' => (Member::Char(c), after),
            _ if extra.contains(c) => (Member::Char(c), after),
            'x' => {
                let digits = self.text.get(after..after + 2);
                match digits.and_then(|digits| hexadecimal(digits, 2)) {
                    Some(byte) if byte < 0x80 => (Member::Char(char::from(byte as u8)), after + 2),
                    Some(byte) => (Member::Byte(byte as u8), after + 2),
                    None => {
                        return Err(self.error(
                            ErrorKind::InvalidEscape,
                            start,
                            after,
                            "`\\x` without two hexadecimal digits",
                            "write a byte as `\\x0a`, a character as `\\u{e9}`",
                        ));
                    }
                }
            }
            'u' => self.unicode_escape(start, after)?,
            _ => return Err(self.invalid_escape(start, after, extra)),
        };
        self.at = end;
        Ok(member)
    }

    /// `{H…}` after `\u`.
    fn unicode_escape(&self, start: usize, after: usize) -> Result<(Member, usize), Error> {
        let rest = &self.text[after..];
        // Six digits are enough for every character; looking no further keeps this constant.
        let length = rest.bytes().take(8).position(|byte| byte == b'}');
        let digits = length.and_then(|length| rest.get(..length)?.strip_prefix('{'));
        let (Some(length), Some(digits)) = (length, digits) else {
            return Err(self.error(
                ErrorKind::InvalidEscape,
                start,
                after,
                "`\\u` without a number in braces",
                "write up to six hexadecimal digits, as in `\\u{e9}`",
            ));
        };
        let end = after + length + 1;
        match hexadecimal(digits, digits.len()).and_then(char::from_u32) {
            Some(c) => Ok((Member::Char(c), end)),
            None => Err(self.error(
                ErrorKind::InvalidEscape,
                start,
                end,
                "`\\u` with the number of no character",
                "characters are hexadecimal numbers up to 10ffff without d800 to dfff; write raw bytes as `\\xHH`",
            )),
        }
    }

    fn invalid_escape(&self, start: usize, end: usize, extra: &str) -> Error {
        let help = match (self.text[start + 1..end].chars().next(), extra.is_empty()) {
            (Some('d' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P'), _) => {
                "named classes are written as regular expressions, as in `/\\d/`"
            }
            (_, true) => "escapes are \\n \\t \\r \\\\ \\\" \\' \\xHH \\u{H…}",
            (_, false) => "escapes are \\n \\t \\r \\\\ \\\" \\' \\] \\[ \\- \\^ \\xHH \\u{H…}",
        };
        self.error(ErrorKind::InvalidEscape, start, end, "unknown escape", help)
    }
}

/// The number that `count` hexadecimal digits write.
fn hexadecimal(digits: &str, count: usize) -> Option<u32> {
    let proper = digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    proper
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}
