//! Sets of characters.

use std::ops::RangeInclusive;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use pleach_core::grammar::CharClass;

/// All characters.
pub(super) fn universe() -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])
}

pub(super) fn single(c: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(c, c)])
}

/// The characters from one code point to another. Surrogates are not characters: no text has them.
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

/// The characters that are not in a set.
pub(super) fn negated(set: &ClassUnicode) -> ClassUnicode {
    let mut rest = set.clone();
    rest.negate();
    rest
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
