//! The outgoing side of one connection: a bounded queue of frames. Clients that do not read are disconnected.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Limit of queued frames per connection.
const MAX_QUEUED: usize = 512;
/// Limit of queued bytes per connection; one frame may be larger.
const MAX_BYTES: usize = 8 << 20;
/// Bytes in the queues of all connections from which on frames larger than [`SMALL_BYTES`] find no place.
const MAX_BYTES_IN_ALL: usize = 256 << 20;
const SMALL_BYTES: usize = 64 << 10;
/// Frames for which an idle connection keeps memory.
const IDLE_FRAMES: usize = 8;

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

/// Bytes that count as queued anywhere until this is dropped.
#[derive(Debug)]
struct QueuedBytes(usize);

impl QueuedBytes {
    /// Counts a frame. Returns `None` if the queues have no place for it.
    fn new(size: usize) -> Option<QueuedBytes> {
        let all = BYTES_IN_ALL.fetch_add(size, Ordering::Relaxed) + size;
        let counted = QueuedBytes(size);
        (size <= SMALL_BYTES || all <= MAX_BYTES_IN_ALL).then_some(counted)
    }
}

impl Drop for QueuedBytes {
    fn drop(&mut self) {
        BYTES_IN_ALL.fetch_sub(self.0, Ordering::Relaxed);
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

/// The queue of a connection. One allocation, because connections are many and most of them idle.
#[derive(Debug, Default)]
struct FrameQueue {
    frames: VecDeque<QueuedFrame>,
    /// Bytes of those frames.
    bytes: usize,
    close_reason: Option<CloseReason>,
    /// True once nobody sends any more.
    has_no_sender: bool,
    /// True once nobody receives any more.
    is_closed: bool,
    receiver: Option<Waker>,
    /// Only of connections with custom messages.
    questions: Option<Box<SentQuestions>>,
}

type SharedQueue = Arc<Mutex<FrameQueue>>;

fn lock(queue: &SharedQueue) -> MutexGuard<'_, FrameQueue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes a queue, and wakes its receiver.
fn change_and_wake(queue: &SharedQueue, change: impl FnOnce(&mut FrameQueue)) {
    let mut state = lock(queue);
    change(&mut state);
    let receiver = state.receiver.take();
    drop(state);
    if let Some(receiver) = receiver {
        receiver.wake();
    }
}

/// The sending end of a connection's queue.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    /// Unique id of the connection.
    pub(crate) id: u64,
    sender: Arc<QueueSender>,
}

/// Tells the receiver when the last outbox is dropped.
#[derive(Debug)]
struct QueueSender(SharedQueue);

impl Drop for QueueSender {
    fn drop(&mut self) {
        change_and_wake(&self.0, |queue| queue.has_no_sender = true);
    }
}

/// The receiving end of a connection's queue.
#[derive(Debug)]
pub(crate) struct Inbox(SharedQueue);

/// An item of a connection's queue.
#[derive(Debug)]
pub(crate) enum InboxItem {
    /// The next frame.
    Frame(QueuedFrame),
    /// The end, after all frames: the server closes the connection for a reason, or nothing sends any more.
    End(Option<CloseReason>),
}

impl Outbox {
    pub(crate) fn new() -> (Outbox, Inbox) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let queue = SharedQueue::default();
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        (Outbox { id, sender: Arc::new(QueueSender(Arc::clone(&queue))) }, Inbox(queue))
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
        let ping = self.with_questions(|sent| {
            sent.push(question, message);
            u32::try_from(sent.0.len() - 1).ok()
        });
        self.enqueue(frame, ping);
    }

    /// Notes that the client has answered a ping.
    pub(crate) fn note_pong(&self, payload: &[u8]) {
        let place = payload.try_into().ok().and_then(|place| usize::try_from(u32::from_be_bytes(place)).ok());
        let Some(place) = place else { return };
        self.with_questions(|sent| {
            if let Some(sent) = sent.0.get_mut(place) {
                sent.seen_at.get_or_insert_with(Instant::now);
            }
        });
    }

    /// Notes that the client has answered a question.
    pub(crate) fn note_answer(&self, question: u32) {
        self.with_questions(|sent| {
            sent.0.iter_mut().filter(|sent| sent.number == question).for_each(|sent| sent.is_answered = true);
        });
    }

    /// Returns what the client knows now.
    pub(crate) fn seen_questions(&self) -> SeenQuestions {
        self.with_questions(|sent| {
            let sent = &sent.0;
            let last = sent.iter().rposition(|sent| sent.seen_at.is_some());
            let is_doubtful = |sent: &&SentQuestion| {
                let since = if last.is_some() { sent.seen_at } else { Some(sent.sent_at) };
                sent.follows_unanswered && since.is_none_or(|since| since.elapsed() < REACTION_TIME)
            };
            SeenQuestions {
                last: last.and_then(|last| sent.get(last)).map(|sent| sent.number),
                doubtful: sent.iter().filter(is_doubtful).map(|sent| sent.number).collect(),
            }
        })
    }

    fn with_questions<T>(&self, work: impl FnOnce(&mut SentQuestions) -> T) -> T {
        work(lock(&self.sender.0).questions.get_or_insert_default())
    }

