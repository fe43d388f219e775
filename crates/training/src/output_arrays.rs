//! Output arrays of a batch.

use crate::batch::BatchConfig;
use crate::observation::Encoding;

/// Flat arrays a batch writes to. Each match has one entry, or the stated number of entries.
#[derive(Debug)]
pub struct OutputArrays<'a> {
    /// Observation of the seat to move: as many numbers as the encoding has.
    pub observations: &'a mut [f32],
    /// Legal moves of that seat: one entry per move.
    pub masks: &'a mut [bool],
    /// Reward of the step for each seat.
    pub rewards: &'a mut [f32],
    /// True if the match ended with this step.
    pub dones: &'a mut [bool],
    /// True if the match was truncated.
    pub truncated: &'a mut [bool],
    /// Seat to move, −1 if there is none.
    pub to_move: &'a mut [i64],
}

impl OutputArrays<'_> {
    /// Splits the arrays into parts for `share` matches each.
    pub(crate) fn parts<'s>(
        self,
        share: usize,
        config: &BatchConfig,
        encoding: &Encoding,
    ) -> impl Iterator<Item = OutputArrays<'s>>
    where
        Self: 's,
    {
        let OutputArrays { observations, masks, rewards, dones, truncated, to_move } = self;
        let observations = observations.chunks_mut(share * encoding.len());
        let masks = masks.chunks_mut(share * encoding.sizes().moves);
        let rewards = rewards.chunks_mut(share * usize::from(config.seats));
        let ends = dones.chunks_mut(share).zip(truncated.chunks_mut(share)).zip(to_move.chunks_mut(share));
        observations.zip(masks).zip(rewards).zip(ends).map(
            |(((observations, masks), rewards), ((dones, truncated), to_move))| OutputArrays {
                observations,
                masks,
                rewards,
                dones,
                truncated,
                to_move,
            },
        )
    }

    /// Returns the entries of one match.
    pub(crate) fn at(&mut self, at: usize, config: &BatchConfig, encoding: &Encoding) -> OutputArrays<'_> {
        let (len, width, seats) = (encoding.len(), encoding.sizes().moves, usize::from(config.seats));
        OutputArrays {
            observations: &mut self.observations[at * len..][..len],
            masks: &mut self.masks[at * width..][..width],
            rewards: &mut self.rewards[at * seats..][..seats],
            dones: &mut self.dones[at..=at],
            truncated: &mut self.truncated[at..=at],
            to_move: &mut self.to_move[at..=at],
        }
    }

    /// Writes the state of one match in which nobody is to move.
    pub(crate) fn write_no_move(&mut self) {
        self.to_move[0] = -1;
        self.observations.fill(0.0);
        self.masks.fill(false);
    }

    /// Writes the state of one match that cannot continue.
    pub(crate) fn write_failed(&mut self) {
        self.write_no_move();
        (self.dones[0], self.truncated[0]) = (true, true);
    }
}
