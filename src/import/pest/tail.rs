//! Rules that contain themselves at their end, as repetitions.
//!
//! A rule `r = { a ~ r | b }` derives what `a* ~ b` does, and so does any rule whose uses of itself are the last thing to be
//! read: it is *right-linear* (Hopcroft, Motwani, Ullman: *Introduction to Automata Theory*, section 3.3). Texts in quotes are
//! often written so, and would be no tokens otherwise.

use std::collections::BTreeSet;

use super::tree::{Kind, PartId, Spacing, Tree};

/// An expression as `again ~ rule | done`, where either may be missing.
struct Split {
    again: Option<PartId>,
    done: Option<PartId>,
}

/// Rewrites the atomic rules that can be. Linear; what stands before a use in both of the parts is shared by them.
pub(super) fn unroll(tree: &mut Tree) {
    for id in tree.rules.ids() {
        if tree.rules[id].spacing != Spacing::Atomic {
            continue;
        }
        let (name, root) = (tree.rules[id].name.clone(), tree.rules[id].root);
        let mut uses = BTreeSet::new();
        for part in tree.inside(root) {
            let kind = &tree.parts[part].kind;
            let is_use = matches!(kind, Kind::Name(used) if *used == name);
            if is_use || kind.parts().iter().any(|part| uses.contains(part)) {
                uses.insert(part);
            }
        }
        if !uses.contains(&root) {
            continue;
        }
        if let Some(Split {
            again: Some(again),
            done: Some(done),
        }) = split(tree, root, &uses)
        {
            let span = tree.parts[root].span;
            let repeat = Kind::Repeat {
                content: again,
                min: 0,
                max: None,
            };
            let again = tree.push(repeat, span);
            tree.rules[id].root = tree.push(Kind::Sequence(vec![again, done]), span);
        }
    }
}

/// Splits an expression of which `uses` has the parts with a use of the rule in them. `None` if one is not at its end. Groups nest
/// no deeper than the reader lets them.
fn split(tree: &mut Tree, id: PartId, uses: &BTreeSet<PartId>) -> Option<Split> {
    if !uses.contains(&id) {
        return Some(Split {
            again: None,
            done: Some(id),
        });
    }
    let span = tree.parts[id].span;
    match &tree.parts[id].kind {
        Kind::Name(_) => Some(Split {
            again: Some(tree.push(Kind::Sequence(Vec::new()), span)),
            done: None,
        }),
        Kind::Choice(parts) => {
            let (mut again, mut done) = (Vec::new(), Vec::new());
            for part in parts.clone() {
                let one = split(tree, part, uses)?;
                again.extend(one.again);
                done.extend(one.done);
            }
            let mut choice = |parts: Vec<PartId>| match parts[..] {
                [] => None,
                [only] => Some(only),
                _ => Some(tree.push(Kind::Choice(parts), span)),
            };
            Some(Split {
                again: choice(again),
                done: choice(done),
            })
        }
        Kind::Sequence(parts) => {
            let (&last, before) = parts.split_last()?;
            let before = before.to_vec();
            if before.iter().any(|part| uses.contains(part)) {
                return None;
            }
            let one = split(tree, last, uses)?;
            let mut sequence = |last: PartId| {
                let mut parts = before.clone();
                match &tree.parts[last].kind {
                    Kind::Sequence(more) => parts.extend(more),
                    _ => parts.push(last),
                }
                tree.push(Kind::Sequence(parts), span)
            };
            Some(Split {
                again: one.again.map(&mut sequence),
                done: one.done.map(&mut sequence),
            })
        }
        Kind::Repeat {
            content,
            min: 0,
            max: Some(1),
        } => {
            let one = split(tree, *content, uses)?;
            let kind = match one.done {
                Some(content) => Kind::Repeat {
                    content,
                    min: 0,
                    max: Some(1),
                },
                None => Kind::Sequence(Vec::new()),
            };
            Some(Split {
                again: one.again,
                done: Some(tree.push(kind, span)),
            })
        }
        _ => None,
    }
}
