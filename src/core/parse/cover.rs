//! The k-paths and expansions of all derivations of a text, found on the packed forest.
//!
//! What a symbol's window is depends on the references above it. So each part of the forest is visited with each *context*
//! that some derivation gives it: the symbols above, as far as k-paths reach. A part that contains itself is visited with
//! the contexts that come of that, too, until there are no new ones (TOSEM article, section 5.1). What a step covers in a
//! context is the same everywhere and is marked once. O(families · contexts).

use std::sync::Arc;

use crate::grammar::NodeKind;
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::{Coverage, ExpansionCoverage, NO_WINDOW, WindowStack, WindowTable};

use super::Refusal;
use super::canonical::Ground;
use super::chart::NONE;
use super::machine::{Event, OUTERMOST, Reads};
use super::map::{Episodic, Map, Set};
use super::packed::Packed;
use super::tables::Tables;

/// Marks what a forest covers.
pub(super) struct Coverer<'a> {
    tables: &'a Tables,
    windows: &'a Arc<WindowTable>,
    stack: WindowStack,
    memo: Memo,
    /// The context of what a step calls, by context and step, for steps met in this text.
    here: Episodic,
    /// What was met in this text.
    marked: Vec<Marks>,
    emptied: Set<(u32, NodeId)>,
    nodes: Vec<(u32, NodeId)>,
    frames: Vec<SymbolId>,
}

/// A part of the marks of a [`Memo`]: of its windows, and of its alternatives.
#[derive(Clone, Copy)]
struct Marks {
    windows: (u32, u32),
    alternatives: (u32, u32),
}

/// What holds for all texts of a grammar and k: contexts, and what steps cover in them.
#[derive(Default)]
pub(super) struct Memo {
    windows: Option<Arc<WindowTable>>,
    /// Of the steps, whose numbers are not those of another generation.
    generation: u64,
    /// Contexts by number: the symbols above, nearest first.
    contexts: Vec<Box<[SymbolId]>>,
    ids: Map<Box<[SymbolId]>, u32>,
    below: Map<(u32, SymbolId), u32>,
    in_frame: Map<(u32, u32), u32>,
    /// What a step covers in a context, and the context of what it calls.
    stepped: Map<(u32, u32), (u32, Marks)>,
    covered: Vec<u32>,
    expanded: Vec<(NodeId, u32)>,
}

/// The bytes of a memo that are kept for the next text.
const KEPT_BYTES: usize = 16 << 20;

