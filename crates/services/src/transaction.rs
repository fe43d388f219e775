//! Optimistic transactions over several records.
//!
//! A transaction is attempted: it reads records, decides, and writes. It commits only if all records that it
//! has both read and written (or guarded) are unchanged; otherwise it is attempted again with the current
//! records. Each transaction also writes a *marker*. If the store cannot tell whether a commit succeeded, the
//! marker does. The marker of a transaction that belongs to a [command](super::idempotency) also stores the
//! outcome, so that the command can be repeated without being carried out twice.

use std::collections::BTreeMap;
use std::time::Duration;

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Append, CommitOutcome, Due, Expect, MatchId, Put, Transaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record_keys;
use super::{Services, busy, internal};

/// Attempts before the caller is asked to try again later.
const MAX_ATTEMPTS: u32 = 16;
/// Commits of one transaction before giving up while the store does not know the outcome.
const MAX_UNKNOWN_OUTCOMES: u32 = 4;

/// Attempts a transaction until it commits, and evaluates to the outcome of that attempt.
macro_rules! transact {
    ($services:expr, $marker:expr, |$tx:ident| $attempt:expr) => {{
        let mut $tx = $crate::transaction::ServiceTransaction::new($services, $marker);
        loop {
            if let Some(outcome) = $tx.earlier_outcome().await? {
                break Ok(outcome);
            }
            let outcome = match $attempt.await {
                Ok(outcome) => outcome,
                // The same command, sent twice, may have caused the problem.
                Err(problem) => break $tx.earlier_outcome().await?.ok_or(problem),
            };
            if $tx.commit(&outcome).await? {
                break Ok(outcome);
            }
        }
    }};
}
pub(crate) use transact;

/// Identification of a committed transaction.
#[derive(Clone, Debug)]
pub struct CommitMarker {
    /// Key of the marker record.
    pub key: String,
    /// Digest of the request that the command carries; `None` if the transaction belongs to no command.
    pub fingerprint: Option<String>,
}

/// A marker as it is stored.
#[derive(Serialize, Deserialize)]
struct StoredMarker {
    at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(default)]
    outcome: Value,
}

/// A transaction being attempted.
pub struct ServiceTransaction<'h> {
    services: &'h Services,
    marker: CommitMarker,
    records: BTreeMap<String, TrackedRecord>,
    appends: Vec<Append>,
    attempts: u32,
}

/// A record as the transaction sees it.
struct TrackedRecord {
    expect: Expect,
    value: Option<Vec<u8>>,
    is_put: bool,
}

