//! Match records: seats, options and status of a match, from its creation to its end.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_engine::{Seed, Setup};
use intermezzo_protocol::resources::{
    BotAlgorithm, ClockSettings, EndingInfo, MatchInfo, MatchStatus, Page, RulesetRef, SeatInfo, Spectators,
    StakeInfo,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::accounts::AccountId;
use super::json_values;
use super::record_keys;
use super::record_keys::PageQuery;
use super::transaction::ServiceTransaction;
use super::{Services, internal};

/// Maximum number of open and live matches per account.
pub(crate) const MAX_MATCHES: usize = 50;

/// A match as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchRecord {
    #[serde(serialize_with = "write_id", deserialize_with = "read_id")]
    pub id: MatchId,
    /// Name shown in lists.
    pub name: String,
    pub ruleset: RulesetRef,
    pub status: MatchStatus,
    /// The account that may start it; `None` for matches from the queue.
    pub host: Option<AccountId>,
    pub seats: Vec<SeatRecord>,
    /// Team of each seat, if the ruleset has teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teams: Option<Vec<u8>>,
    /// Options that differ from the ruleset's defaults.
    pub options: Map<String, Value>,
    /// True if the match is not listed.
    pub private: bool,
    /// Code that others need to join a private match.
    pub code: Option<String>,
    /// Stake that each seat pays.
    pub stake: Option<StakeInfo>,
    /// True if the result counts for ratings, provided that all seats are different people.
    pub rated: bool,
    /// True if one account may take several seats.
    pub hotseat: bool,
    /// Clock settings, used where the ruleset has none.
    pub clock: Option<ClockSettings>,
    pub spectators: Spectators,
    /// Random seed in hexadecimal digits. Secret until the match ends.
    pub seed: Option<String>,
    /// BLAKE3 hash of the seed's bytes, in hexadecimal digits.
    pub commitment: Option<String>,
    pub created_ms: i64,
    pub started_ms: Option<i64>,
    pub ended_ms: Option<i64>,
    pub ending: Option<EndingInfo>,
    /// Id of the match that this one repeats.
    pub rematch_of: Option<String>,
    /// Id of the match that repeats this one.
    pub rematch: Option<String>,
}

/// One seat of a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SeatRecord {
    /// Account on the seat, if it is a person.
    pub account: Option<AccountId>,
    /// Bot on the seat.
    pub bot: Option<BotAlgorithm>,
    /// Name shown for the seat.
    pub name: Option<String>,
    pub ready: bool,
    /// Tokens that the match holds in escrow for the seat.
    pub paid: i64,
    /// The only account that may take the seat.
    #[serde(rename = "kept_for")]
    pub reserved_for: Option<AccountId>,
}

impl SeatRecord {
    pub fn for_bot(bot: BotAlgorithm) -> SeatRecord {
        let name = match bot {
            BotAlgorithm::Random => "random bot",
            BotAlgorithm::Greedy => "greedy bot",
            BotAlgorithm::Mcts => "mcts bot",
        };
        SeatRecord { bot: Some(bot), name: Some(name.to_owned()), ready: true, ..SeatRecord::default() }
    }

    #[must_use]
    pub fn is_free(&self) -> bool {
        self.account.is_none() && self.bot.is_none()
    }

    fn info(&self, seat: u8, team: Option<u8>) -> SeatInfo {
        SeatInfo {
            seat,
            team,
            account: self.account.as_ref().map(ToString::to_string),
            bot: self.bot,
            name: self.name.clone(),
            ready: self.ready,
            reserved_for: self.reserved_for.as_ref().filter(|_| self.is_free()).map(ToString::to_string),
        }
    }
}

impl MatchRecord {
    /// Creates the record of an open match without host, code, stake or clock. Every record is built from this
    /// one, so that a new field needs a default in one place only.
    pub fn new(id: MatchId, ruleset: RulesetRef, seats: Vec<SeatRecord>, created_ms: i64) -> MatchRecord {
        MatchRecord {
            id,
            name: ruleset.name.clone(),
            ruleset,
            status: MatchStatus::Open,
            host: None,
            seats,
            teams: None,
            options: Map::new(),
            private: false,
            code: None,
            stake: None,
            rated: false,
            hotseat: false,
            clock: None,
            spectators: Spectators::default(),
            seed: None,
            commitment: None,
            created_ms,
            started_ms: None,
            ended_ms: None,
            ending: None,
            rematch_of: None,
            rematch: None,
        }
    }

