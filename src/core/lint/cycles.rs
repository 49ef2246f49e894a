//! Nonterminals that derive themselves and nothing else: each of their sentences has infinitely many derivations.
//!
//! A production refers *alone* to another where everything beside the reference can be nothing; a cycle of such references is
//! what is looked for. Productions that lie on none are taken away first, those that nothing refers to alone and those that refer to
//! nothing alone, so that what is left is in a cycle or between two. Linear, and then linear in what is left for each cycle.

use std::collections::VecDeque;

use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{IdVec, NodeId, ProductionId};

use super::counting::{Count, Counting};
use super::short::Sentences;
use super::{Finding, Kind, Severity, shown};

/// The most productions from which a cycle is sought.
const MOST: usize = 1000;

/// Finds cycles, so that each production that is in one is in one of them.
fn cycles(graph: &Graph) -> Vec<Vec<ProductionId>> {
    let mut targets = references_alone(graph);
    trim(&mut targets);
    let mut is_known = IdVec::filled(targets.len(), false);
    let mut cycles = Vec::new();
    let left = targets.ids().filter(|&id| !targets[id].is_empty());
    for id in left.take(MOST) {
        if is_known[id] {
            continue;
        }
        if let Some(cycle) = shortest_cycle(&targets, id) {
            for &member in &cycle {
                is_known[member] = true;
            }
            cycles.push(cycle);
        }
    }
    cycles
}

/// The productions that each production refers to alone, ascending.
fn references_alone(graph: &Graph) -> IdVec<ProductionId, Vec<ProductionId>> {
    let grammar = graph.grammar();
    let is_nullable = |node: NodeId| graph.costs(node).length == 0;
    let mut targets: IdVec<ProductionId, Vec<ProductionId>> =
        IdVec::filled(grammar.productions().len(), Vec::new());
    let mut is_alone: IdVec<NodeId, bool> = IdVec::filled(grammar.nodes().len(), true);
    for (id, node) in grammar.nodes().iter() {
        if !is_alone[id] {
            for &child in grammar.children(id) {
                is_alone[child] = false;
            }
            continue;
        }
        let children = grammar.children(id);
        match node.kind {
            NodeKind::Concatenation => {
                let others = children.iter().filter(|&&child| !is_nullable(child));
                let full = others.count();
                for &child in children {
                    is_alone[child] = full == usize::from(!is_nullable(child));
                }
            }
            NodeKind::Quantifier { min, .. } if min > 1 => {
                for &child in children {
                    is_alone[child] = is_nullable(child);
                }
            }
            NodeKind::Reference(target) => targets[node.production].push(target),
            _ => {}
        }
    }
    for id in targets.ids() {
        targets[id].sort_unstable();
        targets[id].dedup();
    }
    targets
}

/// Takes away what is in no cycle and not between two.
fn trim(targets: &mut IdVec<ProductionId, Vec<ProductionId>>) {
    for _ in 0..2 {
        let mut users: IdVec<ProductionId, u32> = IdVec::filled(targets.len(), 0);
        for (_, list) in targets.iter() {
            for &target in list {
                users[target] += 1;
            }
        }
        let mut free: Vec<ProductionId> = users.ids().filter(|&id| users[id] == 0).collect();
        while let Some(id) = free.pop() {
            for target in std::mem::take(&mut targets[id]) {
                users[target] -= 1;
                if users[target] == 0 {
                    free.push(target);
                }
            }
        }
        // The other way round: twice is as before, without what nothing leads out of.
        let mut reversed: IdVec<ProductionId, Vec<ProductionId>> =
            IdVec::filled(targets.len(), Vec::new());
        for (id, list) in targets.iter() {
            for &target in list {
                reversed[target].push(id);
            }
        }
        *targets = reversed;
    }
}

/// The shortest cycle through a production.
fn shortest_cycle(
    targets: &IdVec<ProductionId, Vec<ProductionId>>,
    start: ProductionId,
) -> Option<Vec<ProductionId>> {
    let mut before: IdVec<ProductionId, Option<ProductionId>> = IdVec::filled(targets.len(), None);
    let mut open = VecDeque::from([start]);
    while let Some(id) = open.pop_front() {
        for &target in &targets[id] {
            if target == start {
                let mut cycle = vec![id];
                let mut at = id;
                while at != start {
                    at = before[at]?;
                    cycle.push(at);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if before[target].is_none() {
                before[target] = Some(id);
                open.push_back(target);
            }
        }
    }
    None
}

/// Finds cycles, with examples. One whose sentences have a number of derivations, as optional repetitions of nothing do not
/// count, is none.
pub(super) fn find(
    sentences: &IdVec<ProductionId, Sentences>,
    counting: &mut Counting<'_>,
) -> Vec<Finding> {
    let grammar = counting.graph.grammar().clone();
    let mut findings = Vec::new();
    for cycle in cycles(counting.graph) {
        let Some(&first) = cycle.first() else {
            continue;
        };
        let mut counts = sentences[first]
            .iter()
            .map(|text| (text, counting.count(first, text)))
            .filter(|(_, count)| *count != Count::None)
            .peekable();
        let has_counts = counts.peek().is_some();
        let example = counts.find(|(_, count)| *count == Count::Infinite);
        let example = example.map(|(text, _)| text);
        if has_counts && example.is_none() {
            continue;
        }
        let names: Vec<String> = (cycle.iter().chain([&first]))
            .map(|&id| format!("`{}`", grammar[id].name))
            .collect();
        let mut message = format!(
            "{} derives itself and nothing else ({})",
            names[0],
            names.join(" => ")
        );
        if let Some(example) = example {
            message += &format!(", so {} has infinitely many derivations", shown(example));
        }
        let suggestion = match cycle.len() {
            1 => {
                "take the alternative away that is the nonterminal itself, or demand something beside it"
            }
            _ => {
                "break the cycle: take one of these references away, or demand something beside it"
            }
        };
        let mut finding = Finding::new(
            &grammar,
            Kind::Cyclic,
            Severity::Warning,
            first,
            message,
            suggestion,
        );
        finding.example = example.cloned();
        findings.push(finding);
    }
    findings
}
