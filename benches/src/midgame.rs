//! Positions in the middle of MiniTCG matches, with some legal inputs: the states that a search copies and previews.

use intermezzo_engine::{Answer, Input, Match};

use crate::minitcg;

/// Decisions before the position: between a third and two thirds of an average match.
const DECISIONS: std::ops::Range<u32> = 40..80;
/// Answers per question, spread evenly over all legal answers.
const ANSWERS: u64 = 4;

/// A match in mid-game and some of its legal inputs.
pub struct Position {
    pub state: Match,
    pub inputs: Vec<Input>,
}

/// Returns `count` positions, each from a different match. Every call returns the same ones.
#[must_use]
pub fn positions(count: usize) -> Vec<Position> {
    let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), false);
    let decisions = DECISIONS.cycle();
    let played = (1..).zip(decisions).filter_map(|(seed, decisions)| {
        player.begin(seed);
        let is_running = (0..decisions).all(|_| player.step());
        (is_running && !player.current().is_over()).then(|| position(player.current()))
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
