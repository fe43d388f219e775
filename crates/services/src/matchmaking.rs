//! Matchmaking: forms matches from queue entries.
//!
//! Any number of servers may run it at the same time: a match is created in one transaction that requires all
//! its entries to be waiting still.

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::resources::QueueState;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::AccountId;
use super::fair_queue::Requester;
use super::lobby::ruleset_ref;
use super::matches::{MatchRecord, SeatRecord};
use super::queue::{QueueEntry, QueueTerms, queue_prefix, remove_entry};
use super::transaction::{ServiceTransaction, decode, transact};
use super::{Services, StartedMatch};

/// Largest rating difference at first.
const INITIAL_RATING_GAP: i64 = 100;
/// Growth of the allowed difference per step.
const RATING_GAP_STEP: i64 = 50;
/// Length of a step.
const RATING_GAP_STEP_MS: i64 = 5_000;
/// Waiting time after which ratings no longer matter.
const ANY_RATING_AFTER_MS: i64 = 60_000;

impl Services {
    /// Forms and starts matches from the entries waiting for a ruleset. An entry whose account cannot pay is
    /// dropped, with the problem stored for its owner.
    pub async fn run_matchmaking(&self, ruleset: &str) -> Result<Vec<StartedMatch>, Problem> {
        let mut started = Vec::new();
        for stake in [false, true] {
            let waiting = self.waiting_entries(ruleset, stake).await?;
            if waiting.len() < 2 {
                continue;
            }
            let terms = self.queue_terms(&Requester::Server, ruleset, stake).await?;
            let now = self.now();
            for group in group_players(&waiting, usize::from(terms.seats), now) {
                match self.form_match(&terms, &group).await {
                    Ok(formed) => started.extend(formed),
                    // One failed group must not hide the matches that did start.
                    Err(problem) => tracing::warn!(%problem, "no match could be formed"),
                }
            }
        }
        Ok(started)
    }

    /// Returns the waiting entries. Removes expired ones.
    async fn waiting_entries(&self, ruleset: &str, stake: bool) -> Result<Vec<QueueEntry>, Problem> {
        let now = self.now();
        let mut waiting = Vec::new();
        for (key, record) in self.read_all(&queue_prefix(ruleset)).await? {
            let entry: QueueEntry = decode(&key, &record.value)?;
            if entry.is_expired(now) {
                transact!(self, self.new_marker()?, |tx| {
                    remove_entry(&mut tx, ruleset, &entry.account, |entry| entry.is_expired(now))
                })?;
            } else if entry.is_waiting(now) && entry.stake == stake {
                waiting.push(entry);
            }
        }
        Ok(waiting)
    }

    /// Starts a match for a group if all of them are still waiting. If one of them cannot play, only that
    /// entry is dropped.
    async fn form_match(
        &self,
        terms: &QueueTerms,
        group: &[QueueEntry],
    ) -> Result<Option<StartedMatch>, Problem> {
        let outcome: Result<Option<StartedMatch>, Problem> =
            transact!(self, self.new_marker()?, |tx| self.try_form_match(&mut tx, terms, group));
        match outcome {
            Err(problem) if problem.extra.contains_key("account") => {
                self.drop_entry(&terms.info.id, problem).await?;
                Ok(None)
            }
            other => other,
        }
    }

    async fn try_form_match(
        &self,
        tx: &mut ServiceTransaction<'_>,
        terms: &QueueTerms,
        group: &[QueueEntry],
    ) -> Result<Option<StartedMatch>, Problem> {
        let mut record = self.new_queue_match(terms)?;
        let match_id = record.id.to_string();
        let mut all_found = Vec::new();
        for entry in group {
            let key = QueueEntry::key(&terms.info.id, &entry.account);
            let found: Option<QueueEntry> = match is_active(FailPoint::PairWithoutRecheck) {
                true => self.read_record(&key).await?,
                false => tx.read(&key).await?,
            };
            let Some(found) = found.filter(|found| found.is_waiting(self.now())) else { return Ok(None) };
            all_found.push((key, found));
        }
        // Write only after all entries were checked: writes commit even if no match is formed.
        for (key, mut found) in all_found {
            found.state = QueueState::Found { match_id: match_id.clone() };
            found.seen_ms = self.now();
            tx.write(&key, &found)?;
        }
        for (seat, account) in (0u8..).zip(self.shuffled_accounts(group)?) {
            let blame = |problem: Problem| match problem.code {
                Code::NotEnough | Code::NotSignedIn => problem.with("account", account.0.clone()),
                _ => problem,
            };
            self.seat_account(tx, &mut record, seat, &account).await.map_err(blame)?;
            record.seats[usize::from(seat)].ready = true;
        }
        self.begin_match(tx, &mut record)?;
        self.save_match(tx, None, &record).await?;
        Ok(Some(StartedMatch { record }))
    }

