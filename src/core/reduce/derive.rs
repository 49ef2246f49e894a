//! Deriving replacements: the shortest text of a node, and derivations that keep parts of the present one.
//!
//! A *graft* derives a node anew and copies the choices of old subtrees where their nonterminals turn up again: below another
//! alternative (`f(x)` becomes `-x`), or at the end of the cheapest way to a nonterminal (the expression of a loop becomes a statement
//! of its own). All else is as short as it can be.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use crate::choice::{Chooser, ClassCode, Codec, MemberChoice, TapeChooser};
use crate::grammar::{CharClass, Member, NodeKind};
use crate::graph::{Graph, Measure, Shortest};
use crate::id::{ClassId, IdVec, NodeId, ProductionId, SymbolId};

use super::simple::plainness;

/// What no way leads to.
const FAR: u64 = u64::MAX;

/// What reducing needs to know of a grammar.
#[derive(Debug)]
pub(super) struct Knowledge {
    pub(super) graph: Arc<Graph>,
    pub(super) codec: Codec,
    /// The plainest of the shortest members of each class.
    pub(super) plainest: IdVec<ClassId, MemberChoice>,
    /// By node: the bytes that must stand beside it in its right side.
    extras: IdVec<NodeId, u64>,
    ways: BTreeMap<ProductionId, Ways>,
    cycles: BTreeMap<ProductionId, Option<(u64, Vec<SymbolId>)>>,
}

/// The cheapest ways from one production to all.
#[derive(Debug)]
struct Ways {
    costs: IdVec<ProductionId, u64>,
    /// The reference that the way ends with.
    via: IdVec<ProductionId, Option<SymbolId>>,
}

impl Knowledge {
    /// O(n log n).
    pub(super) fn new(graph: &Arc<Graph>) -> Knowledge {
        let codec = Codec::new(graph);
        let classes = graph.grammar().classes();
        let plainest = classes
            .iter()
            .map(|(id, class)| plainest(class, codec.class(id)));
        Knowledge {
            plainest: plainest.collect(),
            extras: extras(graph),
            ways: BTreeMap::new(),
            cycles: BTreeMap::new(),
            graph: graph.clone(),
            codec,
        }
    }

    /// A chooser of what is shortest.
    pub(super) fn least(&self) -> Least<'_> {
        Least {
            graph: &self.graph,
            shortest: self.graph.shortest(Measure::Length),
            plainest: &self.plainest,
        }
    }

    /// The bytes that stand around a nonterminal at the least, where it is derived below another one; nothing if it cannot be.
    pub(super) fn around(&mut self, outer: ProductionId, inner: ProductionId) -> Option<u64> {
        let cost = self.ways(outer).costs[inner];
        (cost != FAR).then_some(cost)
    }

    /// The references of the cheapest way from one nonterminal to another, below it.
    pub(super) fn way(&mut self, outer: ProductionId, inner: ProductionId) -> Vec<SymbolId> {
        let graph = self.graph.clone();
        let ways = self.ways(outer);
        let mut way = Vec::new();
        let mut here = inner;
        while here != outer
            && let Some(symbol) = ways.via[here]
        {
            way.push(symbol);
            here = graph.production_of(symbol);
        }
        way.reverse();
        way
    }

    /// The cheapest way from a nonterminal down to itself, and the bytes that stand around it there.
    pub(super) fn cycle(&mut self, production: ProductionId) -> Option<(u64, Vec<SymbolId>)> {
        if let Some(known) = self.cycles.get(&production) {
            return known.clone();
        }
        let graph = self.graph.clone();
        let mut best: Option<(u64, SymbolId, ProductionId)> = None;
        for symbol in Graph::ids(graph.symbols_of(production)) {
            if let Some(target) = graph.target_of(symbol)
                && let Some(around) = self.around(target, production)
            {
                let cost = around.saturating_add(self.extras[graph.grammar()[symbol].node]);
                // A way that adds nothing changes nothing.
                if cost > 0 && best.is_none_or(|it| cost < it.0) {
                    best = Some((cost, symbol, target));
                }
            }
        }
        let cycle = best.map(|(cost, symbol, target)| {
            let mut path = vec![symbol];
            path.extend(self.way(target, production));
            (cost, path)
        });
        self.cycles.insert(production, cycle.clone());
        cycle
    }

    /// Dijkstra's algorithm, once for each nonterminal. O(symbols · log symbols).
    fn ways(&mut self, from: ProductionId) -> &Ways {
        let (graph, extras) = (&self.graph, &self.extras);
        self.ways.entry(from).or_insert_with(|| {
            let count = graph.grammar().productions().len();
            let mut ways = Ways {
                costs: IdVec::filled(count, FAR),
                via: IdVec::filled(count, None),
            };
            let mut heap = BinaryHeap::from([Reverse((0, 0u32, from, None))]);
            while let Some(Reverse((cost, steps, production, via))) = heap.pop() {
                if ways.costs[production] != FAR {
                    continue;
                }
                ways.costs[production] = cost;
                ways.via[production] = via;
                for symbol in Graph::ids(graph.symbols_of(production)) {
                    if let Some(target) = graph.target_of(symbol) {
                        let cost = cost.saturating_add(extras[graph.grammar()[symbol].node]);
                        heap.push(Reverse((cost, steps + 1, target, Some(symbol))));
                    }
                }
            }
            ways
        })
    }
}

