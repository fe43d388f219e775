//! Rulesets that moderators take down or give to another account, and rulesets that nobody ever played.

use intermezzo_protocol::resources::{ChangeOwner, ModerationAction, ModerationReason, RulesetInfo};
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::Services;
use super::idempotency::Caller;
use super::moderation::{check_moderator, check_reason};
use super::rulesets::{RulesetIndexEntry, files_key, info_key, version_key};
use super::transaction::{ServiceTransaction, decode, transact};

/// Time after which a published version is removed if no match was ever made of it.
const UNUSED_MS: i64 = 90 * 24 * 60 * 60 * 1000;
const UNUSED_PREFIX: &str = "ruleset-unused/";
/// Versions removed in one run.
const BATCH_SIZE: usize = 100;

/// A published version of which no match was made yet.
#[derive(Serialize, Deserialize)]
struct UnusedVersion {
    hash: String,
}

fn unused_key(hash: &str) -> String {
    format!("{UNUSED_PREFIX}{hash}")
}

impl Services {
    /// Takes a ruleset down: it is not listed, and no new matches of it can be made. Matches that have started
    /// continue. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, or the ruleset comes with the server.
    pub async fn take_down(
        &self,
        caller: &Caller,
        id: &str,
        request: &ModerationReason,
    ) -> Result<RulesetInfo, Problem> {
        let reason = request.reason.clone();
        let action = ModerationAction::Takedown { ruleset: id.to_owned(), reason: reason.clone() };
        self.change_entry(caller, id, &request.reason, action, "takedown", move |entry| {
            entry.taken_down = Some(reason.clone());
        })
        .await
    }

    /// Makes a ruleset that was taken down available again. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator.
    pub async fn restore(
        &self,
        caller: &Caller,
        id: &str,
        request: &ModerationReason,
    ) -> Result<RulesetInfo, Problem> {
        let action = ModerationAction::Restore { ruleset: id.to_owned(), reason: request.reason.clone() };
        self.change_entry(caller, id, &request.reason, action, "restore", |entry| entry.taken_down = None)
            .await
    }

    /// Gives a ruleset to another account. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, the account does not exist, or the ruleset comes with the server.
    pub async fn change_owner(
        &self,
        caller: &Caller,
        id: &str,
        request: &ChangeOwner,
    ) -> Result<RulesetInfo, Problem> {
        check_moderator(caller)?;
        let owner = self.account(&request.account).await?.id;
        let action = ModerationAction::Owner {
            ruleset: id.to_owned(),
            account: owner.to_string(),
            reason: request.reason.clone(),
        };
        self.change_entry(caller, id, &request.reason, action, "owner", move |entry| {
            entry.owner = Some(owner.clone());
        })
        .await
    }

    async fn change_entry(
        &self,
        caller: &Caller,
        id: &str,
        reason: &str,
        action: ModerationAction,
        marker: &str,
        change: impl Fn(&mut RulesetIndexEntry),
    ) -> Result<RulesetInfo, Problem> {
        check_moderator(caller)?;
        check_reason(reason)?;
        transact!(self, caller.marker(self, marker)?, |tx| async {
            let key = RulesetIndexEntry::key(id);
            let before: Option<RulesetIndexEntry> = tx.read(&key).await?;
            let before = before.ok_or_else(|| Problem::not_found("ruleset"))?;
            if before.newest.bundled {
                return Err(Problem::new(Code::NotAllowed, "this ruleset comes with the server"));
            }
            let mut after = before.clone();
            change(&mut after);
            if after.owner != before.owner {
                self.move_ruleset(&mut tx, id, before.owner.as_ref(), after.owner.as_ref()).await?;
            }
            tx.write(&key, &after)?;
            self.record_action(&mut tx, caller, action.clone())?;
            Ok(after.newest)
        })
    }

