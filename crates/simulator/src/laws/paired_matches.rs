//! Pairs of matches that get different inputs, and their comparison as viewers see them.

use intermezzo_program::Seat;

use super::viewer_streams::ViewerStreams;
use super::{LawRun, LawViolation};
use crate::fixtures::Fixture;

/// Two copies of a match at the same wait.
pub(crate) struct PairedMatches {
    pub(crate) left: ViewerStreams,
    pub(crate) right: ViewerStreams,
}

impl PairedMatches {
    pub(crate) fn at(
        run: &LawRun<'_>,
        fixture: &Fixture,
        seed: u64,
        inputs: usize,
    ) -> Result<PairedMatches, LawViolation> {
        let mut both = Vec::new();
        for _ in 0..2 {
            let mut streams = ViewerStreams::begin(fixture, &run.played.setup, seed)?;
            for input in &run.played.inputs[..inputs] {
                streams.submit_unseen(input).map_err(|refusal| run.violation(refusal.to_string()))?;
            }
            streams.observe();
            both.push(streams);
        }
        match (both.pop(), both.pop()) {
            (Some(left), Some(right)) => Ok(PairedMatches { left, right }),
            _ => Err(run.violation("the pair is incomplete")),
        }
    }

    /// Returns the first other viewer who sees a difference as an error.
    pub(crate) fn same_for_all_but(&self, seat: Seat) -> Result<(), usize> {
        let others = (0..self.left.viewers()).filter(|viewer| *viewer != usize::from(seat.0));
        match others.into_iter().find(|viewer| self.left.step(*viewer) != self.right.step(*viewer)) {
            Some(viewer) => Err(viewer),
            None => Ok(()),
        }
    }
}

/// Describes the first difference of two texts.
pub(crate) fn difference(left: &str, right: &str) -> String {
    let at = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    let part = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(80));
        let to = text.floor_char_boundary((at + 80).min(text.len()));
        text[from..to].to_owned()
    };
    format!("…{}… against …{}…", part(left), part(right))
}
