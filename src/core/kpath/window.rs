//! Ranks of windows, computed while a derivation is walked.
//!
//! With `v_m` the part of a rank that `m` open ancestors contribute, opening symbol `s` turns `v_m` into
//! `v'_{m+1} = v_m + row_m(s)`, where the row of a symbol is `[base_k, off_{k-1}, …, off_1]`; the rank of the window that
//! `s` ends is `v'_k`. That is k additions a node and no look-up of ancestors. Above the root stands a symbol of no grammar
//! whose row makes the short windows come after all k-paths, so that nothing is a special case.

use std::sync::Arc;

use super::{Error, KPaths};
use crate::bitset::BitSet;
use crate::graph::Graph;
use crate::id::{Id as _, SymbolId};

/// The window of a site that ends none: a synthetic node, or one in a closed token.
pub const NO_WINDOW: u32 = u32::MAX;

/// The rows of all symbols in 32 bits, for walking.
///
/// Rows and states have `LANES` words for k up to that, so that they are added as a whole.
pub struct WindowTable {
    kpaths: Arc<KPaths>,
    k: usize,
    stride: usize,
    rows: Vec<u32>,
    root: Vec<u32>,
    /// The symbols that are on no k-path, if there are any.
    outside: Option<BitSet>,
}

/// The words of a state for usual k.
const LANES: usize = 4;

impl WindowTable {
    /// The table for the k-paths. O(k · symbols).
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] if a bitmap of the windows would be larger than [`super::MAX_BITMAP_BYTES`].
    pub fn new(kpaths: &Arc<KPaths>) -> Result<Arc<WindowTable>, Error> {
        let k = kpaths.k();
        let count = kpaths.window_count();
        if count > super::MAX_BITMAP_BYTES * 8 {
            return Err(Error::TooMany { k, count });
        }
        let graph = kpaths.graph();
        let stride = k.max(LANES);
        let mut rows = Vec::with_capacity(graph.symbol_count() * stride);
        for symbol in Graph::ids(0..graph.symbol_count() as u32) {
            let production = graph.production_of(symbol);
            let base = kpaths.bases[k - 1][production.index()] + kpaths.offset(symbol, k);
            rows.push(base as u32);
            rows.extend(
                (1..k)
                    .rev()
                    .map(|level| kpaths.offset(symbol, level) as u32),
            );
            rows.resize(rows.len() + stride - k, 0);
        }
        // The symbol above the root comes after all symbols, and among its own successors after those of the start.
        let mut root = vec![kpaths.len() as u32];
        root.extend(
            (1..k)
                .rev()
                .map(|level| kpaths.start_totals[level - 1] as u32),
        );
        for at in 1..k {
            root[at] += root[at - 1];
        }
        root.resize(stride, 0);
        Ok(Arc::new(WindowTable {
            kpaths: kpaths.clone(),
            k,
            stride,
            rows,
            root,
            outside: outside(graph),
        }))
    }

    /// k.
    #[inline]
    pub fn k(&self) -> usize {
        self.k
    }

    /// The k-paths behind the table.
    pub fn kpaths(&self) -> &Arc<KPaths> {
        &self.kpaths
    }

    /// Whether a symbol is on no k-path: it is in a closed token.
    #[inline(always)]
    fn is_outside(&self, symbol: SymbolId) -> bool {
        let outside = self.outside.as_ref();
        outside.is_some_and(|outside| outside.contains(symbol.index()))
    }

    /// The row of a symbol, for usual k.
    #[inline(always)]
    fn lanes(&self, symbol: SymbolId) -> Option<&[u32; LANES]> {
        match self.stride {
            LANES => self.rows.as_chunks().0.get(symbol.index()),
            _ => None,
        }
    }

    /// The row of a symbol.
    #[inline(always)]
    fn row(&self, symbol: SymbolId) -> &[u32] {
        &self.rows[symbol.index() * self.stride..][..self.stride]
    }
}

impl std::fmt::Debug for WindowTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WindowTable({:?})", self.kpaths)
    }
}

