//! Matches before they start, and rematches after they end.

use intermezzo_protocol::resources::{CreateMatch, MatchInfo, MatchStatus, Page, Ready, SeatBot, Sit};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::{CURSOR, LIMIT, PLAYING, RULESET_FILTER};
use super::super::reply::HttpReply;
use super::super::route::Route;
use intermezzo_services::{MatchRecord, StartedMatch};

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches",
            "Lists public matches waiting for players, or in progress, newest first",
            |call| Box::pin(list(call)),
        )
        .optional_token()
        .query(&[RULESET_FILTER, PLAYING, CURSOR, LIMIT])
        .returns::<Page<MatchInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::post("/matches", "Creates a match; the creator is the host", |call| Box::pin(create(call)))
            .idempotent()
            .accepts::<CreateMatch>()
            .returns::<MatchInfo>(201)
            .codes(&[Code::NotFound, Code::NotEnough, Code::RuleFailed, Code::SeatTaken]),
        Route::get("/matches/{id}", "Returns a match", |call| Box::pin(get(call)))
            .optional_token()
            .returns::<MatchInfo>(200),
        Route::delete("/matches/{id}", "Cancels a match that has not started", |call| Box::pin(cancel(call)))
            .idempotent()
            .returns::<MatchInfo>(200)
            .codes(&[Code::Closed, Code::NotAllowed]),
        Route::get("/matches/by-code/{code}", "Returns the private match with a code", |call| {
            Box::pin(by_code(call))
        })
        .optional_token()
        .returns::<MatchInfo>(200),
        Route::post("/matches/{id}/seats", "Takes a seat", |call| Box::pin(sit(call)))
            .idempotent()
            .accepts_optional::<Sit>()
            .returns::<MatchInfo>(200)
            .codes(&[Code::SeatTaken, Code::AlreadySeated, Code::NotEnough, Code::Closed, Code::NotAllowed]),
        Route::delete(
            "/matches/{id}/seats/{seat}",
            "Leaves a seat; the host may free another player's seat",
            |call| Box::pin(stand(call)),
        )
        .idempotent()
        .returns::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed]),
        Route::put(
            "/matches/{id}/seats/{seat}/bot",
            "Puts a bot on a free seat, or removes it; for the host",
            |call| Box::pin(set_bot(call)),
        )
        .idempotent()
        .accepts::<SeatBot>()
        .returns::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed, Code::SeatTaken]),
        Route::put("/matches/{id}/ready", "Sets whether the player is ready", |call| Box::pin(ready(call)))
            .idempotent()
            .accepts::<Ready>()
            .returns::<MatchInfo>(200)
            .codes(&[Code::Closed, Code::NotAllowed, Code::RuleFailed]),
        Route::post("/matches/{id}/start", "Starts the match; for the host", |call| Box::pin(start(call)))
            .idempotent()
            .returns::<MatchInfo>(200)
            .codes(&[Code::Closed, Code::NotAllowed, Code::NotReady, Code::RuleFailed]),
        Route::post("/matches/{id}/rematch", "Asks for a rematch", |call| Box::pin(rematch(call)))
            .idempotent()
            .returns::<MatchInfo>(200)
            .codes(&[
                Code::Closed,
                Code::NotAllowed,
                Code::NotReady,
                Code::NotEnough,
                Code::SeatTaken,
                Code::RuleFailed,
            ]),
    ];
    routes.into_iter().map(|route| route.tag("lobby")).collect()
}

async fn list(call: Call) -> Result<HttpReply, Problem> {
    let (services, ruleset, window) = (call.services(), call.query_param("ruleset"), call.window());
    let page = match call.query_param("playing") {
        Some("true") => services.watchable_matches(ruleset, window).await?,
        _ => services.open_matches(ruleset, window).await?,
    };
    let viewer = call.account().map(|account| &account.id);
    let items = page.items.iter().map(|record| record.info(viewer)).collect();
    HttpReply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn create(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().create_match(call.caller()?, &call.body::<CreateMatch>()?).await?;
    let location = format!("/matches/{}", record.id);
    Ok(match_reply(&call, &record)?.created(location))
}

async fn get(call: Call) -> Result<HttpReply, Problem> {
    match_reply(&call, &call.services().match_record(call.match_id()?).await?)
}

async fn by_code(call: Call) -> Result<HttpReply, Problem> {
    // Codes are short enough to type, so guessing them must be slow.
    call.app().rate_limits.check_sign_in(call.address)?;
    match_reply(&call, &call.services().match_with_code(call.path_param("code")).await?)
}

async fn cancel(call: Call) -> Result<HttpReply, Problem> {
    match_reply(&call, &call.services().cancel_match(call.caller()?, call.match_id()?).await?)
}

async fn sit(call: Call) -> Result<HttpReply, Problem> {
    let request: Sit = call.body()?;
    if request.code.is_some() {
        // As for finding a match by its code.
        call.app().rate_limits.check_sign_in(call.address)?;
    }
    match_reply(&call, &call.services().take_seat(call.caller()?, call.match_id()?, &request).await?)
}

async fn stand(call: Call) -> Result<HttpReply, Problem> {
    let (caller, id, seat) = (call.caller()?, call.match_id()?, call.path_number::<u8>("seat")?);
    let record = call.services().match_record(id).await?;
    if usize::from(seat) >= record.seats.len() {
        return Err(Problem::not_found("seat"));
    }
    let is_own = record.seats_of(&caller.account.id).contains(&seat);
    let record = match is_own {
        true => call.services().leave_seat(caller, id, Some(seat)).await?,
        false => call.services().kick_seat(caller, id, seat).await?,
    };
    match_reply(&call, &record)
}

async fn set_bot(call: Call) -> Result<HttpReply, Problem> {
    let request: SeatBot = call.body()?;
    let seat = call.path_number("seat")?;
    match_reply(&call, &call.services().set_bot(call.caller()?, call.match_id()?, seat, request.bot).await?)
}

async fn ready(call: Call) -> Result<HttpReply, Problem> {
    let request: Ready = call.body()?;
    let record = call.services().set_ready(call.caller()?, call.match_id()?, request.ready).await?;
    reply_started(&call, record).await
}

async fn start(call: Call) -> Result<HttpReply, Problem> {
    let started = call.services().start_match(call.caller()?, call.match_id()?).await?;
    reply_started(&call, started.record).await
}

async fn rematch(call: Call) -> Result<HttpReply, Problem> {
    let record = call.services().rematch(call.caller()?, call.match_id()?).await?;
    reply_started(&call, record).await
}

/// Starts the match task if the match has just started, and notifies its players.
async fn reply_started(call: &Call, record: MatchRecord) -> Result<HttpReply, Problem> {
    let started = StartedMatch { record };
    if started.record.status == MatchStatus::Playing {
        call.app().announce_start(&started).await?;
    }
    match_reply(call, &started.record)
}

fn match_reply(call: &Call, record: &MatchRecord) -> Result<HttpReply, Problem> {
    HttpReply::json(&record.info(call.account().map(|account| &account.id)))
}
