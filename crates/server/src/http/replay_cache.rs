//! Cache of open replays. Running an ended match again for a viewer is expensive, and clients usually request one event
//! after another.

use std::sync::{Arc, Mutex, PoisonError};

use intermezzo_engine::{EventStatus, FrameSummary, PendingReaction, Viewer};
use intermezzo_matchfile::sentences::{event_text, input_text};
use intermezzo_matchfile::{
    MatchFile, MatchReplay, ReplayState, ReplayViewpoint, ReplayedEvent, ReplayedInput, to_json,
};
use intermezzo_program::{Program, Seat, SourceLocation};
use intermezzo_protocol::resources::{
    BranchEvent, BranchInput, InProgressInfo, ReactionInfo, ReplayBranch, ReplayEvent, ReplayInput,
    ReplayStatus,
};
use intermezzo_session::{RecordError, SessionEntry, record_with};
use intermezzo_store::MatchId;

use crate::match_task::MatchConfig;

/// Maximum number of cached replays.
const MAX_OPEN: usize = 8;
/// Maximum number of events in all cached replays together; a single longer replay is allowed.
const MAX_EVENTS: usize = 100_000;

/// The most recently used replays, latest last.
#[derive(Default)]
pub(crate) struct ReplayCache(Mutex<Vec<(MatchId, Arc<OpenReplay>)>>);

/// A replay with the data that only the server has.
pub(crate) struct OpenReplay {
    pub(crate) replay: MatchReplay,
    program: Arc<Program>,
    /// When each input of the match file was accepted; the first entry is the start of the match.
    times: Vec<i64>,
    branches: Vec<ReplayBranch>,
}

impl ReplayCache {
    /// Returns the cached replay of a match for a viewer, and marks it as recently used.
    pub(crate) fn find(&self, id: MatchId, who: ReplayViewpoint) -> Option<Arc<OpenReplay>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index =
            open.iter().position(|(other, replay)| *other == id && replay.replay.viewpoint() == who)?;
        let found = open.remove(index);
        open.push(found.clone());
        Some(found.1)
    }

    pub(crate) fn insert(&self, id: MatchId, replay: &Arc<OpenReplay>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push((id, Arc::clone(replay)));
        let events = |open: &[(MatchId, Arc<OpenReplay>)]| -> usize {
            open.iter().map(|(_, replay)| replay.replay.events().len()).sum()
        };
        while open.len() > MAX_OPEN || (open.len() > 1 && events(&open) > MAX_EVENTS) {
            open.remove(0);
        }
    }
}

/// The reason why a replay cannot be opened.
pub(crate) enum ReplayError {
    NoFile(RecordError),
    Broken(String),
}

impl OpenReplay {
    /// Runs a match again from its logged entries and their times.
    pub(crate) fn open(
        terms: &MatchConfig,
        started_ms: i64,
        past: &[(i64, SessionEntry)],
        who: ReplayViewpoint,
    ) -> Result<OpenReplay, ReplayError> {
        let program = &terms.program;
        let entries: Vec<SessionEntry> = past.iter().map(|(_, entry)| entry.clone()).collect();
        let mut times = vec![started_ms];
        let mut moments = past.iter().map(|(at, _)| *at);
        let file = record_with(program, &terms.setup, &entries, |file| {
            // An entry may add several inputs, or undo some.
            let at = moments.next().unwrap_or(started_ms);
            times.resize(file.inputs.len() + 1, at);
        });
        let file = file.map_err(ReplayError::NoFile)?;
        let replay = MatchReplay::open(&file, program, who);
        let replay = replay.map_err(|mismatch| ReplayError::Broken(mismatch.to_string()))?;
        let branches = if who == ReplayViewpoint::Omniscient { branches(program, &file) } else { Vec::new() };
        Ok(OpenReplay { replay, program: Arc::clone(program), times, branches })
    }

    pub(crate) fn replay_branches(&self) -> &[ReplayBranch] {
        &self.branches
    }

    /// Returns up to `limit` events after the given number, their inputs, and the start of the next page.
    pub(crate) fn page(&self, after: u32, limit: usize) -> (Vec<ReplayInput>, Vec<ReplayEvent>, Option<u32>) {
        let stays_hidden = self.program.stays_hidden;
        page(&self.replay, after, limit, |input| {
            let at = self.times.get(input.file_number as usize).copied();
            (at, (!stays_hidden).then_some(input.file_number))
        })
    }

    pub(crate) fn in_progress(&self, moment: &ReplayState) -> Vec<InProgressInfo> {
        moment.frames.iter().map(|at| self.numbers().in_progress_info(at)).collect()
    }

    pub(crate) fn reactions(&self, moment: &ReplayState) -> Vec<ReactionInfo> {
        moment.reactions.iter().map(|reaction| self.numbers().reaction_info(reaction)).collect()
    }

