//! Sets of machine states, made when a text first needs them: the states that a machine can be in behind the same text.
//!
//! This is the subset construction, within each machine: an item of the chart is such a set and where it began, so that a
//! grammar that is regular between its recursions is read by following an automaton. The sets are kept from text to text.
//! They depend on the grammar only; their numbers depend on the order of texts, and nothing else does.

use crate::choice::{Encoder, SHORT};
use crate::id::NodeId;

use super::canonical::encode;
use super::machine::{Event, Reads};
use super::map::Map;
use super::tables::{Ahead, Tables};

/// No set: the machine cannot read that.
pub(super) const DEAD: u32 = u32::MAX;
/// Not computed yet.
const UNKNOWN: u32 = u32::MAX - 1;
/// The label that stands for the end of a machine in [`Subsets::steps`].
pub(super) const EXIT: u32 = u32::MAX;
/// The most events of all ways between two states.
const MOST_EVENTS: usize = 1 << 22;
/// The most nodes of empty derivations that a step makes choices for.
const MOST_EMPTY_NODES: u64 = 1 << 20;
/// The most labels that have a column for each set.
const COLUMNS: u32 = 256;

/// A set of states of one machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subset {
    /// The machine.
    pub(super) machine: u32,
    /// Whether the machine can end here.
    pub(super) is_accepting: bool,
    /// Whether it can do nothing else.
    pub(super) is_complete: bool,
    /// What the text can go on with, from here.
    pub(super) ahead: Ahead,
    kernel: (u32, u32),
    readers: (u32, u32),
    calls: (u32, u32),
}

/// A way from a state through edges to what is read next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Where it begins: at the entry, or behind what was read before.
    pub(super) from: u32,
    /// What is read at its end.
    pub(super) reads: Reads,
    events: (u32, u32),
    /// The choices of the events, encoded, and how many bytes of them close-off would not make.
    choices: (u32, u32),
    kept: u32,
    /// Whether the choices are left out because they are too many: some node derives nothing by a huge derivation.
    is_too_long: bool,
    /// The choices again, if they are few, and their number; [`LONG`] otherwise.
    short: [u8; SHORT],
    short_len: u8,
}

impl Step {
    /// The choices that are made on the step, if they are few: how many, and how many bytes of them close-off would not
    /// make.
    #[inline(always)]
    pub(super) fn short_choices(&self) -> Option<([u8; SHORT], usize, usize)> {
        let few = (self.short, usize::from(self.short_len), self.kept as usize);
        (self.short_len != LONG).then_some(few)
    }
}

/// In [`Step::short_len`]: the choices are not few.
const LONG: u8 = u8::MAX;

/// The steps that were last asked for behind a label.
#[derive(Clone, Copy)]
struct Recent {
    target: u32,
    steps: (u32, u32),
    /// Where the step begins, if there is one only.
    from: u32,
}

/// The sets made so far.
#[derive(Default)]
pub(super) struct Subsets {
    subsets: Vec<Subset>,
    pool: Vec<u32>,
    ids: Map<Box<[u32]>, u32>,
    columns: u32,
    rows: Vec<u32>,
    /// Transitions of labels without a column.
    others: Map<(u32, u32), u32>,
    /// The set of each machine's entry.
    entries: Vec<u32>,
    steps: Vec<Step>,
    events: Vec<Event>,
    found: Map<(u32, u32, u32), (u32, u32)>,
    /// By subset and label, like `rows`: unambiguous grammars hardly ever ask for another.
    recent: Vec<Recent>,
    choices: Vec<u8>,
    seen: Vec<u32>,
    seen_at: u32,
    /// How often all sets were forgotten: numbers of sets and steps hold for one generation.
    pub(super) generation: u64,
    /// States visited while sets and steps were made.
    pub(super) work: u64,
    /// Whether there are more ways between two states than are kept: [`MOST_EVENTS`] or `most_bytes` were not enough.
    pub(super) is_full: bool,
    /// The bytes that the sets may take.
    pub(super) most_bytes: u64,
    kernel: Vec<u32>,
}

impl std::fmt::Debug for Subsets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Subsets({} sets)", self.subsets.len())
    }
}

