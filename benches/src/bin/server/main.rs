//! Match servers under the same load, in one run: ours, a ceiling and two well-known ones play the duel.
//!
//! `cargo xtask bench-server` installs the peers and runs this; names of servers
//! behind it (`intermezzo`, `ceiling`, `boardgame.io`, `colyseus`) run only those.
//!
//! Each server runs alone, in a process of its own on loopback, and shares the
//! machine with the load. Start with [`system`] for what is compared, [`load`]
//! for how it is measured, [`ceiling`] for what nobody can beat.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

mod ceiling;
mod child;
mod cold;
mod http;
mod journal;
mod load;
mod protocols;
mod socket;
mod system;

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use intermezzo_benches::machine::Spent;
use intermezzo_benches::twins;

use crate::child::Server;
use crate::load::{Load, Tally};
use crate::socket::take_seats;
use crate::system::System;

const MATCHES: u32 = 100;
const WARM_UP: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(8);
/// What people at 100 tables do: a move of each of them about every 118 ms.
const HUMAN_PACE: f64 = 1_700.0;
/// Matches whose seats are taken before memory is looked at: the first ones also fill pools and caches.
const WARM_MATCHES: u32 = 100;
const IDLE_MATCHES: u32 = 1_000;
/// A server may need a moment to see that nothing happens any more.
const SETTLING: Duration = Duration::from_secs(4);

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
            stop_with_the_caller();
            ceiling::serve(address.parse().map_err(io::Error::other)?, Path::new(journal))
        }
        _ => compare(&chosen(words)?),
    }
}

fn chosen(names: &[&str]) -> io::Result<Vec<System>> {
    let known = |name: &&str| {
        let found = System::ALL.into_iter().find(|system| system.name() == *name);
        found.ok_or_else(|| io::Error::other(format!("unknown server `{name}`")))
    };
    if names.is_empty() { Ok(System::ALL.to_vec()) } else { names.iter().map(known).collect() }
}

fn compare(systems: &[System]) -> io::Result<()> {
    same_game()?;
    // One for each core: the load must not be what is measured.
    let threads = std::thread::available_parallelism()?.get() as u32;
    println!(
        "{MATCHES} matches of the duel, 2 WebSocket clients each, on loopback, {} s",
        MEASURED.as_secs()
    );
    println!("server        acked when   load        moves/s    p50 ms    p99 ms    max ms  others");
    for &system in systems {
        for (name, pace) in [("all it can", None), ("human pace", Some(HUMAN_PACE))] {
            let server = Server::start(system)?;
            let load = Load { matches: MATCHES, pace, warm_up: WARM_UP, measured: MEASURED, threads };
            let processes = [std::process::id(), server.process()];
            let before = Spent::until_now(&processes)?;
            let tally = load.play(system, server.address)?;
            let others = Spent::until_now(&processes)?.by_others_since(&before);
            print_row(system, name, &tally, others);
        }
    }
    for &system in systems.iter().filter(|system| system.is_measured_idle()) {
        report_idle(system)?;
    }
    if systems.contains(&System::Intermezzo) {
        cold::report()?;
    }
    Ok(())
}

/// The peers' scripts play the twin's game: they end the same way over the same seeds.
fn same_game() -> io::Result<()> {
    let mut node = Command::new("node");
    let output = node.arg("duel.mjs").current_dir(system::peers()).output();
    let output = output.map_err(|error| io::Error::other(format!("node: {error}")))?;
    let script = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let twin = format!("{:08x}", twins::duel::digest(1..=1000));
    println!("duel digest: twin {twin}, script {script}");
    if twin == script { Ok(()) } else { Err(io::Error::other("the script plays another game than the twin")) }
}

/// `others` is the percentage of the machine that was not ours.
fn print_row(system: System, load: &str, tally: &Tally, others: f64) {
    let times = &tally.times_us;
    let ms = |us: u64| us as f64 / 1000.0;
    println!(
        "{:13} {:12} {load:11} {:7.0} {:9.2} {:9.2} {:9.2} {others:5.0} %",
        system.name(),
        system.kept(),
        times.len() as f64 / MEASURED.as_secs_f64(),
        ms(times.value_at_quantile(0.5)),
        ms(times.value_at_quantile(0.99)),
        ms(times.max()),
    );
}

fn report_idle(system: System) -> io::Result<()> {
    let server = Server::start(system)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let warm = take_seats(system, server.address, 0..WARM_MATCHES).await?;
        tokio::time::sleep(SETTLING).await;
        let before = server.resident_bytes()?;
        let idle = take_seats(system, server.address, WARM_MATCHES..WARM_MATCHES + IDLE_MATCHES).await?;
        tokio::time::sleep(SETTLING).await;
        let grown = server.resident_bytes()?.saturating_sub(before);
        let kib = grown as f64 / idle.len() as f64 / 1024.0;
        let (name, opened, open) = (system.name(), idle.len(), warm.len() + idle.len());
        println!("{name}: {kib:.1} KiB resident for each of {opened} idle connections more ({open} in all)");
        Ok(())
    })
}

/// Ends this process when whoever started it is gone: then the pipe it reads from closes.
fn stop_with_the_caller() {
    std::thread::spawn(|| {
        // Nothing is sent; both ways to stop reading mean the same.
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
}
