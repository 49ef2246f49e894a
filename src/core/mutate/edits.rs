//! Edits: a mutant as its parent and what stands elsewhere instead.
//!
//! A parent is never changed. An edit names a span of it (a subtree, items of a repetition, or the place between two items) and holds
//! what was derived for that place, as an index of its own. The mutant's choices and its text are the parent's, copied, with the
//! edits' in between; no site is moved, and none is looked at but those of the edit. Mutations on top of each other are several
//! edits, sorted by where they are in the parent. A new one takes back those that it overlaps.
//!
//! ```text
//! parent   ────────┬───────┬──────────────┬──┬──────
//! edits            │ part  │              │  │ (removed)
//! mutant   ────────┴───────┴──────────────┴──┴──────
//! ```
//!
//! An operator may make several edits. They count from then on, and until it is done all of them can be taken back
//! ([`Edits::roll_back`]).

use crate::choice::{NO_SITE, Site, SiteIndex, Span};

/// What stands in the place of a span.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) span: Span,
    /// Whether a decision to go on stands before the part.
    leads: bool,
    /// What was derived; without sites if the span is only removed.
    pub(super) part: SiteIndex,
    /// The numbers of the change that made it and of the one that took it back.
    made: u32,
    gone: u32,
}

/// The number of no change.
const NONE: u32 = u32::MAX;

/// The choice before an item: to go on.
const GO_ON: u8 = 1;

impl Edit {
    /// Whether either is within the other, or they cross.
    fn overlaps(&self, span: &Span) -> bool {
        let own = &self.span;
        own.choices.start < span.choices.end && span.choices.start < own.choices.end
            || own.sites.contains(&span.parent)
            || span.sites.contains(&own.parent)
    }

    /// Whether it is wholly before a site of the parent that it leaves there.
    fn is_before(&self, site: u32) -> bool {
        self.span.sites.end <= site
    }

    /// Whether it is before the end of a site's subtree.
    fn is_before_end(&self, site: u32, end: u32) -> bool {
        self.span.sites.start < end || (site..end).contains(&self.span.parent)
    }

    fn sites(&self) -> Change {
        Change::new(self.span.sites.len(), self.part.sites().len())
    }

    fn choices(&self) -> Change {
        let lead = usize::from(self.leads);
        Change::new(self.span.choices.len(), lead + self.part.choices().len())
    }

    fn text(&self) -> Change {
        Change::new(self.span.text.len(), self.part.text().len())
    }
}

/// How much goes and how much comes.
#[derive(Clone, Copy, Debug)]
struct Change {
    goes: usize,
    comes: usize,
}

impl Change {
    fn new(goes: usize, comes: usize) -> Change {
        Change { goes, comes }
    }

    fn of(self, len: usize) -> usize {
        len + self.comes - self.goes
    }
}

/// How large an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Extent {
    pub(super) text: usize,
    pub(super) sites: usize,
}

/// The edits of a mutant.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// By where they are in the parent.
    list: Vec<Edit>,
    /// Indexes to be used again.
    spares: Vec<SiteIndex>,
    /// Counts the changes of an operator.
    changes: u32,
}

impl Edits {
    /// Those that count.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Edit> + Clone {
        self.list.iter().filter(|edit| edit.gone == NONE)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The parent is as it was.
    pub(super) fn clear(&mut self) {
        let gone = self.list.drain(..).map(|edit| edit.part);
        self.spares.extend(gone);
        self.changes = 0;
    }

    /// Puts a part in the place of a span, or nothing, and takes what it overlaps back; if it is to be `alone`, all others. `part`
    /// is exchanged for an index that is free.
    pub(super) fn put(&mut self, span: Span, leads: bool, part: &mut SiteIndex, alone: bool) {
        self.changes += 1;
        let spare = self.spares.pop().unwrap_or_default();
        let edit = Edit {
            leads,
            part: std::mem::replace(part, spare),
            made: self.changes,
            gone: NONE,
            span,
        };
        for old in &mut self.list {
            if old.gone == NONE && (alone || old.overlaps(&edit.span)) {
                old.gone = self.changes;
            }
        }
        let key = |edit: &Edit| (edit.span.choices.start, edit.span.choices.end);
        let at = self.list.partition_point(|old| key(old) <= key(&edit));
        self.list.insert(at, edit);
    }

