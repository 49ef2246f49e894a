//! The alphabet of a grammar: which bytes and characters it tells apart.
//!
//! Automata read *labels*: bytes that no terminal distinguishes share one, and so do characters beyond ASCII. A position of
//! a text has the label of its byte and, where a character beyond ASCII begins, the label of that as well: a literal and a
//! class of raw bytes read the former, a class of characters the latter, and whole.

use crate::bitset::BitSet;
use crate::grammar::{CharClass, Grammar, Member};
use crate::id::{ClassId, IdVec};

use super::map::Map;

/// A set of byte labels.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    #[inline(always)]
    pub(super) fn contains(self, label: u32) -> bool {
        self.0[(label >> 6) as usize & 3] >> (label & 63) & 1 == 1
    }

    pub(super) fn insert(&mut self, label: u32) {
        self.0[(label >> 6) as usize & 3] |= 1 << (label & 63);
    }

    /// Adds another set and says whether that was new.
    pub(super) fn union(&mut self, other: Bytes) -> bool {
        let before = self.0;
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
        self.0 != before
    }
}

/// The labels of bytes and characters.
#[derive(Debug)]
pub(super) struct Alphabet {
    byte_labels: [u8; 256],
    byte_count: u32,
    /// Characters beyond ASCII: the first of each interval with its label; sorted.
    intervals: Vec<(u32, u32)>,
    char_count: u32,
    members: IdVec<ClassId, BitSet>,
    firsts: IdVec<ClassId, Bytes>,
}

/// The label of characters that are in no class.
const NO_LABEL: u32 = u32::MAX;
/// The bytes that characters beyond ASCII begin with.
const LEADS: std::ops::RangeInclusive<u8> = 0xc2..=0xf4;

impl Alphabet {
    /// The alphabet of a grammar. O(intervals · classes).
    pub(super) fn new(grammar: &Grammar) -> Alphabet {
        let mut cuts = [false; 257];
        for (id, literal) in grammar.literals().iter() {
            let is_caseless = grammar.is_caseless(id);
            for &byte in literal.iter() {
                let other = match is_caseless {
                    true if byte.is_ascii_lowercase() => byte.to_ascii_uppercase(),
                    true => byte.to_ascii_lowercase(),
                    false => byte,
                };
                for byte in [byte, other] {
                    cuts[usize::from(byte)] = true;
                    cuts[usize::from(byte) + 1] = true;
                }
            }
        }
        cuts[0x80] = true;
        cuts[usize::from(*LEADS.start())] = true;
        cuts[usize::from(*LEADS.end()) + 1] = true;
        let mut starts = vec![0x80u32];
        for (_, class) in grammar.classes().iter() {
            for &(low, high) in class.chars() {
                if (low as u32) < 0x80 {
                    cuts[low as usize] = true;
                    cuts[(high as usize + 1).min(0x80)] = true;
                }
                starts.push((low as u32).max(0x80));
                starts.push((high as u32 + 1).max(0x80));
            }
            for &(low, high) in class.bytes() {
                cuts[usize::from(low)] = true;
                cuts[usize::from(high) + 1] = true;
            }
        }
        let mut byte_labels = [0; 256];
        let mut label = 0u8;
        for byte in 1..256 {
            label += u8::from(cuts[byte]);
            byte_labels[byte] = label;
        }
        let byte_count = u32::from(label) + 1;

        // Intervals that the same classes contain share a label.
        starts.sort_unstable();
        starts.dedup();
        let mut labels: Map<Vec<u64>, u32> = Map::default();
        let mut members: IdVec<ClassId, Vec<u32>> =
            IdVec::filled(grammar.classes().len(), Vec::new());
        let mut intervals = Vec::new();
        let mut signature = vec![0u64; grammar.classes().len().div_ceil(64)];
        for start in starts {
            let Some(first) = char::from_u32(start).or_else(|| char::from_u32(0xe000)) else {
                continue;
            };
            signature.fill(0);
            for (at, (_, class)) in grammar.classes().iter().enumerate() {
                if class.contains(Member::Char(first)) {
                    signature[at / 64] |= 1 << (at % 64);
                }
            }
            if signature.iter().all(|&word| word == 0) {
                intervals.push((start, NO_LABEL));
                continue;
            }
            let fresh = byte_count + labels.len() as u32;
            let label = *labels.entry(signature.clone()).or_insert(fresh);
            if label == fresh {
                for class in grammar.classes().ids() {
                    let at = class.0 as usize;
                    if signature[at / 64] >> (at % 64) & 1 == 1 {
                        members[class].push(label);
                    }
                }
            }
            intervals.push((start, label));
        }
        let mut alphabet = Alphabet {
            byte_labels,
            byte_count,
            intervals,
            char_count: labels.len() as u32,
            members: IdVec::new(),
            firsts: IdVec::new(),
        };
        for (id, class) in grammar.classes().iter() {
            alphabet.add_class(class, &members[id]);
        }
        alphabet
    }

