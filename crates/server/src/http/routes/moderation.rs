//! Moderation: reports of players, and what moderators do about accounts and rulesets.

use intermezzo_protocol::resources::{
    AccountInfo, BanAccount, ChangeOwner, ModerationInfo, ModerationReason, NewReport, Page, ReportInfo,
    RulesetInfo, ServerStatus,
};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::{CURSOR, LIMIT, MATCH_FILTER, PAGE_PARAMS};
use super::super::reply::HttpReply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get("/moderations", "Lists moderator actions, newest first; for moderators", |call| {
            Box::pin(moderations(call))
        })
        .requires_token()
        .query(&[MATCH_FILTER, CURSOR, LIMIT])
        .returns::<Page<ModerationInfo>>(200)
        .codes(&[Code::NotAllowed, Code::Invalid]),
        Route::get("/server", "Returns what the server is doing; for moderators", |call| {
            Box::pin(server_status(call))
        })
        .requires_token()
        .returns::<ServerStatus>(200)
        .codes(&[Code::NotAllowed]),
        Route::post("/reports", "Reports an account, a match or a ruleset to the moderators", |call| {
            Box::pin(report(call))
        })
        .idempotent()
        .accepts::<NewReport>()
        .returns::<ReportInfo>(201)
        .codes(&[Code::NotFound]),
        Route::get("/reports", "Lists open reports, newest first; for moderators", |call| {
            Box::pin(reports(call))
        })
        .requires_token()
        .query(PAGE_PARAMS)
        .returns::<Page<ReportInfo>>(200)
        .codes(&[Code::NotAllowed, Code::Invalid]),
        Route::post("/reports/{report}/close", "Closes a report; for moderators", |call| {
            Box::pin(close_report(call))
        })
        .idempotent()
        .accepts::<ModerationReason>()
        .returns_no_content()
        .codes(&[Code::NotAllowed]),
        Route::put("/accounts/{account}/ban", "Bans an account; for moderators", |call| Box::pin(ban(call)))
            .idempotent()
            .accepts::<BanAccount>()
            .returns::<AccountInfo>(200)
            .codes(&[Code::NotAllowed]),
        Route::delete("/accounts/{account}/ban", "Lifts a ban; for moderators", |call| Box::pin(unban(call)))
            .idempotent()
            .accepts::<ModerationReason>()
            .returns::<AccountInfo>(200)
            .codes(&[Code::NotAllowed]),
        Route::put(
            "/rulesets/{name}/takedown",
            "Takes a ruleset down: not listed, no new matches; for moderators",
            |call| Box::pin(take_down(call)),
        )
        .idempotent()
        .accepts::<ModerationReason>()
        .returns::<RulesetInfo>(200)
        .codes(&[Code::NotAllowed]),
        Route::delete(
            "/rulesets/{name}/takedown",
            "Makes a ruleset available again; for moderators",
            |call| Box::pin(restore(call)),
        )
        .idempotent()
        .accepts::<ModerationReason>()
        .returns::<RulesetInfo>(200)
        .codes(&[Code::NotAllowed]),
        Route::put("/rulesets/{name}/owner", "Gives a ruleset to another account; for moderators", |call| {
            Box::pin(change_owner(call))
        })
        .idempotent()
        .accepts::<ChangeOwner>()
        .returns::<RulesetInfo>(200)
        .codes(&[Code::NotAllowed]),
    ];
    routes.into_iter().map(|route| route.tag("moderation")).collect()
}

async fn server_status(call: Call) -> Result<HttpReply, Problem> {
    if !call.caller()?.account.moderator {
        return Err(Problem::new(Code::NotAllowed, "only moderators may read this"));
    }
    HttpReply::json(&call.app().status())
}

async fn moderations(call: Call) -> Result<HttpReply, Problem> {
    if !call.caller()?.account.moderator {
        return Err(Problem::new(Code::NotAllowed, "only moderators may read this"));
    }
    let of = call.query_param("match").and_then(|id| id.parse().ok());
    HttpReply::json(&call.services().moderations(of, call.window()).await?)
}

async fn report(call: Call) -> Result<HttpReply, Problem> {
    let report = call.services().report(call.caller()?, &call.body::<NewReport>()?).await?;
    let location = format!("/reports/{}", report.id);
    Ok(HttpReply::json(&report)?.created(location))
}

async fn reports(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().reports(call.caller()?, call.window()).await?)
}

async fn close_report(call: Call) -> Result<HttpReply, Problem> {
    let request: ModerationReason = call.body()?;
    call.services().close_report(call.caller()?, call.path_param("report"), &request).await?;
    Ok(HttpReply::no_content())
}

async fn ban(call: Call) -> Result<HttpReply, Problem> {
    let request: BanAccount = call.body()?;
    let account = call.services().ban(call.caller()?, call.path_param("account"), &request).await?;
    call.app().close_connections(&account.id, None);
    HttpReply::json(&account.info())
}

async fn unban(call: Call) -> Result<HttpReply, Problem> {
    let request: ModerationReason = call.body()?;
    let account = call.services().unban(call.caller()?, call.path_param("account"), &request).await?;
    HttpReply::json(&account.info())
}

async fn take_down(call: Call) -> Result<HttpReply, Problem> {
    let request: ModerationReason = call.body()?;
    HttpReply::json(&call.services().take_down(call.caller()?, call.path_param("name"), &request).await?)
}

async fn restore(call: Call) -> Result<HttpReply, Problem> {
    let request: ModerationReason = call.body()?;
    HttpReply::json(&call.services().restore(call.caller()?, call.path_param("name"), &request).await?)
}

async fn change_owner(call: Call) -> Result<HttpReply, Problem> {
    let request: ChangeOwner = call.body()?;
    HttpReply::json(&call.services().change_owner(call.caller()?, call.path_param("name"), &request).await?)
}
