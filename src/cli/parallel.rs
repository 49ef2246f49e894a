//! Work on many files, in several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::failure::Failure;

/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 8;
/// The files that a thread takes at once where each is done in no time: a handful of files is done by one thread.
pub(super) const MANY: usize = 64;
/// The same where a single file can take long.
pub(super) const ONE: usize = 1;

/// The most threads that work on files.
pub(super) fn most_threads() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
}

/// Does `task` for each number below `count` on several threads, each with a worker of its own, and gives the results in
/// order together with the workers. A thread takes `block` numbers at once. Of several failures, that of the lowest number is given.
pub(super) fn in_parallel<W: Send, T: Send>(
    count: usize,
    block: usize,
    worker: impl Fn() -> Result<W, Failure> + Sync,
    task: impl Fn(&mut W, usize) -> Result<T, Failure> + Sync,
) -> Result<(Vec<T>, Vec<W>), Failure> {
    let threads = most_threads().min(count.div_ceil(block)).max(1);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = worker()?;
        let mut done: Vec<(usize, Result<T, Failure>)> = Vec::new();
        loop {
            let start = next.fetch_add(block, Ordering::Relaxed);
            if start >= count {
                return Ok((worker, done));
            }
            for at in start..count.min(start + block) {
                let result = task(&mut worker, at);
                let failed = result.is_err();
                done.push((at, result));
                if failed {
                    // Blocks begun earlier go on, so the lowest failure is met by somebody.
                    next.fetch_max(count, Ordering::Relaxed);
                    return Ok((worker, done));
                }
            }
        }
    };
    let finished: Vec<Result<_, Failure>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        handles
            .into_iter()
            .map(|handle| match handle.join() {
                Ok(finished) => finished,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    let mut results = Vec::with_capacity(count);
    let mut workers = Vec::with_capacity(threads);
    for finished in finished {
        let (worker, done) = finished?;
        workers.push(worker);
        results.extend(done);
    }
    results.sort_by_key(|&(at, _)| at);
    let results: Result<Vec<T>, Failure> = results.into_iter().map(|(_, result)| result).collect();
    Ok((results?, workers))
}
