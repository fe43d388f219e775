//! The way to one connection: a bounded queue of frames. Who does not read is let go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{mpsc, watch};

/// Frames that wait for one connection at most.
const MAX_WAITING: usize = 512;

/// Why the server ends a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Farewell {
    /// The client does not read what it is sent.
    TooSlow,
    /// The client sends too much.
    TooMuch,
    /// What the client says cannot be trusted any more.
    Unclear,
    /// The match has to be looked at again: what was sent may not be kept.
    ComeAgain,
    /// The server stops.
    Stopping,
    /// The session has ended.
    SignedOut,
}

impl Farewell {
    /// The WebSocket close code and the reason people read.
    pub(crate) fn words(self) -> (u16, &'static str) {
        match self {
            Farewell::TooSlow => (1008, "you do not read what is sent to you"),
            Farewell::TooMuch => (1008, "you send too much"),
            Farewell::Unclear => (1008, "too many frames that cannot be read"),
            Farewell::ComeAgain => (1013, "connect again, and send what was not acknowledged once more"),
            Farewell::Stopping => (1001, "the server stops"),
            Farewell::SignedOut => (1008, "the session has ended"),
        }
    }
}

/// The way to one connection.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    /// Tells connections apart.
    pub(crate) id: u64,
    frames: mpsc::Sender<Utf8Bytes>,
    farewell: Arc<watch::Sender<Option<Farewell>>>,
}

/// The other end of it.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) frames: mpsc::Receiver<Utf8Bytes>,
    pub(crate) farewell: watch::Receiver<Option<Farewell>>,
}

impl Outbox {
    pub(crate) fn new() -> (Outbox, Inbox) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (frames, waiting) = mpsc::channel(MAX_WAITING);
        let (farewell, heard) = watch::channel(None);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        (Outbox { id, frames, farewell: Arc::new(farewell) }, Inbox { frames: waiting, farewell: heard })
    }

    /// Queues a frame. A connection whose queue is full is ended.
    pub(crate) fn send(&self, frame: impl Into<Utf8Bytes>) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.frames.try_send(frame.into()) {
            metrics::counter!("intermezzo_slow_connections_total").increment(1);
            self.end(Farewell::TooSlow);
        }
    }

    /// Whether the connection is no more.
    pub(crate) fn is_closed(&self) -> bool {
        self.frames.is_closed()
    }

    /// Ends the connection.
    pub(crate) fn end(&self, farewell: Farewell) {
        self.farewell.send_if_modified(|before| {
            let is_first = before.is_none();
            before.get_or_insert(farewell);
            is_first
        });
    }
}
