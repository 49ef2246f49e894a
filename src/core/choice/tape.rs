//! Reading and writing single choices.
//!
//! A choice among `n` takes the bytes that `n` needs (one up to 256, two up to 65 536, …; none for `n = 1`), the most
//! significant first. Reading takes them modulo `n`. Reading past the end ends the tape for good: all later choices are
//! close-off's, also narrower ones that the last bytes would still have served, so that a cut sequence has one meaning.

/// The bytes that a choice among `n` takes.
#[inline]
pub const fn width(n: u32) -> usize {
    match n {
        0..=1 => 0,
        2..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        0x1_0001..=0x100_0000 => 3,
        _ => 4,
    }
}

/// A choice sequence being read.
#[derive(Clone, Debug)]
pub struct Tape<'a> {
    rest: &'a [u8],
}

impl<'a> Tape<'a> {
    /// Reads from the beginning of `choices`.
    pub fn new(choices: &'a [u8]) -> Tape<'a> {
        Tape { rest: choices }
    }

    /// The bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next choice among `n`, or `None` from where the bytes run out.
    #[inline(always)]
    pub fn take(&mut self, n: u32) -> Option<u32> {
        match n {
            0..=1 => Some(0),
            2..=0x100 => {
                let (&first, rest) = self.rest.split_first()?;
                self.rest = rest;
                Some(u32::from(first) % n)
            }
            _ => self.take_wide(n),
        }
    }

    /// The next byte, for choices that take one and map it themselves.
    #[inline(always)]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[cold]
    fn take_wide(&mut self, n: u32) -> Option<u32> {
        let Some((bytes, rest)) = self.rest.split_at_checked(width(n)) else {
            self.rest = &[];
            return None;
        };
        self.rest = rest;
        Some(
            bytes
                .iter()
                .fold(0, |value, &byte| value << 8 | u32::from(byte))
                % n,
        )
    }
}

/// Appends `value` as a choice among `n`.
#[inline]
pub fn put(choices: &mut Vec<u8>, value: u32, n: u32) {
    let bytes = value.to_be_bytes();
    match width(n) {
        0 => {}
        1 => choices.push(value as u8),
        width => choices.extend_from_slice(&bytes[4 - width..]),
    }
}

/// The quotient of a byte by `n` is `byte * reciprocal(n) >> 16`, exact for `2 <= n <= 256`: the error of the
/// reciprocal is below `n`, which times the byte stays below 2^16.
pub(super) const fn reciprocal(n: u32) -> u32 {
    match n {
        0 => 0,
        n => 0x1_0000u32.div_ceil(n),
    }
}

/// A byte modulo `n`, by `reciprocal(n)`.
#[inline(always)]
pub(super) const fn modulo(byte: u8, n: u32, reciprocal: u32) -> u32 {
    let byte = byte as u32;
    byte - ((byte * reciprocal) >> 16) * n
}

#[cfg(test)]
mod tests {
    use super::{Tape, modulo, put, reciprocal, width};

    #[test]
    fn reciprocals_divide_exactly() {
        for n in 2..=256 {
            for byte in 0..=255u8 {
                assert_eq!(modulo(byte, n, reciprocal(n)), u32::from(byte) % n);
            }
        }
    }

    #[test]
    fn what_is_put_is_taken() {
        for n in [
            1u32,
            2,
            3,
            255,
            256,
            257,
            65_535,
            65_536,
            65_537,
            1 << 24,
            (1 << 24) + 1,
            u32::MAX,
        ] {
            for value in [0, 1, n / 2, n - 1] {
                let value = value.min(n - 1);
                let mut choices = Vec::new();
                put(&mut choices, value, n);
                assert_eq!(choices.len(), width(n));
                let mut tape = Tape::new(&choices);
                assert_eq!(tape.take(n), Some(value));
                assert_eq!(tape.remaining(), 0);
            }
        }
    }

    #[test]
    fn a_tape_that_ran_out_stays_out() {
        let mut tape = Tape::new(&[7]);
        assert_eq!(tape.take(300), None);
        assert_eq!(tape.take(2), None);
        assert_eq!(tape.take(1), Some(0));
    }
}
