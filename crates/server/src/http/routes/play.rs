//! Matches in progress: views, questions, actions, answers and controls.

use intermezzo_engine::Viewer;
use intermezzo_program::Seat;
use intermezzo_protocol::resources::{
    ActionsNow, Answers, CommandReceipt, OpenInputs, PathNext, PathSoFar, TurnInfo, ViewNow,
};
use intermezzo_protocol::{AnyAction, Code, Control, Problem};
use serde_json::{Value, json};

use super::super::call::Call;
use super::super::event_stream;
use super::super::param::{SEAT_PARAMS, VIEWER_PARAMS};
use super::super::reply::HttpReply;
use super::super::route::Route;
use crate::match_task::{CommandBody, MatchQuery, parse_datum};
use intermezzo_session::Command;

/// Problems of commands.
const COMMAND_CODES: &[Code] =
    &[Code::Illegal, Code::Stale, Code::Closed, Code::Paused, Code::NotAllowed, Code::RuleFailed];
/// Problems of viewing a match.
const VIEW_CODES: &[Code] = &[Code::NotAllowed, Code::Closed, Code::RuleFailed];
/// Problems of path requests.
const PATH_CODES: &[Code] = &[Code::Illegal, Code::Closed, Code::NotAllowed, Code::RuleFailed, Code::Invalid];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/me/turns", "Lists the matches that wait for the account", |call| Box::pin(turns(call)))
            .requires_token()
            .returns::<Vec<TurnInfo>>(200),
        Route::get("/matches/{id}/view", "Returns everything the viewer may see", |call| {
            Box::pin(view(call))
        })
        .optional_token()
        .query(VIEWER_PARAMS)
        .returns::<ViewNow>(200)
        .with_version()
        .codes(VIEW_CODES),
        Route::get(
            "/matches/{id}/actions",
            "Returns the seat's possible actions, and why the others are not possible",
            |call| Box::pin(actions(call)),
        )
        .requires_token()
        .query(SEAT_PARAMS)
        .returns::<ActionsNow>(200)
        .with_version()
        .codes(VIEW_CODES),
        Route::post("/matches/{id}/actions", "Submits an action", |call| Box::pin(submit_action(call)))
            .command()
            .query(SEAT_PARAMS)
            .accepts::<AnyAction>()
            .returns::<CommandReceipt>(200)
            .with_version()
            .codes(COMMAND_CODES),
        Route::get("/matches/{id}/inputs", "Returns the questions open for the viewer", |call| {
            Box::pin(inputs(call))
        })
        .optional_token()
        .query(VIEWER_PARAMS)
        .returns::<OpenInputs>(200)
        .with_version()
        .codes(VIEW_CODES),
        Route::post("/matches/{id}/inputs/{inputId}", "Answers a question", |call| Box::pin(answer(call)))
            .command()
            .query(SEAT_PARAMS)
            .accepts::<Answers>()
            .returns::<CommandReceipt>(200)
            .with_version()
            .codes(COMMAND_CODES),
        Route::put(
            "/matches/{id}/inputs/{inputId}/draft",
            "Sets the answer that applies if time runs out",
            |call| Box::pin(draft(call)),
        )
        .command()
        .query(SEAT_PARAMS)
        .accepts::<Answers>()
        .returns::<CommandReceipt>(200)
        .with_version()
        .codes(COMMAND_CODES),
        Route::post(
            "/matches/{id}/inputs/{inputId}/path",
            "Returns the steps that may follow the beginning of a path",
            |call| Box::pin(path(call)),
        )
        .requires_token()
        .query(SEAT_PARAMS)
        .accepts::<PathSoFar>()
        .returns::<PathNext>(200)
        .codes(PATH_CODES),
        Route::post(
            "/matches/{id}/control",
            "Concedes, undoes, consents to an undo, sets auto-pass, moderates",
            |call| Box::pin(control(call)),
        )
        .command()
        .query(SEAT_PARAMS)
        .accepts::<Control>()
        .returns::<CommandReceipt>(200)
        .with_version()
        .codes(COMMAND_CODES),
    ];
    routes.into_iter().map(|route| route.tag("play")).collect()
}

