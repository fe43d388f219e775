//! Loading of matches: from a snapshot and later rows, or from the first row.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use intermezzo_engine::Viewer;
use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::{Code, Problem};
use intermezzo_session::{SessionEntry, ViewerUpdate};
use intermezzo_store::{LogRow, MatchId, Store, StoreError};

use super::fold::{MatchConfig, MatchState, RebuildError};
use super::match_pool::MatchPool;
use super::row::{MatchRow, RowKind};

/// Rows read at once.
pub(super) const PAGE_ROWS: usize = 500;

/// Loads a match at the latest version up to `at_most` that takes one read: from its newest snapshot, or from
/// its first row. Returns `None` if it has no row.
pub(super) async fn load_state(
    store: &Arc<dyn Store>,
    pool: &MatchPool,
    owner: u128,
    id: MatchId,
    config: MatchConfig,
    at_most: u64,
) -> Result<Option<MatchState>, Problem> {
    let snapshot = store.snapshot(id).await.map_err(|error| store_unavailable(&error))?;
    let snapshot = snapshot.filter(|snapshot| snapshot.version <= at_most);
    if let Some(snapshot) = snapshot {
        let snapshot_config = config.clone();
        let restoring = pool.run(owner, move || MatchState::restore(snapshot_config, &snapshot.body));
        if let Some(state) = restoring.await.ok_or_else(server_stops)? {
            return Ok(Some(state));
        }
    }
    load_first_row(store, pool, owner, id, config).await
}

async fn load_first_row(
    store: &Arc<dyn Store>,
    pool: &MatchPool,
    owner: u128,
    id: MatchId,
    config: MatchConfig,
) -> Result<Option<MatchState>, Problem> {
    let rows = store.rows(id, 0, 1).await.map_err(|error| store_unavailable(&error))?;
    let Some(row) = rows.into_iter().next() else { return Ok(None) };
    let rebuilding = pool.run(owner, move || MatchState::from_first_row(config, &row.body));
    let (state, _) =
        rebuilding.await.ok_or_else(server_stops)?.map_err(|broken| rebuild_problem(id, &broken))?;
    Ok(Some(state))
}

/// Reads all entries up to a version.
pub(crate) async fn read_entries(
    store: &Arc<dyn Store>,
    id: MatchId,
    until: u64,
) -> Result<Vec<SessionEntry>, Problem> {
    Ok(read_timed_entries(store, id, until).await?.into_iter().map(|(_, entry)| entry).collect())
}

/// Reads all entries up to a version, with their times.
pub(crate) async fn read_timed_entries(
    store: &Arc<dyn Store>,
    id: MatchId,
    until: u64,
) -> Result<Vec<(i64, SessionEntry)>, Problem> {
    let mut entries = Vec::new();
    let mut after = 0;
    while after < until {
        let rows = store.rows(id, after, PAGE_ROWS).await.map_err(|error| store_unavailable(&error))?;
        let Some(last) = rows.last() else { break };
        after = last.version;
        let rows = rows.iter().filter(|row| row.version <= until);
        let timed = |body: &[u8]| Some((Replica::written_at(body), row_entry(body)?));
        entries.extend(rows.filter_map(|row| timed(&row.body)));
    }
    Ok(entries)
}

pub(super) fn row_kind(body: &[u8]) -> Option<RowKind> {
    MatchRow::decode(body).ok().map(|row| row.kind)
}

pub(crate) fn row_entry(body: &[u8]) -> Option<SessionEntry> {
    match row_kind(body)? {
        RowKind::Entry(bytes) => SessionEntry::decode(&bytes).ok(),
        _ => None,
    }
}

pub(super) fn is_undo(body: &[u8]) -> bool {
    matches!(row_entry(body), Some(SessionEntry::Undo { .. } | SessionEntry::AgreeToUndo { .. }))
}

/// A match that is replayed row by row.
pub(crate) struct Replica {
    config: MatchConfig,
    state: Option<MatchState>,
    entries: Vec<SessionEntry>,
}

impl Replica {
    pub(crate) fn new(config: MatchConfig) -> Replica {
        Replica { config, state: None, entries: Vec::new() }
    }

