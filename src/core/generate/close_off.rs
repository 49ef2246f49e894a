//! Close-off that looks for coverage: what to derive where nothing is forced.
//!
//! Two attitudes share one chooser. *Terse* takes shortest derivations only, but among equally short ones those that lead to
//! uncovered windows. *Exploring* goes wherever an uncovered window can be reached within the limits, the nearest
//! first, and takes the shortest derivation where there is none.

use crate::bitset::BitSet;
use crate::choice::{Chooser, ClassCode, MemberChoice};
use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{Id as _, IdVec, NodeId, SymbolId};
use crate::kpath::Coverage;

use super::Limits;
use super::lookahead::{Lookahead, NEVER};

/// How much the chooser does for coverage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attitude {
    Terse,
    Exploring,
}

/// The depth below which terse derivations stop choosing among equals, so that they end.
const TERSE_DEPTH: u32 = 12;

/// Decides by what is covered, and covers as it goes.
#[derive(Debug)]
pub(super) struct Seeking<'a> {
    pub(super) graph: &'a Graph,
    pub(super) first_symbols: &'a IdVec<NodeId, u32>,
    pub(super) coverage: &'a mut Coverage,
    pub(super) lookahead: &'a mut Lookahead,
    pub(super) attitude: Attitude,
    pub(super) limits: Limits,
    pub(super) depth: u32,
    pub(super) length: u64,
    /// The part of `length` that the path will come to, beyond the shortest derivation.
    pub(super) owed: u64,
    pub(super) nodes: u64,
    /// The depth that closing off may take beyond the last decision.
    pub(super) margin: u32,
    /// Windows that were new.
    pub(super) gained: u32,
    /// The quantifiers being repeated, with their depth and what was gained when they last went on.
    pub(super) repeated: Vec<(NodeId, u32, u32)>,
}

/// For each node, the first symbol at or behind it, so that the symbols of a subtree are a range; one more at the end.
pub(super) fn first_symbols(graph: &Graph) -> IdVec<NodeId, u32> {
    let grammar = graph.grammar();
    let mut firsts = IdVec::new();
    let mut next = 0;
    for id in grammar.nodes().ids() {
        firsts.push(next);
        next += u32::from(grammar.symbol_of(id).is_some());
    }
    firsts.push(next);
    firsts
}

/// The symbols that occur in shortest derivations of their right sides.
pub(super) fn terse_symbols(graph: &Graph) -> BitSet {
    let grammar = graph.grammar();
    let shortest = graph.shortest(Measure::Length);
    let mut terse = BitSet::new(graph.symbol_count());
    let mut inside = BitSet::new(grammar.nodes().len());
    for (id, node) in grammar.nodes().iter() {
        let within = node.parent.is_none_or(|parent| {
            inside.contains(parent.index())
                && match grammar[parent].kind {
                    NodeKind::Alternation => shortest.cost(id) == shortest.cost(parent),
                    NodeKind::Quantifier { min, .. } => min > 0,
                    _ => true,
                }
        });
        if within {
            inside.insert(id.index());
            if let Some(symbol) = grammar.symbol_of(id) {
                terse.insert(symbol.index());
            }
        }
    }
    terse
}

