//! The permanent record of moderators' actions.
//!
//! A record is written in one transaction with the row that the action led to. It names the account by id
//! only; the current name is looked up when somebody reads it.

use intermezzo_protocol::resources::{ModerationInfo, Page};
use intermezzo_protocol::{Control, Problem};
use intermezzo_store::{Expect, MatchId, Put};
use serde::{Deserialize, Serialize};

use super::Services;
use super::accounts::{Account, AccountId};
use super::record_keys;
use super::record_keys::PageQuery;

/// An action of a moderator.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModerationRecord {
    pub at_ms: i64,
    pub account: AccountId,
    pub match_id: String,
    /// Version of the row that the action led to.
    pub row: u64,
    pub control: Control,
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

impl Services {
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
        for ModerationRecord { at_ms, account, match_id, control, .. } in
            found.values::<ModerationRecord>()?
        {
            let name = self.name_of(&account).await?;
            items.push(ModerationInfo { at_ms, account: account.to_string(), name, match_id, control });
        }
        Ok(Page { items, next: found.next })
    }

    /// Lists the actions of one moderator, oldest first.
    pub async fn moderations_by(&self, account: &Account) -> Result<Vec<ModerationRecord>, Problem> {
        let all = self.read_all(ALL_PREFIX).await?;
        let read = all
            .iter()
            .map(|(key, record)| super::transaction::decode::<ModerationRecord>(key, &record.value));
        let mut own = read.collect::<Result<Vec<_>, Problem>>()?;
        own.retain(|moderation| moderation.account == account.id);
        Ok(own)
    }
}
