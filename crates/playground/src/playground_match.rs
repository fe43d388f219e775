//! Match for trying things out. Start with [`PlaygroundMatch::start`].
//!
//! One user plays all seats, through the same [`Session`] as in a real match. Dice are recorded as they are
//! rolled, so the match can be run again with the same dice: to rewind it, to continue it under other
//! rules, or to save it as a scenario.

use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind, Budget};
use intermezzo_engine::{Datum, DiceScript, Input, InputId, Rejection, Seed, Setup, ShortText, StartError};
use intermezzo_matchfile::{
    MatchFile, MatchReplay, Recorder, ReplayMismatch, ReplayViewpoint, SavedEnding, SavedInput, ScriptedRoll,
};
use intermezzo_program::{Program, Seat, Symbol};
use intermezzo_session::{Command, Session, SessionEntry, SessionRefusal};

/// Rolls as the engine takes them: label and faces.
pub(crate) type Rolls = Vec<(Option<Symbol>, Vec<i64>)>;

/// Playouts of a searching bot. Few, because authors do not want to wait.
const BOT_PLAYOUTS: u32 = 40;
/// Maximum number of bot answers before the playground accepts other inputs again.
pub const MAX_BOT_ANSWERS: usize = 200;

/// Setup of a playground match.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StartOptions {
    /// Number of seats; the default of the ruleset if `None`.
    pub seats: Option<u8>,
    /// Random seed.
    pub seed: u64,
    /// Options that differ from their defaults.
    pub options: Vec<(ShortText, Datum)>,
    /// First rolls of the match.
    pub dice: Vec<ScriptedRoll>,
    /// Bots by seat.
    pub bots: Vec<Option<BotName>>,
}

/// Bot of the playground.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotName {
    /// Answers at random.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches for a short time.
    Mcts,
}

/// Input of the playground.
#[derive(Clone, PartialEq, Debug)]
pub enum PlaygroundInput {
    /// Command of a seat, in its own names.
    Command { seat: Seat, command: Command },
    /// Timeout of a seat.
    Timeout { seat: Seat },
}

/// Inputs that were rewound or no longer apply.
#[derive(Clone, PartialEq, Debug)]
pub struct PlaygroundBranch {
    /// Number of inputs in common with the current match.
    pub from: usize,
    /// Inputs after those.
    pub inputs: Vec<SavedInput>,
}

/// Error of a playground operation.
#[derive(Debug, thiserror::Error)]
pub enum PlaygroundError {
    /// The match cannot start with this setup.
    #[error(transparent)]
    CannotStart(StartError),
    /// The setup names something unknown.
    #[error("{0}")]
    BadSetup(String),
    /// The session refused the input of this seat.
    #[error("{1}")]
    Session(Option<Seat>, SessionRefusal),
    /// The input or branch does not exist.
    #[error("no such {0}")]
    Missing(&'static str),
    /// The inputs of the branch are not valid here.
    #[error("{0}")]
    InvalidBranch(String),
}

/// Match for trying things out.
#[derive(Debug)]
pub struct PlaygroundMatch {
    pub(crate) program: Arc<Program>,
    pub(crate) start: StartOptions,
    pub(crate) recorder: Recorder,
    session: Session,
    inputs: Vec<Input>,
    /// Number of rolls up to the start, and up to each input.
    rolled: Vec<usize>,
    /// Number of first rolls that are fixed: they were set, or rolled before a roll that was set.
    pub(crate) fixed_rolls: usize,
    pub(crate) branches: Vec<PlaygroundBranch>,
    bots: Vec<Option<Bot>>,
}

impl PlaygroundMatch {
    /// Starts a match. Bots do not play yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, start: StartOptions) -> Result<PlaygroundMatch, PlaygroundError> {
        let rolls = read_rolls(program, &start.dice)?;
        let bots = start.bots.clone();
        let fixed_rolls = rolls.len();
        let mut game = PlaygroundMatch::with_rolls(program, start, rolls, fixed_rolls)?;
        game.set_bots(&bots);
        Ok(game)
    }

    /// Starts a match with given first rolls.
    pub(crate) fn with_rolls(
        program: &Arc<Program>,
        start: StartOptions,
        rolls: Rolls,
        fixed_rolls: usize,
    ) -> Result<PlaygroundMatch, PlaygroundError> {
        let setup = Setup {
            seats: start.seats.unwrap_or(program.seats.default),
            options: start.options.clone(),
            seed: Seed::from_number(start.seed),
            script: Some(DiceScript { rolls, grows: true }),
        };
        let recorder = Recorder::start(program, &setup).map_err(PlaygroundError::CannotStart)?;
        let (session, _) = Session::start(program, &setup).map_err(PlaygroundError::CannotStart)?;
        let bots = (0..setup.seats).map(|_| None).collect();
        let mut game = PlaygroundMatch {
            program: Arc::clone(program),
            start,
            recorder,
            session,
            inputs: Vec::new(),
            rolled: Vec::new(),
            fixed_rolls,
            branches: Vec::new(),
            bots,
        };
        game.count_rolls();
        Ok(game)
    }

