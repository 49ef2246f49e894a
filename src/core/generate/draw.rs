//! Where random choices come from: the grammar's own probabilities, or a model.

use crate::choice::{ClassCode, MemberChoice};
use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{NodeId, SymbolId};
use crate::model::{State, Tables};
use crate::rng::Rng;
use crate::weights::Weights;

use super::Growth;

/// Draws choices one by one, in pre-order; whether they fit is for somebody else to say.
pub trait Draw {
    /// One of `count` alternatives.
    fn alternative(&mut self, node: NodeId, count: u32, rng: &mut Rng) -> u32;
    /// The weight of an alternative, for a choice among those that fit.
    fn weight(&mut self, node: NodeId, count: u32, index: u32) -> u64;
    /// Whether a quantifier goes on; asked only between its bounds.
    fn more(&mut self, node: NodeId, rng: &mut Rng) -> bool;
    /// A quantifier that was to go on does not, because nothing more fits.
    fn stop(&mut self, _node: NodeId) {}
    /// A quantifier goes on without being asked.
    fn forced_more(&mut self, _node: NodeId) {}
    /// A member of a class.
    fn member(&mut self, node: NodeId, class: &ClassCode, rng: &mut Rng) -> MemberChoice;
    /// A reference (or the root) begins.
    #[inline(always)]
    fn enter(&mut self, _symbol: Option<SymbolId>) {}
    /// The reference that began last ends.
    #[inline(always)]
    fn leave(&mut self) {}
}

/// Alternatives by the probabilities that the grammar states, repetitions by a coin, members alike.
#[derive(Clone, Copy, Debug)]
pub struct Stated<'a> {
    weights: &'a Weights,
    growth: Growth,
}

impl<'a> Stated<'a> {
    /// Draws by weights; repetitions go on as readily as said.
    pub fn new(weights: &'a Weights, growth: Growth) -> Stated<'a> {
        Stated { weights, growth }
    }
}

impl Draw for Stated<'_> {
    #[inline(always)]
    fn alternative(&mut self, node: NodeId, count: u32, rng: &mut Rng) -> u32 {
        self.weights.draw(node, count, rng)
    }

    fn weight(&mut self, node: NodeId, count: u32, index: u32) -> u64 {
        self.weights.weight(node, count, index).into()
    }

    #[inline(always)]
    fn more(&mut self, _: NodeId, rng: &mut Rng) -> bool {
        rng.bits() >> (64 - self.growth.0) != 0
    }

    #[inline(always)]
    fn member(&mut self, _: NodeId, class: &ClassCode, rng: &mut Rng) -> MemberChoice {
        let head = rng.below(class.head_count());
        let rest = match class.rest_count(head) {
            1 => 0,
            count => rng.below(count),
        };
        MemberChoice { head, rest }
    }
}

/// The memory of a [`Guide`], kept between derivations so that nothing is allocated once it has grown.
#[derive(Clone, Debug, Default)]
pub struct GuideStack {
    states: Vec<State>,
    open: Vec<Open>,
}

/// A quantifier whose number of repetitions is drawn.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: NodeId,
    /// The references above it.
    depth: u32,
    /// How often it goes on; [`COIN`] if the model does not say.
    left: u32,
    /// How often it may go on before its upper bound.
    room: u32,
}

const COIN: u32 = u32::MAX;

/// Draws by a model; what it does not say, as without one. The number of repetitions is drawn when a quantifier is asked first,
/// so that a model's numbers come out as they are.
#[derive(Debug)]
pub struct Guide<'a> {
    graph: &'a Graph,
    tables: &'a Tables,
    otherwise: Stated<'a>,
    stack: &'a mut GuideStack,
    state: State,
    depth: u32,
}

impl<'a> Guide<'a> {
    /// A guide for a derivation that begins in a state: [`Tables::begin`] for a whole one.
    pub fn new(
        graph: &'a Graph,
        tables: &'a Tables,
        otherwise: Stated<'a>,
        stack: &'a mut GuideStack,
        state: State,
    ) -> Guide<'a> {
        stack.states.clear();
        stack.open.clear();
        Guide {
            graph,
            tables,
            otherwise,
            stack,
            state,
            depth: 0,
        }
    }

    /// Goes on elsewhere, with quantifiers that have not begun.
    pub(super) fn go_to(&mut self, state: State) {
        self.stack.open.clear();
        self.state = state;
    }

    /// The state of what is below a reference.
    pub(super) fn below(&self, state: State, symbol: SymbolId) -> State {
        self.tables.step(state, symbol)
    }

    /// Begins a quantifier; whether it goes on.
    #[inline(always)]
    fn begin(&mut self, node: NodeId, rng: &mut Rng) -> bool {
        let (min, max) = match self.graph.grammar()[node].kind {
            NodeKind::Quantifier { min, max } => (min, max.unwrap_or(u32::MAX)),
            _ => (0, u32::MAX),
        };
        let drawn = self.tables.repetitions(self.state, node, rng);
        let (more, left) = match drawn {
            None => (self.otherwise.more(node, rng), COIN),
            Some(times) => {
                let left = times.saturating_sub(min).min(COIN - 1);
                (left > 0, left.saturating_sub(1))
            }
        };
        // At its upper bound it is not asked again.
        let room = max.saturating_sub(min).saturating_sub(1);
        if more && room > 0 {
            self.stack.open.push(Open {
                node,
                depth: self.depth,
                left,
                room,
            });
        }
        more
    }

    /// Whether a quantifier goes on that begins, ends, or is tossed a coin for.
    #[inline]
    fn ask(&mut self, node: NodeId, rng: &mut Rng) -> bool {
        let Some(at) = self.open(node) else {
            return self.begin(node, rng);
        };
        let open = &mut self.stack.open[at];
        let more = match open.left {
            COIN => self.otherwise.more(node, rng),
            left => {
                open.left = left.saturating_sub(1);
                left > 0
            }
        };
        open.room = open.room.saturating_sub(1);
        if !more || open.room == 0 {
            self.stack.open.truncate(at);
        }
        more
    }

    /// Where the quantifier that is asked stands, if it has begun. What has begun behind it has ended unseen.
    #[inline(always)]
    fn open(&mut self, node: NodeId) -> Option<usize> {
        let is_it = |open: &Open| open.node == node && open.depth == self.depth;
        let open = &mut self.stack.open;
        if open.last().is_some_and(is_it) {
            return Some(open.len() - 1);
        }
        let here = open
            .iter()
            .rev()
            .take_while(|open| open.depth >= self.depth);
        let behind = here.clone().position(is_it);
        if let Some(behind) = behind {
            open.truncate(open.len() - behind);
            return Some(open.len() - 1);
        }
        None
    }
}

