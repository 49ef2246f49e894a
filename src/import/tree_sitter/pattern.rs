//! The regular expressions of tree-sitter, which are JavaScript's as far as its generator takes them, in the syntax of the crate
//! `regex`.
//!
//! `\d`, `\s` and `\w` have ASCII members only; NUL, by which tree-sitter ends a text, is in no negated class; a brace that is no quantifier is itself; what an escape stands for is asked
//! of JavaScript. Look-around and anchors are left out, and each of them is named.

use std::fmt::Write as _;

/// A pattern in the syntax of `regex`, and what of it was left out.
pub(super) struct Translated {
    pub(super) pattern: String,
    pub(super) dropped: Vec<String>,
}

/// Puts a pattern into the syntax of `regex`. Linear.
pub(super) fn translate(value: &str, flags: &str) -> Translated {
    let mut translator = Translator {
        rest: value,
        pattern: String::with_capacity(value.len()),
        dropped: Vec::new(),
        classes: 0,
        dot_has_all: flags.contains('s'),
        is_unbalanced: false,
    };
    while let Some(c) = translator.rest.chars().next() {
        translator.step(c);
    }
    let signs: String = "is".chars().filter(|&flag| flags.contains(flag)).collect();
    let pattern = match signs.as_str() {
        "" => translator.pattern,
        signs => format!("(?{signs}:{})", translator.pattern),
    };
    Translated {
        pattern,
        dropped: translator.dropped,
    }
}

struct Translator<'p> {
    rest: &'p str,
    pattern: String,
    dropped: Vec<String>,
    /// How many classes are open.
    classes: u32,
    /// Whether a dot is also a line break.
    dot_has_all: bool,
    /// A group was found to have no end, so that none further inward has one, either.
    is_unbalanced: bool,
}

