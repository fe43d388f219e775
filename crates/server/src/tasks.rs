//! The tasks of one server. They end with it.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::ready;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

/// Stops all tasks of a server for a while, as if its process were stopped. For deterministic tests.
#[derive(Clone, Debug, Default)]
pub struct StopSwitch(Arc<Mutex<Option<Instant>>>);

impl StopSwitch {
    /// Lets no task run until that time.
    pub fn stop_until(&self, until: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    fn stopped_until(&self) -> Option<Instant> {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        until.filter(|until| *until > Instant::now())
    }

    /// Runs work, but not while tasks are stopped.
    async fn run(self, work: impl Future<Output = ()> + Send + 'static) {
        let mut work = Box::pin(work);
        let mut pause = None;
        poll_fn(|context| {
            while let Some(until) = self.stopped_until() {
                let pause = pause.insert(Box::pin(tokio::time::sleep_until(until)));
                ready!(pause.as_mut().poll(context));
            }
            work.as_mut().poll(context)
        })
        .await;
    }
}

/// The tasks of one server.
#[derive(Debug, Default)]
pub(crate) struct TaskSet {
    tasks: Mutex<JoinSet<()>>,
    /// Absent from servers that nobody stops.
    switch: Option<StopSwitch>,
}

impl TaskSet {
    /// Creates a set whose tasks can be stopped.
    pub(crate) fn with_switch(switch: StopSwitch) -> TaskSet {
        TaskSet { switch: Some(switch), ..TaskSet::default() }
    }

    /// Starts a task.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        self.spawn_on(None, work)
    }

    /// Starts a task on another runtime, if one is given.
    pub(crate) fn spawn_on(
        &self,
        runtime: Option<&Handle>,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> AbortHandle {
        let mut tasks = self.tasks();
        while let Some(ended) = tasks.try_join_next() {
            log_failure(ended);
        }
        match (&self.switch, runtime) {
            (Some(switch), _) => tasks.spawn(switch.clone().run(work)),
            (None, Some(runtime)) => tasks.spawn_on(work, runtime),
            (None, None) => tasks.spawn(work),
        }
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
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
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
