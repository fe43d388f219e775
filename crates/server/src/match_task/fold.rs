//! The state of a match on the server: a fold over its rows. Start with [`MatchState::start`],
//! [`MatchState::apply_entry`] and [`MatchState::apply_row`].
//!
//! The state has no clock and no connections. It turns an accepted entry into the next row, and applies rows
//! from the store; both ways lead to the same state.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use intermezzo_engine::{CustomMessage, EventLog, Input, Interrupt, Refusal, Setup, StartError};
use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_program::{Program, Seat};
use intermezzo_session::{Session, SessionEntry, SessionRefusal, SessionUpdate, encode_log};
use serde::{Deserialize, Serialize};

use super::clocks::{ClockQuestion, ClockRules, Downtime, MatchClocks};
use super::row::{MatchRow, RowKind};
use crate::connections::view_hashes::ViewHashes;
use crate::operations::rule_faults;

/// Rows between state hashes.
const STATE_HASH_EVERY: u64 = 16;
/// Version of the snapshot layout.
const SNAPSHOT_LAYOUT: u8 = 3;

/// Rules and settings of a match, all known before its first row.
#[derive(Clone, Debug)]
pub(crate) struct MatchConfig {
    pub(crate) program: Arc<Program>,
    pub(crate) setup: Setup,
    pub(crate) clock: ClockRules,
    /// Downtimes, oldest first.
    pub(crate) downtimes: Arc<[Downtime]>,
}

/// The sender of a command, with digests of its id and content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CommandSender {
    /// Number of the account; 0 is the server itself.
    pub(crate) account: u128,
    /// Digest of the command id; 0 without one.
    pub(crate) command: u64,
    /// Digest of the command's content.
    pub(crate) content: u64,
}

/// The outcome of an accepted command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct CommandOutcome {
    /// Version of its sender after it.
    pub(crate) version: u64,
    /// Digest of its content.
    pub(crate) content: u64,
}

/// A match after a number of rows.
#[derive(Debug)]
pub(crate) struct MatchState {
    pub(crate) config: MatchConfig,
    pub(crate) session: Session,
    pub(crate) clocks: MatchClocks,
    pub(crate) view_hashes: ViewHashes,
    /// Number of rows.
    pub(crate) version: u64,
    /// Outcomes of accepted commands, by the digest of their ids.
    commands: BTreeMap<u64, CommandOutcome>,
    chain_hash: [u8; 32],
    /// Time up to which downtimes have been applied to the clocks.
    downtime_applied_until: i64,
    /// Time of the last row.
    pub(crate) written_at: i64,
}

/// A row, and its effects on the viewers.
#[derive(Debug)]
pub(crate) struct AppendedRow {
    pub(crate) row: Vec<u8>,
    pub(crate) update: SessionUpdate,
}

/// The reason why a match cannot be rebuilt from its rows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum RebuildError {
    #[error("row {version} cannot be read")]
    Unreadable { version: u64 },
    /// The rules reject the entry of a row.
    #[error("row {version} is rejected: {reason}")]
    Rejected { version: u64, reason: String },
    /// A row leads to another state hash or chain hash than it contains.
    #[error("row {version} does not lead to the state it contains")]
    Mismatch { version: u64 },
    #[error("the match cannot start: {reason}")]
    CannotStart { reason: String },
}

/// The contents of a snapshot.
#[derive(Serialize, Deserialize)]
struct StateSnapshot<'a> {
    session: Vec<u8>,
    clocks: MatchClocks,
    version: u64,
    commands: Cow<'a, BTreeMap<u64, CommandOutcome>>,
    chain_hash: [u8; 32],
    downtime_applied_until: i64,
    written_at: i64,
}

impl MatchState {
    /// Starts a match and returns its first row.
    pub(crate) fn start(config: MatchConfig, at: i64) -> Result<(MatchState, AppendedRow), StartError> {
        MatchState::start_unless(None, config, at)
    }

