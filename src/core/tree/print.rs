//! Printing a derivation tree as indented text or as a Graphviz graph.

use std::fmt::{self, Write as _};

use super::Tree;
use crate::grammar::NodeKind;

/// The characters of a node's text that a line shows.
const SHOWN: usize = 60;

impl Tree {
    /// What a line says of a node: its symbol's name and what it is.
    fn label(&self, at: usize) -> String {
        let grammar = self.graph.grammar();
        let Some(node) = self.nodes[at].node else {
            return grammar[grammar.start()].name.to_string();
        };
        let text = || quoted(&self.sentence[self.nodes[at].text.clone()]);
        match grammar[node].kind {
            NodeKind::Reference(target) => format!("{} = {}", grammar[target].name, text()),
            NodeKind::Literal(_) => text(),
            NodeKind::Class(_) => format!("{} = {}", grammar.display(node), text()),
            NodeKind::Alternation => "|".into(),
            NodeKind::Concatenation => "concatenation".into(),
            NodeKind::Quantifier { min, max } => match max {
                Some(max) => format!("{{{min},{max}}}"),
                None => format!("{{{min},}}"),
            },
        }
    }

    fn is_symbolic(&self, at: usize) -> bool {
        let grammar = self.graph.grammar();
        self.nodes[at]
            .node
            .is_none_or(|node| grammar.symbol_of(node).is_some())
    }

    /// The tree as a Graphviz graph: symbolic nodes as boxes, synthetic ones as small circles.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph derivation {\n  node [fontname=\"monospace\"];\n");
        for at in 0..self.nodes.len() {
            let shape = if self.is_symbolic(at) {
                "box"
            } else {
                "ellipse"
            };
            let label = self.label(at).replace('\\', "\\\\").replace('"', "\\\"");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  n{at} [shape={shape}, label=\"{label}\"];");
            if at > 0 {
                let _ = writeln!(out, "  n{} -> n{at};", self.nodes[at].parent);
            }
        }
        out.push_str("}\n");
        out
    }
}

/// The symbolic nodes, one a line, indented by depth.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.nodes.len() {
            while open
                .last()
                .is_some_and(|&above| self.nodes[above].end as usize <= at)
            {
                open.pop();
            }
            if self.is_symbolic(at) {
                writeln!(
                    f,
                    "{:indent$}{}",
                    "",
                    self.label(at),
                    indent = 2 * open.len()
                )?;
                open.push(at);
            }
        }
        Ok(())
    }
}

/// A text in quotes, with escapes, cut to what a line shows.
fn quoted(text: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut shown = 0;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if shown == SHOWN {
                return out + "\"…";
            }
            shown += 1;
            match c {
                '"' => out.push_str("\\\""),
                c if c.is_control() || c == '\\' => out.extend(c.escape_default()),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out + "\""
}
