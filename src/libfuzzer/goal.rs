//! Numbers that a target reports: [`crate::goal!`].
//!
//! Each name has a slot, given out at the first report that somebody listens to. A slot holds the greatest number of the run at hand, as bits
//! whose order is that of the numbers, so that threads, and the signal handler that writes a dying run's record, need no lock.
//! While nobody listens, a report is the load of one byte; the number is not even computed.

pub(super) mod live;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How many names there may be; reports of others are lost.
pub(super) const MOST: usize = 64;
/// No slot is known yet.
const UNKNOWN: u32 = u32::MAX;
/// No slot was left.
const NONE: u32 = u32::MAX - 1;

static IS_HEARD: AtomicBool = AtomicBool::new(false);
static NAMES: [OnceLock<&'static str>; MOST] = [const { OnceLock::new() }; MOST];
/// How many names there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static GIVING_OUT: Mutex<()> = Mutex::new(());
/// The greatest number of each name in the run at hand; 0 if there is none.
static GREATEST: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];

/// A place in a target that reports a number. For [`crate::goal!`].
#[derive(Debug)]
pub struct Goal {
    name: &'static str,
    slot: AtomicU32,
}

impl Goal {
    /// A place that reports a number of this name.
    pub const fn new(name: &'static str) -> Goal {
        Goal {
            name,
            slot: AtomicU32::new(UNKNOWN),
        }
    }

    /// Whether a report goes anywhere.
    #[inline(always)]
    pub fn is_heard() -> bool {
        IS_HEARD.load(Ordering::Relaxed)
    }

    /// Reports a number for the run at hand, if it is finite.
    pub fn report(&self, number: f64) {
        let slot = match self.slot.load(Ordering::Relaxed) {
            UNKNOWN => {
                let slot = slot(self.name);
                self.slot.store(slot, Ordering::Relaxed);
                slot
            }
            slot => slot,
        };
        if let (Some(greatest), true) = (GREATEST.get(slot as usize), number.is_finite()) {
            greatest.fetch_max(to_bits(number), Ordering::Relaxed);
            live::note(self.name, number);
        }
    }
}

/// The slot of a name, given out if need be.
#[cold]
fn slot(name: &'static str) -> u32 {
    let _lock = GIVING_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    let count = COUNT.load(Ordering::Relaxed);
    let known = NAMES[..count].iter().position(|it| it.get() == Some(&name));
    if let Some(known) = known {
        return known as u32;
    }
    let Some(free) = NAMES.get(count) else {
        return NONE;
    };
    let _ = free.set(name);
    COUNT.store(count + 1, Ordering::Release);
    count as u32
}

/// Fails in a constant if a target cannot have a goal of this name, because `PLEACH_GOAL` cannot name it.
pub(super) const fn check_name(name: &[u8]) {
    let mut at = 0;
    while at < name.len() {
        assert!(name[at] != b',', "a name in `goals` has a comma");
        at += 1;
    }
    let is_none = matches!(name, b"none");
    assert!(!is_none, "`none` in `goals` is no name: leave `goals` out");
    let (first, last) = (name[0], name[name.len() - 1]);
    assert!(
        first != b' ' && last != b' ',
        "a name in `goals` has a space at an end"
    );
}

/// Bits in the order of the numbers, none of which is 0.
fn to_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    match bits >> 63 {
        0 => bits | 1 << 63,
        _ => !bits,
    }
}

fn from_bits(bits: u64) -> f64 {
    f64::from_bits(match bits >> 63 {
        0 => !bits,
        _ => bits & !(1 << 63),
    })
}

/// Reports go somewhere from now on.
pub(super) fn listen() {
    IS_HEARD.store(true, Ordering::Relaxed);
}

/// A run begins: nothing is reported yet.
pub(super) fn clear() {
    for greatest in &GREATEST[..COUNT.load(Ordering::Acquire)] {
        greatest.store(0, Ordering::Relaxed);
    }
}

