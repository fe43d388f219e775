//! The matchmaking queue, ratings and leaderboards.

use intermezzo_protocol::resources::{JoinQueue, LeaderboardRow, Page, QueueLength, QueueStatus, RatingInfo};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::PAGE_PARAMS;
use super::super::reply::HttpReply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/queue", "Lists the queues the account is in", |call| Box::pin(all(call)))
            .requires_token()
            .returns::<Vec<QueueStatus>>(200),
        Route::get("/queues", "Returns the number of waiting players, by ruleset", |call| {
            Box::pin(lengths(call))
        })
        .returns::<Vec<QueueLength>>(200),
        Route::get(
            "/queue/{ruleset}",
            "Returns the status in a queue; poll it at least once a minute",
            |call| Box::pin(status(call)),
        )
        .requires_token()
        .returns::<QueueStatus>(200),
        Route::post("/queue/{ruleset}", "Enters the queue of a ruleset", |call| Box::pin(join(call)))
            .idempotent()
            .accepts_optional::<JoinQueue>()
            .returns::<QueueStatus>(201)
            .codes(&[Code::AlreadyQueued, Code::NotEnough, Code::RuleFailed]),
        Route::delete("/queue/{ruleset}", "Leaves the queue", |call| Box::pin(leave(call)))
            .idempotent()
            .returns_no_content(),
        Route::get("/leaderboards/{ruleset}", "Lists the best players of a ruleset", |call| {
            Box::pin(leaderboard(call))
        })
        .query(PAGE_PARAMS)
        .returns::<Page<LeaderboardRow>>(200)
        .codes(&[Code::Invalid]),
        Route::get("/me/ratings/{ruleset}", "Returns the account's rating in a ruleset", |call| {
            Box::pin(rating(call))
        })
        .requires_token()
        .returns::<RatingInfo>(200),
    ];
    routes.into_iter().map(|route| route.tag("queue")).collect()
}

async fn all(call: Call) -> Result<HttpReply, Problem> {
    let account = &call.caller()?.account.id;
    call.services().refresh_presence(account).await?;
    HttpReply::json(&call.services().queue_statuses(account).await?)
}

async fn lengths(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().queue_lengths().await?)
}

async fn status(call: Call) -> Result<HttpReply, Problem> {
    let account = &call.caller()?.account.id;
    call.services().refresh_presence(account).await?;
    HttpReply::json(&call.services().queue_status(account, call.path_param("ruleset")).await?)
}

async fn join(call: Call) -> Result<HttpReply, Problem> {
    let request: JoinQueue = call.body()?;
    let status = call.services().join_queue(call.caller()?, call.path_param("ruleset"), request).await?;
    let location = format!("/queue/{}", status.ruleset);
    Ok(HttpReply::json(&status)?.created(location))
}

async fn leave(call: Call) -> Result<HttpReply, Problem> {
    call.services().leave_queue(call.caller()?, call.path_param("ruleset")).await?;
    Ok(HttpReply::no_content())
}

async fn leaderboard(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("ruleset")).await?;
    HttpReply::json(&call.services().leaderboard(&info.id, call.window()).await?)
}

async fn rating(call: Call) -> Result<HttpReply, Problem> {
    let info = call.services().ruleset(call.path_param("ruleset")).await?;
    HttpReply::json(&call.services().rating(&info.id, &call.caller()?.account.id).await?)
}
