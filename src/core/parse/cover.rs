//! The k-paths and expansions of all derivations of a text, found on the packed forest.
//!
//! What a symbol's window is depends on the references above it: on the *contexts* that derivations give a part of the forest, which
//! are the symbols above, as far as k-paths reach. A part that contains itself has the contexts that come of that, too, until
//! there are no new ones (TOSEM article, section 5.1).
//!
//! Most parts have one context, or a few. In a forest of many cyclic derivations, nearly all parts have thousands of them, and
//! the same. So it is not contexts that wander through the forest, but *sets* of contexts, each kept once and known by its
//! number: what a step makes of a set is found once, and so is the union of two. Parts are visited from the end of the text to its
//! beginning, and long ones before the short ones that end with them, so that a set is complete when it is handed on, but for cycles
//! on the same text. What derives nothing is visited likewise, afterwards, node by node of the grammar.
//!
//! What a step covers in a single context is the same in all texts and is kept from text to text. O(families · sets), and
//! O(windows covered) for each set.

mod step;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use crate::bitset::BitSet;
use crate::grammar::NodeKind;
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::{Coverage, ExpansionCoverage, NO_WINDOW, WindowStack, WindowTable};

use super::Refusal;
use super::canonical::Ground;
use super::chart::NONE;
use super::contexts::{ContextSet, ContextSets};
use super::machine::{Event, Reads};
use super::map::{Episodic, Map, Set};
use super::memo::{Marks, Memo, symbols_of};
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
    sets: ContextSets,
    /// What is called in a set of contexts by a step.
    stepped: Map<(ContextSet, u32), ContextSet>,
    /// The contexts below a symbol, by [`Coverer::nearest`].
    below: Map<(ContextSet, SymbolId), ContextSet>,
    nearest: Map<ContextSet, ContextSet>,
    /// The sets of contexts that a symbol was marked in, and the union of these.
    met: Set<(ContextSet, SymbolId)>,
    met_in: Map<SymbolId, ContextSet>,
    /// The windows that were marked in sets of contexts, once there are any.
    windows_met: Option<BitSet>,
    /// The alternatives that were met so, and the steps whose alternatives they are.
    alternatives_met: Vec<(NodeId, u32)>,
    steps_met: Set<u32>,
    /// Nodes that derive nothing in contexts, by much.
    pending: Vec<(NodeId, ContextSet)>,
}

