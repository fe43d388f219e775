//! Everything that is kept about an account, for its owner.

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{MatchInfo, TransferInfo};
use serde_json::{Value, json};

use super::House;
use super::accounts::Account;
use super::change::read;
use super::ledger::transfers_of;
use super::matches::{MatchRecord, matches_of};
use super::moderation::Moderation;
use super::rulesets::Title;
use super::sessions::{Session, sessions_of};

impl House {
    /// Everything that is kept about an account, as one value.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn export(&self, account: &Account) -> Result<Value, Problem> {
        Ok(json!({
            "account": self.me(account).await?,
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
        let list = sessions_of(&account.id);
        let mut sessions = Vec::new();
        for (key, _) in self.all(&list).await? {
            let session: Option<Session> = self.look(&format!("session/{}", &key[list.len()..])).await?;
            sessions.extend(session.map(|session| {
                let Session { created_ms, used_ms, expires_ms, .. } = session;
                json!({"createdMs": created_ms, "usedMs": used_ms, "expiresMs": expires_ms})
            }));
        }
        Ok(sessions)
    }

    async fn matches_for_export(&self, account: &Account) -> Result<Vec<MatchInfo>, Problem> {
        let mut matches = Vec::new();
        for (key, record) in self.all(&matches_of(&account.id)).await? {
            let id: String = read(&key, &record.value)?;
            let record: Option<MatchRecord> = self.look(&format!("match/{id}")).await?;
            matches.extend(record.map(|record| record.info(Some(&account.id))));
        }
        Ok(matches)
    }

    async fn transfers_for_export(&self, account: &Account) -> Result<Vec<TransferInfo>, Problem> {
        let transfers = self.all(&transfers_of(&account.id)).await?;
        transfers.iter().map(|(key, record)| read(key, &record.value)).collect()
    }

    async fn ratings_for_export(&self, account: &Account) -> Result<Vec<Value>, Problem> {
        let ratings = self.ratings(&account.id).await?;
        Ok(ratings.iter().map(|(ruleset, rating)| json!({"ruleset": ruleset, "rating": rating})).collect())
    }

    async fn moderations_for_export(&self, account: &Account) -> Result<Vec<Value>, Problem> {
        let own = self.moderations_by(account).await?;
        let told = |moderation: &Moderation| {
            let Moderation { at_ms, match_id, control, .. } = moderation;
            json!({"atMs": at_ms, "matchId": match_id, "control": control})
        };
        Ok(own.iter().map(told).collect())
    }

    async fn rulesets_for_export(&self, account: &Account) -> Result<Vec<String>, Problem> {
        let mut ids = Vec::new();
        for (key, record) in self.all("ruleset-id/").await? {
            let title: Title = read(&key, &record.value)?;
            if title.owner.as_ref() == Some(&account.id) {
                ids.push(title.newest.id);
            }
        }
        Ok(ids)
    }
}
