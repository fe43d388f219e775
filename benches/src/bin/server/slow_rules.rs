//! The time that others wait while a guest plays matches whose rules are as slow as the server allows.
//!
//! 100 duels are played at human pace, and a monitor asks for `/healthz`, while four matches of one guest run as fast
//! as they can. The guest and a second player follow each of them over WebSockets.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use intermezzo_benches::cpu_time::CpuTime;
use tokio_tungstenite::tungstenite::Message;

use crate::child::ServerUnderTest;
use crate::http::{self, JsonRequest};
use crate::load::{Load, new_histogram};
use crate::protocols::intermezzo::{self, Intermezzo};
use crate::protocols::{Protocol, ServerMessage};
use crate::socket::ConnectedSeat;
use crate::system::{SeatEndpoint, ServerKind};
use crate::{HUMAN_PACE, MATCHES, MEASURED, WARM_UP};

const SLOW_MATCHES: usize = 4;
/// Longest time that 99 % of the others may wait.
const LONGEST_P99: Duration = Duration::from_millis(20);
const HEALTH_INTERVAL: Duration = Duration::from_millis(5);
/// Legal rules that are slow to run and to show: 15,000 entities, and each answer moves 60 times, close to the limit of steps.
const SLOW_RULESET: &str = r#"ir: 1
ruleset: {id: slow, version: 1.0.0, name: Slow, description: Slow., uses: [core@1]}
players: {min: 2, max: 2, seats: 2}
outcomes: [done]
kinds: {token: {}}
zones: {pile: {visible: all, order: list}, heap: {visible: all, order: list}}
defs: {coin: {kind: token}}
setup: [{repeat: 15000, max: 15000, do: [{create: coin, in: pile}]}]
flow:
  - repeat: 100000
    max: 100000
    do:
      - {choose: x, by: "players[0]", from: "[1, 2]"}
      - {repeat: 30, max: 30, do: [{move: "pile[0]", to: heap}, {move: "heap[0]", to: pile}]}
  - {end: done}
"#;

