//! All tokens as one automaton.
//!
//! `regex-automata` makes it: the tokens become one NFA, built without recursion from the grammar's nodes, and that is
//! determinized. Its states are then put into tables of our own, in which a state says at once which tokens match there and
//! which still can further on. Building takes time and memory exponential in the worst of tokens, so both are bounded.

use std::collections::BTreeMap;

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, Builder, Transition};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::utf8::Utf8Sequences;

use crate::grammar::{CharClass, Grammar, NodeKind};
use crate::id::NodeId;

use super::expected::Sets;
use super::tokens::{Origin, Token};

/// The state from which nothing matches.
pub(super) const DEAD: u32 = 0;
/// The state before anything is read.
pub(super) const START: u32 = 1;

/// The most bytes of the NFA, of its determinization and of the DFA, each.
const MOST_BYTES: usize = 64 << 20;
/// The most states of the NFA.
const MOST_NFA_STATES: usize = 1 << 21;
/// The most bytes of the table of what can match further on.
const MOST_ALIVE_BYTES: usize = 512 << 20;

/// The automaton of all tokens.
#[derive(Debug)]
pub(super) struct Automaton {
    /// The class of each byte; bytes of one class are not told apart.
    classes: [u8; 256],
    class_count: usize,
    /// A byte of each class, those that people like to read first.
    order: Vec<u8>,
    next: Vec<u32>,
    /// By state: where its tokens begin in `matches`; one more at the end.
    match_starts: Vec<u32>,
    matches: Vec<u32>,
    /// By state: the tokens that match there or further on.
    alive: Sets,
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TooLarge {
    /// A single token is too large.
    Token(u32),
    /// All of them together are.
    All,
}

impl Automaton {
    pub(super) fn new(grammar: &Grammar, tokens: &[Token]) -> Result<Automaton, TooLarge> {
        let nfa = nfa(grammar, tokens)?;
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored)
            .accelerate(false)
            .determinize_size_limit(Some(MOST_BYTES))
            .dfa_size_limit(Some(MOST_BYTES));
        let dfa = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&nfa)
            .map_err(|_| TooLarge::All)?;
        Automaton::from_dfa(&dfa, tokens.len()).ok_or(TooLarge::All)
    }

    fn from_dfa(dfa: &dense::DFA<Vec<u32>>, token_count: usize) -> Option<Automaton> {
        let (classes, representatives) = byte_classes(dfa);
        let class_count = representatives.len();
        // Without look-around all start states are one.
        let start = dfa.universal_start_state(Anchored::Yes)?;
        let mut ids: BTreeMap<StateID, u32> = BTreeMap::new();
        ids.insert(start, START);
        let mut order = vec![None, Some(start)];
        let mut next = vec![DEAD; 2 * class_count];
        let mut at = START as usize;
        while let Some(&state) = order.get(at) {
            if let Some(state) = state {
                for (class, &byte) in representatives.iter().enumerate() {
                    let target = dfa.next_state(state, byte);
                    if dfa.is_dead_state(target) || dfa.is_quit_state(target) {
                        continue;
                    }
                    let id = *ids.entry(target).or_insert_with(|| {
                        order.push(Some(target));
                        order.len() as u32 - 1
                    });
                    next.resize(order.len() * class_count, DEAD);
                    next[at * class_count + class] = id;
                }
            }
            at += 1;
        }
        let mut match_starts = Vec::with_capacity(order.len() + 1);
        let mut matches = Vec::new();
        for &state in &order {
            match_starts.push(matches.len() as u32);
            let Some(state) = state else { continue };
            // Matches are seen one step late.
            let end = dfa.next_eoi_state(state);
            if dfa.is_match_state(end) {
                let from = matches.len();
                let count = dfa.match_len(end);
                matches.extend((0..count).map(|at| dfa.match_pattern(end, at).as_u32()));
                matches[from..].sort_unstable();
            }
        }
        match_starts.push(matches.len() as u32);
        if order.len() * token_count / 8 > MOST_ALIVE_BYTES {
            return None;
        }
        let mut automaton = Automaton {
            alive: Sets::new(order.len(), token_count),
            classes,
            class_count,
            order: readable_first(&classes),
            next,
            match_starts,
            matches,
        };
        automaton.find_alive();
        Some(automaton)
    }

    /// What matches at each state or further on: spread backward until nothing changes.
    fn find_alive(&mut self) {
        let count = self.state_count();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); count];
        for state in 0..count {
            let mut targets = self.next[state * self.class_count..][..self.class_count].to_vec();
            targets.sort_unstable();
            targets.dedup();
            for target in targets.into_iter().filter(|&target| target != DEAD) {
                users[target as usize].push(state as u32);
            }
        }
        let mut is_open = vec![true; count];
        let mut open: Vec<u32> = (0..count as u32).collect();
        for state in 0..count {
            for at in self.match_range(state as u32) {
                self.alive.insert(state, self.matches[at]);
            }
        }
        while let Some(state) = open.pop() {
            is_open[state as usize] = false;
            for &user in &users[state as usize] {
                if self.alive.union(user as usize, state as usize)
                    && !std::mem::replace(&mut is_open[user as usize], true)
                {
                    open.push(user);
                }
            }
        }
    }

    /// Whether a state is ever entered by a byte: the first one may not be.
    pub(super) fn is_entered(&self, state: u32) -> bool {
        state != START || self.next.contains(&START)
    }

    /// The number of states.
    pub(super) fn state_count(&self) -> usize {
        self.match_starts.len() - 1
    }

    /// The state behind a byte.
    #[inline(always)]
    pub(super) fn next(&self, state: u32, byte: u8) -> u32 {
        let class = usize::from(self.classes[usize::from(byte)]);
        self.next[state as usize * self.class_count + class]
    }

    /// The state behind bytes.
    #[inline(always)]
    pub(super) fn run(&self, state: u32, bytes: &[u8]) -> u32 {
        let mut state = state;
        for &byte in bytes {
            if state == DEAD {
                break;
            }
            state = self.next(state, byte);
        }
        state
    }

    #[inline(always)]
    fn match_range(&self, state: u32) -> std::ops::Range<usize> {
        let state = state as usize;
        self.match_starts[state] as usize..self.match_starts[state + 1] as usize
    }

    /// The tokens that match at a state, in their order.
    #[inline(always)]
    pub(super) fn matches(&self, state: u32) -> &[u32] {
        &self.matches[self.match_range(state)]
    }

    /// Whether any token of a set matches at a state or further on.
    #[inline(always)]
    pub(super) fn is_alive(&self, state: u32, set: &[u64]) -> bool {
        let alive = self.alive.row(state as usize);
        alive.iter().zip(set).any(|(alive, set)| alive & set != 0)
    }

    /// Whether a token matches at a state or further on.
    pub(super) fn can_match(&self, state: u32, token: u32) -> bool {
        self.alive.contains(state as usize, token)
    }

    /// A byte of each class and the states that they lead to, those that people like to read first.
    pub(super) fn successors(&self, state: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        self.order.iter().filter_map(move |&byte| {
            let next = self.next(state, byte);
            (next != DEAD).then_some((byte, next))
        })
    }
}

