//! Skill ratings of accounts, per ruleset.
//!
//! The method is that of Weng and Lin for any number of seats: Glicko-2 handles only pairs, and two methods
//! would give ratings that cannot be compared. Everyone starts at 1500 ± 250; a lead of 125 points wins two
//! matches out of three. Ratings are stored as whole millionths, so that
//! [recounting](Services::recount_ratings) all results gives identical ratings.
//!
//! Winners come before seats that neither won nor lost, and those before losers. If the rules end the match with
//! scores, they order the seats within each of these. The seats of a team are rated together, against the other
//! teams; what orders teams is the mean of their scores.
//!
//! A match counts if it is rated and all its seats are different people. Results are ordered by time, and a
//! result is later than every earlier result of the same people. Recounting uses that order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{
    AccountInfo, EndingInfo, LeaderboardRow, Page, Profile, RatingInfo, RulesetRating,
};
use serde::{Deserialize, Serialize};
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use super::Services;
use super::accounts::AccountId;
use super::matches::MatchRecord;
use super::record_keys;
use super::record_keys::PageQuery;
use super::transaction::{ServiceTransaction, decode};

const INITIAL_RATING: f64 = 1500.0;
const INITIAL_UNCERTAINTY: f64 = 250.0;
const BETA: f64 = 125.0;
/// Resolution of stored ratings.
const PARTS_PER_POINT: f64 = 1_000_000.0;
/// Outcomes that do not count: ended by a moderator, or failed to start.
const UNRATED_OUTCOMES: [&str; 2] = ["moderator", "failed"];

/// The rating of an account in one ruleset as it is stored, in millionths of a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RatingRecord {
    pub rating: i64,
    pub uncertainty: i64,
    pub matches: u32,
    pub wins: u32,
    pub losses: u32,
    /// Time of the last result.
    pub last_ms: i64,
}

/// A result as it is stored, with players in the order of seats.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct MatchResult {
    pub players: Vec<AccountId>,
    pub winners: Vec<u8>,
    pub losers: Vec<u8>,
    /// Score of each seat, if the rules gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Vec<i64>>,
    /// Team of each seat, if the ruleset has teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teams: Option<Vec<u8>>,
    pub at_ms: i64,
}

impl Default for RatingRecord {
    fn default() -> RatingRecord {
        let parts = |points: f64| (points * PARTS_PER_POINT) as i64;
        let (rating, uncertainty) = (parts(INITIAL_RATING), parts(INITIAL_UNCERTAINTY));
        RatingRecord { rating, uncertainty, matches: 0, wins: 0, losses: 0, last_ms: 0 }
    }
}

impl RatingRecord {
    /// Returns the conservative rating, two standard deviations below the estimate, in millionths.
    fn lower_bound(&self) -> i64 {
        self.rating - 2 * self.uncertainty
    }

    /// Returns the rating in points.
    pub fn points(&self) -> i64 {
        self.rating / PARTS_PER_POINT as i64
    }

    pub fn info(&self) -> RatingInfo {
        let points = |parts: i64| parts as f64 / PARTS_PER_POINT;
        RatingInfo {
            rating: points(self.rating),
            uncertainty: points(self.uncertainty),
            lower_bound: points(self.lower_bound()),
            matches: self.matches,
            wins: self.wins,
            losses: self.losses,
        }
    }

    pub fn key(ruleset: &str, account: &AccountId) -> String {
        format!("rating/{ruleset}/{account}")
    }

    pub fn rank_key(&self, ruleset: &str, account: &AccountId) -> String {
        format!("rank/{ruleset}/{}/{account}", record_keys::descending_key(self.lower_bound()))
    }
}