    /// Takes the last change back.
    pub(super) fn undo(&mut self) {
        self.rewind(self.changes);
        self.changes = self.changes.saturating_sub(1);
    }

    /// An operator has failed: takes back all that it has changed.
    pub(super) fn roll_back(&mut self) {
        self.rewind(1);
        self.changes = 0;
    }

    /// An operator is done.
    pub(super) fn commit(&mut self) {
        self.changes = 0;
        self.discard(|edit| edit.gone != NONE);
        for edit in &mut self.list {
            edit.made = 0;
        }
    }

    fn rewind(&mut self, change: u32) {
        self.discard(|edit| edit.made >= change);
        for edit in &mut self.list {
            if edit.gone >= change {
                edit.gone = NONE;
            }
        }
    }

    fn discard(&mut self, is_over: impl Fn(&Edit) -> bool) {
        let over = self.list.extract_if(.., |edit| is_over(edit));
        self.spares.extend(over.map(|edit| edit.part));
    }

    /// Exchanges `index` for the mutant's, if one edit is all of it. The edits are of no use then.
    pub(super) fn take_whole(&mut self, parent: &SiteIndex, index: &mut SiteIndex) -> bool {
        match &mut self.list[..] {
            [edit] if edit.span.sites.len() == parent.sites().len() => {
                std::mem::swap(&mut edit.part, index);
                true
            }
            _ => false,
        }
    }

    /// The mutant's size.
    pub(super) fn extent(&self, parent: &SiteIndex) -> Extent {
        let mut extent = Extent {
            text: parent.text().len(),
            sites: parent.sites().len(),
        };
        for edit in self.iter() {
            extent.text = edit.text().of(extent.text);
            extent.sites = edit.sites().of(extent.sites);
        }
        extent
    }

    /// No fewer choices than the mutant has, nor than it has if edits are taken back.
    pub(super) fn most_choices(&self, parent: &SiteIndex) -> usize {
        let new = self.iter().map(|edit| edit.choices().comes);
        parent.choices().len() + new.sum::<usize>()
    }

    /// The length of the mutant's canonical choices. They end with the last one that close-off would not have made, which is looked for
    /// from behind.
    pub(super) fn kept(&self, parent: &SiteIndex) -> usize {
        let moved = |place: u32, edits: &mut dyn Iterator<Item = &Edit>| {
            edits.fold(place as usize, |place, edit| edit.choices().of(place))
        };
        let mut end = parent.choices().len() as u32;
        for edit in self.iter().rev() {
            let span = &edit.span.choices;
            if let Some(kept) = parent.kept(span.end..end) {
                let mut before = self.iter().filter(|edit| edit.span.choices.end <= span.end);
                return moved(kept, &mut before);
            }
            let own = edit.part.canonical().len();
            if own > 0 || edit.leads {
                // A decision to go on is none of close-off's.
                let mut before = self.iter().take_while(|it| !std::ptr::eq(*it, edit));
                return moved(span.start, &mut before) + usize::from(edit.leads) + own;
            }
            end = span.start;
        }
        parent.kept(0..end).unwrap_or(0) as usize
    }

    /// Copies the mutant's choices in full, and gives the length of the canonical ones.
    pub(super) fn choices(&self, parent: &SiteIndex, out: &mut Vec<u8>) -> usize {
        let mut at = 0;
        for edit in self.iter() {
            let span = &edit.span.choices;
            out.extend_from_slice(&parent.choices()[at..span.start as usize]);
            if edit.leads {
                out.push(GO_ON);
            }
            out.extend_from_slice(edit.part.choices());
            at = span.end as usize;
        }
        out.extend_from_slice(&parent.choices()[at..]);
        self.kept(parent)
    }

