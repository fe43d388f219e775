//! A match on the server: the fold of its rows. Start with [`Room::begin`], [`Room::take`] and [`Room::follow`].
//!
//! A room has no clock and no connection. It turns a wish that is allowed into
//! the next row, and brings itself up to date with rows from the store; both ways lead
//! to the same room.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_desk::{Desk, DeskRefusal, Entry, Taken, encode_log};
use intermezzo_engine::{Input, Log, Setup, StartError};
use intermezzo_ruleset::{Program, Seat};
use serde::{Deserialize, Serialize};

use super::clocks::{Absence, ClockRules, Clocks, Question};
use super::row::{Row, Step};

/// The layout of snapshots that is written here.
const LAYOUT: u8 = 3;

/// What a match began with, all of which is known before its first row.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) program: Arc<Program>,
    pub(crate) setup: Setup,
    pub(crate) clock: ClockRules,
    /// Times in which no server was there, oldest first.
    pub(crate) absences: Arc<[Absence]>,
}

/// Who sends something, and under which id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sender {
    /// The account; 0 is the server itself.
    pub(crate) account: u128,
    /// Stands for the command id; 0 if there is none.
    pub(crate) command: u64,
    /// Stands for what is asked for under that id.
    pub(crate) content: u64,
}

/// What a command that was taken has led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Led {
    /// The version its sender had then.
    pub(crate) version: u64,
    /// Stands for what was asked for.
    pub(crate) content: u64,
}

/// A match as it stands after so many rows.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) terms: Terms,
    pub(crate) desk: Desk,
    pub(crate) clocks: Clocks,
    /// How many rows there are.
    pub(crate) version: u64,
    /// What each command that was taken has led to.
    commands: BTreeMap<u64, Led>,
    chain: [u8; 32],
    /// Hash of the match's state. Rows that do not touch the match leave it as it is.
    state: [u8; 32],
    /// Up to when the server's absences have been made up for.
    absent_until: i64,
    /// When the last row was written.
    pub(crate) written_at: i64,
}

/// A row, and what it brought to the viewers.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) row: Vec<u8>,
    pub(crate) taken: Taken,
}

/// Why a room cannot be rebuilt from its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// A row cannot be read.
    Unreadable { version: u64 },
    /// The rules do not take what a row says.
    Refused { version: u64, reason: String },
    /// A row leads to another state or chain than it says.
    Differs { version: u64 },
    /// The match cannot begin.
    NoStart { reason: String },
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Unreadable { version } => write!(f, "row {version} cannot be read"),
            Broken::Refused { version, reason } => write!(f, "row {version} is refused: {reason}"),
            Broken::Differs { version } => write!(f, "row {version} leads to another state than it says"),
            Broken::NoStart { reason } => write!(f, "the match cannot begin: {reason}"),
        }
    }
}

/// What of a room goes into a snapshot besides its desk.
#[derive(Serialize, Deserialize)]
struct Saved {
    desk: Vec<u8>,
    clocks: Clocks,
    version: u64,
    commands: BTreeMap<u64, Led>,
    chain: [u8; 32],
    absent_until: i64,
    written_at: i64,
}

impl Room {
    /// Begins a match: its first row.
    pub(crate) fn begin(terms: Terms, at: i64) -> Result<(Room, Written), StartError> {
        let (mut desk, taken) = Desk::open(&terms.program, &terms.setup)?;
        desk.forget_past();
        let clocks = Clocks::new(&terms.clock, terms.setup.seats);
        let chain = first_link(&terms);
        let commands = BTreeMap::new();
        let mut room = Room {
            terms,
            desk,
            clocks,
            version: 0,
            commands,
            chain,
            state: taken.state,
            absent_until: at,
            written_at: at,
        };
        let row = room.seal(at, Sender::default(), Step::Begin, &taken.log, taken.state);
        room.run_clocks(at, None);
        Ok((room, Written { row: row.encode(), taken }))
    }

