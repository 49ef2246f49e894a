//! Which of two texts is the simpler one: the shorter, and of equally long ones the plainer.
//!
//! Plain is what a reader passes over: digits come first, from 0 up, then small letters, capitals, spaces, punctuation, and what cannot be
//! seen. The order is total and has no endless descents, so whoever only ever takes simpler texts comes to an end.

/// How plain a byte is; less is plainer.
pub(super) fn rank(byte: u8) -> u16 {
    let class = match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b' ' => 3,
        b'\n' => 4,
        b'!'..=b'~' => 5,
        0x80.. => 6,
        _ => 7,
    };
    class << 8 | u16::from(byte)
}

/// The ranks of a character's bytes, its length first.
pub(super) fn plainness(bytes: &[u8]) -> (usize, [u16; 4]) {
    let mut ranks = [0; 4];
    for (rank, &byte) in ranks.iter_mut().zip(bytes) {
        *rank = self::rank(byte);
    }
    (bytes.len(), ranks)
}

/// Whether `one` is simpler than `other`. O(text).
pub(super) fn is_simpler(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return one.len() < other.len();
    }
    let first = one.iter().zip(other).find(|(a, b)| a != b);
    first.is_some_and(|(&a, &b)| rank(a) < rank(b))
}

#[cfg(test)]
mod tests {
    use super::is_simpler;

    #[test]
    fn shorter_is_simpler_and_then_plainer() {
        let ascending = [
            "", "0", "1", "9", "a", "z", "A", " ", "\n", "!", "\u{1}", "00", "a0", "é", "000",
        ];
        for (at, one) in ascending.iter().enumerate() {
            for (behind, other) in ascending.iter().enumerate() {
                let expected = at < behind;
                assert_eq!(
                    is_simpler(one.as_bytes(), other.as_bytes()),
                    expected,
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
