//! Matches that are being played: what can be done, and doing it.

use intermezzo_engine::Viewer;
use intermezzo_protocol::resources::{
    ActionsNow, Answers, OpenInputs, PathNext, PathSoFar, Taken, TurnInfo, ViewNow,
};
use intermezzo_protocol::{Code, Control, Problem};
use intermezzo_ruleset::Seat;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::super::call::Call;
use super::super::param::{DOING, LOOKING};
use super::super::reply::Reply;
use super::super::route::Route;
use super::super::{shapes, watching};
use crate::room::{Look, Wish, datum};

/// Why something that is sent to a match may be refused.
const REFUSALS: &[Code] =
    &[Code::Illegal, Code::Stale, Code::Closed, Code::Paused, Code::NotAllowed, Code::RuleFailed];
/// Why a match may not be looked at.
const UNSEEN: &[Code] = &[Code::NotAllowed, Code::Closed, Code::RuleFailed];
/// Why something about one question may be refused.
const UNASKED: &[Code] = &[Code::Illegal, Code::Closed, Code::NotAllowed, Code::RuleFailed, Code::Invalid];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/me/turns", "The matches that wait for the account", |call| Box::pin(turns(call)))
            .signed_in()
            .gives::<Vec<TurnInfo>>(200),
        Route::get("/matches/{id}/view", "All the viewer may see", |call| Box::pin(view(call)))
            .knows()
            .asks(LOOKING)
            .gives::<ViewNow>(200)
            .with_version()
            .codes(UNSEEN),
        Route::get(
            "/matches/{id}/actions",
            "What the seat can do now, and why the rest cannot be done",
            |call| Box::pin(actions(call)),
        )
        .signed_in()
        .asks(DOING)
        .gives::<ActionsNow>(200)
        .with_version()
        .codes(UNSEEN),
        Route::post("/matches/{id}/actions", "Takes an action", |call| Box::pin(act(call)))
            .command()
            .asks(DOING)
            .takes::<AnyAction>()
            .gives::<Taken>(200)
            .with_version()
            .codes(REFUSALS),
        Route::get("/matches/{id}/inputs", "The questions that are open for the viewer", |call| {
            Box::pin(inputs(call))
        })
        .knows()
        .asks(LOOKING)
        .gives::<OpenInputs>(200)
        .with_version()
        .codes(UNSEEN),
        Route::post("/matches/{id}/inputs/{inputId}", "Answers a question", |call| Box::pin(answer(call)))
            .command()
            .asks(DOING)
            .takes::<Answers>()
            .gives::<Taken>(200)
            .with_version()
            .codes(REFUSALS),
        Route::put(
            "/matches/{id}/inputs/{inputId}/draft",
            "Says what the answer is if the clock runs out",
            |call| Box::pin(draft(call)),
        )
        .command()
        .asks(DOING)
        .takes::<Answers>()
        .gives::<Taken>(200)
        .with_version()
        .codes(REFUSALS),
        Route::post(
            "/matches/{id}/inputs/{inputId}/path",
            "What may follow the beginning of a path",
            |call| Box::pin(path(call)),
        )
        .signed_in()
        .asks(DOING)
        .takes::<PathSoFar>()
        .gives::<PathNext>(200)
        .codes(UNASKED),
        Route::post(
            "/matches/{id}/control",
            "Concedes, takes back, agrees, passes by itself; moderates",
            |call| Box::pin(control(call)),
        )
        .command()
        .asks(DOING)
        .takes::<Control>()
        .gives::<Taken>(200)
        .with_version()
        .codes(REFUSALS),
    ];
    routes.into_iter().map(|route| route.tag("play")).collect()
}

/// An action in one of the shapes that are understood.
struct AnyAction;

impl JsonSchema for AnyAction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyAction".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let drag = schemas.subschema_for::<intermezzo_protocol::Drag>();
        let text = json!({"type": "string"});
        let ids = json!({"^.+Id$": {"description": "a target by its name"}});
        let named = |name: &str| {
            json!({
                "type": "object",
                "required": [name],
                "properties": {
                    name: {"type": "string", "description": "the name of the action"},
                    "targets": {"description": "by target, or in order, by the names of the view"},
                    "params": {"description": "further choices by name"},
                },
                "patternProperties": ids,
                "additionalProperties": false,
            })
        };
        let mut semantic = named("action_id");
        semantic["properties"]["type"] = json!({"const": "semantic"});
        semantic["required"] = json!(["type", "action_id"]);
        schemars::json_schema!({
            "description": "An action by its name, or one thing dragged onto another. All shapes mean the same.",
            "anyOf": [
                named("type"),
                named("actionType"),
                semantic,
                {
                    "type": "object",
                    "required": ["type", "cardId", "to"],
                    "properties": {
                        "type": {"const": "direct_manipulation"},
                        "cardId": text, "to": text, "action": {}, "from": {}, "metadata": {},
                    },
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "required": ["direct_manipulation"],
                    "properties": {"direct_manipulation": drag},
                    "additionalProperties": false,
                },
            ],
        })
    }
}

