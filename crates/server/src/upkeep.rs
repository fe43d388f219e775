//! What a server does by itself: it leaves signs of life, wakes what is due, brings players together, cleans up.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Answer, MatchId};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::alive;
use crate::app::App;
use crate::room::{Ask, WAKE_AHEAD_MS};

/// What is due soon is woken so often.
const WAKE_EVERY: Duration = Duration::from_secs(5);
/// What can wait is woken after a start so many at a time, with a pause before each lot: others want to come back, too.
const WAKE_AT_ONCE: usize = 100;
const WAKE_PAUSE: Duration = Duration::from_millis(250);
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
    app.hub.tasks.spawn(wake_all(Arc::clone(app)));
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
        app.hub.signs.leave(&app.store).await;
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
    let due = app.store.due(until, usize::MAX).await;
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

/// Whoever has a connection goes on waiting.
async fn attend(app: Arc<App>) {
    for account in app.present() {
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
