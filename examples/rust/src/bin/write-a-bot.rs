//! A bot that looks one move ahead, against a random bot.
//!
//! It tries every answer on determinizations: copies of the match in which everything hidden from its seat is
//! sampled. Searching on the match itself would be cheating.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use intermezzo_bots::{Random, random_answer};
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, EventLog, Input, Match, PendingQuestion, Seed, Setup};
use intermezzo_program::Seat;

const MATCHES: u64 = 20;
const SAMPLES: u64 = 4;
const MAX_ANSWERS: u64 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ruleset = Ruleset::load("rulesets/orcain".as_ref())?;
    let program = Arc::new(ruleset.compile().program.ok_or("the ruleset has errors")?);
    let mut wins = 0;
    for number in 0..MATCHES {
        let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(number), script: None };
        let mut game = Match::start(Arc::clone(&program), &setup, &mut EventLog::discard())?;
        let mut random = Random::new(number);
        loop {
            let Some(pending) = game.pending().next() else { break };
            let seat = pending.seat();
            let answer = match seat {
                Seat(0) => best_answer(&game, &pending, &mut random),
                _ => random_answer(&pending, &mut random),
            };
            let answer = answer.ok_or("a question without answers")?;
            let input = Input::Answer { input: pending.id(), seat, answer };
            game.submit(&input, &mut EventLog::discard())?;
        }
        let ending = game.ending().ok_or("the match has no ending")?;
        wins += u64::from(ending.winners.contains(&Seat(0)));
    }
    println!("the bot won {wins} of {MATCHES} matches");
    Ok(())
}

/// Returns the answer with the most wins in random playouts of a few determinizations.
fn best_answer(game: &Match, pending: &PendingQuestion<'_>, random: &mut Random) -> Option<Answer> {
    let (input, seat) = (pending.id(), pending.seat());
    let mut best: Option<(u64, Answer)> = None;
    for number in 0..pending.answer_count().min(MAX_ANSWERS) {
        let mut answer = Answer::Pass;
        if !pending.nth_answer(number, &mut answer) {
            continue;
        }
        let mut wins = 0;
        for sample in 0..SAMPLES {
            let mut copy = game.determinize(seat, Seed::from_number(sample));
            let sent = Input::Answer { input, seat, answer: answer.clone() };
            if copy.submit(&sent, &mut EventLog::discard()).is_ok() {
                wins += u64::from(wins_playout(&mut copy, seat, random));
            }
        }
        if best.as_ref().is_none_or(|(most, _)| wins > *most) {
            best = Some((wins, answer));
        }
    }
    best.map(|(_, answer)| answer)
}

/// Plays on at random; returns true if the seat wins.
fn wins_playout(game: &mut Match, seat: Seat, random: &mut Random) -> bool {
    loop {
        let Some(pending) = game.pending().next() else { break };
        let Some(answer) = random_answer(&pending, random) else { return false };
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        if game.submit(&input, &mut EventLog::discard()).is_err() {
            return false;
        }
    }
    game.ending().is_some_and(|ending| ending.winners.contains(&seat))
}
