//! A match as the house keeps it: who plays what with whom, from the first seat taken to the end.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_engine::{Seed, Setup};
use intermezzo_protocol::resources::{
    BotKind, Clock, EndingInfo, MatchInfo, MatchStatus, Page, RulesetRef, SeatInfo, Spectators, StakeInfo,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::accounts::AccountId;
use super::change::Change;
use super::keys::Window;
use super::{House, datum, internal, keys};

/// Open and live matches an account can be part of at a time.
pub(crate) const MAX_MATCHES: usize = 50;

/// A match as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchRecord {
    /// Names it.
    #[serde(serialize_with = "write_id", deserialize_with = "read_id")]
    pub id: MatchId,
    /// What lists call it.
    pub name: String,
    /// Its rules.
    pub ruleset: RulesetRef,
    /// How far it is.
    pub status: MatchStatus,
    /// Who may start it.
    pub host: Option<AccountId>,
    /// Who sits where.
    pub seats: Vec<SeatRecord>,
    /// Options that differ from what the ruleset says.
    pub options: Map<String, Value>,
    /// Not listed.
    pub private: bool,
    /// What others need to sit down at a private match.
    pub code: Option<String>,
    /// What each seat pays.
    pub stake: Option<StakeInfo>,
    /// Counts for ratings, if all seats are different people.
    pub rated: bool,
    /// One account may take several seats.
    pub hotseat: bool,
    /// Time, where the ruleset says nothing.
    pub clock: Option<Clock>,
    /// Who may watch.
    pub spectators: Spectators,
    /// Where its chance comes from, in hexadecimal digits. A secret until the end.
    pub seed: Option<String>,
    /// blake3 of the seed's bytes, in hexadecimal digits.
    pub commitment: Option<String>,
    /// When it was made.
    pub created_ms: i64,
    /// When it started.
    pub started_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// How it ended.
    pub ending: Option<EndingInfo>,
    /// The match this one repeats.
    pub rematch_of: Option<String>,
    /// The match that repeats this one.
    pub rematch: Option<String>,
}

/// One seat of a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SeatRecord {
    /// Who sits there, if it is a person.
    pub account: Option<AccountId>,
    /// Who sits there, if it is a bot.
    pub bot: Option<BotKind>,
    /// What others call who sits there.
    pub name: Option<String>,
    /// The match may start.
    pub ready: bool,
    /// How many tokens the match holds for it.
    pub paid: i64,
    /// Only this account may sit there.
    pub kept_for: Option<AccountId>,
}

impl SeatRecord {
    /// A seat of a bot.
    pub(crate) fn of_bot(bot: BotKind) -> SeatRecord {
        let name = match bot {
            BotKind::Random => "random bot",
            BotKind::Greedy => "greedy bot",
            BotKind::Mcts => "mcts bot",
        };
        SeatRecord { bot: Some(bot), name: Some(name.to_owned()), ready: true, ..SeatRecord::default() }
    }

    /// Nobody sits there.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.account.is_none() && self.bot.is_none()
    }

    fn info(&self, seat: u8) -> SeatInfo {
        SeatInfo {
            seat,
            account: self.account.as_ref().map(ToString::to_string),
            bot: self.bot,
            name: self.name.clone(),
            ready: self.ready,
            kept_for: self.kept_for.as_ref().filter(|_| self.is_free()).map(ToString::to_string),
        }
    }
}

impl MatchRecord {
    pub(crate) fn key(id: MatchId) -> String {
        format!("match/{id}")
    }

    /// What the engine begins the match with.
    ///
    /// # Errors
    ///
    /// If it has not started.
    pub fn setup(&self) -> Result<Setup, Problem> {
        let seed = self.seed.as_deref().and_then(keys::unhex);
        let seed = Seed(seed.ok_or_else(|| internal(&format!("match {} has no seed", self.id)))?);
        let options = datum::fields(&self.options);
        let options = options.ok_or_else(|| internal(&format!("match {} has broken options", self.id)))?;
        Ok(Setup { seats: self.seats.len() as u8, options, seed, script: None })
    }

