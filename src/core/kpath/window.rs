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
    states: Vec<u32>,
}

impl WindowStack {
    /// Forgets everything and opens `above`, the references above the walk's beginning, nearest first. O(k^2).
    pub fn begin(&mut self, windows: &WindowTable, above: impl Iterator<Item = SymbolId>) {
        let mut symbols = [SymbolId(0); super::MAX_K];
        let mut found = 0;
        for (slot, symbol) in symbols[..windows.k].iter_mut().zip(above) {
            *slot = symbol;
            found += 1;
        }
        self.states.clear();
        self.states.extend_from_slice(&windows.root);
        for &symbol in symbols[..found].iter().rev() {
            self.push(windows, symbol);
        }
    }

    /// Opens a reference.
    #[inline(always)]
    pub fn push(&mut self, windows: &WindowTable, symbol: SymbolId) {
        let row = windows.row(symbol);
        let top = self.states.len() - windows.stride;
        if let (Ok(row), Some(Ok(parent))) = (
            <[u32; LANES]>::try_from(row),
            self.states.get(top..).map(<[u32; LANES]>::try_from),
        ) {
            let state = [
                row[0],
                parent[0] + row[1],
                parent[1] + row[2],
                parent[2] + row[3],
            ];
            self.states.extend_from_slice(&state);
        } else {
            self.states.push(row[0]);
            for (at, &word) in row.iter().enumerate().skip(1) {
                let state = self.states[top + at - 1] + word;
                self.states.push(state);
            }
        }
    }

    /// Closes the reference that was opened last.
    #[inline(always)]
    pub fn pop(&mut self, windows: &WindowTable) {
        let stride = windows.stride;
        self.states
            .truncate(self.states.len().saturating_sub(stride).max(stride));
    }

    /// The window that a symbol ends directly below the open references; [`NO_WINDOW`] for one that is on no k-path.
    #[inline(always)]
    pub fn rank(&self, windows: &WindowTable, symbol: SymbolId) -> u32 {
        if windows.is_outside(symbol) {
            return NO_WINDOW;
        }
        let at = symbol.index() * windows.stride + windows.k - 1;
        let own = windows.rows[at];
        match windows.k {
            1 => own,
            k => self.states[self.states.len() - windows.stride + k - 2] + own,
        }
    }
}
