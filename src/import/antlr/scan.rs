//! The words of an ANTLR grammar: what stands between signs, and what is passed over.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::super::build::Scan;
use super::super::{Effect, Remark};
use super::sets;
use pleach_core::grammar::ast::Span;
use pleach_core::grammar::{Error, ErrorKind};

/// Passes over blanks, comments and `sign`, if that stands here.
pub(super) fn eat(scan: &mut Scan<'_>, sign: &str) -> Result<bool, Error> {
    scan.skip()?;
    Ok(scan.eat(sign))
}

/// Passes over `sign`, which has to stand here.
pub(super) fn expect(scan: &mut Scan<'_>, sign: &str, help: &str) -> Result<(), Error> {
    match eat(scan, sign)? {
        true => Ok(()),
        false => Err(scan.unexpected(help)),
    }
}

/// A name, if one stands here.
pub(super) fn name<'t>(scan: &mut Scan<'t>) -> Result<Option<(&'t str, Span)>, Error> {
    scan.skip()?;
    let start = scan.at;
    if !scan.peek().is_some_and(|c| c == '_' || c.is_alphabetic()) {
        return Ok(None);
    }
    let name = scan.take_while(|c| c == '_' || c.is_alphanumeric());
    Ok(Some((name, scan.span_from(start))))
}

/// A name, which has to stand here.
pub(super) fn expect_name<'t>(scan: &mut Scan<'t>, help: &str) -> Result<(&'t str, Span), Error> {
    match name(scan)? {
        Some(found) => Ok(found),
        None => Err(scan.unexpected(help)),
    }
}

/// Whether a word stands here that is not the beginning of a longer one.
pub(super) fn is_word(scan: &Scan<'_>, word: &str) -> bool {
    let mut behind = match scan.rest().strip_prefix(word) {
        Some(behind) => behind.chars(),
        None => return false,
    };
    !behind
        .next()
        .is_some_and(|c| c == '_' || c.is_alphanumeric())
}

/// Passes over code in another language, from its opening bracket to the one that closes it. Brackets in its strings and comments do not
/// count; a quote that its line does not close is not a string.
pub(super) fn code(scan: &mut Scan<'_>, open: char, close: char) -> Result<(), Error> {
    let start = scan.at;
    let mut depth = 0_usize;
    while let Some(c) = scan.peek() {
        let rest = scan.rest();
        scan.at += match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' | '\'' => string(rest, c),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(1, |len| len + 2),
            _ => c.len_utf8(),
        };
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
    let what = match open {
        '{' => "an action",
        _ => "an argument",
    };
    Err(scan.error(
        ErrorKind::Unterminated,
        Span::new(start, start + 1),
        format!("{what} that does not end"),
        format!("close it with `{close}`"),
    ))
}

/// The length of a string, or of its quote alone.
fn string(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return 1,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    1
}

/// Passes over the options of an element: `<assoc = right>`.
pub(super) fn element_options(scan: &mut Scan<'_>) -> Result<(), Error> {
    let start = scan.at;
    while let Some(c) = scan.peek() {
        let rest = scan.rest();
        scan.at += match c {
            '"' | '\'' => string(rest, c),
            '{' => {
                code(scan, '{', '}')?;
                0
            }
            '>' => {
                scan.at += 1;
                return Ok(());
            }
            ';' => break,
            _ => c.len_utf8(),
        };
    }
    Err(scan.unterminated(start, "an option", "`>`"))
}

/// The code points of a literal in quotes: `'text'`. Two escapes that are halves of a character are that character.
pub(super) fn literal(scan: &mut Scan<'_>) -> Result<Vec<u32>, Error> {
    let start = scan.at;
    scan.at += 1;
    let mut codes: Vec<u32> = Vec::new();
    loop {
        let code = match scan.peek() {
            None | Some('\n') => return Err(scan.unterminated(start, "a literal", "`'`")),
            Some('\'') => {
                scan.at += 1;
                return Ok(codes);
            }
            Some('\\') => escape(scan)?,
            Some(c) => {
                scan.at += c.len_utf8();
                u32::from(c)
            }
        };
        match codes.last_mut() {
            Some(high @ 0xd800..=0xdbff) if (0xdc00..=0xdfff).contains(&code) => {
                *high = 0x1_0000 + ((*high - 0xd800) << 10) + (code - 0xdc00);
            }
            _ => codes.push(code),
        }
    }
}

