//! k-paths: counted, ranked and unranked without being stored.
//!
//! The symbolic successors of a reference are exactly the symbols written in the production that it names (TOSEM article,
//! definition 3.1, on the grammar graph of section 2.2). So the number `N_j(s)` of j-paths that begin with symbol `s`
//! depends on the production `P` that `s` names alone: `N_1(s) = 1`, and `N_j(s) = T_{j-1}(P)`, where `T_j(P)` sums
//! `N_j` over the symbols of `P`; a terminal begins no path of two or more. And because every symbol belongs to exactly one
//! production, the sum of `N_j` over the symbols before it *in its own production*, `off_j(s)`, is a property of the
//! symbol. The rank of a path is then
//!
//! ```text
//! rank(s1 … sj) = base_j(production of s1) + off_j(s1) + off_{j-1}(s2) + … + off_1(sj)
//! ```
//!
//! with `base_j` the sum of `T_j` over earlier productions: a perfect, minimal hash in j additions, ascending in the
//! lexicographic order of paths. Tables take `k` words a symbol and `k` a production. Unranking searches the same sums, in
//! O(j log symbols).
//!
//! A *window* is what a node of a derivation tree ends: its last k symbolic nodes, or all from the root where there are
//! fewer. Windows of full length are the k-paths and have their ranks; the short, root-anchored ones come after them. The
//! windows of a tree determine its coverage for *every* level up to k, because each shorter path is a suffix of one.

mod coverage;
mod pattern;
mod window;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::graph::Graph;
use crate::id::{Id as _, ProductionId, SymbolId};

pub(crate) use coverage::HitCounts;
pub use coverage::{Coverage, ExpansionCoverage, MAX_BITMAP_BYTES};
pub use pattern::pattern;
pub use window::{NO_WINDOW, WindowStack, WindowTable};

/// The greatest supported k.
pub const MAX_K: usize = 32;

/// More k-paths than can be numbered or kept.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// k is 0 or above [`MAX_K`].
    #[error("k must be between 1 and {MAX_K}, not {0}\nhelp: 2 to 4 suit most grammars")]
    BadK(usize),
    /// There are 2^64 k-paths or more, so they cannot be ranked.
    #[error("the grammar has more than 2^64 {k}-paths\nhelp: choose a smaller k")]
    Unrankable {
        /// The k asked for.
        k: usize,
    },
    /// A bitmap of this many k-paths would be larger than [`MAX_BITMAP_BYTES`].
    #[error(
        "the grammar has {count} {k}-paths, whose coverage would take {} MiB (the limit is {} MiB)\n\
         help: choose a smaller k", count / 8 / 1024 / 1024, MAX_BITMAP_BYTES / 1024 / 1024
    )]
    TooMany {
        /// The k asked for.
        k: usize,
        /// How many windows of k symbols there are.
        count: u64,
    },
}

/// The number of k-paths for k = 1..=`max_k`; `None` where it is 2^64 or more. O(max_k · symbols).
pub fn counts(graph: &Graph, max_k: usize) -> Vec<Option<u64>> {
    let mut below: Vec<Option<u64>> = Vec::new();
    (0..max_k)
        .map(|_| {
            below = totals(graph, &below);
            below
                .iter()
                .try_fold(0u64, |sum, &total| sum.checked_add(total?))
        })
        .collect()
}

/// `T_j` of every production from `T_{j-1}`; the empty slice stands for `T_0`.
fn totals(graph: &Graph, below: &[Option<u64>]) -> Vec<Option<u64>> {
    let productions = graph.grammar().productions().ids();
    productions
        .map(|production| {
            let symbols = graph.path_symbols(production);
            if below.is_empty() {
                return Some(symbols.len() as u64);
            }
            Graph::ids(symbols)
                .filter_map(|symbol| graph.path_target(symbol))
                .try_fold(0u64, |sum, target| sum.checked_add(below[target.index()]?))
        })
        .collect()
}

