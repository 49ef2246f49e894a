//! What a probe writes.
//!
//! The file `records` is a row of frames: one byte that says what it is, the number of the bytes that follow as four bytes, and these. All
//! numbers have their least significant byte first.
//!
//! | frame | bytes |
//! |---|---|
//! | `H` | 8: the address of `LLVMFuzzerTestOneInput`. For each entry of the PC table 8: its address; and for each 1: 1 if a function begins there |
//! | `S` | a set of points, numbered from 0 in the order of these frames: for each point 4, its number in the PC table, ascending |
//! | `R` | a run: 4, the number of the input; 4, that of the set; 8, nanoseconds of CPU time; 1, the [`Verdict`]; then text, if there is any |
//! | `N` | a name of numbers that the target reports, numbered from 0 in the order of these frames |
//! | `G` | before the run that they belong to, if they were asked for: 8, the sum of its edge counts; for each number that was reported 4, that of its name, and 8, its bits as an `f64` |
//! | `E` | nothing; all inputs were run |
//!
//! A file that ends within a frame, or without `E`, is that of a process that has died. Frames of other names are for readers to come.
//!
//! Frames gather in a buffer, which is written when it is full and every tenth of a second. The buffer has a fixed place, so that a signal
//! handler can write what is left in it.

#![expect(
    unsafe_code,
    reason = "a signal handler writes from the same buffer, without locks and by the system's own calls"
)]

use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{IntoRawFd as _, RawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

use super::super::counters::Target;
use super::super::goal;
use super::ending::{MONOTONIC, clock};

/// Bytes of frames that gather.
const CAPACITY: usize = 1 << 16;
/// Nanoseconds after which they are written in any case.
const PERIOD: u64 = 100_000_000;
/// The bytes of a frame before its own.
const HEAD: usize = 5;
/// The bytes of a run without its text.
const RUN: usize = 17;
/// The most bytes of numbers.
const NUMBERS: usize = 8 + 12 * goal::MOST;

/// What became of an input. The numbers are those of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Verdict {
    Kept = 0,
    Rejected = 1,
    /// The text is the place, a line break, and the message.
    Panicked = 2,
    TimedOut = 3,
    /// The text says by what.
    Killed = 4,
}

/// Frames that are not written yet.
struct Pending {
    bytes: UnsafeCell<[u8; CAPACITY]>,
    /// How many of them are whole frames.
    len: AtomicUsize,
}

// SAFETY: the thread that runs the inputs writes behind `len` only while no input runs, and whoever ends the process reads
// before it, while one runs: which of the two it is, is decided by one atomic exchange (`ending::end`, `ending::take`).
unsafe impl Sync for Pending {}

static PENDING: Pending = Pending {
    bytes: UnsafeCell::new([0; CAPACITY]),
    len: AtomicUsize::new(0),
};
/// Where frames are written.
static FILE: AtomicI32 = AtomicI32::new(-1);
/// The sets that there are frames for.
static SETS: AtomicU32 = AtomicU32::new(0);
/// The names that there are frames for.
static NAMES: AtomicUsize = AtomicUsize::new(0);

/// Writes records, while all goes well.
#[derive(Debug)]
pub(super) struct Recorder {
    path: PathBuf,
    /// Whether every record is written at once.
    flush: bool,
    /// The numbers of sets, by two hashes of 64 bits.
    sets: BTreeMap<[u64; 2], u32>,
    hashers: [ahash::RandomState; 2],
    /// When the buffer was written last.
    written: u64,
}

impl Recorder {
    /// Makes the file.
    pub(super) fn create(path: &Path, flush: bool) -> Result<Recorder, String> {
        let file = File::create_new(path)
            .map_err(|error| format!("PLEACH_PROBE: {}: {error}", path.display()))?;
        FILE.store(file.into_raw_fd(), Ordering::Relaxed);
        Ok(Recorder {
            path: path.to_owned(),
            flush,
            sets: BTreeMap::new(),
            hashers: [1, 2].map(|seed| ahash::RandomState::with_seeds(seed, 0, 0, 0)),
            written: clock(MONOTONIC),
        })
    }

    /// Says where the points are.
    pub(super) fn head(&mut self, target: &Target) -> Result<(), String> {
        let places = target.places();
        let mut bytes = Vec::with_capacity(8 + 9 * places.len());
        bytes.extend(target.anchor().to_le_bytes());
        bytes.extend(places.flat_map(|(address, _)| address.to_le_bytes()));
        bytes.extend(target.places().map(|(_, is_entry)| u8::from(is_entry)));
        self.frame(b'H', &bytes)?;
        self.write()
    }

    /// Adds a run that has covered these points.
    pub(super) fn add(
        &mut self,
        input: u32,
        verdict: Verdict,
        cpu: u64,
        points: &[u32],
    ) -> Result<(), String> {
        let hashes = [0, 1].map(|at| self.hashers[at].hash_one(points));
        let set = match self.sets.get(&hashes) {
            Some(&set) => set,
            None => {
                let set = SETS.load(Ordering::Relaxed);
                let bytes: Vec<u8> = points.iter().flat_map(|it| it.to_le_bytes()).collect();
                self.frame(b'S', &bytes)?;
                self.sets.insert(hashes, set);
                SETS.store(set + 1, Ordering::Relaxed);
                set
            }
        };
        self.frame(b'R', &run(input, set, cpu, verdict))?;
        if self.flush || clock(MONOTONIC).saturating_sub(self.written) > PERIOD {
            self.write()?;
        }
        Ok(())
    }