    /// Takes an entry, which becomes the next row. A refusal changes nothing.
    pub(crate) fn take(
        &mut self,
        at: i64,
        sender: Sender,
        entry: &Entry,
        past: Option<&[Entry]>,
    ) -> Result<Written, DeskRefusal> {
        let at = self.no_earlier(at);
        let taken = self.desk.take(entry, past)?;
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        let row = self.seal(at, sender, Step::Entry(bytes), &taken.log, taken.state);
        self.after(&row, entry);
        Ok(Written { row: row.encode(), taken })
    }

    /// Writes a row that does not touch the match itself.
    pub(crate) fn note(&mut self, at: i64, sender: Sender, step: Step) -> Vec<u8> {
        let at = self.no_earlier(at);
        let row = self.seal(at, sender, step, &Log::new(), self.state);
        self.heed(&row);
        row.encode()
    }

    /// Clocks of several servers differ; time goes on all the same.
    fn no_earlier(&self, at: i64) -> i64 {
        at.max(self.absent_until).max(self.written_at)
    }

    /// Brings the room up to date with the next row from the store.
    ///
    /// `past` are all entries so far, for rows that take back.
    pub(crate) fn follow(&mut self, bytes: &[u8], past: Option<&[Entry]>) -> Result<Option<Taken>, Broken> {
        let version = self.version + 1;
        let row = Row::decode(bytes).map_err(|_| Broken::Unreadable { version })?;
        let taken = match &row.step {
            Step::Entry(bytes) => {
                let entry = Entry::decode(bytes).map_err(|_| Broken::Unreadable { version })?;
                let taken = self.desk.take(&entry, past);
                let taken =
                    taken.map_err(|refusal| Broken::Refused { version, reason: refusal.to_string() })?;
                Some((entry, taken))
            }
            _ => None,
        };
        let state = taken.as_ref().map_or(self.state, |(_, taken)| taken.state);
        let mut sealed = Row { state, ..row.clone() };
        sealed.seal(&self.chain);
        if sealed != row {
            return Err(Broken::Differs { version });
        }
        self.make_up_for_absences(row.at);
        self.version = version;
        (self.chain, self.state) = (row.chain, row.state);
        self.written_at = row.at;
        match taken {
            Some((entry, taken)) => {
                self.after(&row, &entry);
                Ok(Some(taken))
            }
            None => {
                self.heed(&row);
                Ok(None)
            }
        }
    }

    /// What a command that was taken before has led to.
    pub(crate) fn outcome_of(&self, command: u64) -> Option<Led> {
        self.commands.get(&command).copied().filter(|_| command != 0 && !planted!(ForgetsCommands))
    }

    /// Nobody is charged for the times in which the server was away, as far as they had ended by then.
    ///
    /// They are made up for between the rows that were written before and after them: so it does not matter whether
    /// the room has been there all the time or is rebuilt.
    pub(crate) fn make_up_for_absences(&mut self, by: i64) {
        if planted!(ChargesForAbsence) {
            return;
        }
        let absences = Arc::clone(&self.terms.absences);
        let begun = absences.partition_point(|absence| absence.until <= self.absent_until);
        for absence in absences[begun..].iter().take_while(|absence| absence.until <= by) {
            // Whoever wrote the last row was there.
            let from = absence.from.max(self.written_at);
            self.clocks.make_up_for(Absence { from, ..*absence });
            self.absent_until = absence.until;
        }
    }

    /// Whether it matters that a seat is connected.
    pub(crate) fn waits_for(&self, seat: Seat) -> bool {
        let playing = self.desk.playing();
        self.terms.clock.grace.is_some() && !playing.is_over() && !playing.board().has_left(seat)
    }

    pub(crate) fn snapshot(&self) -> Vec<u8> {
        let saved = Saved {
            desk: self.desk.snapshot(),
            clocks: self.clocks.clone(),
            version: self.version + u64::from(planted!(SnapshotAhead)),
            commands: if planted!(SnapshotWithoutCommands) { BTreeMap::new() } else { self.commands.clone() },
            chain: self.chain,
            absent_until: self.absent_until,
            written_at: self.written_at,
        };
        let mut bytes = postcard::to_stdvec(&saved).expect("a snapshot is plain data");
        bytes.push(LAYOUT);
        bytes
    }

