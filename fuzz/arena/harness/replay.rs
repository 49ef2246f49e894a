//! The subject without a fuzzer: which edges inputs reach, told one by one.
//!
//! Built with the engine's counters but without the engine, and the same for all arms, so that corpora compare. A list of files
//! comes in on standard input, one a line, and each is run as a text. A line goes out for each as soon as it has run:
//!
//! ```text
//! INDEX VERDICT EDGES ACCEPTED
//! ```
//!
//! INDEX counts the files from 0. VERDICT is `a` (accepted), `r` (rejected), `p` (panicked) or `u` (the file cannot be read). EDGES
//! are the edges that this process has not met before, as numbers with commas between them or `-`, and ACCEPTED those that no
//! accepted text of this process has met before. The first line is `edges N`, the number of all edges.
//!
//! A text that ends the process (a full stack, an abort) or never ends leaves its line out; who reads goes on behind it with
//! another process.

use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

/// Deep texts recurse.
const STACK: usize = 1 << 30;

static FIRST: AtomicPtr<AtomicU8> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Called by the compiled modules before `main`, each time with the counters of the whole program.
///
/// # Safety
///
/// `start` and `stop` are the bounds of an array of bytes that lives as long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    FIRST.store(start.cast(), Ordering::Relaxed);
    COUNT.store(stop as usize - start as usize, Ordering::Relaxed);
}

/// Called like the other one, with the places of the counters in the code, which nobody asks for here.
#[unsafe(no_mangle)]
pub extern "C" fn __sanitizer_cov_pcs_init(_start: *const usize, _stop: *const usize) {}

/// Called before each call through a pointer, which nobody asks for either.
#[unsafe(no_mangle)]
pub extern "C" fn __sanitizer_cov_trace_pc_indir(_callee: usize) {}

fn counters() -> &'static [AtomicU8] {
    let first = FIRST.load(Ordering::Relaxed);
    if first.is_null() {
        return &[];
    }
    // SAFETY: the compiler has put `COUNT` bytes there that are never freed, and everything else that writes to them counts up
    // single bytes, which may race with nothing but a lost count.
    unsafe { std::slice::from_raw_parts(first, COUNT.load(Ordering::Relaxed)) }
}

fn main() {
    let work = std::thread::Builder::new().stack_size(STACK).spawn(replay);
    let outcome = work.expect("a thread starts").join();
    outcome.expect("the replay itself does not panic");
}

fn replay() {
    let counters = counters();
    assert!(!counters.is_empty(), "built without coverage counters");
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = std::io::stdout().lock();
    writeln!(output, "edges {}", counters.len()).expect("somebody reads");
    let none = vec![false; counters.len()];
    let (mut seen, mut accepted, mut hits) = (none.clone(), none.clone(), none);
    // Looking at the counters passes edges of this file, which are none of the subject's.
    clear(counters);
    look(counters, &mut hits);
    let own = hits.clone();
    for (index, path) in std::io::stdin().lock().lines().enumerate() {
        let path = path.expect("a list of paths");
        let Ok(text) = std::fs::read(path) else {
            writeln!(output, "{index} u - -").expect("somebody reads");
            continue;
        };
        clear(counters);
        let outcome = catch_unwind(AssertUnwindSafe(|| subject::run(&text)));
        // Before anything is printed, which passes edges that the subject may share.
        look(counters, &mut hits);
        for (hit, _) in hits.iter_mut().zip(&own).filter(|(_, own)| **own) {
            *hit = false;
        }
        let new = news(&hits, &mut seen);
        let (verdict, valid) = match outcome {
            Ok(true) => ('a', news(&hits, &mut accepted)),
            Ok(false) => ('r', "-".into()),
            Err(_) => ('p', "-".into()),
        };
        writeln!(output, "{index} {verdict} {new} {valid}").expect("somebody reads");
    }
}

/// Sets all counters to zero.
fn clear(counters: &[AtomicU8]) {
    for counter in counters {
        counter.store(0, Ordering::Relaxed);
    }
}

/// Which counters are not zero.
fn look(counters: &[AtomicU8], hits: &mut [bool]) {
    for (hit, counter) in hits.iter_mut().zip(counters) {
        *hit = counter.load(Ordering::Relaxed) != 0;
    }
}

/// The edges that were met for the first time.
fn news(hits: &[bool], seen: &mut [bool]) -> String {
    let mut list = String::new();
    for (index, &hit) in hits.iter().enumerate() {
        if hit && !seen[index] {
            seen[index] = true;
            let comma = if list.is_empty() { "" } else { "," };
            write!(list, "{comma}{index}").expect("a string takes all");
        }
    }
    match list.is_empty() {
        true => "-".into(),
        false => list,
    }
}