impl Seeking<'_> {
    fn symbols(&self, node: NodeId) -> std::ops::Range<u32> {
        let end = self.graph.subtree_end(node);
        self.first_symbols[node]..self.first_symbols[end]
    }

    fn cost(&self, measure: Measure, node: NodeId) -> u64 {
        u64::from(self.graph.shortest(measure).cost(node))
    }

    fn fits(&self, part: NodeId, instead: Option<NodeId>) -> bool {
        let less = |measure| instead.map_or(0, |node| self.cost(measure, node));
        let length =
            (self.length + self.cost(Measure::Length, part)).saturating_sub(less(Measure::Length));
        let nodes =
            (self.nodes + self.cost(Measure::Nodes, part)).saturating_sub(less(Measure::Nodes));
        u64::from(self.depth) + self.cost(Measure::Depth, part) <= u64::from(self.limits.max_depth)
            && length <= u64::from(self.limits.max_len)
            && nodes <= u64::from(self.limits.max_nodes)
    }

    /// The value of deriving a node here, [`NEVER`] where the limits forbid what it leads to.
    fn value(&self, node: NodeId) -> u32 {
        let value = self.lookahead.least(self.coverage, self.symbols(node));
        if value == NEVER
            || self.depth.saturating_add(value).saturating_add(self.margin) > self.limits.max_depth
        {
            NEVER
        } else {
            value
        }
    }

    fn shortest(&self, node: NodeId) -> u32 {
        let by_length = self.graph.shortest(Measure::Length).alternative(node);
        let children = self.graph.grammar().children(node);
        let fits = children.get(by_length as usize).is_some_and(|&child| {
            u64::from(self.depth) + self.cost(Measure::Depth, child)
                <= u64::from(self.limits.max_depth)
        });
        if fits {
            by_length
        } else {
            self.graph.shortest(Measure::Depth).alternative(node)
        }
    }

    fn take(&mut self, part: NodeId, instead: Option<NodeId>) {
        for measure in [Measure::Length, Measure::Nodes] {
            let less = instead.map_or(0, |node| self.cost(measure, node));
            let more = self.cost(measure, part);
            let account = if measure == Measure::Length {
                &mut self.length
            } else {
                &mut self.nodes
            };
            *account = (*account + more).saturating_sub(less);
        }
    }

    /// The same for a decision of the path, whose bytes are in the account from the beginning.
    fn take_forced(&mut self, part: NodeId, instead: Option<NodeId>) {
        let before = self.length;
        self.take(part, instead);
        let paid = self.length.saturating_sub(before).min(self.owed);
        self.owed -= paid;
        self.length -= paid;
    }
}

impl Chooser for Seeking<'_> {
    fn alternative(&mut self, node: NodeId, _count: u32) -> u32 {
        let children = self.graph.grammar().children(node);
        let fallback = self.shortest(node);
        let mut best = (NEVER, u64::MAX, fallback);
        if self.attitude == Attitude::Exploring || self.depth < TERSE_DEPTH {
            let least = self.cost(Measure::Length, node);
            for (index, &child) in (0..).zip(children) {
                let length = self.cost(Measure::Length, child);
                if self.attitude == Attitude::Terse && length != least
                    || !self.fits(child, Some(node))
                {
                    continue;
                }
                let value = self.value(child);
                if value != NEVER && (value, length) < (best.0, best.1) {
                    best = (value, length, index);
                }
            }
        }
        let index = best.2;
        if let Some(&child) = children.get(index as usize) {
            self.take(child, Some(node));
        }
        index
    }

    fn more(&mut self, node: NodeId) -> bool {
        if self.attitude == Attitude::Terse {
            return false;
        }
        let Some(&subject) = self.graph.grammar().children(node).first() else {
            return false;
        };
        // A repetition that brought nothing is the last one: what is promised lies beyond the limits.
        let known = self
            .repeated
            .iter()
            .rposition(|&(known, depth, _)| (known, depth) == (node, self.depth));
        let idle = known.is_some_and(|at| self.repeated[at].2 == self.gained);
        if let Some(at) = known {
            self.repeated.truncate(at);
        }
        let more = !idle && self.fits(subject, None) && self.value(subject) != NEVER;
        if more {
            self.repeated.push((node, self.depth, self.gained));
            self.take(subject, None);
        }
        more
    }

    fn member(&mut self, _node: NodeId, class: &ClassCode) -> MemberChoice {
        MemberChoice {
            head: class.default_head(),
            rest: 0,
        }
    }

    fn forced_alternative(&mut self, node: NodeId, index: u32) {
        if let Some(&child) = self.graph.grammar().children(node).get(index as usize) {
            self.take_forced(child, Some(node));
        }
    }

    fn forced_more(&mut self, node: NodeId) {
        if let Some(&subject) = self.graph.grammar().children(node).first() {
            self.take_forced(subject, None);
        }
    }

    fn enter(&mut self, symbol: Option<SymbolId>) {
        self.depth += u32::from(symbol.is_some());
        self.gained += u32::from(self.lookahead.enter(self.coverage, symbol));
    }

    fn terminal(&mut self, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol {
            self.gained += u32::from(self.lookahead.terminal(self.coverage, symbol));
        }
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.lookahead.leave(self.coverage);
    }
}
