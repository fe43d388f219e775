//! A match that is run again, with a witness who sees one event after the other.

use std::sync::Arc;

use intermezzo_engine::{
    Cause, Datum, Input, Log, Match, Midway, Refusal, Setup, StartError, Status, Viewer, Witness,
};
use intermezzo_ruleset::Program;

use super::Spectacles;
use crate::narrate::to_json;

/// A match, who follows it, and how many inputs it has taken.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    pub(super) playing: Match,
    pub(super) witness: Witness,
    pub(super) taken: usize,
}

/// One event of the log.
pub(super) struct Told {
    pub(super) id: u32,
    pub(super) cause: Option<u32>,
    pub(super) status: Status,
    /// How many items lie on the stack after it.
    pub(super) stack: usize,
    /// What the viewer is told of it, if anything.
    pub(super) event: Option<Datum>,
    /// What the viewer sees of things it speaks of, or that have come into sight with it.
    pub(super) glances: Vec<Datum>,
}

impl Follower {
    /// Begins a match, and tells what happens at its start.
    pub(super) fn begin(
        program: &Arc<Program>,
        setup: &Setup,
        who: Spectacles,
    ) -> Result<(Follower, Vec<Told>), StartError> {
        let mut log = Log::new();
        let playing = Match::start(Arc::clone(program), setup, &mut log)?;
        let mut witness = Follower::witness_of(program, setup, who)?;
        let told = follow(&mut witness, &log, usize::MAX, who);
        Ok((Follower { playing, witness, taken: 0 }, told))
    }

    /// A witness before anything has happened.
    pub(super) fn witness_of(
        program: &Arc<Program>,
        setup: &Setup,
        who: Spectacles,
    ) -> Result<Witness, StartError> {
        let witness = Witness::new(Arc::clone(program), setup)?;
        Ok(if who == Spectacles::All { witness.all_knowing() } else { witness })
    }

    /// Takes an input, and tells what comes of it.
    pub(super) fn take(&mut self, input: &Input, who: Spectacles) -> Result<Vec<Told>, Refusal> {
        let mut log = Log::new();
        self.playing.submit(input, &mut log)?;
        self.taken += 1;
        Ok(follow(&mut self.witness, &log, usize::MAX, who))
    }

    /// Takes an input, but stops after so many events of it.
    pub(super) fn stop(
        mut self,
        input: &Input,
        who: Spectacles,
        events: usize,
    ) -> Result<(Witness, Midway), Refusal> {
        let midway = self.playing.midway(input, events)?;
        let mut log = Log::new();
        self.playing.submit(input, &mut log)?;
        follow(&mut self.witness, &log, events, who);
        Ok((self.witness, midway))
    }

    /// Begins a match, but stops after so many events.
    pub(super) fn stop_at_start(
        program: &Arc<Program>,
        setup: &Setup,
        who: Spectacles,
        events: usize,
    ) -> Result<(Witness, Midway), StartError> {
        let midway = Match::midway_at_start(Arc::clone(program), setup, events)?;
        let mut log = Log::new();
        Match::start(Arc::clone(program), setup, &mut log)?;
        let mut witness = Follower::witness_of(program, setup, who)?;
        follow(&mut witness, &log, events, who);
        Ok((witness, midway))
    }
}

/// Shows a witness the first events of a log, one by one.
///
/// After each of them all in sight gets its name, so that names do not depend on where anybody stops to look.
fn follow(witness: &mut Witness, log: &Log, events: usize, who: Spectacles) -> Vec<Told> {
    let viewer = match who {
        Spectacles::All => Viewer::Spectator,
        Spectacles::Of(viewer) => viewer,
    };
    let mut all = Vec::new();
    let mut one = Log::new();
    for record in log.records().iter().take(events) {
        one.clear();
        one.append(record.event, record.id, record.cause, record.status, log.payload(record));
        let known = witness.names_given(viewer);
        let mut event = None;
        let observed = witness.observe(&one, 0, |other, told| {
            if other == viewer {
                event = told;
            }
        });
        observed.expect("a log the match itself wrote continues what was seen before");
        witness.name_all(viewer);
        let new = known + 1..=witness.names_given(viewer);
        let mut names: Vec<String> = new.map(|number| format!("#{number}")).collect();
        event.iter().for_each(|event| mentioned(&to_json(event)["payload"], &mut names));
        let cause = match record.cause {
            Cause::Event(id) => Some(id),
            Cause::Input(_) => None,
        };
        all.push(Told {
            id: record.id,
            cause,
            status: record.status,
            stack: witness.stack_height(),
            event,
            glances: names.iter().filter_map(|name| witness.glance_at(viewer, name)).collect(),
        });
    }
    all
}

/// The names of entities in what an event says.
fn mentioned(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => {
            // A zone is named after what it belongs to.
            let name = text.split('.').next().unwrap_or_default();
            if name.starts_with('#') && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| mentioned(item, names)),
        serde_json::Value::Object(entries) => entries.values().for_each(|item| mentioned(item, names)),
        _ => {}
    }
}