    /// Adds the edge counts of the run that is added next, and the numbers that it has reported.
    pub(super) fn numbers(&mut self, count: u64) -> Result<(), String> {
        for name in goal::names(NAMES.load(Ordering::Relaxed)) {
            self.frame(b'N', name.as_bytes())?;
            NAMES.fetch_add(1, Ordering::Relaxed);
        }
        let (bytes, len) = numbers(count);
        self.frame(b'G', &bytes[..len])
    }

    /// Says that all inputs were run.
    pub(super) fn end(&mut self) -> Result<(), String> {
        self.frame(b'E', &[])?;
        self.write()
    }

    fn frame(&mut self, name: u8, bytes: &[u8]) -> Result<(), String> {
        let len = HEAD + bytes.len();
        if PENDING.len.load(Ordering::Relaxed) + len > CAPACITY {
            self.write()?;
        }
        let head = head(name, bytes.len());
        if len > CAPACITY {
            return match put(&head) && put(bytes) {
                true => Ok(()),
                false => Err(self.failed()),
            };
        }
        let from = PENDING.len.load(Ordering::Relaxed);
        // SAFETY: see `Pending`; there is room for `len` bytes behind `from`.
        unsafe {
            let to = PENDING.bytes.get().cast::<u8>().add(from);
            to.copy_from_nonoverlapping(head.as_ptr(), HEAD);
            to.add(HEAD)
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        PENDING.len.store(from + len, Ordering::Release);
        Ok(())
    }

    fn write(&mut self) -> Result<(), String> {
        self.written = clock(MONOTONIC);
        match write_pending() {
            true => Ok(()),
            false => Err(self.failed()),
        }
    }

    fn failed(&self) -> String {
        let error = std::io::Error::last_os_error();
        format!("PLEACH_PROBE: {}: {error}", self.path.display())
    }
}

/// Writes a run that ends the process, and all that was written before it. For signal handlers: it allocates nothing and takes no lock.
pub(super) fn last(input: u32, verdict: Verdict, cpu: u64, text: [&[u8]; 3], target: &Target) {
    let mut count = 0usize;
    target.each_covered(|_| count += 1);
    let run = run(input, SETS.load(Ordering::Relaxed), cpu, verdict);
    let len = text.iter().map(|it| it.len()).sum::<usize>();
    let mut is_written = write_pending() && put(&head(b'S', 4 * count));
    let mut block = [0; 1024];
    let mut filled = 0;
    // Threads that go on may cover more meanwhile.
    target.each_covered(|point| {
        if count == 0 {
            return;
        }
        count -= 1;
        block[filled..filled + 4].copy_from_slice(&point.to_le_bytes());
        filled += 4;
        if filled == block.len() {
            is_written = is_written && put(&block);
            filled = 0;
        }
    });
    is_written = is_written && put(&block[..filled]);
    if goal::Goal::is_heard() {
        for name in goal::names(NAMES.load(Ordering::Relaxed)) {
            is_written = is_written && put(&head(b'N', name.len())) && put(name.as_bytes());
        }
        let (bytes, len) = numbers(target.count());
        is_written = is_written && put(&head(b'G', len)) && put(&bytes[..len]);
    }
    let _ = is_written && put(&head(b'R', RUN + len)) && put(&run) && text.iter().all(|it| put(it));
}

fn head(name: u8, len: usize) -> [u8; HEAD] {
    let [a, b, c, d] = (len as u32).to_le_bytes();
    [name, a, b, c, d]
}

fn run(input: u32, set: u32, cpu: u64, verdict: Verdict) -> [u8; RUN] {
    let mut bytes = [0; RUN];
    bytes[..4].copy_from_slice(&input.to_le_bytes());
    bytes[4..8].copy_from_slice(&set.to_le_bytes());
    bytes[8..16].copy_from_slice(&cpu.to_le_bytes());
    bytes[16] = verdict as u8;
    bytes
}

/// The bytes of a frame of numbers, and how many there are.
fn numbers(count: u64) -> ([u8; NUMBERS], usize) {
    let mut bytes = [0; NUMBERS];
    bytes[..8].copy_from_slice(&count.to_le_bytes());
    let mut len = 8;
    for (name, number) in goal::reported() {
        bytes[len..len + 4].copy_from_slice(&name.to_le_bytes());
        bytes[len + 4..len + 12].copy_from_slice(&number.to_bits().to_le_bytes());
        len += 12;
    }
    (bytes, len)
}

fn write_pending() -> bool {
    let len = PENDING.len.swap(0, Ordering::Acquire);
    // SAFETY: see `Pending`; the bytes before `len` stay as they are until this returns.
    put(unsafe { std::slice::from_raw_parts(PENDING.bytes.get().cast::<u8>(), len) })
}

/// Writes bytes to the file. False if that is not possible.
fn put(mut bytes: &[u8]) -> bool {
    let file: RawFd = FILE.load(Ordering::Relaxed);
    while !bytes.is_empty() {
        // SAFETY: the bytes are there to be read.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written) => bytes = &bytes[written..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {
            }
            Err(_) => return false,
        }
    }
    true
}
