//! How much memory a piece of work holds at most.

use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

/// Whether allocations are counted; off while times are measured.
static COUNTING: AtomicBool = AtomicBool::new(false);

/// Bytes that were allocated since counting began and not freed.
static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The most that [`LIVE`] has been.
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// Does `work` and gives the most bytes that were allocated at a time beyond those at the start. A block that grows counts
/// once, by its new size. What is allocated by C is not counted.
pub fn peak<R>(work: impl FnOnce() -> R) -> (R, usize) {
    LIVE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    COUNTING.store(true, Ordering::Relaxed);
    let result = work();
    COUNTING.store(false, Ordering::Relaxed);
    (result, PEAK.load(Ordering::Relaxed).unsigned_abs())
}

/// Counts a change of so many bytes.
fn count(bytes: isize) {
    if COUNTING.load(Ordering::Relaxed) {
        let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

#[allow(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; every call is passed on to the system's"
)]
mod allocator {
    use std::alloc::{GlobalAlloc, Layout, System};

    use super::count;

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn size(bytes: usize) -> isize {
        // A layout is never larger than this.
        isize::try_from(bytes).unwrap_or(isize::MAX)
    }

    // SAFETY: the system's allocator does everything, with the arguments as they came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(size(layout.size()));
            // SAFETY: the caller's promises are those that are asked for.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(size(layout.size()));
            // SAFETY: the caller's promises are those that are asked for.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            count(-size(layout.size()));
            // SAFETY: the caller's promises are those that are asked for.
            unsafe { System.dealloc(block, layout) }
        }

        unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            count(size(new_size) - size(layout.size()));
            // SAFETY: the caller's promises are those that are asked for.
            unsafe { System.realloc(block, layout, new_size) }
        }
    }
}
