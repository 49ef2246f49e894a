//! Alias tables: drawing from any distribution by one random number and one look-up.
//!
//! Of `n` columns of equal width, each holds at most two outcomes (Walker 1977, in the form of Vose 1991). They are filled by
//! whole numbers, so the table is the same on every machine; an outcome of weight 0 is never drawn, and the others are drawn
//! with their share to within `n / 2^32`. Columns hold what the outcomes stand for, so nothing else has to be read.

use crate::rng::Rng;

/// What the upper and the lower part of a column stand for: below the threshold its own outcome, else the alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Column {
    threshold: u32,
    own: u32,
    alias: u32,
}

/// Appends the table of some weights, whose outcomes stand for `values`; false, and nothing appended, if all weights are 0.
/// O(weights).
pub(super) fn fill(
    weights: impl ExactSizeIterator<Item = u64> + Clone,
    values: impl Fn(u32) -> u32,
    into: &mut Vec<Column>,
) -> bool {
    let count = weights.len();
    let total: u128 = weights.clone().map(u128::from).sum();
    if total == 0 || count > 1 << 30 {
        return false;
    }
    let full = 1u64 << 32;
    let area = u128::from(full) * count as u128;
    let share = |weight: u64| (u128::from(weight) * area / total) as u64;
    let mut left: Vec<u64> = weights.clone().map(share).collect();
    // What was rounded off goes to the first ones that can be drawn: less than a unit of an outcome each.
    let mut missing = area - left.iter().copied().map(u128::from).sum::<u128>();
    while missing > 0 {
        for (left, weight) in left.iter_mut().zip(weights.clone()) {
            if weight > 0 && missing > 0 {
                *left += 1;
                missing -= 1;
            }
        }
    }
    let mut columns: Vec<Column> = (0..count as u32)
        .map(|at| Column {
            threshold: 0,
            own: values(at),
            alias: values(at),
        })
        .collect();
    let (mut small, mut large): (Vec<u32>, Vec<u32>) = (0..count as u32)
        .rev()
        .partition(|&at| left[at as usize] < full);
    while let (Some(low), Some(high)) = (small.pop(), large.last().copied()) {
        columns[low as usize] = Column {
            threshold: left[low as usize] as u32,
            own: values(low),
            alias: values(high),
        };
        left[high as usize] -= full - left[low as usize];
        if left[high as usize] < full {
            large.pop();
            small.push(high);
        }
    }
    into.append(&mut columns);
    true
}

/// Draws from the table of `len` columns that begins at `first`; nothing if there is no such table.
#[inline(always)]
pub(super) fn draw(columns: &[Column], (first, len): (u32, u32), rng: &mut Rng) -> Option<u32> {
    let bits = rng.bits();
    let at = first + (((bits >> 32) * u64::from(len)) >> 32) as u32;
    let column = columns.get(at as usize)?;
    // Without a branch, which nothing could predict.
    let own = u32::from((bits as u32) < column.threshold).wrapping_neg();
    Some(column.own & own | column.alias & !own)
}

#[cfg(test)]
mod tests {
    use super::{Column, draw, fill};
    use crate::rng::Rng;

    /// The share of each outcome, out of 2^32 a column.
    fn shares(columns: &[Column]) -> Vec<u64> {
        let mut shares = vec![0; columns.len()];
        for (at, column) in columns.iter().enumerate() {
            assert_eq!(column.own as usize, at);
            shares[at] += u64::from(column.threshold);
            shares[column.alias as usize] += (1 << 32) - u64::from(column.threshold);
        }
        shares
    }

    #[test]
    fn shares_are_exact_to_a_unit() {
        let mut rng = Rng::new(1);
        for count in 1..40usize {
            let weights: Vec<u64> = (0..count)
                .map(|at| match at % 4 {
                    0 => 0,
                    _ => rng.bits() >> rng.below(63),
                })
                .collect();
            let total: u128 = weights.iter().map(|&it| u128::from(it)).sum();
            let mut columns = Vec::new();
            let is_filled = fill(weights.iter().copied(), |at| at, &mut columns);
            assert_eq!(is_filled, total > 0);
            for (&weight, share) in weights.iter().zip(shares(&columns)) {
                let exact = u128::from(weight) * ((count as u128) << 32) / total;
                assert!(u128::from(share).abs_diff(exact) <= count as u128);
                assert!(weight > 0 || share == 0);
            }
        }
    }

    #[test]
    fn a_stream_never_changes() {
        let mut columns = Vec::new();
        assert!(fill([1, 0, 3, 2].into_iter(), |at| at, &mut columns));
        let mut rng = Rng::new(7);
        let drawn = (0..20).map(|_| draw(&columns, (0, 4), &mut rng));
        let drawn: Vec<u32> = drawn.flatten().collect();
        assert_eq!(drawn.iter().filter(|&&it| it == 1).count(), 0);
        expect_test::expect!["[0, 2, 3, 2, 3, 2, 2, 2, 3, 2, 2, 0, 2, 0, 2, 0, 2, 0, 0, 3]"]
            .assert_eq(&format!("{drawn:?}"));
    }
}
