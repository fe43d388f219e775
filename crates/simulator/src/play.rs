//! One random match with its inputs and its log.

use std::sync::Arc;

use intermezzo_engine::{
    Datum, Ending, EventLog, Input, Match, Refusal, Rejection, RuleFault, Seed, Setup, ShortText, StartError,
};
use intermezzo_program::Program;

use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Match that was played at random.
#[derive(Debug)]
pub struct SimulatedMatch {
    /// Setup of the match.
    pub setup: Setup,
    /// Accepted inputs, in order.
    pub inputs: Vec<Input>,
    /// Rejected inputs, each with the number of inputs accepted before it.
    pub rejected: Vec<(usize, Input, Rejection)>,
    /// Inputs that made a rule fail, each with the number of inputs accepted before it.
    pub faults: Vec<(usize, Input, RuleFault)>,
    /// Events of the match.
    pub log: EventLog,
    /// Length of the log after the start and after each accepted input.
    pub marks: Vec<usize>,
    /// State at the end.
    pub state: Match,
}

impl SimulatedMatch {
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.state.ending()
    }
}

/// Returns the setup of a match with this seed and the default number of seats.
#[must_use]
pub fn setup(program: &Program, seed: u64, options: &[(ShortText, Datum)]) -> Setup {
    Setup {
        seats: program.seats.default,
        options: options.to_vec(),
        seed: Seed::from_number(seed),
        script: None,
    }
}

/// Plays a random match. The same program, seed, options and mix produce the same match.
///
/// # Errors
///
/// Fails if the match cannot start.
pub fn play(
    program: &Arc<Program>,
    seed: u64,
    options: &[(ShortText, Datum)],
    mix: &InputMix,
) -> Result<SimulatedMatch, StartError> {
    play_from(program, setup(program, seed, options), seed, mix)
}

/// Plays a random match from any setup; the seed is only for the players.
///
/// # Errors
///
/// Fails if the match cannot start.
pub fn play_from(
    program: &Arc<Program>,
    setup: Setup,
    seed: u64,
    mix: &InputMix,
) -> Result<SimulatedMatch, StartError> {
    let mut log = EventLog::new();
    let state = Match::start(Arc::clone(program), &setup, &mut log)?;
    let marks = vec![log.len()];
    let (inputs, rejected, faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut played = SimulatedMatch { setup, inputs, rejected, faults, log, marks, state };
    let mut players = RandomPlay::new(seed, mix);
    for _ in 0..mix.max_inputs {
        if !played.step(&mut players) || played.faults.len() >= mix.max_faults as usize {
            break;
        }
    }
    Ok(played)
}

impl SimulatedMatch {
    /// Submits one more input. Returns false if no question is open.
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
