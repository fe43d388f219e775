//! Signs of life, by which a server that comes back knows how long none was there.
//!
//! One is left now and then, and one goes along with the rows of matches, which costs nothing: so a server that is killed
//! while it has much to do knows rather well when that was.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Expect, Outcome, Put, Store, Transaction, prefix};

use crate::room::{Absence, unavailable};

const ALIVE: &str = "server/alive";
const ABSENCES: &str = "server/absence/";

/// Signs are left at least so often.
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// And at most so often.
const AT_MOST_EVERY: Duration = Duration::from_millis(100);

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
    let alive = store.get(ALIVE).await.map_err(|error| unavailable(&error))?;
    let last = alive.and_then(|record| number(&record.value));
    let mut puts = vec![put(ALIVE, now)];
    if let Some(last) = last.filter(|last| now > *last) {
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
        Some(Absence { from: number(&record.value)?, until })
    };
    Ok(found.iter().filter_map(absence).collect())
}

/// When the last sign of life was left.
#[derive(Debug, Default)]
pub(crate) struct Signs(AtomicI64);

impl Signs {
    /// Leaves one.
    pub(crate) async fn leave(&self, store: &Arc<dyn Store>) {
        let now = store.now();
        self.0.store(now, Ordering::Relaxed);
        let outcome =
            store.commit(Transaction { puts: vec![put(ALIVE, now)], ..Transaction::default() }).await;
        if outcome != Outcome::Committed {
            tracing::warn!(?outcome, "no sign of life could be left");
        }
    }

    /// One to go along with something else that is written, if the last is old enough.
    pub(crate) fn along(&self, now: i64) -> Option<Put> {
        let last = self.0.load(Ordering::Relaxed);
        let is_old = now.saturating_sub(last) >= AT_MOST_EVERY.as_millis() as i64;
        let is_mine =
            is_old && self.0.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        is_mine.then(|| put(ALIVE, now))
    }
}

fn put(key: &str, number: i64) -> Put {
    Put { key: key.to_owned(), expect: Expect::Anything, value: Some(number.to_string().into_bytes()) }
}

fn number(value: &[u8]) -> Option<i64> {
    std::str::from_utf8(value).ok()?.parse().ok()
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
        assert!(signs.along(1_000).is_some());
        assert!(signs.along(1_099).is_none());
        assert!(signs.along(1_100).is_some());
    }
}
