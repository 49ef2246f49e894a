//! What inputs reach, said to programs that ask: for `PLEACH_PROBE`.
//!
//! The sanitizer's counters say which parts of the program an input has touched, and its PC table says where these are. Both
//! are in every target that is built for libFuzzer. So a target becomes a probe by itself, without another build: it runs the
//! inputs that it is handed one after the other, and notes after each what it returned, how long it took, and which
//! counters are no longer zero. Symbols are the reader's business, who has the program's debug information; a library for them in
//! the target would add thousands of counters of its own.
//!
//! `PLEACH_PROBE=DIR` names a directory with two files:
//!
//! - `request`: `pleach-probe 1`, and lines of a name and a value: `first`, the number of the first input to run (0 if missing); `texts`,
//!   `yes` if inputs are texts and not files of the corpus, in whatever codec the target has; `timeout`, in milliseconds for one input;
//!   `memory`, the most MiB that the process may have; `flush`, `yes` to write every record at once; `numbers`, `yes` to add up edge counts, and
//!   to record what the target reports by [`crate::goal!`].
//! - `inputs`: for each input its length in four bytes, the least significant first, and then its bytes.
//!
//! The target writes a third one, `records`, which is described in [`record`], and ends with exit code 0. An input that fails ends the process,
//! but not before its record is written: at a panic, a signal, a sanitizer's report, or when its time is up. Whoever asks starts the
//! target again with the input behind it. Before the first input of a process is recorded, it is run once: what a
//! program does once and for all, as filling a table at the first use, is reached by no input in particular.
//!
//! # Cost
//!
//! Per input: two readings of the wall clock, one pass over the counters, one copy of the input, and a record of 22 bytes, which
//! is written with others. Equal sets of counters are written once. The CPU clock is a system call, which can take as long as a short
//! run: it is read for runs of more than 50 µs; a shorter one has taken what the wall clock says.

mod ending;
mod record;
mod request;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use super::counters::Target;
use super::{allocator, goal};
use record::{Recorder, Verdict};
use request::Request;

/// What a counting allocator has counted.
static ALLOCATED: goal::Goal = goal::Goal::new("allocated");

/// What this process is: a fuzzer, or a probe of files or of texts.
static MODE: AtomicU8 = AtomicU8::new(FUZZER);
const FUZZER: u8 = 0;
const FILES: u8 = 1;
const TEXTS: u8 = 2;

/// The input that is being run, to see whether the target hands on all of it.
static INPUT: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static INPUT_LEN: AtomicUsize = AtomicUsize::new(0);
/// Whether a sentence was to be made of something else.
static IS_CUT: AtomicBool = AtomicBool::new(false);

/// What a probe takes a target's bytes for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A file of the corpus, in the target's codec.
    File,
    /// A text, in any codec.
    Text,
}

/// The sanitizer's counters, for a fuzzer that adds them up.
#[derive(Debug)]
pub(super) struct Edges(Target);

impl Edges {
    /// Finds them; says what is missing.
    pub(super) fn find() -> Result<Edges, String> {
        Target::find().map(Edges)
    }

    /// Their sum.
    pub(super) fn count(&self) -> u64 {
        self.0.count()
    }
}

/// What the clock of this thread says, in nanoseconds of CPU time.
pub(super) fn thread_time() -> u64 {
    ending::clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// What the inputs are, if this process is a probe.
pub(super) fn form() -> Option<Form> {
    match MODE.load(Ordering::Relaxed) {
        FILES => Some(Form::File),
        TEXTS => Some(Form::Text),
        _ => None,
    }
}

/// Takes note of the bytes that a target wants a sentence of.
pub(super) fn takes(bytes: &[u8]) {
    let is_whole = bytes.len() == INPUT_LEN.load(Ordering::Relaxed)
        && (bytes.is_empty() || bytes.as_ptr() == INPUT.load(Ordering::Relaxed));
    if !is_whole {
        IS_CUT.store(true, Ordering::Relaxed);
    }
}

/// Runs the inputs of a directory and writes what they come to. Says what it has done.
pub(super) fn run(directory: &Path) -> Result<String, String> {
    let request = Request::read(directory)?;
    let target = Target::find().map_err(|error| format!("PLEACH_PROBE: {error}"))?;
    let mode = if request.is_text { TEXTS } else { FILES };
    MODE.store(mode, Ordering::Relaxed);
    let mut recorder = Recorder::create(&directory.join("records"), request.flush)?;
    recorder.head(&target)?;
    ending::prepare(&target, &request);
    if request.numbers {
        goal::listen();
    }

    let mut points = Vec::new();
    let mut is_first = true;
    let mut count = 0;
    for (at, input) in request.inputs() {
        // A copy of its own, so that a sanitizer sees reads beyond its end.
        let input = input.to_vec();
        INPUT_LEN.store(input.len(), Ordering::Relaxed);
        INPUT.store(input.as_ptr().cast_mut(), Ordering::Relaxed);
        if std::mem::take(&mut is_first) {
            target.clear();
            ending::begin(at);
            target.run(&input);
            ending::end();
            if request.is_text && IS_CUT.load(Ordering::Relaxed) {
                return Err(
                    "PLEACH_PROBE: the target makes sentences of parts of its inputs, so there is no input for a text\n\
                     help: probe files of its corpus, or write a target that takes a sentence alone"
                        .into(),
                );
            }
        }
        target.clear();
        goal::clear();
        let allocated = allocator::begin();
        ending::begin(at);
        let code = target.run(&input);
        let cpu = ending::end();
        if request.numbers && allocator::is_counting() {
            ALLOCATED.report(allocator::most_since(allocated) as f64);
        }
        target.covered(&mut points);
        let verdict = match code {
            -1 => Verdict::Rejected,
            _ => Verdict::Kept,
        };
        if request.numbers {
            recorder.numbers(target.count())?;
        }
        recorder.add(at, verdict, cpu, &points)?;
        count += 1;
    }
    recorder.end()?;
    ending::done();
    Ok(format!("{count} inputs probed"))
}
