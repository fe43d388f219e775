//! Signs of life, by which a server that comes back knows how long none was there.
//!
//! One is left now and then, and one goes along with the rows of matches, which costs nothing: so a server that is killed
//! while it has much to do knows rather well when that was.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Expect, Outcome, Put, Record, Store, Transaction, prefix};

use crate::neighbours::{GONE_MS, Neighbours, NodeId};
use crate::room::{Absence, Hub, unavailable};

/// The sign of a server that is alone.
const ALIVE: &str = "server/alive";
/// Those of servers that share a store.
const SIGNS: &str = "server/alive/";
/// When one of them has started last.
const STARTED: &str = "server/started";
const ABSENCES: &str = "server/absence/";

/// Signs are left at least so often.
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// And at most so often.
const AT_MOST_EVERY: Duration = Duration::from_millis(100);

/// So often servers that start at the same time get in each other's way.
const MAX_TRIES: u32 = 50;

/// How long a server of that age waits before its next sign. One that is killed again and again while it is young still
/// has half of its life counted, so that deadlines come closer.
pub(crate) fn pause(age: Duration) -> Duration {
    age.clamp(AT_MOST_EVERY, AT_LEAST_EVERY)
}

/// Times in which no server was there, oldest first; the last one has just ended.
///
/// To be asked for when everything else is ready: whoever is killed before has not been there.
pub(crate) async fn absences(store: &Arc<dyn Store>) -> Result<Vec<Absence>, Problem> {
    let now = store.now();
    let last = last_sign(store).await?;
    let mut puts = vec![put(ALIVE, now)];
    puts.extend(last.filter(|last| now > *last).map(|last| absence(last, now)));
    match store.commit(Transaction { puts, ..Transaction::default() }).await {
        Outcome::Committed => known_absences(store).await,
        outcome => Err(takes_nothing(&outcome)),
    }
}

/// The same where this server is one of several: if another has left a sign of life lately, there was no absence.
///
/// Servers that start at the same time agree on one: each writes that it starts, and expects that no other has meanwhile.
pub(crate) async fn absences_of_all(store: &Arc<dyn Store>, own: NodeId) -> Result<Vec<Absence>, Problem> {
    for _ in 0..MAX_TRIES {
        let started = store.get(STARTED).await.map_err(|error| unavailable(&error))?;
        let expect = started.map_or(Expect::Absent, |record| Expect::Version(record.version));
        let (now, last) = (store.now(), last_sign(store).await?);
        let mut puts = vec![put(&sign_key(own), now), Put { expect, ..put(STARTED, now) }];
        puts.extend(last.filter(|last| now >= last + GONE_MS).map(|last| absence(last, now)));
        match store.commit(Transaction { puts, ..Transaction::default() }).await {
            Outcome::Committed => return known_absences(store).await,
            Outcome::Conflict(_) | Outcome::Unknown(_) => {}
            outcome => return Err(takes_nothing(&outcome)),
        }
        tokio::time::sleep(AT_MOST_EVERY).await;
    }
    Err(Problem::new(Code::Busy, "too many servers start at the same time"))
}

/// When a server has last left a sign of life, whichever.
async fn last_sign(store: &Arc<dyn Store>) -> Result<Option<i64>, Problem> {
    let found = store.scan(prefix(ALIVE), usize::MAX, false).await.map_err(|error| unavailable(&error))?;
    Ok(found.iter().filter_map(|(_, record)| number(&record.value)).max())
}

/// When each server has last left a sign of life.
async fn signs(store: &Arc<dyn Store>) -> Result<BTreeMap<NodeId, i64>, Problem> {
    let found = store.scan(prefix(SIGNS), usize::MAX, false).await.map_err(|error| unavailable(&error))?;
    let sign = |(key, record): &(String, Record)| {
        let node = NodeId::from_str_radix(key.strip_prefix(SIGNS)?, 16).ok()?;
        Some((node, number(&record.value)?))
    };
    Ok(found.iter().filter_map(sign).collect())
}

async fn known_absences(store: &Arc<dyn Store>) -> Result<Vec<Absence>, Problem> {
    let found = store.scan(prefix(ABSENCES), usize::MAX, false).await.map_err(|error| unavailable(&error))?;
    let absence = |(key, record): &(String, Record)| {
        let until = key.strip_prefix(ABSENCES)?.parse().ok()?;
        Some(Absence { from: number(&record.value)?, until })
    };
    Ok(found.iter().filter_map(absence).collect())
}

