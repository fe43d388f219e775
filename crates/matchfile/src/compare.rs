//! Finds the first difference between a recording and its replay.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::file::{InputRecord, SavedEvent, SavedStart};
use crate::hash_chain::Hash256;
use crate::mismatch::{MismatchKind, MismatchLocation};

/// The location and kind of a difference.
pub(crate) type FieldDifference = (MismatchLocation, MismatchKind);

pub(crate) fn starts(recorded: &SavedStart, replayed: &SavedStart) -> Option<FieldDifference> {
    let location = MismatchLocation { input: Some(0), ..MismatchLocation::default() };
    events(&location, &recorded.events, &replayed.events)
        .or_else(|| hashes(&location, (recorded.state, recorded.chain), (replayed.state, replayed.chain)))
}

pub(crate) fn entries(recorded: &InputRecord, replayed: &InputRecord) -> Option<FieldDifference> {
    let location = MismatchLocation { input: Some(replayed.number), ..MismatchLocation::default() };
    values(&location, "number", &recorded.number, &replayed.number)
        .or_else(|| values(&location, "input", &recorded.input, &replayed.input))
        .or_else(|| events(&location, &recorded.events, &replayed.events))
        .or_else(|| hashes(&location, (recorded.state, recorded.chain), (replayed.state, replayed.chain)))
}

fn hashes(
    location: &MismatchLocation,
    recorded: (Hash256, Hash256),
    replayed: (Hash256, Hash256),
) -> Option<FieldDifference> {
    values(location, "state", &recorded.0, &replayed.0)
        .or_else(|| values(location, "chain", &recorded.1, &replayed.1))
}

fn events(
    location: &MismatchLocation,
    recorded: &[SavedEvent],
    replayed: &[SavedEvent],
) -> Option<FieldDifference> {
    let changed = recorded.iter().zip(replayed).find_map(|(ours, theirs)| event(location, ours, theirs));
    changed.or_else(|| {
        let shorter = recorded.len().min(replayed.len());
        if let Some(extra) = recorded.get(shorter) {
            let location = MismatchLocation { event: Some(extra.id), ..location.clone() };
            return Some((location, MismatchKind::ExtraEvent { event: extra.event.clone() }));
        }
        let missing = replayed.get(shorter)?;
        let location = MismatchLocation { event: Some(missing.id), ..location.clone() };
        Some((location, MismatchKind::MissingEvent { event: missing.event.clone() }))
    })
}

fn event(
    location: &MismatchLocation,
    recorded: &SavedEvent,
    replayed: &SavedEvent,
) -> Option<FieldDifference> {
    let location = MismatchLocation { event: Some(replayed.id), ..location.clone() };
    values(&location, "id", &recorded.id, &replayed.id)
        .or_else(|| values(&location, "event", &recorded.event, &replayed.event))
        .or_else(|| values(&location, "cause", &recorded.cause, &replayed.cause))
        .or_else(|| values(&location, "status", &recorded.status, &replayed.status))
        .or_else(|| fields(&location, &recorded.fields, &replayed.fields))
        .or_else(|| values(&location, "words", &recorded.words, &replayed.words))
}

/// Returns the first field that differs, in value or in order.
fn fields(
    location: &MismatchLocation,
    recorded: &Map<String, Value>,
    replayed: &Map<String, Value>,
) -> Option<FieldDifference> {
    let names = replayed.keys().chain(recorded.keys());
    let changed =
        names.into_iter().find_map(|name| values(location, name, &recorded.get(name), &replayed.get(name)));
    let order = |fields: &Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>();
    changed.or_else(|| values(location, "fields", &order(recorded), &order(replayed)))
}

pub(crate) fn values<T: PartialEq + Serialize>(
    location: &MismatchLocation,
    field: &str,
    recorded: &T,
    replayed: &T,
) -> Option<FieldDifference> {
    if recorded == replayed {
        return None;
    }
    let location = MismatchLocation { field: Some(field.to_owned()), ..location.clone() };
    Some((location, MismatchKind::Differs { recorded: text(recorded), replayed: text(replayed) }))
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
