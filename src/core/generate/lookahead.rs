//! How far the nearest uncovered window is, from every context.
//!
//! A *context* is what decides which windows come next: the last k - 1 symbolic nodes (one, for k = 1). The distance of a
//! context is 0 if one of its successors ends an uncovered window, else one more than the least distance of the contexts
//! its successors lead to. Covering a window only ever makes distances grow, so old distances stay lower bounds, and
//! each visit of a context brings its own up to date from its successors (learning real-time A*; Korf, Real-time heuristic
//! search, 1990). That costs a look at the successors of each reference derived, and no search over the whole graph.
//!
//! A look at thousands of alternatives, at each of as many visits, would be quadratic. So of what is that wide, the least value found
//! and where it was found are remembered for each context: values only grow, so the search goes on from there, and ends where it
//! meets that value again.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::bitset::BitSet;
use crate::graph::Graph;
use crate::id::{Id as _, SymbolId};
use crate::kpath::{Coverage, Error, KPaths, NO_WINDOW, WindowStack, WindowTable};

/// No uncovered window can be reached.
pub(super) const NEVER: u32 = u16::MAX as u32;

/// Distances to uncovered windows, with the context of a walk.
#[derive(Clone, Debug)]
pub(super) struct Lookahead {
    windows: Arc<WindowTable>,
    contexts: Arc<WindowTable>,
    distances: Vec<u16>,
    /// The symbols that may be derived on the way; all of them if empty.
    allowed: Option<BitSet>,
    stack: WindowStack,
    context_stack: WindowStack,
    /// The contexts of the open references.
    open: Vec<u32>,
    references: Vec<Option<SymbolId>>,
    /// What is known of wide parts of right sides, by context and first symbol.
    wide: BTreeMap<(u32, u32), Nearest>,
    /// How many symbols were looked at.
    #[cfg(test)]
    pub(super) looks: std::cell::Cell<u64>,
}

/// The symbol of a range with the least value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) value: u32,
    pub(super) symbol: SymbolId,
}

impl Nearest {
    /// No symbol leads to an uncovered window, and none ever will.
    const NONE: Nearest = Nearest {
        value: NEVER,
        symbol: SymbolId(0),
    };
}

/// The symbols of a range from which on it is searched from where the search ended last.
const WIDE: usize = 64;

impl Lookahead {
    /// Distances for the windows of a table, all 0 at first. Two bytes a context.
    ///
    /// # Errors
    ///
    /// Those of [`WindowTable::new`] for k - 1.
    pub(super) fn new(
        windows: &Arc<WindowTable>,
        allowed: Option<BitSet>,
    ) -> Result<Lookahead, Error> {
        let kpaths = KPaths::new(windows.kpaths().graph(), (windows.k() - 1).max(1))?;
        let contexts = WindowTable::new(&kpaths)?;
        let count = kpaths.window_count() as usize + 1;
        Ok(Lookahead {
            windows: windows.clone(),
            contexts,
            distances: vec![0; count],
            allowed,
            stack: WindowStack::default(),
            context_stack: WindowStack::default(),
            open: Vec::new(),
            references: Vec::new(),
            wide: BTreeMap::new(),
            #[cfg(test)]
            looks: Default::default(),
        })
    }

    /// Begins a walk from above the root.
    pub(super) fn begin(&mut self) {
        self.stack.begin(&self.windows, std::iter::empty());
        self.context_stack.begin(&self.contexts, std::iter::empty());
        self.open.clear();
        self.references.clear();
    }

    fn is_allowed(&self, symbol: SymbolId) -> bool {
        self.allowed
            .as_ref()
            .is_none_or(|allowed| allowed.contains(symbol.index()))
    }

    /// Steps from the open reference to the nearest uncovered window if `symbol` is derived next: 0 if that ends one.
    #[inline]
    fn value(&self, coverage: &Coverage, symbol: SymbolId) -> u32 {
        #[cfg(test)]
        self.looks.set(self.looks.get() + 1);
        let window = self.stack.rank(&self.windows, symbol);
        if window == NO_WINDOW {
            return NEVER;
        }
        if !coverage.contains(window) {
            return 0;
        }
        if self.windows.kpaths().graph().path_target(symbol).is_none() {
            return NEVER;
        }
        let context = self.context_stack.rank(&self.contexts, symbol);
        (u32::from(self.distances[context as usize]) + 1).min(NEVER)
    }

