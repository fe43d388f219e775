//! What a server does by itself: it leaves signs of life, wakes what is due, brings players together, cleans up.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Answer, Expect, MatchId, Put, Transaction, prefix};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::alive;
use crate::app::{App, account_numbered};
use crate::bus::{News, NewsBox, Topic};
use crate::house::AccountId;
use crate::neighbours::GONE_MS;
use crate::room::{Ask, WAKE_AHEAD_MS, listings_of};

/// What is due soon is woken so often.
const WAKE_EVERY: Duration = Duration::from_secs(5);
/// Where several servers share a store, each takes so many at a time, and the others leave them to it for so long.
const CLAIMED_AT_ONCE: usize = 1_000;
const HELD_MS: i64 = 10_000;
/// What can wait is woken after a start so many at a time, with a pause before each lot: others want to come back, too.
const WAKE_AT_ONCE: usize = 100;
const WAKE_PAUSE: Duration = Duration::from_millis(250);
/// Where several servers share a store, each looks so often how far its matches are: not all news arrive.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// So many of them are looked at in one go.
const LOOKED_AT_ONCE: usize = 1_000;
/// And so often for those who were connected by a server that is gone.
const MISS_EVERY: Duration = Duration::from_secs(2);
/// What was connected by a server that is gone is left so long to the one that is first.
const COURTESY_MS: i64 = 10_000;
/// A server that is gone is forgotten after so long, and so is all that was connected by it.
const FORGET_MS: i64 = 600_000;
/// So many of its matches are looked at in one go.
const MISSED_AT_ONCE: usize = 500;
/// Those who wait are brought together so often.
const PAIR_EVERY: Duration = Duration::from_millis(500);
/// Those who have a connection are noted so often.
const ATTEND_EVERY: Duration = Duration::from_secs(15);
/// The rest is done so often.
const CLEAN_EVERY: Duration = Duration::from_secs(60);
/// The ledger is looked through so often.
const AUDIT_EVERY: Duration = Duration::from_secs(600);

/// Starts everything that goes on until the server stops.
pub(crate) fn spawn(app: &Arc<App>, stopped: &watch::Receiver<bool>) {
    app.hub.tasks.spawn(stay_alive(Arc::clone(app), stopped.clone()));
    if app.hub.neighbours.is_none() {
        app.hub.tasks.spawn(wake_all(Arc::clone(app)));
    } else {
        every(LOOK_EVERY, app, stopped, |app| Box::pin(look_for_news(app)));
        every(MISS_EVERY, app, stopped, |app| Box::pin(miss(app)));
    }
    every(WAKE_EVERY, app, stopped, |app| Box::pin(wake(app)));
    every(PAIR_EVERY, app, stopped, |app| Box::pin(pair(app)));
    every(ATTEND_EVERY, app, stopped, |app| Box::pin(attend(app)));
    every(CLEAN_EVERY, app, stopped, |app| Box::pin(clean(app)));
    every(AUDIT_EVERY, app, stopped, |app| Box::pin(audit(app)));
}

/// Leaves signs of life until the server stops.
async fn stay_alive(app: Arc<App>, mut stopped: watch::Receiver<bool>) {
    let begun = Instant::now();
    while !is_over(&mut stopped, alive::pause(begun.elapsed())).await {
        alive::sign(&app.hub).await;
    }
}

/// Does something now and then until the server stops.
fn every(pause: Duration, app: &Arc<App>, stopped: &watch::Receiver<bool>, work: fn(Arc<App>) -> Answer<()>) {
    let (tasks, app, mut stopped) = (&app.hub.tasks, Arc::clone(app), stopped.clone());
    tasks.spawn(async move {
        while !is_over(&mut stopped, pause).await {
            work(Arc::clone(&app)).await;
        }
    });
}

/// Waits; true if the server has stopped meanwhile.
async fn is_over(stopped: &mut watch::Receiver<bool>, pause: Duration) -> bool {
    tokio::time::timeout(pause, stopped.wait_for(|stopped| *stopped)).await.is_ok()
}

/// Wakes the matches in which something will soon be due.
async fn wake(app: Arc<App>) {
    for (id, stored) in due(&app, app.store.now() + WAKE_AHEAD_MS).await {
        wake_one(&app, id, stored).await;
    }
}

/// Wakes all matches in which anything will ever be due, those first where that is soon: whoever waits for a deadline
/// has waited long enough while no server was there, and whoever does not come back has to be missed.
async fn wake_all(app: Arc<App>) {
    let soon = app.store.now() + WAKE_AHEAD_MS;
    let (now, later): (Vec<_>, Vec<_>) =
        due(&app, i64::MAX).await.into_iter().partition(|(_, stored)| *stored <= soon);
    for (id, stored) in now {
        wake_one(&app, id, stored).await;
    }
    for lot in later.chunks(WAKE_AT_ONCE) {
        tokio::time::sleep(WAKE_PAUSE).await;
        for (id, stored) in lot {
            wake_one(&app, *id, *stored).await;
        }
    }
}

