//! Match at one terminal: seats, turns, and the events each viewer has received.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_bots::{Bot, BotKind, Random, random_answer};
use intermezzo_engine::{Input, InputId, Observer, Refusal, Setup, Viewer};
use intermezzo_matchfile::log_lines::LineFolder;
use intermezzo_matchfile::{MatchFile, Recorder, to_json};
use intermezzo_program::{Program, Seat};
use serde_json::Value;

use crate::failure::{CliError, ExitStatus};
use crate::out::{BAD, GOOD, HEAD, Out, say};
use crate::play::keyboard::Keyboard;
use crate::play::names::EntityNames;
use crate::play::screen::{EventView, RecentNews};
use crate::play::turn::TurnOutcome;
use intermezzo_matchfile::sentences::{clean, pot_text, score_text, value_text};

/// Maximum number of inputs before a match is aborted.
const MAX_INPUTS: u32 = 20_000;

/// Player at a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SeatPlayer {
    Human,
    Bot(BotKind),
}

/// Result of playing.
pub(crate) struct PlaySummary {
    /// A player quit before the end.
    pub(crate) was_quit: bool,
    /// Standard input ended.
    pub(crate) is_input_over: bool,
    /// A rule failed during play.
    pub(crate) had_fault: bool,
}

/// Match at one terminal.
pub(crate) struct TerminalMatch {
    pub(crate) program: Arc<Program>,
    pub(crate) recorder: Recorder,
    pub(crate) observer: Observer,
    players: Vec<SeatPlayer>,
    /// Source of random answers for all `random` seats.
    random: Random,
    /// Bots that look ahead, by seat.
    bots: Vec<Option<Bot>>,
    /// Events each viewer received, by seat; spectators come last.
    events: Vec<Vec<Value>>,
    /// Number of these events that happened before the first input.
    opening: Vec<usize>,
    /// Number of these events that have been printed.
    shown: Vec<usize>,
    /// The events that were printed last, by viewer; `details` lists them.
    last_news: Vec<std::ops::Range<usize>>,
    /// Lines of the news that are not complete yet, by viewer.
    line_folders: Vec<LineFolder<usize>>,
    pub(crate) names: Vec<EntityNames>,
    /// Seat whose information is on the screen.
    current_seat: Option<Seat>,
    /// Questions whose seats let others answer first.
    waiting: Vec<InputId>,
    /// State of each viewer's news.
    recent: Vec<RecentNews>,
    /// Hints that have been shown, by seat.
    pub(crate) hinted: Vec<BTreeSet<String>>,
    /// Steps of the path that is being typed.
    pub(crate) path_picks: Vec<i32>,
    had_fault: bool,
}

impl TerminalMatch {
    pub(crate) fn new(
        program: &Arc<Program>,
        setup: &Setup,
        players: Vec<SeatPlayer>,
        seed: u64,
        is_taught: bool,
    ) -> Result<TerminalMatch, CliError> {
        let recorder = Recorder::start(program, setup).map_err(|error| CliError::start(program, &error))?;
        TerminalMatch::resume(recorder, setup, players, seed, is_taught)
    }

    /// Continues a recorded match. With `is_taught`, humans see the lessons of the tutorial.
    pub(crate) fn resume(
        recorder: Recorder,
        setup: &Setup,
        players: Vec<SeatPlayer>,
        seed: u64,
        is_taught: bool,
    ) -> Result<TerminalMatch, CliError> {
        let program = &Arc::clone(recorder.game().program());
        let observer = Observer::new(Arc::clone(program), setup);
        let observer = observer.map_err(|error| CliError::start(program, &error))?;
        let viewers = players.len() + 1;
        let bot = |(seat, player): (usize, &SeatPlayer)| match player {
            SeatPlayer::Human | SeatPlayer::Bot(BotKind::Random) => None,
            SeatPlayer::Bot(kind) => Some(Bot::new(*kind, seed.wrapping_add(seat as u64))),
        };
        let bots = players.iter().enumerate().map(bot).collect();
        let mut game = TerminalMatch {
            program: Arc::clone(program),
            recorder,
            observer,
            players,
            random: Random::new(seed),
            bots,
            events: vec![Vec::new(); viewers],
            opening: vec![0; viewers],
            shown: vec![0; viewers],
            last_news: vec![0..0; viewers],
            line_folders: vec![LineFolder::new(program); viewers],
            names: vec![EntityNames::new(program); viewers],
            current_seat: None,
            waiting: Vec::new(),
            recent: vec![RecentNews::default(); viewers],
            hinted: vec![BTreeSet::new(); viewers],
            path_picks: Vec::new(),
            had_fault: false,
        };
        if is_taught {
            let humans = game.players.iter().enumerate().filter(|(_, player)| **player == SeatPlayer::Human);
            humans.for_each(|(seat, _)| game.observer.start_tutorial(Seat(seat as u8)));
        }
        game.observe(0)?;
        game.opening = game.events.iter().map(Vec::len).collect();
        if !game.file().inputs.is_empty() {
            // Earlier events of a resumed match are not printed again; `l` shows them.
            game.shown.clone_from(&game.opening);
        }
        Ok(game)
    }

