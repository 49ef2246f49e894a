//! Sets of contexts, each kept once and known by a number.
//!
//! A set of one is the context itself, so that a forest without ambiguity above its parts makes none. The union of two sets is
//! made once for each pair. Contexts ascend in a set.

use std::sync::Arc;

use super::map::Map;

/// A set of contexts that is not empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ContextSet(u32);

/// From here on, numbers are those of sets of several contexts.
const SEVERAL: u32 = 1 << 31;

impl ContextSet {
    /// The set of one context.
    #[inline]
    pub(super) fn of(context: u32) -> ContextSet {
        debug_assert!(context < SEVERAL);
        ContextSet(context)
    }

    /// The context of a set that has no other.
    #[inline]
    pub(super) fn only(self) -> Option<u32> {
        (self.0 < SEVERAL).then_some(self.0)
    }
}

/// The sets made so far.
#[derive(Default)]
pub(super) struct ContextSets {
    sets: Vec<Arc<[u32]>>,
    ids: Map<Arc<[u32]>, u32>,
    unions: Map<(ContextSet, ContextSet), ContextSet>,
    /// The contexts of all sets.
    total: usize,
    /// The contexts that were looked at since that was last asked for.
    work: u64,
}

impl ContextSets {
    /// The contexts of a set, ascending.
    pub(super) fn contexts(&self, set: ContextSet) -> impl Iterator<Item = u32> + use<> {
        let several = set.0.checked_sub(SEVERAL);
        let several = several.map(|at| self.sets[at as usize].clone());
        let count = several.as_ref().map_or(1, |contexts| contexts.len());
        (0..count).map(move |at| several.as_ref().map_or(set.0, |contexts| contexts[at]))
    }

    /// The set of some contexts, at least one.
    pub(super) fn of_all(&mut self, mut contexts: Vec<u32>) -> ContextSet {
        contexts.sort_unstable();
        contexts.dedup();
        self.work += contexts.len() as u64;
        if let &[only] = &contexts[..] {
            return ContextSet::of(only);
        }
        if let Some(&known) = self.ids.get(&contexts[..]) {
            return ContextSet(SEVERAL + known);
        }
        let id = self.sets.len() as u32;
        self.total += contexts.len();
        let contexts: Arc<[u32]> = contexts.into();
        self.sets.push(contexts.clone());
        self.ids.insert(contexts, id);
        ContextSet(SEVERAL + id)
    }

    /// The union of two sets.
    pub(super) fn union(&mut self, one: ContextSet, other: ContextSet) -> ContextSet {
        if one == other {
            return one;
        }
        let key = (one.min(other), one.max(other));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let union = self.union_of([one, other]);
        self.unions.insert(key, union);
        union
    }

    /// The union of some sets, at least one.
    pub(super) fn union_of(&mut self, sets: impl IntoIterator<Item = ContextSet>) -> ContextSet {
        let all = sets.into_iter().flat_map(|set| self.contexts(set));
        let all = all.collect();
        self.of_all(all)
    }

    /// The contexts of a set that are not in another, ascending.
    pub(super) fn without(&mut self, set: ContextSet, other: ContextSet) -> Vec<u32> {
        let mut others = self.contexts(other).peekable();
        let is_new = |&context: &u32| {
            while others.next_if(|&other| other < context).is_some() {}
            others.peek() != Some(&context)
        };
        let new: Vec<u32> = self.contexts(set).filter(is_new).collect();
        self.work += new.len() as u64;
        new
    }

    /// The contexts that were looked at since this was last asked.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// The bytes that the sets take, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.total * 4 + self.sets.len() * 96 + self.unions.len() * 32
    }
}
