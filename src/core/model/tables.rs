//! A reading of a model, made ready for drawing.
//!
//! A *state* is the end of a path that was seen, with the production that it leads to; there is one for each production with an
//! empty path, so that every path has a state: that of its longest end that has one. A step to the next state, the table of a node
//! and what is drawn from it are an array access each. Where a node was seen too rarely in a state, the table is that of the next
//! shorter end; where it was never seen, there is none, and whoever draws goes on as without a model.

use std::collections::BTreeMap;

use crate::choice::{ClassCode, MemberChoice};
use crate::grammar::NodeKind;
use crate::id::{Id as _, NodeId, ProductionId, SymbolId};
use crate::rng::Rng;

use super::alias::{Column, draw, fill};
use super::{BEGIN, Model, Outcome, Reading};

/// A place in the tables: the state of a context.
// Where the entries of the grammar's first node and first symbol would be, if they were ones of the context's production.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct State {
    tables: u32,
    next: u32,
}

/// A model's choices, ready for drawing.
#[derive(Clone, Debug)]
pub struct Tables {
    order: usize,
    /// The states behind the symbols of each state's production.
    next: Vec<State>,
    /// The tables of the nodes of each state's production: where they begin, and how many columns they have.
    tables: Vec<(u32, u32)>,
    columns: Vec<Column>,
    /// What each column's own outcome stands for.
    outcomes: Vec<Outcome>,
    uniform: u16,
    begin: State,
    /// The state of each production whatever is above.
    anywhere: Vec<State>,
    by_path: BTreeMap<(ProductionId, Box<[u32]>), State>,
}

/// In a column: the rest stands for an outcome, not for an alternative, a head or a number.
const OUTCOME: u32 = 1 << 31;

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
            next: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            outcomes: Vec::new(),
            uniform: reading.uniform,
            begin: State::default(),
            anywhere: Vec::new(),
            by_path: BTreeMap::new(),
        };
        let (mut nodes, mut symbols) = (0, 0);
        for key in &order {
            let production = &grammar[key.0];
            let state = State {
                tables: u32::wrapping_sub(nodes, production.first_node.0),
                next: u32::wrapping_sub(symbols, production.first_symbol.0),
            };
            nodes += production.node_count;
            symbols += production.symbol_count;
            tables.by_path.insert((*key).clone(), state);
        }
        for key in &order {
            let (id, path) = *key;
            let production = &grammar[*id];
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
                    _ => {
                        let is_number = matches!(grammar[node].kind, NodeKind::Quantifier { .. });
                        tables.add(&model.read(node, counts, reading), is_number)
                    }
                };
                tables.tables.push(table);
            }
            let mut next = Vec::with_capacity(production.symbol_count as usize);
            for at in 0..production.symbol_count {
                let symbol = SymbolId(production.first_symbol.0 + at);
                let mut path = path.to_vec();
                path.push(symbol.0);
                let target = graph.target_of(symbol);
                let next_state = target.map(|target| tables.longest(target, &path));
                next.push(next_state.unwrap_or_default());
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
            .unwrap_or_default()
    }

    /// Adds a table of alternatives or members, or of numbers of repetitions.
    fn add(&mut self, outcomes: &[Outcome], is_number: bool) -> (u32, u32) {
        let first = self.columns.len() as u32;
        let value = |at: u32| match outcomes[at as usize] {
            Outcome { low, high, .. } if is_number && low == high && low < OUTCOME => low,
            Outcome { head, high: 0, .. } if !is_number && head < OUTCOME => head,
            _ => OUTCOME | (first + at),
        };
        match fill(
            outcomes.iter().map(|it| it.weight),
            value,
            &mut self.columns,
        ) {
            true => {
                self.outcomes.extend_from_slice(outcomes);
                (first, outcomes.len() as u32)
            }
            false => (0, 0),
        }
    }

    #[inline(always)]
    fn table_of(&self, state: State, node: NodeId) -> (u32, u32) {
        let at = state.tables.wrapping_add(node.0);
        self.tables.get(at as usize).copied().unwrap_or((0, 0))
    }

    /// The state in which derivations begin.
    pub fn begin(&self) -> State {
        self.begin
    }

    /// The state of a place in a derivation: the references above, nearest first, and the production that they lead to.
    pub(crate) fn state_below(
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
            true => self
                .anywhere
                .get(production.index())
                .copied()
                .unwrap_or_default(),
            false => self.longest(production, &path),
        }
    }

    /// The state behind a reference of the state's production. O(1).
    #[inline(always)]
    pub fn step(&self, state: State, symbol: SymbolId) -> State {
        let at = state.next.wrapping_add(symbol.0);
        self.next.get(at as usize).copied().unwrap_or(state)
    }

    /// Whether a choice that is due is to be uniform.
    #[inline(always)]
    fn is_uniform(&self, rng: &mut Rng) -> bool {
        self.uniform > 0 && (rng.bits() & 0xffff) < u64::from(self.uniform)
    }

    /// Draws what a column stands for; nothing if the model does not say, or if the choice is to be uniform.
    #[inline(always)]
    fn draw(&self, state: State, node: NodeId, rng: &mut Rng) -> Option<u32> {
        let table = self.table_of(state, node);
        if table.1 == 0 || self.is_uniform(rng) {
            return None;
        }
        draw(&self.columns, table, rng)
    }

    #[cold]
    fn outcome(&self, value: u32) -> Option<&Outcome> {
        self.outcomes.get((value & !OUTCOME) as usize)
    }

    /// Draws an alternative; nothing if the model does not say.
    #[inline(always)]
    pub fn alternative(&self, state: State, node: NodeId, rng: &mut Rng) -> Option<u32> {
        self.draw(state, node, rng)
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
        match self.draw(state, node, rng)? {
            value if value < OUTCOME => Some(value),
            value => {
                let &Outcome { low, high, .. } = self.outcome(value)?;
                Some(within(low, high, rng))
            }
        }
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
        let (head, rest) = match self.draw(state, node, rng)? {
            value if value < OUTCOME => (value, 0),
            value => {
                let &Outcome {
                    head, low, high, ..
                } = self.outcome(value)?;
                (head, within(low, high, rng))
            }
        };
        debug_assert!(head < class.head_count() && rest < class.rest_count(head));
        Some(MemberChoice { head, rest })
    }
}

#[inline(always)]
fn within(low: u32, high: u32, rng: &mut Rng) -> u32 {
    match high.checked_sub(low) {
        None | Some(0) => low,
        Some(more) => low + rng.below(more.saturating_add(1)),
    }
}
