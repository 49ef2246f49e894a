//! Deriving along a path.
//!
//! A k-path is derived by forcing the choices that lead from each symbol to the next: within a right side there is exactly one
//! way, since a symbol is written at one place. What lies beside the path is left to another chooser, the close-off. Before
//! the path itself comes the shortest way from where the derivation begins (TOSEM article, algorithm 1, lines 6 to 17).

use std::collections::BTreeMap;

use crate::choice::{Chooser, ClassCode, MemberChoice};
use crate::graph::{Distances, Graph, UNREACHABLE};
use crate::id::{NodeId, ProductionId, SymbolId};

/// Forces the symbols of a path and leaves all else to `close_off`.
#[derive(Debug)]
pub struct PathChooser<'a, C> {
    graph: &'a Graph,
    path: &'a [SymbolId],
    next: usize,
    depth: u32,
    /// The depth of the right side that the next symbol is written in.
    track: u32,
    /// Decides beside the path.
    pub close_off: C,
}

impl<'a, C: Chooser> PathChooser<'a, C> {
    /// Forces `path` below the node that is derived. `below_reference` says whether that node is a reference or the root,
    /// so that the path begins one level down; otherwise it begins in the same right side.
    pub fn new(
        graph: &'a Graph,
        path: &'a [SymbolId],
        below_reference: bool,
        close_off: C,
    ) -> Self {
        PathChooser {
            graph,
            path,
            next: 0,
            depth: 0,
            track: u32::from(below_reference),
            close_off,
        }
    }

    /// The node to reach next, if this right side has it.
    #[inline]
    fn wanted(&self) -> Option<NodeId> {
        let &symbol = self.path.get(self.next)?;
        (self.depth == self.track).then(|| self.graph.grammar()[symbol].node)
    }

    #[inline]
    fn pass(&mut self, symbol: Option<SymbolId>) {
        if self.depth == self.track
            && self.next < self.path.len()
            && Some(self.path[self.next]) == symbol
        {
            self.next += 1;
            self.track = self.depth + 1;
        }
    }
}

impl<C: Chooser> Chooser for PathChooser<'_, C> {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        let forced = self
            .wanted()
            .and_then(|wanted| self.graph.child_towards(node, wanted));
        match forced {
            Some(index) => {
                self.close_off.forced_alternative(node, index);
                index
            }
            None => self.close_off.alternative(node, count),
        }
    }

    fn more(&mut self, node: NodeId) -> bool {
        if self
            .wanted()
            .is_some_and(|wanted| self.graph.contains(node, wanted))
        {
            self.close_off.forced_more(node);
            return true;
        }
        self.close_off.more(node)
    }

    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        self.close_off.member(node, class)
    }

    fn enter(&mut self, symbol: Option<SymbolId>) {
        self.pass(symbol);
        self.depth += 1;
        self.close_off.enter(symbol);
    }

    fn terminal(&mut self, symbol: Option<SymbolId>) {
        self.pass(symbol);
        self.close_off.terminal(symbol);
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.close_off.leave();
    }
}

/// Shortest ways between productions, with the distance tables that were needed so far.
#[derive(Debug, Default)]
pub struct Routes {
    tables: BTreeMap<ProductionId, Distances>,
}

/// The words of distance tables that are kept.
const KEPT_WORDS: usize = 4 << 20;

impl Routes {
    /// No tables yet.
    pub fn new() -> Routes {
        Routes::default()
    }

    /// The distances to a production, computed at the first use.
    pub fn to(&mut self, graph: &Graph, production: ProductionId) -> &Distances {
        let productions = graph.grammar().productions().len();
        if !self.tables.contains_key(&production)
            && (self.tables.len() + 1) * productions > KEPT_WORDS
        {
            self.tables.clear();
        }
        self.tables
            .entry(production)
            .or_insert_with(|| graph.distances_to(production))
    }

    /// Appends to `path` the references from within `from` to within `to`, shortest way, the first of equal ones. False,
    /// and nothing appended, if there is no way.
    pub fn append(
        &mut self,
        graph: &Graph,
        from: ProductionId,
        to: ProductionId,
        path: &mut Vec<SymbolId>,
    ) -> bool {
        let distances = self.to(graph, to);
        if distances.of_production(from) == UNREACHABLE {
            return false;
        }
        let mut here = from;
        while here != to {
            let hop = distances.next_hops(graph, here).next();
            let Some((hop, target)) = hop.and_then(|hop| Some((hop, graph.target_of(hop)?))) else {
                return false;
            };
            path.push(hop);
            here = target;
        }
        true
    }
}
