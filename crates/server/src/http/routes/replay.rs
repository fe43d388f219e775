//! Replays of ended matches, event by event.

use std::sync::Arc;

use intermezzo_engine::Viewer;
use intermezzo_matchfile::{ReplayViewpoint, to_json};
use intermezzo_program::Seat;
use intermezzo_protocol::resources::{MatchStatus, ReplayMoment, ReplayPage};
use intermezzo_protocol::{Code, Problem, SeatOccupant};

use super::super::call::Call;
use super::super::param::{ParamKind, ParamSpec};
use super::super::replay_cache::{OpenReplay, ReplayError, parse_viewer, prompts, viewer_name};
use super::super::reply::HttpReply;
use super::super::route::Route;
use super::events::{log_error, record_error};
use crate::app::match_details;
use crate::match_task::read_timed_entries;
use intermezzo_services::MatchRecord;

/// Default number of events on a page.
const DEFAULT_EVENTS: u64 = 500;
/// Maximum number of events on a page.
const MAX_EVENTS: u64 = 2000;

const AS: ParamSpec = ParamSpec {
    name: "as",
    about: "The viewer: `all`, `spectator`, or `seat0`, `seat1`, …; by default `all` if that is allowed",
    kind: ParamKind::Viewer,
};

const PAGE: &[ParamSpec] = &[
    AS,
    ParamSpec {
        name: "after",
        about: "Number of the last event the client has",
        kind: ParamKind::Number { min: 0, max: u32::MAX as u64 },
    },
    ParamSpec {
        name: "limit",
        about: "Maximum number of events",
        kind: ParamKind::Number { min: 1, max: MAX_EVENTS },
    },
];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches/{id}/replay",
            "Returns an ended match event by event, with causes and sentences",
            |call| Box::pin(page(call)),
        )
        .optional_token()
        .query(PAGE)
        .returns::<ReplayPage>(200)
        .codes(&[Code::NotAllowed, Code::Closed, Code::Invalid, Code::TooLarge]),
        Route::get("/matches/{id}/replay/{at}", "Returns the state after an event", |call| {
            Box::pin(moment(call))
        })
        .optional_token()
        .query(&[AS])
        .returns::<ReplayMoment>(200)
        .codes(&[Code::NotAllowed, Code::Closed, Code::Invalid, Code::TooLarge]),
    ];
    routes.into_iter().map(|route| route.tag("watching")).collect()
}

async fn page(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let open = open_replay(&call, &record).await?;
    let after = call.query_number("after").and_then(|after| u32::try_from(after).ok()).unwrap_or(0);
    let limit = call.query_number("limit").unwrap_or(DEFAULT_EVENTS).min(MAX_EVENTS);
    let (inputs, events, next) = open.page(after, usize::try_from(limit).unwrap_or(1));
    let seated = |(seat, sitting): (u8, &intermezzo_services::SeatRecord)| SeatOccupant {
        seat,
        name: sitting.name.clone().unwrap_or_default(),
        bot: sitting.bot.and_then(|bot| serde_json::to_value(bot).ok()?.as_str().map(str::to_owned)),
    };
    HttpReply::json(&ReplayPage {
        match_id: record.id.to_string(),
        viewer: viewer_name(open.replay.viewpoint()),
        ruleset: record.ruleset.clone(),
        seats: (0u8..).zip(&record.seats).map(seated).collect(),
        started_ms: record.started_ms,
        ended_ms: record.ended_ms,
        input_count: open.replay.inputs().len(),
        event_count: open.replay.events().len(),
        inputs,
        events,
        branches: if after == 0 { open.replay_branches().to_vec() } else { Vec::new() },
        ending: record.ending.clone(),
        next,
    })
}

async fn moment(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let at: u32 = call.path_number("at")?;
    let open = open_replay(&call, &record).await?;
    let permit = call.replay_permit().await?;
    let replay = Arc::clone(&open);
    let inspecting = call.services().run_blocking(move || {
        let state = replay.replay.state_after(at);
        drop(permit);
        state
    });
    let found = inspecting.await?.map_err(|mismatch| log_error(&record, &mismatch.to_string()))?;
    let moment = found.ok_or_else(|| Problem::not_found("event"))?;
    HttpReply::json(&ReplayMoment {
        match_id: record.id.to_string(),
        viewer: viewer_name(open.replay.viewpoint()),
        at,
        input: moment.input,
        view: to_json(&moment.view),
        is_waiting: moment.is_waiting,
        prompts: prompts(&moment),
        under_way: open.in_progress(&moment),
        pending_reactions: open.reactions(&moment),
    })
}

/// Returns the requested replay, if the caller may see it.
async fn open_replay(call: &Call, record: &MatchRecord) -> Result<Arc<OpenReplay>, Problem> {
    let own = call.account().map(|account| record.seats_of(&account.id)).unwrap_or_default();
    if own.is_empty() {
        call.app().viewer(record, call.account(), None, true)?;
    }
    if record.status != MatchStatus::Ended {
        let detail = "the replay is available after the match; until then use `/events`";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "not_over"));
    }
    let opening = match_details(call.services(), record.id).await?;
    let who = viewer(call, record, &own, opening.config.program.stays_hidden)?;
    if let Some(open) = call.api.replays.find(record.id, who) {
        return Ok(open);
    }
    let permit = call.replay_permit().await?;
    // Another request may have opened it while this one waited.
    if let Some(open) = call.api.replays.find(record.id, who) {
        return Ok(open);
    }
    let past = read_timed_entries(&call.app().store, record.id, u64::MAX).await?;
    let (terms, started) = (opening.config, opening.started_at);
    let opening = call.services().run_blocking(move || {
        let open = OpenReplay::open(&terms, started, &past, who);
        drop(permit);
        open
    });
    let open = opening.await?.map_err(|error| match error {
        ReplayError::NoFile(error) => record_error(record, &error),
        ReplayError::Broken(why) => log_error(record, &why),
    });
    let open = Arc::new(open?);
    call.api.replays.insert(record.id, &open);
    Ok(open)
}

/// Returns the viewer of the replay. If hidden information stays hidden, callers see only what they saw during the
/// match.
fn viewer(
    call: &Call,
    record: &MatchRecord,
    own: &[u8],
    stays_hidden: bool,
) -> Result<ReplayViewpoint, Problem> {
    let default_viewer = || match own.first() {
        _ if !stays_hidden => ReplayViewpoint::Omniscient,
        Some(seat) => ReplayViewpoint::Viewer(Viewer::Seat(Seat(*seat))),
        None => ReplayViewpoint::Viewer(Viewer::Spectator),
    };
    let asked = call.query_param("as").map(parse_viewer);
    let who = asked.unwrap_or_else(|| Some(default_viewer()));
    let who = who.ok_or_else(|| Problem::new(Code::Invalid, "`as` must be `all`, `spectator` or a seat"))?;
    let hidden = || {
        let detail =
            "this ruleset keeps hidden information secret after the match; use your seat or `spectator`";
        Problem::new(Code::NotAllowed, detail).with("reason", "stays_hidden")
    };
    match who {
        ReplayViewpoint::Omniscient if stays_hidden => Err(hidden()),
        ReplayViewpoint::Viewer(Viewer::Seat(Seat(seat))) if usize::from(seat) >= record.seats.len() => {
            let detail = format!("the match has only {} seats", record.seats.len());
            Err(Problem::new(Code::Invalid, detail).with("seats", record.seats.len()))
        }
        ReplayViewpoint::Viewer(Viewer::Seat(Seat(seat))) if stays_hidden && !own.contains(&seat) => {
            Err(hidden())
        }
        who => Ok(who),
    }
}
