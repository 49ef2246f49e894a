//! The grammar as machines: finite automata that call each other.
//!
//! A machine recognizes what a production derives, without the empty text. Its states are joined by edges that read nothing
//! but say what happens (an alternative is taken, a repetition begins, a part derives nothing), and a state may
//! read one thing: a byte, a member of a class, or a whole derivation of another machine. So a path through a machine, with a
//! path for each call, is a derivation tree, its events are the tree's choices in pre-order, and distinct trees have
//! distinct paths.
//!
//! Three things keep it so for every grammar. A part of a sequence either reads something or is one edge that says it derives
//! nothing ([`super::empty`]); a sequence that has to read something goes on two tracks, before and after it has. An optional
//! repetition reads something, so edges that read nothing never form a cycle. And many bounded repetitions are halved
//! into machines of their own, in one way only for each number of repetitions.

use crate::grammar::{Grammar, NodeKind};
use crate::id::{ClassId, NodeId, ProductionId, SymbolId};

use super::empty::Empty;
use super::inline::Plan;
use super::map::Map;

/// No frame: directly below the root of the machine.
pub(super) const OUTERMOST: u32 = u32::MAX;

/// What a state reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reads {
    /// Nothing.
    Nothing,
    /// A byte of a literal.
    Byte(u8),
    /// A letter of a literal, this lower-case one or its upper-case form.
    Letter(u8),
    /// A member of a class.
    Class(ClassId),
    /// What another machine derives.
    Call(u32),
}

/// A state of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// What it reads.
    pub(super) reads: Reads,
    /// The state behind that.
    pub(super) target: u32,
    /// The terminal's node, if it reads one.
    pub(super) node: NodeId,
    /// The machine it is in.
    pub(super) machine: u32,
    first_edge: u32,
}

/// What happens on an edge, beyond what is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// Nothing.
    None,
    /// An alternation takes an alternative.
    Alternative(NodeId, u32),
    /// A quantifier goes on.
    More(NodeId),
    /// A quantifier stops.
    Stop(NodeId),
    /// A symbol begins that is read next: a terminal, or a reference to a machine.
    Symbol(SymbolId, u32),
    /// A reference begins whose production is copied here; the frame that it opens.
    Enter(u32),
    /// A node derives nothing, this many times.
    Empty(NodeId, u32, u32),
    /// More of the same repetition is read next, by a machine of its own.
    Repeats(u32),
}

/// An edge that reads nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    /// The state at its other end.
    pub(super) other: u32,
    /// What happens.
    pub(super) event: Event,
}

/// What a machine derives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Derives {
    /// A production.
    Production(ProductionId),
    /// A quantifier's subject exactly so many times, a power of two: optional repetitions, or mandatory ones.
    Repetitions {
        quantifier: NodeId,
        count: u32,
        optional: bool,
    },
}

/// A machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// What it derives.
    pub(super) derives: Derives,
    /// Where it begins.
    pub(super) entry: u32,
    /// Where it ends.
    pub(super) exit: u32,
}

/// A reference whose production is copied into the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The frame around it, or [`OUTERMOST`].
    pub(super) parent: u32,
    /// The reference.
    pub(super) symbol: SymbolId,
}

/// All machines of a grammar.
#[derive(Debug)]
pub(super) struct Machines {
    pub(super) states: Vec<State>,
    pub(super) machines: Vec<Machine>,
    pub(super) frames: Vec<Frame>,
    edges: Vec<Edge>,
    /// The same edges by the state at their other end.
    back: Vec<Edge>,
    first_back: Vec<u32>,
}

