//! Asking a grammar: tables by typed id, names, children. Everything here is O(1) unless it says otherwise.

use crate::grammar::print::Expression;
use crate::grammar::{
    CharClass, Grammar, Node, NodeKind, Probability, Production, Role, Symbol, Warning,
};
use crate::id::{ClassId, Id, IdVec, LiteralId, NodeId, ProductionId, SymbolId};
use std::ops::Index;

impl Grammar {
    /// The production of the start symbol: always the first.
    pub fn start(&self) -> ProductionId {
        ProductionId::from_index(0)
    }

    /// The productions that are left after pruning, in written order.
    pub fn productions(&self) -> &IdVec<ProductionId, Production> {
        &self.productions
    }

    /// The nodes, production by production, each in pre-order.
    pub fn nodes(&self) -> &IdVec<NodeId, Node> {
        &self.nodes
    }

    /// The symbols, production by production, in written order.
    pub fn symbols(&self) -> &IdVec<SymbolId, Symbol> {
        &self.symbols
    }

    /// The distinct literal texts, in order of first use.
    pub fn literals(&self) -> &IdVec<LiteralId, Box<[u8]>> {
        &self.literals
    }

    /// Whether the ASCII letters of a literal may be in either case: `"a"i`. Derivations have it as it is written.
    #[inline]
    pub fn is_caseless(&self, literal: LiteralId) -> bool {
        self.caseless[literal]
    }

    /// Whether the grammar has a lexical level: whether a production is a token or skipped.
    pub fn has_tokens(&self) -> bool {
        self.has_tokens
    }

    /// The distinct character classes, in order of first use.
    pub fn classes(&self) -> &IdVec<ClassId, CharClass> {
        &self.classes
    }

