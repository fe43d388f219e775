//! A replayed match with an observer that sees one event at a time.

use std::sync::Arc;

use intermezzo_engine::{
    Cause, Datum, EventLog, EventStatus, Input, Match, MidInput, Observer, Refusal, Setup, StartError, Viewer,
};
use intermezzo_program::Program;

use super::ReplayViewpoint;
use crate::narrate::to_json;

/// A match, its observer, and the number of applied inputs.
#[derive(Clone, Debug)]
pub(super) struct ReplayRunner {
    pub(super) game: Match,
    pub(super) observer: Observer,
    pub(super) inputs: usize,
}

/// One event of the log, as the viewpoint sees it.
pub(super) struct ObservedEvent {
    pub(super) id: u32,
    pub(super) cause: Option<u32>,
    pub(super) status: EventStatus,
    /// The height of the stack after it.
    pub(super) stack: usize,
    /// The event as the viewer sees it, if at all.
    pub(super) event: Option<Datum>,
    /// Views of the entities it mentions or brings into sight.
    pub(super) seen_entities: Vec<Datum>,
}

impl ReplayRunner {
    /// Starts a match and returns the events of its start.
    pub(super) fn start(
        program: &Arc<Program>,
        setup: &Setup,
        viewpoint: ReplayViewpoint,
    ) -> Result<(ReplayRunner, Vec<ObservedEvent>), StartError> {
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(program), setup, &mut log)?;
        let mut observer = ReplayRunner::new_observer(program, setup, viewpoint)?;
        let events = observe_events(&mut observer, &log, usize::MAX, viewpoint);
        Ok((ReplayRunner { game, observer, inputs: 0 }, events))
    }

    /// Creates an observer for a match that has not started.
    pub(super) fn new_observer(
        program: &Arc<Program>,
        setup: &Setup,
        viewpoint: ReplayViewpoint,
    ) -> Result<Observer, StartError> {
        let observer = Observer::new(Arc::clone(program), setup)?;
        Ok(if viewpoint == ReplayViewpoint::Omniscient { observer.omniscient() } else { observer })
    }

    /// Applies an input and returns its events.
    pub(super) fn submit(
        &mut self,
        input: &Input,
        viewpoint: ReplayViewpoint,
    ) -> Result<Vec<ObservedEvent>, Refusal> {
        let mut log = EventLog::new();
        self.game.submit(input, &mut log)?;
        self.inputs += 1;
        Ok(observe_events(&mut self.observer, &log, usize::MAX, viewpoint))
    }

    /// Applies an input, but stops after this many of its events.
    pub(super) fn stop_after(
        mut self,
        input: &Input,
        viewpoint: ReplayViewpoint,
        events: usize,
    ) -> Result<(Observer, MidInput), Refusal> {
        let mid_input = self.game.stop_mid_input(input, events)?;
        let mut log = EventLog::new();
        self.game.submit(input, &mut log)?;
        observe_events(&mut self.observer, &log, events, viewpoint);
        Ok((self.observer, mid_input))
    }

    /// Starts a match, but stops after this many events.
    pub(super) fn stop_at_start(
        program: &Arc<Program>,
        setup: &Setup,
        viewpoint: ReplayViewpoint,
        events: usize,
    ) -> Result<(Observer, MidInput), StartError> {
        let mid_input = Match::stop_mid_start(Arc::clone(program), setup, events)?;
        let mut log = EventLog::new();
        Match::start(Arc::clone(program), setup, &mut log)?;
        let mut observer = ReplayRunner::new_observer(program, setup, viewpoint)?;
        observe_events(&mut observer, &log, events, viewpoint);
        Ok((observer, mid_input))
    }
}

/// Shows the first events of a log to an observer, one at a time.
///
/// After each event, every visible entity gets its name, so that names do not depend on where a replay stops.
fn observe_events(
    observer: &mut Observer,
    log: &EventLog,
    events: usize,
    viewpoint: ReplayViewpoint,
) -> Vec<ObservedEvent> {
    let viewer = match viewpoint {
        ReplayViewpoint::Omniscient => Viewer::Spectator,
        ReplayViewpoint::Viewer(viewer) => viewer,
    };
    let mut all = Vec::new();
    let mut one = EventLog::new();
    for record in log.records().iter().take(events) {
        one.clear();
        one.append(record.event, record.id, record.cause, record.status, log.payload(record));
        let known = observer.name_count(viewer);
        let mut event = None;
        let observed = observer.observe(&one, 0, |other, events| {
            if other == viewer {
                event = events;
            }
        });
        observed.expect("the match's own log continues what was observed");
        observer.name_all(viewer);
        let new = known + 1..=observer.name_count(viewer);
        let mut names: Vec<String> = new.map(|number| format!("#{number}")).collect();
        event.iter().for_each(|event| collect_entity_names(&to_json(event)["payload"], &mut names));
        let cause = match record.cause {
            Cause::Event(id) => Some(id),
            Cause::Input(_) => None,
        };
        all.push(ObservedEvent {
            id: record.id,
            cause,
            status: record.status,
            stack: observer.stack_height(),
            event,
            seen_entities: names.iter().filter_map(|name| observer.view_entity(viewer, name)).collect(),
        });
    }
    all
}

/// Collects the names of the entities in a payload.
fn collect_entity_names(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => {
            // The name of a zone starts with the name of its owner.
            let name = text.split('.').next().unwrap_or_default();
            if name.starts_with('#') && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect_entity_names(item, names)),
        serde_json::Value::Object(entries) => {
            entries.values().for_each(|item| collect_entity_names(item, names));
        }
        _ => {}
    }
}
