//! From counts to weights: proportions, their inversion, and what lies between.
//!
//! A choice of probability `p` gets the weight `(p + d)^s`, with a damping `d` and an exponent `s` (TRIBBLE's form). With `s = 1`
//! and `d = 0` that is the distribution of the samples; `s = 0` makes all choices alike; `s = -1` and `d = 0` is the inversion of
//! *Inputs from Hell*: `w' = 1 / w` (equation 6), where choices that were never made have infinite weight, so they share
//! everything if there are any, and the weights are normalized (equation 7).
//!
//! What a choice is among:
//!
//! * Alternatives are taken as they are.
//! * Of a class, the heads are ([`crate::choice::class`]): each member of a small class, and of a large one each ASCII
//!   character, with one head for all longer characters of a length. Behind such a head the same is done once more with its
//!   members.
//! * A number of repetitions is one of infinitely many, so nearly all were never seen. Where numbers that were not seen have
//!   weight, it is orders of magnitude that are weighed: 0, 1, 2 to 3, 4 to 7 and so on, up to the one after the greatest that was
//!   seen.

use std::collections::BTreeMap;

use crate::id::NodeId;

use super::layout::Place;
use super::real::Real;
use super::{Counts, Model, ONE};

/// An exponent, in 256ths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Exponent(i32);

impl Exponent {
    /// The greatest exponent, and the least one without its sign.
    pub const MAX: i32 = 8;

    /// A number of 256ths; `None` beyond 8.
    pub fn new(parts: i32) -> Option<Exponent> {
        (parts.unsigned_abs() <= 256 * Exponent::MAX.unsigned_abs()).then_some(Exponent(parts))
    }
}

/// What is made of counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// `d`, out of [`ONE`].
    pub damping: u32,
    /// `s`.
    pub exponent: Exponent,
    /// The share of uniform choices, out of 2^16.
    pub uniform: u16,
}

impl Reading {
    /// As the samples.
    pub const COMMON: Reading = Reading {
        damping: 0,
        exponent: Exponent(256),
        uniform: 0,
    };

    /// As the samples are not: equations 5 to 7 of the paper.
    pub const UNCOMMON: Reading = Reading {
        damping: 0,
        exponent: Exponent(-256),
        uniform: 0,
    };

    /// Whether counts are the weights.
    fn is_identity(&self) -> bool {
        self.damping == 0 && self.exponent == Exponent(256)
    }

    /// The weights of choices that were made so often, each standing for a number of choices that have its count together. All
    /// are 0 if no choice was made. O(counts).
    ///
    /// ```
    /// use pleach_core::model::Reading;
    ///
    /// assert_eq!(Reading::COMMON.weigh(&[(3, 1), (1, 1), (0, 1)]), [3, 1, 0]);
    /// assert_eq!(Reading::UNCOMMON.weigh(&[(3, 1), (1, 1), (0, 1)]), [0, 0, 1]);
    /// let inverted = Reading::UNCOMMON.weigh(&[(1, 1), (2, 1), (4, 1)]);
    /// assert_eq!((inverted[0], inverted[1]), (2 * inverted[1], 2 * inverted[2]));
    /// ```
    pub fn weigh(&self, counts: &[(u64, u64)]) -> Vec<u64> {
        if self.is_identity() {
            return counts.iter().map(|&(count, _)| count).collect();
        }
        let total: u128 = counts.iter().map(|&(count, _)| u128::from(count)).sum();
        if total == 0 {
            return vec![0; counts.len()];
        }
        if self.damping == 0
            && self.exponent == Exponent(-256)
            && let Some(inverted) = reciprocals(counts)
        {
            return inverted;
        }
        // p + d = (count / size + d · total) / total; the denominator is common to all and cancels out.
        let damped = total.saturating_mul(u128::from(self.damping));
        let base = |&(count, size): &(u64, u64)| {
            let one = u128::from(count) * u128::from(ONE) / u128::from(size.max(1));
            one.saturating_add(damped)
        };
        if self.exponent < Exponent(0) && counts.iter().any(|it| base(it) == 0) {
            let endless = |it: &(u64, u64)| if base(it) == 0 { it.1 } else { 0 };
            return counts.iter().map(endless).collect();
        }
        let weight = |it: &(u64, u64)| {
            let base = match (base(it), self.exponent) {
                (0, Exponent(0)) => 1,
                (base, _) => base,
            };
            let one = Real::new(base)?.power(self.exponent.0);
            Some(one.times_whole(it.1))
        };
        let weights: Vec<Option<Real>> = counts.iter().map(weight).collect();
        Real::scaled(&weights, 62)
    }
}

