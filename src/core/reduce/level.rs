//! In which order steps are tried: by what share of the text they would take away.
//!
//! A step that takes away nearly everything hardly ever passes, and one that takes away a byte gains nothing. Delta debugging begins
//! with halves and goes on to smaller and smaller parts, and so does every kind of step here: on level 1 are steps that take away
//! between half and a quarter of the text, on level 2 those that take away down to an eighth, and so on. Steps that leave less than half come later than
//! those that take away as little, since they are many, and each is less likely to pass.
//!
//! Levels are relative to the length that a round began with, so that a step has the same level before and after another one
//! has passed.

/// The levels of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// The length of the text when the round began.
    base: usize,
    /// Its length now.
    len: usize,
}

impl Scale {
    pub(super) fn new(base: usize, len: usize) -> Scale {
        let len = len.max(1);
        Scale {
            base: base.max(len),
            len,
        }
    }

    /// The level of a step that makes the text so much shorter.
    pub(super) fn level(self, gain: usize) -> u32 {
        let shrunk = (self.base / self.len).ilog2();
        let gain = gain.clamp(1, self.len);
        let rest = (self.len - gain).max(1);
        shrunk
            + match gain <= rest {
                true => (self.len / gain).ilog2(),
                false => 2 * (self.len / rest).ilog2(),
            }
    }

    /// The last level that a step can have.
    pub(super) fn last(self) -> u32 {
        (self.base / self.len).ilog2() + 2 * self.len.ilog2()
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn halves_come_first_and_leaves_last() {
        let scale = Scale::new(1000, 1000);
        let levels = [500, 499, 250, 100, 10, 1].map(|gain| scale.level(gain));
        assert_eq!(levels, [1, 1, 2, 3, 6, 9]);
        let levels = [501, 760, 990, 999, 1000].map(|gain| scale.level(gain));
        assert_eq!(levels, [2, 4, 12, 18, 18]);
        assert_eq!(scale.last(), 18);
        // The same step in a text that has become shorter.
        assert_eq!(Scale::new(1000, 500).level(10), 6);
        for len in 1..200 {
            let scale = Scale::new(len * 3, len);
            assert!((0..=len + 1).all(|gain| scale.level(gain) <= scale.last()));
        }
    }
}
