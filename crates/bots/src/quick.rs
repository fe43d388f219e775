//! Players who do not think long: how a playing goes on after the answer that is tried.
//!
//! Whoever is asked looks at a few answers, one step ahead like [`Greedy`](crate::Greedy), but in the match as it is
//! imagined and only once. That is worse than they can do, and the same for all answers that are compared.

use intermezzo_engine::{Input, Log, Match};
use intermezzo_ruleset::{NULL, Word};

use crate::candidates::few_candidates;
use crate::policy::declining;
use crate::random::Random;
use crate::step::{Look, Step, is_action};
use crate::worth::worth;

/// So many answers are looked at.
const MAX_QUICK: usize = 5;
/// A playing goes on for so many turns …
const TURNS: u32 = 4;
/// … unless so many answers have been looked at before.
const MAX_LOOKED: u32 = 120;

/// Lets everybody answer until so many turns are over; false if the match is over before, or more answers would have to be
/// looked at than that may take.
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

/// Whose turn it is, and with what.
fn turn_of(game: &Match) -> Option<(Word, Word)> {
    let mut phases = game.board().phases();
    phases.find(|phase| phase.player != NULL).map(|phase| (phase.player, phase.subject))
}

/// Lets whoever is asked next answer as well as a quick look allows; gives how many answers were looked at, nothing if the
/// match goes no further.
fn answer_next(game: &mut Match, spare: &mut Match, random: &mut Random) -> Option<u32> {
    let pending = game.pending().next()?;
    let (input, seat, step) = (pending.id(), pending.seat(), Step::new(&pending));
    // Nothing waits to happen: who does nothing leaves things as they are.
    let is_idle = is_action(&pending) && game.stack_height() == 0 && declining(&pending).is_some();
    let mut tried = few_candidates(&pending, MAX_QUICK, random);
    let seed = random.next_number();
    let mut best = (i64::MIN, 0);
    if tried.len() > 1 {
        for (number, answer) in tried.iter().enumerate() {
            let value = if number == 0 && is_idle {
                worth(game, seat)
            } else {
                spare.clone_from(game);
                step.value(spare, &Input::Answer { input, seat, answer: answer.clone() }, seed, Look::Quick)
            };
            if value > best.0 {
                best = (value, number);
            }
        }
    }
    let looked = tried.len() as u32;
    let answer = (best.1 < tried.len()).then(|| tried.swap_remove(best.1))?;
    game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).ok()?;
    Some(looked)
}
