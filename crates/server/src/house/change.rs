//! Changing several records at once, as if nobody else were there.
//!
//! A change is attempted: it reads records, decides, and writes. It lands only if all that it has both read and written
//! (or guarded) is still as it was read; otherwise it is attempted anew with what is there now. Each change leaves a
//! *mark* in the same transaction. If a store cannot tell whether a transaction happened, the mark does. The mark of a
//! change that belongs to a [command](super::once) also keeps what came out of it, so that the command can be repeated
//! without being carried out twice.

use std::collections::BTreeMap;
use std::time::Duration;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Append, Due, Expect, MatchId, Outcome, Put, Transaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{House, busy, internal, keys};

/// So often a change is attempted before the caller is asked to try again later.
const MAX_ATTEMPTS: u32 = 16;
/// So often a transaction is handed in of which the store cannot tell what became of it.
const MAX_UNTOLD: u32 = 4;

/// Attempts a change until it lands: gives what the attempt that landed gave.
macro_rules! changing {
    ($house:expr, $mark:expr, |$change:ident| $attempt:expr) => {{
        let mut $change = $crate::house::change::Change::new($house, $mark);
        loop {
            if let Some(outcome) = $change.earlier().await? {
                break Ok(outcome);
            }
            let outcome = match $attempt.await {
                Ok(outcome) => outcome,
                // What stood in the way may have been this very command, sent twice.
                Err(problem) => break $change.earlier().await?.ok_or(problem),
            };
            if $change.land(&outcome).await? {
                break Ok(outcome);
            }
        }
    }};
}
pub(crate) use changing;

/// How a change that has landed is recognised.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The record that says so.
    pub(crate) key: String,
    /// What the command asked for; nothing if the change belongs to none.
    pub(crate) fingerprint: Option<String>,
}

/// A mark as it is stored.
#[derive(Serialize, Deserialize)]
struct Landed {
    at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(default)]
    outcome: Value,
}

/// A change on its way.
pub(crate) struct Change<'h> {
    house: &'h House,
    mark: Mark,
    seen: BTreeMap<String, Seen>,
    appends: Vec<Append>,
    attempts: u32,
}

/// A record as the change sees it.
struct Seen {
    expect: Expect,
    value: Option<Vec<u8>>,
    is_put: bool,
}

