//! Runs that end the process: panics, signals, sanitizers' reports, exits, and runs whose time is up.
//!
//! Each of them writes a record of the input that runs, with what it has covered so far, and ends the process. Several may come at
//! once, from several threads, and one may come while the run ends well. So there is one number that says which input runs, and
//! whoever takes it away has ended the run; the others find none.
//!
//! A timer looks at the clock a few times a second, instead of being set for each input, which would cost a system call.

#![expect(
    unsafe_code,
    reason = "signals, timers and clocks are the system's; a handler may use nothing else"
)]

use std::mem::MaybeUninit;
use std::panic::PanicHookInfo;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::super::counters::Target;
use super::record::{self, Verdict};
use super::request::Request;

/// Time that passes.
pub(super) const MONOTONIC: libc::clockid_t = libc::CLOCK_MONOTONIC;
/// Time that this process was computing.
const CPU: libc::clockid_t = libc::CLOCK_PROCESS_CPUTIME_ID;
/// A run of fewer nanoseconds has taken what the wall clock says.
const SHORT: u64 = 50_000;
/// Microseconds between two looks at the clock.
const TICK: u64 = 50_000;
/// The exit code after a record that is the last.
const FAILED: libc::c_int = 77;
/// Bytes of a panic's message that are kept.
const MESSAGE: usize = 4096;

/// One more than the number of the input that runs; 0 if none does.
static RUNNING: AtomicU32 = AtomicU32::new(0);
/// When it began, by the wall clock and by the CPU clock.
static BEGUN: AtomicU64 = AtomicU64::new(0);
static BEGUN_CPU: AtomicU64 = AtomicU64::new(0);
/// What the two clocks said when the CPU clock was read last.
static READ: AtomicU64 = AtomicU64::new(0);
static READ_CPU: AtomicU64 = AtomicU64::new(0);

static TIMEOUT: AtomicU64 = AtomicU64::new(u64::MAX);
/// In MiB.
static MEMORY: AtomicU64 = AtomicU64::new(u64::MAX);
static TARGET: OnceLock<Target> = OnceLock::new();

/// The signals that end a process, with their names.
const FATAL: [(libc::c_int, &str); 8] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGSYS, "SIGSYS"),
    (libc::SIGXFSZ, "SIGXFSZ"),
];

/// Sees to it that whatever ends the process leaves a record.
pub(super) fn prepare(target: &Target, request: &Request) {
    let _ = TARGET.set(*target);
    TIMEOUT.store(request.timeout, Ordering::Relaxed);
    MEMORY.store(request.memory, Ordering::Relaxed);
    // In place of the engine's, which prints and aborts.
    std::panic::set_hook(Box::new(panicked));
    for (signal, _) in FATAL {
        handle(signal, fatal);
    }
    handle(libc::SIGALRM, tick);
    let period = libc::timeval {
        tv_sec: 0,
        tv_usec: TICK as libc::suseconds_t,
    };
    let timer = libc::itimerval {
        it_interval: period,
        it_value: period,
    };
    // SAFETY: the timer is only read. The functions stay where they are.
    unsafe {
        libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut());
        libc::atexit(exited);
        if let Some(set_death_callback) = target.set_death_callback {
            set_death_callback(sanitizer);
        }
    }
}

/// A run begins.
pub(super) fn begin(input: u32) {
    let now = clock(MONOTONIC);
    let since = now.saturating_sub(READ.load(Ordering::Relaxed));
    let cpu = match since > SHORT {
        true => read_cpu(now),
        false => READ_CPU.load(Ordering::Relaxed) + since,
    };
    BEGUN.store(now, Ordering::Relaxed);
    BEGUN_CPU.store(cpu, Ordering::Relaxed);
    RUNNING.store(input + 1, Ordering::SeqCst);
}

