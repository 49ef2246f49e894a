//! What covering a text finds out that holds for all texts of a grammar and k: contexts by number, and what steps cover in them.

use std::sync::Arc;

use crate::id::{NodeId, SymbolId};
use crate::kpath::WindowTable;

use super::machine::OUTERMOST;
use super::map::{Map, Set};
use super::tables::Tables;

/// A part of the marks of a [`Memo`]: of its windows, of its alternatives, and of its large empty derivations.
#[derive(Clone, Copy)]
pub(super) struct Marks {
    pub(super) windows: (u32, u32),
    pub(super) alternatives: (u32, u32),
    pub(super) empties: (u32, u32),
}

/// What is known from text to text.
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
    pub(super) stepped: Map<(u32, u32), (u32, Marks)>,
    pub(super) covered: Vec<u32>,
    pub(super) expanded: Vec<(NodeId, u32)>,
    /// Nodes whose empty derivations are large, in contexts.
    pub(super) empties: Vec<(u32, NodeId)>,
    /// The nodes of which that is known.
    pub(super) large: Set<NodeId>,
}

impl Memo {
    /// Nothing, of a grammar and k, and a generation of steps.
    pub(super) fn new(windows: &Arc<WindowTable>, generation: u64) -> Memo {
        Memo {
            windows: Some(windows.clone()),
            generation,
            ..Memo::default()
        }
    }

    /// Whether it is about this grammar and k, and this generation of steps.
    pub(super) fn is_about(&self, windows: &Arc<WindowTable>, generation: u64) -> bool {
        let known = self.windows.as_ref();
        known.is_some_and(|known| Arc::ptr_eq(known, windows)) && self.generation == generation
    }

    /// The most symbols that a context has above a reference.
    fn reach(&self) -> usize {
        let k = self.windows.as_ref().map_or(1, |windows| windows.k());
        k.saturating_sub(1)
    }

    /// How many marks there are: of windows, alternatives, empty derivations.
    pub(super) fn marks(&self) -> [u32; 3] {
        let Memo {
            covered,
            expanded,
            empties,
            ..
        } = self;
        [covered.len(), expanded.len(), empties.len()].map(|len| len as u32)
    }

    /// The symbols above, nearest first.
    pub(super) fn above(&self, context: u32) -> &[SymbolId] {
        &self.contexts[context as usize]
    }

    /// The number of a context.
    pub(super) fn context(&mut self, above: &[SymbolId]) -> u32 {
        if let Some(&known) = self.ids.get(above) {
            return known;
        }
        let fresh = self.contexts.len() as u32;
        self.ids.insert(above.into(), fresh);
        self.contexts.push(above.into());
        fresh
    }

    /// The context below a reference.
    pub(super) fn below(&mut self, context: u32, symbol: SymbolId) -> u32 {
        if let Some(&known) = self.below.get(&(context, symbol)) {
            return known;
        }
        let above = std::iter::once(symbol).chain(self.above(context).iter().copied());
        let below: Vec<SymbolId> = above.take(self.reach()).collect();
        let below = self.context(&below);
        self.below.insert((context, symbol), below);
        below
    }

    /// The context directly below the reference of a frame.
    pub(super) fn in_frame(&mut self, context: u32, frame: u32, tables: &Tables) -> u32 {
        if frame == OUTERMOST {
            return context;
        }
        if let Some(&known) = self.in_frame.get(&(context, frame)) {
            return known;
        }
        let symbols = symbols_of(frame, tables);
        let own = symbols
            .into_iter()
            .fold(context, |own, symbol| self.below(own, symbol));
        self.in_frame.insert((context, frame), own);
        own
    }

    /// The bytes that it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        let symbols = size_of::<Box<[SymbolId]>>() + (self.reach() + 1) * size_of::<SymbolId>();
        let known = self.below.len() + self.in_frame.len() + self.stepped.len();
        self.covered.len() * 4
            + self.expanded.len() * size_of::<(NodeId, u32)>()
            + self.contexts.len() * (2 * symbols + 32)
            + known * 64
            + self.empties.len() * size_of::<(u32, NodeId)>()
    }
}

/// The references of a frame and of those around it, the outermost first.
pub(super) fn symbols_of(frame: u32, tables: &Tables) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    let mut at = frame;
    while at != OUTERMOST
        && let Some(frame) = tables.machines.frames.get(at as usize)
    {
        symbols.push(frame.symbol);
        at = frame.parent;
    }
    symbols.reverse();
    symbols
}
