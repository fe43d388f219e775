//! The ceiling: as little server as there can be around the hand-written duel, with every move durable before its ack.
//!
//! One single-threaded runtime for each core, all of them listening on the same
//! port; small WebSocket buffers; one [`Journal`] for all. Nobody is asked who
//! they are and nothing else is kept, so no server that does more can be faster.
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
use intermezzo_benches::twins::duel::{Duel, Move};
use intermezzo_benches::twins::mulberry::Mulberry;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::journal::{Entry, Journal};

/// How much each end of a WebSocket buffers; its library takes 128 KiB unless told otherwise.
pub(crate) const BUFFER_BYTES: usize = 4 << 10;

const BACKLOG: u32 = 4096;

/// Something to tell one seat.
pub(crate) struct News {
    /// The runtime that seat's connection lives on.
    pub(crate) runtime: usize,
    pub(crate) line: UnboundedSender<Utf8Bytes>,
    pub(crate) text: Utf8Bytes,
}

/// Serves duels until the process is ended.
pub(crate) fn serve(address: SocketAddr, journal: &Path) -> io::Result<()> {
    let cores = std::thread::available_parallelism()?.get();
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..cores).map(|_| unbounded_channel()).unzip();
    let journal = Journal::open(journal, senders)?;
    let matches = Arc::new(Mutex::new(HashMap::new()));
    let runtimes: Vec<_> = receivers
        .into_iter()
        .enumerate()
        .map(|(runtime, news)| {
            let hall = Hall { runtime, matches: Arc::clone(&matches), journal: journal.clone() };
            std::thread::spawn(move || run_one(address, hall, news))
        })
        .collect();
    for runtime in runtimes {
        runtime.join().map_err(|_| io::Error::other("a runtime of the ceiling panicked"))??;
    }
    Ok(())
}

fn run_one(address: SocketAddr, hall: Hall, news: UnboundedReceiver<Vec<News>>) -> io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        tokio::spawn(pass_on(news));
        let listener = listener(address)?.tap_io(|stream| {
            // Without it an ack may wait for the one before it; a socket that refuses is only slower.
            let _ = stream.set_nodelay(true);
        });
        let routes = Router::new().route("/play/{match}/{seat}", any(upgrade)).with_state(hall);
        axum::serve(listener, routes).await
    })
}

/// A listener that shares its port with those of the other runtimes.
fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Hands the news of a batch to the connections. From within the runtime: the journal wakes it once for all of them.
async fn pass_on(mut batches: UnboundedReceiver<Vec<News>>) {
    while let Some(batch) = batches.recv().await {
        for news in batch {
            // Whoever has left is not told.
            let _ = news.line.send(news.text);
        }
    }
}

/// What the connections of one runtime know.
#[derive(Clone)]
struct Hall {
    runtime: usize,
    matches: Arc<Mutex<HashMap<u32, Arc<Mutex<Table>>>>>,
    journal: Journal,
}

/// One match: the duel under way and who sits at it.
struct Table {
    number: u32,
    duel: Duel,
    laid: [Option<Move>; 2],
    accepted: [u32; 2],
    rounds: u32,
    seats: [Option<(usize, UnboundedSender<Utf8Bytes>)>; 2],
}

#[derive(serde::Deserialize)]
struct Lay {
    layout: u32,
}

async fn upgrade(
    State(hall): State<Hall>,
    UrlPath((number, seat)): UrlPath<(u32, u8)>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = upgrade.read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES);
    upgrade.on_upgrade(move |socket| connection(hall, number, usize::from(seat % 2), socket))
}

