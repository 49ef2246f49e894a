//! An allocator that counts: how many bytes a run has had at once.
//!
//! It is the system's, with two additions of atomic numbers an allocation, and only while somebody listens to goals. The count is that of all
//! threads.

#![expect(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; each call is handed on as it comes"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use super::goal::Goal;

/// Bytes that were allocated since somebody listens, without those that were freed. Less than 0 if older ones were.
static CURRENT: AtomicIsize = AtomicIsize::new(0);
/// The most of them since the run began.
static MOST: AtomicIsize = AtomicIsize::new(0);
static IS_COUNTING: AtomicBool = AtomicBool::new(false);

/// The system's allocator, which counts: with it, the bytes that a run has at once are a goal of the name `allocated`, for `pleach evolve` and
/// `pleach fuzz --goal`.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: pleach::libfuzzer::Counting = pleach::libfuzzer::Counting;
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Counting {
    #[inline]
    fn add(size: usize) {
        if Goal::is_heard() {
            IS_COUNTING.store(true, Ordering::Relaxed);
            // No allocation has more bytes than an `isize` counts.
            let size = size as isize;
            let before = CURRENT.fetch_add(size, Ordering::Relaxed);
            MOST.fetch_max(before.wrapping_add(size), Ordering::Relaxed);
        } else if !IS_COUNTING.load(Ordering::Relaxed) {
            IS_COUNTING.store(true, Ordering::Relaxed);
        }
    }

    #[inline]
    fn subtract(size: usize) {
        if Goal::is_heard() {
            CURRENT.fetch_sub(size as isize, Ordering::Relaxed);
        }
    }
}

// SAFETY: every call is the system allocator's, with the same arguments; what is counted beside it allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::add(layout.size());
        // SAFETY: the caller keeps the trait's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Counting::subtract(layout.size());
        // SAFETY: as above; the pointer is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Counting::add(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Counting::add(size);
        Counting::subtract(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Whether this program has such an allocator: it has allocated something by now.
pub(super) fn is_counting() -> bool {
    IS_COUNTING.load(Ordering::Relaxed)
}

/// A run begins: what is allocated.
#[inline]
pub(super) fn begin() -> isize {
    let now = CURRENT.load(Ordering::Relaxed);
    MOST.store(now, Ordering::Relaxed);
    now
}

/// The most bytes at once since then, beyond those.
pub(super) fn most_since(begun: isize) -> usize {
    let most = MOST.load(Ordering::Relaxed).saturating_sub(begun);
    usize::try_from(most).unwrap_or(0)
}

#[cfg(test)]
pub(super) mod tests {
    use std::alloc::{GlobalAlloc as _, Layout};

    use super::{Counting, begin, most_since};

    /// Part of the test of reports, which are global as well, once somebody listens.
    pub(in super::super) fn the_most_bytes_at_once_are_counted() {
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        let begun = begin();
        // SAFETY: each block is freed with the layout that it has by then.
        unsafe {
            let one = Counting.alloc(layout(1000));
            let other = Counting.alloc_zeroed(layout(500));
            Counting.dealloc(one, layout(1000));
            let other = Counting.realloc(other, layout(500), 700);
            Counting.dealloc(other, layout(700));
        }
        assert_eq!(most_since(begun), 1500);
        let begun = begin();
        // SAFETY: as above.
        unsafe { Counting.dealloc(Counting.alloc(layout(64)), layout(64)) };
        assert_eq!(most_since(begun), 64);
        assert!(super::is_counting());
    }
}
