//! Which parts of a draft can matter: those that derive a finite sentence and that the start symbol reaches.
//!
//! Productivity comes first: it is a least fixed point, reached by spreading from the terminals upward, where each node
//! waits for as many children as it needs (Hopcroft, Motwani, Ullman: *Introduction to Automata Theory*, section 7.1). Then
//! reachability, through productive parts only. Each nonterminal that is left out gets one warning, and being
//! unproductive goes before being unreachable. Both take linear time and keep their own stacks.

use std::collections::BTreeSet;

use crate::caret::Cursor;
use crate::grammar::lower::Draft;
use crate::grammar::{Error, ErrorKind, NodeKind, Role, Warning, WarningKind};
use crate::id::{Id, IdVec, ProductionId};

/// What is left of a draft.
#[derive(Debug)]
pub(super) struct Live {
    /// By draft node: whether it derives a finite text.
    pub(super) productive: Vec<bool>,
    /// Whether the start symbol reaches a production through productive parts.
    pub(super) reachable: IdVec<ProductionId, bool>,
    /// One for each production that is left out, in order of definition.
    pub(super) warnings: Vec<Warning>,
}

/// Decides what is left of a draft that was read from `source`.
pub(super) fn prune(draft: &Draft, source: &[u8]) -> Result<Live, Error> {
    let productive = productive_nodes(draft);
    let is_productive = |id: ProductionId| productive[draft.productions[id].nodes.start as usize];
    let start = ProductionId::from_index(0);
    if !is_productive(start) {
        let start = &draft.productions[start];
        return Err(Error::new(
            ErrorKind::UnproductiveStart,
            source,
            start.name_span,
            format!(
                "the start symbol `{}` derives no finite sentence",
                start.name
            ),
            "give it an alternative that ends, one without an endless recursion",
        ));
    }
    let reachable = reachable_productions(draft, &productive);
    let mut cursor = Cursor::new(source);
    let warnings = draft
        .productions
        .iter()
        .filter_map(|(id, production)| {
            let kind = match (is_productive(id), reachable[id]) {
                (false, _) => WarningKind::Unproductive,
                (true, false) => WarningKind::Unreachable,
                (true, true) => return None,
            };
            let position = cursor.position(production.name_span.range().start);
            Some(Warning {
                kind,
                production: production.name.clone(),
                line: position.line,
                column: position.column,
            })
        })
        .collect();
    Ok(Live {
        productive,
        reachable,
        warnings,
    })
}

/// Whether each node derives a finite text.
fn productive_nodes(draft: &Draft) -> Vec<bool> {
    let uses = Uses::new(draft);
    let mut roots: Vec<Option<ProductionId>> = vec![None; draft.nodes.len()];
    for (id, production) in draft.productions.iter() {
        roots[production.nodes.start as usize] = Some(id);
    }
    // How many more productive children each node waits for.
    let mut missing: Vec<u32> = vec![0; draft.nodes.len()];
    for (index, node) in draft.nodes.iter().enumerate() {
        let parent = node.parent as usize;
        if parent != index {
            missing[parent] += 1;
        }
    }
    let mut productive = vec![false; draft.nodes.len()];
    let mut spread: Vec<u32> = Vec::new();
    for (index, node) in draft.nodes.iter().enumerate() {
        let now = match node.kind {
            NodeKind::Literal(_) | NodeKind::Class(_) => true,
            NodeKind::Quantifier { min, .. } => min == 0,
            NodeKind::Concatenation => missing[index] == 0,
            NodeKind::Reference(_) | NodeKind::Alternation => false,
        };
        if now {
            productive[index] = true;
            spread.push(index as u32);
        }
    }
    while let Some(node) = spread.pop() {
        let index = node as usize;
        if let Some(production) = roots[index] {
            for &user in uses.of(production) {
                productive[user as usize] = true;
                spread.push(user);
            }
            continue;
        }
        let parent = draft.nodes[index].parent;
        let waits = &mut missing[parent as usize];
        *waits -= 1;
        let now = *waits == 0 || draft.nodes[parent as usize].kind != NodeKind::Concatenation;
        if now && !productive[parent as usize] {
            productive[parent as usize] = true;
            spread.push(parent);
        }
    }
    productive
}

/// The references to each production: one table, grouped by counting.
struct Uses {
    starts: IdVec<ProductionId, u32>,
    nodes: Vec<u32>,
}

impl Uses {
    fn new(draft: &Draft) -> Uses {
        let references = || {
            draft
                .nodes
                .iter()
                .enumerate()
                .filter_map(|(index, node)| match node.kind {
                    NodeKind::Reference(production) => Some((index as u32, production)),
                    _ => None,
                })
        };
        let mut ends = IdVec::filled(draft.productions.len(), 0_u32);
        for (_, production) in references() {
            ends[production] += 1;
        }
        let mut total = 0;
        for id in draft.productions.ids() {
            total += ends[id];
            ends[id] = total;
        }
        // Filled from the end of each group, which turns the ends into starts.
        let mut nodes = vec![0; total as usize];
        for (node, production) in references() {
            ends[production] -= 1;
            nodes[ends[production] as usize] = node;
        }
        Uses {
            starts: ends,
            nodes,
        }
    }

    fn of(&self, production: ProductionId) -> &[u32] {
        let start = self.starts[production] as usize;
        let next = ProductionId::from_index(production.index() + 1);
        let end = self
            .starts
            .get(next)
            .map_or(self.nodes.len(), |&end| end as usize);
        &self.nodes[start..end]
    }
}

/// Whether the start symbol reaches each production.
fn reachable_productions(draft: &Draft, productive: &[bool]) -> IdVec<ProductionId, bool> {
    let start = ProductionId::from_index(0);
    let mut reachable = IdVec::filled(draft.productions.len(), false);
    reachable[start] = true;
    let mut rest = vec![start];
    // What is skipped needs nobody to refer to it.
    for (id, production) in draft.productions.iter() {
        let is_productive = productive[production.nodes.start as usize];
        if production.role == Role::Skip && is_productive && !reachable[id] {
            reachable[id] = true;
            rest.push(id);
        }
    }
    reach(draft, productive, rest, &mut reachable);
    // Tokens of a mode compete wherever one of them can come, and so are reserved even if nothing refers to them.
    let modes: BTreeSet<&str> = draft
        .productions
        .iter()
        .filter(|&(id, it)| reachable[id] && it.role == Role::Token)
        .filter_map(|(_, it)| it.mode.as_deref())
        .collect();
    let mut reserved = Vec::new();
    for (id, production) in draft.productions.iter() {
        let is_productive = productive[production.nodes.start as usize];
        let competes = production.role == Role::Token
            && production
                .mode
                .as_deref()
                .is_some_and(|mode| modes.contains(mode));
        if competes && is_productive && !reachable[id] {
            reachable[id] = true;
            reserved.push(id);
        }
    }
    reach(draft, productive, reserved, &mut reachable);
    reachable
}

/// Marks what productions reach through productive parts.
fn reach(
    draft: &Draft,
    productive: &[bool],
    mut rest: Vec<ProductionId>,
    reachable: &mut IdVec<ProductionId, bool>,
) {
    while let Some(production) = rest.pop() {
        let nodes = &draft.productions[production].nodes;
        let mut at = nodes.start as usize;
        while at < nodes.end as usize {
            let node = &draft.nodes[at];
            if !productive[at] {
                at = node.end as usize;
                continue;
            }
            if let NodeKind::Reference(used) = node.kind
                && !reachable[used]
            {
                reachable[used] = true;
                rest.push(used);
            }
            at += 1;
        }
    }
}
