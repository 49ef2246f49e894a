//! The canonical derivation of a text: one way through the chart, and its choices.
//!
//! The way is found from the end of the text. Where a derivation could have gone on from here in several ways, it takes
//!
//! 1. a terminal before a reference, and the reference whose text begins last: `1+1+1` under `E := E "+" E | "1"` groups to
//!    the left;
//! 2. what was discovered first in the chart, which reads from left to right;
//! 3. within a right side, what is written first.
//!
//! A production that derives itself on the same text does so as few times as possible. What derives nothing takes the
//! lowest derivation, and the first alternative among equals. All of this is a function of the grammar and the text.
//!
//! Linear in the derivation; each decision looks at all ways that there are.

use std::collections::VecDeque;

use crate::choice::Encoder;
use crate::grammar::{Member, NodeKind};
use crate::id::{ClassId, NodeId};

use super::Refusal;
use super::alphabet::wide_char;
use super::chart::{Chart, Link, NONE, push};
use super::late::Late;
use super::lexed::{Codes, Lexed};
use super::machine::{Event, Reads};
use super::map::Set;
use super::subset::{EXIT, Subsets};
use super::tables::Tables;

/// The buffers of a search for the canonical derivation.
#[derive(Default)]
pub(super) struct Canonical {
    /// Steps from the last to the first.
    steps: Vec<u32>,
    /// Where a class reads a byte though a character begins there, from the last to the first.
    raw: Vec<usize>,
    /// Whether there was never a choice: the derivation is the only one, but for what derives nothing.
    is_only: bool,
    stack: Vec<Return>,
    /// Nodes to derive nothing from; `None` is a quantifier's stop.
    nodes: Vec<Option<NodeId>>,
}

/// Where to go on when the text of a call has been passed.
#[derive(Clone, Copy)]
struct Return {
    step: u32,
    item: u32,
    state: u32,
}

/// The item, link and state to go back by.
#[derive(Clone, Copy)]
struct Forced {
    item: u32,
    link: Link,
}

/// What the search works on.
pub(super) struct Ground<'a> {
    pub(super) tables: &'a Tables,
    pub(super) subsets: &'a mut Subsets,
    pub(super) chart: &'a mut Chart,
    pub(super) late: &'a mut Late,
    pub(super) text: &'a [u8],
    /// What the text stands for, if it is the codes of tokens.
    pub(super) lexed: Option<(&'a Lexed, &'a Codes)>,
}

impl Ground<'_> {
    /// The label of what a link reads that ends at `offset`, and the offset where that begins.
    #[inline]
    pub(super) fn label(&self, link: Link, offset: usize) -> (u32, usize) {
        let alphabet = &self.tables.alphabet;
        if link.child != NONE {
            let child = &self.chart.completions[link.child as usize];
            return (alphabet.count() + child.machine, child.start as usize);
        }
        let before = self.chart.offset_before(self.text, link.pred, offset);
        if before + 1 == offset {
            return (alphabet.byte(self.text[before]), before);
        }
        match alphabet.wide_char(self.text, before) {
            Some((label, _)) => (label, before),
            None => (alphabet.byte(self.text[before]), before),
        }
    }

    /// The completion of the whole text.
    pub(super) fn root(&self) -> u32 {
        let end = self.text.len() as u32;
        let completions = self
            .chart
            .completions
            .iter()
            .rposition(|known| (known.machine, known.start, known.end) == (0, 0, end));
        completions.map_or(NONE, |at| at as u32)
    }
}

impl Canonical {
    /// The choices of the derivation that was found.
    pub(super) fn write(&mut self, ground: &Ground<'_>) -> Result<Encoder, Refusal> {
        let offset = ground.text.len();
        let mut encoder = Encoder::new();
        if ground.text.is_empty() {
            let root = ground.tables.start_root();
            if Subsets::is_too_long(ground.tables, root) {
                return Err(Refusal::OutOfMemory { offset });
            }
            encode_empty(ground.tables, root, &mut encoder, &mut self.nodes);
        } else if self.encode(ground, &mut encoder).is_none() {
            return Err(Refusal::OutOfMemory { offset });
        }
        Ok(encoder)
    }