    /// Returns the team of a seat, if the ruleset has teams.
    fn team(&self, seat: u8) -> Option<u8> {
        self.teams.as_ref()?.get(usize::from(seat)).copied()
    }

    pub fn key(id: MatchId) -> String {
        format!("match/{id}")
    }

    /// Returns the engine setup of the match.
    ///
    /// # Errors
    ///
    /// If it has not started.
    pub fn setup(&self) -> Result<Setup, Problem> {
        let seed = self.seed.as_deref().and_then(record_keys::unhex);
        let seed = Seed(seed.ok_or_else(|| internal(&format!("match {} has no seed", self.id)))?);
        let options = json_values::engine_values(&self.options);
        let options = options.ok_or_else(|| internal(&format!("match {} has broken options", self.id)))?;
        Ok(Setup { seats: self.seats.len() as u8, options, seed, script: None })
    }

    #[must_use]
    pub fn seats_of(&self, account: &AccountId) -> Vec<u8> {
        let seats = (0u8..).zip(&self.seats);
        seats.filter(|(_, seat)| seat.account.as_ref() == Some(account)).map(|(index, _)| index).collect()
    }

    /// Returns the match as `viewer` may see it: the code only for participants, the seed only after the end.
    #[must_use]
    pub fn info(&self, viewer: Option<&AccountId>) -> MatchInfo {
        let belongs = viewer.is_some_and(|viewer| self.participants().contains(viewer));
        MatchInfo {
            id: self.id.to_string(),
            name: self.name.clone(),
            ruleset: self.ruleset.clone(),
            status: self.status,
            host: self.host.as_ref().map(ToString::to_string),
            seats: (0u8..).zip(&self.seats).map(|(index, seat)| seat.info(index, self.team(index))).collect(),
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

    /// Returns the accounts on all seats, and the host.
    #[must_use]
    pub fn participants(&self) -> BTreeSet<AccountId> {
        let seated = self.seats.iter().filter_map(|seat| seat.account.clone());
        seated.chain(self.host.clone()).collect()
    }

    pub fn is_live(&self) -> bool {
        matches!(self.status, MatchStatus::Open | MatchStatus::Playing)
    }

    /// Returns the index records that point to this one. They are a function of it.
    fn index_entries(&self) -> BTreeMap<String, String> {
        let (created, id) = (record_keys::time_key(self.created_ms), self.id.to_string());
        let mut entries = BTreeMap::new();
        if self.status == MatchStatus::Open {
            let list = if self.private { "open-private" } else { "open-match" };
            entries.insert(format!("{list}/{created}/{id}"), id.clone());
            if !self.private {
                entries.insert(format!("{}{created}/{id}", open_prefix(&self.ruleset.id)), id.clone());
            }
        }
        if self.status == MatchStatus::Playing && self.spectators.allowed && !self.private {
            entries.insert(format!("{LIVE_PREFIX}{created}/{id}"), id.clone());
            entries.insert(format!("{}{created}/{id}", live_prefix(&self.ruleset.id)), id.clone());
        }
        if let Some(code) = self.code.as_ref().filter(|_| self.is_live()) {
            entries.insert(code_key(code), id.clone());
        }
        if self.status != MatchStatus::Cancelled {
            for account in self.participants() {
                entries.insert(format!("{}{created}/{id}", matches_prefix(&account)), id.clone());
            }
        }
        entries
    }
}

/// Returns the prefix of the list of an account's matches.
pub(crate) fn matches_prefix(account: &AccountId) -> String {
    format!("match-of/{account}/")
}

/// Returns the prefix of the list of a ruleset's public open matches.
fn open_prefix(ruleset: &str) -> String {
    format!("open-of/{ruleset}/")
}

/// Prefix of the list of public live matches that allow spectators.
const LIVE_PREFIX: &str = "live-match/";

/// Returns the prefix of the same list for one ruleset.
fn live_prefix(ruleset: &str) -> String {
    format!("live-of/{ruleset}/")
}

/// Returns the key of the record with all open and live matches of an account. One record holds them all, so
/// that they can be counted within a transaction.
pub(crate) fn busy_key(account: &AccountId) -> String {
    format!("busy/{account}")
}

pub(crate) fn code_key(code: &str) -> String {
    format!("code/{code}")
}

impl Services {
    /// Reads a match.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn match_record(&self, id: MatchId) -> Result<MatchRecord, Problem> {
        self.read_record(&MatchRecord::key(id)).await?.ok_or_else(|| Problem::not_found("match"))
    }

    /// Finds an open or live match by its code.
    ///
    /// # Errors
    ///
    /// If none has that code.
    pub async fn match_with_code(&self, code: &str) -> Result<MatchRecord, Problem> {
        let none = || Problem::not_found("match");
        if code.len() > 16 {
            return Err(none());
        }
        let id: String = self.read_record(&code_key(&code.to_ascii_uppercase())).await?.ok_or_else(none)?;
        self.match_record(id.parse().map_err(|_| none())?).await
    }

    /// Lists public open matches of one ruleset or all, newest first.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn open_matches(
        &self,
        ruleset: Option<&str>,
        query: PageQuery<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        let list = ruleset.map_or_else(|| "open-match/".to_owned(), open_prefix);
        self.match_page(&list, query).await
    }