/// The k-paths of a grammar for one k, and those of every smaller level.
pub struct KPaths {
    graph: Arc<Graph>,
    k: usize,
    /// `off_k … off_1` of each symbol, `k` words a symbol.
    offsets: Vec<u64>,
    /// For each level j = 1..=k: `base_j` of each production, and the total at the end.
    bases: Vec<Vec<u64>>,
    /// `T_j` of the start production for j = 1..=k.
    start_totals: Vec<u64>,
}

impl KPaths {
    /// Counts the k-paths. O(k · symbols) time and memory: `k` words of eight bytes for each symbol and production.
    ///
    /// # Errors
    ///
    /// [`Error::BadK`], and [`Error::Unrankable`] if the number of k-paths does not fit 64 bits.
    pub fn new(graph: &Arc<Graph>, k: usize) -> Result<Arc<KPaths>, Error> {
        if k == 0 || k > MAX_K {
            return Err(Error::BadK(k));
        }
        let symbol_count = graph.symbol_count();
        let mut offsets = vec![0; symbol_count * k];
        let mut bases = Vec::with_capacity(k);
        let mut start_totals = Vec::with_capacity(k);
        let mut below: Vec<Option<u64>> = Vec::new();
        let unrankable = || Error::Unrankable { k };
        for level in 1..=k {
            for production in graph.grammar().productions().ids() {
                let mut sum = 0u64;
                for symbol in Graph::ids(graph.path_symbols(production)) {
                    offsets[symbol.index() * k + k - level] = sum;
                    let paths = match (level, graph.path_target(symbol)) {
                        (1, _) => Some(1),
                        (_, Some(target)) => below[target.index()],
                        (_, None) => Some(0),
                    };
                    sum = paths
                        .and_then(|paths| sum.checked_add(paths))
                        .ok_or_else(unrankable)?;
                }
            }
            below = totals(graph, &below);
            let mut base = Vec::with_capacity(below.len() + 1);
            let mut sum = 0u64;
            for &total in &below {
                base.push(sum);
                sum = total
                    .and_then(|total| sum.checked_add(total))
                    .ok_or_else(unrankable)?;
            }
            base.push(sum);
            bases.push(base);
            start_totals.push(below[graph.grammar().start().index()].ok_or_else(unrankable)?);
        }
        let all = KPaths {
            graph: graph.clone(),
            k,
            offsets,
            bases,
            start_totals,
        };
        all.checked_window_count().ok_or_else(unrankable)?;
        Ok(Arc::new(all))
    }

    /// The graph whose paths these are.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// k.
    pub fn k(&self) -> usize {
        self.k
    }

    /// |paths_k|.
    pub fn len(&self) -> u64 {
        self.len_at(self.k)
    }

    /// |paths_j| for a level j of 1..=k; 0 for other levels.
    pub fn len_at(&self, level: usize) -> u64 {
        let base = level.checked_sub(1).and_then(|at| self.bases.get(at));
        base.and_then(|base| base.last()).copied().unwrap_or(0)
    }

    /// Whether there are no k-paths, as in a grammar that is shallower than k.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `off_level` of a symbol.
    #[inline]
    fn offset(&self, symbol: SymbolId, level: usize) -> u64 {
        self.offsets[symbol.index() * self.k + self.k - level]
    }

    /// The rank of a path of 1 to k symbols among the paths of its length: O(length). `None` for what is not a path.
    pub fn rank(&self, path: &[SymbolId]) -> Option<u64> {
        let level = path.len();
        let &first = path.first()?;
        if level > self.k
            || path
                .iter()
                .any(|symbol| symbol.index() >= self.graph.symbol_count())
        {
            return None;
        }
        if path
            .windows(2)
            .any(|pair| !self.graph.successors(pair[0]).contains(&pair[1].0))
        {
            return None;
        }
        let production = self.graph.production_of(first);
        let offsets = path
            .iter()
            .enumerate()
            .map(|(at, &symbol)| self.offset(symbol, level - at));
        Some(self.bases[level - 1][production.index()] + offsets.sum::<u64>())
    }

