//! Random derivations that satisfy a constraint's paths, choice by choice.
//!
//! The table of costs says of each choice what the rest will come to at the least. So any choice that leaves the least total within
//! a bound is open, and what is drawn is always brought to an end: nothing is tried and thrown away. The choices of a right
//! side are made when its reference begins, with the required paths shared out among the references in it, and told in the order
//! in which they are asked for.

use pleach_core::choice::{Chooser, ClassCode, MemberChoice};
use pleach_core::grammar::NodeKind;
use pleach_core::id::{NodeId, SymbolId};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Graph};

use super::costs::{Costs, NEVER, PlaceId, Wanted, shared, subsets};

/// How a derivation is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The nodes that it may have more than the smallest.
    pub(super) extra: u32,
    /// The share of characters, of 1000, that are drawn; others are those of close-off.
    pub(super) drawn: u32,
    /// The share of 1000 with which an optional item follows.
    pub(super) more: u32,
}

/// Draws a derivation.
#[derive(Debug)]
pub(super) struct Sampler<'a> {
    graph: &'a Graph,
    codec: &'a Codec,
    costs: &'a Costs,
    weights: &'a Weights,
    style: Style,
    /// The nodes that may still be spent beyond the smallest derivation.
    left: u32,
    rng: &'a mut Rng,
    open: Vec<Frame>,
}

/// A right side, and how far it is told.
#[derive(Debug, Default)]
struct Frame {
    choices: Vec<Choice>,
    told: usize,
    below: Vec<(PlaceId, Wanted)>,
    entered: usize,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Alternative(u32),
    More(bool),
    Member(MemberChoice),
}

/// What is left to decide of a right side.
enum Rest {
    Node(NodeId, Wanted),
    /// A quantifier with so many items.
    Repeat(NodeId, u32, Wanted),
}

