//! Threads for matches whose rules compute for long.
//!
//! A match normally computes where its request arrived: that is quickest. A computation that takes longer than a short
//! slice, and every computation on a large state, moves to threads of less priority, which are shared fairly between the accounts
//! whose matches need them, so that slow rules delay neither other matches nor other requests.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_services::{BackgroundThreads, FairQueue, QueueLimits, Unfinished};
use rustix::time::{ClockId, clock_gettime};

/// Computations at once. They share the time that the threads of clients leave, so one that takes seconds does not keep short ones
/// waiting.
const RUNNING: usize = 16;
/// Multiple of the time limit of an answer that everything else may take: matches must be able to begin and to end.
const OTHERS: u32 = 5;
/// Longest computation on a thread that serves clients.
const SLICE: Duration = Duration::from_millis(4);
/// A computation shorter than this counts as quick.
const QUICK: Duration = Duration::from_millis(1);
/// Quick computations in a row after which a slow match is tried on the serving threads again. Doubles each time.
const QUICK_STREAK: u32 = 16;
const MAX_DOUBLINGS: u32 = 10;

/// The threads for slow matches, which one server's matches share.
#[derive(Clone, Debug)]
pub(crate) struct MatchPool {
    /// The queue, by account; `None` in deterministic tests, where everything runs inline.
    queue: Option<Arc<FairQueue<u128>>>,
    threads: BackgroundThreads,
    /// Time that rules may take for one answer of a player.
    input_limit: Duration,
}

/// The pace of one match, by its latest computations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MatchPace {
    /// Quick computations that are missing until the match counts as quick again.
    missing_quick: u32,
    /// Computations that were slow on a serving thread.
    doublings: u32,
}

impl MatchPool {
    pub(crate) fn new(
        is_deterministic: bool,
        input_limit: Duration,
        threads: BackgroundThreads,
    ) -> MatchPool {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        // One account leaves cores free: a thread that wakes runs at once there, and elsewhere after up to 3 ms.
        let running_each = (cores / 2).clamp(1, RUNNING);
        let limits =
            QueueLimits { running: RUNNING, running_each, waiting: usize::MAX, waiting_each: usize::MAX };
        let queue = (!is_deterministic).then(|| FairQueue::new("matches", limits));
        MatchPool { queue, threads, input_limit }
    }

    /// Returns true if computations can be interrupted and moved to other threads.
    pub(crate) fn has_threads(&self) -> bool {
        self.queue.is_some()
    }

    /// Returns the time that an answer of a player may take.
    pub(crate) fn input_limit(&self) -> Duration {
        self.input_limit
    }

    /// Returns the time that everything else may take that is new. Whatever is stored already is read again in any case.
    pub(crate) fn other_limit(&self) -> Duration {
        self.input_limit * OTHERS
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
        let computing = self.threads.run(move || {
            let outcome = work();
            drop(permit);
            outcome
        });
        match computing.await {
            Ok(outcome) => Some(outcome),
            Err(Unfinished::Panicked(payload)) => std::panic::resume_unwind(payload),
            Err(Unfinished::NoThread(error)) => {
                tracing::error!(%error, "a match cannot compute");
                None
            }
        }
    }

    /// Drops something large on one of the threads.
    pub(crate) fn discard(&self, value: impl Send + 'static) {
        if self.has_threads() {
            self.threads.discard(value);
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
            self.record_interruption();
        } else if elapsed < QUICK {
            self.missing_quick = self.missing_quick.saturating_sub(1);
        }
    }

    /// Records a computation that was interrupted at the end of its slice.
    pub(crate) fn record_interruption(&mut self) {
        // A match that is slow again and again hardly ever comes back.
        if self.missing_quick == 0 {
            self.doublings = (self.doublings + 1).min(MAX_DOUBLINGS);
        }
        self.missing_quick = QUICK_STREAK << self.doublings.saturating_sub(1);
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
    /// Calls of [`is_time_up_for_reads`] in the computation on this thread.
    static READS: Cell<u32> = const { Cell::new(0) };
    /// True once that function has interrupted the computation on this thread.
    static IS_READ_INTERRUPTED: Cell<bool> = const { Cell::new(false) };
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

/// The result of a computation with a time limit.
pub(crate) struct Limited<T> {
    pub(crate) outcome: T,
    pub(crate) elapsed: Duration,
    /// True if [`is_time_up_for_reads`] has interrupted it: then the outcome is wrong, and so is what was computed on.
    pub(crate) is_wrong: bool,
}

/// Runs a computation that asks [`is_time_up`] or [`is_time_up_for_reads`], with a time limit.
pub(crate) fn within<T>(limit: Duration, work: impl FnOnce() -> T) -> Limited<T> {
    let timer = CpuTimer::start();
    LIMIT.set(Some((timer, limit)));
    READS.set(0);
    let outcome = work();
    LIMIT.set(None);
    Limited { outcome, elapsed: timer.elapsed(), is_wrong: IS_READ_INTERRUPTED.take() }
}

/// Runs a computation within the slice of a serving thread.
pub(crate) fn within_slice<T>(work: impl FnOnce() -> T) -> Limited<T> {
    within(SLICE, work)
}

/// Calls of [`is_time_up_for_reads`] between two looks at the clock.
const READS_PER_LOOK: u32 = 8;

/// Returns true if the time of the computation on this thread is over, from then on always. Whatever was computed is wrong then.
///
/// Views consist of many short computations, each of which asks at its beginning. Most of them take less time than a look at the
/// clock.
pub(crate) fn is_time_up_for_reads() -> bool {
    if IS_READ_INTERRUPTED.get() {
        return true;
    }
    let reads = READS.get().wrapping_add(1);
    READS.set(reads);
    let is_up = reads.is_multiple_of(READS_PER_LOOK) && is_time_up();
    IS_READ_INTERRUPTED.set(is_up);
    is_up
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
        assert!(within(Duration::ZERO, is_time_up).outcome);
        assert!(!within(Duration::from_secs(60), is_time_up).outcome);
        assert!(!is_time_up());
    }

    #[test]
    fn only_processor_time_counts() {
        let limit = Duration::from_millis(20);
        assert!(
            !within(limit, || {
                std::thread::sleep(limit * 2);
                is_time_up()
            })
            .outcome
        );
        let started = Instant::now();
        within(limit, || while !is_time_up() {});
        assert!(started.elapsed() >= limit, "{:?}", started.elapsed());
    }
}
