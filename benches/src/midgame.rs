//! Matches of the card game in the middle, with some answers to what is open: what a search copies and tries.

use intermezzo_engine::{Answer, Input, Match};

use crate::minitcg;

/// Decisions taken before: between a third and two thirds of a usual match.
const DECISIONS: std::ops::Range<u32> = 40..80;
/// Answers to one question, spread evenly over all there are.
const ANSWERS: u64 = 4;

/// A match in the middle, and some of the inputs that may come next.
pub struct Position {
    /// The match.
    pub state: Match,
    /// Legal inputs.
    pub inputs: Vec<Input>,
}

/// So many positions, each of a match of its own. The same at every call.
#[must_use]
pub fn positions(count: usize) -> Vec<Position> {
    let mut player = minitcg::Player::new(&minitcg::program(), false);
    let decisions = DECISIONS.cycle();
    let played = (1..).zip(decisions).filter_map(|(seed, decisions)| {
        player.begin(seed);
        let goes_on = (0..decisions).all(|_| player.step());
        (goes_on && !player.current().is_over()).then(|| position(player.current()))
    });
    played.take(count).collect()
}

fn position(state: &Match) -> Position {
    let inputs = state.pending().take(1).flat_map(|pending| {
        let (input, seat, count) = (pending.id(), pending.seat(), pending.answer_count());
        let answers = ANSWERS.min(count);
        let nth = move |number: u64| {
            let mut answer = Answer::Pass;
            pending.nth_answer(number * count / answers, &mut answer);
            Input::Answer { input, seat, answer }
        };
        (0..answers).map(nth).collect::<Vec<_>>()
    });
    Position { state: state.clone(), inputs: inputs.collect() }
}
