//! Matches that are over, event by event.

use std::sync::Arc;

use intermezzo_engine::Viewer;
use intermezzo_journal::{Spectacles, to_json};
use intermezzo_protocol::resources::{MatchStatus, ReplayMoment, ReplayPage};
use intermezzo_protocol::{Code, Problem, Seated};
use intermezzo_ruleset::Seat;

use super::super::call::Call;
use super::super::param::{Kind, Param};
use super::super::replaying::{OpenReplay, prompts, viewer_name, viewer_named};
use super::super::reply::Reply;
use super::super::route::Route;
use super::watching::broken;
use crate::app::opening;
use crate::house::MatchRecord;
use crate::room::timed_past;

/// Events of a page, unless told otherwise.
const USUAL: u64 = 500;
/// The most events of a page.
const MOST: u64 = 2000;

const AS: Param = Param {
    name: "as",
    about: "as whom: `all`, `spectator`, or `seat0`, `seat1`, …; what is left out means `all` where that is allowed",
    kind: Kind::Viewer,
};

const PAGE: &[Param] = &[
    AS,
    Param {
        name: "after",
        about: "the number of the last event the client has",
        kind: Kind::Number { min: 0, max: u32::MAX as u64 },
    },
    Param { name: "limit", about: "how many events at most", kind: Kind::Number { min: 1, max: MOST } },
];

pub(crate) fn routes() -> Vec<Route> {
    let routes = vec![
        Route::get(
            "/matches/{id}/replay",
            "A match that is over, event by event, with causes and sentences",
            |call| Box::pin(page(call)),
        )
        .knows()
        .asks(PAGE)
        .gives::<ReplayPage>(200)
        .codes(&[Code::NotAllowed, Code::Closed, Code::Invalid]),
        Route::get("/matches/{id}/replay/{at}", "How things stood after an event", |call| {
            Box::pin(moment(call))
        })
        .knows()
        .asks(&[AS])
        .gives::<ReplayMoment>(200)
        .codes(&[Code::NotAllowed, Code::Closed, Code::Invalid]),
    ];
    routes.into_iter().map(|route| route.tag("watching")).collect()
}

async fn page(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let open = open(&call, &record).await?;
    let after = call.asked_number("after").and_then(|after| u32::try_from(after).ok()).unwrap_or(0);
    let limit = call.asked_number("limit").unwrap_or(USUAL).min(MOST);
    let (inputs, events, next) = open.page(after, usize::try_from(limit).unwrap_or(1));
    let seated = |(seat, sitting): (u8, &crate::house::SeatRecord)| Seated {
        seat,
        name: sitting.name.clone().unwrap_or_default(),
        bot: sitting.bot.and_then(|bot| serde_json::to_value(bot).ok()?.as_str().map(str::to_owned)),
    };
    Reply::json(&ReplayPage {
        match_id: record.id.to_string(),
        viewer: viewer_name(open.replay.who()),
        ruleset: record.ruleset.clone(),
        seats: (0u8..).zip(&record.seats).map(seated).collect(),
        started_ms: record.started_ms,
        ended_ms: record.ended_ms,
        input_count: open.replay.inputs().len(),
        event_count: open.replay.events().len(),
        inputs,
        events,
        branches: if after == 0 { open.branches().to_vec() } else { Vec::new() },
        ending: record.ending.clone(),
        next,
    })
}

async fn moment(call: Call) -> Result<Reply, Problem> {
    let record = call.house().match_record(call.match_id()?).await?;
    let at: u32 = call.number("at")?;
    let open = open(&call, &record).await?;
    let looking = Arc::clone(&open);
    let looked = tokio::task::spawn_blocking(move || looking.replay.look(at)).await;
    let looked = looked.map_err(|error| broken(&record, &error.to_string()))?;
    let found = looked.map_err(|mismatch| broken(&record, &mismatch.to_string()))?;
    let moment = found.ok_or_else(|| Problem::not_found("event"))?;
    Reply::json(&ReplayMoment {
        match_id: record.id.to_string(),
        viewer: viewer_name(open.replay.who()),
        at,
        input: moment.input,
        view: to_json(&moment.view),
        is_waiting: moment.is_waiting,
        prompts: prompts(&moment),
        under_way: open.under_way(&moment),
        pending_reactions: open.reactions(&moment),
    })
}

/// The replay that is asked for, if the caller may see it.
async fn open(call: &Call, record: &MatchRecord) -> Result<Arc<OpenReplay>, Problem> {
    let own = call.account().map(|account| record.seats_of(&account.id)).unwrap_or_default();
    if own.is_empty() {
        call.app().viewer(record, call.account(), None, true)?;
    }
    if record.status != MatchStatus::Ended {
        let detail = "a match can be replayed when it is over; until then see `/events`";
        return Err(Problem::new(Code::NotAllowed, detail).with("reason", "not_over"));
    }
    let opening = opening(call.house(), record.id).await?;
    let who = viewer(call, record, &own, opening.terms.program.stays_hidden)?;
    if let Some(open) = call.api.replays.find(record.id, who) {
        return Ok(open);
    }
    let busy = |_| Problem::new(Code::Busy, "the server cannot do that now, try again");
    let _turn = call.api.reliving.acquire().await.map_err(busy)?;
    // Somebody else may have opened it meanwhile.
    if let Some(open) = call.api.replays.find(record.id, who) {
        return Ok(open);
    }
    let past = timed_past(&call.app().store, record.id, u64::MAX).await?;
    let (terms, started) = (opening.terms, opening.started_at);
    let opened = tokio::task::spawn_blocking(move || OpenReplay::open(&terms, started, &past, who)).await;
    let opened = opened.map_err(|error| broken(record, &error.to_string()))?;
    let open = Arc::new(opened.map_err(|why| broken(record, &why))?);
    call.api.replays.keep(record.id, &open);
    Ok(open)
}

/// As whom the caller goes through the match. Where things stay hidden, nobody learns more than they saw.
fn viewer(call: &Call, record: &MatchRecord, own: &[u8], stays_hidden: bool) -> Result<Spectacles, Problem> {
    let usual = || match own.first() {
        _ if !stays_hidden => Spectacles::All,
        Some(seat) => Spectacles::Of(Viewer::Seat(Seat(*seat))),
        None => Spectacles::Of(Viewer::Spectator),
    };
    let asked = call.asked("as").map(viewer_named);
    let who = asked.unwrap_or_else(|| Some(usual()));
    let who = who.ok_or_else(|| Problem::new(Code::Invalid, "`as` is `all`, `spectator`, or a seat"))?;
    let hidden = || {
        let detail =
            "what was hidden in this game stays hidden: go through it as a seat of yours, or as a spectator";
        Problem::new(Code::NotAllowed, detail).with("reason", "stays_hidden")
    };
    match who {
        Spectacles::All if stays_hidden => Err(hidden()),
        Spectacles::Of(Viewer::Seat(Seat(seat))) if usize::from(seat) >= record.seats.len() => {
            let detail = format!("there are only {} seats", record.seats.len());
            Err(Problem::new(Code::Invalid, detail).with("seats", record.seats.len()))
        }
        Spectacles::Of(Viewer::Seat(Seat(seat))) if stays_hidden && !own.contains(&seat) => Err(hidden()),
        who => Ok(who),
    }
}
