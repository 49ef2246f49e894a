//! Ranks of windows, computed while a derivation is walked.
//!
//! With `v_m` the part of a rank that `m` open ancestors contribute, opening symbol `s` turns `v_m` into
//! `v'_{m+1} = v_m + row_m(s)`, where the row of a symbol is `[base_k, off_{k-1}, …, off_1]`; the rank of the window that
//! `s` ends is `v'_k`. That is k additions a node and no look-up of ancestors. Above the root stands a symbol of no grammar
//! whose row makes the short windows come after all k-paths, so that nothing is a special case.

use std::sync::Arc;

use super::{Error, KPaths};
use crate::graph::Graph;
use crate::id::{Id as _, SymbolId};

/// The window of a site that ends none: a synthetic node.
pub const NO_WINDOW: u32 = u32::MAX;

/// The rows of all symbols in 32 bits, for walking.
pub struct WindowTable {
    kpaths: Arc<KPaths>,
    k: usize,
    rows: Vec<u32>,
    root: Vec<u32>,
}

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
        let mut rows = Vec::with_capacity(graph.symbol_count() * k);
        for symbol in Graph::ids(0..graph.symbol_count() as u32) {
            let production = graph.production_of(symbol);
            let base = kpaths.bases[k - 1][production.index()] + kpaths.offset(symbol, k);
            rows.push(base as u32);
            rows.extend(
                (1..k)
                    .rev()
                    .map(|level| kpaths.offset(symbol, level) as u32),
            );
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
        Ok(Arc::new(WindowTable {
            kpaths: kpaths.clone(),
            k,
            rows,
            root,
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

    /// The state above the root: `k` words.
    #[inline]
    pub fn root(&self) -> &[u32] {
        &self.root
    }

    /// The row of a symbol: `k` words.
    #[inline]
    pub fn row(&self, symbol: SymbolId) -> &[u32] {
        &self.rows[symbol.index() * self.k..][..self.k]
    }

    /// The window that a symbol ends under the state of its parent.
    #[inline]
    pub fn rank(&self, parent: &[u32], symbol: SymbolId) -> u32 {
        let row = self.row(symbol);
        match self.k {
            1 => row[0],
            k => parent[k - 2] + row[k - 1],
        }
    }

    /// The state of a symbol under the state of its parent, written to `state`; all have `k` words.
    #[inline]
    pub fn open(&self, parent: &[u32], symbol: SymbolId, state: &mut [u32]) {
        let row = self.row(symbol);
        state[0] = row[0];
        for at in 1..self.k {
            state[at] = parent[at - 1] + row[at];
        }
    }
}

impl std::fmt::Debug for WindowTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WindowTable({:?})", self.kpaths)
    }
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
        let k = windows.k;
        let start = self.states.len();
        self.states.resize(start + k, 0);
        let (below, state) = self.states.split_at_mut(start);
        windows.open(&below[start - k..], symbol, state);
    }

    /// Closes the reference that was opened last.
    #[inline(always)]
    pub fn pop(&mut self, windows: &WindowTable) {
        self.states
            .truncate(self.states.len().saturating_sub(windows.k).max(windows.k));
    }

    /// The window that a symbol ends directly below the open references.
    #[inline(always)]
    pub fn rank(&self, windows: &WindowTable, symbol: SymbolId) -> u32 {
        windows.rank(&self.states[self.states.len() - windows.k..], symbol)
    }
}