    /// Returns the time of a row.
    pub(crate) fn written_at(body: &[u8]) -> i64 {
        MatchRow::decode(body).map_or(0, |row| row.at)
    }

    /// Returns the number of replayed rows.
    pub(crate) fn version(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.version)
    }

    /// Returns the match after them.
    pub(crate) fn state(&mut self) -> Option<&mut MatchState> {
        self.state.as_mut()
    }

    /// Replays the next row and returns its effects on the viewers.
    pub(crate) fn apply_row(&mut self, id: MatchId, body: &[u8]) -> Result<Vec<ViewerUpdate>, Problem> {
        let update = match &mut self.state {
            None => {
                let rebuilt = MatchState::from_first_row(self.config.clone(), body);
                let (state, update) = rebuilt.map_err(|broken| rebuild_problem(id, &broken))?;
                self.state = Some(state);
                Some(update)
            }
            Some(state) => {
                let past = is_undo(body).then_some(&self.entries[..]);
                state.apply_row(body, past).map_err(|broken| rebuild_problem(id, &broken))?
            }
        };
        self.entries.extend(row_entry(body));
        Ok(update.map(|update| update.viewers).unwrap_or_default())
    }
}

/// A replay of a match for one viewer. `render` makes frames of each row's effects on that viewer.
pub(crate) struct ViewerReplay<F> {
    id: MatchId,
    replica: Replica,
    viewer: Viewer,
    until: u64,
    render: F,
    frames: Vec<Utf8Bytes>,
}

impl<F: Fn(&mut MatchState, &ViewerUpdate) -> Vec<Utf8Bytes>> ViewerReplay<F> {
    pub(crate) fn new(
        id: MatchId,
        config: MatchConfig,
        viewer: Viewer,
        until: u64,
        render: F,
    ) -> ViewerReplay<F> {
        let until = if is_active(FailPoint::OmitLastMissedUpdate) { until - 1 } else { until };
        ViewerReplay { id, replica: Replica::new(config), viewer, until, render, frames: Vec::new() }
    }

    fn apply_rows(&mut self, rows: &[LogRow]) -> Result<(), Problem> {
        for row in rows.iter().filter(|row| row.version <= self.until) {
            let updates = self.replica.apply_row(self.id, &row.body)?;
            let Some(state) = self.replica.state() else { continue };
            for update in updates.iter().filter(|update| update.viewer == self.viewer) {
                self.frames.extend((self.render)(state, update));
            }
        }
        Ok(())
    }
}

/// Replays a match for a viewer on the threads of slow matches. Returns the frames.
pub(crate) async fn replay_for_viewer<F>(
    store: &Arc<dyn Store>,
    pool: &MatchPool,
    owner: u128,
    mut replay: ViewerReplay<F>,
) -> Result<Vec<Utf8Bytes>, Problem>
where
    F: Fn(&mut MatchState, &ViewerUpdate) -> Vec<Utf8Bytes> + Send + 'static,
{
    while replay.replica.version() < replay.until {
        let rows = store.rows(replay.id, replay.replica.version(), PAGE_ROWS).await;
        let rows = rows.map_err(|error| store_unavailable(&error))?;
        if rows.is_empty() {
            break;
        }
        let replaying = pool.run(owner, move || {
            let outcome = replay.apply_rows(&rows);
            (replay, outcome)
        });
        let outcome;
        (replay, outcome) = replaying.await.ok_or_else(server_stops)?;
        outcome?;
    }
    Ok(replay.frames)
}

/// Returns the problem for a computation that was cut short because the server stops.
fn server_stops() -> Problem {
    Problem::new(Code::Draining, "the server is shutting down")
}

/// Logs a read error of the store and returns the problem for clients.
pub(crate) fn store_unavailable(error: &StoreError) -> Problem {
    tracing::error!(%error, "cannot read from the store");
    Problem::new(Code::Busy, "the database cannot be read right now")
}

pub(super) fn rebuild_problem(id: MatchId, broken: &RebuildError) -> Problem {
    tracing::error!(r#match = %id, %broken, "a match cannot be rebuilt");
    Problem::new(Code::Internal, "the match cannot be rebuilt from its log; contact the operator")
}
