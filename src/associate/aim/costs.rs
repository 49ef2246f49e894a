//! The least derivations that have some paths and have not others.
//!
//! A *place* is a nonterminal below symbols that bring the automaton into a state. For each node of its right side and each set of required paths,
//! the table has the nodes of the smallest derivation in which all of the set end, at least, and no forbidden path does. An alternation is as
//! cheap as its cheapest alternative; a concatenation shares the set out among its parts, and a quantifier among its items; what a
//! symbol ends itself need not end below it. The costs of places depend on each other, so they are computed again and again, from infinity
//! downward, until nothing changes: costs are whole numbers and sums of parts, so that is soon.
//!
//! O(places · nodes · 3^required) a round.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pleach_core::Graph;
use pleach_core::grammar::NodeKind;
use pleach_core::id::{NodeId, ProductionId, SymbolId};

use super::automaton::{Automaton, OUTSIDE, START, State};
use super::constraint::{Constraint, MAX_REQUIRED};

/// A set of required paths, by their bits.
pub(super) type Wanted = u8;

/// The cost of what cannot be.
pub(super) const NEVER: u32 = u32::MAX / 4;

/// A nonterminal below symbols that bring the automaton into a state, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PlaceId(u32);

#[derive(Debug)]
struct Place {
    production: ProductionId,
    state: State,
    /// Where its costs begin.
    first: usize,
    /// The places whose costs depend on its.
    users: Vec<PlaceId>,
}

/// The costs of all places that a derivation from the start can come to.
#[derive(Debug)]
pub(super) struct Costs {
    graph: Arc<Graph>,
    automaton: Automaton,
    places: Vec<Place>,
    numbers: BTreeMap<(ProductionId, State), PlaceId>,
    /// By place, node and set.
    table: Vec<u32>,
    /// The number of sets.
    sets: usize,
}

/// What a symbol comes to in a state.
pub(super) struct Symbol {
    /// The required paths that end with it.
    pub(super) ends: Wanted,
    /// What it names; nothing for a terminal.
    pub(super) below: Option<PlaceId>,
}

impl Costs {
    /// The costs for the paths of a constraint; nothing if that takes more than so many steps, or there are too many paths.
    pub(super) fn new(graph: &Arc<Graph>, constraint: &Constraint, steps: u64) -> Option<Costs> {
        let required = &constraint.required;
        if required.len() > MAX_REQUIRED {
            return None;
        }
        let mut costs = Costs {
            graph: graph.clone(),
            automaton: Automaton::new(required, &constraint.forbidden),
            places: Vec::new(),
            numbers: BTreeMap::new(),
            table: Vec::new(),
            sets: 1 << required.len(),
        };
        let mut open = VecDeque::new();
        let mut waits = Vec::new();
        costs.place(graph.grammar().start(), START, &mut open, &mut waits);
        let mut left = steps;
        while let Some(place) = open.pop_front() {
            waits[place.0 as usize] = false;
            let nodes =
                u64::from(graph.grammar()[costs.places[place.0 as usize].production].node_count);
            left = left.checked_sub(nodes * costs.sets as u64)?;
            if costs.evaluate(place, &mut open, &mut waits) {
                for user in costs.places[place.0 as usize].users.clone() {
                    if !std::mem::replace(&mut waits[user.0 as usize], true) {
                        open.push_back(user);
                    }
                }
            }
        }
        Some(costs)
    }

    /// The place of the whole.
    pub(super) fn root(&self) -> PlaceId {
        PlaceId(0)
    }

    /// All required paths.
    pub(super) fn all(&self) -> Wanted {
        (self.sets - 1) as Wanted
    }

    /// The production of a place.
    pub(super) fn production(&self, place: PlaceId) -> ProductionId {
        self.places[place.0 as usize].production
    }

    /// The cost of a node.
    pub(super) fn cost(&self, place: PlaceId, node: NodeId, wanted: Wanted) -> u32 {
        let place = &self.places[place.0 as usize];
        let first = self.graph.grammar()[place.production].first_node;
        let at = (node.0 - first.0) as usize * self.sets;
        self.table[place.first + at + usize::from(wanted)]
    }

    /// The cost of everything: [`NEVER`] if nothing satisfies the constraint.
    pub(super) fn total(&self) -> u32 {
        self.root_cost(self.root(), self.all())
    }