/// The matches in which something is due until then, and when, the first first.
async fn due(app: &App, until: i64) -> Vec<(MatchId, i64)> {
    if planted!(SleepsOn) {
        return Vec::new();
    }
    let due = match app.hub.neighbours {
        Some(_) => app.store.claim_due(until, CLAIMED_AT_ONCE, HELD_MS).await,
        None => app.store.due(until, usize::MAX).await,
    };
    due.inspect_err(|error| tracing::error!(%error, "what is due cannot be read")).unwrap_or_default()
}

async fn wake_one(app: &App, id: MatchId, stored: i64) {
    match app.hub.ask(id, Ask::Wake { stored: Some(stored) }).await {
        Err(problem) if problem.code != Code::Draining => {
            tracing::warn!(r#match = %id, %problem, "a match that is due cannot be woken");
        }
        _ => {}
    }
}

/// Tells matches of rows that other servers have written, if they have not heard of them.
async fn look_for_news(app: Arc<App>) {
    let tasked = app.hub.tasked();
    for lot in tasked.chunks(LOOKED_AT_ONCE) {
        match app.store.heads(lot.to_vec()).await {
            Ok(heads) => lot.iter().zip(heads).for_each(|(id, head)| app.hub.news(*id, head)),
            Err(error) => return tracing::warn!(%error, "the heads of matches cannot be read"),
        }
    }
}

/// Wakes the matches to which somebody was connected by a server that is gone, so that they are missed.
async fn miss(app: Arc<App>) {
    let Some(neighbours) = &app.hub.neighbours else { return };
    let now = app.store.now();
    for (node, sign) in neighbours.gone(now) {
        let found = app.store.scan(prefix(&listings_of(node)), MISSED_AT_ONCE, false).await;
        let Ok(found) = found.inspect_err(|error| tracing::warn!(%error, "what a server had cannot be read"))
        else {
            return;
        };
        let is_old = now - sign >= FORGET_MS;
        for (key, _) in &found {
            let Some(id) = key.rsplit('/').next().and_then(|id| id.parse::<MatchId>().ok()) else { continue };
            if is_old {
                remove(&app, key).await;
            } else if neighbours.is_first(id, now) || now - sign >= GONE_MS + COURTESY_MS {
                let _ = app.hub.ask(id, Ask::Wake { stored: None }).await;
            }
        }
        if found.is_empty() && is_old {
            alive::forget(&app.store, node).await;
        }
    }
}

async fn remove(app: &App, key: &str) {
    let put = Put { key: key.to_owned(), expect: Expect::Anything, value: None };
    // If it is not removed now, it will be later.
    let _ = app.store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
}

/// Brings those together who wait.
async fn pair(app: Arc<App>) {
    if let Err(problem) = try_to_pair(&app).await {
        tracing::warn!(%problem, "those who wait cannot be brought together");
    }
}

async fn try_to_pair(app: &Arc<App>) -> Result<(), Problem> {
    for ruleset in app.house.queues().await? {
        for started in app.house.match_up(&ruleset).await? {
            app.begin(&started).await?;
        }
    }
    Ok(())
}

/// Hears what other servers tell.
pub(crate) async fn hear(app: Arc<App>, mut news: NewsBox) {
    while let Some(News { topic, version }) = news.recv().await {
        match topic {
            Topic::Match(id) => app.hub.news(id, version),
            Topic::Account(number) => look_after(&app, &account_numbered(number)).await,
        }
    }
}

/// Brings the connections of an account up to date with what other servers have done.
async fn look_after(app: &App, account: &AccountId) {
    if let Err(problem) = app.look_after(account).await {
        tracing::warn!(%problem, "it cannot be told what concerns an account");
    }
}

/// Whoever has a connection goes on waiting.
async fn attend(app: Arc<App>) {
    for account in app.present() {
        if app.hub.neighbours.is_some() {
            look_after(&app, &account).await;
        }
        if let Err(problem) = app.house.present(&account).await {
            tracing::warn!(%problem, "a presence cannot be noted");
        }
    }
}

async fn clean(app: Arc<App>) {
    app.throttle.forget_quiet();
    if let Err(problem) = app.house.sweep().await {
        tracing::warn!(%problem, "old records cannot be swept");
    }
}

async fn audit(app: Arc<App>) {
    match app.house.audit().await {
        Ok(audit) if audit.is_clean() => {}
        Ok(audit) => {
            metrics::counter!("intermezzo_ledger_mismatches_total").increment(1);
            tracing::error!(?audit, "the ledger does not add up");
        }
        Err(problem) => tracing::warn!(%problem, "the ledger cannot be looked through"),
    }
}
