//! Goals of a campaign that runs: a new maximum is a feature that the engine keeps an input for.
//!
//! `PLEACH_GOAL` names them, or else `goals:` in the target. Each has 512 of the last extra counters, one for each *step* of its numbers: eight steps for a doubling, so whole
//! numbers up to 16 have one each. The step of a run is marked if it is the highest so far or as high as that, so lower ones are no
//! features, and a shorter input of the same step can take the place of a longer one. Three numbers need no report: `time` (of the
//! thread, in nanoseconds, with two steps for a doubling, since it is noisy), `work` (the sum of edge counts, where the sanitizer's counters are
//! to be found), and `allocated` (see [`Counting`](super::super::Counting)).
//!
//! Without goals a run costs the load of one pointer for all this.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::super::allocator;
use super::Goal;

/// The counters of a goal.
pub(in super::super) const STEPS: usize = 512;
/// Follows no goal, where it stands alone in the variable.
pub(in super::super) const NO_GOAL: &str = "none";
/// The runs after which a goal that was never reported is probably misspelled.
pub(in super::super) const PATIENCE: u64 = 10_000;
/// The number of the step that begins at 1, less than which there are numbers down to a millionth.
const ONE: i64 = 160;

static LIVE: OnceLock<Live> = OnceLock::new();

static TIME: Goal = Goal::new("time");
static WORK: Goal = Goal::new("work");
static ALLOCATED: Goal = Goal::new("allocated");

/// The goals of this process.
#[derive(Debug)]
struct Live {
    goals: Vec<Wanted>,
    times: bool,
    allocates: bool,
    /// The counters of the program, if they are to be added up.
    #[cfg(unix)]
    works: Option<super::super::probe::Edges>,
}

/// A goal.
#[derive(Debug)]
struct Wanted {
    name: String,
    counters: &'static [AtomicU8],
    /// The highest step so far, and one more; 0 if there is none.
    highest: AtomicU32,
}

/// The goals of a campaign: those that the variable names, with commas between them, or else the target's own.
pub(in super::super) fn wanted<'a>(variable: Option<&'a str>, own: &[&'a str]) -> Vec<&'a str> {
    let named = variable.unwrap_or_default().split(',').map(str::trim);
    let mut names: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
    match names[..] {
        [] => names = own.to_vec(),
        [NO_GOAL] => names.clear(),
        _ => {}
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Pursues goals. Gives how many of the counters are taken, from the last one backwards.
pub(in super::super) fn pursue(
    names: &[&str],
    counters: &'static [AtomicU8],
) -> Result<usize, String> {
    if names.is_empty() {
        return Ok(0);
    }
    let wrong = |what: &str| format!("the goals {}: {what}", names.join(","));
    let taken = STEPS * names.len();
    if taken > counters.len() / 2 {
        return Err(wrong(&format!(
            "a goal takes {STEPS} of the {} counters of this target, and half of them are for k-paths\n\
             help: name fewer goals, or give `fuzz!` more `counters:`",
            counters.len()
        )));
    }
    let goals = names.iter().zip(counters.rchunks_exact(STEPS));
    let goals = goals.map(|(name, counters)| Wanted {
        name: (*name).to_owned(),
        counters,
        highest: AtomicU32::new(0),
    });
    let goals: Vec<Wanted> = goals.collect();
    let wants = |name: &str| names.contains(&name);
    let live = Live {
        times: wants(TIME.name),
        allocates: wants(ALLOCATED.name),
        #[cfg(unix)]
        works: match wants(WORK.name) {
            true => {
                let found = super::super::probe::Edges::find();
                let help = "the edge counts of this program cannot be found\nhelp: build it by `pleach fuzz`";
                Some(found.map_err(|_| wrong(help))?)
            }
            false => None,
        },
        goals,
    };
    if live.allocates && !allocator::is_counting() {
        return Err(wrong(
            "allocations are not counted\nhelp: write `#[global_allocator] static ALLOCATOR: pleach::libfuzzer::Counting = \
             pleach::libfuzzer::Counting;` into the target",
        ));
    }
    if LIVE.set(live).is_ok() {
        super::listen();
    }
    Ok(taken)
}

/// Takes note of a number, if it is that of a goal.
pub(super) fn note(name: &str, number: f64) {
    let Some(live) = LIVE.get() else { return };
    if let Some(goal) = live.goals.iter().find(|goal| goal.name == name) {
        goal.note(number);
    }
}

/// Says which goals no run has reported yet, in case their names are wrong.
#[cold]
#[expect(
    clippy::print_stderr,
    reason = "whoever waits for a number that never comes has no other way to know"
)]
pub(in super::super) fn complain(runs: u64) {
    let Some(live) = LIVE.get() else { return };
    for goal in &live.goals {
        if goal.highest.load(Ordering::Relaxed) > 0 {
            continue;
        }
        let mut known: Vec<&str> = super::names(0).collect();
        known.sort_unstable();
        let mut also = String::new();
        for (at, name) in known.iter().enumerate() {
            let before = if at == 0 {
                "; the target reports "
            } else {
                ", "
            };
            let _ = write!(also, "{before}`{name}`");
        }
        let name = &goal.name;
        eprintln!("pleach: none of {runs} runs has reported a number `{name}`{also}");
    }
}

impl Wanted {
    #[expect(
        clippy::print_stderr,
        reason = "the log of a campaign is where people look for what is new"
    )]
    fn note(&self, number: f64) {
        let step = match self.name == TIME.name {
            true => step(number) / 4 * 4,
            false => step(number),
        };
        let highest = self.highest.fetch_max(step + 1, Ordering::Relaxed);
        if step + 1 >= highest
            && let Some(counter) = self.counters.get(step as usize)
        {
            counter.store(1, Ordering::Relaxed);
        }
        if step + 1 > highest {
            eprintln!("pleach: goal {}: {number}", self.name);
        }
    }
}

