//! Sets of characters.
//!
//! `.` and `~[…]` of a lexer mean nearly all of Unicode. Sentences of random characters of all scripts would be of no use, so the universe
//! is [`universe`]: the printable characters of ASCII, tab, line feed, carriage return, and a few others that programs
//! stumble over. What a set names is in it whether or not it is there.

use std::ops::RangeInclusive;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use pleach_core::grammar::CharClass;

/// Characters beyond ASCII that are in the universe: two letters (one of which becomes two in upper case), a combining accent, a byte
/// order mark, a space without width, a line separator, one of three bytes, one of four, and the null.
const TROUBLESOME: [char; 9] = [
    'é',
    'ß',
    '\u{301}',
    '\u{feff}',
    '\u{200b}',
    '\u{2028}',
    '日',
    '\u{1f600}',
    '\0',
];

pub(super) fn universe() -> ClassUnicode {
    let mut set = ClassUnicode::new([
        ClassUnicodeRange::new('\t', '\n'),
        ClassUnicodeRange::new('\r', '\r'),
        ClassUnicodeRange::new(' ', '~'),
    ]);
    set.union(&ClassUnicode::new(
        TROUBLESOME.map(|c| ClassUnicodeRange::new(c, c)),
    ));
    set
}

pub(super) fn single(c: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(c, c)])
}

/// The characters from one code point to another. Surrogates are no characters: no text has them.
pub(super) fn range(low: u32, high: u32) -> ClassUnicode {
    const SURROGATES: RangeInclusive<u32> = 0xd800..=0xdfff;
    let low = if SURROGATES.contains(&low) {
        0xe000
    } else {
        low
    };
    let high = if SURROGATES.contains(&high) {
        0xd7ff
    } else {
        high
    };
    match (char::from_u32(low), char::from_u32(high)) {
        (Some(low), Some(high)) if low <= high => {
            ClassUnicode::new([ClassUnicodeRange::new(low, high)])
        }
        _ => ClassUnicode::empty(),
    }
}

/// What is not in a set: the rest of the universe, or if that has nothing, the rest of Unicode.
pub(super) fn negated(set: &ClassUnicode) -> ClassUnicode {
    let mut rest = universe();
    rest.difference(set);
    if !rest.ranges().is_empty() {
        return rest;
    }
    // The gaps; the surrogates are none.
    let mut gaps = Vec::new();
    let mut next = 0;
    for range in set.iter() {
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        if let Some(last) = start.checked_sub(1).filter(|&last| next <= last) {
            gaps.extend(self::range(next, last).iter());
        }
        next = end + 1;
    }
    gaps.extend(range(next, u32::from(char::MAX)).iter());
    ClassUnicode::new(gaps)
}

/// The characters with a property of Unicode, as in `\p{Lu}`; `None` if there is no such property.
pub(super) fn property(name: &str, is_negated: bool) -> Option<ClassUnicode> {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '=' | '-' | ' ');
    if name.is_empty() || !name.chars().all(known) {
        return None;
    }
    let sign = if is_negated { 'P' } else { 'p' };
    let hir = regex_syntax::parse(&format!("\\{sign}{{{name}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set.clone()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            text.chars().next().map(single)
        }
        _ => None,
    }
}

/// The set with the other case of each letter. Ranges of more characters than any script has letters of two cases stay what they
/// are beyond ASCII.
pub(super) fn caseless(set: &ClassUnicode) -> ClassUnicode {
    const LARGE: u32 = 3000;
    let mut others = Vec::new();
    for range in set.iter() {
        let (low, high) = (range.start(), range.end());
        for c in (low..=high.min('\x7f')).filter(char::is_ascii_alphabetic) {
            others.extend([c.to_ascii_lowercase(), c.to_ascii_uppercase()]);
        }
        if u32::from(high) - u32::from(low) <= LARGE {
            for c in low.max('\u{80}')..=high {
                others.extend(only(c.to_lowercase()));
                others.extend(only(c.to_uppercase()));
            }
        }
    }
    let mut all = set.clone();
    all.union(&ClassUnicode::new(
        others.into_iter().map(|c| ClassUnicodeRange::new(c, c)),
    ));
    all
}

/// The letter in both cases that a set is, in lower case: `[aA]` is `a`.
pub(super) fn letter(set: &ClassUnicode) -> Option<char> {
    match set.ranges() {
        [upper, lower] if upper.start() == upper.end() && lower.start() == lower.end() => {
            let (upper, lower) = (upper.start(), lower.start());
            (upper.is_ascii_uppercase() && upper.to_ascii_lowercase() == lower).then_some(lower)
        }
        _ => None,
    }
}

/// A set as a class of pleach; `None` if it is empty.
pub(super) fn class(set: &ClassUnicode) -> Option<CharClass> {
    let ranges: Vec<(char, char)> = set.iter().map(|it| (it.start(), it.end())).collect();
    CharClass::new(&ranges, &[])
}

/// The one character that is left of a mapping, if it is one.
fn only(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    let first = mapped.next()?;
    mapped.next().is_none().then_some(first)
}
