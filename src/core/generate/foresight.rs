//! How near the expansions lie that are not covered.
//!
//! The Fuzzing Book (chapter *Grammar Coverage*, deep foresight) searches below every alternative, one level deeper each time,
//! until an uncovered expansion turns up. Here that is a table: one breadth-first search from all uncovered expansions at once,
//! against the references, gives the distance of every node. Distances change only when the last expansion of a choice has been
//! covered, so there are no more searches than choices, O(nodes) each, and a decision is a look-up.
//!
//! A *choice* is an alternation, or a right side that has none at its root and counts as a single expansion. Of the nearest
//! alternatives the chapter takes one with the most uncovered expansions at that distance; here one is drawn, since the count
//! did not shorten what it takes to cover everything.

use std::collections::VecDeque;

use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{Id as _, IdVec, NodeId, ProductionId};
use crate::kpath::ExpansionCoverage;
use crate::weights::Weights;

/// The distance of a node below which everything is covered.
pub(super) const NOTHING: u32 = u32::MAX;

/// Distances to what is not covered.
#[derive(Debug)]
pub(super) struct Foresight {
    /// The references to each production: `uses[first_use[p]..first_use[p + 1]]`.
    first_use: Vec<u32>,
    uses: Vec<NodeId>,
    /// By choice (an alternation, or the root of another right side): its uncovered expansions.
    lacking: IdVec<NodeId, u32>,
    /// By node: the choices to go through below it until an expansion is new.
    steps: IdVec<NodeId, u32>,
    /// The same for what a reference to the production derives, where its right side is not an alternation.
    single: IdVec<ProductionId, u32>,
    is_current: bool,
    queue: VecDeque<(NodeId, u32)>,
}

impl Foresight {
    /// Everything that has a weight and is not covered is sought.
    pub(super) fn new(
        graph: &Graph,
        weights: &Weights,
        expansions: &ExpansionCoverage,
    ) -> Foresight {
        let grammar = graph.grammar();
        let mut first_use = vec![0; grammar.productions().len() + 1];
        let references = || {
            let nodes = grammar.nodes().iter();
            nodes.filter_map(|(id, node)| match node.kind {
                NodeKind::Reference(target) => Some((id, target)),
                _ => None,
            })
        };
        for (_, target) in references() {
            first_use[target.index()] += 1;
        }
        let mut sum = 0;
        for first in &mut first_use {
            sum += *first;
            *first = sum;
        }
        // Filled from the end of each group, which turns the ends into starts.
        let mut uses = vec![NodeId(0); sum as usize];
        for (id, target) in references() {
            first_use[target.index()] -= 1;
            uses[first_use[target.index()] as usize] = id;
        }
        let lacking = grammar.nodes().iter().map(|(id, node)| {
            let count = match node.kind {
                NodeKind::Alternation => grammar.children(id).len() as u32,
                _ => 1,
            };
            (0..count)
                .filter(|&index| is_sought(graph, weights, expansions, id, index))
                .count() as u32
        });
        Foresight {
            first_use,
            uses,
            lacking: lacking.collect(),
            steps: IdVec::filled(grammar.nodes().len(), NOTHING),
            single: IdVec::filled(grammar.productions().len(), NOTHING),
            is_current: false,
            queue: VecDeque::new(),
        }
    }

    /// Whether an expansion of this choice is not covered.
    pub(super) fn lacks(&self, choice: NodeId) -> bool {
        self.lacking[choice] > 0
    }

    /// An expansion of this choice, which was not covered, is covered now.
    pub(super) fn cover(&mut self, choice: NodeId) {
        let lacking = &mut self.lacking[choice];
        *lacking = lacking.saturating_sub(1);
        if *lacking == 0 {
            self.is_current = false;
        }
    }

    /// The choices to go through below `node` until an expansion is new, or [`NOTHING`].
    pub(super) fn steps(&mut self, graph: &Graph, node: NodeId) -> u32 {
        self.refresh(graph);
        self.steps[node]
    }

    /// The choices to go through in what a production derives, the first one its own.
    pub(super) fn steps_of(&mut self, graph: &Graph, production: ProductionId) -> u32 {
        self.refresh(graph);
        let root = graph.grammar()[production].root;
        match graph.grammar()[root].kind {
            NodeKind::Alternation => self.steps[root],
            _ => self.single[production],
        }
    }

    fn refresh(&mut self, graph: &Graph) {
        if !self.is_current {
            self.search(graph);
            self.is_current = true;
        }
    }

    fn search(&mut self, graph: &Graph) {
        let grammar = graph.grammar();
        self.steps = IdVec::filled(grammar.nodes().len(), NOTHING);
        self.single = IdVec::filled(grammar.productions().len(), NOTHING);
        for id in grammar.nodes().ids() {
            if self.lacking[id] > 0 {
                self.arrive(graph, id, 1);
            }
        }
        // First come, least steps: distances leave the queue in ascending order.
        while let Some((choice, steps)) = self.queue.pop_front() {
            let node = grammar[choice];
            match node.parent {
                Some(parent) => self.climb(graph, parent, steps),
                None => {
                    let production = node.production.index();
                    let uses = self.first_use[production] as usize
                        ..self.first_use[production + 1] as usize;
                    for at in uses {
                        self.climb(graph, self.uses[at], steps);
                    }
                }
            }
        }
    }

    /// Enters the distance of a choice, if it has none yet.
    fn arrive(&mut self, graph: &Graph, choice: NodeId, steps: u32) {
        let node = graph.grammar()[choice];
        let known = match node.kind {
            NodeKind::Alternation => &mut self.steps[choice],
            _ => &mut self.single[node.production],
        };
        if *known == NOTHING {
            *known = steps;
            self.queue.push_back((choice, steps));
        }
    }

    /// Enters the distance of a node and of what is above it, up to the next choice.
    fn climb(&mut self, graph: &Graph, from: NodeId, steps: u32) {
        let grammar = graph.grammar();
        let mut at = from;
        loop {
            if grammar[at].kind == NodeKind::Alternation {
                return self.arrive(graph, at, steps + 1);
            }
            if self.steps[at] != NOTHING {
                return;
            }
            self.steps[at] = steps;
            match grammar[at].parent {
                Some(parent) => at = parent,
                None => return self.arrive(graph, at, steps + 1),
            }
        }
    }
}

/// Whether an expansion can be drawn, counts, and is not covered.
fn is_sought(
    graph: &Graph,
    weights: &Weights,
    expansions: &ExpansionCoverage,
    choice: NodeId,
    index: u32,
) -> bool {
    let count = match graph.grammar()[choice].kind {
        NodeKind::Alternation => graph.grammar().children(choice).len() as u32,
        _ => return expansions.lacks(choice, index),
    };
    expansions.lacks(choice, index) && weights.weight(choice, count, index) > 0
}