/// The bytes of a memo that are kept for the next text.
const KEPT_BYTES: usize = 16 << 20;
/// The most nodes of empty derivations that are marked context by context.
const FEW_EMPTY: usize = 64;

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
            sets: ContextSets::default(),
            stepped: Map::default(),
            below: Map::default(),
            nearest: Map::default(),
            met: Set::default(),
            met_in: Map::default(),
            windows_met: None,
            alternatives_met: Vec::new(),
            steps_met: Set::default(),
            pending: Vec::new(),
        };
        coverer.here.clear();
        let is_known = coverer.memo.is_about(windows, generation);
        if !is_known || coverer.bytes() > KEPT_BYTES {
            coverer.memo = Memo::new(windows, generation);
        }
        let root = coverer.memo.context(&[]);
        debug_assert_eq!(root, 0);
        let before = coverer.memo.marks();
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
        if let Some(windows) = &self.windows_met {
            coverage.add(windows.iter().map(|window| window as u32));
        }
        for &(node, index) in &self.alternatives_met {
            expansions.insert(node, index);
        }
        self.memo
    }

    /// The windows that were met, each once and ascending, and what later texts may use.
    pub(super) fn finish_windows(self, windows: &mut Vec<u32>) -> Memo {
        for marks in self.marked {
            let (start, end) = marks.windows;
            windows.extend_from_slice(&self.memo.covered[start as usize..end as usize]);
        }
        let met = self.windows_met.iter().flat_map(BitSet::iter);
        windows.extend(met.map(|window| window as u32));
        windows.sort_unstable();
        windows.dedup();
        self.memo
    }

    /// Gives back what later texts may use, and adds nothing.
    pub(super) fn give_up(self) -> Memo {
        self.memo
    }

    /// Meets the marks that were made since there were so many.
    fn meet_since(&mut self, before: [u32; 3]) -> Marks {
        let after = self.memo.marks();
        let marks = Marks {
            windows: (before[0], after[0]),
            alternatives: (before[1], after[1]),
            empties: (before[2], after[2]),
        };
        self.meet(marks);
        marks
    }

    /// Meets what was marked in this text or an earlier one.
    fn meet(&mut self, marks: Marks) {
        self.marked.push(marks);
        let (start, end) = marks.empties;
        let empties = &self.memo.empties[start as usize..end as usize];
        let empties = empties
            .iter()
            .map(|&(context, node)| (node, ContextSet::of(context)));
        self.pending.extend(empties);
    }

    /// The context of what a step calls that is taken in a context.
    #[inline]
    fn take(&mut self, context: u32, step: u32, ground: &Ground<'_>) -> u32 {
        if let Some(below) = self.here.get((context, step)) {
            return below;
        }
        let below = match self.memo.stepped.get(&(context, step)) {
            Some(&(below, marks)) => {
                self.meet(marks);
                below
            }
            None => self.step(context, step, ground),
        };
        self.here.insert((context, step), below);
        below
    }

    /// Marks what the empty text covers.
    pub(super) fn cover_empty(&mut self, ground: &mut Ground<'_>) -> Result<(), Refusal> {
        let root = self.tables.start_root();
        self.pending.push((root, ContextSet::of(0)));
        self.finish_empties(ground, 0)
    }

    /// Marks what a single derivation covers: its steps, from the first to the last.
    pub(super) fn cover_only(
        &mut self,
        ground: &mut Ground<'_>,
        steps: impl Iterator<Item = u32>,
    ) -> Result<(), Refusal> {
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
        self.finish_empties(ground, 0)
    }

    /// Marks what a forest covers.
    pub(super) fn cover(
        &mut self,
        ground: &mut Ground<'_>,
        packed: &Packed,
    ) -> Result<(), Refusal> {
        let vertices = packed.vertex_count();
        let parts = vertices + packed.nodes().len();
        let place = |part: u32, ground: &Ground<'_>| {
            let (start, end) = match (part as usize).checked_sub(vertices) {
                Some(node) => {
                    let completion = packed.nodes()[node].completion;
                    let completion = ground.chart.completions[completion as usize];
                    (completion.start, completion.end)
                }
                None => {
                    let origin = ground.chart.items[packed.item(part) as usize].origin;
                    (origin, packed.offset(part) as u32)
                }
            };
            (end, Reverse(start))
        };
        // The contexts of each part, and whether it waits to hand them on.
        let mut contexts: Vec<Option<ContextSet>> = vec![None; parts];
        let mut waits = vec![false; parts];
        let mut open = BinaryHeap::new();
        let root = vertices as u32;
        contexts[root as usize] = Some(ContextSet::of(0));
        open.push((place(root, ground), Reverse(0), root));
        let mut visits = 0usize;
        // Parts of one place take turns.
        let mut handed = 0u64;
        while let Some((_, _, part)) = open.pop() {
            handed += 1;
            waits[part as usize] = false;
            let Some(own) = contexts[part as usize] else {
                continue;
            };
            let families = match (part as usize).checked_sub(vertices) {
                Some(node) => packed.families_of_node(node as u32),
                None => packed.families_of_vertex(part),
            };
            ground.chart.steps += 1 + families.len() as u64;
            for family in families.map(|at| packed.family(at)) {
                let below = self.take_set(own, family.step, ground);
                let child = (family.child != NONE).then(|| vertices as u32 + family.child);
                let reached = child.map(|child| (child, below));
                for (part, more) in reached.into_iter().chain([(family.vertex, own)]) {
                    let known = &mut contexts[part as usize];
                    let all = match *known {
                        Some(known) => self.sets.union(known, more),
                        None => more,
                    };
                    if *known != Some(all) {
                        *known = Some(all);
                        if !std::mem::replace(&mut waits[part as usize], true) {
                            open.push((place(part, ground), Reverse(handed), part));
                        }
                    }
                }
            }
            visits += 1;
            if visits & 0xff == 0 {
                self.check(ground, packed.bytes() + parts * 8 + open.len() * 12)?;
            }
        }
        self.finish_empties(ground, packed.bytes())
    }

    /// Fails if the budget is spent, with so many bytes beside those of marks and contexts.
    fn check(&mut self, ground: &mut Ground<'_>, more: usize) -> Result<(), Refusal> {
        let offset = ground.text.len();
        ground.chart.steps += self.sets.take_work();
        ground.chart.check(ground.subsets, offset)?;
        ground
            .chart
            .check_bytes(ground.subsets, more + self.bytes(), offset)
    }

    /// The contexts of what a step calls that is taken in a set of contexts.
    fn take_set(&mut self, contexts: ContextSet, step: u32, ground: &Ground<'_>) -> ContextSet {
        if let Some(context) = contexts.only() {
            return ContextSet::of(self.take(context, step, ground));
        }
        if let Some(&below) = self.stepped.get(&(contexts, step)) {
            return below;
        }
        let mut below = contexts;
        let is_new = self.steps_met.insert(step);
        for &event in ground.subsets.events(step) {
            match event {
                Event::Alternative(node, index) if is_new => {
                    self.alternatives_met.push((node, index));
                }
                Event::Symbol(symbol, frame) => {
                    let own = self.set_in_frame(contexts, frame);
                    self.mark_set(own, symbol);
                    below = match self.tables.graph.target_of(symbol) {
                        Some(production) => {
                            self.meet_production(production);
                            self.set_below(own, symbol)
                        }
                        None => own,
                    };
                }
                Event::Enter(frame) => {
                    let opened = self.tables.machines.frames[frame as usize];
                    let own = self.set_in_frame(contexts, opened.parent);
                    self.mark_set(own, opened.symbol);
                    if let Some(production) = self.tables.graph.target_of(opened.symbol) {
                        self.meet_production(production);
                    }
                }
                Event::Empty(node, frame, _) => {
                    let own = self.set_in_frame(contexts, frame);
                    self.pending.push((node, own));
                }
                Event::Repeats(frame) => below = self.set_in_frame(contexts, frame),
                Event::None | Event::Alternative(..) | Event::More(_) | Event::Stop(_) => {}
            }
        }
        self.stepped.insert((contexts, step), below);
        below
    }

    /// Marks everything in the empty derivations that wait for it.
    fn finish_empties(&mut self, ground: &mut Ground<'_>, more: usize) -> Result<(), Refusal> {
        let mut pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let grammar = self.tables.graph.grammar().clone();
        pending.sort_unstable();
        pending.dedup();
        let mut contexts: Map<NodeId, ContextSet> = Map::default();
        let mut waits: Set<NodeId> = Set::default();
        let mut open: VecDeque<NodeId> = VecDeque::new();
        for of_node in pending.chunk_by(|one, other| one.0 == other.0) {
            let node = of_node[0].0;
            let all = self
                .sets
                .union_of(of_node.iter().map(|&(_, contexts)| contexts));
            contexts.insert(node, all);
            waits.insert(node);
            open.push_back(node);
        }
        let mut visits = 0usize;
        while let Some(node) = open.pop_front() {
            waits.remove(&node);
            let Some(&own) = contexts.get(&node) else {
                continue;
            };
            let mut below = own;
            if let Some(symbol) = grammar.symbol_of(node) {
                self.mark_set(own, symbol);
                below = self.set_below(own, symbol);
            }
            if let NodeKind::Reference(production) = grammar[node].kind {
                self.meet_production(production);
            }
            let is_alternation = grammar[node].kind == NodeKind::Alternation;
            for (index, part) in self.tables.empty.parts(&grammar, node) {
                if is_alternation {
                    self.alternatives_met.push((node, index as u32));
                }
                let known = contexts.get(&part).copied();
                let all = known.map_or(below, |known| self.sets.union(known, below));
                if known != Some(all) {
                    contexts.insert(part, all);
                    if waits.insert(part) {
                        open.push_back(part);
                    }
                }
            }
            visits += 1;
            ground.chart.steps += 1;
            if visits & 0xff == 0 {
                self.check(ground, more + contexts.len() * 64)?;
            }
        }
        Ok(())
    }

    /// A right side without an alternation at its root is a single alternative.
    fn meet_production(&mut self, production: ProductionId) {
        let grammar = self.tables.graph.grammar();
        let root = grammar[production].root;
        if grammar[root].kind != NodeKind::Alternation {
            self.alternatives_met.push((root, 0));
        }
    }

    /// Marks a symbol in all contexts of a set.
    fn mark_set(&mut self, contexts: ContextSet, symbol: SymbolId) {
        if !self.met.insert((contexts, symbol)) {
            return;
        }
        let count = self.windows.kpaths().window_count() as usize;
        let windows_met = self.windows_met.get_or_insert_with(|| BitSet::new(count));
        let (new, all) = match self.met_in.get(&symbol) {
            Some(&known) => (
                self.sets.without(contexts, known),
                self.sets.union(known, contexts),
            ),
            None => (self.sets.contexts(contexts).collect(), contexts),
        };
        self.met_in.insert(symbol, all);
        for context in new {
            let above = self.memo.above(context).iter().copied();
            self.stack.begin(self.windows, above);
            let window = self.stack.rank(self.windows, symbol);
            if window != NO_WINDOW {
                windows_met.insert(window as usize);
            }
        }
    }

    /// The contexts below a reference in a set of contexts.
    fn set_below(&mut self, contexts: ContextSet, symbol: SymbolId) -> ContextSet {
        if let Some(context) = contexts.only() {
            return ContextSet::of(self.memo.below(context, symbol));
        }
        // Of a context, all but its farthest symbol is part of those below it: often one for many.
        let nearest = self.nearest(contexts);
        if let Some(&known) = self.below.get(&(nearest, symbol)) {
            return known;
        }
        let all = self.sets.contexts(nearest);
        let all = all
            .map(|context| self.memo.below(context, symbol))
            .collect();
        let below = self.sets.of_all(all);
        self.below.insert((nearest, symbol), below);
        below
    }

    /// The contexts of a set without the symbol that is too far for the contexts below.
    fn nearest(&mut self, contexts: ContextSet) -> ContextSet {
        if let Some(&known) = self.nearest.get(&contexts) {
            return known;
        }
        let kept = self.windows.k().saturating_sub(2);
        let mut all = Vec::new();
        for context in self.sets.contexts(contexts) {
            let above = self.memo.above(context);
            all.push(match above.get(..kept) {
                Some(nearest) if nearest.len() < above.len() => {
                    let nearest = nearest.to_vec();
                    self.memo.context(&nearest)
                }
                _ => context,
            });
        }
        let nearest = self.sets.of_all(all);
        self.nearest.insert(contexts, nearest);
        nearest
    }

    /// The contexts directly below the reference of a frame, in a set of contexts.
    fn set_in_frame(&mut self, contexts: ContextSet, frame: u32) -> ContextSet {
        let symbols = symbols_of(frame, self.tables);
        symbols
            .into_iter()
            .fold(contexts, |own, symbol| self.set_below(own, symbol))
    }

    /// The bytes that marks and contexts take, roughly.
    fn bytes(&self) -> usize {
        self.memo.bytes()
            + self.emptied.len() * 64
            + self.marked.len() * size_of::<Marks>()
            + self.here.bytes()
            + self.sets.bytes()
            + (self.stepped.len() + self.below.len() + self.nearest.len() + self.met.len()) * 32
            + self.windows_met.as_ref().map_or(0, |met| met.len() / 8)
            + self.pending.len() * size_of::<(NodeId, ContextSet)>()
            + self.alternatives_met.len() * size_of::<(NodeId, u32)>()
    }
}
