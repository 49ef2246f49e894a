//! How a class member is chosen.
//!
//! A class of at most 256 members is one choice among them, in ascending order. A larger one would spend two or three bytes
//! on every character, nearly all of which would then lie far from ASCII. So it is two choices: the first among its
//! *heads*, which are the members of one byte in ascending order and then one escape for each UTF-8 length present; an
//! escape is followed by a choice among the members of that length. Text that is mostly ASCII thus costs a byte a character.

use super::tape::{modulo, reciprocal};
use crate::grammar::{CharClass, Member};

/// The choice of a class member: the head, and the choice among the members of a length after an escape (else 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemberChoice {
    /// The choice among the heads.
    pub head: u32,
    /// The choice behind an escape.
    pub rest: u32,
}

/// A class, ready for choosing.
#[derive(Clone, Debug)]
pub struct ClassCode {
    heads: Vec<Head>,
    groups: Vec<Group>,
    /// Whether the texts of the heads ascend; they need not where there are characters and bytes of the same value.
    ascends: bool,
    default: u32,
    reciprocal: u32,
    /// For each byte of a choice sequence, the byte that it stands for, or [`NOT_ONE_BYTE`].
    one_byte: Box<[u16; 256]>,
}

/// The entry of [`ClassCode::one_byte`] for what is not written as a single byte behind a single-byte choice.
pub(super) const NOT_ONE_BYTE: u16 = 0x100;

#[derive(Clone, Copy, Debug)]
enum Head {
    Text { bytes: [u8; 4], len: u8 },
    Escape(u8),
}

/// The members of one UTF-8 length: ranges with the number of members before each.
#[derive(Clone, Debug)]
struct Group {
    ranges: Vec<(u32, char, char)>,
    count: u32,
    /// Bytes of each member.
    len: u32,
}

impl Head {
    fn new(member: Member) -> Head {
        let mut bytes = [0; 4];
        let len = match member {
            Member::Char(c) => c.encode_utf8(&mut bytes).len(),
            Member::Byte(b) => {
                bytes[0] = b;
                1
            }
        };
        Head::Text {
            bytes,
            len: len as u8,
        }
    }

    /// What it writes; nothing for an escape.
    fn text(&self) -> ([u8; 4], u8) {
        match *self {
            Head::Text { bytes, len } => (bytes, len),
            Head::Escape(_) => ([0; 4], 0),
        }
    }
}

impl Group {
    fn new(class: &CharClass, low: char, high: char) -> Group {
        let mut ranges = Vec::new();
        let mut count = 0;
        for &(first, last) in class.chars() {
            let (first, last) = (first.max(low), last.min(high));
            if first <= last {
                ranges.push((count, first, last));
                count += crate::grammar::class::scalars_between(first, last) as u32;
            }
        }
        Group {
            ranges,
            count,
            len: low.len_utf8() as u32,
        }
    }