    /// The steps of the derivation that was found, from the first to the last.
    pub(super) fn steps(&self) -> impl Iterator<Item = u32> + '_ {
        self.steps.iter().rev().copied()
    }

    /// Forgets the derivation that was found, for another one to be put down here.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.raw.clear();
    }

    /// The steps of another derivation, from the last to the first.
    pub(super) fn steps_mut(&mut self) -> &mut Vec<u32> {
        &mut self.steps
    }

    /// The class of the step that was put down last read this part of the text.
    pub(super) fn read_class(&mut self, text: &[u8], before: usize, offset: usize) {
        if before + 1 == offset && wide_char(text, before).is_some() {
            self.raw.push(before);
        }
    }

    /// Whether the derivation that was found is the only one, but for what derives nothing.
    pub(super) fn is_only(&self) -> bool {
        self.is_only
    }

    /// Finds the derivation of a text that is not empty.
    pub(super) fn find(&mut self, ground: &mut Ground<'_>) -> Result<(), Refusal> {
        self.is_only = true;
        self.steps.clear();
        self.raw.clear();
        self.stack.clear();
        let mut forced: VecDeque<Forced> = VecDeque::new();
        let mut offset = ground.text.len();
        let mut counted = 0;
        let root = ground.root();
        let (mut item, mut state) = self.enter(ground, root, &mut forced);
        loop {
            if forced.is_empty() {
                (item, state, offset) = self.pass_bytes(ground, item, state, offset);
            }
            let first = ground.chart.items[item as usize];
            let Some(link) = (match forced.front() {
                Some(next) if next.item == item => forced.pop_front().map(|forced| forced.link),
                _ => self.choose(ground, item, offset),
            }) else {
                // The first item of a machine: the call is behind us.
                debug_assert_eq!(first.origin as usize, offset);
                let Some(back) = self.stack.pop() else {
                    return ground.chart.check(ground.subsets, offset);
                };
                // What led to the call comes before it.
                push(&mut self.steps, back.step);
                (item, state) = (back.item, back.state);
                continue;
            };
            let (label, before) = ground.label(link, offset);
            let subset = ground.chart.items[link.pred as usize].subset;
            let steps = ground.subsets.steps(ground.tables, subset, label, state);
            debug_assert!(!steps.is_empty(), "an item without a way to it");
            self.is_only &= steps.len() == 1;
            let step = steps.start as u32;
            let from = ground.subsets.step(step).from;
            if link.child == NONE {
                push(&mut self.steps, step);
                if matches!(ground.subsets.step(step).reads, Reads::Class(_)) {
                    self.read_class(ground.text, before, offset);
                }
                (item, state) = (link.pred, from);
                offset = before;
            } else {
                self.stack.push(Return {
                    step,
                    item: link.pred,
                    state: from,
                });
                (item, state) = self.enter(ground, link.child, &mut forced);
            }
            let passed = self.steps.len() - counted;
            if passed >= 0x1000 {
                counted += passed;
                ground.chart.steps += passed as u64;
                ground.chart.check(ground.subsets, offset)?;
            }
        }
    }

    /// Goes back as long as there is nothing but one byte of ASCII to go back by: what most texts consist of.
    #[inline]
    fn pass_bytes(
        &mut self,
        ground: &Ground<'_>,
        mut item: u32,
        mut state: u32,
        mut offset: usize,
    ) -> (u32, u32, usize) {
        while let Some(pred) = ground.chart.only_byte(item)
            && let Some(&byte @ 0..0x80) = ground.text.get(offset.wrapping_sub(1))
        {
            let subset = ground.chart.items[pred as usize].subset;
            let label = ground.tables.alphabet.byte(byte);
            let Some((step, from)) = ground.subsets.only_step(subset, label, state) else {
                break;
            };
            push(&mut self.steps, step);
            (item, state) = (pred, from);
            offset -= 1;
        }
        (item, state, offset)
    }

    /// The item and the state that a completion ends with.
    fn enter(
        &mut self,
        ground: &mut Ground<'_>,
        completion: u32,
        forced: &mut VecDeque<Forced>,
    ) -> (u32, u32) {
        ground
            .late
            .complete(ground.tables, ground.subsets, ground.chart, completion);
        if ground.tables.is_cyclic && forced.is_empty() {
            *forced = way_out(ground, completion);
            self.is_only &= forced
                .iter()
                .all(|forced| ground.chart.links(forced.item).nth(1).is_none());
        }
        let item = match forced.front() {
            Some(next) => next.item,
            None => ground.chart.finals(completion).next().unwrap_or(0),
        };
        self.is_only &= ground.chart.finals(completion).nth(1).is_none();
        let machine = ground.chart.completions[completion as usize].machine;
        let exit = ground.tables.machines.machines[machine as usize].exit;
        let subset = ground.chart.items[item as usize].subset;
        let steps = ground.subsets.steps(ground.tables, subset, EXIT, exit);
        self.is_only &= steps.len() == 1;
        let step = steps.start as u32;
        push(&mut self.steps, step);
        (item, ground.subsets.step(step).from)
    }

    /// The link to go back by: rules 1 and 2 of the module.
    #[inline]
    fn choose(&mut self, ground: &Ground<'_>, item: u32, offset: usize) -> Option<Link> {
        let start = |link: &Link| match link.child {
            NONE => offset as u32,
            child => ground.chart.completions[child as usize].start,
        };
        let mut links = ground.chart.links(item);
        let mut best = links.next()?;
        for link in links {
            self.is_only = false;
            if start(&link) > start(&best) {
                best = link;
            }
        }
        Some(best)
    }

    /// Writes the choices of the steps, first to last; `None` if they are too many.
    fn encode(&self, ground: &Ground<'_>, encoder: &mut Encoder) -> Option<()> {
        let mut offset = 0;
        let mut raw = self.raw.iter().rev().peekable();
        for &step in self.steps.iter().rev() {
            let taken = ground.subsets.step(step);
            match taken.short_choices() {
                Some((choices, len, kept)) => encoder.append_short(choices, len, kept),
                None => {
                    let (choices, kept) = ground.subsets.choices(step)?;
                    encoder.append(choices, kept);
                }
            }
            match taken.reads {
                Reads::Byte(_) | Reads::Letter(_) => {
                    offset += 1;
                    if let Some((lexed, codes)) = ground.lexed
                        && offset % codes.width == 0
                    {
                        let (choices, kept) = lexed.choices(offset / codes.width - 1);
                        encoder.append(choices, kept);
                    }
                }
                Reads::Class(class) => {
                    let is_raw = raw.next_if_eq(&&offset).is_some();
                    offset += member(ground.tables, class, ground.text, offset, is_raw, encoder);
                }
                Reads::Nothing | Reads::Call(_) => {}
            }
        }
        Some(())
    }
}