/// Measures and prints the waiting times, first without the slow matches: they show how busy the machine is. Fails if others
/// wait too long.
pub(crate) fn report(threads: u32) -> io::Result<()> {
    let server = ServerUnderTest::start(ServerKind::Intermezzo)?;
    let slow_answers = Arc::new(SlowAnswers::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let load =
        Load { matches: MATCHES, pace: Some(HUMAN_PACE), warm_up: WARM_UP, measured: MEASURED, threads };
    println!("slow matches  who          requests    p50 ms    p99 ms    max ms  other load");
    measure(&runtime, &server, load)?.print(0);
    runtime.block_on(start_slow_matches(server.address, &slow_answers))?;
    let [sent_before, refused_before] = slow_answers.counts();
    let started = Instant::now();
    let waits = measure(&runtime, &server, load)?;
    let seconds = started.elapsed().as_secs_f64();
    let [sent, refused] = slow_answers.counts();
    let sent_per_s = (sent - sent_before) as f64 / seconds;
    let refused_per_s = (refused - refused_before) as f64 / seconds;
    waits.print(SLOW_MATCHES);
    println!("the slow matches: {sent_per_s:.1} answers a second, {refused_per_s:.1} refused");
    // The sockets of the slow matches are served until here.
    runtime.shutdown_background();
    if sent_per_s <= refused_per_s {
        return Err(io::Error::other("the slow matches did not play"));
    }
    if waits.longest_p99() >= LONGEST_P99 {
        return Err(io::Error::other(format!("the p99 must be below {} ms", LONGEST_P99.as_millis())));
    }
    Ok(())
}

/// The times that others wait, in microseconds.
struct Waits {
    answers: Histogram<u64>,
    health: Histogram<u64>,
    /// Percentage of the machine that neither server nor load used.
    other_load: f64,
}

fn measure(runtime: &tokio::runtime::Runtime, server: &ServerUnderTest, load: Load) -> io::Result<Waits> {
    let is_over = Arc::new(AtomicBool::new(false));
    let health = runtime.spawn(watch_health(server.address, Arc::clone(&is_over)));
    let processes = [std::process::id(), server.process()];
    let before = CpuTime::until_now(&processes)?;
    let played = load.play(ServerKind::Intermezzo, server.address)?;
    let other_load = CpuTime::until_now(&processes)?.by_others_since(&before);
    is_over.store(true, Ordering::Relaxed);
    let health = runtime.block_on(health).map_err(io::Error::other)??;
    Ok(Waits { answers: played.latencies_us, health, other_load })
}

impl Waits {
    fn print(&self, slow_matches: usize) {
        let other_load = self.other_load;
        for (name, waits) in [("answers", &self.answers), ("/healthz", &self.health)] {
            let ms = |us: u64| us as f64 / 1000.0;
            println!(
                "{slow_matches:12}  {name:10} {:10} {:9.2} {:9.2} {:9.2} {other_load:9.0} %",
                waits.len(),
                ms(waits.value_at_quantile(0.5)),
                ms(waits.value_at_quantile(0.99)),
                ms(waits.max()),
            );
        }
    }

    fn longest_p99(&self) -> Duration {
        let p99 = [&self.answers, &self.health].map(|waits| waits.value_at_quantile(0.99));
        Duration::from_micros(p99.into_iter().max().unwrap_or_default())
    }
}

/// Numbers of answers to slow matches.
#[derive(Default)]
struct SlowAnswers {
    sent: AtomicU64,
    refused: AtomicU64,
}

impl SlowAnswers {
    /// Returns how many were sent, and how many of them refused.
    fn counts(&self) -> [u64; 2] {
        [&self.sent, &self.refused].map(|count| count.load(Ordering::Relaxed))
    }
}

/// Publishes the slow rules and starts the matches; they play on the current runtime.
async fn start_slow_matches(server: SocketAddr, answers: &Arc<SlowAnswers>) -> io::Result<()> {
    let (host, guest) = (intermezzo::sign_in(server).await?, intermezzo::sign_in(server).await?);
    let body = serde_json::json!({"files": {"ruleset.yaml": SLOW_RULESET}}).to_string();
    let publish = JsonRequest { method: "POST", path: "/rulesets", token: Some(&host), body: &body };
    http::send(server, publish).await?;
    for _ in 0..SLOW_MATCHES {
        let seats = intermezzo::seat_players(server, [&host, &guest], r#"{"ruleset":"slow"}"#).await?;
        for seat in seats {
            let answers = Arc::clone(answers);
            let protocol = Box::new(SlowSeat { seat, answers: Arc::clone(&answers) });
            let endpoint = SeatEndpoint { path: "/ws".to_owned(), protocol };
            let mut socket = ConnectedSeat::connect(server, endpoint).await?;
            tokio::spawn(async move {
                while let Ok(message) = socket.receive().await {
                    if message.may_move {
                        socket.submit(0).await?;
                        answers.sent.fetch_add(1, Ordering::Relaxed);
                    }
                }
                io::Result::Ok(())
            });
        }
    }
    Ok(())
}

async fn watch_health(server: SocketAddr, is_over: Arc<AtomicBool>) -> io::Result<Histogram<u64>> {
    let mut waits = new_histogram();
    let measure_from = Instant::now() + WARM_UP;
    while !is_over.load(Ordering::Relaxed) {
        let sent = Instant::now();
        http::send(server, JsonRequest { method: "GET", path: "/healthz", token: None, body: "" }).await?;
        if sent >= measure_from {
            waits.saturating_record(sent.elapsed().as_micros() as u64);
        }
        tokio::time::sleep(HEALTH_INTERVAL).await;
    }
    Ok(waits)
}

/// A seat in a slow match. Only the first seat is ever asked.
struct SlowSeat {
    seat: Intermezzo,
    answers: Arc<SlowAnswers>,
}

impl Protocol for SlowSeat {
    fn subprotocol(&self) -> Option<&'static str> {
        self.seat.subprotocol()
    }

    fn greeting(&self) -> Option<Message> {
        self.seat.greeting()
    }

    fn submit(&mut self, _: u32) -> Message {
        self.seat.submit_answers("[1]")
    }

    fn interpret(&mut self, message: &Message) -> ServerMessage {
        let is_welcome = message.to_text().is_ok_and(|text| text.starts_with(r#"{"type":"welcome""#));
        let meaning = self.seat.interpret(message);
        // An answer whose rules take too long is refused, after its time: the guest tries again.
        let is_refused = meaning.refusal.is_some();
        self.answers.refused.fetch_add(u64::from(is_refused), Ordering::Relaxed);
        let may_move = meaning.may_move || is_refused;
        ServerMessage { is_seated: meaning.is_seated || is_welcome, may_move, refusal: None, ..meaning }
    }
}
