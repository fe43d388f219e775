//! Removal of expired records. Any number of servers may run it, at any time.

use intermezzo_protocol::Problem;
use intermezzo_store::{Expect, MatchId, Put, StoredRecord, Transaction};
use serde::Deserialize;

use super::Services;
use super::accounts::AccountId;
use super::lobby::read_open_match;
use super::login_sessions::{LoginSession, sessions_prefix};
use super::matches::MatchRecord;
use super::record_keys;
use super::transaction::{decode, transact};

const HOUR_MS: i64 = 60 * 60 * 1000;
/// Time for which a marker is needed.
const MARKER_RETENTION_MS: i64 = HOUR_MS;
/// Time during which a command can be repeated.
const COMMAND_RETENTION_MS: i64 = 24 * HOUR_MS;
/// Time that a match may wait for players.
const OPEN_MATCH_RETENTION_MS: i64 = 24 * HOUR_MS;
/// Records removed in one transaction.
const BATCH_SIZE: usize = 500;

/// Counts of removed records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SweepReport {
    /// Markers, commands and their responses.
    pub records: usize,
    /// Records of expired login sessions.
    pub sessions: usize,
    /// Matches that were never started.
    pub matches: usize,
    /// Accounts whose deletion had been interrupted.
    pub accounts: usize,
    /// Published versions that nobody ever played.
    pub rulesets: usize,
}

/// The part of commands and markers that is read here.
#[derive(Deserialize)]
struct Timestamped {
    at_ms: i64,
}

impl Services {
    /// Removes expired markers, commands, login sessions and open matches, and finishes interrupted account
    /// deletions.
    pub async fn sweep(&self) -> Result<SweepReport, Problem> {
        Ok(SweepReport {
            records: self.sweep_markers().await?
                + self.sweep_commands().await?
                + self.sweep_tickets().await?,
            sessions: self.sweep_sessions().await?,
            matches: self.sweep_open_matches("open-match/").await?
                + self.sweep_open_matches("open-private/").await?,
            accounts: self.sweep_deleted_accounts().await?,
            rulesets: self.sweep_unused_rulesets().await?,
        })
    }

    async fn sweep_markers(&self) -> Result<usize, Problem> {
        let mut removed = 0;
        loop {
            let range = "mark/".to_owned()
                ..format!("mark/{}", record_keys::time_key(self.now() - MARKER_RETENTION_MS));
            let found = self.scan(range, BATCH_SIZE, false).await?;
            let gone = self.remove_all(found).await?;
            removed += gone;
            if gone < BATCH_SIZE {
                return Ok(removed);
            }
        }
    }

    async fn sweep_commands(&self) -> Result<usize, Problem> {
        let mut old = Vec::new();
        for (key, record) in self.read_all("command/").await? {
            let dated: Timestamped = decode(&key, &record.value)?;
            if dated.at_ms < self.now() - COMMAND_RETENTION_MS {
                old.push((key, record));
            }
        }
        self.remove_all(old).await
    }

    async fn sweep_sessions(&self) -> Result<usize, Problem> {
        let mut ended = Vec::new();
        for (key, record) in self.read_all("session/").await? {
            let session: LoginSession = decode(&key, &record.value)?;
            if session.has_expired(self.now()) {
                let hash = key.trim_start_matches("session/");
                let listed = format!("{}{hash}", sessions_prefix(&session.account));
                let listing = self.store.get(&listed).await.map_err(|error| super::busy(&error.message))?;
                ended.extend(listing.map(|listing| (listed, listing)));
                ended.push((key, record));
            }
        }
        self.remove_all(ended).await
    }

    async fn sweep_open_matches(&self, list: &str) -> Result<usize, Problem> {
        let range =
            list.to_owned()..format!("{list}{}", record_keys::time_key(self.now() - OPEN_MATCH_RETENTION_MS));
        let mut cancelled = 0;
        for (key, record) in self.scan(range, BATCH_SIZE, false).await? {
            let id: String = decode(&key, &record.value)?;
            let Ok(id) = id.parse::<MatchId>() else { continue };
            let outcome: Result<MatchRecord, Problem> = transact!(self, self.new_marker()?, |tx| async {
                let before = read_open_match(&mut tx, id).await?;
                self.cancel_open_match(&mut tx, &before).await
            });
            cancelled += usize::from(outcome.is_ok());
        }
        Ok(cancelled)
    }

    async fn sweep_deleted_accounts(&self) -> Result<usize, Problem> {
        let leaving = self.read_all("leaving/").await?;
        for (key, record) in &leaving {
            self.remove_account_data(&decode::<AccountId>(key, &record.value)?).await?;
        }
        Ok(leaving.len())
    }

    /// Removes records that are unchanged since they were read. Others are left for the next run.
    pub(crate) async fn remove_all(&self, records: Vec<(String, StoredRecord)>) -> Result<usize, Problem> {
        let mut removed = 0;
        for part in records.chunks(BATCH_SIZE) {
            let put = |(key, record): &(String, StoredRecord)| Put {
                key: key.clone(),
                expect: Expect::Version(record.version),
                value: None,
            };
            let puts = part.iter().map(put).collect();
            let transaction = Transaction { puts, ..Transaction::default() };
            if self.store.commit(transaction).await == intermezzo_store::CommitOutcome::Committed {
                removed += part.len();
            }
        }
        Ok(removed)
    }
}
