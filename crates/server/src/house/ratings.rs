//! How well accounts play each ruleset.
//!
//! The method is that of Weng and Lin, for two seats as for ten: Glicko-2 knows only pairs, and two methods would give
//! numbers that cannot be compared. Everyone starts at 1500 give or take 250; 125 points more win two matches out of
//! three. Ratings are kept as whole millionths, so that [recounting](House::recount) all results gives the same ratings
//! to the last digit.
//!
//! A match counts when it was meant to and all its seats are different people. Results are numbered by time, and a result
//! is later than any other of the same people: that is the order in which they are counted again.

use std::collections::BTreeSet;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{AccountInfo, EndingInfo, Page, Played, Profile, RatingInfo, Standing};
use serde::{Deserialize, Serialize};
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use super::accounts::AccountId;
use super::change::{Change, read};
use super::keys::Window;
use super::matches::MatchRecord;
use super::{House, keys};

const START: f64 = 1500.0;
const START_UNCERTAINTY: f64 = 250.0;
const BETA: f64 = 125.0;
/// Ratings are kept in these parts.
const PARTS: f64 = 1_000_000.0;
/// A match that a moderator ended, or that could not begin, counts for nothing.
const UNRATED: [&str; 2] = ["moderator", "failed"];

/// How well an account plays a ruleset, as it is stored; ratings in millionths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Rating {
    pub(crate) rating: i64,
    pub(crate) uncertainty: i64,
    pub(crate) matches: u32,
    pub(crate) wins: u32,
    pub(crate) losses: u32,
    /// When its last result was.
    pub(crate) last_ms: i64,
}

/// A result as it is stored: who played, in the order of seats, and how they did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct MatchResult {
    pub(crate) players: Vec<AccountId>,
    pub(crate) winners: Vec<u8>,
    pub(crate) losers: Vec<u8>,
    pub(crate) at_ms: i64,
}

impl Default for Rating {
    fn default() -> Rating {
        let parts = |points: f64| (points * PARTS) as i64;
        let (rating, uncertainty) = (parts(START), parts(START_UNCERTAINTY));
        Rating { rating, uncertainty, matches: 0, wins: 0, losses: 0, last_ms: 0 }
    }
}

impl Rating {
    /// What the account surely is worth, in millionths.
    fn surely(&self) -> i64 {
        self.rating - 2 * self.uncertainty
    }

    /// In points.
    pub(crate) fn points(&self) -> i64 {
        self.rating / PARTS as i64
    }

    pub(crate) fn info(&self) -> RatingInfo {
        let points = |parts: i64| parts as f64 / PARTS;
        RatingInfo {
            rating: points(self.rating),
            uncertainty: points(self.uncertainty),
            surely: points(self.surely()),
            matches: self.matches,
            wins: self.wins,
            losses: self.losses,
        }
    }

    pub(crate) fn key(ruleset: &str, account: &AccountId) -> String {
        format!("rating/{ruleset}/{account}")
    }

    pub(crate) fn rank_key(&self, ruleset: &str, account: &AccountId) -> String {
        format!("rank/{ruleset}/{}/{account}", keys::falling(self.surely()))
    }
}

impl MatchResult {
    /// The ratings after this result.
    pub(crate) fn rate(&self, before: &[Rating]) -> Vec<Rating> {
        let ratings: Vec<[WengLinRating; 1]> = before.iter().map(|rating| [as_floats(rating)]).collect();
        let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = (0u8..)
            .zip(&ratings)
            .map(|(seat, rating)| (rating.as_slice(), MultiTeamOutcome::new(self.place(seat))))
            .collect();
        let config = WengLinConfig { beta: BETA, ..WengLinConfig::new() };
        let after = weng_lin_multi_team(&teams, &config);
        let after = after.iter().filter_map(|team| team.first());
        (0u8..).zip(before).zip(after).map(|((seat, before), after)| self.add(seat, before, after)).collect()
    }

    /// Winners come before those of whom nothing is said, and these before losers.
    fn place(&self, seat: u8) -> usize {
        match (self.winners.contains(&seat), self.losers.contains(&seat)) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => 3,
        }
    }

    fn add(&self, seat: u8, before: &Rating, after: &WengLinRating) -> Rating {
        Rating {
            rating: (after.rating * PARTS).round() as i64,
            uncertainty: (after.uncertainty * PARTS).round() as i64,
            matches: before.matches + 1,
            wins: before.wins + u32::from(self.winners.contains(&seat)),
            losses: before.losses + u32::from(self.losers.contains(&seat)),
            last_ms: self.at_ms,
        }
    }
}

