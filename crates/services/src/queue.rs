//! The matchmaking queue.
//!
//! A queue entry belongs to an account, not to a connection. [`Services::refresh_presence`] keeps it alive.
//! The [`matchmaking`](super::matchmaking) module turns entries into matches.

use intermezzo_protocol::resources::{
    JoinQueue, QueueLength, QueueState, QueueStatus, RulesetInfo, StakeInfo,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::prefix;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::accounts::{AccountId, active_account};
use super::fair_queue::Requester;
use super::idempotency::Caller;
use super::ratings::RatingRecord;
use super::transaction::{ServiceTransaction, decode, transact};
use super::{Services, invalid};

/// Absence after which an account no longer waits.
const PRESENCE_TIMEOUT_MS: i64 = 60_000;
/// Shortest interval between two updates of an entry's presence.
const PRESENCE_UPDATE_MS: i64 = 15_000;
/// Time for which the result of waiting can be queried.
const RESULT_RETENTION_MS: i64 = 10 * 60_000;
/// A queue entry as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct QueueEntry {
    pub account: AccountId,
    pub stake: bool,
    pub rating: i64,
    pub since_ms: i64,
    pub seen_ms: i64,
    #[serde(flatten)]
    pub state: QueueState,
}

/// Ruleset, seats and stake of the matches formed from one queue.
pub struct QueueTerms {
    pub info: RulesetInfo,
    pub seats: u8,
    /// Team of each seat, if the ruleset has teams.
    pub teams: Option<Vec<u8>>,
    pub stake: Option<StakeInfo>,
}

impl QueueEntry {
    pub(crate) fn key(ruleset: &str, account: &AccountId) -> String {
        format!("{}{account}", queue_prefix(ruleset))
    }

    pub(crate) fn is_waiting(&self, now: i64) -> bool {
        self.state == QueueState::Waiting && !self.is_away(now)
    }

    fn is_away(&self, now: i64) -> bool {
        now - self.seen_ms > PRESENCE_TIMEOUT_MS
    }

    /// Returns true if the entry can be removed.
    pub(crate) fn is_expired(&self, now: i64) -> bool {
        let kept_ms =
            if self.state == QueueState::Waiting { PRESENCE_TIMEOUT_MS } else { RESULT_RETENTION_MS };
        now - self.seen_ms > kept_ms
    }

    fn status(&self, ruleset: &str) -> QueueStatus {
        QueueStatus {
            ruleset: ruleset.to_owned(),
            stake: self.stake,
            since_ms: self.since_ms,
            state: self.state.clone(),
        }
    }
}

pub(crate) fn queue_prefix(ruleset: &str) -> String {
    format!("queue/{ruleset}/")
}

/// Returns the prefix of the list of an account's queues.
pub(crate) fn queues_prefix(account: &AccountId) -> String {
    format!("queue-of/{account}/")
}

impl Services {
    /// Joins the queue for the newest version of a ruleset.
    ///
    /// # Errors
    ///
    /// If the account already waits, cannot pay, or the ruleset has no matches for several players.
    pub async fn join_queue(
        &self,
        caller: &Caller,
        ruleset: &str,
        request: JoinQueue,
    ) -> Result<QueueStatus, Problem> {
        let terms =
            self.queue_terms(&Requester::Account(caller.account.id.clone()), ruleset, request.stake).await?;
        let (ruleset, account) = (&terms.info.id, &caller.account.id);
        let entry_fee = terms.stake.as_ref().map_or(0, |stake| stake.entry);
        if self.balance(account).await? < entry_fee {
            return Err(Problem::new(
                Code::NotEnough,
                format!("not enough tokens: the entry fee is {entry_fee}"),
            ));
        }
        let key = QueueEntry::key(ruleset, account);
        transact!(self, caller.marker(self, "queue")?, |tx| async {
            active_account(&mut tx, account).await?;
            let now = self.now();
            if tx.read::<QueueEntry>(&key).await?.is_some_and(|entry| entry.is_waiting(now)) {
                return Err(Problem::new(Code::AlreadyQueued, "you are already in this queue"));
            }
            let rating: RatingRecord =
                tx.read(&RatingRecord::key(ruleset, account)).await?.unwrap_or_default();
            let entry = QueueEntry {
                account: account.clone(),
                stake: request.stake,
                rating: rating.points(),
                since_ms: now,
                seen_ms: now,
                state: QueueState::Waiting,
            };
            tx.write(&key, &entry)?;
            tx.write(&format!("{}{ruleset}", queues_prefix(account)), ruleset)?;
            Ok(entry.status(ruleset))
        })
    }

    /// Leaves the queue. Matches that were already formed stay.
    pub async fn leave_queue(&self, caller: &Caller, ruleset: &str) -> Result<(), Problem> {
        transact!(self, caller.marker(self, "unqueue")?, |tx| {
            remove_entry(&mut tx, ruleset, &caller.account.id, |entry| entry.state == QueueState::Waiting)
        })
    }

