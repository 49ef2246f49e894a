//! What it takes to reach a symbol: the cheapest surroundings.
//!
//! `extra(s)` is what must be derived beside symbol `s` in its right side, every sibling as short as possible; a
//! single-source search over references adds up the extras on the cheapest way from the start. Both measures are used:
//! length adds, depth takes the greatest. O(n log n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{IdVec, NodeId, ProductionId, SymbolId};

/// The cheapest ways from the start to every production.
#[derive(Debug)]
pub(super) struct Access {
    measure: Measure,
    extras: IdVec<NodeId, u64>,
    costs: IdVec<ProductionId, u64>,
    /// The reference that the cheapest way to a production ends with.
    via: IdVec<ProductionId, Option<SymbolId>>,
}

impl Access {
    /// Finds the ways that keep sentences short ([`Measure::Length`]) or trees flat ([`Measure::Depth`]).
    pub(super) fn new(graph: &Graph, measure: Measure) -> Access {
        let grammar = graph.grammar();
        let shortest = graph.shortest(measure);
        let flat = measure == Measure::Depth;
        let mut extras: IdVec<NodeId, u64> = IdVec::filled(grammar.nodes().len(), 0);
        for (id, node) in grammar.nodes().iter() {
            let above = extras[id];
            let children = grammar.children(id);
            let cost = |child: NodeId| u64::from(shortest.cost(child));
            match node.kind {
                NodeKind::Concatenation if flat => {
                    let mut best = [(0u64, usize::MAX); 2];
                    for (at, &child) in children.iter().enumerate() {
                        if cost(child) >= best[0].0 {
                            best = [(cost(child), at), best[0]];
                        } else {
                            best[1] = best[1].max((cost(child), at));
                        }
                    }
                    for (at, &child) in children.iter().enumerate() {
                        let beside = if best[0].1 == at {
                            best[1].0
                        } else {
                            best[0].0
                        };
                        extras[child] = above.max(beside);
                    }
                }
                NodeKind::Concatenation => {
                    let sum: u64 = children.iter().map(|&child| cost(child)).sum();
                    for &child in children {
                        extras[child] = above + sum - cost(child);
                    }
                }
                NodeKind::Quantifier { min, .. } => {
                    for &child in children {
                        let others = cost(child) * u64::from(min.saturating_sub(1));
                        extras[child] = match (flat, min) {
                            (true, 0 | 1) => above,
                            (true, _) => above.max(cost(child)),
                            (false, _) => above + others,
                        };
                    }
                }
                _ => {
                    for &child in children {
                        extras[child] = above;
                    }
                }
            }
        }
        let count = grammar.productions().len();
        let mut access = Access {
            measure,
            extras,
            costs: IdVec::filled(count, u64::MAX),
            via: IdVec::filled(count, None),
        };
        // Depth counts steps here; whether the siblings fit is asked with `fits`.
        let mut heap = BinaryHeap::from([Reverse((0u64, 0u32, grammar.start(), None))]);
        while let Some(Reverse((cost, steps, production, via))) = heap.pop() {
            if access.costs[production] != u64::MAX {
                continue;
            }
            access.costs[production] = cost;
            access.via[production] = via;
            for symbol in Graph::ids(graph.symbols_of(production)) {
                if let Some(target) = graph.target_of(symbol) {
                    let step = if flat { 1 } else { access.extra(graph, symbol) };
                    heap.push(Reverse((
                        cost.saturating_add(step),
                        steps + 1,
                        target,
                        Some(symbol),
                    )));
                }
            }
        }
        access
    }

    /// What stands beside a symbol in its right side, at the least.
    pub(super) fn extra(&self, graph: &Graph, symbol: SymbolId) -> u64 {
        self.extras[graph.grammar()[symbol].node]
    }

    /// The references from the start to a production.
    pub(super) fn route(&self, graph: &Graph, to: ProductionId) -> Vec<SymbolId> {
        let mut route = Vec::new();
        let mut here = to;
        while let Some(symbol) = self.via[here] {
            route.push(symbol);
            here = graph.production_of(symbol);
        }
        route.reverse();
        route
    }

    /// The least that a whole derivation through `path`, from the start, comes to.
    pub(super) fn cost_of(&self, graph: &Graph, path: &[SymbolId]) -> u64 {
        let Some(&last) = path.last() else {
            return u64::from(
                graph
                    .shortest(self.measure)
                    .cost(graph.grammar()[graph.grammar().start()].root),
            );
        };
        let own = u64::from(
            graph
                .shortest(self.measure)
                .cost(graph.grammar()[last].node),
        );
        let steps = || path.iter().enumerate();
        match self.measure {
            Measure::Depth => steps()
                .map(|(at, &symbol)| at as u64 + self.extra(graph, symbol))
                .fold(own + path.len() as u64 - 1, u64::max),
            _ => {
                path.iter()
                    .map(|&symbol| self.extra(graph, symbol))
                    .sum::<u64>()
                    + own
            }
        }
    }

    /// The cost of the cheapest way to where a path begins, and of the path.
    pub(super) fn cost_with_route(&self, graph: &Graph, path: &[SymbolId]) -> u64 {
        let to = path
            .first()
            .map_or(graph.grammar().start(), |&first| graph.production_of(first));
        self.costs[to].saturating_add(self.cost_of(graph, path))
    }
}
