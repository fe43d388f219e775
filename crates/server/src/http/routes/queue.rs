//! Waiting for others to play with, and who plays best.

use intermezzo_protocol::resources::{JoinQueue, Page, QueueLength, QueueStatus, RatingInfo, Standing};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::PAGED;
use super::super::reply::Reply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/queue", "Everything the account waits for", |call| Box::pin(all(call)))
            .signed_in()
            .gives::<Vec<QueueStatus>>(200),
        Route::get("/queues", "How many wait, by ruleset", |call| Box::pin(lengths(call)))
            .gives::<Vec<QueueLength>>(200),
        Route::get(
            "/queue/{ruleset}",
            "How far waiting has come; to be asked at least every minute",
            |call| Box::pin(status(call)),
        )
        .signed_in()
        .gives::<QueueStatus>(200),
        Route::post("/queue/{ruleset}", "Begins to wait for others to play with", |call| {
            Box::pin(join(call))
        })
        .once()
        .may_take::<JoinQueue>()
        .gives::<QueueStatus>(201)
        .codes(&[Code::AlreadyQueued, Code::NotEnough, Code::RuleFailed]),
        Route::delete("/queue/{ruleset}", "Waits no longer", |call| Box::pin(leave(call)))
            .once()
            .gives_nothing(),
        Route::get("/leaderboards/{ruleset}", "Who plays a ruleset best", |call| Box::pin(leaderboard(call)))
            .asks(PAGED)
            .gives::<Page<Standing>>(200)
            .codes(&[Code::Invalid]),
        Route::get("/me/ratings/{ruleset}", "How well the account plays a ruleset", |call| {
            Box::pin(rating(call))
        })
        .signed_in()
        .gives::<RatingInfo>(200),
    ];
    routes.into_iter().map(|route| route.tag("queue")).collect()
}

async fn all(call: Call) -> Result<Reply, Problem> {
    let account = &call.caller()?.account.id;
    call.house().present(account).await?;
    Reply::json(&call.house().queue_statuses(account).await?)
}

async fn lengths(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().queue_lengths().await?)
}

async fn status(call: Call) -> Result<Reply, Problem> {
    let account = &call.caller()?.account.id;
    call.house().present(account).await?;
    Reply::json(&call.house().queue_status(account, call.place("ruleset")).await?)
}

async fn join(call: Call) -> Result<Reply, Problem> {
    let wish: JoinQueue = call.body()?;
    let status = call.house().join_queue(call.caller()?, call.place("ruleset"), wish).await?;
    let location = format!("/queue/{}", status.ruleset);
    Ok(Reply::json(&status)?.made(location))
}

async fn leave(call: Call) -> Result<Reply, Problem> {
    call.house().leave_queue(call.caller()?, call.place("ruleset")).await?;
    Ok(Reply::nothing())
}

async fn leaderboard(call: Call) -> Result<Reply, Problem> {
    let info = call.house().ruleset(call.place("ruleset")).await?;
    Reply::json(&call.house().leaderboard(&info.id, call.window()).await?)
}

async fn rating(call: Call) -> Result<Reply, Problem> {
    let info = call.house().ruleset(call.place("ruleset")).await?;
    Reply::json(&call.house().rating(&info.id, &call.caller()?.account.id).await?)
}
