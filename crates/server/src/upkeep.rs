//! What a server does by itself: it notices its own absences, wakes what is due, brings players together, cleans up.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Answer, Expect, Outcome, Put, Store, Transaction, prefix};
use tokio::sync::watch;

use crate::app::App;
use crate::room::{Ask, unavailable};

/// A sign of life is left so often.
const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// Absences shorter than this are not worth the name, in milliseconds.
const SHORT: i64 = 1_500;
/// What is due soon is woken so often, and so far ahead.
const WAKE_EVERY: Duration = Duration::from_secs(5);
const WAKE_AHEAD_MS: i64 = 10_000;
const WAKE_AT_ONCE: usize = 1_000;
/// Those who wait are brought together so often.
const PAIR_EVERY: Duration = Duration::from_millis(500);
/// Those who have a connection are noted so often.
const ATTEND_EVERY: Duration = Duration::from_secs(15);
/// The rest is done so often.
const CLEAN_EVERY: Duration = Duration::from_secs(60);
/// The ledger is looked through so often.
const AUDIT_EVERY: Duration = Duration::from_secs(600);

const ALIVE: &str = "server/alive";
const ABSENCES: &str = "server/absence/";

/// Times in which no server was there, oldest first; the last one has just ended.
pub(crate) async fn absences(store: &Arc<dyn Store>) -> Result<Vec<(i64, i64)>, Problem> {
    let now = store.now();
    let alive = store.get(ALIVE).await.map_err(|error| unavailable(&error))?;
    let last = alive.and_then(|record| number(&record.value));
    let mut puts = vec![put(ALIVE, now)];
    if let Some(last) = last.filter(|last| now - last > SHORT) {
        puts.push(put(&format!("{ABSENCES}{now:020}"), last));
    }
    match store.commit(Transaction { puts, ..Transaction::default() }).await {
        Outcome::Committed => {}
        outcome => {
            tracing::error!(?outcome, "the store takes nothing");
            return Err(Problem::new(Code::Busy, "the store takes nothing"));
        }
    }
    let found = store.scan(prefix(ABSENCES), usize::MAX, false).await.map_err(|error| unavailable(&error))?;
    let absence = |(key, record): &(String, intermezzo_store::Record)| {
        let until = key.strip_prefix(ABSENCES)?.parse().ok()?;
        Some((number(&record.value)?, until))
    };
    Ok(found.iter().filter_map(absence).collect())
}

/// Leaves a sign of life.
pub(crate) async fn is_alive(app: &App) {
    let puts = vec![put(ALIVE, app.store.now())];
    let outcome = app.store.commit(Transaction { puts, ..Transaction::default() }).await;
    if outcome != Outcome::Committed {
        tracing::warn!(?outcome, "no sign of life could be left");
    }
}

fn put(key: &str, number: i64) -> Put {
    Put { key: key.to_owned(), expect: Expect::Anything, value: Some(number.to_string().into_bytes()) }
}

fn number(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Starts everything that goes on until the server stops.
pub(crate) fn spawn(app: &Arc<App>, stopped: &watch::Receiver<bool>) {
    every(ALIVE_EVERY, app, stopped, |app| Box::pin(async move { is_alive(&app).await }));
    every(WAKE_EVERY, app, stopped, |app| Box::pin(wake(app)));
    every(PAIR_EVERY, app, stopped, |app| Box::pin(pair(app)));
    every(ATTEND_EVERY, app, stopped, |app| Box::pin(attend(app)));
    every(CLEAN_EVERY, app, stopped, |app| Box::pin(clean(app)));
    every(AUDIT_EVERY, app, stopped, |app| Box::pin(audit(app)));
}

/// Does something now and then until the server stops.
fn every(pause: Duration, app: &Arc<App>, stopped: &watch::Receiver<bool>, work: fn(Arc<App>) -> Answer<()>) {
    let (app, mut stopped) = (Arc::clone(app), stopped.clone());
    tokio::spawn(async move {
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
    let until = app.store.now() + WAKE_AHEAD_MS;
    match app.store.due(until, WAKE_AT_ONCE).await {
        Ok(due) => {
            for (id, _) in due {
                if let Err(problem) = app.hub.ask(id, Ask::Wake).await {
                    tracing::warn!(r#match = %id, %problem, "a match that is due cannot be woken");
                }
            }
        }
        Err(error) => tracing::error!(%error, "what is due cannot be read"),
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