    /// The alphabet of codes, which are ASCII: every byte has a label of its own, and no class is read.
    pub(super) fn of_codes(grammar: &Grammar) -> Alphabet {
        let mut byte_labels = [0x80; 256];
        for (byte, label) in (0..0x80).zip(&mut byte_labels) {
            *label = byte;
        }
        let classes = grammar.classes().len();
        Alphabet {
            byte_labels,
            byte_count: 0x81,
            intervals: Vec::new(),
            char_count: 0,
            members: IdVec::filled(classes, BitSet::new(0)),
            firsts: IdVec::filled(classes, Bytes::default()),
        }
    }

    fn add_class(&mut self, class: &CharClass, chars: &[u32]) {
        let mut set = BitSet::new(self.count() as usize);
        let mut first = Bytes::default();
        for &label in chars {
            set.insert(label as usize);
        }
        for byte in 0..=255u8 {
            let label = self.byte(byte);
            let member = match byte.is_ascii() {
                true => Member::Char(char::from(byte)),
                false => Member::Byte(byte),
            };
            if class.contains(member) {
                set.insert(label as usize);
                first.insert(label);
            } else if !chars.is_empty() && LEADS.contains(&byte) {
                first.insert(label);
            }
        }
        self.members.push(set);
        self.firsts.push(first);
    }

    /// The label of a byte.
    #[inline(always)]
    pub(super) fn byte(&self, byte: u8) -> u32 {
        u32::from(self.byte_labels[usize::from(byte)])
    }

    /// The label and the length of the character beyond ASCII that begins at `offset`, if one does that some class contains.
    pub(super) fn wide_char(&self, text: &[u8], offset: usize) -> Option<(u32, usize)> {
        let char = wide_char(text, offset)?;
        let after = self
            .intervals
            .partition_point(|&(start, _)| start <= char as u32);
        let (_, label) = self.intervals[after.checked_sub(1)?];
        (label != NO_LABEL).then_some((label, char.len_utf8()))
    }

    /// The number of byte labels, which come first.
    pub(super) fn byte_count(&self) -> u32 {
        self.byte_count
    }

    /// The number of labels.
    pub(super) fn count(&self) -> u32 {
        self.byte_count + self.char_count
    }

    /// The labels of a class's members.
    pub(super) fn members(&self, class: ClassId) -> &BitSet {
        &self.members[class]
    }

    /// The labels of the bytes that members of a class can begin with, and perhaps some more beyond ASCII.
    pub(super) fn firsts(&self, class: ClassId) -> Bytes {
        self.firsts[class]
    }
}

/// The character beyond ASCII that begins at `offset`.
pub(super) fn wide_char(text: &[u8], offset: usize) -> Option<char> {
    let len = match *text.get(offset)? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let bytes = text.get(offset..offset + len)?;
    std::str::from_utf8(bytes).ok()?.chars().next()
}
