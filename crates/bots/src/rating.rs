//! How well a playing went, as a number from 0 to 1.

use crate::worth::WON;

/// What is not the end counts for so much of it at most.
const SHARE: f64 = 0.8;

/// What is usual in the search under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rating {
    seen: u32,
    sum: f64,
    /// Sum of how far what was seen lay from the middle.
    spread: f64,
    is_settled: bool,
}

impl Rating {
    pub(crate) fn new() -> Rating {
        Rating { seen: 0, sum: 0.0, spread: 0.0, is_settled: false }
    }

    /// Looks at what a playing has led to.
    pub(crate) fn learn(&mut self, worth: i64) {
        if !self.is_settled && worth.abs() < WON {
            self.seen += 1;
            self.sum += worth as f64;
            self.spread += (worth as f64 - self.middle()).abs();
        }
    }

    /// From here on, what is usual stays what it is.
    pub(crate) fn has_learned(&mut self) {
        self.is_settled = true;
    }

    fn middle(&self) -> f64 {
        self.sum / f64::from(self.seen.max(1))
    }

    /// How good that is.
    pub(crate) fn rate(&self, worth: i64) -> f64 {
        if worth.abs() >= WON {
            return if worth > 0 { 1.0 } else { 0.0 };
        }
        let usual = (self.spread / f64::from(self.seen.max(1))).max(1.0);
        let above = worth as f64 - self.middle();
        0.5 + 0.5 * SHARE * above / (above.abs() + usual)
    }
}
