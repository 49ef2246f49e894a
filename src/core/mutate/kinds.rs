//! Kinds of sites: what each node offers to operators, worked out from the grammar once.

use crate::choice::is_site;
use crate::grammar::NodeKind;
use crate::graph::{Graph, UNREACHABLE};
use crate::id::{Id as _, IdVec, NodeId, ProductionId};

/// What an operator can work on: properties of a site's node, known from the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Derives something in more than one way.
    Variable,
    /// Begins with an alternation: a reference to one, or a nested one.
    Alternation,
    /// Is a quantifier: a reference to one, or a nested one.
    Repeated,
    /// Is an item of a quantifier.
    Item,
    /// Is a class of several members.
    Class,
    /// Refers to a production that can contain itself.
    Recursive,
}

/// The number of kinds.
pub(super) const KINDS: usize = 6;

/// Every node's kinds and what it leads to.
#[derive(Debug)]
pub(super) struct Kinds {
    kinds: Vec<u8>,
    /// The production that a reference names, or the number of productions.
    productions: Vec<u32>,
    /// The same, and for other nodes the production in whose right side they are.
    nonterminals: Vec<ProductionId>,
    root_kinds: u8,
    root_production: u32,
    no_production: u32,
}

impl Kinds {
    pub(super) fn new(graph: &Graph) -> Kinds {
        let grammar = graph.grammar();
        let variable = variable(graph);
        let recursive = recursive(graph);
        let bit = |kind: Kind, on: bool| u8::from(on) << kind as u8;
        let choice_kinds = |node: NodeId| {
            bit(
                Kind::Alternation,
                grammar[node].kind == NodeKind::Alternation,
            ) | bit(
                Kind::Repeated,
                matches!(grammar[node].kind, NodeKind::Quantifier { .. }),
            )
        };
        let kinds = |(id, node): (NodeId, &crate::grammar::Node)| {
            if !is_site(graph, id) {
                return 0;
            }
            let parent = node.parent.map(|parent| grammar[parent].kind);
            let item = matches!(parent, Some(NodeKind::Quantifier { .. }));
            let own = match node.kind {
                NodeKind::Reference(target) => {
                    choice_kinds(grammar[target].root) | bit(Kind::Recursive, recursive[target])
                }
                NodeKind::Class(class) => bit(Kind::Class, grammar[class].len() > 1),
                _ => choice_kinds(id),
            };
            own | bit(Kind::Item, item) | bit(Kind::Variable, variable[id])
        };
        let none = grammar.productions().len() as u32;
        let kinds: Vec<u8> = grammar.nodes().iter().map(kinds).collect();
        Kinds {
            kinds,
            productions: grammar
                .nodes()
                .iter()
                .map(|(_, node)| match node.kind {
                    NodeKind::Reference(target) => target.0,
                    _ => none,
                })
                .collect(),
            nonterminals: grammar
                .nodes()
                .iter()
                .map(|(_, node)| match node.kind {
                    NodeKind::Reference(target) => target,
                    _ => node.production,
                })
                .collect(),
            root_kinds: choice_kinds(grammar[grammar.start()].root)
                | bit(Kind::Variable, variable[grammar[grammar.start()].root]),
            root_production: grammar.start().0,
            no_production: none,
        }
    }

    #[inline(always)]
    pub(super) fn of(&self, node: NodeId) -> u8 {
        self.kinds
            .get(node.index())
            .copied()
            .unwrap_or(self.root_kinds)
    }

    #[inline(always)]
    pub(super) fn production(&self, node: NodeId) -> u32 {
        self.productions
            .get(node.index())
            .copied()
            .unwrap_or(self.root_production)
    }

    /// The nonterminal that a node derives, else the one in whose right side it is written.
    pub(super) fn nonterminal(&self, node: NodeId) -> ProductionId {
        let known = self.nonterminals.get(node.index()).copied();
        known.unwrap_or(ProductionId(self.root_production))
    }

    /// How many nodes the grammar has.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    #[inline(always)]
    pub(super) fn is(&self, node: NodeId, kind: Kind) -> bool {
        self.of(node) >> kind as u8 & 1 != 0
    }

    pub(super) fn is_reference(&self, node: NodeId) -> bool {
        self.production(node) != self.no_production
    }
}

/// Which nodes derive more than one tree: those above a choice.
fn variable(graph: &Graph) -> IdVec<NodeId, bool> {
    let grammar = graph.grammar();
    let mut variable = IdVec::filled(grammar.nodes().len(), false);
    let mut users: IdVec<ProductionId, Vec<NodeId>> =
        IdVec::filled(grammar.productions().len(), Vec::new());
    let mut found = Vec::new();
    for (id, node) in grammar.nodes().iter() {
        let chooses = match node.kind {
            NodeKind::Alternation => true,
            NodeKind::Quantifier { min, max } => max != Some(min),
            NodeKind::Class(class) => grammar[class].len() > 1,
            NodeKind::Reference(target) => {
                users[target].push(id);
                false
            }
            _ => false,
        };
        if chooses {
            found.push(id);
        }
    }
    while let Some(id) = found.pop() {
        if std::mem::replace(&mut variable[id], true) {
            continue;
        }
        match grammar[id].parent {
            Some(parent) => found.push(parent),
            None => found.extend(&users[grammar[id].production]),
        }
    }
    variable
}

/// Which productions can contain themselves: those on a cycle of references.
fn recursive(graph: &Graph) -> IdVec<ProductionId, bool> {
    let grammar = graph.grammar();
    let productions = grammar.productions();
    // Peel off what leads nowhere, from both ends; what is left lies on cycles or between them, and is checked.
    let mut recursive = IdVec::filled(productions.len(), false);
    let mut outgoing: IdVec<ProductionId, u32> = IdVec::filled(productions.len(), 0);
    let mut users: IdVec<ProductionId, Vec<ProductionId>> =
        IdVec::filled(productions.len(), Vec::new());
    for symbol in Graph::ids(0..graph.symbol_count() as u32) {
        if let Some(target) = graph.target_of(symbol) {
            let user = graph.production_of(symbol);
            outgoing[user] += 1;
            users[target].push(user);
        }
    }
    let mut done: Vec<ProductionId> = outgoing.ids().filter(|&id| outgoing[id] == 0).collect();
    while let Some(id) = done.pop() {
        for &user in &users[id] {
            outgoing[user] -= 1;
            if outgoing[user] == 0 {
                done.push(user);
            }
        }
    }
    /// Above this many candidates, all of them count as recursive: the check is quadratic, and a site that turns out
    /// not to be recursive is merely refused.
    const CHECKED: usize = 2000;
    let candidates: Vec<ProductionId> = outgoing.ids().filter(|&id| outgoing[id] > 0).collect();
    for &id in &candidates {
        recursive[id] = candidates.len() > CHECKED || {
            let distances = graph.distances_to(id);
            Graph::ids(graph.symbols_of(id))
                .any(|symbol| distances.of_symbol(graph, symbol) != UNREACHABLE)
        };
    }
    recursive
}