    /// The nodes directly under a node, in written order.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let node = &self.nodes[node];
        let first = node.first_child as usize;
        &self.children[first..first + node.child_count as usize]
    }

    /// The symbol that a node is, if it is symbolic.
    pub fn symbol_of(&self, node: NodeId) -> Option<SymbolId> {
        self.symbol_of[node]
    }

    /// The name of a symbol: its production, a dot, and its place among the symbols of that as it was written.
    ///
    /// ```
    /// let grammar: pleach_core::Grammar = "sum := sum '+' n | n; n := '1';".parse().unwrap();
    /// let names: Vec<String> = grammar.symbols().ids().map(|id| grammar.symbol_name(id)).collect();
    /// assert_eq!(names, ["sum.0", "sum.1", "sum.2", "sum.3", "n.0"]);
    /// ```
    pub fn symbol_name(&self, symbol: SymbolId) -> String {
        let symbol = self.symbols[symbol];
        let production = &self.productions[self.nodes[symbol.node].production];
        format!("{}.{}", production.name, symbol.ordinal)
    }

    /// The production of a name, if it has one that is left after pruning. O(log productions).
    pub fn production_named(&self, name: &str) -> Option<ProductionId> {
        let found = self
            .by_name
            .binary_search_by(|&id| (*self.productions[id].name).cmp(name));
        found.ok().map(|at| self.by_name[at])
    }

    /// The probability stated for `child`, a child of an alternation; `None` for one without and for all other nodes.
    ///
    /// The unstated alternatives of an alternation share what the stated ones leave of 100 %. Where every alternative has
    /// one and they do not sum up to 100 % (some may have been pruned), only their proportions count; if they are all zero,
    /// nothing is stated.
    ///
    /// ```
    /// let grammar: pleach_core::Grammar = "a := 12.5% 'x' | 'y';".parse().unwrap();
    /// let stated = |child| grammar.stated_probability(child).map(|p| p.0);
    /// let children = grammar.children(grammar[grammar.start()].root);
    /// assert_eq!((stated(children[0]), stated(children[1])), (Some(125_000_000), None));
    /// ```
    pub fn stated_probability(&self, child: NodeId) -> Option<Probability> {
        self.probabilities.get(child.index()).copied().flatten()
    }

    /// The same grammar with other probabilities: of each alternative what `stated` says. Ids stay what they are, the
    /// fingerprint does not. To be read back from text, those of an alternation must not come to more than 100 %. O(grammar).
    ///
    /// ```
    /// use pleach_core::grammar::{Grammar, Probability};
    ///
    /// let grammar: Grammar = "a := 'x' | 'y';".parse().unwrap();
    /// let first = grammar.children(grammar[grammar.start()].root)[0];
    /// let stated = grammar.with_probabilities(|node| (node == first).then_some(Probability(250_000_000)));
    /// assert_eq!(stated.to_string(), "a := 25% \"x\" | \"y\";\n");
    /// ```
    pub fn with_probabilities(
        &self,
        mut stated: impl FnMut(NodeId) -> Option<Probability>,
    ) -> Grammar {
        let mut grammar = self.clone();
        let is_alternative = |node: &Node| {
            node.parent
                .is_some_and(|parent| self.nodes[parent].kind == NodeKind::Alternation)
        };
        let of = |(id, node): (NodeId, &Node)| match is_alternative(node) {
            true => stated(id),
            false => None,
        };
        grammar.probabilities = self.nodes.iter().map(of).collect();
        if grammar.probabilities.iter().all(Option::is_none) {
            grammar.probabilities = Vec::new();
        }
        grammar.fingerprint = super::print::fingerprint(&grammar);
        grammar
    }

    /// The number of alternatives, which expansion coverage counts: for each production those of the alternation that its
    /// right side is, or else one for the whole; and those of each alternation inside. O(nodes).
    ///
    /// ```
    /// let grammar: pleach_core::Grammar = "a := b | 'x' ('y' | 'z'); b := 'w';".parse().unwrap();
    /// assert_eq!(grammar.alternative_count(), 2 + 2 + 1);
    /// ```
    pub fn alternative_count(&self) -> usize {
        let alternations = self
            .nodes
            .iter()
            .filter(|(_, node)| node.kind == NodeKind::Alternation);
        let alternatives: usize = alternations
            .map(|(_, node)| node.child_count as usize)
            .sum();
        let whole = self
            .productions
            .iter()
            .filter(|(_, production)| self.nodes[production.root].kind != NodeKind::Alternation);
        alternatives + whole.count()
    }

    /// What was dropped because it cannot matter, in order of definition.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A number that equal grammars share, on every machine, and that others hardly do. It does not depend on comments, layout, names of
    /// dropped productions, or on whether something was written as a regular expression.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Displays the expression under a node in the notation.
    ///
    /// ```
    /// let grammar: pleach_core::Grammar = "a := 'x' (/[0-9]/ | a)*;".parse().unwrap();
    /// assert_eq!(grammar.display(grammar[grammar.start()].root).to_string(), "\"x\" ([0-9] | a)*");
    /// ```
    pub fn display(&self, node: NodeId) -> Expression<'_> {
        Expression {
            grammar: self,
            node,
        }
    }
}

macro_rules! indexed {
    ($($id:ty, $table:ident, $item:ty;)*) => {$(
        impl Index<$id> for Grammar {
            type Output = $item;
            #[inline(always)]
            fn index(&self, id: $id) -> &$item {
                &self.$table[id]
            }
        }
    )*};
}

indexed! {
    ProductionId, productions, Production;
    NodeId, nodes, Node;
    SymbolId, symbols, Symbol;
    LiteralId, literals, [u8];
    ClassId, classes, CharClass;
}

/// Equal structure, names and probabilities: what printing shows. Warnings and the ordinals of symbols do not count, since
/// both tell of what was there before pruning.
impl PartialEq for Grammar {
    fn eq(&self, other: &Grammar) -> bool {
        fn heads(grammar: &Grammar) -> impl Iterator<Item = (&str, NodeId, Role, Option<&str>)> {
            let productions = grammar.productions.iter();
            productions.map(|(_, it)| (&*it.name, it.root, it.role, it.mode.as_deref()))
        }
        self.fingerprint == other.fingerprint
            && self.nodes == other.nodes
            && self.children == other.children
            && self.literals == other.literals
            && self.caseless == other.caseless
            && self.classes == other.classes
            && self.probabilities == other.probabilities
            && heads(self).eq(heads(other))
    }
}

impl Eq for Grammar {}
