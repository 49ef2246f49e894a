//! Which tokens a grammar has, and their order.
//!
//! Every literal and class of the syntax is a token, and every production that is one or is skipped. Their order decides
//! between equally long matches: literals, then classes, both in order of first use, then productions as they are written.

use std::collections::BTreeMap;

use crate::grammar::print::Literal;
use crate::grammar::{Grammar, NodeKind, Role};
use crate::id::{ClassId, Id as _, IdVec, LiteralId, NodeId, ProductionId};

/// What is not a token, in tables by node.
pub(super) const NO_TOKEN: u32 = u32::MAX;

/// Where a token is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A literal of the syntax.
    Literal(LiteralId),
    /// A class of the syntax.
    Class(ClassId),
    /// A production.
    Production(ProductionId),
}

/// A token, or something that is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Where it is written.
    pub origin: Origin,
    /// Whether it is skipped between tokens.
    pub is_skipped: bool,
    /// Its lexical mode, by number in order of first use.
    pub mode: Option<u32>,
}

impl Token {
    /// How the token is written, in backquotes.
    pub fn name(&self, grammar: &Grammar) -> String {
        match self.origin {
            Origin::Literal(id) => format!("`{}`", Literal(&grammar[id])),
            Origin::Class(id) => format!("`{}`", grammar[id]),
            Origin::Production(id) => format!("`{}`", grammar[id].name),
        }
    }
}

/// Puts each literal of the syntax into the first mode if a token of that could be spelled like it: `matches` gives the tokens that a
/// text is. So keywords are reserved among names, and signs compete only where they are expected.
pub(super) fn reserve<'a>(
    grammar: &Grammar,
    tokens: &mut [Token],
    matches: impl Fn(&[u8]) -> &'a [u32],
) {
    const FIRST: Option<u32> = Some(0);
    for at in 0..tokens.len() {
        if let Origin::Literal(literal) = tokens[at].origin {
            let rivals = matches(&grammar[literal]).iter();
            let mut modes = rivals.map(|&rival| (rival, tokens[rival as usize].mode));
            // Literals come first, so what has been put into a mode before does not count.
            let is_named =
                |rival: u32| matches!(tokens[rival as usize].origin, Origin::Production(_));
            if modes.any(|(rival, mode)| mode == FIRST && is_named(rival)) {
                tokens[at].mode = FIRST;
            }
        }
    }
}

/// The tokens of a grammar in their order, and the token of each node of the syntax.
pub(super) fn tokens(grammar: &Grammar) -> (Vec<Token>, IdVec<NodeId, u32>) {
    let mut modes: Vec<&str> = Vec::new();
    for (_, production) in grammar.productions().iter() {
        if let Some(mode) = &production.mode
            && !modes.contains(&&**mode)
        {
            modes.push(mode);
        }
    }
    let mut tokens: Vec<Token> = Vec::new();
    let mut token_of: IdVec<NodeId, u32> = IdVec::filled(grammar.nodes().len(), NO_TOKEN);
    let mut inline = |origin| {
        tokens.push(Token {
            origin,
            is_skipped: false,
            mode: None,
        });
        tokens.len() as u32 - 1
    };
    let syntax = || {
        let nodes = grammar.nodes().iter();
        nodes.filter(|(_, node)| grammar[node.production].role == Role::Syntax)
    };
    let mut literals: BTreeMap<(Vec<u8>, bool), u32> = BTreeMap::new();
    for (id, node) in syntax() {
        if let NodeKind::Literal(literal) = node.kind
            && !grammar[literal].is_empty()
        {
            let is_caseless = grammar.is_caseless(literal);
            let text = match is_caseless {
                true => grammar[literal].to_ascii_lowercase(),
                false => grammar[literal].to_vec(),
            };
            let known = literals.entry((text, is_caseless));
            token_of[id] = *known.or_insert_with(|| inline(Origin::Literal(literal)));
        }
    }
    let mut classes: BTreeMap<ClassId, u32> = BTreeMap::new();
    for (id, node) in syntax() {
        if let NodeKind::Class(class) = node.kind {
            let known = classes.entry(class);
            token_of[id] = *known.or_insert_with(|| inline(Origin::Class(class)));
        }
    }
    let mut named: IdVec<ProductionId, u32> = IdVec::filled(grammar.productions().len(), NO_TOKEN);
    for (id, production) in grammar.productions().iter() {
        if production.role.is_lexical() {
            named[id] = tokens.len() as u32;
            let mode = production.mode.as_deref();
            let mode = mode.and_then(|mode| modes.iter().position(|&known| known == mode));
            tokens.push(Token {
                origin: Origin::Production(id),
                is_skipped: production.role == Role::Skip,
                mode: mode.map(|mode| mode as u32),
            });
        }
    }
    for index in 0..grammar.nodes().len() {
        let id = NodeId::from_index(index);
        if let NodeKind::Reference(target) = grammar[id].kind
            && grammar[grammar[id].production].role == Role::Syntax
            && grammar[target].role == Role::Token
        {
            token_of[id] = named[target];
        }
    }
    (tokens, token_of)
}