    /// Undoes the last answer of a seat after asking the seats that must agree. Returns whether it did.
    pub(crate) fn undo(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        seat: Seat,
    ) -> Result<bool, CliError> {
        let needs = match self.recorder.plan_undo(seat) {
            Ok(undo) => undo.needs,
            Err(refusal) => {
                say!(out, "{BAD}cannot undo{BAD:#}: {refusal}");
                return Ok(false);
            }
        };
        for other in &needs {
            let is_human = self.players[usize::from(other.0)] == SeatPlayer::Human;
            let prompt = format!("Seat {}: may seat {} undo its last answer? [y/n] ", other.0, seat.0);
            let agrees = |line: String| ["y", "yes"].contains(&line.as_str());
            if is_human && !keyboard.ask(out, &prompt).is_some_and(agrees) {
                say!(out, "{BAD}cannot undo{BAD:#}: seat {} does not agree", other.0);
                return Ok(false);
            }
        }
        if let Err(refusal) = self.recorder.undo(seat, &needs) {
            say!(out, "{BAD}cannot undo{BAD:#}: {refusal}");
            return Ok(false);
        }
        self.restart_observer()?;
        say!(out, "undone; in a saved match, `intermezzo replay --branches` lists what was undone");
        Ok(true)
    }

    /// Discards what every viewer received and observes the match again from its start.
    fn restart_observer(&mut self) -> Result<(), CliError> {
        let setup = self.file().setup(&self.program);
        let setup = setup.map_err(|mismatch| CliError::new(ExitStatus::Fault, mismatch.to_string()))?;
        let observer = self.observer.restart(&setup);
        self.observer = observer.map_err(|error| CliError::start(&self.program, &error))?;
        self.events.iter_mut().for_each(Vec::clear);
        self.names.fill(EntityNames::new(&self.program));
        self.waiting.clear();
        self.path_picks.clear();
        self.observe(0)?;
        self.observer.finish_restart();
        self.shown = self.events.iter().map(Vec::len).collect();
        self.last_news.fill(0..0);
        self.line_folders.fill(LineFolder::new(&self.program));
        Ok(())
    }

    pub(crate) fn file(&self) -> &MatchFile {
        self.recorder.file()
    }

    /// Plays until the match is over or a player quits. `before_waiting` is called before a human is asked.
    pub(crate) fn play(
        &mut self,
        out: &mut Out,
        keyboard: &mut Keyboard,
        mut before_waiting: impl FnMut(&MatchFile) -> Result<(), CliError>,
    ) -> Result<PlaySummary, CliError> {
        let mut played = PlaySummary { was_quit: false, is_input_over: false, had_fault: false };
        while let Some((id, seat)) = self.next_question() {
            if self.recorder.game().input_count() >= MAX_INPUTS {
                return Err(CliError::new(
                    ExitStatus::Problems,
                    format!("the match is not over after {MAX_INPUTS} inputs"),
                ));
            }
            if self.players[usize::from(seat.0)] != SeatPlayer::Human {
                self.play_bot(id, seat)?;
                continue;
            }
            before_waiting(self.recorder.file())?;
            self.switch_seat(out, keyboard, seat);
            match self.ask(out, keyboard, id, seat)? {
                TurnOutcome::Answered => {}
                TurnOutcome::Yielded => self.waiting.push(id),
                turn @ (TurnOutcome::Quit | TurnOutcome::EndOfInput) => {
                    played.was_quit = true;
                    played.is_input_over = turn == TurnOutcome::EndOfInput;
                    break;
                }
            }
        }
        played.had_fault = self.had_fault;
        Ok(played)
    }

