//! What translating a pattern costs, judged by its syntax tree.
//!
//! A class of many characters takes some ten microseconds, since it is a list of hundreds of ranges. Where case does not
//! matter it takes milliseconds, since each of its characters is looked up.

use std::convert::Infallible;

use regex_syntax::ast::{
    self, Ast, ClassSetItem, ClassUnicode, ClassUnicodeKind, Flag, Flags, Visitor,
};

/// How many times more a class costs where case does not matter.
const FOLDING: usize = 100;
/// From how many characters on a range is wide.
const WIDE: u32 = 4096;

/// The number of wide classes, each counted for [`FOLDING`] if the pattern has the flag `i` anywhere.
pub(crate) fn of(tree: &Ast) -> usize {
    let counter = Counter {
        folds: false,
        wide: 0,
    };
    let Ok(cost) = ast::visit(tree, counter);
    cost
}

struct Counter {
    folds: bool,
    wide: usize,
}

impl Counter {
    fn flags(&mut self, flags: &Flags) {
        self.folds |= flags.flag_state(Flag::CaseInsensitive) == Some(true);
    }

    fn property(&mut self, class: &ClassUnicode) {
        // Only what is known to be small is not wide.
        let small = match &class.kind {
            ClassUnicodeKind::OneLetter(letter) => matches!(letter, 'M' | 'N' | 'P' | 'S' | 'Z'),
            ClassUnicodeKind::Named(name) => SMALL.contains(&name.as_str()),
            ClassUnicodeKind::NamedValue { value, .. } => SMALL.contains(&value.as_str()),
        };
        self.wide += usize::from(!small || class.is_negated());
    }
}

/// Names of properties of less than some thousand characters.
const SMALL: [&str; 40] = [
    "Lu",
    "Ll",
    "Lt",
    "uppercase letter",
    "Mn",
    "Nd",
    "Nl",
    "decimalnumber",
    "Pd",
    "Ps",
    "Sc",
    "Sm",
    "Zs",
    "Zl",
    "Cc",
    "Cf",
    "Greek",
    "greek",
    "Grek",
    "Cyrillic",
    "Latin",
    "Hira",
    "Thai",
    "Inherited",
    "is_arabic",
    "ascii",
    "White_Space",
    "space",
    "Math",
    "Dash",
    "hex_digit",
    "AHex",
    "CR",
    "ZWJ",
    "prepend",
    "Numeric",
    "MidLetter",
    "Sp",
    "STerm",
    "Extend",
];

impl Visitor for Counter {
    type Output = usize;
    type Err = Infallible;

    fn finish(self) -> Result<usize, Infallible> {
        Ok(self.wide * if self.folds { FOLDING } else { 1 })
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), Infallible> {
        match tree {
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => {
                if let Some(flags) = group.flags() {
                    self.flags(flags);
                }
            }
            Ast::ClassUnicode(class) => self.property(class),
            Ast::ClassPerl(_) => self.wide += 1,
            Ast::ClassBracketed(class) => self.wide += usize::from(class.negated),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        match item {
            ClassSetItem::Range(range) => {
                let width = u32::from(range.end.c).saturating_sub(u32::from(range.start.c));
                self.wide += usize::from(width >= WIDE);
            }
            ClassSetItem::Ascii(class) => self.wide += usize::from(class.negated),
            ClassSetItem::Unicode(class) => self.property(class),
            ClassSetItem::Perl(_) => self.wide += 1,
            ClassSetItem::Bracketed(class) => self.wide += usize::from(class.negated),
            _ => {}
        }
        Ok(())
    }
}
