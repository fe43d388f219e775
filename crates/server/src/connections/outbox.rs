//! The outgoing side of one connection: a bounded queue of frames. Clients that do not read are disconnected.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{mpsc, watch};

/// Limit of queued frames per connection.
const MAX_QUEUED: usize = 512;

/// The reason why the server closes a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CloseReason {
    /// The client does not read fast enough.
    TooSlow,
    /// The client sends too many frames.
    RateLimited,
    /// The client has sent too many invalid frames.
    TooManyBadFrames,
    /// A frame is too large.
    TooLarge,
    /// A frame breaks the WebSocket protocol.
    BrokenFrame,
    /// A text frame is not UTF-8.
    NotUtf8,
    /// The client did not send `hello` in time.
    NoHello,
    /// The match must be loaded again; commands without acknowledgement may be lost.
    Reconnect,
    /// The server stops.
    Stopping,
    /// The login session has ended.
    SignedOut,
}

impl CloseReason {
    /// Returns the WebSocket close code and reason.
    pub(crate) fn code_and_text(self) -> (u16, &'static str) {
        match self {
            CloseReason::TooSlow => (1008, "client reads too slowly"),
            CloseReason::RateLimited => (1008, "rate limit exceeded"),
            CloseReason::TooManyBadFrames => (1008, "too many invalid frames"),
            CloseReason::TooLarge => (1009, "frame too large"),
            CloseReason::BrokenFrame => (1002, "frame breaks the WebSocket protocol"),
            CloseReason::NotUtf8 => (1007, "text frame is not UTF-8"),
            CloseReason::NoHello => (1008, "no `hello` received in time"),
            CloseReason::Reconnect => (1013, "reconnect and resend commands that were not acknowledged"),
            CloseReason::Stopping => (1001, "the server is shutting down"),
            CloseReason::SignedOut => (1008, "the login session has ended"),
        }
    }
}

/// A frame in a connection's queue.
#[derive(Debug)]
pub(crate) struct QueuedFrame {
    pub(crate) text: Utf8Bytes,
    /// Payload of the ping that goes out just before the frame, if it asks a question.
    pub(crate) ping: Option<u32>,
}

/// Questions sent on a connection.
#[derive(Debug, Default)]
struct SentQuestions {
    /// Their numbers in the match. Pings carry only the place in this list: numbers in the match would tell the client how
    /// often others are asked.
    numbers: Vec<u32>,
    /// Place of the last one whose ping the client has answered.
    seen: Option<usize>,
}

/// The sending end of a connection's queue.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    /// Unique id of the connection.
    pub(crate) id: u64,
    frames: mpsc::Sender<QueuedFrame>,
    questions: Arc<Mutex<SentQuestions>>,
    close_reason: Arc<watch::Sender<Option<CloseReason>>>,
}

/// The receiving end of a connection's queue.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) frames: mpsc::Receiver<QueuedFrame>,
    pub(crate) close_reason: watch::Receiver<Option<CloseReason>>,
}

impl Outbox {
    pub(crate) fn new() -> (Outbox, Inbox) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (frames, queued) = mpsc::channel(MAX_QUEUED);
        let (close_reason, receiver) = watch::channel(None);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        (
            Outbox { id, frames, questions: Arc::default(), close_reason: Arc::new(close_reason) },
            Inbox { frames: queued, close_reason: receiver },
        )
    }

    /// Queues a frame. Closes the connection if the queue is full.
    pub(crate) fn send(&self, frame: impl Into<Utf8Bytes>) {
        self.enqueue(QueuedFrame { text: frame.into(), ping: None });
    }

    /// Queues a frame that asks a question.
    ///
    /// A ping goes out just before it. Clients answer pings in order, so a message that arrives before the answer was
    /// sent before the client had the question.
    pub(crate) fn send_question(&self, frame: Utf8Bytes, question: u32) {
        let mut sent = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        sent.numbers.push(question);
        let ping = u32::try_from(sent.numbers.len() - 1).ok();
        drop(sent);
        self.enqueue(QueuedFrame { text: frame, ping });
    }

    /// Notes that the client has answered a ping.
    pub(crate) fn note_pong(&self, payload: &[u8]) {
        let place = payload.try_into().ok().and_then(|place| usize::try_from(u32::from_be_bytes(place)).ok());
        let mut sent = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some_and(|place| place < sent.numbers.len()) {
            sent.seen = sent.seen.max(place);
        }
    }

    /// Returns the last question that the client has received for certain; `None` if it has answered no ping yet.
    pub(crate) fn seen_question(&self) -> Option<u32> {
        let sent = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        sent.seen.and_then(|place| sent.numbers.get(place).copied())
    }

    fn enqueue(&self, frame: QueuedFrame) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.frames.try_send(frame) {
            metrics::counter!("intermezzo_slow_connections_total").increment(1);
            self.close(CloseReason::TooSlow);
        }
    }

    /// Returns true if the connection is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.frames.is_closed()
    }

    /// Closes the connection. The first reason wins.
    pub(crate) fn close(&self, close_reason: CloseReason) {
        self.close_reason.send_if_modified(|before| {
            let is_first = before.is_none();
            before.get_or_insert(close_reason);
            is_first
        });
    }
}