async fn connection(hall: Hall, number: u32, seat: usize, socket: WebSocket) {
    let (line, mut news) = unbounded_channel();
    let table = hall.table(number);
    if line.send(format!(r#"{{"seated":{seat}}}"#).into()).is_err() {
        return;
    }
    locked(&table).seats[seat] = Some((hall.runtime, line));
    let (mut out, mut incoming) = socket.split();
    loop {
        tokio::select! {
            heard = incoming.next() => match heard {
                Some(Ok(Message::Text(text))) => {
                    if let Some(entry) = locked(&table).lay(seat, &text) {
                        hall.journal.push(entry);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            Some(text) = news.recv() => {
                let mut sent = out.feed(Message::Text(text)).await;
                while let Ok(text) = news.try_recv() {
                    sent = sent.and(out.feed(Message::Text(text)).await);
                }
                if sent.and(out.flush().await).is_err() {
                    return;
                }
            }
        }
    }
}

impl Hall {
    fn table(&self, number: u32) -> Arc<Mutex<Table>> {
        let mut matches = locked(&self.matches);
        Arc::clone(matches.entry(number).or_insert_with(|| Arc::new(Mutex::new(Table::new(number)))))
    }
}

impl Table {
    fn new(number: u32) -> Table {
        Table { number, duel: fresh(), laid: [None; 2], accepted: [0; 2], rounds: 0, seats: [None, None] }
    }

    /// Takes a layout. Nothing if it cannot be taken now, or is none.
    fn lay(&mut self, seat: usize, text: &str) -> Option<Entry> {
        let layout = serde_json::from_str::<Lay>(text).ok()?.layout;
        if layout >= self.duel.legal_move_count() || self.laid[seat].is_some() {
            return None;
        }
        self.laid[seat] = Some(Move::at(layout));
        self.accepted[seat] += 1;
        let mut news = Vec::with_capacity(3);
        self.tell(seat, &format!(r#"{{"ack":{}}}"#, self.accepted[seat]), &mut news);
        if let [Some(first), Some(second)] = self.laid {
            self.laid = [None; 2];
            self.reveal(first, second, &mut news);
        }
        Some(Entry { record: self.record(seat, layout), news })
    }

    fn reveal(&mut self, first: Move, second: Move, news: &mut Vec<News>) {
        self.duel.apply(first);
        self.duel.apply(second);
        self.rounds += 1;
        let [mine, theirs] = self.duel.hp();
        let text = format!(r#"{{"round":{},"hp":[{mine},{theirs}]}}"#, self.rounds);
        self.tell(0, &text, news);
        self.tell(1, &text, news);
        if self.duel.is_over() {
            self.duel = fresh();
        }
    }

    fn tell(&self, seat: usize, text: &str, news: &mut Vec<News>) {
        if let Some((runtime, line)) = &self.seats[seat] {
            news.push(News { runtime: *runtime, line: line.clone(), text: text.into() });
        }
    }

    fn record(&self, seat: usize, layout: u32) -> [u8; 16] {
        let words = [self.number, seat as u32, layout, self.accepted[seat]];
        let mut record = [0; 16];
        for (place, word) in record.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        record
    }
}

fn fresh() -> Duel {
    Duel::new(&mut Mulberry::new(0))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (Table, [UnboundedReceiver<Utf8Bytes>; 2]) {
        let mut table = Table::new(7);
        let lines = [0, 1].map(|seat| {
            let (line, news) = unbounded_channel();
            table.seats[seat] = Some((0, line));
            news
        });
        (table, lines)
    }

    fn told(entry: &Entry) -> Vec<&str> {
        entry.news.iter().map(|news| news.text.as_str()).collect()
    }

    #[test]
    fn the_second_layout_tells_both_seats_the_round() {
        let (mut table, _lines) = table();
        let first = table.lay(1, r#"{"layout":0}"#).expect("it is free");
        assert_eq!(told(&first), [r#"{"ack":1}"#]);
        let second = table.lay(0, r#"{"layout":0}"#).expect("it is free");
        let round = r#"{"round":1,"hp":[9,9]}"#;
        assert_eq!(told(&second), [r#"{"ack":1}"#, round, round]);
    }

    #[test]
    fn a_seat_lays_out_once_a_round_and_only_what_there_is() {
        let (mut table, _lines) = table();
        assert!(table.lay(0, r#"{"layout":24}"#).is_none());
        assert!(table.lay(0, "nonsense").is_none());
        assert!(table.lay(0, r#"{"layout":23}"#).is_some());
        assert!(table.lay(0, r#"{"layout":23}"#).is_none());
    }
}
