//! Which parents are worth their time: slow ones give way to others.
//!
//! The engine draws parents without regard to what a run takes, and what is mutated from a slow parent mostly is slow, too: a
//! few inputs that make a program compute for milliseconds then take most of a campaign. So each run is timed, and a parent that took
//! longer than the median one is passed over, the likelier the longer; another one that came lately stands in, which the
//! engine is not told. AFL's performance score weighs seeds like that, and libFuzzer's `-entropic_scale_per_exec_time`, which
//! needs the schedule that `pleach fuzz` leaves out.
//!
//! Where runs are short, the clock and the copies would cost more than they save: then nothing happens here.

use pleach_core::mutate::{hash, place_of};
use pleach_core::rng::Rng;

/// Runs that take less than this are not worth the trouble, in nanoseconds.
const SHORT: f64 = 10_000.0;
/// How many runs are remembered, a power of two; 16 bytes each.
const REMEMBERED: usize = 1 << 14;
/// How many parents may stand in, the longest of them, and how many have to be there.
const PARENTS: usize = 256;
const LONGEST: usize = 1 << 14;
const ENOUGH: usize = 16;
/// How many are looked at before one is taken as it is.
const TRIES: usize = 6;
/// The least chance of a parent, however slow.
const LEAST: f64 = 0.05;
/// How far one run moves the average, and one parent the estimate of the median.
const RECENT: f64 = 1.0 / 128.0;
const STEP: f64 = 1.02;

#[derive(Clone, Copy, Debug, Default)]
struct Run {
    hash: u64,
    nanoseconds: u64,
}

#[derive(Debug, Default)]
struct Parent {
    input: Vec<u8>,
    nanoseconds: u64,
}

/// What inputs have taken.
#[derive(Debug)]
pub(super) struct Schedule {
    runs: Vec<Run>,
    parents: Vec<Parent>,
    /// Where the next parent goes.
    next: usize,
    /// The input that was given out last; 0 for none.
    given: u64,
    /// What a run takes on average, and what the run of a parent took in the median.
    mean_run: f64,
    median_parent: f64,
    is_off: bool,
}

impl Schedule {
    pub(super) fn new(is_off: bool) -> Schedule {
        Schedule {
            is_off,
            runs: Vec::new(),
            parents: Vec::new(),
            next: 0,
            given: 0,
            mean_run: 0.0,
            median_parent: 0.0,
        }
    }

    /// Whether every run is to be timed.
    pub(super) fn is_on(&self) -> bool {
        self.mean_run >= SHORT && !self.is_off
    }

    /// The run of what was given out last has taken time.
    pub(super) fn ran(&mut self, nanoseconds: u64) {
        let time = nanoseconds as f64;
        self.mean_run += match self.mean_run {
            0.0 => time,
            known => (time - known) * RECENT,
        };
        if self.is_on() && self.given != 0 {
            self.runs.resize(REMEMBERED, Run::default());
            self.runs[place_of(self.given, REMEMBERED)] = Run {
                hash: self.given,
                nanoseconds,
            };
        }
    }

    /// An input is to be mutated: gives the one to mutate instead, of at most `max_size` bytes, or nothing if it is worth its time.
    pub(super) fn instead_of(&mut self, input: &[u8], max_size: usize, seed: u64) -> Option<&[u8]> {
        if !self.is_on() || self.runs.is_empty() {
            return None;
        }
        let hash = hash(input);
        let run = self.runs[place_of(hash, REMEMBERED)];
        if run.hash != hash {
            return None;
        }
        // What was just given out comes again if the engine stacks mutations; it is no parent yet.
        if hash != self.given && input.len() <= LONGEST {
            // Half of the steps go up only where half of the parents take longer.
            let time = run.nanoseconds.max(1) as f64;
            self.median_parent = match self.median_parent {
                0.0 => time,
                median if time > median => median * STEP,
                median => median / STEP,
            };
            if self.parents.len() < PARENTS {
                self.parents.push(Parent::default());
            }
            let place = &mut self.parents[self.next];
            place.input.clear();
            place.input.extend_from_slice(input);
            place.nanoseconds = run.nanoseconds;
            self.next = (self.next + 1) % PARENTS;
        }
        let mut rng = Rng::new(seed ^ hash);
        if self.parents.len() < ENOUGH || self.accepts(run.nanoseconds, &mut rng) {
            return None;
        }
        let mut drawn = rng.index(self.parents.len());
        for _ in 1..TRIES {
            if self.accepts(self.parents[drawn].nanoseconds, &mut rng) {
                break;
            }
            drawn = rng.index(self.parents.len());
        }
        let parent = &self.parents[drawn].input;
        (parent.len() <= max_size).then_some(parent)
    }

    /// An input is given out.
    pub(super) fn gave(&mut self, input: &[u8]) {
        self.given = match self.is_on() {
            true => hash(input),
            false => 0,
        };
    }

    fn accepts(&self, nanoseconds: u64, rng: &mut Rng) -> bool {
        let chance = (self.median_parent / nanoseconds.max(1) as f64).max(LEAST);
        f64::from(rng.below(1 << 24)) < chance * f64::from(1 << 24)
    }
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, Schedule};

    /// A campaign in which one parent of three is slow by a factor; the shares of fast and slow parents that are mutated.
    fn shares(fast: u64, factor: u64) -> [f64; 2] {
        let mut schedule = Schedule::new(false);
        let (mut tried, mut kept) = ([0u32; 2], [0u32; 2]);
        for round in 0..20_000u64 {
            let parent = [(round % 63) as u8, 7];
            let kind = usize::from(parent[0].is_multiple_of(3));
            match schedule.instead_of(&parent, 100, round) {
                None => kept[kind] += 1,
                Some(other) => assert!(other.len() == 2 && other[1] == 7, "{other:?}"),
            }
            tried[kind] += 1;
            // The run of a mutant, then one of the parent itself, as when it was made.
            for output in [[parent[0], 8], [((round + 1) % 63) as u8, 7]] {
                schedule.gave(&output);
                schedule.ran(match output[0] % 3 {
                    0 => fast * factor,
                    _ => fast,
                });
            }
            schedule.gave(b"something else");
        }
        [0, 1].map(|kind| f64::from(kept[kind]) / f64::from(tried[kind]))
    }

    #[test]
    fn slow_parents_give_way() {
        let [fast, slow] = shares(50_000, 20);
        assert!(fast > 3.0 * slow && slow > 0.0, "{fast} {slow}");
        let [fast, slow] = shares(50_000, 1);
        assert!((fast - slow).abs() < 0.05, "{fast} {slow}");
    }

    #[test]
    fn short_runs_are_left_alone() {
        assert_eq!(shares(100, 20), [1.0, 1.0]);
    }

    #[test]
    fn what_stands_in_fits_and_was_a_parent() {
        let mut schedule = Schedule::new(false);
        for round in 0..200u8 {
            let parent = vec![round; 3 + usize::from(round)];
            assert_eq!(schedule.instead_of(&parent, 1000, 0), None, "not timed");
            schedule.gave(&parent);
            schedule.ran(1_000_000 * u64::from(1 + round % 9));
        }
        let mut others = 0;
        for seed in 0..20_000u64 {
            let round = (seed % 200) as u8;
            let parent = vec![round; 3 + usize::from(round)];
            if let Some(other) = schedule.instead_of(&parent, 50, seed) {
                assert!(other.len() <= 50 && other.len() == 3 + usize::from(other[0]));
                others += 1;
            }
            assert!(others == 0 || seed >= ENOUGH as u64);
        }
        assert!(others > 300, "{others}");
    }
}
