//! What moderators did, on record for good.
//!
//! A record is written in one transaction with the row it led to, and says who by the id of the account alone: what that is
//! called is looked up when somebody reads it.

use intermezzo_protocol::resources::{ModerationInfo, Page};
use intermezzo_protocol::{Control, Problem};
use intermezzo_store::{Expect, MatchId, Put};
use serde::{Deserialize, Serialize};

use super::accounts::{Account, AccountId};
use super::keys::Window;
use super::{House, keys};

/// Something a moderator did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Moderation {
    pub(crate) at_ms: i64,
    pub(crate) account: AccountId,
    pub(crate) match_id: String,
    /// The row of the match it led to.
    pub(crate) row: u64,
    pub(crate) control: Control,
}

const ALL: &str = "moderation/";

fn of_match(id: &str) -> String {
    format!("moderation-of/{id}/")
}

impl Moderation {
    /// What has to be written for it: in the list of all, and in that of its match.
    pub(crate) fn puts(&self) -> Vec<Put> {
        let Moderation { at_ms, match_id, row, .. } = self;
        let value = serde_json::to_vec(self).expect("a moderation is plain data");
        let time = keys::time(*at_ms);
        let names =
            [format!("{ALL}{time}/{match_id}/{row:010}"), format!("{}{time}/{row:010}", of_match(match_id))];
        names.map(|key| Put { key, expect: Expect::Anything, value: Some(value.clone()) }).to_vec()
    }
}

impl House {
    /// What moderators did, in one match or in all, the latest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn moderations(
        &self,
        of: Option<MatchId>,
        window: Window<'_>,
    ) -> Result<Page<ModerationInfo>, Problem> {
        let list = of.map_or_else(|| ALL.to_owned(), |id| of_match(&id.to_string()));
        let found = self.page(&list, window, true).await?;
        let mut items = Vec::new();
        for Moderation { at_ms, account, match_id, control, .. } in found.values::<Moderation>()? {
            let name = self.name_of(&account).await?;
            items.push(ModerationInfo { at_ms, account: account.to_string(), name, match_id, control });
        }
        Ok(Page { items, next: found.next })
    }

    /// What an account did as a moderator, the earliest first.
    pub(crate) async fn moderations_by(&self, account: &Account) -> Result<Vec<Moderation>, Problem> {
        let all = self.all(ALL).await?;
        let read = all.iter().map(|(key, record)| super::change::read::<Moderation>(key, &record.value));
        let mut own = read.collect::<Result<Vec<_>, Problem>>()?;
        own.retain(|moderation| moderation.account == account.id);
        Ok(own)
    }
}
