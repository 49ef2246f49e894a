//! The k-paths and expansions of all derivations of a text, found on the packed forest.
//!
//! What a symbol's window is depends on the references above it. So each part of the forest is visited with each *context*
//! that some derivation gives it: the symbols above, as far as k-paths reach. A part that contains itself is visited with
//! the contexts that come of that, too, until there are no new ones (TOSEM article, section 5.1). What a step covers in a
//! context is the same everywhere and is marked once. O(families · contexts).

use std::sync::Arc;

use crate::grammar::NodeKind;
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::{Coverage, ExpansionCoverage, WindowStack, WindowTable};

use super::Refusal;
use super::canonical::Ground;
use super::chart::NONE;
use super::machine::{Event, OUTERMOST, Reads};
use super::map::{Map, Set};
use super::packed::Packed;
use super::tables::Tables;

/// Marks what a forest covers.
pub(super) struct Coverer<'a> {
    tables: &'a Tables,
    windows: &'a Arc<WindowTable>,
    /// What was covered, each window once for each context and step.
    covered: Vec<u32>,
    expanded: Vec<(NodeId, u32)>,
    stack: WindowStack,
    /// Contexts by number: the symbols above, nearest first.
    contexts: Vec<Box<[SymbolId]>>,
    ids: Map<Box<[SymbolId]>, u32>,
    below: Map<(u32, SymbolId), u32>,
    in_frame: Map<(u32, u32), u32>,
    /// The context of what a step calls, by context and step, for steps that have been marked.
    stepped: Map<(u32, u32), u32>,
    emptied: Set<(u32, NodeId)>,
    nodes: Vec<(u32, NodeId)>,
    frames: Vec<SymbolId>,
}

