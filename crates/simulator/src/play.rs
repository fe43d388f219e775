//! One random match from beginning to end, with everything that happened in it.

use std::sync::Arc;

use intermezzo_engine::{
    Datum, Ending, Fault, Input, Log, Match, Refusal, Rejection, Seed, Setup, StartError, Text,
};
use intermezzo_ruleset::Program;

use crate::habits::Habits;
use crate::random_play::RandomPlay;

/// A match that was played.
#[derive(Debug)]
pub struct Played {
    /// What it began with.
    pub setup: Setup,
    /// The inputs that were taken, in order.
    pub inputs: Vec<Input>,
    /// Inputs that were rejected, each with how many were taken before it.
    pub rejected: Vec<(usize, Input, Rejection)>,
    /// Inputs that made a rule fail, each with how many were taken before it.
    pub faults: Vec<(usize, Input, Fault)>,
    /// What happened.
    pub log: Log,
    /// How long the log was after the start and after each input taken.
    pub marks: Vec<usize>,
    /// The match as it stands at the end.
    pub state: Match,
}

impl Played {
    /// How the match ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.state.ending()
    }
}

/// The setup of a match with this seed, with as many seats as usual.
#[must_use]
pub fn setup(program: &Program, seed: u64, options: &[(Text, Datum)]) -> Setup {
    Setup {
        seats: program.seats.usual,
        options: options.to_vec(),
        seed: Seed::from_number(seed),
        script: None,
    }
}

/// Plays a random match: the same program, seed, options and habits give the same match.
///
/// # Errors
///
/// If the match cannot begin.
pub fn play(
    program: &Arc<Program>,
    seed: u64,
    options: &[(Text, Datum)],
    habits: &Habits,
) -> Result<Played, StartError> {
    play_from(program, setup(program, seed, options), seed, habits)
}

/// The same from any setup; the seed is only for the players.
///
/// # Errors
///
/// If the match cannot begin.
pub fn play_from(
    program: &Arc<Program>,
    setup: Setup,
    seed: u64,
    habits: &Habits,
) -> Result<Played, StartError> {
    let mut log = Log::new();
    let state = Match::start(Arc::clone(program), &setup, &mut log)?;
    let marks = vec![log.len()];
    let (inputs, rejected, faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut played = Played { setup, inputs, rejected, faults, log, marks, state };
    let mut players = RandomPlay::new(seed, habits);
    for _ in 0..habits.max_inputs {
        if !played.step(&mut players) || played.faults.len() >= habits.max_faults as usize {
            break;
        }
    }
    Ok(played)
}

impl Played {
    /// One more input; false if the match waits for nobody.
    fn step(&mut self, players: &mut RandomPlay) -> bool {
        let Some(input) = players.next(&self.state) else { return false };
        let taken = self.inputs.len();
        match self.state.submit(input, &mut self.log) {
            Ok(()) => {
                self.inputs.push(input.clone());
                self.marks.push(self.log.len());
            }
            Err(Refusal::Rejected(rejection)) => self.rejected.push((taken, input.clone(), rejection)),
            Err(Refusal::Faulted(fault)) => self.faults.push((taken, input.clone(), fault)),
        }
        true
    }
}
