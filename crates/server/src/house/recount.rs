//! Counting all results again.

use std::collections::BTreeMap;

use intermezzo_protocol::Problem;

use super::House;
use super::accounts::{AccountId, AccountRecord};
use super::change::{changing, read};
use super::ratings::{MatchResult, Rating, write_rating};

impl House {
    /// Works out all ratings of a ruleset from its results and puts right what differs; says how many did. Those who
    /// have a new result meanwhile are left alone.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn recount(&self, ruleset: &str) -> Result<usize, Problem> {
        let mut differed = 0;
        for (account, right) in self.count_results(ruleset).await? {
            let key = Rating::key(ruleset, &account);
            let was_wrong: bool = changing!(self, self.mark()?, |change| async {
                let kept: Option<Rating> = change.read(&key).await?;
                let owner: Option<AccountRecord> = change.read(&AccountRecord::key(&account)).await?;
                let is_gone = owner.is_none_or(|owner| owner.deleted_ms.is_some());
                let has_moved_on = kept.is_some_and(|kept| kept.last_ms > right.last_ms);
                if is_gone || has_moved_on || kept == Some(right) {
                    return Ok(false);
                }
                write_rating(&mut change, ruleset, &account, kept.as_ref(), &right)?;
                Ok::<_, Problem>(true)
            })?;
            differed += usize::from(was_wrong);
        }
        Ok(differed)
    }

    /// The ratings that all results of a ruleset come to.
    pub(crate) async fn count_results(&self, ruleset: &str) -> Result<BTreeMap<AccountId, Rating>, Problem> {
        let mut ratings: BTreeMap<AccountId, Rating> = BTreeMap::new();
        for (key, record) in self.all(&format!("result/{ruleset}/")).await? {
            let result: MatchResult = read(&key, &record.value)?;
            let rating = |player: &AccountId| ratings.get(player).copied().unwrap_or_default();
            let before: Vec<Rating> = result.players.iter().map(rating).collect();
            ratings.extend(result.players.iter().cloned().zip(result.rate(&before)));
        }
        Ok(ratings)
    }
}
