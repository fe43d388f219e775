//! Bringing together who waits.
//!
//! Any number of servers may do it at the same time: a match comes about in one transaction that expects all its entries
//! to be waiting still.

use intermezzo_protocol::resources::{MatchStatus, QueueState, Spectators};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;
use serde_json::Map;

use super::accounts::AccountId;
use super::change::{Change, changing, read};
use super::lobby::ruleset_ref;
use super::matches::{MatchRecord, SeatRecord};
use super::queue::{Entry, Table, entries_of, remove_entry};
use super::{House, Started};

/// How far apart ratings may be at first …
const WINDOW: i64 = 100;
/// … how much farther …
const WIDER: i64 = 50;
/// … each time so much has passed …
const WIDER_MS: i64 = 5_000;
/// … until they do not matter any more.
const ANYBODY_MS: i64 = 60_000;

impl House {
    /// Brings together who waits for a ruleset, and starts their matches. Who cannot pay is told and does not wait any
    /// more.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn match_up(&self, ruleset: &str) -> Result<Vec<Started>, Problem> {
        let mut started = Vec::new();
        for stake in [false, true] {
            let waiting = self.waiting(ruleset, stake).await?;
            if waiting.len() < 2 {
                continue;
            }
            let table = self.table(ruleset, stake).await?;
            let now = self.now();
            for group in group_up(&waiting, usize::from(table.seats), now) {
                match self.bring_together(&table, &group).await {
                    Ok(together) => started.extend(together),
                    // Those who have been brought together must not be forgotten because others have not.
                    Err(problem) => tracing::warn!(%problem, "nobody could be brought together"),
                }
            }
        }
        Ok(started)
    }

    /// Who waits. Entries that are over are removed.
    async fn waiting(&self, ruleset: &str, stake: bool) -> Result<Vec<Entry>, Problem> {
        let now = self.now();
        let mut waiting = Vec::new();
        for (key, record) in self.all(&entries_of(ruleset)).await? {
            let entry: Entry = read(&key, &record.value)?;
            if entry.is_over(now) {
                changing!(self, self.mark()?, |change| {
                    remove_entry(&mut change, ruleset, &entry.account, |entry| entry.is_over(now))
                })?;
            } else if entry.waits(now) && entry.stake == stake {
                waiting.push(entry);
            }
        }
        Ok(waiting)
    }

    /// Starts a match of those who wait, if they all still do. If one of them cannot play, that one does not wait any
    /// more, and the others do.
    async fn bring_together(&self, table: &Table, group: &[Entry]) -> Result<Option<Started>, Problem> {
        let outcome: Result<Option<Started>, Problem> =
            changing!(self, self.mark()?, |change| self.try_together(&mut change, table, group));
        match outcome {
            Err(problem) if problem.more.contains_key("account") => {
                self.drop_entry(&table.info.id, problem).await?;
                Ok(None)
            }
            other => other,
        }
    }

    async fn try_together(
        &self,
        change: &mut Change<'_>,
        table: &Table,
        group: &[Entry],
    ) -> Result<Option<Started>, Problem> {
        let mut record = self.arranged_match(table)?;
        let match_id = record.id.to_string();
        let mut all_found = Vec::new();
        for entry in group {
            let key = Entry::key(&table.info.id, &entry.account);
            let found: Option<Entry> = match planted!(PairsBlindly) {
                true => self.look(&key).await?,
                false => change.read(&key).await?,
            };
            let Some(found) = found.filter(|found| found.waits(self.now())) else { return Ok(None) };
            all_found.push((key, found));
        }
        // Not before it is certain that nobody is missing: what is written lands, match or not.
        for (key, mut found) in all_found {
            found.state = QueueState::Found { match_id: match_id.clone() };
            found.seen_ms = self.now();
            change.write(&key, &found)?;
        }
        for (seat, account) in (0u8..).zip(self.in_any_order(group)?) {
            let blame = |problem: Problem| match problem.code {
                Code::NotEnough | Code::NotSignedIn => problem.with("account", account.0.clone()),
                _ => problem,
            };
            self.seat(change, &mut record, seat, &account).await.map_err(blame)?;
            record.seats[usize::from(seat)].ready = true;
        }
        self.begin(change, &mut record)?;
        self.keep_match(change, None, &record).await?;
        Ok(Some(Started { record }))
    }

    /// Somebody cannot play: they are told why.
    async fn drop_entry(&self, ruleset: &str, mut problem: Problem) -> Result<(), Problem> {
        let account = problem.more.remove("account");
        let account = account.and_then(|account| account.as_str().map(str::to_owned)).map(AccountId);
        let Some(account) = account else { return Ok(()) };
        let key = Entry::key(ruleset, &account);
        changing!(self, self.mark()?, |change| async {
            if let Some(mut entry) = change.read::<Entry>(&key).await?
                && entry.state == QueueState::Waiting
            {
                entry.state = QueueState::Dropped { problem: problem.clone() };
                change.write(&key, &entry)?;
            }
            Ok::<_, Problem>(())
        })
    }

    /// The accounts of a group: nobody can know where they will sit.
    fn in_any_order(&self, group: &[Entry]) -> Result<Vec<AccountId>, Problem> {
        let mut drawn = Vec::new();
        for entry in group {
            drawn.push((self.random::<16>()?, entry.account.clone()));
        }
        drawn.sort();
        Ok(drawn.into_iter().map(|(_, account)| account).collect())
    }

    fn arranged_match(&self, table: &Table) -> Result<MatchRecord, Problem> {
        Ok(MatchRecord {
            id: MatchId(self.new_id()?),
            name: table.info.name.clone(),
            ruleset: ruleset_ref(&table.info),
            status: MatchStatus::Open,
            host: None,
            seats: vec![SeatRecord::default(); usize::from(table.seats)],
            options: Map::new(),
            private: false,
            code: None,
            stake: table.stake.clone(),
            rated: true,
            hotseat: false,
            clock: None,
            spectators: Spectators::default(),
            seed: None,
            commitment: None,
            created_ms: self.now(),
            started_ms: None,
            ended_ms: None,
            ending: None,
            rematch_of: None,
            rematch: None,
        })
    }
}