impl Machines {
    /// Compiles the machines that the texts of a production need; its own is the first.
    pub(super) fn new(
        grammar: &Grammar,
        start: ProductionId,
        empty: &Empty,
        plan: &Plan,
        code: &dyn Fn(NodeId) -> Option<Vec<u8>>,
    ) -> Machines {
        let mut builder = Builder {
            grammar,
            empty,
            plan,
            code,
            states: Vec::new(),
            edges: Vec::new(),
            machines: Vec::new(),
            ids: Map::default(),
            frames: Vec::new(),
            tasks: Vec::new(),
            machine: 0,
        };
        builder.machine_of(Derives::Production(start));
        let mut next = 0;
        while next < builder.machines.len() {
            builder.build(next as u32);
            next += 1;
        }
        builder.finish()
    }

    /// The edges from a state, in order of preference.
    #[inline]
    pub(super) fn edges(&self, state: u32) -> &[Edge] {
        let first = self.states[state as usize].first_edge as usize;
        let end = self.states.get(state as usize + 1);
        &self.edges[first..end.map_or(self.edges.len(), |next| next.first_edge as usize)]
    }

    /// The edges to a state; their other ends are where they begin.
    #[inline]
    pub(super) fn edges_to(&self, state: u32) -> &[Edge] {
        let at = state as usize;
        &self.back[self.first_back[at] as usize..self.first_back[at + 1] as usize]
    }

    /// The bytes that the machines take.
    pub(super) fn bytes(&self) -> usize {
        self.states.len() * (size_of::<State>() + 4) + self.edges.len() * 2 * size_of::<Edge>()
    }
}

/// A node to build between two states.
struct Task {
    node: NodeId,
    frame: u32,
    from: u32,
    to: u32,
}

/// A part of a sequence.
#[derive(Clone, Copy)]
enum Part {
    /// A child, or a mandatory repetition.
    Node(NodeId),
    /// An optional repetition that is taken.
    Item(NodeId),
    /// Mandatory repetitions by a machine.
    Mandatory(NodeId, u32),
    /// Optional repetitions, all taken, by a machine.
    Items(NodeId, u32),
    /// All optional repetitions of a quantifier: at most so many.
    Optional(NodeId, Option<u32>),
}

struct Builder<'g> {
    grammar: &'g Grammar,
    empty: &'g Empty,
    plan: &'g Plan,
    /// The code of a node that is read as a token.
    code: &'g dyn Fn(NodeId) -> Option<Vec<u8>>,
    states: Vec<State>,
    edges: Vec<(u32, Edge)>,
    machines: Vec<Machine>,
    ids: Map<Derives, u32>,
    frames: Vec<Frame>,
    tasks: Vec<Task>,
    machine: u32,
}

