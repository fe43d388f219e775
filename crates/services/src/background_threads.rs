//! Threads for long computations, with less priority than those that serve clients. Start with [`BackgroundThreads::run`].
//!
//! A computation that takes seconds must not delay answers that take microseconds, even if there are more such computations than
//! cores. The system runs a thread of normal priority as soon as it has something to do, and these share what is left evenly.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Steps by which the threads are nicer than others: a tenth of their weight.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
/// Idle time after which a thread ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

type BackgroundJob = Box<dyn FnOnce() + Send>;

/// The reason why a computation has no result.
pub enum Unfinished {
    /// It panicked, with this payload.
    Panicked(Box<dyn Any + Send>),
    /// The system refused a thread.
    NoThread(std::io::Error),
}

/// Threads that begin when they are needed. Callers limit how many computations run at once.
#[derive(Clone, Default)]
pub struct BackgroundThreads(Arc<SharedJobs>);

#[derive(Default)]
struct SharedJobs {
    state: Mutex<WaitingJobs>,
    has_job: Condvar,
}

#[derive(Default)]
struct WaitingJobs {
    jobs: VecDeque<BackgroundJob>,
    idle: usize,
}

impl BackgroundThreads {
    /// Runs a computation to its end, even if the caller stops waiting.
    ///
    /// # Errors
    ///
    /// If it panics or cannot begin.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Unfinished> {
        let (done, outcome) = oneshot::channel();
        let span = tracing::Span::current();
        self.spawn(Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
            // The caller may have stopped waiting.
            let _ = done.send(result);
        }))
        .map_err(Unfinished::NoThread)?;
        match outcome.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(payload)) => Err(Unfinished::Panicked(payload)),
            Err(_) => Err(Unfinished::NoThread(std::io::Error::other("the thread is gone"))),
        }
    }

    /// Drops something large.
    pub fn discard(&self, value: impl Send + 'static) {
        // Without a thread it is dropped here.
        let _ = self.spawn(Box::new(move || drop(value)));
    }

    fn spawn(&self, job: BackgroundJob) -> std::io::Result<()> {
        let mut state = self.0.lock();
        state.jobs.push_back(job);
        if state.jobs.len() <= state.idle {
            drop(state);
            self.0.has_job.notify_one();
            return Ok(());
        }
        drop(state);
        let shared = Arc::clone(&self.0);
        let started = std::thread::Builder::new().name("background".to_owned()).spawn(move || {
            lower_priority();
            shared.work();
        });
        if let Err(error) = started {
            // Another thread may be busy with something else for long, so the job is given up.
            self.0.lock().jobs.pop_back();
            return Err(error);
        }
        Ok(())
    }
}

impl SharedJobs {
    /// Runs jobs until there are none for a while.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let waiting = self.has_job.wait_timeout_while(state, IDLE_TIMEOUT, |state| state.jobs.is_empty());
            state = waiting.unwrap_or_else(PoisonError::into_inner).0;
            state.idle -= 1;
            if state.jobs.is_empty() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, WaitingJobs> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets other threads of the process go first. Where priorities belong to processes, nothing happens.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "a thread keeps its priority");
    }
}

impl std::fmt::Debug for BackgroundThreads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackgroundThreads").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn computations_run_side_by_side_and_panics_stay_within_them() {
        let threads = BackgroundThreads::default();
        let (sender, receiver) = std::sync::mpsc::channel();
        // The first one waits for the second one.
        let first = tokio::spawn({
            let threads = threads.clone();
            async move { threads.run(move || receiver.recv().unwrap()).await.ok() }
        });
        tokio::task::yield_now().await;
        assert!(threads.run(move || sender.send(7).unwrap()).await.is_ok());
        assert_eq!(first.await.unwrap(), Some(7));
        assert!(matches!(threads.run(|| panic!("on purpose")).await, Err::<(), _>(Unfinished::Panicked(_))));
        assert_eq!(threads.run(|| 8).await.ok(), Some(8));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn others_go_first() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let own = nice();
        assert_eq!(BackgroundThreads::default().run(nice).await.ok(), Some(own + NICENESS));
        assert_eq!(nice(), own);
    }
}