    /// Submits an input in a seat's own names.
    ///
    /// # Errors
    ///
    /// Returns an error if it is refused. The match does not change then.
    pub fn send(&mut self, sent: &PlaygroundInput) -> Result<(), PlaygroundError> {
        let (seat, entry) = match sent {
            PlaygroundInput::Command { seat, command } => (*seat, self.session.resolve(*seat, command)),
            PlaygroundInput::Timeout { seat } => {
                let asked = self.game().pending().find(|pending| pending.seat() == *seat);
                let input = asked.map(|pending| pending.id());
                let input = input.ok_or(SessionRefusal::from(Rejection::NoSuchInput { input: InputId(0) }));
                (*seat, input.map(|input| SessionEntry::Input(Input::Timeout { input })))
            }
        };
        match entry.map_err(|refusal| PlaygroundError::Session(Some(seat), refusal))? {
            SessionEntry::Input(input) => self.submit(&input),
            _ => Err(PlaygroundError::Missing("input")),
        }
    }

    /// Submits an input of the engine.
    pub(crate) fn submit(&mut self, input: &Input) -> Result<(), PlaygroundError> {
        let taken = self.session.apply(&SessionEntry::Input(input.clone()), None);
        taken.map_err(|refusal| PlaygroundError::Session(input_seat(input), refusal))?;
        self.recorder.submit(input).expect("the recorder accepts what the session accepts");
        self.inputs.push(input.clone());
        self.count_rolls();
        Ok(())
    }

    fn count_rolls(&mut self) {
        let playing = self.recorder.game();
        self.rolled.push(playing.script().rolls.len() - playing.script_left());
    }

    /// Lets bots answer while they are asked, up to a bound. Returns whether they would continue.
    pub fn play_bots(&mut self) -> bool {
        for _ in 0..MAX_BOT_ANSWERS {
            let Some(input) = self.next_bot_input() else { return false };
            if self.submit(&input).is_err() {
                return false;
            }
        }
        self.next_bot_input().is_some()
    }

    fn next_bot_input(&mut self) -> Option<Input> {
        let playing = self.recorder.game();
        let asked: Vec<(Seat, _)> = playing.pending().map(|pending| (pending.seat(), pending.id())).collect();
        asked.into_iter().find_map(|(seat, id)| {
            let bot = self.bots.get_mut(seat.index())?.as_mut()?;
            let answer = bot.answer(playing, id, &mut |_| true);
            answer.map(|answer| Input::Answer { input: id, seat, answer })
        })
    }

    /// Sets the bots by seat.
    pub fn set_bots(&mut self, bots: &[Option<BotName>]) {
        let seats = self.recorder.game().board().seats();
        let named = |(seat, bot): (u64, Option<BotName>)| {
            let seed = self.start.seed.wrapping_mul(31).wrapping_add(seat);
            let kind = match bot? {
                BotName::Random => BotKind::Random,
                BotName::Greedy => BotKind::Greedy,
                BotName::Mcts => BotKind::Mcts(Budget::Playouts(BOT_PLAYOUTS)),
            };
            Some(Bot::new(kind, seed))
        };
        let mut names = bots.to_vec();
        names.resize(usize::from(seats), None);
        self.bots = (0..).zip(names.clone()).map(named).collect();
        self.start.bots = names;
    }

    /// Returns the bots by seat.
    #[must_use]
    pub fn bots(&self) -> &[Option<BotName>] {
        &self.start.bots
    }

    /// Sets the next rolls, in place of those set before.
    ///
    /// # Errors
    ///
    /// Returns an error if the ruleset has no such roll.
    pub fn set_next_dice(&mut self, dice: &[ScriptedRoll]) -> Result<(), PlaygroundError> {
        let next = read_rolls(&self.program, dice)?;
        let mut rolls = self.past_rolls();
        rolls.extend(next);
        let fixed_rolls = if dice.is_empty() { self.fixed_rolls.min(rolls.len()) } else { rolls.len() };
        self.rebuild(rolls, fixed_rolls, self.inputs.len())
    }

    /// Rewinds the match to its first inputs. The others become a branch.
    ///
    /// # Errors
    ///
    /// Returns an error if the match has fewer inputs.
    pub fn rewind(&mut self, inputs: usize) -> Result<(), PlaygroundError> {
        let entries = self.recorder.file().inputs.get(inputs..).ok_or(PlaygroundError::Missing("input"))?;
        let left: Vec<SavedInput> = entries.iter().map(|entry| entry.input.clone()).collect();
        let mut rolls = self.past_rolls();
        rolls.truncate(self.rolled[inputs]);
        let fixed_rolls = self.fixed_rolls.min(rolls.len());
        self.rebuild(rolls, fixed_rolls, inputs)?;
        self.add_branch(inputs, left);
        Ok(())
    }

