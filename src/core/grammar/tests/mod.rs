//! Tests of the whole way from text to grammar and back.

mod binary;
mod duplicate;
mod errors;
mod fixtures;
mod levels;
mod notation;
mod random;
mod size;

use super::Grammar;
use crate::id::NodeId;

fn read(text: &str) -> Grammar {
    match text.parse() {
        Ok(grammar) => grammar,
        Err(error) => panic!("{error}"),
    }
}

/// Reads `text`, prints it, reads that, and checks that both are the same in every way that can be seen.
fn print_and_read(text: &str) -> Grammar {
    let grammar = read(text);
    let printed = grammar.to_string();
    let again = read(&printed);
    assert_eq!(grammar, again, "{text}\n{printed}\n{grammar:?}\n{again:?}");
    assert_eq!(grammar.fingerprint(), again.fingerprint());
    assert_eq!(printed, again.to_string());
    assert_eq!(again.warnings(), []);
    check(&grammar);
    binary::write_and_read(&grammar);
    grammar
}

/// What everything above relies on.
fn check(grammar: &Grammar) {
    use super::NodeKind;
    let (mut next_node, mut next_symbol) = (0, 0);
    for (id, production) in grammar.productions().iter() {
        assert_eq!(production.root, production.first_node);
        assert_eq!(production.first_node.0, next_node);
        assert_eq!(production.first_symbol.0, next_symbol);
        next_node += production.node_count;
        next_symbol += production.symbol_count;
        assert_eq!(grammar.production_named(&production.name), Some(id));
        for node in production.first_node.0..next_node {
            assert_eq!(grammar.nodes().as_slice()[node as usize].production, id);
        }
    }
    assert_eq!(next_node as usize, grammar.nodes().len());
    assert_eq!(next_symbol as usize, grammar.symbols().len());
    let mut symbols = grammar.symbols().iter();
    for (id, node) in grammar.nodes().iter() {
        let children = grammar.children(id);
        match node.kind {
            NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => {
                let (symbol, data) = symbols.next().unwrap();
                assert_eq!((grammar.symbol_of(id), data.node), (Some(symbol), id));
                assert!(children.is_empty());
            }
            NodeKind::Alternation => assert!(children.len() >= 2),
            NodeKind::Concatenation => {
                assert_ne!(children.len(), 1);
                let directly = |&child: &NodeId| grammar[child].kind == NodeKind::Concatenation;
                assert!(!children.iter().any(directly));
            }
            NodeKind::Quantifier { min, max } => {
                assert_eq!(children.len(), 1);
                assert!(max.is_none_or(|max| max >= min.max(1)));
            }
        }
        assert!(
            children
                .iter()
                .all(|&child| grammar[child].parent == Some(id))
        );
        assert_eq!(node.kind.is_symbolic(), grammar.symbol_of(id).is_some());
        assert_eq!(node.parent.is_none(), grammar[node.production].root == id);
        if let Some(&first) = children.first() {
            assert_eq!(first.0, id.0 + 1);
        }
    }
    assert!(symbols.next().is_none());
}
