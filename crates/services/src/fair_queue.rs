//! Permits for expensive work, granted in turn: a requester who asks for much waits for itself, not others for it.
//!
//! A queue has few permits. When none is free, requesters wait in one line each, and the lines are served in turn.
//! Lines are short: a request that finds its line full is rejected at once, so that nothing piles up in memory.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_protocol::{Code, Problem};
use tokio::sync::oneshot;

use super::accounts::AccountId;

/// Time after which a rejected client should try again.
const RETRY_AFTER_MS: u64 = 2_000;

/// The client on whose behalf work is done.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Requester {
    /// The server itself.
    Server,
    Account(AccountId),
    /// A client without a token, by the network it comes from.
    Address(IpAddr),
}

/// The limits of a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Permits in total.
    pub running: usize,
    /// Permits of one requester.
    pub running_each: usize,
    /// Waiting requests in total.
    pub waiting: usize,
    /// Waiting requests of one requester.
    pub waiting_each: usize,
}

/// A fair queue for permits.
pub struct FairQueue<K: Ord + Clone = Requester> {
    lines: Mutex<Lines<K>>,
    limits: QueueLimits,
    /// Name of the work, for rejections.
    work: &'static str,
}

struct Lines<K: Ord + Clone> {
    running: usize,
    running_by: BTreeMap<K, usize>,
    waiting: BTreeMap<K, VecDeque<Waiter<K>>>,
    /// Requesters with waiting requests; the first is next.
    turns: VecDeque<K>,
}

type Waiter<K> = oneshot::Sender<FairPermit<K>>;

/// Counts a waiting request in `intermezzo_waiting`, until dropped.
struct CountedWait {
    queue: &'static str,
}

impl CountedWait {
    fn start(queue: &'static str) -> CountedWait {
        metrics::gauge!("intermezzo_waiting", "queue" => queue).increment(1);
        CountedWait { queue }
    }
}

impl Drop for CountedWait {
    fn drop(&mut self) {
        metrics::gauge!("intermezzo_waiting", "queue" => self.queue).decrement(1);
    }
}

/// A permit; returned when dropped.
pub struct FairPermit<K: Ord + Clone = Requester> {
    queue: Arc<FairQueue<K>>,
    requester: K,
}

impl<K: Ord + Clone> FairQueue<K> {
    #[must_use]
    pub fn new(work: &'static str, limits: QueueLimits) -> Arc<FairQueue<K>> {
        let lines = Lines {
            running: 0,
            running_by: BTreeMap::new(),
            waiting: BTreeMap::new(),
            turns: VecDeque::new(),
        };
        Arc::new(FairQueue { lines: Mutex::new(lines), limits, work })
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// If too many requests of this requester (`too_many`) or of all (`busy`) wait already.
    pub async fn acquire(self: &Arc<Self>, requester: &K) -> Result<FairPermit<K>, Problem> {
        let waiting = {
            let mut lines = self.lines();
            if lines.waiting.get(requester).is_none_or(VecDeque::is_empty)
                && lines.may_run(requester, &self.limits)
            {
                return Ok(lines.grant(self, requester.clone()));
            }
            self.join_line(&mut lines, requester)?
        };
        let _counted = CountedWait::start(self.work);
        waiting.await.map_err(|_| self.rejected(Code::Busy, "the server is busy"))
    }

    /// Returns a permit if one is free now.
    pub fn try_acquire(self: &Arc<Self>, requester: &K) -> Option<FairPermit<K>> {
        let mut lines = self.lines();
        let is_free = lines.turns.is_empty() && lines.may_run(requester, &self.limits);
        is_free.then(|| lines.grant(self, requester.clone()))
    }

    fn join_line(
        &self,
        lines: &mut Lines<K>,
        requester: &K,
    ) -> Result<oneshot::Receiver<FairPermit<K>>, Problem> {
        lines.forget_gone();
        if lines.waiting.get(requester).is_some_and(|line| line.len() >= self.limits.waiting_each) {
            return Err(self.rejected(Code::TooMany, "too many of your requests wait already"));
        }
        if lines.waiting.values().map(VecDeque::len).sum::<usize>() >= self.limits.waiting {
            return Err(self.rejected(Code::Busy, "the server is busy"));
        }
        let (waiter, waiting) = oneshot::channel();
        let line = lines.waiting.entry(requester.clone()).or_default();
        if line.is_empty() {
            lines.turns.push_back(requester.clone());
        }
        line.push_back(waiter);
        Ok(waiting)
    }

    fn rejected(&self, code: Code, why: &str) -> Problem {
        let detail = format!("{why} ({}); try again in {} seconds", self.work, RETRY_AFTER_MS / 1000);
        Problem::new(code, detail).with("retryAfterMs", RETRY_AFTER_MS)
    }

    fn lines(&self) -> MutexGuard<'_, Lines<K>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives free permits to those who wait, in turn.
    fn serve_waiting(self: &Arc<Self>) {
        loop {
            let (waiter, permit) = {
                let mut lines = self.lines();
                let Some((requester, waiter)) = lines.next_waiter(&self.limits) else { return };
                let permit = lines.grant(self, requester);
                (waiter, permit)
            };
            // If the waiting request is gone, its permit comes back here and serves the next one.
            if waiter.send(permit).is_ok() {
                continue;
            }
            return;
        }
    }
}

impl<K: Ord + Clone> Lines<K> {
    fn may_run(&self, requester: &K, limits: &QueueLimits) -> bool {
        let own = self.running_by.get(requester).copied().unwrap_or(0);
        self.running < limits.running && own < limits.running_each
    }

