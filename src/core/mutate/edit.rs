//! Edits that operators share: copies, items of repetitions, swaps, class members.

use super::kinds::Kind;
use super::work::{ItemSource, Part, Workspace};
use crate::choice::{ClassCode, MemberChoice, NO_SITE, SiteIndex, Span, put};
use crate::grammar::{Member, NodeKind};
use crate::rng::Rng;

impl Workspace {
    /// The site above.
    pub fn parent(&self, site: u32) -> Option<u32> {
        let parent = self.index().sites().get(site as usize)?.parent;
        ((parent as usize) < self.index().sites().len()).then_some(parent)
    }

    /// The alternative that an alternation's site has taken.
    pub fn alternative(&self, site: u32) -> Option<u32> {
        let node = self.choice_node(site)?;
        let count = self.graph().grammar().children(node).len() as u32;
        let mut tape = crate::choice::Tape::new(self.index().choices_of(site));
        tape.take(count)
    }

    /// Replaces a site's subtree by choices that `fill` copies out of the input.
    pub fn replace_by_copy(
        &mut self,
        site: u32,
        fill: impl FnOnce(&SiteIndex, &mut Vec<u8>),
    ) -> bool {
        let mut choices = std::mem::take(&mut self.buffers.choices);
        choices.clear();
        fill(self.index(), &mut choices);
        let replaced = self.replace(site, Part::Choices(&choices));
        self.buffers.choices = choices;
        replaced
    }

    /// Replaces a site's subtree by one that an earlier input had for the same nonterminal.
    pub fn borrow_part(&mut self, site: u32) -> bool {
        let production = self
            .index()
            .sites()
            .get(site as usize)
            .and_then(|at| self.production_of(at.node));
        let Some(part) =
            production.and_then(|production| self.pool.draw(production, &mut self.rng))
        else {
            return false;
        };
        if part == self.index().choices_of(site) {
            return false;
        }
        let mut choices = std::mem::take(&mut self.buffers.choices);
        choices.clear();
        choices.extend_from_slice(part);
        let replaced = self.replace(site, Part::Choices(&choices));
        self.buffers.choices = choices;
        replaced
    }

    /// Replaces a site's subtree by that of a site of the donor.
    pub fn replace_from_donor(&mut self, site: u32, donated: u32) -> bool {
        let own = self.index().choices_of(site);
        let is_other = |donor: &SiteIndex| donor.choices_of(donated) != own;
        self.donor().is_some_and(is_other) && self.replace(site, Part::Donated(donated))
    }

    /// Swaps the subtrees of two compatible sites, none within the other.
    pub fn swap_sites(&mut self, one: u32, other: u32) -> bool {
        if self.index().choices_of(one) == self.index().choices_of(other) {
            return false;
        }
        // What gets shorter first: the other may need its room.
        let len = |site: u32| self.index().text_range(site).len();
        let (long, short) = match len(one) < len(other) {
            true => (other, one),
            false => (one, other),
        };
        self.replace(long, Part::Copy(short)) && self.replace(short, Part::Copy(long))
    }

    /// A site that derives the same nonterminal or node and lies neither above nor below, the first from a random place on. Looks at
    /// some sites only.
    pub fn compatible_elsewhere(&mut self, site: u32) -> Option<u32> {
        let start = self.rng.index(self.index().sites().len());
        let sites = self.index().sites();
        let at = sites.get(site as usize)?;
        let apart = |other: u32| other >= at.end || sites[other as usize].end <= site;
        let fits =
            |&other: &u32| apart(other) && self.is_compatible(sites[other as usize].node, at.node);
        around(start, sites.len()).find(fits)
    }

    /// A site of the donor that may stand at a site of the input, the first from a random place on. Looks at some sites only.
    pub fn compatible_in_donor(&mut self, site: u32) -> Option<u32> {
        let start = self.rng.index(self.donor()?.sites().len());
        let node = self.index().sites().get(site as usize)?.node;
        let sites = self.donor()?.sites();
        let fits = |&other: &u32| self.is_compatible(sites[other as usize].node, node);
        around(start, sites.len()).find(fits)
    }

    /// The first recursion from a site on: a site and one above it that derives the same nonterminal. Looks at a few sites
    /// only.
    pub fn recursion(&self, site: u32) -> Option<(u32, u32)> {
        const LOOKED_AT: usize = 32;
        self.of_kind_from(Kind::Recursive, site)
            .take(LOOKED_AT)
            .find_map(|site| Some((site, self.same_above(site)?)))
    }