/// A byte of each class, those that people like to read first.
fn readable_first(classes: &[u8; 256]) -> Vec<u8> {
    let mut seen = [false; 256];
    let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z');
    let readable = readable.chain([b'_', b' ']).chain(b'!'..=b'~');
    let is_new =
        |byte: &u8| !std::mem::replace(&mut seen[usize::from(classes[usize::from(*byte)])], true);
    readable.chain(0..=255).filter(is_new).collect()
}

/// The class of each byte, and the first byte of each class.
fn byte_classes(dfa: &dense::DFA<Vec<u32>>) -> ([u8; 256], Vec<u8>) {
    let own = dfa.byte_classes();
    let mut classes = [0; 256];
    let mut representatives: Vec<u8> = Vec::new();
    let mut known = [None; 256];
    for byte in 0..=255u8 {
        let class = usize::from(own.get(byte));
        let id = *known[class].get_or_insert_with(|| {
            representatives.push(byte);
            (representatives.len() - 1) as u8
        });
        classes[usize::from(byte)] = id;
    }
    (classes, representatives)
}

/// All tokens as one NFA, a pattern each.
fn nfa(grammar: &Grammar, tokens: &[Token]) -> Result<thompson::NFA, TooLarge> {
    let mut compiler = Compiler {
        grammar,
        builder: Builder::new(),
        states: 0,
    };
    compiler.builder.set_utf8(false);
    let mut starts = Vec::with_capacity(tokens.len());
    for (at, token) in (0..).zip(tokens) {
        let start = compiler.token(token).ok_or(TooLarge::Token(at))?;
        starts.push(start);
    }
    let builder = &mut compiler.builder;
    let start = builder.add_union(starts).map_err(|_| TooLarge::All)?;
    builder.build(start, start).map_err(|_| TooLarge::All)
}

struct Compiler<'g> {
    grammar: &'g Grammar,
    builder: Builder,
    states: usize,
}

