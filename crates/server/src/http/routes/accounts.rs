//! Accounts and sign-in.

use intermezzo_protocol::resources::{
    AccountInfo, IssuedToken, MatchInfo, NewAccount, NewPassword, Page, Profile, Rename, SignIn, TicketInfo,
    TransferInfo,
};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::PAGE_PARAMS;
use super::super::reply::HttpReply;
use super::super::route::Route;
use crate::app::account_number;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::post("/accounts", "Creates an account and signs it in; without a password, a guest", |call| {
            Box::pin(create(call))
        })
        .accepts_optional::<NewAccount>()
        .returns::<IssuedToken>(201)
        .codes(&[Code::NameTaken]),
        Route::get("/accounts/{account}", "Returns the public profile of an account", |call| {
            Box::pin(profile(call))
        })
        .returns::<Profile>(200)
        .codes(&[Code::NotFound]),
        Route::get(
            "/accounts/{account}/matches",
            "Lists an account's public matches that have started, newest first",
            |call| Box::pin(public_matches(call)),
        )
        .query(PAGE_PARAMS)
        .returns::<Page<MatchInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::post("/sessions", "Signs in with name and password", |call| Box::pin(sign_in(call)))
            .accepts::<SignIn>()
            .returns::<IssuedToken>(201)
            .codes(&[Code::WrongPassword]),
        Route::delete("/sessions/current", "Revokes the token of this request", |call| {
            Box::pin(sign_out(call))
        })
        .requires_token()
        .returns_no_content(),
        Route::delete("/sessions", "Revokes all tokens of the account", |call| {
            Box::pin(sign_out_everywhere(call))
        })
        .requires_token()
        .returns_no_content(),
        Route::post(
            "/tickets",
            "Issues a one-time ticket for this token, for URLs of streams and WebSockets",
            |call| Box::pin(ticket(call)),
        )
        .requires_token()
        .returns::<TicketInfo>(201),
        Route::get("/me", "Returns the token's account", |call| Box::pin(me(call)))
            .requires_token()
            .returns::<AccountInfo>(200),
        Route::patch("/me", "Renames the account", |call| Box::pin(rename(call)))
            .idempotent()
            .accepts::<Rename>()
            .returns::<AccountInfo>(200)
            .codes(&[Code::NameTaken]),
        Route::delete("/me", "Deletes the account and everything that identifies it", |call| {
            Box::pin(delete(call))
        })
        .requires_token()
        .returns_no_content()
        .codes(&[Code::Closed, Code::NotReady, Code::AlreadySeated]),
        Route::put("/me/password", "Sets the password, revokes all tokens and returns a new one", |call| {
            Box::pin(set_password(call))
        })
        .requires_token()
        .accepts::<NewPassword>()
        .returns::<IssuedToken>(200)
        .codes(&[Code::WrongPassword, Code::NameTaken, Code::Stale]),
        Route::get("/me/export", "Returns everything stored about the account", |call| {
            Box::pin(export(call))
        })
        .requires_token()
        .returns::<serde_json::Map<String, serde_json::Value>>(200),
        Route::get("/me/matches", "Lists the account's matches, newest first", |call| {
            Box::pin(matches(call))
        })
        .requires_token()
        .query(PAGE_PARAMS)
        .returns::<Page<MatchInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::get("/me/transfers", "Lists the account's token transfers, newest first", |call| {
            Box::pin(transfers(call))
        })
        .requires_token()
        .query(PAGE_PARAMS)
        .returns::<Page<TransferInfo>>(200)
        .codes(&[Code::Invalid]),
    ];
    routes.into_iter().map(|route| route.tag("accounts")).collect()
}

async fn create(call: Call) -> Result<HttpReply, Problem> {
    call.app().rate_limits.check_sign_in(call.address)?;
    let signed_in =
        call.services().create_account_for(&call.requester(), &call.body::<NewAccount>()?).await?;
    Ok(HttpReply::json(&signed_in)?.created("/me".to_owned()))
}

async fn ticket(call: Call) -> Result<HttpReply, Problem> {
    let ticket =
        call.services().issue_ticket(call.caller()?, call.token.as_deref().unwrap_or_default()).await?;
    Ok(HttpReply { status: 201, ..HttpReply::json(&ticket)? })
}

async fn profile(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().profile(call.path_param("account")).await?)
}

async fn public_matches(call: Call) -> Result<HttpReply, Problem> {
    let account = call.services().account(call.path_param("account")).await?;
    let page = call.services().matches_of(&account.id, call.window()).await?;
    let public = page.items.iter().filter(|record| !record.private && record.started_ms.is_some());
    let items = public.map(|record| record.info(None)).collect();
    HttpReply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn sign_in(call: Call) -> Result<HttpReply, Problem> {
    let request: SignIn = call.body()?;
    // Limits password guessing to the rate at which accounts may be created.
    call.app().rate_limits.check_sign_in(call.address)?;
    Ok(HttpReply::json(&call.services().sign_in(&call.requester(), &request).await?)?
        .created("/sessions/current".to_owned()))
}

async fn sign_out(call: Call) -> Result<HttpReply, Problem> {
    call.services().sign_out(call.token.as_deref().unwrap_or_default()).await?;
    if let Some(account) = call.account() {
        call.app().close_connections(&account.id, call.token.as_deref());
    }
    Ok(HttpReply::no_content())
}

async fn sign_out_everywhere(call: Call) -> Result<HttpReply, Problem> {
    call.services().sign_out_everywhere(call.caller()?).await?;
    if let Some(account) = call.account() {
        call.app().close_connections(&account.id, None);
    }
    Ok(HttpReply::no_content())
}

async fn me(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().own_info(&call.caller()?.account).await?)
}

async fn rename(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().rename(call.caller()?, &call.body::<Rename>()?).await?)
}

async fn delete(call: Call) -> Result<HttpReply, Problem> {
    call.services().delete_account(call.caller()?).await?;
    Ok(HttpReply::no_content())
}

async fn set_password(call: Call) -> Result<HttpReply, Problem> {
    // Guessing the current password must be as slow as guessing at sign-in.
    call.app().rate_limits.check_sign_in(call.address)?;
    call.app().rate_limits.check_password_change(account_number(&call.caller()?.account.id))?;
    HttpReply::json(&call.services().set_password(call.caller()?, &call.body::<NewPassword>()?).await?)
}

async fn export(call: Call) -> Result<HttpReply, Problem> {
    // It reads everything about an account.
    let _permit = call.replay_permit().await?;
    HttpReply::json(&call.services().export_account(&call.caller()?.account).await?)
}

async fn matches(call: Call) -> Result<HttpReply, Problem> {
    let account = &call.caller()?.account.id;
    let page = call.services().matches_of(account, call.window()).await?;
    let items = page.items.iter().map(|record| record.info(Some(account))).collect();
    HttpReply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn transfers(call: Call) -> Result<HttpReply, Problem> {
    HttpReply::json(&call.services().transfer_history(&call.caller()?.account.id, call.window()).await?)
}
