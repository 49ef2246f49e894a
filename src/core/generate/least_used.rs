//! Coverage-seeking close-off: the least used k-paths first (ASE article, figure 7).
//!
//! Where a random derivation would draw an alternative, this one takes, among those within the limits, the one that leads to
//! the least used window; ties are drawn. Quantifiers go on while they lead to a window that was never used.

use crate::choice::{Chooser, ClassCode, MemberChoice};
use crate::graph::Graph;
use crate::id::{IdVec, NodeId, SymbolId};
use crate::kpath::{HitCounts, WindowStack, WindowTable};

use super::random::RandomChooser;

/// A random chooser that prefers the least used windows.
#[derive(Debug)]
pub(super) struct LeastUsed<'a> {
    pub(super) graph: &'a Graph,
    pub(super) windows: &'a WindowTable,
    pub(super) first_symbols: &'a IdVec<NodeId, u32>,
    pub(super) hits: &'a mut HitCounts,
    pub(super) stack: &'a mut WindowStack,
    pub(super) random: RandomChooser<'a>,
}

impl LeastUsed<'_> {
    fn least(&self, node: NodeId) -> u32 {
        let end = self.graph.subtree_end(node);
        Graph::ids(self.first_symbols[node]..self.first_symbols[end])
            .map(|symbol| self.hits.count(self.stack.rank(self.windows, symbol)))
            .min()
            .unwrap_or(u32::MAX)
    }

    fn mark(&mut self, symbol: SymbolId) {
        self.hits.hit(self.stack.rank(self.windows, symbol));
    }
}

impl Chooser for LeastUsed<'_> {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        let children = self.graph.grammar().children(node);
        let mut best: Option<(u32, u32)> = None;
        let mut ties = 0;
        for (index, &child) in (0..count).zip(children) {
            if !self.random.fits(child, Some(node)) {
                continue;
            }
            let used = self.least(child);
            match best {
                Some((least, _)) if used > least => {}
                Some((least, _)) if used == least => {
                    ties += 1;
                    if self.random.below(ties) == 0 {
                        best = Some((used, index));
                    }
                }
                _ => {
                    ties = 1;
                    best = Some((used, index));
                }
            }
        }
        match best {
            Some((_, index)) => {
                if let Some(&child) = children.get(index as usize) {
                    self.random.take(child, Some(node));
                }
                index
            }
            None => self.random.alternative(node, count),
        }
    }

    fn more(&mut self, node: NodeId) -> bool {
        let subject = self.graph.grammar().children(node).first();
        let fresh =
            subject.filter(|&&subject| self.random.fits(subject, None) && self.least(subject) == 0);
        if let Some(&subject) = fresh {
            self.random.take(subject, None);
        }
        fresh.is_some()
    }

    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        self.random.member(node, class)
    }

    fn forced_alternative(&mut self, node: NodeId, index: u32) {
        self.random.forced_alternative(node, index);
    }

    fn forced_more(&mut self, node: NodeId) {
        self.random.forced_more(node);
    }

    fn enter(&mut self, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol {
            self.mark(symbol);
            self.stack.push(self.windows, symbol);
        }
        self.random.enter(symbol);
    }

    fn terminal(&mut self, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol {
            self.mark(symbol);
        }
    }

    fn leave(&mut self) {
        self.stack.pop(self.windows);
        self.random.leave();
    }
}
