//! Threads for matches whose rules compute for long.
//!
//! A match normally computes where its request arrived: that is quickest. A computation that takes longer than a short
//! slice moves to threads of its own, which take turns between the accounts whose matches need them, so that slow rules
//! delay neither other matches nor other requests.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_services::{FairQueue, QueueLimits};
use rustix::time::{ClockId, clock_gettime};

/// Least number of threads: one account never holds all of them.
const MIN_THREADS: usize = 2;
/// Longest computation on a thread that serves clients.
const SLICE: Duration = Duration::from_millis(4);
/// A computation shorter than this counts as quick.
const QUICK: Duration = Duration::from_millis(1);
/// Quick computations in a row after which a slow match is tried on the serving threads again.
const QUICK_STREAK: u32 = 16;

/// The threads for slow matches, which one server's matches share.
#[derive(Clone, Debug)]
pub(crate) struct MatchPool {
    /// The queue, by account; `None` in deterministic tests, where everything runs inline.
    queue: Option<Arc<FairQueue<u128>>>,
    /// Time that rules may take for one answer of a player.
    input_limit: Duration,
}

/// The pace of one match, by its latest computations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MatchPace {
    /// Quick computations that are missing until the match counts as quick again.
    missing_quick: u32,
}

impl MatchPool {
    pub(crate) fn new(is_deterministic: bool, input_limit: Duration) -> MatchPool {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let running = cores.saturating_sub(1).max(MIN_THREADS);
        let limits =
            QueueLimits { running, running_each: running - 1, waiting: usize::MAX, waiting_each: usize::MAX };
        let queue = (!is_deterministic).then(|| FairQueue::new("matches", limits));
        MatchPool { queue, input_limit }
    }

    /// Returns true if computations can be interrupted and moved to other threads.
    pub(crate) fn has_threads(&self) -> bool {
        self.queue.is_some()
    }

    pub(crate) fn input_limit(&self) -> Duration {
        self.input_limit
    }

    /// Runs a computation on one of the threads, in turn with those of other accounts. Returns `None` if the server
    /// stops. A panic continues in the caller.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        account: u128,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let Some(queue) = &self.queue else { return Some(work()) };
        let permit = queue.acquire(&account).await.ok()?;
        let span = tracing::Span::current();
        let computing = tokio::task::spawn_blocking(move || {
            let outcome = span.in_scope(work);
            drop(permit);
            outcome
        });
        match computing.await {
            Ok(outcome) => Some(outcome),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => None,
        }
    }
}

impl MatchPace {
    pub(crate) fn is_slow(self) -> bool {
        self.missing_quick > 0
    }

    /// Records a computation.
    pub(crate) fn record(&mut self, elapsed: Duration) {
        if elapsed > SLICE {
            self.missing_quick = QUICK_STREAK;
        } else if elapsed < QUICK {
            self.missing_quick = self.missing_quick.saturating_sub(1);
        }
    }

    /// Records a computation that was interrupted at the end of its slice.
    pub(crate) fn record_interruption(&mut self) {
        self.missing_quick = QUICK_STREAK;
    }
}

/// A timer of the processor time that a computation takes on its thread. A busy machine makes no match slow: time in which
/// other threads run does not count.
///
/// Asking the system for a thread's time takes longer than much of what is timed. So the timer starts from an estimate, and
/// asks only if it may matter: a computation never takes more processor time than time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuTimer {
    started: Instant,
    /// Processor time of the thread at the start, at most [`CHECKPOINT_AGE`] too much.
    thread_time: Duration,
}

/// Age up to which a known processor time of a thread is good enough for an estimate.
const CHECKPOINT_AGE: Duration = Duration::from_millis(1);

thread_local! {
    /// The last known processor time of this thread.
    static CHECKPOINT: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
    /// The time limit of the computation on this thread.
    static LIMIT: Cell<Option<(CpuTimer, Duration)>> = const { Cell::new(None) };
}

impl CpuTimer {
    pub(crate) fn start() -> CpuTimer {
        let started = Instant::now();
        let thread_time = match CHECKPOINT.get() {
            Some((at, time)) if started.duration_since(at) < CHECKPOINT_AGE => {
                time + started.duration_since(at)
            }
            _ => {
                let time = thread_time();
                CHECKPOINT.set(Some((started, time)));
                time
            }
        };
        CpuTimer { started, thread_time }
    }

    /// Returns the processor time since the start, or something shorter than [`QUICK`] if it was that.
    pub(crate) fn elapsed(&self) -> Duration {
        let elapsed = self.started.elapsed();
        if elapsed < QUICK { elapsed } else { elapsed.min(thread_time().saturating_sub(self.thread_time)) }
    }

    fn has_reached(&self, limit: Duration) -> bool {
        self.started.elapsed() >= limit && self.elapsed() >= limit
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Runs a computation that asks [`is_time_up`], with a time limit.
pub(crate) fn within<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    LIMIT.set(Some((CpuTimer::start(), limit)));
    let outcome = work();
    LIMIT.set(None);
    outcome
}

/// Runs a computation within the slice of a serving thread.
pub(crate) fn within_slice<T>(work: impl FnOnce() -> T) -> T {
    within(SLICE, work)
}

/// Returns true if the time of the computation on this thread is over.
pub(crate) fn is_time_up() -> bool {
    LIMIT.get().is_some_and(|(timer, limit)| timer.has_reached(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_slow_until_it_was_quick_for_a_while() {
        let mut pace = MatchPace::default();
        assert!(!pace.is_slow());
        pace.record(SLICE * 2);
        for _ in 0..QUICK_STREAK {
            assert!(pace.is_slow());
            pace.record(SLICE / 2);
            pace.record(Duration::ZERO);
        }
        assert!(!pace.is_slow());
    }

    #[test]
    fn time_is_up_only_within_a_limit() {
        assert!(!is_time_up());
        assert!(within(Duration::ZERO, is_time_up));
        assert!(!within(Duration::from_secs(60), is_time_up));
        assert!(!is_time_up());
    }

    #[test]
    fn only_processor_time_counts() {
        let limit = Duration::from_millis(20);
        assert!(!within(limit, || {
            std::thread::sleep(limit * 2);
            is_time_up()
        }));
        let started = Instant::now();
        within(limit, || while !is_time_up() {});
        assert!(started.elapsed() >= limit, "{:?}", started.elapsed());
    }
}
