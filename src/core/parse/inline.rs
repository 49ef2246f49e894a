//! Which productions get a machine of their own, and which are copied into the machines that use them.
//!
//! Recursion needs a machine to call: at least one on every cycle of references. Everything else could be copied into its
//! users, and a parse is the faster for it, because within a machine it only follows an automaton. Copies are bounded, so
//! that machines stay linear in the grammar.

use crate::grammar::{Grammar, NodeKind};
use crate::id::{Id as _, IdVec, NodeId, ProductionId};

/// The states that all copies together may take, roughly.
const COPIES: u64 = 200_000;

/// The states that a token takes, roughly.
const TOKEN: u64 = 3;

/// How a grammar is cut into machines.
#[derive(Debug)]
pub(super) struct Plan {
    /// The productions that have a machine of their own.
    pub(super) called: IdVec<ProductionId, bool>,
    /// The states that each node takes, roughly, with all that is copied into it.
    pub(super) sizes: IdVec<NodeId, u64>,
    /// The repetitions of a bounded quantifier, in states, that are written out rather than halved.
    pub(super) written_out: u64,
}

/// Decides which productions have a machine of their own. Linear in the grammar.
/// What `is_token` holds for is read as a token, whatever is below.
pub(super) fn plan(
    grammar: &Grammar,
    start: ProductionId,
    is_token: impl Fn(NodeId) -> bool,
) -> Plan {
    let count = grammar.productions().len();
    let mut called: IdVec<ProductionId, bool> = IdVec::filled(count, false);
    called[start] = true;
    let order = callees_first(grammar, &mut called, &is_token);
    let share = COPIES / grammar.nodes().len().max(1) as u64;
    let limit = share.clamp(8, 512);
    let written_out = (4 * share).clamp(16, 512);
    let mut sizes: IdVec<ProductionId, u64> = IdVec::filled(count, 1);
    let mut nodes: IdVec<NodeId, u64> = IdVec::filled(grammar.nodes().len(), 1);
    for production in order {
        let first = grammar[production].first_node.index();
        let own = first..first + grammar[production].node_count as usize;
        for at in own.rev() {
            let node = NodeId::from_index(at);
            nodes[node] = match is_token(node) {
                true => TOKEN,
                false => size(grammar, node, &nodes, &called, &sizes, written_out),
            };
        }
        sizes[production] = nodes[grammar[production].root];
        if sizes[production] > limit {
            called[production] = true;
        }
    }
    Plan {
        called,
        sizes: nodes,
        written_out,
    }
}

/// The states that a node takes, roughly.
fn size(
    grammar: &Grammar,
    node: NodeId,
    nodes: &IdVec<NodeId, u64>,
    called: &IdVec<ProductionId, bool>,
    sizes: &IdVec<ProductionId, u64>,
    written_out: u64,
) -> u64 {
    let below = grammar.children(node).iter().map(|&child| nodes[child]);
    match grammar[node].kind {
        NodeKind::Reference(target) if called[target] => 2,
        NodeKind::Reference(target) => sizes[target].saturating_add(2),
        NodeKind::Literal(literal) => grammar[literal].len() as u64 + 1,
        NodeKind::Class(_) => 2,
        NodeKind::Quantifier { min, max } => {
            let copies = u64::from(max.unwrap_or(min.saturating_add(1))).max(1);
            let all = below.fold(0, u64::saturating_add).saturating_mul(copies);
            all.min(written_out).saturating_add(2)
        }
        _ => below.fold(2, u64::saturating_add),
    }
}

/// All productions, each behind those that it refers to, but for references that close a cycle: what those name is marked as
/// called.
fn callees_first(
    grammar: &Grammar,
    called: &mut IdVec<ProductionId, bool>,
    is_token: impl Fn(NodeId) -> bool,
) -> Vec<ProductionId> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let count = grammar.productions().len();
    let mut states: IdVec<ProductionId, State> = IdVec::filled(count, State::New);
    let mut order = Vec::with_capacity(count);
    for start in grammar.productions().ids() {
        if states[start] != State::New {
            continue;
        }
        states[start] = State::Open;
        let mut stack = vec![(start, 0u32)];
        while let Some(&mut (production, ref mut next)) = stack.last_mut() {
            let own = &grammar[production];
            if *next == own.symbol_count {
                states[production] = State::Done;
                order.push(production);
                stack.pop();
                continue;
            }
            let symbol = crate::id::SymbolId(own.first_symbol.0 + *next);
            *next += 1;
            let node = grammar[symbol].node;
            if let NodeKind::Reference(target) = grammar[node].kind
                && !is_token(node)
            {
                match states[target] {
                    State::New => {
                        states[target] = State::Open;
                        stack.push((target, 0));
                    }
                    State::Open => called[target] = true,
                    State::Done => {}
                }
            }
        }
    }
    order
}