/// Writes the choices of an event.
pub(super) fn encode(
    tables: &Tables,
    event: Event,
    encoder: &mut Encoder,
    nodes: &mut Vec<Option<NodeId>>,
) {
    match event {
        Event::Alternative(node, index) => {
            let (count, default) = tables.alternations[node];
            encoder.alternative(index, count, default);
        }
        Event::More(_) => encoder.more(true),
        Event::Stop(_) => encoder.more(false),
        Event::Empty(node, _, times) => {
            for _ in 0..times {
                encode_empty(tables, node, encoder, nodes);
            }
        }
        Event::None | Event::Symbol(..) | Event::Enter(_) | Event::Repeats(_) => {}
    }
}

/// Writes the choices of a node's canonical empty derivation.
fn encode_empty(
    tables: &Tables,
    node: NodeId,
    encoder: &mut Encoder,
    nodes: &mut Vec<Option<NodeId>>,
) {
    let grammar = tables.graph.grammar();
    nodes.push(Some(node));
    while let Some(next) = nodes.pop() {
        let Some(node) = next else {
            encoder.more(false);
            continue;
        };
        match grammar[node].kind {
            NodeKind::Alternation => {
                let index = tables.empty.alternative(grammar, node);
                let (count, default) = tables.alternations[node];
                encoder.alternative(index, count, default);
                nodes.push(Some(grammar.children(node)[index as usize]));
            }
            NodeKind::Quantifier { min, max } => {
                // The stop, where it is asked for, comes behind the mandatory repetitions.
                if max != Some(min) {
                    nodes.push(None);
                }
                let child = grammar.children(node)[0];
                nodes.extend((0..min).map(|_| Some(child)));
            }
            _ => {
                let parts = tables.empty.parts(grammar, node).rev();
                nodes.extend(parts.map(|(_, child)| Some(child)));
            }
        }
    }
}

