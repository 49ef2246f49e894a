//! Distances between symbols, by breadth-first search against the references.
//!
//! All pairs would be quadratic in memory, so a table holds the distances *to* one production, and whoever asks for
//! many keeps the tables that it needs.

use std::collections::VecDeque;

use super::Graph;
use crate::id::{IdVec, ProductionId, SymbolId};

/// The distance of what cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// How far every production is from one production, in references to follow.
#[derive(Clone, Debug)]
pub struct Distances {
    steps: IdVec<ProductionId, u32>,
}

impl Distances {
    pub(super) fn new(graph: &Graph, to: ProductionId) -> Distances {
        let grammar = graph.grammar();
        let count = grammar.productions().len();
        let mut users: IdVec<ProductionId, Vec<ProductionId>> = IdVec::filled(count, Vec::new());
        for symbol in Graph::ids(0..graph.symbol_count() as u32) {
            if let Some(target) = graph.target_of(symbol) {
                let user = graph.production_of(symbol);
                if users[target].last() != Some(&user) {
                    users[target].push(user);
                }
            }
        }
        let mut steps = IdVec::filled(count, UNREACHABLE);
        steps[to] = 0;
        let mut queue = VecDeque::from([to]);
        while let Some(production) = queue.pop_front() {
            let next = steps[production] + 1;
            for &user in &users[production] {
                if steps[user] == UNREACHABLE {
                    steps[user] = next;
                    queue.push_back(user);
                }
            }
        }
        Distances { steps }
    }

    /// The references to follow from within `production` until within the target: 0 for the target itself.
    #[inline]
    pub fn of_production(&self, production: ProductionId) -> u32 {
        self.steps[production]
    }

    /// The derivation steps from a symbol to a symbol of the target production: 1 for a reference to the target.
    #[inline]
    pub fn of_symbol(&self, graph: &Graph, symbol: SymbolId) -> u32 {
        graph.target_of(symbol).map_or(UNREACHABLE, |production| {
            self.steps[production].saturating_add(1)
        })
    }

    /// The references of `production` that lie on a shortest way to the target.
    pub fn next_hops<'g>(
        &'g self,
        graph: &'g Graph,
        production: ProductionId,
    ) -> impl Iterator<Item = SymbolId> + 'g {
        let here = self.steps[production];
        Graph::ids(graph.symbols_of(production)).filter(move |&symbol| {
            here != 0 && here != UNREACHABLE && self.of_symbol(graph, symbol) == here
        })
    }
}
