//! The ceiling: a minimal server around the hand-written duel, with every move durable before its ack.
//!
//! One single-threaded runtime per core, all listening on the same port; small
//! WebSocket buffers; one [`MoveJournal`] for all. Clients are not authenticated
//! and nothing else is stored: an upper bound for the speed of real servers.
//!
//! In: `{"layout":7}`. Out: `{"seated":0}`, `{"ack":1}`, `{"round":1,"hp":[10,8]}`.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path as UrlPath, State};
use axum::response::Response;
use axum::routing::any;
use axum::serve::ListenerExt;
use futures_util::{SinkExt, StreamExt};
use intermezzo_benches::twins::duel::{Duel, DuelMove};
use intermezzo_benches::twins::mulberry::Mulberry;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::journal::{JournalEntry, MoveJournal};

/// The buffer size of each end of a WebSocket; the library's default is 128 KiB.
pub(crate) const BUFFER_BYTES: usize = 4 << 10;

const BACKLOG: u32 = 4096;

/// A text for one seat.
pub(crate) struct OutgoingText {
    /// The runtime of that seat's connection.
    pub(crate) runtime: usize,
    pub(crate) connection: UnboundedSender<Utf8Bytes>,
    pub(crate) text: Utf8Bytes,
}

/// Serves duels until the process ends.
pub(crate) fn serve(address: SocketAddr, journal: &Path) -> io::Result<()> {
    let cores = std::thread::available_parallelism()?.get();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..cores).map(|_| unbounded_channel()).unzip();
    let journal = MoveJournal::open(journal, senders)?;
    let matches = Arc::new(Mutex::new(HashMap::new()));
    let runtimes: Vec<_> = receivers
        .into_iter()
        .enumerate()
        .map(|(runtime, batches)| {
            let state = CeilingState { runtime, matches: Arc::clone(&matches), journal: journal.clone() };
            std::thread::spawn(move || run_one(address, state, batches))
        })
        .collect();
    for runtime in runtimes {
        runtime.join().map_err(|_| io::Error::other("a runtime of the ceiling panicked"))??;
    }
    Ok(())
}

fn run_one(
    address: SocketAddr,
    state: CeilingState,
    batches: UnboundedReceiver<Vec<OutgoingText>>,
) -> io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        tokio::spawn(deliver(batches));
        let listener = listener(address)?.tap_io(|stream| {
            // Without it an ack may wait for the previous one. If it fails, the socket is only slower.
            let _ = stream.set_nodelay(true);
        });
        let routes = Router::new().route("/play/{match}/{seat}", any(upgrade)).with_state(state);
        axum::serve(listener, routes).await
    })
}

/// Opens a listener that shares its port with those of the other runtimes.
fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Delivers batches of texts to the connections. It runs inside the runtime, so the journal wakes the runtime only once
/// per batch.
async fn deliver(mut batches: UnboundedReceiver<Vec<OutgoingText>>) {
    while let Some(batch) = batches.recv().await {
        for outgoing in batch {
            // A closed connection is ignored.
            let _ = outgoing.connection.send(outgoing.text);
        }
    }
}

/// The state that the connections of one runtime share.
#[derive(Clone)]
struct CeilingState {
    runtime: usize,
    matches: Arc<Mutex<HashMap<u32, Arc<Mutex<CeilingMatch>>>>>,
    journal: MoveJournal,
}

/// One match: the current duel and its connections.
struct CeilingMatch {
    number: u32,
    duel: Duel,
    /// Layouts of the current round.
    layouts: [Option<DuelMove>; 2],
    /// Layouts accepted since the start.
    accepted: [u32; 2],
    rounds: u32,
    /// Each seat's runtime and connection.
    seats: [Option<(usize, UnboundedSender<Utf8Bytes>)>; 2],
}

#[derive(serde::Deserialize)]
struct LayoutMessage {
    layout: u32,
}

async fn upgrade(
    State(state): State<CeilingState>,
    UrlPath((number, seat)): UrlPath<(u32, u8)>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES);
    upgrade.on_upgrade(move |socket| run_connection(state, number, usize::from(seat % 2), socket))
}