    /// Takes another member of a class: a neighbor of the present one, one that programs treat specially, or any.
    pub fn change_member(&mut self, site: u32) -> bool {
        let Some(node) = self
            .index()
            .sites()
            .get(site as usize)
            .map(|site| site.node)
        else {
            return false;
        };
        let codec = self.codec().clone();
        let class = match codec
            .graph()
            .grammar()
            .nodes()
            .get(node)
            .map(|node| node.kind)
        {
            Some(NodeKind::Class(class)) => codec.class(class),
            _ => return false,
        };
        let heads = class.head_count();
        let mut tape = crate::choice::Tape::new(self.index().choices_of(site));
        let (old_head, rest_count) = match tape.take(heads) {
            Some(head) => (head, class.rest_count(head)),
            None => return false,
        };
        let old_rest = tape.take(rest_count).unwrap_or(0);
        let other = |rng: &mut Rng, old: u32, count: u32| {
            let step = match rng.below(4) {
                0 => 1,
                1 => count - 1,
                _ => 1 + rng.below(count - 1),
            };
            ((u64::from(old) + u64::from(step)) % u64::from(count)) as u32
        };
        let (mut head, mut rest) = (old_head, old_rest);
        if let Some(special) = self.special_member(class) {
            (head, rest) = (special.head, special.rest);
        } else if rest_count > 1 && (heads == 1 || self.rng.per_mille(500)) {
            rest = other(&mut self.rng, old_rest, rest_count);
        } else if heads > 1 {
            head = other(&mut self.rng, old_head, heads);
            rest = self.rng.below(class.rest_count(head));
        }
        self.replace_by_copy(site, |_, choices| {
            put(choices, head, heads);
            put(choices, rest, class.rest_count(head));
        })
    }

    /// Now and then, of a class too large to try all its members: one that programs treat specially.
    fn special_member(&mut self, class: &ClassCode) -> Option<MemberChoice> {
        const SHARE: u32 = 400;
        const TRIES: usize = 4;
        // Escapes are the last heads.
        let is_large = class.rest_count(class.head_count().saturating_sub(1)) > 1;
        if !is_large || self.scalars.is_off || !self.rng.per_mille(SHARE) {
            return None;
        }
        (0..TRIES).find_map(|_| class.choice(Member::Char(self.scalars.draw(&mut self.rng))))
    }

    /// Takes an item out of its repetition. False, and nothing changed, if too few would be left.
    pub fn delete_item(&mut self, item: u32) -> bool {
        match self.parent(item) {
            Some(quantifier) if self.is_free(quantifier) => {
                let span = self.index().span(item);
                self.put(with_decision(span), false, false)
            }
            Some(quantifier) => self.edit_items(quantifier, |items, _| {
                items.retain(|&source| source != ItemSource::Old(item));
            }),
            None => false,
        }
    }

    /// Repeats an item of a repetition behind it. False, and nothing changed, if there are too many then, or if the budget forbids it.
    pub fn duplicate_item(&mut self, item: u32) -> bool {
        match self.parent(item) {
            Some(quantifier) if self.is_free(quantifier) => {
                let own = self.index().span(item);
                self.fragment.clear();
                self.fragment.append(&self.parent.index, &own, NO_SITE);
                let behind = Span {
                    sites: own.sites.end..own.sites.end,
                    choices: own.choices.end..own.choices.end,
                    text: own.text.end..own.text.end,
                    ..own
                };
                self.put(behind, true, true)
            }
            Some(quantifier) => self.edit_items(quantifier, |items, _| {
                let is_it = |&source: &ItemSource| source == ItemSource::Old(item);
                let at = items.iter().position(is_it).unwrap_or(0);
                items.insert(at, ItemSource::Old(item));
            }),
            None => false,
        }
    }

    /// Whether there may be any number of items, so that one can come or go without a look at the others.
    fn is_free(&self, quantifier: u32) -> bool {
        self.bounds(quantifier) == Some((0, u32::MAX))
    }

