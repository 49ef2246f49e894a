//! Medians, ranges, and how sure a difference is.
//!
//! The test is that of Mann and Whitney, two-sided and exact, ties included: of all ways to deal the values out to two samples of
//! these sizes, the share in which U is at least as far from its mean as it is here. Equal values have the mean of their ranks. (The
//! crate `statrs` has the test, but 0.19.1 gives the complement of the exact p-value for samples of equal size, and approximates with
//! ties.) The effect size is Vargha and Delaney's A12: how often a value of one sample is greater than one of the other, ties
//! counted half.

/// The middle of a sample and its ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spread {
    /// The median.
    pub median: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
}

/// Describes a sample; none if it is empty. Infinite values are allowed.
pub(crate) fn spread(sample: &[f64]) -> Option<Spread> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (&least, &most) = (sorted.first()?, sorted.last()?);
    let middle = sorted.len() / 2;
    let median = match sorted.len() % 2 {
        1 => sorted[middle],
        // Also right for two infinite values, whose sum is one.
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    };
    Some(Spread {
        median,
        least,
        most,
    })
}

/// How often a value of `ours` is greater than one of `theirs`, ties counted half; 0.5 is no difference. None if one is empty.
pub(crate) fn a12(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    let wins: f64 = ours
        .iter()
        .flat_map(|a| theirs.iter().map(move |b| (a, b)))
        .map(|(a, b)| match a.total_cmp(b) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        })
        .sum();
    Some(wins / (ours.len() * theirs.len()) as f64)
}

/// The probability of a difference as great as this or greater by chance alone. None if one sample is empty.
///
/// Counts the ways by the sum of the ranks: time and memory grow with the cube of the number of values, which are a few dozen.
pub(crate) fn p_value(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    if ours.is_empty() || theirs.is_empty() {
        return None;
    }
    let mut values: Vec<f64> = ours.iter().chain(theirs).copied().collect();
    values.sort_by(f64::total_cmp);
    // Twice the mean rank, which is whole: the first and the last place of equal values, counted from 1, added.
    let rank = |value: f64| {
        let below = values.partition_point(|it| it.total_cmp(&value).is_lt());
        let not_above = values.partition_point(|it| it.total_cmp(&value).is_le());
        below + 1 + not_above
    };
    let ranks: Vec<usize> = values.iter().map(|&value| rank(value)).collect();
    let total: usize = ranks.iter().sum();
    // ways[n][sum]: how many choices of n of the values there are whose ranks have this sum.
    let mut ways = vec![vec![0.0f64; total + 1]; ours.len() + 1];
    ways[0][0] = 1.0;
    for &rank in &ranks {
        for n in (1..=ours.len()).rev() {
            for sum in (rank..=total).rev() {
                ways[n][sum] += ways[n - 1][sum - rank];
            }
        }
    }
    // Sums and their mean, in units that make both whole.
    let mean = total * ours.len();
    let distance = |sum: usize| (sum * values.len()).abs_diff(mean);
    let observed = distance(ours.iter().map(|&value| rank(value)).sum());
    let ways = &ways[ours.len()];
    let extreme = (0..=total).filter(|&sum| distance(sum) >= observed);
    Some(extreme.map(|sum| ways[sum]).sum::<f64>() / ways.iter().sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::{Spread, a12, p_value, spread};

    #[test]
    fn medians_of_odd_and_even_samples() {
        let middle = |sample: &[f64]| spread(sample).map(|it| it.median);
        assert_eq!(middle(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(middle(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(
            middle(&[1.0, f64::INFINITY, f64::INFINITY]),
            Some(f64::INFINITY)
        );
        assert_eq!(middle(&[]), None);
        let expected = Spread {
            median: 7.0,
            least: 5.0,
            most: 9.0,
        };
        assert_eq!(spread(&[9.0, 5.0, 7.0]), Some(expected));
    }

    #[test]
    fn effect_sizes_by_hand() {
        assert_eq!(a12(&[2.0, 3.0], &[1.0]), Some(1.0));
        assert_eq!(a12(&[1.0], &[2.0, 3.0]), Some(0.0));
        assert_eq!(a12(&[1.0, 2.0], &[1.0, 2.0]), Some(0.5));
        // 3 of 4 pairs are won, one is a tie.
        assert_eq!(a12(&[2.0, 4.0], &[1.0, 2.0]), Some(0.875));
        assert_eq!(a12(&[], &[1.0]), None);
    }

    #[test]
    fn p_values_are_those_of_the_tables() {
        let near = |p: Option<f64>, expected: f64| {
            let p = p.unwrap();
            assert!((p - expected).abs() < 5e-4, "{p} is not {expected}");
        };
        // 5 against 5 without overlap: 2 of the 252 ways to choose 5 of 10.
        near(
            p_value(&[6.0, 7.0, 8.0, 9.0, 10.0], &[1.0, 2.0, 3.0, 4.0, 5.0]),
            2.0 / 252.0,
        );
        // 3 against 3: 2 of 20.
        near(p_value(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1);
        // The example of scipy's documentation.
        near(
            p_value(&[19.0, 22.0, 16.0, 29.0, 24.0], &[20.0, 11.0, 17.0, 12.0]),
            0.1111,
        );
        near(p_value(&[1.0, 1.0], &[1.0, 1.0]), 1.0);
        // Ties: of the 6 ways to choose two of 1, 2, 2, 3, {1, 2} twice and {2, 3} twice are as far from the mean as {1, 2}.
        near(p_value(&[1.0, 2.0], &[2.0, 3.0]), 4.0 / 6.0);
        near(p_value(&[f64::INFINITY; 3], &[1.0, 2.0, 3.0]), 2.0 / 20.0);
        assert_eq!(
            p_value(&[1.0, 4.0, 5.0], &[2.0, 9.0]),
            p_value(&[2.0, 9.0], &[1.0, 4.0, 5.0])
        );
        assert_eq!(p_value(&[], &[1.0]), None);
    }
}
