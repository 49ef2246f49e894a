//! Characters that programs treat specially, as candidates where a class leaves thousands to choose from.
//!
//! Drawn evenly, one of a million characters is an ideograph or unassigned. Branches are elsewhere: in tables of case
//! folding and normalization, around white space that cannot be seen, digits of other scripts, the ends of what an encoding
//! can say; and at the borders of the grammar's own classes, where a parser's test may be off by one. Both are kept as candidates.
//! The ranges are written out, after the Unicode Character Database (16.0), since those of the standard library change with its
//! version, and a seed must not.
//!
//! Drawing looks at the ranges of one group, at most 20.

use crate::grammar::Grammar;
use crate::rng::Rng;

/// The most borders that are kept.
const MAX_BORDERS: usize = 4096;
/// How many of 1000 are drawn from the borders.
const FROM_BORDERS: u32 = 300;

type Ranges = &'static [(char, char)];

/// Groups of about equal interest, as inclusive ranges.
const GROUPS: [Ranges; 10] = [
    // Letters with another case.
    &[
        ('\u{c0}', '\u{24f}'),
        ('\u{370}', '\u{3ff}'),
        ('\u{400}', '\u{556}'),
        ('\u{561}', '\u{587}'),
        ('\u{10a0}', '\u{10ff}'),
        ('\u{13a0}', '\u{13fd}'),
        ('\u{1c80}', '\u{1cbf}'),
        ('\u{1e00}', '\u{1eff}'),
        ('\u{1f00}', '\u{1fff}'),
        ('\u{2c00}', '\u{2d2d}'),
        ('\u{a640}', '\u{a69b}'),
        ('\u{a722}', '\u{a7dc}'),
        ('\u{ab70}', '\u{abbf}'),
        ('\u{10400}', '\u{1044f}'),
        ('\u{1e900}', '\u{1e943}'),
    ],
    // Letters whose other case has another length, is of another block, or is shared.
    &[
        ('\u{b5}', '\u{b5}'),
        ('\u{df}', '\u{df}'),
        ('\u{130}', '\u{131}'),
        ('\u{149}', '\u{149}'),
        ('\u{17f}', '\u{17f}'),
        ('\u{1c4}', '\u{1cc}'),
        ('\u{1f0}', '\u{1f3}'),
        ('\u{345}', '\u{345}'),
        ('\u{390}', '\u{390}'),
        ('\u{3b0}', '\u{3b0}'),
        ('\u{3c2}', '\u{3c3}'),
        ('\u{587}', '\u{587}'),
        ('\u{1e96}', '\u{1e9e}'),
        ('\u{1f50}', '\u{1f57}'),
        ('\u{1f80}', '\u{1ffc}'),
        ('\u{2126}', '\u{212b}'),
        ('\u{2160}', '\u{217f}'),
        ('\u{24b6}', '\u{24e9}'),
        ('\u{ff21}', '\u{ff5a}'),
        ('\u{fb00}', '\u{fb17}'),
    ],
    // White space, and what cannot be seen.
    &[
        ('\u{7f}', '\u{a0}'),
        ('\u{ad}', '\u{ad}'),
        ('\u{34f}', '\u{34f}'),
        ('\u{61c}', '\u{61c}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{180b}', '\u{180f}'),
        ('\u{2000}', '\u{200f}'),
        ('\u{2028}', '\u{202f}'),
        ('\u{205f}', '\u{206f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{feff}', '\u{feff}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{fff9}', '\u{fffb}'),
        ('\u{e0020}', '\u{e007f}'),
    ],
    // Digits and numbers.
    &[
        ('\u{b2}', '\u{b3}'),
        ('\u{b9}', '\u{be}'),
        ('\u{660}', '\u{669}'),
        ('\u{6f0}', '\u{6f9}'),
        ('\u{966}', '\u{96f}'),
        ('\u{e50}', '\u{e59}'),
        ('\u{2070}', '\u{2079}'),
        ('\u{2080}', '\u{2089}'),
        ('\u{2150}', '\u{215f}'),
        ('\u{2460}', '\u{249b}'),
        ('\u{3007}', '\u{3007}'),
        ('\u{3021}', '\u{3029}'),
        ('\u{ff10}', '\u{ff19}'),
        ('\u{1d7ce}', '\u{1d7ff}'),
    ],
    // Other forms of ASCII, of which normalization makes the same.
    &[
        ('\u{37e}', '\u{37e}'),
        ('\u{2010}', '\u{2026}'),
        ('\u{2032}', '\u{2037}'),
        ('\u{2100}', '\u{214f}'),
        ('\u{2212}', '\u{2216}'),
        ('\u{3001}', '\u{3002}'),
        ('\u{fe10}', '\u{fe19}'),
        ('\u{fe30}', '\u{fe6b}'),
        ('\u{ff01}', '\u{ff0f}'),
        ('\u{ff1a}', '\u{ff65}'),
        ('\u{ffe0}', '\u{ffe6}'),
        ('\u{1d400}', '\u{1d4ff}'),
        ('\u{1f100}', '\u{1f1ff}'),
    ],
    // Marks that go with what stands before.
    &[
        ('\u{300}', '\u{36f}'),
        ('\u{483}', '\u{489}'),
        ('\u{591}', '\u{5c7}'),
        ('\u{64b}', '\u{65f}'),
        ('\u{93c}', '\u{94d}'),
        ('\u{1ab0}', '\u{1ace}'),
        ('\u{1dc0}', '\u{1dff}'),
        ('\u{20d0}', '\u{20f0}'),
        ('\u{302a}', '\u{302f}'),
        ('\u{3099}', '\u{309a}'),
        ('\u{1d165}', '\u{1d16d}'),
        ('\u{1f3fb}', '\u{1f3ff}'),
    ],
    // From right to left.
    &[
        ('\u{5d0}', '\u{5f4}'),
        ('\u{600}', '\u{606}'),
        ('\u{61b}', '\u{64a}'),
        ('\u{66a}', '\u{6ef}'),
        ('\u{700}', '\u{72f}'),
        ('\u{7c0}', '\u{7ea}'),
        ('\u{202a}', '\u{202e}'),
        ('\u{fb1d}', '\u{fb4f}'),
        ('\u{fb50}', '\u{fbc2}'),
        ('\u{fdfa}', '\u{fdfb}'),
        ('\u{fe70}', '\u{fefc}'),
        ('\u{10800}', '\u{10838}'),
    ],
    // Letters without case: from signs, syllables, ideographs, and those that are put together.
    &[
        ('\u{aa}', '\u{aa}'),
        ('\u{ba}', '\u{ba}'),
        ('\u{2b0}', '\u{2ff}'),
        ('\u{904}', '\u{939}'),
        ('\u{e01}', '\u{e33}'),
        ('\u{1100}', '\u{1112}'),
        ('\u{1161}', '\u{1175}'),
        ('\u{11a8}', '\u{11c2}'),
        ('\u{3041}', '\u{30ff}'),
        ('\u{4e00}', '\u{4e20}'),
        ('\u{ac00}', '\u{ac1c}'),
        ('\u{d7a3}', '\u{d7a3}'),
        ('\u{f900}', '\u{f920}'),
        ('\u{20000}', '\u{20008}'),
    ],
    // Signs and pictures.
    &[
        ('\u{a1}', '\u{bf}'),
        ('\u{d7}', '\u{d7}'),
        ('\u{f7}', '\u{f7}'),
        ('\u{2020}', '\u{203f}'),
        ('\u{20a0}', '\u{20c0}'),
        ('\u{2190}', '\u{21ff}'),
        ('\u{2200}', '\u{22ff}'),
        ('\u{2600}', '\u{26ff}'),
        ('\u{1f600}', '\u{1f64f}'),
    ],
    // The ends of what encodings and planes have, and what is not a character.
    &[
        ('\u{80}', '\u{80}'),
        ('\u{ff}', '\u{100}'),
        ('\u{7ff}', '\u{800}'),
        ('\u{fff}', '\u{1000}'),
        ('\u{d7fb}', '\u{d7ff}'),
        ('\u{e000}', '\u{e001}'),
        ('\u{f8ff}', '\u{f8ff}'),
        ('\u{fdcf}', '\u{fdf0}'),
        ('\u{fffc}', '\u{10001}'),
        ('\u{1fffd}', '\u{20000}'),
        ('\u{3fffd}', '\u{40001}'),
        ('\u{efffd}', '\u{f0000}'),
        ('\u{10fffd}', '\u{10ffff}'),
    ],
];