/// Code points as text; `None` if one is half of a character.
pub(super) fn text(codes: &[u32]) -> Option<String> {
    codes.iter().map(|&code| char::from_u32(code)).collect()
}

/// The code point of an escape in a literal or a set.
fn escape(scan: &mut Scan<'_>) -> Result<u32, Error> {
    let start = scan.at;
    scan.at += 1;
    let Some(c) = scan.peek() else {
        return Err(scan.unterminated(start, "an escape", "a character"));
    };
    scan.at += c.len_utf8();
    Ok(match c {
        'n' => 0x0a,
        'r' => 0x0d,
        't' => 0x09,
        'b' => 0x08,
        'f' => 0x0c,
        'u' => {
            let digits = match scan.eat("{") {
                true => scan.take_until('}').unwrap_or(""),
                false => {
                    let rest = scan.rest();
                    let len = rest.bytes().take(4).take_while(u8::is_ascii_hexdigit);
                    let digits = rest.get(..len.count()).unwrap_or("");
                    scan.at += digits.len();
                    if digits.len() == 4 { digits } else { "" }
                }
            };
            let code = u32::from_str_radix(digits, 16).ok();
            match code.filter(|&code| code <= 0x0010_ffff) {
                Some(code) => code,
                None => {
                    return Err(scan.error(
                        ErrorKind::InvalidEscape,
                        scan.span_from(start),
                        "an escape that is not a character",
                        "write four hexadecimal digits, or some in braces: `\\u00E9`, `\\u{1F600}`",
                    ));
                }
            }
        }
        '\n' => return Err(scan.unterminated(start, "an escape", "a character")),
        // A sign may be escaped though it need not be.
        c => u32::from(c),
    })
}

/// The code point of an escape, or of two that are the halves of a character.
fn whole(scan: &mut Scan<'_>) -> Result<u32, Error> {
    let high = escape(scan)?;
    let mut ahead = *scan;
    if (0xd800..=0xdbff).contains(&high)
        && ahead.rest().starts_with("\\u")
        && let Ok(low @ 0xdc00..=0xdfff) = escape(&mut ahead)
    {
        scan.at = ahead.at;
        return Ok(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    }
    Ok(high)
}

/// A set in brackets: `[a-z\p{Lu}]`. Properties that are not known are left out, with a remark.
pub(super) fn set(scan: &mut Scan<'_>, remarks: &mut Vec<Remark>) -> Result<ClassUnicode, Error> {
    let start = scan.at;
    scan.at += 1;
    let mut ranges: Vec<ClassUnicodeRange> = Vec::new();
    let mut last: Option<u32> = None;
    // The first character of a range whose last one comes next.
    let mut open: Option<u32> = None;
    let mut is_empty = true;
    loop {
        let at = scan.at;
        let code = match scan.peek() {
            None | Some('\n') => return Err(scan.unterminated(start, "a set", "`]`")),
            Some(']') => {
                scan.at += 1;
                break;
            }
            Some('\\') if scan.rest()[1..].starts_with(['p', 'P']) => {
                let is_negated = scan.rest()[1..].starts_with('P');
                scan.at += 2;
                let name = match scan.eat("{") {
                    true => scan.take_until('}').unwrap_or(""),
                    false => "",
                };
                is_empty = false;
                match sets::property(name, is_negated) {
                    Some(set) => ranges.extend(set.iter()),
                    None => remarks.push(Remark {
                        span: scan.span_from(at),
                        what: format!("the characters with the property `{name}`"),
                        effect: Effect::Smaller,
                    }),
                }
                last = None;
                continue;
            }
            Some('\\') => whole(scan)?,
            Some('-') if last.is_some() && !scan.rest()[1..].starts_with(']') => {
                scan.at += 1;
                open = last.take();
                continue;
            }
            Some(c) => {
                scan.at += c.len_utf8();
                u32::from(c)
            }
        };
        is_empty = false;
        let low = open.take();
        if low.is_some_and(|low| low > code) {
            return Err(scan.error(
                ErrorKind::InvalidRange,
                scan.span_from(at),
                "a range whose ends are in the wrong order",
                "write the lower character first",
            ));
        }
        ranges.extend(sets::range(low.unwrap_or(code), code).iter());
        last = if low.is_some() { None } else { Some(code) };
    }
    if is_empty {
        return Err(scan.error(
            ErrorKind::EmptyClass,
            scan.span_from(start),
            "a set without a character",
            "name at least one, or take the set away",
        ));
    }
    Ok(ClassUnicode::new(ranges))
}
