//! A long match whose server was killed: how long the first look at it takes after the next start, and what matches
//! that wait for their players occupy.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::child::Server;
use crate::http::{self, Request};
use crate::protocols::intermezzo::{self, Intermezzo};
use crate::system::System;

const INPUTS: u64 = 1_000;
const STARTS: usize = 7;
const WAITING_MATCHES: u64 = 1_000;
const ANSWER: &str = r#"{"answers":["attack","defense","heal"]}"#;

/// Prints both for our own server.
pub(crate) fn report() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        report_start().await?;
        report_waiting().await
    })
}

async fn report_start() -> io::Result<()> {
    let mut server = Server::start(System::Intermezzo)?;
    let seats = intermezzo::begin(server.address).await?;
    for question in 1..=INPUTS / 2 {
        for seat in &seats {
            let path = format!("/matches/{}/inputs/{question}", seat.match_id);
            let (token, body) = (Some(seat.token.as_str()), ANSWER);
            http::send(server.address, Request { method: "POST", path: &path, token, body }).await?;
        }
    }
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        server.kill_and_start_again(System::Intermezzo)?;
        // The first request of all finds nothing at hand; it is not what is asked about here.
        http::send(
            server.address,
            Request { method: "GET", path: "/me", token: Some(&seats[0].token), body: "" },
        )
        .await?;
        cold.push(time_to_look(server.address, &seats[0]).await?);
        warm.push(time_to_look(server.address, &seats[0]).await?);
    }
    let (cold, warm) = (median(cold), median(warm));
    let more = cold.saturating_sub(warm).as_secs_f64() * 1000.0;
    println!(
        "intermezzo: a match of {INPUTS} inputs is there {more:.2} ms after its server was killed and started \
         (a view then takes {:.2} ms, later {:.2} ms)",
        cold.as_secs_f64() * 1000.0,
        warm.as_secs_f64() * 1000.0
    );
    Ok(())
}

async fn time_to_look(server: SocketAddr, seat: &Intermezzo) -> io::Result<Duration> {
    let path = format!("/matches/{}/view", seat.match_id);
    let begun = Instant::now();
    http::send(server, Request { method: "GET", path: &path, token: Some(&seat.token), body: "" }).await?;
    Ok(begun.elapsed())
}

async fn report_waiting() -> io::Result<()> {
    let server = Server::start(System::Intermezzo)?;
    for _ in 0..WAITING_MATCHES / 10 {
        intermezzo::begin(server.address).await?;
    }
    tokio::time::sleep(crate::SETTLING).await;
    let before = server.resident_bytes()?;
    for _ in 0..WAITING_MATCHES {
        intermezzo::begin(server.address).await?;
    }
    tokio::time::sleep(crate::SETTLING).await;
    let grown = server.resident_bytes()?.saturating_sub(before);
    let kib = grown as f64 / WAITING_MATCHES as f64 / 1024.0;
    println!(
        "intermezzo: {kib:.1} KiB resident for each of {WAITING_MATCHES} matches that wait, its two accounts included"
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
