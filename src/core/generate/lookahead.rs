//! How far the nearest uncovered window is, from every context.
//!
//! A *context* is what decides which windows come next: the last k - 1 symbolic nodes (one, for k = 1). The distance of a
//! context is 0 if one of its successors ends an uncovered window, else one more than the least distance of the contexts
//! its successors lead to. Covering a window only ever makes distances grow, so old distances stay lower bounds, and
//! each visit of a context brings its own up to date from its successors (learning real-time A*; Korf, Real-time heuristic
//! search, 1990). That costs a look at the successors of each reference derived, and no search over the whole graph.

use std::sync::Arc;

use crate::bitset::BitSet;
use crate::graph::Graph;
use crate::id::{Id as _, SymbolId};
use crate::kpath::{Coverage, Error, KPaths, NO_WINDOW, WindowStack, WindowTable};

/// No uncovered window can be reached.
pub(super) const NEVER: u32 = u16::MAX as u32;

/// Distances to uncovered windows, with the context of a walk.
#[derive(Clone, Debug)]
pub struct Lookahead {
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
}

impl Lookahead {
    /// Distances for the windows of a table, all 0 at first. Two bytes a context.
    ///
    /// # Errors
    ///
    /// Those of [`WindowTable::new`] for k - 1.
    pub fn new(windows: &Arc<WindowTable>, allowed: Option<BitSet>) -> Result<Lookahead, Error> {
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
        })
    }

    /// Begins a walk from above the root.
    pub fn begin(&mut self) {
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
    pub fn value(&self, coverage: &Coverage, symbol: SymbolId) -> u32 {
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

    /// The least value of the symbols of a range.
    #[inline]
    pub fn least(&self, coverage: &Coverage, symbols: std::ops::Range<u32>) -> u32 {
        let mut least = NEVER;
        for symbol in Graph::ids(symbols) {
            if self.is_allowed(symbol) {
                least = least.min(self.value(coverage, symbol));
                if least == 0 {
                    break;
                }
            }
        }
        least
    }

    /// Opens a reference (`None`: the root), marks its window and brings its context up to date. Says whether the window
    /// was new.
    pub fn enter(&mut self, coverage: &mut Coverage, symbol: Option<SymbolId>) -> bool {
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
    pub fn terminal(&mut self, coverage: &mut Coverage, symbol: SymbolId) -> bool {
        coverage.insert(self.stack.rank(&self.windows, symbol))
    }

    /// Closes the reference that was entered last.
    pub fn leave(&mut self, coverage: &Coverage) {
        let Some(context) = self.open.pop() else {
            return;
        };
        let graph = self.windows.kpaths().graph().clone();
        let symbol = self.references.pop().flatten();
        let successors = symbol.map_or(graph.start_symbols(), |symbol| graph.successors(symbol));
        self.learn(coverage, context, successors);
        if symbol.is_some() {
            self.stack.pop(&self.windows);
            self.context_stack.pop(&self.contexts);
        }
    }

    /// Brings the distance of a context up to date. What is in closed tokens has none.
    fn learn(&mut self, coverage: &Coverage, context: u32, successors: std::ops::Range<u32>) {
        if context != NO_WINDOW {
            let least = self.least(coverage, successors) as u16;
            let distance = &mut self.distances[context as usize];
            *distance = least.max(*distance);
        }
    }
}
