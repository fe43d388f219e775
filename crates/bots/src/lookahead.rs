//! Lookahead step: an answer and its consequences, until the same seat decides again.

use intermezzo_engine::{EventLog, Input, Match, PendingQuestion};
use intermezzo_program::{AnswerMode, ChoiceId, InputKind, Seat};

use crate::candidates::{candidates, few_candidates};
use crate::evaluation::{REJECTED, evaluate};
use crate::policy::{default_input, random_answer};
use crate::random::Random;

/// Answers tried for the bot's first follow-up question …
const MAX_NESTED: usize = 10;
/// … and in a quick lookahead.
const MAX_QUICK_NESTED: usize = 5;
/// Maximum number of inputs of a step.
const MAX_INPUTS: u32 = 40;

/// Search for the bot's first follow-up question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lookahead {
    /// No search.
    None,
    /// The best of a few answers.
    Quick,
    /// The best of some answers.
    Full,
}

/// Seat of a step, and the question it starts with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookaheadStep {
    pub(crate) seat: Seat,
    question: ChoiceId,
    /// All seats are asked at once.
    pub(crate) is_for_all: bool,
}

impl LookaheadStep {
    /// Creates the step that an answer to the question begins.
    pub(crate) fn new(pending: &PendingQuestion<'_>) -> LookaheadStep {
        let is_for_all = pending.choice().mode == AnswerMode::Each;
        LookaheadStep { seat: pending.seat(), question: pending.choice_id(), is_for_all }
    }

    /// Returns whether the first question is asked again or the match is over.
    pub(crate) fn is_asked_again(&self, game: &Match) -> bool {
        game.is_over()
            || game.pending().any(|own| own.seat() == self.seat && own.choice_id() == self.question)
    }

    /// Evaluates an answer at the end of its step.
    pub(crate) fn evaluate_answer(
        &self,
        copy: &mut Match,
        sent: &Input,
        seed: u64,
        lookahead: Lookahead,
    ) -> i64 {
        match copy.submit(sent, &mut EventLog::discard()) {
            Ok(()) => self.play_out(copy, &mut Random::new(seed), lookahead),
            Err(_) => REJECTED,
        }
    }

    /// Plays to the end of the step and evaluates the result.
    pub(crate) fn play_out(&self, copy: &mut Match, random: &mut Random, lookahead: Lookahead) -> i64 {
        for _ in 0..MAX_INPUTS {
            let own = copy.pending().find(|pending| pending.seat() == self.seat);
            let input = match own {
                Some(own) if self.is_over(copy, &own) => break,
                Some(own) if lookahead != Lookahead::None && !is_action(&own) => {
                    return self.best_after(copy, &own, random, lookahead);
                }
                Some(own) => default_input(&own, random),
                None => copy.pending().next().and_then(|other| expected_input(&other, random)),
            };
            let Some(input) = input else { break };
            if copy.submit(&input, &mut EventLog::discard()).is_err() {
                break;
            }
        }
        evaluate(copy, self.seat)
    }

    /// Returns whether the seat decides again: the same question is asked, or it may act with an empty
    /// stack.
    fn is_over(&self, game: &Match, own: &PendingQuestion<'_>) -> bool {
        match is_action(own) {
            true => game.stack_height() == 0,
            false => own.choice_id() == self.question,
        }
    }

    /// Returns the value of the best answer to a follow-up question.
    fn best_after(
        &self,
        game: &Match,
        own: &PendingQuestion<'_>,
        random: &mut Random,
        lookahead: Lookahead,
    ) -> i64 {
        let (input, seat) = (own.id(), self.seat);
        let tried = match lookahead {
            Lookahead::Full => candidates(own, MAX_NESTED, random),
            _ => few_candidates(own, MAX_QUICK_NESTED, random),
        };
        let mut copy = game.clone();
        let values = tried.into_iter().map(|answer| {
            // Copy the generator, so that all answers get the same random numbers.
            let mut random = *random;
            copy.clone_from(game);
            match copy.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()) {
                Ok(()) => self.play_out(&mut copy, &mut random, Lookahead::None),
                Err(_) => REJECTED,
            }
        });
        values.max().unwrap_or_else(|| evaluate(game, seat))
    }
}

/// Returns whether the question asks for an action.
pub(crate) fn is_action(pending: &PendingQuestion<'_>) -> bool {
    pending.choice().kind == InputKind::Action
}

/// Returns the expected input of another player: a random answer if all seats are asked at once, because
/// doing nothing is no option there; otherwise the default.
fn expected_input(other: &PendingQuestion<'_>, random: &mut Random) -> Option<Input> {
    if other.choice().mode != AnswerMode::Each {
        return default_input(other, random);
    }
    let answer = random_answer(other, random)?;
    Some(Input::Answer { input: other.id(), seat: other.seat(), answer })
}
