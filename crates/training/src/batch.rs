//! Batch of environments, stepped at once. Start with [`Batch::new`].

use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_engine::{EventLog, Match, Seed, Setup, ShortText};
use intermezzo_program::{Program, Seat};

use crate::bot::{BotError, EnvBot};
use crate::env::{Env, EnvError};
use crate::observation::Encoding;
use crate::output_arrays::OutputArrays;

/// Configuration of a batch.
#[derive(Clone, Debug)]
pub struct BatchConfig {
    /// Number of environments.
    pub envs: usize,
    /// Seats per match.
    pub seats: u8,
    /// Options that differ from their defaults.
    pub options: Vec<(ShortText, intermezzo_engine::Datum)>,
    /// Seed of everything random.
    pub seed: u64,
    /// Starts a new match at once when one is over.
    pub resets: bool,
    /// Maximum number of moves before a match is truncated.
    pub max_moves: u32,
    /// Seats played by bots, with the names of the bots.
    pub bots: Vec<(u8, String)>,
    /// Maximum number of threads.
    pub threads: usize,
}

/// Error of a batch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BatchError {
    /// The name of a bot is unknown.
    #[error(transparent)]
    Bot(BotError),
    /// The seat does not exist.
    #[error("no seat {seat}")]
    NoSuchSeat { seat: u8 },
    /// The encoding is for another ruleset or number of seats.
    #[error("the encoding was made for another ruleset or another number of seats")]
    WrongEncoding,
    /// All seats are played by bots.
    #[error("all seats are played by bots; leave one to the caller")]
    NobodyLeft,
    /// The number of moves differs from the number of environments.
    #[error("expected {expected} actions, one per match, got {got}")]
    WrongCount {
        /// Number of environments.
        expected: usize,
        /// Number of moves.
        got: usize,
    },
    /// A move is not legal. Nothing has changed.
    #[error("action {number} is not legal in match {env}; see the mask")]
    Illegal {
        /// Index of the environment.
        env: usize,
        /// Number of the move.
        number: i64,
    },
    /// One of the environments failed.
    #[error("match {env} (seed {seed}): {error}")]
    Env {
        /// Index of the environment.
        env: usize,
        /// Seed of its match.
        seed: u64,
        /// Cause.
        error: EnvError,
    },
}

/// Environment with its own random numbers.
#[derive(Clone, Debug)]
struct EnvSlot {
    env: Env,
    random: Random,
    seed: u64,
    /// The match was over before this step, or its last attempt to start failed.
    is_finished: bool,
}

/// Many environments of one ruleset.
#[derive(Clone, Debug)]
pub struct Batch {
    config: BatchConfig,
    encoding: Arc<Encoding>,
    env_slots: Vec<EnvSlot>,
    /// Masks written last, for checking the next moves.
    last_masks: Vec<bool>,
    /// Matches in which a rule failed during the last step.
    faults: Vec<BatchError>,
}

impl Batch {
    /// Starts all matches.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration does not fit the ruleset, or a rule fails.
    pub fn new(
        program: &Arc<Program>,
        config: BatchConfig,
        encoding: Arc<Encoding>,
    ) -> Result<Batch, BatchError> {
        if !encoding.fits(program, config.seats) {
            return Err(BatchError::WrongEncoding);
        }
        if let Some((seat, _)) = config.bots.iter().find(|(seat, _)| *seat >= config.seats) {
            return Err(BatchError::NoSuchSeat { seat: *seat });
        }
        let named = |seat| config.bots.iter().find(|(other, _)| *other == seat).map(|(_, name)| name);
        if (0..config.seats).all(|seat| named(seat).is_some()) {
            return Err(BatchError::NobodyLeft);
        }
        let bots = (0..config.seats).map(|seat| named(seat).map(|name| EnvBot::named(name, 0)).transpose());
        let bots: Vec<Option<EnvBot>> = bots.collect::<Result<_, _>>().map_err(BatchError::Bot)?;
        let mut master = Random::new(config.seed);
        let mut env_slots: Vec<EnvSlot> = Vec::with_capacity(config.envs);
        for at in 0..config.envs {
            let mut random = Random::new(master.next_number());
            let seed = random.next_number();
            let failed = |error| BatchError::Env { env: at, seed, error };
            let setup = config.setup(seed);
            let game = match env_slots.first() {
                None => Match::start(Arc::clone(program), &setup, &mut EventLog::discard()),
                Some(first) => first.env.game().start_another(&setup, &mut EventLog::discard()),
            };
            let game = game.map_err(|error| failed(EnvError::Start(error)))?;
            let mut bots = bots.clone();
            for bot in bots.iter_mut().flatten() {
                bot.reseed(random.next_number());
            }
            let env = Env::new(game, bots, encoding.sizes().moves).map_err(failed)?;
            env_slots.push(EnvSlot { env, random, seed, is_finished: false });
        }
        let last_masks = vec![false; config.envs * encoding.sizes().moves];
        Ok(Batch { config, encoding, env_slots, last_masks, faults: Vec::new() })
    }

