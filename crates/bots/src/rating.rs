//! How well a playing went, as a number from 0 to 1.

use crate::worth::WON;

/// What is not the end counts for so much of it at most.
const SHARE: f64 = 0.8;

/// What is usual in the search under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rating {
    middle: f64,
    /// How far from the middle things usually are.
    usual: f64,
}

impl Rating {
    /// By what playings have led to; those that ended the match tell nothing of what is usual.
    pub(crate) fn of(worths: &[i64]) -> Rating {
        let values = || worths.iter().filter(|worth| worth.abs() < WON).map(|worth| *worth as f64);
        let count = values().count().max(1) as f64;
        let middle = values().sum::<f64>() / count;
        let spread = values().map(|value| (value - middle).abs()).sum::<f64>() / count;
        Rating { middle, usual: spread.max(1.0) }
    }

    /// How good that is.
    pub(crate) fn rate(&self, worth: i64) -> f64 {
        if worth.abs() >= WON {
            return if worth > 0 { 1.0 } else { 0.0 };
        }
        let above = worth as f64 - self.middle;
        0.5 + 0.5 * SHARE * above / (above.abs() + self.usual)
    }
}