/// Leaves a sign of life, and looks for those of others.
pub(crate) async fn sign(hub: &Hub) {
    let left = hub.signs.leave(&hub.store, hub.neighbours.as_ref()).await;
    let (Some(neighbours), Some(left)) = (&hub.neighbours, left) else { return };
    // What the others have done before they heard of this sign has to be known before anybody counts on it.
    let looked = async { Ok::<_, Problem>((signs(&hub.store).await?, known_absences(&hub.store).await?)) };
    match looked.await {
        Ok((signs, absences)) => {
            hub.note_absences(absences);
            neighbours.note(signs, left);
        }
        Err(problem) => tracing::warn!(%problem, "the signs of other servers cannot be read"),
    }
}

/// This server goes: the others need not wait to find out.
pub(crate) async fn sign_off(hub: &Hub) {
    let now = hub.store.now();
    let sign = match &hub.neighbours {
        Some(neighbours) => put(&sign_key(neighbours.own), now - GONE_MS),
        None => put(ALIVE, now),
    };
    let outcome = hub.store.commit(Transaction { puts: vec![sign], ..Transaction::default() }).await;
    if outcome != Outcome::Committed {
        tracing::warn!(?outcome, "no sign could be left that this server goes");
    }
}

/// Forgets a server that is gone for good.
pub(crate) async fn forget(store: &Arc<dyn Store>, node: NodeId) {
    let put = Put { key: sign_key(node), expect: Expect::Anything, value: None };
    // If it is not forgotten now, it will be later.
    let _ = store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
}

/// When the last sign of life was left.
#[derive(Debug, Default)]
pub(crate) struct Signs(AtomicI64);

impl Signs {
    /// Leaves one. When, if it is kept.
    async fn leave(&self, store: &Arc<dyn Store>, neighbours: Option<&Neighbours>) -> Option<i64> {
        let now = store.now();
        self.0.store(now, Ordering::Relaxed);
        let puts = vec![put(&key(neighbours), now)];
        let outcome = store.commit(Transaction { puts, ..Transaction::default() }).await;
        if outcome != Outcome::Committed {
            tracing::warn!(?outcome, "no sign of life could be left");
            return None;
        }
        Some(now)
    }

    /// One to go along with something else that is written, if the last is old enough.
    pub(crate) fn along(&self, now: i64, neighbours: Option<&Neighbours>) -> Option<Put> {
        let last = self.0.load(Ordering::Relaxed);
        let is_old = now.saturating_sub(last) >= AT_MOST_EVERY.as_millis() as i64;
        let is_mine =
            is_old && self.0.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        is_mine.then(|| put(&key(neighbours), now))
    }
}

fn key(neighbours: Option<&Neighbours>) -> String {
    neighbours.map_or_else(|| ALIVE.to_owned(), |neighbours| sign_key(neighbours.own))
}

fn sign_key(node: NodeId) -> String {
    format!("{SIGNS}{node:032x}")
}

fn absence(from: i64, until: i64) -> Put {
    put(&format!("{ABSENCES}{until:020}"), from)
}

fn put(key: &str, number: i64) -> Put {
    Put { key: key.to_owned(), expect: Expect::Anything, value: Some(number.to_string().into_bytes()) }
}

fn number(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn takes_nothing(outcome: &Outcome) -> Problem {
    tracing::error!(?outcome, "the store takes nothing");
    Problem::new(Code::Busy, "the store takes nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_server_leaves_signs_more_often() {
        let (mut age, mut signs) = (Duration::ZERO, Vec::new());
        while age < Duration::from_secs(3) {
            age += pause(age);
            signs.push(age.as_millis());
        }
        assert_eq!(signs, [100, 200, 400, 800, 1_600, 2_600, 3_600]);
    }

    #[test]
    fn a_sign_goes_along_with_a_row_now_and_then() {
        let signs = Signs::default();
        assert!(signs.along(1_000, None).is_some());
        assert!(signs.along(1_099, None).is_none());
        assert!(signs.along(1_100, None).is_some());
    }
}
