//! Account deletion. No record that identifies the person remains.
//!
//! The first transaction removes name, password, login sessions and balance. Records that are spread over the
//! store are then removed one by one; [`Services::sweep`] resumes that if it is interrupted. Records that
//! others need remain under the bare id: matches with a neutral name on the seat, transfers, and the results
//! that ratings were calculated from.

use intermezzo_protocol::resources::{MatchStatus, TransferReason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::Services;
use super::accounts::{AccountId, AccountRecord, active_account, name_key};
use super::idempotency::Caller;
use super::ledger::{TokenHolder, transfers_prefix};
use super::matches::{MatchRecord, busy_key, matches_prefix};
use super::names;
use super::queue::{queues_prefix, remove_entry};
use super::ratings::{RatingRecord, ratings_prefix};
use super::transaction::{decode, transact};

/// Number of times the open matches are left, in case the account joins one again in the meantime.
const MAX_ATTEMPTS: u32 = 4;

impl Services {
    /// Deletes an account. It leaves its open matches first.
    ///
    /// # Errors
    ///
    /// If it is part of a match in progress (listed in `matches`).
    pub async fn delete_account(&self, caller: &Caller) -> Result<(), Problem> {
        let id = &caller.account.id;
        for _ in 0..MAX_ATTEMPTS {
            self.leave_open_matches(id).await?;
            if self.close_account(id).await? {
                self.token_cache.forget_account(id);
                return self.remove_account_data(id).await;
            }
        }
        Err(super::busy("the account joins matches as fast as it leaves them"))
    }

    async fn leave_open_matches(&self, id: &AccountId) -> Result<(), Problem> {
        let busy: Vec<String> = self.read_record(&busy_key(id)).await?.unwrap_or_default();
        let mut playing = Vec::new();
        for match_id in busy.iter().filter_map(|text| text.parse::<MatchId>().ok()) {
            match self.match_record(match_id).await?.status {
                MatchStatus::Open => {
                    let _: MatchRecord =
                        transact!(self, self.new_marker()?, |tx| self.leave_match_in(&mut tx, id, match_id))?;
                }
                MatchStatus::Playing => playing.push(match_id.to_string()),
                MatchStatus::Ended | MatchStatus::Cancelled => {}
            }
        }
        if playing.is_empty() {
            return Ok(());
        }
        Err(Problem::new(Code::NotReady, "the account still has matches in progress")
            .with("matches", playing))
    }

    /// Removes everything that identifies the account, in one transaction. Returns false if it is part of a
    /// match again.
    async fn close_account(&self, id: &AccountId) -> Result<bool, Problem> {
        transact!(self, self.new_marker()?, |tx| async {
            let mut record = active_account(&mut tx, id).await?;
            let busy: Vec<String> = tx.read(&busy_key(id)).await?.unwrap_or_default();
            if !busy.is_empty() {
                return Ok(false);
            }
            // Written although it stays empty: a concurrent attempt to join a match then conflicts.
            tx.write(&busy_key(id), &busy)?;
            tx.remove(&name_key(&record.name));
            names::FORMER_PLAYER.clone_into(&mut record.name);
            record.password = None;
            record.moderator = false;
            record.epoch += 1;
            record.deleted_ms = Some(self.now());
            tx.write(&AccountRecord::key(id), &record)?;
            let holder = TokenHolder::Account(id.clone());
            let balance: i64 = tx.read(&format!("balance/{}", holder.name())).await?.unwrap_or(0);
            self.transfer(&mut tx, &holder, &TokenHolder::Burned, balance, TransferReason::Closed).await?;
            tx.remove(&format!("balance/{}", holder.name()));
            tx.write(&format!("leaving/{id}"), id)?;
            Ok::<_, Problem>(true)
        })
    }

    /// Removes the records that are spread over the store. Can be repeated.
    pub async fn remove_account_data(&self, id: &AccountId) -> Result<(), Problem> {
        self.remove_sessions(id).await?;
        for (key, record) in self.read_all(&queues_prefix(id)).await? {
            let ruleset: String = decode(&key, &record.value)?;
            transact!(self, self.new_marker()?, |tx| remove_entry(&mut tx, &ruleset, id, |_| true))?;
        }
        for (key, record) in self.read_all(&ratings_prefix(id)).await? {
            self.remove_rating(id, &key, &decode::<String>(&key, &record.value)?).await?;
        }
        for (key, record) in self.read_all(&matches_prefix(id)).await? {
            self.anonymize_match(id, &key, &decode::<String>(&key, &record.value)?).await?;
        }
        let lists =
            [transfers_prefix(id), format!("command/{id}/"), queues_prefix(id), format!("leaving/{id}")];
        for list in lists {
            for (key, _) in self.read_all(&list).await? {
                self.remove_record(&key).await?;
            }
        }
        Ok(())
    }

    async fn remove_rating(&self, id: &AccountId, listed: &str, ruleset: &str) -> Result<(), Problem> {
        transact!(self, self.new_marker()?, |tx| async {
            let key = RatingRecord::key(ruleset, id);
            if let Some(rating) = tx.read::<RatingRecord>(&key).await? {
                tx.remove(&rating.rank_key(ruleset, id));
                tx.remove(&key);
            }
            tx.remove(listed);
            Ok::<_, Problem>(())
        })
    }

    /// Replaces the account's name in a finished match.
    async fn anonymize_match(&self, id: &AccountId, listed: &str, match_id: &str) -> Result<(), Problem> {
        let key = format!("match/{match_id}");
        transact!(self, self.new_marker()?, |tx| async {
            if let Some(mut record) = tx.read::<MatchRecord>(&key).await? {
                for seat in record.seats.iter_mut().filter(|seat| seat.account.as_ref() == Some(id)) {
                    seat.name = Some(names::FORMER_PLAYER.to_owned());
                }
                if record.host.as_ref() == Some(id) {
                    record.name = record.ruleset.name.clone();
                }
                tx.write(&key, &record)?;
            }
            tx.remove(listed);
            Ok::<_, Problem>(())
        })
    }

    async fn remove_record(&self, key: &str) -> Result<(), Problem> {
        transact!(self, self.new_marker()?, |tx| async {
            tx.remove(key);
            Ok::<_, Problem>(())
        })
    }
}
