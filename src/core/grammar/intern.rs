//! Interning: equal things get equal dense ids, in order of first appearance.
//!
//! This is the boundary where hash maps are: they are only ever asked, never iterated, so no result depends on their
//! order. The keys of the hash are fixed, so that a run costs the same every time. Expected O(length) for each look-up.

use crate::id::{Id, IdVec};
use std::borrow::Borrow;
#[expect(
    clippy::disallowed_types,
    reason = "look-up only; the ids carry the order"
)]
use std::collections::HashMap;
use std::hash::Hash;
use std::marker::PhantomData;

/// A set of values with dense ids.
#[derive(Clone, Debug)]
pub(super) struct Interner<I, T> {
    #[expect(
        clippy::disallowed_types,
        reason = "look-up only; the ids carry the order"
    )]
    ids: HashMap<T, u32, ahash::RandomState>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T: Hash + Eq> Interner<I, T> {
    /// The id of `item`, which becomes a value of its own only if it is new.
    pub(super) fn intern<Q>(&mut self, item: &Q) -> I
    where
        T: Borrow<Q> + for<'q> From<&'q Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(&id) = self.ids.get(item) {
            return I::from_index(id as usize);
        }
        let id = I::from_index(self.ids.len());
        self.ids.insert(T::from(item), id.index() as u32);
        id
    }

    /// The id of an owned item.
    pub(super) fn intern_owned(&mut self, item: T) -> I {
        let next = self.ids.len() as u32;
        I::from_index(*self.ids.entry(item).or_insert(next) as usize)
    }

    /// The number of distinct items.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The items by id. O(n log n).
    pub(super) fn into_items(self) -> IdVec<I, T> {
        let mut items: Vec<(T, u32)> = self.ids.into_iter().collect();
        items.sort_unstable_by_key(|&(_, id)| id);
        items.into_iter().map(|(item, _)| item).collect()
    }
}

impl<I, T> Default for Interner<I, T> {
    fn default() -> Self {
        // Digits of pi; any fixed keys would do.
        let state = ahash::RandomState::with_seeds(
            0x243f_6a88_85a3_08d3,
            0x1319_8a2e_0370_7344,
            0xa409_3822_299f_31d0,
            0x082e_fa98_ec4e_6c89,
        );
        Interner {
            #[expect(
                clippy::disallowed_types,
                reason = "look-up only; the ids carry the order"
            )]
            ids: HashMap::with_hasher(state),
            id: PhantomData,
        }
    }
}