impl Draw for Guide<'_> {
    #[inline(always)]
    fn alternative(&mut self, node: NodeId, count: u32, rng: &mut Rng) -> u32 {
        match self.tables.alternative(self.state, node, rng) {
            Some(index) => index,
            None => self.otherwise.alternative(node, count, rng),
        }
    }

    fn weight(&mut self, node: NodeId, count: u32, index: u32) -> u64 {
        let weight = self.tables.weight(self.state, node, index);
        weight.unwrap_or_else(|| self.otherwise.weight(node, count, index))
    }

    #[inline(always)]
    fn more(&mut self, node: NodeId, rng: &mut Rng) -> bool {
        // Nearly always it is the quantifier that was asked last, and goes on.
        if let Some(open) = self.stack.open.last_mut()
            && open.node == node
            && open.depth == self.depth
            && open.left.wrapping_sub(1) < COIN - 1
            && open.room > 1
        {
            open.left -= 1;
            open.room -= 1;
            return true;
        }
        self.ask(node, rng)
    }

    fn stop(&mut self, node: NodeId) {
        if let Some(at) = self.open(node) {
            self.stack.open.truncate(at);
        }
    }

    fn forced_more(&mut self, node: NodeId) {
        if let Some(at) = self.open(node) {
            let open = &mut self.stack.open[at];
            if open.left != COIN {
                open.left = open.left.saturating_sub(1);
            }
            open.room = open.room.saturating_sub(1);
        }
    }

    #[inline(always)]
    fn member(&mut self, node: NodeId, class: &ClassCode, rng: &mut Rng) -> MemberChoice {
        match self.tables.member(self.state, node, class, rng) {
            Some(choice) => choice,
            None => self.otherwise.member(node, class, rng),
        }
    }

    #[inline(always)]
    fn enter(&mut self, symbol: Option<SymbolId>) {
        self.stack.states.push(self.state);
        if let Some(symbol) = symbol {
            self.state = self.tables.step(self.state, symbol);
        }
        self.depth = self.depth.wrapping_add(1);
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.depth = self.depth.wrapping_sub(1);
        // Of what another chooser has ended nobody was told.
        while self
            .stack
            .open
            .last()
            .is_some_and(|open| open.depth > self.depth)
        {
            self.stack.open.pop();
        }
        if let Some(state) = self.stack.states.pop() {
            self.state = state;
        }
    }
}

/// Draws by a model if there is one.
#[derive(Debug)]
pub enum Drawn<'a> {
    /// Without a model.
    Stated(Stated<'a>),
    /// By a model.
    Guided(Guide<'a>),
}

macro_rules! either {
    ($self:ident, $draw:ident => $call:expr) => {
        match $self {
            Drawn::Stated($draw) => $call,
            Drawn::Guided($draw) => $call,
        }
    };
}

impl Draw for Drawn<'_> {
    #[inline(always)]
    fn alternative(&mut self, node: NodeId, count: u32, rng: &mut Rng) -> u32 {
        either!(self, draw => draw.alternative(node, count, rng))
    }
    fn weight(&mut self, node: NodeId, count: u32, index: u32) -> u64 {
        either!(self, draw => draw.weight(node, count, index))
    }
    #[inline(always)]
    fn more(&mut self, node: NodeId, rng: &mut Rng) -> bool {
        either!(self, draw => draw.more(node, rng))
    }
    fn stop(&mut self, node: NodeId) {
        either!(self, draw => draw.stop(node));
    }
    fn forced_more(&mut self, node: NodeId) {
        either!(self, draw => draw.forced_more(node));
    }
    #[inline(always)]
    fn member(&mut self, node: NodeId, class: &ClassCode, rng: &mut Rng) -> MemberChoice {
        either!(self, draw => draw.member(node, class, rng))
    }
    #[inline(always)]
    fn enter(&mut self, symbol: Option<SymbolId>) {
        either!(self, draw => draw.enter(symbol));
    }
    #[inline(always)]
    fn leave(&mut self) {
        either!(self, draw => draw.leave());
    }
}