impl<'h> Change<'h> {
    pub(crate) fn new(house: &'h House, mark: Mark) -> Change<'h> {
        Change { house, mark, seen: BTreeMap::new(), appends: Vec::new(), attempts: 0 }
    }

    /// The record as it is, with what this change has written.
    pub(crate) async fn read<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, Problem> {
        if !self.seen.contains_key(key) {
            let found = self.house.store.get(key).await.map_err(|error| busy(&error.what))?;
            let expect = found.as_ref().map_or(Expect::Absent, |record| Expect::Version(record.version));
            let value = found.map(|record| record.value);
            self.seen.insert(key.to_owned(), Seen { expect, value, is_put: false });
        }
        let value = self.seen.get(key).and_then(|seen| seen.value.as_ref());
        value.map(|value| read(key, value)).transpose()
    }

    /// Lands only if the record, read before, is still so, although the change does not write it.
    pub(crate) fn guard(&mut self, key: &str) {
        if let Some(seen) = self.seen.get_mut(key) {
            seen.is_put = true;
        }
    }

    /// Writes a record. If it was not read before, whatever is there is replaced.
    pub(crate) fn write<T: Serialize>(&mut self, key: &str, value: &T) -> Result<(), Problem> {
        let value = serde_json::to_vec(value).map_err(|error| internal(&format!("`{key}`: {error}")))?;
        self.put(key, Some(value));
        Ok(())
    }

    /// Removes a record.
    pub(crate) fn remove(&mut self, key: &str) {
        self.put(key, None);
    }

    fn put(&mut self, key: &str, value: Option<Vec<u8>>) {
        let fresh = Seen { expect: Expect::Anything, value: None, is_put: true };
        let seen = self.seen.entry(key.to_owned()).or_insert(fresh);
        seen.value = value;
        seen.is_put = true;
    }

    /// Has a match that has no rows yet woken, so that it begins even if this server does not live to see it.
    pub(crate) fn wake(&mut self, match_id: MatchId, at_ms: i64) {
        self.appends.push(Append { match_id, expected: 0, rows: Vec::new(), due: Due::At(at_ms) });
    }

    /// Gives a match its first rows.
    pub(crate) fn begin_with(&mut self, match_id: MatchId, rows: Vec<Vec<u8>>, at_ms: i64) {
        self.appends.push(Append { match_id, expected: 0, rows, due: Due::At(at_ms) });
    }

    /// What has been written, to be made part of another transaction.
    pub(crate) fn into_puts(self) -> Vec<Put> {
        self.puts()
    }

    fn puts(&self) -> Vec<Put> {
        let put = self.seen.iter().filter(|(_, seen)| seen.is_put);
        put.map(|(key, seen)| Put { key: key.clone(), expect: seen.expect, value: seen.value.clone() })
            .collect()
    }

    /// What came out of this change, if it has landed before as part of the same command.
    pub(crate) async fn earlier<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Problem> {
        let Some(fingerprint) = &self.mark.fingerprint else { return Ok(None) };
        let Some(landed) = self.landed().await? else { return Ok(None) };
        if landed.fingerprint.as_ref() != Some(fingerprint) {
            return Err(Problem::new(Code::CommandReused, "that key was used for another request"));
        }
        let outcome = serde_json::from_value(landed.outcome);
        outcome.map(Some).map_err(|error| internal(&format!("`{}`: {error}", self.mark.key)))
    }

    async fn landed(&self) -> Result<Option<Landed>, Problem> {
        let key = &self.mark.key;
        let found = self.house.store.get(key).await.map_err(|error| busy(&error.what))?;
        found.map(|record| read(key, &record.value)).transpose()
    }

    /// Carries out what was written. If something has changed meanwhile, says no and is ready for another attempt.
    pub(crate) async fn land<T: Serialize>(&mut self, outcome: &T) -> Result<bool, Problem> {
        let puts = self.puts();
        if puts.is_empty() && self.mark.fingerprint.is_none() {
            return Ok(true);
        }
        let transaction = self.transaction(puts, outcome)?;
        if self.commit(transaction).await? {
            return Ok(true);
        }
        self.seen.clear();
        self.appends.clear();
        self.attempts += 1;
        if self.attempts == MAX_ATTEMPTS {
            return Err(busy("too many are changing the same things"));
        }
        tokio::time::sleep(self.pause()).await;
        Ok(false)
    }

    fn transaction<T: Serialize>(&self, mut puts: Vec<Put>, outcome: &T) -> Result<Transaction, Problem> {
        let unwritable = |error| internal(&format!("`{}`: {error}", self.mark.key));
        let outcome = match self.mark.fingerprint {
            Some(_) => serde_json::to_value(outcome).map_err(unwritable)?,
            None => Value::Null,
        };
        let landed = Landed { at_ms: self.house.now(), fingerprint: self.mark.fingerprint.clone(), outcome };
        let value = serde_json::to_vec(&landed).map_err(unwritable)?;
        puts.push(Put { key: self.mark.key.clone(), expect: Expect::Absent, value: Some(value) });
        Ok(Transaction { appends: self.appends.clone(), puts, snapshots: Vec::new() })
    }

    /// Longer after each attempt, and not the same for everyone who is in each other's way.
    fn pause(&self) -> Duration {
        let most_us = 500u64 << self.attempts.min(8);
        let chance = u64::from(u32::from_le_bytes(self.house.random().unwrap_or([0; 4])));
        Duration::from_micros((most_us * chance) >> 32)
    }

    /// Whether the transaction happened.
    async fn commit(&self, transaction: Transaction) -> Result<bool, Problem> {
        let mut was_untold = false;
        for _ in 0..MAX_UNTOLD {
            match self.house.store.commit(transaction.clone()).await {
                Outcome::Committed => return Ok(true),
                Outcome::Conflict(_) => return Ok(was_untold && self.landed().await?.is_some()),
                Outcome::DefinitelyNot(why) => return Err(busy(&why)),
                Outcome::Unknown(_) if planted!(UnknownIsLost) => {
                    return Err(Problem::new(Code::Closed, "it has not happened"));
                }
                Outcome::Unknown(why) => tracing::warn!(why, "the store cannot tell what became of a change"),
            }
            was_untold = true;
            if self.landed().await?.is_some() {
                return Ok(true);
            }
        }
        Err(busy("the store cannot tell what becomes of changes"))
    }
}

impl House {
    /// A mark for a change that belongs to no command.
    pub(crate) fn mark(&self) -> Result<Mark, Problem> {
        let key = format!("mark/{}/{:032x}", keys::time(self.now()), self.new_id()?);
        Ok(Mark { key, fingerprint: None })
    }

    /// One record as it is now.
    pub(crate) async fn look<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Problem> {
        let found = self.store.get(key).await.map_err(|error| busy(&error.what))?;
        found.map(|record| read(key, &record.value)).transpose()
    }
}

/// A value as it was stored.
pub(crate) fn read<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(value).map_err(|error| internal(&format!("`{key}` cannot be read: {error}")))
}
