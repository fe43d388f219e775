//! Many matches of one ruleset, stepped at once. Start with [`Batch::new`].

use std::fmt;
use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_engine::{Log, Match, Seed, Setup, Text};
use intermezzo_ruleset::{Program, Seat};

use crate::bot::{Bot, BotError};
use crate::encoding::Encoding;
use crate::lane::{Lane, LaneError};
use crate::slots::Slots;

/// What a batch is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many matches.
    pub lanes: usize,
    /// Seats of each.
    pub seats: u8,
    /// Options that differ from what the ruleset says.
    pub options: Vec<(Text, intermezzo_engine::Datum)>,
    /// From which all chance comes.
    pub seed: u64,
    /// A match that is over is followed by another at once.
    pub resets: bool,
    /// A match is broken off after so many moves.
    pub max_moves: u32,
    /// Seats played by programs, with the programs' names.
    pub bots: Vec<(u8, String)>,
    /// How many threads may work at a time.
    pub threads: usize,
}

/// Why a batch does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchError {
    /// A seat cannot be played so.
    Bot(BotError),
    /// There is no such seat.
    NoSuchSeat {
        /// The seat named.
        seat: u8,
    },
    /// The encoding is for another ruleset, or for another number of seats.
    WrongEncoding,
    /// All seats are played by programs.
    NobodyLeft,
    /// There are more or fewer moves than matches.
    WrongCount {
        /// So many matches.
        expected: usize,
        /// So many moves.
        got: usize,
    },
    /// A move is not legal; nothing has happened.
    Illegal {
        /// The match.
        lane: usize,
        /// The move.
        number: i64,
    },
    /// Something went wrong with one of the matches.
    Lane {
        /// The match.
        lane: usize,
        /// Its seed.
        seed: u64,
        /// What it was.
        error: LaneError,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Bot(error) => error.fmt(f),
            BatchError::NoSuchSeat { seat } => write!(f, "there is no seat {seat}"),
            BatchError::WrongEncoding => {
                f.write_str("the encoding was made for another ruleset or another number of seats")
            }
            BatchError::NobodyLeft => f.write_str("all seats are played by bots; leave one to be played"),
            BatchError::WrongCount { expected, got } => {
                write!(f, "{expected} actions are expected, one for each match, not {got}")
            }
            BatchError::Illegal { lane, number } => {
                write!(f, "action {number} is not legal in match {lane}; the mask tells which are")
            }
            BatchError::Lane { lane, seed, error } => write!(f, "match {lane} (seed {seed}): {error}"),
        }
    }
}

impl std::error::Error for BatchError {}

/// One match with its own chance.
#[derive(Clone, Debug)]
struct Place {
    lane: Lane,
    random: Random,
    seed: u64,
    /// It was over before this step.
    rests: bool,
}

/// Many matches of one ruleset.
#[derive(Clone, Debug)]
pub struct Batch {
    plan: Plan,
    encoding: Arc<Encoding>,
    places: Vec<Place>,
    /// The masks that were shown last.
    shown: Vec<bool>,
}

impl Batch {
    /// Begins so many matches.
    ///
    /// # Errors
    ///
    /// If the plan does not fit the ruleset, or a rule fails.
    pub fn new(program: &Arc<Program>, plan: Plan, encoding: Arc<Encoding>) -> Result<Batch, BatchError> {
        if !encoding.fits(program, plan.seats) {
            return Err(BatchError::WrongEncoding);
        }
        if let Some((seat, _)) = plan.bots.iter().find(|(seat, _)| *seat >= plan.seats) {
            return Err(BatchError::NoSuchSeat { seat: *seat });
        }
        let named = |seat| plan.bots.iter().find(|(other, _)| *other == seat).map(|(_, name)| name);
        if (0..plan.seats).all(|seat| named(seat).is_some()) {
            return Err(BatchError::NobodyLeft);
        }
        let bots = (0..plan.seats).map(|seat| named(seat).map(|name| Bot::named(name, 0)).transpose());
        let bots: Vec<Option<Bot>> = bots.collect::<Result<_, _>>().map_err(BatchError::Bot)?;
        let mut master = Random::new(plan.seed);
        let mut places: Vec<Place> = Vec::with_capacity(plan.lanes);
        for at in 0..plan.lanes {
            let mut random = Random::new(master.next_number());
            let seed = random.next_number();
            let failed = |error| BatchError::Lane { lane: at, seed, error };
            let setup = plan.setup(seed);
            let game = match places.first() {
                None => Match::start(Arc::clone(program), &setup, &mut Log::discard()),
                Some(first) => first.lane.game().start_another(&setup, &mut Log::discard()),
            };
            let game = game.map_err(|error| failed(LaneError::Start(error)))?;
            let mut bots = bots.clone();
            for bot in bots.iter_mut().flatten() {
                bot.reseed(random.next_number());
            }
            let lane = Lane::new(game, bots, encoding.sizes().moves).map_err(failed)?;
            places.push(Place { lane, random, seed, rests: false });
        }
        let shown = vec![false; plan.lanes * encoding.sizes().moves];
        Ok(Batch { plan, encoding, places, shown })
    }

