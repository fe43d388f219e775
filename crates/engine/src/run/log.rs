//! The event log: small fixed-size records over one vector of payload words.
//!
//! Payload words are self-contained: lists, records and maps are flattened by type (see
//! [`typed`](crate::values::typed)), so a log can be read and folded without the match that wrote it.

use intermezzo_program::{EventId, Word};

/// The cause of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// An input, by number; 0 is the start of the match.
    Input(u32),
    /// The event with that id.
    Event(u32),
}

/// The outcome of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventStatus {
    /// It happened.
    Applied,
    /// A reaction prevented it.
    Prevented,
    /// A rule failed.
    Failed,
}

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRecord {
    /// Type of the event.
    pub event: EventId,
    /// Number of the event in the match, from 1.
    pub id: u32,
    pub cause: Cause,
    pub status: EventStatus,
    /// Index of the first payload word.
    pub start: u32,
    /// Number of payload words.
    pub len: u32,
}

/// The events of a match, or of part of one. The caller owns it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventLog {
    records: Vec<EventRecord>,
    words: Vec<Word>,
    off: bool,
    /// Stop point for callers that inspect a match in the middle of an input.
    stop: LogStop,
}

/// The number of events after which a match stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum LogStop {
    /// The match does not stop.
    #[default]
    Nowhere,
    /// The match will stop after this many events, but first runs the input to its end.
    Later(usize),
    /// The match stops after this many events.
    Now(usize),
}

impl Default for EventLog {
    fn default() -> EventLog {
        EventLog::new()
    }
}

impl EventLog {
    #[must_use]
    pub fn new() -> EventLog {
        EventLog { records: Vec::new(), words: Vec::new(), off: false, stop: LogStop::Nowhere }
    }

    /// Creates a log that records nothing, for simulation.
    #[must_use]
    pub fn discard() -> EventLog {
        EventLog { off: true, ..EventLog::new() }
    }

    /// Returns the events, oldest first.
    #[must_use]
    pub fn records(&self) -> &[EventRecord] {
        &self.records
    }

    /// Returns the payload of one of the records.
    #[must_use]
    pub fn payload(&self, record: &EventRecord) -> &[Word] {
        let start = record.start as usize;
        self.words.get(start..).and_then(|words| words.get(..record.len as usize)).unwrap_or(&[])
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Removes all events but keeps the memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.words.clear();
    }

    /// Appends an event from another source, such as a stored log.
    pub fn append(&mut self, event: EventId, id: u32, cause: Cause, status: EventStatus, payload: &[Word]) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(payload);
        self.records.push(EventRecord { event, id, cause, status, start, len: payload.len() as u32 });
    }

    /// Returns a copy of the events since a mark.
    pub(crate) fn since(&self, (first, start): (usize, usize)) -> EventLog {
        let mut part = EventLog::new();
        part.words.extend_from_slice(&self.words[start..]);
        let records = self.records[first..].iter();
        part.records
            .extend(records.map(|record| EventRecord { start: record.start - start as u32, ..*record }));
        part
    }

    /// Appends all events of another log.
    pub(crate) fn append_all(&mut self, other: &EventLog) {
        if self.off {
            return;
        }
        let start = self.words.len() as u32;
        self.words.extend_from_slice(&other.words);
        let records = other.records.iter();
        self.records.extend(records.map(|record| EventRecord { start: record.start + start, ..*record }));
    }

    /// Creates a log that stops a match after this many events. Stack items that fail are only known at the end of an
    /// input, so the input first runs to its end.
    pub(crate) fn stopping_after(events: usize) -> EventLog {
        EventLog { stop: LogStop::Later(events), ..EventLog::new() }
    }

    /// Returns true if the match has run past the stop point. The caller then rolls back and runs again, and the
    /// match stops there.
    pub(crate) fn has_passed_stop(&mut self) -> bool {
        match self.stop {
            LogStop::Later(events) if self.records.len() >= events => {
                self.stop = LogStop::Now(events);
                true
            }
            _ => false,
        }
    }

    /// Makes the match stop right away, without running the input to its end first.
    pub(crate) fn stop_at_once(&mut self) {
        if let LogStop::Later(events) = self.stop {
            self.stop = LogStop::Now(events);
        }
    }

    /// Returns true if the match has reached the stop point.
    #[inline]
    pub(crate) fn has_stopped(&self) -> bool {
        matches!(self.stop, LogStop::Now(events) if self.records.len() >= events)
    }

    /// Returns true if the match may stop in the middle of an input.
    pub(crate) fn may_stop(&self) -> bool {
        self.stop != LogStop::Nowhere
    }

    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.off
    }

    /// Returns a mark for [`EventLog::rollback`].
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.records.len(), self.words.len())
    }

    pub(crate) fn rollback(&mut self, mark: (usize, usize)) {
        self.records.truncate(mark.0);
        self.words.truncate(mark.1);
    }

    /// Returns the words, so that a payload can be appended and closed with [`EventLog::close`].
    #[inline]
    pub(crate) fn words(&mut self) -> &mut Vec<Word> {
        &mut self.words
    }

    /// Appends a record of the payload words from `start` on.
    #[inline]
    pub(crate) fn close(&mut self, event: EventId, id: u32, cause: Cause, status: EventStatus, start: usize) {
        let len = (self.words.len() - start) as u32;
        let start = start as u32;
        self.records.push(EventRecord { event, id, cause, status, start, len });
    }
}
