//! Waiting for others to play with.
//!
//! Who waits is an entry among the records, which belongs to the account and not to a connection. It is kept alive by
//! [`House::present`]. How those who wait are brought together is a matter of [`pairing`](super::pairing).

use intermezzo_protocol::resources::{
    JoinQueue, QueueLength, QueueState, QueueStatus, RulesetInfo, StakeInfo,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::prefix;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::accounts::{AccountId, account_of};
use super::change::{Change, changing, read};
use super::once::Caller;
use super::ratings::Rating;
use super::{House, invalid};

/// Who was not there for so long does not wait any more.
const PRESENT_MS: i64 = 60_000;
/// Being there is noted at most this often.
const NOTED_MS: i64 = 15_000;
/// How long it can be asked what came of waiting.
const KEPT_MS: i64 = 10 * 60_000;
/// Somebody who waits, as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) account: AccountId,
    pub(crate) stake: bool,
    pub(crate) rating: i64,
    pub(crate) since_ms: i64,
    pub(crate) seen_ms: i64,
    #[serde(flatten)]
    pub(crate) state: QueueState,
}

/// A ruleset to bring people together for.
pub(crate) struct Table {
    pub(crate) info: RulesetInfo,
    pub(crate) seats: u8,
    pub(crate) stake: Option<StakeInfo>,
}

impl Entry {
    pub(crate) fn key(ruleset: &str, account: &AccountId) -> String {
        format!("{}{account}", entries_of(ruleset))
    }

    pub(crate) fn waits(&self, now: i64) -> bool {
        self.state == QueueState::Waiting && !self.is_away(now)
    }

    fn is_away(&self, now: i64) -> bool {
        now - self.seen_ms > PRESENT_MS
    }

    /// Nothing hangs on it any more.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        let kept_ms = if self.state == QueueState::Waiting { PRESENT_MS } else { KEPT_MS };
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

pub(crate) fn entries_of(ruleset: &str) -> String {
    format!("queue/{ruleset}/")
}

/// Where it is listed what an account waits for.
pub(crate) fn queues_of(account: &AccountId) -> String {
    format!("queue-of/{account}/")
}

impl House {
    /// Begins to wait for others to play a ruleset with, in its newest version.
    ///
    /// # Errors
    ///
    /// If one waits already, cannot pay, or nobody can play it together.
    pub async fn join_queue(
        &self,
        caller: &Caller,
        ruleset: &str,
        wish: JoinQueue,
    ) -> Result<QueueStatus, Problem> {
        let table = self.table(ruleset, wish.stake).await?;
        let (ruleset, account) = (&table.info.id, &caller.account.id);
        let entry_fee = table.stake.as_ref().map_or(0, |stake| stake.entry);
        if self.balance(account).await? < entry_fee {
            return Err(Problem::new(Code::NotEnough, format!("the entry is {entry_fee}")));
        }
        let key = Entry::key(ruleset, account);
        changing!(self, caller.mark(self, "queue")?, |change| async {
            account_of(&mut change, account).await?;
            let now = self.now();
            if change.read::<Entry>(&key).await?.is_some_and(|entry| entry.waits(now)) {
                return Err(Problem::new(Code::AlreadyQueued, "you are waiting already"));
            }
            let rating: Rating = change.read(&Rating::key(ruleset, account)).await?.unwrap_or_default();
            let entry = Entry {
                account: account.clone(),
                stake: wish.stake,
                rating: rating.points(),
                since_ms: now,
                seen_ms: now,
                state: QueueState::Waiting,
            };
            change.write(&key, &entry)?;
            change.write(&format!("{}{ruleset}", queues_of(account)), ruleset)?;
            Ok(entry.status(ruleset))
        })
    }

    /// Does not wait any more. Who has been brought together with others already stays so.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn leave_queue(&self, caller: &Caller, ruleset: &str) -> Result<(), Problem> {
        changing!(self, caller.mark(self, "unqueue")?, |change| {
            remove_entry(&mut change, ruleset, &caller.account.id, |entry| entry.state == QueueState::Waiting)
        })
    }