impl Subsets {
    /// Forgets all sets, to be made anew for these tables.
    pub(super) fn reset(&mut self, tables: &Tables) {
        *self = Subsets {
            generation: self.generation + 1,
            most_bytes: self.most_bytes,
            ..Subsets::default()
        };
        let labels = tables.alphabet.count() + tables.machines.machines.len() as u32;
        self.columns = if labels <= COLUMNS {
            labels
        } else {
            tables.alphabet.byte_count()
        };
        self.entries = vec![UNKNOWN; tables.machines.machines.len()];
        self.seen = vec![0; tables.machines.states.len()];
    }

    /// The bytes that the sets take.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.subsets.len() * (size_of::<Subset>() + 64)
            + self.pool.len() * 8
            + self.rows.len() * (4 + size_of::<Recent>())
            + self.choices.len()
            + self.others.len() * 32
            + self.steps.len() * size_of::<Step>()
            + self.found.len() * 64
            + self.events.len() * size_of::<Event>()
    }

    /// A set.
    #[inline(always)]
    pub(super) fn get(&self, subset: u32) -> &Subset {
        &self.subsets[subset as usize]
    }

    /// The machines that a set calls, in order.
    #[inline(always)]
    pub(super) fn calls(&self, subset: u32) -> std::ops::Range<usize> {
        let (start, end) = self.subsets[subset as usize].calls;
        start as usize..end as usize
    }

    /// A machine of [`Subsets::calls`].
    #[inline(always)]
    pub(super) fn call(&self, at: usize) -> u32 {
        self.pool[at]
    }

    /// The states of a set that read something.
    pub(super) fn readers(&self, subset: u32) -> &[u32] {
        let (start, end) = self.subsets[subset as usize].readers;
        &self.pool[start as usize..end as usize]
    }

    /// The set that a machine begins with.
    pub(super) fn entry(&mut self, tables: &Tables, machine: u32) -> u32 {
        if self.entries[machine as usize] == UNKNOWN {
            let entry = tables.machines.machines[machine as usize].entry;
            self.kernel.clear();
            self.kernel.push(entry);
            self.entries[machine as usize] = self.intern(tables, machine);
        }
        self.entries[machine as usize]
    }

    /// The set behind a label, or [`DEAD`].
    #[inline(always)]
    pub(super) fn next(&mut self, tables: &Tables, subset: u32, label: u32) -> u32 {
        if label < self.columns {
            let next = self.rows[subset as usize * self.columns as usize + label as usize];
            if next != UNKNOWN {
                return next;
            }
        }
        self.compute_next(tables, subset, label)
    }

    #[cold]
    #[inline(never)]
    fn compute_next(&mut self, tables: &Tables, subset: u32, label: u32) -> u32 {
        if label >= self.columns
            && let Some(&next) = self.others.get(&(subset, label))
        {
            return next;
        }
        self.kernel.clear();
        let (start, end) = self.subsets[subset as usize].readers;
        self.work += u64::from(end - start);
        for at in start..end {
            let state = tables.machines.states[self.pool[at as usize] as usize];
            if matches(tables, state.reads, label) {
                self.kernel.push(state.target);
            }
        }
        self.kernel.sort_unstable();
        self.kernel.dedup();
        let next = match self.kernel.is_empty() {
            true => DEAD,
            false => self.intern(tables, self.subsets[subset as usize].machine),
        };
        if label < self.columns {
            self.rows[subset as usize * self.columns as usize + label as usize] = next;
        } else {
            self.others.insert((subset, label), next);
        }
        next
    }

    /// The set of the states in `kernel` and all that edges reach from them.
    fn intern(&mut self, tables: &Tables, machine: u32) -> u32 {
        if let Some(&id) = self.ids.get(self.kernel.as_slice()) {
            return id;
        }
        let id = self.subsets.len() as u32;
        self.ids.insert(self.kernel.as_slice().into(), id);
        let kernel = self.extend(&self.kernel.clone());
        let exit = tables.machines.machines[machine as usize].exit;

        self.seen_at += 1;
        let mut stack = self.kernel.clone();
        stack.reverse();
        let mut readers = Vec::new();
        let mut calls = Vec::new();
        let mut is_accepting = false;
        let mut ahead = Ahead::default();
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut self.seen[state as usize], self.seen_at) == self.seen_at {
                continue;
            }
            let reads = tables.machines.states[state as usize].reads;
            if state == exit {
                is_accepting = true;
                ahead.union(tables.follows[machine as usize]);
            }
            if reads != Reads::Nothing {
                readers.push(state);
                ahead.bytes.union(tables.first_of(reads));
            }
            if let Reads::Call(called) = reads {
                calls.push(called);
            }
            self.work += 1;
            let edges = tables.machines.edges(state).iter().rev();
            stack.extend(edges.map(|edge| edge.other));
        }
        calls.sort_unstable();
        calls.dedup();
        let is_complete = is_accepting && readers.is_empty();
        let readers = self.extend(&readers);
        let calls = self.extend(&calls);
        self.subsets.push(Subset {
            machine,
            is_accepting,
            is_complete,
            ahead,
            kernel,
            readers,
            calls,
        });
        self.rows
            .resize(self.rows.len() + self.columns as usize, UNKNOWN);
        let none = Recent {
            target: UNKNOWN,
            steps: (0, 0),
            from: UNKNOWN,
        };
        self.recent.resize(self.rows.len(), none);
        id
    }

    fn extend(&mut self, items: &[u32]) -> (u32, u32) {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(items);
        (start, self.pool.len() as u32)
    }

    /// The ways from the kernel of `subset` to a state that reads `label` and leads to `target` ([`EXIT`]: to the exit,
    /// which `target` is), in order of preference.
    #[inline]
    pub(super) fn steps(
        &mut self,
        tables: &Tables,
        subset: u32,
        label: u32,
        target: u32,
    ) -> std::ops::Range<usize> {
        if label < self.columns {
            let at = subset as usize * self.columns as usize + label as usize;
            if self.recent[at].target == target {
                let (start, end) = self.recent[at].steps;
                return start as usize..end as usize;
            }
        }
        let steps = match self.found.get(&(subset, label, target)) {
            Some(&found) => found,
            None => self.find_steps(tables, subset, label, target),
        };
        if label < self.columns {
            let at = subset as usize * self.columns as usize + label as usize;
            let from = match steps.1 - steps.0 {
                1 => self.steps[steps.0 as usize].from,
                _ => UNKNOWN,
            };
            self.recent[at] = Recent {
                target,
                steps,
                from,
            };
        }
        steps.0 as usize..steps.1 as usize
    }

    /// The only step of [`Subsets::steps`] and where it begins, if that was asked for before.
    #[inline(always)]
    pub(super) fn only_step(&self, subset: u32, label: u32, target: u32) -> Option<(u32, u32)> {
        let at = subset as usize * self.columns as usize + label as usize;
        let recent = self.recent.get(at)?;
        let is_only = recent.target == target && recent.from != UNKNOWN;
        is_only.then_some((recent.steps.0, recent.from))
    }

    /// A step of [`Subsets::steps`].
    #[inline(always)]
    pub(super) fn step(&self, step: u32) -> &Step {
        &self.steps[step as usize]
    }

    /// What happens on a step, in order.
    #[inline(always)]
    pub(super) fn events(&self, step: u32) -> &[Event] {
        let (start, end) = self.steps[step as usize].events;
        &self.events[start as usize..end as usize]
    }

    /// The choices that are made on a step, encoded, and how many bytes of them close-off would not make; `None` if they are
    /// too many.
    #[inline(always)]
    pub(super) fn choices(&self, step: u32) -> Option<(&[u8], usize)> {
        let step = &self.steps[step as usize];
        let choices = &self.choices[step.choices.0 as usize..step.choices.1 as usize];
        (!step.is_too_long).then_some((choices, step.kept as usize))
    }

    /// Whether a node derives nothing by so many nodes that no choices are made for it.
    pub(super) fn is_too_long(tables: &Tables, node: NodeId) -> bool {
        tables.empty.size(node) > MOST_EMPTY_NODES
    }

    #[cold]
    #[inline(never)]
    fn find_steps(&mut self, tables: &Tables, subset: u32, label: u32, target: u32) -> (u32, u32) {
        let machines = &tables.machines;
        let first = self.steps.len() as u32;
        let (start, end) = self.subsets[subset as usize].kernel;
        let kernel: Vec<u32> = self.pool[start as usize..end as usize].to_vec();
        let mut ends = Vec::new();
        if label == EXIT {
            ends.push(target);
        } else {
            let (start, end) = self.subsets[subset as usize].readers;
            for at in start..end {
                let reader = self.pool[at as usize];
                let state = machines.states[reader as usize];
                if state.target == target && matches(tables, state.reads, label) {
                    ends.push(reader);
                }
            }
        }
        // The search may go back to what lies before the ends and behind the kernel; the ends first, they have less around.
        let before = self.seen_at + 1;
        self.seen_at += 2;
        let mut open = ends.clone();
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut self.seen[state as usize], before) != before {
                open.extend(machines.edges_to(state).iter().map(|edge| edge.other));
            }
        }
        open.extend_from_slice(&kernel);
        while let Some(state) = open.pop() {
            if self.seen[state as usize] == before {
                self.seen[state as usize] = self.seen_at;
                open.extend(machines.edges(state).iter().map(|edge| edge.other));
            }
        }
        let events_before = self.events.len();
        let mut path: Vec<Event> = Vec::new();
        let mut stack: Vec<(u32, u32)> = Vec::new();
        'ends: for end in ends {
            let reads = machines.states[end as usize].reads;
            // Depth first, back along the edges: a state and the next of its edges to try.
            path.clear();
            stack.clear();
            stack.push((end, 0));
            while let Some(&mut (state, ref mut next)) = stack.last_mut() {
                if *next == 0 && kernel.binary_search(&state).is_ok() {
                    let happens = path.iter().rev().copied();
                    self.push_step(tables, state, reads, happens);
                    // With one way at least, whatever there is room for.
                    if self.events.len() - events_before > MOST_EVENTS
                        || self.bytes() as u64 > self.most_bytes
                    {
                        self.is_full = true;
                        break 'ends;
                    }
                }
                self.work += 1;
                match machines.edges_to(state).get(*next as usize) {
                    Some(edge) => {
                        *next += 1;
                        if self.seen[edge.other as usize] == self.seen_at {
                            path.push(edge.event);
                            stack.push((edge.other, 0));
                        }
                    }
                    None => {
                        stack.pop();
                        path.pop();
                    }
                }
            }
        }
        let found = (first, self.steps.len() as u32);
        self.found.insert((subset, label, target), found);
        found
    }

    fn push_step(
        &mut self,
        tables: &Tables,
        from: u32,
        reads: Reads,
        events: impl Iterator<Item = Event>,
    ) {
        let start = self.events.len();
        self.events
            .extend(events.filter(|&event| event != Event::None));
        let events = (start as u32, self.events.len() as u32);
        let mut encoder = Encoder::new();
        let mut open = Vec::new();
        let empty_nodes = self.events[start..].iter().map(|&event| match event {
            Event::Empty(node, _, times) => {
                tables.empty.size(node).saturating_mul(u64::from(times))
            }
            _ => 0,
        });
        let is_too_long = empty_nodes.fold(0, u64::saturating_add) > MOST_EMPTY_NODES;
        if !is_too_long {
            for &event in &self.events[start..] {
                encode(tables, event, &mut encoder, &mut open);
            }
        }
        let (choices, kept) = encoder.into_parts();
        let mut short = [0; SHORT];
        let is_short = choices.len() <= SHORT && !is_too_long;
        if is_short {
            short[..choices.len()].copy_from_slice(&choices);
        }
        let start = self.choices.len() as u32;
        self.choices.extend_from_slice(&choices);
        self.steps.push(Step {
            from,
            reads,
            events,
            choices: (start, self.choices.len() as u32),
            kept: kept as u32,
            is_too_long,
            short,
            short_len: if is_short { choices.len() as u8 } else { LONG },
        });
    }
}

/// Whether a state reads a label: of a byte, a character, or behind those a machine.
#[inline]
fn matches(tables: &Tables, reads: Reads, label: u32) -> bool {
    match reads {
        Reads::Nothing => false,
        Reads::Byte(byte) => tables.alphabet.byte(byte) == label,
        Reads::Letter(lower) => {
            let upper = lower.to_ascii_uppercase();
            tables.alphabet.byte(lower) == label || tables.alphabet.byte(upper) == label
        }
        Reads::Class(class) => {
            label < tables.alphabet.count()
                && tables.alphabet.members(class).contains(label as usize)
        }
        Reads::Call(machine) => label == tables.alphabet.count() + machine,
    }
}
