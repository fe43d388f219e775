//! Replays that are open: matches that are over, run once more for one viewer, and kept for a while because who looks
//! at one event will look at the next.

use std::sync::{Arc, Mutex, PoisonError};

use intermezzo_desk::{Entry, record_with};
use intermezzo_engine::{PendingReaction, Status, UnderWay, Viewer};
use intermezzo_journal::sentences::{event_text, input_text};
use intermezzo_journal::{MatchFile, Moment, Replay, ReplayedEvent, ReplayedInput, Spectacles, to_json};
use intermezzo_protocol::resources::{
    BranchEvent, BranchInput, ReactionInfo, ReplayBranch, ReplayEvent, ReplayInput, ReplayStatus,
    UnderWayInfo,
};
use intermezzo_ruleset::{Place, Program, Seat};
use intermezzo_store::MatchId;

use crate::room::Terms;

/// So many replays are kept open.
const MAX_OPEN: usize = 8;

/// The replays that were looked at last, the latest at the end.
#[derive(Default)]
pub(crate) struct Replays(Mutex<Vec<(MatchId, Arc<OpenReplay>)>>);

/// A replay with what only the server knows of the match.
pub(crate) struct OpenReplay {
    pub(crate) replay: Replay,
    program: Arc<Program>,
    /// When each input of the match file was taken; the start of the match first.
    times: Vec<i64>,
    branches: Vec<ReplayBranch>,
}

impl Replays {
    /// The replay of a match for a viewer, if it is open.
    pub(crate) fn find(&self, id: MatchId, who: Spectacles) -> Option<Arc<OpenReplay>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.iter().position(|(other, replay)| *other == id && replay.replay.who() == who)?;
        let found = open.remove(place);
        open.push(found.clone());
        Some(found.1)
    }

    pub(crate) fn keep(&self, id: MatchId, replay: &Arc<OpenReplay>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push((id, Arc::clone(replay)));
        let surplus = open.len().saturating_sub(MAX_OPEN);
        open.drain(..surplus);
    }
}

impl OpenReplay {
    /// Runs a match again from what was taken at its desk, and when.
    pub(crate) fn open(
        terms: &Terms,
        started_ms: i64,
        past: &[(i64, Entry)],
        who: Spectacles,
    ) -> Result<OpenReplay, String> {
        let program = &terms.program;
        let entries: Vec<Entry> = past.iter().map(|(_, entry)| entry.clone()).collect();
        let mut times = vec![started_ms];
        let mut moments = past.iter().map(|(at, _)| *at);
        let file = record_with(program, &terms.setup, &entries, |file| {
            // An entry may bring several inputs, or take some back.
            let at = moments.next().unwrap_or(started_ms);
            times.resize(file.inputs.len() + 1, at);
        });
        let file = file.map_err(|error| error.to_string())?;
        let replay = Replay::open(&file, program, who).map_err(|mismatch| mismatch.to_string())?;
        let branches = if who == Spectacles::All { branches(program, &file) } else { Vec::new() };
        Ok(OpenReplay { replay, program: Arc::clone(program), times, branches })
    }

    pub(crate) fn branches(&self) -> &[ReplayBranch] {
        &self.branches
    }

    /// The events after that number, at most so many, with the inputs that go with them; and where the next begin.
    pub(crate) fn page(&self, after: u32, limit: usize) -> (Vec<ReplayInput>, Vec<ReplayEvent>, Option<u32>) {
        let stays_hidden = self.program.stays_hidden;
        page(&self.replay, after, limit, |input| {
            let at = self.times.get(input.taken as usize).copied();
            (at, (!stays_hidden).then_some(input.taken))
        })
    }

    pub(crate) fn under_way(&self, moment: &Moment) -> Vec<UnderWayInfo> {
        moment.under_way.iter().map(|at| self.numbers().thing(at)).collect()
    }

    pub(crate) fn reactions(&self, moment: &Moment) -> Vec<ReactionInfo> {
        moment.reactions.iter().map(|reaction| self.numbers().reaction(reaction)).collect()
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers { program: &self.program, events: self.replay.events() }
    }
}

/// The events of a replay after that number, at most so many, with the inputs that go with them; and where the next
/// begin. `about` tells when an input was taken, and from where a fork goes on after it.
pub(crate) fn page(
    replay: &Replay,
    after: u32,
    limit: usize,
    about: impl Fn(&ReplayedInput) -> (Option<i64>, Option<u32>),
) -> (Vec<ReplayInput>, Vec<ReplayEvent>, Option<u32>) {
    let (inputs, events) = (replay.inputs(), replay.events());
    let first = (after as usize).min(events.len());
    let last = first.saturating_add(limit).min(events.len());
    // An input stands on the page of the event that comes next.
    let mut before = 0;
    let mut shown = Vec::new();
    for input in inputs {
        if (first..last).contains(&before) || before == last && last == events.len() {
            shown.push(self::input(input, about(input)));
        }
        before = input.events.map_or(before, |(_, last)| last as usize);
    }
    let knows_all = replay.who() == Spectacles::All;
    let here = events[first..last].iter().map(|event| self::event(event, knows_all)).collect();
    (shown, here, (last < events.len()).then_some(last as u32))
}

