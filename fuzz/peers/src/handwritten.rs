//! The limit: what a good engineer writes by hand when one grammar is all that is needed.
//!
//! Recursive-descent writers for the two grammars in `grammars/` that read their decisions from a tape and append text to
//! a vector. The tape is pleach's choice sequence:
//!
//! * a choice among n reads one byte modulo n (n ≤ 256), the most significant of more bytes first (n > 256), nothing if
//!   n = 1;
//! * before each item of a repetition that may both stop and go on, an even byte stops and an odd one goes on;
//! * a class with more than 256 members is a choice among its ASCII members followed by one escape for each longer UTF-8
//!   length; an escape is followed by a choice among the members of that length;
//! * a choice that has to read past the end ends the tape for good. From then on alternations take their shortest
//!   alternative (which is the first one everywhere in these two grammars), repetitions stop at their minimum, and classes
//!   take their default member.
//!
//! No dependencies, so that this file can be taken elsewhere as it is. Nesting is recursion on the native stack, so tapes
//! that nest a hundred thousand levels deep are not for these functions.

/// The number of characters that may stand in a JSON string as they are and are ASCII.
pub const PLAIN_COUNT: usize = 94;

/// The characters that may stand in a JSON string as they are and are ASCII, in ascending order.
pub const PLAIN: [u8; PLAIN_COUNT] = plain();

/// The class of unescaped characters: its ASCII members, then an escape for 2, 3 and 4 bytes.
pub const PLAIN_HEADS: u8 = PLAIN_COUNT as u8 + 3;

/// The number of characters that take two bytes in UTF-8: U+0080 to U+07FF.
pub const TWO_BYTE_COUNT: u32 = 0x780;

/// The number of characters that take three bytes in UTF-8: U+0800 to U+FFFF without the surrogates.
pub const THREE_BYTE_COUNT: u32 = 0xF800 - 0x800;

/// The number of characters that take four bytes in UTF-8: U+10000 to U+10FFFF.
pub const FOUR_BYTE_COUNT: u32 = 0x10_0000;

/// The unescaped character that is written where the tape has run out.
pub const DEFAULT_PLAIN: u8 = b'0';

/// What may follow a backslash, in the order of the grammar; `u` comes last and takes four hexadecimal digits.
pub const ESCAPES: [u8; 9] = *b"\"\\/bfnrtu";

/// The hexadecimal digits in ascending order of their codes; the first one is the default.
pub const HEX: [u8; 22] = *b"0123456789ABCDEFabcdef";

/// White space in the order of the grammar.
pub const SPACES: [u8; 4] = *b" \t\n\r";

const fn plain() -> [u8; PLAIN_COUNT] {
    let mut members = [0; PLAIN_COUNT];
    let mut count = 0;
    let mut byte = b' ';
    while byte < 0x80 {
        if byte != b'"' && byte != b'\\' {
            members[count] = byte;
            count += 1;
        }
        byte += 1;
    }
    members
}

/// Writes the JSON text that `tape` stands for to the end of `out` (`grammars/json_tight.ebnf`).
pub fn json(tape: &[u8], out: &mut Vec<u8>) {
    let mut writer = Writer { tape, out };
    writer.space();
    writer.value();
    writer.space();
}

/// Writes the arithmetic expression that `tape` stands for to the end of `out` (`grammars/expr.ebnf`).
pub fn expr(tape: &[u8], out: &mut Vec<u8>) {
    Writer { tape, out }.sum();
}

/// A tape being read and a text being written.
struct Writer<'t, 'o> {
    tape: &'t [u8],
    out: &'o mut Vec<u8>,
}

/// Decisions.
impl Writer<'_, '_> {
    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.tape.split_first()?;
        self.tape = rest;
        Some(byte)
    }

    /// A choice among `N`, whose default is the first.
    #[inline(always)]
    fn choose<const N: u8>(&mut self) -> u8 {
        self.next().map_or(0, |byte| byte % N)
    }

    /// Whether a repetition goes on.
    #[inline(always)]
    fn more(&mut self) -> bool {
        self.next().is_some_and(|byte| byte & 1 == 1)
    }

    /// A choice among `count` that takes `WIDTH` bytes.
    #[inline(always)]
    fn choose_wide<const WIDTH: usize>(&mut self, count: u32) -> u32 {
        match self.tape.split_first_chunk::<WIDTH>() {
            Some((bytes, rest)) => {
                self.tape = rest;
                bytes
                    .iter()
                    .fold(0, |value, &byte| value << 8 | u32::from(byte))
                    % count
            }
            None => {
                self.tape = &[];
                0
            }
        }
    }
}