    /// Starts a match, unless that takes too long to show: then the result is wrong.
    pub(crate) fn start_unless(
        interrupt: Option<Interrupt>,
        config: MatchConfig,
        at: i64,
    ) -> Result<(MatchState, AppendedRow), StartError> {
        let (mut session, update) = Session::start_unless(interrupt, &config.program, &config.setup)?;
        session.drop_history();
        let clocks = MatchClocks::new(&config.clock, config.setup.seats);
        let chain_hash = initial_chain_hash(&config);
        let commands = BTreeMap::new();
        let mut state = MatchState {
            config,
            session,
            clocks,
            view_hashes: ViewHashes::default(),
            version: 0,
            commands,
            chain_hash,
            downtime_applied_until: at,
            written_at: at,
        };
        let row = state.append(at, CommandSender::default(), RowKind::Begin, &update.log);
        state.update_clocks(at, None);
        Ok((state, AppendedRow { row: row.encode(), update }))
    }

    /// Applies an entry, which becomes the next row. A rejected entry changes nothing.
    pub(crate) fn apply_entry(
        &mut self,
        at: i64,
        sender: CommandSender,
        entry: &SessionEntry,
        past: Option<&[SessionEntry]>,
    ) -> Result<AppendedRow, SessionRefusal> {
        let at = self.monotonic_time(at);
        let update = self.apply_measured(entry, past)?;
        let row = self.append(at, sender, RowKind::Entry(entry.clone()), &update.log);
        self.finish_entry(&row, entry);
        Ok(AppendedRow { row: row.encode(), update })
    }

    fn apply_measured(
        &mut self,
        entry: &SessionEntry,
        past: Option<&[SessionEntry]>,
    ) -> Result<SessionUpdate, SessionRefusal> {
        static DURATIONS: LazyLock<metrics::Histogram> =
            LazyLock::new(|| metrics::histogram!("intermezzo_apply_seconds"));
        let started = std::time::Instant::now();
        let result = tracing::debug_span!("apply").in_scope(|| self.session.apply(entry, past));
        DURATIONS.record(started.elapsed().as_secs_f64());
        if let Err(SessionRefusal::Refused(Refusal::Faulted(_))) = &result {
            rule_faults::count(&self.config.program.id);
        }
        result
    }

    /// Appends a row that does not change the game itself.
    pub(crate) fn append_control_row(&mut self, at: i64, sender: CommandSender, kind: RowKind) -> Vec<u8> {
        let at = self.monotonic_time(at);
        let row = self.append(at, sender, kind, &EventLog::new());
        self.finish_control_row(&row);
        row.encode()
    }

    /// Returns a time not before that of the last row: the clocks of several servers differ.
    fn monotonic_time(&self, at: i64) -> i64 {
        at.max(self.downtime_applied_until).max(self.written_at)
    }

    /// Applies the next row from the store.
    ///
    /// `past` must contain all earlier entries for rows that undo.
    pub(crate) fn apply_row(
        &mut self,
        row: &MatchRow,
        past: Option<&[SessionEntry]>,
    ) -> Result<Option<SessionUpdate>, RebuildError> {
        let version = self.version + 1;
        let update = match row.entry() {
            Some(entry) => {
                let update = self.session.apply(entry, past);
                let update = update
                    .map_err(|refusal| RebuildError::Rejected { version, reason: refusal.to_string() })?;
                Some((entry, update))
            }
            None => None,
        };
        let is_same = row.chain_hash == row.hash_after(&self.chain_hash)
            && match row.state_hash {
                Some(state_hash) => state_hash == self.session.game().state_hash(),
                None => {
                    let events =
                        || update.as_ref().map_or_else(no_events, |(_, update)| encoded(&update.log));
                    !self.wants_state_hash(version) && row.events == events()
                }
            };
        if !is_same {
            return Err(RebuildError::Mismatch { version });
        }
        self.apply_downtimes(row.at);
        self.version = version;
        self.chain_hash = row.chain_hash;
        self.written_at = row.at;
        match update {
            Some((entry, update)) => {
                self.finish_entry(row, entry);
                Ok(Some(update))
            }
            None => {
                self.finish_control_row(row);
                Ok(None)
            }
        }
    }

