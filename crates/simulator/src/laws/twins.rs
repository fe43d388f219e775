//! Two copies of a match that are given different things, and how to see that nobody can tell.

use intermezzo_ruleset::Seat;

use super::streams::Streams;
use super::{Broken, Trial};
use crate::subjects::Subject;

/// Two copies of a match brought to the same wait.
pub(crate) struct Twins {
    pub(crate) left: Streams,
    pub(crate) right: Streams,
}

impl Twins {
    pub(crate) fn at(
        trial: &Trial<'_>,
        subject: &Subject,
        seed: u64,
        inputs: usize,
    ) -> Result<Twins, Broken> {
        let mut both = Vec::new();
        for _ in 0..2 {
            let mut streams = Streams::begin(subject, &trial.played.setup, seed)?;
            for input in &trial.played.inputs[..inputs] {
                streams.submit_unseen(input).map_err(|refusal| trial.broken(refusal.to_string()))?;
            }
            streams.observe();
            both.push(streams);
        }
        match (both.pop(), both.pop()) {
            (Some(left), Some(right)) => Ok(Twins { left, right }),
            _ => Err(trial.broken("there are no twins")),
        }
    }

    /// Breaks with the viewer who can tell.
    pub(crate) fn same_for_all_but(&self, seat: Seat) -> Result<(), usize> {
        let others = (0..self.left.viewers()).filter(|viewer| *viewer != usize::from(seat.0));
        match others.into_iter().find(|viewer| self.left.step(*viewer) != self.right.step(*viewer)) {
            Some(viewer) => Err(viewer),
            None => Ok(()),
        }
    }
}

/// Where two texts part, with a little of each.
pub(crate) fn difference(left: &str, right: &str) -> String {
    let at = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    let part = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(80));
        let to = text.floor_char_boundary((at + 80).min(text.len()));
        text[from..to].to_owned()
    };
    format!("…{}… against …{}…", part(left), part(right))
}
