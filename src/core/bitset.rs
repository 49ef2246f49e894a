//! A fixed-size bitmap with counts, for coverage.
//!
//! Beside its words the bitmap keeps the number of ones of every block of `BLOCK_BITS` bits, so that the n-th
//! zero is found by a scan over block counts, one block of words and one word: 30 000 steps for the largest bitmap
//! (16 MiB), a handful for usual ones. Setting a bit costs one more addition only when the bit is new.

const WORD_BITS: usize = 64;
const BLOCK_WORDS: usize = 64;
/// Bits of a block with a count of its own.
const BLOCK_BITS: usize = WORD_BITS * BLOCK_WORDS;

/// A set of numbers below a fixed length.
#[derive(Clone, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    block_ones: Vec<u32>,
    len: usize,
    ones: usize,
}

impl BitSet {
    /// The empty set of numbers below `len`. O(len / 64) time and memory.
    pub fn new(len: usize) -> BitSet {
        BitSet {
            words: vec![0; len.div_ceil(WORD_BITS)],
            block_ones: vec![0; len.div_ceil(BLOCK_BITS)],
            len,
            ones: 0,
        }
    }

    /// The set with these words; `None` if their number does not fit `len` or a bit beyond `len` is set.
    pub fn from_words(len: usize, words: Vec<u64>) -> Option<BitSet> {
        if words.len() != len.div_ceil(WORD_BITS) {
            return None;
        }
        let spare = words.len() * WORD_BITS - len;
        if spare > 0
            && words
                .last()
                .is_some_and(|&last| last.leading_zeros() < spare as u32)
        {
            return None;
        }
        let block_ones: Vec<u32> = words
            .chunks(BLOCK_WORDS)
            .map(|block| block.iter().map(|word| word.count_ones()).sum())
            .collect();
        let ones = block_ones.iter().map(|&ones| ones as usize).sum();
        Some(BitSet {
            words,
            block_ones,
            len,
            ones,
        })
    }

    /// The bits, 64 a word, lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The numbers that fit: those below this.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.ones == 0
    }

    /// How many numbers are in the set.
    pub fn count_ones(&self) -> usize {
        self.ones
    }

    /// How many are not.
    pub fn count_zeros(&self) -> usize {
        self.len - self.ones
    }

    /// Whether `index` is in the set; false beyond the length.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.words
            .get(index / WORD_BITS)
            .is_some_and(|word| word >> (index % WORD_BITS) & 1 != 0)
    }

    /// Adds `index` and says whether it was new; an index beyond the length is ignored.
    #[inline]
    pub fn insert(&mut self, index: usize) -> bool {
        if index >= self.len {
            return false;
        }
        let word = &mut self.words[index / WORD_BITS];
        let bit = 1 << (index % WORD_BITS);
        let new = *word & bit == 0;
        if new {
            *word |= bit;
            self.block_ones[index / BLOCK_BITS] += 1;
            self.ones += 1;
        }
        new
    }

    /// Adds all numbers of `other` below this length and says how many were new. O(len / 64).
    pub(crate) fn union_with(&mut self, other: &BitSet) -> usize {
        let before = self.ones;
        let spare = self.words.len() * WORD_BITS - self.len;
        let last = self.words.len().saturating_sub(1);
        for (at, (word, &more)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let more = if at == last {
                more & (u64::MAX >> spare)
            } else {
                more
            };
            let new = (more & !*word).count_ones();
            if new > 0 {
                *word |= more;
                self.block_ones[at / BLOCK_WORDS] += new;
                self.ones += new as usize;
            }
        }
        self.ones - before
    }

    /// The `n`-th number (from 0) that is not in the set.
    pub(crate) fn select_zero(&self, n: usize) -> Option<usize> {
        if n >= self.count_zeros() {
            return None;
        }
        let mut left = n;
        let mut block = 0;
        loop {
            let bits = BLOCK_BITS.min(self.len - block * BLOCK_BITS);
            let zeros = bits - *self.block_ones.get(block)? as usize;
            if left < zeros {
                break;
            }
            left -= zeros;
            block += 1;
        }
        for at in block * BLOCK_WORDS..self.words.len() {
            let mut zeros = !self.words[at];
            let count = zeros.count_ones() as usize;
            if left >= count {
                left -= count;
                continue;
            }
            for _ in 0..left {
                zeros &= zeros - 1;
            }
            return Some(at * WORD_BITS + zeros.trailing_zeros() as usize);
        }
        None
    }

    /// The first number from `start` on that is not in the set.
    pub fn next_zero(&self, start: usize) -> Option<usize> {
        let mut at = start / WORD_BITS;
        let mut mask = u64::MAX << (start % WORD_BITS);
        while at < self.words.len() {
            let zeros = !self.words[at] & mask;
            if zeros != 0 {
                let index = at * WORD_BITS + zeros.trailing_zeros() as usize;
                return (index < self.len).then_some(index);
            }
            mask = u64::MAX;
            at += 1;
        }
        None
    }

    /// The numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * WORD_BITS + bit
                })
            })
        })
    }
}

impl std::fmt::Debug for BitSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} / {} ", self.ones, self.len)?;
        f.debug_set().entries(self.iter().take(64)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;
    use crate::rng::Rng;

    #[test]
    fn behaves_like_a_sorted_set() {
        let mut rng = Rng::new(3);
        for len in [0usize, 1, 63, 64, 65, 4095, 4096, 4097, 9000] {
            let mut set = BitSet::new(len);
            let mut model = std::collections::BTreeSet::new();
            for _ in 0..len * 2 {
                let index = rng.index(len + 2);
                let new = index < len && model.insert(index);
                assert_eq!(set.insert(index), new);
            }
            assert_eq!(
                set.iter().collect::<Vec<_>>(),
                model.iter().copied().collect::<Vec<_>>()
            );
            assert_eq!(set.count_ones(), model.len());
            let zeros: Vec<usize> = (0..len).filter(|i| !model.contains(i)).collect();
            for (n, &zero) in zeros.iter().enumerate() {
                assert_eq!(set.select_zero(n), Some(zero));
                assert_eq!(set.next_zero(zero), Some(zero));
            }
            assert_eq!(set.select_zero(zeros.len()), None);
            assert_eq!(
                BitSet::from_words(len, set.words().to_vec()),
                Some(set.clone())
            );
            let mut union = BitSet::new(len);
            assert_eq!(union.union_with(&set), set.count_ones());
            assert_eq!(union, set);
        }
        assert_eq!(BitSet::from_words(3, vec![8]), None);
        assert_eq!(BitSet::from_words(3, vec![]), None);
    }

    #[test]
    fn a_union_ignores_what_lies_beyond_its_length() {
        let mut long = BitSet::new(130);
        for index in [1, 66, 129] {
            long.insert(index);
        }
        let mut short = BitSet::new(66);
        assert_eq!(short.union_with(&long), 1);
        assert_eq!(short.iter().collect::<Vec<_>>(), [1]);
    }
}
