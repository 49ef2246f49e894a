//! Which tokens can come behind which: what a scanner has to expect.
//!
//! A token is expected behind another if some sentence of the syntax has the two side by side; at the beginning those
//! are expected that a sentence can begin with. Both follow by the usual fixed points (FIRST and FOLLOW; Aho, Lam, Sethi,
//! Ullman: *Compilers*, section 4.4), for nodes instead of nonterminals. Where a token of a mode is expected, all tokens of
//! the mode compete. What is skipped competes everywhere, or wherever its mode does; what the first mode skips, wherever a literal
//! or class of the syntax is expected.
//!
//! The same is known for each place where the syntax writes a token: fewer tokens come behind *this* quotation mark than behind
//! any. A derivation knows the places, a scanner only the tokens; what a parser expects at a point of a text is between the two.
//!
//! O(nodes · tokens / 64) a pass, and as many passes as the syntax is deep, which are few.

use crate::grammar::{Grammar, NodeKind, Role};
use crate::id::{Id as _, IdVec, NodeId, ProductionId};

use super::tokens::{NO_TOKEN, Origin, Token};

/// The row of what is not a place of a token.
pub(super) const NO_PLACE: u32 = u32::MAX;

/// Sets of tokens, one a row.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    words: usize,
    rows: Vec<u64>,
}

impl Sets {
    pub(super) fn new(rows: usize, tokens: usize) -> Sets {
        let words = tokens.div_ceil(64).max(1);
        Sets {
            words,
            rows: vec![0; rows * words],
        }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.rows[row * self.words..][..self.words]
    }

    #[inline]
    pub(super) fn contains(&self, row: usize, token: u32) -> bool {
        self.rows[row * self.words + token as usize / 64] >> (token % 64) & 1 == 1
    }

    /// The words of a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn insert(&mut self, row: usize, token: u32) {
        self.rows[row * self.words + token as usize / 64] |= 1 << (token % 64);
    }

    /// Adds one row to another and says whether that was new.
    pub(super) fn union(&mut self, to: usize, from: usize) -> bool {
        let mut is_new = false;
        for word in 0..self.words {
            let more = self.rows[from * self.words + word];
            let own = &mut self.rows[to * self.words + word];
            is_new |= more & !*own != 0;
            *own |= more;
        }
        is_new
    }

    /// Adds a row of other sets.
    fn union_from(&mut self, to: usize, others: &Sets, from: usize) -> bool {
        let mut is_new = false;
        let own = &mut self.rows[to * self.words..][..self.words];
        for (own, &more) in own.iter_mut().zip(others.row(from)) {
            is_new |= more & !*own != 0;
            *own |= more;
        }
        is_new
    }
}

/// What competes besides the tokens that are expected.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    /// By mode, and what is skipped whatever the mode in the last row.
    members: Sets,
    /// The tokens of each mode, without what is skipped.
    modes: Vec<Option<u32>>,
    /// What is skipped anywhere; what the first mode skips; literals and classes of the syntax.
    kinds: Sets,
}

const SKIPPED: usize = 0;
const SKIPPED_FIRST: usize = 1;
const INLINE: usize = 2;

impl Modes {
    pub(super) fn new(tokens: &[Token]) -> Modes {
        let mode_count = tokens.iter().filter_map(|token| token.mode).max();
        let mode_count = mode_count.map_or(0, |most| most as usize + 1);
        let mut members = Sets::new(mode_count + 1, tokens.len());
        let mut kinds = Sets::new(3, tokens.len());
        for (at, token) in (0..).zip(tokens) {
            match token.mode {
                Some(mode) => members.insert(mode as usize, at),
                None if token.is_skipped => members.insert(mode_count, at),
                None => {}
            }
            if token.is_skipped {
                kinds.insert(SKIPPED, at);
                if token.mode == Some(0) {
                    kinds.insert(SKIPPED_FIRST, at);
                }
            }
            if !matches!(token.origin, Origin::Production(_)) {
                kinds.insert(INLINE, at);
            }
        }
        Modes {
            members,
            modes: tokens.iter().map(|token| token.mode).collect(),
            kinds,
        }
    }

    /// Adds what competes with the tokens of a set, where these are all that is expected.
    pub(super) fn close(&self, set: &mut [u64]) {
        let outside = self.members.rows.len() / self.members.words - 1;
        // Behind the last token of a sentence, whatever is skipped anywhere is.
        let is_end = set.iter().all(|&word| word == 0);
        // What the syntax writes itself stands where the first mode does, so what that skips is skipped there.
        let inline = self.kinds.row(INLINE);
        let has_inline = set
            .iter()
            .zip(inline)
            .any(|(own, inline)| own & inline != 0);
        let mut active = vec![false; outside];
        for (at, mode) in self.modes.iter().enumerate() {
            if let Some(mode) = mode
                && set[at / 64] >> (at % 64) & 1 == 1
            {
                active[*mode as usize] = true;
            }
        }
        let mut add = |more: &[u64]| {
            for (own, more) in set.iter_mut().zip(more) {
                *own |= more;
            }
        };
        for (mode, _) in active.iter().enumerate().filter(|(_, active)| **active) {
            add(self.members.row(mode));
        }
        if is_end {
            add(self.kinds.row(SKIPPED));
        } else if has_inline {
            add(self.kinds.row(SKIPPED_FIRST));
        }
        add(self.members.row(outside));
    }
}