/// The run has ended well. Returns its CPU time in nanoseconds.
pub(super) fn end() -> u64 {
    if take().is_none() {
        // Another thread is about to end the process.
        loop {
            std::thread::park();
        }
    }
    let now = clock(MONOTONIC);
    let taken = now.saturating_sub(BEGUN.load(Ordering::Relaxed));
    match taken > SHORT {
        true => read_cpu(now).saturating_sub(BEGUN_CPU.load(Ordering::Relaxed)),
        false => taken,
    }
}

/// All runs have ended: from here on, the process ends like others.
pub(super) fn done() {
    let timer = MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY: zeros are a value of it, and stop the timer; it is only read.
    unsafe { libc::setitimer(libc::ITIMER_REAL, timer.as_ptr(), ptr::null_mut()) };
}

fn read_cpu(now: u64) -> u64 {
    let cpu = clock(CPU);
    READ.store(now, Ordering::Relaxed);
    READ_CPU.store(cpu, Ordering::Relaxed);
    cpu
}

/// What a clock says, in nanoseconds. Signal handlers may ask.
pub(super) fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the call writes the time to memory of its size; zeros are a value of it, too.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Ends the run that is on: the number of its input.
fn take() -> Option<u32> {
    RUNNING.swap(0, Ordering::SeqCst).checked_sub(1)
}

/// Writes the last record and ends the process, if an input runs; else comes back.
fn finish(verdict: Verdict, text: [&[u8]; 3]) {
    if let (Some(target), Some(input)) = (TARGET.get(), take()) {
        let cpu = clock(CPU).saturating_sub(BEGUN_CPU.load(Ordering::Relaxed));
        record::last(input, verdict, cpu, text, target);
        leave();
    }
}

/// Ends the process without anything else that is to be done at its end.
fn leave() -> ! {
    // SAFETY: it runs no code of the process.
    unsafe { libc::_exit(FAILED) }
}

fn panicked(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let payload = info.payload();
    let message = match payload.downcast_ref::<&str>() {
        Some(message) => message,
        None => payload.downcast_ref::<String>().map_or("", String::as_str),
    };
    let message = &message.as_bytes()[..message.len().min(MESSAGE)];
    finish(Verdict::Panicked, [place.as_bytes(), b"\n", message]);
    // No input runs: a thread that outlives its run, say. The engine would end here, too.
    leave()
}

extern "C" fn fatal(signal: libc::c_int) {
    let name = FATAL.iter().find(|(number, _)| *number == signal);
    let name = name.map_or("a signal", |(_, name)| name);
    finish(Verdict::Killed, [name.as_bytes(), b"", b""]);
    leave()
}

/// Looks whether the run takes too long, or too much memory.
extern "C" fn tick(_: libc::c_int) {
    if RUNNING.load(Ordering::SeqCst) == 0 {
        return;
    }
    let taken = clock(MONOTONIC).saturating_sub(BEGUN.load(Ordering::Relaxed));
    if taken >= TIMEOUT.load(Ordering::Relaxed) {
        finish(Verdict::TimedOut, [b"", b"", b""]);
    }
    if resident() > MEMORY.load(Ordering::Relaxed) {
        finish(Verdict::Killed, [b"out of memory", b"", b""]);
    }
}

/// The most memory that the process has had, in MiB.
fn resident() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call writes to memory of its size; zeros are a value of it, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1 << 10
    };
    (usage.ru_maxrss as u64).saturating_mul(unit) >> 20
}

extern "C" fn exited() {
    finish(Verdict::Killed, [b"exit", b"", b""]);
}

extern "C" fn sanitizer() {
    finish(Verdict::Killed, [b"sanitizer", b"", b""]);
}

/// Handles a signal, on the other stack if there is one, with all others held back.
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros are a value of it; the handler is a function that stays where it is, takes a signal, and does nothing that handlers
    // may not do.
    unsafe {
        let action = action.assume_init_mut();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(signal, action, ptr::null_mut());
    }
}