    fn root_cost(&self, place: PlaceId, wanted: Wanted) -> u32 {
        let root = self.graph.grammar()[self.production(place)].root;
        self.cost(place, root, wanted)
    }

    /// What a symbol of a place comes to; nothing if a forbidden path ends with it.
    pub(super) fn symbol(&self, place: PlaceId, symbol: SymbolId) -> Option<Symbol> {
        let (state, ends) = self.enter(place, symbol)?;
        let target = self.graph.target_of(symbol);
        let below = target.and_then(|target| self.numbers.get(&(target, state)).copied());
        Some(Symbol { ends, below })
    }

    fn enter(&self, place: PlaceId, symbol: SymbolId) -> Option<(State, Wanted)> {
        let state = self.places[place.0 as usize].state;
        let next = self.automaton.step(state, symbol);
        let ends = self.automaton.ends(next);
        if ends.is_forbidden {
            return None;
        }
        let goes_on = self.graph.path_target(symbol).is_some();
        Some((if goes_on { next } else { OUTSIDE }, ends.required))
    }

    /// The number of a place, made when it is met first.
    fn place(
        &mut self,
        production: ProductionId,
        state: State,
        open: &mut VecDeque<PlaceId>,
        waits: &mut Vec<bool>,
    ) -> PlaceId {
        let fresh = PlaceId(self.places.len() as u32);
        let known = *self.numbers.entry((production, state)).or_insert(fresh);
        if known == fresh {
            let first = self.table.len();
            let nodes = self.graph.grammar()[production].node_count as usize;
            self.table.resize(first + nodes * self.sets, NEVER);
            self.places.push(Place {
                production,
                state,
                first,
                users: Vec::new(),
            });
            open.push_back(fresh);
            waits.push(true);
        }
        known
    }

    /// Computes the costs of a place anew, and says whether those of the whole right side have changed.
    fn evaluate(
        &mut self,
        place: PlaceId,
        open: &mut VecDeque<PlaceId>,
        waits: &mut Vec<bool>,
    ) -> bool {
        let graph = self.graph.clone();
        let grammar = graph.grammar();
        let Place {
            production, first, ..
        } = self.places[place.0 as usize];
        let production = &grammar[production];
        let base = production.first_node;
        let sets = self.sets;
        let slot = |node: NodeId| first + (node.0 - base.0) as usize * sets;
        let mut own = vec![NEVER; sets];
        let mut has_changed = false;
        // Nodes are in pre-order, so children come behind.
        for at in (0..production.node_count).rev() {
            let node = NodeId(base.0 + at);
            let children = grammar.children(node);
            own.fill(NEVER);
            match grammar[node].kind {
                NodeKind::Reference(target) => {
                    let symbol = grammar.symbol_of(node);
                    if let Some((state, ends)) = symbol.and_then(|it| self.enter(place, it)) {
                        let below = self.place(target, state, open, waits);
                        let users = &mut self.places[below.0 as usize].users;
                        if !users.contains(&place) {
                            users.push(place);
                        }
                        for (wanted, own) in own.iter_mut().enumerate() {
                            let rest = wanted as Wanted & !ends;
                            *own = (self.root_cost(below, rest) + 1).min(NEVER);
                        }
                    }
                }
                NodeKind::Literal(_) | NodeKind::Class(_) => {
                    let symbol = grammar.symbol_of(node);
                    if let Some((_, ends)) = symbol.and_then(|it| self.enter(place, it)) {
                        for (wanted, own) in own.iter_mut().enumerate() {
                            if wanted as Wanted & !ends == 0 {
                                *own = 1;
                            }
                        }
                    }
                }
                NodeKind::Alternation => {
                    for &child in children {
                        let costs = &self.table[slot(child)..][..sets];
                        for (own, &cost) in own.iter_mut().zip(costs) {
                            *own = (*own).min(cost + 1).min(NEVER);
                        }
                    }
                }
                NodeKind::Concatenation => {
                    let mut so_far = vec![NEVER; sets];
                    so_far[0] = 1;
                    for &child in children {
                        let costs = &self.table[slot(child)..][..sets];
                        so_far = shared(&so_far, costs);
                    }
                    own.copy_from_slice(&so_far);
                }
                NodeKind::Quantifier { min, max } => {
                    if let Some(&subject) = children.first() {
                        let items = &self.table[slot(subject)..][..sets];
                        let rest = Repeats::new(items, min, max);
                        for (wanted, own) in own.iter_mut().enumerate() {
                            *own = (rest.cost(wanted as Wanted, 0) + 1).min(NEVER);
                        }
                    }
                }
            }
            let known = &mut self.table[slot(node)..][..sets];
            has_changed |= node == production.root && known != own;
            known.copy_from_slice(&own);
        }
        has_changed
    }

