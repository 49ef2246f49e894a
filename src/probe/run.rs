//! What inputs have come to.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash as _, Hasher as _};
use std::time::Duration;

use siphasher::sip::SipHasher13;

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
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// What became of it.
    pub verdict: Verdict,
    /// The CPU time of the target on it, its threads included. Without that of recording, with that of decoding where the input is a
    /// file of choices.
    pub cpu: Duration,
    /// What it has covered: an index of [`Probed::sets`]. The set is empty if the process was killed without notice.
    pub reached: usize,
    /// The sum of the sanitizer's edge counts, if it was [asked for](crate::Probe::numbers) and the target knows how. Counters have 8 bits and
    /// wrap around.
    pub count: Option<u64>,
    /// The greatest number that the target has reported under each name, by the index of the name in [`Probed::names`].
    pub numbers: Vec<(usize, f64)>,
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

/// A place in the program that has a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its address in the process that was asked.
    pub address: u64,
    /// Whether a function begins there.
    pub is_entry: bool,
}

/// The sanitizer's PC table: where the points of a program are.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Table {
    /// The address of the target's callback in the process that was asked. Where the program was loaded follows from it.
    pub anchor: u64,
    /// The place of each point.
    pub places: Vec<Place>,
}

/// What all inputs have come to.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Probed {
    /// One for each input, in their order.
    pub runs: Vec<Run>,
    /// The different sets of points that were covered, in the order of the first input that covered them.
    pub sets: Vec<Points>,
    /// Where the points are.
    pub table: Table,
    /// The names of numbers that the target has reported, in the order of the first reports.
    pub names: Vec<String>,
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

    /// Adds what other inputs of the same program have come to, behind those that are there.
    pub fn append(&mut self, other: Probed) {
        let mut sets = Sets::of(&mut self.sets);
        let sets: Vec<usize> = other.sets.into_iter().map(|set| sets.add(set)).collect();
        let mut name = |name: String| name_index(&mut self.names, name);
        let names: Vec<usize> = other.names.into_iter().map(&mut name).collect();
        let runs = other.runs.into_iter();
        self.runs.extend(runs.map(|run| {
            Run {
                reached: sets[run.reached],
                numbers: run
                    .numbers
                    .iter()
                    .map(|&(name, it)| (names[name], it))
                    .collect(),
                ..run
            }
        }));
        if self.table.places.is_empty() {
            self.table = other.table;
        }
    }
}

/// The index of a name, which is added if it is not there.
pub(crate) fn name_index(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|it| *it == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

/// Different sets, and where each is.
#[derive(Debug)]
pub(crate) struct Sets<'a> {
    sets: &'a mut Vec<Points>,
    known: BTreeMap<u64, Vec<usize>>,
}

impl Sets<'_> {
    pub(crate) fn of(sets: &mut Vec<Points>) -> Sets<'_> {
        let mut known = BTreeMap::<u64, Vec<usize>>::new();
        for (at, set) in sets.iter().enumerate() {
            known.entry(hash(set)).or_default().push(at);
        }
        Sets { sets, known }
    }

    /// The index of a set, which is added if it is not there.
    pub(crate) fn add(&mut self, set: Points) -> usize {
        let same = self.known.entry(hash(&set)).or_default();
        if let Some(&at) = same.iter().find(|&&at| self.sets[at] == set) {
            return at;
        }
        let at = self.sets.len();
        same.push(at);
        self.sets.push(set);
        at
    }
}

fn hash(set: &Points) -> u64 {
    let mut hasher = SipHasher13::new();
    set.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Points, Probed, Run, Verdict};

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

    #[test]
    fn numbers_keep_their_names_wherever_they_come_from() {
        let probed = |names: &[&str], numbers: &[(usize, f64)]| Probed {
            runs: vec![Run {
                verdict: Verdict::Kept,
                cpu: Duration::ZERO,
                reached: 0,
                count: Some(1),
                numbers: numbers.to_vec(),
            }],
            sets: vec![Points::default()],
            names: names.iter().map(ToString::to_string).collect(),
            ..Probed::default()
        };
        let mut all = probed(&["depth"], &[(0, 1.5)]);
        all.append(probed(&["size", "depth"], &[(0, 2.0), (1, 3.0)]));
        assert_eq!(all.names, ["depth", "size"]);
        assert_eq!(all.runs[1].numbers, [(1, 2.0), (0, 3.0)]);
    }

    #[test]
    fn equal_sets_are_one_wherever_they_come_from() {
        let run = |reached| Run {
            verdict: Verdict::Kept,
            cpu: Duration::ZERO,
            reached,
            count: None,
            numbers: Vec::new(),
        };
        let set = |points: &[u32]| Points::new(points.to_vec());
        let mut probed = Probed {
            runs: vec![run(1), run(0)],
            sets: vec![set(&[1]), set(&[2])],
            ..Probed::default()
        };
        probed.append(Probed {
            runs: vec![run(0), run(1), run(0)],
            sets: vec![set(&[3]), set(&[1])],
            ..Probed::default()
        });
        let reached: Vec<usize> = probed.runs.iter().map(|run| run.reached).collect();
        assert_eq!(reached, [1, 0, 2, 0, 2]);
        assert_eq!(probed.sets, [set(&[1]), set(&[2]), set(&[3])]);
        assert_eq!(probed.points(4), &set(&[3]));
    }
}
