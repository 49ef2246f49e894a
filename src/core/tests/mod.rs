//! Tests that need several layers, and what they share.

mod fixtures;
mod layers;
mod random_grammar;
mod tokens;

pub(crate) use fixtures::{digest, fixtures};
pub(crate) use random_grammar::{random_grammar, random_token_grammar};
pub(crate) use tokens::token_grammars;

use std::sync::Arc;

use crate::grammar::Grammar;
use crate::graph::Graph;

/// The graph of a grammar text that is right.
pub(crate) fn graph(text: &str) -> Arc<Graph> {
    let grammar: Grammar = text.parse().unwrap_or_else(|error| panic!("{error}"));
    Graph::new(grammar).unwrap()
}
