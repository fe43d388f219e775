//! The first view of a long match after its server was killed and restarted, and the memory of waiting matches.

use std::io;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use crate::child::ServerUnderTest;
use crate::http::{self, JsonRequest};
use crate::protocols::intermezzo::{self, Intermezzo};
use crate::system::ServerKind;

const INPUTS: u64 = 1_000;
const RESTARTS: usize = 7;
const WAITING_MATCHES: u64 = 1_000;
const ANSWER: &str = r#"{"answers":["attack","defense","heal"]}"#;

/// Prints the figures of our own server.
pub(crate) fn report() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        report_restart().await?;
        report_waiting_matches().await
    })
}

async fn report_restart() -> io::Result<()> {
    let mut server = ServerUnderTest::start(ServerKind::Intermezzo)?;
    let seats = intermezzo::start_match(server.address).await?;
    answer(server.address, &seats, 1..=INPUTS / 2).await?;
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..RESTARTS {
        server.kill_and_restart(ServerKind::Intermezzo)?;
        // The first request of a process also fills caches, which is not measured here.
        http::send(
            server.address,
            JsonRequest { method: "GET", path: "/me", token: Some(&seats[0].token), body: "" },
        )
        .await?;
        cold.push(time_view(server.address, &seats[0]).await?);
        warm.push(time_view(server.address, &seats[0]).await?);
    }
    let (cold, warm) = (median(cold), median(warm));
    let delay = cold.saturating_sub(warm).as_secs_f64() * 1000.0;
    println!(
        "intermezzo: a match of {INPUTS} inputs is available {delay:.2} ms after its server was killed and restarted \
         (the first view takes {:.2} ms, later ones {:.2} ms)",
        cold.as_secs_f64() * 1000.0,
        warm.as_secs_f64() * 1000.0
    );
    Ok(())
}

/// Answers these questions of both seats over HTTP.
pub(crate) async fn answer(
    server: SocketAddr,
    seats: &[Intermezzo; 2],
    questions: RangeInclusive<u64>,
) -> io::Result<()> {
    for question in questions {
        for seat in seats {
            let path = format!("/matches/{}/inputs/{question}", seat.match_id);
            let (token, body) = (Some(seat.token.as_str()), ANSWER);
            http::send(server, JsonRequest { method: "POST", path: &path, token, body }).await?;
        }
    }
    Ok(())
}

async fn time_view(server: SocketAddr, seat: &Intermezzo) -> io::Result<Duration> {
    let path = format!("/matches/{}/view", seat.match_id);
    let start = Instant::now();
    http::send(server, JsonRequest { method: "GET", path: &path, token: Some(&seat.token), body: "" })
        .await?;
    Ok(start.elapsed())
}

async fn report_waiting_matches() -> io::Result<()> {
    let server = ServerUnderTest::start(ServerKind::Intermezzo)?;
    for _ in 0..WAITING_MATCHES / 10 {
        intermezzo::start_match(server.address).await?;
    }
    tokio::time::sleep(crate::IDLE_DELAY).await;
    let before = server.resident_bytes()?;
    for _ in 0..WAITING_MATCHES {
        intermezzo::start_match(server.address).await?;
    }
    tokio::time::sleep(crate::IDLE_DELAY).await;
    let growth = server.resident_bytes()?.saturating_sub(before);
    let kib = growth as f64 / WAITING_MATCHES as f64 / 1024.0;
    println!(
        "intermezzo: {kib:.1} KiB resident per waiting match ({WAITING_MATCHES} matches), including its two accounts"
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
