//! Recalculation of all ratings of a ruleset.

use std::collections::BTreeMap;

use intermezzo_protocol::Problem;

use super::Services;
use super::accounts::{AccountId, AccountRecord};
use super::ratings::{MatchResult, RatingRecord, write_rating};
use super::transaction::{decode, transact};

impl Services {
    /// Recalculates all ratings of a ruleset from its results and corrects those that differ. Returns the
    /// number of corrections. Accounts with a newer result are skipped.
    pub async fn recount_ratings(&self, ruleset: &str) -> Result<usize, Problem> {
        let mut corrected = 0;
        for (account, right) in self.ratings_from_results(ruleset).await? {
            let key = RatingRecord::key(ruleset, &account);
            let was_wrong: bool = transact!(self, self.new_marker()?, |tx| async {
                let stored: Option<RatingRecord> = tx.read(&key).await?;
                let owner: Option<AccountRecord> = tx.read(&AccountRecord::key(&account)).await?;
                let is_gone = owner.is_none_or(|owner| owner.deleted_ms.is_some());
                let has_moved_on = stored.is_some_and(|stored| stored.last_ms > right.last_ms);
                if is_gone || has_moved_on || stored == Some(right) {
                    return Ok(false);
                }
                write_rating(&mut tx, ruleset, &account, stored.as_ref(), &right)?;
                Ok::<_, Problem>(true)
            })?;
            corrected += usize::from(was_wrong);
        }
        Ok(corrected)
    }

    /// Calculates ratings from all results of a ruleset.
    pub async fn ratings_from_results(
        &self,
        ruleset: &str,
    ) -> Result<BTreeMap<AccountId, RatingRecord>, Problem> {
        let mut ratings: BTreeMap<AccountId, RatingRecord> = BTreeMap::new();
        for (key, record) in self.read_all(&format!("result/{ruleset}/")).await? {
            let result: MatchResult = decode(&key, &record.value)?;
            let rating = |player: &AccountId| ratings.get(player).copied().unwrap_or_default();
            let before: Vec<RatingRecord> = result.players.iter().map(rating).collect();
            ratings.extend(result.players.iter().cloned().zip(result.apply(&before)));
        }
        Ok(ratings)
    }
}
