//! Rollout policy: answers of all seats during a playout.
//!
//! The asked seat tries a few answers, one step ahead like [`Greedy`](crate::Greedy), but only once and in
//! the sampled match. That is weaker than real play, and equally weak for all compared answers.

use intermezzo_engine::{EventLog, Input, Match};
use intermezzo_program::{NULL, Word};

use crate::candidates::few_candidates;
use crate::evaluation::evaluate;
use crate::lookahead::{Lookahead, LookaheadStep, is_action};
use crate::policy::declining_answer;
use crate::random::Random;

/// Maximum number of answers tried per question.
const MAX_QUICK: usize = 5;
/// Number of turns of a playout …
const TURNS: u32 = 4;
/// … unless this many answers have been tried before.
const MAX_LOOKED: u32 = 120;

/// Lets all seats answer until the playout's turns are over. Returns false if the match ends first or too
/// many answers were tried.
pub(crate) fn play_turns(copy: &mut Match, random: &mut Random) -> bool {
    let (mut turns, mut left) = (TURNS, MAX_LOOKED);
    let (mut turn, mut spare) = (turn_of(copy), copy.clone());
    while left > 0 {
        let Some(looked) = answer_next(copy, &mut spare, random) else { return false };
        left = left.saturating_sub(looked);
        let now = turn_of(copy);
        if now != turn && now.is_some() {
            turn = now;
            turns -= 1;
            if turns == 0 {
                return true;
            }
        }
    }
    false
}

/// Returns the player and subject of the current turn.
fn turn_of(game: &Match) -> Option<(Word, Word)> {
    let mut phases = game.board().phases();
    phases.find(|phase| phase.player != NULL).map(|phase| (phase.player, phase.subject))
}

/// Answers the next question. Returns the number of tried answers; `None` if the match cannot continue.
fn answer_next(game: &mut Match, spare: &mut Match, random: &mut Random) -> Option<u32> {
    let pending = game.pending().next()?;
    let (input, seat, step) = (pending.id(), pending.seat(), LookaheadStep::new(&pending));
    // With an empty stack, doing nothing leaves the position as it is, so its value needs no simulation.
    let is_idle = is_action(&pending) && game.stack_height() == 0 && declining_answer(&pending).is_some();
    let mut tried = few_candidates(&pending, MAX_QUICK, random);
    let seed = random.next_number();
    let mut best = (i64::MIN, 0);
    if tried.len() > 1 {
        for (number, answer) in tried.iter().enumerate() {
            let value = if number == 0 && is_idle {
                evaluate(game, seat)
            } else {
                spare.clone_from(game);
                step.evaluate_answer(
                    spare,
                    &Input::Answer { input, seat, answer: answer.clone() },
                    seed,
                    Lookahead::Quick,
                )
            };
            if value > best.0 {
                best = (value, number);
            }
        }
    }
    let looked = tried.len() as u32;
    let answer = (best.1 < tried.len()).then(|| tried.swap_remove(best.1))?;
    game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()).ok()?;
    Some(looked)
}