    fn grant(&mut self, queue: &Arc<FairQueue<K>>, requester: K) -> FairPermit<K> {
        self.running += 1;
        *self.running_by.entry(requester.clone()).or_default() += 1;
        FairPermit { queue: Arc::clone(queue), requester }
    }

    /// Takes the first waiting request of the next requester who may run.
    fn next_waiter(&mut self, limits: &QueueLimits) -> Option<(K, Waiter<K>)> {
        self.forget_gone();
        let index = self.turns.iter().position(|requester| self.may_run(requester, limits))?;
        let requester = self.turns.remove(index)?;
        let line = self.waiting.get_mut(&requester)?;
        let waiter = line.pop_front()?;
        if line.is_empty() {
            self.waiting.remove(&requester);
        } else {
            self.turns.push_back(requester.clone());
        }
        Some((requester, waiter))
    }

    /// Drops requests whose clients no longer wait.
    fn forget_gone(&mut self) {
        self.waiting.values_mut().for_each(|line| line.retain(|waiter| !waiter.is_closed()));
        self.waiting.retain(|_, line| !line.is_empty());
        let waiting = &self.waiting;
        self.turns.retain(|requester| waiting.contains_key(requester));
    }
}

impl<K: Ord + Clone> Drop for FairPermit<K> {
    fn drop(&mut self) {
        {
            let mut lines = self.queue.lines();
            lines.running = lines.running.saturating_sub(1);
            if let Some(own) = lines.running_by.get_mut(&self.requester) {
                *own = own.saturating_sub(1);
                if *own == 0 {
                    lines.running_by.remove(&self.requester);
                }
            }
        }
        self.queue.serve_waiting();
    }
}

impl<K: Ord + Clone> fmt::Debug for FairQueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairQueue")
            .field("work", &self.work)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<K: Ord + Clone> fmt::Debug for FairPermit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FairPermit").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: QueueLimits = QueueLimits { running: 1, running_each: 1, waiting: 8, waiting_each: 4 };

    /// Lets the requesters ask in this order while a permit is taken, and returns the order in which they run.
    async fn order_of(requesters: &[&'static str]) -> Vec<&'static str> {
        let queue: Arc<FairQueue<&'static str>> = FairQueue::new("test", LIMITS);
        let busy = queue.acquire(&"first").await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for requester in requesters.iter().copied() {
            let (queue, order) = (Arc::clone(&queue), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let _permit = queue.acquire(&requester).await.unwrap();
                order.lock().unwrap().push(requester);
            }));
            tokio::task::yield_now().await;
        }
        drop(busy);
        for task in tasks {
            task.await.unwrap();
        }
        Arc::try_unwrap(order).unwrap().into_inner().unwrap()
    }

    #[tokio::test]
    async fn requesters_take_turns() {
        assert_eq!(order_of(&["a", "a", "a", "b", "c"]).await, ["a", "b", "c", "a", "a"]);
    }

    #[tokio::test]
    async fn a_full_line_rejects_its_own_requester_only() {
        let queue: Arc<FairQueue<&'static str>> = FairQueue::new("test", LIMITS);
        let _busy = queue.acquire(&"a").await.unwrap();
        let mut waiting = Vec::new();
        for _ in 0..4 {
            let queue = Arc::clone(&queue);
            waiting.push(tokio::spawn(async move { queue.acquire(&"a").await.map(drop) }));
            tokio::task::yield_now().await;
        }
        let problem = queue.acquire(&"a").await.err().unwrap();
        assert_eq!(problem.code, Code::TooMany);
        let other = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.acquire(&"b").await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert!(!other.is_finished(), "another requester may wait");
    }

    #[tokio::test]
    async fn requests_that_are_gone_free_their_place() {
        let queue: Arc<FairQueue<&'static str>> = FairQueue::new("test", LIMITS);
        let busy = queue.acquire(&"a").await.unwrap();
        for _ in 0..20 {
            let gone = tokio::time::timeout(std::time::Duration::ZERO, queue.acquire(&"b")).await;
            assert!(gone.is_err(), "nobody gets a permit meanwhile");
        }
        drop(busy);
        assert!(queue.try_acquire(&"b").is_some());
    }
}