/// The names that were given slots, from a slot on. Allocates nothing and takes no lock.
pub(super) fn names(from: usize) -> impl Iterator<Item = &'static str> {
    let names = &NAMES[..COUNT.load(Ordering::Acquire)];
    names.iter().skip(from).filter_map(|it| it.get().copied())
}

/// What was reported in the run at hand: slots, ascending, and the greatest number of each. Allocates nothing and takes no lock.
pub(super) fn reported() -> impl Iterator<Item = (u32, f64)> {
    let slots = &GREATEST[..COUNT.load(Ordering::Acquire)];
    let reported = (0..).zip(slots).map(|(slot, greatest)| {
        let bits = greatest.load(Ordering::Relaxed);
        (slot, bits)
    });
    let reported = reported.filter(|&(_, bits)| bits != 0);
    reported.map(|(slot, bits)| (slot, from_bits(bits)))
}

/// Reports a number for the input that is running, under a name.
///
/// `pleach evolve TARGET --goal NAME` makes inputs for which it is as large as possible: the nodes of a syntax tree, the depth of a stack, the
/// size of an output divided by that of the input. Of several reports in one run, the greatest counts.
///
/// The name is a text that is known when the target is built. The number is of any primitive type of numbers; it becomes an `f64`. One that is
/// not finite, such as a quotient by zero, is not reported. While
/// nobody asks for goals, it is not computed, and a report costs the load of one byte: so what else it does must not matter. A target has
/// room for 64 names.
///
/// ```
/// let depth = |text: &str| text.bytes().take_while(|&byte| byte == b'[').count();
/// pleach::goal!("depth", depth("[[1]]"));
/// pleach::goal!("digits per byte", 1.0 / 5.0);
/// ```
#[macro_export]
macro_rules! goal {
    ($name:expr, $number:expr $(,)?) => {{
        static GOAL: $crate::libfuzzer::__private::Goal =
            $crate::libfuzzer::__private::Goal::new($name);
        if $crate::libfuzzer::__private::Goal::is_heard() {
            GOAL.report(($number) as f64);
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::{clear, from_bits, listen, names, reported, to_bits};

    #[test]
    fn bits_are_in_the_order_of_numbers() {
        let numbers = [
            f64::NEG_INFINITY,
            -1e300,
            -2.5,
            -0.0,
            0.0,
            1e-9,
            3.0,
            f64::INFINITY,
        ];
        for pair in numbers.windows(2) {
            assert!(to_bits(pair[0]) < to_bits(pair[1]), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(from_bits(to_bits(number)).to_bits(), number.to_bits());
            assert_ne!(to_bits(number), 0);
        }
    }

    /// One test, because reports are global.
    #[test]
    fn the_greatest_number_of_a_run_is_reported_once_somebody_listens() {
        let mut computed = 0;
        let mut report = |depth: u32, share: f64| {
            goal!("depth", {
                computed += 1;
                depth
            });
            goal!("share", share);
        };
        report(9, 9.0);
        assert_eq!((reported().count(), names(0).count()), (0, 0));
        listen();
        report(2, -0.5);
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            report(7, number);
        }
        report(3, -0.75);
        goal!("depth", 5u8);
        let all: Vec<_> = reported().collect();
        assert_eq!(all, [(0, 7.0), (1, -0.5)]);
        assert_eq!(names(0).collect::<Vec<_>>(), ["depth", "share"]);
        assert_eq!(names(1).collect::<Vec<_>>(), ["share"]);
        clear();
        assert_eq!(reported().count(), 0);
        goal!("share", 0);
        assert_eq!(reported().collect::<Vec<_>>(), [(1, 0.0)]);
        assert_eq!(computed, 5);
        super::super::allocator::tests::the_most_bytes_at_once_are_counted();
        // What there is no room for is lost.
        for name in 0..100 {
            let name: &'static str = Box::leak(format!("name {name}").into());
            super::Goal::new(name).report(1.0);
        }
        assert_eq!(names(0).count(), super::MOST);
        assert_eq!(reported().count(), super::MOST - 1);
    }
}
