//! The permanent record of moderators' actions.
//!
//! The record of an action in a match is written in one transaction with the row that the action led to. Records name
//! accounts by id only; the current name is looked up when somebody reads them.

use intermezzo_protocol::resources::{ModerationAction, ModerationInfo, Page};
use intermezzo_protocol::{Code, Control, Problem};
use intermezzo_store::{Expect, MatchId, Put};
use serde::{Deserialize, Serialize};

use super::accounts::{Account, AccountId};
use super::idempotency::Caller;
use super::record_keys;
use super::record_keys::PageQuery;
use super::transaction::ServiceTransaction;
use super::{Services, invalid};

const MAX_REASON_CHARS: usize = 500;

/// An action of a moderator in a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModerationRecord {
    pub at_ms: i64,
    pub account: AccountId,
    pub match_id: String,
    /// Version of the row that the action led to.
    pub row: u64,
    pub control: Control,
}

/// An action of a moderator outside of matches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct ActionRecord {
    at_ms: i64,
    account: AccountId,
    action: ModerationAction,
}

/// A record of either kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredModeration {
    Match(ModerationRecord),
    Action(ActionRecord),
}

const ALL_PREFIX: &str = "moderation/";

fn match_prefix(id: &str) -> String {
    format!("moderation-of/{id}/")
}

impl ModerationRecord {
    /// Returns the writes: one for the list of all actions, one for the list of the match.
    pub fn puts(&self) -> Vec<Put> {
        let ModerationRecord { at_ms, match_id, row, .. } = self;
        let value = serde_json::to_vec(self).expect("a moderation record serializes to JSON");
        let time = record_keys::time_key(*at_ms);
        let names = [
            format!("{ALL_PREFIX}{time}/{match_id}/{row:010}"),
            format!("{}{time}/{row:010}", match_prefix(match_id)),
        ];
        names.map(|key| Put { key, expect: Expect::Anything, value: Some(value.clone()) }).to_vec()
    }
}

impl StoredModeration {
    fn account(&self) -> &AccountId {
        match self {
            StoredModeration::Match(record) => &record.account,
            StoredModeration::Action(record) => &record.account,
        }
    }

    fn info(self, name: String) -> ModerationInfo {
        match self {
            StoredModeration::Match(ModerationRecord { at_ms, account, match_id, control, .. }) => {
                ModerationInfo {
                    at_ms,
                    account: account.to_string(),
                    name,
                    match_id: Some(match_id),
                    control: Some(control),
                    action: None,
                }
            }
            StoredModeration::Action(ActionRecord { at_ms, account, action }) => ModerationInfo {
                at_ms,
                account: account.to_string(),
                name,
                match_id: None,
                control: None,
                action: Some(action),
            },
        }
    }
}

/// Rejects callers who are not moderators.
pub(crate) fn check_moderator(caller: &Caller) -> Result<(), Problem> {
    match caller.account.moderator {
        true => Ok(()),
        false => Err(Problem::new(Code::NotAllowed, "only moderators may do that")),
    }
}

/// Rejects reasons that are empty or too long.
pub(crate) fn check_reason(reason: &str) -> Result<(), Problem> {
    match reason.trim().is_empty() || reason.chars().count() > MAX_REASON_CHARS {
        true => Err(invalid(format!("a reason must have 1 to {MAX_REASON_CHARS} characters"))),
        false => Ok(()),
    }
}

impl Services {
    /// Adds the record of an action outside of matches to the transaction that carries it out.
    pub(crate) fn record_action(
        &self,
        tx: &mut ServiceTransaction<'_>,
        caller: &Caller,
        action: ModerationAction,
    ) -> Result<(), Problem> {
        let at_ms = self.now();
        let key = format!("{ALL_PREFIX}{}/-/{:032x}", record_keys::time_key(at_ms), self.new_id()?);
        tx.write(&key, &ActionRecord { at_ms, account: caller.account.id.clone(), action })
    }

    /// Lists the actions of moderators, in one match or in all, newest first.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn moderations(
        &self,
        of: Option<MatchId>,
        query: PageQuery<'_>,
    ) -> Result<Page<ModerationInfo>, Problem> {
        let list = of.map_or_else(|| ALL_PREFIX.to_owned(), |id| match_prefix(&id.to_string()));
        let found = self.read_page(&list, query, true).await?;
        let mut items = Vec::new();
        for record in found.values::<StoredModeration>()? {
            let name = self.name_of(record.account()).await?;
            items.push(record.info(name));
        }
        Ok(Page { items, next: found.next })
    }

    /// Lists the actions of one moderator, oldest first.
    pub async fn moderations_by(&self, account: &Account) -> Result<Vec<ModerationInfo>, Problem> {
        let mut own = Vec::new();
        for (key, record) in self.read_all(ALL_PREFIX).await? {
            let record: StoredModeration = super::transaction::decode(&key, &record.value)?;
            if *record.account() == account.id {
                own.push(record.info(account.name.clone()));
            }
        }
        Ok(own)
    }
}
