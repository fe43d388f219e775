//! One-shot signal. It wakes its waiters in the order in which they began to wait.
//!
//! Tokio's `watch` channel wakes them in random order, which would make a simulation depend on more than its seed.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// One-shot signal.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    is_set: AtomicBool,
    waiting: Notify,
}

impl Signal {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
        self.waiting.notify_waiters();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    pub(crate) async fn wait(&self) {
        let waiting = self.waiting.notified();
        if !self.is_set() {
            waiting.await;
        }
    }
}