    /// Number of environments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.env_slots.len()
    }

    /// Returns whether the batch has no environments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.env_slots.is_empty()
    }

    /// Returns the seats per match.
    #[must_use]
    pub fn seats(&self) -> usize {
        usize::from(self.config.seats)
    }

    /// Returns the encoding of observations.
    #[must_use]
    pub fn encoding(&self) -> &Arc<Encoding> {
        &self.encoding
    }

    /// Returns an environment and the seed of its match.
    #[must_use]
    pub fn env(&self, at: usize) -> Option<(&Env, u64)> {
        self.env_slots.get(at).map(|slot| (&slot.env, slot.seed))
    }

    /// Writes the observation and mask of a seat.
    ///
    /// # Errors
    ///
    /// Returns an error if the legal moves are unknown.
    pub fn observe(
        &mut self,
        at: usize,
        seat: Seat,
        observation: &mut [f32],
        mask: &mut [bool],
    ) -> Result<(), BatchError> {
        let Some(slot) = self.env_slots.get_mut(at).filter(|_| seat.0 < self.config.seats) else {
            return Err(BatchError::NoSuchSeat { seat: seat.0 });
        };
        let seed = slot.seed;
        let observed = slot.env.observe(&self.encoding, seat, observation, mask);
        observed.map_err(|error| BatchError::Env { env: at, seed, error })
    }

    /// Restarts all matches and writes their state.
    ///
    /// # Errors
    ///
    /// Returns an error if a rule fails.
    pub fn reset(&mut self, seed: Option<u64>, arrays: OutputArrays<'_>) -> Result<(), BatchError> {
        if let Some(seed) = seed {
            let mut master = Random::new(seed);
            self.env_slots.iter_mut().for_each(|slot| slot.random = Random::new(master.next_number()));
        }
        self.faults.clear();
        first_error(self.run_all(arrays, None, &|slot, config, _| slot.start(config)))
    }

    /// Makes a move in every match. If no seat is to move, the number is ignored.
    ///
    /// A match in which a rule fails is truncated, and [`faults`](Batch::faults) tells why. The others are not
    /// affected.
    ///
    /// # Errors
    ///
    /// Returns an error if a move is not legal; nothing changes then.
    pub fn step(&mut self, moves: &[i64], arrays: OutputArrays<'_>) -> Result<(), BatchError> {
        self.check(moves)?;
        self.faults = self.run_all(arrays, Some(moves), &|slot, config, number| {
            match (slot.is_finished, config.resets) {
                (false, _) => slot.env.step(number),
                // The last attempt to start failed.
                (true, true) => slot.start(config),
                (true, false) => Ok(()),
            }
        });
        Ok(())
    }

    /// Returns the matches in which a rule failed during the last step, in order.
    #[must_use]
    pub fn faults(&self) -> &[BatchError] {
        &self.faults
    }

    /// Writes the state of all matches without any move.
    ///
    /// # Errors
    ///
    /// Returns an error if the legal moves are unknown.
    pub fn observe_all(&mut self, arrays: OutputArrays<'_>) -> Result<(), BatchError> {
        first_error(self.run_all(arrays, None, &|_, _, _| Ok(())))
    }

    fn check(&self, moves: &[i64]) -> Result<(), BatchError> {
        let (expected, width) = (self.env_slots.len(), self.encoding.sizes().moves);
        if moves.len() != expected {
            return Err(BatchError::WrongCount { expected, got: moves.len() });
        }
        for (env, (number, slot)) in moves.iter().zip(&self.env_slots).enumerate() {
            let last_masks = &self.last_masks[env * width..][..width];
            let is_legal = usize::try_from(*number).is_ok_and(|number| last_masks.get(number) == Some(&true));
            if !is_legal && !slot.is_finished {
                return Err(BatchError::Illegal { env, number: *number });
            }
        }
        Ok(())
    }

    /// Runs a task on every match, distributed over threads, and writes the new state. Returns the errors of the
    /// matches in which it failed, in order.
    fn run_all(
        &mut self,
        arrays: OutputArrays<'_>,
        moves: Option<&[i64]>,
        task: EnvTask<'_>,
    ) -> Vec<BatchError> {
        let share = self.env_slots.len().div_ceil(self.config.threads.max(1)).max(1);
        let is_alone = share >= self.env_slots.len();
        let (config, encoding) = (&self.config, &*self.encoding);
        let parts = arrays.parts(share, config, encoding);
        let last_masks = self.last_masks.chunks_mut(share * encoding.sizes().moves);
        let shares = self.env_slots.chunks_mut(share).zip(parts).zip(last_masks).enumerate();
        let shares = shares.map(|(part, ((env_slots, arrays), last_masks))| {
            let first = part * share;
            let moves = moves.map(|moves| &moves[first..][..env_slots.len()]);
            ThreadShare { config, encoding, first, env_slots, arrays, last_masks, moves }
        });
        if is_alone {
            return shares.flat_map(|share| share.run(task)).collect();
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> = shares.map(|share| scope.spawn(move || share.run(task))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<BatchError>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect()
        })
    }
}

