//! Delivery of outcomes to the threads that wait for them.
//!
//! Waking another thread takes a system call. A thread that serves many matches therefore opens a port: all outcomes of one
//! batch arrive there together, and the thread itself passes them on.

use std::cell::RefCell;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use tokio::sync::oneshot;

use crate::transaction::CommitOutcome;

thread_local! {
    /// The port of this thread.
    static PORT: RefCell<Option<Arc<OutcomePort>>> = const { RefCell::new(None) };
}

/// An outcome with the channel of the caller who waits for it.
type Delivery = (oneshot::Sender<CommitOutcome>, CommitOutcome);

/// The place where the outcomes for one thread arrive.
#[derive(Default)]
struct OutcomePort(Mutex<PortState>);

#[derive(Default)]
struct PortState {
    arrived: Vec<Delivery>,
    thread: Option<Waker>,
    is_closed: bool,
}

/// The destination of one outcome.
pub(crate) struct OutcomeSender {
    caller: oneshot::Sender<CommitOutcome>,
    port: Option<Arc<OutcomePort>>,
}

impl OutcomeSender {
    /// Creates the channel for the outcome of a write that this thread requests.
    pub(crate) fn new() -> (OutcomeSender, oneshot::Receiver<CommitOutcome>) {
        let (caller, outcome) = oneshot::channel();
        (OutcomeSender { caller, port: PORT.with_borrow(Clone::clone) }, outcome)
    }
}

/// Sends outcomes to their callers, those for one port together.
pub(crate) fn send(outcomes: impl Iterator<Item = (OutcomeSender, CommitOutcome)>) {
    let mut by_port: Vec<(Arc<OutcomePort>, Vec<Delivery>)> = Vec::new();
    for (OutcomeSender { caller, port }, outcome) in outcomes {
        let Some(port) = port else {
            // The caller may have stopped waiting.
            let _ = caller.send(outcome);
            continue;
        };
        match by_port.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &port)) {
            Some((_, deliveries)) => deliveries.push((caller, outcome)),
            None => by_port.push((port, vec![(caller, outcome)])),
        }
    }
    by_port.into_iter().for_each(|(port, deliveries)| port.receive(deliveries));
}

fn deliver(deliveries: Vec<Delivery>) {
    for (caller, outcome) in deliveries {
        // The caller may have stopped waiting.
        let _ = caller.send(outcome);
    }
}

impl OutcomePort {
    fn state(&self) -> MutexGuard<'_, PortState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, deliveries: Vec<Delivery>) {
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            return deliver(deliveries);
        }
        state.arrived.extend(deliveries);
        let thread = state.thread.take();
        drop(state);
        if let Some(thread) = thread {
            thread.wake();
        }
    }
}

/// Delivers the outcomes of writes that this thread requests from now on: it is woken once for all outcomes of a batch.
///
/// The future must run on this thread, and runs until it is dropped.
pub fn deliver_outcomes_together() -> impl Future<Output = ()> {
    let port = OpenPort(Arc::default());
    PORT.set(Some(Arc::clone(&port.0)));
    async move {
        poll_fn(|context| -> Poll<()> {
            let mut state = port.0.state();
            state.thread = Some(context.waker().clone());
            let arrived = std::mem::take(&mut state.arrived);
            drop(state);
            deliver(arrived);
            Poll::Pending
        })
        .await;
    }
}

/// Closes a port when dropped, so that nobody waits forever.
struct OpenPort(Arc<OutcomePort>);

impl Drop for OpenPort {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_closed = true;
        let arrived = std::mem::take(&mut state.arrived);
        drop(state);
        deliver(arrived);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current_thread() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn outcomes_arrive_with_and_without_a_port() {
        current_thread().block_on(async {
            let (direct, without_port) = OutcomeSender::new();
            let delivering = tokio::spawn(deliver_outcomes_together());
            let (first, one) = OutcomeSender::new();
            let (second, other) = OutcomeSender::new();
            std::thread::spawn(|| {
                send([direct, first, second].into_iter().map(|sender| (sender, CommitOutcome::Committed)));
            });
            for outcome in [without_port, one, other] {
                assert_eq!(outcome.await, Ok(CommitOutcome::Committed));
            }
            delivering.abort();
        });
    }

    #[test]
    fn a_closed_port_leaves_nobody_waiting() {
        let port = deliver_outcomes_together();
        let (early, arrived_before) = OutcomeSender::new();
        let (late, arrives_after) = OutcomeSender::new();
        send(std::iter::once((early, CommitOutcome::Committed)));
        drop(port);
        send(std::iter::once((late, CommitOutcome::Committed)));
        current_thread().block_on(async {
            assert_eq!(arrived_before.await, Ok(CommitOutcome::Committed));
            assert_eq!(arrives_after.await, Ok(CommitOutcome::Committed));
        });
    }
}
