//! Patterns: a k-path as the partial sentence that it stands for (TOSEM article, section 5.2).
//!
//! Each symbol of the path is replaced by the right side that it leads into, narrowed to what contains the next symbol: the
//! alternative taken, one repetition of a quantifier, and all of a concatenation. What lies beside the path stays as it is
//! written. Linear in the right sides on the path, no recursion.

use crate::grammar::{Grammar, NodeKind};
use crate::graph::Graph;
use crate::id::{NodeId, SymbolId};

/// What is still to be printed, last first.
enum Piece {
    /// A node beside the path, in full; parenthesized if it is an alternation.
    Beside(NodeId),
    /// A node on the path to the symbol number `at` of the path.
    Towards { node: NodeId, at: usize },
    /// Fixed text that is not set off by a space.
    Text(&'static str),
    /// A quantifier's bounds.
    Bounds(NodeId),
}

/// The pattern of a path, as in `MultExpr ("*"|"/"|"%") "(" AddExpr "-" MultExpr ")"`.
///
/// Empty for an empty path; what is no path of the graph is printed as far as it is one.
pub fn pattern(graph: &Graph, path: &[SymbolId]) -> String {
    let grammar = graph.grammar();
    let Some(&first) = path.first() else {
        return String::new();
    };
    let root = grammar[graph.production_of(first)].root;
    let mut pieces = vec![Piece::Towards { node: root, at: 0 }];
    let mut printer = Printer {
        out: String::new(),
        glued: true,
    };
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Text(text) => printer.glue(text),
            Piece::Bounds(node) => printer.glue(&bounds(grammar, node)),
            Piece::Beside(node) => beside(grammar, node, &mut pieces, &mut printer),
            Piece::Towards { node, at } => {
                towards(graph, path, node, at, &mut pieces, &mut printer);
            }
        }
    }
    printer.out
}

struct Printer {
    out: String,
    /// Whether the next word follows without a space.
    glued: bool,
}

impl Printer {
    fn word(&mut self, word: &str) {
        if !self.glued {
            self.out.push(' ');
        }
        self.out.push_str(word);
        self.glued = false;
    }

    fn open(&mut self, text: &str) {
        self.word(text);
        self.glued = true;
    }

    fn glue(&mut self, text: &str) {
        self.out.push_str(text);
        self.glued = text == "|";
    }
}

fn towards(
    graph: &Graph,
    path: &[SymbolId],
    node: NodeId,
    at: usize,
    pieces: &mut Vec<Piece>,
    printer: &mut Printer,
) {
    let grammar = graph.grammar();
    let Some(&symbol) = path.get(at) else {
        return;
    };
    let target = grammar[symbol].node;
    match grammar[node].kind {
        NodeKind::Reference(production) if node == target && at + 1 < path.len() => {
            let node = grammar[production].root;
            pieces.push(Piece::Towards { node, at: at + 1 });
        }
        NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => {
            printer.word(&atom(grammar, node));
        }
        NodeKind::Alternation | NodeKind::Quantifier { .. } => {
            let child = graph.child_towards(node, target);
            if let Some(&child) = child.and_then(|child| grammar.children(node).get(child as usize))
            {
                pieces.push(Piece::Towards { node: child, at });
            }
        }
        NodeKind::Concatenation => {
            for &child in grammar.children(node).iter().rev() {
                pieces.push(if graph.contains(child, target) {
                    Piece::Towards { node: child, at }
                } else {
                    Piece::Beside(child)
                });
            }
        }
    }
}

fn beside(grammar: &Grammar, node: NodeId, pieces: &mut Vec<Piece>, printer: &mut Printer) {
    let children = grammar.children(node);
    match grammar[node].kind {
        NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => {
            printer.word(&atom(grammar, node));
        }
        NodeKind::Alternation => {
            printer.open("(");
            pieces.push(Piece::Text(")"));
            for (index, &child) in children.iter().enumerate().rev() {
                pieces.push(Piece::Beside(child));
                if index > 0 {
                    pieces.push(Piece::Text("|"));
                }
            }
        }
        NodeKind::Concatenation => {
            pieces.extend(children.iter().rev().map(|&child| Piece::Beside(child)));
        }
        NodeKind::Quantifier { .. } => {
            let Some(&subject) = children.first() else {
                return;
            };
            pieces.push(Piece::Bounds(node));
            let grouped = matches!(
                grammar[subject].kind,
                NodeKind::Concatenation | NodeKind::Quantifier { .. }
            );
            if grouped {
                printer.open("(");
                pieces.push(Piece::Text(")"));
            }
            pieces.push(Piece::Beside(subject));
        }
    }
}

fn atom(grammar: &Grammar, node: NodeId) -> String {
    grammar.display(node).to_string()
}

fn bounds(grammar: &Grammar, node: NodeId) -> String {
    let NodeKind::Quantifier { min, max } = grammar[node].kind else {
        return String::new();
    };
    match (min, max) {
        (0, Some(1)) => "?".into(),
        (0, None) => "*".into(),
        (1, None) => "+".into(),
        (min, None) => format!("{{{min},}}"),
        (0, Some(max)) => format!("{{,{max}}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}
