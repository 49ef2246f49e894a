//! Tokens as an NFA, built without recursion from the grammar's nodes.

use std::collections::BTreeMap;

use regex_automata::nfa::thompson::{self, Builder, Transition};
use regex_automata::util::primitives::StateID;
use regex_syntax::utf8::Utf8Sequences;

use crate::grammar::{CharClass, Grammar, NodeKind};
use crate::id::NodeId;

use super::automaton::TooLarge;
use super::tokens::{Origin, Token};

/// The most states.
const MOST_STATES: usize = 1 << 21;

/// Some of the tokens as one NFA, a pattern each.
pub(super) fn nfa(
    grammar: &Grammar,
    tokens: &[Token],
    chosen: &[u32],
) -> Result<thompson::NFA, TooLarge> {
    let mut compiler = Compiler {
        grammar,
        builder: Builder::new(),
        states: 0,
    };
    compiler.builder.set_utf8(false);
    let mut starts = Vec::with_capacity(chosen.len());
    for &at in chosen {
        let start = compiler
            .token(&tokens[at as usize])
            .ok_or(TooLarge::Token(at))?;
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
        (self.states <= MOST_STATES).then_some(())
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
