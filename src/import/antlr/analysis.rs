//! What holds for rules on account of the rules they refer to. Each takes time in proportion to the references, times the size of the
//! rules that have them, and keeps its own stack.

use super::model::{Kind, NodeId, Rule, RuleId, System, local};
use pleach_core::id::{Id as _, IdVec};

/// By rule.
pub(super) type Facts = IdVec<RuleId, bool>;

/// The least set of rules such that `holds` for each of them, given the others.
pub(super) fn least(system: &System, holds: impl Fn(&Rule, &Facts) -> bool) -> Facts {
    let mut users: IdVec<RuleId, Vec<RuleId>> = IdVec::filled(system.rules.len(), Vec::new());
    for (id, _) in system.rules.iter() {
        for target in references(system, id) {
            if users[target].last() != Some(&id) {
                users[target].push(id);
            }
        }
    }
    let mut facts = IdVec::filled(system.rules.len(), false);
    let mut rest: Vec<RuleId> = system.rules.ids().rev().collect();
    while let Some(id) = rest.pop() {
        if !facts[id] && holds(&system.rules[id], &facts) {
            facts[id] = true;
            rest.extend(&users[id]);
        }
    }
    facts
}

/// The rules that a rule refers to, as often as it does.
pub(super) fn references(system: &System, id: RuleId) -> impl Iterator<Item = RuleId> {
    let nodes = system.rules[id].node_ids();
    nodes.filter_map(|node| match &system.nodes[node].kind {
        Kind::Name(name) => system.rule(name),
        _ => None,
    })
}

/// Whether each node of a rule derives the empty text, given the rules that do. The end of the file counts as empty.
pub(super) fn empty_nodes(system: &System, rule: &Rule, rules: &Facts) -> Vec<bool> {
    let mut empty = Vec::with_capacity(rule.nodes.len());
    for id in rule.node_ids() {
        let of = |part: &NodeId| empty[local(rule, *part)];
        empty.push(match &system.nodes[id].kind {
            Kind::Name(name) => system.rule(name).is_some_and(|rule| rules[rule]),
            Kind::Text(text) => text.is_empty(),
            Kind::Set(_) | Kind::Any | Kind::Not(_) => false,
            Kind::Eof | Kind::Predicate { .. } => true,
            Kind::All(parts) => parts.iter().all(of),
            Kind::One(parts) => parts.iter().any(of),
            Kind::Repeat { subject, min, .. } => *min == 0 || of(subject),
        });
    }
    empty
}

/// The rules that derive the empty text.
pub(super) fn empty_rules(system: &System) -> Facts {
    least(system, |rule, facts| {
        let empty = empty_nodes(system, rule, facts);
        let mut roots = rule.alternatives.iter();
        roots.any(|it| empty[local(rule, it.node)])
    })
}

/// The rules with a loop that is not greedy, or that refer to one with such a loop.
pub(super) fn lazy_rules(system: &System) -> Facts {
    least(system, |rule, facts| {
        rule.node_ids().any(|node| is_lazy(system, node, facts))
    })
}

/// The rules that the end of the file is in, or that refer to one of them.
pub(super) fn ending_rules(system: &System) -> Facts {
    least(system, |rule, facts| {
        rule.node_ids().any(|node| match &system.nodes[node].kind {
            Kind::Eof => true,
            Kind::Name(name) => system.rule(name).is_some_and(|rule| facts[rule]),
            _ => false,
        })
    })
}

/// Whether a node alone makes a rule a lazy one.
pub(super) fn is_lazy(system: &System, node: NodeId, rules: &Facts) -> bool {
    match &system.nodes[node].kind {
        Kind::Repeat { is_lazy, .. } => *is_lazy,
        Kind::Name(name) => system.rule(name).is_some_and(|rule| rules[rule]),
        _ => false,
    }
}

/// The rules of the lexer that contain themselves, each with a number that it shares with those it contains and that contain it.
/// `None` for all others. (Tarjan's algorithm.)
pub(super) fn cycles(system: &System) -> IdVec<RuleId, Option<u32>> {
    const NEW: u32 = u32::MAX;
    let targets: IdVec<RuleId, Vec<RuleId>> = system
        .rules
        .iter()
        .map(|(id, rule)| match rule.is_lexical() {
            true => references(system, id).collect(),
            false => Vec::new(),
        })
        .collect();
    let mut cycles = IdVec::filled(targets.len(), None);
    let mut order: IdVec<RuleId, u32> = IdVec::filled(targets.len(), NEW);
    let mut low: IdVec<RuleId, u32> = IdVec::filled(targets.len(), NEW);
    let mut is_open: Facts = IdVec::filled(targets.len(), false);
    let mut open: Vec<RuleId> = Vec::new();
    let mut count = 0;
    // A rule, and how many of its references have been followed.
    let mut stack: Vec<(RuleId, usize)> = Vec::new();
    for root in targets.ids() {
        if order[root] != NEW {
            continue;
        }
        stack.push((root, 0));
        while let Some((id, next)) = stack.pop() {
            if next == 0 {
                order[id] = count;
                low[id] = count;
                count += 1;
                open.push(id);
                is_open[id] = true;
            } else {
                let target = targets[id][next - 1];
                low[id] = low[id].min(low[target]);
            }
            if let Some(&target) = targets[id].get(next) {
                stack.push((id, next + 1));
                if order[target] == NEW {
                    stack.push((target, 0));
                } else if !is_open[target] {
                    // Finished, and so of no account: what it has is not lower than what is open.
                    low[target] = low[target].max(NEW - 1);
                }
                continue;
            }
            if low[id] != order[id] {
                continue;
            }
            let is_cycle = open.last() != Some(&id) || targets[id].contains(&id);
            while let Some(member) = open.pop() {
                is_open[member] = false;
                cycles[member] = is_cycle.then_some(id.index() as u32);
                if member == id {
                    break;
                }
            }
        }
    }
    cycles
}
