//! A session with its full history, for undo and for match files.

use std::sync::Arc;

use intermezzo_engine::{EventLog, Input, Interrupt, Match, Observer, Refusal, Setup, StartError, Viewer};
use intermezzo_matchfile::{MatchFile, Recorder};
use intermezzo_program::{Program, Seat};

use crate::entry::SessionEntry;
use crate::fold::SessionFold;
use crate::refusal::{RecordError, SessionRefusal};
use crate::runner::{EventSink, MatchRunner};
use crate::undo_consent::UndoRequest;
use crate::viewer_updates::{ChangeScope, SessionNotice, SessionUpdate, ViewerStates};

/// Greatest number of events in a match file. A file of that many takes half a gigabyte of memory while it is built.
pub const MAX_RECORDED_EVENTS: usize = 200_000;

/// Builds the match file of a match from its entries.
///
/// # Errors
///
/// If the match cannot start, an entry is rejected, or there are more than [`MAX_RECORDED_EVENTS`].
pub fn record(
    program: &Arc<Program>,
    setup: &Setup,
    entries: &[SessionEntry],
) -> Result<MatchFile, RecordError> {
    record_with(program, setup, entries, |_| ())
}

/// Builds the match file and calls `after_each` with it after each entry.
///
/// # Errors
///
/// Those of [`record`].
pub fn record_with(
    program: &Arc<Program>,
    setup: &Setup,
    entries: &[SessionEntry],
    after_each: impl FnMut(&MatchFile),
) -> Result<MatchFile, RecordError> {
    record_within(MAX_RECORDED_EVENTS, (program, setup), entries, after_each)
}

fn record_within(
    max_events: usize,
    (program, setup): (&Arc<Program>, &Setup),
    entries: &[SessionEntry],
    mut after_each: impl FnMut(&MatchFile),
) -> Result<MatchFile, RecordError> {
    let (mut recorded, start) = RecordedSession::start(program, setup).map_err(RecordError::CannotStart)?;
    let mut events = start.log.len();
    for (index, entry) in entries.iter().enumerate() {
        let update = recorded.apply(entry);
        events += update.map_err(|refusal| RecordError::Refused { number: index + 1, refusal })?.log.len();
        if events > max_events {
            return Err(RecordError::TooLarge);
        }
        after_each(recorded.fold.runner.recorder.file());
    }
    Ok(recorded.fold.runner.recorder.file().clone())
}

/// A session run by a recorder, which supports undo.
#[derive(Debug)]
pub(crate) struct RecordedSession {
    pub(crate) fold: SessionFold<RecordedRunner>,
    /// Number of applied entries.
    pub(crate) entries: usize,
}

/// The runner that keeps the full history.
#[derive(Debug)]
pub(crate) struct RecordedRunner {
    recorder: Recorder,
    /// Number of log records already returned.
    seen: usize,
}

impl MatchRunner for RecordedRunner {
    fn game(&self) -> &Match {
        self.recorder.game()
    }

    fn observer(&mut self) -> (&mut Observer, &Match) {
        self.recorder.observer()
    }

    fn submit(
        &mut self,
        _: Option<Interrupt>,
        input: &Input,
        push_event: EventSink<'_>,
    ) -> Result<ChangeScope, Refusal> {
        let before = self.recorder.log().len();
        self.recorder.submit(input)?;
        self.recorder.viewer_events().iter().for_each(|(viewer, event)| push_event(*viewer, event.clone()));
        Ok(ChangeScope::by(self.recorder.log().len() > before))
    }

    fn take_log(&mut self) -> EventLog {
        let (all, mut new) = (self.recorder.log(), EventLog::new());
        for record in all.records().iter().skip(self.seen) {
            new.append(record.event, record.id, record.cause, record.status, all.payload(record));
        }
        self.seen = all.len();
        new
    }
}

impl RecordedSession {
    pub(crate) fn start(
        program: &Arc<Program>,
        setup: &Setup,
    ) -> Result<(RecordedSession, SessionUpdate), StartError> {
        let recorder = Recorder::start(program, setup)?;
        let mut viewers = ViewerStates::new(setup.seats);
        recorder
            .viewer_events()
            .iter()
            .for_each(|(viewer, event)| viewers.push_event(*viewer, event.clone()));
        let (fold, update) = SessionFold::start(RecordedRunner { recorder, seen: 0 }, viewers);
        Ok((RecordedSession { fold, entries: 0 }, update))
    }