async fn turns(call: Call) -> Result<Reply, Problem> {
    let account = &call.caller()?.account.id;
    let mut turns = Vec::new();
    for record in call.house().playing(account).await? {
        for seat in record.seats_of(account) {
            // A match that cannot be looked at now, or has just ended, waits for nobody.
            let text = call.app().look(record.id, Viewer::Seat(Seat(seat)), Look::Prompts).await;
            let asked = text.ok().and_then(|text| read(&text).ok()).unwrap_or_default();
            let Some(prompt) = asked["prompts"].get(0) else { continue };
            turns.push(TurnInfo {
                match_id: record.id.to_string(),
                seat,
                title: prompt["title"].as_str().unwrap_or_default().to_owned(),
                deadline_ts: prompt["deadlineTs"].as_i64(),
            });
        }
    }
    Reply::json(&turns)
}

async fn view(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    if let Some(delay) = watching::delay(&record, viewer) {
        return watching::delayed_view(&call, record.id, delay).await;
    }
    let text = call.app().look(record.id, viewer, Look::View).await?;
    versioned(text, "version")
}

async fn inputs(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let viewer = call.viewer(&record)?;
    if watching::delay(&record, viewer).is_some() {
        return Err(Problem::new(Code::NotAllowed, "those who look on later are not told what is asked now"));
    }
    let text = call.app().look(record.id, viewer, Look::Prompts).await?;
    let mut inputs = read(&text)?;
    if let Some(fields) = inputs.as_object_mut() {
        fields.remove("type");
        fields.remove("match");
    }
    versioned(inputs.to_string(), "version")
}

async fn actions(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let text = call.app().look(record.id, call.viewer(&record)?, Look::Actions).await?;
    let mut now = read(&text)?;
    let mut found = now["actions"].take();
    let actions = json!({
        "branchId": now["branchId"],
        "asked": found["asked"],
        "actions": found["available"].take(),
        "unavailable": found["unavailable"].take(),
    });
    versioned(actions.to_string(), "branchId")
}

async fn path(call: Call) -> Result<Reply, Problem> {
    let wish: PathSoFar = call.body()?;
    let record = call.house().match_record(call.match_id()?).await?;
    let so_far = wish.so_far.iter().map(datum).collect::<Result<_, Problem>>()?;
    let look = Look::Path { input: call.number("inputId")?, so_far };
    Ok(Reply::written(call.app().look(record.id, call.viewer(&record)?, look).await?))
}

async fn act(call: Call) -> Result<Reply, Problem> {
    let mut refused = None;
    for action in shapes::readings(call.body()?)? {
        match command(&call, Wish::Act(action)).await {
            Err(problem) if problem.code == Code::Illegal => refused = refused.or(Some(problem)),
            outcome => return outcome,
        }
    }
    Err(refused.unwrap_or_else(|| Problem::new(Code::Invalid, "this is no action")))
}

async fn answer(call: Call) -> Result<Reply, Problem> {
    let wish: Answers = call.body()?;
    let answers = datum(&wish.answers)?;
    command(&call, Wish::Answer { input: call.number("inputId")?, answers }).await
}

async fn draft(call: Call) -> Result<Reply, Problem> {
    let wish: Answers = call.body()?;
    let answers = datum(&wish.answers)?;
    command(&call, Wish::Draft { input: call.number("inputId")?, answers }).await
}

async fn control(call: Call) -> Result<Reply, Problem> {
    command(&call, Wish::Control(call.body()?)).await
}

/// Has something done in a match, from the caller's own seat.
async fn command(call: &Call, wish: Wish) -> Result<Reply, Problem> {
    let caller = call.caller()?;
    let record = call.house().match_record(call.match_id()?).await?;
    let seat = call.seat(&record)?;
    let (id, branch) = (call.command_id()?, call.branch()?);
    let branch_id = call.app().command(record.id, &caller.account, seat, id, branch, wish).await?;
    Ok(Reply::json(&Taken { branch_id })?.at_version(branch_id))
}

/// JSON with the version that it says.
fn versioned(text: String, field: &str) -> Result<Reply, Problem> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head {
        version: Option<u64>,
        branch_id: Option<u64>,
    }
    let head: Head = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let version = if field == "version" { head.version } else { head.branch_id };
    Ok(Reply::written(text).at_version(version.ok_or_else(unreadable)?))
}

fn read(text: &str) -> Result<Value, Problem> {
    serde_json::from_str(text).map_err(|_| unreadable())
}

fn unreadable() -> Problem {
    Problem::new(Code::Internal, "the match has answered something that cannot be read")
}