    fn enqueue(&self, text: Utf8Bytes, ping: Option<u32>) {
        let size = text.len();
        let counted = QueuedBytes::new(size);
        let mut is_full = counted.is_none();
        change_and_wake(&self.sender.0, |queue| {
            let is_too_much = queue.bytes > 0 && queue.bytes + size > MAX_BYTES;
            is_full |= is_too_much || queue.frames.len() >= MAX_QUEUED;
            if let (Some(_counted), false, false) = (counted, is_full, queue.is_closed) {
                queue.bytes += size;
                queue.frames.push_back(QueuedFrame { text, ping, _counted });
            }
        });
        if is_full {
            metrics::counter!("intermezzo_slow_connections_total").increment(1);
            self.close(CloseReason::TooSlow);
        }
    }

    /// Returns true if the connection is gone.
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.sender.0).is_closed
    }

    /// Closes the connection. The first reason wins.
    pub(crate) fn close(&self, close_reason: CloseReason) {
        change_and_wake(&self.sender.0, |queue| {
            queue.close_reason.get_or_insert(close_reason);
        });
    }
}

impl Inbox {
    /// Waits for the next item.
    pub(crate) async fn next(&mut self) -> InboxItem {
        poll_fn(|context| self.poll_next(context)).await
    }

    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<InboxItem> {
        let mut queue = lock(&self.0);
        match queue.take_next() {
            Some(item) => Poll::Ready(item),
            None => {
                queue.wait(context);
                Poll::Pending
            }
        }
    }

    /// Returns a frame that is queued already.
    pub(crate) fn try_next(&mut self) -> Option<QueuedFrame> {
        lock(&self.0).take_frame()
    }

    /// Waits until the server closes the connection, whatever is still queued.
    pub(crate) async fn closed_by_server(&self) {
        poll_fn(|context| {
            let mut queue = lock(&self.0);
            if queue.close_reason.is_some() {
                return Poll::Ready(());
            }
            queue.wait(context);
            Poll::Pending
        })
        .await;
    }

    /// Returns the reason why the server closes the connection, if it does.
    pub(crate) fn close_reason(&self) -> Option<CloseReason> {
        lock(&self.0).close_reason
    }

    /// Accepts no more frames, so that senders see that the connection is gone.
    pub(crate) fn close(&mut self) {
        let mut queue = lock(&self.0);
        queue.is_closed = true;
        queue.bytes = 0;
        queue.frames = VecDeque::new();
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.close();
    }
}

impl FrameQueue {
    fn take_frame(&mut self) -> Option<QueuedFrame> {
        let frame = self.frames.pop_front()?;
        self.bytes -= frame.text.len();
        if self.frames.is_empty() && self.frames.capacity() > IDLE_FRAMES {
            self.frames = VecDeque::new();
        }
        Some(frame)
    }

    fn take_next(&mut self) -> Option<InboxItem> {
        if let Some(frame) = self.take_frame() {
            return Some(InboxItem::Frame(frame));
        }
        (self.close_reason.is_some() || self.has_no_sender).then_some(InboxItem::End(self.close_reason))
    }

    fn wait(&mut self, context: &Context<'_>) {
        if !self.receiver.as_ref().is_some_and(|known| known.will_wake(context.waker())) {
            self.receiver = Some(context.waker().clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queued_bytes_are_limited() {
        let (outbox, mut inbox) = Outbox::new();
        let is_closed = |inbox: &Inbox| inbox.close_reason().is_some();
        outbox.send("x".repeat(MAX_BYTES + 1));
        assert!(!is_closed(&inbox), "one frame may be larger");
        inbox.try_next().unwrap();
        for _ in 0..4 {
            outbox.send("x".repeat(MAX_BYTES / 4));
        }
        assert!(!is_closed(&inbox));
        outbox.send("x");
        assert_eq!(inbox.close_reason(), Some(CloseReason::TooSlow));
        drop((outbox, inbox));
        let connections: Vec<_> = (0..40).map(|_| Outbox::new()).collect();
        connections.iter().for_each(|(outbox, _)| outbox.send("x".repeat(MAX_BYTES)));
        let closed = connections.iter().filter(|(_, inbox)| is_closed(inbox)).count();
        assert!(closed >= 40 - MAX_BYTES_IN_ALL / MAX_BYTES, "{closed}");
        let (outbox, inbox) = Outbox::new();
        outbox.send("a short frame");
        assert!(!is_closed(&inbox));
    }

    #[test]
    fn queued_frames_come_before_the_end() {
        let (outbox, mut inbox) = Outbox::new();
        outbox.send("first");
        outbox.close(CloseReason::Stopping);
        outbox.close(CloseReason::TooSlow);
        let mut context = Context::from_waker(Waker::noop());
        let mut next = || match inbox.poll_next(&mut context) {
            Poll::Ready(InboxItem::Frame(frame)) => Some(frame.text.to_string()),
            Poll::Ready(InboxItem::End(Some(CloseReason::Stopping))) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!((next(), next()), (Some("first".to_owned()), None));
        drop(inbox);
        assert!(outbox.is_closed());
        outbox.send("nobody receives this");
    }

    #[test]
    fn a_queue_without_senders_ends() {
        let (outbox, mut inbox) = Outbox::new();
        let mut context = Context::from_waker(Waker::noop());
        let other = outbox.clone();
        drop(outbox);
        assert!(inbox.poll_next(&mut context).is_pending());
        drop(other);
        assert!(matches!(inbox.poll_next(&mut context), Poll::Ready(InboxItem::End(None))));
    }
}
