//! A match to try things with. Start with [`Table::start`].
//!
//! All seats are played from one place, through the same desk as anywhere else. Dice write themselves down as they are
//! rolled, so the match can be run again with its dice known: to go back, under other rules, or as a scenario.

use std::fmt;
use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind, Budget};
use intermezzo_desk::{Desk, DeskRefusal, Entry};
use intermezzo_engine::{
    Datum, Input, InputId, LeaveCause, PassUntil, Rejection, Script, Seed, Setup, StartError, Text,
};
use intermezzo_journal::{
    MatchFile, Mismatch, Recorder, Replay, SavedEnding, SavedInput, ScriptedRoll, Spectacles,
};
use intermezzo_ruleset::{Program, Seat, Symbol};

/// Rolls as the engine takes them: what each is for, and what the dice show.
pub(crate) type Rolls = Vec<(Option<Symbol>, Vec<i64>)>;

/// A bot that searches does so for so many playings: whoever writes rules does not want to wait.
const PLAYINGS: u32 = 40;
/// So many answers bots give before anybody else is heard.
pub const MAX_BOT_ANSWERS: usize = 200;

/// How a match begins.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Start {
    /// How many seats; as the ruleset says, if nothing is said.
    pub seats: Option<u8>,
    /// Where chance comes from.
    pub seed: u64,
    /// Options that differ from what the ruleset says.
    pub options: Vec<(Text, Datum)>,
    /// The first rolls.
    pub dice: Vec<ScriptedRoll>,
    /// Who plays by themselves.
    pub bots: Vec<Option<BotName>>,
}

/// A player that is a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotName {
    /// Plays by chance.
    Random,
    /// Looks one step ahead.
    Greedy,
    /// Searches, but not for long.
    Mcts,
}

/// Something that is sent to the match.
#[derive(Clone, PartialEq, Debug)]
pub enum Sent {
    /// A seat answers the question it knows by that number.
    Answer {
        /// Who.
        seat: Seat,
        /// Which question.
        question: u32,
        /// What, in the names the seat knows.
        answers: Datum,
    },
    /// A seat shows what it would answer.
    Draft {
        /// Who.
        seat: Seat,
        /// Which question.
        question: u32,
        /// What, in the names the seat knows.
        answers: Datum,
    },
    /// A seat takes an action: `{type, targets, params}`.
    Action {
        /// Who.
        seat: Seat,
        /// Which.
        action: Datum,
    },
    /// A seat drags something onto something.
    Drag {
        /// Who.
        seat: Seat,
        /// What is dragged.
        what: String,
        /// Where it is dropped.
        onto: String,
    },
    /// The clock of a seat runs out.
    Timeout {
        /// Whose.
        seat: Seat,
    },
    /// A seat leaves.
    Leave {
        /// Who.
        seat: Seat,
        /// Why.
        cause: LeaveCause,
    },
    /// A seat passes by itself, or no longer.
    AutoPass {
        /// Who.
        seat: Seat,
        /// For how long.
        until: PassUntil,
        /// Whether what others put on the stack stops it.
        stops: bool,
    },
}

/// Inputs that were left behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// How many inputs it has in common with what is played now.
    pub from: usize,
    /// What came then.
    pub inputs: Vec<SavedInput>,
}

/// Why something cannot be done.
#[derive(Debug)]
pub enum Refused {
    /// The match does not begin like that.
    CannotStart(StartError),
    /// The setup names something that does not exist.
    BadSetup(String),
    /// The desk does not take it; which seat sent it.
    Desk(Option<Seat>, DeskRefusal),
    /// There is no such input or branch.
    Missing(&'static str),
    /// The inputs of the branch mean nothing there.
    NoWay(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::CannotStart(error) => error.fmt(f),
            Refused::BadSetup(problem) | Refused::NoWay(problem) => f.write_str(problem),
            Refused::Desk(_, refusal) => refusal.fmt(f),
            Refused::Missing(what) => write!(f, "there is no such {what}"),
        }
    }
}

impl std::error::Error for Refused {}

