//! Railroad diagrams of productions.
//!
//! The layout is that of the crate `railroad`. It calls itself for nested nodes, and diagrams that are deep or large help nobody,
//! so that such productions have none. Shades come from the style sheet of the page: each symbol has its number and its shade as
//! attributes.

use pleach_core::Graph;
use pleach_core::grammar::NodeKind;
use pleach_core::grammar::print::Quantifier;
use pleach_core::id::{Id as _, NodeId, ProductionId};
use railroad::{
    Choice, Comment, Diagram, Empty, LabeledBox, Node, NonTerminal, Optional, Repeat, Sequence,
    SimpleEnd, SimpleStart, Terminal,
};

/// The deepest right side that is drawn.
const MAX_DEPTH: usize = 24;
/// The most nodes that are drawn.
const MAX_NODES: u32 = 200;
/// The characters that a label may take.
const MAX_LABEL: usize = 24;

/// The diagram of a production as SVG, if it is not too large; `shade` gives the shade of each symbol by its number.
pub(super) fn diagram(
    graph: &Graph,
    id: ProductionId,
    shade: impl Fn(usize) -> Option<u8>,
) -> Option<String> {
    let grammar = graph.grammar();
    let production = &grammar[id];
    if production.node_count > MAX_NODES {
        return None;
    }
    // Nodes stand in pre-order, children behind their parents; so from the last to the first, the children of a node are ready.
    let first = production.first_node.index();
    let all = first..first + production.node_count as usize;
    let mut ready: Vec<Option<(usize, Box<dyn Node>)>> = Vec::new();
    ready.resize_with(all.len(), || None);
    for at in all.rev() {
        let node = NodeId::from_index(at);
        let mut depth = 1;
        let mut children = Vec::new();
        for &child in grammar.children(node) {
            let (deep, drawn) = ready[child.index() - first].take()?;
            depth = depth.max(deep + 1);
            children.push(drawn);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let drawn = draw(graph, node, children, &shade);
        ready[at - first] = Some((depth, drawn));
    }
    let (_, root) = ready.first_mut()?.take()?;
    let parts: Vec<Box<dyn Node>> = vec![Box::new(SimpleStart), root, Box::new(SimpleEnd)];
    let mut diagram = Diagram::new(Sequence::new(parts));
    // Otherwise it takes as much room as there is.
    let (width, height) = (diagram.width(), diagram.height());
    for (name, length) in [("width", width), ("height", height)] {
        diagram.attr(name.to_owned()).or_insert(length.to_string());
    }
    Some(diagram.to_string())
}

fn draw(
    graph: &Graph,
    node: NodeId,
    mut children: Vec<Box<dyn Node>>,
    shade: &impl Fn(usize) -> Option<u8>,
) -> Box<dyn Node> {
    let grammar = graph.grammar();
    if let Some(symbol) = grammar.symbol_of(node) {
        let label = super::facts::cut(&grammar.display(node).to_string(), MAX_LABEL);
        let number = symbol.index();
        let shade = shade(number).map(|shade| shade.to_string());
        macro_rules! marked {
            ($drawn:expr) => {{
                let mut drawn = $drawn;
                drawn.attr("data-s".into()).or_insert(number.to_string());
                if let Some(shade) = shade {
                    drawn.attr("data-u".into()).or_insert(shade);
                }
                Box::new(drawn)
            }};
        }
        return match grammar[node].kind {
            NodeKind::Reference(_) => marked!(NonTerminal::new(label)),
            _ => marked!(Terminal::new(label)),
        };
    }
    match grammar[node].kind {
        NodeKind::Alternation => Box::new(Choice::new(children)),
        NodeKind::Quantifier { min, max } => {
            let Some(subject) = children.pop() else {
                return Box::new(Empty);
            };
            match (min, max) {
                (0, Some(1)) => Box::new(Optional::new(subject)),
                (1, Some(1)) => subject,
                (0, None) => Box::new(Optional::new(Repeat::new(subject, Empty))),
                (1, None) => Box::new(Repeat::new(subject, Empty)),
                (0, _) => Box::new(Optional::new(bounded(subject, min, max))),
                _ => bounded(subject, min, max),
            }
        }
        _ if children.is_empty() => Box::new(Empty),
        _ => Box::new(Sequence::new(children)),
    }
}

/// A repetition with its bounds beside the way back.
fn bounded(subject: Box<dyn Node>, min: u32, max: Option<u32>) -> Box<dyn Node> {
    let bounds = Comment::new(Quantifier { min, max }.to_string());
    match max {
        Some(0) => Box::new(LabeledBox::new(subject, bounds)),
        _ => Box::new(Repeat::new(subject, bounds)),
    }
}