/// The reciprocals of counts, exactly, as multiples of that of their least common multiple; nothing if that is too great, or if a
/// count is 0 or shared.
fn reciprocals(counts: &[(u64, u64)]) -> Option<Vec<u64>> {
    let common = |a: u64, b: u64| {
        let (mut a, mut b) = (a, b);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let unit = counts
        .iter()
        .fold(0, |unit, &(count, _)| common(unit, count));
    let mut multiple = 1u64;
    for &(count, size) in counts {
        if count == 0 || size != 1 {
            return None;
        }
        let count = count / unit;
        multiple = (multiple / common(multiple, count)).checked_mul(count)?;
    }
    let reciprocal = |&(count, _): &(u64, u64)| multiple / (count / unit);
    Some(counts.iter().map(reciprocal).collect())
}

/// A choice, or a run of choices that are alike, with the weight of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The alternative, or the head of a class's member.
    pub head: u32,
    /// The first number behind the head, or of repetitions.
    pub low: u32,
    /// The last one.
    pub high: u32,
    /// The weight.
    pub weight: u64,
}

impl Model {
    /// The outcomes of a node by some counts; none if it is not specified.
    pub(super) fn read(&self, node: NodeId, counts: &Counts, reading: &Reading) -> Vec<Outcome> {
        match self.layout.place(node) {
            Place::None => Vec::new(),
            Place::Alternation { slot, count } => {
                let weights = self.weigh_slots(counts, slot, count, reading);
                let outcomes = (0u32..).zip(weights).map(|(head, weight)| Outcome {
                    head,
                    low: 0,
                    high: 0,
                    weight,
                });
                outcomes.collect()
            }
            Place::Class { slot, class } => {
                let class = self.codec.class(class);
                let weights = self.weigh_slots(counts, slot, class.head_count(), reading);
                let mut outcomes = Vec::with_capacity(weights.len());
                for (head, weight) in (0u32..).zip(weights) {
                    match class.rest_count(head) {
                        1 => outcomes.push(Outcome {
                            head,
                            low: 0,
                            high: 0,
                            weight,
                        }),
                        members => {
                            let seen = counts.rests.range((node, head, 0)..=(node, head, u32::MAX));
                            let seen = seen.map(|(&(_, _, rest), &count)| (rest, count));
                            self.read_rests(head, members, weight, seen, reading, &mut outcomes);
                        }
                    }
                }
                outcomes
            }
            Place::Quantifier { index, min, max } => {
                let seen = counts.repetitions.get(index as usize);
                seen.map_or_else(Vec::new, |seen| {
                    self.read_repetitions(seen, min, max, reading)
                })
            }
        }
    }

    /// What a node in a context has been seen.
    pub(super) fn seen(&self, node: NodeId, counts: &Counts) -> u64 {
        let slots = |slot: u32, count: u32| {
            let slots = counts.slots.get(slot as usize..(slot + count) as usize);
            slots
                .unwrap_or_default()
                .iter()
                .fold(0, |sum, &it| u64::saturating_add(sum, it))
        };
        match self.layout.place(node) {
            Place::None => 0,
            Place::Alternation { slot, count } => slots(slot, count),
            Place::Class { slot, class } => slots(slot, self.codec.class(class).head_count()),
            Place::Quantifier { index, .. } => {
                let counts = counts.repetitions.get(index as usize).into_iter().flatten();
                counts.fold(0, |sum, (_, &it)| u64::saturating_add(sum, it))
            }
        }
    }