/// The candidates of a grammar.
#[derive(Debug)]
pub(super) struct Scalars {
    /// The first and last members of the classes' ranges and what lies beyond them, ascending.
    borders: Box<[char]>,
    /// Whether any ASCII character does.
    pub(super) is_off: bool,
}

impl Scalars {
    /// Those of a grammar. O(ranges of its classes).
    pub(super) fn new(grammar: &Grammar) -> Scalars {
        let mut borders: Vec<char> = grammar
            .classes()
            .iter()
            .flat_map(|(_, class)| class.chars())
            .flat_map(|&(low, high)| [before(low), Some(low), Some(high), after(high)])
            .flatten()
            .collect();
        borders.sort_unstable();
        borders.dedup();
        borders.truncate(MAX_BORDERS);
        Scalars {
            borders: borders.into(),
            is_off: false,
        }
    }

    /// One of them.
    pub(super) fn draw(&self, rng: &mut Rng) -> char {
        if self.is_off {
            return char::from(rng.below(0x80) as u8);
        }
        if !self.borders.is_empty() && rng.per_mille(FROM_BORDERS) {
            return self.borders[rng.index(self.borders.len())];
        }
        member(GROUPS[rng.index(GROUPS.len())], rng)
    }
}

/// One of a group's members, all alike.
fn member(ranges: Ranges, rng: &mut Rng) -> char {
    let count = |&(low, high): &(char, char)| u32::from(high) - u32::from(low) + 1;
    let mut drawn = rng.below(ranges.iter().map(count).sum());
    for range in ranges {
        if drawn < count(range) {
            return char::from_u32(u32::from(range.0) + drawn).unwrap_or(range.0);
        }
        drawn -= count(range);
    }
    char::REPLACEMENT_CHARACTER
}