impl MatchResult {
    /// Returns the ratings after this result.
    pub(crate) fn apply(&self, before: &[RatingRecord]) -> Vec<RatingRecord> {
        let teams = self.teams();
        let ratings: Vec<Vec<WengLinRating>> = teams
            .iter()
            .map(|seats| seats.iter().map(|seat| to_weng_lin(&before[usize::from(*seat)])).collect())
            .collect();
        let ranked: Vec<(&[WengLinRating], MultiTeamOutcome)> = teams
            .iter()
            .zip(&ratings)
            .map(|(seats, ratings)| (ratings.as_slice(), MultiTeamOutcome::new(self.rank(&teams, seats))))
            .collect();
        let config = WengLinConfig { beta: BETA, ..WengLinConfig::new() };
        let after = weng_lin_multi_team(&ranked, &config);
        let mut updated = before.to_vec();
        for (seats, after) in teams.iter().zip(&after) {
            for (seat, after) in seats.iter().zip(after) {
                let record = &mut updated[usize::from(*seat)];
                *record = self.updated_rating(*seat, record, after);
            }
        }
        updated
    }

    /// Returns the seats of each team; each seat alone in rulesets without teams.
    fn teams(&self) -> Vec<Vec<u8>> {
        let mut teams: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for seat in 0..self.players.len() as u8 {
            let team = self.teams.as_ref().and_then(|teams| teams.get(usize::from(seat))).copied();
            teams.entry(team.unwrap_or(seat)).or_default().push(seat);
        }
        teams.into_values().collect()
    }

    /// Returns the place of a team: winners come first, then teams that neither won nor lost, then losers. Among
    /// each of them the higher score comes first, if there are scores.
    fn rank(&self, teams: &[Vec<u8>], team: &[u8]) -> usize {
        1 + teams.iter().filter(|other| self.is_before(other, team)).count()
    }

    fn is_before(&self, one: &[u8], other: &[u8]) -> bool {
        let result = |team: &[u8]| {
            let is_in = |list: &[u8]| team.iter().any(|seat| list.contains(seat));
            match (is_in(&self.winners), is_in(&self.losers)) {
                (true, _) => 1,
                (false, false) => 2,
                (false, true) => 3,
            }
        };
        let total = |team: &[u8]| {
            let score =
                |seat: &u8| self.score.as_ref().and_then(|score| score.get(usize::from(*seat))).copied();
            team.iter().map(|seat| i128::from(score(seat).unwrap_or(0))).sum::<i128>()
        };
        // Means are compared without fractions.
        let (mine, theirs) = (total(one) * other.len() as i128, total(other) * one.len() as i128);
        (result(one), Reverse(mine)) < (result(other), Reverse(theirs))
    }

    fn updated_rating(&self, seat: u8, before: &RatingRecord, after: &WengLinRating) -> RatingRecord {
        RatingRecord {
            rating: (after.rating * PARTS_PER_POINT).round() as i64,
            uncertainty: (after.uncertainty * PARTS_PER_POINT).round() as i64,
            matches: before.matches + 1,
            wins: before.wins + u32::from(self.winners.contains(&seat)),
            losses: before.losses + u32::from(self.losers.contains(&seat)),
            last_ms: self.at_ms,
        }
    }
}

fn to_weng_lin(rating: &RatingRecord) -> WengLinRating {
    WengLinRating {
        rating: rating.rating as f64 / PARTS_PER_POINT,
        uncertainty: rating.uncertainty as f64 / PARTS_PER_POINT,
    }
}

/// Returns the people of a match if its result counts.
fn rated_players(record: &MatchRecord, ending: &EndingInfo) -> Option<Vec<AccountId>> {
    let players: Option<Vec<AccountId>> = record.seats.iter().map(|seat| seat.account.clone()).collect();
    let players = players.filter(|_| record.rated && !UNRATED_OUTCOMES.contains(&ending.outcome.as_str()))?;
    let different: BTreeSet<&AccountId> = players.iter().collect();
    let are_different = players.len() >= 2 && different.len() == players.len();
    // Nobody is rated against the rules.
    let has_rivals = record.teams.as_ref().is_none_or(|teams| teams.iter().any(|team| *team != teams[0]));
    (are_different && has_rivals).then_some(players)
}