/// The step of a number: 0 for what is not above a millionth, else in the order of the numbers.
fn step(number: f64) -> u32 {
    if number <= 0.0 {
        return 0;
    }
    // The exponent and three bits of the fraction.
    let eighths = (number.to_bits() >> 49) as i64 - (1023 << 3);
    (eighths + ONE).clamp(0, STEPS as i64 - 1) as u32
}

/// What was measured before a run.
#[derive(Debug)]
pub(in super::super) struct Begun {
    live: &'static Live,
    #[cfg(unix)]
    cpu: u64,
    #[cfg(unix)]
    work: u64,
    allocated: isize,
}

/// A run begins; nothing if nothing of it is to be measured.
#[inline]
pub(in super::super) fn begin() -> Option<Begun> {
    let live = LIVE.get()?;
    Some(Begun {
        #[cfg(unix)]
        work: live.works.as_ref().map_or(0, |it| it.count()),
        allocated: allocator::begin(),
        #[cfg(unix)]
        cpu: if live.times {
            super::super::probe::thread_time()
        } else {
            0
        },
        live,
    })
}

/// A run ends.
pub(in super::super) fn end(begun: Begun) {
    #[cfg(unix)]
    if begun.live.times {
        let taken = super::super::probe::thread_time().saturating_sub(begun.cpu);
        TIME.report(taken as f64);
    }
    #[cfg(unix)]
    if let Some(edges) = &begun.live.works {
        WORK.report(edges.count().saturating_sub(begun.work) as f64);
    }
    if begun.live.allocates {
        ALLOCATED.report(allocator::most_since(begun.allocated) as f64);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

    use super::{STEPS, Wanted, pursue, step, wanted};

    #[test]
    fn steps_are_in_the_order_of_numbers_and_eight_a_doubling() {
        let numbers = [
            -1.0, 0.0, 1e-5, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
            10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 18.0, 1e3, 1e6, 1e12,
        ];
        for pair in numbers.windows(2).skip(1) {
            assert!(step(pair[0]) < step(pair[1]), "{pair:?}");
        }
        assert_eq!(step(16.0) - step(8.0), 8);
        assert_eq!(step(16.0), step(17.0));
        assert_eq!((step(-1.0), step(0.0), step(1e-9)), (0, 0, 0));
        assert_eq!(step(f64::MAX) as usize, STEPS - 1);
    }

    fn counters() -> &'static [AtomicU8] {
        Box::leak((0..STEPS).map(|_| AtomicU8::new(0)).collect())
    }

    #[test]
    fn only_the_highest_step_is_marked_again_and_again() {
        let goal = Wanted {
            name: "depth".into(),
            counters: counters(),
            highest: AtomicU32::new(0),
        };
        let marked = |number: f64| {
            goal.note(number);
            let marked = goal.counters.iter().map(|it| it.swap(0, Ordering::Relaxed));
            let steps = (0..).zip(marked).filter(|&(_, mark)| mark > 0);
            steps.map(|(at, _)| at).collect::<Vec<u32>>()
        };
        assert_eq!(marked(3.0), [step(3.0)]);
        assert_eq!(marked(2.0), [0; 0]);
        assert_eq!(marked(3.0), [step(3.0)]);
        assert_eq!(marked(4.0), [step(4.0)]);
        assert_eq!(marked(3.0), [0; 0]);
    }

    #[test]
    fn time_has_coarse_steps() {
        let goal = Wanted {
            name: "time".into(),
            counters: counters(),
            highest: AtomicU32::new(0),
        };
        for (time, expected) in [(1100.0, 1), (1300.0, 1), (1600.0, 2), (2100.0, 3)] {
            goal.note(time);
            let marked = goal.counters.iter();
            let marked = marked.filter(|it| it.load(Ordering::Relaxed) > 0).count();
            assert_eq!(marked, expected, "{time}");
        }
    }

    #[test]
    fn the_variable_overrides_the_goals_of_the_target() {
        let table: [(Option<&str>, &[&str], &[&str]); 7] = [
            (None, &[], &[]),
            (Some(" ,"), &[], &[]),
            (None, &["time", "depth"], &["depth", "time"]),
            (Some(""), &["depth"], &["depth"]),
            (Some("work, a b,work"), &["depth"], &["a b", "work"]),
            (Some("none"), &["depth"], &[]),
            (Some("none,work"), &[], &["none", "work"]),
        ];
        for (variable, own, expected) in table {
            assert_eq!(wanted(variable, own), expected, "{variable:?} {own:?}");
        }
    }

    #[test]
    fn goals_have_to_be_possible() {
        assert_eq!(pursue(&[], &[]), Ok(0));
        let few = pursue(&["a", "b"], counters()).unwrap_err();
        assert!(
            few.starts_with("the goals a,b: a goal takes 512 of the 512"),
            "{few}"
        );
        let counters: &'static [AtomicU8] =
            Box::leak((0..4 * STEPS).map(|_| AtomicU8::new(0)).collect());
        let message = pursue(&["work"], counters).unwrap_err();
        assert!(
            message.contains("edge counts") && message.contains("\nhelp: "),
            "{message}"
        );
    }
}
