//! The chart: Earley's algorithm over sets of machine states.
//!
//! An item of set `j` is a subset of a machine's states and the offset where the machine began: what the machine can be
//! doing behind `j` bytes. Items come from items of earlier sets by reading a byte or a character, or from an item of the
//! set where a called machine began, once that is complete; each item keeps every way it came about, so that the chart is
//! the packed forest. Since nothing empty is ever parsed ([`super::empty`]), the set where a complete machine began is
//! finished when it is asked.
//!
//! Items that cannot go on with the next byte are not made. Right recursion is completed in one step (Leo, 1991): where
//! exactly one item waits for a machine and would be complete itself, whoever waits for *that* is advanced instead,
//! and what was left out is made when a derivation needs it ([`super::late`]).
//!
//! Time and memory are linear for grammars that are LR-regular, quadratic for unambiguous ones, cubic in general.

use super::map::{Episodic, Map, Set};
use super::subset::{DEAD, Subsets};
use super::tables::Tables;
use super::{Budget, Refusal};

/// No item, completion or link.
pub(super) const NONE: u32 = u32::MAX;
/// Sets of more items are searched by a table.
const SMALL: usize = 12;
/// The most bytes that a chart may take: no table of it then has 2^31 entries.
const MOST_BYTES: u64 = 16 << 30;
/// In [`Item::child`]: there are more links, in [`Chart::links`].
const MORE: u32 = 1 << 31;

/// A subset of a machine's states, and how it came about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The subset.
    pub(super) subset: u32,
    /// Where the machine began.
    pub(super) origin: u32,
    pred: u32,
    child: u32,
}

/// How an item came about: from an item, by a completion or (with [`NONE`]) by what the text has there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub(super) pred: u32,
    pub(super) child: u32,
}

#[derive(Clone, Copy, Debug)]
struct Chained<T> {
    value: T,
    next: u32,
}

/// A text that a machine derives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion {
    pub(super) machine: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The first item that is complete so, or [`NONE`] where only [`super::late`] makes one.
    item: u32,
    /// Further items, chained.
    more: u32,
    /// Completions that right recursion led here from, chained.
    pub(super) sources: u32,
}

/// How much is left out because of what comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pruning {
    /// Whatever cannot go on.
    Full,
    /// The same, but behind the last byte everything goes on.
    UpToEnd,
    /// Nothing.
    None,
}

/// The sets of a text's prefixes.
#[derive(Default)]
pub(super) struct Chart {
    pub(super) items: Vec<Item>,
    /// The first item of each set, and the end of the last.
    pub(super) sets: Vec<u32>,
    pub(super) completions: Vec<Completion>,
    /// Links beyond an item's first: chained, from [`Chart::chains`].
    links: Vec<Chained<Link>>,
    /// The first and the last of an item's further links.
    chains: Map<u32, (u32, u32)>,
    /// Complete items beyond a completion's first, and sources.
    finals: Vec<Chained<u32>>,
    /// Where completions of the current set begin.
    completed_from: usize,
    item_table: Episodic,
    completion_table: Episodic,
    predicted: Vec<u32>,
    /// Items that a character leads to, by set modulo 4.
    pending: [Vec<(u32, u32, u32)>; 4],
    /// Items of big sets by the machine that they wait for: where they stand in `waiters`.
    waiting: Map<(u32, u32), (u32, u32)>,
    waiters: Vec<u32>,
    indexed: Set<u32>,
    /// Where right recursion leads a completion, by origin and machine.
    tops: Map<(u32, u32), Top>,
    path: Vec<(u32, u32)>,
    pub(super) steps: u64,
    budget: Budget,
    /// The greatest offset that a prefix was read up to.
    pub(super) reached: usize,
    /// The greatest offset at which the start symbol was complete.
    pub(super) accepted: Option<usize>,
    fixed_bytes: usize,
}

/// Where right recursion leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Top {
    /// Nowhere: the completion is treated as any other.
    Here,
    /// To the completion of a machine that began at an offset.
    At { machine: u32, origin: u32 },
}

impl std::fmt::Debug for Chart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Chart({} sets, {} items, {} completions, {} further links)",
            self.sets.len().saturating_sub(1),
            self.items.len(),
            self.completions.len(),
            self.links.len()
        )
    }
}