/// What is left to compile; the state to go on with is at hand, and each task puts its own in the place of it.
enum Task {
    /// What a node derives.
    Node(NodeId),
    /// The alternatives from `child` on, to go on at `behind`.
    Alternatives {
        node: NodeId,
        child: usize,
        behind: StateID,
        starts: Vec<StateID>,
    },
    /// So many times the same.
    Copies { subject: NodeId, left: u32 },
    /// Up to so many times the same, to go on at `behind`.
    Optional {
        subject: NodeId,
        left: u32,
        behind: StateID,
    },
    /// What is at hand, or `behind`.
    Either(StateID),
    /// The end of a loop that begins at `joint` and goes on at `behind`.
    Loop { joint: StateID, behind: StateID },
}

impl Compiler<'_> {
    fn token(&mut self, token: &Token) -> Option<StateID> {
        self.builder.start_pattern().ok()?;
        let end = self.builder.add_match().ok()?;
        let start = match token.origin {
            Origin::Literal(literal) => {
                let is_caseless = self.grammar.is_caseless(literal);
                self.literal(&self.grammar[literal], is_caseless, end)?
            }
            Origin::Class(class) => self.class(&self.grammar[class], end)?,
            Origin::Production(production) => self.node(self.grammar[production].root, end)?,
        };
        self.builder.finish_pattern(start).ok()?;
        Some(start)
    }

    /// Counts a state; `None` if there are too many.
    fn count(&mut self) -> Option<()> {
        self.states += 1;
        (self.states <= MOST_NFA_STATES).then_some(())
    }

    fn union(&mut self, states: Vec<StateID>) -> Option<StateID> {
        self.count()?;
        self.builder.add_union(states).ok()
    }

    /// The first state of what a node derives, which goes on at `end`.
    fn node(&mut self, node: NodeId, end: StateID) -> Option<StateID> {
        let mut at = end;
        let mut tasks = vec![Task::Node(node)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Node(node) => at = self.enter(node, at, &mut tasks)?,
                Task::Alternatives {
                    node,
                    child,
                    behind,
                    mut starts,
                } => {
                    if child > 0 {
                        starts.push(at);
                    }
                    match self.grammar.children(node).get(child) {
                        Some(&alternative) => {
                            at = behind;
                            tasks.push(Task::Alternatives {
                                node,
                                child: child + 1,
                                behind,
                                starts,
                            });
                            tasks.push(Task::Node(alternative));
                        }
                        None => at = self.union(starts)?,
                    }
                }
                Task::Copies { subject, left } => {
                    if let Some(left) = left.checked_sub(1) {
                        self.count()?;
                        tasks.push(Task::Copies { subject, left });
                        tasks.push(Task::Node(subject));
                    }
                }
                Task::Optional {
                    subject,
                    left,
                    behind,
                } => {
                    if let Some(left) = left.checked_sub(1) {
                        tasks.push(Task::Optional {
                            subject,
                            left,
                            behind,
                        });
                        tasks.push(Task::Either(behind));
                        tasks.push(Task::Node(subject));
                    }
                }
                Task::Either(behind) => at = self.union(vec![at, behind])?,
                Task::Loop { joint, behind } => {
                    self.builder.patch(joint, at).ok()?;
                    self.builder.patch(joint, behind).ok()?;
                    at = joint;
                }
            }
        }
        Some(at)
    }

    /// Compiles a node that goes on at `at`, or leaves that to tasks.
    fn enter(&mut self, node: NodeId, at: StateID, tasks: &mut Vec<Task>) -> Option<StateID> {
        let grammar = self.grammar;
        // What derives nothing could be copied without end.
        self.count()?;
        match grammar[node].kind {
            NodeKind::Literal(literal) => {
                return self.literal(&grammar[literal], grammar.is_caseless(literal), at);
            }
            NodeKind::Class(class) => return self.class(&grammar[class], at),
            NodeKind::Reference(target) => tasks.push(Task::Node(grammar[target].root)),
            NodeKind::Concatenation => {
                // The last one is compiled first.
                tasks.extend(
                    grammar
                        .children(node)
                        .iter()
                        .map(|&child| Task::Node(child)),
                );
            }
            NodeKind::Alternation => {
                // One of many classes is read by one state, as a class is.
                if let Some(class) = self.one_of(node) {
                    return self.class(&class, at);
                }
                tasks.push(Task::Alternatives {
                    node,
                    child: 0,
                    behind: at,
                    starts: Vec::new(),
                });
            }
            NodeKind::Quantifier { min, max } => {
                let &subject = grammar.children(node).first()?;
                tasks.push(Task::Copies { subject, left: min });
                match max {
                    Some(max) => tasks.push(Task::Optional {
                        subject,
                        left: max - min,
                        behind: at,
                    }),
                    None => {
                        let joint = self.union(Vec::new())?;
                        tasks.push(Task::Loop { joint, behind: at });
                        tasks.push(Task::Node(subject));
                        return Some(joint);
                    }
                }
            }
        }
        Some(at)
    }

    /// The class that an alternation is, if all that it derives is single characters or bytes.
    fn one_of(&self, node: NodeId) -> Option<CharClass> {
        /// The most nodes looked at.
        const MOST: usize = 1 << 14;
        let grammar = self.grammar;
        let (mut chars, mut bytes) = (Vec::new(), Vec::new());
        let mut rest = vec![node];
        let mut looked_at = 0;
        while let Some(node) = rest.pop() {
            looked_at += 1;
            if looked_at > MOST {
                return None;
            }
            match grammar[node].kind {
                NodeKind::Class(class) => {
                    chars.extend_from_slice(grammar[class].chars());
                    bytes.extend_from_slice(grammar[class].bytes());
                }
                NodeKind::Literal(literal) => {
                    let mut text = std::str::from_utf8(&grammar[literal]).ok()?.chars();
                    let (Some(char), None) = (text.next(), text.next()) else {
                        return None;
                    };
                    chars.push((char, char));
                    if grammar.is_caseless(literal) {
                        let other = (char as u8 ^ 0x20) as char;
                        chars.push((other, other));
                    }
                }
                NodeKind::Reference(target) => rest.push(grammar[target].root),
                NodeKind::Alternation => rest.extend(grammar.children(node)),
                NodeKind::Concatenation | NodeKind::Quantifier { .. } => return None,
            }
        }
        CharClass::new(&chars, &bytes)
    }

    fn literal(&mut self, text: &[u8], is_caseless: bool, end: StateID) -> Option<StateID> {
        let mut at = end;
        for &byte in text.iter().rev() {
            self.count()?;
            let (low, high) = (byte.to_ascii_uppercase(), byte.to_ascii_lowercase());
            at = if is_caseless && low != high {
                self.sparse(&[(low, low), (high, high)], at)?
            } else {
                self.sparse(&[(byte, byte)], at)?
            };
        }
        Some(at)
    }

    fn sparse(&mut self, ranges: &[(u8, u8)], next: StateID) -> Option<StateID> {
        let transitions = ranges
            .iter()
            .map(|&(start, end)| Transition { start, end, next });
        self.builder.add_sparse(transitions.collect()).ok()
    }

    fn class(&mut self, class: &CharClass, end: StateID) -> Option<StateID> {
        let mut sequences: Vec<Sequence> = Vec::new();
        for &(low, high) in class.chars() {
            sequences.extend(Utf8Sequences::new(low, high).map(|sequence| {
                let ranges = sequence.as_slice().iter();
                ranges.map(|range| (range.start, range.end)).collect()
            }));
        }
        sequences.sort_unstable();
        let mut starts: Vec<StateID> = Vec::new();
        if !sequences.is_empty() {
            starts.push(self.characters(&sequences, 0, end, &mut BTreeMap::new())?);
        }
        if !class.bytes().is_empty() {
            self.count()?;
            starts.push(self.sparse(class.bytes(), end)?);
        }
        match starts[..] {
            [only] => Some(only),
            _ => self.union(starts),
        }
    }

    /// The state that reads any of some sequences from their `depth`-th range on: one state for each distinct rest, so that reading a
    /// character is deterministic from the start. Sequences of characters have equal ranges or disjoint ones in each place.
    fn characters(
        &mut self,
        sequences: &[Sequence],
        depth: usize,
        end: StateID,
        known: &mut BTreeMap<Vec<(u8, u8, StateID)>, StateID>,
    ) -> Option<StateID> {
        let mut transitions: Vec<(u8, u8, StateID)> = Vec::new();
        for group in sequences.chunk_by(|a, b| a[depth] == b[depth]) {
            let (low, high) = group[0][depth];
            let next = match group[0].len() == depth + 1 {
                true => end,
                // A character has four bytes at most.
                false => self.characters(group, depth + 1, end, known)?,
            };
            match transitions.last_mut() {
                Some(last) if last.2 == next && last.1.checked_add(1) == Some(low) => last.1 = high,
                _ => transitions.push((low, high, next)),
            }
        }
        if let Some(&state) = known.get(&transitions) {
            return Some(state);
        }
        self.count()?;
        let all = transitions
            .iter()
            .map(|&(start, end, next)| Transition { start, end, next });
        let state = self.builder.add_sparse(all.collect()).ok()?;
        known.insert(transitions, state);
        Some(state)
    }
}

/// The ranges of the bytes of characters, one for each byte.
type Sequence = Vec<(u8, u8)>;
