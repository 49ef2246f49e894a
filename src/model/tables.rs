//! A reading of a model, made ready for drawing.
//!
//! A *state* is the end of a path that was seen, with the production that it leads to; there is one for each production with an
//! empty path, so that every path has a state: that of its longest end that has one. A step to the next state and the
//! table of a node are array accesses. Where a node was seen too rarely in a state, the table is that of the next shorter end;
//! where it was never seen, there is none, and whoever draws goes on as without a model.

use std::collections::BTreeMap;

use crate::choice::{ClassCode, MemberChoice};
use crate::id::{Id as _, NodeId, ProductionId, SymbolId};
use crate::rng::Rng;

use super::alias::{Column, draw, fill};
use super::{BEGIN, Model, Outcome, Reading};

/// A place in the tables: the state of a context.
pub type State = u32;

/// A model's choices, ready for drawing.
#[derive(Clone, Debug)]
pub struct Tables {
    order: usize,
    states: Vec<Placed>,
    /// The states behind the symbols of each state's production.
    next: Vec<State>,
    /// The tables of the nodes of each state's production: where they begin, and how many columns they have.
    tables: Vec<(u32, u32)>,
    columns: Vec<Column>,
    outcomes: Vec<Outcome>,
    uniform: u16,
    begin: State,
    /// The state of each production whatever is above.
    anywhere: Vec<State>,
    by_path: BTreeMap<(ProductionId, Box<[u32]>), State>,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    first_symbol: u32,
    next: u32,
    first_node: u32,
    tables: u32,
}

impl Tables {
    /// Reads a model. O(states · productions' nodes), and of the outcomes.
    pub fn new(model: &Model, reading: &Reading) -> Tables {
        let graph = model.graph().clone();
        let grammar = graph.grammar();
        let mut pooled = model.pooled();
        for id in grammar.productions().ids() {
            let counts = || super::Counts::new(&model.layout, id);
            pooled.entry((id, Box::default())).or_insert_with(counts);
        }
        // Shorter paths first, for longer ones go back to them.
        let mut order: Vec<&(ProductionId, Box<[u32]>)> = pooled.keys().collect();
        order.sort_by_key(|(production, path)| (path.len(), *production, path.clone()));
        let mut tables = Tables {
            order: model.order,
            states: Vec::new(),
            next: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            outcomes: Vec::new(),
            uniform: reading.uniform,
            begin: 0,
            anywhere: Vec::new(),
            by_path: BTreeMap::new(),
        };
        for (state, key) in (0u32..).zip(&order) {
            tables.by_path.insert((*key).clone(), state);
        }
        for key in &order {
            let (id, path) = *key;
            let production = &grammar[*id];
            tables.states.push(Placed {
                first_symbol: production.first_symbol.0,
                next: tables.next.len() as u32,
                first_node: production.first_node.0,
                tables: tables.tables.len() as u32,
            });
            let counts = &pooled[*key];
            for at in 0..production.node_count {
                let node = NodeId(production.first_node.0 + at);
                let is_enough = path.is_empty() || model.seen(node, counts) >= model.least;
                let table = match path.split_first() {
                    Some((_, shorter)) if !is_enough => {
                        // Every end of a path is there.
                        let shorter = tables.by_path.get(&(*id, shorter.into())).copied();
                        shorter.map_or((0, 0), |shorter| tables.table_of(shorter, node))
                    }
                    _ => tables.add(&model.read(node, counts, reading)),
                };
                tables.tables.push(table);
            }
            let mut next = Vec::with_capacity(production.symbol_count as usize);
            for at in 0..production.symbol_count {
                let symbol = SymbolId(production.first_symbol.0 + at);
                let mut path = path.to_vec();
                path.push(symbol.0);
                let target = graph.target_of(symbol);
                next.push(target.map_or(0, |target| tables.longest(target, &path)));
            }
            tables.next.append(&mut next);
        }
        tables.begin = tables.longest(grammar.start(), &[BEGIN]);
        tables.anywhere = grammar
            .productions()
            .ids()
            .map(|id| tables.longest(id, &[]))
            .collect();
        tables
    }

    /// The state of the longest end of a path that has one.
    fn longest(&self, production: ProductionId, path: &[u32]) -> State {
        let from = path.len().saturating_sub(self.order);
        let mut ends = (from..=path.len()).map(|from| (production, path[from..].into()));
        ends.find_map(|end| self.by_path.get(&end).copied())
            .unwrap_or(0)
    }