    /// How many matches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Seats of each match.
    #[must_use]
    pub fn seats(&self) -> usize {
        usize::from(self.plan.seats)
    }

    /// How observations are written.
    #[must_use]
    pub fn encoding(&self) -> &Arc<Encoding> {
        &self.encoding
    }

    /// One of the matches, and the seed it was begun with.
    #[must_use]
    pub fn lane(&self, at: usize) -> Option<(&Lane, u64)> {
        self.places.get(at).map(|place| (&place.lane, place.seed))
    }

    /// Writes what any seat of one of the matches sees.
    ///
    /// # Errors
    ///
    /// If nobody can tell what may be done.
    pub fn observe(
        &mut self,
        at: usize,
        seat: Seat,
        observation: &mut [f32],
        mask: &mut [bool],
    ) -> Result<(), BatchError> {
        let Some(place) = self.places.get_mut(at).filter(|_| seat.0 < self.plan.seats) else {
            return Err(BatchError::NoSuchSeat { seat: seat.0 });
        };
        let seed = place.seed;
        let observed = place.lane.observe(&self.encoding, seat, observation, mask);
        observed.map_err(|error| BatchError::Lane { lane: at, seed, error })
    }

    /// Begins all matches anew and writes where they stand.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn reset(&mut self, seed: Option<u64>, slots: Slots<'_>) -> Result<(), BatchError> {
        if let Some(seed) = seed {
            let mut master = Random::new(seed);
            self.places.iter_mut().for_each(|place| place.random = Random::new(master.next_number()));
        }
        self.each(slots, None, &|place, plan, _| place.begin(plan))
    }

    /// Makes a move in every match; where nobody is to move, any number will do.
    ///
    /// # Errors
    ///
    /// If a move is not legal: then nothing happens. If a rule fails, the other matches have gone on.
    pub fn step(&mut self, moves: &[i64], slots: Slots<'_>) -> Result<(), BatchError> {
        self.check(moves)?;
        self.each(slots, Some(moves), &|place, _, number| match place.rests {
            true => Ok(()),
            false => place.lane.make(number),
        })
    }

    /// Writes where all matches stand, without any move.
    ///
    /// # Errors
    ///
    /// If nobody can tell what may be done.
    pub fn look(&mut self, slots: Slots<'_>) -> Result<(), BatchError> {
        self.each(slots, None, &|_, _, _| Ok(()))
    }

    fn check(&self, moves: &[i64]) -> Result<(), BatchError> {
        let (expected, width) = (self.places.len(), self.encoding.sizes().moves);
        if moves.len() != expected {
            return Err(BatchError::WrongCount { expected, got: moves.len() });
        }
        for (lane, (number, place)) in moves.iter().zip(&self.places).enumerate() {
            let shown = &self.shown[lane * width..][..width];
            let is_legal = usize::try_from(*number).is_ok_and(|number| shown.get(number) == Some(&true));
            if !is_legal && !place.rests {
                return Err(BatchError::Illegal { lane, number: *number });
            }
        }
        Ok(())
    }

    /// Does something with every match, shared among threads, and writes where it stands then.
    fn each(&mut self, slots: Slots<'_>, moves: Option<&[i64]>, work: Work<'_>) -> Result<(), BatchError> {
        let share = self.places.len().div_ceil(self.plan.threads.max(1)).max(1);
        let is_alone = share >= self.places.len();
        let (plan, encoding) = (&self.plan, &*self.encoding);
        let parts = slots.parts(share, plan, encoding);
        let shown = self.shown.chunks_mut(share * encoding.sizes().moves);
        let shares = self.places.chunks_mut(share).zip(parts).zip(shown).enumerate();
        let mut shares = shares.map(|(part, ((places, slots), shown))| {
            let first = part * share;
            let moves = moves.map(|moves| &moves[first..][..places.len()]);
            Share { plan, encoding, first, places, slots, shown, moves }
        });
        if is_alone {
            return shares.try_for_each(|share| share.run(work));
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> = shares.map(|share| scope.spawn(move || share.run(work))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, Result<(), BatchError>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let ended: Vec<Result<(), BatchError>> = workers.into_iter().map(join).collect();
            ended.into_iter().collect()
        })
    }
}

