//! The sanitizer's counters, its PC table, and the target's callback, found by their names.
//!
//! The compiler puts a counter of 8 bits for each place that it watches into one section, and a pair of words, an address and flags,
//! into another, in the same order; bit 0 of the flags marks the first place of a function. Linkers have names for where
//! sections begin and end. But programs without such sections (tests, builds without instrumentation) have to link as well. So
//! the names are weak: they are 0 where there is nothing. Rust cannot say that, so a few lines for the assembler do.
//!
//! That works for ELF. In Mach-O the linker makes such sections up if they are missing, and the callback is looked for while the program
//! runs, as the engine looks for functions that a target may have. On other platforms there is no probe.

#![expect(
    unsafe_code,
    reason = "sections and functions that the linker knows by name; no crate wraps them"
)]
#![cfg_attr(not(unix), allow(dead_code, reason = "probes are on Unix only"))]

use std::ffi::c_int;
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What a fuzz target takes: bytes and their number.
type Callback = unsafe extern "C" fn(*const u8, usize) -> c_int;

/// Addresses of what the linker knows; 0 where there is nothing.
#[derive(Clone, Debug)]
struct Names {
    counters: Range<usize>,
    table: Range<usize>,
    callback: usize,
    /// What is called when a sanitizer is about to end the process.
    set_death_callback: usize,
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly"
))]
mod names {
    use super::Names;

    #[cfg(target_pointer_width = "64")]
    macro_rules! word {
        () => {
            ".quad "
        };
    }
    #[cfg(target_pointer_width = "32")]
    macro_rules! word {
        () => {
            ".long "
        };
    }

    core::arch::global_asm!(
        ".weak __start___sancov_cntrs",
        ".hidden __start___sancov_cntrs",
        ".weak __stop___sancov_cntrs",
        ".hidden __stop___sancov_cntrs",
        ".weak __start___sancov_pcs",
        ".hidden __start___sancov_pcs",
        ".weak __stop___sancov_pcs",
        ".hidden __stop___sancov_pcs",
        ".weak LLVMFuzzerTestOneInput",
        ".weak __sanitizer_set_death_callback",
        ".pushsection .data.rel.ro.pleach_probe_names, \"aw\", %progbits",
        ".p2align 3",
        ".globl pleach_probe_names",
        ".hidden pleach_probe_names",
        "pleach_probe_names:",
        concat!(word!(), "__start___sancov_cntrs"),
        concat!(word!(), "__stop___sancov_cntrs"),
        concat!(word!(), "__start___sancov_pcs"),
        concat!(word!(), "__stop___sancov_pcs"),
        concat!(word!(), "LLVMFuzzerTestOneInput"),
        concat!(word!(), "__sanitizer_set_death_callback"),
        ".popsection",
    );

    // SAFETY: it is what the lines above define, and is never written after the program was loaded.
    unsafe extern "C" {
        safe static pleach_probe_names: [usize; 6];
    }

    pub(super) fn find() -> Option<Names> {
        // The loader has filled it in; the compiler must not take that for a constant.
        let [counters, counters_end, table, table_end, callback, death] =
            std::hint::black_box(&pleach_probe_names);
        Some(Names {
            counters: *counters..*counters_end,
            table: *table..*table_end,
            callback: *callback,
            set_death_callback: *death,
        })
    }
}

#[cfg(target_vendor = "apple")]
mod names {
    use std::ptr;

    use super::Names;

    // SAFETY: the linker defines them, as bounds of sections that are empty if there are none of that name.
    unsafe extern "C" {
        #[link_name = "\u{1}section$start$__DATA$__sancov_cntrs"]
        static COUNTERS: u8;
        #[link_name = "\u{1}section$end$__DATA$__sancov_cntrs"]
        static COUNTERS_END: u8;
        #[link_name = "\u{1}section$start$__DATA$__sancov_pcs"]
        static TABLE: u8;
        #[link_name = "\u{1}section$end$__DATA$__sancov_pcs"]
        static TABLE_END: u8;
    }

    pub(super) fn find() -> Option<Names> {
        // SAFETY: the names end with a zero; what is not there is null.
        let look_up = |name: &std::ffi::CStr| unsafe {
            libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).addr()
        };
        Some(Names {
            counters: (&raw const COUNTERS).addr()..(&raw const COUNTERS_END).addr(),
            table: (&raw const TABLE).addr()..(&raw const TABLE_END).addr(),
            callback: look_up(c"LLVMFuzzerTestOneInput"),
            set_death_callback: look_up(c"__sanitizer_set_death_callback"),
        })
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly",
    target_vendor = "apple"
)))]
mod names {
    use super::Names;

    pub(super) fn find() -> Option<Names> {
        None
    }
}

/// The target of this program, with its counters and its PC table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    callback: Callback,
    counters: &'static [AtomicU8],
    table: &'static [[usize; 2]],
    pub(super) set_death_callback: Option<unsafe extern "C" fn(extern "C" fn())>,
}