    /// The weights of a run of slots; none if nothing was counted there.
    fn weigh_slots(&self, counts: &Counts, slot: u32, count: u32, reading: &Reading) -> Vec<u64> {
        let slots = counts.slots.get(slot as usize..(slot + count) as usize);
        let slots = slots.unwrap_or_default();
        if slots.iter().all(|&it| it == 0) {
            return Vec::new();
        }
        let smoothed = |&it: &u64| (u64::saturating_add(it, self.smoothing), 1);
        let counts: Vec<(u64, u64)> = slots.iter().map(smoothed).collect();
        reading.weigh(&counts)
    }

    /// Shares the weight of a head among the members behind it: those that were seen, and the gaps between them.
    fn read_rests(
        &self,
        head: u32,
        members: u32,
        weight: u64,
        seen: impl Iterator<Item = (u32, u64)>,
        reading: &Reading,
        outcomes: &mut Vec<Outcome>,
    ) {
        if weight == 0 {
            return;
        }
        // What smoothing has added to the head belongs to its members alike.
        let share = self.smoothing / u64::from(members);
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut counts: Vec<(u64, u64)> = Vec::new();
        let gap = |from: u32, to: u32, counts: &mut Vec<(u64, u64)>, runs: &mut Vec<_>| {
            if from < to {
                let size = u64::from(to - from);
                runs.push((from, to - 1));
                counts.push((share.saturating_mul(size), size));
            }
        };
        let mut next = 0;
        for (rest, count) in seen {
            gap(next, rest, &mut counts, &mut runs);
            runs.push((rest, rest));
            counts.push((count.saturating_add(share), 1));
            next = rest + 1;
        }
        gap(next, members, &mut counts, &mut runs);
        let mut weights = reading.weigh(&counts);
        let total: u128 = weights.iter().map(|&it| u128::from(it)).sum();
        if total == 0 {
            // None was seen: all are alike.
            runs = vec![(0, members - 1)];
            weights = vec![1];
        }
        let total = total.max(1);
        for ((low, high), part) in runs.into_iter().zip(weights) {
            let weight = (u128::from(weight) * u128::from(part) / total) as u64;
            if weight > 0 {
                outcomes.push(Outcome {
                    head,
                    low,
                    high,
                    weight,
                });
            }
        }
    }

    fn read_repetitions(
        &self,
        seen: &BTreeMap<u32, u64>,
        min: u32,
        max: u32,
        reading: &Reading,
    ) -> Vec<Outcome> {
        let run = |low, high, weight| Outcome {
            head: 0,
            low,
            high,
            weight,
        };
        if reading.is_identity() && self.smoothing == 0 {
            let runs = seen.iter().map(|(&times, &count)| run(times, times, count));
            return runs.collect();
        }
        let Some((&greatest, _)) = seen.last_key_value() else {
            return Vec::new();
        };
        let mut runs = Vec::new();
        let mut counts = Vec::new();
        let mut magnitude = (0u32, 0u32);
        loop {
            let (first, last) = magnitude;
            let (low, high) = (first.max(min), last.min(max));
            if low <= high {
                let sum = seen
                    .range(low..=high)
                    .fold(0, |sum, (_, &it)| u64::saturating_add(sum, it));
                runs.push((low, high));
                counts.push((sum.saturating_add(self.smoothing), 1));
            }
            if last >= max || first > greatest {
                break;
            }
            magnitude = (last + 1, last.saturating_mul(2).saturating_add(1));
        }
        let weights = reading.weigh(&counts);
        let total: u128 = counts.iter().map(|&(count, _)| u128::from(count)).sum();
        let damped = total.saturating_mul(u128::from(reading.damping));
        let mut outcomes = Vec::new();
        for (((low, high), (count, _)), weight) in runs.into_iter().zip(counts).zip(weights) {
            let mut left = weight;
            if reading.exponent > Exponent(0) {
                // Of an order of magnitude, the numbers that were seen keep what they have brought to it.
                let whole = (u128::from(count) * u128::from(ONE))
                    .saturating_add(damped)
                    .max(1);
                for (&times, &seen) in seen.range(low..=high) {
                    let part = u128::from(weight).saturating_mul(u128::from(seen)) / whole;
                    let part = part.saturating_mul(u128::from(ONE)) as u64;
                    let part = part.min(left);
                    left -= part;
                    outcomes.push(run(times, times, part));
                }
            }
            if left > 0 {
                outcomes.push(run(low, high, left));
            }
        }
        outcomes
    }
}