/// What is done with each match; the number is its move.
type Work<'w> = &'w (dyn Fn(&mut Place, &Plan, usize) -> Result<(), LaneError> + Sync);

/// The matches one thread works on.
struct Share<'a> {
    plan: &'a Plan,
    encoding: &'a Encoding,
    /// Number of the first of them.
    first: usize,
    places: &'a mut [Place],
    slots: Slots<'a>,
    shown: &'a mut [bool],
    moves: Option<&'a [i64]>,
}

impl Share<'_> {
    /// Where one match fails, the others go on; the first failure is told.
    fn run(mut self, work: Work<'_>) -> Result<(), BatchError> {
        let width = self.encoding.sizes().moves;
        let mut first = Ok(());
        for (at, place) in self.places.iter_mut().enumerate() {
            let number = self.moves.map_or(0, |moves| usize::try_from(moves[at]).unwrap_or(usize::MAX));
            let mut slots = self.slots.at(at, self.plan, self.encoding);
            let (lane, seed) = (self.first + at, place.seed);
            let done = work(place, self.plan, number);
            let done = done.and_then(|()| place.write(self.plan, self.encoding, &mut slots));
            match done {
                Ok(()) => self.shown[at * width..][..width].copy_from_slice(slots.masks),
                Err(error) => first = first.and(Err(BatchError::Lane { lane, seed, error })),
            }
        }
        first
    }
}

impl Plan {
    fn setup(&self, seed: u64) -> Setup {
        let seed = Seed::from_number(seed);
        Setup { seats: self.seats, options: self.options.clone(), seed, script: None }
    }
}

impl Place {
    /// Begins another match.
    fn begin(&mut self, plan: &Plan) -> Result<(), LaneError> {
        self.seed = self.random.next_number();
        self.rests = false;
        self.lane.restart(&plan.setup(self.seed), self.random.next_number())
    }

    /// Writes where the match stands, and what came of the step before.
    fn write(&mut self, plan: &Plan, encoding: &Encoding, slots: &mut Slots<'_>) -> Result<(), LaneError> {
        let is_over = self.lane.to_move().is_none();
        let is_truncated = !is_over && self.lane.moves_made() >= plan.max_moves;
        let is_done = is_over || is_truncated;
        slots.dones[0] = is_done;
        slots.truncated[0] = is_truncated;
        for (seat, reward) in slots.rewards.iter_mut().enumerate() {
            // What was paid out before is not paid again.
            *reward = if self.rests { 0.0 } else { self.lane.reward(Seat(seat as u8)) };
        }
        if is_done && plan.resets {
            self.begin(plan)?;
        } else {
            self.rests = is_done;
        }
        match self.lane.to_move().filter(|_| !self.rests) {
            Some(seat) => {
                slots.to_move[0] = i64::from(seat.0);
                self.lane.observe(encoding, seat, slots.observations, slots.masks)
            }
            None => {
                slots.to_move[0] = -1;
                slots.observations.fill(0.0);
                slots.masks.fill(false);
                Ok(())
            }
        }
    }
}