    /// Applies any entry.
    pub(crate) fn apply(&mut self, entry: &SessionEntry) -> Result<SessionUpdate, SessionRefusal> {
        let update = match entry {
            SessionEntry::Undo { seat } => self.undo(*seat)?,
            SessionEntry::AgreeToUndo { seat } => self.agree(*seat)?,
            _ => self.fold.apply(entry)?,
        };
        self.entries += 1;
        Ok(update)
    }

    /// Undoes the last answer of a seat, or asks the others first if necessary.
    fn undo(&mut self, seat: Seat) -> Result<SessionUpdate, SessionRefusal> {
        self.fold.check_seat(seat)?;
        let needs = self.fold.runner.recorder.plan_undo(seat)?.needs;
        if needs.is_empty() {
            return self.roll_back(seat, &[]);
        }
        self.fold.cancel_undo_request();
        needs.iter().for_each(|other| self.fold.notify(*other, SessionNotice::UndoRequested { by: seat }));
        self.fold.undo_request = Some(UndoRequest { by: seat, needs, agreed: Vec::new() });
        Ok(self.fold.finish(None))
    }

    /// Records the agreement of a seat; the last one performs the undo.
    fn agree(&mut self, seat: Seat) -> Result<SessionUpdate, SessionRefusal> {
        let request = self.fold.undo_request_to(seat)?.clone();
        if !request.is_completed_by(seat) {
            return self.fold.apply(&SessionEntry::AgreeToUndo { seat });
        }
        self.fold.undo_request = None;
        let update = self.roll_back(request.by, &request.needs);
        if update.is_err() {
            self.fold.undo_request = Some(request);
        }
        update
    }

    fn roll_back(&mut self, by: Seat, agreed: &[Seat]) -> Result<SessionUpdate, SessionRefusal> {
        let first = self.fold.runner.recorder.plan_undo(by)?.number;
        let viewers = self.fold.runner.observer().0.viewers();
        let saw_event: Vec<bool> = viewers
            .map(|viewer: Viewer| self.fold.runner.recorder.has_seen_event_since(viewer, first))
            .collect();
        self.fold.runner.recorder.undo(by, agreed)?;
        // An undo emits no events, and the events of the replayed inputs were already returned.
        self.fold.runner.seen = self.fold.runner.recorder.log().len();
        self.fold.cancel_undo_request();
        self.fold.pre_sent.clear();
        self.fold.changed = ChangeScope::All;
        Ok(self.fold.finish(Some((by, &saw_event))))
    }
}

#[cfg(test)]
mod tests {
    use intermezzo_compiler::Ruleset;
    use intermezzo_engine::{Datum, Seed};

    use super::*;
    use crate::{Command, Session};

    #[test]
    fn a_match_with_too_many_events_has_no_file() {
        let text = b"ir: 1\nruleset: {id: counting, version: 0.1.0}\noutcomes: [over]\nplayers: {seats: 1}\n\
            match: {props: {n: {type: int, default: 0}}}\nflow:\n  \
            - {choose: one, by: \"players[0]\", from: \"[1, 2]\"}\n  \
            - {repeat: 50, max: 50, do: [{add: {match.n: 1}}]}\n  - end: over\n";
        let compiled = Ruleset::from_files(&[("counting.yaml".to_owned(), text.to_vec())]).compile();
        let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
        let setup = Setup { seats: 1, options: Vec::new(), seed: Seed::from_number(1), script: None };
        let (mut session, _) = Session::start(&program, &setup).unwrap();
        let question = session.pending()[0].question;
        let answer = Command::Answer { question, answer: Datum::Int(2) };
        let entries = [session.resolve(Seat(0), &answer).unwrap()];
        assert_eq!(record_within(50, (&program, &setup), &entries, |_| ()), Err(RecordError::TooLarge));
        let file = record_within(60, (&program, &setup), &entries, |_| ()).unwrap();
        assert!(file.inputs[0].events.len() >= 50);
    }
}
