//! Pointing at a place in a text: its line, its column, and the line itself with carets underneath.
//!
//! ```text
//! 4 | value := "null" | Foo;
//!   |                   ^^^
//! ```
//!
//! A [`Snippet`] owns what it prints, so that an error can outlive the text it speaks of. It costs one pass over
//! the text up to the place, and never keeps more than a window of a long line. Tabs are widened and control characters are
//! made visible, so that the carets stand where they should and no text can drive the terminal. Characters are counted
//! as one column each.

use std::fmt;
use std::ops::Range;

/// The most characters of a line that are shown.
const WINDOW: usize = 100;
/// The most bytes of a line that are looked at on one side of the caret: a window of the longest characters.
const REACH: usize = 4 * (WINDOW + 1);
/// What a tab is shown as.
const TAB: &str = "    ";
/// The byte order mark that some editors put in front of a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A place in a text, as editors count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; a byte order mark does not count.
    pub column: u32,
}

impl Position {
    /// The place of the byte at `offset`. A text need not be UTF-8: what is not counts one column for each broken sequence.
    ///
    /// ```
    /// use pleach::caret::Position;
    ///
    /// let place = Position::of("a\nbé!".as_bytes(), 5);
    /// assert_eq!((place.line, place.column), (2, 3));
    /// ```
    pub fn of(text: &[u8], offset: usize) -> Position {
        let mut cursor = Cursor::new(text);
        cursor.position(offset)
    }
}

/// Finds the positions of many offsets in one pass, as long as the offsets ascend.
#[derive(Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t [u8],
    offset: usize,
    position: Position,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Cursor<'t> {
        Cursor {
            text,
            offset: first_offset(text),
            position: Position { line: 1, column: 1 },
        }
    }

    /// The position of `offset`. An offset before the last one asked for starts a new pass.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            *self = Cursor::new(self.text);
            if offset < self.offset {
                return self.position;
            }
        }
        let passed = &self.text[self.offset..offset];
        let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
        let tail = match passed.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => {
                self.position.column = 1;
                &passed[newline + 1..]
            }
            None => passed,
        };
        self.position.line = self.position.line.saturating_add(saturate(lines));
        self.position.column = self.position.column.saturating_add(saturate(columns(tail)));
        self.offset = offset;
        self.position
    }
}

/// A line of a text with carets under a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snippet {
    position: Position,
    line: String,
    indent: usize,
    width: usize,
}

impl Snippet {
    /// The line that contains the start of `span`, with carets under the part of `span` on that line, at least one.
    ///
    /// ```
    /// let snippet = pleach::caret::Snippet::new(b"one\ntwo three\n", 8..13);
    /// assert_eq!(snippet.to_string(), "2 | two three\n  |     ^^^^^");
    /// ```
    pub fn new(text: &[u8], span: Range<usize>) -> Snippet {
        let newline = |&byte: &u8| byte == b'\n';
        let start = span.start.clamp(first_offset(text), text.len());
        let line_start = text[..start]
            .iter()
            .rposition(newline)
            .map_or(first_offset(text), |at| at + 1);
        let mut line_end = text[start..]
            .iter()
            .position(newline)
            .map_or(text.len(), |at| start + at);
        if line_end > start && text[line_end - 1] == b'\r' {
            line_end -= 1;
        }

        // A place within a character, or in bytes that are none, stays where it is.
        let near_start = char_start(text, line_start.max(start.saturating_sub(REACH))).min(start);
        let near_end = char_start(text, line_end.min(start.saturating_add(REACH)));
        let marked_end = span.end.clamp(start, near_end.max(start));
        let before: Vec<char> = lossy(&text[near_start..start]);
        let marked: Vec<char> = lossy(&text[start..marked_end]);
        let mut after = marked.clone();
        after.extend(lossy(&text[marked_end..near_end.max(marked_end)]));

        let kept_before = before
            .len()
            .min((WINDOW / 2).max(WINDOW.saturating_sub(after.len())));
        let kept_after = after.len().min(WINDOW - kept_before);
        let mut line = String::new();
        if near_start > line_start || kept_before < before.len() {
            line.push('…');
        }
        before[before.len() - kept_before..]
            .iter()
            .for_each(|&c| show(c, &mut line));
        let indent = line.chars().count();
        let mut width = 0;
        for (at, &c) in after[..kept_after].iter().enumerate() {
            show(c, &mut line);
            if at < marked.len() {
                width = line.chars().count() - indent;
            }
        }
        if near_end < line_end || kept_after < after.len() {
            line.push('…');
        }
        Snippet {
            position: Position::of(text, start),
            line,
            indent,
            width: width.max(1),
        }
    }