/// How far apart ratings may be after waiting so long.
fn window(waited_ms: i64) -> i64 {
    if waited_ms >= ANYBODY_MS { i64::MAX } else { WINDOW + WIDER * (waited_ms.max(0) / WIDER_MS) }
}

/// Groups of `size`: who has waited longest comes first and gets those nearest in rating, if they are near enough for
/// whoever has waited that long.
fn group_up(waiting: &[Entry], size: usize, now: i64) -> Vec<Vec<Entry>> {
    let mut left: Vec<&Entry> = waiting.iter().collect();
    left.sort_by(|one, other| (one.since_ms, &one.account).cmp(&(other.since_ms, &other.account)));
    let mut groups = Vec::new();
    let mut first = 0;
    while first < left.len() {
        let oldest = left[first];
        let distance = |entry: &&Entry| entry.rating.abs_diff(oldest.rating) as i64;
        let mut near: Vec<&Entry> = left[first + 1..].to_vec();
        near.retain(|entry| {
            distance(entry) <= window(now - oldest.since_ms) && entry.account != oldest.account
        });
        near.sort_by_key(distance);
        near.dedup_by(|one, other| one.account == other.account);
        near.truncate(size - 1);
        if near.len() + 1 < size {
            first += 1;
            continue;
        }
        near.insert(0, oldest);
        left.retain(|entry| !near.iter().any(|taken| taken.account == entry.account));
        groups.push(near.into_iter().cloned().collect());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(account: &str, rating: i64, since_ms: i64) -> Entry {
        let account = AccountId(account.to_owned());
        Entry { account, stake: false, rating, since_ms, seen_ms: since_ms, state: QueueState::Waiting }
    }

    fn names(groups: &[Vec<Entry>]) -> Vec<Vec<&str>> {
        groups.iter().map(|group| group.iter().map(|entry| entry.account.0.as_str()).collect()).collect()
    }

    #[test]
    fn the_window_widens_until_anybody_will_do() {
        assert_eq!(window(0), 100);
        assert_eq!(window(4_999), 100);
        assert_eq!(window(5_000), 150);
        assert_eq!(window(59_999), 650);
        assert_eq!(window(60_000), i64::MAX);
    }

    #[test]
    fn the_one_who_waits_longest_gets_the_nearest() {
        let waiting = [entry("new", 1550, 9_000), entry("old", 1500, 0), entry("near", 1510, 8_000)];
        assert_eq!(names(&group_up(&waiting, 2, 10_000)), [["old", "near"]]);
    }

    #[test]
    fn far_apart_they_wait_until_the_window_is_wide_enough() {
        let waiting = [entry("a", 1000, 0), entry("b", 1160, 0)];
        assert!(group_up(&waiting, 2, 9_999).is_empty());
        assert_eq!(group_up(&waiting, 2, 10_000).len(), 1);
    }

    #[test]
    fn who_finds_nobody_does_not_hold_up_the_others() {
        let waiting = [entry("lone", 100, 0), entry("a", 1500, 10), entry("b", 1501, 20)];
        assert_eq!(names(&group_up(&waiting, 2, 1_000)), [["a", "b"]]);
    }

    #[test]
    fn groups_are_of_the_size_that_is_wanted() {
        let waiting: Vec<Entry> =
            (0..8).map(|index| entry(&format!("a{index}"), 1500 + index, index)).collect();
        let groups = group_up(&waiting, 3, 1_000);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    }
}