    /// The room a snapshot was made of. Nothing, if it does not fit: then the rows have to do.
    pub(crate) fn restore(terms: Terms, bytes: &[u8]) -> Option<Room> {
        let (&LAYOUT, bytes) = bytes.split_last()? else { return None };
        let saved: Saved = postcard::from_bytes(bytes).ok()?;
        let mut desk = Desk::restore(&terms.program, &terms.setup, &saved.desk).ok()?;
        desk.forget_past();
        let Saved { clocks, version, commands, chain, absent_until, written_at, .. } = saved;
        let state = desk.playing().state_hash();
        Some(Room { terms, desk, clocks, version, commands, chain, state, absent_until, written_at })
    }

    /// The room after its first row, which the store has.
    pub(crate) fn rebuild(terms: Terms, first: &[u8]) -> Result<(Room, Taken), Broken> {
        let row = Row::decode(first).map_err(|_| Broken::Unreadable { version: 1 })?;
        let begun = Room::begin(terms, row.at);
        let (room, written) = begun.map_err(|error| Broken::NoStart { reason: error.to_string() })?;
        match written.row == first {
            true => Ok((room, written.taken)),
            false => Err(Broken::Differs { version: 1 }),
        }
    }

    /// The questions that are open, for the clocks.
    pub(crate) fn questions(&self) -> Vec<Question> {
        let pending = self.desk.playing().pending();
        let question = |asked: intermezzo_engine::Pending<'_>| Question {
            input: asked.id(),
            seat: asked.seat(),
            deadline_ms: asked.deadline_ms(),
        };
        pending.map(question).collect()
    }

    fn seal(&mut self, at: i64, sender: Sender, step: Step, log: &Log, state: [u8; 32]) -> Row {
        let mut events = Vec::new();
        encode_log(log, &mut events);
        let Sender { account, command, content } = sender;
        let mut row = Row { at, sender: account, command, content, step, events, state, chain: [0; 32] };
        row.seal(&self.chain);
        (self.chain, self.state) = (row.chain, row.state);
        self.version += 1;
        self.written_at = at;
        row
    }

    /// Everything that follows from an entry apart from the match itself.
    fn after(&mut self, row: &Row, entry: &Entry) {
        if row.command != 0 {
            let version = sender_of(entry).map_or(0, |seat| self.desk.version(seat));
            self.commands.insert(row.command, Led { version, content: row.content });
        }
        let answered = match entry {
            Entry::Input(Input::Answer { seat, .. }) => Some(*seat),
            _ => None,
        };
        self.run_clocks(row.at, answered);
    }

    fn heed(&mut self, row: &Row) {
        if row.command != 0 {
            self.commands.insert(row.command, Led { version: 0, content: row.content });
        }
        match row.step {
            Step::Lost(seat) => self.clocks.lose(Seat(seat), row.at),
            Step::HungUp(seat) => self.clocks.hang_up(Seat(seat), row.at),
            Step::Returned(seat) => self.clocks.return_to(Seat(seat), 0, row.at),
            Step::Connected { seat, node } => self.clocks.return_to(Seat(seat), node, row.at),
            Step::Paused(_) => self.clocks.pause(row.at),
            Step::Resumed => self.clocks.resume(row.at),
            Step::Replaced(seat) => self.clocks.replace(Seat(seat)),
            Step::Begin | Step::Entry(_) => {}
        }
    }

    fn run_clocks(&mut self, at: i64, answered: Option<Seat>) {
        if self.desk.playing().is_over() {
            self.clocks.stop();
            return;
        }
        for seat in (0..self.terms.setup.seats).map(Seat) {
            if self.desk.playing().board().has_left(seat) {
                self.clocks.forget(seat);
            }
        }
        let questions = self.questions();
        self.clocks.step(&self.terms.clock, at, &questions, answered);
    }
}

