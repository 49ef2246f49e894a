//! The live parts of a draft to a grammar: one normal form, ids counted anew.
//!
//! Alternatives that derive nothing finite vanish; an alternation left with one takes the place of that one. A concatenation
//! directly in a concatenation is spliced into it, one element takes the place of its concatenation, and
//! what has no symbol at all (`()`, a repetition of it, an optional part that cannot be derived) vanishes from
//! concatenations and is the empty concatenation elsewhere. So each grammar has one form: printing it and reading that
//! gives the same arena.
//!
//! How many elements a node contributes to a concatenation around it is counted upward, in one loop backward over the
//! draft; the nodes are then written in one loop forward. Linear, with a stack of open nodes.

use crate::grammar::lower::{Draft, DraftNode};
use crate::grammar::prune::Live;
use crate::grammar::{Grammar, Node, NodeKind, Probability, Production, Role, Symbol};
use crate::id::{Id, IdVec, NodeId, ProductionId, SymbolId};

/// Builds the grammar of what is live in a draft.
pub(super) fn assemble(draft: Draft, live: Live, roles: &IdVec<ProductionId, Role>) -> Grammar {
    let mut new_ids: IdVec<ProductionId, Option<ProductionId>> =
        IdVec::filled(draft.productions.len(), None);
    let reachable = draft.productions.ids().filter(|&id| live.reachable[id]);
    for (new, old) in reachable.enumerate() {
        new_ids[old] = Some(ProductionId::from_index(new));
    }
    let elements = element_counts(&draft, &live);
    let mut assembly = Assembly {
        draft: &draft,
        live: &live,
        elements: &elements,
        new_ids: &new_ids,
        literals: Renumbering::new(draft.literals.len()),
        classes: Renumbering::new(draft.classes.len()),
        open: Vec::new(),
        nodes: IdVec::new(),
        symbols: IdVec::new(),
        symbol_of: IdVec::new(),
        probabilities: Vec::new(),
    };
    let mut productions = IdVec::new();
    for (old, new) in new_ids.iter() {
        let Some(new) = *new else { continue };
        let first_node = NodeId::from_index(assembly.nodes.len());
        let first_symbol = SymbolId::from_index(assembly.symbols.len());
        assembly.production(old, new);
        productions.push(Production {
            name: draft.productions[old].name.clone(),
            root: first_node,
            first_symbol,
            symbol_count: (assembly.symbols.len() - first_symbol.index()) as u32,
            first_node,
            node_count: (assembly.nodes.len() - first_node.index()) as u32,
            role: roles[old],
            mode: draft.productions[old].mode.clone(),
        });
    }

    let Assembly {
        mut nodes,
        symbols,
        symbol_of,
        mut probabilities,
        literals,
        classes,
        ..
    } = assembly;
    if probabilities.iter().all(Option::is_none) {
        probabilities = Vec::new();
    }
    let children = link_children(&mut nodes);
    let used = literals.apply(&draft.literals);
    let caseless = used.iter().map(|(_, it)| it.is_caseless).collect();
    let literals = used.iter().map(|(_, it)| it.text.clone()).collect();
    let classes = classes.apply(&draft.classes);
    let mut by_name: Vec<ProductionId> = productions.ids().collect();
    by_name.sort_unstable_by(|&a, &b| productions[a].name.cmp(&productions[b].name));
    let has_tokens = productions.iter().any(|(_, it)| it.role.is_lexical());
    let mut grammar = Grammar {
        productions,
        has_tokens,
        nodes,
        children,
        symbols,
        symbol_of,
        literals,
        caseless,
        classes,
        probabilities,
        by_name,
        warnings: live.warnings,
        fingerprint: 0,
    };
    grammar.fingerprint = super::print::fingerprint(&grammar);
    grammar
}

/// How many elements each draft node contributes to a concatenation: 0 if it has no symbol, more than 1 if it is a
/// concatenation itself. Meaningless for what is not live.
fn element_counts(draft: &Draft, live: &Live) -> Vec<u32> {
    let mut elements: Vec<u32> = vec![0; draft.nodes.len()];
    // The number of live alternatives of each alternation; children come before their parents here.
    let mut alternatives: Vec<u32> = vec![0; draft.nodes.len()];
    for (index, node) in draft.nodes.iter().enumerate().rev() {
        if !live.productive[index] {
            continue;
        }
        let count = match node.kind {
            NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => 1,
            NodeKind::Concatenation => elements[index],
            NodeKind::Quantifier { .. } => elements[index].min(1),
            NodeKind::Alternation if alternatives[index] > 1 => 1,
            NodeKind::Alternation => elements[index],
        };
        elements[index] = count;
        let parent = node.parent as usize;
        if parent != index {
            elements[parent] += count;
            alternatives[parent] += 1;
        }
    }
    elements
}

struct Assembly<'a> {
    draft: &'a Draft,
    live: &'a Live,
    elements: &'a [u32],
    new_ids: &'a IdVec<ProductionId, Option<ProductionId>>,
    literals: Renumbering,
    classes: Renumbering,
    open: Vec<Open>,
    nodes: IdVec<NodeId, Node>,
    symbols: IdVec<SymbolId, Symbol>,
    symbol_of: IdVec<NodeId, Option<SymbolId>>,
    probabilities: Vec<Option<Probability>>,
}

