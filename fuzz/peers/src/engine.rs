//! Peer: libFuzzer's own mutations.
//!
//! `LLVMFuzzerMutate` works only while libFuzzer runs. So all measuring takes place inside the target callback of a
//! libFuzzer run with one execution, and every arm shares the process and the rounds with this one.

use crate::arms::{Arm, Pool, Task};
use libfuzzer_sys::fuzzer_mutate;
use std::ffi::{c_char, c_int};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Mutex;

/// The name of the arm.
pub const NAME: &str = "LLVMFuzzerMutate";

/// The most bytes that a mutated input may have.
const MAX_SIZE: usize = 4096;

/// How often an input is mutated before the next one is taken, as in a campaign.
const STACKED: usize = 5;

/// Random mutations of the bytes of a text, five on each copy of it. Copying it is part of the time.
pub fn mutate(pool: &Rc<Pool>) -> Arm {
    let pool = Rc::clone(pool);
    let workload = pool.workload(Task::Mutate);
    let mut buffer = vec![0; MAX_SIZE];
    let mut turn = 0;
    Arm::new(NAME, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            let mut left = operations as usize;
            while left > 0 {
                let text = &pool.sentence(turn).text;
                turn += 1;
                buffer[..text.len()].copy_from_slice(text);
                let mut size = text.len();
                let stacked = left.min(STACKED);
                for _ in 0..stacked {
                    size = fuzzer_mutate(&mut buffer, size, MAX_SIZE);
                    bytes += size;
                    black_box(&mut buffer);
                }
                left -= stacked;
            }
        });
        meter.add_bytes(bytes);
    })
}

/// What is to be done inside the target callback.
static WORK: Mutex<Option<Work>> = Mutex::new(None);

type Work = Box<dyn FnOnce() + Send>;

#[allow(
    unsafe_code,
    reason = "declares libFuzzer's entry point for programs with a main function of their own"
)]
mod foreign {
    use super::{c_char, c_int};

    unsafe extern "C" {
        /// Runs libFuzzer with the given command line; ends the process.
        pub(super) fn LLVMFuzzerRunDriver(
            argc: *mut c_int,
            argv: *mut *mut *mut c_char,
            target: extern "C" fn(*const u8, usize) -> c_int,
        ) -> c_int;
    }
}

/// The target: the first execution does the work, later ones do nothing.
extern "C" fn target(_data: *const u8, _size: usize) -> c_int {
    let work = WORK.lock().expect("nobody panicked with the lock").take();
    if let Some(work) = work {
        work();
    }
    0
}

/// Does `work` inside a libFuzzer run, and ends the process when it is done.
#[allow(
    unsafe_code,
    reason = "libFuzzer has no safe entry point for programs with a main function of their own"
)]
pub fn run_inside(work: impl FnOnce() + Send + 'static) -> ! {
    *WORK.lock().expect("nobody panicked with the lock") = Some(Box::new(work));
    // One execution; no watching of time and memory by other threads and signals.
    let flags = [
        c"cpu",
        c"-runs=1",
        c"-timeout=0",
        c"-rss_limit_mb=0",
        c"-verbosity=0",
        c"-seed=1",
    ];
    let mut arguments: Vec<*mut c_char> =
        flags.iter().map(|flag| flag.as_ptr().cast_mut()).collect();
    let mut count = arguments.len() as c_int;
    arguments.push(std::ptr::null_mut());
    let mut pointer = arguments.as_mut_ptr();
    // SAFETY: `count` arguments, all of them nul-terminated and static, and a null pointer after them, as for `main`;
    // everything outlives the call. libFuzzer copies the arguments and does not write to them. The target neither keeps
    // its data nor unwinds (a panic cannot leave an `extern "C"` function).
    unsafe { foreign::LLVMFuzzerRunDriver(&mut count, &mut pointer, target) };
    std::process::exit(0)
}