/// The character before another one; none before the first.
fn before(c: char) -> Option<char> {
    ('\0'..c).next_back()
}

/// The character after another one; none after the last.
fn after(c: char) -> Option<char> {
    (c..=char::MAX).nth(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{GROUPS, Scalars, after, before};
    use crate::grammar::Grammar;
    use crate::rng::Rng;

    #[test]
    fn groups_are_in_order_and_every_range_is_drawn() {
        let scalars = Scalars {
            borders: [].into(),
            is_off: false,
        };
        let mut rng = Rng::new(5);
        let drawn: BTreeSet<char> = (0..200_000).map(|_| scalars.draw(&mut rng)).collect();
        for ranges in GROUPS {
            assert!(ranges.len() <= 20);
            for &(low, high) in ranges {
                assert!(low <= high && (high < '\u{e000}' || low > '\u{d7ff}'));
                assert!(drawn.range(low..=high).next().is_some(), "{low:?}");
            }
        }
    }

    #[test]
    fn borders_are_the_ends_of_classes_and_their_neighbors() {
        let grammar: Grammar = "a := [b-d\u{d7ff}-\u{e005}] [\u{10ffff}\\x00];"
            .parse()
            .unwrap();
        let scalars = Scalars::new(&grammar);
        let expected = [
            '\0',
            '\u{1}',
            'a',
            'b',
            'd',
            'e',
            '\u{d7fe}',
            '\u{d7ff}',
            '\u{e005}',
            '\u{e006}',
            '\u{10fffe}',
            '\u{10ffff}',
        ];
        assert_eq!(*scalars.borders, expected);
        let mut rng = Rng::new(1);
        let drawn: BTreeSet<char> = (0..2000).map(|_| scalars.draw(&mut rng)).collect();
        assert!(expected.iter().all(|border| drawn.contains(border)));
        assert_eq!((before('\0'), after(char::MAX)), (None, None));
        assert_eq!(
            (before('\u{e000}'), after('\u{d7ff}')),
            (Some('\u{d7ff}'), Some('\u{e000}'))
        );
    }
}
