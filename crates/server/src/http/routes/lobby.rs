//! Matches before they start, and after they have ended.

use intermezzo_protocol::resources::{CreateMatch, MatchInfo, MatchStatus, Page, Ready, SeatBot, Sit};
use intermezzo_protocol::{Code, Problem};

use super::super::call::Call;
use super::super::param::{CURSOR, LIMIT, OF_RULESET, PLAYING};
use super::super::reply::Reply;
use super::super::route::Route;
use crate::house::{MatchRecord, Started};

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches",
            "Public matches that wait for players, or are played, the latest first",
            |call| Box::pin(list(call)),
        )
        .knows()
        .asks(&[OF_RULESET, PLAYING, CURSOR, LIMIT])
        .gives::<Page<MatchInfo>>(200)
        .codes(&[Code::Invalid]),
        Route::post("/matches", "Makes a match; its maker is the host", |call| Box::pin(create(call)))
            .once()
            .takes::<CreateMatch>()
            .gives::<MatchInfo>(201)
            .codes(&[Code::NotFound, Code::NotEnough, Code::RuleFailed, Code::SeatTaken]),
        Route::get("/matches/{id}", "A match as the lobby shows it", |call| Box::pin(get(call)))
            .knows()
            .gives::<MatchInfo>(200),
        Route::delete("/matches/{id}", "Calls off a match that has not started", |call| {
            Box::pin(cancel(call))
        })
        .once()
        .gives::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed]),
        Route::get("/matches/by-code/{code}", "The private match with that code", |call| {
            Box::pin(by_code(call))
        })
        .knows()
        .gives::<MatchInfo>(200),
        Route::post("/matches/{id}/seats", "Takes a seat", |call| Box::pin(sit(call)))
            .once()
            .may_take::<Sit>()
            .gives::<MatchInfo>(200)
            .codes(&[Code::SeatTaken, Code::AlreadySeated, Code::NotEnough, Code::Closed, Code::NotAllowed]),
        Route::delete("/matches/{id}/seats/{seat}", "Leaves a seat; the host frees another's", |call| {
            Box::pin(stand(call))
        })
        .once()
        .gives::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed]),
        Route::put(
            "/matches/{id}/seats/{seat}/bot",
            "The host puts a bot on a free seat, or takes it away",
            |call| Box::pin(bot(call)),
        )
        .once()
        .takes::<SeatBot>()
        .gives::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed, Code::SeatTaken]),
        Route::put("/matches/{id}/ready", "Says that one is ready, or not any more", |call| {
            Box::pin(ready(call))
        })
        .once()
        .takes::<Ready>()
        .gives::<MatchInfo>(200)
        .codes(&[Code::Closed, Code::NotAllowed, Code::RuleFailed]),
        Route::post("/matches/{id}/start", "The host starts the match", |call| Box::pin(start(call)))
            .once()
            .gives::<MatchInfo>(200)
            .codes(&[Code::Closed, Code::NotAllowed, Code::NotReady, Code::RuleFailed]),
        Route::post("/matches/{id}/rematch", "Says that one wants to play again", |call| {
            Box::pin(rematch(call))
        })
        .once()
        .gives::<MatchInfo>(200)
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

async fn list(call: Call) -> Result<Reply, Problem> {
    let (house, ruleset, window) = (call.house(), call.asked("ruleset"), call.window());
    let page = match call.asked("playing") {
        Some("true") => house.watchable_matches(ruleset, window).await?,
        _ => house.open_matches(ruleset, window).await?,
    };
    let viewer = call.account().map(|account| &account.id);
    let items = page.items.iter().map(|record| record.info(viewer)).collect();
    Reply::json(&Page::<MatchInfo> { items, next: page.next })
}

async fn create(call: Call) -> Result<Reply, Problem> {
    let record = call.house().create_match(call.caller()?, &call.body::<CreateMatch>()?).await?;
    let location = format!("/matches/{}", record.id);
    Ok(shown(&call, &record)?.made(location))
}

async fn get(call: Call) -> Result<Reply, Problem> {
    shown(&call, &call.house().match_record(call.match_id()?).await?)
}

async fn by_code(call: Call) -> Result<Reply, Problem> {
    // A code is short enough to be typed, so guessing must take long.
    call.app().throttle.newcomer(call.address)?;
    shown(&call, &call.house().match_with_code(call.place("code")).await?)
}

async fn cancel(call: Call) -> Result<Reply, Problem> {
    shown(&call, &call.house().cancel(call.caller()?, call.match_id()?).await?)
}

async fn sit(call: Call) -> Result<Reply, Problem> {
    shown(&call, &call.house().sit(call.caller()?, call.match_id()?, &call.body::<Sit>()?).await?)
}

async fn stand(call: Call) -> Result<Reply, Problem> {
    let (caller, id, seat) = (call.caller()?, call.match_id()?, call.number::<u8>("seat")?);
    let record = call.house().match_record(id).await?;
    if usize::from(seat) >= record.seats.len() {
        return Err(Problem::not_found("seat"));
    }
    let is_own = record.seats_of(&caller.account.id).contains(&seat);
    let record = match is_own {
        true => call.house().stand(caller, id, Some(seat)).await?,
        false => call.house().kick(caller, id, seat).await?,
    };
    shown(&call, &record)
}

async fn bot(call: Call) -> Result<Reply, Problem> {
    let wish: SeatBot = call.body()?;
    let seat = call.number("seat")?;
    shown(&call, &call.house().set_bot(call.caller()?, call.match_id()?, seat, wish.bot).await?)
}

async fn ready(call: Call) -> Result<Reply, Problem> {
    let wish: Ready = call.body()?;
    let record = call.house().ready(call.caller()?, call.match_id()?, wish.ready).await?;
    begun(&call, record).await
}

async fn start(call: Call) -> Result<Reply, Problem> {
    let started = call.house().start(call.caller()?, call.match_id()?).await?;
    begun(&call, started.record).await
}

async fn rematch(call: Call) -> Result<Reply, Problem> {
    let record = call.house().rematch(call.caller()?, call.match_id()?).await?;
    begun(&call, record).await
}

/// A match that has just started is woken, and its players are told.
async fn begun(call: &Call, record: MatchRecord) -> Result<Reply, Problem> {
    let started = Started { record };
    if started.record.status == MatchStatus::Playing {
        call.app().begin(&started).await?;
    }
    shown(call, &started.record)
}

fn shown(call: &Call, record: &MatchRecord) -> Result<Reply, Problem> {
    Reply::json(&record.info(call.account().map(|account| &account.id)))
}