/// The viewer whose command an entry is.
fn sender_of(entry: &Entry) -> Option<intermezzo_engine::Viewer> {
    let seat = match entry {
        Entry::Input(
            Input::Answer { seat, .. }
            | Input::Draft { seat, .. }
            | Input::Leave { seat, .. }
            | Input::AutoPass { seat, .. },
        )
        | Entry::Ahead { seat, .. }
        | Entry::TakeBack { seat }
        | Entry::Agree { seat }
        | Entry::Decline { seat }
        | Entry::Teach { seat } => *seat,
        Entry::Input(Input::Timeout { .. } | Input::Moderate { .. }) => return None,
    };
    Some(intermezzo_engine::Viewer::Seat(seat))
}

/// The chain begins with what the match was set up with.
fn first_link(terms: &Terms) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&terms.program.hash);
    hasher.update(&[terms.setup.seats]);
    hasher.update(&terms.setup.seed.0);
    for (name, value) in &terms.setup.options {
        let value = intermezzo_journal::to_json(value).to_string();
        for part in [name.as_str(), &value] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::clocks::Expiry;
    use super::*;
    use intermezzo_compiler::Ruleset;
    use intermezzo_engine::{Answer, Datum, Seed};

    /// A duel whose questions have a second each.
    fn terms(absences: &[(i64, i64)]) -> Terms {
        let text = include_bytes!("../../../../rulesets/orcain/ruleset.yaml").to_vec();
        let program = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]).compile().program;
        let absence = |(from, until): &(i64, i64)| Absence { from: *from, until: *until };
        Terms {
            program: Arc::new(program.expect("the duel compiles")),
            setup: Setup {
                seats: 2,
                options: vec![("prep_ms".into(), Datum::Int(1_000))],
                seed: Seed([7; 32]),
                script: None,
            },
            clock: ClockRules::default(),
            absences: absences.iter().map(absence).collect(),
        }
    }

    fn answer(room: &mut Room, at: i64, seat: u8) -> Vec<u8> {
        let asked = room.questions().into_iter().find(|question| question.seat == Seat(seat)).unwrap();
        let answer = Answer::Picks(vec![0, 1, -1]);
        let entry = Entry::Input(Input::Answer { input: asked.input, seat: Seat(seat), answer });
        room.take(at, Sender::default(), &entry, None).unwrap().row
    }

    fn next_due(room: &Room) -> i64 {
        room.clocks.next(&room.terms.clock).map(|(due, _)| due).unwrap()
    }

    #[test]
    fn a_room_that_is_rebuilt_makes_up_for_the_same_absences_as_one_that_stayed() {
        let (mut room, written) = Room::begin(terms(&[]), 10_000).unwrap();
        let mut rows = vec![written.row, answer(&mut room, 10_400, 0)];
        // The server is killed, and comes back a minute later.
        let after = terms(&[(10_200, 70_000)]);
        let (mut room, _) = Room::rebuild(after.clone(), &rows[0]).unwrap();
        room.follow(&rows[1], None).unwrap();
        room.make_up_for_absences(i64::MAX);
        assert_eq!(next_due(&room), 70_600, "600 ms were left when the last row was written");
        // The other answers in time; the next round is asked for after the absence.
        rows.push(answer(&mut room, 70_500, 1));
        assert_eq!(next_due(&room), 71_500);
        // It is killed again.
        let later = terms(&[(10_200, 70_000), (70_700, 90_000)]);
        let (mut rebuilt, _) = Room::rebuild(later.clone(), &rows[0]).unwrap();
        rows[1..].iter().for_each(|row| drop(rebuilt.follow(row, None).unwrap()));
        rebuilt.make_up_for_absences(i64::MAX);
        assert_eq!(next_due(&rebuilt), 90_800);
        // From a snapshot it comes to the same.
        let mut restored = Room::restore(later, &room.snapshot()).unwrap();
        restored.make_up_for_absences(i64::MAX);
        assert_eq!(restored.clocks, rebuilt.clocks);
        assert!(matches!(restored.clocks.next(&ClockRules::default()), Some((_, Expiry::Question(_)))));
    }
}
