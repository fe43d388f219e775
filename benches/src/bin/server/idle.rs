//! The memory of many idle connections and matches, in one server.

use std::io;
use std::net::SocketAddr;

use futures_util::future::try_join_all;

use crate::child::ServerUnderTest;
use crate::protocols::intermezzo;
use crate::socket::{ConnectedSeat, connect_seats};
use crate::system::ServerKind;
use crate::{IDLE_DELAY, WARM_MATCHES};

/// Matches with two connections each.
const CONNECTED_MATCHES: u32 = 5_000;
/// Matches without connections, which began before the figures were taken.
const WAITING_MATCHES: u32 = 95_000;
/// Matches that two accounts play with each other. An account can be part of 50.
const MATCHES_EACH: u32 = 50;
/// Matches that are started at the same time.
const STARTERS: u32 = 16;
/// An endless duel with a clock of a day.
const SLOW_DUEL: &str = r#"{"ruleset":"orcain","rated":false,"options":{"prep_ms":86400000}}"#;

/// Prints the memory of our own server with all of them.
pub(crate) fn report() -> io::Result<()> {
    let server = ServerUnderTest::start(ServerKind::Intermezzo)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let warm = connect(server.address, 0, WARM_MATCHES).await?;
        let before = settled_bytes(&server).await?;
        let connected = connect(server.address, WARM_MATCHES, CONNECTED_MATCHES).await?;
        let with_connections = settled_bytes(&server).await?;
        let count = u64::from(2 * CONNECTED_MATCHES);
        print_memory("connection", with_connections.saturating_sub(before), count);
        start_matches(server.address).await?;
        let with_matches = settled_bytes(&server).await?;
        print_memory(
            "waiting match",
            with_matches.saturating_sub(with_connections),
            u64::from(WAITING_MATCHES),
        );
        let matches = WARM_MATCHES + CONNECTED_MATCHES + WAITING_MATCHES;
        let connections = warm.len() + connected.len();
        let mib = with_matches >> 20;
        println!(
            "intermezzo: {mib} MiB resident with {connections} idle connections and {matches} idle matches"
        );
        Ok(())
    })
}

fn print_memory(what: &str, growth: u64, count: u64) {
    let kib = growth as f64 / count as f64 / 1024.0;
    println!("intermezzo: {kib:.1} KiB resident per idle {what} ({count} of them)");
}

async fn settled_bytes(server: &ServerUnderTest) -> io::Result<u64> {
    tokio::time::sleep(IDLE_DELAY).await;
    server.resident_bytes()
}

async fn connect(server: SocketAddr, first: u32, count: u32) -> io::Result<Vec<ConnectedSeat>> {
    let part = |starter: u32| (first + starter..first + count).step_by(STARTERS as usize);
    let parts = (0..STARTERS).map(|starter| connect_seats(ServerKind::Intermezzo, server, part(starter)));
    Ok(try_join_all(parts).await?.into_iter().flatten().collect())
}

async fn start_matches(server: SocketAddr) -> io::Result<()> {
    let starting = (0..STARTERS).map(|starter| async move {
        for first in (starter * MATCHES_EACH..WAITING_MATCHES).step_by((STARTERS * MATCHES_EACH) as usize) {
            let (host, guest) = (intermezzo::sign_in(server).await?, intermezzo::sign_in(server).await?);
            for _ in first..(first + MATCHES_EACH).min(WAITING_MATCHES) {
                intermezzo::seat_players(server, [&host, &guest], SLOW_DUEL).await?;
            }
        }
        Ok::<_, io::Error>(())
    });
    try_join_all(starting).await.map(drop)
}
