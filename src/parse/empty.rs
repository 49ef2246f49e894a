//! Deriving nothing: which nodes can, in how many ways, and which way is canonical.
//!
//! What a node derives where it derives nothing does not depend on the text, so it is known before any text is read, and a
//! parse only ever looks for derivations of something. An optional repetition that derives nothing is no derivation: a
//! quantifier derives nothing by its mandatory repetitions alone. Linear in the grammar.

use std::collections::VecDeque;
use std::sync::OnceLock;

use num_bigint::BigUint;

use crate::grammar::{Grammar, NodeKind};
use crate::id::{IdVec, NodeId, ProductionId};

/// What derives nothing, and what derives something.
#[derive(Debug)]
pub(super) struct Empty {
    /// The height of the lowest empty derivation of each node.
    heights: IdVec<NodeId, Option<u32>>,
    full: IdVec<NodeId, bool>,
    /// `None` for infinitely many.
    counts: OnceLock<IdVec<NodeId, Option<BigUint>>>,
}

impl Empty {
    /// Finds what derives nothing.
    pub(super) fn new(grammar: &Grammar) -> Empty {
        let mut uses: IdVec<ProductionId, Vec<NodeId>> =
            IdVec::filled(grammar.productions().len(), Vec::new());
        for (id, node) in grammar.nodes().iter() {
            if let NodeKind::Reference(target) = node.kind {
                uses[target].push(id);
            }
        }
        Empty {
            heights: heights(grammar, &uses),
            full: full(grammar, &uses),
            counts: OnceLock::new(),
        }
    }

    /// Whether a node derives nothing.
    pub(super) fn is_nullable(&self, node: NodeId) -> bool {
        self.heights[node].is_some()
    }

    /// Whether a node derives something.
    pub(super) fn is_full(&self, node: NodeId) -> bool {
        self.full[node]
    }

    /// The alternative of a nullable alternation's canonical empty derivation: the lowest, the first of the lowest.
    pub(super) fn alternative(&self, grammar: &Grammar, alternation: NodeId) -> u32 {
        let children = grammar.children(alternation).iter().enumerate();
        let nullable = children.filter_map(|(at, &child)| Some((self.heights[child]?, at as u32)));
        nullable.min().map_or(0, |(_, at)| at)
    }

    /// The nodes below a node in its empty derivations.
    pub(super) fn parts<'g>(
        &'g self,
        grammar: &'g Grammar,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = (usize, NodeId)> + 'g {
        let below: &[NodeId] = match &grammar[node].kind {
            NodeKind::Literal(_) | NodeKind::Class(_) => &[],
            NodeKind::Reference(target) => std::slice::from_ref(&grammar[*target].root),
            NodeKind::Quantifier { min: 0, .. } => &[],
            _ => grammar.children(node),
        };
        let below = below.iter().copied().enumerate();
        below.filter(|&(_, child)| self.is_nullable(child))
    }

    /// The number of empty derivations of a nullable node; `None` if there are infinitely many.
    pub(super) fn count(&self, grammar: &Grammar, node: NodeId) -> Option<&BigUint> {
        self.counts.get_or_init(|| self.counts(grammar))[node].as_ref()
    }

    fn counts(&self, grammar: &Grammar) -> IdVec<NodeId, Option<BigUint>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut counts: IdVec<NodeId, Option<BigUint>> =
            IdVec::filled(grammar.nodes().len(), Some(BigUint::ZERO));
        let mut states: IdVec<NodeId, State> = IdVec::filled(grammar.nodes().len(), State::New);
        let mut stack = Vec::new();
        for start in grammar.nodes().ids() {
            if self.is_nullable(start) {
                stack.push(start);
            }
            while let Some(&node) = stack.last() {
                match states[node] {
                    State::New => {
                        states[node] = State::Open;
                        for (_, child) in self.parts(grammar, node) {
                            match states[child] {
                                State::New => stack.push(child),
                                // Below itself: as often as one likes.
                                State::Open => counts[child] = None,
                                State::Done => {}
                            }
                        }
                    }
                    State::Open => {
                        stack.pop();
                        states[node] = State::Done;
                        if counts[node].is_some() {
                            counts[node] = self.count_of_parts(grammar, node, &counts);
                        }
                    }
                    State::Done => {
                        stack.pop();
                    }
                }
            }
        }
        counts
    }

    fn count_of_parts(
        &self,
        grammar: &Grammar,
        node: NodeId,
        counts: &IdVec<NodeId, Option<BigUint>>,
    ) -> Option<BigUint> {
        let mut parts = self.parts(grammar, node).map(|(_, child)| &counts[child]);
        match grammar[node].kind {
            NodeKind::Alternation => {
                parts.try_fold(BigUint::ZERO, |sum, part| Some(sum + part.as_ref()?))
            }
            NodeKind::Quantifier { min, .. } => parts.try_fold(BigUint::from(1u32), |_, part| {
                part.as_ref().map(|part| part.pow(min))
            }),
            _ => parts.try_fold(BigUint::from(1u32), |product, part| {
                Some(product * part.as_ref()?)
            }),
        }
    }
}

/// The height of each node's lowest empty derivation: heights are found in ascending order, so the last child that a node
/// waits for is its highest.
fn heights(
    grammar: &Grammar,
    uses: &IdVec<ProductionId, Vec<NodeId>>,
) -> IdVec<NodeId, Option<u32>> {
    let mut heights: IdVec<NodeId, Option<u32>> = IdVec::filled(grammar.nodes().len(), None);
    let mut missing: IdVec<NodeId, usize> = grammar
        .nodes()
        .ids()
        .map(|node| grammar.children(node).len())
        .collect();
    let mut found = VecDeque::new();
    for (id, node) in grammar.nodes().iter() {
        let at_once = match node.kind {
            NodeKind::Literal(literal) => grammar[literal].is_empty(),
            NodeKind::Concatenation => grammar.children(id).is_empty(),
            NodeKind::Quantifier { min, .. } => min == 0,
            _ => false,
        };
        if at_once {
            heights[id] = Some(0);
            found.push_back(id);
        }
    }
    while let Some(node) = found.pop_front() {
        let height = heights[node].map(|height| height + 1);
        let mut reach = |above: NodeId| {
            missing[above] = missing[above].saturating_sub(1);
            let waits = grammar[above].kind == NodeKind::Concatenation && missing[above] > 0;
            if heights[above].is_none() && !waits {
                heights[above] = height;
                found.push_back(above);
            }
        };
        match grammar[node].parent {
            Some(parent) => reach(parent),
            None => uses[grammar[node].production]
                .iter()
                .copied()
                .for_each(reach),
        }
    }
    heights
}

/// Which nodes derive something: pruned grammars are productive, so one full part is enough.
fn full(grammar: &Grammar, uses: &IdVec<ProductionId, Vec<NodeId>>) -> IdVec<NodeId, bool> {
    let mut full: IdVec<NodeId, bool> = IdVec::filled(grammar.nodes().len(), false);
    let mut found: Vec<NodeId> = Vec::new();
    for (id, node) in grammar.nodes().iter() {
        let at_once = match node.kind {
            NodeKind::Literal(literal) => !grammar[literal].is_empty(),
            NodeKind::Class(_) => true,
            _ => false,
        };
        if at_once {
            full[id] = true;
            found.push(id);
        }
    }
    while let Some(node) = found.pop() {
        let above = match &grammar[node].parent {
            Some(parent) => std::slice::from_ref(parent),
            None => uses[grammar[node].production].as_slice(),
        };
        for &above in above {
            if !full[above] {
                full[above] = true;
                found.push(above);
            }
        }
    }
    full
}
