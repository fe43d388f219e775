//! Score of a playout, from 0 to 1.

use crate::evaluation::WON;

/// Share of the scale for positions that are not final.
const SHARE: f64 = 0.8;

/// Scale of the values in a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayoutScore {
    mean: f64,
    /// Mean distance from the mean, at least 1.
    spread: f64,
}

impl PlayoutScore {
    /// Derives the scale from the values of playouts. Finished matches are left out.
    pub(crate) fn of(values_seen: &[i64]) -> PlayoutScore {
        let values = || values_seen.iter().filter(|value| value.abs() < WON).map(|value| *value as f64);
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        let spread = values().map(|value| (value - mean).abs()).sum::<f64>() / count;
        PlayoutScore { mean, spread: spread.max(1.0) }
    }

    /// Returns the score of a value.
    pub(crate) fn score(&self, value: i64) -> f64 {
        if value.abs() >= WON {
            return if value > 0 { 1.0 } else { 0.0 };
        }
        let above = value as f64 - self.mean;
        0.5 + 0.5 * SHARE * above / (above.abs() + self.spread)
    }
}