/// The symbols that are on no k-path.
fn outside(graph: &Graph) -> Option<BitSet> {
    let mut outside = None;
    for symbol in Graph::ids(0..graph.symbol_count() as u32) {
        if !graph.is_in_paths(graph.production_of(symbol)) {
            outside
                .get_or_insert_with(|| BitSet::new(graph.symbol_count()))
                .insert(symbol.index());
        }
    }
    outside
}

/// The states of the references that are open in a walk, kept between walks.
#[derive(Clone, Debug, Default)]
pub struct WindowStack {
    /// For usual k: the state of the reference that was opened last, and those of the ones above it.
    top: [u32; LANES],
    below: Vec<[u32; LANES]>,
    /// For a greater k, all of them.
    wide: Vec<u32>,
}

impl WindowStack {
    /// Forgets everything and opens `above`, the references above the walk's beginning, nearest first. O(k^2).
    pub fn begin(&mut self, windows: &WindowTable, above: impl Iterator<Item = SymbolId>) {
        self.below.clear();
        self.wide.clear();
        if let Ok(root) = <[u32; LANES]>::try_from(&windows.root[..]) {
            self.top = root;
            self.open::<LANES>(windows, above);
        } else {
            self.wide.extend_from_slice(&windows.root);
            self.open::<{ super::MAX_K }>(windows, above);
        }
    }

    fn open<const MOST: usize>(
        &mut self,
        windows: &WindowTable,
        above: impl Iterator<Item = SymbolId>,
    ) {
        let mut symbols = [SymbolId(0); MOST];
        let mut found = 0;
        for (slot, symbol) in symbols[..windows.k].iter_mut().zip(above) {
            *slot = symbol;
            found += 1;
        }
        for &symbol in symbols[..found].iter().rev() {
            self.push(windows, symbol);
        }
    }

    /// Opens a reference.
    #[inline(always)]
    pub fn push(&mut self, windows: &WindowTable, symbol: SymbolId) {
        if let Some(row) = windows.lanes(symbol) {
            let above = self.top;
            self.below.push(above);
            self.top = [
                row[0],
                above[0] + row[1],
                above[1] + row[2],
                above[2] + row[3],
            ];
        } else {
            let top = self.wide.len() - windows.stride;
            let row = windows.row(symbol);
            self.wide.push(row[0]);
            for (at, &word) in row.iter().enumerate().skip(1) {
                let state = self.wide[top + at - 1] + word;
                self.wide.push(state);
            }
        }
    }

    /// Closes the reference that was opened last.
    #[inline(always)]
    pub fn pop(&mut self, windows: &WindowTable) {
        if windows.stride == LANES {
            self.top = self.below.pop().unwrap_or(self.top);
        } else {
            self.cut(windows, self.depth(windows).saturating_sub(1).max(1));
        }
    }

    /// How many references are open, what is above the root included.
    pub(crate) fn depth(&self, windows: &WindowTable) -> usize {
        match windows.stride {
            LANES => self.below.len() + 1,
            stride => self.wide.len() / stride,
        }
    }

    /// Closes references until so many are open.
    #[inline(always)]
    pub(crate) fn cut(&mut self, windows: &WindowTable, depth: usize) {
        if windows.stride != LANES {
            self.wide.truncate(depth * windows.stride);
        } else if let Some(&state) = self.below.get(depth - 1) {
            self.top = state;
            self.below.truncate(depth - 1);
        }
    }

    /// The window that a symbol ends directly below the open references; [`NO_WINDOW`] for one that is on no k-path.
    #[inline(always)]
    pub fn rank(&self, windows: &WindowTable, symbol: SymbolId) -> u32 {
        if windows.is_outside(symbol) {
            return NO_WINDOW;
        }
        let k = windows.k;
        match windows.lanes(symbol) {
            Some(row) if k == 1 => row[0],
            Some(row) => self.top[(k - 2) % LANES] + row[(k - 1) % LANES],
            None => {
                self.wide[self.wide.len() - windows.stride + k - 2] + windows.row(symbol)[k - 1]
            }
        }
    }
}
