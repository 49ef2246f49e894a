//! Coverage: which windows were seen, and what follows for the k-paths of each level.
//!
//! A bitmap over the windows of one k is all that a campaign keeps; coverage for smaller levels is projected from it when
//! somebody asks (TOSEM article, definitions 3.2 to 3.4).

use std::sync::Arc;

use super::{Error, KPaths};
use crate::bitset::BitSet;
use crate::graph::Graph;
use crate::id::{Id as _, NodeId, SymbolId};
use crate::rng::Rng;

/// The largest coverage bitmap, in bytes: 134 million k-paths.
pub const MAX_BITMAP_BYTES: u64 = 16 << 20;

/// The covered windows of a set of derivation trees.
#[derive(Clone, Debug)]
pub struct Coverage {
    kpaths: Arc<KPaths>,
    windows: BitSet,
}

impl Coverage {
    /// Nothing covered yet. Takes [`Coverage::bytes`] bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] above [`MAX_BITMAP_BYTES`].
    pub fn new(kpaths: &Arc<KPaths>) -> Result<Coverage, Error> {
        let count = kpaths.window_count();
        if count > MAX_BITMAP_BYTES * 8 {
            return Err(Error::TooMany {
                k: kpaths.k(),
                count,
            });
        }
        Ok(Coverage {
            kpaths: kpaths.clone(),
            windows: BitSet::new(count as usize),
        })
    }

    /// The coverage with these bits, as [`Coverage::windows`] gave them; `None` if they do not fit the grammar and k.
    pub fn from_words(kpaths: &Arc<KPaths>, words: Vec<u64>) -> Option<Coverage> {
        let count = usize::try_from(kpaths.window_count()).ok()?;
        Some(Coverage {
            kpaths: kpaths.clone(),
            windows: BitSet::from_words(count, words)?,
        })
    }

    /// The bytes that the coverage of these k-paths takes.
    pub fn bytes(kpaths: &KPaths) -> u64 {
        kpaths.window_count().div_ceil(64) * 8
    }

    /// The k-paths covered or not.
    pub fn kpaths(&self) -> &Arc<KPaths> {
        &self.kpaths
    }

    /// The covered windows, by rank.
    pub fn windows(&self) -> &BitSet {
        &self.windows
    }

    /// Adds a window and says whether it was new.
    #[inline]
    pub fn insert(&mut self, window: u32) -> bool {
        self.windows.insert(window as usize)
    }

    /// Adds windows and says how many were new.
    pub fn add(&mut self, windows: impl IntoIterator<Item = u32>) -> usize {
        windows
            .into_iter()
            .filter(|&window| self.insert(window))
            .count()
    }

    /// Whether a window is covered.
    #[inline]
    pub fn contains(&self, window: u32) -> bool {
        self.windows.contains(window as usize)
    }

    /// Adds all that `other` covers, of the same grammar and k, and says how many windows were new.
    pub fn union(&mut self, other: &Coverage) -> usize {
        self.windows.union_with(&other.windows)
    }

    /// The number of covered k-paths. O(words above the k-paths).
    pub fn covered(&self) -> u64 {
        let short = (self.kpaths.len()..self.kpaths.window_count())
            .filter(|&window| self.windows.contains(window as usize))
            .count();
        self.windows.count_ones() as u64 - short as u64
    }

    /// |paths_k|.
    pub fn total(&self) -> u64 {
        self.kpaths.len()
    }

    /// The covered share of the k-paths; 0 of 0 counts as fully covered.
    pub fn ratio(&self) -> f64 {
        match self.total() {
            0 => 1.0,
            total => self.covered() as f64 / total as f64,
        }
    }

    /// The covered paths of a level j of 1..=k, by rank. O(windows · k).
    pub fn at_level(&self, level: usize) -> BitSet {
        let mut covered = BitSet::new(self.kpaths.len_at(level) as usize);
        for window in self.windows.iter() {
            let Some(path) = self.kpaths.window(window as u64) else {
                continue;
            };
            let suffix = path.len().checked_sub(level).map(|start| &path[start..]);
            if let Some(rank) = suffix.and_then(|suffix| self.kpaths.rank(suffix)) {
                covered.insert(rank as usize);
            }
        }
        covered
    }

    /// A window that is not covered, drawn uniformly; `None` when all are.
    pub fn sample_uncovered(&self, rng: &mut Rng) -> Option<u32> {
        let zeros = self.windows.count_zeros();
        self.windows
            .select_zero(rng.index(zeros))
            .map(|window| window as u32)
    }