fn input(input: &ReplayedInput, (at_ms, fork_at): (Option<i64>, Option<u32>)) -> ReplayInput {
    ReplayInput {
        number: input.number,
        at_ms,
        seat: input.seat,
        kind: input.kind.map(str::to_owned),
        text: input.text.clone(),
        first_event: input.events.map(|(first, _)| first),
        last_event: input.events.map(|(_, last)| last),
        fork_at,
    }
}

/// Tells of what is under way by the numbers of a list of events.
pub(crate) struct Numbers<'a> {
    pub(crate) program: &'a Program,
    pub(crate) events: &'a [ReplayedEvent],
}

impl Numbers<'_> {
    pub(crate) fn thing(&self, at: &UnderWay) -> UnderWayInfo {
        let (file, line) = spelt(self.program, at.place);
        UnderWayInfo {
            kind: at.kind.name().to_owned(),
            name: at.name.clone(),
            event: self.number_of(at.event),
            stage: at.stage.map(|stage| stage.name().to_owned()),
            source: at.source.clone(),
            file,
            line,
        }
    }

    pub(crate) fn reaction(&self, reaction: &PendingReaction) -> ReactionInfo {
        let (file, line) = spelt(self.program, reaction.place);
        ReactionInfo {
            name: reaction.name.clone(),
            event: self.number_of(reaction.event),
            to: reaction.to.clone(),
            source: reaction.source.clone(),
            place: if reaction.is_for_stack { "stack" } else { "now" }.to_owned(),
            file,
            line,
        }
    }

    /// The number of the event with that id.
    fn number_of(&self, id: u32) -> Option<u32> {
        self.events.iter().find(|event| event.id == id && id != 0).map(|event| event.n)
    }
}

/// A place in the rules, as people read it.
pub(crate) fn spelt(program: &Program, place: Option<Place>) -> (Option<String>, Option<u32>) {
    let file = place.and_then(|place| program.files.get(usize::from(place.file)).cloned());
    (file, place.map(|place| place.line))
}

pub(crate) fn event(event: &ReplayedEvent, knows_all: bool) -> ReplayEvent {
    ReplayEvent {
        n: event.n,
        input: event.input,
        event: event.event.clone(),
        status: match event.status {
            Status::Applied => ReplayStatus::Applied,
            Status::Prevented => ReplayStatus::Prevented,
            Status::Failed => ReplayStatus::Failed,
        },
        cause: event.cause,
        depth: event.depth,
        stack: event.stack,
        text: event.text.clone(),
        payload: event.payload.clone(),
        id: knows_all.then_some(event.id),
    }
}

pub(crate) fn branches(program: &Program, file: &MatchFile) -> Vec<ReplayBranch> {
    let input = |entry: &intermezzo_journal::Entry| BranchInput {
        number: entry.number,
        seat: entry.input.seat().map(|Seat(seat)| seat),
        kind: entry.input.kind().to_owned(),
        text: input_text(&entry.input),
        events: entry
            .events
            .iter()
            .map(|event| BranchEvent {
                event: event.event.clone(),
                text: event_text(program, &event.event, &event.fields, false),
            })
            .collect(),
    };
    let branch = |(place, branch): (usize, &intermezzo_journal::Branch)| ReplayBranch {
        number: place + 1,
        parent: branch.parent.map(|parent| parent + 1),
        from: branch.from,
        by: branch.by,
        agreed: branch.agreed.clone(),
        inputs: branch.inputs.iter().map(input).collect(),
    };
    file.branches.iter().enumerate().map(branch).collect()
}

/// How addresses call a viewer.
pub(crate) fn viewer_name(who: Spectacles) -> String {
    match who {
        Spectacles::All => "all".to_owned(),
        Spectacles::Of(Viewer::Spectator) => "spectator".to_owned(),
        Spectacles::Of(Viewer::Seat(Seat(seat))) => format!("seat{seat}"),
    }
}

/// The viewer that an address calls so.
pub(crate) fn viewer_named(name: &str) -> Option<Spectacles> {
    match name {
        "all" => Some(Spectacles::All),
        "spectator" => Some(Spectacles::Of(Viewer::Spectator)),
        name => {
            let seat = name.strip_prefix("seat")?.parse().ok()?;
            Some(Spectacles::Of(Viewer::Seat(Seat(seat))))
        }
    }
}

/// What was asked, as clients read it.
pub(crate) fn prompts(moment: &Moment) -> Vec<serde_json::Value> {
    moment.prompts.iter().map(to_json).collect()
}
