//! Gaps: what is not covered for itself, and not because a part of it is not.
//!
//! Where a symbol is missing, so are all paths through it. So of what is missing only those paths are worth a reader's while whose
//! parts are all there; a path that occurs has all of its parts, so that it is enough to look at the two longest. O(k) for each path
//! that is missing.

use std::ops::Range;

use pleach_core::KPaths;
use pleach_core::id::SymbolId;

use crate::failure::Failure;
use crate::parallel::{ONE, in_parallel};

/// The paths that a thread takes at once.
const BLOCK: u64 = 1 << 14;

/// A path that is missing though all that it is made of is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    pub(super) path: Vec<SymbolId>,
    /// Its rank among the paths of its length.
    pub(super) rank: u64,
}

/// The numbers of a block of `count`.
pub(super) fn block(at: usize, count: u64) -> Range<u64> {
    let start = at as u64 * BLOCK;
    start..count.min(start + BLOCK)
}

/// How many blocks there are.
pub(super) fn blocks(count: u64) -> usize {
    count.div_ceil(BLOCK) as usize
}

/// The gaps of what `has` says is there, among the paths that are wanted, in the order of levels and ranks. Paths are named by their
/// level and rank. With a path, `has` must have all of its parts.
pub(super) fn gaps(
    kpaths: &KPaths,
    is_wanted: impl Fn(usize, u64) -> bool + Sync,
    has: impl Fn(usize, u64) -> bool + Sync,
) -> Result<Vec<Gap>, Failure> {
    let mut gaps = Vec::new();
    for level in 1..=kpaths.k() {
        let count = kpaths.len_at(level);
        let look = |(): &mut (), at: usize| {
            let mut found = Vec::new();
            for rank in block(at, count) {
                if has(level, rank) || !is_wanted(level, rank) {
                    continue;
                }
                let Some(path) = kpaths.unrank_at(level, rank) else {
                    continue;
                };
                let has = |part: &[SymbolId]| {
                    let rank = kpaths.rank(part);
                    part.is_empty() || rank.is_some_and(|rank| has(part.len(), rank))
                };
                if has(&path[1..]) && has(&path[..level - 1]) {
                    found.push(Gap { path, rank });
                }
            }
            Ok(found)
        };
        let (found, _) = in_parallel(blocks(count), ONE, || Ok(()), look)?;
        gaps.extend(found.into_iter().flatten());
    }
    Ok(gaps)
}
