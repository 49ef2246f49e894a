//! Where steering leads: to k-paths that are not covered, the shortest first, then to any.
//!
//! Coverage is kept for one k, the greatest that memory allows, and what follows from it for every smaller level is kept
//! beside it: a window that is covered for the first time is projected to all levels, which happens once a window. So k grows
//! by itself, a campaign's state is nothing but the windows that its inputs have, and a process that runs the same inputs
//! has the same state.
//!
//! A target is drawn from the lowest level that has something uncovered, sometimes from the one above; mostly from the one above where
//! nearly everything is covered: what is left there may be beyond the limits. When all is covered, any
//! window is the target. To seek the rarest of a few cost one run in nine, and brought edges in none of eight programs.
//!
//! An input that crashes covers nothing, since its process is gone; the next one would seek the same path and crash again. So the
//! paths of known crashes are not targets, and those of them that no input has survived, on any level, are *suspects*: with them,
//! a mutant is likely to crash like the others, the likelier the more crashes had them. One input that survives clears them.

use crate::bitset::BitSet;
use crate::id::SymbolId;
use crate::kpath::{Coverage, KPaths, NO_WINDOW};
use crate::rng::Rng;

/// The windows that may be told apart: tables of eight bytes each.
pub const MAX_WINDOWS: u64 = 1 << 18;
/// The level of the features that the engine sees, unless set otherwise. Higher ones fill a corpus with inputs that cover
/// nothing new.
pub const DEFAULT_FEATURE_LEVEL: usize = 2;
/// How often a target is looked for on the next level, although the present one has some left; out of 1000.
const AHEAD: u32 = 250;
/// The same where nearly all of the present level is covered, and how much of it may be left then: one in so many.
const AHEAD_NEARLY: u32 = 900;
const NEARLY: usize = 16;
/// How many windows are looked at for one that an input has survived.
const TRIES: usize = 8;

/// What has been covered, on all levels.
#[derive(Debug)]
pub(super) struct Steering {
    coverage: Coverage,
    /// The covered paths of the levels below k, from 1 on.
    lower: Vec<BitSet>,
    /// The feature of each window that has been covered, else [`NO_WINDOW`].
    features: Vec<u32>,
    /// The level of the features; 0 for none.
    feature_level: usize,
    /// The paths of each level, from 1 to k, that an input has covered or a crash has had; empty before the first crash.
    passed: Vec<BitSet>,
    /// How many crashes had each path, of the same levels.
    crashes: Vec<Vec<u16>>,
    path: Vec<SymbolId>,
}

impl Steering {
    pub(super) fn new(coverage: Coverage) -> Steering {
        let kpaths = coverage.kpaths();
        let levels = 1..kpaths.k();
        Steering {
            lower: levels
                .map(|level| BitSet::new(kpaths.len_at(level) as usize))
                .collect(),
            features: vec![NO_WINDOW; coverage.windows().len()],
            feature_level: DEFAULT_FEATURE_LEVEL,
            passed: Vec::new(),
            crashes: Vec::new(),
            path: Vec::new(),
            coverage,
        }
    }

    pub(super) fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Sets the level of the features, before anything is marked.
    pub(super) fn set_feature_level(&mut self, level: usize) {
        self.feature_level = level;
    }

    pub(super) fn has_features(&self) -> bool {
        self.feature_level > 0
    }

    /// Marks the windows of an input as covered and says how many were new.
    pub(super) fn mark(&mut self, windows: impl Iterator<Item = u32>) -> usize {
        let mut new = 0;
        // Runs of sites are gone through fastest from within.
        windows.for_each(|window| {
            if self.coverage.insert(window) {
                new += 1;
                self.project(window);
            }
        });
        new
    }

    #[cfg(test)]
    pub(super) fn at_level(&self, level: usize) -> &BitSet {
        &self.lower[level - 1]
    }

    /// The paths of a level, up to k, that an input has covered or a crash has had.
    fn passed(&self, level: usize) -> &BitSet {
        let windows = self.coverage.windows();
        let at = level.saturating_sub(1);
        let passed = self.passed.get(at);
        passed.or(self.lower.get(at)).unwrap_or(windows)
    }

    /// Whether a path of a level, by its rank, has been covered, or a crash has had it.
    pub(super) fn has_passed(&self, level: usize, rank: u64) -> bool {
        self.passed(level).contains(rank as usize)
    }

    /// Whether little or nothing of a level is left.
    pub(super) fn is_nearly_covered(&self, level: usize) -> bool {
        is_nearly_covered(self.passed(level))
    }

    /// How many paths of a level are left.
    #[cfg(test)]
    pub(super) fn left(&self, level: usize) -> usize {
        self.passed(level).count_zeros()
    }

    /// The engine's feature of a window that is covered.
    #[inline]
    pub(super) fn feature(&self, window: u32) -> u32 {
        self.features.get(window as usize).copied().unwrap_or(0)
    }

