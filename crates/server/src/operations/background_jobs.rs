//! Background jobs: heartbeats, waking due matches, matchmaking, cleaning up.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Expect, MatchId, Put, StoreFuture, Transaction, prefix};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::{App, account_from_number};
use crate::cluster::availability::TICK;
use crate::cluster::bus::{Notification, NotificationReceiver, Topic};
use crate::cluster::heartbeat;
use crate::cluster::peers::NODE_TIMEOUT_MS;
use crate::match_task::{MatchRequest, WAKE_AHEAD_MS, connection_index_prefix};
use intermezzo_services::AccountId;

/// Interval of waking due matches.
const WAKE_EVERY: Duration = Duration::from_secs(5);
/// With several servers: number of due matches that a server claims at a time, and the time for which the
/// others leave them to it.
const CLAIM_BATCH: usize = 1_000;
const CLAIM_MS: i64 = 10_000;
/// Number of less urgent matches woken at a time after a start, with a pause before each batch, so that
/// reconnecting clients are served too.
const WAKE_BATCH: usize = 100;
const WAKE_PAUSE: Duration = Duration::from_millis(250);
/// Matches that are due later than this are left alone after a start: when they are woken in time, they find out by
/// themselves whether a downtime has moved their deadlines.
const FAR_AHEAD_MS: i64 = 2 * 24 * 60 * 60 * 1000;
/// With several servers: interval of polling for new rows, because notifications may be lost.
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Matches polled in one read.
const POLL_BATCH: usize = 1_000;
/// With several servers: interval of looking for connections lost with a server.
const ORPHANS_EVERY: Duration = Duration::from_secs(2);
/// Head start of the preferred server in handling the matches of a server that is gone.
const PREFERRED_NODE_MS: i64 = 10_000;
/// Time after which the records of a server that is gone are removed.
const FORGET_NODE_MS: i64 = 600_000;
/// Matches of a lost server handled at a time.
const ORPHAN_BATCH: usize = 500;
/// Interval of matchmaking.
const MATCHMAKING_EVERY: Duration = Duration::from_millis(500);
/// Interval of refreshing the presence of connected accounts.
const PRESENCE_EVERY: Duration = Duration::from_secs(15);
/// Interval of removing expired records.
const SWEEP_EVERY: Duration = Duration::from_secs(60);
/// Interval of ledger audits.
const AUDIT_EVERY: Duration = Duration::from_secs(600);

/// Starts all background jobs. They run until the server stops.
pub(crate) fn spawn(app: &Arc<App>, stopped: &watch::Receiver<bool>) {
    app.registry.tasks.spawn(send_heartbeats(Arc::clone(app), stopped.clone()));
    // Deterministic tests have no data of earlier versions.
    if !app.services.is_deterministic() {
        app.registry.tasks.spawn(store_missing_preludes(Arc::clone(app)));
    }
    if app.registry.peers.is_none() {
        app.registry.tasks.spawn(wake_all_matches(Arc::clone(app)));
    } else {
        run_every(POLL_EVERY, app, stopped, |app| Box::pin(poll_for_new_rows(app)));
        run_every(ORPHANS_EVERY, app, stopped, |app| Box::pin(wake_orphaned_matches(app)));
    }
    run_every(WAKE_EVERY, app, stopped, |app| Box::pin(wake_due_matches(app)));
    run_every(MATCHMAKING_EVERY, app, stopped, |app| Box::pin(matchmaking(app)));
    run_every(PRESENCE_EVERY, app, stopped, |app| Box::pin(refresh_presence(app)));
    run_every(SWEEP_EVERY, app, stopped, |app| Box::pin(sweep(app)));
    run_every(AUDIT_EVERY, app, stopped, |app| Box::pin(audit(app)));
    if app.registry.peers.is_none() {
        run_every(TICK, app, stopped, |app| Box::pin(async move { heartbeat::tick(&app.registry) }));
    }
}

/// Stores what earlier versions of the server did not: the preludes of published rulesets.
async fn store_missing_preludes(app: Arc<App>) {
    if let Err(problem) = app.services.store_missing_preludes().await {
        tracing::warn!(%problem, "cannot store the preludes of published rulesets");
    }
}

/// Writes heartbeats until the server stops.
async fn send_heartbeats(app: Arc<App>, mut stopped: watch::Receiver<bool>) {
    let started = Instant::now();
    while !stopped_within(&mut stopped, heartbeat::interval(started.elapsed())).await {
        heartbeat::beat(&app.registry).await;
    }
}

/// Runs a job at intervals until the server stops.
fn run_every(
    pause: Duration,
    app: &Arc<App>,
    stopped: &watch::Receiver<bool>,
    work: fn(Arc<App>) -> StoreFuture<()>,
) {
    let (tasks, app, mut stopped) = (&app.registry.tasks, Arc::clone(app), stopped.clone());
    tasks.spawn(async move {
        while !stopped_within(&mut stopped, pause).await {
            work(Arc::clone(&app)).await;
        }
    });
}

/// Waits. Returns true if the server has stopped.
async fn stopped_within(stopped: &mut watch::Receiver<bool>, pause: Duration) -> bool {
    tokio::time::timeout(pause, stopped.wait_for(|stopped| *stopped)).await.is_ok()
}

/// Wakes the matches with a deadline soon.
async fn wake_due_matches(app: Arc<App>) {
    for (id, stored) in due_matches(&app, app.store.now() + WAKE_AHEAD_MS).await {
        wake_one(&app, id, stored).await;
    }
}