impl Chart {
    /// Reads a text: afterwards the chart holds all derivations of it, if [`Chart::accepted`] is its length.
    pub(super) fn read(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        text: &[u8],
        pruning: Pruning,
        budget: Budget,
    ) -> Result<(), Refusal> {
        self.begin(tables, budget);
        if text.len() >= (MORE - 1) as usize {
            return Err(Refusal::OutOfMemory { offset: 0 });
        }
        for offset in 0..=text.len() {
            let next = text.get(offset).map(|&byte| tables.alphabet.byte(byte));
            let all = match pruning {
                Pruning::Full => false,
                Pruning::UpToEnd => next.is_none(),
                Pruning::None => true,
            };
            let view = View { tables, next, all };
            let first = self.items.len();
            self.sets.push(first as u32);
            self.completed_from = self.completions.len();
            self.item_table.clear();
            self.completion_table.clear();
            if offset == 0 {
                self.predicted[0] = 0;
                let entry = subsets.entry(tables, 0);
                self.add(view, subsets, entry, 0, NONE, NONE, first);
            } else {
                let label = tables.alphabet.byte(text[offset - 1]);
                let set = self.sets[offset - 1] as usize..first;
                for at in set {
                    let item = self.items[at];
                    let subset = subsets.next(tables, item.subset, label);
                    if subset != DEAD {
                        self.reached = offset;
                        self.add(view, subsets, subset, item.origin, at as u32, NONE, first);
                    }
                }
                if !self.pending[offset & 3].is_empty() {
                    self.reached = offset;
                    let mut pending = std::mem::take(&mut self.pending[offset & 3]);
                    for (subset, origin, pred) in pending.drain(..) {
                        self.add(view, subsets, subset, origin, pred, NONE, first);
                    }
                    self.pending[offset & 3] = pending;
                }
            }
            self.close(view, subsets, offset, first)?;
            if next.is_some() && text[offset] >= 0x80 {
                self.read_char(tables, subsets, text, offset, first);
            }
            if first == self.items.len() && self.pending.iter().all(Vec::is_empty) {
                break;
            }
            if offset & 0x3f == 0 || self.items.len() - first > 0x3f {
                self.check(subsets, offset)?;
            }
        }
        self.sets.push(self.items.len() as u32);
        Ok(())
    }

    fn begin(&mut self, tables: &Tables, budget: Budget) {
        self.items.clear();
        self.sets.clear();
        self.completions.clear();
        self.links.clear();
        self.chains.clear();
        self.finals.clear();
        self.waiting.clear();
        self.waiters.clear();
        self.indexed.clear();
        self.tops.clear();
        self.pending.iter_mut().for_each(Vec::clear);
        self.predicted.clear();
        self.predicted
            .resize(tables.machines.machines.len(), u32::MAX);
        self.steps = 0;
        // What 31 bits can number.
        self.budget = Budget {
            bytes: budget.bytes.min(MOST_BYTES),
            ..budget
        };
        self.reached = 0;
        self.accepted = tables.empty.is_nullable(tables.start_root()).then_some(0);
        self.fixed_bytes = tables.bytes();
    }

    /// The bytes that the chart takes.
    pub(super) fn bytes(&self) -> usize {
        self.items.len() * size_of::<Item>()
            + self.sets.len() * 4
            + self.completions.len() * size_of::<Completion>()
            + self.links.len() * size_of::<Chained<Link>>()
            + self.finals.len() * size_of::<Chained<u32>>()
            + (self.chains.len() + self.tops.len() + self.indexed.len()) * 32
            + self.waiting.len() * 32
            + self.waiters.len() * 4
            + self.item_table.bytes()
            + self.completion_table.bytes()
    }

    /// Fails if the budget is spent.
    #[inline]
    pub(super) fn check(&self, subsets: &Subsets, offset: usize) -> Result<(), Refusal> {
        if self.steps + self.items.len() as u64 > self.budget.steps {
            return Err(Refusal::OutOfSteps { offset });
        }
        if (self.bytes() + subsets.bytes() + self.fixed_bytes) as u64 > self.budget.bytes {
            return Err(Refusal::OutOfMemory { offset });
        }
        Ok(())
    }

    /// Fails if the chart and `more` bytes are above the budget.
    pub(super) fn check_bytes(
        &self,
        subsets: &Subsets,
        more: usize,
        offset: usize,
    ) -> Result<(), Refusal> {
        let bytes = self.bytes() + subsets.bytes() + self.fixed_bytes + more;
        match bytes as u64 > self.budget.bytes {
            true => Err(Refusal::OutOfMemory { offset }),
            false => Ok(()),
        }
    }

