//! Plays a duel without a server and prints what the player at seat 0 sees.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use intermezzo_bots::{Random, random_answer};
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{EventLog, Input, Match, Observer, Seed, Setup, Viewer};
use intermezzo_program::Seat;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ruleset = Ruleset::load("rulesets/orcain".as_ref())?;
    let program = Arc::new(ruleset.compile().program.ok_or("the ruleset has errors")?);
    let setup = Setup { seats: 2, options: vec![], seed: Seed::from_number(7), script: None };
    let mut log = EventLog::new();
    let mut duel = Match::start(Arc::clone(&program), &setup, &mut log)?;
    let mut observer = Observer::new(program, &setup)?;
    let mut random = Random::new(7);
    let mut observed = 0;
    loop {
        // The observer reads the new events and passes on what each viewer may see of them.
        let print = |viewer, event: Option<intermezzo_engine::Datum>| {
            if let (Viewer::Seat(Seat(0)), Some(event)) = (viewer, event) {
                println!("{event:?}");
            }
        };
        observer.observe(&log, observed, print).map_err(|_| "the log has a gap")?;
        observed = log.len();

        let Some(pending) = duel.pending().next() else { break };
        let answer = random_answer(&pending, &mut random).ok_or("a question without answers")?;
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        duel.submit(&input, &mut log)?;
    }
    println!("the match is over after {} events", log.len());
    Ok(())
}