    /// The mutant as an index of its own.
    pub(super) fn splice(&self, parent: &SiteIndex, out: &mut SiteIndex) {
        out.clear();
        let mut at = Span {
            parent: NO_SITE,
            sites: 0..0,
            choices: 0..0,
            text: 0..0,
        };
        for edit in self.iter() {
            let span = &edit.span;
            at.sites.end = span.sites.start;
            at.choices.end = span.choices.start;
            at.text.end = span.text.start;
            self.append_run(parent, &at, out);
            if edit.leads {
                out.push_choice(true);
            }
            out.append(
                &edit.part,
                &edit.part.whole(),
                self.place_above(span.parent),
            );
            at.sites.start = span.sites.end;
            at.choices.start = span.choices.end;
            at.text.start = span.text.end;
        }
        let whole = parent.whole();
        at.sites.end = whole.sites.end;
        at.choices.end = whole.choices.end;
        at.text.end = whole.text.end;
        self.append_run(parent, &at, out);
    }

    /// Appends what the parent has left between two edits. Most of it refers to what is between them, too.
    fn append_run(&self, parent: &SiteIndex, run: &Span, out: &mut SiteIndex) {
        let first = out.sites().len();
        out.append_run(parent, run);
        let is_within = |old: &Site| old.parent >= run.sites.start && old.end < run.sites.end;
        let old = &parent.sites()[run.sites.start as usize..run.sites.end as usize];
        for (site, (new, old)) in (run.sites.start..).zip(out.sites_from(first).iter_mut().zip(old))
        {
            if is_within(old) {
                continue;
            }
            new.parent = self.place_above(old.parent);
            let within = self.iter().filter(|edit| edit.is_before_end(site, old.end));
            (new.end, new.choice_end) = (old.end, old.choice_end);
            for edit in within {
                new.end = edit.sites().of(new.end as usize) as u32;
                new.choice_end = edit.choices().of(new.choice_end as usize) as u32;
            }
        }
    }

    /// Copies the mutant's text.
    pub(super) fn text(&self, parent: &SiteIndex, out: &mut Vec<u8>) {
        let mut at = 0;
        for edit in self.iter() {
            let span = &edit.span.text;
            out.extend_from_slice(&parent.text()[at..span.start as usize]);
            out.extend_from_slice(edit.part.text());
            at = span.end as usize;
        }
        out.extend_from_slice(&parent.text()[at..]);
    }

    /// The mutant's sites, in runs: those that the parent has left, and those of the parts.
    pub(super) fn runs<'a>(&'a self, parent: &'a SiteIndex) -> impl Iterator<Item = &'a [Site]> {
        let mut at = 0;
        let edits = self.iter().map(Some).chain([None]);
        edits.flat_map(move |edit| {
            let (end, next, part) = match edit {
                Some(edit) => (
                    edit.span.sites.start as usize,
                    edit.span.sites.end as usize,
                    edit.part.sites(),
                ),
                None => (parent.sites().len(), 0, &[][..]),
            };
            let run = &parent.sites()[at.min(end)..end];
            at = next;
            [run, part]
        })
    }

    /// Where a site of the parent is among the mutant's; of no use for one that is gone.
    pub(super) fn place_of(&self, site: u32) -> u32 {
        let before = self.iter().filter(|edit| edit.is_before(site));
        before.fold(site as usize, |site, edit| edit.sites().of(site)) as u32
    }

    /// The same for what may be above all.
    fn place_above(&self, site: u32) -> u32 {
        match site {
            NO_SITE => NO_SITE,
            site => self.place_of(site),
        }
    }

    /// Where the text of a site of the parent is in the mutant's.
    pub(super) fn text_of(&self, parent: &SiteIndex, site: u32) -> std::ops::Range<usize> {
        let range = parent.text_range(site);
        let end = parent.sites()[site as usize].end;
        let before = self.iter().filter(|edit| edit.is_before(site));
        let within = self.iter().filter(|edit| edit.is_before_end(site, end));
        // What comes first, so that no sum is ever below zero.
        let sum = |len: u32, changes: &mut dyn Iterator<Item = Change>| {
            changes.fold(len as usize, |len, change| change.of(len))
        };
        sum(range.start, &mut before.map(Edit::text))..sum(range.end, &mut within.map(Edit::text))
    }

    /// Whether a site of the parent is still there: the first one of what was replaced is.
    pub(super) fn has(&self, site: u32) -> bool {
        self.iter().all(|edit| {
            let is_first = site == edit.span.sites.start && !edit.part.sites().is_empty();
            is_first || !edit.span.sites.contains(&site)
        })
    }
}
