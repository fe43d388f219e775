//! A match at one terminal: who sits where, whose turn it is, and what each of them has been told.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_bots::{Bot, BotKind, Random, at_random};
use intermezzo_engine::{Input, InputId, Refusal, Setup, Viewer, Witness};
use intermezzo_journal::{MatchFile, Recorder, to_json};
use intermezzo_ruleset::{Program, Seat};
use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::out::{BAD, GOOD, HEAD, Out, say};
use crate::play::keyboard::Keyboard;
use crate::play::names::Names;
use crate::play::screen::{Recent, Seen};
use crate::play::turn::Turn;
use intermezzo_journal::sentences::{clean, pot_text, words};

/// A match nobody ends is broken off here.
const MAX_INPUTS: u32 = 20_000;

/// Who decides for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Player {
    Human,
    /// A program.
    Bot(BotKind),
}

/// How playing went.
pub(crate) struct Played {
    /// Someone had enough before the match was over.
    pub(crate) was_quit: bool,
    /// The last input was the end of what is typed.
    pub(crate) is_input_over: bool,
    /// A rule failed on the way.
    pub(crate) had_fault: bool,
}

/// A match at one terminal.
pub(crate) struct Table {
    pub(crate) program: Arc<Program>,
    pub(crate) recorder: Recorder,
    pub(crate) witness: Witness,
    players: Vec<Player>,
    /// For all seats that answer by chance.
    random: Random,
    /// By seat: the bot that looks ahead there.
    bots: Vec<Option<Bot>>,
    /// What each viewer was told, by seat; the spectators come last.
    told: Vec<Vec<Value>>,
    /// How much of it was told before anyone acted.
    opening: Vec<usize>,
    /// How much of it has been on the screen.
    shown: Vec<usize>,
    pub(crate) names: Vec<Names>,
    /// Whose information is on the screen.
    facing: Option<Seat>,
    /// Questions whose seats let others go first.
    waiting: Vec<InputId>,
    /// What the news of each viewer told before.
    recent: Vec<Recent>,
    /// By seat: actions whose hint has been on the screen.
    pub(crate) hinted: Vec<BTreeSet<String>>,
    /// The path that is being typed, as far as it has come.
    pub(crate) so_far: Vec<i32>,
    had_fault: bool,
}

impl Table {
    pub(crate) fn new(
        program: &Arc<Program>,
        setup: &Setup,
        players: Vec<Player>,
        seed: u64,
        is_taught: bool,
    ) -> Result<Table, Failure> {
        let recorder = Recorder::start(program, setup).map_err(|error| Failure::start(program, &error))?;
        Table::with(recorder, setup, players, seed, is_taught)
    }

    /// The same with a match that was begun before.
    ///
    /// With `is_taught` humans are told the lessons of the tutorial.
    pub(crate) fn with(
        recorder: Recorder,
        setup: &Setup,
        players: Vec<Player>,
        seed: u64,
        is_taught: bool,
    ) -> Result<Table, Failure> {
        let program = &Arc::clone(recorder.playing().program());
        let witness = Witness::new(Arc::clone(program), setup);
        let witness = witness.map_err(|error| Failure::start(program, &error))?;
        let viewers = players.len() + 1;
        let bot = |(seat, player): (usize, &Player)| match player {
            Player::Human | Player::Bot(BotKind::Random) => None,
            Player::Bot(kind) => Some(Bot::new(*kind, seed.wrapping_add(seat as u64))),
        };
        let bots = players.iter().enumerate().map(bot).collect();
        let mut table = Table {
            program: Arc::clone(program),
            recorder,
            witness,
            players,
            random: Random::new(seed),
            bots,
            told: vec![Vec::new(); viewers],
            opening: vec![0; viewers],
            shown: vec![0; viewers],
            names: vec![Names::new(program); viewers],
            facing: None,
            waiting: Vec::new(),
            recent: vec![Recent::default(); viewers],
            hinted: vec![BTreeSet::new(); viewers],
            so_far: Vec::new(),
            had_fault: false,
        };
        if is_taught {
            let humans = table.players.iter().enumerate().filter(|(_, player)| **player == Player::Human);
            humans.for_each(|(seat, _)| table.witness.teach(Seat(seat as u8)));
        }
        table.observe(0)?;
        table.opening = table.told.iter().map(Vec::len).collect();
        if !table.file().inputs.is_empty() {
            // What happened before is in the log.
            table.shown.clone_from(&table.opening);
        }
        Ok(table)
    }

