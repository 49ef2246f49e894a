//! Items, and the ways that they came about.
//!
//! Nearly every item came about in one way, and nearly every completion by one item. So the first is kept in place, and
//! further ones apart, for those that have them. An item is 16 bytes, and so is a completion.

use super::Chart;

/// No item, completion or link.
pub(in crate::parse) const NONE: u32 = u32::MAX;
/// In [`Item::child`]: there are more links.
pub(super) const MORE: u32 = 1 << 31;

/// A subset of a machine's states, and how it came about.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) struct Item {
    /// The subset.
    pub(in crate::parse) subset: u32,
    /// Where the machine began.
    pub(in crate::parse) origin: u32,
    pub(super) pred: u32,
    pub(super) child: u32,
}

/// How an item came about: from an item, by a completion or (with [`NONE`]) by what the text has there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::parse) struct Link {
    pub(in crate::parse) pred: u32,
    pub(in crate::parse) child: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Chained<T> {
    pub(super) value: T,
    pub(super) next: u32,
}

/// A text that a machine derives.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) struct Completion {
    pub(in crate::parse) machine: u32,
    pub(in crate::parse) start: u32,
    pub(in crate::parse) end: u32,
    /// The first item that is complete so, or [`NONE`] where only [`super::late`] makes one. With [`MORE`], there is
    /// something in [`Chart::extras`].
    pub(super) item: u32,
}

/// What few completions have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra {
    /// The first and the last of further complete items, chained.
    pub(super) items: (u32, u32),
    /// Completions that right recursion led here from, chained.
    pub(super) sources: u32,
}

/// Appends to a vector that grows by a quarter: half of it is not left empty, as doubling may.
#[inline]
pub(in crate::parse) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact((items.len() / 4).max(64));
    }
    items.push(item);
}

impl Chart {
    /// Adds a way that an item of the current set came about.
    #[inline]
    pub(super) fn link(&mut self, item: u32, link: Link) {
        self.steps += 1;
        self.items[item as usize].child |= MORE;
        push(&mut self.fresh, (item, link));
    }

    /// Brings the links of the current set, which begins at `first`, into order: those of an item side by side, so that
    /// what comes later reads them in one go. Linear in the links and the set.
    pub(super) fn gather(&mut self, first: usize) {
        if self.fresh.is_empty() {
            return;
        }
        self.counts.clear();
        self.counts.resize(self.items.len() - first, 0);
        for &(item, _) in &self.fresh {
            self.counts[item as usize - first] += 1;
        }
        let mut start = self.links.len() as u32;
        for (item, count) in (first as u32..).zip(&mut self.counts) {
            let end = start + *count;
            if *count > 0 {
                self.ways.insert(item, (start, end));
            }
            *count = start;
            start = end;
        }
        let none = Link {
            pred: NONE,
            child: NONE,
        };
        if self.links.capacity() < start as usize {
            let more = start as usize - self.links.len();
            self.links.reserve_exact(more.max(self.links.len() / 4));
        }
        self.links.resize(start as usize, none);
        for &(item, link) in &self.fresh {
            let at = &mut self.counts[item as usize - first];
            self.links[*at as usize] = link;
            *at += 1;
        }
        self.fresh.clear();
    }

    /// Adds a way that an item came about which is of no set.
    pub(in crate::parse) fn link_late(&mut self, item: u32, link: Link) {
        self.steps += 1;
        self.items[item as usize].child |= MORE;
        self.late_links.entry(item).or_default().push(link);
    }

    /// A new completion.
    pub(in crate::parse) fn push_completion(&mut self, machine: u32, start: u32, end: u32) -> u32 {
        let completion = Completion {
            machine,
            start,
            end,
            item: NONE & !MORE,
        };
        push(&mut self.completions, completion);
        self.completions.len() as u32 - 1
    }