    /// Returns the number of accepted commands.
    pub(crate) fn command_count(&self) -> u64 {
        self.commands.len() as u64
    }

    /// Returns the outcome of a command that was already accepted.
    pub(crate) fn outcome_of(&self, command: u64) -> Option<CommandOutcome> {
        self.commands
            .get(&command)
            .copied()
            .filter(|_| command != 0 && !is_active(FailPoint::ForgetCommandIds))
    }

    /// Applies the downtimes that ended by that time to the clocks.
    ///
    /// A downtime is applied between the rows that were written before and after it, so that a state that
    /// stayed in memory and a rebuilt one agree.
    pub(crate) fn apply_downtimes(&mut self, by: i64) {
        if is_active(FailPoint::ChargeClocksDuringDowntime) {
            return;
        }
        let downtimes = Arc::clone(&self.config.downtimes);
        let started = downtimes.partition_point(|downtime| downtime.until <= self.downtime_applied_until);
        for downtime in downtimes[started..].iter().take_while(|downtime| downtime.until <= by) {
            // The server that wrote the last row was up at that time.
            let from = downtime.from.max(self.written_at);
            self.clocks.apply_downtime(Downtime { from, ..*downtime });
            self.downtime_applied_until = downtime.until;
        }
    }

    /// Returns true if the connection of a seat matters.
    pub(crate) fn expects_connection(&self, seat: Seat) -> bool {
        let playing = self.session.game();
        self.config.clock.grace.is_some() && !playing.is_over() && !playing.board().has_left(seat)
    }

    pub(crate) fn snapshot(&self) -> Vec<u8> {
        let saved = StateSnapshot {
            session: self.session.snapshot(),
            clocks: self.clocks.clone(),
            version: self.version + u64::from(is_active(FailPoint::SnapshotVersionAhead)),
            commands: if is_active(FailPoint::SnapshotWithoutCommandIds) {
                Cow::default()
            } else {
                Cow::Borrowed(&self.commands)
            },
            chain_hash: self.chain_hash,
            downtime_applied_until: self.downtime_applied_until,
            written_at: self.written_at,
        };
        let mut bytes = postcard::to_stdvec(&saved).expect("a snapshot serializes with postcard");
        bytes.push(SNAPSHOT_LAYOUT);
        bytes
    }

    /// Restores a snapshot. Returns `None` if it is invalid; the rows are used then.
    pub(crate) fn restore(config: MatchConfig, bytes: &[u8]) -> Option<MatchState> {
        let (&SNAPSHOT_LAYOUT, bytes) = bytes.split_last()? else { return None };
        let saved: StateSnapshot<'_> = postcard::from_bytes(bytes).ok()?;
        let mut session = Session::restore(&config.program, &config.setup, &saved.session).ok()?;
        session.drop_history();
        let StateSnapshot {
            clocks, version, commands, chain_hash, downtime_applied_until, written_at, ..
        } = saved;
        Some(MatchState {
            config,
            session,
            clocks,
            view_hashes: ViewHashes::default(),
            version,
            commands: commands.into_owned(),
            chain_hash,
            downtime_applied_until,
            written_at,
        })
    }

    /// Rebuilds the state after the first row, as read from the store.
    pub(crate) fn from_first_row(
        config: MatchConfig,
        first: &MatchRow,
    ) -> Result<(MatchState, SessionUpdate), RebuildError> {
        let started = MatchState::start(config, first.at);
        let (state, written) =
            started.map_err(|error| RebuildError::CannotStart { reason: error.to_string() })?;
        match MatchRow::decode(&written.row).as_ref() == Ok(first) {
            true => Ok((state, written.update)),
            false => Err(RebuildError::Mismatch { version: 1 }),
        }
    }