/// JSON.
impl Writer<'_, '_> {
    fn value(&mut self) {
        match self.choose::<7>() {
            0 => self.out.extend_from_slice(b"null"),
            1 => self.out.extend_from_slice(b"true"),
            2 => self.out.extend_from_slice(b"false"),
            3 => self.object(),
            4 => self.array(),
            5 => self.number(),
            _ => self.string(),
        }
    }

    fn object(&mut self) {
        self.out.push(b'{');
        self.space();
        if self.more() {
            self.member();
            while self.more() {
                self.out.push(b',');
                self.space();
                self.member();
            }
        }
        self.out.push(b'}');
    }

    fn member(&mut self) {
        self.string();
        self.space();
        self.out.push(b':');
        self.space();
        self.value();
        self.space();
    }

    fn array(&mut self) {
        self.out.push(b'[');
        self.space();
        if self.more() {
            self.value();
            self.space();
            while self.more() {
                self.out.push(b',');
                self.space();
                self.value();
                self.space();
            }
        }
        self.out.push(b']');
    }

    fn number(&mut self) {
        if self.more() {
            self.out.push(b'-');
        }
        if self.choose::<2>() == 0 {
            self.out.push(b'0');
        } else {
            let first = self.choose::<9>();
            self.out.push(b'1' + first);
            self.more_digits();
        }
        if self.more() {
            self.out.push(b'.');
            self.digits();
        }
        if self.more() {
            let letter = [b'e', b'E'][usize::from(self.choose::<2>())];
            self.out.push(letter);
            if self.more() {
                let sign = [b'+', b'-'][usize::from(self.choose::<2>())];
                self.out.push(sign);
            }
            self.digits();
        }
    }

    /// At least one digit; also the digits of expressions, which are the same choices.
    #[inline]
    fn digits(&mut self) {
        let first = self.choose::<10>();
        self.out.push(b'0' + first);
        self.more_digits();
    }

    #[inline]
    fn more_digits(&mut self) {
        while self.more() {
            let digit = self.choose::<10>();
            self.out.push(b'0' + digit);
        }
    }

    fn string(&mut self) {
        self.out.push(b'"');
        while self.more() {
            if self.choose::<2>() == 0 {
                match self.next().map(|byte| byte % PLAIN_HEADS) {
                    None => self.out.push(DEFAULT_PLAIN),
                    Some(head) => match PLAIN.get(usize::from(head)) {
                        Some(&byte) => self.out.push(byte),
                        None => self.long_char(usize::from(head) - PLAIN_COUNT),
                    },
                }
            } else {
                self.escape();
            }
        }
        self.out.push(b'"');
    }

    /// A character beyond ASCII, by the place of its length among 2, 3 and 4 bytes.
    #[cold]
    fn long_char(&mut self, length: usize) {
        let code = match length {
            0 => 0x80 + self.choose_wide::<2>(TWO_BYTE_COUNT),
            1 => match 0x800 + self.choose_wide::<2>(THREE_BYTE_COUNT) {
                code if code < 0xD800 => code,
                code => code + 0x800,
            },
            _ => 0x1_0000 + self.choose_wide::<3>(FOUR_BYTE_COUNT),
        };
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.out
            .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn escape(&mut self) {
        let letter = ESCAPES[usize::from(self.choose::<9>())];
        self.out.extend_from_slice(&[b'\\', letter]);
        if letter == b'u' {
            let digits = [(); 4].map(|()| HEX[usize::from(self.choose::<22>())]);
            self.out.extend_from_slice(&digits);
        }
    }

    #[inline]
    fn space(&mut self) {
        while self.more() {
            let space = SPACES[usize::from(self.choose::<4>())];
            self.out.push(space);
        }
    }
}

/// Expressions. Left recursion comes first on the tape: as many times "one level deeper" as there are operators.
impl Writer<'_, '_> {
    fn sum(&mut self) {
        let mut operators = 0u32;
        while self.choose::<2>() == 1 {
            operators += 1;
        }
        self.product();
        for _ in 0..operators {
            let operator = [b'+', b'-'][usize::from(self.choose::<2>())];
            self.out.push(operator);
            self.product();
        }
    }

