//! Estimates with 95 % confidence intervals.

use crate::experiment::WinRecord;
use crate::statistics::Distribution;

/// Number of standard deviations that contain 95 % of a normal distribution.
const Z: f64 = 1.959_964;

/// Estimate with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Estimated value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns true if 0 lies outside the interval: a difference is then significant.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Estimates a share, with Wilson's interval.
#[must_use]
pub fn share(hits: u64, of: u64) -> Estimate {
    if of == 0 {
        return Estimate { value: 0.0, low: 0.0, high: 1.0 };
    }
    let n = of as f64;
    let value = hits as f64 / n;
    let centre = value + Z * Z / (2.0 * n);
    let spread = Z * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // For shares of 0 and 1, rounding must not leave the share outside its interval.
    let (low, high) = (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0));
    Estimate { value, low: low.min(value), high: high.max(value) }
}

/// Estimates the difference of two shares, with Newcombe's interval; `None` without data.
#[must_use]
pub fn share_difference(one: (u64, u64), other: (u64, u64)) -> Option<Estimate> {
    if one.1 == 0 || other.1 == 0 {
        return None;
    }
    let (a, b) = (share(one.0, one.1), share(other.0, other.1));
    let value = a.value - b.value;
    let below = ((a.value - a.low).powi(2) + (b.high - b.value).powi(2)).sqrt();
    let above = ((a.high - a.value).powi(2) + (b.value - b.low).powi(2)).sqrt();
    Some(Estimate { value, low: value - below, high: value + above })
}

/// Estimates the difference of two win rates.
#[must_use]
pub fn won_more(one: WinRecord, other: WinRecord) -> Option<Estimate> {
    share_difference((one.won, one.played), (other.won, other.played))
}

/// Estimates a mean; `None` without data.
#[must_use]
pub fn mean<N: Copy + Ord + Default + Into<i128>>(numbers: &Distribution<N>) -> Option<Estimate> {
    let n = numbers.matches() as f64;
    let (value, spread) = (numbers.mean(), Z * (numbers.variance() / (n - 1.0).max(1.0)).sqrt());
    (n > 0.0).then_some(Estimate { value, low: value - spread, high: value + spread })
}

/// Estimates the difference of two means; `None` without data.
#[must_use]
pub fn mean_difference<N: Copy + Ord + Default + Into<i128>>(
    one: &Distribution<N>,
    other: &Distribution<N>,
) -> Option<Estimate> {
    let (n, m) = (one.matches() as f64, other.matches() as f64);
    if n == 0.0 || m == 0.0 {
        return None;
    }
    let value = one.mean() - other.mean();
    let spread = Z * (one.variance() / n + other.variance() / m).sqrt();
    Some(Estimate { value, low: value - spread, high: value + spread })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(estimate: Estimate, low: f64, high: f64) {
        let is_near = (estimate.low - low).abs() < 1e-4 && (estimate.high - high).abs() < 1e-4;
        assert!(is_near, "{estimate:?}");
    }

    #[test]
    fn the_interval_of_a_share_is_wilsons() {
        near(share(50, 100), 0.4038, 0.5962);
        near(share(0, 10), 0.0, 0.2775);
        near(share(0, 0), 0.0, 1.0);
    }

    /// Newcombe (1998), table II, method 10: 56/70 and 48/80.
    #[test]
    fn the_interval_of_a_difference_is_newcombes() {
        near(share_difference((56, 70), (48, 80)).expect("both were counted"), 0.0524, 0.3339);
        near(share_difference((9, 10), (3, 10)).expect("both were counted"), 0.1705, 0.8090);
        assert_eq!(share_difference((0, 0), (1, 2)), None);
    }

    /// Scores 1, 2 and 3 in equal parts: the variance of the sample is 1.
    #[test]
    fn the_interval_of_a_mean_follows_from_the_variance() {
        let mut scores = crate::statistics::ScoreDistribution::default();
        [1, 2, 3].iter().for_each(|score| scores.add(*score, 1));
        near(mean(&scores).expect("three were counted"), 2.0 - Z / 3.0_f64.sqrt(), 2.0 + Z / 3.0_f64.sqrt());
        assert_eq!(mean(&crate::statistics::ScoreDistribution::default()), None);
    }

    #[test]
    fn means_differ_if_they_are_far_enough_apart() {
        let lengths = |lengths: &[u32]| {
            let mut all = crate::statistics::LengthDistribution::default();
            lengths.iter().for_each(|length| all.add(*length, 50));
            all
        };
        let longer = mean_difference(&lengths(&[5, 6, 7]), &lengths(&[4, 5, 6])).expect("both were counted");
        assert!(longer.is_significant() && (longer.value - 1.0).abs() < 1e-9, "{longer:?}");
        let same = mean_difference(&lengths(&[5, 6, 7]), &lengths(&[7, 6, 5])).expect("both were counted");
        assert!(!same.is_significant());
    }
}