/// The plainest of the shortest members.
fn plainest(class: &CharClass, code: &ClassCode) -> MemberChoice {
    let ascii = (0..=0x7f).map(|byte: u8| Member::Char(byte.into()));
    let firsts = class.chars().iter().map(|&(low, _)| Member::Char(low));
    let bytes = class.bytes().iter().map(|&(low, _)| Member::Byte(low));
    let choices = ascii.chain(firsts).chain(bytes);
    let choices = choices.filter_map(|member| code.choice(member));
    let best = choices.min_by_key(|&choice| {
        let mut text = [0; 4];
        let len = code.write(choice, &mut text);
        plainness(&text[..len])
    });
    best.unwrap_or_default()
}

/// What stands beside each node in its right side at the least, in bytes.
fn extras(graph: &Graph) -> IdVec<NodeId, u64> {
    let grammar = graph.grammar();
    let cost = |node: NodeId| u64::from(graph.costs(node).length);
    let mut extras: IdVec<NodeId, u64> = IdVec::filled(grammar.nodes().len(), 0);
    for (id, node) in grammar.nodes().iter() {
        let (above, children) = (extras[id], grammar.children(id));
        let sum: u64 = children.iter().map(|&child| cost(child)).sum();
        for &child in children {
            extras[child] = above
                + match node.kind {
                    NodeKind::Concatenation => sum - cost(child),
                    NodeKind::Quantifier { min, .. } => {
                        cost(child) * u64::from(min.saturating_sub(1))
                    }
                    _ => 0,
                };
        }
    }
    extras
}

/// Derives the shortest text, and of the characters that a class offers the plainest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Least<'a> {
    graph: &'a Graph,
    shortest: &'a Shortest,
    plainest: &'a IdVec<ClassId, MemberChoice>,
}

impl Chooser for Least<'_> {
    fn alternative(&mut self, node: NodeId, _: u32) -> u32 {
        self.shortest.alternative(node)
    }

    fn more(&mut self, _: NodeId) -> bool {
        false
    }

    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        match self.graph.grammar()[node].kind {
            NodeKind::Class(id) => self.plainest[id],
            _ => MemberChoice {
                head: class.default_head(),
                rest: 0,
            },
        }
    }
}

/// A subtree that is kept: the production that it derives, and its choices.
pub(super) type Part<'a> = (ProductionId, &'a [u8]);

/// Where the parts go.
enum Plan<'a> {
    /// To the references directly below, in their order, below this alternative.
    Alternative { index: u32, level: u32 },
    /// To the end of these references.
    Way {
        path: &'a [SymbolId],
        next: usize,
        track: u32,
    },
}

/// Derives a node with parts of what stood there.
pub(super) struct Graft<'a> {
    knowledge: &'a Knowledge,
    least: Least<'a>,
    plan: Plan<'a>,
    parts: Vec<Part<'a>>,
    depth: u32,
    /// Whether the alternative was taken.
    has_chosen: bool,
    /// The part that is copied, and how deep it begins.
    copied: Option<(u32, TapeChooser<'a>)>,
}

