//! Random derivations within bounds.
//!
//! The chooser carries an exact lower bound of what the whole derivation will come to: what is derived plus the shortest
//! derivations of everything still open. Every decision changes the bound by the difference between the part chosen and
//! the shortest part, so keeping the limits takes one addition a decision and no look-ahead.

use crate::choice::{Chooser, ClassCode, MemberChoice, ROOT};
use crate::graph::{Graph, Measure, Shortest};
use crate::id::{NodeId, SymbolId};
use crate::rng::Rng;
use crate::weights::Weights;

use super::Limits;
use super::draw::{Draw, Stated};

/// How readily quantifiers go on: with a chance of `1 - 1 / 2^n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth(pub u32);

impl Growth {
    /// Mostly short repetitions, sometimes long ones.
    pub fn draw(rng: &mut Rng) -> Growth {
        Growth(1 + (rng.bits() | 1 << 4).trailing_zeros())
    }
}

/// Decides at random, within limits.
#[derive(Debug)]
pub struct RandomChooser<'a, D = Stated<'a>> {
    graph: &'a Graph,
    pub(super) draw: D,
    by_nodes: &'a Shortest,
    by_depth: &'a Shortest,
    by_length: &'a Shortest,
    rng: &'a mut Rng,
    limits: Limits,
    pub(super) depth: u32,
    nodes: u64,
    length: u64,
    /// The nodes after which nothing but the shortest is derived.
    budget: u64,
    is_spent: bool,
    /// The part of `length` that decisions of another chooser will come to.
    owed: u64,
}

impl<'a> RandomChooser<'a> {
    /// A chooser for derivations of the graph; [`RandomChooser::begin`] it before use.
    pub fn new(
        graph: &'a Graph,
        weights: &'a Weights,
        limits: Limits,
        growth: Growth,
        rng: &'a mut Rng,
    ) -> RandomChooser<'a> {
        RandomChooser::drawing(graph, Stated::new(weights, growth), limits, rng)
    }
}

impl<'a, D: Draw> RandomChooser<'a, D> {
    /// The same that draws in another way.
    pub fn drawing(
        graph: &'a Graph,
        draw: D,
        limits: Limits,
        rng: &'a mut Rng,
    ) -> RandomChooser<'a, D> {
        RandomChooser {
            graph,
            draw,
            by_nodes: graph.shortest(Measure::Nodes),
            by_depth: graph.shortest(Measure::Depth),
            by_length: graph.shortest(Measure::Length),
            rng,
            limits,
            depth: 0,
            nodes: 0,
            length: 0,
            budget: u64::MAX,
            is_spent: false,
            owed: 0,
        }
    }

    /// Starts the accounts for a derivation of `node` with `depth` references above it (the root not counted).
    pub fn begin(&mut self, node: NodeId, depth: u32) {
        let grammar = self.graph.grammar();
        let from = if node == ROOT {
            grammar[grammar.start()].root
        } else {
            node
        };
        // Entering the root counts as a step down, so begin one above it.
        self.depth = if node == ROOT {
            depth.wrapping_sub(1)
        } else {
            depth
        };
        self.nodes = u64::from(self.by_nodes.cost(from));
        self.length = u64::from(self.by_length.cost(from));
        self.owed = 0;
        self.is_spent = false;
    }

    /// Derives nothing but what is shortest as soon as what is derived and what is open come to more nodes than this.
    pub(super) fn set_budget(&mut self, nodes: u64) {
        self.budget = nodes;
    }

    /// Whether the budget is spent.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Decides in a right side with `depth` references above it from now on, where derivations are not made in order.
    pub(super) fn move_to(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Sets bytes aside for what another chooser, in charge of this one, will force beyond the shortest derivation, so that
    /// nothing else takes their room.
    pub(super) fn set_aside(&mut self, length: u64) {
        self.length += length;
        self.owed += length;
    }

    /// Enters a part in the accounts that is derived where only `instead` had to be.
    pub(super) fn take(&mut self, part: NodeId, instead: Option<NodeId>) {
        (self.nodes, self.length, _) = self.with(part, instead);
    }

    /// The same for what was set aside for.
    fn take_forced(&mut self, part: NodeId, instead: Option<NodeId>) {
        let before = self.length;
        self.take(part, instead);
        let paid = self.length.saturating_sub(before).min(self.owed);
        self.owed -= paid;
        self.length -= paid;
    }

    /// What the bounds become if `part` is derived where only `instead` had to be, and whether the limits allow it.
    #[inline(always)]
    fn with(&self, part: NodeId, instead: Option<NodeId>) -> (u64, u64, bool) {
        let more = self.graph.costs(part);
        let (mut nodes, mut length) = (
            self.nodes + u64::from(more.nodes),
            self.length + u64::from(more.length),
        );
        if let Some(node) = instead {
            let less = self.graph.costs(node);
            nodes = nodes.saturating_sub(u64::from(less.nodes));
            length = length.saturating_sub(u64::from(less.length));
        }
        let fits = self.depth.saturating_add(more.depth) <= self.limits.max_depth
            && nodes <= u64::from(self.limits.max_nodes)
            && length <= u64::from(self.limits.max_len);
        (nodes, length, fits)
    }

    #[inline(always)]
    pub(super) fn fits(&self, part: NodeId, instead: Option<NodeId>) -> bool {
        self.with(part, instead).2
    }

    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.rng.below(bound)
    }

    /// The weight of an alternative; 0 for what is never drawn.
    pub(super) fn weight(&mut self, node: NodeId, count: u32, index: u32) -> u64 {
        self.draw.weight(node, count, index)
    }

    /// True with a chance of `part` in `whole`.
    pub(super) fn draws(&mut self, part: impl Into<u128>, whole: impl Into<u128>) -> bool {
        u128::from(self.rng.bits()) % whole.into() < part.into()
    }

    fn fits_depth(&self, part: NodeId) -> bool {
        self.depth.saturating_add(self.by_depth.cost(part)) <= self.limits.max_depth
    }

    #[cold]
    fn alternative_that_fits(&mut self, node: NodeId, count: u32) -> u32 {
        let children = self.graph.grammar().children(node);
        let mut total = 0u128;
        let mut chosen = None;
        for (index, &child) in (0..count).zip(children) {
            let weight = u128::from(self.weight(node, count, index));
            if weight > 0 && self.fits(child, Some(node)) {
                // Reservoir sampling by weight: one pass, no list.
                total += weight;
                if self.draws(weight, total) {
                    chosen = Some(index);
                }
            }
        }
        chosen.unwrap_or_else(|| self.alternative_that_ends(node))
    }

    /// One of the alternatives with the fewest nodes; of several, as they are drawn.
    #[cold]
    fn shortest_alternative(&mut self, node: NodeId, count: u32) -> u32 {
        let first = self.by_nodes.alternative(node);
        let children = self.graph.grammar().children(node);
        let by_nodes = self.by_nodes;
        let cost = |index: u32| by_nodes.cost(children[index as usize]);
        let least = cost(first);
        let mut total = 0u128;
        let mut chosen = first;
        for index in (0..count).filter(|&index| cost(index) == least) {
            let weight = u128::from(self.weight(node, count, index));
            total += weight;
            if weight > 0 && self.draws(weight, total) {
                chosen = index;
            }
        }
        chosen
    }

    /// The shortest of the alternatives that keep the depth, by the measure whose limit is passed.
    fn alternative_that_ends(&self, node: NodeId) -> u32 {
        let by = match self.nodes > u64::from(self.limits.max_nodes) {
            true => self.by_nodes,
            false => self.by_length,
        };
        (0..)
            .zip(self.graph.grammar().children(node))
            .filter(|&(_, &child)| self.fits_depth(child))
            .min_by_key(|&(_, &child)| (by.cost(child), self.by_nodes.cost(child)))
            .map_or_else(|| self.by_depth.alternative(node), |(index, _)| index)
    }
}

