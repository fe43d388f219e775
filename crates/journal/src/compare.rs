//! Finds the first thing in which a recording and its replay differ.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::chain::Hash;
use crate::file::{Entry, SavedEvent, Step};
use crate::mismatch::{Place, Problem};

/// Where and how two recordings of the same thing differ.
pub(crate) type Difference = (Place, Problem);

pub(crate) fn starts(recorded: &Step, replayed: &Step) -> Option<Difference> {
    let place = Place { input: Some(0), ..Place::default() };
    events(&place, &recorded.events, &replayed.events)
        .or_else(|| hashes(&place, (recorded.state, recorded.chain), (replayed.state, replayed.chain)))
}

pub(crate) fn entries(recorded: &Entry, replayed: &Entry) -> Option<Difference> {
    let place = Place { input: Some(replayed.number), ..Place::default() };
    values(&place, "number", &recorded.number, &replayed.number)
        .or_else(|| values(&place, "input", &recorded.input, &replayed.input))
        .or_else(|| events(&place, &recorded.events, &replayed.events))
        .or_else(|| hashes(&place, (recorded.state, recorded.chain), (replayed.state, replayed.chain)))
}

fn hashes(place: &Place, recorded: (Hash, Hash), replayed: (Hash, Hash)) -> Option<Difference> {
    values(place, "state", &recorded.0, &replayed.0)
        .or_else(|| values(place, "chain", &recorded.1, &replayed.1))
}

fn events(place: &Place, recorded: &[SavedEvent], replayed: &[SavedEvent]) -> Option<Difference> {
    let changed = recorded.iter().zip(replayed).find_map(|(ours, theirs)| event(place, ours, theirs));
    changed.or_else(|| {
        let shorter = recorded.len().min(replayed.len());
        if let Some(extra) = recorded.get(shorter) {
            let place = Place { event: Some(extra.id), ..place.clone() };
            return Some((place, Problem::NeverHappened { event: extra.event.clone() }));
        }
        let missing = replayed.get(shorter)?;
        let place = Place { event: Some(missing.id), ..place.clone() };
        Some((place, Problem::LeftOut { event: missing.event.clone() }))
    })
}

fn event(place: &Place, recorded: &SavedEvent, replayed: &SavedEvent) -> Option<Difference> {
    let place = Place { event: Some(replayed.id), ..place.clone() };
    values(&place, "id", &recorded.id, &replayed.id)
        .or_else(|| values(&place, "event", &recorded.event, &replayed.event))
        .or_else(|| values(&place, "cause", &recorded.cause, &replayed.cause))
        .or_else(|| values(&place, "status", &recorded.status, &replayed.status))
        .or_else(|| fields(&place, &recorded.fields, &replayed.fields))
        .or_else(|| values(&place, "words", &recorded.words, &replayed.words))
}

/// The first field that differs, also in its place.
fn fields(place: &Place, recorded: &Map<String, Value>, replayed: &Map<String, Value>) -> Option<Difference> {
    let names = replayed.keys().chain(recorded.keys());
    let changed =
        names.into_iter().find_map(|name| values(place, name, &recorded.get(name), &replayed.get(name)));
    let order = |fields: &Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>();
    changed.or_else(|| values(place, "fields", &order(recorded), &order(replayed)))
}

pub(crate) fn values<T: PartialEq + Serialize>(
    place: &Place,
    field: &str,
    recorded: &T,
    replayed: &T,
) -> Option<Difference> {
    if recorded == replayed {
        return None;
    }
    let place = Place { field: Some(field.to_owned()), ..place.clone() };
    Some((place, Problem::Differs { recorded: text(recorded), replayed: text(replayed) }))
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
