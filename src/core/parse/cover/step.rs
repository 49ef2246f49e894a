//! What a step covers in a single context: the symbols that it has, and all that derives nothing in it.

use super::{Coverer, FEW_EMPTY};
use crate::grammar::NodeKind;
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::NO_WINDOW;
use crate::parse::canonical::Ground;
use crate::parse::machine::Event;

impl Coverer<'_> {
    /// Marks what a step covers in a context, and gives the context of what it calls.
    pub(super) fn step(&mut self, context: u32, step: u32, ground: &Ground<'_>) -> u32 {
        let before = self.memo.marks();
        self.emptied.clear();
        let mut below = context;
        for &event in ground.subsets.events(step) {
            match event {
                Event::Alternative(node, index) => self.memo.expanded.push((node, index)),
                Event::Symbol(symbol, frame) => {
                    let own = self.memo.in_frame(context, frame, self.tables);
                    self.mark(own, symbol);
                    below = match self.tables.graph.target_of(symbol) {
                        Some(production) => {
                            self.expand(production);
                            self.memo.below(own, symbol)
                        }
                        None => own,
                    };
                }
                Event::Enter(frame) => {
                    let opened = self.tables.machines.frames[frame as usize];
                    let own = self.memo.in_frame(context, opened.parent, self.tables);
                    self.mark(own, opened.symbol);
                    if let Some(production) = self.tables.graph.target_of(opened.symbol) {
                        self.expand(production);
                    }
                }
                Event::Empty(node, frame, _) => {
                    let own = self.memo.in_frame(context, frame, self.tables);
                    self.empty(own, node);
                }
                Event::Repeats(frame) => below = self.memo.in_frame(context, frame, self.tables),
                Event::None | Event::More(_) | Event::Stop(_) => {}
            }
        }
        let marks = self.meet_since(before);
        self.memo.stepped.insert((context, step), (below, marks));
        below
    }

    /// Marks everything in the empty derivations of a node, or leaves them for later if they are large.
    pub(super) fn empty(&mut self, context: u32, node: NodeId) {
        if self.memo.large.contains(&node) {
            self.memo.empties.push((context, node));
            return;
        }
        let grammar = self.tables.graph.grammar().clone();
        let [covered, expanded, _] = self.memo.marks();
        let top = (context, node);
        let mut visits = 0;
        self.nodes.push(top);
        while let Some((context, node)) = self.nodes.pop() {
            if !self.emptied.insert((context, node)) {
                continue;
            }
            visits += 1;
            if visits > FEW_EMPTY {
                self.nodes.clear();
                self.memo.covered.truncate(covered as usize);
                self.memo.expanded.truncate(expanded as usize);
                self.memo.large.insert(top.1);
                self.memo.empties.push(top);
                return;
            }
            let mut below = context;
            if let Some(symbol) = grammar.symbol_of(node) {
                self.mark(context, symbol);
                below = self.memo.below(context, symbol);
            }
            if let NodeKind::Reference(production) = grammar[node].kind {
                self.expand(production);
            }
            let is_alternation = grammar[node].kind == NodeKind::Alternation;
            for (index, part) in self.tables.empty.parts(&grammar, node) {
                if is_alternation {
                    self.memo.expanded.push((node, index as u32));
                }
                self.nodes.push((below, part));
            }
        }
    }

    /// A right side without an alternation at its root is a single alternative.
    pub(super) fn expand(&mut self, production: ProductionId) {
        let grammar = self.tables.graph.grammar();
        let root = grammar[production].root;
        if grammar[root].kind != NodeKind::Alternation {
            self.memo.expanded.push((root, 0));
        }
    }

    pub(super) fn mark(&mut self, context: u32, symbol: SymbolId) {
        let above = self.memo.above(context).iter().copied();
        self.stack.begin(self.windows, above);
        let window = self.stack.rank(self.windows, symbol);
        if window != NO_WINDOW {
            self.memo.covered.push(window);
        }
    }
}