    /// Lists public live matches that allow spectators, of one ruleset or all, newest first.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn watchable_matches(
        &self,
        ruleset: Option<&str>,
        query: PageQuery<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        let list = ruleset.map_or_else(|| LIVE_PREFIX.to_owned(), live_prefix);
        self.match_page(&list, query).await
    }

    /// Lists the matches of an account, newest first.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn matches_of(
        &self,
        account: &AccountId,
        query: PageQuery<'_>,
    ) -> Result<Page<MatchRecord>, Problem> {
        self.match_page(&matches_prefix(account), query).await
    }

    /// Lists the live matches of an account, oldest first.
    pub async fn matches_in_progress(&self, account: &AccountId) -> Result<Vec<MatchRecord>, Problem> {
        let busy: Vec<String> = self.read_record(&busy_key(account)).await?.unwrap_or_default();
        let mut playing = Vec::new();
        for id in busy {
            let record: Option<MatchRecord> = self.read_record(&format!("match/{id}")).await?;
            playing.extend(record.filter(|record| record.status == MatchStatus::Playing));
        }
        Ok(playing)
    }

    async fn match_page(&self, list: &str, query: PageQuery<'_>) -> Result<Page<MatchRecord>, Problem> {
        let found = self.read_page(list, query, true).await?;
        let mut items = Vec::new();
        for id in found.values::<String>()? {
            items.extend(self.read_record(&format!("match/{id}")).await?);
        }
        Ok(Page { items, next: found.next })
    }

    /// Writes a match and all its index records; `before` is the record that was read.
    pub async fn save_match(
        &self,
        tx: &mut ServiceTransaction<'_>,
        before: Option<&MatchRecord>,
        after: &MatchRecord,
    ) -> Result<(), Problem> {
        if before.is_none() {
            self.mark_used(tx, &after.ruleset.hash).await?;
        }
        let old = before.map(MatchRecord::index_entries).unwrap_or_default();
        let new = after.index_entries();
        old.keys().filter(|key| !new.contains_key(*key)).for_each(|key| tx.remove(key));
        for (key, id) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            tx.write(key, id)?;
        }
        let busy =
            |record: &MatchRecord| if record.is_live() { record.participants() } else { BTreeSet::new() };
        let (old, new) = (before.map(busy).unwrap_or_default(), busy(after));
        for account in old.difference(&new) {
            update_busy(tx, account, after.id, false).await?;
        }
        for account in new.difference(&old) {
            update_busy(tx, account, after.id, true).await?;
        }
        tx.write(&MatchRecord::key(after.id), after)
    }
}

/// Adds a match to an account's open and live matches, or removes it.
async fn update_busy(
    tx: &mut ServiceTransaction<'_>,
    account: &AccountId,
    id: MatchId,
    is_in: bool,
) -> Result<(), Problem> {
    let key = busy_key(account);
    let mut busy: Vec<String> = tx.read(&key).await?.unwrap_or_default();
    let id = id.to_string();
    busy.retain(|other| *other != id);
    if is_in {
        if busy.len() >= MAX_MATCHES {
            let detail = format!("an account can be part of at most {MAX_MATCHES} matches at a time");
            return Err(Problem::new(Code::TooMany, detail).with("account", account.0.clone()));
        }
        busy.push(id);
    }
    tx.write(&key, &busy)
}

fn write_id<S: Serializer>(id: &MatchId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

fn read_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MatchId, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}