/// Writes the choice of the member that the text has at `offset`, as a byte if it `is_raw`, and gives its length.
fn member(
    tables: &Tables,
    class: ClassId,
    text: &[u8],
    offset: usize,
    is_raw: bool,
    encoder: &mut Encoder,
) -> usize {
    let reader = &tables.classes[class];
    let byte = text[offset];
    if reader.encode_ascii(byte, encoder) {
        return 1;
    }
    let wide = wide_char(text, offset).filter(|_| !is_raw);
    let wide = wide.map(|char| (Member::Char(char), char.len_utf8()));
    let raw = (Member::Byte(byte), 1);
    for (member, len) in wide.into_iter().chain([raw]) {
        if let Some(choice) = reader.code.choice(member) {
            encoder.member(&reader.code, choice);
            return len;
        }
    }
    1
}

/// Writes the choice of the member of a class that a text is.
pub(super) fn encode_member(tables: &Tables, class: ClassId, text: &[u8], encoder: &mut Encoder) {
    if !text.is_empty() {
        // A character that is not a member is read as a byte that is one.
        let is_raw = wide_char(text, 0).is_some_and(|wide| wide.len_utf8() != text.len());
        member(tables, class, text, 0, is_raw, encoder);
    }
}

/// The way from a completion to the first one on the same text that is not only another one on the same text.
fn way_out(ground: &mut Ground<'_>, completion: u32) -> VecDeque<Forced> {
    let goal = ground.chart.completions[completion as usize];
    let mut seen: Set<u32> = Set::default();
    seen.insert(completion);
    // Completions, with the place of the one before in this list and the way from it.
    let mut open: Vec<(u32, Option<(usize, Forced)>)> = vec![(completion, None)];
    let mut at = 0;
    while let Some(&(next, _)) = open.get(at) {
        ground
            .late
            .complete(ground.tables, ground.subsets, ground.chart, next);
        let chart = &*ground.chart;
        for item in chart.finals(next) {
            let is_unit = |link: &Link| {
                link.child != NONE && {
                    let child = &chart.completions[link.child as usize];
                    (child.start, child.end) == (goal.start, goal.end)
                }
            };
            let start = |link: &Link| match link.child {
                NONE => goal.end,
                child => chart.completions[child as usize].start,
            };
            let mut out: Option<Link> = None;
            for link in chart.links(item).filter(|link| !is_unit(link)) {
                if out.is_none_or(|out| start(&link) > start(&out)) {
                    out = Some(link);
                }
            }
            if let Some(link) = out {
                let mut way = VecDeque::from([Forced { item, link }]);
                let mut back = open[at].1;
                while let Some((before, forced)) = back {
                    way.push_front(forced);
                    back = open[before].1;
                }
                return way;
            }
            for link in chart.links(item) {
                if seen.insert(link.child) {
                    open.push((link.child, Some((at, Forced { item, link }))));
                }
            }
        }
        at += 1;
    }
    VecDeque::new()
}
