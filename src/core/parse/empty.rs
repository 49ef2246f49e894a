//! Deriving nothing: which nodes can, and which way is canonical.
//!
//! What a node derives where it derives nothing does not depend on the text, so it is known before any text is read, and a
//! parse only ever looks for derivations of something. An optional repetition that derives nothing is no derivation: a
//! quantifier derives nothing by its mandatory repetitions alone. Linear in the grammar.

use std::collections::VecDeque;

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
    #[cfg(feature = "tools")]
    pub(super) counts: super::empty_count::Counts,
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
            #[cfg(feature = "tools")]
            counts: Default::default(),
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
