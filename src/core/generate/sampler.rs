//! Sentences by a model, with a budget.
//!
//! Following a model need not end: what is left-recursive may be certain, above all in inverted models. So choices follow
//! the model until a budget of nodes is spent, and are then the shortest (Soremekun et al., *Inputs from Hell*, section 3.4, after the
//! algorithm PTC2 of Luke, *Two Fast Tree-Creation Algorithms for Genetic Programming*, 2000).
//!
//! Pre-order comes first, for it is fastest: a derivation that stays under the budget follows the model exactly. One that does
//! not would spend all of it on its left part. So it is thrown away, and another one is grown as PTC2 does it: the next choice is made
//! at any open place of the tree at random, which spreads the budget over the tree.

use std::sync::Arc;

use super::Limits;
use super::draw::{Guide, GuideStack, Stated};
use super::random::{Growth, RandomChooser};
use crate::choice::{Chooser, ClassCode, Codec, MemberChoice, ROOT, Scratch, SiteIndex};
use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::NodeId;
use crate::model::{State, Tables};
use crate::rng::Rng;
use crate::weights::Weights;

/// A source of sentences that follow a model.
#[derive(Debug)]
pub struct Sampler {
    codec: Arc<Codec>,
    tables: Tables,
    weights: Weights,
    limits: Limits,
    budget: u64,
    stack: GuideStack,
    sprout: Sprout,
    scratch: Scratch,
    regrown: u64,
}

impl Sampler {
    /// Follows a model within limits until a derivation has so many nodes, or as many as the shortest one, if that has
    /// more. Limits should leave room: where they forbid a choice, another one is made.
    pub fn new(codec: &Arc<Codec>, tables: Tables, limits: Limits, budget: u32) -> Sampler {
        let graph = codec.graph();
        let grammar = graph.grammar();
        let root = grammar[grammar.start()].root;
        let needed = graph.shortest(Measure::Nodes).cost(root);
        Sampler {
            weights: Weights::stated(grammar),
            codec: codec.clone(),
            tables,
            limits,
            budget: budget.max(needed).into(),
            stack: GuideStack::default(),
            sprout: Sprout::default(),
            scratch: Scratch::default(),
            regrown: 0,
        }
    }

    /// How many derivations have spent the budget.
    pub fn spent(&self) -> u64 {
        self.regrown
    }

    /// Derives one sentence into `index`.
    pub fn sample(&mut self, rng: &mut Rng, index: &mut SiteIndex) {
        let Sampler {
            codec,
            tables,
            weights,
            limits,
            stack,
            sprout,
            scratch,
            ..
        } = self;
        let graph: &Graph = codec.graph();
        let growth = Growth::draw(rng);
        let otherwise = Stated::new(weights, growth);
        let guide = Guide::new(graph, tables, otherwise, stack, tables.begin());
        let mut chooser = RandomChooser::drawing(graph, guide, *limits, rng);
        chooser.set_budget(self.budget);
        chooser.begin(ROOT, 0);
        codec.derive(ROOT, &mut chooser, scratch, index);
        if !chooser.is_spent() {
            return;
        }
        self.regrown += 1;
        let guide = Guide::new(graph, tables, otherwise, stack, tables.begin());
        let mut chooser = RandomChooser::drawing(graph, guide, *limits, rng);
        chooser.set_budget(self.budget);
        chooser.begin(ROOT, 0);
        sprout.grow(codec, &mut chooser, tables.begin());
        let mut replay = sprout.replay(graph);
        codec.derive(ROOT, &mut replay, scratch, index);
    }
}

/// A derivation tree that is open in many places.
#[derive(Debug, Default)]
struct Sprout {
    places: Vec<Place>,
    children: Vec<u32>,
    /// Places where a choice is due.
    open: Vec<u32>,
    /// Places to look at.
    fresh: Vec<u32>,
    /// All choices in pre-order.
    choices: Vec<Choice>,
}

/// An occurrence of a node.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: NodeId,
    depth: u32,
    state: State,
    choice: Choice,
    children: (u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    None,
    Alternative(u32),
    /// Whether a quantifier goes on.
    More(bool),
    Member(MemberChoice),
}

impl Sprout {
    fn put(&mut self, node: NodeId, depth: u32, state: State) -> u32 {
        let at = self.places.len() as u32;
        self.places.push(Place {
            node,
            depth,
            state,
            choice: Choice::None,
            children: (0, 0),
        });
        self.fresh.push(at);
        at
    }

