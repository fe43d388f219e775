//! The history of a match: events, match file and forks.

use axum::body::Bytes;
use axum::http::header;
use intermezzo_engine::Viewer;
use intermezzo_protocol::resources::{EventHistory, ForkAt, MatchInfo, MatchStatus};
use intermezzo_protocol::{Code, Problem};
use intermezzo_session::{RecordError, SessionEntry, record};

use super::super::call::Call;
use super::super::event_stream;
use super::super::param::{ParamKind, ParamSpec, SEAT, SINCE, SPECTATE, TICKET};
use super::super::reply::HttpReply;
use super::super::route::Route;
use crate::app::match_details;
use crate::match_task::{ForkedRows, MatchConfig, fork_rows, read_entries};
use intermezzo_services::{Caller, MatchRecord, StartedMatch};

/// Default number of steps on a page.
const DEFAULT_STEPS: u64 = 100;
/// Maximum number of steps in a response.
const MAX_STEPS: u64 = 10_000;

const HISTORY: &[ParamSpec] = &[
    TICKET,
    SEAT,
    SPECTATE,
    SINCE,
    ParamSpec {
        name: "limit",
        about: "Maximum number of steps",
        kind: ParamKind::Number { min: 1, max: MAX_STEPS },
    },
];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches/{id}/events",
            "Returns the events as the viewer saw them; `Accept` selects a page, lines or a live stream",
            |call| Box::pin(events(call)),
        )
        .optional_token()
        .query(HISTORY)
        .returns::<EventHistory>(200)
        .returns_media("application/x-ndjson")
        .returns_media("text/event-stream")
        .codes(&[Code::NotAllowed, Code::Closed]),
        Route::get("/matches/{id}/log", "Returns the match file of an ended match", |call| {
            Box::pin(log(call))
        })
        .optional_token()
        .returns_media("application/json")
        .codes(&[Code::NotAllowed, Code::Closed, Code::NotReady, Code::TooLarge]),
        Route::post(
            "/matches/{id}/fork",
            "Creates a match that continues from an input of this one",
            |call| Box::pin(fork(call)),
        )
        .idempotent()
        .accepts::<ForkAt>()
        .returns::<MatchInfo>(201)
        .codes(&[Code::NotAllowed, Code::Closed, Code::NotReady, Code::TooLarge]),
    ];
    routes.into_iter().map(|route| route.tag("watching")).collect()
}

async fn events(mut call: Call) -> Result<HttpReply, Problem> {
    if let Some(ticket) = call.query_param("ticket") {
        let (account, _) = call.services().redeem_ticket(ticket).await?;
        call.caller = Some(Caller::from(account));
    }
    let record = call.services().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    let accept = call.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("text/event-stream") {
        return event_stream::stream_frames(&call, &record, viewer, last_seen(&call)).await;
    }
    let since = call.query_number("since").unwrap_or(0);
    let is_lines = accept.contains("application/x-ndjson");
    let usual = if is_lines { MAX_STEPS } else { DEFAULT_STEPS };
    let limit = call.query_number("limit").unwrap_or(usual).min(MAX_STEPS);
    let past =
        event_stream::history(&call, &record, viewer, since, usize::try_from(limit).unwrap_or(1)).await?;
    Ok(match is_lines {
        true => HttpReply::text("application/x-ndjson", past.lines()),
        false => HttpReply::raw_json(past.page()),
    })
}

/// Returns the version that the client of a stream has: `Last-Event-ID`, or the `since` parameter.
fn last_seen(call: &Call) -> Option<u64> {
    let header = call.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    header.and_then(|id| id.trim().parse().ok()).or_else(|| call.query_number("since"))
}

