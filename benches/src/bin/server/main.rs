//! Match servers under the same load, in one run: ours, a ceiling and two well-known ones play the duel.
//!
//! `cargo xtask bench-server` installs the peers and runs this program; arguments
//! select servers (`intermezzo`, `ceiling`, `boardgame.io`, `colyseus`). With `slow-rules`, it
//! measures how long others wait while a guest plays matches with slow rules, with `idle` the memory of 100,000 idle matches
//! and 10,000 idle connections, with `reconnects` only the time of reconnects.
//!
//! Each server runs alone, in a separate process on loopback, and shares the
//! machine with the load. Start with [`system`] for the servers, [`load`] for the
//! method, and [`ceiling`] for the upper bound.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod ceiling;
mod child;
mod cold_start;
mod http;
mod idle;
mod journal;
mod load;
mod protocols;
mod reconnects;
mod slow_rules;
mod socket;
mod system;

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use intermezzo_benches::cpu_time::CpuTime;
use intermezzo_benches::twins;

use crate::child::ServerUnderTest;
use crate::load::{Load, LoadResult};
use crate::socket::connect_seats;
use crate::system::ServerKind;

const MATCHES: u32 = 100;
const WARM_UP: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(8);
/// Moves per second of people in 100 matches: each moves about every 118 ms.
const HUMAN_PACE: f64 = 1_700.0;
/// Matches connected before memory is measured, because the first ones also fill pools and caches.
const WARM_MATCHES: u32 = 100;
const IDLE_MATCHES: u32 = 1_000;
/// Wait before memory is measured: a server may release memory only after some idle time.
const IDLE_DELAY: Duration = Duration::from_secs(12);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> io::Result<()> {
    match *words {
        ["serve-ceiling", address, journal] => {
            stop_with_parent();
            ceiling::serve(address.parse().map_err(io::Error::other)?, Path::new(journal))
        }
        ["slow-rules"] => slow_rules::report(core_count()?),
        ["idle"] => idle::report(),
        ["reconnects"] => reconnects::report(),
        _ => compare(&select(words)?),
    }
}

fn select(names: &[&str]) -> io::Result<Vec<ServerKind>> {
    let known = |name: &&str| {
        let found = ServerKind::ALL.into_iter().find(|system| system.name() == *name);
        found.ok_or_else(|| io::Error::other(format!("unknown server `{name}`")))
    };
    if names.is_empty() { Ok(ServerKind::ALL.to_vec()) } else { names.iter().map(known).collect() }
}

/// Returns the number of cores. The load has one thread per core, so that it is not the bottleneck.
fn core_count() -> io::Result<u32> {
    Ok(std::thread::available_parallelism()?.get() as u32)
}

fn compare(systems: &[ServerKind]) -> io::Result<()> {
    check_digests()?;
    let threads = core_count()?;
    println!(
        "{MATCHES} matches of the duel, 2 WebSocket clients each, on loopback, {} s",
        MEASURED.as_secs()
    );
    println!("server        acked when   load        moves/s    p50 ms    p99 ms    max ms  other load");
    for &system in systems {
        for (name, pace) in [("maximum", None), ("human pace", Some(HUMAN_PACE))] {
            let server = ServerUnderTest::start(system)?;
            let load = Load { matches: MATCHES, pace, warm_up: WARM_UP, measured: MEASURED, threads };
            let processes = [std::process::id(), server.process()];
            let before = CpuTime::until_now(&processes)?;
            let result = load.play(system, server.address)?;
            let other_load = CpuTime::until_now(&processes)?.by_others_since(&before);
            print_row(system, name, &result, other_load);
        }
    }
    for &system in systems.iter().filter(|system| system.is_measured_idle()) {
        report_idle(system)?;
    }
    if systems.contains(&ServerKind::Intermezzo) {
        cold_start::report()?;
        reconnects::report()?;
    }
    Ok(())
}

/// Checks that the peers' scripts play the same duels as the twin, by their digests.
fn check_digests() -> io::Result<()> {
    let mut node = Command::new("node");
    let output = node.arg("duel.mjs").current_dir(system::peers_folder()).output();
    let output = output.map_err(|error| io::Error::other(format!("node: {error}")))?;
    let script = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let twin = format!("{:08x}", twins::duel::digest(1..=1000));
    println!("duel digest: twin {twin}, script {script}");
    if twin == script {
        Ok(())
    } else {
        Err(io::Error::other("the script and the twin play different games"))
    }
}

/// Prints a row; `other_load` is the percentage of the machine that other processes used.
fn print_row(system: ServerKind, load: &str, result: &LoadResult, other_load: f64) {
    let latencies = &result.latencies_us;
    let ms = |us: u64| us as f64 / 1000.0;
    println!(
        "{:13} {:12} {load:11} {:7.0} {:9.2} {:9.2} {:9.2} {other_load:9.0} %",
        system.name(),
        system.durability(),
        latencies.len() as f64 / MEASURED.as_secs_f64(),
        ms(latencies.value_at_quantile(0.5)),
        ms(latencies.value_at_quantile(0.99)),
        ms(latencies.max()),
    );
}

fn report_idle(system: ServerKind) -> io::Result<()> {
    let server = ServerUnderTest::start(system)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let warm = connect_seats(system, server.address, 0..WARM_MATCHES).await?;
        tokio::time::sleep(IDLE_DELAY).await;
        let before = server.resident_bytes()?;
        let idle = connect_seats(system, server.address, WARM_MATCHES..WARM_MATCHES + IDLE_MATCHES).await?;
        tokio::time::sleep(IDLE_DELAY).await;
        let growth = server.resident_bytes()?.saturating_sub(before);
        let kib = growth as f64 / idle.len() as f64 / 1024.0;
        let (name, added, total) = (system.name(), idle.len(), warm.len() + idle.len());
        println!(
            "{name}: {kib:.1} KiB resident per additional idle connection ({added} more, {total} in all)"
        );
        Ok(())
    })
}

/// Ends this process together with its parent, which holds the other end of its standard input.
fn stop_with_parent() {
    std::thread::spawn(|| {
        // The parent sends nothing: end of file and an error both mean that it has ended.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
}