/// Returns the prefix of the list of an account's ratings.
pub(crate) fn ratings_prefix(account: &AccountId) -> String {
    format!("rating-of/{account}/")
}

impl Services {
    /// Returns the rating of an account in a ruleset.
    pub async fn rating(&self, ruleset: &str, account: &AccountId) -> Result<RatingInfo, Problem> {
        let rating: Option<RatingRecord> = self.read_record(&RatingRecord::key(ruleset, account)).await?;
        Ok(rating.unwrap_or_default().info())
    }

    /// Lists the ratings of an account in every ruleset it has played.
    pub async fn ratings(&self, account: &AccountId) -> Result<Vec<(String, RatingInfo)>, Problem> {
        let mut ratings = Vec::new();
        for (key, record) in self.read_all(&ratings_prefix(account)).await? {
            let ruleset: String = decode(&key, &record.value)?;
            let rating = self.rating(&ruleset, account).await?;
            ratings.push((ruleset, rating));
        }
        Ok(ratings)
    }

    /// Returns the public profile of an account, found by name or id.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn profile(&self, name_or_id: &str) -> Result<Profile, Problem> {
        let account = self.account(name_or_id).await?;
        let ratings = self.ratings(&account.id).await?;
        let ratings =
            ratings.into_iter().map(|(ruleset, rating)| RulesetRating { ruleset, rating }).collect();
        let AccountInfo { id, name, guest, created_ms, .. } = account.info();
        Ok(Profile { id, name, guest, created_ms, ratings })
    }

    /// Lists the best players of a ruleset, by conservative rating.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn leaderboard(
        &self,
        ruleset: &str,
        query: PageQuery<'_>,
    ) -> Result<Page<LeaderboardRow>, Problem> {
        let found = self.read_page(&format!("rank/{ruleset}/"), query, false).await?;
        let mut items = Vec::new();
        for account in found.values::<AccountId>()? {
            let rating = self.rating(ruleset, &account).await?;
            let name = self.name_of(&account).await?;
            items.push(LeaderboardRow { account: account.to_string(), name, rating });
        }
        Ok(Page { items, next: found.next })
    }

    /// Updates the ratings of the players of a finished match.
    pub async fn rate_match(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &MatchRecord,
        ending: &EndingInfo,
    ) -> Result<(), Problem> {
        let Some(players) = rated_players(record, ending) else { return Ok(()) };
        let ruleset = &record.ruleset.id;
        let mut before = Vec::new();
        for player in &players {
            before.push(tx.read::<RatingRecord>(&RatingRecord::key(ruleset, player)).await?);
        }
        let last_ms = before.iter().flatten().map(|rating| rating.last_ms).max().unwrap_or(0);
        let at_ms = self.now().max(last_ms + 1);
        let (winners, losers) = (ending.winners.clone(), ending.losers.clone());
        let (score, teams) = (ending.score.clone(), record.teams.clone());
        let result = MatchResult { players, winners, losers, score, teams, at_ms };
        let known: Vec<RatingRecord> = before.iter().map(|rating| rating.unwrap_or_default()).collect();
        for ((player, before), after) in result.players.iter().zip(&before).zip(result.apply(&known)) {
            write_rating(tx, ruleset, player, before.as_ref(), &after)?;
        }
        tx.write(&format!("result/{ruleset}/{}/{}", record_keys::time_key(at_ms), record.id), &result)
    }
}

/// Writes a rating and its position in the leaderboard.
pub(crate) fn write_rating(
    tx: &mut ServiceTransaction<'_>,
    ruleset: &str,
    account: &AccountId,
    before: Option<&RatingRecord>,
    after: &RatingRecord,
) -> Result<(), Problem> {
    if let Some(before) = before {
        tx.remove(&before.rank_key(ruleset, account));
    }
    tx.write(&RatingRecord::key(ruleset, account), after)?;
    tx.write(&format!("{}{ruleset}", ratings_prefix(account)), &ruleset)?;
    tx.write(&after.rank_key(ruleset, account), account)
}
