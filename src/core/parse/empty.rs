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
    /// The nodes of the canonical empty derivation of each nullable node.
    sizes: IdVec<NodeId, u64>,
    full: IdVec<NodeId, bool>,
    counts: OnceLock<IdVec<NodeId, Ways>>,
}

/// A number of empty derivations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ways {
    Finite(BigUint),
    Infinite,
    /// More than anybody wants to see: the number has more than [`MOST_BITS`].
    Unknown,
}

/// The most bits of a number of empty derivations.
const MOST_BITS: u64 = 1 << 22;

impl Ways {
    /// So many times the same, one after the other.
    pub(super) fn power(&self, times: u32) -> Ways {
        match self {
            Ways::Finite(number)
                if (number.bits() - 1).saturating_mul(u64::from(times)) > MOST_BITS =>
            {
                Ways::Unknown
            }
            Ways::Finite(number) => Ways::Finite(number.pow(times)),
            other => other.clone(),
        }
    }

    /// Both, combined; infinite if either is.
    fn combine(&self, other: &Ways, combine: impl Fn(&BigUint, &BigUint) -> BigUint) -> Ways {
        match (self, other) {
            (Ways::Infinite, _) | (_, Ways::Infinite) => Ways::Infinite,
            (Ways::Finite(a), Ways::Finite(b)) if a.bits() + b.bits() <= MOST_BITS => {
                Ways::Finite(combine(a, b))
            }
            _ => Ways::Unknown,
        }
    }
}

impl Empty {
    /// Finds what derives nothing.
    ///
    /// What `is_token` holds for derives something, whatever is below.
    pub(super) fn new(grammar: &Grammar, is_token: impl Fn(NodeId) -> bool) -> Empty {
        let mut uses: IdVec<ProductionId, Vec<NodeId>> =
            IdVec::filled(grammar.productions().len(), Vec::new());
        for (id, node) in grammar.nodes().iter() {
            if let NodeKind::Reference(target) = node.kind
                && !is_token(id)
            {
                uses[target].push(id);
            }
        }
        let (heights, order) = heights(grammar, &uses);
        let mut empty = Empty {
            heights,
            sizes: IdVec::filled(grammar.nodes().len(), 0),
            full: full(grammar, &uses, &is_token),
            counts: OnceLock::new(),
        };
        for node in order {
            empty.sizes[node] = empty.size_of(grammar, node);
        }
        empty
    }

    fn size_of(&self, grammar: &Grammar, node: NodeId) -> u64 {
        let parts = self.parts(grammar, node).map(|(_, part)| self.sizes[part]);
        let below = match grammar[node].kind {
            NodeKind::Alternation => {
                let index = self.alternative(grammar, node) as usize;
                self.sizes[grammar.children(node)[index]]
            }
            NodeKind::Quantifier { min, .. } => parts
                .fold(0, u64::saturating_add)
                .saturating_mul(u64::from(min)),
            _ => parts.fold(0, u64::saturating_add),
        };
        below.saturating_add(1)
    }

    /// The nodes of the canonical empty derivation of a nullable node.
    pub(super) fn size(&self, node: NodeId) -> u64 {
        self.sizes[node]
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

    /// The number of empty derivations of a nullable node.
    pub(super) fn count(&self, grammar: &Grammar, node: NodeId) -> &Ways {
        &self.counts.get_or_init(|| self.counts(grammar))[node]
    }

    fn counts(&self, grammar: &Grammar) -> IdVec<NodeId, Ways> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut counts: IdVec<NodeId, Ways> =
            IdVec::filled(grammar.nodes().len(), Ways::Finite(BigUint::ZERO));
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
                                State::Open => counts[child] = Ways::Infinite,
                                State::Done => {}
                            }
                        }
                    }
                    State::Open => {
                        stack.pop();
                        states[node] = State::Done;
                        if counts[node] != Ways::Infinite {
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
        counts: &IdVec<NodeId, Ways>,
    ) -> Ways {
        let mut parts = self.parts(grammar, node).map(|(_, child)| &counts[child]);
        let one = Ways::Finite(BigUint::from(1u32));
        match grammar[node].kind {
            NodeKind::Alternation => parts.fold(Ways::Finite(BigUint::ZERO), |sum, part| {
                sum.combine(part, |a, b| a + b)
            }),
            NodeKind::Quantifier { min, .. } => {
                parts.next().map_or(one, |subject| subject.power(min))
            }
            _ => parts.fold(one, |product, part| product.combine(part, |a, b| a * b)),
        }
    }
}

/// The height of each node's lowest empty derivation, and the nodes that have one, what is below first: heights are found in
/// ascending order, so the last child that a node waits for is its highest.
fn heights(
    grammar: &Grammar,
    uses: &IdVec<ProductionId, Vec<NodeId>>,
) -> (IdVec<NodeId, Option<u32>>, Vec<NodeId>) {
    let mut order = Vec::new();
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
        order.push(node);
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
    (heights, order)
}

/// Which nodes derive something: pruned grammars are productive, so one full part is enough.
fn full(
    grammar: &Grammar,
    uses: &IdVec<ProductionId, Vec<NodeId>>,
    is_token: impl Fn(NodeId) -> bool,
) -> IdVec<NodeId, bool> {
    let mut full: IdVec<NodeId, bool> = IdVec::filled(grammar.nodes().len(), false);
    let mut found: Vec<NodeId> = Vec::new();
    for (id, node) in grammar.nodes().iter() {
        let at_once = match node.kind {
            NodeKind::Literal(literal) => !grammar[literal].is_empty(),
            NodeKind::Class(_) => true,
            _ => is_token(id),
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
