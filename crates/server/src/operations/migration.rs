//! Dry run of a ruleset change on live matches. Start with [`check_migration`].
//!
//! Matches stay with the rules they started with, and old rules stay loadable. Authors of a change may still
//! want to know its effect on real matches: each is replayed under both rules, and the first row at which
//! somebody would have seen a difference is reported.

use std::sync::Arc;

use intermezzo_engine::{Viewer, ViewerEvent};
use intermezzo_matchfile::to_json;
use intermezzo_program::{Program, Seat};
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::MatchStatus;
use intermezzo_session::{Session, SessionEntry, ViewerUpdate};
use intermezzo_store::{MatchId, Store, prefix};
use serde_json::Value;

use crate::app::match_details;
use crate::match_task::{entry_of, store_unavailable};
use intermezzo_services::{MatchRecord, Services};

/// Records read at once.
const PAGE_RECORDS: usize = 500;

/// The effect of other rules on one match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MigrationCheck {
    pub match_id: MatchId,
    /// Version of the rules it is played by.
    pub version: String,
    /// Number of rows.
    pub rows: u64,
    /// First difference; `None` if everybody would have seen the same.
    pub difference: Option<MigrationDifference>,
}

/// The first difference between two replays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MigrationDifference {
    pub row: u64,
    /// Description in one sentence.
    pub what: String,
}

/// Replays all live matches of a ruleset under that program, one after the other.
pub(crate) async fn check_migration(
    store: &Arc<dyn Store>,
    services: &Services,
    program: &Arc<Program>,
    report: &mut dyn FnMut(&MigrationCheck),
) -> Result<(), Problem> {
    let mut range = prefix("match/");
    loop {
        let page = store
            .scan(range.clone(), PAGE_RECORDS, false)
            .await
            .map_err(|error| store_unavailable(&error))?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        // No key sorts between a key and the same key followed by a zero byte.
        range.start = format!("{last}\0");
        for (_, record) in &page {
            let Ok(record) = serde_json::from_slice::<MatchRecord>(&record.value) else { continue };
            if record.status == MatchStatus::Playing && record.ruleset.id == program.id {
                report(&check_match(store, services, &record, program).await?);
            }
        }
    }
}

async fn check_match(
    store: &Arc<dyn Store>,
    services: &Services,
    record: &MatchRecord,
    program: &Arc<Program>,
) -> Result<MigrationCheck, Problem> {
    let config = match_details(services, record.id).await?.config;
    let rows = store.rows(record.id, 0, usize::MAX).await.map_err(|error| store_unavailable(&error))?;
    let entries: Vec<(u64, SessionEntry)> =
        rows.iter().filter_map(|row| Some((row.version, entry_of(&row.body)?))).collect();
    let differs = match Session::start(&config.program, &config.setup) {
        Err(error) => {
            Some(MigrationDifference { row: 1, what: format!("it cannot start with its own rules: {error}") })
        }
        Ok((old, old_start)) => match Session::start(program, &config.setup) {
            Err(error) => Some(MigrationDifference { row: 1, what: format!("it would not start: {error}") }),
            Ok((new, new_start)) => match event_difference(&old_start.viewers, &new_start.viewers)
                .or_else(|| view_difference(&old, &new))
            {
                Some(what) => Some(MigrationDifference { row: 1, what }),
                None => compare_sessions(old, new, &entries),
            },
        },
    };
    let (match_id, version) = (record.id, record.ruleset.version.clone());
    Ok(MigrationCheck { match_id, version, rows: rows.len() as u64, difference: differs })
}

fn compare_sessions(
    mut old: Session,
    mut new: Session,
    entries: &[(u64, SessionEntry)],
) -> Option<MigrationDifference> {
    let past: Vec<SessionEntry> = entries.iter().map(|(_, entry)| entry.clone()).collect();
    for (index, (row, entry)) in entries.iter().enumerate() {
        let differs = |what: String| Some(MigrationDifference { row: *row, what });
        let before = Some(&past[..index]);
        let old_update = match old.apply(entry, before.filter(|_| old.needs_history(entry))) {
            Ok(old_update) => old_update,
            Err(refusal) => return differs(format!("its own rules reject it: {refusal}")),
        };
        let new_update = match new.apply(entry, before.filter(|_| new.needs_history(entry))) {
            Ok(new_update) => new_update,
            Err(refusal) => return differs(format!("it would be rejected: {refusal}")),
        };
        if let Some(what) =
            event_difference(&old_update.viewers, &new_update.viewers).or_else(|| view_difference(&old, &new))
        {
            return differs(what);
        }
    }
    None
}

/// Returns the first event that a viewer would have received differently.
fn event_difference(was: &[ViewerUpdate], would_be: &[ViewerUpdate]) -> Option<String> {
    let viewers = was.iter().chain(would_be).map(|update| update.viewer);
    let events = |all: &[ViewerUpdate], viewer| {
        let update = all.iter().find(|update| update.viewer == viewer);
        update.map(|update| {
            let text = |event: &ViewerEvent| to_json(&event.to_datum()).to_string();
            update.events.iter().map(text).collect::<Vec<_>>()
        })
    };
    viewers.into_iter().find_map(|viewer| {
        let (was, would_be) =
            (events(was, viewer).unwrap_or_default(), events(would_be, viewer).unwrap_or_default());
        let index =
            (0..was.len().max(would_be.len())).find(|index| was.get(*index) != would_be.get(*index))?;
        let nothing = || "nothing".to_owned();
        let (was, would_be) = (was.get(index).cloned(), would_be.get(index).cloned());
        let (was, would_be) = (was.unwrap_or_else(nothing), would_be.unwrap_or_else(nothing));
        Some(format!("{} would receive {would_be} in place of {was}", viewer_name(viewer)))
    })
}

/// Returns the first value that a viewer would have seen differently.
fn view_difference(old: &Session, new: &Session) -> Option<String> {
    let seats = (0..old.setup().seats).map(|seat| Viewer::Seat(Seat(seat)));
    seats.chain([Viewer::Spectator]).find_map(|viewer| {
        let (was, would_be) = (to_json(old.view(viewer)), to_json(new.view(viewer)));
        let (path, was, would_be) = first_difference(&was, &would_be)?;
        Some(format!("{} would see {would_be} in place of {was} at {path}", viewer_name(viewer)))
    })
}

/// Returns the path and both values of the first difference.
fn first_difference(was: &Value, would_be: &Value) -> Option<(String, String, String)> {
    let inside =
        |key: &str, found: (String, String, String)| (format!("/{key}{}", found.0), found.1, found.2);
    match (was, would_be) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let (one, other) =
                    (one.get(key).unwrap_or(&Value::Null), other.get(key).unwrap_or(&Value::Null));
                first_difference(one, other).map(|found| inside(key, found))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let both = one.iter().zip(other).enumerate();
            both.into_iter().find_map(|(index, (one, other))| {
                first_difference(one, other).map(|found| inside(&index.to_string(), found))
            })
        }
        (one, other) if one == other => None,
        (one, other) => Some((String::new(), one.to_string(), other.to_string())),
    }
}

fn viewer_name(viewer: Viewer) -> String {
    match viewer {
        Viewer::Seat(Seat(seat)) => format!("seat {seat}"),
        Viewer::Spectator => "a spectator".to_owned(),
    }
}
