//! Removing what has had its time. To be called now and then, by any number of servers.

use intermezzo_protocol::Problem;
use intermezzo_store::{Expect, MatchId, Put, Record, Transaction};
use serde::Deserialize;

use super::accounts::AccountId;
use super::change::{changing, read};
use super::lobby::open_match;
use super::matches::MatchRecord;
use super::sessions::{Session, sessions_of};
use super::{House, keys};

const HOUR_MS: i64 = 60 * 60 * 1000;
/// How long the mark of a change is of use.
const MARK_MS: i64 = HOUR_MS;
/// How long a command can be repeated.
const COMMAND_MS: i64 = 24 * HOUR_MS;
/// How long a match may wait for players.
const OPEN_MS: i64 = 24 * HOUR_MS;
/// Records removed in one transaction.
const AT_ONCE: usize = 500;

/// What a sweep removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    /// Marks, commands and their answers.
    pub records: usize,
    /// Tokens that had ended.
    pub sessions: usize,
    /// Matches that nobody started.
    pub matches: usize,
    /// Accounts whose deletion had been cut off.
    pub accounts: usize,
}

/// All that is read of commands and marks.
#[derive(Deserialize)]
struct Dated {
    at_ms: i64,
}

impl House {
    /// Removes what has had its time: marks, commands, tokens, matches that nobody started, and what is left of deleted
    /// accounts.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn sweep(&self) -> Result<Swept, Problem> {
        Ok(Swept {
            records: self.sweep_marks().await? + self.sweep_commands().await?,
            sessions: self.sweep_sessions().await?,
            matches: self.sweep_matches("open-match/").await? + self.sweep_matches("open-private/").await?,
            accounts: self.sweep_accounts().await?,
        })
    }

    async fn sweep_marks(&self) -> Result<usize, Problem> {
        let mut removed = 0;
        loop {
            let range = "mark/".to_owned()..format!("mark/{}", keys::time(self.now() - MARK_MS));
            let found = self.scan(range, AT_ONCE, false).await?;
            let gone = self.remove_all(found).await?;
            removed += gone;
            if gone < AT_ONCE {
                return Ok(removed);
            }
        }
    }

    async fn sweep_commands(&self) -> Result<usize, Problem> {
        let mut old = Vec::new();
        for (key, record) in self.all("command/").await? {
            let dated: Dated = read(&key, &record.value)?;
            if dated.at_ms < self.now() - COMMAND_MS {
                old.push((key, record));
            }
        }
        self.remove_all(old).await
    }

    async fn sweep_sessions(&self) -> Result<usize, Problem> {
        let mut ended = Vec::new();
        for (key, record) in self.all("session/").await? {
            let session: Session = read(&key, &record.value)?;
            if session.has_expired(self.now()) {
                let hash = key.trim_start_matches("session/");
                let listed = format!("{}{hash}", sessions_of(&session.account));
                let listing = self.store.get(&listed).await.map_err(|error| super::busy(&error.what))?;
                ended.extend(listing.map(|listing| (listed, listing)));
                ended.push((key, record));
            }
        }
        self.remove_all(ended).await
    }

    async fn sweep_matches(&self, list: &str) -> Result<usize, Problem> {
        let range = list.to_owned()..format!("{list}{}", keys::time(self.now() - OPEN_MS));
        let mut called_off = 0;
        for (key, record) in self.scan(range, AT_ONCE, false).await? {
            let id: String = read(&key, &record.value)?;
            let Ok(id) = id.parse::<MatchId>() else { continue };
            let outcome: Result<MatchRecord, Problem> = changing!(self, self.mark()?, |change| async {
                let before = open_match(&mut change, id).await?;
                self.call_off(&mut change, &before).await
            });
            called_off += usize::from(outcome.is_ok());
        }
        Ok(called_off)
    }

    async fn sweep_accounts(&self) -> Result<usize, Problem> {
        let leaving = self.all("leaving/").await?;
        for (key, record) in &leaving {
            self.clear_away(&read::<AccountId>(key, &record.value)?).await?;
        }
        Ok(leaving.len())
    }

    /// Removes records that are still as they were read. Others are left for the next time.
    async fn remove_all(&self, records: Vec<(String, Record)>) -> Result<usize, Problem> {
        let mut removed = 0;
        for part in records.chunks(AT_ONCE) {
            let put = |(key, record): &(String, Record)| Put {
                key: key.clone(),
                expect: Expect::Version(record.version),
                value: None,
            };
            let puts = part.iter().map(put).collect();
            let transaction = Transaction { puts, ..Transaction::default() };
            if self.store.commit(transaction).await == intermezzo_store::Outcome::Committed {
                removed += part.len();
            }
        }
        Ok(removed)
    }
}
