//! What of a text would be too much for pest's own parser.
//!
//! That parser calls itself for each group, comment in a comment and escape in a string, and takes a time exponential in comments that do
//! not end. So these are counted before it is asked.

use pleach_core::grammar::ast::Span;
use pleach_core::grammar::{Error, ErrorKind};

/// The longest text.
const MAX_BYTES: usize = 1 << 20;
/// How deep groups, and comments in comments, may nest.
const MAX_DEPTH: usize = 200;
/// The most escapes in one string.
const MAX_ESCAPES: usize = 400;

/// Refuses what pest's parser would take too long for, or nest too deeply in.
pub(super) fn measure(text: &str) -> Result<(), Error> {
    let refused = |kind, at: usize, message: String, help: &str| {
        let end = text[at..].find('\n').map_or(text.len(), |len| at + len);
        Error::new(kind, text.as_bytes(), Span::new(at, end), message, help)
    };
    if text.len() > MAX_BYTES {
        let message = format!("a grammar of more than {MAX_BYTES} bytes");
        return Err(refused(
            ErrorKind::TooLarge,
            0,
            message,
            "split it, or leave parts out",
        ));
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let start = at;
        match &bytes[at..] {
            [b'/', b'/', ..] => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            [b'/', b'*', ..] => {
                let mut comments = 0_usize;
                while at < bytes.len() {
                    match &bytes[at..] {
                        [b'/', b'*', ..] => (comments, at) = (comments + 1, at + 2),
                        [b'*', b'/', ..] => (comments, at) = (comments - 1, at + 2),
                        _ => at += 1,
                    }
                    if comments == 0 {
                        break;
                    }
                    if comments > MAX_DEPTH {
                        let message = format!("comments that nest more than {MAX_DEPTH} deep");
                        let help = "take the inner ones away";
                        return Err(refused(ErrorKind::TooLarge, start, message, help));
                    }
                }
                if comments > 0 {
                    let message = "a comment that does not end".to_owned();
                    return Err(refused(
                        ErrorKind::Unterminated,
                        start,
                        message,
                        "write `*/`",
                    ));
                }
                continue;
            }
            [b'"', ..] => {
                let mut escapes = 0;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    let is_escape = bytes[at] == b'\\';
                    escapes += usize::from(is_escape);
                    at += if is_escape { 2 } else { 1 };
                }
                if escapes > MAX_ESCAPES {
                    let message = format!("a string of more than {MAX_ESCAPES} escapes");
                    let help = "make two strings of it, with `~` between them";
                    return Err(refused(ErrorKind::TooLarge, start, message, help));
                }
            }
            // A character, which may be a quote.
            [b'\'', ..] => {
                let inside = &bytes[at + 1..];
                let first = if inside.starts_with(b"\\") { 2 } else { 1 };
                let rest = inside.iter().skip(first).take(10);
                let end = rest.copied().position(|byte| byte == b'\'');
                at += end.map_or(0, |len| first + len + 1);
            }
            [b'(', ..] => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("groups that nest more than {MAX_DEPTH} deep");
                    let help = "name the inner ones as rules of their own";
                    return Err(refused(ErrorKind::TooLarge, start, message, help));
                }
            }
            [b')', ..] => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    Ok(())
}
