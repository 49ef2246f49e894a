//! All that is known of a grammar before a text is read: alphabet, machines, and what can begin and follow each machine.

use std::sync::Arc;

use crate::choice::{ClassCode, Encoder, MemberChoice};
use crate::grammar::Member;
use crate::graph::{Graph, Measure};
use crate::id::{ClassId, IdVec, NodeId, ProductionId};

use super::alphabet::{Alphabet, Bytes};
use super::empty::Empty;
use super::inline;
use super::lexed::Codes;
use super::machine::{Machines, Reads};

/// The bytes, and perhaps the end, that a text can go on with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Ahead {
    /// The bytes.
    pub(super) bytes: Bytes,
    /// Whether the text can end.
    pub(super) end: bool,
}

impl Ahead {
    /// Whether the text can go on with `next`; `None` is its end.
    #[inline(always)]
    pub(super) fn allows(self, next: Option<u32>) -> bool {
        match next {
            Some(label) => self.bytes.contains(label),
            None => self.end,
        }
    }

    pub(super) fn union(&mut self, other: Ahead) -> bool {
        let grown = self.bytes.union(other.bytes) | (other.end && !self.end);
        self.end |= other.end;
        grown
    }
}

/// A class, ready for being read.
#[derive(Debug)]
pub(super) struct ClassReader {
    pub(super) code: ClassCode,
    /// The heads of the members that are ASCII, plus one; 0 for no member.
    heads: Box<[u16; 128]>,
    /// Whether a choice of a head takes one byte, and close-off's.
    has_byte_heads: bool,
    default_head: u32,
}

impl ClassReader {
    /// Writes the choice of a member that is ASCII, if the class has it.
    #[inline(always)]
    pub(super) fn encode_ascii(&self, byte: u8, encoder: &mut Encoder) -> bool {
        let Some(head) = self.ascii_head(byte) else {
            return false;
        };
        match self.has_byte_heads {
            true => encoder.byte(head as u8, head == self.default_head),
            false => encoder.member(&self.code, MemberChoice { head, rest: 0 }),
        }
        true
    }

    /// The head of a member that is ASCII, if the class has it.
    #[inline]
    fn ascii_head(&self, byte: u8) -> Option<u32> {
        let head = self.heads.get(usize::from(byte)).copied().unwrap_or(0);
        u32::from(head).checked_sub(1)
    }
}

/// The tables of a grammar. Immutable.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) graph: Arc<Graph>,
    /// The production that texts are derived from.
    pub(super) start: ProductionId,
    pub(super) alphabet: Alphabet,
    pub(super) empty: Empty,
    pub(super) machines: Machines,
    pub(super) classes: IdVec<ClassId, ClassReader>,
    /// The number of alternatives and close-off's, by alternation.
    pub(super) alternations: IdVec<NodeId, (u32, u32)>,
    /// What each machine's texts begin with.
    pub(super) firsts: Vec<Bytes>,
    /// What can come behind each machine's texts.
    pub(super) follows: Vec<Ahead>,
    /// Whether a machine can derive itself on the same text.
    pub(super) is_cyclic: bool,
    /// The codes of tokens, if texts are cut into tokens.
    pub(super) codes: Option<Codes>,
}

