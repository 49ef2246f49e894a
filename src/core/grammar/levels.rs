//! Which productions are part of the syntax, and which of tokens.
//!
//! With a token or something that is skipped among its productions, a grammar has a *lexical level*: the syntax derives
//! tokens, and a token derives text. Tokens are regular, so that automata can tell them apart. Each production belongs to one
//! level; what only tokens refer to is a fragment. Linear in the grammar.

use crate::grammar::ast::Span;
use crate::grammar::lower::Draft;
use crate::grammar::prune::Live;
use crate::grammar::{Error, ErrorKind, NodeKind, Role};
use crate::id::{Id, IdVec, ProductionId};

/// The role of each production that is left. Errors point at the production's name in `source`.
pub(super) fn roles(
    draft: &Draft,
    live: &Live,
    source: &[u8],
) -> Result<IdVec<ProductionId, Role>, Error> {
    let mut roles: IdVec<ProductionId, Role> = draft
        .productions
        .iter()
        .map(|(_, production)| production.role)
        .collect();
    let is_lexical = |&(id, role): &(ProductionId, &Role)| live.reachable[id] && role.is_lexical();
    if !roles.iter().any(|it| is_lexical(&it)) {
        return Ok(roles);
    }
    let start = ProductionId::from_index(0);
    let error = |id: ProductionId, message: String, help: &str| {
        Error::new(
            ErrorKind::MixedLevels,
            source,
            span(draft, id),
            message,
            help,
        )
    };
    if roles[start].is_lexical() {
        return Err(error(
            start,
            format!(
                "the start symbol `{}` is no syntax",
                draft.productions[start].name
            ),
            "begin with a production that is neither a token nor skipped, as in `Start := Token*;`",
        ));
    }
    let syntax = reached(draft, live, &[start], |id| !roles[id].is_lexical());
    for (id, &is_syntax) in syntax.iter() {
        if is_syntax && roles[id] == Role::Skip {
            let name = &draft.productions[id].name;
            return Err(error(
                id,
                format!("`{name}` is skipped between tokens, and the syntax refers to it"),
                "make it a token, or take the references away",
            ));
        }
    }
    let tokens: Vec<ProductionId> = roles.iter().filter(is_lexical).map(|(id, _)| id).collect();
    let lexical = reached(draft, live, &tokens, |_| true);
    for (id, &is_in_token) in lexical.iter() {
        if roles[id].is_lexical() || !is_in_token {
            continue;
        }
        let name = &draft.productions[id].name;
        if syntax[id] {
            return Err(error(
                id,
                format!("`{name}` is a part of tokens and of the syntax"),
                "make it a token of its own: write `token` before its name",
            ));
        }
        roles[id] = Role::Fragment;
    }
    if let Some(id) = in_cycle(draft, live, &lexical) {
        let name = &draft.productions[id].name;
        return Err(error(
            id,
            format!("the token or part of a token `{name}` contains itself"),
            "tokens are regular: use a quantifier, or make it syntax",
        ));
    }
    Ok(roles)
}

fn span(draft: &Draft, id: ProductionId) -> Span {
    draft.productions[id].name_span
}

/// The productions that a production refers to in what is left of it.
fn references<'d>(
    draft: &'d Draft,
    live: &'d Live,
    production: ProductionId,
) -> impl Iterator<Item = ProductionId> + 'd {
    let nodes = draft.productions[production].nodes.clone();
    let mut at = nodes.start as usize;
    std::iter::from_fn(move || {
        while at < nodes.end as usize {
            let node = &draft.nodes[at];
            if !live.productive[at] {
                at = node.end as usize;
                continue;
            }
            at += 1;
            if let NodeKind::Reference(target) = node.kind {
                return Some(target);
            }
        }
        None
    })
}

/// What some productions reach, themselves included, going on from those that `goes_on` holds for.
fn reached(
    draft: &Draft,
    live: &Live,
    from: &[ProductionId],
    goes_on: impl Fn(ProductionId) -> bool,
) -> IdVec<ProductionId, bool> {
    let mut reached = IdVec::filled(draft.productions.len(), false);
    let mut rest = from.to_vec();
    for &id in from {
        reached[id] = true;
    }
    while let Some(id) = rest.pop() {
        if !goes_on(id) {
            continue;
        }
        for target in references(draft, live, id) {
            if !std::mem::replace(&mut reached[target], true) {
                rest.push(target);
            }
        }
    }
    reached
}

/// A production of a set that is closed under references and that contains itself, if there is one: what is left once
/// everything that nothing left refers to has been taken away.
fn in_cycle(draft: &Draft, live: &Live, set: &IdVec<ProductionId, bool>) -> Option<ProductionId> {
    let members = || set.iter().filter(|&(_, &is_in)| is_in).map(|(id, _)| id);
    let mut users: IdVec<ProductionId, u32> = IdVec::filled(set.len(), 0);
    for id in members() {
        for target in references(draft, live, id) {
            users[target] += 1;
        }
    }
    let mut free: Vec<ProductionId> = members().filter(|&id| users[id] == 0).collect();
    let mut left = members().count();
    while let Some(id) = free.pop() {
        left -= 1;
        for target in references(draft, live, id) {
            users[target] -= 1;
            if users[target] == 0 {
                free.push(target);
            }
        }
    }
    if left == 0 {
        return None;
    }
    // From any that is left, backward along users, would lead into a cycle; forward from one of them does so, too, if it is in
    // one or above one. The first that reaches itself is in one.
    members().filter(|&id| users[id] > 0).find(|&id| {
        references(draft, live, id).any(|target| reached(draft, live, &[target], |_| true)[id])
    })
}