    fn numbers(&self) -> ReplayNumbering<'_> {
        ReplayNumbering { program: &self.program, events: self.replay.events() }
    }
}

/// Returns up to `limit` events of a replay after the given number, their inputs, and the start of the next page.
/// `about` returns when an input was accepted, and where a fork after it starts.
pub(crate) fn page(
    replay: &MatchReplay,
    after: u32,
    limit: usize,
    about: impl Fn(&ReplayedInput) -> (Option<i64>, Option<u32>),
) -> (Vec<ReplayInput>, Vec<ReplayEvent>, Option<u32>) {
    let (inputs, events) = (replay.inputs(), replay.events());
    let first = (after as usize).min(events.len());
    let last = first.saturating_add(limit).min(events.len());
    // An input is on the page of the event that follows it.
    let mut before = 0;
    let mut shown = Vec::new();
    for input in inputs {
        if (first..last).contains(&before) || before == last && last == events.len() {
            shown.push(replay_input(input, about(input)));
        }
        before = input.events.map_or(before, |(_, last)| last as usize);
    }
    let knows_all = replay.viewpoint() == ReplayViewpoint::Omniscient;
    let here = events[first..last].iter().map(|event| replay_event(event, knows_all)).collect();
    (shown, here, (last < events.len()).then_some(last as u32))
}

fn replay_input(input: &ReplayedInput, (at_ms, fork_at): (Option<i64>, Option<u32>)) -> ReplayInput {
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

/// Converts the engine's event ids to the numbers of a replay.
pub(crate) struct ReplayNumbering<'a> {
    pub(crate) program: &'a Program,
    pub(crate) events: &'a [ReplayedEvent],
}

impl ReplayNumbering<'_> {
    pub(crate) fn in_progress_info(&self, at: &FrameSummary) -> InProgressInfo {
        let (file, line) = source_line(self.program, at.place);
        InProgressInfo {
            kind: at.kind.name().to_owned(),
            name: at.name.clone(),
            event: self.number_of(at.event),
            stage: at.stage.map(|stage| stage.name().to_owned()),
            source: at.source.clone(),
            file,
            line,
        }
    }

    pub(crate) fn reaction_info(&self, reaction: &PendingReaction) -> ReactionInfo {
        let (file, line) = source_line(self.program, reaction.place);
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

    fn number_of(&self, id: u32) -> Option<u32> {
        self.events.iter().find(|event| event.id == id && id != 0).map(|event| event.n)
    }
}

/// Returns the file and line of a source location.
pub(crate) fn source_line(program: &Program, place: Option<SourceLocation>) -> (Option<String>, Option<u32>) {
    let file = place.and_then(|place| program.files.get(usize::from(place.file)).cloned());
    (file, place.map(|place| place.line))
}

pub(crate) fn replay_event(event: &ReplayedEvent, knows_all: bool) -> ReplayEvent {
    ReplayEvent {
        n: event.n,
        input: event.input,
        event: event.event.clone(),
        status: match event.status {
            EventStatus::Applied => ReplayStatus::Applied,
            EventStatus::Prevented => ReplayStatus::Prevented,
            EventStatus::Failed => ReplayStatus::Failed,
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
    let input = |entry: &intermezzo_matchfile::InputRecord| BranchInput {
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
    let branch = |(index, branch): (usize, &intermezzo_matchfile::UndoBranch)| ReplayBranch {
        number: index + 1,
        parent: branch.parent.map(|parent| parent + 1),
        from: branch.from,
        by: branch.by,
        agreed: branch.agreed.clone(),
        inputs: branch.inputs.iter().map(input).collect(),
    };
    file.branches.iter().enumerate().map(branch).collect()
}

/// Returns the name of a viewer in URLs.
pub(crate) fn viewer_name(who: ReplayViewpoint) -> String {
    match who {
        ReplayViewpoint::Omniscient => "all".to_owned(),
        ReplayViewpoint::Viewer(Viewer::Spectator) => "spectator".to_owned(),
        ReplayViewpoint::Viewer(Viewer::Seat(Seat(seat))) => format!("seat{seat}"),
    }
}

/// Parses the name of a viewer in URLs.
pub(crate) fn parse_viewer(name: &str) -> Option<ReplayViewpoint> {
    match name {
        "all" => Some(ReplayViewpoint::Omniscient),
        "spectator" => Some(ReplayViewpoint::Viewer(Viewer::Spectator)),
        name => {
            let seat = name.strip_prefix("seat")?.parse().ok()?;
            Some(ReplayViewpoint::Viewer(Viewer::Seat(Seat(seat))))
        }
    }
}

/// Returns the open questions as JSON.
pub(crate) fn prompts(moment: &ReplayState) -> Vec<serde_json::Value> {
    moment.prompts.iter().map(to_json).collect()
}
