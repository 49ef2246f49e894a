//! What pest has built in (<https://docs.rs/pest>, "Built-in rules").

use regex_syntax::hir::{Class, HirKind};

use super::tree::PEEK;
use pleach_core::grammar::CharClass;

/// A rule that every grammar has.
pub(super) enum Builtin {
    /// The ends of the text, and what is done with the stack without reading: it derives nothing.
    Nothing,
    Newline,
    Class(CharClass),
}

impl Builtin {
    /// The rule of a name, but for those of Unicode's properties.
    pub(super) fn of(name: &str) -> Option<Builtin> {
        let ranges: &[(char, char)] = match name {
            "SOI" | "EOI" | "DROP" | PEEK => return Some(Builtin::Nothing),
            "NEWLINE" => return Some(Builtin::Newline),
            "ANY" => &[('\0', char::MAX)],
            "ASCII_DIGIT" => &[('0', '9')],
            "ASCII_NONZERO_DIGIT" => &[('1', '9')],
            "ASCII_BIN_DIGIT" => &[('0', '1')],
            "ASCII_OCT_DIGIT" => &[('0', '7')],
            "ASCII_HEX_DIGIT" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
            "ASCII_ALPHA_LOWER" => &[('a', 'z')],
            "ASCII_ALPHA_UPPER" => &[('A', 'Z')],
            "ASCII_ALPHA" => &[('a', 'z'), ('A', 'Z')],
            "ASCII_ALPHANUMERIC" => &[('0', '9'), ('a', 'z'), ('A', 'Z')],
            "ASCII" => &[('\0', '\x7f')],
            _ => return None,
        };
        CharClass::new(ranges, &[]).map(Builtin::Class)
    }
}

/// The characters of a property of Unicode, whose rule has its name.
pub(super) fn property(name: &str) -> Option<CharClass> {
    if name.len() < 2
        || !name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_uppercase())
    {
        return None;
    }
    let hir = regex_syntax::parse(&format!("\\p{{{name}}}")).ok()?;
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
        return None;
    };
    let ranges: Vec<(char, char)> = class.iter().map(|it| (it.start(), it.end())).collect();
    CharClass::new(&ranges, &[])
}