    /// Edits the items of a quantifier's site as a list. False, and nothing changed, if the list is left as it is, breaks
    /// the quantifier's bounds, or would break the budget.
    ///
    /// Inserting or deleting where items are optional and unbounded splices just that; anything else derives the
    /// quantifier again from the items' choices.
    pub fn edit_items(
        &mut self,
        quantifier: u32,
        edit: impl FnOnce(&mut Vec<ItemSource>, &mut Rng),
    ) -> bool {
        let Some((min, max)) = self.bounds(quantifier) else {
            return false;
        };
        let (mut before, mut items) = (
            std::mem::take(&mut self.buffers.before),
            std::mem::take(&mut self.buffers.items),
        );
        before.clear();
        before.extend(self.index().children(quantifier));
        items.clear();
        items.extend(before.iter().map(|&item| ItemSource::Old(item)));
        edit(&mut items, &mut self.rng);
        let fits = items.len() >= min as usize && items.len() <= max as usize;
        let edited = fits && self.apply_items(quantifier, (min, max), &before, &items);
        (self.buffers.before, self.buffers.items) = (before, items);
        edited
    }

    fn apply_items(
        &mut self,
        quantifier: u32,
        bounds: (u32, u32),
        before: &[u32],
        items: &[ItemSource],
    ) -> bool {
        let (min, max) = bounds;
        let same = |(item, source): (&u32, &ItemSource)| ItemSource::Old(*item) == *source;
        let head = before
            .iter()
            .zip(items)
            .take_while(|&pair| same(pair))
            .count();
        let tail = before[head..]
            .iter()
            .rev()
            .zip(items[head..].iter().rev())
            .take_while(|&pair| same(pair))
            .count();
        let (old, new) = (
            &before[head..before.len() - tail],
            &items[head..items.len() - tail],
        );
        if old.is_empty() && new.is_empty() {
            return false;
        }
        // Where all that changes is optional, and no item more or less matters to the others, only that is derived.
        if max == u32::MAX && head >= min as usize {
            let mut span = self.gap(quantifier, before.get(head).copied());
            if let (Some(&first), Some(&last)) = (old.first(), old.last()) {
                let (from, to) = (self.index().span(first), self.index().span(last));
                span.sites = from.sites.start..to.sites.end;
                span.choices = from.choices.start - 1..to.choices.end;
                span.text = from.text.start..to.text.end;
            }
            let mut composed = std::mem::take(&mut self.buffers.composed);
            composed.clear();
            let is_done = self.compose(quantifier, new, 1, NO_SITE, &mut composed);
            std::mem::swap(&mut composed, &mut self.fragment);
            self.buffers.composed = composed;
            return is_done && self.put(span, !new.is_empty(), true);
        }
        let Some(&host) = self.index().sites().get(quantifier as usize) else {
            return false;
        };
        if host.choice_start == host.choice_end {
            return false;
        }
        let mut composed = std::mem::take(&mut self.buffers.composed);
        composed.begin_root(&host);
        let is_done = self.compose(quantifier, items, min as usize, 0, &mut composed);
        if items.len() < max as usize {
            composed.push_choice(false);
        }
        composed.finish_root();
        std::mem::swap(&mut composed, &mut self.fragment);
        self.buffers.composed = composed;
        let span = self.index().span(quantifier);
        is_done && self.put(span, false, true)
    }

    /// Appends items of a quantifier to an index, directly below site `above` of it; those from `asked` on have decisions to go on before
    /// them. False if they break the budget.
    fn compose(
        &mut self,
        quantifier: u32,
        items: &[ItemSource],
        asked: usize,
        above: u32,
        out: &mut SiteIndex,
    ) -> bool {
        let Some(subject) = self.subject(quantifier) else {
            return false;
        };
        for (at, &source) in items.iter().enumerate() {
            if at >= asked {
                out.push_choice(true);
            }
            match source {
                ItemSource::Old(item) => out.append(self.index(), &self.index().span(item), above),
                ItemSource::Random(size) => {
                    self.fragment(subject, quantifier, Part::Random(size));
                    out.append(&self.fragment, &self.fragment.whole(), above);
                }
            }
            if out.choices().len() > self.limits.max_choices {
                return false;
            }
        }
        true
    }
}

/// An optional item with the decision to go on before it.
fn with_decision(item: Span) -> Span {
    Span {
        choices: item.choices.start - 1..item.choices.end,
        ..item
    }
}

/// The sites from one on, and then those before it, but no more than a few hundred.
fn around(start: usize, len: usize) -> impl Iterator<Item = u32> {
    const LOOKED_AT: usize = 512;
    (start as u32..len as u32)
        .chain(0..start as u32)
        .take(LOOKED_AT)
}
