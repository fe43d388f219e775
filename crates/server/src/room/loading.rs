//! Rooms from the store: from a snapshot and later rows, or from the first row on.

use std::sync::Arc;

use intermezzo_desk::{Entry, Shown};
use intermezzo_engine::Viewer;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{MatchId, Store, StoreError};

use super::fold::{Broken, Room, Terms};
use super::row::{Row, Step};

/// So many rows are read at once.
pub(super) const PAGE: usize = 2_000;

/// The match as it was at some row up to that version, as late as can be had at once: after its newest snapshot, or after
/// its first row. Nothing if it has no row yet.
pub(super) async fn start(
    store: &Arc<dyn Store>,
    id: MatchId,
    terms: Terms,
    at_most: u64,
) -> Result<Option<Room>, Problem> {
    let snapshot = store.snapshot(id).await.map_err(|error| unavailable(&error))?;
    let snapshot = snapshot.filter(|snapshot| snapshot.version <= at_most);
    match snapshot.and_then(|snapshot| Room::restore(terms.clone(), &snapshot.body)) {
        Some(room) => Ok(Some(room)),
        None => first(store, id, terms).await,
    }
}

async fn first(store: &Arc<dyn Store>, id: MatchId, terms: Terms) -> Result<Option<Room>, Problem> {
    let rows = store.rows(id, 0, 1).await.map_err(|error| unavailable(&error))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (room, _) = Room::rebuild(terms, &row.body).map_err(|broken| report(id, &broken))?;
    Ok(Some(room))
}

/// All entries of the first rows.
pub(crate) async fn past(store: &Arc<dyn Store>, id: MatchId, until: u64) -> Result<Vec<Entry>, Problem> {
    Ok(timed_past(store, id, until).await?.into_iter().map(|(_, entry)| entry).collect())
}

/// The same with the times at which the entries were taken.
pub(crate) async fn timed_past(
    store: &Arc<dyn Store>,
    id: MatchId,
    until: u64,
) -> Result<Vec<(i64, Entry)>, Problem> {
    let mut entries = Vec::new();
    let mut after = 0;
    while after < until {
        let rows = store.rows(id, after, PAGE).await.map_err(|error| unavailable(&error))?;
        let Some(last) = rows.last() else { break };
        after = last.version;
        let rows = rows.iter().filter(|row| row.version <= until);
        let timed = |body: &[u8]| Some((Replica::written_at(body), entry(body)?));
        entries.extend(rows.filter_map(|row| timed(&row.body)));
    }
    Ok(entries)
}

/// What a row does.
pub(super) fn step(body: &[u8]) -> Option<Step> {
    Row::decode(body).ok().map(|row| row.step)
}

/// The entry a row holds, if it holds one.
pub(crate) fn entry(body: &[u8]) -> Option<Entry> {
    match step(body)? {
        Step::Entry(bytes) => Entry::decode(&bytes).ok(),
        _ => None,
    }
}

pub(super) fn takes_back(body: &[u8]) -> bool {
    matches!(entry(body), Some(Entry::TakeBack { .. } | Entry::Agree { .. }))
}

/// A match that is gone through again, row by row.
pub(crate) struct Replica {
    terms: Terms,
    room: Option<Room>,
    entries: Vec<Entry>,
}

impl Replica {
    pub(crate) fn new(terms: Terms) -> Replica {
        Replica { terms, room: None, entries: Vec::new() }
    }

    /// When a row was written.
    pub(crate) fn written_at(body: &[u8]) -> i64 {
        Row::decode(body).map_or(0, |row| row.at)
    }

    /// How many rows have been gone through.
    pub(crate) fn version(&self) -> u64 {
        self.room.as_ref().map_or(0, |room| room.version)
    }

    /// The match after them.
    pub(crate) fn room(&mut self) -> Option<&mut Room> {
        self.room.as_mut()
    }

    /// Goes through the next row; what it brought to the viewers comes back.
    pub(crate) fn follow(&mut self, id: MatchId, body: &[u8]) -> Result<Vec<Shown>, Problem> {
        let taken = match &mut self.room {
            None => {
                let begun = Room::rebuild(self.terms.clone(), body);
                let (room, taken) = begun.map_err(|broken| report(id, &broken))?;
                self.room = Some(room);
                Some(taken)
            }
            Some(room) => {
                let past = takes_back(body).then_some(&self.entries[..]);
                room.follow(body, past).map_err(|broken| report(id, &broken))?
            }
        };
        self.entries.extend(entry(body));
        Ok(taken.map(|taken| taken.shown).unwrap_or_default())
    }
}

/// Calls `each` with the room after every row up to `until`, and with what the row brought to that viewer.
pub(crate) async fn relive(
    store: &Arc<dyn Store>,
    id: MatchId,
    terms: Terms,
    viewer: Viewer,
    until: u64,
    mut each: impl FnMut(&mut Room, i64, &Shown),
) -> Result<(), Problem> {
    let until = if planted!(LeavesOutTheLast) { until - 1 } else { until };
    let mut replica = Replica::new(terms);
    while replica.version() < until {
        let rows = store.rows(id, replica.version(), PAGE).await.map_err(|error| unavailable(&error))?;
        if rows.is_empty() {
            break;
        }
        for row in rows.iter().filter(|row| row.version <= until) {
            let shown = replica.follow(id, &row.body)?;
            let Some(room) = replica.room() else { continue };
            let at = Replica::written_at(&row.body);
            shown.iter().filter(|shown| shown.viewer == viewer).for_each(|shown| each(room, at, shown));
        }
    }
    Ok(())
}

/// The store cannot be read.
pub(crate) fn unavailable(error: &StoreError) -> Problem {
    tracing::error!(%error, "the store cannot be read");
    Problem::new(Code::Busy, "what is stored cannot be read right now")
}

pub(super) fn report(id: MatchId, broken: &Broken) -> Problem {
    tracing::error!(r#match = %id, %broken, "a match cannot be rebuilt");
    Problem::new(Code::Internal, "the match cannot be rebuilt from its record; an operator has to look at it")
}
