//! Alternatives that derive nothing that another one of the same alternation does not.
//!
//! Expressions are numbered from the leaves up, equal ones alike, so that comparing two is comparing numbers. Besides equal
//! alternatives those are found whose sentences are plainly among those of another one: a character in a class, a class in a
//! class, `x` beside `x*`, nothing beside what can be nothing by being repeated not at all. O(n log n), and the square of the
//! number of classes and repetitions in one alternation, up to a bound.

use std::collections::BTreeMap;

use crate::grammar::{CharClass, Grammar, Member, NodeKind};
use crate::id::{Id as _, IdVec, NodeId};

use super::{Finding, Kind, Severity, expression};

/// The classes and repetitions that the alternatives of an alternation are compared with.
const MAX_WIDE: usize = 64;

/// Equal numbers for equal expressions.
type Numbers = IdVec<NodeId, u32>;

pub(super) fn find(grammar: &Grammar) -> Vec<Finding> {
    let numbers = number(grammar);
    let mut findings = Vec::new();
    for (id, node) in grammar.nodes().iter() {
        if node.kind != NodeKind::Alternation {
            continue;
        }
        let name = &grammar[node.production].name;
        let show = |node| expression(grammar, node);
        let mut push = |severity, message| {
            findings.push(Finding::new(
                grammar,
                Kind::DuplicateAlternative,
                severity,
                node.production,
                message,
                "take it away: it makes what it derives ambiguous; to have it more often, state a probability",
            ));
        };
        let children = grammar.children(id);
        let mut firsts: BTreeMap<u32, NodeId> = BTreeMap::new();
        let wide = children.iter().copied().filter(|&child| {
            matches!(
                grammar[child].kind,
                NodeKind::Class(_) | NodeKind::Quantifier { .. }
            )
        });
        let wide: Vec<NodeId> = wide.take(MAX_WIDE).collect();
        for &child in children {
            if firsts.insert(numbers[child], child).is_some() {
                let message = format!("`{name}` has the alternative `{}` twice", show(child));
                push(Severity::Warning, message);
                continue;
            }
            let mut others = wide.iter().copied().filter(|&it| it != child);
            if let Some(other) = others.find(|&other| is_within(grammar, &numbers, child, other)) {
                // Likely meant: to have it more often.
                let (child, other) = (show(child), show(other));
                let message = format!(
                    "`{name}` has the alternative `{child}`, which `{other}` beside it derives, too"
                );
                push(Severity::Info, message);
            }
        }
    }
    findings
}

/// Numbers the expressions.
fn number(grammar: &Grammar) -> Numbers {
    let mut known: BTreeMap<(u8, u64, u64, Vec<u32>), u32> = BTreeMap::new();
    let mut numbers = IdVec::filled(grammar.nodes().len(), 0);
    // Children come before their parents here.
    for (id, node) in grammar.nodes().iter().rev() {
        let (tag, a, b) = match node.kind {
            NodeKind::Reference(production) => (0, production.index() as u64, 0),
            NodeKind::Literal(literal) => (1, literal.index() as u64, 0),
            NodeKind::Class(class) => (2, class.index() as u64, 0),
            NodeKind::Alternation => (3, 0, 0),
            NodeKind::Concatenation => (4, 0, 0),
            NodeKind::Quantifier { min, max } => {
                (5, u64::from(min), max.map_or(u64::MAX, u64::from))
            }
        };
        let children = grammar.children(id).iter();
        let key = (tag, a, b, children.map(|&child| numbers[child]).collect());
        let next = known.len() as u32;
        numbers[id] = *known.entry(key).or_insert(next);
    }
    numbers
}

/// Whether everything that an expression derives is plainly derived by another one, which is not equal.
fn is_within(grammar: &Grammar, numbers: &Numbers, node: NodeId, other: NodeId) -> bool {
    match (grammar[node].kind, grammar[other].kind) {
        (NodeKind::Literal(literal), NodeKind::Class(class)) => {
            let text = &grammar[literal];
            let mut chars = std::str::from_utf8(text).unwrap_or("").chars();
            let member = match (chars.next(), chars.next(), text) {
                (Some(c), None, _) => Some(Member::Char(c)),
                (None, _, &[byte]) => Some(Member::Byte(byte)),
                _ => None,
            };
            !grammar.is_caseless(literal)
                && member.is_some_and(|member| grammar[class].contains(member))
        }
        (NodeKind::Class(a), NodeKind::Class(b)) => is_part(&grammar[a], &grammar[b]),
        (NodeKind::Literal(literal), NodeKind::Quantifier { min: 0, .. })
            if grammar[literal].is_empty() =>
        {
            true
        }
        (NodeKind::Quantifier { min: a, max: b }, NodeKind::Quantifier { min: c, max: d }) => {
            let subjects = (
                grammar.children(node).first(),
                grammar.children(other).first(),
            );
            let is_same = matches!(subjects, (Some(&a), Some(&b)) if numbers[a] == numbers[b]);
            is_same && c <= a && d.is_none_or(|d| b.is_some_and(|b| b <= d)) && (a, b) != (c, d)
        }
        (_, NodeKind::Quantifier { min: 0 | 1, .. }) => {
            let subject = grammar.children(other).first();
            subject.is_some_and(|&subject| numbers[subject] == numbers[node])
        }
        _ => false,
    }
}

/// Whether all members of a class are members of another.
fn is_part(class: &CharClass, other: &CharClass) -> bool {
    fn within<T: Ord + Copy>(ranges: &[(T, T)], others: &[(T, T)]) -> bool {
        ranges.iter().all(|&(low, high)| {
            let after = others.partition_point(|other| other.0 <= low);
            after > 0 && high <= others[after - 1].1
        })
    }
    class != other && within(class.chars(), other.chars()) && within(class.bytes(), other.bytes())
}