    /// What the items of a quantifier cost from any point on.
    pub(super) fn repeats(&self, place: PlaceId, quantifier: NodeId) -> Option<Repeats> {
        let grammar = self.graph.grammar();
        let NodeKind::Quantifier { min, max } = grammar[quantifier].kind else {
            return None;
        };
        let &subject = grammar.children(quantifier).first()?;
        let items: Vec<u32> = (0..self.sets)
            .map(|wanted| self.cost(place, subject, wanted as Wanted))
            .collect();
        Some(Repeats::new(&items, min, max))
    }
}

/// The least costs of two parts that share a set out between them.
pub(super) fn shared(one: &[u32], other: &[u32]) -> Vec<u32> {
    let sets = one.len();
    let mut both = vec![NEVER; sets];
    for (wanted, both) in both.iter_mut().enumerate() {
        for part in subsets(wanted as Wanted) {
            let rest = wanted & !usize::from(part);
            *both = (*both).min(one[usize::from(part)] + other[rest]);
        }
        *both = (*both).min(NEVER);
    }
    both
}

/// All subsets of a set, the whole first, the empty one last.
pub(super) fn subsets(set: Wanted) -> impl Iterator<Item = Wanted> {
    let mut next = Some(set);
    std::iter::from_fn(move || {
        let subset = next?;
        next = (subset > 0).then(|| (subset - 1) & set);
        Some(subset)
    })
}

/// What the items of a quantifier cost.
#[derive(Debug)]
pub(super) struct Repeats {
    /// The cost of an item, by set.
    pub(super) items: Vec<u32>,
    min: u32,
    max: u32,
    /// The least cost of exactly so many items that share a set out, each with a part of it: by number, then by set.
    with: Vec<Vec<u32>>,
}

impl Repeats {
    fn new(items: &[u32], min: u32, max: Option<u32>) -> Repeats {
        let sets = items.len();
        let mut none = vec![NEVER; sets];
        none[0] = 0;
        let mut with = vec![none];
        for number in 1..=sets.trailing_zeros() as usize {
            let fewer = &with[number - 1];
            let mut costs = vec![NEVER; sets];
            for (wanted, cost) in costs.iter_mut().enumerate() {
                // Whoever has the lowest path comes first, so that no order is tried twice.
                let lowest = wanted & wanted.wrapping_neg();
                for part in subsets(wanted as Wanted) {
                    let part = usize::from(part);
                    if part & lowest != 0 {
                        *cost = (*cost).min(items[part] + fewer[wanted & !part]);
                    }
                }
                *cost = (*cost).min(NEVER);
            }
            with.push(costs);
        }
        Repeats {
            items: items.to_vec(),
            min,
            max: max.unwrap_or(u32::MAX),
            with,
        }
    }

    /// The least cost of what is to come behind `count` items if a set is still wanted.
    pub(super) fn cost(&self, wanted: Wanted, count: u32) -> u32 {
        let mut least = NEVER;
        for (number, costs) in (0u32..).zip(&self.with) {
            let items = count.saturating_add(number);
            if items > self.max {
                break;
            }
            let fill = u64::from(self.min.saturating_sub(items)) * u64::from(self.items[0]);
            let cost = u64::from(costs[usize::from(wanted)]) + fill;
            least = least.min(cost.min(u64::from(NEVER)) as u32);
        }
        least
    }

    /// Whether the quantifier decides behind so many items: between its bounds.
    pub(super) fn decides(&self, count: u32) -> bool {
        (self.min..self.max).contains(&count)
    }

    /// Whether it may stop behind so many items.
    pub(super) fn may_stop(&self, count: u32) -> bool {
        count >= self.min
    }

    /// Whether there may be one more item.
    pub(super) fn may_go_on(&self, count: u32) -> bool {
        count < self.max
    }
}