    /// Returns the state of an account's queue entry.
    ///
    /// # Errors
    ///
    /// If it has none.
    pub async fn queue_status(&self, account: &AccountId, ruleset: &str) -> Result<QueueStatus, Problem> {
        let entry: Option<QueueEntry> = self.read_record(&QueueEntry::key(ruleset, account)).await?;
        let entry = entry.filter(|entry| !entry.is_expired(self.now()));
        Ok(entry.ok_or_else(|| Problem::not_found("queue entry"))?.status(ruleset))
    }

    /// Lists the current and recent queue entries of an account.
    pub async fn queue_statuses(&self, account: &AccountId) -> Result<Vec<QueueStatus>, Problem> {
        let mut statuses = Vec::new();
        for (key, record) in self.read_all(&queues_prefix(account)).await? {
            let ruleset: String = decode(&key, &record.value)?;
            let entry: Option<QueueEntry> = self.read_record(&QueueEntry::key(&ruleset, account)).await?;
            let entry = entry.filter(|entry| !entry.is_expired(self.now()));
            statuses.extend(entry.map(|entry| entry.status(&ruleset)));
        }
        Ok(statuses)
    }

    /// Keeps an account's queue entries waiting because the account is connected.
    pub async fn refresh_presence(&self, account: &AccountId) -> Result<(), Problem> {
        for (key, record) in self.read_all(&queues_prefix(account)).await? {
            let ruleset: String = decode(&key, &record.value)?;
            let key = QueueEntry::key(&ruleset, account);
            transact!(self, self.new_marker()?, |tx| async {
                let now = self.now();
                let entry: Option<QueueEntry> = tx.read(&key).await?;
                if let Some(mut entry) = entry
                    && entry.is_waiting(now)
                    && now - entry.seen_ms >= PRESENCE_UPDATE_MS
                {
                    entry.seen_ms = now;
                    tx.write(&key, &entry)?;
                }
                Ok::<_, Problem>(())
            })?;
        }
        Ok(())
    }

    /// Lists the rulesets with queue entries.
    pub async fn active_queues(&self) -> Result<Vec<String>, Problem> {
        let mut range = prefix("queue/");
        let mut rulesets = Vec::new();
        while let Some((key, _)) = self.scan(range.clone(), 1, false).await?.pop() {
            let ruleset = key.split('/').nth(1).unwrap_or_default().to_owned();
            range.start = prefix(&queue_prefix(&ruleset)).end;
            rulesets.push(ruleset);
        }
        Ok(rulesets)
    }

    /// Counts the waiting entries of every ruleset that has some.
    pub async fn queue_lengths(&self) -> Result<Vec<QueueLength>, Problem> {
        let (now, mut lengths) = (self.now(), Vec::new());
        for ruleset in self.active_queues().await? {
            let mut waiting = 0;
            for (key, record) in self.read_all(&queue_prefix(&ruleset)).await? {
                waiting += u32::from(decode::<QueueEntry>(&key, &record.value)?.is_waiting(now));
            }
            if waiting > 0 {
                lengths.push(QueueLength { ruleset, waiting });
            }
        }
        Ok(lengths)
    }

    /// Returns what is played in a queue.
    pub async fn queue_terms(
        &self,
        requester: &Requester,
        ruleset: &str,
        stake: bool,
    ) -> Result<QueueTerms, Problem> {
        let info = self.ruleset(ruleset).await?;
        let program = self.program(&info.hash).await?;
        // Fewer players than usual may leave a team incomplete.
        let least = if program.teams.is_some() { info.seats.default } else { info.seats.min };
        let seats = least.max(2);
        if info.seats.max < 2 {
            return Err(invalid("the ruleset is for one player"));
        }
        let (mut terms_stake, mut teams) = (None, None);
        if stake || program.teams.is_some() {
            let trial = self.trial_start(requester, &program, seats, &Map::new()).await?;
            teams = trial.teams();
            if stake {
                terms_stake = Some(self.stake_info(&trial, seats)?);
            }
        }
        Ok(QueueTerms { info, seats, teams, stake: terms_stake })
    }
}

/// Removes an entry if it meets the condition.
pub(crate) async fn remove_entry(
    tx: &mut ServiceTransaction<'_>,
    ruleset: &str,
    account: &AccountId,
    condition: impl Fn(&QueueEntry) -> bool,
) -> Result<(), Problem> {
    let key = QueueEntry::key(ruleset, account);
    if tx.read::<QueueEntry>(&key).await?.is_some_and(|entry| condition(&entry)) {
        tx.remove(&key);
        tx.remove(&format!("{}{ruleset}", queues_prefix(account)));
    }
    Ok(())
}
