//! The grammar graph: what follows from a grammar once and for all.
//!
//! The nodes and their ids are the grammar's own (TOSEM article, section 2.2); this module adds what everything above asks
//! again and again: the symbolic successors of a symbol, what lies below a node, shortest derivations, and distances
//! between productions. Because the symbols of a production are consecutive, the successors of a reference are a
//! range of ids: no adjacency lists are stored.

mod distance;
mod shortest;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::grammar::{Grammar, NodeKind, Role};
use crate::id::{Id as _, IdVec, NodeId, ProductionId, SymbolId};
use crate::lexicon::{self, Lexicon};

pub use distance::{Distances, UNREACHABLE};
pub use shortest::{Measure, Shortest};

/// The most nodes that a grammar may have: beyond, its tables take gigabytes.
pub const MAX_NODES: usize = 1 << 22;

/// The most nodes that the shortest derivation of a nonterminal, or of a part of one, may have; bounds what one choice byte can grow into.
pub const MAX_SHORTEST_NODES: u32 = 1 << 16;

/// A grammar that is well-formed but that no graph is made of.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The grammar has more nodes than [`MAX_NODES`].
    #[error(
        "the grammar has {nodes} nodes, and the most is {MAX_NODES}\n\
         help: leave out what the texts do not need, or make several grammars of it"
    )]
    TooLarge {
        /// The nodes of the grammar.
        nodes: usize,
    },
    /// A sentence of a nonterminal, or of a part of it, is too long even if it is the shortest.
    #[error(
        "the shortest sentence of `{production}`, or of a part of it, takes more than {MAX_SHORTEST_NODES} nodes\n\
         help: lower the least number of repetitions in `{production}` or in what it uses"
    )]
    TooLong {
        /// The nonterminal.
        production: Box<str>,
    },
    /// Its tokens are too large for automata.
    #[error(transparent)]
    Lexicon(#[from] lexicon::Error),
}

/// What the shortest derivations of a node come to, by every measure that generators bound; one look-up for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    /// By [`Measure::Nodes`].
    pub nodes: u32,
    /// By [`Measure::Length`].
    pub length: u32,
    /// By [`Measure::Depth`].
    pub depth: u32,
}

/// A grammar with its derived tables. Immutable; shared by [`Arc`].
#[derive(Debug)]
pub struct Graph {
    grammar: Arc<Grammar>,
    subtree_ends: IdVec<NodeId, NodeId>,
    by_nodes: Shortest,
    by_depth: Shortest,
    by_length: Shortest,
    /// Made when it is first asked for: no target needs it.
    by_references: OnceLock<Shortest>,
    costs: IdVec<NodeId, Costs>,
    lexicon: Option<Lexicon>,
    /// Whether the symbols of a production are on k-paths.
    is_in_paths: IdVec<ProductionId, bool>,
    has_open_tokens: bool,
}

impl Graph {
    /// Derives the graph of a grammar. O(n log n) time, O(n) memory for n nodes, and what the automaton of its tokens takes. A token is
    /// one symbol at each place where it is used: k-paths do not go on in it.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`MAX_NODES`] nodes;
    /// [`Error::TooLong`] if the shortest sentence of a nonterminal, or of a part of one, is beyond [`MAX_SHORTEST_NODES`];
    /// [`Error::Lexicon`] if the tokens are too large.
    pub fn new(grammar: impl Into<Arc<Grammar>>) -> Result<Arc<Graph>, Error> {
        Graph::build(grammar.into(), false)
    }

    /// The same with k-paths that go on in tokens.
    ///
    /// # Errors
    ///
    /// Those of [`Graph::new`].
    pub fn with_open_tokens(grammar: impl Into<Arc<Grammar>>) -> Result<Arc<Graph>, Error> {
        Graph::build(grammar.into(), true)
    }

    fn build(grammar: Arc<Grammar>, has_open_tokens: bool) -> Result<Arc<Graph>, Error> {
        let nodes = grammar.nodes().len();
        if nodes > MAX_NODES {
            return Err(Error::TooLarge { nodes });
        }
        let by_nodes = Shortest::new(&grammar, Measure::Nodes);
        // Every node, since close-off may have to derive any of them.
        for (id, node) in grammar.nodes().iter() {
            if by_nodes.cost(id) > MAX_SHORTEST_NODES {
                return Err(Error::TooLong {
                    production: grammar[node.production].name.clone(),
                });
            }
        }
        // In pre-order, the subtree of a node ends where the subtree of its last child ends.
        let mut subtree_ends: IdVec<NodeId, NodeId> =
            grammar.nodes().ids().map(|id| NodeId(id.0 + 1)).collect();
        for id in grammar.nodes().ids().rev() {
            if let Some(&last) = grammar.children(id).last() {
                subtree_ends[id] = subtree_ends[last];
            }
        }
        let by_depth = Shortest::new(&grammar, Measure::Depth);
        let by_length = Shortest::new(&grammar, Measure::Length);
        let costs = grammar.nodes().ids().map(|id| Costs {
            nodes: by_nodes.cost(id),
            length: by_length.cost(id),
            depth: by_depth.cost(id),
        });
        Ok(Arc::new(Graph {
            subtree_ends,
            costs: costs.collect(),
            by_depth,
            by_length,
            by_references: OnceLock::new(),
            by_nodes,
            lexicon: Lexicon::new(&grammar)?,
            is_in_paths: in_paths(&grammar, has_open_tokens),
            has_open_tokens,
            grammar,
        }))
    }

    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// Shortest derivations by a measure.
    pub fn shortest(&self, measure: Measure) -> &Shortest {
        match measure {
            Measure::Nodes => &self.by_nodes,
            Measure::Depth => &self.by_depth,
            Measure::Length => &self.by_length,
            Measure::References => self
                .by_references
                .get_or_init(|| Shortest::new(&self.grammar, measure)),
        }
    }

