//! A small part of a corpus that covers what all of it covers.
//!
//! Weighted set cover, by the greedy rule (Chvátal 1979: within the harmonic number of the largest set of the best there is): next comes the
//! input that covers most for its price. A price is the bytes of an input and [`FILE`], so that neither many tiny inputs nor a few
//! enormous ones win. Then inputs go again whose things the others cover, the dearest first.
//!
//! Gains only shrink while inputs are chosen, so an input is looked at again only when it is the best by what was known of it: O(n · log n)
//! for all things of all inputs together, in practice.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use pleach_core::bitset::BitSet;

/// What a file costs beside its bytes: an input is a run of the target at each start, which a shorter one is, too.
const FILE: u64 = 64;

/// An input that may be chosen, and what was known of it when it was looked at last.
#[derive(PartialEq, Eq)]
struct Entry {
    gain: u64,
    price: u64,
    input: usize,
}

impl Ord for Entry {
    /// The greater one is the better one: by gain for the price, then the cheaper and the earlier one.
    fn cmp(&self, other: &Entry) -> Ordering {
        let ours = u128::from(self.gain) * u128::from(other.price);
        let theirs = u128::from(other.gain) * u128::from(self.price);
        ours.cmp(&theirs)
            .then_with(|| other.price.cmp(&self.price))
            .then_with(|| other.input.cmp(&self.input))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The inputs to keep, ascending: `things` has what each input covers, as numbers below `count`, and `bytes` how long it is.
pub(super) fn cover(things: &[Vec<u32>], bytes: &[u64], count: usize) -> Vec<usize> {
    let price = |input: usize| bytes[input].saturating_add(FILE);
    let mut covered = BitSet::new(count);
    let mut heap: BinaryHeap<Entry> = (0..things.len())
        .map(|input| Entry {
            gain: things[input].len() as u64,
            price: price(input),
            input,
        })
        .collect();
    let mut chosen = Vec::new();
    while let Some(best) = heap.pop() {
        let new = things[best.input].iter();
        let gain = new.filter(|&&it| !covered.contains(it as usize)).count() as u64;
        if gain == 0 {
            continue;
        }
        if gain < best.gain {
            heap.push(Entry { gain, ..best });
            continue;
        }
        for &thing in &things[best.input] {
            covered.insert(thing as usize);
        }
        chosen.push(best.input);
    }
    let mut owners = vec![0_u32; count];
    for &input in &chosen {
        for &thing in &things[input] {
            owners[thing as usize] += 1;
        }
    }
    chosen.sort_by_key(|&input| (Reverse(price(input)), Reverse(input)));
    chosen.retain(|&input| {
        let is_needed = things[input].iter().any(|&it| owners[it as usize] == 1);
        if !is_needed {
            for &thing in &things[input] {
                owners[thing as usize] -= 1;
            }
        }
        is_needed
    });
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::{FILE, cover};
    use pleach_core::rng::Rng;

    fn all(things: &[Vec<u32>], of: impl Iterator<Item = usize>) -> Vec<u32> {
        let mut all: Vec<u32> = of.flat_map(|it| things[it].clone()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The least that a part which covers everything can cost.
    fn least(things: &[Vec<u32>], bytes: &[u64]) -> u64 {
        let wanted = all(things, 0..things.len());
        let is_in = |set: u32| (0..things.len()).filter(move |it| set >> it & 1 == 1);
        (0..1_u32 << things.len())
            .filter(|&set| all(things, is_in(set)) == wanted)
            .map(|set| is_in(set).map(|it| bytes[it] + FILE).sum())
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn everything_stays_covered_and_nothing_that_is_kept_is_superfluous() {
        let mut rng = Rng::new(7);
        let (mut paid, mut needed) = (0, 0);
        for _ in 0..300 {
            let inputs = 1 + rng.below(8) as usize;
            let mut one = || -> Vec<u32> { (0..12).filter(|_| rng.below(4) == 0).collect() };
            let things: Vec<Vec<u32>> = (0..inputs).map(|_| one()).collect();
            let bytes: Vec<u64> = (0..inputs).map(|_| u64::from(rng.below(200))).collect();
            let kept = cover(&things, &bytes, 12);
            let wanted = all(&things, 0..inputs);
            assert_eq!(all(&things, kept.iter().copied()), wanted, "{things:?}");
            for left_out in &kept {
                let others = kept.iter().copied().filter(|it| it != left_out);
                assert_ne!(all(&things, others), wanted, "{things:?} {kept:?}");
            }
            paid += kept.iter().map(|&it| bytes[it] + FILE).sum::<u64>();
            needed += least(&things, &bytes);
        }
        // Greedy is not best, but nearly: a tenth more is far from it on sets as small as these.
        assert!(paid <= needed + needed / 10, "{paid} {needed}");
    }

    #[test]
    fn of_inputs_that_cover_the_same_the_shortest_is_kept() {
        let things = [vec![1, 2], vec![1, 2], vec![1, 2], vec![0]];
        assert_eq!(cover(&things, &[9, 3, 3, 100], 3), [1, 3]);
        assert_eq!(cover(&[vec![], vec![]], &[0, 0], 1), [0_usize; 0]);
    }
}