impl Builder<'_> {
    fn state(&mut self, reads: Reads, node: NodeId, target: u32) -> u32 {
        self.states.push(State {
            reads,
            target,
            node,
            machine: self.machine,
            first_edge: 0,
        });
        self.states.len() as u32 - 1
    }

    fn joint(&mut self) -> u32 {
        self.state(Reads::Nothing, NodeId(0), 0)
    }

    fn edge(&mut self, from: u32, to: u32, event: Event) {
        self.edges.push((from, Edge { other: to, event }));
    }

    fn machine_of(&mut self, derives: Derives) -> u32 {
        if let Some(&id) = self.ids.get(&derives) {
            return id;
        }
        let id = self.machines.len() as u32;
        self.ids.insert(derives, id);
        self.machines.push(Machine {
            derives,
            entry: 0,
            exit: 0,
        });
        id
    }

    fn build(&mut self, machine: u32) {
        self.machine = machine;
        let (entry, exit) = (self.joint(), self.joint());
        self.machines[machine as usize].entry = entry;
        self.machines[machine as usize].exit = exit;
        match self.machines[machine as usize].derives {
            Derives::Production(production) => {
                let node = self.grammar[production].root;
                self.node(node, OUTERMOST, entry, exit);
            }
            Derives::Repetitions {
                quantifier,
                count,
                optional,
            } => {
                let subject = self.grammar.children(quantifier)[0];
                let written_out = count <= 2
                    || u64::from(count).saturating_mul(self.size(subject)) <= self.plan.written_out;
                let part = match (written_out, optional) {
                    (true, true) => Part::Item(quantifier),
                    (true, false) => Part::Node(subject),
                    (false, true) => Part::Items(quantifier, count / 2),
                    (false, false) => Part::Mandatory(quantifier, count / 2),
                };
                let parts = vec![part; if written_out { count as usize } else { 2 }];
                self.sequence(&parts, OUTERMOST, entry, exit);
            }
        }
        while let Some(task) = self.tasks.pop() {
            self.node(task.node, task.frame, task.from, task.to);
        }
    }

    /// What one repetition of a subject costs.
    fn size(&self, subject: NodeId) -> u64 {
        self.plan.sizes[subject]
    }

    fn later(&mut self, node: NodeId, frame: u32, from: u32, to: u32) {
        if self.empty.is_full(node) {
            self.tasks.push(Task {
                node,
                frame,
                from,
                to,
            });
        }
    }

    /// Joins two states by what a node derives, without the empty text.
    fn node(&mut self, node: NodeId, frame: u32, from: u32, to: u32) {
        let grammar = self.grammar;
        if !self.empty.is_full(node) {
            return;
        }
        if let Some(code) = (self.code)(node) {
            let mut target = to;
            for &byte in code.iter().rev() {
                target = self.state(Reads::Byte(byte), node, target);
            }
            self.symbol(node, frame, from, target);
            return;
        }
        match grammar[node].kind {
            NodeKind::Literal(literal) => {
                let mut target = to;
                let is_caseless = grammar.is_caseless(literal);
                for &byte in grammar[literal].iter().rev() {
                    let reads = match is_caseless && byte.is_ascii_alphabetic() {
                        true => Reads::Letter(byte.to_ascii_lowercase()),
                        false => Reads::Byte(byte),
                    };
                    target = self.state(reads, node, target);
                }
                self.symbol(node, frame, from, target);
            }
            NodeKind::Class(class) => {
                let state = self.state(Reads::Class(class), node, to);
                self.symbol(node, frame, from, state);
            }
            NodeKind::Reference(target) if self.plan.called[target] => {
                let machine = self.machine_of(Derives::Production(target));
                let state = self.state(Reads::Call(machine), node, to);
                self.symbol(node, frame, from, state);
            }
            NodeKind::Reference(target) => {
                let Some(symbol) = grammar.symbol_of(node) else {
                    return;
                };
                let inner = self.frames.len() as u32;
                self.frames.push(Frame {
                    parent: frame,
                    symbol,
                });
                let state = self.joint();
                self.edge(from, state, Event::Enter(inner));
                self.later(grammar[target].root, inner, state, to);
            }
            NodeKind::Alternation => {
                for (at, &child) in (0..).zip(grammar.children(node)) {
                    if self.empty.is_full(child) {
                        let state = self.joint();
                        self.edge(from, state, Event::Alternative(node, at));
                        self.later(child, frame, state, to);
                    }
                }
            }
            NodeKind::Concatenation => {
                let children = grammar.children(node).iter();
                let parts: Vec<Part> = children.map(|&child| Part::Node(child)).collect();
                self.sequence(&parts, frame, from, to);
            }
            NodeKind::Quantifier { min, max } => {
                let mut parts = self.mandatory(node, min);
                let optional = max.map(|max| max - min);
                if optional != Some(0) {
                    parts.push(Part::Optional(node, optional));
                }
                self.sequence(&parts, frame, from, to);
            }
        }
    }

    fn symbol(&mut self, node: NodeId, frame: u32, from: u32, to: u32) {
        let event = match self.grammar.symbol_of(node) {
            Some(symbol) => Event::Symbol(symbol, frame),
            None => Event::None,
        };
        self.edge(from, to, event);
    }

    /// The mandatory repetitions: written out, or one machine for each power of two.
    fn mandatory(&self, quantifier: NodeId, min: u32) -> Vec<Part> {
        let subject = self.grammar.children(quantifier)[0];
        if u64::from(min).saturating_mul(self.size(subject)) <= self.plan.written_out {
            return vec![Part::Node(subject); min as usize];
        }
        let powers = (0..32).rev().map(|bit| min & 1 << bit);
        powers
            .filter(|&power| power > 0)
            .map(|power| Part::Mandatory(quantifier, power))
            .collect()
    }

    fn is_full(&self, part: Part) -> bool {
        match part {
            Part::Node(node) => self.empty.is_full(node),
            Part::Item(quantifier)
            | Part::Items(quantifier, _)
            | Part::Mandatory(quantifier, _)
            | Part::Optional(quantifier, _) => {
                self.empty.is_full(self.grammar.children(quantifier)[0])
            }
        }
    }

    /// The event of a part that derives nothing, if it can.
    fn nothing(&self, part: Part, frame: u32) -> Option<Event> {
        let subject = |quantifier| self.grammar.children(quantifier)[0];
        let (node, times) = match part {
            Part::Node(node) => (node, 1),
            Part::Mandatory(quantifier, count) => (subject(quantifier), count),
            Part::Optional(quantifier, _) => return Some(Event::Stop(quantifier)),
            Part::Item(_) | Part::Items(..) => return None,
        };
        let nullable = self.empty.is_nullable(node);
        nullable.then_some(Event::Empty(node, frame, times))
    }

    /// Joins two states by a sequence that reads something: on one track nothing has been read yet, on the other one
    /// something has.
    fn sequence(&mut self, parts: &[Part], frame: u32, from: u32, to: u32) {
        let mut fresh = Some(from);
        let mut after: Option<u32> = None;
        for (at, &part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            let nothing = self.nothing(part, frame);
            let reads = self.is_full(part) && (fresh.is_some() || after.is_some());
            let behind = match is_last {
                true => Some(to),
                false if reads || (after.is_some() && nothing.is_some()) => Some(self.joint()),
                false => None,
            };
            if let (true, Some(behind)) = (reads, behind) {
                let entry = match (fresh, after) {
                    (Some(one), None) | (None, Some(one)) => one,
                    (Some(fresh), Some(after)) => {
                        let entry = self.joint();
                        self.edge(after, entry, Event::None);
                        self.edge(fresh, entry, Event::None);
                        entry
                    }
                    (None, None) => continue,
                };
                self.part(part, frame, entry, behind);
            }
            if let (Some(after), Some(behind), Some(event)) = (after, behind, nothing) {
                self.edge(after, behind, event);
            }
            fresh = match (fresh, nothing) {
                (Some(fresh), Some(event)) if !is_last => {
                    let state = self.joint();
                    self.edge(fresh, state, event);
                    Some(state)
                }
                _ => None,
            };
            after = behind;
        }
    }

    fn part(&mut self, part: Part, frame: u32, from: u32, to: u32) {
        match part {
            Part::Node(node) => self.later(node, frame, from, to),
            Part::Item(quantifier) => {
                let state = self.joint();
                self.edge(from, state, Event::More(quantifier));
                self.later(self.grammar.children(quantifier)[0], frame, state, to);
            }
            Part::Mandatory(quantifier, count) => {
                self.repetitions(quantifier, count, false, frame, from, to);
            }
            Part::Items(quantifier, count) => {
                self.repetitions(quantifier, count, true, frame, from, to);
            }
            Part::Optional(quantifier, None) => {
                let subject = self.grammar.children(quantifier)[0];
                let (item, joint) = (self.joint(), self.joint());
                self.edge(from, item, Event::More(quantifier));
                self.edge(joint, item, Event::More(quantifier));
                self.edge(joint, to, Event::Stop(quantifier));
                self.later(subject, frame, item, joint);
            }
            Part::Optional(quantifier, Some(most)) => {
                let subject = self.grammar.children(quantifier)[0];
                if u64::from(most).saturating_mul(self.size(subject)) <= self.plan.written_out {
                    self.up_to(quantifier, most, frame, from, to);
                } else {
                    self.up_to_many(quantifier, most, frame, from, to);
                }
            }
        }
    }

    fn repetitions(
        &mut self,
        quantifier: NodeId,
        count: u32,
        optional: bool,
        frame: u32,
        from: u32,
        to: u32,
    ) {
        let machine = self.machine_of(Derives::Repetitions {
            quantifier,
            count,
            optional,
        });
        let state = self.state(Reads::Call(machine), quantifier, to);
        self.edge(from, state, Event::Repeats(frame));
    }

    /// One to `most` repetitions, written out.
    fn up_to(&mut self, quantifier: NodeId, most: u32, frame: u32, from: u32, to: u32) {
        let mut state = from;
        for left in (0..most).rev() {
            let behind = if left == 0 { to } else { self.joint() };
            self.part(Part::Item(quantifier), frame, state, behind);
            if left > 0 {
                self.edge(behind, to, Event::Stop(quantifier));
            }
            state = behind;
        }
    }

    /// One to `most` repetitions, in one way for each number: either fewer than the greatest power of two, bit by bit and then
    /// a stop, or that many and the rest likewise.
    fn up_to_many(&mut self, quantifier: NodeId, most: u32, frame: u32, from: u32, to: u32) {
        let bits = most.ilog2();
        // Fewer than 2^bit, and then a stop: from the fresh state at least one.
        let after: Vec<u32> = (0..=bits).map(|_| self.joint()).collect();
        let fresh: Vec<u32> = (0..=bits).map(|_| self.joint()).collect();
        self.edge(after[0], to, Event::Stop(quantifier));
        for bit in 0..bits as usize {
            let taken = Part::Items(quantifier, 1 << bit);
            self.part(taken, frame, after[bit + 1], after[bit]);
            self.part(taken, frame, fresh[bit + 1], after[bit]);
            self.edge(after[bit + 1], after[bit], Event::None);
            if bit > 0 {
                self.edge(fresh[bit + 1], fresh[bit], Event::None);
            }
        }
        let mut left = most;
        let mut state = from;
        while left > 0 {
            let power = left.ilog2();
            let fewer = match left == most {
                true => &fresh,
                false => &after,
            };
            self.edge(state, fewer[power as usize], Event::None);
            left -= 1 << power;
            let behind = if left == 0 { to } else { self.joint() };
            self.part(Part::Items(quantifier, 1 << power), frame, state, behind);
            state = behind;
        }
    }

    fn finish(mut self) -> Machines {
        // Stable, so that the edges of a state keep their order.
        let mut backward: Vec<(u32, Edge)> = self
            .edges
            .iter()
            .map(|&(from, edge)| {
                let event = edge.event;
                (edge.other, Edge { other: from, event })
            })
            .collect();
        backward.sort_by_key(|&(to, _)| to);
        self.edges.sort_by_key(|&(from, _)| from);
        let mut at = 0;
        for (id, state) in (0..).zip(&mut self.states) {
            state.first_edge = at as u32;
            while self.edges.get(at).is_some_and(|&(from, _)| from == id) {
                at += 1;
            }
        }
        let mut first_back = Vec::with_capacity(self.states.len() + 1);
        let mut at = 0;
        for id in 0..=self.states.len() as u32 {
            first_back.push(at as u32);
            while backward.get(at).is_some_and(|&(to, _)| to == id) {
                at += 1;
            }
        }
        Machines {
            states: self.states,
            machines: self.machines,
            frames: self.frames,
            edges: self.edges.into_iter().map(|(_, edge)| edge).collect(),
            back: backward.into_iter().map(|(_, edge)| edge).collect(),
            first_back,
        }
    }
}