fn as_floats(rating: &Rating) -> WengLinRating {
    WengLinRating { rating: rating.rating as f64 / PARTS, uncertainty: rating.uncertainty as f64 / PARTS }
}

/// The people of a match, if it counts.
fn players(record: &MatchRecord, ending: &EndingInfo) -> Option<Vec<AccountId>> {
    let players: Option<Vec<AccountId>> = record.seats.iter().map(|seat| seat.account.clone()).collect();
    let players = players.filter(|_| record.rated && !UNRATED.contains(&ending.outcome.as_str()))?;
    let different: BTreeSet<&AccountId> = players.iter().collect();
    let are_different = players.len() >= 2 && different.len() == players.len();
    are_different.then_some(players)
}

/// Where the ratings of an account are listed.
pub(crate) fn ratings_of(account: &AccountId) -> String {
    format!("rating-of/{account}/")
}

impl House {
    /// How well an account plays a ruleset.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn rating(&self, ruleset: &str, account: &AccountId) -> Result<RatingInfo, Problem> {
        let rating: Option<Rating> = self.look(&Rating::key(ruleset, account)).await?;
        Ok(rating.unwrap_or_default().info())
    }

    /// How well an account plays each ruleset it has played.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn ratings(&self, account: &AccountId) -> Result<Vec<(String, RatingInfo)>, Problem> {
        let mut ratings = Vec::new();
        for (key, record) in self.all(&ratings_of(account)).await? {
            let ruleset: String = read(&key, &record.value)?;
            let rating = self.rating(&ruleset, account).await?;
            ratings.push((ruleset, rating));
        }
        Ok(ratings)
    }

    /// What everybody may know of the account with that name or id.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn profile(&self, name_or_id: &str) -> Result<Profile, Problem> {
        let account = self.account(name_or_id).await?;
        let ratings = self.ratings(&account.id).await?;
        let ratings = ratings.into_iter().map(|(ruleset, rating)| Played { ruleset, rating }).collect();
        let AccountInfo { id, name, guest, created_ms, .. } = account.info();
        Ok(Profile { id, name, guest, created_ms, ratings })
    }

    /// Who plays a ruleset best, by what they surely are worth.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn leaderboard(&self, ruleset: &str, window: Window<'_>) -> Result<Page<Standing>, Problem> {
        let found = self.page(&format!("rank/{ruleset}/"), window, false).await?;
        let mut items = Vec::new();
        for account in found.values::<AccountId>()? {
            let rating = self.rating(ruleset, &account).await?;
            let name = self.name_of(&account).await?;
            items.push(Standing { account: account.to_string(), name, rating });
        }
        Ok(Page { items, next: found.next })
    }

    /// Makes a match that has ended count.
    pub(crate) async fn rate(
        &self,
        change: &mut Change<'_>,
        record: &MatchRecord,
        ending: &EndingInfo,
    ) -> Result<(), Problem> {
        let Some(players) = players(record, ending) else { return Ok(()) };
        let ruleset = &record.ruleset.id;
        let mut before = Vec::new();
        for player in &players {
            before.push(change.read::<Rating>(&Rating::key(ruleset, player)).await?);
        }
        let last_ms = before.iter().flatten().map(|rating| rating.last_ms).max().unwrap_or(0);
        let at_ms = self.now().max(last_ms + 1);
        let (winners, losers) = (ending.winners.clone(), ending.losers.clone());
        let result = MatchResult { players, winners, losers, at_ms };
        let known: Vec<Rating> = before.iter().map(|rating| rating.unwrap_or_default()).collect();
        for ((player, before), after) in result.players.iter().zip(&before).zip(result.rate(&known)) {
            write_rating(change, ruleset, player, before.as_ref(), &after)?;
        }
        change.write(&format!("result/{ruleset}/{}/{}", keys::time(at_ms), record.id), &result)
    }
}

/// Writes a rating and its place in the leaderboard.
pub(crate) fn write_rating(
    change: &mut Change<'_>,
    ruleset: &str,
    account: &AccountId,
    before: Option<&Rating>,
    after: &Rating,
) -> Result<(), Problem> {
    if let Some(before) = before {
        change.remove(&before.rank_key(ruleset, account));
    }
    change.write(&Rating::key(ruleset, account), after)?;
    change.write(&format!("{}{ruleset}", ratings_of(account)), &ruleset)?;
    change.write(&after.rank_key(ruleset, account), account)
}
