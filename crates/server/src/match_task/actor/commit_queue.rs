//! Commits in flight. The store finishes them in order, so only the oldest needs to be watched.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, ready};

use intermezzo_store::{CommitOutcome, StoreFuture};

/// Commits in flight, oldest first.
#[derive(Default)]
pub(super) struct CommitQueue(VecDeque<StoreFuture<CommitOutcome>>);

impl CommitQueue {
    pub(super) fn push(&mut self, commit: StoreFuture<CommitOutcome>) {
        self.0.push_back(commit);
    }

    /// Waits for the outcome of the oldest commit; `None` if no commit is in flight.
    pub(super) async fn next(&mut self) -> Option<CommitOutcome> {
        poll_fn(|context| {
            let Some(oldest) = self.0.front_mut() else { return Poll::Ready(None) };
            let outcome = ready!(oldest.as_mut().poll(context));
            self.0.pop_front();
            Poll::Ready(Some(outcome))
        })
        .await
    }
}