    /// The symbol of the least value among those of a range, which is one node of the open right side; the first of equals where
    /// the range is not wide. `None` if none leads anywhere. O(symbols) at first, and for each value that it grows to.
    pub(super) fn nearest(&mut self, coverage: &Coverage, symbols: Range<u32>) -> Option<Nearest> {
        if symbols.len() < WIDE {
            return self.search(coverage, symbols, 0);
        }
        let context = self.open.last().copied().unwrap_or(NO_WINDOW);
        let key = (context, symbols.start);
        let Some(&known) = self.wide.get(&key) else {
            let found = self.search(coverage, symbols, 0);
            self.wide.insert(key, found.unwrap_or(Nearest::NONE));
            return found;
        };
        if known.value == NEVER {
            return None;
        }
        let (before, behind) = (symbols.start..known.symbol.0, known.symbol.0..symbols.end);
        let mut found = self.search(coverage, behind, known.value);
        if found.is_none_or(|found| found.value > known.value) {
            let other = self.search(coverage, before, known.value);
            found = [found, other]
                .into_iter()
                .flatten()
                .min_by_key(|it| it.value);
        }
        self.wide.insert(key, found.unwrap_or(Nearest::NONE));
        found
    }

    /// The same by looking at each symbol, until one is as near as any can be.
    fn search(&self, coverage: &Coverage, symbols: Range<u32>, least: u32) -> Option<Nearest> {
        let mut found: Option<Nearest> = None;
        for symbol in Graph::ids(symbols).filter(|&symbol| self.is_allowed(symbol)) {
            let value = self.value(coverage, symbol);
            if value < found.map_or(NEVER, |found| found.value) {
                found = Some(Nearest { value, symbol });
                if value <= least {
                    break;
                }
            }
        }
        found
    }

    /// The symbols of a range that lead to an uncovered window in so many steps.
    pub(super) fn leads(
        &self,
        coverage: &Coverage,
        symbols: Range<u32>,
        within: u32,
    ) -> impl Iterator<Item = SymbolId> {
        let within = within.min(NEVER - 1);
        Graph::ids(symbols).filter(move |&symbol| self.value(coverage, symbol) <= within)
    }

    /// Opens a reference (`None`: the root), marks its window and brings its context up to date. Says whether the window
    /// was new.
    pub(super) fn enter(&mut self, coverage: &mut Coverage, symbol: Option<SymbolId>) -> bool {
        let graph = self.windows.kpaths().graph().clone();
        let root = self.distances.len() as u32 - 1;
        let mut new = false;
        let (context, successors) = match symbol {
            Some(symbol) => {
                new = coverage.insert(self.stack.rank(&self.windows, symbol));
                let context = self.context_stack.rank(&self.contexts, symbol);
                self.stack.push(&self.windows, symbol);
                self.context_stack.push(&self.contexts, symbol);
                (context, graph.successors(symbol))
            }
            None => (root, graph.start_symbols()),
        };
        self.open.push(context);
        self.references.push(symbol);
        self.learn(coverage, context, successors);
        new
    }

    /// Marks the window of a terminal and says whether it was new.
    #[inline]
    pub(super) fn terminal(&mut self, coverage: &mut Coverage, symbol: SymbolId) -> bool {
        coverage.insert(self.stack.rank(&self.windows, symbol))
    }

    /// Closes the reference that was entered last.
    pub(super) fn leave(&mut self, coverage: &Coverage) {
        let Some(&context) = self.open.last() else {
            return;
        };
        let graph = self.windows.kpaths().graph().clone();
        let symbol = self.references.pop().flatten();
        let successors = symbol.map_or(graph.start_symbols(), |symbol| graph.successors(symbol));
        self.learn(coverage, context, successors);
        self.open.pop();
        if symbol.is_some() {
            self.stack.pop(&self.windows);
            self.context_stack.pop(&self.contexts);
        }
    }

    /// Brings the distance of a context up to date. What is in closed tokens has none.
    fn learn(&mut self, coverage: &Coverage, context: u32, successors: Range<u32>) {
        if context != NO_WINDOW {
            let nearest = self.nearest(coverage, successors);
            let least = nearest.map_or(NEVER, |nearest| nearest.value) as u16;
            let distance = &mut self.distances[context as usize];
            *distance = least.max(*distance);
        }
    }
}