    /// An item that is made later: not of any set.
    pub(in crate::parse) fn push_item(&mut self, subset: u32, origin: u32, link: Link) -> u32 {
        self.items.push(Item {
            subset,
            origin,
            pred: link.pred,
            child: link.child & !MORE,
        });
        self.items.len() as u32 - 1
    }

    /// What few completions have.
    pub(super) fn extra(&mut self, completion: u32) -> &mut Extra {
        self.completions[completion as usize].item |= MORE;
        self.extras.entry(completion).or_insert(Extra {
            items: (NONE, NONE),
            sources: NONE,
        })
    }

    /// Adds an item to those that are complete, behind the others.
    pub(in crate::parse) fn add_final(&mut self, completion: u32, item: u32) {
        let known = &mut self.completions[completion as usize].item;
        if *known & !MORE == NONE & !MORE {
            *known = item | *known & MORE;
            return;
        }
        let at = self.finals.len() as u32;
        push(
            &mut self.finals,
            Chained {
                value: item,
                next: NONE,
            },
        );
        let (first, last) = &mut self.extra(completion).items;
        let before = std::mem::replace(last, at);
        if before == NONE {
            *first = at;
        } else {
            self.finals[before as usize].next = at;
        }
    }

    pub(super) fn add_source(&mut self, completion: u32, source: u32) {
        let at = self.finals.len() as u32;
        let next = std::mem::replace(&mut self.extra(completion).sources, at);
        push(
            &mut self.finals,
            Chained {
                value: source,
                next,
            },
        );
    }

    /// The chain of the completions that right recursion led to this one from. They are told only once.
    pub(in crate::parse) fn take_sources(&mut self, completion: u32) -> u32 {
        if self.completions[completion as usize].item & MORE == 0 {
            return NONE;
        }
        std::mem::replace(&mut self.extra(completion).sources, NONE)
    }

    /// The first of a chain of complete items or sources, and the chain behind it.
    pub(in crate::parse) fn chained(&self, at: u32) -> Option<(u32, u32)> {
        let entry = self.finals.get(at as usize)?;
        Some((entry.value, entry.next))
    }

    /// The complete items of a completion. Those that [`super::late`] has not made yet are missing.
    pub(in crate::parse) fn finals(&self, completion: u32) -> impl Iterator<Item = u32> + '_ {
        let known = self.completions[completion as usize].item;
        let mut more = match known & MORE {
            0 => NONE,
            _ => self.extras.get(&completion).map_or(NONE, |it| it.items.0),
        };
        let first = (known & !MORE != NONE & !MORE).then_some(known & !MORE);
        first.into_iter().chain(std::iter::from_fn(move || {
            let (item, next) = self.chained(more)?;
            more = next;
            Some(item)
        }))
    }

    /// The item that an item came about from, if that was by a byte or a character and in no other way.
    #[inline(always)]
    pub(in crate::parse) fn only_byte(&self, item: u32) -> Option<u32> {
        let known = self.items[item as usize];
        (known.child == NONE & !MORE && known.pred != NONE).then_some(known.pred)
    }

    /// The ways that an item came about, in order of discovery; none for the first item of a machine.
    #[inline]
    pub(in crate::parse) fn links(&self, item: u32) -> impl Iterator<Item = Link> + '_ {
        let known = self.items[item as usize];
        let first = (known.pred != NONE).then_some(Link {
            pred: known.pred,
            child: widen(known.child & !MORE),
        });
        let more = match known.child & MORE {
            0 => &[],
            _ => self.further_links(item),
        };
        first.into_iter().chain(more.iter().copied())
    }

    fn further_links(&self, item: u32) -> &[Link] {
        match self.ways.get(&item) {
            Some(&(start, end)) => &self.links[start as usize..end as usize],
            None => self.late_links.get(&item).map_or(&[], Vec::as_slice),
        }
    }

    /// The offset of the item before `offset` in a link without completion: one byte back, or one character.
    #[inline]
    pub(in crate::parse) fn offset_before(&self, text: &[u8], pred: u32, offset: usize) -> usize {
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
