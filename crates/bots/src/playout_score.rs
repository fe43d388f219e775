//! Score of a playout, from 0 to 1.

use crate::evaluation::WON;

/// Share of the scale for positions that are not final.
const SHARE: f64 = 0.8;
/// Greatest distance from the mean on a linear scale, in spreads: a match that is won or lost without a score.
const FURTHEST: f64 = 8.0;

/// Scale of the values in a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayoutScore {
    mean: f64,
    /// Mean distance from the mean, at least 1.
    spread: f64,
    /// Scores of finished matches count in proportion: twice the lead is worth twice as much.
    is_linear: bool,
}

impl PlayoutScore {
    /// Derives the scale from the values of playouts. Matches that are won or lost are left out. `is_linear` is true for
    /// rulesets whose matches end with scores.
    pub(crate) fn of(values_seen: &[i64], is_linear: bool) -> PlayoutScore {
        let values = || values_seen.iter().filter(|value| value.abs() < WON).map(|value| *value as f64);
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        let spread = values().map(|value| (value - mean).abs()).sum::<f64>() / count;
        PlayoutScore { mean, spread: spread.max(1.0), is_linear }
    }

    /// Returns the score of a value. On a linear scale it may lie outside 0 to 1.
    pub(crate) fn score(&self, value: i64) -> f64 {
        if self.is_linear {
            let reach = FURTHEST * self.spread;
            return 0.5 + (value as f64 - self.mean).clamp(-reach, reach) / (2.0 * self.spread);
        }
        if value.abs() >= WON {
            return if value > 0 { 1.0 } else { 0.0 };
        }
        let above = value as f64 - self.mean;
        0.5 + 0.5 * SHARE * above / (above.abs() + self.spread)
    }
}