    /// Covers what a window, covered for the first time, has of the lower levels.
    fn project(&mut self, window: u32) {
        let kpaths = self.coverage.kpaths();
        if !kpaths.window_into(u64::from(window), &mut self.path) {
            return;
        }
        let path = &self.path[..];
        let levels = || ranks(kpaths, path, window);
        for sets in [&mut self.lower, &mut self.passed] {
            for (rank, set) in levels().zip(sets) {
                rank.map(|rank| set.insert(rank));
            }
        }
        // Paths from the root that are shorter have numbers of their own, above those of all others.
        let level = self.feature_level.clamp(1, kpaths.k());
        let suffix = path.len().checked_sub(level).map(|start| &path[start..]);
        let feature = match suffix.and_then(|suffix| kpaths.rank(suffix)) {
            Some(rank) => rank,
            None => kpaths.len_at(level) + u64::from(window).saturating_sub(kpaths.len()),
        };
        self.features[window as usize] = feature as u32;
    }

    /// Takes in the windows of an input that crashes.
    pub(super) fn shun(&mut self, windows: impl Iterator<Item = u32>) {
        if self.passed.is_empty() {
            self.passed = self.lower.clone();
            self.passed.push(self.coverage.windows().clone());
            self.crashes = self.passed.iter().map(|it| vec![0; it.len()]).collect();
        }
        let kpaths = self.coverage.kpaths();
        let mut paths = Vec::new();
        for window in windows.filter(|&window| window != NO_WINDOW) {
            if !self.coverage.windows().contains(window as usize)
                && kpaths.window_into(u64::from(window), &mut self.path)
            {
                let ranks = ranks(kpaths, &self.path, window).enumerate();
                paths.extend(ranks.filter_map(|(at, rank)| Some((at, rank?))));
            }
        }
        paths.sort_unstable();
        paths.dedup();
        for (at, rank) in paths {
            self.passed[at].insert(rank);
            let count = &mut self.crashes[at][rank];
            *count = count.saturating_add(1);
        }
    }

    /// Whether there are suspects at all.
    pub(super) fn has_suspects(&self) -> bool {
        !self.passed.is_empty()
    }

    /// Of the paths that end with this window, of all levels: the most crashes that one had which no input has survived.
    pub(super) fn crashes(&mut self, window: u32) -> u16 {
        let kpaths = self.coverage.kpaths();
        // Most windows are covered, and so is all that they end with.
        if self.passed.is_empty()
            || self.coverage.windows().contains(window as usize)
            || !kpaths.window_into(u64::from(window), &mut self.path)
        {
            return 0;
        }
        let covered = self.lower.iter().chain([self.coverage.windows()]);
        let levels = covered.zip(&self.crashes);
        ranks(kpaths, &self.path, window)
            .zip(levels)
            .filter_map(|(rank, (covered, crashes))| match covered.contains(rank?) {
                true => None,
                false => crashes.get(rank?).copied(),
            })
            .max()
            .unwrap_or(0)
    }

    /// Draws a target into `path`, and says whether it has to begin at the root. `None` if the grammar has no paths.
    pub(super) fn target(&self, rng: &mut Rng, path: &mut Vec<SymbolId>) -> Option<bool> {
        let kpaths = self.coverage.kpaths();
        let k = kpaths.k();
        // 1-paths are covered on the way to 2-paths.
        for level in 2.min(k)..k {
            let covered = self.passed(level);
            let left = covered.count_zeros();
            let ahead = match is_nearly_covered(covered) {
                true => AHEAD_NEARLY,
                false => AHEAD,
            };
            if left == 0 || rng.per_mille(ahead) {
                continue;
            }
            let rank = covered.select_zero(rng.index(left))? as u64;
            path.clear();
            path.extend(kpaths.unrank_at(level, rank)?);
            return Some(false);
        }
        let windows = self.passed.last().unwrap_or(self.coverage.windows());
        let left = windows.count_zeros();
        let window = match left {
            0 => self.survived(rng)?,
            _ => windows.select_zero(rng.index(left))? as u32,
        };
        kpaths.window_into(u64::from(window), path).then_some(())?;
        Some(u64::from(window) >= kpaths.len())
    }

    /// One that an input has survived.
    fn survived(&self, rng: &mut Rng) -> Option<u32> {
        let windows = self.coverage.windows();
        let mut drawn = (0..TRIES).map(|_| rng.index(windows.len()));
        let found = drawn.find(|&window| windows.contains(window))?;
        Some(found as u32)
    }
}

/// What a window ends with, on the levels from 1 to k, by the numbers there: a window of k symbols or fewer has its own number
/// on the last.
fn ranks<'a>(
    kpaths: &'a KPaths,
    path: &'a [SymbolId],
    window: u32,
) -> impl Iterator<Item = Option<usize>> + 'a {
    (1..kpaths.k())
        .map(|level| {
            let start = path.len().checked_sub(level)?;
            kpaths.rank(&path[start..]).map(|rank| rank as usize)
        })
        .chain([Some(window as usize)])
}

/// Whether little or nothing of a level is left.
fn is_nearly_covered(covered: &BitSet) -> bool {
    covered.count_zeros() * NEARLY <= covered.len()
}