    /// Rejects rulesets that were taken down, for everything that starts a match.
    pub async fn check_available(&self, info: &RulesetInfo) -> Result<(), Problem> {
        let entry: Option<RulesetIndexEntry> = self.read_record(&RulesetIndexEntry::key(&info.id)).await?;
        match entry.and_then(|entry| entry.taken_down) {
            Some(reason) => {
                let detail = format!("this ruleset was taken down: {reason}");
                Err(Problem::new(Code::NotAllowed, detail).with("reason", "taken_down"))
            }
            None => Ok(()),
        }
    }

    /// Notes that a version was published and not played yet.
    pub(crate) fn mark_unused(&self, tx: &mut ServiceTransaction<'_>, hash: &str) -> Result<(), Problem> {
        tx.write(&unused_key(hash), &UnusedVersion { hash: hash.to_owned() })
    }

    /// Notes that a match of a version is made: it stays forever from now on.
    pub(crate) async fn mark_used(&self, tx: &mut ServiceTransaction<'_>, hash: &str) -> Result<(), Problem> {
        if tx.read::<UnusedVersion>(&unused_key(hash)).await?.is_some() {
            tx.remove(&unused_key(hash));
            return Ok(());
        }
        // A sweep may have removed it since it was looked up.
        match tx.read::<RulesetInfo>(&info_key(hash)).await? {
            Some(_) => Ok(()),
            None => Err(Problem::not_found("ruleset")),
        }
    }

    /// Removes published versions that nobody played for a long time after their publication.
    pub(crate) async fn sweep_unused_rulesets(&self) -> Result<usize, Problem> {
        let mut removed = 0;
        for (key, record) in self.read_all(UNUSED_PREFIX).await? {
            let UnusedVersion { hash } = decode(&key, &record.value)?;
            let info: Option<RulesetInfo> = self.read_record(&info_key(&hash)).await?;
            let is_old = info.as_ref().is_none_or(|info| info.published_ms + UNUSED_MS <= self.now());
            if is_old && removed < BATCH_SIZE && self.remove_version(&hash).await? {
                removed += 1;
            }
        }
        Ok(removed)
    }

    async fn remove_version(&self, hash: &str) -> Result<bool, Problem> {
        transact!(self, self.new_marker()?, |tx| async {
            if tx.read::<UnusedVersion>(&unused_key(hash)).await?.is_none() {
                return Ok(false);
            }
            tx.remove(&unused_key(hash));
            let Some(info) = tx.read::<RulesetInfo>(&info_key(hash)).await? else { return Ok(true) };
            tx.remove(&info_key(hash));
            tx.remove(&files_key(hash));
            tx.remove(&super::preludes::pointer_key(hash));
            let pointer = version_key(&info.id, &info.version);
            if tx.read::<String>(&pointer).await?.as_deref() == Some(hash) {
                tx.remove(&pointer);
            }
            let key = RulesetIndexEntry::key(&info.id);
            let entry: Option<RulesetIndexEntry> = tx.read(&key).await?;
            if let Some(entry) = entry.filter(|entry| entry.newest.hash == hash) {
                self.replace_newest(&mut tx, &key, entry).await?;
            }
            Ok::<_, Problem>(true)
        })
    }

    /// Makes the highest remaining version the newest, or removes the id if none remains.
    async fn replace_newest(
        &self,
        tx: &mut ServiceTransaction<'_>,
        key: &str,
        entry: RulesetIndexEntry,
    ) -> Result<(), Problem> {
        let id = entry.newest.id.clone();
        let mut rest: Vec<RulesetInfo> = Vec::new();
        for (key, record) in self.read_all(&version_key(&id, "")).await? {
            let hash: String = decode(&key, &record.value)?;
            let info: Option<RulesetInfo> = self.read_record(&info_key(&hash)).await?;
            rest.extend(info.filter(|info| info.hash != entry.newest.hash));
        }
        rest.sort_by(|one, other| super::publish::compare_versions(&one.version, &other.version));
        match rest.pop() {
            Some(newest) => {
                let newest = super::ruleset_quota::summary(&newest);
                tx.write(key, &RulesetIndexEntry { newest, ..entry })
            }
            None => {
                self.move_ruleset(tx, &id, entry.owner.as_ref(), None).await?;
                tx.remove(key);
                Ok(())
            }
        }
    }
}