    /// A seat takes back its last answer; others at the terminal are asked where they have to agree. True if it did.
    pub(crate) fn take_back(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        seat: Seat,
    ) -> Result<bool, Failure> {
        let needs = match self.recorder.undo_of(seat) {
            Ok(undo) => undo.needs,
            Err(refusal) => {
                say!(out, "{BAD}not taken back{BAD:#}: {refusal}");
                return Ok(false);
            }
        };
        for other in &needs {
            let is_human = self.players[usize::from(other.0)] == Player::Human;
            let prompt = format!("Seat {}: may seat {} take back its last answer? [y/n] ", other.0, seat.0);
            let agrees = |line: String| ["y", "yes"].contains(&line.as_str());
            if is_human && !keyboard.ask(out, &prompt).is_some_and(agrees) {
                say!(out, "{BAD}not taken back{BAD:#}: seat {} does not agree", other.0);
                return Ok(false);
            }
        }
        if let Err(refusal) = self.recorder.undo(seat, &needs) {
            say!(out, "{BAD}not taken back{BAD:#}: {refusal}");
            return Ok(false);
        }
        self.look_again()?;
        say!(out, "taken back; `intermezzo replay` shows it with --branches once the match is saved");
        Ok(true)
    }

    /// Forgets what everyone was told, and tells them of the match as it is now.
    fn look_again(&mut self) -> Result<(), Failure> {
        let setup = self.file().setup(&self.program);
        let setup = setup.map_err(|mismatch| Failure::new(Exit::Fault, mismatch.to_string()))?;
        let witness = self.witness.again(&setup);
        self.witness = witness.map_err(|error| Failure::start(&self.program, &error))?;
        self.told.iter_mut().for_each(Vec::clear);
        self.names.fill(Names::new(&self.program));
        self.waiting.clear();
        self.so_far.clear();
        self.observe(0)?;
        self.witness.has_caught_up();
        self.shown = self.told.iter().map(Vec::len).collect();
        Ok(())
    }

    pub(crate) fn file(&self) -> &MatchFile {
        self.recorder.file()
    }

    /// Plays until the match is over or someone quits. `before_waiting` is called before a human is asked.
    pub(crate) fn play(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        mut before_waiting: impl FnMut(&MatchFile) -> Result<(), Failure>,
    ) -> Result<Played, Failure> {
        let mut played = Played { was_quit: false, is_input_over: false, had_fault: false };
        while let Some((id, seat)) = self.next_question() {
            if self.recorder.playing().inputs_taken() >= MAX_INPUTS {
                return Err(Failure::new(
                    Exit::Problems,
                    format!("the match is not over after {MAX_INPUTS} inputs"),
                ));
            }
            if self.players[usize::from(seat.0)] != Player::Human {
                self.play_by_itself(id, seat)?;
                continue;
            }
            before_waiting(self.recorder.file())?;
            self.face(out, keyboard, seat);
            match self.ask(out, keyboard, id, seat)? {
                Turn::Taken => {}
                Turn::Waits => self.waiting.push(id),
                turn @ (Turn::Quit | Turn::EndOfInput) => {
                    played.was_quit = true;
                    played.is_input_over = turn == Turn::EndOfInput;
                    break;
                }
            }
        }
        played.had_fault = self.had_fault;
        Ok(played)
    }

    /// The open question to be answered next: in seat order, those who let others go first after the others.
    fn next_question(&mut self) -> Option<(InputId, Seat)> {
        let open: Vec<(InputId, Seat)> =
            self.recorder.playing().pending().map(|pending| (pending.id(), pending.seat())).collect();
        let next = open.iter().find(|(id, _)| !self.waiting.contains(id)).copied();
        if next.is_none() {
            self.waiting.clear();
        }
        next.or_else(|| open.first().copied())
    }

    /// A seat without a human answers.
    fn play_by_itself(&mut self, id: InputId, seat: Seat) -> Result<(), Failure> {
        let playing = self.recorder.playing();
        let began = Instant::now();
        let mut is_time_up = |ms: u32| began.elapsed() >= Duration::from_millis(u64::from(ms));
        let answer = match &mut self.bots[usize::from(seat.0)] {
            Some(bot) => bot.answer(playing, id, &mut is_time_up),
            None => {
                let pending = playing.pending().find(|pending| pending.id() == id);
                pending.and_then(|pending| at_random(&pending, &mut self.random))
            }
        };
        let Some(answer) = answer else {
            return Err(Failure::new(Exit::Fault, format!("seat {} has no legal answer", seat.0)));
        };
        match self.submit(&Input::Answer { input: id, seat, answer })? {
            Ok(()) => Ok(()),
            Err(Refusal::Faulted(fault)) => Err(Failure::fault(&self.program, &fault)),
            Err(Refusal::Rejected(rejection)) => {
                Err(Failure::new(Exit::Fault, format!("the answer of a bot was refused: {rejection}")))
            }
        }
    }