    /// The first uncovered window from `start` on.
    pub(crate) fn next_uncovered(&self, start: u32) -> Option<u32> {
        self.windows
            .next_zero(start as usize)
            .map(|window| window as u32)
    }

    /// The k-paths that are not covered, by rank, ascending.
    pub fn uncovered(&self) -> impl Iterator<Item = u64> + '_ {
        let total = self.kpaths.len();
        let mut next = 0usize;
        std::iter::from_fn(move || {
            let found = self.windows.next_zero(next)?;
            next = found + 1;
            ((found as u64) < total).then_some(found as u64)
        })
    }

    /// The path of a window.
    pub fn path(&self, window: u32) -> Option<Vec<SymbolId>> {
        self.kpaths.window(u64::from(window))
    }
}

/// How often each window was seen, for choosing the least used (ASE article, figure 7).
#[derive(Clone, Debug)]
pub(crate) struct HitCounts {
    counts: Vec<u32>,
}

impl HitCounts {
    /// No hits yet, for as many windows as a coverage of the same k-paths has: four bytes each.
    pub(crate) fn new(coverage: &Coverage) -> HitCounts {
        HitCounts {
            counts: vec![0; coverage.windows.len()],
        }
    }

    /// Counts one more hit, saturating.
    #[inline]
    pub(crate) fn hit(&mut self, window: u32) {
        if let Some(count) = self.counts.get_mut(window as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// The hits of a window. What is not a window needs none: it has as many as can be.
    #[inline]
    pub(crate) fn count(&self, window: u32) -> u32 {
        self.counts
            .get(window as usize)
            .copied()
            .unwrap_or(u32::MAX)
    }
}

/// Which alternatives were derived (Purdom's coverage; the Fuzzing Book's expansions).
///
/// A production counts its alternatives, one if it has no alternation; every nested alternation counts its own.
#[derive(Clone, Debug)]
pub struct ExpansionCoverage {
    /// The first number of each node's alternatives, by node; the total at the end.
    first: Vec<u32>,
    covered: BitSet,
}

impl ExpansionCoverage {
    /// Nothing covered yet.
    pub fn new(graph: &Graph) -> ExpansionCoverage {
        let grammar = graph.grammar();
        let mut first = Vec::with_capacity(grammar.nodes().len() + 1);
        let mut sum = 0;
        for (id, node) in grammar.nodes().iter() {
            first.push(sum);
            sum += match node.kind {
                _ if !graph.is_in_paths(node.production) => 0,
                crate::grammar::NodeKind::Alternation => grammar.children(id).len() as u32,
                _ => u32::from(node.parent.is_none()),
            };
        }
        first.push(sum);
        ExpansionCoverage {
            first,
            covered: BitSet::new(sum as usize),
        }
    }

    /// Marks alternative `index` of an alternation, or the single expansion (0) of the root of a right side, and says whether
    /// it was new.
    #[inline]
    pub fn insert(&mut self, node: NodeId, index: u32) -> bool {
        let at = self.number(node, index);
        at.is_some_and(|at| self.covered.insert(at))
    }

    /// Whether this alternative counts and is not covered.
    #[inline]
    pub fn lacks(&self, node: NodeId, index: u32) -> bool {
        let at = self.number(node, index);
        at.is_some_and(|at| !self.covered.contains(at))
    }

    /// How many alternatives of a node are covered, and how many count.
    pub fn of_node(&self, node: NodeId) -> (usize, usize) {
        let first = self.first[node.index()] as usize;
        let end = self.first[node.index() + 1] as usize;
        let covered = (first..end).filter(|&at| self.covered.contains(at));
        (covered.count(), end - first)
    }

    /// The number of an alternative, if it counts.
    #[inline]
    fn number(&self, node: NodeId, index: u32) -> Option<usize> {
        let number = self.first[node.index()] + index;
        (number < self.first[node.index() + 1]).then_some(number as usize)
    }

    /// Adds all that `other` covers, of the same grammar.
    pub fn union(&mut self, other: &ExpansionCoverage) {
        self.covered.union_with(&other.covered);
    }

    /// The bits, for keeping.
    pub fn words(&self) -> &[u64] {
        self.covered.words()
    }

    /// Puts kept bits back; false, and nothing changed, if they do not fit.
    pub fn restore(&mut self, words: Vec<u64>) -> bool {
        match BitSet::from_words(self.covered.len(), words) {
            Some(covered) => {
                self.covered = covered;
                true
            }
            None => false,
        }
    }

    /// The covered alternatives.
    pub fn covered(&self) -> usize {
        self.covered.count_ones()
    }

    /// All alternatives.
    pub fn total(&self) -> usize {
        self.covered.len()
    }
}