impl Target {
    /// Finds it; says what is missing.
    pub(super) fn find() -> Result<Target, String> {
        let names = names::find()
            .ok_or("there is no probe on this platform, only on Unix\nhelp: run this on Linux")?;
        if names.callback == 0 {
            return Err(
                "this program has no LLVMFuzzerTestOneInput\nhelp: define its target by `pleach::fuzz!`, or by \
                 `fuzz_target!` of libfuzzer-sys"
                    .into(),
            );
        }
        let bytes = names.counters.len();
        let entries = names.table.len() / size_of::<[usize; 2]>();
        if bytes == 0 || entries == 0 {
            return Err(
                "this program has no counters, so nothing can be said of what an input reaches\nhelp: build it by \
                 `cargo fuzz build` or `pleach fuzz`"
                    .into(),
            );
        }
        if bytes != entries {
            return Err(format!(
                "this program has {bytes} counters, but {entries} entries in its PC table\nhelp: build it by \
                 `cargo fuzz build` or `pleach fuzz`"
            ));
        }
        // SAFETY: a function of this name is the engine's entry to a target, and has this type. The sections are of these sizes
        // and live as long as the program; the table is never written, and the counters, which the program writes at
        // any time, are bytes that may be looked at as atomic ones.
        unsafe {
            Ok(Target {
                callback: std::mem::transmute::<usize, Callback>(names.callback),
                counters: slice::from_raw_parts(names.counters.start as *const AtomicU8, bytes),
                table: slice::from_raw_parts(names.table.start as *const [usize; 2], entries),
                set_death_callback: std::mem::transmute::<
                    usize,
                    Option<unsafe extern "C" fn(extern "C" fn())>,
                >(names.set_death_callback),
            })
        }
    }

    /// Runs the target on an input and returns what it returns.
    pub(super) fn run(&self, input: &[u8]) -> i32 {
        // SAFETY: the engine calls it in the same way, with bytes that live until it returns.
        unsafe { (self.callback)(input.as_ptr(), input.len()) }
    }

    /// Sets all counters to zero.
    pub(super) fn clear(&self) {
        let counters = self.counters.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: they are bytes that may be written. Threads of the target that count meanwhile lose or keep a count, as they
        // do when the engine clears the counters.
        unsafe { counters.write_bytes(0, self.counters.len()) };
    }

    /// Whether there is a counter of this number.
    pub(super) fn has_point(&self, point: u32) -> bool {
        (point as usize) < self.counters.len()
    }

    /// Whether a counter is not zero.
    pub(super) fn is_covered(&self, point: u32) -> bool {
        let counter = self.counters.get(point as usize);
        counter.is_some_and(|it| it.load(Ordering::Relaxed) != 0)
    }

    /// Puts the numbers of the counters that are not zero in `points`.
    pub(super) fn covered(&self, points: &mut Vec<u32>) {
        points.clear();
        self.each_covered(|point| points.push(point));
    }

    /// Hands on the numbers of the counters that are not zero, in ascending order. Allocates nothing.
    pub(super) fn each_covered(&self, mut found: impl FnMut(u32)) {
        // SAFETY: eight atomic bytes may be read as one atomic word where nobody writes words.
        let (head, words, tail) = unsafe { self.counters.align_to::<AtomicU64>() };
        let mut at = 0;
        let mut bytes = |bytes: &[AtomicU8], at: &mut u32| {
            for counter in bytes {
                if counter.load(Ordering::Relaxed) != 0 {
                    found(*at);
                }
                *at += 1;
            }
        };
        bytes(head, &mut at);
        for (number, word) in words.iter().enumerate() {
            if word.load(Ordering::Relaxed) != 0 {
                let from = head.len() + 8 * number;
                bytes(&self.counters[from..from + 8], &mut (from as u32));
            }
        }
        at += 8 * words.len() as u32;
        bytes(tail, &mut at);
    }

    /// The sum of the counters. Allocates nothing.
    pub(super) fn count(&self) -> u64 {
        let counts = self.counters.iter();
        counts.map(|it| u64::from(it.load(Ordering::Relaxed))).sum()
    }

    /// The address of the callback, by which a reader finds out where the program was loaded.
    pub(super) fn anchor(&self) -> u64 {
        self.callback as usize as u64
    }

    /// Where the counters are in the program, and whether a function begins there.
    pub(super) fn places(&self) -> impl ExactSizeIterator<Item = (u64, bool)> {
        self.table
            .iter()
            .map(|&[address, flags]| (address as u64, flags & 1 == 1))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU8;

    use super::Target;

    unsafe extern "C" fn returns_length(_: *const u8, len: usize) -> std::ffi::c_int {
        len as std::ffi::c_int
    }

    #[test]
    fn a_program_that_is_no_target_links_and_says_so() {
        let message = Target::find().unwrap_err();
        assert!(message.contains("no LLVMFuzzerTestOneInput"), "{message}");
    }

    #[test]
    fn counters_are_found_wherever_they_begin() {
        let counters: &'static [AtomicU8] = Box::leak((0..64).map(|_| AtomicU8::new(0)).collect());
        for from in 0..8 {
            for to in 40..64 {
                let target = Target {
                    callback: returns_length,
                    counters: &counters[from..to],
                    table: &[],
                    set_death_callback: None,
                };
                let mut points = vec![9];
                for step in [1, 3, 7, 13] {
                    target.clear();
                    for at in (0..to - from).step_by(step) {
                        counters[from + at].store(200, std::sync::atomic::Ordering::Relaxed);
                    }
                    target.covered(&mut points);
                    let expected: Vec<u32> = (0..(to - from) as u32).step_by(step).collect();
                    assert_eq!(points, expected);
                    assert_eq!(target.count(), 200 * expected.len() as u64);
                }
                target.clear();
                target.covered(&mut points);
                assert!(points.is_empty());
                assert_eq!(target.run(b"abc"), 3);
            }
        }
    }
}