    /// The seats of an account.
    #[must_use]
    pub fn seats_of(&self, account: &AccountId) -> Vec<u8> {
        let seats = (0u8..).zip(&self.seats);
        seats.filter(|(_, seat)| seat.account.as_ref() == Some(account)).map(|(index, _)| index).collect()
    }

    /// As `viewer` may see it: the code only those who belong to it, the seed only at the end.
    #[must_use]
    pub fn info(&self, viewer: Option<&AccountId>) -> MatchInfo {
        let belongs = viewer.is_some_and(|viewer| self.people().contains(viewer));
        MatchInfo {
            id: self.id.to_string(),
            name: self.name.clone(),
            ruleset: self.ruleset.clone(),
            status: self.status,
            host: self.host.as_ref().map(ToString::to_string),
            seats: (0u8..).zip(&self.seats).map(|(index, seat)| seat.info(index)).collect(),
            options: self.options.clone(),
            private: self.private,
            code: self.code.clone().filter(|_| belongs),
            stake: self.stake.clone(),
            rated: self.rated,
            hotseat: self.hotseat,
            clock: self.clock,
            spectators: self.spectators,
            commitment: self.commitment.clone(),
            seed: self.seed.clone().filter(|_| self.status == MatchStatus::Ended),
            created_ms: self.created_ms,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
            ending: self.ending.clone(),
            rematch_of: self.rematch_of.clone(),
            rematch: self.rematch.clone(),
        }
    }

    /// Everybody who sits there, and the host.
    #[must_use]
    pub fn people(&self) -> BTreeSet<AccountId> {
        let seated = self.seats.iter().filter_map(|seat| seat.account.clone());
        seated.chain(self.host.clone()).collect()
    }

    pub(crate) fn is_live(&self) -> bool {
        matches!(self.status, MatchStatus::Open | MatchStatus::Playing)
    }

    /// The records that lead to this one. They follow from it.
    fn signposts(&self) -> BTreeMap<String, String> {
        let (created, id) = (keys::time(self.created_ms), self.id.to_string());
        let mut signposts = BTreeMap::new();
        if self.status == MatchStatus::Open {
            let list = if self.private { "open-private" } else { "open-match" };
            signposts.insert(format!("{list}/{created}/{id}"), id.clone());
            if !self.private {
                signposts.insert(format!("{}{created}/{id}", open_of(&self.ruleset.id)), id.clone());
            }
        }
        if self.status == MatchStatus::Playing && self.spectators.allowed && !self.private {
            signposts.insert(format!("{LIVE}{created}/{id}"), id.clone());
            signposts.insert(format!("{}{created}/{id}", live_of(&self.ruleset.id)), id.clone());
        }
        if let Some(code) = self.code.as_ref().filter(|_| self.is_live()) {
            signposts.insert(code_key(code), id.clone());
        }
        if self.status != MatchStatus::Cancelled {
            for account in self.people() {
                signposts.insert(format!("{}{created}/{id}", matches_of(&account)), id.clone());
            }
        }
        signposts
    }
}

/// Where the matches of an account are listed.
pub(crate) fn matches_of(account: &AccountId) -> String {
    format!("match-of/{account}/")
}

/// Where the public open matches of a ruleset are listed.
fn open_of(ruleset: &str) -> String {
    format!("open-of/{ruleset}/")
}

/// Where the public matches that are being played and may be watched are listed.
const LIVE: &str = "live-match/";

/// The same of a ruleset.
fn live_of(ruleset: &str) -> String {
    format!("live-of/{ruleset}/")
}

/// The open and live matches of an account, all in one record: that is how they can be counted.
pub(crate) fn busy_key(account: &AccountId) -> String {
    format!("busy/{account}")
}

pub(crate) fn code_key(code: &str) -> String {
    format!("code/{code}")
}

