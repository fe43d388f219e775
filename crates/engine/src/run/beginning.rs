//! Beginnings of matches that differ only in their seed. They are the same up to the first random event or the first
//! question, so that part is kept and copied into the next match. Start with [`Match::restart`].

use intermezzo_program::{FaultCode, Instr, NULL, Program, native};

use crate::ask::request::Requests;
use crate::run::chance::Chance;
use crate::run::effects::{Counters, EventHeader, Machine};
use crate::run::frames::{FrameStack, Meter};
use crate::run::log::EventLog;
use crate::run::match_instance::Match;
use crate::run::setup::{Setup, StartError};
use crate::storage::board::Board;
use crate::values::datum::{Datum, ShortText};

type Result<T> = std::result::Result<T, FaultCode>;

/// The match before the last restart, whose memory the next one takes, and what is known about beginnings.
#[derive(Debug)]
pub(crate) struct SpareMatch {
    pub(crate) state: Match,
    pub(crate) beginnings: Beginnings,
}

/// The beginnings of the matches that follow each other.
#[derive(Debug)]
pub(crate) enum Beginnings {
    /// The next one is recorded.
    Unknown,
    Recorded(Box<Beginning>),
    /// They differ from match to match, or a recorded one cannot be copied.
    Varied,
}

/// A match just before its first random event, or at its first question if that comes earlier.
#[derive(Debug)]
pub(crate) struct Beginning {
    seats: u8,
    options: Vec<(ShortText, Datum)>,
    board: Board,
    frames: FrameStack,
    requests: Requests,
    counters: Counters,
    meter: Meter,
    /// The events so far, if they were logged.
    log: Option<EventLog>,
}

impl Beginnings {
    /// Returns what is known before the first beginning. Programs that count their coverage run each beginning.
    pub(crate) fn new(program: &Program) -> Beginnings {
        let counts = program.code.iter().any(|instr| matches!(instr, Instr::CoverageHit { .. }));
        if counts { Beginnings::Varied } else { Beginnings::Unknown }
    }

    /// Returns the recorded beginning if it is that of a match with this setup and log. Gives up when options vary.
    fn of(&mut self, setup: &Setup, log: &EventLog) -> Option<&Beginning> {
        let Beginnings::Recorded(beginning) = self else { return None };
        if beginning.seats != setup.seats || beginning.options != setup.options {
            *self = Beginnings::Varied;
            return None;
        }
        if log.may_stop() {
            return None;
        }
        if beginning.log.is_none() && !log.is_off() {
            *self = Beginnings::Unknown;
            return None;
        }
        match self {
            Beginnings::Recorded(beginning) => Some(beginning),
            _ => None,
        }
    }
}

impl Match {
    /// Begins a match whose memory was used before. Copies the recorded beginning, or records it.
    pub(crate) fn begin_again(
        &mut self,
        setup: &Setup,
        beginnings: &mut Beginnings,
        log: &mut EventLog,
    ) -> std::result::Result<(), StartError> {
        if let Some(beginning) = beginnings.of(setup, log) {
            self.clear(setup);
            return self.run_beginning(log, |machine| machine.resume(beginning));
        }
        self.reset(setup)?;
        if !matches!(beginnings, Beginnings::Unknown) || log.may_stop() {
            return self.begin(log);
        }
        let mut recorded = None;
        let start = log.mark();
        self.push_first_frames();
        self.run_beginning(log, |machine| {
            machine.core.update_rest();
            machine.chance.holds = true;
            machine.begin(EventHeader::of(native::MATCH_STARTED), &[], &[])?;
            machine.run()?;
            let waits = std::mem::take(&mut machine.chance.holds);
            recorded = machine.beginning(setup, start);
            if waits { Ok(()) } else { machine.run() }
        })?;
        *beginnings =
            recorded.map_or(Beginnings::Varied, |recorded| Beginnings::Recorded(Box::new(recorded)));
        Ok(())
    }

    /// Prepares the match for another setup, apart from its board.
    pub(crate) fn clear(&mut self, setup: &Setup) {
        self.frames.clear();
        self.frames.returned = NULL;
        self.requests.clear();
        self.chance = Chance::new(setup.seed, setup.script.clone().unwrap_or_default());
        (self.counters, self.live_words) = (Counters::default(), 0);
        self.failed_items.clear();
        self.failures.clear();
        self.auto_passes.clear();
        self.auto_passed.clear();
    }
}

impl Machine<'_> {
    /// Stops before an instruction that draws random numbers, if the beginning is being recorded.
    pub(crate) fn holds_before_draw(&mut self) -> bool {
        let holds = std::mem::take(&mut self.chance.holds);
        if holds {
            let top = self.top();
            top.set_pc(top.pc() - 1);
        }
        holds
    }

    /// Returns the state of a match that stopped before its first random event or waits. `None` if it is over, or
    /// something is under way that is not copied. `start` is where its log begins.
    fn beginning(&self, setup: &Setup, start: (usize, usize)) -> Option<Beginning> {
        let is_drawn = self.chance.position() != 0 || self.chance.used != 0;
        let is_under_way = self.core.frames.has_unsaved() || self.core.board.has_savepoint();
        if is_drawn || is_under_way || self.core.board.end.is_some() {
            return None;
        }
        let (mut frames, mut requests) = (FrameStack::default(), Requests::default());
        requests.copy_from(self.requests);
        frames.copy_beginning(self.core.frames);
        Some(Beginning {
            seats: setup.seats,
            options: setup.options.clone(),
            board: self.core.board.clone(),
            frames,
            requests,
            counters: *self.counters,
            meter: *self.core.meter,
            log: (!self.log.is_off()).then(|| self.log.since(start)),
        })
    }

    /// Goes on from a recorded beginning to the first wait.
    fn resume(&mut self, beginning: &Beginning) -> Result<()> {
        self.core.board.copy_from(&beginning.board);
        self.core.frames.copy_beginning(&beginning.frames);
        self.requests.copy_from(&beginning.requests);
        (*self.counters, *self.core.meter) = (beginning.counters, beginning.meter);
        if let Some(log) = &beginning.log {
            self.log.append_all(log);
        }
        self.run()
    }
}
