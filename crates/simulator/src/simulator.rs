//! Many random matches, fast, and what came of them.

use std::sync::Arc;

use intermezzo_engine::{Datum, Log, Match, Refusal, Seed, Setup, StartError};
use intermezzo_ruleset::{Program, Symbol};

use crate::habits::Habits;
use crate::play::setup;
use crate::random_play::RandomPlay;

/// What came of one match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How it ended; nothing if it was still going on when the inputs ran out.
    pub outcome: Option<Symbol>,
    /// Seats that won, one bit each.
    pub winners: u16,
    /// Inputs taken.
    pub inputs: u32,
    /// Events that happened.
    pub events: u32,
    /// Inputs that were rejected.
    pub rejected: u32,
    /// Inputs that made a rule fail.
    pub faults: u32,
}

/// Plays random matches of one program, one after the other in the same memory.
#[derive(Debug)]
pub struct Simulator {
    setup: Setup,
    habits: Habits,
    state: Match,
    players: RandomPlay,
    log: Log,
}

impl Simulator {
    /// A simulator for matches with these options.
    ///
    /// # Errors
    ///
    /// If such a match cannot begin.
    pub fn new(
        program: &Arc<Program>,
        seats: Option<u8>,
        options: &[(String, Datum)],
        habits: &Habits,
    ) -> Result<Simulator, StartError> {
        let mut setup = setup(program, 0, options);
        setup.seats = seats.unwrap_or(setup.seats);
        let mut log = Log::discard();
        let state = Match::start(Arc::clone(program), &setup, &mut log)?;
        let players = RandomPlay::new(0, habits);
        Ok(Simulator { setup, habits: *habits, state, players, log })
    }

    /// Plays the match of a seed.
    ///
    /// # Errors
    ///
    /// If it cannot begin.
    pub fn play_one(&mut self, seed: u64) -> Result<Outcome, StartError> {
        self.setup.seed = Seed::from_number(seed);
        self.state.restart(&self.setup, &mut self.log)?;
        self.players.reseed(seed);
        let (mut rejected, mut faults) = (0, 0);
        for _ in 0..self.habits.max_inputs {
            let Some(input) = self.players.next(&self.state) else { break };
            match self.state.submit(input, &mut self.log) {
                Ok(()) => {}
                Err(Refusal::Rejected(_)) => rejected += 1,
                Err(Refusal::Faulted(_)) => faults += 1,
            }
        }
        Ok(self.outcome(rejected, faults))
    }

    /// The match played last, as it stands.
    #[must_use]
    pub fn state(&self) -> &Match {
        &self.state
    }

    fn outcome(&self, rejected: u32, faults: u32) -> Outcome {
        let ending = self.state.ending();
        let winners = ending.iter().flat_map(|ending| &ending.winners);
        Outcome {
            outcome: ending.as_ref().map(|ending| ending.outcome),
            winners: winners.fold(0, |bits, seat| bits | 1_u16.checked_shl(u32::from(seat.0)).unwrap_or(0)),
            inputs: self.state.inputs_taken(),
            events: self.state.event_count(),
            rejected,
            faults,
        }
    }
}

/// The shortest, the longest and the sum of something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// The shortest.
    pub min: u32,
    /// The longest.
    pub max: u32,
    /// All together.
    pub sum: u64,
}

impl Default for Length {
    fn default() -> Length {
        Length { min: u32::MAX, max: 0, sum: 0 }
    }
}

impl Length {
    fn add(&mut self, length: u32) {
        self.min = self.min.min(length);
        self.max = self.max.max(length);
        self.sum += u64::from(length);
    }

    fn merge(&mut self, other: &Length) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }
}

/// What came of many matches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// How many matches.
    pub matches: u64,
    /// How they ended, in the order first seen; nothing for those that did not.
    pub outcomes: Vec<(Option<Symbol>, u64)>,
    /// How many each seat won, alone or with others.
    pub wins: Vec<u64>,
    /// How many nobody won, among those that ended.
    pub draws: u64,
    /// Inputs of a match.
    pub inputs: Length,
    /// Events of a match.
    pub events: Length,
    /// Inputs that were rejected.
    pub rejected: u64,
    /// Inputs that made a rule fail.
    pub faults: u64,
}

impl Tally {
    /// Counts one match.
    pub fn add(&mut self, outcome: &Outcome) {
        self.matches += 1;
        self.count(outcome.outcome, 1);
        for seat in (0..16).filter(|seat| outcome.winners & (1 << seat) != 0) {
            if self.wins.len() <= seat {
                self.wins.resize(seat + 1, 0);
            }
            self.wins[seat] += 1;
        }
        self.draws += u64::from(outcome.outcome.is_some() && outcome.winners == 0);
        self.inputs.add(outcome.inputs);
        self.events.add(outcome.events);
        self.rejected += u64::from(outcome.rejected);
        self.faults += u64::from(outcome.faults);
    }

    /// Counts what another tally counted, such as one of another thread.
    pub fn merge(&mut self, other: &Tally) {
        self.matches += other.matches;
        other.outcomes.iter().for_each(|(outcome, count)| self.count(*outcome, *count));
        if self.wins.len() < other.wins.len() {
            self.wins.resize(other.wins.len(), 0);
        }
        self.wins.iter_mut().zip(&other.wins).for_each(|(wins, more)| *wins += more);
        self.draws += other.draws;
        self.inputs.merge(&other.inputs);
        self.events.merge(&other.events);
        self.rejected += other.rejected;
        self.faults += other.faults;
    }

    fn count(&mut self, outcome: Option<Symbol>, count: u64) {
        match self.outcomes.iter_mut().find(|entry| entry.0 == outcome) {
            Some(entry) => entry.1 += count,
            None => self.outcomes.push((outcome, count)),
        }
    }
}