/// What competes behind each token and at the beginning, in this order, and behind each place that has a token, in the rows
/// that are given for these.
pub(super) fn competing(
    grammar: &Grammar,
    tokens: &[Token],
    token_of: &IdVec<NodeId, u32>,
    modes: &Modes,
) -> (Sets, IdVec<NodeId, u32>) {
    let (mut sets, places) = follow(grammar, tokens.len(), token_of);
    let words = sets.words;
    for row in sets.rows.chunks_mut(words) {
        modes.close(row);
    }
    (sets, places)
}

/// The tokens that can follow each token in a sentence; then those that one can begin with; then those that can follow the token
/// of each place, and the rows of these.
fn follow(
    grammar: &Grammar,
    count: usize,
    token_of: &IdVec<NodeId, u32>,
) -> (Sets, IdVec<NodeId, u32>) {
    let syntax: Vec<ProductionId> = grammar
        .productions()
        .iter()
        .filter(|(_, production)| production.role == Role::Syntax)
        .map(|(id, _)| id)
        .collect();
    let nodes = grammar.nodes().len();
    let mut firsts = Sets::new(nodes, count);
    let mut nullable: IdVec<NodeId, bool> = IdVec::filled(nodes, false);
    let mut changed = true;
    while changed {
        changed = false;
        for &production in syntax.iter().rev() {
            for node in own_nodes(grammar, production).rev() {
                changed |= first(grammar, token_of, node, &mut firsts, &mut nullable);
            }
        }
    }
    // By node; behind them all, a row to build one in.
    let mut follows = Sets::new(nodes + 1, count);
    let scratch = nodes;
    let is_token = |token: &u32| *token != NO_TOKEN;
    let written = token_of.iter().filter(|(_, token)| is_token(token)).count();
    let mut behind = Sets::new(count + 1 + written, count);
    let mut places = IdVec::filled(nodes, NO_PLACE);
    changed = true;
    while changed {
        changed = false;
        for &production in &syntax {
            for node in own_nodes(grammar, production) {
                let at = node.index();
                let children = grammar.children(node);
                match grammar[node].kind {
                    NodeKind::Literal(_) | NodeKind::Class(_) => {}
                    NodeKind::Reference(target) => {
                        if token_of[node] == NO_TOKEN {
                            changed |= follows.union(grammar[target].root.index(), at);
                        }
                    }
                    NodeKind::Alternation => {
                        for child in children {
                            changed |= follows.union(child.index(), at);
                        }
                    }
                    NodeKind::Quantifier { max, .. } => {
                        for child in children {
                            changed |= follows.union(child.index(), at);
                            if max != Some(1) {
                                changed |=
                                    follows.union_from(child.index(), &firsts, child.index());
                            }
                        }
                    }
                    NodeKind::Concatenation => {
                        follows.rows[scratch * follows.words..].fill(0);
                        follows.union(scratch, at);
                        for child in children.iter().rev() {
                            changed |= follows.union(child.index(), scratch);
                            if !nullable[*child] {
                                follows.rows[scratch * follows.words..].fill(0);
                            }
                            follows.union_from(scratch, &firsts, child.index());
                        }
                    }
                }
            }
        }
    }
    let mut row = count;
    for (node, &token) in token_of.iter().filter(|(_, token)| is_token(token)) {
        row += 1;
        places[node] = row as u32;
        behind.union_from(token as usize, &follows, node.index());
        behind.union_from(row, &follows, node.index());
    }
    let start = grammar[grammar.start()].root;
    behind.union_from(count, &firsts, start.index());
    (behind, places)
}

/// The nodes of a production in pre-order.
fn own_nodes(
    grammar: &Grammar,
    production: ProductionId,
) -> impl DoubleEndedIterator<Item = NodeId> {
    let production = &grammar[production];
    let first = production.first_node.index();
    (first..first + production.node_count as usize).map(NodeId::from_index)
}

/// Brings what a node can begin with up to date from the nodes below it.
fn first(
    grammar: &Grammar,
    token_of: &IdVec<NodeId, u32>,
    node: NodeId,
    firsts: &mut Sets,
    nullable: &mut IdVec<NodeId, bool>,
) -> bool {
    let at = node.index();
    let children = grammar.children(node);
    let mut changed = false;
    let is_nullable = match grammar[node].kind {
        _ if token_of[node] != NO_TOKEN => {
            changed = !firsts.contains(at, token_of[node]);
            firsts.insert(at, token_of[node]);
            false
        }
        NodeKind::Literal(_) => true,
        NodeKind::Class(_) => false,
        NodeKind::Reference(target) => {
            let root = grammar[target].root;
            changed |= firsts.union(at, root.index());
            nullable[root]
        }
        NodeKind::Alternation => {
            for child in children {
                changed |= firsts.union(at, child.index());
            }
            children.iter().any(|&child| nullable[child])
        }
        NodeKind::Quantifier { min, .. } => {
            for child in children {
                changed |= firsts.union(at, child.index());
            }
            min == 0 || children.iter().all(|&child| nullable[child])
        }
        NodeKind::Concatenation => {
            let mut all = true;
            for &child in children {
                changed |= firsts.union(at, child.index());
                if !nullable[child] {
                    all = false;
                    break;
                }
            }
            all
        }
    };
    changed |= is_nullable && !nullable[node];
    nullable[node] |= is_nullable;
    changed
}