    /// Makes the items of a character beyond ASCII, for the set behind it.
    fn read_char(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        text: &[u8],
        offset: usize,
        first: usize,
    ) {
        let Some((label, len)) = tables.alphabet.wide_char(text, offset) else {
            return;
        };
        for at in first..self.items.len() {
            let item = self.items[at];
            let subset = subsets.next(tables, item.subset, label);
            if subset != DEAD {
                self.pending[(offset + len) & 3].push((subset, item.origin, at as u32));
            }
        }
    }

    /// Adds an item to the current set, which begins at `first`, or a link if the item is there.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "an item and where it goes")]
    fn add(
        &mut self,
        view: View<'_>,
        subsets: &Subsets,
        subset: u32,
        origin: u32,
        pred: u32,
        child: u32,
        first: usize,
    ) {
        if !view.all && !subsets.get(subset).ahead.allows(view.next) {
            return;
        }
        let set = &self.items[first..];
        let found = if set.len() <= SMALL {
            set.iter()
                .position(|item| item.subset == subset && item.origin == origin)
                .map(|at| (first + at) as u32)
        } else {
            self.item_table.get((subset, origin))
        };
        if let Some(found) = found {
            self.link(found, Link { pred, child });
            return;
        }
        let at = self.items.len();
        self.items.push(Item {
            subset,
            origin,
            pred,
            child: child & !MORE,
        });
        if at - first == SMALL {
            for at in first..=at {
                let item = self.items[at];
                self.item_table
                    .insert((item.subset, item.origin), at as u32);
            }
        } else if at - first > SMALL {
            self.item_table.insert((subset, origin), at as u32);
        }
    }

    /// Adds a way that an item came about.
    pub(super) fn link(&mut self, item: u32, link: Link) {
        self.steps += 1;
        let at = self.links.len() as u32;
        self.links.push(Chained {
            value: link,
            next: NONE,
        });
        let child = &mut self.items[item as usize].child;
        if *child & MORE == 0 {
            *child |= MORE;
            self.chains.insert(item, (at, at));
        } else if let Some((_, last)) = self.chains.get_mut(&item) {
            self.links[*last as usize].next = at;
            *last = at;
        }
    }

    /// Predicts and completes until the current set has all its items.
    fn close(
        &mut self,
        view: View<'_>,
        subsets: &mut Subsets,
        offset: usize,
        first: usize,
    ) -> Result<(), Refusal> {
        let mut at = first;
        while at < self.items.len() {
            let item = self.items[at];
            let subset = *subsets.get(item.subset);
            for call in subsets.calls(item.subset) {
                let machine = subsets.call(call);
                let is_new = self.predicted[machine as usize] != offset as u32;
                if is_new && (view.all || Subsets::begins(view.tables, machine, view.next)) {
                    self.predicted[machine as usize] = offset as u32;
                    let entry = subsets.entry(view.tables, machine);
                    self.add(view, subsets, entry, offset as u32, NONE, NONE, first);
                }
            }
            if subset.is_accepting && item.origin < offset as u32 && view.may_end(subset.machine) {
                self.complete(
                    view,
                    subsets,
                    subset.machine,
                    item.origin,
                    at as u32,
                    NONE,
                    first,
                )?;
            }
            at += 1;
        }
        Ok(())
    }

    /// A machine that began at `origin` is complete, by an item or (`source`) by right recursion.
    #[expect(clippy::too_many_arguments, reason = "a completion and where it goes")]
    fn complete(
        &mut self,
        view: View<'_>,
        subsets: &mut Subsets,
        machine: u32,
        origin: u32,
        item: u32,
        source: u32,
        first: usize,
    ) -> Result<(), Refusal> {
        let offset = self.sets.len() - 1;
        let (id, is_new) = self.completion(machine, origin, offset as u32);
        if item != NONE {
            self.add_final(id, item);
        }
        if source != NONE {
            self.add_source(id, source);
        }
        if !is_new {
            return Ok(());
        }
        if machine == 0 && origin == 0 {
            self.accepted = Some(offset);
        }
        if source == NONE
            && let Top::At {
                machine: top,
                origin: from,
            } = self.top(view.tables, subsets, machine, origin)
        {
            if view.may_end(top) {
                return self.complete(view, subsets, top, from, NONE, id, first);
            }
            return Ok(());
        }
        let label = view.tables.alphabet.count() + machine;
        if let Some((start, end)) = self.waiting(subsets, origin, machine) {
            for waiter in start..end {
                let at = self.waiters[waiter as usize];
                let item = self.items[at as usize];
                let subset = subsets.next(view.tables, item.subset, label);
                self.add(view, subsets, subset, item.origin, at, id, first);
                self.steps += 1;
            }
        } else {
            for at in self.set(origin) {
                let item = self.items[at];
                let subset = subsets.next(view.tables, item.subset, label);
                if subset != DEAD {
                    self.add(view, subsets, subset, item.origin, at as u32, id, first);
                    self.steps += 1;
                }
            }
        }
        self.check(subsets, offset)
    }