impl<'a> Coverer<'a> {
    /// A coverer for a text of one grammar and k, with what earlier texts have left.
    pub(super) fn new(
        tables: &'a Tables,
        windows: &'a Arc<WindowTable>,
        generation: u64,
        memo: Memo,
    ) -> Coverer<'a> {
        let mut coverer = Coverer {
            tables,
            windows,
            stack: WindowStack::default(),
            memo,
            here: Episodic::default(),
            marked: Vec::new(),
            emptied: Set::default(),
            nodes: Vec::new(),
            frames: Vec::new(),
        };
        coverer.here.clear();
        let known = coverer.memo.windows.as_ref();
        let is_known = known.is_some_and(|known| Arc::ptr_eq(known, windows))
            && coverer.memo.generation == generation;
        if !is_known || coverer.bytes() > KEPT_BYTES {
            coverer.memo = Memo {
                windows: Some(windows.clone()),
                generation,
                ..Memo::default()
            };
        }
        let root = coverer.context(Box::default());
        debug_assert_eq!(root, 0);
        let before = coverer.marks();
        coverer.expand(tables.start);
        coverer.meet_since(before);
        coverer
    }

    /// Adds what was met, and gives back what later texts may use.
    pub(super) fn finish(
        self,
        coverage: &mut Coverage,
        expansions: &mut ExpansionCoverage,
    ) -> Memo {
        for marks in self.marked {
            let (start, end) = marks.windows;
            let windows = &self.memo.covered[start as usize..end as usize];
            coverage.add(windows.iter().copied());
            let (start, end) = marks.alternatives;
            for &(node, index) in &self.memo.expanded[start as usize..end as usize] {
                expansions.insert(node, index);
            }
        }
        self.memo
    }

    /// Gives back what later texts may use, and adds nothing.
    pub(super) fn give_up(self) -> Memo {
        self.memo
    }

    /// How many marks there are.
    fn marks(&self) -> (u32, u32) {
        let Memo {
            covered, expanded, ..
        } = &self.memo;
        (covered.len() as u32, expanded.len() as u32)
    }

    /// Meets the marks that were made since there were so many.
    fn meet_since(&mut self, before: (u32, u32)) -> Marks {
        let after = self.marks();
        let marks = Marks {
            windows: (before.0, after.0),
            alternatives: (before.1, after.1),
        };
        self.marked.push(marks);
        marks
    }

    /// The context of what a step calls that is taken in a context.
    #[inline]
    fn take(&mut self, context: u32, step: u32, ground: &Ground<'_>) -> u32 {
        if let Some(below) = self.here.get((context, step)) {
            return below;
        }
        let below = match self.memo.stepped.get(&(context, step)) {
            Some(&(below, marks)) => {
                self.marked.push(marks);
                below
            }
            None => self.step(context, step, ground),
        };
        self.here.insert((context, step), below);
        below
    }

    /// Marks what the empty text covers.
    pub(super) fn cover_empty(&mut self) {
        let before = self.marks();
        self.empty(0, self.tables.start_root());
        self.meet_since(before);
    }

    /// Marks what a single derivation covers: its steps, from the first to the last.
    pub(super) fn cover_only(&mut self, ground: &Ground<'_>, steps: impl Iterator<Item = u32>) {
        let mut above = Vec::new();
        let mut context = 0;
        for step in steps {
            let below = self.take(context, step, ground);
            match ground.subsets.step(step).reads {
                Reads::Call(_) => {
                    above.push(context);
                    context = below;
                }
                // The exit of what was called.
                Reads::Nothing => context = above.pop().unwrap_or(0),
                Reads::Byte(_) | Reads::Letter(_) | Reads::Class(_) => {}
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
                let below = self.take(context, family.step, ground);
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
        let known = self.memo.below.len() + self.memo.in_frame.len() + self.memo.stepped.len();
        self.memo.covered.len() * 4
            + self.memo.expanded.len() * size_of::<(NodeId, u32)>()
            + self.memo.contexts.len() * (2 * symbols + 32)
            + (known + self.emptied.len()) * 64
            + self.marked.len() * size_of::<Marks>()
            + self.here.bytes()
    }

    /// Marks what a step covers in a context, and gives the context of what it calls.
    fn step(&mut self, context: u32, step: u32, ground: &Ground<'_>) -> u32 {
        let before = self.marks();
        self.emptied.clear();
        let mut below = context;
        for &event in ground.subsets.events(step) {
            match event {
                Event::Alternative(node, index) => self.memo.expanded.push((node, index)),
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
        let marks = self.meet_since(before);
        self.memo.stepped.insert((context, step), (below, marks));
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
                    self.memo.expanded.push((node, index as u32));
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
            self.memo.expanded.push((root, 0));
        }
    }

    fn mark(&mut self, context: u32, symbol: SymbolId) {
        let above = self.memo.contexts[context as usize].iter().copied();
        self.stack.begin(self.windows, above);
        let window = self.stack.rank(self.windows, symbol);
        if window != NO_WINDOW {
            self.memo.covered.push(window);
        }
    }

    fn context(&mut self, above: Box<[SymbolId]>) -> u32 {
        let fresh = self.memo.contexts.len() as u32;
        let id = *self.memo.ids.entry(above.clone()).or_insert(fresh);
        if id == fresh {
            self.memo.contexts.push(above);
        }
        id
    }

    /// The context below a reference.
    fn below(&mut self, context: u32, symbol: SymbolId) -> u32 {
        if let Some(&known) = self.memo.below.get(&(context, symbol)) {
            return known;
        }
        let above = self.memo.contexts[context as usize].iter().copied();
        let above = std::iter::once(symbol).chain(above);
        let below = above.take(self.windows.k() - 1).collect();
        let below = self.context(below);
        self.memo.below.insert((context, symbol), below);
        below
    }

    /// The context directly below the reference of a frame.
    fn in_frame(&mut self, context: u32, frame: u32) -> u32 {
        if frame == OUTERMOST {
            return context;
        }
        if let Some(&known) = self.memo.in_frame.get(&(context, frame)) {
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
        self.memo.in_frame.insert((context, frame), own);
        own
    }
}
