//! Close-off that looks for coverage: what to derive where nothing is forced.
//!
//! Two attitudes share one chooser. *Terse* takes shortest derivations only, but among equally short ones those that lead to
//! uncovered windows. *Exploring* goes wherever an uncovered window can be reached within the limits, the nearest
//! first, and takes the shortest derivation where there is none.

use std::collections::BTreeMap;

use crate::bitset::BitSet;
use crate::choice::{Chooser, ClassCode, MemberChoice};
use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{Id as _, IdVec, NodeId, SymbolId};
use crate::kpath::Coverage;

use super::Limits;
use super::lookahead::{Lookahead, NEVER, Nearest};

/// How much the chooser does for coverage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attitude {
    Terse,
    Exploring,
}

/// Of more alternatives than these the nearest is taken, without a look at each.
const MANY: usize = 32;

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
    /// How near a window was for which an alternative was taken that is as long as the shortest but has more nodes, and what was
    /// gained until then.
    pub(super) hope: Option<(u32, u32)>,
    /// What was gained when an alternation was last decided.
    pub(super) opened: BTreeMap<NodeId, u32>,
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

    /// What a node leads to at the nearest; nothing where the limits forbid it.
    fn nearest(&mut self, node: NodeId) -> Option<Nearest> {
        let symbols = self.symbols(node);
        let nearest = self.lookahead.nearest(self.coverage, symbols)?;
        let depth = self.depth.saturating_add(nearest.value);
        (depth.saturating_add(self.margin) <= self.limits.max_depth).then_some(nearest)
    }

    /// The value of deriving a node here, [`NEVER`] where the limits forbid what it leads to.
    fn value(&mut self, node: NodeId) -> u32 {
        self.nearest(node).map_or(NEVER, |nearest| nearest.value)
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

    /// The alternative of the nearest uncovered window among those of the least bytes.
    fn terse(&mut self, node: NodeId) -> Option<u32> {
        let graph = self.graph;
        let by_length = graph.shortest(Measure::Length);
        let least = self.cost(Measure::Length, node);
        let mut best: Option<(u32, u32)> = None;
        let (hoped, before) = self.hope.unwrap_or((0, 0));
        let has_paid = self.hope.is_none() || self.gained > before;
        let mut hope = None;
        for (index, &child) in (0..).zip(graph.grammar().children(node)) {
            if self.cost(Measure::Length, child) != least || !self.fits(child, Some(node)) {
                continue;
            }
            let value = self.value(child);
            if value >= best.map_or(NEVER, |(value, _)| value) {
                continue;
            }
            // What is as short by its bytes alone has to bring something before the next such choice, or to come nearer to it:
            // where a nonterminal can be empty, there is no end to what has no bytes.
            let is_shortest = by_length.is_shortest(child);
            if is_shortest || has_paid || value < hoped {
                best = Some((value, index));
                hope = (!is_shortest).then_some(value);
            }
        }
        if let Some(value) = hope {
            self.hope = Some((value, self.gained));
        }
        best.map(|(_, index)| index)
    }

    /// The alternative of the nearest uncovered window; of a list that is written by recursion the one that goes on, as long as that
    /// pays.
    fn exploring(&mut self, node: NodeId) -> Option<u32> {
        let graph = self.graph;
        let children = graph.grammar().children(node);
        if children.len() > MANY {
            let symbol = self.nearest(node)?.symbol;
            let index = graph.child_towards(node, graph.grammar()[symbol].node)?;
            if self.fits(children[index as usize], Some(node)) {
                return Some(index);
            }
        }
        // A list that is written by recursion goes on like a repetition, as long as that brings something.
        let pays = self
            .opened
            .get(&node)
            .is_none_or(|&before| self.gained > before);
        let mut best: Option<(bool, u32, u64, u32)> = None;
        for (index, &child) in (0..).zip(children) {
            if !self.fits(child, Some(node)) {
                continue;
            }
            let value = self.value(child);
            if value == NEVER {
                continue;
            }
            let ends = !(pays && self.goes_on(child));
            let this = (ends, value, self.cost(Measure::Length, child), index);
            best = Some(best.map_or(this, |best| best.min(this)));
        }
        self.opened.insert(node, self.gained);
        best.map(|(.., index)| index)
    }

    /// Whether an alternative comes back to its own nonterminal, and another part of it leads to an uncovered window, too.
    fn goes_on(&self, alternative: NodeId) -> bool {
        let graph = self.graph;
        let own = Some(graph.grammar()[alternative].production);
        let mut symbols = Graph::ids(self.symbols(alternative));
        let within = self
            .limits
            .max_depth
            .saturating_sub(self.depth + self.margin);
        symbols.any(|symbol| graph.target_of(symbol) == own)
            && self
                .lookahead
                .leads(self.coverage, self.symbols(alternative), within)
                .nth(1)
                .is_some()
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
        let index = match self.attitude {
            Attitude::Terse => self.terse(node),
            Attitude::Exploring => self.exploring(node),
        };
        let index = index.unwrap_or_else(|| self.shortest(node));
        if let Some(&child) = self.graph.grammar().children(node).get(index as usize) {
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