    /// Where the carets start.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Takes away so many lines before it.
    #[cfg(feature = "import")]
    pub(crate) fn lift(&mut self, lines: u32) {
        self.position.line = self.position.line.saturating_sub(lines).max(1);
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.position.line.to_string();
        let (digits, indent, width) = (number.len(), self.indent, self.width);
        let line = self.line.trim_end();
        writeln!(
            f,
            "{number} |{}{line}",
            if line.is_empty() { "" } else { " " }
        )?;
        write!(f, "{:digits$} | {:indent$}{:^<width$}", "", "", "^")
    }
}

/// The offset of the first byte that counts.
fn first_offset(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// The number of columns that `bytes` take.
fn columns(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum()
}

/// The nearest place at or after `offset` that does not cut a character.
fn char_start(text: &[u8], mut offset: usize) -> usize {
    let limit = text.len().min(offset + 3);
    while offset < limit && text[offset] & 0xC0 == 0x80 {
        offset += 1;
    }
    offset
}

fn lossy(bytes: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(bytes).chars().collect()
}

/// Appends what is shown for a character: one column for each, except for tabs.
fn show(c: char, line: &mut String) {
    match c {
        '\t' => line.push_str(TAB),
        // The block of control pictures has one for each control character, in the same order.
        '\0'..='\x1f' => line.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or(c)),
        '\x7f' => line.push('\u{2421}'),
        _ if c.is_control() || is_directional(c) => line.push(char::REPLACEMENT_CHARACTER),
        _ => line.push(c),
    }
}

/// Whether a character changes the direction of the text around it, which would move the carets away.
fn is_directional(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Position, Snippet};

    fn shown(text: &str, needle: &str) -> String {
        let start = text.find(needle).unwrap();
        Snippet::new(text.as_bytes(), start..start + needle.len()).to_string()
    }

    #[test]
    fn tabs_controls_and_carriage_returns_keep_the_carets_in_place() {
        assert_eq!(
            shown("\tab\tcd\r\n", "cd"),
            "1 |     ab    cd\n  |           ^^"
        );
        assert_eq!(shown("a\x1b[1mb", "b"), "1 | a␛[1mb\n  |      ^");
        assert_eq!(shown("é\u{202e}x", "x"), "1 | é\u{fffd}x\n  |   ^");
    }

    #[test]
    fn the_end_of_a_text_and_an_empty_line_can_be_pointed_at() {
        assert_eq!(Snippet::new(b"ab", 2..2).to_string(), "1 | ab\n  |   ^");
        assert_eq!(Snippet::new(b"ab\n", 9..9).to_string(), "2 |\n  | ^");
        assert_eq!(Snippet::new(b"", 0..0).to_string(), "1 |\n  | ^");
        assert_eq!(
            Snippet::new(b"ab\r\ncd", 2..6).to_string(),
            "1 | ab\n  |   ^"
        );
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}ab";
        assert_eq!(shown(text, "b"), "1 | ab\n  |  ^");
        assert_eq!(Snippet::new(text.as_bytes(), 0..1).position().column, 1);
    }

    #[test]
    fn long_lines_are_cut_to_a_window_around_the_caret() {
        let text = format!("{}X{}", "é".repeat(1000), "b".repeat(1000));
        let snippet = shown(&text, "X");
        let lines: Vec<&str> = snippet.lines().collect();
        assert_eq!(
            lines[0],
            format!("1 | …{}X{}…", "é".repeat(50), "b".repeat(49))
        );
        assert_eq!(lines[1], format!("  | {}^", " ".repeat(51)));
        assert_eq!(
            Snippet::new(text.as_bytes(), 2000..2001).position().column,
            1001
        );
        let all = Snippet::new(text.as_bytes(), 0..text.len()).to_string();
        assert_eq!(
            all.lines().nth(1).unwrap(),
            format!("  | {}", "^".repeat(100))
        );
    }

    #[test]
    fn broken_sequences_count_one_column_each() {
        let position = Position::of(b"a\xff\xfeb", 3);
        assert_eq!((position.line, position.column), (1, 4));
    }

    #[test]
    fn a_cursor_agrees_with_single_look_ups_in_any_order() {
        let text = "a\nbé\n\nxyz\n".as_bytes();
        let mut cursor = Cursor::new(text);
        for offset in [0, 1, 2, 5, 6, 9, 3, 0, 10, 99] {
            assert_eq!(
                cursor.position(offset),
                Position::of(text, offset),
                "{offset}"
            );
        }
    }
}