/// A draft node whose subtree is being written.
struct Open {
    index: usize,
    end: u32,
    /// The node that its children are written under; not its own if it is dissolved.
    node: Option<NodeId>,
    context: Context,
}

/// What a node is written into.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    /// A concatenation, or the place of one: what has no symbol is left out, concatenations are spliced.
    Concatenation,
    /// An alternation: stated probabilities count.
    Alternation,
    Other,
}

impl Assembly<'_> {
    fn production(&mut self, old: ProductionId, new: ProductionId) {
        let range = self.draft.productions[old].nodes.clone();
        let mut index = range.start as usize;
        // The stated probability of the alternative that is being written, until its root is.
        let mut probability = None;
        self.open.clear();
        while index < range.end as usize {
            let node = self.draft.nodes[index];
            while self
                .open
                .last()
                .is_some_and(|open| open.end as usize <= index)
            {
                self.open.pop();
            }
            let (parent, context, above) = match self.open.last() {
                Some(open) => (open.node, open.context, Some(open.index)),
                None => (None, Context::Other, None),
            };
            if !self.live.productive[index] {
                index = node.end as usize;
                continue;
            }
            // Children of dissolved alternations keep the probability from above.
            if context == Context::Alternation && above == Some(node.parent as usize) {
                probability = node.probability;
            }
            let elements = self.elements[index];
            let alternation = node.kind == NodeKind::Alternation;
            if elements == 0 {
                if context != Context::Concatenation {
                    self.write(
                        NodeKind::Concatenation,
                        new,
                        parent,
                        probability.take(),
                        &node,
                    );
                }
                index = node.end as usize;
                continue;
            }
            if alternation && self.live_alternatives(index) == 1 {
                index += 1;
                continue;
            }
            let dissolved = node.kind == NodeKind::Concatenation
                && (elements == 1 || context == Context::Concatenation);
            let written = if dissolved {
                parent
            } else {
                Some(self.write(node.kind, new, parent, probability.take(), &node))
            };
            if node.end as usize > index + 1 {
                self.open.push(Open {
                    index,
                    end: node.end,
                    node: written,
                    context: match node.kind {
                        NodeKind::Concatenation => Context::Concatenation,
                        NodeKind::Alternation => Context::Alternation,
                        _ => Context::Other,
                    },
                });
            }
            index += 1;
        }
    }

    /// Whether an alternation has one live alternative or more; counts no further than two.
    fn live_alternatives(&self, index: usize) -> usize {
        let end = self.draft.nodes[index].end as usize;
        let mut child = index + 1;
        let mut count = 0;
        while child < end && count < 2 {
            count += usize::from(self.live.productive[child]);
            child = self.draft.nodes[child].end as usize;
        }
        count
    }

    fn write(
        &mut self,
        kind: NodeKind,
        production: ProductionId,
        parent: Option<NodeId>,
        probability: Option<Probability>,
        draft: &DraftNode,
    ) -> NodeId {
        let kind = match kind {
            // What is live refers to what is reachable.
            NodeKind::Reference(old) => {
                NodeKind::Reference(self.new_ids[old].unwrap_or(production))
            }
            NodeKind::Literal(old) => NodeKind::Literal(self.literals.of(old)),
            NodeKind::Class(old) => NodeKind::Class(self.classes.of(old)),
            kind => kind,
        };
        let node = self.nodes.push(Node {
            kind,
            production,
            parent,
            first_child: 0,
            child_count: 0,
        });
        let symbol = kind.is_symbolic().then(|| {
            self.symbols.push(Symbol {
                node,
                ordinal: draft.ordinal,
            })
        });
        self.symbol_of.push(symbol);
        self.probabilities.push(probability);
        node
    }
}

/// Fills in the children of all nodes, in one table grouped by parent.
fn link_children(nodes: &mut IdVec<NodeId, Node>) -> Vec<NodeId> {
    let mut total = 0;
    for id in nodes.ids() {
        if let Some(parent) = nodes[id].parent {
            nodes[parent].child_count += 1;
            total += 1;
        }
    }
    let mut children = vec![NodeId(0); total];
    let mut first = 0;
    for id in nodes.ids() {
        nodes[id].first_child = first;
        first += nodes[id].child_count;
        nodes[id].child_count = 0;
    }
    for id in nodes.ids() {
        if let Some(parent) = nodes[id].parent {
            let parent = &mut nodes[parent];
            children[(parent.first_child + parent.child_count) as usize] = id;
            parent.child_count += 1;
        }
    }
    children
}

/// New ids for those old ones that are used, in order of first use.
struct Renumbering {
    new: Vec<Option<u32>>,
    used: Vec<usize>,
}

impl Renumbering {
    fn new(len: usize) -> Renumbering {
        Renumbering {
            new: vec![None; len],
            used: Vec::new(),
        }
    }

    fn of<I: Id>(&mut self, old: I) -> I {
        let used = &mut self.used;
        let new = *self.new[old.index()].get_or_insert_with(|| {
            used.push(old.index());
            used.len() as u32 - 1
        });
        I::from_index(new as usize)
    }

    fn apply<I: Id, T: Clone>(&self, items: &IdVec<I, T>) -> IdVec<I, T> {
        self.used
            .iter()
            .map(|&old| items.as_slice()[old].clone())
            .collect()
    }
}
