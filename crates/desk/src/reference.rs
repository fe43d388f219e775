//! The same match with everything written down, for what needs the past: taking back, and the match file.

use std::sync::Arc;

use intermezzo_engine::{Input, Log, Match, Refusal, Setup, StartError, Viewer, Witness};
use intermezzo_journal::{MatchFile, Recorder};
use intermezzo_ruleset::{Program, Seat};

use crate::consent::Consent;
use crate::entry::Entry;
use crate::fold::Fold;
use crate::refusal::{DeskRefusal, RecordError};
use crate::running::{Run, Tell};
use crate::shown::{Changed, Notice, Sheets, Taken};

/// Makes the match file of a match from its entries.
///
/// # Errors
///
/// If the match does not begin, or an entry is refused.
pub fn record(program: &Arc<Program>, setup: &Setup, entries: &[Entry]) -> Result<MatchFile, RecordError> {
    record_with(program, setup, entries, |_| ())
}

/// The same; `after_each` sees the file after each entry.
///
/// # Errors
///
/// If the match does not begin, or an entry is refused.
pub fn record_with(
    program: &Arc<Program>,
    setup: &Setup,
    entries: &[Entry],
    mut after_each: impl FnMut(&MatchFile),
) -> Result<MatchFile, RecordError> {
    let (mut reference, _) = Reference::open(program, setup).map_err(RecordError::CannotStart)?;
    for (place, entry) in entries.iter().enumerate() {
        let taken = reference.take(entry);
        taken.map_err(|refusal| RecordError::Refused { number: place + 1, refusal })?;
        after_each(reference.fold.run.recorder.file());
    }
    Ok(reference.fold.run.recorder.file().clone())
}

/// A match run by a recorder, which can take back.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) fold: Fold<Recorded>,
    /// How many entries it has taken.
    pub(crate) entries: usize,
}

/// A match that keeps all of its past.
#[derive(Debug)]
pub(crate) struct Recorded {
    recorder: Recorder,
    /// How much of the log was asked for.
    seen: usize,
}

impl Run for Recorded {
    fn playing(&self) -> &Match {
        self.recorder.playing()
    }

    fn witness(&mut self) -> (&mut Witness, &Match) {
        self.recorder.witness()
    }

    fn submit(&mut self, input: &Input, tell: Tell<'_>) -> Result<Changed, Refusal> {
        let before = self.recorder.log().len();
        self.recorder.submit(input)?;
        self.recorder.news().iter().for_each(|(viewer, event)| tell(*viewer, event.clone()));
        Ok(Changed::by(self.recorder.log().len() > before))
    }

    fn take_log(&mut self) -> Log {
        let (all, mut new) = (self.recorder.log(), Log::new());
        for record in all.records().iter().skip(self.seen) {
            new.append(record.event, record.id, record.cause, record.status, all.payload(record));
        }
        self.seen = all.len();
        new
    }
}

impl Reference {
    pub(crate) fn open(program: &Arc<Program>, setup: &Setup) -> Result<(Reference, Taken), StartError> {
        let recorder = Recorder::start(program, setup)?;
        let mut sheets = Sheets::new(setup.seats);
        recorder.news().iter().for_each(|(viewer, event)| sheets.happened(*viewer, event.clone()));
        let (fold, taken) = Fold::begin(Recorded { recorder, seen: 0 }, sheets);
        Ok((Reference { fold, entries: 0 }, taken))
    }

    /// Takes any entry.
    pub(crate) fn take(&mut self, entry: &Entry) -> Result<Taken, DeskRefusal> {
        let taken = match entry {
            Entry::TakeBack { seat } => self.take_back(*seat)?,
            Entry::Agree { seat } => self.agree(*seat)?,
            _ => self.fold.take(entry)?,
        };
        self.entries += 1;
        Ok(taken)
    }

    /// Takes back the last answer of a seat, or asks the others first where that is needed.
    fn take_back(&mut self, seat: Seat) -> Result<Taken, DeskRefusal> {
        self.fold.check_seat(seat)?;
        let needs = self.fold.run.recorder.undo_of(seat)?.needs;
        if needs.is_empty() {
            return self.go_back(seat, &[]);
        }
        self.fold.forget_consent();
        needs.iter().for_each(|other| self.fold.tell(*other, Notice::WouldTakeBack { by: seat }));
        self.fold.consent = Some(Consent { by: seat, needs, agreed: Vec::new() });
        Ok(self.fold.finish(None))
    }

    /// A seat agrees; the last one has it taken back.
    fn agree(&mut self, seat: Seat) -> Result<Taken, DeskRefusal> {
        let consent = self.fold.asked(seat)?.clone();
        if !consent.is_completed_by(seat) {
            return self.fold.take(&Entry::Agree { seat });
        }
        self.fold.consent = None;
        let taken = self.go_back(consent.by, &consent.needs);
        if taken.is_err() {
            self.fold.consent = Some(consent);
        }
        taken
    }

    fn go_back(&mut self, by: Seat, agreed: &[Seat]) -> Result<Taken, DeskRefusal> {
        let first = self.fold.run.recorder.undo_of(by)?.number;
        let viewers = self.fold.run.witness().0.viewers();
        let heard: Vec<bool> =
            viewers.map(|viewer: Viewer| self.fold.run.recorder.has_heard(viewer, first)).collect();
        self.fold.run.recorder.undo(by, agreed)?;
        // What is taken back is no event, and what it came to before has been told.
        self.fold.run.seen = self.fold.run.recorder.log().len();
        self.fold.forget_consent();
        self.fold.ahead.clear();
        self.fold.changed = Changed::All;
        Ok(self.fold.finish(Some((by, &heard))))
    }
}