async fn log(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let config = open_log(&call, &record).await?;
    if let Some(text) = call.api.logs.find(&record.id) {
        return Ok(HttpReply::text("application/json", text));
    }
    let permit = call.replay_permit().await?;
    // Another request may have written it while this one waited.
    if let Some(text) = call.api.logs.find(&record.id) {
        return Ok(HttpReply::text("application/json", text));
    }
    let entries = read_entries(&call.app().store, record.id, u64::MAX).await?;
    let recording = call.services().run_blocking(move || {
        let file = self::record(&config.program, &config.setup, &entries);
        drop(permit);
        file.map(|file| Bytes::from(file.to_text()))
    });
    let text = recording.await?.map_err(|error| record_error(&record, &error))?;
    call.api.logs.insert(record.id, &text);
    Ok(HttpReply::text("application/json", text))
}

/// Returns the settings of an ended match, if the caller may watch it and its secrets are open.
async fn open_log(call: &Call, record: &MatchRecord) -> Result<MatchConfig, Problem> {
    let own = call.account().is_some_and(|account| !record.seats_of(&account.id).is_empty());
    if !own && call.app().viewer(record, call.account(), None, true)? != Viewer::Spectator {
        return Err(Problem::new(Code::NotAllowed, "this match does not allow spectators"));
    }
    if record.status != MatchStatus::Ended {
        let detail = "the log is available after the match; until then use `/events`";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "not_over"));
    }
    let config = match_details(call.services(), record.id).await?.config;
    if config.program.stays_hidden {
        let detail =
            "this ruleset keeps hidden information secret after the match; use `/events` for what you saw";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "stays_hidden"));
    }
    Ok(config)
}

/// Returns the problem for a match whose file cannot be built.
pub(super) fn record_error(record: &MatchRecord, error: &RecordError) -> Problem {
    match error {
        RecordError::TooLarge => Problem::new(Code::TooLarge, format!("{error}; use `/events`")),
        _ => log_error(record, &error.to_string()),
    }
}

pub(super) fn log_error(record: &MatchRecord, why: &str) -> Problem {
    tracing::error!(r#match = %record.id, why, "match cannot be rebuilt from its log");
    Problem::new(Code::Internal, "the match cannot be rebuilt from its log; contact the operator")
}

/// The reason why a match cannot be forked.
enum ForkError {
    TooLate { inputs: usize },
    NoFile(RecordError),
    Broken(String),
}

/// Runs a match up to an input and returns the rows of a match that continues from there.
fn rows_until(
    config: MatchConfig,
    entries: &[SessionEntry],
    now: i64,
    at: u32,
) -> Result<ForkedRows, ForkError> {
    let file = record(&config.program, &config.setup, entries);
    let file = file.map_err(ForkError::NoFile)?;
    let inputs = file.inputs.len();
    let fork = file.fork(None, at).map_err(|_| ForkError::TooLate { inputs })?;
    fork_rows(config, now, &fork).map_err(ForkError::Broken)
}

async fn fork(call: Call) -> Result<HttpReply, Problem> {
    let request: ForkAt = call.body()?;
    let caller = call.caller()?;
    let record = call.services().match_record(call.match_id()?).await?;
    let config = open_log(&call, &record).await?;
    let permit = call.replay_permit().await?;
    let entries = read_entries(&call.app().store, record.id, u64::MAX).await?;
    let at = call.app().store.now();
    let forking = call.services().run_blocking(move || {
        let rows = rows_until(config, &entries, at, request.at);
        drop(permit);
        rows
    });
    let rows = forking.await?.map_err(|error| match error {
        ForkError::TooLate { inputs } => {
            let detail = format!("the match has only {inputs} inputs");
            Problem::new(Code::Invalid, detail).with("inputs", inputs)
        }
        ForkError::NoFile(error) => record_error(&record, &error),
        ForkError::Broken(why) => log_error(&record, &why),
    })?;
    if rows.is_over {
        return Err(Problem::new(
            Code::Invalid,
            "the match has ended at that input; fork from an earlier one",
        ));
    }
    let forked = call.services().fork_match(caller, &record, rows.rows).await?;
    call.app().announce_start(&StartedMatch { record: forked.clone() }).await?;
    let location = format!("/matches/{}", forked.id);
    Ok(HttpReply::json(&forked.info(Some(&caller.account.id)))?.created(location))
}
