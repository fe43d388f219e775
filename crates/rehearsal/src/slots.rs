//! Where a batch writes what came of a step, in flat arrays.

use crate::batch::Plan;
use crate::encoding::Encoding;

/// Where a batch writes what came of a step: one entry, or as many as are said, for each match.
#[derive(Debug)]
pub struct Slots<'a> {
    /// What the seat that is to move sees: as many as the encoding has.
    pub observations: &'a mut [f32],
    /// Which moves it can make: as many as there are moves.
    pub masks: &'a mut [bool],
    /// What the step was worth to each seat.
    pub rewards: &'a mut [f32],
    /// Whether the match was over with this step.
    pub dones: &'a mut [bool],
    /// Whether it was broken off.
    pub truncated: &'a mut [bool],
    /// The seat that is to move, −1 if nobody is.
    pub to_move: &'a mut [i64],
}

impl Slots<'_> {
    /// Cuts everything into parts for so many matches each.
    pub(crate) fn parts<'s>(
        self,
        share: usize,
        plan: &Plan,
        encoding: &Encoding,
    ) -> impl Iterator<Item = Slots<'s>>
    where
        Self: 's,
    {
        let Slots { observations, masks, rewards, dones, truncated, to_move } = self;
        let observations = observations.chunks_mut(share * encoding.len());
        let masks = masks.chunks_mut(share * encoding.sizes().moves);
        let rewards = rewards.chunks_mut(share * usize::from(plan.seats));
        let ends = dones.chunks_mut(share).zip(truncated.chunks_mut(share)).zip(to_move.chunks_mut(share));
        observations.zip(masks).zip(rewards).zip(ends).map(
            |(((observations, masks), rewards), ((dones, truncated), to_move))| Slots {
                observations,
                masks,
                rewards,
                dones,
                truncated,
                to_move,
            },
        )
    }

    /// Those of one match.
    pub(crate) fn at(&mut self, at: usize, plan: &Plan, encoding: &Encoding) -> Slots<'_> {
        let (len, width, seats) = (encoding.len(), encoding.sizes().moves, usize::from(plan.seats));
        Slots {
            observations: &mut self.observations[at * len..][..len],
            masks: &mut self.masks[at * width..][..width],
            rewards: &mut self.rewards[at * seats..][..seats],
            dones: &mut self.dones[at..=at],
            truncated: &mut self.truncated[at..=at],
            to_move: &mut self.to_move[at..=at],
        }
    }
}
