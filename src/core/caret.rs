//! Places in a text, as editors count them: line and column.
//!
//! A [`Position`] costs one pass over the text up to the place; a `Cursor` finds many in one pass. Characters count as one column each.

use std::fmt;

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
    /// use pleach_core::caret::Position;
    ///
    /// let place = Position::of("a\nbé!".as_bytes(), 5);
    /// assert_eq!((place.line, place.column), (2, 3));
    /// ```
    pub fn of(text: &[u8], offset: usize) -> Position {
        let mut cursor = Cursor::new(text);
        cursor.position(offset)
    }
}

/// `line:column`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
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

fn saturate(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Position};

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}ab".as_bytes();
        assert_eq!(Position::of(text, 0).to_string(), "1:1");
        assert_eq!(Position::of(text, 4).to_string(), "1:2");
    }

    #[test]
    fn broken_sequences_count_one_column_each() {
        assert_eq!(Position::of(b"a\xff\xfeb", 3).to_string(), "1:4");
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