    /// The items of a finished set.
    #[inline]
    pub(super) fn set(&self, offset: u32) -> std::ops::Range<usize> {
        self.sets[offset as usize] as usize..self.sets[offset as usize + 1] as usize
    }

    /// The items of a big finished set that wait for a machine; `None` for a small set.
    fn waiting(&mut self, subsets: &Subsets, origin: u32, machine: u32) -> Option<(u32, u32)> {
        let set = self.set(origin);
        if set.len() <= SMALL {
            return None;
        }
        if self.indexed.insert(origin) {
            let mut calls: Vec<(u32, u32)> = Vec::new();
            for at in set {
                let called = subsets.calls(self.items[at].subset);
                calls.extend(called.map(|call| (subsets.call(call), at as u32)));
            }
            calls.sort_unstable();
            for same in calls.chunk_by(|a, b| a.0 == b.0) {
                let start = self.waiters.len() as u32;
                self.waiters.extend(same.iter().map(|&(_, at)| at));
                let range = (start, self.waiters.len() as u32);
                self.waiting.insert((origin, same[0].0), range);
            }
        }
        Some(
            self.waiting
                .get(&(origin, machine))
                .copied()
                .unwrap_or((0, 0)),
        )
    }

    /// The only item that waits for a machine in a finished set, with the subset behind it, if that is complete.
    pub(super) fn only_waiting(
        &self,
        tables: &Tables,
        subsets: &mut Subsets,
        origin: u32,
        machine: u32,
    ) -> Option<(u32, u32)> {
        let label = tables.alphabet.count() + machine;
        let mut only = None;
        let mut consider = |at: u32| -> bool {
            let subset = subsets.next(tables, self.items[at as usize].subset, label);
            if subset == DEAD {
                return true;
            }
            let fits = only.is_none() && subsets.get(subset).is_complete;
            only = fits.then_some((at, subset));
            fits
        };
        match self.waiting.get(&(origin, machine)) {
            Some(&(start, end)) => {
                let waiters = &self.waiters[start as usize..end as usize];
                let _ = waiters.iter().all(|&at| consider(at));
            }
            None => {
                let _ = self.set(origin).all(|at| consider(at as u32));
            }
        }
        only
    }

    /// Where right recursion leads from a completion.
    fn top(&mut self, tables: &Tables, subsets: &mut Subsets, machine: u32, origin: u32) -> Top {
        let begin = (origin, machine);
        let mut at = begin;
        self.path.clear();
        let mut steps_here = 0;
        let top = loop {
            if let Some(&known) = self.tops.get(&at) {
                break match known {
                    Top::Here => Top::At {
                        machine: at.1,
                        origin: at.0,
                    },
                    known => known,
                };
            }
            let next = match at {
                (0, 0) => None,
                (origin, machine) => self.only_waiting(tables, subsets, origin, machine),
            };
            let Some((item, subset)) = next else {
                if self.path.is_empty() {
                    return Top::Here;
                }
                break Top::At {
                    machine: at.1,
                    origin: at.0,
                };
            };
            let above = (
                self.items[item as usize].origin,
                subsets.get(subset).machine,
            );
            if above.0 == at.0 {
                // The same text again: a cycle of such steps leads nowhere.
                steps_here += 1;
                if steps_here > tables.machines.machines.len() {
                    return Top::Here;
                }
            } else {
                steps_here = 0;
            }
            self.steps += 1;
            self.path.push(at);
            at = above;
        };
        for &passed in &self.path {
            self.tops.insert(passed, top);
        }
        match top {
            Top::At { machine, origin } if (origin, machine) == begin => Top::Here,
            top => top,
        }
    }

    /// The completion of a machine over the text up to the current set, and whether it is new.
    fn completion(&mut self, machine: u32, start: u32, end: u32) -> (u32, bool) {
        let from = self.completed_from;
        let set = &self.completions[from..];
        let found = if set.len() <= SMALL {
            set.iter()
                .position(|known| known.machine == machine && known.start == start)
                .map(|at| (from + at) as u32)
        } else {
            self.completion_table.get((machine, start))
        };
        if let Some(found) = found {
            return (found, false);
        }
        let id = self.push_completion(machine, start, end);
        let at = id as usize;
        if at - from == SMALL {
            for at in from..=at {
                let known = self.completions[at];
                self.completion_table
                    .insert((known.machine, known.start), at as u32);
            }
        } else if at - from > SMALL {
            self.completion_table.insert((machine, start), id);
        }
        (id, true)
    }

