//! Character classes: sets of characters and raw bytes.
//!
//! A class member is either a Unicode scalar value, written as UTF-8, or a raw byte of 0x80 and above, which no UTF-8
//! text contains on its own. A class is normalized: ranges ascend and neither touch nor overlap.

use std::fmt;

/// One member of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Member {
    /// A Unicode scalar value, written as UTF-8.
    Char(char),
    /// A byte from 0x80 to 0xFF, written as it is.
    Byte(u8),
}

/// A non-empty set of characters and raw bytes; one symbolic node wherever it is written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CharClass {
    chars: Box<[(char, char)]>,
    bytes: Box<[(u8, u8)]>,
}

impl CharClass {
    /// A class of inclusive character ranges and inclusive ranges of raw bytes; `None` if it would have no member.
    ///
    /// Ranges may come in any order and may overlap. Raw bytes below 0x80 are the characters of the same number.
    pub fn new(chars: &[(char, char)], bytes: &[(u8, u8)]) -> Option<CharClass> {
        let mut all: Vec<(char, char)> = chars.to_vec();
        let mut raw: Vec<(u8, u8)> = Vec::new();
        for &(low, high) in bytes {
            if low < 0x80 {
                all.push((char::from(low), char::from(high.min(0x7f))));
            }
            if high >= 0x80 {
                raw.push((low.max(0x80), high));
            }
        }
        let set = regex_syntax::hir::ClassUnicode::new(
            all.iter()
                .filter(|(low, high)| low <= high)
                .map(|&(low, high)| regex_syntax::hir::ClassUnicodeRange::new(low, high)),
        );
        let raw = regex_syntax::hir::ClassBytes::new(
            raw.iter()
                .filter(|(low, high)| low <= high)
                .map(|&(low, high)| regex_syntax::hir::ClassBytesRange::new(low, high)),
        );
        // No character lies between the two around the surrogates, either.
        let mut chars: Vec<(char, char)> = Vec::new();
        for range in set.iter() {
            match chars.last_mut() {
                Some(last) if touch(last.1, range.start()) => last.1 = range.end(),
                _ => chars.push((range.start(), range.end())),
            }
        }
        let class = CharClass {
            chars: chars.into(),
            bytes: raw.iter().map(|r| (r.start(), r.end())).collect(),
        };
        (!class.chars.is_empty() || !class.bytes.is_empty()).then_some(class)
    }

    /// A class of ranges that are normalized already; `None` if they are not.
    #[cfg(feature = "compiled")]
    pub(super) fn from_normal(chars: Vec<(char, char)>, bytes: Vec<(u8, u8)>) -> Option<CharClass> {
        let is_normal = chars.iter().all(|(low, high)| low <= high)
            && bytes.iter().all(|&(low, high)| low <= high && low >= 0x80)
            && chars.is_sorted_by(|a, b| a.1 < b.0 && !touch(a.1, b.0))
            && bytes.is_sorted_by(|a, b| u16::from(a.1) + 1 < u16::from(b.0))
            && !(chars.is_empty() && bytes.is_empty());
        is_normal.then(|| CharClass {
            chars: chars.into(),
            bytes: bytes.into(),
        })
    }

    /// The members that are characters, as ascending inclusive ranges.
    pub fn chars(&self) -> &[(char, char)] {
        &self.chars
    }

    /// The members that are raw bytes (0x80 and above), as ascending inclusive ranges.
    pub fn bytes(&self) -> &[(u8, u8)] {
        &self.bytes
    }

    /// Whether `member` belongs to the class. O(log ranges).
    pub fn contains(&self, member: Member) -> bool {
        fn within<T: Ord + Copy>(ranges: &[(T, T)], item: T) -> bool {
            let after = ranges.partition_point(|&(low, _)| low <= item);
            after > 0 && item <= ranges[after - 1].1
        }
        match member {
            Member::Char(c) => within(&self.chars, c),
            Member::Byte(b) => within(&self.bytes, b),
        }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        let chars: usize = self
            .chars
            .iter()
            .map(|&(low, high)| scalars_between(low, high))
            .sum();
        let bytes: usize = self
            .bytes
            .iter()
            .map(|&(low, high)| usize::from(high - low) + 1)
            .sum();
        chars + bytes
    }

    /// All characters that are not members, raw bytes left aside; `None` if there is none.
    pub fn negated_chars(&self) -> Option<CharClass> {
        let mut set = regex_syntax::hir::ClassUnicode::new(
            self.chars
                .iter()
                .map(|&(low, high)| regex_syntax::hir::ClassUnicodeRange::new(low, high)),
        );
        set.negate();
        let chars: Vec<_> = set.iter().map(|r| (r.start(), r.end())).collect();
        CharClass::new(&chars, &[])
    }

    /// All of the 256 bytes that are not members, characters beyond ASCII left aside; `None` if there is none.
    pub(super) fn negated_bytes(&self) -> Option<CharClass> {
        let ascii = self.chars.iter().filter(|(low, _)| low.is_ascii());
        let ascii = ascii.map(|&(low, high)| (low as u8, high.min('\x7f') as u8));
        let mut set = regex_syntax::hir::ClassBytes::new(
            ascii
                .chain(self.bytes.iter().copied())
                .map(|(low, high)| regex_syntax::hir::ClassBytesRange::new(low, high)),
        );
        set.negate();
        let bytes: Vec<_> = set.iter().map(|r| (r.start(), r.end())).collect();
        CharClass::new(&[], &bytes)
    }

    /// Always false: a class has a member.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Whether a character is the next one after another.
fn touch(a: char, b: char) -> bool {
    a < b && scalars_between(a, b) == 2
}

/// The number of Unicode scalar values from `low` to `high`, both included; surrogates do not count.
pub(crate) fn scalars_between(low: char, high: char) -> usize {
    let span = (high as usize + 1).saturating_sub(low as usize);
    let surrogates = if (low as u32) < 0xD800 && (high as u32) > 0xDFFF {
        0x800
    } else {
        0
    };
    span - surrogates.min(span)
}

impl fmt::Debug for CharClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CharClass")
            .field("chars", &self.chars)
            .field("bytes", &self.bytes)
            .finish()
    }
}
