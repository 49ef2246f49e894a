//! Numbers of a derivation: uses, nesting, lengths, values.
//!
//! One pass over the sites of the canonical derivation. A *leaf* is a nonterminal below which nothing is recursive: a number, a name, a
//! string, the whole URL. Only leaves are measured, since the length of what nests says little beside its uses.

use pleach_core::Graph;
use pleach_core::choice::{ROOT, SiteIndex};
use pleach_core::grammar::NodeKind;
use pleach_core::id::{Id as _, IdVec, ProductionId};

use crate::features::Quantity;

/// The bytes that are read as a number at most.
const MAX_NUMBER: usize = 400;

/// What to measure of a grammar's derivations.
#[derive(Debug)]
pub(crate) struct Quantities {
    is_leaf: IdVec<ProductionId, bool>,
}

/// What was found of a nonterminal.
#[derive(Clone, Copy)]
struct Found {
    uses: u32,
    open: u32,
    nesting: u32,
    length: Option<u32>,
    value: Option<f64>,
}

impl Quantities {
    /// Finds the leaves. O(grammar).
    pub(crate) fn new(graph: &Graph) -> Quantities {
        Quantities {
            is_leaf: leaves(graph),
        }
    }

    /// The quantities of a derivation, ascending. O(sites, and bytes of leaves).
    pub(crate) fn of(&self, graph: &Graph, index: &SiteIndex) -> Vec<(Quantity, f64)> {
        let grammar = graph.grammar();
        let nothing = Found {
            uses: 0,
            open: 0,
            nesting: 0,
            length: None,
            value: None,
        };
        let mut found = IdVec::filled(grammar.productions().len(), nothing);
        // The uses that have not ended, with where they do.
        let mut open: Vec<(ProductionId, u32)> = Vec::new();
        for (at, site) in (0u32..).zip(index.sites()) {
            while let Some((production, _)) = open.pop_if(|&mut (_, end)| end <= at) {
                found[production].open -= 1;
            }
            let production = match site.node {
                ROOT => grammar.start(),
                node => match grammar[node].kind {
                    NodeKind::Reference(production) => production,
                    _ => continue,
                },
            };
            let it = &mut found[production];
            it.uses += 1;
            it.open += 1;
            it.nesting = it.nesting.max(it.open);
            open.push((production, site.end));
            if self.is_leaf[production] {
                let range = index.text_range(at);
                let text = &index.text()[range.start as usize..range.end as usize];
                it.length = it.length.max(Some(text.len() as u32));
                let value = number(text);
                it.value = match (it.value, value) {
                    (Some(known), Some(value)) => Some(known.max(value)),
                    (known, value) => known.or(value),
                };
            }
        }
        let mut quantities = Vec::new();
        for (id, it) in found.iter().filter(|(_, it)| it.uses > 0) {
            quantities.push((Quantity::Uses(id), f64::from(it.uses)));
            quantities.push((Quantity::Nesting(id), f64::from(it.nesting)));
            let length = it.length.map(f64::from);
            quantities.extend(length.map(|length| (Quantity::Length(id), length)));
            quantities.extend(it.value.map(|value| (Quantity::Value(id), value)));
        }
        quantities.sort_by_key(|&(quantity, _)| quantity);
        quantities
    }
}

/// A decimal, if the text is one and nothing else.
fn number(text: &[u8]) -> Option<f64> {
    if text.len() > MAX_NUMBER || !text.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (!value.is_nan()).then_some(value)
}

/// The nonterminals below which nothing is recursive: all that they refer to is such, from those that refer to nothing upward.
fn leaves(graph: &Graph) -> IdVec<ProductionId, bool> {
    let grammar = graph.grammar();
    let count = grammar.productions().len();
    let mut is_leaf = IdVec::filled(count, false);
    let mut pending = IdVec::filled(count, 0u32);
    let mut users: IdVec<ProductionId, Vec<ProductionId>> = IdVec::filled(count, Vec::new());
    for (_, node) in grammar.nodes().iter() {
        if let NodeKind::Reference(target) = node.kind {
            pending[node.production] += 1;
            users[target].push(node.production);
        }
    }
    let mut done: Vec<ProductionId> = (0..count)
        .map(ProductionId::from_index)
        .filter(|&id| pending[id] == 0)
        .collect();
    while let Some(production) = done.pop() {
        is_leaf[production] = true;
        for &user in &users[production] {
            pending[user] -= 1;
            if pending[user] == 0 {
                done.push(user);
            }
        }
    }
    is_leaf
}
