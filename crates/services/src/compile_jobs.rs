//! Compiling and trial starts: long computations on blocking threads, in turn and with a time limit.
//!
//! Authors' rulesets and those that matches need have separate queues, so that checking a large ruleset delays nobody who
//! wants to play.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use intermezzo_protocol::{Code, Problem};

use super::Services;
use super::fair_queue::{FairPermit, QueueLimits, Requester};

/// Limits on rulesets that authors publish or check.
pub(crate) const AUTHOR_LIMITS: QueueLimits =
    QueueLimits { running: 1, running_each: 1, waiting: 16, waiting_each: 2 };
/// Limits on published rulesets that are compiled again because a match needs them.
pub(crate) const PROGRAM_LIMITS: QueueLimits =
    QueueLimits { running: 1, running_each: 1, waiting: 1_000, waiting_each: 500 };
/// Limits on trial starts of matches.
pub(crate) const TRIAL_LIMITS: QueueLimits =
    QueueLimits { running: 2, running_each: 1, waiting: 64, waiting_each: 8 };

/// Tells a long computation that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels when dropped.
struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Tells the compiler when to give up.
pub(crate) type ShouldStop<'a> = &'a dyn Fn() -> bool;

impl Services {
    /// Compiles an author's ruleset. Gives up when the time is over, when `cancel` is set, or when the caller is
    /// dropped.
    pub(crate) async fn run_author_job<T: Send + 'static>(
        &self,
        requester: &Requester,
        cancel: &CancelFlag,
        work: impl FnOnce(ShouldStop<'_>) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.author_queue.acquire(requester).await?;
        if cancel.is_cancelled() {
            return Err(Problem::new(Code::Busy, "the client is gone"));
        }
        // Deterministic tests have no time limit: it would depend on the machine.
        let limit = (!self.entropy.is_seeded()).then(|| Duration::from_millis(self.limits.compile_ms));
        let dropped = CancelOnDrop(CancelFlag::default());
        let (dropped_flag, cancel) = (dropped.0.clone(), cancel.clone());
        let done = self
            .run_blocking(move || {
                let started = Instant::now();
                let is_late = || limit.is_some_and(|limit| started.elapsed() >= limit);
                let outcome = work(&|| dropped_flag.is_cancelled() || cancel.is_cancelled() || is_late());
                drop(permit);
                outcome
            })
            .await;
        drop(dropped);
        done
    }

    /// Runs a trial start.
    pub(crate) async fn run_trial<T: Send + 'static>(
        &self,
        requester: &Requester,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.trial_queue.acquire(requester).await?;
        self.run_holding(permit, work).await
    }

    /// Runs a computation that keeps a permit, even if the caller is dropped meanwhile.
    pub(crate) async fn run_holding<K: Ord + Clone + Send + Sync + 'static, T: Send + 'static>(
        &self,
        permit: FairPermit<K>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        self.run_blocking(move || {
            let outcome = work();
            drop(permit);
            outcome
        })
        .await
    }
}
