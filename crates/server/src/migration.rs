//! What would become of matches that are being played if other rules held from their beginning. Start with [`rehearse`].
//!
//! Matches stay with the rules they began with, and old rules stay loadable. But whoever changes a ruleset may want to know
//! what the change does to real matches: each is played again under both rules, and the first row at which somebody would
//! have seen something else is named.

use std::sync::Arc;

use intermezzo_desk::{Desk, Entry, Shown};
use intermezzo_engine::Viewer;
use intermezzo_journal::to_json;
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::MatchStatus;
use intermezzo_ruleset::{Program, Seat};
use intermezzo_store::{MatchId, Store, prefix};
use serde_json::Value;

use crate::app::opening;
use crate::house::{House, MatchRecord};
use crate::room::{entry_of, unavailable};

/// So many matches are listed at once.
const PAGE: usize = 500;

/// How one match would go under other rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rehearsed {
    /// Which match.
    pub match_id: MatchId,
    /// The version of the rules it is played by.
    pub version: String,
    /// How many rows it has.
    pub rows: u64,
    /// What would be different; nothing if everybody would have seen the same.
    pub differs: Option<Difference>,
}

/// The first thing that would be different.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// At which row.
    pub row: u64,
    /// What, in a sentence.
    pub what: String,
}

/// Plays all matches of a ruleset that are under way again under that program, one after the other.
pub(crate) async fn rehearse(
    store: &Arc<dyn Store>,
    house: &House,
    program: &Arc<Program>,
    tell: &mut dyn FnMut(&Rehearsed),
) -> Result<(), Problem> {
    let mut range = prefix("match/");
    loop {
        let page = store.scan(range.clone(), PAGE, false).await.map_err(|error| unavailable(&error))?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        // Nothing comes between a key and the same key with a zero after it.
        range.start = format!("{last}\0");
        for (_, record) in &page {
            let Ok(record) = serde_json::from_slice::<MatchRecord>(&record.value) else { continue };
            if record.status == MatchStatus::Playing && record.ruleset.id == program.id {
                tell(&rehearse_one(store, house, &record, program).await?);
            }
        }
    }
}

async fn rehearse_one(
    store: &Arc<dyn Store>,
    house: &House,
    record: &MatchRecord,
    program: &Arc<Program>,
) -> Result<Rehearsed, Problem> {
    let terms = opening(house, record.id).await?.terms;
    let rows = store.rows(record.id, 0, usize::MAX).await.map_err(|error| unavailable(&error))?;
    let entries: Vec<(u64, Entry)> =
        rows.iter().filter_map(|row| Some((row.version, entry_of(&row.body)?))).collect();
    let differs = match Desk::open(&terms.program, &terms.setup) {
        Err(error) => Some(Difference { row: 1, what: format!("it cannot be begun as it was: {error}") }),
        Ok((old, begun)) => match Desk::open(program, &terms.setup) {
            Err(error) => Some(Difference { row: 1, what: format!("it could not begin: {error}") }),
            Ok((new, begins)) => match difference(&begun.shown, &begins.shown).or_else(|| seen(&old, &new)) {
                Some(what) => Some(Difference { row: 1, what }),
                None => compare(old, new, &entries),
            },
        },
    };
    let (match_id, version) = (record.id, record.ruleset.version.clone());
    Ok(Rehearsed { match_id, version, rows: rows.len() as u64, differs })
}

fn compare(mut old: Desk, mut new: Desk, entries: &[(u64, Entry)]) -> Option<Difference> {
    let past: Vec<Entry> = entries.iter().map(|(_, entry)| entry.clone()).collect();
    for (place, (row, entry)) in entries.iter().enumerate() {
        let differs = |what: String| Some(Difference { row: *row, what });
        let before = Some(&past[..place]);
        let taken = match old.take(entry, before.filter(|_| old.needs_past(entry))) {
            Ok(taken) => taken,
            Err(refusal) => return differs(format!("its own rules refuse it: {refusal}")),
        };
        let takes = match new.take(entry, before.filter(|_| new.needs_past(entry))) {
            Ok(takes) => takes,
            Err(refusal) => return differs(format!("it would be refused: {refusal}")),
        };
        if let Some(what) = difference(&taken.shown, &takes.shown).or_else(|| seen(&old, &new)) {
            return differs(what);
        }
    }
    None
}

/// The first event that somebody would have been told otherwise.
fn difference(was: &[Shown], would_be: &[Shown]) -> Option<String> {
    let viewers = was.iter().chain(would_be).map(|shown| shown.viewer);
    let told = |all: &[Shown], viewer| {
        let shown = all.iter().find(|shown| shown.viewer == viewer);
        shown.map(|shown| shown.events.iter().map(|event| to_json(event).to_string()).collect::<Vec<_>>())
    };
    viewers.into_iter().find_map(|viewer| {
        let (was, would_be) =
            (told(was, viewer).unwrap_or_default(), told(would_be, viewer).unwrap_or_default());
        let place =
            (0..was.len().max(would_be.len())).find(|place| was.get(*place) != would_be.get(*place))?;
        let nothing = || "nothing".to_owned();
        let (was, would_be) = (was.get(place).cloned(), would_be.get(place).cloned());
        let (was, would_be) = (was.unwrap_or_else(nothing), would_be.unwrap_or_else(nothing));
        Some(format!("{} would be told {would_be} in place of {was}", name(viewer)))
    })
}

/// The first thing that somebody would see otherwise.
fn seen(old: &Desk, new: &Desk) -> Option<String> {
    let seats = (0..old.setup().seats).map(|seat| Viewer::Seat(Seat(seat)));
    seats.chain([Viewer::Spectator]).find_map(|viewer| {
        let (was, would_be) = (to_json(old.view(viewer)), to_json(new.view(viewer)));
        let (path, was, would_be) = first_difference(&was, &would_be)?;
        Some(format!("{} would see {would_be} in place of {was} at {path}", name(viewer)))
    })
}

/// Where two values differ first, and what is there.
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
            both.into_iter().find_map(|(place, (one, other))| {
                first_difference(one, other).map(|found| inside(&place.to_string(), found))
            })
        }
        (one, other) if one == other => None,
        (one, other) => Some((String::new(), one.to_string(), other.to_string())),
    }
}

fn name(viewer: Viewer) -> String {
    match viewer {
        Viewer::Seat(Seat(seat)) => format!("seat {seat}"),
        Viewer::Spectator => "whoever looks on".to_owned(),
    }
}
