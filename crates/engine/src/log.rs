//! What happened, in order: small fixed records over one vector of words.
//!
//! Payload words stand on their own: lists, records and maps are written out
//! by type (see [`typed`](crate::typed)), so a log can be read and folded
//! without the match that wrote it.

use intermezzo_ruleset::{EventId, Word};

/// Why an event happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Something from outside; 0 is the start of the match.
    Input(u32),
    /// The event with that id.
    Event(u32),
}

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It happened.
    Applied,
    /// Something prevented it.
    Prevented,
    /// A rule failed.
    Failed,
}

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its type.
    pub event: EventId,
    /// Its number in the match, from 1.
    pub id: u32,
    /// Why it happened.
    pub cause: Cause,
    /// What became of it.
    pub status: Status,
    /// First word of its payload.
    pub start: u32,
    /// How many words its payload has.
    pub len: u32,
}

/// The events of a match, or of part of one. The caller owns it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    records: Vec<Record>,
    words: Vec<Word>,
    off: bool,
    /// Where a match that is looked into stops.
    stop: Stop,
}

/// How far a match goes that is looked into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stop {
    /// As far as it can.
    #[default]
    Nowhere,
    /// To so many events, once it is known how the input ends.
    Later(usize),
    /// To so many events.
    Now(usize),
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}

impl Log {
    /// An empty log.
    #[must_use]
    pub fn new() -> Log {
        Log { records: Vec::new(), words: Vec::new(), off: false, stop: Stop::Nowhere }
    }

    /// A log that keeps nothing, for simulation.
    #[must_use]
    pub fn discard() -> Log {
        Log { off: true, ..Log::new() }
    }

    /// The events, oldest first.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The payload of one of its records.
    #[must_use]
    pub fn payload(&self, record: &Record) -> &[Word] {
        let start = record.start as usize;
        self.words.get(start..).and_then(|words| words.get(..record.len as usize)).unwrap_or(&[])
    }

    /// How many events there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.words.clear();
    }

    /// Adds an event that comes from elsewhere, such as a stored log.
    pub fn append(&mut self, event: EventId, id: u32, cause: Cause, status: Status, payload: &[Word]) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(payload);
        self.records.push(Record { event, id, cause, status, start, len: payload.len() as u32 });
    }

    /// A log with which a match stops once it has so many events. What fails alone is only known at the end of an
    /// input, so an input is run to its end first.
    pub(crate) fn stopping_after(events: usize) -> Log {
        Log { stop: Stop::Later(events), ..Log::new() }
    }

    /// Whether the match went further than it should. It is to be put back, and to go on with a stop.
    pub(crate) fn has_passed_stop(&mut self) -> bool {
        match self.stop {
            Stop::Later(events) if self.records.len() >= events => {
                self.stop = Stop::Now(events);
                true
            }
            _ => false,
        }
    }

    /// The match stops right away, without being run to the end first.
    pub(crate) fn stop_at_once(&mut self) {
        if let Stop::Later(events) = self.stop {
            self.stop = Stop::Now(events);
        }
    }

    /// Whether the match is to stop here.
    #[inline]
    pub(crate) fn has_stopped(&self) -> bool {
        matches!(self.stop, Stop::Now(events) if self.records.len() >= events)
    }

    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.off
    }

    /// Where to return to if what follows is refused.
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.records.len(), self.words.len())
    }

    pub(crate) fn rollback(&mut self, mark: (usize, usize)) {
        self.records.truncate(mark.0);
        self.words.truncate(mark.1);
    }

    /// The words, for a payload to be written at their end and closed by [`Log::close`].
    #[inline]
    pub(crate) fn words(&mut self) -> &mut Vec<Word> {
        &mut self.words
    }

    /// Makes a record of the payload words from `start` on.
    #[inline]
    pub(crate) fn close(&mut self, event: EventId, id: u32, cause: Cause, status: Status, start: usize) {
        let len = (self.words.len() - start) as u32;
        let start = start as u32;
        self.records.push(Record { event, id, cause, status, start, len });
    }
}