    /// The costs of a node's shortest derivations.
    #[inline(always)]
    pub fn costs(&self, node: NodeId) -> Costs {
        self.costs[node]
    }

    /// The symbols written in a production, ascending.
    #[inline]
    pub fn symbols_of(&self, production: ProductionId) -> Range<u32> {
        let production = &self.grammar[production];
        let first = production.first_symbol.0;
        first..first + production.symbol_count
    }

    /// The production that a symbol is written in.
    #[inline]
    pub fn production_of(&self, symbol: SymbolId) -> ProductionId {
        self.grammar[self.grammar[symbol].node].production
    }

    /// The production that a symbol names, if it is a reference.
    #[inline]
    pub fn target_of(&self, symbol: SymbolId) -> Option<ProductionId> {
        match self.grammar[self.grammar[symbol].node].kind {
            NodeKind::Reference(production) => Some(production),
            _ => None,
        }
    }

    /// The lexical level, if the grammar has one.
    #[inline]
    pub fn lexicon(&self) -> Option<&Lexicon> {
        self.lexicon.as_ref()
    }

    /// Whether k-paths go on in tokens.
    pub fn has_open_tokens(&self) -> bool {
        self.has_open_tokens
    }

    /// Whether the symbols of a production are on k-paths: not those of tokens, unless these are open, and not those of what
    /// is skipped.
    #[inline]
    pub(crate) fn is_in_paths(&self, production: ProductionId) -> bool {
        self.is_in_paths[production]
    }

    /// The symbols written in a production if they are on k-paths; else none.
    #[inline]
    pub(crate) fn path_symbols(&self, production: ProductionId) -> Range<u32> {
        let symbols = self.symbols_of(production);
        match self.is_in_paths[production] {
            true => symbols,
            false => symbols.start..symbols.start,
        }
    }

    /// The production that a symbol names, if k-paths go on there.
    #[inline]
    pub fn path_target(&self, symbol: SymbolId) -> Option<ProductionId> {
        self.target_of(symbol)
            .filter(|&target| self.is_in_paths[target])
    }

    /// The symbolic successors of a symbol: the symbols written in the production that it names, none for a terminal and for a
    /// closed token.
    #[inline]
    pub fn successors(&self, symbol: SymbolId) -> Range<u32> {
        self.path_target(symbol)
            .map_or(0..0, |production| self.symbols_of(production))
    }

    /// The symbols that can begin a path from the root: those of the start production.
    pub fn start_symbols(&self) -> Range<u32> {
        self.symbols_of(self.grammar.start())
    }

    /// Whether `below` is `above` or lies under it in the same right side. O(1).
    #[inline]
    pub fn contains(&self, above: NodeId, below: NodeId) -> bool {
        above <= below && below < self.subtree_ends[above]
    }

    /// The node behind the subtree of `node` in its right side.
    #[inline]
    pub(crate) fn subtree_end(&self, node: NodeId) -> NodeId {
        self.subtree_ends[node]
    }

    /// Which child of `node` contains `below`, by its place among the children. O(log children).
    pub(crate) fn child_towards(&self, node: NodeId, below: NodeId) -> Option<u32> {
        let children = self.grammar.children(node);
        let at = children
            .partition_point(|&child| child <= below)
            .checked_sub(1)?;
        self.contains(*children.get(at)?, below)
            .then_some(at as u32)
    }

    /// The number of symbols.
    pub fn symbol_count(&self) -> usize {
        self.grammar.symbols().len()
    }

    /// The symbol of a symbolic node.
    #[inline]
    pub fn symbol_of(&self, node: NodeId) -> Option<SymbolId> {
        self.grammar.symbol_of(node)
    }

    /// How many references lie between each production and one production. O(symbols).
    pub fn distances_to(&self, production: ProductionId) -> Distances {
        Distances::new(self, production)
    }

    /// The symbol ids of a range.
    pub(crate) fn ids(
        range: Range<u32>,
    ) -> impl DoubleEndedIterator<Item = SymbolId> + ExactSizeIterator {
        range.map(|id| SymbolId::from_index(id as usize))
    }
}

/// Which productions have symbols on k-paths.
fn in_paths(grammar: &Grammar, has_open_tokens: bool) -> IdVec<ProductionId, bool> {
    let productions = grammar.productions().iter();
    if !has_open_tokens || !grammar.has_tokens() {
        return productions
            .map(|(_, production)| production.role == Role::Syntax)
            .collect();
    }
    // What only the skipped refers to is not derived.
    let mut reached = IdVec::filled(productions.len(), false);
    reached[grammar.start()] = true;
    let mut rest = vec![grammar.start()];
    while let Some(id) = rest.pop() {
        let production = &grammar[id];
        let first = production.first_node.index();
        for at in first..first + production.node_count as usize {
            if let NodeKind::Reference(target) = grammar[NodeId::from_index(at)].kind
                && !std::mem::replace(&mut reached[target], true)
            {
                rest.push(target);
            }
        }
    }
    reached
}
