//! What reading texts has come to.

use std::fmt;

/// Counts of a target with the text codec: how texts were recognized, and what was given out.
///
/// `Display` prints them as names with values, which is the form of the lines that `PLEACH_STATS=1` asks for. With the choices
/// codec all are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Runs of the target.
    pub runs: u64,
    /// Texts that were the mutator's last output.
    pub at_hand: u64,
    /// Texts that the cache knew, those that are not sentences included.
    pub cached: u64,
    /// Texts that had to be parsed, and were sentences.
    pub parsed: u64,
    /// Texts that had to be parsed, and were none.
    pub refused: u64,
    /// Texts that could not be parsed within the budget.
    pub exhausted: u64,
    /// Sentences given out.
    pub sentences: u64,
    /// Texts given out that the engine's byte mutations have made.
    pub raw: u64,
}

impl Stats {
    /// Texts recognized without parsing.
    pub fn hits(&self) -> u64 {
        self.at_hand + self.cached
    }

    /// Texts that were neither at hand nor in the cache.
    pub fn misses(&self) -> u64 {
        self.parsed + self.refused + self.exhausted
    }

    /// The share of texts recognized without parsing; 1 if there were none.
    pub fn hit_ratio(&self) -> f64 {
        match self.hits() + self.misses() {
            0 => 1.0,
            all => self.hits() as f64 / all as f64,
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats {
            runs,
            at_hand,
            cached,
            parsed,
            refused,
            exhausted,
            sentences,
            raw,
        } = self;
        write!(
            f,
            "runs: {runs} at_hand: {at_hand} cached: {cached} parsed: {parsed} refused: {refused} exhausted: {exhausted} \
             sentences: {sentences} raw: {raw}"
        )
    }
}