    /// Hands an input to the match and tells everyone what comes of it.
    pub(crate) fn submit(&mut self, input: &Input) -> Result<Result<(), Refusal>, Failure> {
        let from = self.recorder.log().len();
        match self.recorder.submit(input) {
            Ok(_) => {
                self.waiting.clear();
                self.observe(from).map(Ok)
            }
            Err(refusal) => {
                self.had_fault |= matches!(refusal, Refusal::Faulted(_));
                Ok(Err(refusal))
            }
        }
    }

    fn observe(&mut self, from: usize) -> Result<(), Failure> {
        let (told, spectators) = (&mut self.told, self.players.len());
        let place = |viewer: Viewer| match viewer {
            Viewer::Seat(seat) => usize::from(seat.0),
            Viewer::Spectator => spectators,
        };
        let observed = self.witness.observe(self.recorder.log(), from, |viewer, datum| {
            told[place(viewer)].extend(datum.as_ref().map(to_json));
        });
        observed.map_err(|code| {
            Failure::new(Exit::Fault, format!("what happened cannot be followed: {}", code.name()))
        })?;
        for (told, names) in self.told.iter().zip(&mut self.names) {
            let new = told.len().min(self.recorder.log().len() - from);
            told[told.len() - new..].iter().for_each(|told| names.learn_event(told));
        }
        for viewer in self.witness.viewers() {
            let view = to_json(&self.witness.view(viewer));
            self.names[place(viewer)].learn(&view);
        }
        Ok(())
    }

    /// Turns the screen to a seat; if another human's information is on it, that is hidden first.
    fn face(&mut self, out: &mut Out, keyboard: &mut Keyboard, seat: Seat) {
        let others = self.players.iter().filter(|player| **player == Player::Human).count() > 1;
        if others && self.facing != Some(seat) {
            out.clear();
            say!(out, "{HEAD}Seat {} is next. The others look away now.{HEAD:#}", seat.0);
            if keyboard.is_terminal() {
                // At the end of the input the question that follows ends the match.
                let _ = keyboard.ask(out, "Press Enter when only that player sees the screen. ");
                out.clear();
            }
        }
        self.facing = Some(seat);
    }

    pub(crate) fn names(&self, seat: Seat) -> &Names {
        &self.names[usize::from(seat.0)]
    }

    /// How many seats wait for an answer.
    pub(crate) fn open_questions(&self) -> usize {
        self.recorder.playing().pending().count()
    }

    /// What a viewer has not seen on the screen yet.
    pub(crate) fn show_news(&mut self, out: &mut Out, place: usize) {
        let start = self.opening[place];
        for (index, told) in self.told[place].iter().enumerate().skip(self.shown[place]) {
            let seen = Seen::new(told, &self.names[place]);
            // What happens before anyone acts is mostly laying out the pieces.
            let news = match index < start {
                true => seen.opening(&self.program),
                false => seen.news(&self.program, &mut self.recent[place]),
            };
            if let Some(news) = news {
                say!(out, "  · {news}");
            }
        }
        self.shown[place] = self.told[place].len();
    }

    /// Everything a seat saw.
    pub(crate) fn show_log(&self, out: &mut Out, seat: Seat) {
        let place = usize::from(seat.0);
        for told in &self.told[place] {
            say!(out, "{}", Seen::new(told, &self.names[place]).record(&self.program));
        }
    }

    /// The last events and how the match ended. Several humans at one screen see what anyone may see.
    pub(crate) fn show_end(&mut self, out: &mut Out) {
        let humans: Vec<usize> =
            (0..self.players.len()).filter(|seat| self.players[*seat] == Player::Human).collect();
        let spectators = self.players.len();
        let place = match humans.as_slice() {
            [only] => *only,
            [] => spectators,
            _ => {
                out.clear();
                self.shown[spectators] = self.public_mark();
                spectators
            }
        };
        self.show_news(out, place);
        let Some(ending) = &self.file().ending else {
            return say!(out, "{HEAD}The match is not over.{HEAD:#}");
        };
        let players = |seats: &[u8]| words(&seats.iter().map(|seat| format!("p{seat}")).collect::<Value>());
        say!(out, "{GOOD}The match is over: {}.{GOOD:#}", clean(&ending.outcome));
        let (winners, losers) = (players(&ending.winners), players(&ending.losers));
        say!(out, "winners: {winners}, losers: {losers}{}", pot_text(&self.program, &ending.pot));
    }

    /// Where the spectators' news of the last input begin.
    fn public_mark(&self) -> usize {
        let last = self.file().inputs.last().map_or(0, |entry| entry.events.len());
        self.told[self.players.len()].len().saturating_sub(last)
    }
}
