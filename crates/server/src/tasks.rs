//! The tasks of one server: they end with it, whatever they are waiting for.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

/// The tasks of one server.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    /// Starts a task.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut tasks = self.tasks();
        while let Some(ended) = tasks.try_join_next() {
            report(ended);
        }
        tasks.spawn(work)
    }

    /// Has something done by a task of its own: it goes on if nobody awaits it, and if it fails it fails alone. Nothing, if
    /// it has failed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.spawn(async move {
            // Whoever asked may be gone.
            let _ = done.send(work.await);
        });
        outcome.await.ok()
    }

    /// Ends all of them where they are.
    pub(crate) fn end(&self) {
        self.tasks().abort_all();
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a task has failed");
    }
}