    /// Grows a whole derivation. O(nodes).
    fn grow(&mut self, codec: &Codec, chooser: &mut RandomChooser<'_, Guide<'_>>, begin: State) {
        let graph: &Graph = codec.graph();
        let grammar = graph.grammar();
        self.places.clear();
        self.children.clear();
        self.open.clear();
        self.fresh.clear();
        self.put(grammar[grammar.start()].root, 0, begin);
        loop {
            let fresh = self.fresh.pop();
            let at = match fresh {
                Some(at) => at,
                // The next choice is made anywhere.
                None => match self.open.len() as u32 {
                    0 => return,
                    open => self.open.swap_remove(chooser.below(open) as usize),
                },
            };
            let Place {
                node, depth, state, ..
            } = self.places[at as usize];
            let first = self.children.len() as u32;
            chooser.depth = depth;
            chooser.draw.go_to(state);
            let children = grammar.children(node);
            match grammar[node].kind {
                NodeKind::Literal(_) => {}
                NodeKind::Class(class) => {
                    let choice = chooser.member(node, codec.class(class));
                    self.places[at as usize].choice = Choice::Member(choice);
                }
                NodeKind::Reference(target) => {
                    let symbol = graph.symbol_of(node);
                    let below = symbol.map_or(state, |it| chooser.draw.below(state, it));
                    let child = self.put(grammar[target].root, depth + 1, below);
                    self.children.push(child);
                }
                NodeKind::Concatenation => {
                    for &child in children {
                        let child = self.put(child, depth, state);
                        self.children.push(child);
                    }
                }
                NodeKind::Alternation if fresh.is_some() => self.open.push(at),
                NodeKind::Quantifier { .. } if fresh.is_some() => self.open.push(at),
                NodeKind::Alternation => {
                    let index = chooser.alternative(node, children.len() as u32);
                    self.places[at as usize].choice = Choice::Alternative(index);
                    let child = self.put(children[index as usize], depth, state);
                    self.children.push(child);
                }
                NodeKind::Quantifier { min, max } => {
                    let mut times = min;
                    while max.is_none_or(|max| times < max) && chooser.more(node) {
                        times = times.saturating_add(1);
                    }
                    for &child in children.iter().cycle().take(times as usize) {
                        let child = self.put(child, depth, state);
                        self.children.push(child);
                    }
                }
            }
            self.places[at as usize].children = (first, self.children.len() as u32);
        }
    }

    /// A chooser that makes the choices of the tree.
    fn replay(&mut self, graph: &Graph) -> Replay<'_> {
        enum Step {
            Place(u32),
            Choice(Choice),
        }
        let grammar = graph.grammar();
        self.choices.clear();
        let mut steps = vec![Step::Place(0)];
        while let Some(step) = steps.pop() {
            let place = match step {
                Step::Choice(choice) => {
                    self.choices.push(choice);
                    continue;
                }
                Step::Place(at) => self.places[at as usize],
            };
            if place.choice != Choice::None {
                self.choices.push(place.choice);
            }
            let children = &self.children[place.children.0 as usize..place.children.1 as usize];
            let bounds = match grammar[place.node].kind {
                NodeKind::Quantifier { min, max } => Some((min, max.unwrap_or(u32::MAX))),
                _ => None,
            };
            // Backwards, for the stack turns it around.
            if let Some((min, max)) = bounds
                && (min..max).contains(&(children.len() as u32))
            {
                steps.push(Step::Choice(Choice::More(false)));
            }
            for (times, &child) in children.iter().enumerate().rev() {
                steps.push(Step::Place(child));
                if bounds.is_some_and(|(min, _)| times as u64 >= u64::from(min)) {
                    steps.push(Step::Choice(Choice::More(true)));
                }
            }
        }
        Replay {
            choices: self.choices.iter(),
        }
    }
}

/// Makes choices that were made already.
struct Replay<'a> {
    choices: std::slice::Iter<'a, Choice>,
}

impl Chooser for Replay<'_> {
    fn alternative(&mut self, _: NodeId, _: u32) -> u32 {
        match self.choices.next() {
            Some(&Choice::Alternative(index)) => index,
            _ => 0,
        }
    }

    fn more(&mut self, _: NodeId) -> bool {
        matches!(self.choices.next(), Some(Choice::More(true)))
    }

    fn member(&mut self, _: NodeId, _: &ClassCode) -> MemberChoice {
        match self.choices.next() {
            Some(&Choice::Member(choice)) => choice,
            _ => MemberChoice::default(),
        }
    }
}