    /// Returns the custom messages of all open questions.
    pub(crate) fn question_messages(&mut self) -> Vec<CustomMessage> {
        let mut messages = Vec::new();
        for question in self.open_questions() {
            messages.extend(self.session.question_messages(question.input));
        }
        messages
    }

    /// Lists the open prompts for the clocks.
    pub(crate) fn open_questions(&self) -> Vec<ClockQuestion> {
        let pending = self.session.game().pending();
        let question = |pending: intermezzo_engine::PendingQuestion<'_>| ClockQuestion {
            input: pending.id(),
            seat: pending.seat(),
            deadline_ms: pending.deadline_ms().filter(|_| !self.config.clock.is_untimed),
        };
        pending.map(question).collect()
    }

    fn append(&mut self, at: i64, sender: CommandSender, kind: RowKind, log: &EventLog) -> MatchRow {
        let events = encoded(log);
        let wants_hash = self.wants_state_hash(self.version + 1);
        let state_hash = wants_hash.then(|| self.session.game().state_hash());
        let CommandSender { account, command, content } = sender;
        let mut row =
            MatchRow { at, sender: account, command, content, kind, events, state_hash, chain_hash: [0; 32] };
        row.seal(&self.chain_hash);
        self.chain_hash = row.chain_hash;
        self.version += 1;
        self.written_at = at;
        row
    }

    /// Returns true if the row that leads to the current state must have its hash: the first one, the last one, and some
    /// in between.
    fn wants_state_hash(&self, version: u64) -> bool {
        version == 1 || version.is_multiple_of(STATE_HASH_EVERY) || self.session.game().is_over()
    }

    /// Updates everything that depends on an entry apart from the game itself.
    fn finish_entry(&mut self, row: &MatchRow, entry: &SessionEntry) {
        if row.command != 0 {
            let version = viewer_of(entry).map_or(0, |seat| self.session.version(seat));
            self.commands.insert(row.command, CommandOutcome { version, content: row.content });
        }
        let answered = match entry {
            SessionEntry::Input(Input::Answer { seat, .. }) => Some(*seat),
            _ => None,
        };
        self.update_clocks(row.at, answered);
    }

    fn finish_control_row(&mut self, row: &MatchRow) {
        if row.command != 0 {
            self.commands.insert(row.command, CommandOutcome { version: 0, content: row.content });
        }
        match row.kind {
            RowKind::Lost(seat) => self.clocks.mark_lost(Seat(seat), row.at),
            RowKind::HungUp(seat) => self.clocks.mark_hung_up(Seat(seat), row.at),
            RowKind::Returned(seat) => self.clocks.mark_connected(Seat(seat), 0, row.at),
            RowKind::Connected { seat, node } => self.clocks.mark_connected(Seat(seat), node, row.at),
            RowKind::Paused(_) => self.clocks.pause(row.at),
            RowKind::Resumed => self.clocks.resume(row.at),
            RowKind::Replaced(seat) => self.clocks.mark_replaced(Seat(seat)),
            RowKind::Begin | RowKind::Entry(_) => {}
        }
    }

    fn update_clocks(&mut self, at: i64, answered: Option<Seat>) {
        if self.session.game().is_over() {
            self.clocks.stop();
            return;
        }
        for seat in (0..self.config.setup.seats).map(Seat) {
            if self.session.game().board().has_left(seat) {
                self.clocks.clear_connection(seat);
            }
        }
        let questions = self.open_questions();
        self.clocks.update(&self.config.clock, at, &questions, answered);
    }
}

fn encoded(log: &EventLog) -> Vec<u8> {
    let mut events = Vec::new();
    encode_log(log, &mut events);
    events
}

fn no_events() -> Vec<u8> {
    encoded(&EventLog::new())
}