fn first_error(errors: Vec<BatchError>) -> Result<(), BatchError> {
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// Task for one match; the number is its move.
type EnvTask<'w> = &'w (dyn Fn(&mut EnvSlot, &BatchConfig, usize) -> Result<(), EnvError> + Sync);

/// Matches of one thread.
struct ThreadShare<'a> {
    config: &'a BatchConfig,
    encoding: &'a Encoding,
    /// Index of the first one.
    first: usize,
    env_slots: &'a mut [EnvSlot],
    arrays: OutputArrays<'a>,
    last_masks: &'a mut [bool],
    moves: Option<&'a [i64]>,
}

impl ThreadShare<'_> {
    /// Runs the task on all matches and writes their state. Returns the errors of the matches that failed.
    fn run(mut self, task: EnvTask<'_>) -> Vec<BatchError> {
        let width = self.encoding.sizes().moves;
        let mut errors = Vec::new();
        for (at, slot) in self.env_slots.iter_mut().enumerate() {
            let number = self.moves.map_or(0, |moves| usize::try_from(moves[at]).unwrap_or(usize::MAX));
            let mut arrays = self.arrays.at(at, self.config, self.encoding);
            let (env, seed) = (self.first + at, slot.seed);
            let failed = task(slot, self.config, number).err();
            let written = slot.write(self.config, self.encoding, &mut arrays, failed.is_some());
            if written.is_err() {
                slot.is_finished = true;
                arrays.write_failed();
            }
            self.last_masks[at * width..][..width].copy_from_slice(arrays.masks);
            let error = failed.or(written.err());
            errors.extend(error.map(|error| BatchError::Env { env, seed, error }));
        }
        errors
    }
}

impl BatchConfig {
    fn setup(&self, seed: u64) -> Setup {
        let seed = Seed::from_number(seed);
        Setup { seats: self.seats, options: self.options.clone(), seed, script: None }
    }
}

impl EnvSlot {
    /// Starts another match.
    fn start(&mut self, config: &BatchConfig) -> Result<(), EnvError> {
        self.seed = self.random.next_number();
        self.is_finished = false;
        self.env.restart(&config.setup(self.seed), self.random.next_number())
    }

    /// Writes the state of the match, and the rewards of the last step. A match that failed is truncated.
    fn write(
        &mut self,
        config: &BatchConfig,
        encoding: &Encoding,
        arrays: &mut OutputArrays<'_>,
        has_failed: bool,
    ) -> Result<(), EnvError> {
        let is_over = self.env.to_move().is_none();
        let is_truncated = has_failed || (!is_over && self.env.moves_made() >= config.max_moves);
        let is_done = is_over || is_truncated;
        arrays.dones[0] = is_done;
        arrays.truncated[0] = is_truncated;
        for (seat, reward) in arrays.rewards.iter_mut().enumerate() {
            // A finished match pays its reward only once.
            *reward = if self.is_finished { 0.0 } else { self.env.reward(Seat(seat as u8)) };
        }
        if is_done && config.resets {
            self.start(config)?;
        } else {
            self.is_finished = is_done;
        }
        match self.env.to_move().filter(|_| !self.is_finished) {
            Some(seat) => {
                arrays.to_move[0] = i64::from(seat.0);
                self.env.observe(encoding, seat, arrays.observations, arrays.masks)
            }
            None => {
                arrays.write_no_move();
                Ok(())
            }
        }
    }
}