    /// The k-path of a rank: O(k log symbols). `None` from [`KPaths::len`] on.
    pub fn unrank(&self, rank: u64) -> Option<Vec<SymbolId>> {
        self.unrank_at(self.k, rank)
    }

    /// The path of a rank among the paths of `level` symbols.
    pub fn unrank_at(&self, level: usize, rank: u64) -> Option<Vec<SymbolId>> {
        let mut path = Vec::with_capacity(level);
        self.unrank_into(level, rank, &mut path).then_some(path)
    }

    fn unrank_into(&self, level: usize, rank: u64, path: &mut Vec<SymbolId>) -> bool {
        if rank >= self.len_at(level) {
            return false;
        }
        let bases = &self.bases[level - 1];
        // The last production whose base is not above the rank; productions without paths share the base of the next.
        let production = bases[..bases.len() - 1].partition_point(|&base| base <= rank) - 1;
        let id = ProductionId::from_index(production);
        self.descend(id, level, rank - bases[production], path);
        true
    }

    /// Appends the path of `level` symbols that has `rest` paths before it among those that begin in `production`.
    fn descend(
        &self,
        mut production: ProductionId,
        level: usize,
        mut rest: u64,
        path: &mut Vec<SymbolId>,
    ) {
        for level in (1..=level).rev() {
            let symbols = self.graph.path_symbols(production);
            let (mut low, mut high) = (symbols.start, symbols.end);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.offset(SymbolId(middle), level) <= rest {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            let symbol = SymbolId(low - 1);
            rest -= self.offset(symbol, level);
            path.push(symbol);
            match self.graph.path_target(symbol) {
                Some(target) => production = target,
                None => break,
            }
        }
    }

    /// All k-paths in order of rank. O(k log symbols) a path.
    pub fn iter(&self) -> impl Iterator<Item = Vec<SymbolId>> + '_ {
        (0..self.len()).map_while(|rank| self.unrank(rank))
    }

    fn checked_window_count(&self) -> Option<u64> {
        self.start_totals[..self.k - 1]
            .iter()
            .try_fold(self.len(), |sum, &total| sum.checked_add(total))
    }

    /// The number of windows: the k-paths, and the paths of fewer symbols that begin at the root.
    pub fn window_count(&self) -> u64 {
        self.start_totals[..self.k - 1]
            .iter()
            .fold(self.len(), |sum, total| sum + total)
    }

    /// The path of a window: k symbols for a rank below [`KPaths::len`], fewer above.
    pub fn window(&self, rank: u64) -> Option<Vec<SymbolId>> {
        let mut path = Vec::with_capacity(self.k);
        self.window_into(rank, &mut path).then_some(path)
    }

    /// Puts the path of a window into `path`, replacing what is in it; false for what is not a window.
    pub fn window_into(&self, rank: u64, path: &mut Vec<SymbolId>) -> bool {
        path.clear();
        let Some(mut rest) = rank.checked_sub(self.len()) else {
            return self.unrank_into(self.k, rank, path);
        };
        for level in (1..self.k).rev() {
            let total = self.start_totals[level - 1];
            if rest < total {
                self.descend(self.graph.grammar().start(), level, rest, path);
                return true;
            }
            rest -= total;
        }
        false
    }

    /// The written name of a path: `AddExpr.2>MultExpr.0`.
    pub fn name(&self, path: &[SymbolId]) -> String {
        let names: Vec<String> = path
            .iter()
            .map(|&s| self.graph.grammar().symbol_name(s))
            .collect();
        names.join(">")
    }
}

impl std::fmt::Debug for KPaths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "KPaths({} {}-paths, {} windows)",
            self.len(),
            self.k,
            self.window_count()
        )
    }
}