impl<'a> Sampler<'a> {
    /// Gets ready for one derivation. The constraint has to be satisfiable.
    pub(super) fn new(
        codec: &'a Codec,
        costs: &'a Costs,
        weights: &'a Weights,
        style: Style,
        rng: &'a mut Rng,
    ) -> Sampler<'a> {
        Sampler {
            graph: codec.graph(),
            codec,
            costs,
            weights,
            style,
            left: style.extra,
            rng,
            open: Vec::new(),
        }
    }

    /// Decides a right side.
    fn expand(&mut self, place: PlaceId, wanted: Wanted) -> Frame {
        let grammar = self.graph.grammar();
        let mut frame = Frame::default();
        let root = grammar[self.costs.production(place)].root;
        let mut rest = vec![Rest::Node(root, wanted)];
        while let Some(task) = rest.pop() {
            let (node, count, wanted) = match task {
                Rest::Node(node, wanted) => (node, 0, wanted),
                Rest::Repeat(node, count, wanted) => (node, count, wanted),
            };
            match grammar[node].kind {
                NodeKind::Literal(_) => {}
                NodeKind::Class(class) => {
                    let class = self.codec.class(class);
                    let member = self.member_of(class);
                    frame.choices.push(Choice::Member(member));
                }
                NodeKind::Reference(_) => {
                    let symbol = grammar.symbol_of(node);
                    let symbol = symbol.and_then(|it| self.costs.symbol(place, it));
                    if let Some(symbol) = symbol
                        && let Some(below) = symbol.below
                    {
                        frame.below.push((below, wanted & !symbol.ends));
                    }
                }
                NodeKind::Alternation => {
                    let (index, child) = self.alternative_of(place, node, wanted);
                    frame.choices.push(Choice::Alternative(index));
                    rest.extend(child.map(|child| Rest::Node(child, wanted)));
                }
                NodeKind::Concatenation => {
                    let parts = self.share_out(place, node, wanted);
                    let children = grammar.children(node).iter().zip(parts);
                    rest.extend(children.rev().map(|(&child, part)| Rest::Node(child, part)));
                }
                NodeKind::Quantifier { .. } => {
                    let Some(&subject) = grammar.children(node).first() else {
                        continue;
                    };
                    let Some((decides, part)) = self.item(place, node, count, wanted) else {
                        continue;
                    };
                    if decides {
                        frame.choices.push(Choice::More(part.is_some()));
                    }
                    if let Some(part) = part {
                        rest.push(Rest::Repeat(node, count + 1, wanted & !part));
                        rest.push(Rest::Node(subject, part));
                    }
                }
            }
        }
        frame
    }

    /// Whether one may spend so much where at least so much has to be spent; takes it if so.
    fn affords(&self, cost: u32, least: u32) -> bool {
        cost < NEVER && cost.saturating_sub(least) <= self.left
    }

    fn spend(&mut self, cost: u32, least: u32) {
        self.left = self.left.saturating_sub(cost.saturating_sub(least));
    }

    fn alternative_of(
        &mut self,
        place: PlaceId,
        node: NodeId,
        wanted: Wanted,
    ) -> (u32, Option<NodeId>) {
        let children = self.graph.grammar().children(node);
        let count = children.len() as u32;
        let costs: Vec<u32> = children
            .iter()
            .map(|&child| self.costs.cost(place, child, wanted))
            .collect();
        let least = costs.iter().copied().min().unwrap_or(NEVER);
        let mut total = 0u64;
        let mut chosen = None;
        for (index, &cost) in (0u32..).zip(&costs) {
            let weight = u64::from(self.weights.weight(node, count, index));
            if weight > 0 && self.affords(cost, least) {
                // Reservoir sampling by weight.
                total += weight;
                if self.rng.bits() % total < weight {
                    chosen = Some(index);
                }
            }
        }
        // What is never drawn, if nothing else satisfies the constraint.
        let chosen = chosen.unwrap_or_else(|| {
            let cheapest = costs.iter().position(|&cost| cost == least);
            cheapest.unwrap_or(0) as u32
        });
        self.spend(costs.get(chosen as usize).copied().unwrap_or(least), least);
        (chosen, children.get(chosen as usize).copied())
    }

    /// Shares required paths out among the parts of a concatenation.
    fn share_out(&mut self, place: PlaceId, node: NodeId, wanted: Wanted) -> Vec<Wanted> {
        let children = self.graph.grammar().children(node);
        if wanted == 0 {
            return vec![0; children.len()];
        }
        let sets = usize::from(self.costs.all()) + 1;
        let costs_of = |child: NodeId| -> Vec<u32> {
            let sets = (0..sets).map(|set| self.costs.cost(place, child, set as Wanted));
            sets.collect()
        };
        let costs: Vec<Vec<u32>> = children.iter().map(|&child| costs_of(child)).collect();
        // What the parts from each on cost.
        let mut behind = vec![vec![NEVER; sets]];
        behind[0][0] = 0;
        for costs in costs.iter().rev() {
            let rest = shared(costs, &behind[behind.len() - 1]);
            behind.push(rest);
        }
        behind.reverse();
        let mut rest = wanted;
        let mut parts = Vec::with_capacity(children.len());
        for (at, costs) in costs.iter().enumerate() {
            let least = behind[at][usize::from(rest)];
            let options = subsets(rest).map(|part| {
                let cost = costs[usize::from(part)] + behind[at + 1][usize::from(rest & !part)];
                (cost, part)
            });
            let options: Vec<(u32, Wanted)> = options.collect();
            let part = self.draw(&options, least);
            parts.push(part);
            rest &= !part;
        }
        parts
    }

    /// One of the options that can be afforded, each alike; the cheapest, if none can.
    fn draw(&mut self, options: &[(u32, Wanted)], least: u32) -> Wanted {
        let open = options
            .iter()
            .filter(|(cost, _)| self.affords(*cost, least));
        let open: Vec<(u32, Wanted)> = open.copied().collect();
        let drawn = open.get(self.rng.index(open.len())).copied();
        let cheapest = || options.iter().copied().min_by_key(|&(cost, _)| cost);
        let (cost, part) = drawn.or_else(cheapest).unwrap_or((least, 0));
        self.spend(cost, least);
        part
    }

    /// Whether a quantifier decides behind so many items, and the required paths of the next one, if there is one.
    fn item(
        &mut self,
        place: PlaceId,
        node: NodeId,
        count: u32,
        wanted: Wanted,
    ) -> Option<(bool, Option<Wanted>)> {
        let repeats = self.costs.repeats(place, node)?;
        let least = repeats.cost(wanted, count);
        let decides = repeats.decides(count);
        if !repeats.may_go_on(count) {
            return Some((decides, None));
        }
        let may_stop = wanted == 0 && repeats.may_stop(count);
        let mut options = Vec::new();
        for part in subsets(wanted) {
            let behind = repeats.cost(wanted & !part, count + 1);
            options.push((repeats.items[usize::from(part)] + behind, part));
        }
        let goes_on = !may_stop
            || self.rng.per_mille(self.style.more)
                && options.iter().any(|&(cost, _)| self.affords(cost, least));
        if !goes_on {
            return Some((decides, None));
        }
        // An item without a part of what is wanted is optional, too.
        if wanted != 0 && options.len() > 1 && !self.rng.per_mille(self.style.more) {
            let last = options.pop();
            if !options.iter().any(|&(cost, _)| self.affords(cost, least)) {
                options.extend(last);
            }
        }
        let part = self.draw(&options, least);
        Some((decides, Some(part)))
    }

    fn member_of(&mut self, class: &ClassCode) -> MemberChoice {
        if !self.rng.per_mille(self.style.drawn) {
            return MemberChoice {
                head: class.default_head(),
                rest: 0,
            };
        }
        let head = self.rng.below(class.head_count());
        let rest = match class.rest_count(head) {
            1 => 0,
            count => self.rng.below(count),
        };
        MemberChoice { head, rest }
    }

    fn next(&mut self) -> Option<Choice> {
        let frame = self.open.last_mut()?;
        let choice = frame.choices.get(frame.told).copied();
        frame.told += 1;
        choice
    }
}

// What is asked for was decided in this order; whatever else were asked for would get the first of its kind.
impl Chooser for Sampler<'_> {
    fn alternative(&mut self, _: NodeId, _: u32) -> u32 {
        match self.next() {
            Some(Choice::Alternative(index)) => index,
            _ => 0,
        }
    }

    fn more(&mut self, _: NodeId) -> bool {
        matches!(self.next(), Some(Choice::More(true)))
    }

    fn member(&mut self, _: NodeId, _: &ClassCode) -> MemberChoice {
        match self.next() {
            Some(Choice::Member(member)) => member,
            _ => MemberChoice::default(),
        }
    }

    fn enter(&mut self, _: Option<SymbolId>) {
        let (place, wanted) = match self.open.last_mut() {
            None => (self.costs.root(), self.costs.all()),
            Some(frame) => {
                let below = frame.below.get(frame.entered).copied();
                frame.entered += 1;
                below.unwrap_or((self.costs.root(), 0))
            }
        };
        let frame = self.expand(place, wanted);
        self.open.push(frame);
    }

    fn leave(&mut self) {
        self.open.pop();
    }
}