impl<'a> Graft<'a> {
    /// Takes this alternative at first, and puts each part to the next reference of its production. `is_reference` says whether the node
    /// is a reference or the root.
    pub(super) fn alternative(
        knowledge: &'a Knowledge,
        index: u32,
        is_reference: bool,
        parts: Vec<Part<'a>>,
    ) -> Graft<'a> {
        let level = u32::from(is_reference);
        Graft::new(knowledge, Plan::Alternative { index, level }, parts)
    }

    /// Goes these references down from the node, which is a reference or the root itself, and puts a part below the last.
    pub(super) fn way(knowledge: &'a Knowledge, path: &'a [SymbolId], part: Part<'a>) -> Graft<'a> {
        let plan = Plan::Way {
            path,
            next: 0,
            track: 1,
        };
        Graft::new(knowledge, plan, vec![part])
    }

    fn new(knowledge: &'a Knowledge, plan: Plan<'a>, parts: Vec<Part<'a>>) -> Graft<'a> {
        Graft {
            least: knowledge.least(),
            knowledge,
            plan,
            parts,
            depth: 0,
            has_chosen: false,
            copied: None,
        }
    }

    /// The node to reach next, if it is in this right side.
    fn wanted(&self) -> Option<NodeId> {
        match self.plan {
            Plan::Way { path, next, track } if track == self.depth => {
                let &symbol = path.get(next)?;
                Some(self.knowledge.graph.grammar()[symbol].node)
            }
            _ => None,
        }
    }

    /// The choices that belong below a reference.
    fn part_below(&mut self, symbol: SymbolId) -> Option<&'a [u8]> {
        let depth = self.depth;
        match &mut self.plan {
            Plan::Alternative { level, .. } => {
                if depth != *level {
                    return None;
                }
                let production = self.knowledge.graph.target_of(symbol)?;
                let at = self.parts.iter().position(|part| part.0 == production)?;
                Some(self.parts.remove(at).1)
            }
            Plan::Way { path, next, track } => {
                if depth != *track || path.get(*next) != Some(&symbol) {
                    return None;
                }
                *next += 1;
                *track = depth + 1;
                (*next == path.len()).then(|| self.parts[0].1)
            }
        }
    }
}

impl Chooser for Graft<'_> {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        if let Some((_, tape)) = &mut self.copied {
            return tape.alternative(node, count);
        }
        if let Plan::Alternative { index, level } = self.plan
            && !self.has_chosen
            && self.depth == level
        {
            self.has_chosen = true;
            return index;
        }
        let wanted = self.wanted();
        let forced = wanted.and_then(|it| self.knowledge.graph.child_towards(node, it));
        forced.unwrap_or_else(|| self.least.alternative(node, count))
    }

    fn more(&mut self, node: NodeId) -> bool {
        if let Some((_, tape)) = &mut self.copied {
            return tape.more(node);
        }
        let wanted = self.wanted();
        wanted.is_some_and(|it| self.knowledge.graph.contains(node, it))
    }

    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        match &mut self.copied {
            Some((_, tape)) => tape.member(node, class),
            None => self.least.member(node, class),
        }
    }

    fn enter(&mut self, symbol: Option<SymbolId>) {
        if self.copied.is_none()
            && let Some(symbol) = symbol
            && let Some(choices) = self.part_below(symbol)
        {
            self.copied = Some((self.depth, self.knowledge.codec.tape(choices)));
        }
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
        if self.copied.as_ref().is_some_and(|it| it.0 == self.depth) {
            self.copied = None;
        }
    }
}

/// Derives what was there, with the plainest characters.
pub(super) struct Plain<'a> {
    pub(super) tape: TapeChooser<'a>,
    pub(super) least: Least<'a>,
}

impl Chooser for Plain<'_> {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        self.tape.alternative(node, count)
    }

    fn more(&mut self, node: NodeId) -> bool {
        self.tape.more(node)
    }

    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        let old = self.tape.member(node, class);
        let new = self.least.member(node, class);
        let key = |choice| {
            let mut text = [0; 4];
            let len = class.write(choice, &mut text);
            plainness(&text[..len])
        };
        match key(new) < key(old) {
            true => new,
            false => old,
        }
    }
}
