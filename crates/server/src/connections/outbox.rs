//! The outgoing side of one connection: a bounded queue of frames. Clients that do not read are disconnected.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Limit of queued frames per connection.
const MAX_QUEUED: usize = 512;
/// Limit of queued bytes per connection; one frame may be larger.
const MAX_BYTES: usize = 8 << 20;
/// Bytes in the queues of all connections from which on frames larger than [`SMALL_BYTES`] find no place.
const MAX_BYTES_IN_ALL: usize = 256 << 20;
const SMALL_BYTES: usize = 64 << 10;

/// Bytes in the queues of all connections.
static BYTES_IN_ALL: AtomicUsize = AtomicUsize::new(0);

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
    _counted: QueuedBytes,
}

/// Bytes that count as queued until this is dropped.
#[derive(Debug)]
struct QueuedBytes {
    queued: Arc<AtomicUsize>,
    size: usize,
}

impl QueuedBytes {
    /// Counts a frame. Returns `None` if the queues have no place for it.
    fn new(queued: &Arc<AtomicUsize>, size: usize) -> Option<QueuedBytes> {
        let before = queued.fetch_add(size, Ordering::Relaxed);
        let all = BYTES_IN_ALL.fetch_add(size, Ordering::Relaxed) + size;
        let counted = QueuedBytes { queued: Arc::clone(queued), size };
        let is_too_much = before > 0 && before + size > MAX_BYTES;
        (!is_too_much && (size <= SMALL_BYTES || all <= MAX_BYTES_IN_ALL)).then_some(counted)
    }
}

impl Drop for QueuedBytes {
    fn drop(&mut self) {
        self.queued.fetch_sub(self.size, Ordering::Relaxed);
        BYTES_IN_ALL.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// Time after a client has received a question in which nobody can have read and answered it.
pub(crate) const REACTION_TIME: Duration = Duration::from_millis(500);

/// A question sent on a connection.
#[derive(Debug)]
struct SentQuestion {
    /// Its number in the match.
    number: u32,
    /// Name of the message that asks it.
    message: String,
    sent_at: Instant,
    /// Time at which the client answered the ping before it.
    seen_at: Option<Instant>,
    is_answered: bool,
    /// True if the client never answered the previous question that the same message asks. Such an answer may still be
    /// on its way.
    follows_unanswered: bool,
}

/// Questions sent on a connection.
///
/// Pings carry only the place in this list: numbers in the match would tell the client how often others are asked.
#[derive(Debug, Default)]
struct SentQuestions(Vec<SentQuestion>);

impl SentQuestions {
    fn push(&mut self, number: u32, message: &str) {
        let before = self.0.iter().rev().find(|sent| sent.message == message);
        let sent = SentQuestion {
            number,
            message: message.to_owned(),
            sent_at: Instant::now(),
            seen_at: None,
            is_answered: false,
            follows_unanswered: before.is_some_and(|before| !before.is_answered),
        };
        let sent = match before.filter(|before| before.number == number) {
            // Only its deadline has changed.
            Some(before) => SentQuestion {
                sent_at: before.sent_at,
                seen_at: before.seen_at,
                follows_unanswered: before.follows_unanswered,
                ..sent
            },
            None => sent,
        };
        self.0.push(sent);
    }
}

/// The knowledge of a client when it sent a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenQuestions {
    /// The last question that it had received for certain; `None` if it has answered no ping yet.
    pub(crate) last: Option<u32>,
    /// Questions whose answers may be late answers to the one before.
    pub(crate) doubtful: Vec<u32>,
}

/// The sending end of a connection's queue.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    /// Unique id of the connection.
    pub(crate) id: u64,
    frames: mpsc::Sender<QueuedFrame>,
    /// Bytes in the queue.
    queued: Arc<AtomicUsize>,
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
            Outbox {
                id,
                frames,
                queued: Arc::default(),
                questions: Arc::default(),
                close_reason: Arc::new(close_reason),
            },
            Inbox { frames: queued, close_reason: receiver },
        )
    }

    /// Queues a frame. Closes the connection if the queue is full.
    pub(crate) fn send(&self, frame: impl Into<Utf8Bytes>) {
        self.enqueue(frame.into(), None);
    }

    /// Queues a frame in which that message asks a question.
    ///
    /// A ping goes out just before it. Clients answer pings in order, so a message that arrives before the answer was
    /// sent before the client had the question.
    pub(crate) fn send_question(&self, frame: Utf8Bytes, message: &str, question: u32) {
        let mut sent = self.questions();
        sent.push(question, message);
        let ping = u32::try_from(sent.0.len() - 1).ok();
        drop(sent);
        self.enqueue(frame, ping);
    }

    /// Notes that the client has answered a ping.
    pub(crate) fn note_pong(&self, payload: &[u8]) {
        let place = payload.try_into().ok().and_then(|place| usize::try_from(u32::from_be_bytes(place)).ok());
        let mut sent = self.questions();
        if let Some(sent) = place.and_then(|place| sent.0.get_mut(place)) {
            sent.seen_at.get_or_insert_with(Instant::now);
        }
    }

    /// Notes that the client has answered a question.
    pub(crate) fn note_answer(&self, question: u32) {
        let mut sent = self.questions();
        sent.0.iter_mut().filter(|sent| sent.number == question).for_each(|sent| sent.is_answered = true);
    }

    /// Returns what the client knows now.
    pub(crate) fn seen_questions(&self) -> SeenQuestions {
        let sent = &self.questions().0;
        let last = sent.iter().rposition(|sent| sent.seen_at.is_some());
        let is_doubtful = |sent: &&SentQuestion| {
            let since = if last.is_some() { sent.seen_at } else { Some(sent.sent_at) };
            sent.follows_unanswered && since.is_none_or(|since| since.elapsed() < REACTION_TIME)
        };
        SeenQuestions {
            last: last.and_then(|last| sent.get(last)).map(|sent| sent.number),
            doubtful: sent.iter().filter(is_doubtful).map(|sent| sent.number).collect(),
        }
    }

    fn questions(&self) -> MutexGuard<'_, SentQuestions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, text: Utf8Bytes, ping: Option<u32>) {
        let counted = QueuedBytes::new(&self.queued, text.len());
        let sent = counted.map(|_counted| self.frames.try_send(QueuedFrame { text, ping, _counted }));
        if matches!(sent, None | Some(Err(mpsc::error::TrySendError::Full(_)))) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queued_bytes_are_limited() {
        let (outbox, mut inbox) = Outbox::new();
        let is_closed = |inbox: &Inbox| inbox.close_reason.borrow().is_some();
        outbox.send("x".repeat(MAX_BYTES + 1));
        assert!(!is_closed(&inbox), "one frame may be larger");
        inbox.frames.try_recv().unwrap();
        for _ in 0..4 {
            outbox.send("x".repeat(MAX_BYTES / 4));
        }
        assert!(!is_closed(&inbox));
        outbox.send("x");
        assert_eq!(*inbox.close_reason.borrow(), Some(CloseReason::TooSlow));
        drop((outbox, inbox));
        let connections: Vec<_> = (0..40).map(|_| Outbox::new()).collect();
        connections.iter().for_each(|(outbox, _)| outbox.send("x".repeat(MAX_BYTES)));
        let closed = connections.iter().filter(|(_, inbox)| inbox.close_reason.borrow().is_some()).count();
        assert!(closed >= 40 - MAX_BYTES_IN_ALL / MAX_BYTES, "{closed}");
        let (outbox, inbox) = Outbox::new();
        outbox.send("a short frame");
        assert!(inbox.close_reason.borrow().is_none());
    }
}