    /// A new completion.
    pub(super) fn push_completion(&mut self, machine: u32, start: u32, end: u32) -> u32 {
        self.completions.push(Completion {
            machine,
            start,
            end,
            item: NONE,
            more: NONE,
            sources: NONE,
        });
        self.completions.len() as u32 - 1
    }

    /// An item that is made later: not of any set.
    pub(super) fn push_item(&mut self, subset: u32, origin: u32, link: Link) -> u32 {
        self.items.push(Item {
            subset,
            origin,
            pred: link.pred,
            child: link.child & !MORE,
        });
        self.items.len() as u32 - 1
    }

    /// Adds an item to those that are complete.
    pub(super) fn add_final(&mut self, completion: u32, item: u32) {
        let known = &mut self.completions[completion as usize];
        if known.item == NONE {
            known.item = item;
            return;
        }
        // Behind the last, so that the order is that of discovery.
        let at = self.finals.len() as u32;
        self.finals.push(Chained {
            value: item,
            next: NONE,
        });
        if known.more == NONE {
            known.more = at;
            return;
        }
        let mut last = known.more;
        while self.finals[last as usize].next != NONE {
            last = self.finals[last as usize].next;
        }
        self.finals[last as usize].next = at;
    }

    fn add_source(&mut self, completion: u32, source: u32) {
        self.finals.push(Chained {
            value: source,
            next: self.completions[completion as usize].sources,
        });
        self.completions[completion as usize].sources = self.finals.len() as u32 - 1;
    }

    /// The first of a chain of complete items or sources, and the chain behind it.
    pub(super) fn chained(&self, at: u32) -> Option<(u32, u32)> {
        let entry = self.finals.get(at as usize)?;
        Some((entry.value, entry.next))
    }

    /// The complete items of a completion. Those that [`super::late`] has not made yet are missing.
    pub(super) fn finals(&self, completion: u32) -> impl Iterator<Item = u32> + '_ {
        let known = &self.completions[completion as usize];
        let mut more = known.more;
        let first = (known.item != NONE).then_some(known.item);
        first.into_iter().chain(std::iter::from_fn(move || {
            let (item, next) = self.chained(more)?;
            more = next;
            Some(item)
        }))
    }

    /// The ways that an item came about, in order of discovery; none for the first item of a machine.
    pub(super) fn links(&self, item: u32) -> Links<'_> {
        let known = self.items[item as usize];
        Links {
            chart: self,
            first: (known.pred != NONE).then_some(Link {
                pred: known.pred,
                child: widen(known.child & !MORE),
            }),
            next: match known.child & MORE != 0 {
                true => self.chains.get(&item).map_or(NONE, |&(first, _)| first),
                false => NONE,
            },
        }
    }

    /// The offset of the item before `offset` in a link without completion: one byte back, or one character.
    #[inline]
    pub(super) fn offset_before(&self, text: &[u8], pred: u32, offset: usize) -> usize {
        let mut before = offset - 1;
        if text[before] >= 0x80 {
            while before > 0 && pred < self.sets[before] {
                before -= 1;
            }
        }
        before
    }
}

/// A child without the flag: [`NONE`] again where there was none.
#[inline]
fn widen(child: u32) -> u32 {
    if child == !MORE { NONE } else { child }
}

/// The links of an item.
pub(super) struct Links<'a> {
    chart: &'a Chart,
    first: Option<Link>,
    next: u32,
}

impl Iterator for Links<'_> {
    type Item = Link;
    #[inline]
    fn next(&mut self) -> Option<Link> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let entry = self.chart.links.get(self.next as usize)?;
        self.next = entry.next;
        Some(entry.value)
    }
}

/// What the current set is made with.
#[derive(Clone, Copy)]
struct View<'t> {
    tables: &'t Tables,
    /// The label of the next byte.
    next: Option<u32>,
    /// Whether everything goes on.
    all: bool,
}

impl View<'_> {
    /// Whether what comes next can follow a machine.
    #[inline(always)]
    fn may_end(&self, machine: u32) -> bool {
        self.all || self.tables.follows[machine as usize].allows(self.next)
    }
}