impl Tables {
    /// Compiles the tables for the texts of a production.
    pub(super) fn new(graph: &Arc<Graph>, start: ProductionId) -> Tables {
        let grammar = &**graph.grammar();
        let codes = Codes::new(graph, start);
        let token = |node| match &codes {
            Some(_) => graph.lexicon().and_then(|lexicon| lexicon.token_of(node)),
            None => None,
        };
        let is_token = |node| token(node).is_some();
        let code = |node| {
            let code = token(node).zip(codes.as_ref());
            code.map(|(token, codes)| codes.code(token).collect())
        };
        let alphabet = match &codes {
            Some(_) => Alphabet::of_codes(grammar),
            None => Alphabet::new(grammar),
        };
        let empty = Empty::new(grammar, is_token);
        let plan = inline::plan(grammar, start, is_token);
        let machines = Machines::new(grammar, start, &empty, &plan, &code);
        let shortest = graph.shortest(Measure::Nodes);
        let alternations = grammar.nodes().ids().map(|node| {
            let count = grammar.children(node).len() as u32;
            (count, shortest.alternative(node))
        });
        let classes = grammar.classes().iter().map(|(_, class)| {
            let code = ClassCode::new(class);
            let mut heads = Box::new([0; 128]);
            for (byte, head) in (0u8..).zip(heads.iter_mut()) {
                let choice = code.choice(Member::Char(char::from(byte)));
                *head = choice.map_or(0, |choice| choice.head as u16 + 1);
            }
            ClassReader {
                has_byte_heads: (2..=256).contains(&code.head_count()),
                default_head: code.default_head(),
                code,
                heads,
            }
        });
        let mut tables = Tables {
            alternations: alternations.collect(),
            classes: classes.collect(),
            firsts: vec![Bytes::default(); machines.machines.len()],
            follows: vec![Ahead::default(); machines.machines.len()],
            is_cyclic: false,
            codes,
            start,
            graph: graph.clone(),
            alphabet,
            empty,
            machines,
        };
        tables.look_ahead();
        tables
    }

    /// What a machine's states can read from `state` on: calls `found` for each state that reads something, or is the exit.
    fn reachable(&self, state: u32, seen: &mut Seen, mut found: impl FnMut(u32)) {
        seen.begin(self.machines.states.len());
        seen.push(state);
        while let Some(state) = seen.stack.pop() {
            found(state);
            for edge in self.machines.edges(state) {
                seen.push(edge.other);
            }
        }
    }

    fn look_ahead(&mut self) {
        let count = self.machines.machines.len();
        let mut seen = Seen::default();
        // The machines that each one's texts can begin with, by what they begin; and the other way round for ends.
        let mut begun_by: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut firsts = vec![Bytes::default(); count];
        for (id, machine) in (0..).zip(&self.machines.machines) {
            self.reachable(machine.entry, &mut seen, |state| {
                match self.machines.states[state as usize].reads {
                    Reads::Nothing => {}
                    Reads::Call(other) => begun_by[other as usize].push(id),
                    reads => {
                        firsts[id as usize].union(self.first_of(reads));
                    }
                }
            });
        }
        spread(&mut firsts, &begun_by, |to, from| to.union(from));
        self.firsts = firsts;

        let mut follows = vec![Ahead::default(); count];
        follows[0].end = true;
        let mut ended_by: Vec<Vec<u32>> = vec![Vec::new(); count];
        // Calls that can be all that a machine reads.
        let mut units: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut is_initial = vec![false; self.machines.states.len()];
        for machine in &self.machines.machines {
            self.reachable(machine.entry, &mut seen, |state| {
                is_initial[state as usize] = true;
            });
        }
        let aheads = self.aheads();
        for (at, state) in self.machines.states.iter().enumerate() {
            let Reads::Call(called) = state.reads else {
                continue;
            };
            let Ahead { bytes, end } = aheads[state.target as usize];
            if end {
                ended_by[state.machine as usize].push(called);
                if is_initial[at] {
                    units[state.machine as usize].push(called);
                }
            }
            follows[called as usize].bytes.union(bytes);
        }
        spread(&mut follows, &ended_by, |to, from| to.union(from));
        self.follows = follows;
        self.is_cyclic = has_cycle(&units);
    }

