//! Shortest derivations by four measures.
//!
//! Knuth's generalization of Dijkstra's algorithm (A Generalization of Dijkstra's Algorithm, 1977): every measure is a
//! superior function of its parts, so nodes are finished in ascending order of cost and never looked at again.
//! O(n log n) time for n nodes, O(n) memory, no recursion. Costs saturate, so a grammar whose shortest sentence is
//! astronomically long is seen as such instead of overflowing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::bitset::BitSet;
use crate::grammar::{CharClass, Grammar, NodeKind};
use crate::id::{Id as _, IdVec, NodeId};

/// What "short" means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Measure {
    /// Nodes of the derivation, symbolic and synthetic. Close-off follows this measure.
    Nodes,
    /// Nested references: a literal or class has depth 0, a reference one more than what it names.
    Depth,
    /// Bytes of the sentence.
    Length,
    /// References of the derivation: how often a nonterminal is expanded.
    References,
}

/// The cost of the shortest derivation of every node, by one measure, and the alternative that begins it.
#[derive(Clone, Debug)]
pub struct Shortest {
    costs: IdVec<NodeId, u32>,
    alternatives: IdVec<NodeId, u32>,
    /// The alternatives that begin a shortest derivation.
    shortest: BitSet,
}

/// Costs carry the number of nodes in the low half, so that they strictly grow from part to whole even where the measure
/// does not; following the cheapest alternative therefore always ends.
const UNIT: u64 = 1 << 32;

fn pack(measured: u64, nodes: u64) -> u64 {
    measured.min(u64::from(u32::MAX)) * UNIT + nodes.min(u64::from(u32::MAX))
}

fn measured(cost: u64) -> u64 {
    cost / UNIT
}

fn nodes(cost: u64) -> u64 {
    cost % UNIT
}

impl Shortest {
    /// Finds the shortest derivations of all nodes. O(n log n).
    pub fn new(grammar: &Grammar, measure: Measure) -> Shortest {
        let all = grammar.nodes();
        let mut users: IdVec<_, Vec<NodeId>> =
            IdVec::filled(grammar.productions().len(), Vec::new());
        let mut pending: IdVec<NodeId, u32> = IdVec::filled(all.len(), 0);
        let mut packed: IdVec<NodeId, u64> = IdVec::filled(all.len(), u64::MAX);
        let mut done = BitSet::new(all.len());
        let mut heap = BinaryHeap::new();

        for (id, node) in all.iter() {
            let children = grammar.children(id).len() as u32;
            match node.kind {
                NodeKind::Reference(production) => users[production].push(id),
                NodeKind::Concatenation => pending[id] = children,
                _ => {}
            }
            let cost = match node.kind {
                NodeKind::Literal(literal) => match measure {
                    Measure::Length => Some(pack(grammar[literal].len() as u64, 1)),
                    _ => Some(pack(0, 1)),
                },
                NodeKind::Class(class) => match measure {
                    Measure::Length => Some(pack(shortest_member(&grammar[class]), 1)),
                    _ => Some(pack(0, 1)),
                },
                NodeKind::Concatenation if children == 0 => Some(pack(0, 1)),
                NodeKind::Quantifier { min: 0, .. } => Some(pack(0, 1)),
                _ => None,
            };
            if let Some(cost) = cost {
                heap.push(Reverse((cost, id)));
            }
        }

        while let Some(Reverse((cost, id))) = heap.pop() {
            if !done.insert(id.index()) {
                continue;
            }
            packed[id] = cost;
            if let Some(parent) = all[id].parent {
                match all[parent].kind {
                    NodeKind::Alternation => {
                        heap.push(Reverse((pack(measured(cost), nodes(cost) + 1), parent)));
                    }
                    NodeKind::Concatenation => {
                        pending[parent] -= 1;
                        if pending[parent] == 0 {
                            let (mut sum, mut count) = (0, 1);
                            for &child in grammar.children(parent) {
                                let part = packed[child];
                                sum = match measure {
                                    Measure::Depth => measured(part).max(sum),
                                    _ => measured(part) + sum,
                                };
                                count += nodes(part);
                            }
                            heap.push(Reverse((pack(sum, count), parent)));
                        }
                    }
                    NodeKind::Quantifier { min, .. } => {
                        let times = u64::from(min.max(1));
                        let sum = match measure {
                            Measure::Depth => measured(cost),
                            _ => measured(cost) * times,
                        };
                        heap.push(Reverse((pack(sum, nodes(cost) * times + 1), parent)));
                    }
                    // Symbolic nodes have no children in the arena.
                    NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => {}
                }
            } else {
                let own = u64::from(matches!(measure, Measure::Depth | Measure::References));
                for &user in &users[all[id].production] {
                    heap.push(Reverse((pack(measured(cost) + own, nodes(cost) + 1), user)));
                }
            }
        }

        let costs = all
            .ids()
            .map(|id| match measure {
                Measure::Nodes => nodes(packed[id]) as u32,
                _ => measured(packed[id]) as u32,
            })
            .collect();
        let alternatives = all
            .ids()
            .map(|id| {
                let cheapest = grammar
                    .children(id)
                    .iter()
                    .enumerate()
                    .min_by_key(|&(_, &child)| packed[child]);
                cheapest.map_or(0, |(at, _)| at as u32)
            })
            .collect();
        let mut shortest = BitSet::new(all.len());
        for (id, node) in all.iter() {
            if node.kind == NodeKind::Alternation {
                let children = || grammar.children(id).iter();
                let least = children().map(|&child| packed[child]).min();
                for &child in children().filter(|&&child| Some(packed[child]) == least) {
                    shortest.insert(child.index());
                }
            }
        }
        Shortest {
            costs,
            alternatives,
            shortest,
        }
    }

    /// The cost of the shortest derivation of a node; saturates at `u32::MAX`.
    #[inline]
    pub fn cost(&self, node: NodeId) -> u32 {
        self.costs[node]
    }

    /// The alternative that begins the shortest derivation of an alternation: the first of the cheapest.
    #[inline]
    pub fn alternative(&self, alternation: NodeId) -> u32 {
        self.alternatives[alternation]
    }

    /// Whether an alternative begins a shortest derivation of its alternation: no other one costs less, or as much with
    /// fewer nodes. Whoever takes none but these ends, with as few nodes as [`Shortest::alternative`] leads to.
    #[inline]
    pub(crate) fn is_shortest(&self, alternative: NodeId) -> bool {
        self.shortest.contains(alternative.index())
    }
}

fn shortest_member(class: &CharClass) -> u64 {
    let chars = class.chars().first().map(|&(low, _)| low.len_utf8());
    let bytes = class.bytes().first().map(|_| 1);
    chars.into_iter().chain(bytes).min().unwrap_or(1) as u64
}
