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

mod recursion;
mod ways;

use super::map::{Episodic, Map, Set};
use super::subset::{DEAD, Subsets};
use super::tables::Tables;
use super::{Budget, Refusal};

use recursion::Top;
use ways::{Chained, Extra, MORE};

pub(super) use ways::{Completion, Item, Link, NONE, push};

/// Sets of more items are searched by a table.
const SMALL: usize = 12;
/// The visits of states to make sets for a text that are always allowed.
const MOST_WORK: u64 = 50_000_000;
/// The most bytes that a chart may take: no table of it then has 2^31 entries.
const MOST_BYTES: u64 = 16 << 30;

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
    /// Links beyond an item's first, those of an item side by side.
    links: Vec<Link>,
    /// Where the links of an item are.
    ways: Map<u32, (u32, u32)>,
    /// Links of the current set, with their items, as they are found.
    fresh: Vec<(u32, Link)>,
    counts: Vec<u32>,
    late_links: Map<u32, Vec<Link>>,
    /// Complete items beyond a completion's first, and sources.
    finals: Vec<Chained<u32>>,
    extras: Map<u32, Extra>,
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
    /// What state sets had taken before the text.
    work_before: u64,
    /// The greatest offset that a prefix was read up to.
    pub(super) reached: usize,
    /// The greatest offset at which the start symbol was complete.
    pub(super) accepted: Option<usize>,
    fixed_bytes: usize,
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
        if 16 * text.len() as u64 > budget.bytes.min(MOST_BYTES) {
            return Err(Refusal::OutOfMemory { offset: 0 });
        }
        self.begin(tables, budget, text.len());
        self.work_before = subsets.work;
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
                self.read_byte(view, subsets, text[offset - 1], offset, first);
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
            self.gather(first);
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

    /// Reads bytes that are made as they are needed: `next` sees the chart of what was read so far, of which nothing is left
    /// out, and gives what comes next, or the end. At most `most` are read.
    pub(super) fn read_on(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        most: usize,
        budget: Budget,
        mut next: impl FnMut(&Chart, &Subsets, std::ops::Range<usize>) -> Option<u8>,
    ) -> Result<(), Refusal> {
        self.begin(tables, budget, 0);
        self.work_before = subsets.work;
        let view = View {
            tables,
            next: None,
            all: true,
        };
        let mut byte = None;
        for offset in 0..=most {
            let first = self.items.len();
            self.sets.push(first as u32);
            self.completed_from = self.completions.len();
            self.item_table.clear();
            self.completion_table.clear();
            match byte {
                None => {
                    self.predicted[0] = 0;
                    let entry = subsets.entry(tables, 0);
                    self.add(view, subsets, entry, 0, NONE, NONE, first);
                }
                Some(byte) => self.read_byte(view, subsets, byte, offset, first),
            }
            self.close(view, subsets, offset, first)?;
            self.gather(first);
            if first == self.items.len() {
                break;
            }
            self.check(subsets, offset)?;
            byte = next(self, subsets, first..self.items.len());
            if byte.is_none() {
                break;
            }
        }
        self.sets.push(self.items.len() as u32);
        Ok(())
    }

    /// Makes the items behind a byte, of those before it.
    #[inline(always)]
    fn read_byte(
        &mut self,
        view: View<'_>,
        subsets: &mut Subsets,
        byte: u8,
        offset: usize,
        first: usize,
    ) {
        let label = view.tables.alphabet.byte(byte);
        for at in self.sets[offset - 1] as usize..first {
            let item = self.items[at];
            let subset = subsets.next(view.tables, item.subset, label);
            if subset != DEAD {
                self.reached = offset;
                self.add(view, subsets, subset, item.origin, at as u32, NONE, first);
            }
        }
    }

    fn begin(&mut self, tables: &Tables, budget: Budget, len: usize) {
        self.items.clear();
        self.sets.clear();
        self.completions.clear();
        self.links.clear();
        self.ways.clear();
        self.fresh.clear();
        self.late_links.clear();
        self.finals.clear();
        self.extras.clear();
        self.sets.reserve_exact(len + 2);
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
            + self.links.len() * size_of::<Link>()
            + self.fresh.len() * size_of::<(u32, Link)>()
            + self.finals.len() * size_of::<Chained<u32>>()
            + (self.ways.len()
                + self.late_links.len()
                + self.extras.len()
                + self.tops.len()
                + self.indexed.len())
                * 32
            + self.waiting.len() * 64
            + self.waiters.len() * 4
            + self.item_table.bytes()
            + self.completion_table.bytes()
    }

    /// The steps spent on the text so far.
    pub(super) fn spent(&self) -> u64 {
        self.steps + self.items.len() as u64
    }

    /// Fails if the budget is spent.
    #[inline]
    pub(super) fn check(&self, subsets: &Subsets, offset: usize) -> Result<(), Refusal> {
        // Making sets of states is not the text's fault, and only the first that needs them pays. So it has a bound of its own,
        // which is only there to be one.
        let most_work = self.budget.steps.saturating_mul(8).max(MOST_WORK);
        let work = subsets.work - self.work_before;
        if self.spent() > self.budget.steps || work > most_work {
            return Err(Refusal::OutOfSteps { offset });
        }
        if subsets.is_full
            || (self.bytes() + subsets.bytes() + self.fixed_bytes) as u64 > self.budget.bytes
        {
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
        let item = Item {
            subset,
            origin,
            pred,
            child: child & !MORE,
        };
        push(&mut self.items, item);
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
                if is_new && (view.all || view.tables.begins(machine, view.next)) {
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