    /// Resumes a branch. The inputs it replaces become a branch.
    ///
    /// # Errors
    ///
    /// Returns an error if the branch does not exist or its inputs are no longer valid.
    pub fn resume_branch(&mut self, place: usize) -> Result<(), PlaygroundError> {
        let branch = self.branches.get(place).cloned().ok_or(PlaygroundError::Missing("branch"))?;
        if branch.from > self.inputs.len() {
            return Err(PlaygroundError::InvalidBranch(
                "the match ends before the start of the branch".to_owned(),
            ));
        }
        self.rewind(branch.from)?;
        let mut inputs = branch.inputs.iter();
        for saved in inputs.by_ref() {
            let input = self.recorder.translate_input(saved).map_err(PlaygroundError::InvalidBranch)?;
            self.submit(&input)?;
        }
        self.branches.retain(|other| *other != branch);
        Ok(())
    }

    pub(crate) fn add_branch(&mut self, from: usize, inputs: Vec<SavedInput>) {
        let branch = PlaygroundBranch { from, inputs };
        if !branch.inputs.is_empty() && !self.branches.contains(&branch) {
            self.branches.push(branch);
        }
    }

    /// Runs the first inputs again with these dice.
    fn rebuild(&mut self, rolls: Rolls, fixed_rolls: usize, inputs: usize) -> Result<(), PlaygroundError> {
        let mut fresh = PlaygroundMatch::with_rolls(&self.program, self.start.clone(), rolls, fixed_rolls)?;
        for input in &self.inputs[..inputs] {
            fresh.submit(input)?;
        }
        fresh.branches = std::mem::take(&mut self.branches);
        fresh.set_bots(&self.start.bots.clone());
        *self = fresh;
        Ok(())
    }

    /// Returns the rolls that were made.
    pub(crate) fn past_rolls(&self) -> Rolls {
        let made = self.rolled.last().copied().unwrap_or(0);
        self.recorder.game().script().rolls[..made].to_vec()
    }

    /// Returns the rolls that were made, and those set for later.
    #[must_use]
    pub fn dice(&self) -> (Vec<ScriptedRoll>, Vec<ScriptedRoll>) {
        let spelt = |(label, faces): &(Option<Symbol>, Vec<i64>)| ScriptedRoll {
            label: label.map(|label| self.program.symbol(label).to_owned()),
            faces: faces.clone(),
        };
        let made = self.rolled.last().copied().unwrap_or(0);
        let rolls = &self.recorder.game().script().rolls;
        (rolls[..made].iter().map(spelt).collect(), rolls[made..].iter().map(spelt).collect())
    }

    /// Returns the setup of the match, with the dice rolled until now.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            script: Some(DiceScript { rolls: self.past_rolls(), grows: false }),
            ..self.session.setup().clone()
        }
    }

    /// Records the match again with its dice known from the start, as a file that can be verified.
    ///
    /// # Panics
    ///
    /// Panics if the match does not repeat, which would be a bug in the engine.
    #[must_use]
    pub fn file(&self) -> MatchFile {
        let mut recorder =
            Recorder::start(&self.program, &self.setup()).expect("the match has started with this setup");
        for input in &self.inputs {
            recorder.submit(input).expect("the input was accepted before");
        }
        recorder.file().clone()
    }

    /// Opens a replay of the match with all information.
    ///
    /// # Errors
    ///
    /// Returns an error if the match cannot be replayed, which would be a bug in the engine.
    pub fn replay(&self) -> Result<MatchReplay, ReplayMismatch> {
        let (made, _) = self.dice();
        // Replays do not check hashes, so the file need not be recorded again.
        let file = MatchFile { script: Some(made), ..self.recorder.file().clone() };
        MatchReplay::open(&file, &self.program, ReplayViewpoint::Omniscient)
    }

    /// Returns the ending of the match, if it is over.
    #[must_use]
    pub fn ending(&self) -> Option<&SavedEnding> {
        self.recorder.file().ending.as_ref()
    }

    /// Returns all inputs.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns all branches, oldest first.
    #[must_use]
    pub fn branches(&self) -> &[PlaygroundBranch] {
        &self.branches
    }

    /// Returns the setup options.
    #[must_use]
    pub fn start_options(&self) -> &StartOptions {
        &self.start
    }

    /// Returns the rules of the match.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the match.
    #[must_use]
    pub fn game(&self) -> &intermezzo_engine::Match {
        self.recorder.game()
    }

    /// Returns the session through which seats see and answer.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }
}

fn input_seat(input: &Input) -> Option<Seat> {
    match input {
        Input::Answer { seat, .. }
        | Input::Draft { seat, .. }
        | Input::Leave { seat, .. }
        | Input::AutoPass { seat, .. } => Some(*seat),
        Input::Timeout { .. } | Input::Moderate { .. } => None,
    }
}

/// Converts rolls to the labels of the ruleset.
pub(crate) fn read_rolls(program: &Program, dice: &[ScriptedRoll]) -> Result<Rolls, PlaygroundError> {
    let roll = |roll: &ScriptedRoll| {
        let label = roll.label.as_deref().map(|label| {
            let unknown = || PlaygroundError::BadSetup(format!("the ruleset has no roll for `{label}`"));
            program.symbol_named(label).ok_or_else(unknown)
        });
        Ok((label.transpose()?, roll.faces.clone()))
    };
    dice.iter().map(roll).collect()
}