    fn product(&mut self) {
        let mut operators = 0u32;
        while self.choose::<2>() == 1 {
            operators += 1;
        }
        self.unary();
        for _ in 0..operators {
            let operator = [b'*', b'/', b'%'][usize::from(self.choose::<3>())];
            self.out.push(operator);
            self.unary();
        }
    }

    fn unary(&mut self) {
        loop {
            match self.choose::<7>() {
                0 => {
                    let name = self.choose::<3>();
                    return self.out.push(b'x' + name);
                }
                1 => self.out.push(b'+'),
                2 => self.out.push(b'-'),
                3 => self.out.extend_from_slice(b"++"),
                4 => self.out.extend_from_slice(b"--"),
                5 => {
                    self.out.push(b'(');
                    self.sum();
                    return self.out.push(b')');
                }
                _ => return self.digits(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PLAIN, expr, json};

    fn written(write: fn(&[u8], &mut Vec<u8>), tape: &[u8]) -> String {
        let mut out = Vec::new();
        write(tape, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn plain_characters_are_the_class_without_quote_and_backslash() {
        assert_eq!(PLAIN.len(), 94);
        assert!(PLAIN.is_sorted());
        assert_eq!((PLAIN[0], PLAIN[93]), (b' ', 0x7f));
        assert!(!PLAIN.contains(&b'"') && !PLAIN.contains(&b'\\'));
    }

    #[test]
    fn json_tapes() {
        let cases: [(&[u8], &str); 18] = [
            (&[], "null"),
            (&[0], "null"),
            (&[0, 1], "true"),
            (&[0, 7], "null"),
            (&[1, 0, 3, 6, 2, 2], " \nfalse"),
            (&[0, 0, 1, 1], "null\t"),
            // Nothing is left to close these.
            (&[0, 3], "{}"),
            (&[0, 4, 0, 1], "[null]"),
            (&[0, 4, 0, 1, 1, 0, 1, 0, 2], "[true,false]"),
            (&[0, 3, 0, 1, 1, 0, 2], r##"{"#":null}"##),
            (&[0, 5, 1, 1, 4, 1, 2, 0, 0, 0], "-52"),
            (&[0, 5, 0, 0, 1, 2, 1, 5, 0, 1, 1, 1, 1, 7], "0.25E-7"),
            // The last byte says that there is one more character, or which kind it is.
            (&[0, 6, 1], r#""0""#),
            (&[0, 6, 1, 0], r#""0""#),
            (&[0, 6, 1, 1], r#""\"""#),
            (&[0, 6, 1, 1, 8, 1, 21, 10], r#""\u1fA0""#),
            (
                &[
                    0, 6, 1, 0, 94, 0, 0x69, 1, 0, 95, 0x18, 0xAC, 1, 0, 96, 0, 0xF6, 0, 0,
                ],
                "\"é€\u{1f600}\"",
            ),
            // A choice that does not fit into the rest ends the tape, also for narrower choices after it.
            (&[0, 6, 1, 0, 95, 1], "\"\u{800}\""),
        ];
        for (tape, text) in cases {
            assert_eq!(written(json, tape), text, "{tape:?}");
        }
    }

    #[test]
    fn the_surrogates_are_no_members() {
        let with = |index: u16| {
            let [high, low] = index.to_be_bytes();
            written(json, &[0, 6, 1, 0, 95, high, low])
        };
        assert_eq!(with(0xD7FF - 0x800), "\"\u{d7ff}\"");
        assert_eq!(with(0xD800 - 0x800), "\"\u{e000}\"");
        assert_eq!(with(0xEFFF), "\"\u{ffff}\"");
        assert_eq!(with(0xF000), "\"\u{800}\"");
    }

    #[test]
    fn expression_tapes() {
        let cases: [(&[u8], &str); 9] = [
            (&[], "x"),
            (&[0, 0, 0, 2], "z"),
            (&[0, 0, 7, 4], "y"),
            (&[1, 0, 0, 0, 0, 0, 0, 6, 4, 1, 2], "x+42"),
            (&[1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 2], "x-y+z"),
            (&[0, 1, 0, 0, 0, 2, 0, 1], "x%y"),
            (&[0, 0, 1, 2, 3, 4, 5, 0, 0, 0], "+-++--(x)"),
            (&[0, 0, 6], "0"),
            (&[1], "x+x"),
        ];
        for (tape, text) in cases {
            assert_eq!(written(expr, tape), text, "{tape:?}");
        }
    }
}