    fn member(&self, rest: u32) -> char {
        let at = self
            .ranges
            .partition_point(|&(before, _, _)| before <= rest);
        let Some(&(before, first, _)) = at.checked_sub(1).and_then(|at| self.ranges.get(at)) else {
            return char::REPLACEMENT_CHARACTER;
        };
        let offset = rest - before;
        let mut code = first as u32 + offset;
        if (first as u32) < 0xD800 && code >= 0xD800 {
            code += 0x800;
        }
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn rest(&self, c: char) -> Option<u32> {
        let at = self.ranges.partition_point(|&(_, first, _)| first <= c);
        let &(before, first, last) = self.ranges.get(at.checked_sub(1)?)?;
        (c <= last).then(|| before + crate::grammar::class::scalars_between(first, c) as u32 - 1)
    }
}

impl ClassCode {
    /// Prepares a class. O(ranges + 256).
    pub fn new(class: &CharClass) -> ClassCode {
        let chars = || {
            class
                .chars()
                .iter()
                .flat_map(|&(low, high)| (low..=high).map(Member::Char))
        };
        let bytes = || {
            class
                .bytes()
                .iter()
                .flat_map(|&(low, high)| (low..=high).map(Member::Byte))
        };
        let mut heads: Vec<Head>;
        let mut groups = Vec::new();
        if class.len() <= 256 {
            heads = chars().chain(bytes()).map(Head::new).collect();
        } else {
            heads = chars()
                .take_while(|member| matches!(member, Member::Char(c) if c.is_ascii()))
                .chain(bytes())
                .map(Head::new)
                .collect();
            let lengths = [
                ('\u{80}', '\u{7ff}'),
                ('\u{800}', '\u{ffff}'),
                ('\u{10000}', char::MAX),
            ];
            for (low, high) in lengths {
                let group = Group::new(class, low, high);
                if group.count > 0 {
                    heads.push(Head::Escape(groups.len() as u8));
                    groups.push(group);
                }
            }
        }
        let readable = |wanted: fn(&u8) -> bool| {
            heads
                .iter()
                .position(|head| matches!(head, Head::Text { bytes, len: 1 } if wanted(&bytes[0])))
        };
        let default = readable(u8::is_ascii_alphanumeric)
            .or_else(|| readable(u8::is_ascii_graphic))
            .unwrap_or(0) as u32;
        let mut one_byte = Box::new([NOT_ONE_BYTE; 256]);
        if (2..=256).contains(&heads.len()) {
            for (byte, entry) in one_byte.iter_mut().enumerate() {
                if let Head::Text { bytes, len: 1 } = heads[byte % heads.len()] {
                    *entry = u16::from(bytes[0]);
                }
            }
        }
        let texts = &heads[..heads.len() - groups.len()];
        ClassCode {
            reciprocal: reciprocal(heads.len() as u32),
            ascends: texts.is_sorted_by_key(Head::text),
            heads,
            groups,
            default,
            one_byte,
        }
    }

    /// The number of heads: what the first choice is among.
    #[inline]
    pub fn head_count(&self) -> u32 {
        self.heads.len() as u32
    }

    /// The number of members behind a head: what the second choice is among; 1 where there is none.
    #[inline]
    pub fn rest_count(&self, head: u32) -> u32 {
        match self.heads[head as usize] {
            Head::Text { .. } => 1,
            Head::Escape(group) => self.groups[usize::from(group)].count,
        }
    }

    /// The head that close-off chooses: the first letter or digit, else the first visible character, else the first. What
    /// follows an escape defaults to 0.
    #[inline]
    pub fn default_head(&self) -> u32 {
        self.default
    }

    /// The bytes of text that the members behind a head have.
    #[inline]
    pub fn len_of(&self, head: u32) -> u32 {
        match self.heads[head as usize] {
            Head::Text { len, .. } => u32::from(len),
            Head::Escape(group) => self.groups[usize::from(group)].len,
        }
    }

    /// The bytes that tape bytes stand for, where both are single.
    #[inline]
    pub(super) fn one_byte(&self) -> &[u16; 256] {
        &self.one_byte
    }

    /// The head that a choice byte stands for; only for 2 to 256 heads.
    #[inline(always)]
    pub(super) fn head_of(&self, byte: u8) -> u32 {
        modulo(byte, self.heads.len() as u32, self.reciprocal)
    }

    /// Writes the chosen member into `text` and returns its length.
    #[inline]
    pub fn write(&self, choice: MemberChoice, text: &mut [u8; 4]) -> usize {
        match self.heads[choice.head as usize] {
            Head::Text { bytes, len } => {
                *text = bytes;
                usize::from(len)
            }
            Head::Escape(group) => {
                let member = self.groups[usize::from(group)].member(choice.rest);
                member.encode_utf8(text).len()
            }
        }
    }

    /// The heads that are texts: escapes are behind them.
    fn texts(&self) -> &[Head] {
        &self.heads[..self.heads.len() - self.groups.len()]
    }