    /// Drops an entry and stores the problem for its owner.
    async fn drop_entry(&self, ruleset: &str, mut problem: Problem) -> Result<(), Problem> {
        let account = problem.extra.remove("account");
        let account = account.and_then(|account| account.as_str().map(str::to_owned)).map(AccountId);
        let Some(account) = account else { return Ok(()) };
        let key = QueueEntry::key(ruleset, &account);
        transact!(self, self.new_marker()?, |tx| async {
            if let Some(mut entry) = tx.read::<QueueEntry>(&key).await?
                && entry.state == QueueState::Waiting
            {
                entry.state = QueueState::Dropped { problem: problem.clone() };
                tx.write(&key, &entry)?;
            }
            Ok::<_, Problem>(())
        })
    }

    /// Returns the accounts of a group in random order, so that nobody can predict the seats.
    fn shuffled_accounts(&self, group: &[QueueEntry]) -> Result<Vec<AccountId>, Problem> {
        let mut drawn = Vec::new();
        for entry in group {
            drawn.push((self.random::<16>()?, entry.account.clone()));
        }
        drawn.sort();
        Ok(drawn.into_iter().map(|(_, account)| account).collect())
    }

    fn new_queue_match(&self, terms: &QueueTerms) -> Result<MatchRecord, Problem> {
        let seats = vec![SeatRecord::default(); usize::from(terms.seats)];
        let id = MatchId(self.new_id()?);
        Ok(MatchRecord {
            teams: terms.teams.clone(),
            stake: terms.stake.clone(),
            rated: true,
            ..MatchRecord::new(id, ruleset_ref(&terms.info), seats, self.now())
        })
    }
}

/// Returns the largest allowed rating difference after a waiting time.
fn max_rating_gap(waited_ms: i64) -> i64 {
    if waited_ms >= ANY_RATING_AFTER_MS {
        i64::MAX
    } else {
        INITIAL_RATING_GAP + RATING_GAP_STEP * (waited_ms.max(0) / RATING_GAP_STEP_MS)
    }
}

/// Forms groups of `size`. The longest-waiting entry comes first and gets the entries nearest in rating,
/// within the difference allowed for its waiting time.
fn group_players(waiting: &[QueueEntry], size: usize, now: i64) -> Vec<Vec<QueueEntry>> {
    let mut left: Vec<&QueueEntry> = waiting.iter().collect();
    left.sort_by(|one, other| (one.since_ms, &one.account).cmp(&(other.since_ms, &other.account)));
    let mut groups = Vec::new();
    let mut first = 0;
    while first < left.len() {
        let oldest = left[first];
        let distance = |entry: &&QueueEntry| entry.rating.abs_diff(oldest.rating) as i64;
        let mut near: Vec<&QueueEntry> = left[first + 1..].to_vec();
        near.retain(|entry| {
            distance(entry) <= max_rating_gap(now - oldest.since_ms) && entry.account != oldest.account
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

    fn entry(account: &str, rating: i64, since_ms: i64) -> QueueEntry {
        let account = AccountId(account.to_owned());
        QueueEntry { account, stake: false, rating, since_ms, seen_ms: since_ms, state: QueueState::Waiting }
    }

    fn names(groups: &[Vec<QueueEntry>]) -> Vec<Vec<&str>> {
        groups.iter().map(|group| group.iter().map(|entry| entry.account.0.as_str()).collect()).collect()
    }

    #[test]
    fn the_rating_gap_widens_until_anybody_fits() {
        assert_eq!(max_rating_gap(0), 100);
        assert_eq!(max_rating_gap(4_999), 100);
        assert_eq!(max_rating_gap(5_000), 150);
        assert_eq!(max_rating_gap(59_999), 650);
        assert_eq!(max_rating_gap(60_000), i64::MAX);
    }

    #[test]
    fn the_longest_waiting_entry_gets_the_nearest_rating() {
        let waiting = [entry("new", 1550, 9_000), entry("old", 1500, 0), entry("near", 1510, 8_000)];
        assert_eq!(names(&group_players(&waiting, 2, 10_000)), [["old", "near"]]);
    }

    #[test]
    fn far_apart_they_wait_until_the_window_is_wide_enough() {
        let waiting = [entry("a", 1000, 0), entry("b", 1160, 0)];
        assert!(group_players(&waiting, 2, 9_999).is_empty());
        assert_eq!(group_players(&waiting, 2, 10_000).len(), 1);
    }

    #[test]
    fn an_entry_without_partner_does_not_block_the_others() {
        let waiting = [entry("lone", 100, 0), entry("a", 1500, 10), entry("b", 1501, 20)];
        assert_eq!(names(&group_players(&waiting, 2, 1_000)), [["a", "b"]]);
    }

    #[test]
    fn groups_have_the_requested_size() {
        let waiting: Vec<QueueEntry> =
            (0..8).map(|index| entry(&format!("a{index}"), 1500 + index, index)).collect();
        let groups = group_players(&waiting, 3, 1_000);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    }
}