    /// What can be read next from each state, and whether its machine can end there. Edges form no cycle, so a state is known
    /// once those behind its edges are.
    fn aheads(&self) -> Vec<Ahead> {
        let machines = &self.machines;
        let mut aheads = vec![Ahead::default(); machines.states.len()];
        let mut is_open = vec![false; machines.states.len()];
        let mut is_done = is_open.clone();
        let mut stack: Vec<u32> = (0..machines.states.len() as u32).collect();
        while let Some(&state) = stack.last() {
            let at = state as usize;
            if is_done[at] {
                stack.pop();
                continue;
            }
            let edges = machines.edges(state).iter();
            if !std::mem::replace(&mut is_open[at], true) {
                let below = edges.map(|edge| edge.other);
                stack.extend(below.filter(|&other| !is_done[other as usize]));
                continue;
            }
            let exit = machines.machines[machines.states[at].machine as usize].exit;
            let mut ahead = Ahead {
                bytes: self.first_of(machines.states[at].reads),
                end: state == exit,
            };
            for edge in edges {
                ahead.union(aheads[edge.other as usize]);
            }
            aheads[at] = ahead;
            is_done[at] = true;
            stack.pop();
        }
        aheads
    }

    /// Whether a machine's texts can begin with a byte; they cannot with the end.
    #[inline(always)]
    pub(super) fn begins(&self, machine: u32, next: Option<u32>) -> bool {
        next.is_some_and(|label| self.firsts[machine as usize].contains(label))
    }

    /// The bytes that what a state reads can begin with.
    pub(super) fn first_of(&self, reads: Reads) -> Bytes {
        match reads {
            Reads::Nothing => Bytes::default(),
            Reads::Byte(byte) => {
                let mut bytes = Bytes::default();
                bytes.insert(self.alphabet.byte(byte));
                bytes
            }
            Reads::Letter(lower) => {
                let mut bytes = Bytes::default();
                bytes.insert(self.alphabet.byte(lower));
                bytes.insert(self.alphabet.byte(lower.to_ascii_uppercase()));
                bytes
            }
            Reads::Class(class) => self.alphabet.firsts(class),
            Reads::Call(machine) => self.firsts[machine as usize],
        }
    }

    /// The root of the production that texts are derived from.
    pub(super) fn start_root(&self) -> NodeId {
        self.graph.grammar()[self.start].root
    }

    /// The bytes that the tables take, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.machines.bytes() + self.alternations.len() * 8
    }
}

/// States seen in a search, forgotten in constant time.
#[derive(Default)]
struct Seen {
    stamps: Vec<u32>,
    stamp: u32,
    stack: Vec<u32>,
}

impl Seen {
    fn begin(&mut self, len: usize) {
        self.stamps.resize(len, 0);
        self.stamp += 1;
        self.stack.clear();
    }

    fn push(&mut self, state: u32) {
        let stamp = &mut self.stamps[state as usize];
        if *stamp != self.stamp {
            *stamp = self.stamp;
            self.stack.push(state);
        }
    }
}

/// Adds what each has to those that it is listed for, until nothing changes.
fn spread<T: Copy>(sets: &mut [T], to: &[Vec<u32>], mut union: impl FnMut(&mut T, T) -> bool) {
    let mut open: Vec<u32> = (0..sets.len() as u32).collect();
    while let Some(from) = open.pop() {
        let set = sets[from as usize];
        for &target in &to[from as usize] {
            if union(&mut sets[target as usize], set) {
                open.push(target);
            }
        }
    }
}

/// Whether a directed graph has a cycle.
fn has_cycle(next: &[Vec<u32>]) -> bool {
    let mut incoming = vec![0u32; next.len()];
    for &target in next.iter().flatten() {
        incoming[target as usize] += 1;
    }
    let mut free: Vec<usize> = (0..next.len()).filter(|&at| incoming[at] == 0).collect();
    let mut removed = 0;
    while let Some(at) = free.pop() {
        removed += 1;
        for &target in &next[at] {
            incoming[target as usize] -= 1;
            if incoming[target as usize] == 0 {
                free.push(target as usize);
            }
        }
    }
    removed < next.len()
}