impl House {
    /// A match by its name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn match_record(&self, id: MatchId) -> Result<MatchRecord, Problem> {
        self.look(&MatchRecord::key(id)).await?.ok_or_else(|| Problem::not_found("match"))
    }

    /// A match by its code.
    ///
    /// # Errors
    ///
    /// If there is none, or not any more.
    pub async fn match_with_code(&self, code: &str) -> Result<MatchRecord, Problem> {
        let none = || Problem::not_found("match");
        if code.len() > 16 {
            return Err(none());
        }
        let id: String = self.look(&code_key(&code.to_ascii_uppercase())).await?.ok_or_else(none)?;
        self.match_record(id.parse().map_err(|_| none())?).await
    }

    /// Public matches of a ruleset, or of all, whose seats are being taken, the latest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn open_matches(
        &self,
        ruleset: Option<&str>,
        window: Window<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        let list = ruleset.map_or_else(|| "open-match/".to_owned(), open_of);
        self.listed(&list, window).await
    }

    /// Public matches of a ruleset, or of all, that are being played and may be watched, the latest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn watchable_matches(
        &self,
        ruleset: Option<&str>,
        window: Window<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        let list = ruleset.map_or_else(|| LIVE.to_owned(), live_of);
        self.listed(&list, window).await
    }

    /// The matches of an account, the latest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn matches_of(
        &self,
        account: &AccountId,
        window: Window<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        self.listed(&matches_of(account), window).await
    }

    /// The matches of an account that are being played, the oldest first.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn playing(&self, account: &AccountId) -> Result<Vec<MatchRecord>, Problem> {
        let busy: Vec<String> = self.look(&busy_key(account)).await?.unwrap_or_default();
        let mut playing = Vec::new();
        for id in busy {
            let record: Option<MatchRecord> = self.look(&format!("match/{id}")).await?;
            playing.extend(record.filter(|record| record.status == MatchStatus::Playing));
        }
        Ok(playing)
    }

    async fn listed(&self, list: &str, window: Window<'_>) -> Result<Page<MatchRecord>, Problem> {
        let found = self.page(list, window, true).await?;
        let mut items = Vec::new();
        for id in found.values::<String>()? {
            items.extend(self.look(&format!("match/{id}")).await?);
        }
        Ok(Page { items, next: found.next })
    }

    /// Writes a match and everything that follows from it; `before` is what was read.
    pub(crate) async fn keep_match(
        &self,
        change: &mut Change<'_>,
        before: Option<&MatchRecord>,
        after: &MatchRecord,
    ) -> Result<(), Problem> {
        let old = before.map(MatchRecord::signposts).unwrap_or_default();
        let new = after.signposts();
        old.keys().filter(|key| !new.contains_key(*key)).for_each(|key| change.remove(key));
        for (key, id) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            change.write(key, id)?;
        }
        let busy = |record: &MatchRecord| if record.is_live() { record.people() } else { BTreeSet::new() };
        let (old, new) = (before.map(busy).unwrap_or_default(), busy(after));
        for account in old.difference(&new) {
            count(change, account, after.id, false).await?;
        }
        for account in new.difference(&old) {
            count(change, account, after.id, true).await?;
        }
        change.write(&MatchRecord::key(after.id), after)
    }
}

/// Adds a match to those an account is part of, or takes it out.
async fn count(
    change: &mut Change<'_>,
    account: &AccountId,
    id: MatchId,
    is_in: bool,
) -> Result<(), Problem> {
    let key = busy_key(account);
    let mut busy: Vec<String> = change.read(&key).await?.unwrap_or_default();
    let id = id.to_string();
    busy.retain(|other| *other != id);
    if is_in {
        if busy.len() >= MAX_MATCHES {
            let detail = format!("nobody can be part of more than {MAX_MATCHES} matches at a time");
            return Err(Problem::new(Code::TooMany, detail).with("account", account.0.clone()));
        }
        busy.push(id);
    }
    change.write(&key, &busy)
}

fn write_id<S: Serializer>(id: &MatchId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MatchId, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}
