//! Export of all data about an account, for its owner.

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{MatchInfo, TransferInfo};
use serde_json::{Value, json};

use super::Services;
use super::accounts::Account;
use super::ledger::transfers_prefix;
use super::login_sessions::{LoginSession, sessions_prefix};
use super::matches::{MatchRecord, matches_prefix};
use super::ruleset_quota::owned_prefix;
use super::transaction::decode;

impl Services {
    /// Returns all data about an account.
    pub async fn export_account(&self, account: &Account) -> Result<Value, Problem> {
        Ok(json!({
            "account": self.own_info(account).await?,
            "sessions": self.sessions_for_export(account).await?,
            "matches": self.matches_for_export(account).await?,
            "transfers": self.transfers_for_export(account).await?,
            "ratings": self.ratings_for_export(account).await?,
            "rulesets": self.rulesets_for_export(account).await?,
            "moderations": self.moderations_for_export(account).await?,
            "queues": self.queue_statuses(&account.id).await?,
        }))
    }

    async fn sessions_for_export(&self, account: &Account) -> Result<Vec<Value>, Problem> {
        let list = sessions_prefix(&account.id);
        let mut sessions = Vec::new();
        for (key, _) in self.read_all(&list).await? {
            let session: Option<LoginSession> =
                self.read_record(&format!("session/{}", &key[list.len()..])).await?;
            sessions.extend(session.map(|session| {
                let LoginSession { created_ms, used_ms, expires_ms, .. } = session;
                json!({"createdMs": created_ms, "usedMs": used_ms, "expiresMs": expires_ms})
            }));
        }
        Ok(sessions)
    }

    async fn matches_for_export(&self, account: &Account) -> Result<Vec<MatchInfo>, Problem> {
        let mut matches = Vec::new();
        for (key, record) in self.read_all(&matches_prefix(&account.id)).await? {
            let id: String = decode(&key, &record.value)?;
            let record: Option<MatchRecord> = self.read_record(&format!("match/{id}")).await?;
            matches.extend(record.map(|record| record.info(Some(&account.id))));
        }
        Ok(matches)
    }

    async fn transfers_for_export(&self, account: &Account) -> Result<Vec<TransferInfo>, Problem> {
        let transfers = self.read_all(&transfers_prefix(&account.id)).await?;
        transfers.iter().map(|(key, record)| decode(key, &record.value)).collect()
    }

    async fn ratings_for_export(&self, account: &Account) -> Result<Vec<Value>, Problem> {
        let ratings = self.ratings(&account.id).await?;
        Ok(ratings.iter().map(|(ruleset, rating)| json!({"ruleset": ruleset, "rating": rating})).collect())
    }

    async fn moderations_for_export(&self, account: &Account) -> Result<Vec<Value>, Problem> {
        if !account.moderator {
            return Ok(Vec::new());
        }
        Ok(self.moderations_by(account).await?.iter().map(|moderation| json!(moderation)).collect())
    }

    async fn rulesets_for_export(&self, account: &Account) -> Result<Vec<String>, Problem> {
        let owned = self.read_all(&owned_prefix(&account.id)).await?;
        owned.iter().map(|(key, record)| decode(key, &record.value)).collect()
    }
}