impl<'p> Translator<'p> {
    /// Goes on behind `len` bytes and gives them.
    fn take(&mut self, len: usize) -> &'p str {
        let (taken, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn step(&mut self, c: char) {
        let rest = self.rest;
        match c {
            '\\' => {
                self.take(1);
                self.escape();
            }
            '[' if rest.starts_with("[^]") => {
                self.take(3);
                self.pattern.push_str("[^\\x00]");
            }
            '[' if self.classes == 0 && rest.starts_with("[^") => {
                self.classes += 1;
                self.pattern.push_str("[^\\x00");
                // What stood first was no range.
                let is_hyphen = rest.starts_with("[^-");
                self.take(if is_hyphen { 3 } else { 2 });
                if is_hyphen {
                    self.pattern.push_str("\\-");
                }
            }
            '.' if self.classes == 0 => {
                self.take(1);
                self.pattern.push_str(match self.dot_has_all {
                    true => "[^\\x00]",
                    false => "[^\\x00\\n]",
                });
            }
            '[' => {
                self.classes += 1;
                self.take(1);
                self.pattern.push('[');
            }
            ']' if self.classes > 0 => {
                self.classes -= 1;
                self.take(1);
                self.pattern.push(']');
            }
            '(' if self.classes == 0 && self.has_look_around() => {}
            '^' | '$' if self.classes == 0 => {
                self.dropped.push(format!("the anchor `{c}`"));
                self.take(1);
                self.pattern.push_str("(?:)");
            }
            '{' if self.classes == 0 && !is_quantifier(rest) => {
                self.take(1);
                self.pattern.push_str("\\{");
            }
            _ => {
                let taken = self.take(c.len_utf8());
                self.pattern.push_str(taken);
            }
        }
    }

    /// Leaves out the look-around that stands here. False if there is none.
    fn has_look_around(&mut self) -> bool {
        let signs = ["(?=", "(?!", "(?<=", "(?<!"];
        if self.is_unbalanced || !signs.iter().any(|sign| self.rest.starts_with(sign)) {
            return false;
        }
        let Some(len) = group(self.rest) else {
            self.is_unbalanced = true;
            return false;
        };
        let whole = self.take(len);
        self.dropped.push(format!("the look-around `{whole}`"));
        // A quantifier behind it still needs something to repeat.
        self.pattern.push_str("(?:)");
        true
    }

    /// What stands behind a backslash.
    fn escape(&mut self) {
        let Some(c) = self.rest.chars().next() else {
            self.pattern.push_str("\\\\");
            return;
        };
        self.take(c.len_utf8());
        match c {
            'd' => self.set("0-9"),
            's' => self.set("\\t-\\r "),
            'w' => self.set("0-9A-Za-z_"),
            'b' if self.classes > 0 => self.pattern.push_str("\\x08"),
            'b' | 'B' => {
                self.dropped.push(format!("the word boundary `\\{c}`"));
                self.pattern.push_str("(?:)");
            }
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => {
                self.pattern.push_str("\\x00");
            }
            'p' | 'P' | 'u' | 'x' => {
                let _ = write!(self.pattern, "\\{c}");
                // Braces here are no quantifier.
                if self.rest.starts_with('{')
                    && let Some(end) = closing_brace(self.rest)
                {
                    let taken = self.take(end + 1);
                    self.pattern.push_str(taken);
                }
            }
            _ if c.is_ascii_alphanumeric() => {
                let _ = write!(self.pattern, "\\{c}");
            }
            _ => {
                let mut bytes = [0; 4];
                let escaped = regex_syntax::escape(c.encode_utf8(&mut bytes));
                self.pattern.push_str(&escaped);
            }
        }
    }

    /// The members of a class of JavaScript's.
    fn set(&mut self, members: &str) {
        let _ = match self.classes {
            0 => write!(self.pattern, "[{members}]"),
            _ => write!(self.pattern, "{members}"),
        };
    }
}

/// The length of the group that a text begins with.
fn group(text: &str) -> Option<usize> {
    let (mut depth, mut in_class, mut is_escaped) = (0_u32, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the brace ends that a text begins with. No brace of a pattern is long.
fn closing_brace(text: &str) -> Option<usize> {
    text.bytes().take(80).position(|byte| byte == b'}')
}

/// Whether a text begins with a quantifier in braces.
fn is_quantifier(text: &str) -> bool {
    let Some(end) = closing_brace(text) else {
        return false;
    };
    let inside = &text[1..end];
    let (low, high) = inside.split_once(',').unwrap_or((inside, "0"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !low.is_empty() && is_number(low) && is_number(high)
}

/// The text that a pattern is, if it is one text, and whether its letters may be in either case: by a flag, or because
/// each letter is a class of both.
pub(super) fn word(value: &str, flags: &str) -> Option<(String, bool)> {
    if !flags.chars().all(|flag| "iu".contains(flag)) {
        return None;
    }
    let by_flag = flags.contains('i');
    let (mut text, mut rest) = (String::new(), value);
    // Letters in classes, and others.
    let (mut both, mut single) = (false, false);
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        match c {
            '[' => {
                let &[_, one, other, b']', ..] = rest.as_bytes() else {
                    return None;
                };
                if !one.is_ascii_alphabetic() || one == other || !one.eq_ignore_ascii_case(&other) {
                    return None;
                }
                both = true;
                text.push(char::from(one.to_ascii_lowercase()));
                len = 4;
            }
            '\\' => {
                let escaped = rest[1..].chars().next()?;
                text.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    _ if escaped.is_ascii_punctuation() => escaped,
                    _ => return None,
                });
                len = 1 + escaped.len_utf8();
            }
            '(' | ')' | '|' | '*' | '+' | '?' | '.' | '^' | '$' | '{' | '}' | ']' => return None,
            // Outside of ASCII, more letters than two may be one.
            _ if by_flag && !c.is_ascii() => return None,
            _ => {
                single |= c.is_ascii_alphabetic();
                text.push(c);
            }
        }
        rest = &rest[len..];
    }
    let is_mixed = both && single && !by_flag;
    (!text.is_empty() && !is_mixed).then_some((text, by_flag || both))
}
