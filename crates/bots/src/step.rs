//! A step: an answer, and what comes of it until the same seat decides anew.

use intermezzo_engine::{Input, Log, Match, Pending};
use intermezzo_ruleset::{ChoiceId, How, InputKind, Seat};

use crate::candidates::{candidates, few_candidates};
use crate::policy::{at_random, by_default};
use crate::random::Random;
use crate::worth::{REFUSED, worth};

/// So many answers to the first question that follows to oneself are tried …
const MAX_NESTED: usize = 10;
/// … and so many where there is no time.
const MAX_QUICK_NESTED: usize = 5;
/// A step is over after so many inputs.
const MAX_INPUTS: u32 = 40;

/// How the first question that follows to oneself is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Without looking.
    None,
    /// With the best of a few answers.
    Quick,
    /// With the best of some.
    Full,
}

/// Whose step it is, and what was asked at its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) seat: Seat,
    question: ChoiceId,
    /// All are asked at once.
    pub(crate) is_for_all: bool,
}

impl Step {
    /// The step that an answer to the question begins.
    pub(crate) fn new(pending: &Pending<'_>) -> Step {
        let is_for_all = pending.choice().how == How::Each;
        Step { seat: pending.seat(), question: pending.choice_id(), is_for_all }
    }

    /// Whether what was asked at the beginning is asked again, or nothing is any more.
    pub(crate) fn comes_again(&self, game: &Match) -> bool {
        game.is_over()
            || game.pending().any(|own| own.seat() == self.seat && own.choice_id() == self.question)
    }

    /// What an answer leads to, by the end of the step.
    pub(crate) fn value(&self, copy: &mut Match, sent: &Input, seed: u64, look: Look) -> i64 {
        match copy.submit(sent, &mut Log::discard()) {
            Ok(()) => self.play_on(copy, &mut Random::new(seed), look),
            Err(_) => REFUSED,
        }
    }

    /// Plays to the end of the step; gives what things are worth then.
    pub(crate) fn play_on(&self, copy: &mut Match, random: &mut Random, look: Look) -> i64 {
        for _ in 0..MAX_INPUTS {
            let own = copy.pending().find(|pending| pending.seat() == self.seat);
            let input = match own {
                Some(own) if self.is_over(copy, &own) => break,
                Some(own) if look != Look::None && !is_action(&own) => {
                    return self.best_after(copy, &own, random, look);
                }
                Some(own) => by_default(&own, random),
                None => copy.pending().next().and_then(|other| likely(&other, random)),
            };
            let Some(input) = input else { break };
            if copy.submit(&input, &mut Log::discard()).is_err() {
                break;
            }
        }
        worth(copy, self.seat)
    }

    /// Whether the seat decides anew: it is asked the same again, or what to do, and nothing waits to happen.
    fn is_over(&self, game: &Match, own: &Pending<'_>) -> bool {
        match is_action(own) {
            true => game.stack_height() == 0,
            false => own.choice_id() == self.question,
        }
    }

    /// What the best of some answers on the way leads to.
    fn best_after(&self, game: &Match, own: &Pending<'_>, random: &mut Random, look: Look) -> i64 {
        let (input, seat) = (own.id(), self.seat);
        let tried = match look {
            Look::Full => candidates(own, MAX_NESTED, random),
            _ => few_candidates(own, MAX_QUICK_NESTED, random),
        };
        let mut copy = game.clone();
        let values = tried.into_iter().map(|answer| {
            // All of them meet the same chance.
            let mut random = *random;
            copy.clone_from(game);
            match copy.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()) {
                Ok(()) => self.play_on(&mut copy, &mut random, Look::None),
                Err(_) => REFUSED,
            }
        });
        values.max().unwrap_or_else(|| worth(game, seat))
    }
}

/// Whether somebody is asked what to do.
pub(crate) fn is_action(pending: &Pending<'_>) -> bool {
    pending.choice().kind == InputKind::Action
}

/// What another player may be expected to do: anything where all answer at once, for nobody does nothing there;
/// elsewhere what happens if they do nothing.
fn likely(other: &Pending<'_>, random: &mut Random) -> Option<Input> {
    if other.choice().how != How::Each {
        return by_default(other, random);
    }
    let answer = at_random(other, random)?;
    Some(Input::Answer { input: other.id(), seat: other.seat(), answer })
}
