//! What has happened in a match: its events, its log, and playing on from any point of it.

use axum::http::header;
use intermezzo_desk::record;
use intermezzo_engine::Viewer;
use intermezzo_journal::MatchFile;
use intermezzo_protocol::resources::{ForkAt, MatchInfo, MatchStatus, Past};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::{Kind, Param, SEAT, SINCE, SPECTATE};
use super::super::reply::Reply;
use super::super::route::Route;
use super::super::watching;
use crate::app::opening;
use crate::house::{MatchRecord, Started};
use crate::room::{forked_rows, past};

/// Steps that are told at once, unless told otherwise.
const USUAL: u64 = 100;
/// The most steps of a stream that ends.
const MOST: u64 = 10_000;

const HISTORY: &[Param] = &[
    SEAT,
    SPECTATE,
    SINCE,
    Param { name: "limit", about: "how many steps at most", kind: Kind::Number { min: 1, max: MOST } },
];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches/{id}/events",
            "What has happened, as the viewer saw it; as a stream of lines, or one that goes on, by `Accept`",
            |call| Box::pin(events(call)),
        )
        .knows()
        .asks(HISTORY)
        .gives::<Past>(200)
        .gives_media("application/x-ndjson")
        .gives_media("text/event-stream")
        .codes(&[Code::NotAllowed, Code::Closed]),
        Route::get("/matches/{id}/log", "The match file of a match that is over", |call| Box::pin(log(call)))
            .knows()
            .gives_media("application/json")
            .codes(&[Code::NotAllowed, Code::Closed, Code::NotReady]),
        Route::post(
            "/matches/{id}/fork",
            "A match of one's own that goes on from an input of this one",
            |call| Box::pin(fork(call)),
        )
        .once()
        .takes::<ForkAt>()
        .gives::<MatchInfo>(201)
        .codes(&[Code::NotAllowed, Code::Closed, Code::NotReady]),
    ];
    routes.into_iter().map(|route| route.tag("watching")).collect()
}

async fn events(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    let accept = call.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("text/event-stream") {
        return watching::live(&call, &record, viewer, last_seen(&call)).await;
    }
    let since = call.asked_number("since").unwrap_or(0);
    let is_lines = accept.contains("application/x-ndjson");
    let usual = if is_lines { MOST } else { USUAL };
    let limit = call.asked_number("limit").unwrap_or(usual).min(MOST);
    let past = watching::past(&call, &record, viewer, since, usize::try_from(limit).unwrap_or(1)).await?;
    if !is_lines {
        return Reply::json(&past);
    }
    let lines = past.items.iter().filter_map(|step| serde_json::to_string(step).ok());
    Ok(Reply::text("application/x-ndjson", lines.map(|line| line + "\n").collect()))
}

/// The version that the client of a stream has: as its browser says, or as it was asked for.
fn last_seen(call: &Call) -> Option<u64> {
    let header = call.headers.get("last-event-id").and_then(|id| id.to_str().ok());
    header.and_then(|id| id.trim().parse().ok()).or_else(|| call.asked_number("since"))
}

async fn log(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let file = file(&call, &record).await?;
    Ok(Reply::text("application/json", file.to_text()))
}

/// The match file of a match that is over, if everything is open then and the caller may look on.
async fn file(call: &Call, record: &MatchRecord) -> Result<MatchFile, Problem> {
    let own = call.account().is_some_and(|account| !record.seats_of(&account.id).is_empty());
    if !own && call.app().viewer(record, call.account(), None, true)? != Viewer::Spectator {
        return Err(Problem::new(Code::NotAllowed, "nobody may look on at this match"));
    }
    if record.status != MatchStatus::Ended {
        let detail = "the log is open when the match is over; until then see `/events`";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "not_over"));
    }
    let opening = opening(call.house(), record.id).await?;
    let terms = opening.terms;
    if terms.program.stays_hidden {
        let detail = "what was hidden in this game stays hidden; see `/events` for what you saw";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "stays_hidden"));
    }
    let entries = past(&call.app().store, record.id, u64::MAX).await?;
    let recording = tokio::task::spawn_blocking(move || self::record(&terms.program, &terms.setup, &entries));
    let recorded = recording.await.map_err(|error| broken(record, &error.to_string()))?;
    recorded.map_err(|error| broken(record, &error.to_string()))
}

pub(super) fn broken(record: &MatchRecord, why: &str) -> Problem {
    tracing::error!(r#match = %record.id, why, "the log of a match cannot be made");
    Problem::new(Code::Internal, "the match cannot be rebuilt from its record; an operator has to look at it")
}

async fn fork(call: Call) -> Result<Reply, Problem> {
    let wish: ForkAt = call.body()?;
    let caller = call.caller()?;
    let record = call.house().match_record(call.match_id()?).await?;
    let file = file(&call, &record).await?;
    let fork = file.fork(None, wish.at);
    let fork = fork.map_err(|_| {
        let detail = format!("there are only {} inputs", file.inputs.len());
        Problem::new(Code::Invalid, detail).with("inputs", file.inputs.len())
    })?;
    let opening = opening(call.house(), record.id).await?;
    let at = call.app().store.now();
    let rows = forked_rows(opening.terms, at, &fork);
    let rows = rows.map_err(|why| broken(&record, &why))?;
    if rows.is_over {
        return Err(Problem::new(Code::Invalid, "the match is over there; go on from an earlier input"));
    }
    let forked = call.house().fork_match(caller, &record, rows.rows).await?;
    call.app().begin(&Started { record: forked.clone() }).await?;
    let location = format!("/matches/{}", forked.id);
    Ok(Reply::json(&forked.info(Some(&caller.account.id)))?.made(location))
}
