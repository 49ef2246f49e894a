//! What "any character" stands for: few characters, chosen to be readable or troublesome.
//!
//! Drawn from all of Unicode, nearly every character would be of a kind that no program treats in a way of its own.

use pleach_core::grammar::CharClass;

/// Printable ASCII, white space, letters with and without a case of one character, a combining accent, and characters that are
/// skipped, break lines or lie beyond the first plane.
const MEMBERS: [(char, char); 12] = [
    (' ', '~'),
    ('\t', '\t'),
    ('\n', '\n'),
    ('\r', '\r'),
    ('é', 'é'),
    ('ß', 'ß'),
    ('\u{301}', '\u{301}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{200b}', '\u{200b}'),
    ('\u{2028}', '\u{2028}'),
    ('日', '日'),
    ('\u{1f600}', '\u{1f600}'),
];

/// The class that stands for any character.
pub(crate) fn wildcard() -> Option<CharClass> {
    CharClass::new(&MEMBERS, &[])
}