impl<'h> ServiceTransaction<'h> {
    pub fn new(services: &'h Services, marker: CommitMarker) -> ServiceTransaction<'h> {
        ServiceTransaction { services, marker, records: BTreeMap::new(), appends: Vec::new(), attempts: 0 }
    }

    /// Reads a record, including what this transaction has written.
    pub async fn read<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, Problem> {
        if !self.records.contains_key(key) {
            let found = self.services.store.get(key).await.map_err(|error| busy(&error.message))?;
            let expect = found.as_ref().map_or(Expect::Absent, |record| Expect::Version(record.version));
            let value = found.map(|record| record.value);
            self.records.insert(key.to_owned(), TrackedRecord { expect, value, is_put: false });
        }
        let value = self.records.get(key).and_then(|record| record.value.as_ref());
        value.map(|value| decode(key, value)).transpose()
    }

    /// Makes the commit depend on a record that was read but is not written.
    pub fn guard(&mut self, key: &str) {
        if let Some(record) = self.records.get_mut(key) {
            record.is_put = true;
        }
    }

    /// Writes a record. If it was not read before, its current value is replaced unconditionally.
    pub fn write<T: Serialize>(&mut self, key: &str, value: &T) -> Result<(), Problem> {
        let value = serde_json::to_vec(value).map_err(|error| internal(&format!("`{key}`: {error}")))?;
        self.put(key, Some(value));
        Ok(())
    }

    pub fn remove(&mut self, key: &str) {
        self.put(key, None);
    }

    fn put(&mut self, key: &str, value: Option<Vec<u8>>) {
        let fresh = TrackedRecord { expect: Expect::Anything, value: None, is_put: true };
        let record = self.records.entry(key.to_owned()).or_insert(fresh);
        record.value = value;
        record.is_put = true;
    }

    /// Schedules a match without rows, so that another server starts it if this one goes down.
    pub fn wake(&mut self, match_id: MatchId, at_ms: i64) {
        self.appends.push(Append { match_id, expected: 0, rows: Vec::new(), due: Due::At(at_ms) });
    }

    /// Appends the first rows of a match.
    pub fn append_first_rows(&mut self, match_id: MatchId, rows: Vec<Vec<u8>>, at_ms: i64) {
        self.appends.push(Append { match_id, expected: 0, rows, due: Due::At(at_ms) });
    }

    /// Returns the writes, to be included in another transaction.
    pub fn into_puts(self) -> Vec<Put> {
        self.puts()
    }

    fn puts(&self) -> Vec<Put> {
        let put = self.records.iter().filter(|(_, record)| record.is_put);
        put.map(|(key, record)| Put { key: key.clone(), expect: record.expect, value: record.value.clone() })
            .collect()
    }

    /// Returns the outcome if this transaction has already committed as part of the same command.
    pub async fn earlier_outcome<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Problem> {
        let Some(fingerprint) = &self.marker.fingerprint else { return Ok(None) };
        let Some(stored) = self.stored_marker().await? else { return Ok(None) };
        if stored.fingerprint.as_ref() != Some(fingerprint) {
            return Err(Problem::new(Code::CommandReused, "this key was already used for another request"));
        }
        let outcome = serde_json::from_value(stored.outcome);
        outcome.map(Some).map_err(|error| internal(&format!("`{}`: {error}", self.marker.key)))
    }

    async fn stored_marker(&self) -> Result<Option<StoredMarker>, Problem> {
        let key = &self.marker.key;
        let found = self.services.store.get(key).await.map_err(|error| busy(&error.message))?;
        found.map(|record| decode(key, &record.value)).transpose()
    }

    /// Commits the writes. Returns false if a record has changed in the meantime; the transaction is then
    /// ready for another attempt.
    pub async fn commit<T: Serialize>(&mut self, outcome: &T) -> Result<bool, Problem> {
        let puts = self.puts();
        if puts.is_empty() && self.marker.fingerprint.is_none() {
            return Ok(true);
        }
        let transaction = self.transaction(puts, outcome)?;
        if self.commit_to_store(transaction).await? {
            return Ok(true);
        }
        self.records.clear();
        self.appends.clear();
        self.attempts += 1;
        if self.attempts == MAX_ATTEMPTS {
            return Err(busy("too many concurrent changes to the same records"));
        }
        tokio::time::sleep(self.backoff()).await;
        Ok(false)
    }

    fn transaction<T: Serialize>(&self, mut puts: Vec<Put>, outcome: &T) -> Result<Transaction, Problem> {
        let unwritable = |error| internal(&format!("`{}`: {error}", self.marker.key));
        let outcome = match self.marker.fingerprint {
            Some(_) => serde_json::to_value(outcome).map_err(unwritable)?,
            None => Value::Null,
        };
        let stored = StoredMarker {
            at_ms: self.services.now(),
            fingerprint: self.marker.fingerprint.clone(),
            outcome,
        };
        let value = serde_json::to_vec(&stored).map_err(unwritable)?;
        puts.push(Put { key: self.marker.key.clone(), expect: Expect::Absent, value: Some(value) });
        Ok(Transaction { appends: self.appends.clone(), puts, snapshots: Vec::new() })
    }

    /// Returns a random pause that grows with each attempt, so that competing transactions diverge.
    fn backoff(&self) -> Duration {
        let most_us = 500u64 << self.attempts.min(8);
        let random = u64::from(u32::from_le_bytes(self.services.random().unwrap_or([0; 4])));
        Duration::from_micros((most_us * random) >> 32)
    }

    /// Returns true if the transaction was committed.
    async fn commit_to_store(&self, transaction: Transaction) -> Result<bool, Problem> {
        let mut was_unknown = false;
        for _ in 0..MAX_UNKNOWN_OUTCOMES {
            match self.services.store.commit(transaction.clone()).await {
                CommitOutcome::Committed => return Ok(true),
                CommitOutcome::Conflict(_) => return Ok(was_unknown && self.stored_marker().await?.is_some()),
                CommitOutcome::NotCommitted(why) => return Err(busy(&why)),
                CommitOutcome::Unknown(_) if is_active(FailPoint::UnknownCountsAsLost) => {
                    return Err(Problem::new(Code::Closed, "the change was not made"));
                }
                CommitOutcome::Unknown(why) => {
                    tracing::warn!(why, "the store does not know the outcome of a commit");
                }
            }
            was_unknown = true;
            if self.stored_marker().await?.is_some() {
                return Ok(true);
            }
        }
        Err(busy("the store does not know the outcome of commits"))
    }
}

impl Services {
    /// Creates a marker for a transaction that belongs to no command.
    pub fn new_marker(&self) -> Result<CommitMarker, Problem> {
        let key = format!("mark/{}/{:032x}", record_keys::time_key(self.now()), self.new_id()?);
        Ok(CommitMarker { key, fingerprint: None })
    }

    /// Reads the current value of one record.
    pub async fn read_record<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        let found = self.store.get(key).await.map_err(|error| busy(&error.message))?;
        found.map(|record| decode(key, &record.value)).transpose()
    }
}

/// Decodes a stored value.
pub(crate) fn decode<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(value).map_err(|error| internal(&format!("`{key}` cannot be read: {error}")))
}
