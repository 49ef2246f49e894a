//! Tokens that are never read, and what needs them.
//!
//! In the notation of ANTLR a token can be written that another one, which comes first, wins all texts of. No parser ever gets
//! it, so what needs it derives nothing; generated sentences would read differently. Such uses are left out, which changes nothing
//! in the language.

use std::sync::Arc;

use pleach_core::grammar::Role;
use pleach_core::lexicon::Origin;
use pleach_core::{Grammar, Graph};

use super::{Files, Imported, Notation};

/// How often is looked: without one token, others may need what is left out.
const ROUNDS: usize = 3;

/// The graph without the uses of tokens that are never read, and the names of those.
///
/// `graph` is that of what was `imported` from the `files`, and `imported` becomes what the new one is of. The graph stays as it is if
/// nothing would be left of the language, or if the notation is none in which that happens. Takes the time of making the graph, at
/// most three times.
pub fn without_unread(
    mut graph: Arc<Graph>,
    imported: &mut Imported,
    files: &Files,
    notation: Notation,
) -> (Arc<Graph>, Vec<Box<str>>) {
    let mut unread: Vec<Box<str>> = Vec::new();
    if notation != Notation::Antlr {
        return (graph, unread);
    }
    for _ in 0..ROUNDS {
        let names = never_read(&graph);
        if names.is_empty() {
            break;
        }
        let grammar = graph.grammar();
        let mut ast = imported.ast.clone();
        for name in &names {
            ast.forbid(name, |user| {
                let user = grammar.production_named(user);
                user.is_some_and(|user| grammar[user].role == Role::Syntax)
            });
        }
        let Ok(grammar) = Grammar::from_ast(&ast, files.text()) else {
            break;
        };
        let without = match graph.has_open_tokens() {
            true => Graph::with_open_tokens(grammar),
            false => Graph::new(grammar),
        };
        let Ok(without) = without else { break };
        imported.ast = ast;
        unread.extend(names);
        graph = without;
    }
    (graph, unread)
}

/// The tokens of the syntax that are never read.
fn never_read(graph: &Graph) -> Vec<Box<str>> {
    let grammar = graph.grammar();
    let Some(lexicon) = graph.lexicon() else {
        return Vec::new();
    };
    let used: Vec<u32> = grammar
        .nodes()
        .ids()
        .filter_map(|node| lexicon.token_of(node))
        .collect();
    lexicon
        .unread()
        .into_iter()
        .filter(|token| used.contains(token))
        .filter_map(|token| match lexicon.tokens()[token as usize].origin {
            Origin::Production(production) => Some(grammar[production].name.clone()),
            _ => None,
        })
        .collect()
}
