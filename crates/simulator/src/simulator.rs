//! Many random matches, one after the other in the same memory.

use std::sync::Arc;

use intermezzo_engine::{Datum, Ending, Fault, Log, Match, Refusal, Seed, Setup, StartError, Text};
use intermezzo_journal::Recorder;
use intermezzo_ruleset::Program;

use crate::habits::Habits;
use crate::play::setup;
use crate::random_play::RandomPlay;

/// What came of one match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// How it ended; nothing if it was broken off.
    pub ending: Option<Ending>,
    /// Inputs taken.
    pub inputs: u32,
    /// Events that happened.
    pub events: u32,
    /// Questions that were answered.
    pub questions: u32,
    /// How many legal answers those questions had together.
    pub answers: u128,
    /// Inputs that were rejected.
    pub rejected: u32,
    /// Inputs that made a rule fail; the start of the match counts as one.
    pub faults: u32,
    /// How a rule failed first.
    pub first_fault: Option<Fault>,
    /// How often something on the stack failed, with which play went on.
    pub failures: u32,
    /// How that happened first.
    pub first_failure: Option<Fault>,
}

impl Outcome {
    /// Whether the match was still going on when the inputs ran out.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.ending.is_none() && self.faults == 0
    }

    fn went_on(&mut self, failures: &[Fault]) {
        self.failures += failures.len() as u32;
        self.first_failure = self.first_failure.take().or_else(|| failures.first().cloned());
    }

    fn failed(&mut self, fault: Fault) {
        self.faults += 1;
        self.first_fault.get_or_insert(fault);
    }
}

/// Plays random matches of one program. Every thread has one of its own.
#[derive(Clone, Debug)]
pub struct Simulator {
    program: Arc<Program>,
    setup: Setup,
    habits: Habits,
    /// The match played last; none before the first that begins.
    state: Option<Match>,
    players: RandomPlay,
    log: Log,
}

impl Simulator {
    /// A simulator for matches with these options; as many seats as usual if none are said.
    ///
    /// # Errors
    ///
    /// If such a match cannot begin. That a rule fails at once is no error: it may depend on the seed.
    pub fn new(
        program: &Arc<Program>,
        seats: Option<u8>,
        options: &[(Text, Datum)],
        habits: &Habits,
    ) -> Result<Simulator, StartError> {
        let mut setup = setup(program, 0, options);
        setup.seats = seats.unwrap_or(setup.seats);
        let mut log = Log::discard();
        let state = match Match::start(Arc::clone(program), &setup, &mut log) {
            Ok(state) => Some(state),
            Err(StartError::Fault(_)) => None,
            Err(error) => return Err(error),
        };
        let players = RandomPlay::new(0, habits);
        Ok(Simulator { program: Arc::clone(program), setup, habits: *habits, state, players, log })
    }

    /// Lets some seats look one step ahead, by seat.
    pub fn let_look_ahead(&mut self, seats: &[bool]) {
        self.players.let_look_ahead(seats);
    }

    /// How many seats the matches have.
    #[must_use]
    pub fn seats(&self) -> u8 {
        self.setup.seats
    }

    /// The match played last, as it stands; nothing if none has begun.
    #[must_use]
    pub fn state(&self) -> Option<&Match> {
        self.state.as_ref()
    }

    /// Plays the match of a seed.
    pub fn play_one(&mut self, seed: u64) -> Outcome {
        let mut outcome = Outcome::default();
        match self.begin(seed) {
            Ok(()) => self.play_on(&mut outcome),
            Err(fault) => outcome.failed(fault),
        }
        outcome
    }

    /// Plays the match of a seed and writes everything down. It is the match that [`Simulator::play_one`] plays.
    ///
    /// # Errors
    ///
    /// If a rule fails before there is anything to write down.
    pub fn record(&self, seed: u64) -> Result<Recorder, StartError> {
        let setup = Setup { seed: Seed::from_number(seed), ..self.setup.clone() };
        let mut recorder = Recorder::start(&self.program, &setup)?;
        let mut players = self.players.clone();
        players.reseed(seed);
        let mut faults = 0;
        for _ in 0..self.habits.max_inputs {
            let Some(input) = players.next(recorder.playing()) else { break };
            faults += u32::from(matches!(recorder.submit(input), Err(Refusal::Faulted(_))));
            if faults >= self.habits.max_faults {
                break;
            }
        }
        Ok(recorder)
    }

    fn begin(&mut self, seed: u64) -> Result<(), Fault> {
        self.setup.seed = Seed::from_number(seed);
        self.players.reseed(seed);
        let begun = match &mut self.state {
            Some(state) => state.restart(&self.setup, &mut self.log),
            None => Match::start(Arc::clone(&self.program), &self.setup, &mut self.log)
                .map(|state| self.state = Some(state)),
        };
        match begun {
            Ok(()) => Ok(()),
            Err(StartError::Fault(fault)) => Err(fault),
            Err(error) => panic!("a match that differs only in its seed can begin, too: {error}"),
        }
    }

    fn play_on(&mut self, outcome: &mut Outcome) {
        let state = self.state.as_mut().expect("the match has begun");
        for _ in 0..self.habits.max_inputs {
            let Some(input) = self.players.next(state) else { break };
            let submitted = state.submit(input, &mut self.log);
            if let Some(answers) = self.players.answers_at_hand() {
                outcome.questions += 1;
                outcome.answers += u128::from(answers);
            }
            match submitted {
                Ok(()) => outcome.went_on(state.failures()),
                Err(Refusal::Rejected(_)) => outcome.rejected += 1,
                Err(Refusal::Faulted(fault)) => outcome.failed(fault),
            }
            if outcome.faults >= self.habits.max_faults {
                break;
            }
        }
        outcome.ending = state.ending();
        outcome.inputs = state.inputs_taken();
        outcome.events = state.event_count();
    }
}
