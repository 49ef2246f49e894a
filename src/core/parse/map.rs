//! Hash maps that are only ever asked, never iterated: no result depends on their order, and their keys are fixed.

#[expect(
    clippy::disallowed_types,
    reason = "look-up only; ids and lists carry the order"
)]
use std::collections::{HashMap, HashSet};

/// A map for look-up.
#[expect(
    clippy::disallowed_types,
    reason = "look-up only; ids and lists carry the order"
)]
pub(super) type Map<K, V> = HashMap<K, V, Fixed>;

/// A set for look-up.
#[expect(
    clippy::disallowed_types,
    reason = "look-up only; ids and lists carry the order"
)]
pub(super) type Set<K> = HashSet<K, Fixed>;

/// Hashing with fixed keys, so that a parse costs the same every time.
#[derive(Clone)]
pub(super) struct Fixed(ahash::RandomState);

impl Default for Fixed {
    fn default() -> Fixed {
        Fixed(ahash::RandomState::with_seeds(1, 2, 3, 4))
    }
}

impl std::hash::BuildHasher for Fixed {
    type Hasher = ahash::AHasher;
    #[inline]
    fn build_hasher(&self) -> ahash::AHasher {
        self.0.build_hasher()
    }
}

/// What a slot of an [`Episodic`] table holds.
#[derive(Clone, Copy, Default)]
struct Slot {
    episode: u32,
    key: (u32, u32),
    value: u32,
}

/// A map from pairs that is emptied in constant time, for the current set of a chart.
#[derive(Default)]
pub(super) struct Episodic {
    slots: Vec<Slot>,
    episode: u32,
    len: usize,
}

impl Episodic {
    /// Forgets everything.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.episode = self.episode.wrapping_add(1);
        if self.episode == 0 {
            self.slots.fill(Slot::default());
            self.episode = 1;
        }
    }

    /// The slot of a key, or the free one where it belongs.
    #[inline]
    fn find(&self, key: (u32, u32)) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (u64::from(key.0) << 32 | u64::from(key.1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].episode == self.episode && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value of a key, if it has one.
    #[inline]
    pub(super) fn get(&self, key: (u32, u32)) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let slot = &self.slots[self.find(key)];
        (slot.episode == self.episode).then_some(slot.value)
    }

    /// Gives a key without a value one.
    pub(super) fn insert(&mut self, key: (u32, u32), value: u32) {
        if self.slots.is_empty() || self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.find(key);
        self.len += 1;
        self.slots[at] = Slot {
            episode: self.episode,
            key,
            value,
        };
    }

    fn grow(&mut self) {
        if self.episode == 0 {
            self.episode = 1;
        }
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old {
            if slot.episode == self.episode {
                let at = self.find(slot.key);
                self.slots[at] = slot;
            }
        }
    }

    /// The bytes that the table takes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>()
    }
}

#[cfg(test)]
mod tests {
    use super::Episodic;

    #[test]
    fn a_cleared_table_has_forgotten_everything() {
        let mut table = Episodic::default();
        for episode in 0..3 {
            table.clear();
            for key in 0..1000 {
                assert_eq!(table.get((key, episode)), None);
                table.insert((key, episode), key * 2);
            }
            for key in 0..1000 {
                assert_eq!(table.get((key, episode)), Some(key * 2));
                assert_eq!(table.get((episode, key + 1000)), None);
            }
        }
    }
}
