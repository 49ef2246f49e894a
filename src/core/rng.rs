//! The pinned random number generator.
//!
//! Everything random in pleach flows through a [`Rng`] that the caller passes in, so that the same seed gives the same
//! bytes everywhere and after every update. `rand` supplies the value-stable generator (xoshiro256++); the few ways of
//! drawing from it are written out here because `rand` does not promise the stability of its own.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, SeedableRng};

/// A seeded source of random numbers with a fixed stream.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, or 0 if `bound` is 0. The bias is below 2^-32.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// An index into a slice of `len` items, or 0 if `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        ((u128::from(self.bits()) * len as u128) >> 64) as usize
    }

    /// True in `per_mille` of 1000 cases.
    #[inline]
    pub fn per_mille(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// A number of at least 1 with a heavy tail: `n` or more with a probability of about `1 / n`.
    #[inline]
    pub fn heavy_tail(&mut self) -> u32 {
        let draw = (self.bits() >> 40) as u32 + 1;
        (1 << 24) / draw
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(7);
        let drawn: Vec<u32> = (0..6).map(|_| rng.below(1000)).collect();
        expect_test::expect!["[55, 172, 717, 427, 963, 465]"].assert_eq(&format!("{drawn:?}"));
    }

    #[test]
    fn bounds_hold_and_all_values_occur() {
        let mut rng = Rng::new(1);
        for bound in 1..20u32 {
            let mut seen = vec![false; bound as usize];
            for _ in 0..2000 {
                seen[rng.below(bound) as usize] = true;
                assert!(rng.index(bound as usize) < bound as usize);
                assert!(rng.heavy_tail() >= 1);
            }
            assert!(seen.iter().all(|&s| s));
        }
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.index(0), 0);
    }
}