/// A match to try things with.
#[derive(Debug)]
pub struct Table {
    pub(crate) program: Arc<Program>,
    pub(crate) start: Start,
    pub(crate) recorder: Recorder,
    desk: Desk,
    inputs: Vec<Input>,
    /// How many rolls were made up to the start, and up to each input.
    rolled: Vec<usize>,
    /// So many of the first rolls must be as they are: they were told, or made before some that were.
    pub(crate) told: usize,
    pub(crate) branches: Vec<Branch>,
    bots: Vec<Option<Bot>>,
}

impl Table {
    /// Begins a match. Bots do not play yet.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, start: Start) -> Result<Table, Refused> {
        let rolls = read_rolls(program, &start.dice)?;
        let bots = start.bots.clone();
        let told = rolls.len();
        let mut table = Table::with_rolls(program, start, rolls, told)?;
        table.set_bots(&bots);
        Ok(table)
    }

    /// The same with the first rolls known.
    pub(crate) fn with_rolls(
        program: &Arc<Program>,
        start: Start,
        rolls: Rolls,
        told: usize,
    ) -> Result<Table, Refused> {
        let setup = Setup {
            seats: start.seats.unwrap_or(program.seats.usual),
            options: start.options.clone(),
            seed: Seed::from_number(start.seed),
            script: Some(Script { rolls, grows: true }),
        };
        let recorder = Recorder::start(program, &setup).map_err(Refused::CannotStart)?;
        let (desk, _) = Desk::open(program, &setup).map_err(Refused::CannotStart)?;
        let bots = (0..setup.seats).map(|_| None).collect();
        let mut table = Table {
            program: Arc::clone(program),
            start,
            recorder,
            desk,
            inputs: Vec::new(),
            rolled: Vec::new(),
            told,
            branches: Vec::new(),
            bots,
        };
        table.count_rolls();
        Ok(table)
    }

    /// Sends something to the match.
    ///
    /// # Errors
    ///
    /// If it is not taken; then nothing has changed.
    pub fn send(&mut self, sent: &Sent) -> Result<(), Refused> {
        let seat = sent.seat();
        let entry = match sent {
            Sent::Answer { seat, question, answers } => self.desk.answer(*seat, *question, answers),
            Sent::Draft { seat, question, answers } => self.desk.draft(*seat, *question, answers),
            Sent::Action { seat, action } => self.desk.submit_action(*seat, action),
            Sent::Drag { seat, what, onto } => self.desk.drag(*seat, what, onto),
            Sent::Timeout { seat } => {
                let asked = self.playing().pending().find(|pending| pending.seat() == *seat);
                let input = asked.map(|pending| pending.id());
                let input = input.ok_or(DeskRefusal::from(Rejection::NoSuchInput { input: InputId(0) }));
                input.map(|input| Entry::Input(Input::Timeout { input }))
            }
            Sent::Leave { seat, cause } => Ok(Entry::Input(Input::Leave { seat: *seat, cause: *cause })),
            Sent::AutoPass { seat, until, stops } => {
                Ok(Entry::Input(Input::AutoPass { seat: *seat, until: *until, stops: *stops }))
            }
        };
        match entry.map_err(|refusal| Refused::Desk(Some(seat), refusal))? {
            Entry::Input(input) => self.take(&input),
            _ => Err(Refused::Missing("input")),
        }
    }

    /// Hands an input to the match.
    pub(crate) fn take(&mut self, input: &Input) -> Result<(), Refused> {
        let taken = self.desk.take(&Entry::Input(input.clone()), None);
        taken.map_err(|refusal| Refused::Desk(input_seat(input), refusal))?;
        self.recorder.submit(input).expect("what the desk takes is taken by the same match beside it");
        self.inputs.push(input.clone());
        self.count_rolls();
        Ok(())
    }

    fn count_rolls(&mut self) {
        let playing = self.recorder.playing();
        self.rolled.push(playing.script().rolls.len() - playing.script_left());
    }

    /// Bots answer as long as they are asked, up to a bound. True if they would go on.
    pub fn let_bots_play(&mut self) -> bool {
        for _ in 0..MAX_BOT_ANSWERS {
            let Some(input) = self.next_of_bots() else { return false };
            if self.take(&input).is_err() {
                return false;
            }
        }
        self.next_of_bots().is_some()
    }

    fn next_of_bots(&mut self) -> Option<Input> {
        let playing = self.recorder.playing();
        let asked: Vec<(Seat, _)> = playing.pending().map(|pending| (pending.seat(), pending.id())).collect();
        asked.into_iter().find_map(|(seat, id)| {
            let bot = self.bots.get_mut(seat.index())?.as_mut()?;
            let answer = bot.answer(playing, id, &mut |_| true);
            answer.map(|answer| Input::Answer { input: id, seat, answer })
        })
    }

    /// Who plays by themselves, by seat.
    pub fn set_bots(&mut self, bots: &[Option<BotName>]) {
        let seats = self.recorder.playing().board().seats();
        let named = |(seat, bot): (u64, Option<BotName>)| {
            let seed = self.start.seed.wrapping_mul(31).wrapping_add(seat);
            let kind = match bot? {
                BotName::Random => BotKind::Random,
                BotName::Greedy => BotKind::Greedy,
                BotName::Mcts => BotKind::Mcts(Budget::Playings(PLAYINGS)),
            };
            Some(Bot::new(kind, seed))
        };
        let mut names = bots.to_vec();
        names.resize(usize::from(seats), None);
        self.bots = (0..).zip(names.clone()).map(named).collect();
        self.start.bots = names;
    }

    /// Who plays by themselves, by seat.
    #[must_use]
    pub fn bots(&self) -> &[Option<BotName>] {
        &self.start.bots
    }

    /// Tells the next rolls, in place of those that were to come.
    ///
    /// # Errors
    ///
    /// If the ruleset has no such roll.
    pub fn tell_dice(&mut self, dice: &[ScriptedRoll]) -> Result<(), Refused> {
        let next = read_rolls(&self.program, dice)?;
        let mut rolls = self.rolls_so_far();
        rolls.extend(next);
        let told = if dice.is_empty() { self.told.min(rolls.len()) } else { rolls.len() };
        self.rebuild(rolls, told, self.inputs.len())
    }

    /// Goes back to where so many inputs had been taken; the others become a branch.
    ///
    /// # Errors
    ///
    /// If there are not so many.
    pub fn back(&mut self, inputs: usize) -> Result<(), Refused> {
        let entries = self.recorder.file().inputs.get(inputs..).ok_or(Refused::Missing("input"))?;
        let left: Vec<SavedInput> = entries.iter().map(|entry| entry.input.clone()).collect();
        let mut rolls = self.rolls_so_far();
        rolls.truncate(self.rolled[inputs]);
        let told = self.told.min(rolls.len());
        self.rebuild(rolls, told, inputs)?;
        self.leave_behind(inputs, left);
        Ok(())
    }

    /// Goes on with a branch; what it leaves becomes one.
    ///
    /// # Errors
    ///
    /// If there is no such branch, or what came before it has changed so that its inputs mean nothing.
    pub fn take_branch(&mut self, place: usize) -> Result<(), Refused> {
        let branch = self.branches.get(place).cloned().ok_or(Refused::Missing("branch"))?;
        if branch.from > self.inputs.len() {
            return Err(Refused::NoWay(
                "the match does not go so far that the branch could leave it".to_owned(),
            ));
        }
        self.back(branch.from)?;
        let mut inputs = branch.inputs.iter();
        for saved in inputs.by_ref() {
            let input = self.recorder.reread(saved).map_err(Refused::NoWay)?;
            self.take(&input)?;
        }
        self.branches.retain(|other| *other != branch);
        Ok(())
    }

    pub(crate) fn leave_behind(&mut self, from: usize, inputs: Vec<SavedInput>) {
        let branch = Branch { from, inputs };
        if !branch.inputs.is_empty() && !self.branches.contains(&branch) {
            self.branches.push(branch);
        }
    }

    /// Runs the first inputs again with these dice.
    fn rebuild(&mut self, rolls: Rolls, told: usize, inputs: usize) -> Result<(), Refused> {
        let mut fresh = Table::with_rolls(&self.program, self.start.clone(), rolls, told)?;
        for input in &self.inputs[..inputs] {
            fresh.take(input)?;
        }
        fresh.branches = std::mem::take(&mut self.branches);
        fresh.set_bots(&self.start.bots.clone());
        *self = fresh;
        Ok(())
    }

    /// The rolls that were made.
    pub(crate) fn rolls_so_far(&self) -> Rolls {
        let made = self.rolled.last().copied().unwrap_or(0);
        self.recorder.playing().script().rolls[..made].to_vec()
    }

    /// The rolls that were made, and those that are told for later.
    #[must_use]
    pub fn dice(&self) -> (Vec<ScriptedRoll>, Vec<ScriptedRoll>) {
        let spelt = |(label, faces): &(Option<Symbol>, Vec<i64>)| ScriptedRoll {
            label: label.map(|label| self.program.symbol(label).to_owned()),
            faces: faces.clone(),
        };
        let made = self.rolled.last().copied().unwrap_or(0);
        let rolls = &self.recorder.playing().script().rolls;
        (rolls[..made].iter().map(spelt).collect(), rolls[made..].iter().map(spelt).collect())
    }

    /// What the match began with, its dice written down as far as they were rolled.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            script: Some(Script { rolls: self.rolls_so_far(), grows: false }),
            ..self.desk.setup().clone()
        }
    }

    /// The match as a file that can be verified: recorded once more, with its dice known from the start.
    ///
    /// # Panics
    ///
    /// If the match does not go the same way again, which would be a mistake of ours.
    #[must_use]
    pub fn file(&self) -> MatchFile {
        let mut recorder =
            Recorder::start(&self.program, &self.setup()).expect("the match has begun like that");
        for input in &self.inputs {
            recorder.submit(input).expect("the input was taken before");
        }
        recorder.file().clone()
    }

    /// The match to go through event by event, for somebody who knows everything.
    ///
    /// # Errors
    ///
    /// If it cannot be run again, which would be a mistake of ours.
    pub fn replay(&self) -> Result<Replay, Mismatch> {
        let (made, _) = self.dice();
        // Hashes are not looked at, so that the file need not be recorded again.
        let file = MatchFile { script: Some(made), ..self.recorder.file().clone() };
        Replay::open(&file, &self.program, Spectacles::All)
    }

    /// How the match ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<&SavedEnding> {
        self.recorder.file().ending.as_ref()
    }

    /// All inputs so far.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// What was left behind, oldest first.
    #[must_use]
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// How it began.
    #[must_use]
    pub fn beginning(&self) -> &Start {
        &self.start
    }

    /// The rules it is played by.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The match.
    #[must_use]
    pub fn playing(&self) -> &intermezzo_engine::Match {
        self.recorder.playing()
    }

    /// Where seats look and answer.
    pub fn desk(&mut self) -> &mut Desk {
        &mut self.desk
    }
}

impl Sent {
    fn seat(&self) -> Seat {
        match self {
            Sent::Answer { seat, .. }
            | Sent::Draft { seat, .. }
            | Sent::Action { seat, .. }
            | Sent::Drag { seat, .. }
            | Sent::Timeout { seat }
            | Sent::Leave { seat, .. }
            | Sent::AutoPass { seat, .. } => *seat,
        }
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

/// Rolls with the labels of the ruleset.
pub(crate) fn read_rolls(program: &Program, dice: &[ScriptedRoll]) -> Result<Rolls, Refused> {
    let roll = |roll: &ScriptedRoll| {
        let label = roll.label.as_deref().map(|label| {
            let unknown = || Refused::BadSetup(format!("the ruleset has no roll for `{label}`"));
            program.symbol_named(label).ok_or_else(unknown)
        });
        Ok((label.transpose()?, roll.faces.clone()))
    };
    dice.iter().map(roll).collect()
}
