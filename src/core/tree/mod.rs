//! Derivation trees for eyes and tools.
//!
//! Everything fast works on choice sequences; a tree object is built only where someone looks at one. It is an arena in
//! pre-order with every node of the derivation, symbolic and synthetic (TOSEM article, section 2.3), and knows the choices it
//! was made by, so that it encodes back. Linear in the derivation, no native recursion.

mod print;

use std::ops::Range;
use std::sync::Arc;

use crate::choice::{ClassCode, Codec, Encoder, MemberChoice, Scratch, Sink};
use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{NodeId, SymbolId};

/// A node of a derivation tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// The node of the grammar graph; `None` for the root, which stands for the start production.
    pub node: Option<NodeId>,
    /// The position of the node above in pre-order; its own for the root.
    pub parent: u32,
    /// The position behind the node's subtree.
    pub end: u32,
    /// The node's text, as a range of the sentence.
    pub text: Range<usize>,
    /// What was chosen, for a class.
    member: MemberChoice,
}

/// A derivation tree.
#[derive(Clone, Debug)]
pub struct Tree {
    graph: Arc<Graph>,
    nodes: Vec<TreeNode>,
    sentence: Vec<u8>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.nodes == other.nodes && self.sentence == other.sentence
    }
}

impl Tree {
    /// The tree that any bytes decode to.
    pub fn decode(codec: &Codec, choices: &[u8]) -> Tree {
        let mut builder = Builder {
            tree: Tree {
                graph: codec.graph().clone(),
                nodes: Vec::new(),
                sentence: Vec::new(),
            },
            open: 0,
        };
        codec.walk(choices, &mut Scratch::default(), &mut builder);
        builder.tree
    }

    /// The canonical choice sequence of the tree.
    pub fn encode(&self, codec: &Codec) -> Vec<u8> {
        let grammar = self.graph.grammar();
        let mut encoder = Encoder::new();
        // Quantifiers ask before each item and at the end, so they are met again when their subtree ends.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let kind = |node: Option<NodeId>| node.map(|node| grammar[node].kind);
        let stop = |encoder: &mut Encoder, node: Option<NodeId>, count: u32| {
            if let Some(NodeKind::Quantifier { min, max }) = kind(node)
                && count >= min
                && max.is_none_or(|max| count < max)
            {
                encoder.more(false);
            }
        };
        for (at, tree_node) in (0u32..).zip(&self.nodes) {
            while let Some(&(above, count)) = open
                .last()
                .filter(|&&(above, _)| self.nodes[above as usize].end <= at)
            {
                stop(&mut encoder, self.nodes[above as usize].node, count);
                open.pop();
            }
            if let Some((above, count)) = open.last_mut()
                && at > 0
            {
                match kind(self.nodes[*above as usize].node) {
                    Some(NodeKind::Quantifier { min, .. }) => {
                        if *count >= min {
                            encoder.more(true);
                        }
                        *count += 1;
                    }
                    Some(NodeKind::Alternation) => {
                        let alternation = self.nodes[*above as usize].node;
                        if let (Some(alternation), Some(node)) = (alternation, tree_node.node) {
                            let children = grammar.children(alternation);
                            let index = children
                                .iter()
                                .position(|&child| child == node)
                                .unwrap_or(0);
                            let default = codec.shortest_alternative(alternation);
                            encoder.alternative(index as u32, children.len() as u32, default);
                        }
                    }
                    _ => {}
                }
            }
            if let Some(NodeKind::Class(class)) = kind(tree_node.node) {
                encoder.member(codec.class(class), tree_node.member);
            }
            open.push((at, 0));
        }
        while let Some((above, count)) = open.pop() {
            stop(&mut encoder, self.nodes[above as usize].node, count);
        }
        encoder.finish()
    }

    /// The nodes, in pre-order; the first one is the root.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The sentence.
    pub fn sentence(&self) -> &[u8] {
        &self.sentence
    }

    /// The graph that the tree derives from.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The greatest number of nested references.
    pub fn depth(&self) -> u32 {
        let grammar = self.graph.grammar();
        let (mut open, mut deepest): (Vec<u32>, usize) = (Vec::new(), 0);
        for (at, node) in (0u32..).zip(&self.nodes) {
            while open
                .last()
                .is_some_and(|&above| self.nodes[above as usize].end <= at)
            {
                open.pop();
            }
            if node
                .node
                .is_some_and(|node| matches!(grammar[node].kind, NodeKind::Reference(_)))
            {
                open.push(at);
                deepest = deepest.max(open.len());
            }
        }
        deepest as u32
    }
}

struct Builder {
    tree: Tree,
    open: u32,
}

impl Builder {
    fn push(&mut self, node: Option<NodeId>, member: MemberChoice, text: &[u8]) {
        let start = self.tree.sentence.len();
        self.tree.sentence.extend_from_slice(text);
        let at = self.tree.nodes.len() as u32;
        self.tree.nodes.push(TreeNode {
            node,
            parent: self.open,
            end: at + 1,
            text: start..self.tree.sentence.len(),
            member,
        });
    }
}

impl Sink for Builder {
    fn open(&mut self, node: NodeId, _: Option<SymbolId>) {
        let at = self.tree.nodes.len() as u32;
        let node = (node != crate::choice::ROOT).then_some(node);
        self.push(node, MemberChoice::default(), &[]);
        self.open = at;
    }

    fn close(&mut self, _: bool) {
        let end = self.tree.nodes.len() as u32;
        let text_end = self.tree.sentence.len();
        if let Some(node) = self.tree.nodes.get_mut(self.open as usize) {
            node.end = end;
            node.text.end = text_end;
            self.open = node.parent;
        }
    }

    fn literal(&mut self, node: NodeId, _: Option<SymbolId>, text: &[u8]) {
        self.push(Some(node), MemberChoice::default(), text);
    }

    fn member(
        &mut self,
        node: NodeId,
        _: Option<SymbolId>,
        class: &ClassCode,
        choice: MemberChoice,
    ) {
        let mut text = [0; 4];
        let len = class.write(choice, &mut text);
        self.push(Some(node), choice, &text[..len]);
    }

    fn alternative(&mut self, _: NodeId, _: u32, _: u32, _: u32) {}
    fn more(&mut self, _: NodeId, _: bool) {}
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use crate::choice::Codec;
    use crate::grammar::Grammar;
    use crate::graph::Graph;
    use crate::rng::Rng;
    use crate::tests::random_grammar;

    #[test]
    fn a_tree_encodes_to_what_it_decodes_from() {
        let mut rng = Rng::new(23);
        let mut trees = 0;
        while trees < 3000 {
            let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
                continue;
            };
            let codec = Codec::new(&Graph::new(grammar).unwrap());
            for _ in 0..20 {
                let choices: Vec<u8> = (0..rng.below(80)).map(|_| rng.below(256) as u8).collect();
                let tree = Tree::decode(&codec, &choices);
                let encoded = tree.encode(&codec);
                assert_eq!(
                    encoded,
                    codec.canonicalize(&choices),
                    "{}",
                    codec.graph().grammar()
                );
                assert_eq!(Tree::decode(&codec, &encoded), tree);
                assert_eq!(tree.sentence(), codec.sentence(&choices));
                trees += 1;
            }
        }
    }
}