async fn turns(call: Call) -> Result<HttpReply, Problem> {
    let account = &call.caller()?.account.id;
    let mut turns = Vec::new();
    for record in call.services().matches_in_progress(account).await? {
        for seat in record.seats_of(account) {
            // A match that cannot be read now, or has just ended, is skipped.
            let text = call.app().query(record.id, Viewer::Seat(Seat(seat)), MatchQuery::Prompts).await;
            let asked = text.ok().and_then(|text| parse_json(&text).ok()).unwrap_or_default();
            let Some(prompt) = asked["prompts"].get(0) else { continue };
            turns.push(TurnInfo {
                match_id: record.id.to_string(),
                seat,
                title: prompt["title"].as_str().unwrap_or_default().to_owned(),
                deadline_ts: prompt["deadlineTs"].as_i64(),
            });
        }
    }
    HttpReply::json(&turns)
}

async fn view(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    if let Some(delay) = event_stream::spectator_delay_ms(&record, viewer) {
        return event_stream::delayed_view(&call, record.id, delay).await;
    }
    let text = call.app().query(record.id, viewer, MatchQuery::View).await?;
    versioned_reply(text, "version")
}

async fn inputs(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    if event_stream::spectator_delay_ms(&record, viewer).is_some() {
        return Err(Problem::new(Code::NotAllowed, "delayed spectators cannot see open questions"));
    }
    let text = call.app().query(record.id, viewer, MatchQuery::Prompts).await?;
    let mut inputs = parse_json(&text)?;
    if let Some(fields) = inputs.as_object_mut() {
        fields.remove("type");
        fields.remove("match");
    }
    versioned_reply(inputs.to_string(), "version")
}

async fn actions(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().match_record(call.match_id()?).await?;
    let text = call.app().query(record.id, call.viewer(&record)?, MatchQuery::Actions).await?;
    let mut now = parse_json(&text)?;
    let mut found = now["actions"].take();
    let actions = json!({
        "branchId": now["branchId"],
        "asked": found["asked"],
        "actions": found["available"].take(),
        "unavailable": found["unavailable"].take(),
    });
    versioned_reply(actions.to_string(), "branchId")
}

async fn path(call: Call) -> Result<HttpReply, Problem> {
    let request: PathSoFar = call.body()?;
    let record = call.services().match_record(call.match_id()?).await?;
    let so_far = request.so_far.iter().map(parse_datum).collect::<Result<_, Problem>>()?;
    let look = MatchQuery::Path { input: call.path_number("inputId")?, so_far };
    Ok(HttpReply::raw_json(call.app().query(record.id, call.viewer(&record)?, look).await?))
}

async fn submit_action(call: Call) -> Result<HttpReply, Problem> {
    let action: AnyAction = call.body()?;
    command(&call, CommandBody::Act(action.interpretations()?)).await
}

async fn answer(call: Call) -> Result<HttpReply, Problem> {
    let request: Answers = call.body()?;
    let answers = parse_datum(&request.into_answers()?)?;
    command(
        &call,
        CommandBody::Player(Command::Answer { question: call.path_number("inputId")?, answer: answers }),
    )
    .await
}

async fn draft(call: Call) -> Result<HttpReply, Problem> {
    let request: Answers = call.body()?;
    let answers = parse_datum(&request.into_answers()?)?;
    command(
        &call,
        CommandBody::Player(Command::Draft { question: call.path_number("inputId")?, answer: answers }),
    )
    .await
}

async fn control(call: Call) -> Result<HttpReply, Problem> {
    command(&call, CommandBody::Control(call.body()?)).await
}

/// Submits a command from the caller's seat.
async fn command(call: &Call, request: CommandBody) -> Result<HttpReply, Problem> {
    let caller = call.caller()?;
    let record = call.services().match_record(call.match_id()?).await?;
    let seat = call.seat(&record)?;
    let (id, branch) = (call.command_id()?, call.if_match_version()?);
    let branch_id = call.app().submit_command(&record, &caller.account, seat, id, branch, request).await?;
    Ok(HttpReply::json(&CommandReceipt { branch_id })?.at_version(branch_id))
}

/// Returns JSON text with its version as `ETag`.
fn versioned_reply(text: String, field: &str) -> Result<HttpReply, Problem> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct VersionHead {
        version: Option<u64>,
        branch_id: Option<u64>,
    }
    let head: VersionHead = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let version = if field == "version" { head.version } else { head.branch_id };
    Ok(HttpReply::raw_json(text).at_version(version.ok_or_else(unreadable)?))
}

fn parse_json(text: &str) -> Result<Value, Problem> {
    serde_json::from_str(text).map_err(|_| unreadable())
}

fn unreadable() -> Problem {
    Problem::new(Code::Internal, "the match returned invalid data")
}
