//! Loading of matches: from a snapshot and later rows, or from the first row.

use std::sync::Arc;

use intermezzo_engine::Viewer;
use intermezzo_protocol::{Code, Problem};
use intermezzo_session::{SessionEntry, ViewerUpdate};
use intermezzo_store::{LogRow, MatchId, Store, StoreError};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::fold::{MatchConfig, MatchState, RebuildError};
use super::match_pool::MatchPool;
use super::row::{MatchRow, RowKind};

/// Rows read at once.
pub(super) const PAGE_ROWS: usize = 500;
/// Greatest number of rows replayed for a client that reconnects. Snapshots of most matches are closer together.
const MAX_REPLAYED_ROWS: u64 = 64;

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
    let row = decode_row(id, &row)?;
    let rebuilding = pool.run(owner, move || MatchState::from_first_row(config, &row));
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
        let timed = |body: &[u8]| match MatchRow::decode(body).ok()? {
            MatchRow { at, kind: RowKind::Entry(entry), .. } => Some((at, entry)),
            _ => None,
        };
        entries.extend(rows.filter_map(|row| timed(&row.body)));
    }
    Ok(entries)
}

pub(super) fn decode_row(id: MatchId, row: &LogRow) -> Result<MatchRow, Problem> {
    let unreadable = |_| rebuild_problem(id, &RebuildError::Unreadable { version: row.version });
    MatchRow::decode(&row.body).map_err(unreadable)
}

pub(crate) fn row_entry(body: &[u8]) -> Option<SessionEntry> {
    match MatchRow::decode(body).ok()?.kind {
        RowKind::Entry(entry) => Some(entry),
        _ => None,
    }
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
        MatchRow::written_at(body).unwrap_or(0)
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
        let version = self.version() + 1;
        let unreadable = |_| rebuild_problem(id, &RebuildError::Unreadable { version });
        let row = MatchRow::decode(body).map_err(unreadable)?;
        let update = match &mut self.state {
            None => {
                let rebuilt = MatchState::from_first_row(self.config.clone(), &row);
                let (state, update) = rebuilt.map_err(|broken| rebuild_problem(id, &broken))?;
                self.state = Some(state);
                Some(update)
            }
            Some(state) => {
                let past = row.is_undo().then_some(&self.entries[..]);
                state.apply_row(&row, past).map_err(|broken| rebuild_problem(id, &broken))?
            }
        };
        if let RowKind::Entry(entry) = row.kind {
            self.entries.push(entry);
        }
        Ok(update.map(|update| update.viewers).unwrap_or_default())
    }
}

/// The updates that a viewer has missed.
pub(crate) struct MissedUpdates {
    pub(crate) id: MatchId,
    pub(crate) config: MatchConfig,
    pub(crate) viewer: Viewer,
    /// The viewer's version that it has.
    pub(crate) since: u64,
    /// The number of rows up to which it has missed updates.
    pub(crate) until: u64,
}

/// Replays the rows after the newest snapshot, on the threads of slow matches, and renders what a viewer has missed.
/// Returns `None` if that would take more rows, or the match before.
pub(crate) async fn replay_from_snapshot<F>(
    store: &Arc<dyn Store>,
    pool: &MatchPool,
    owner: u128,
    missed: MissedUpdates,
    render: F,
) -> Result<Option<Vec<Utf8Bytes>>, Problem>
where
    F: Fn(&mut MatchState, &ViewerUpdate) -> Vec<Utf8Bytes> + Send + 'static,
{
    let MissedUpdates { id, config, viewer, since, until } = missed;
    let Some(mut state) = load_state(store, pool, owner, id, config, until).await? else { return Ok(None) };
    if state.session.version(viewer) > since || until.saturating_sub(state.version) > MAX_REPLAYED_ROWS {
        return Ok(None);
    }
    let rows = store.rows(id, state.version, MAX_REPLAYED_ROWS as usize).await;
    let rows = rows.map_err(|error| store_unavailable(&error))?;
    let rows = rows.iter().filter(|row| row.version <= until).map(|row| decode_row(id, row));
    let rows = rows.collect::<Result<Vec<_>, Problem>>()?;
    if rows.iter().any(MatchRow::is_undo) {
        return Ok(None);
    }
    let replaying = pool.run(owner, move || {
        let mut frames = Vec::new();
        for row in &rows {
            let update = state.apply_row(row, None).map_err(|broken| rebuild_problem(id, &broken))?;
            let updates = update.map(|update| update.viewers).unwrap_or_default();
            for update in updates.iter().filter(|update| update.viewer == viewer && update.version > since) {
                frames.extend(render(&mut state, update));
            }
        }
        Ok(Some(frames))
    });
    replaying.await.ok_or_else(server_stops)?
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