impl<D: Draw> Chooser for RandomChooser<'_, D> {
    #[inline]
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        let children = self.graph.grammar().children(node);
        let mut index = match self.nodes > self.budget {
            true => {
                self.is_spent = true;
                self.shortest_alternative(node, count)
            }
            false => self.draw.alternative(node, count, self.rng),
        };
        let (mut nodes, mut length, fits) = self.with(children[index as usize], Some(node));
        if !fits {
            index = self.alternative_that_fits(node, count);
            (nodes, length, _) = self.with(children[index as usize], Some(node));
        }
        // The alternation is a node itself.
        (self.nodes, self.length) = (nodes + 1, length);
        index
    }

    #[inline]
    fn more(&mut self, node: NodeId) -> bool {
        if self.nodes > self.budget {
            self.is_spent = true;
            return false;
        }
        if !self.draw.more(node, self.rng) {
            return false;
        }
        let Some(&subject) = self.graph.grammar().children(node).first() else {
            return false;
        };
        let (nodes, length, fits) = self.with(subject, None);
        if fits {
            (self.nodes, self.length) = (nodes, length);
        } else {
            self.draw.stop(node);
        }
        fits
    }

    #[inline]
    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        let choice = self.draw.member(node, class, self.rng);
        let len = class.len_of(choice.head);
        if len == 1 {
            return choice;
        }
        let longer = u64::from(len).saturating_sub(u64::from(self.graph.costs(node).length));
        if self.length + longer > u64::from(self.limits.max_len) {
            // Heads ascend, so the first one is as short as any.
            return MemberChoice::default();
        }
        self.length += longer;
        choice
    }

    fn forced_alternative(&mut self, node: NodeId, index: u32) {
        if let Some(&child) = self.graph.grammar().children(node).get(index as usize) {
            self.take_forced(child, Some(node));
        }
    }

    fn forced_more(&mut self, node: NodeId) {
        self.draw.forced_more(node);
        if let Some(&subject) = self.graph.grammar().children(node).first() {
            self.take_forced(subject, None);
        }
    }

    #[inline(always)]
    fn enter(&mut self, symbol: Option<SymbolId>) {
        self.draw.enter(symbol);
        self.depth = self.depth.wrapping_add(1);
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.draw.leave();
        self.depth = self.depth.wrapping_sub(1);
    }
}
