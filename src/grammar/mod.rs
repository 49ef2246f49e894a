//! What a grammar is: an immutable, validated arena of productions and nodes.
//!
//! A text in the notation becomes an [`ast::Ast`] (faithful, with spans, possibly wrong), and lowering turns that into a
//! [`Grammar`]: names resolved, regular expressions turned into nodes, unreachable and unproductive parts pruned. No
//! half-built state is a `Grammar`.
//!
//! The nodes of the arena are those of the grammar graph (TOSEM article, section 2.2). They are numbered production by
//! production, each in pre-order, so the symbolic nodes of a production are consecutive [`SymbolId`]s in written order;
//! everything above relies on that.

pub mod class;

use crate::id::{ClassId, IdVec, LiteralId, NodeId, ProductionId, SymbolId};
pub use class::{CharClass, Member};

/// A validated context-free grammar.
#[derive(Clone)]
pub struct Grammar {
    productions: IdVec<ProductionId, Production>,
    nodes: IdVec<NodeId, Node>,
    children: Vec<NodeId>,
    symbols: IdVec<SymbolId, Symbol>,
    literals: IdVec<LiteralId, Box<[u8]>>,
    classes: IdVec<ClassId, CharClass>,
    probabilities: Vec<Option<Probability>>,
    warnings: Vec<Warning>,
    fingerprint: u64,
}

/// A production: a nonterminal and its right side.
#[derive(Clone, Debug)]
pub struct Production {
    /// The nonterminal's name.
    pub name: Box<str>,
    /// The root of the right side.
    pub root: NodeId,
    /// The first symbol of the right side; the symbols of a production are consecutive.
    pub first_symbol: SymbolId,
    /// The number of symbols in the right side.
    pub symbol_count: u32,
    /// The first node of the right side (its root); the nodes of a production are consecutive, in pre-order.
    pub first_node: NodeId,
    /// The number of nodes in the right side.
    pub node_count: u32,
}

/// A node of the grammar graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// What the node is.
    pub kind: NodeKind,
    /// The production whose right side it is written in.
    pub production: ProductionId,
    /// The node above it in the same right side; `None` for the root.
    pub parent: Option<NodeId>,
    first_child: u32,
    child_count: u32,
}

/// The kinds of node. The first three are symbolic, the others synthetic: transparent to k-paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A use of a nonterminal.
    Reference(ProductionId),
    /// Fixed text, possibly empty.
    Literal(LiteralId),
    /// One character or byte out of a set.
    Class(ClassId),
    /// One of at least two children.
    Alternation,
    /// All children in order: none (what pruning can leave), or at least two.
    Concatenation,
    /// Its only child between `min` and `max` times; `max` is at least 1 and at least `min`, `None` means without bound.
    Quantifier {
        /// The least number of repetitions.
        min: u32,
        /// The greatest number of repetitions.
        max: Option<u32>,
    },
}

/// A symbolic node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The node.
    pub node: NodeId,
    /// Its place among the symbols of the production as it was written, before pruning: the number in its name.
    pub ordinal: u32,
}

/// A stated probability of an alternative, in billionths (40 % is 400 000 000).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Probability(pub u32);

/// Something in a grammar that was dropped because it cannot matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// What is the matter.
    pub kind: WarningKind,
    /// The nonterminal concerned.
    pub production: Box<str>,
    /// Line of its definition, from 1.
    pub line: u32,
    /// Column of its definition, in characters, from 1.
    pub column: u32,
}

/// The kinds of warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WarningKind {
    /// No derivation of the start symbol contains the nonterminal.
    Unreachable,
    /// The nonterminal derives no finite sentence.
    Unproductive,
}
