//! What inputs have come to.

use std::fmt;
use std::time::Duration;

/// What became of an input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The target ran to its end, and would let the engine keep the input.
    Kept,
    /// The target ran to its end and returned -1: `Corpus::Reject`.
    Rejected,
    /// The target panicked.
    Panicked {
        /// Where, as `file:line:column`.
        place: String,
        /// The message of the panic; empty if it has none that is text.
        message: String,
    },
    /// The target took longer than it was given.
    TimedOut,
    /// The process ended otherwise.
    Killed {
        /// By what: the name of a signal, as in `SIGSEGV`, an exit code, a sanitizer's summary, or a limit.
        what: String,
    },
}

impl Verdict {
    /// Whether the input failed: it panicked, took too long, or ended the process.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Verdict::Kept | Verdict::Rejected)
    }
}

/// One line that says the same wherever the failure is the same: a panic by its place, without its message.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Kept => f.write_str("kept"),
            Verdict::Rejected => f.write_str("rejected"),
            Verdict::Panicked { place, .. } => write!(f, "panic at {place}"),
            Verdict::TimedOut => f.write_str("timeout"),
            Verdict::Killed { what } => f.write_str(what),
        }
    }
}

/// What one input has come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What became of it.
    pub verdict: Verdict,
    /// The CPU time of the target on it, its threads included. Without that of recording, with that of decoding where the input is a
    /// file of choices.
    pub cpu: Duration,
    /// What it has covered: an index of [`Probed::sets`]. The set is empty if the process was killed without notice.
    pub reached: usize,
}

/// A set of points: places in the program that have a counter, by their index in the sanitizer's PC table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Points(Box<[u32]>);

impl Points {
    /// The set of these points, in any order.
    pub fn new(mut points: Vec<u32>) -> Points {
        if !points.is_sorted() {
            points.sort_unstable();
        }
        points.dedup();
        Points(points.into())
    }

    /// The points, in ascending order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// Whether a point is in the set. O(log n).
    pub fn contains(&self, point: u32) -> bool {
        self.0.binary_search(&point).is_ok()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What all inputs have come to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Probed {
    /// One for each input, in their order.
    pub runs: Vec<Run>,
    /// The different sets of points that were covered, in the order of the first input that covered them.
    pub sets: Vec<Points>,
}

impl Probed {
    /// What an input has covered.
    ///
    /// # Panics
    ///
    /// If there was no such input.
    pub fn points(&self, input: usize) -> &Points {
        &self.sets[self.runs[input].reached]
    }
}

#[cfg(test)]
mod tests {
    use super::{Points, Verdict};

    #[test]
    fn points_are_sorted_and_different() {
        let points = Points::new(vec![7, 1, 7, 3]);
        assert_eq!(points.as_slice(), [1, 3, 7]);
        assert!(points.contains(3) && !points.contains(2));
        assert_eq!(points.len(), 3);
        assert!(Points::default().is_empty());
    }

    #[test]
    fn a_panic_is_named_by_its_place() {
        let panicked = Verdict::Panicked {
            place: "src/lib.rs:3:9".into(),
            message: "index 7 is out of range".into(),
        };
        assert_eq!(panicked.to_string(), "panic at src/lib.rs:3:9");
        assert!(panicked.is_failure() && Verdict::TimedOut.is_failure());
        assert!(!Verdict::Rejected.is_failure());
    }
}
