//! Accounts and signing in.

use intermezzo_protocol::resources::{
    AccountInfo, MatchInfo, NewAccount, NewPassword, Page, Profile, Rename, SignIn, SignedIn, TransferInfo,
};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::PAGED;
use super::super::reply::Reply;
use super::super::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::post("/accounts", "Makes an account, or a guest's, and signs it in", |call| {
            Box::pin(create(call))
        })
        .may_take::<NewAccount>()
        .gives::<SignedIn>(201)
        .codes(&[Code::NameTaken]),
        Route::get("/accounts/{account}", "What everybody may know of an account", |call| {
            Box::pin(profile(call))
        })
        .gives::<Profile>(200)
        .codes(&[Code::NotFound]),
        Route::get(
            "/accounts/{account}/matches",
            "An account's public matches that have begun, the latest first",
            |call| Box::pin(public_matches(call)),
        )
        .asks(PAGED)
        .gives::<Page<MatchInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::post("/sessions", "Signs in with a password", |call| Box::pin(sign_in(call)))
            .takes::<SignIn>()
            .gives::<SignedIn>(201)
            .codes(&[Code::WrongPassword]),
        Route::delete("/sessions/current", "Ends the token it is sent with", |call| Box::pin(sign_out(call)))
            .signed_in()
            .gives_nothing(),
        Route::delete("/sessions", "Ends all tokens of the account", |call| {
            Box::pin(sign_out_everywhere(call))
        })
        .signed_in()
        .gives_nothing(),
        Route::get("/me", "The account of the token", |call| Box::pin(me(call)))
            .signed_in()
            .gives::<AccountInfo>(200),
        Route::patch("/me", "Changes the name", |call| Box::pin(rename(call)))
            .once()
            .takes::<Rename>()
            .gives::<AccountInfo>(200)
            .codes(&[Code::NameTaken]),
        Route::delete("/me", "Deletes the account and everything that says who it was", |call| {
            Box::pin(delete(call))
        })
        .signed_in()
        .gives_nothing()
        .codes(&[Code::Closed, Code::NotReady, Code::AlreadySeated]),
        Route::put("/me/password", "Sets a password; all tokens so far end", |call| {
            Box::pin(set_password(call))
        })
        .signed_in()
        .takes::<NewPassword>()
        .gives::<SignedIn>(200)
        .codes(&[Code::WrongPassword, Code::NameTaken, Code::Stale]),
        Route::get("/me/export", "Everything that is kept about the account", |call| Box::pin(export(call)))
            .signed_in()
            .gives::<serde_json::Map<String, serde_json::Value>>(200),
        Route::get("/me/matches", "The account's matches, the latest first", |call| Box::pin(matches(call)))
            .signed_in()
            .asks(PAGED)
            .gives::<Page<MatchInfo>>(200)
            .codes(&[Code::Invalid]),
        Route::get("/me/transfers", "The account's tokens that changed hands, the latest first", |call| {
            Box::pin(transfers(call))
        })
        .signed_in()
        .asks(PAGED)
        .gives::<Page<TransferInfo>>(200)
        .codes(&[Code::Invalid]),
    ];
    routes.into_iter().map(|route| route.tag("accounts")).collect()
}

async fn create(call: Call) -> Result<Reply, Problem> {
    call.app().throttle.newcomer(call.address)?;
    let signed_in = call.house().create_account(&call.body::<NewAccount>()?).await?;
    Ok(Reply::json(&signed_in)?.made("/me".to_owned()))
}

async fn profile(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().profile(call.place("account")).await?)
}

async fn public_matches(call: Call) -> Result<Reply, Problem> {
    let account = call.house().account(call.place("account")).await?;
    let page = call.house().matches_of(&account.id, call.window()).await?;
    let public = page.items.iter().filter(|record| !record.private && record.started_ms.is_some());
    let items = public.map(|record| record.info(None)).collect();
    Reply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn sign_in(call: Call) -> Result<Reply, Problem> {
    let wish: SignIn = call.body()?;
    // Guessing passwords is as slow as making accounts.
    call.app().throttle.newcomer(call.address)?;
    Ok(Reply::json(&call.house().sign_in(&wish).await?)?.made("/sessions/current".to_owned()))
}

async fn sign_out(call: Call) -> Result<Reply, Problem> {
    call.house().sign_out(call.token.as_deref().unwrap_or_default()).await?;
    if let Some(account) = call.account() {
        call.app().sign_out(&account.id, call.token.as_deref());
    }
    Ok(Reply::nothing())
}

async fn sign_out_everywhere(call: Call) -> Result<Reply, Problem> {
    call.house().sign_out_everywhere(call.caller()?).await?;
    if let Some(account) = call.account() {
        call.app().sign_out(&account.id, None);
    }
    Ok(Reply::nothing())
}

async fn me(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().me(&call.caller()?.account).await?)
}

async fn rename(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().rename(call.caller()?, &call.body::<Rename>()?).await?)
}

async fn delete(call: Call) -> Result<Reply, Problem> {
    call.house().delete_account(call.caller()?).await?;
    Ok(Reply::nothing())
}

async fn set_password(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().set_password(call.caller()?, &call.body::<NewPassword>()?).await?)
}

async fn export(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().export(&call.caller()?.account).await?)
}

async fn matches(call: Call) -> Result<Reply, Problem> {
    let account = &call.caller()?.account.id;
    let page = call.house().matches_of(account, call.window()).await?;
    let items = page.items.iter().map(|record| record.info(Some(account))).collect();
    Reply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn transfers(call: Call) -> Result<Reply, Problem> {
    Reply::json(&call.house().history(&call.caller()?.account.id, call.window()).await?)
}
