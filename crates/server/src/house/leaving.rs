//! Deleting an account: nothing stays that says who it was.
//!
//! First, in one step, the account stops being anybody's: its name, password, tokens and balance are gone. Then what is
//! spread over many records is removed one by one. If that is cut off, [`House::sweep`] goes on with it. What others
//! need stays under the bare id: matches with a neutral name at the seat, transfers, and results that ratings were
//! counted from.

use intermezzo_protocol::resources::{MatchStatus, Reason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::{AccountId, AccountRecord, account_of, name_key};
use super::change::{changing, read};
use super::ledger::{Holder, transfers_of};
use super::matches::{MatchRecord, busy_key, matches_of};
use super::once::Caller;
use super::queue::{queues_of, remove_entry};
use super::ratings::{Rating, ratings_of};
use super::{House, names};

/// So often an account's open matches are left, should it sit down again meanwhile.
const MAX_TRIES: u32 = 4;

impl House {
    /// Deletes an account. It leaves its open matches; those under way have to come to an end first.
    ///
    /// # Errors
    ///
    /// If it is part of a match under way (`matches` lists them).
    pub async fn delete_account(&self, caller: &Caller) -> Result<(), Problem> {
        let id = &caller.account.id;
        for _ in 0..MAX_TRIES {
            self.leave_all(id).await?;
            if self.close_account(id).await? {
                self.known.forget(id);
                return self.clear_away(id).await;
            }
        }
        Err(super::busy("an account takes seats as fast as it leaves them"))
    }

    async fn leave_all(&self, id: &AccountId) -> Result<(), Problem> {
        let busy: Vec<String> = self.look(&busy_key(id)).await?.unwrap_or_default();
        let mut playing = Vec::new();
        for match_id in busy.iter().filter_map(|text| text.parse::<MatchId>().ok()) {
            match self.match_record(match_id).await?.status {
                MatchStatus::Open => {
                    let _: MatchRecord =
                        changing!(self, self.mark()?, |change| self.try_leave(&mut change, id, match_id))?;
                }
                MatchStatus::Playing => playing.push(match_id.to_string()),
                MatchStatus::Ended | MatchStatus::Cancelled => {}
            }
        }
        if playing.is_empty() {
            return Ok(());
        }
        Err(Problem::new(Code::NotReady, "matches under way have to end first").with("matches", playing))
    }

    /// The step after which the account is nobody's. Says no if it is part of a match again.
    async fn close_account(&self, id: &AccountId) -> Result<bool, Problem> {
        changing!(self, self.mark()?, |change| async {
            let mut record = account_of(&mut change, id).await?;
            let busy: Vec<String> = change.read(&busy_key(id)).await?.unwrap_or_default();
            if !busy.is_empty() {
                return Ok(false);
            }
            // Written although it stays empty: whoever would sit down at this moment finds it changed.
            change.write(&busy_key(id), &busy)?;
            change.remove(&name_key(&record.name));
            names::NOBODY.clone_into(&mut record.name);
            record.password = None;
            record.moderator = false;
            record.epoch += 1;
            record.deleted_ms = Some(self.now());
            change.write(&AccountRecord::key(id), &record)?;
            let holder = Holder::Account(id.clone());
            let balance: i64 = change.read(&format!("balance/{}", holder.name())).await?.unwrap_or(0);
            self.transfer(&mut change, &holder, &Holder::Burned, balance, Reason::Closed).await?;
            change.remove(&format!("balance/{}", holder.name()));
            change.write(&format!("leaving/{id}"), id)?;
            Ok::<_, Problem>(true)
        })
    }

    /// Removes what is spread over many records. Can be repeated.
    pub(crate) async fn clear_away(&self, id: &AccountId) -> Result<(), Problem> {
        self.remove_sessions(id).await?;
        for (key, record) in self.all(&queues_of(id)).await? {
            let ruleset: String = read(&key, &record.value)?;
            changing!(self, self.mark()?, |change| remove_entry(&mut change, &ruleset, id, |_| true))?;
        }
        for (key, record) in self.all(&ratings_of(id)).await? {
            self.remove_rating(id, &key, &read::<String>(&key, &record.value)?).await?;
        }
        for (key, record) in self.all(&matches_of(id)).await? {
            self.forget_name(id, &key, &read::<String>(&key, &record.value)?).await?;
        }
        let lists = [transfers_of(id), format!("command/{id}/"), queues_of(id), format!("leaving/{id}")];
        for list in lists {
            for (key, _) in self.all(&list).await? {
                self.remove_record(&key).await?;
            }
        }
        Ok(())
    }

    async fn remove_rating(&self, id: &AccountId, listed: &str, ruleset: &str) -> Result<(), Problem> {
        changing!(self, self.mark()?, |change| async {
            let key = Rating::key(ruleset, id);
            if let Some(rating) = change.read::<Rating>(&key).await? {
                change.remove(&rating.rank_key(ruleset, id));
                change.remove(&key);
            }
            change.remove(listed);
            Ok::<_, Problem>(())
        })
    }

    /// Puts a neutral name into a match that was played.
    async fn forget_name(&self, id: &AccountId, listed: &str, match_id: &str) -> Result<(), Problem> {
        let key = format!("match/{match_id}");
        changing!(self, self.mark()?, |change| async {
            if let Some(mut record) = change.read::<MatchRecord>(&key).await? {
                for seat in record.seats.iter_mut().filter(|seat| seat.account.as_ref() == Some(id)) {
                    seat.name = Some(names::NOBODY.to_owned());
                }
                if record.host.as_ref() == Some(id) {
                    record.name = record.ruleset.name.clone();
                }
                change.write(&key, &record)?;
            }
            change.remove(listed);
            Ok::<_, Problem>(())
        })
    }

    async fn remove_record(&self, key: &str) -> Result<(), Problem> {
        changing!(self, self.mark()?, |change| async {
            change.remove(key);
            Ok::<_, Problem>(())
        })
    }
}