impl<'a> Coverer<'a> {
    /// A coverer for texts of one grammar and k.
    pub(super) fn new(tables: &'a Tables, windows: &'a Arc<WindowTable>) -> Coverer<'a> {
        let mut coverer = Coverer {
            tables,
            windows,
            covered: Vec::new(),
            expanded: Vec::new(),
            stack: WindowStack::default(),
            contexts: Vec::new(),
            ids: Map::default(),
            below: Map::default(),
            in_frame: Map::default(),
            stepped: Map::default(),
            emptied: Set::default(),
            nodes: Vec::new(),
            frames: Vec::new(),
        };
        let root = coverer.context(Box::default());
        coverer.expand(tables.graph.grammar().start());
        debug_assert_eq!(root, 0);
        coverer
    }

    /// Adds what was marked.
    pub(super) fn finish(self, coverage: &mut Coverage, expansions: &mut ExpansionCoverage) {
        coverage.add(self.covered);
        for (node, index) in self.expanded {
            expansions.insert(node, index);
        }
    }

    /// Marks what the empty text covers.
    pub(super) fn cover_empty(&mut self) {
        self.empty(0, self.tables.start_root());
    }

    /// Marks what a single derivation covers: its steps, from the first to the last.
    pub(super) fn cover_only(&mut self, ground: &Ground<'_>, steps: impl Iterator<Item = u32>) {
        let mut above = Vec::new();
        let mut context = 0;
        for step in steps {
            let below = match self.stepped.get(&(context, step)) {
                Some(&below) => below,
                None => self.step(context, step, ground),
            };
            match ground.subsets.step(step).reads {
                Reads::Call(_) => {
                    above.push(context);
                    context = below;
                }
                // The exit of what was called.
                Reads::Nothing => context = above.pop().unwrap_or(0),
                Reads::Byte(_) | Reads::Class(_) => {}
            }
        }
    }

    /// Marks what a forest covers.
    pub(super) fn cover(
        &mut self,
        ground: &mut Ground<'_>,
        packed: &Packed,
    ) -> Result<(), Refusal> {
        let offset = ground.text.len();
        let vertices = packed.vertex_count();
        // The first context that a part was visited in; more of them in a set.
        let mut first = vec![NONE; vertices + packed.nodes().len()];
        let mut more: Set<(u32, u32)> = Set::default();
        let mut visit = |part: usize, context: u32, more: &mut Set<(u32, u32)>| match first[part] {
            NONE => {
                first[part] = context;
                true
            }
            known => known != context && more.insert((part as u32, context)),
        };
        visit(vertices, 0, &mut more);
        let mut open = vec![(vertices as u32, 0u32)];
        let mut visits = 0usize;
        while let Some((part, context)) = open.pop() {
            let families = match (part as usize).checked_sub(vertices) {
                Some(node) => packed.families_of_node(node as u32),
                None => packed.families_of_vertex(part),
            };
            ground.chart.steps += 1 + families.len() as u64;
            for family in families.map(|at| packed.family(at)) {
                let below = match self.stepped.get(&(context, family.step)) {
                    Some(&below) => below,
                    None => self.step(context, family.step, ground),
                };
                if family.child != NONE {
                    let child = vertices + family.child as usize;
                    if visit(child, below, &mut more) {
                        open.push((child as u32, below));
                    }
                }
                if visit(family.vertex as usize, context, &mut more) {
                    open.push((family.vertex, context));
                }
            }
            visits += 1;
            if visits & 0xff == 0 {
                let parts = (vertices + packed.nodes().len()) * 4;
                let visited = parts + more.len() * 24 + open.len() * 8;
                let bytes = packed.bytes() + visited + self.bytes();
                ground.chart.check(ground.subsets, offset)?;
                ground.chart.check_bytes(ground.subsets, bytes, offset)?;
            }
        }
        Ok(())
    }

    /// The bytes that marks and contexts take, roughly.
    fn bytes(&self) -> usize {
        let symbols = size_of::<Box<[SymbolId]>>() + self.windows.k() * size_of::<SymbolId>();
        let known = self.below.len() + self.in_frame.len() + self.stepped.len();
        self.covered.len() * 4
            + self.expanded.len() * size_of::<(NodeId, u32)>()
            + self.contexts.len() * (2 * symbols + 32)
            + (known + self.emptied.len()) * 32
    }

    /// Marks what a step covers in a context, and gives the context of what it calls.
    fn step(&mut self, context: u32, step: u32, ground: &Ground<'_>) -> u32 {
        let mut below = context;
        for &event in ground.subsets.events(step) {
            match event {
                Event::Alternative(node, index) => self.expanded.push((node, index)),
                Event::Symbol(symbol, frame) => {
                    let own = self.in_frame(context, frame);
                    self.mark(own, symbol);
                    below = match self.tables.graph.target_of(symbol) {
                        Some(production) => {
                            self.expand(production);
                            self.below(own, symbol)
                        }
                        None => own,
                    };
                }
                Event::Enter(frame) => {
                    let opened = self.tables.machines.frames[frame as usize];
                    let own = self.in_frame(context, opened.parent);
                    self.mark(own, opened.symbol);
                    if let Some(production) = self.tables.graph.target_of(opened.symbol) {
                        self.expand(production);
                    }
                }
                Event::Empty(node, frame, _) => {
                    let own = self.in_frame(context, frame);
                    self.empty(own, node);
                }
                Event::Repeats(frame) => below = self.in_frame(context, frame),
                Event::None | Event::More(_) | Event::Stop(_) => {}
            }
        }
        self.stepped.insert((context, step), below);
        below
    }

    /// Marks everything in the empty derivations of a node.
    fn empty(&mut self, context: u32, node: NodeId) {
        let grammar = self.tables.graph.grammar().clone();
        self.nodes.push((context, node));
        while let Some((context, node)) = self.nodes.pop() {
            if !self.emptied.insert((context, node)) {
                continue;
            }
            let mut below = context;
            if let Some(symbol) = grammar.symbol_of(node) {
                self.mark(context, symbol);
                below = self.below(context, symbol);
            }
            if let NodeKind::Reference(production) = grammar[node].kind {
                self.expand(production);
            }
            let is_alternation = grammar[node].kind == NodeKind::Alternation;
            for (index, part) in self.tables.empty.parts(&grammar, node) {
                if is_alternation {
                    self.expanded.push((node, index as u32));
                }
                self.nodes.push((below, part));
            }
        }
    }

    /// A right side without an alternation at its root is a single alternative.
    fn expand(&mut self, production: ProductionId) {
        let grammar = self.tables.graph.grammar();
        let root = grammar[production].root;
        if grammar[root].kind != NodeKind::Alternation {
            self.expanded.push((root, 0));
        }
    }

    fn mark(&mut self, context: u32, symbol: SymbolId) {
        let above = self.contexts[context as usize].iter().copied();
        self.stack.begin(self.windows, above);
        let window = self.stack.rank(self.windows, symbol);
        self.covered.push(window);
    }

    fn context(&mut self, above: Box<[SymbolId]>) -> u32 {
        let fresh = self.contexts.len() as u32;
        let id = *self.ids.entry(above.clone()).or_insert(fresh);
        if id == fresh {
            self.contexts.push(above);
        }
        id
    }

    /// The context below a reference.
    fn below(&mut self, context: u32, symbol: SymbolId) -> u32 {
        if let Some(&known) = self.below.get(&(context, symbol)) {
            return known;
        }
        let above = self.contexts[context as usize].iter().copied();
        let above = std::iter::once(symbol).chain(above);
        let below = above.take(self.windows.k() - 1).collect();
        let below = self.context(below);
        self.below.insert((context, symbol), below);
        below
    }

    /// The context directly below the reference of a frame.
    fn in_frame(&mut self, context: u32, frame: u32) -> u32 {
        if frame == OUTERMOST {
            return context;
        }
        if let Some(&known) = self.in_frame.get(&(context, frame)) {
            return known;
        }
        self.frames.clear();
        let mut at = frame;
        while let Some(frame) = self.tables.machines.frames.get(at as usize) {
            self.frames.push(frame.symbol);
            at = frame.parent;
        }
        let mut own = context;
        while let Some(symbol) = self.frames.pop() {
            own = self.below(own, symbol);
        }
        self.in_frame.insert((context, frame), own);
        own
    }
}
