//! The tasks of one server. They end with it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

/// The tasks of one server.
#[derive(Debug, Default)]
pub(crate) struct TaskSet(Mutex<JoinSet<()>>);

impl TaskSet {
    /// Starts a task.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut tasks = self.tasks();
        while let Some(ended) = tasks.try_join_next() {
            log_failure(ended);
        }
        tasks.spawn(work)
    }

    /// Runs work as a task that continues even if the caller is dropped, and whose panic stays within it.
    /// Returns `None` if it panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.spawn(async move {
            // The caller may be gone.
            let _ = done.send(work.await);
        });
        outcome.await.ok()
    }

    /// Runs work as a task that is aborted if the caller is dropped. Returns `None` if it panicked.
    pub(crate) async fn run_while_awaited<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        let _task = AbortOnDrop(self.spawn(async move {
            let _ = done.send(work.await);
        }));
        outcome.await.ok()
    }

    /// Aborts all tasks.
    pub(crate) fn abort_all(&self) {
        self.tasks().abort_all();
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Aborts a task when dropped.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn log_failure(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a task panicked");
    }
}