    /// Returns the next question to answer: in seat order, seats that wait last.
    fn next_question(&mut self) -> Option<(InputId, Seat)> {
        let open: Vec<(InputId, Seat)> =
            self.recorder.game().pending().map(|pending| (pending.id(), pending.seat())).collect();
        let next = open.iter().find(|(id, _)| !self.waiting.contains(id)).copied();
        if next.is_none() {
            self.waiting.clear();
        }
        next.or_else(|| open.first().copied())
    }

    /// Lets a bot answer.
    fn play_bot(&mut self, id: InputId, seat: Seat) -> Result<(), CliError> {
        let playing = self.recorder.game();
        let began = Instant::now();
        let mut is_time_up = |ms: u32| began.elapsed() >= Duration::from_millis(u64::from(ms));
        let answer = match &mut self.bots[usize::from(seat.0)] {
            Some(bot) => bot.answer(playing, id, &mut is_time_up),
            None => {
                let pending = playing.pending().find(|pending| pending.id() == id);
                pending.and_then(|pending| random_answer(&pending, &mut self.random))
            }
        };
        let Some(answer) = answer else {
            return Err(CliError::new(ExitStatus::Fault, format!("seat {} has no legal answer", seat.0)));
        };
        match self.submit(&Input::Answer { input: id, seat, answer })? {
            Ok(()) => Ok(()),
            Err(Refusal::Faulted(fault)) => Err(CliError::fault(&self.program, &fault)),
            Err(Refusal::Rejected(rejection)) => Err(CliError::new(
                ExitStatus::Fault,
                format!("the answer of a bot was rejected: {rejection}"),
            )),
        }
    }