    /// What has become of waiting.
    ///
    /// # Errors
    ///
    /// If one does not wait.
    pub async fn queue_status(&self, account: &AccountId, ruleset: &str) -> Result<QueueStatus, Problem> {
        let entry: Option<Entry> = self.look(&Entry::key(ruleset, account)).await?;
        let entry = entry.filter(|entry| !entry.is_over(self.now()));
        Ok(entry.ok_or_else(|| Problem::not_found("queue entry"))?.status(ruleset))
    }

    /// Everything an account waits for, or waited for lately.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn queue_statuses(&self, account: &AccountId) -> Result<Vec<QueueStatus>, Problem> {
        let mut statuses = Vec::new();
        for (key, record) in self.all(&queues_of(account)).await? {
            let ruleset: String = read(&key, &record.value)?;
            let entry: Option<Entry> = self.look(&Entry::key(&ruleset, account)).await?;
            let entry = entry.filter(|entry| !entry.is_over(self.now()));
            statuses.extend(entry.map(|entry| entry.status(&ruleset)));
        }
        Ok(statuses)
    }

    /// Somebody is there: where they wait, they go on waiting.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn present(&self, account: &AccountId) -> Result<(), Problem> {
        for (key, record) in self.all(&queues_of(account)).await? {
            let ruleset: String = read(&key, &record.value)?;
            let key = Entry::key(&ruleset, account);
            changing!(self, self.mark()?, |change| async {
                let now = self.now();
                let entry: Option<Entry> = change.read(&key).await?;
                if let Some(mut entry) = entry
                    && entry.waits(now)
                    && now - entry.seen_ms >= NOTED_MS
                {
                    entry.seen_ms = now;
                    change.write(&key, &entry)?;
                }
                Ok::<_, Problem>(())
            })?;
        }
        Ok(())
    }

    /// The rulesets somebody waits for.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn queues(&self) -> Result<Vec<String>, Problem> {
        let mut range = prefix("queue/");
        let mut rulesets = Vec::new();
        while let Some((key, _)) = self.scan(range.clone(), 1, false).await?.pop() {
            let ruleset = key.split('/').nth(1).unwrap_or_default().to_owned();
            range.start = prefix(&entries_of(&ruleset)).end;
            rulesets.push(ruleset);
        }
        Ok(rulesets)
    }

    /// How many wait, for every ruleset for which anybody does.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn queue_lengths(&self) -> Result<Vec<QueueLength>, Problem> {
        let (now, mut lengths) = (self.now(), Vec::new());
        for ruleset in self.queues().await? {
            let mut waiting = 0;
            for (key, record) in self.all(&entries_of(&ruleset)).await? {
                waiting += u32::from(read::<Entry>(&key, &record.value)?.waits(now));
            }
            if waiting > 0 {
                lengths.push(QueueLength { ruleset, waiting });
            }
        }
        Ok(lengths)
    }

    /// What is played, by how many, for what.
    pub(crate) async fn table(&self, ruleset: &str, stake: bool) -> Result<Table, Problem> {
        let info = self.ruleset(ruleset).await?;
        let seats = info.seats.min.max(2);
        if info.seats.max < 2 {
            return Err(invalid("nobody can play that together"));
        }
        let stake = if stake {
            let program = self.program(&info.hash).await?;
            let begun = self.try_setup(&program, seats, &Map::new()).await?;
            Some(self.stake(&begun, seats)?)
        } else {
            None
        };
        Ok(Table { info, seats, stake })
    }
}

/// Removes an entry if it is such a one.
pub(crate) async fn remove_entry(
    change: &mut Change<'_>,
    ruleset: &str,
    account: &AccountId,
    is_such: impl Fn(&Entry) -> bool,
) -> Result<(), Problem> {
    let key = Entry::key(ruleset, account);
    if change.read::<Entry>(&key).await?.is_some_and(|entry| is_such(&entry)) {
        change.remove(&key);
        change.remove(&format!("{}{ruleset}", queues_of(account)));
    }
    Ok(())
}
