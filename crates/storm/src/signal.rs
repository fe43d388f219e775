//! Something that comes true once. Those who wait for it go on in the order in which they came, always.
//!
//! A `watch` channel of tokio would do, but for that order: it is drawn.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Something that comes true once.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    is_given: AtomicBool,
    waiting: Notify,
}

impl Signal {
    pub(crate) fn give(&self) {
        self.is_given.store(true, Ordering::Relaxed);
        self.waiting.notify_waiters();
    }

    pub(crate) fn is_given(&self) -> bool {
        self.is_given.load(Ordering::Relaxed)
    }

    /// Waits until it is given.
    pub(crate) async fn given(&self) {
        let waiting = self.waiting.notified();
        if !self.is_given() {
            waiting.await;
        }
    }
}