    /// Submits an input and shows the resulting events to every viewer.
    pub(crate) fn submit(&mut self, input: &Input) -> Result<Result<(), Refusal>, CliError> {
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

    fn observe(&mut self, from: usize) -> Result<(), CliError> {
        let (events, spectators) = (&mut self.events, self.players.len());
        let place = |viewer: Viewer| match viewer {
            Viewer::Seat(seat) => usize::from(seat.0),
            Viewer::Spectator => spectators,
        };
        let observed = self.observer.observe(self.recorder.log(), from, |viewer, datum| {
            events[place(viewer)].extend(datum.as_ref().map(to_json));
        });
        observed.map_err(|code| {
            CliError::new(ExitStatus::Fault, format!("the events cannot be observed: {}", code.name()))
        })?;
        for (events, names) in self.events.iter().zip(&mut self.names) {
            let new = events.len().min(self.recorder.log().len() - from);
            events[events.len() - new..].iter().for_each(|event| names.learn_event(event));
        }
        for viewer in self.observer.viewers() {
            let view = to_json(&self.observer.view(viewer));
            self.names[place(viewer)].learn(&view);
        }
        Ok(())
    }

    /// Switches the screen to a seat. Hides another human's information first.
    fn switch_seat(&mut self, out: &mut Out, keyboard: &mut Keyboard, seat: Seat) {
        let others = self.players.iter().filter(|player| **player == SeatPlayer::Human).count() > 1;
        if others && self.current_seat != Some(seat) {
            out.clear();
            say!(out, "{HEAD}Seat {} is next. Other players, please look away.{HEAD:#}", seat.0);
            if keyboard.is_terminal() {
                // If the input has ended, the next question quits the match.
                let _ = keyboard.ask(out, "Press Enter when only this player can see the screen. ");
                out.clear();
            }
        }
        self.current_seat = Some(seat);
    }

    pub(crate) fn names(&self, seat: Seat) -> &EntityNames {
        &self.names[usize::from(seat.0)]
    }

    /// Counts the open questions.
    pub(crate) fn open_questions(&self) -> usize {
        self.recorder.game().pending().count()
    }

    /// Prints the events a viewer has not seen yet.
    pub(crate) fn show_news(&mut self, out: &mut Out, place: usize) {
        let start = self.opening[place].max(self.shown[place]);
        let (events, names) = (&self.events[place], &self.names[place]);
        // The events before the first input mostly set up the match.
        for event in &events[self.shown[place]..start] {
            if let Some(news) = EventView::new(event, names).opening(&self.program) {
                say!(out, "  · {news}");
            }
        }
        let seen: Vec<EventView<'_>> =
            events[start..].iter().map(|event| EventView::new(event, names)).collect();
        let numbered = seen.iter().enumerate().map(|(at, seen)| seen.line_event(start + at));
        for line in self.line_folders[place].fold(&self.program, numbered) {
            let news = match line.sentence {
                Some(sentence) => Some(sentence).filter(|_| line.is_news),
                None => {
                    let later = &events[line.key + 1..];
                    seen[line.key - start].news(&self.program, &mut self.recent[place], later)
                }
            };
            if let Some(news) = news {
                say!(out, "  · {news}");
            }
        }
        if start < events.len() {
            self.last_news[place] = start..events.len();
        }
        self.shown[place] = events.len();
    }

    /// Prints the events a seat has received: one line for each that the ruleset does not fold into another.
    pub(crate) fn show_log(&self, out: &mut Out, seat: Seat) {
        let place = usize::from(seat.0);
        let seen: Vec<EventView<'_>> =
            self.events[place].iter().map(|event| EventView::new(event, &self.names[place])).collect();
        let numbered = seen.iter().enumerate().map(|(at, seen)| seen.line_event(at));
        for line in LineFolder::new(&self.program).fold(&self.program, numbered) {
            say!(
                out,
                "{}",
                match &line.sentence {
                    Some(sentence) => seen[line.key].line(sentence),
                    None => seen[line.key].record(&self.program),
                }
            );
        }
    }

    /// Prints every event a seat has received.
    pub(crate) fn show_full_log(&self, out: &mut Out, seat: Seat) {
        self.show_records(out, usize::from(seat.0), 0..usize::MAX);
    }

    /// Prints every event behind the latest news of a seat.
    pub(crate) fn show_details(&self, out: &mut Out, seat: Seat) {
        let place = usize::from(seat.0);
        self.show_records(out, place, self.last_news[place].clone());
    }

    fn show_records(&self, out: &mut Out, place: usize, range: std::ops::Range<usize>) {
        for event in self.events[place].iter().take(range.end).skip(range.start) {
            say!(out, "{}", EventView::new(event, &self.names[place]).record(&self.program));
        }
    }

    /// Prints the last events and the result. Several humans at one screen get the spectators' view.
    pub(crate) fn show_end(&mut self, out: &mut Out) {
        let humans: Vec<usize> =
            (0..self.players.len()).filter(|seat| self.players[*seat] == SeatPlayer::Human).collect();
        let spectators = self.players.len();
        let place = match humans.as_slice() {
            [only] => *only,
            [] => spectators,
            _ => {
                out.clear();
                self.shown[spectators] = self.last_input_start();
                spectators
            }
        };
        self.show_news(out, place);
        let Some(ending) = &self.file().ending else {
            return say!(out, "{HEAD}The match is not over.{HEAD:#}");
        };
        let players =
            |seats: &[u8]| value_text(&seats.iter().map(|seat| format!("p{seat}")).collect::<Value>());
        say!(out, "{GOOD}The match is over: {}.{GOOD:#}", clean(&ending.outcome));
        let (winners, losers) = (players(&ending.winners), players(&ending.losers));
        say!(out, "winners: {winners}, losers: {losers}{}", pot_text(&self.program, &ending.pot));
        let score = score_text(ending.score.as_deref(), "score: ");
        if !score.is_empty() {
            say!(out, "{score}");
        }
    }

    /// Returns the index of the first event of the last input for spectators.
    fn last_input_start(&self) -> usize {
        let last = self.file().inputs.last().map_or(0, |entry| entry.events.len());
        self.events[self.players.len()].len().saturating_sub(last)
    }
}
