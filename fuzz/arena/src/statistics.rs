//! Medians, ranges, and how sure a difference is.
//!
//! The test is that of Mann and Whitney, two-sided (`statrs`: exact for small samples without ties, otherwise by the normal
//! distribution with corrections for ties and continuity). The effect size is Vargha and Delaney's A12: how often a value of one
//! sample is greater than one of the other, ties counted half.

use statrs::stats_tests::Alternative;
use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};

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
pub(crate) fn p_value(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    let all = || ours.iter().chain(theirs);
    let first = all().next()?;
    if all().all(|value| value == first) {
        // Nothing but ties, which the formula cannot divide by.
        return (!ours.is_empty() && !theirs.is_empty()).then_some(1.0);
    }
    let test = mannwhitneyu(
        ours,
        theirs,
        MannWhitneyUMethod::Automatic,
        Alternative::TwoSided,
    );
    test.ok().map(|(_, p)| p.min(1.0))
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
        assert_eq!(p_value(&[], &[1.0]), None);
    }
}