/// Returns the viewer whose command an entry is.
fn viewer_of(entry: &SessionEntry) -> Option<intermezzo_engine::Viewer> {
    let seat = match entry {
        SessionEntry::Input(
            Input::Answer { seat, .. }
            | Input::Draft { seat, .. }
            | Input::Leave { seat, .. }
            | Input::AutoPass { seat, .. },
        )
        | SessionEntry::PreSend { seat, .. }
        | SessionEntry::Undo { seat }
        | SessionEntry::AgreeToUndo { seat }
        | SessionEntry::DeclineUndo { seat }
        | SessionEntry::StartTutorial { seat } => *seat,
        SessionEntry::Input(Input::Timeout { .. } | Input::Moderate { .. }) => return None,
    };
    Some(intermezzo_engine::Viewer::Seat(seat))
}

/// Hashes the settings of the match into the start of the chain.
fn initial_chain_hash(config: &MatchConfig) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&config.program.hash);
    hasher.update(&[config.setup.seats]);
    hasher.update(&config.setup.seed.0);
    for (name, value) in &config.setup.options {
        let value = intermezzo_matchfile::to_json(value).to_string();
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

    /// Returns a duel with deadlines of one second.
    fn config(downtimes: &[(i64, i64)]) -> MatchConfig {
        let text = include_bytes!("../../../../rulesets/orcain/ruleset.yaml").to_vec();
        let program = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]).compile().program;
        let downtime = |(from, until): &(i64, i64)| Downtime::new(*from, *until);
        MatchConfig {
            program: Arc::new(program.expect("the duel compiles")),
            setup: Setup {
                seats: 2,
                options: vec![("prep_ms".into(), Datum::Int(1_000))],
                seed: Seed([7; 32]),
                script: None,
            },
            clock: ClockRules::default(),
            downtimes: downtimes.iter().map(downtime).collect(),
        }
    }

    fn answer(state: &mut MatchState, at: i64, seat: u8) -> Vec<u8> {
        let pending =
            state.open_questions().into_iter().find(|question| question.seat == Seat(seat)).unwrap();
        let answer = Answer::Picks(vec![0, 1, -1]);
        let entry = SessionEntry::Input(Input::Answer { input: pending.input, seat: Seat(seat), answer });
        state.apply_entry(at, CommandSender::default(), &entry, None).unwrap().row
    }

    fn next_due(state: &MatchState) -> i64 {
        state.clocks.next_expiry(&state.config.clock).map(|(due, _)| due).unwrap()
    }

    #[test]
    fn a_rebuilt_state_applies_the_same_downtimes_as_one_that_stayed_in_memory() {
        let (mut state, written) = MatchState::start(config(&[]), 10_000).unwrap();
        let mut rows = vec![written.row, answer(&mut state, 10_400, 0)];
        // The server is killed, and restarts a minute later.
        let after = config(&[(10_200, 70_000)]);
        let decoded = |row: &[u8]| MatchRow::decode(row).unwrap();
        let (mut state, _) = MatchState::from_first_row(after.clone(), &decoded(&rows[0])).unwrap();
        state.apply_row(&decoded(&rows[1]), None).unwrap();
        state.apply_downtimes(i64::MAX);
        assert_eq!(next_due(&state), 70_600, "600 ms were left when the last row was written");
        // The other seat answers in time; the next round begins after the downtime.
        rows.push(answer(&mut state, 70_500, 1));
        assert_eq!(next_due(&state), 71_500);
        // The server is killed again.
        let later = config(&[(10_200, 70_000), (70_700, 90_000)]);
        let (mut rebuilt, _) = MatchState::from_first_row(later.clone(), &decoded(&rows[0])).unwrap();
        rows[1..].iter().for_each(|row| drop(rebuilt.apply_row(&decoded(row), None).unwrap()));
        rebuilt.apply_downtimes(i64::MAX);
        assert_eq!(next_due(&rebuilt), 90_800);
        // A snapshot leads to the same clocks.
        let mut restored = MatchState::restore(later, &state.snapshot()).unwrap();
        restored.apply_downtimes(i64::MAX);
        assert_eq!(restored.clocks, rebuilt.clocks);
        assert!(matches!(
            restored.clocks.next_expiry(&ClockRules::default()),
            Some((_, Expiry::Question(_)))
        ));
    }
}