    fn add(&mut self, outcomes: &[Outcome]) -> (u32, u32) {
        let first = self.columns.len() as u32;
        match fill(outcomes.iter().map(|it| it.weight), &mut self.columns) {
            true => {
                self.outcomes.extend_from_slice(outcomes);
                (first, outcomes.len() as u32)
            }
            false => (0, 0),
        }
    }

    #[inline(always)]
    fn table_of(&self, state: State, node: NodeId) -> (u32, u32) {
        let placed = &self.states[state as usize];
        let at = placed.tables + node.0.wrapping_sub(placed.first_node);
        self.tables.get(at as usize).copied().unwrap_or((0, 0))
    }

    /// The state in which derivations begin.
    pub fn begin(&self) -> State {
        self.begin
    }

    /// The state of a place in a derivation: the references above, nearest first, and the production that they lead to.
    pub fn state_below(
        &self,
        above: impl Iterator<Item = SymbolId>,
        production: ProductionId,
    ) -> State {
        let mut path: Vec<u32> = above.take(self.order).map(|symbol| symbol.0).collect();
        if path.len() < self.order {
            path.push(BEGIN);
        }
        path.reverse();
        match path.is_empty() {
            true => self.anywhere.get(production.index()).copied().unwrap_or(0),
            false => self.longest(production, &path),
        }
    }

    /// The state behind a reference of the state's production. O(1).
    #[inline(always)]
    pub fn step(&self, state: State, symbol: SymbolId) -> State {
        let placed = &self.states[state as usize];
        let at = placed.next + symbol.0.wrapping_sub(placed.first_symbol);
        self.next.get(at as usize).copied().unwrap_or(state)
    }

    /// Whether a choice that is due is to be uniform.
    #[inline(always)]
    fn is_uniform(&self, rng: &mut Rng) -> bool {
        self.uniform > 0 && (rng.bits() & 0xffff) < u64::from(self.uniform)
    }

    /// Draws for a node; nothing if the model does not say, or if the choice is to be uniform.
    #[inline(always)]
    fn outcome(&self, state: State, node: NodeId, rng: &mut Rng) -> Option<&Outcome> {
        let (first, len) = self.table_of(state, node);
        if len == 0 || self.is_uniform(rng) {
            return None;
        }
        let range = first as usize..(first + len) as usize;
        let at = draw(self.columns.get(range)?, rng);
        self.outcomes.get((first + at) as usize)
    }

    /// Draws an alternative; nothing if the model does not say.
    #[inline(always)]
    pub fn alternative(&self, state: State, node: NodeId, rng: &mut Rng) -> Option<u32> {
        self.outcome(state, node, rng).map(|it| it.head)
    }

    /// The weight of an alternative; nothing if the model does not say.
    pub fn weight(&self, state: State, node: NodeId, index: u32) -> Option<u64> {
        let (first, len) = self.table_of(state, node);
        let outcomes = self.outcomes.get(first as usize..(first + len) as usize)?;
        outcomes.get(index as usize).map(|it| it.weight)
    }

    /// Draws a number of repetitions; nothing if the model does not say.
    #[inline(always)]
    pub fn repetitions(&self, state: State, node: NodeId, rng: &mut Rng) -> Option<u32> {
        let &Outcome { low, high, .. } = self.outcome(state, node, rng)?;
        Some(within(low, high, rng))
    }

    /// Draws a member of a class; nothing if the model does not say.
    #[inline(always)]
    pub fn member(
        &self,
        state: State,
        node: NodeId,
        class: &ClassCode,
        rng: &mut Rng,
    ) -> Option<MemberChoice> {
        let &Outcome {
            head, low, high, ..
        } = self.outcome(state, node, rng)?;
        let rest = within(low, high, rng);
        debug_assert!(head < class.head_count() && rest < class.rest_count(head));
        Some(MemberChoice { head, rest })
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }
}

#[inline(always)]
fn within(low: u32, high: u32, rng: &mut Rng) -> u32 {
    match high.checked_sub(low) {
        None | Some(0) => low,
        Some(more) => low + rng.below(more.saturating_add(1)),
    }
}