/// Wakes all matches that have a deadline at all, urgent ones first: their players have waited through the
/// downtime, and players who do not return must be noticed.
async fn wake_all_matches(app: Arc<App>) {
    let soon = app.store.now() + WAKE_AHEAD_MS;
    let far = app.store.now() + FAR_AHEAD_MS;
    let is_needed = |due: i64| due <= far || due == i64::MAX;
    let (now, later): (Vec<_>, Vec<_>) = due_matches(&app, i64::MAX)
        .await
        .into_iter()
        .filter(|(_, stored)| is_needed(*stored))
        .partition(|(_, stored)| *stored <= soon);
    for (id, stored) in now {
        wake_one(&app, id, stored).await;
    }
    for batch in later.chunks(WAKE_BATCH) {
        tokio::time::sleep(WAKE_PAUSE).await;
        for (id, stored) in batch {
            wake_one(&app, *id, *stored).await;
        }
    }
}

/// Returns the matches due until that time, with their due times, earliest first.
async fn due_matches(app: &App, until: i64) -> Vec<(MatchId, i64)> {
    if is_active(FailPoint::SkipDueMatches) {
        return Vec::new();
    }
    let due = match app.registry.peers {
        Some(_) => app.store.claim_due(until, CLAIM_BATCH, CLAIM_MS).await,
        None => app.store.due(until, usize::MAX).await,
    };
    due.inspect_err(|error| tracing::error!(%error, "cannot read due matches")).unwrap_or_default()
}

async fn wake_one(app: &App, id: MatchId, stored: i64) {
    match app.registry.send(id, MatchRequest::Wake { stored: Some(stored) }).await {
        Err(problem) if problem.code != Code::Draining => {
            tracing::warn!(r#match = %id, %problem, "cannot wake a due match");
        }
        _ => {}
    }
}

/// Notifies local matches of rows that other servers have written.
async fn poll_for_new_rows(app: Arc<App>) {
    let ids = app.registry.match_ids();
    for batch in ids.chunks(POLL_BATCH) {
        match app.store.heads(batch.to_vec()).await {
            Ok(heads) => batch.iter().zip(heads).for_each(|(id, head)| app.registry.notify(*id, head)),
            Err(error) => return tracing::warn!(%error, "cannot poll for new rows"),
        }
    }
}

/// Wakes the matches of players who were connected through a server that is gone.
async fn wake_orphaned_matches(app: Arc<App>) {
    let Some(peers) = &app.registry.peers else { return };
    let now = app.store.now();
    for (node, last_heartbeat) in peers.gone_nodes(now) {
        let found = app.store.scan(prefix(&connection_index_prefix(node)), ORPHAN_BATCH, false).await;
        let Ok(found) =
            found.inspect_err(|error| tracing::warn!(%error, "cannot read the matches of a lost server"))
        else {
            return;
        };
        let is_old = now - last_heartbeat >= FORGET_NODE_MS;
        for (key, _) in &found {
            let Some(id) = key.rsplit('/').next().and_then(|id| id.parse::<MatchId>().ok()) else { continue };
            if is_old {
                remove_record(&app, key).await;
            } else if peers.is_preferred(id, now)
                || now - last_heartbeat >= NODE_TIMEOUT_MS + PREFERRED_NODE_MS
            {
                let _ = app.registry.send(id, MatchRequest::Wake { stored: None }).await;
            }
        }
        if found.is_empty() && is_old {
            heartbeat::remove_node(&app.store, node).await;
        }
    }
}

async fn remove_record(app: &App, key: &str) {
    let put = Put { key: key.to_owned(), expect: Expect::Anything, value: None };
    // A failure is harmless: it is tried again later.
    let _ = app.store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
}

async fn matchmaking(app: Arc<App>) {
    if let Err(problem) = try_matchmaking(&app).await {
        tracing::warn!(%problem, "matchmaking failed");
    }
}

async fn try_matchmaking(app: &Arc<App>) -> Result<(), Problem> {
    for ruleset in app.services.active_queues().await? {
        for started in app.services.run_matchmaking(&ruleset).await? {
            app.announce_start(&started).await?;
        }
    }
    Ok(())
}

/// Handles notifications from other servers.
pub(crate) async fn receive_notifications(app: Arc<App>, mut notifications: NotificationReceiver) {
    while let Some(Notification { topic, version }) = notifications.recv().await {
        match topic {
            Topic::Match(id) => app.registry.notify(id, version),
            Topic::Account(number) => refresh_account(&app, &account_from_number(number)).await,
        }
    }
}

/// Brings the connections of an account up to date with other servers' changes.
async fn refresh_account(app: &App, account: &AccountId) {
    if let Err(problem) = app.refresh_account(account).await {
        tracing::warn!(%problem, "cannot refresh an account's connections");
    }
}

/// Keeps connected accounts waiting in their queues.
async fn refresh_presence(app: Arc<App>) {
    for account in app.connected_accounts() {
        if app.registry.peers.is_some() {
            refresh_account(&app, &account).await;
        }
        if let Err(problem) = app.services.refresh_presence(&account).await {
            tracing::warn!(%problem, "cannot refresh the presence of an account");
        }
    }
}

async fn sweep(app: Arc<App>) {
    app.rate_limits.forget_idle();
    if let Err(problem) = app.services.sweep().await {
        tracing::warn!(%problem, "cannot remove expired records");
    }
}

async fn audit(app: Arc<App>) {
    match app.services.audit_ledger().await {
        Ok(audit) if audit.is_clean() => {}
        Ok(audit) => {
            metrics::counter!("intermezzo_ledger_mismatches_total").increment(1);
            tracing::error!(?audit, "the ledger does not add up");
        }
        Err(problem) => tracing::warn!(%problem, "cannot audit the ledger"),
    }
}