    /// The choice of a member; `None` if it is not in the class. O(log members).
    pub fn choice(&self, member: Member) -> Option<MemberChoice> {
        let Head::Text { bytes, len } = Head::new(member) else {
            return None;
        };
        // Behind an escape are all members of more than one byte, or none.
        let is_head = len == 1 || self.groups.is_empty();
        let wanted = (bytes, len);
        let found = match (is_head, self.ascends) {
            (false, _) => None,
            (true, true) => self.texts().binary_search_by_key(&wanted, Head::text).ok(),
            (true, false) => self.texts().iter().position(|head| head.text() == wanted),
        };
        if let Some(head) = found {
            return Some(MemberChoice {
                head: head as u32,
                rest: 0,
            });
        }
        let Member::Char(c) = member else {
            return None;
        };
        self.heads
            .iter()
            .enumerate()
            .find_map(|(head, entry)| match *entry {
                Head::Escape(group) => {
                    let rest = self.groups[usize::from(group)].rest(c)?;
                    Some(MemberChoice {
                        head: head as u32,
                        rest,
                    })
                }
                Head::Text { .. } => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassCode, MemberChoice};
    use crate::grammar::{CharClass, Member};

    fn exhaust(class: &CharClass) {
        let code = ClassCode::new(class);
        let mut seen = std::collections::BTreeSet::new();
        for head in 0..code.head_count() {
            for rest in 0..code.rest_count(head) {
                let choice = MemberChoice { head, rest };
                let mut text = [0; 4];
                let len = code.write(choice, &mut text);
                let member = match std::str::from_utf8(&text[..len]) {
                    Ok(text) => Member::Char(text.chars().next().unwrap()),
                    Err(_) => Member::Byte(text[0]),
                };
                assert!(class.contains(member), "{member:?}");
                assert_eq!(code.choice(member), Some(choice));
                assert!(seen.insert(member));
            }
        }
        assert_eq!(seen.len(), class.len());
    }

    #[test]
    fn every_member_has_exactly_one_choice() {
        type Ranges = (&'static [(char, char)], &'static [(u8, u8)]);
        let classes: [Ranges; 7] = [
            (&[('a', 'a')], &[]),
            (&[('0', '9'), ('A', 'F')], &[]),
            (&[('\0', char::MAX)], &[]),
            (&[(' ', '!'), ('#', '['), (']', char::MAX)], &[]),
            (&[], &[(0, 255)]),
            (&[('\u{4e00}', '\u{9fff}')], &[]),
            (&[('\u{d000}', '\u{e010}'), ('x', 'x')], &[(0x80, 0x83)]),
        ];
        for (chars, bytes) in classes {
            exhaust(&CharClass::new(chars, bytes).unwrap());
        }
    }

    #[test]
    fn what_is_not_in_the_class_has_no_choice() {
        let code = ClassCode::new(&CharClass::new(&[('a', 'z'), ('α', '\u{ffff}')], &[]).unwrap());
        for member in [
            Member::Char('A'),
            Member::Char('\u{80}'),
            Member::Char('😀'),
            Member::Byte(0xff),
        ] {
            assert_eq!(code.choice(member), None);
        }
    }

    #[test]
    fn close_off_prefers_what_can_be_read() {
        let default = |chars: &[(char, char)]| {
            let code = ClassCode::new(&CharClass::new(chars, &[]).unwrap());
            let mut text = [0; 4];
            let len = code.write(
                MemberChoice {
                    head: code.default_head(),
                    rest: 0,
                },
                &mut text,
            );
            String::from_utf8(text[..len].to_vec()).unwrap()
        };
        assert_eq!(default(&[('\0', char::MAX)]), "0");
        assert_eq!(default(&[(' ', '/')]), "!");
        assert_eq!(default(&[('\n', '\r')]), "\n");
        assert_eq!(default(&[('あ', 'ん')]), "あ");
    }
}