async fn run_connection(state: CeilingState, number: u32, seat: usize, socket: WebSocket) {
    let (connection, mut texts) = unbounded_channel();
    let current = state.find_match(number);
    if connection.send(format!(r#"{{"seated":{seat}}}"#).into()).is_err() {
        return;
    }
    lock(&current).seats[seat] = Some((state.runtime, connection));
    let (mut out, mut incoming) = socket.split();
    loop {
        tokio::select! {
            message = incoming.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Some(entry) = lock(&current).submit(seat, &text) {
                        state.journal.push(entry);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            Some(text) = texts.recv() => {
                let mut sent = out.feed(Message::Text(text)).await;
                while let Ok(text) = texts.try_recv() {
                    sent = sent.and(out.feed(Message::Text(text)).await);
                }
                if sent.and(out.flush().await).is_err() {
                    return;
                }
            }
        }
    }
}

impl CeilingState {
    /// Returns the match with this number, and creates it on first use.
    fn find_match(&self, number: u32) -> Arc<Mutex<CeilingMatch>> {
        let mut matches = lock(&self.matches);
        Arc::clone(matches.entry(number).or_insert_with(|| Arc::new(Mutex::new(CeilingMatch::new(number)))))
    }
}

impl CeilingMatch {
    fn new(number: u32) -> CeilingMatch {
        CeilingMatch {
            number,
            duel: new_duel(),
            layouts: [None; 2],
            accepted: [0; 2],
            rounds: 0,
            seats: [None, None],
        }
    }

    /// Accepts a layout. Returns `None` if it is invalid or the seat has already confirmed one.
    fn submit(&mut self, seat: usize, text: &str) -> Option<JournalEntry> {
        let layout = serde_json::from_str::<LayoutMessage>(text).ok()?.layout;
        if layout >= self.duel.legal_move_count() || self.layouts[seat].is_some() {
            return None;
        }
        self.layouts[seat] = Some(DuelMove::at(layout));
        self.accepted[seat] += 1;
        let mut outgoing = Vec::with_capacity(3);
        self.queue_text(seat, &format!(r#"{{"ack":{}}}"#, self.accepted[seat]), &mut outgoing);
        if let [Some(first), Some(second)] = self.layouts {
            self.layouts = [None; 2];
            self.reveal(first, second, &mut outgoing);
        }
        Some(JournalEntry { record: self.record(seat, layout), outgoing })
    }

    fn reveal(&mut self, first: DuelMove, second: DuelMove, outgoing: &mut Vec<OutgoingText>) {
        self.duel.apply(first);
        self.duel.apply(second);
        self.rounds += 1;
        let [mine, theirs] = self.duel.hp();
        let text = format!(r#"{{"round":{},"hp":[{mine},{theirs}]}}"#, self.rounds);
        self.queue_text(0, &text, outgoing);
        self.queue_text(1, &text, outgoing);
        if self.duel.is_over() {
            self.duel = new_duel();
        }
    }

    fn queue_text(&self, seat: usize, text: &str, outgoing: &mut Vec<OutgoingText>) {
        if let Some((runtime, connection)) = &self.seats[seat] {
            outgoing.push(OutgoingText {
                runtime: *runtime,
                connection: connection.clone(),
                text: text.into(),
            });
        }
    }

    fn record(&self, seat: usize, layout: u32) -> [u8; 16] {
        let words = [self.number, seat as u32, layout, self.accepted[seat]];
        let mut record = [0; 16];
        for (bytes, word) in record.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        record
    }
}

fn new_duel() -> Duel {
    Duel::new(&mut Mulberry::new(0))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seated_match() -> (CeilingMatch, [UnboundedReceiver<Utf8Bytes>; 2]) {
        let mut current = CeilingMatch::new(7);
        let receivers = [0, 1].map(|seat| {
            let (connection, texts) = unbounded_channel();
            current.seats[seat] = Some((0, connection));
            texts
        });
        (current, receivers)
    }

    fn texts(entry: &JournalEntry) -> Vec<&str> {
        entry.outgoing.iter().map(|outgoing| outgoing.text.as_str()).collect()
    }

    #[test]
    fn the_second_layout_reveals_the_round_to_both_seats() {
        let (mut current, _receivers) = seated_match();
        let first = current.submit(1, r#"{"layout":0}"#).expect("the layout is accepted");
        assert_eq!(texts(&first), [r#"{"ack":1}"#]);
        let second = current.submit(0, r#"{"layout":0}"#).expect("the layout is accepted");
        let round = r#"{"round":1,"hp":[9,9]}"#;
        assert_eq!(texts(&second), [r#"{"ack":1}"#, round, round]);
    }

    #[test]
    fn a_seat_submits_one_valid_layout_per_round() {
        let (mut current, _receivers) = seated_match();
        assert!(current.submit(0, r#"{"layout":24}"#).is_none());
        assert!(current.submit(0, "nonsense").is_none());
        assert!(current.submit(0, r#"{"layout":23}"#).is_some());
        assert!(current.submit(0, r#"{"layout":23}"#).is_none());
    }
}
