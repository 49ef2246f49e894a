//! From text back to the tape that makes the hand-written writers write it.
//!
//! Prepares the tapes of the measurements; not measured itself. Every choice is written out, also those that a writer
//! would take anyway once the tape has run out.

use crate::handwritten::{
    ESCAPES, FOUR_BYTE_COUNT, HEX, PLAIN, PLAIN_COUNT, SPACES, THREE_BYTE_COUNT, TWO_BYTE_COUNT,
};

/// The tape of a JSON text, or `None` if the text is not JSON.
pub fn json(text: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(text);
    reader.space();
    reader.value()?;
    reader.space();
    reader.finish()
}

/// The tape of an arithmetic expression, or `None` if the text is not one.
pub fn expr(text: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(text);
    reader.sum()?;
    reader.finish()
}

/// A text being read and a tape being written.
struct Reader<'a> {
    text: &'a [u8],
    tape: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Reader<'a> {
        Reader {
            text,
            tape: Vec::new(),
        }
    }

    fn finish(self) -> Option<Vec<u8>> {
        self.text.is_empty().then_some(self.tape)
    }

    fn peek(&self) -> Option<u8> {
        self.text.first().copied()
    }

    fn eat(&mut self, literal: &[u8]) -> bool {
        match self.text.strip_prefix(literal) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, literal: &[u8]) -> Option<()> {
        self.eat(literal).then_some(())
    }

    fn put(&mut self, choice: usize) {
        self.tape.push(choice as u8);
    }

    /// Reads one byte of `alternatives` and writes its place among them.
    fn one_of(&mut self, alternatives: &[u8]) -> Option<()> {
        let choice = alternatives
            .iter()
            .position(|&byte| Some(byte) == self.peek())?;
        self.text = &self.text[1..];
        self.put(choice);
        Some(())
    }

    fn is_one_of(&self, alternatives: &[u8]) -> bool {
        self.peek().is_some_and(|byte| alternatives.contains(&byte))
    }

    fn space(&mut self) {
        while self.is_one_of(&SPACES) {
            self.put(1);
            self.one_of(&SPACES);
        }
        self.put(0);
    }

    fn value(&mut self) -> Option<()> {
        let choice = match self.peek()? {
            b'n' => 0,
            b't' => 1,
            b'f' => 2,
            b'{' => 3,
            b'[' => 4,
            b'"' => 6,
            _ => 5,
        };
        self.put(choice);
        match choice {
            0 => self.expect(b"null"),
            1 => self.expect(b"true"),
            2 => self.expect(b"false"),
            3 => self.list(b"{", b"}", Reader::member),
            4 => self.list(b"[", b"]", Reader::item),
            5 => self.number(),
            _ => self.string(),
        }
    }

    fn list(&mut self, open: &[u8], close: &[u8], item: fn(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(open)?;
        self.space();
        if self.eat(close) {
            self.put(0);
            return Some(());
        }
        self.put(1);
        item(self)?;
        while self.eat(b",") {
            self.put(1);
            self.space();
            item(self)?;
        }
        self.put(0);
        self.expect(close)
    }

    fn member(&mut self) -> Option<()> {
        self.string()?;
        self.space();
        self.expect(b":")?;
        self.space();
        self.item()
    }

    fn item(&mut self) -> Option<()> {
        self.value()?;
        self.space();
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let minus = self.eat(b"-");
        self.put(minus.into());
        if self.eat(b"0") {
            self.put(0);
        } else {
            self.put(1);
            self.one_of(b"123456789")?;
            self.more_digits();
        }
        let fraction = self.eat(b".");
        self.put(fraction.into());
        if fraction {
            self.digits()?;
        }
        let exponent = self.is_one_of(b"eE");
        self.put(exponent.into());
        if exponent {
            self.one_of(b"eE")?;
            let sign = self.is_one_of(b"+-");
            self.put(sign.into());
            if sign {
                self.one_of(b"+-")?;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        self.one_of(b"0123456789")?;
        self.more_digits();
        Some(())
    }

    fn more_digits(&mut self) {
        while self.is_one_of(b"0123456789") {
            self.put(1);
            self.one_of(b"0123456789");
        }
        self.put(0);
    }

    fn string(&mut self) -> Option<()> {
        self.expect(b"\"")?;
        while !self.eat(b"\"") {
            self.put(1);
            if self.eat(b"\\") {
                self.put(1);
                let hexadecimal = self.peek() == Some(b'u');
                self.one_of(&ESCAPES)?;
                if hexadecimal {
                    for _ in 0..4 {
                        self.one_of(&HEX)?;
                    }
                }
            } else {
                self.put(0);
                self.plain()?;
            }
        }
        self.put(0);
        Some(())
    }

    fn plain(&mut self) -> Option<()> {
        if self.peek()?.is_ascii() {
            return self.one_of(&PLAIN);
        }
        let chunk = self.text.utf8_chunks().next()?.valid();
        let c = chunk.chars().next()?;
        self.text = &self.text[c.len_utf8()..];
        let code = u32::from(c);
        let (head, index, count) = match c.len_utf8() {
            2 => (0, code - 0x80, TWO_BYTE_COUNT),
            3 if code < 0xD800 => (1, code - 0x800, THREE_BYTE_COUNT),
            3 => (1, code - 0x1000, THREE_BYTE_COUNT),
            _ => (2, code - 0x1_0000, FOUR_BYTE_COUNT),
        };
        self.put(PLAIN_COUNT + head);
        let bytes = index.to_be_bytes();
        self.tape.extend_from_slice(if count > 0x1_0000 {
            &bytes[1..]
        } else {
            &bytes[2..]
        });
        Some(())
    }

    /// A chain of operands and operators that associate to the left.
    fn chain(&mut self, operators: &[u8], operand: fn(&mut Self) -> Option<()>) -> Option<()> {
        let before = std::mem::take(&mut self.tape);
        let mut count = 0;
        operand(self)?;
        while self.is_one_of(operators) {
            count += 1;
            self.one_of(operators)?;
            operand(self)?;
        }
        let chain = std::mem::replace(&mut self.tape, before);
        self.tape.resize(self.tape.len() + count, 1);
        self.put(0);
        self.tape.extend(chain);
        Some(())
    }

    fn sum(&mut self) -> Option<()> {
        self.chain(b"+-", Reader::product)
    }

    fn product(&mut self) -> Option<()> {
        self.chain(b"*/%", Reader::unary)
    }

    /// Of two equal signs in a row, `++` and `--` are read as one operator: the text has several derivations then.
    fn unary(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                b'x'..=b'z' => {
                    self.put(0);
                    return self.one_of(b"xyz");
                }
                sign @ (b'+' | b'-') => {
                    let double = self.eat(&[sign, sign]);
                    if !double {
                        self.expect(&[sign])?;
                    }
                    self.put(1 + usize::from(sign == b'-') + 2 * usize::from(double));
                }
                b'(' => {
                    self.put(5);
                    self.expect(b"(")?;
                    self.sum()?;
                    return self.expect(b")");
                }
                _ => {
                    self.put(6);
                    return self.digits();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::handwritten;

    fn round_trips(
        encode: fn(&[u8]) -> Option<Vec<u8>>,
        write: fn(&[u8], &mut Vec<u8>),
        texts: &[&str],
    ) {
        for text in texts {
            let tape = encode(text.as_bytes()).unwrap_or_else(|| panic!("{text} is refused"));
            let mut out = Vec::new();
            write(&tape, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), *text);
        }
    }

    #[test]
    fn json_round_trips() {
        round_trips(
            super::json,
            handwritten::json,
            &[
                "null",
                " \t{ \"a\" : [ 1 , -2.50e+3 , {} ] \n, \"\\u00e9\\n\" : false } ",
                "[ ]",
                "[-0,0.0,1E9,12345678901234567890]",
                "\"\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}\u{7f}\"",
            ],
        );
        for text in [
            "", "nul", "01", "1.", "[1,]", "{\"a\"}", "\"\n\"", "\"\\x\"", "1 2",
        ] {
            assert_eq!(super::json(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn expressions_round_trip() {
        round_trips(
            super::expr,
            handwritten::expr,
            &[
                "x",
                "x+42",
                "1+2-3*4/5%6",
                "((x))*-y",
                "+++--x",
                "x+++y",
                "007",
            ],
        );
        for text in ["", "x+", "(x", "xy", "1 + 2"] {
            assert_eq!(super::expr(text.as_bytes()), None, "{text}");
        }
    }
}
