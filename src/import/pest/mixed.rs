//! Repetitions of escapes and of any character that begins no terminator, put in another order.
//!
//! `(escape | !"*/" ~ ANY)*` is a text without the terminator, and then escapes with such a text behind each. Written so, these texts
//! are repetitions of their own, which can be kept exactly. A terminator that a text and an escape make up together is
//! not looked for.

use std::collections::BTreeSet;

use super::tree::{Kind, PartId, Tree};
use pleach_core::id::Id as _;

/// How many expressions are looked at to find a word in a predicate.
const LOOKED_AT: usize = 32;

/// Rewrites repetitions of this kind. Linear.
pub(super) fn reorder(tree: &mut Tree) {
    // Expressions with a rewritten one in them are not written twice.
    let mut rewritten: BTreeSet<PartId> = BTreeSet::new();
    for index in 0..tree.parts.len() {
        let id = PartId::from_index(index);
        let parts = tree.parts[id].kind.parts();
        if parts.iter().any(|part| rewritten.contains(part)) {
            rewritten.insert(id);
        }
        if let Some(kind) = reordered(tree, id, &rewritten) {
            tree.parts[id].kind = kind;
            rewritten.insert(id);
        }
    }
}

/// What a repetition becomes, if it is one of this kind.
fn reordered(tree: &mut Tree, id: PartId, rewritten: &BTreeSet<PartId>) -> Option<Kind> {
    let span = tree.parts[id].span;
    let Kind::Repeat {
        content,
        min: min @ (0 | 1),
        max: None,
    } = tree.parts[id].kind
    else {
        return None;
    };
    let Kind::Choice(parts) = &tree.parts[content].kind else {
        return None;
    };
    let (ended, others): (Vec<PartId>, Vec<PartId>) =
        parts.iter().partition(|&&part| is_ended(tree, part));
    let [character] = ended[..] else {
        return None;
    };
    if min == 1 && others.iter().any(|part| rewritten.contains(part)) {
        return None;
    }
    let repeat = |content, min| Kind::Repeat {
        content,
        min,
        max: None,
    };
    let other = match others[..] {
        [] => return None,
        [only] => only,
        _ => tree.push(Kind::Choice(others), span),
    };
    let text = tree.push(repeat(character, 0), span);
    let escaped = tree.push(Kind::Sequence(vec![other, text]), span);
    let any = tree.push(repeat(escaped, 0), span);
    if min == 0 {
        return Some(Kind::Sequence(vec![text, any]));
    }
    let some_text = tree.push(repeat(character, 1), span);
    let text_first = tree.push(Kind::Sequence(vec![some_text, any]), span);
    let escape_first = tree.push(repeat(escaped, 1), span);
    Some(Kind::Choice(vec![text_first, escape_first]))
}

/// Whether an expression is something that begins no terminator of several characters.
fn is_ended(tree: &Tree, part: PartId) -> bool {
    let Kind::Sequence(parts) = &tree.parts[part].kind else {
        return false;
    };
    let Some((_, predicates)) = parts.split_last() else {
        return false;
    };
    let is_not = |&part: &PartId| match tree.parts[part].kind {
        Kind::Predicate {
            content,
            is_not: true,
        } => Some(content),
        _ => None,
    };
    let contents: Option<Vec<PartId>> = predicates.iter().map(is_not).collect();
    contents.is_some_and(|contents| has_word(tree, contents))
}

/// Whether there is a text of several characters among some expressions.
fn has_word(tree: &Tree, mut rest: Vec<PartId>) -> bool {
    for _ in 0..LOOKED_AT {
        let Some(part) = rest.pop() else {
            return false;
        };
        match &tree.parts[part].kind {
            Kind::Text(text, _) if text.chars().nth(1).is_some() => return true,
            Kind::Name(name) => {
                let rule = tree.by_name.get(name);
                rest.extend(rule.map(|&rule| tree.rules[rule].root));
            }
            kind => rest.extend(kind.parts().iter().take(LOOKED_AT)),
        }
    }
    false
}
