//! How long inputs may get: short first, longer when nothing new comes.
//!
//! Short inputs run fast, and most of what a grammar has shows in them; where they have nothing more to give, length is what is
//! left. So growth has a limit that begins low and is raised by its own logarithm whenever a number of mutations, in proportion
//! to that logarithm, has brought nothing new. libFuzzer's `-len_control` is the same idea, but is off for targets with
//! a custom mutator unless it is given explicitly, and other engines do not have it. Now and then a mutation may go far
//! beyond the limit: some things take length to be found at all. Nothing that a campaign begins with, of a corpus or of its covering
//! set, counts as too long: the limit is at least the length of the longest.

use crate::rng::Rng;

/// The first limit, in bytes of choices or of text.
const FIRST: usize = 16;
/// How often the limit does not hold, out of 1000, and how far beyond it inputs may get then.
const BEYOND: u32 = 15;
const FARTHER: usize = 16;

/// Mutations without progress before the limit is raised, as a multiple of its logarithm, unless set otherwise.
pub const DEFAULT_LEN_CONTROL: u32 = 5;

/// The limit.
#[derive(Debug)]
pub(super) struct Length {
    limit: usize,
    control: u32,
    stalled: u32,
}

impl Length {
    /// Begins low; with a control of 0, there is no limit.
    pub(super) fn new(control: u32) -> Length {
        Length {
            limit: FIRST,
            control,
            stalled: 0,
        }
    }

    /// Counts a mutation, and gives the limit for it: at least `least`, unless that is more than `max`.
    pub(super) fn next(&mut self, least: usize, max: usize, rng: &mut Rng) -> usize {
        self.limit = self.limit.max(least);
        if self.control == 0 || self.limit >= max {
            return max;
        }
        self.stalled += 1;
        let step = self.limit.ilog2();
        if self.stalled > self.control.saturating_mul(step) {
            self.stalled = 0;
            self.limit += step as usize;
        }
        match rng.per_mille(BEYOND) {
            true => self.limit.saturating_mul(FARTHER),
            false => self.limit,
        }
        .min(max)
    }

    /// Something new has come.
    pub(super) fn progress(&mut self) {
        self.stalled = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{FARTHER, FIRST, Length};
    use crate::rng::Rng;

    #[test]
    fn the_limit_grows_while_nothing_comes_and_only_then() {
        let mut rng = Rng::new(1);
        let mut length = Length::new(5);
        for _ in 0..10_000 {
            length.progress();
            let limit = length.next(0, 4096, &mut rng);
            assert!(limit == FIRST || limit == FIRST * FARTHER);
        }
        let mut at = 0;
        let mut farther = 0;
        for _ in 0..100_000 {
            let limit = length.next(0, 4096, &mut rng);
            farther += u32::from(limit > 4 * at && at > 0);
            at = at.max(limit.min(length.limit));
            assert!(limit <= 4096);
        }
        assert_eq!(at, 4096);
        assert!(farther > 50, "{farther}");
        assert_eq!(Length::new(0).next(0, 77, &mut rng), 77);
    }

    #[test]
    fn what_a_campaign_begins_with_is_not_too_long() {
        let mut rng = Rng::new(1);
        let mut length = Length::new(5);
        assert!(length.next(3, 4096, &mut rng) < 700);
        assert!((0..100).all(|_| length.next(700, 4096, &mut rng) >= 700));
        assert_eq!(length.next(700, 500, &mut rng), 500);
    }
}
