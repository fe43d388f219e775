//! Crash test of one server. Start with [`run`].

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_server::{Config, Operator};
use intermezzo_test_client::ServerDowntime;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::addresses::ServerAddresses;
use crate::cluster_run;
use crate::ledger_check;
use crate::match_series::{MatchSeries, PlayedMatch, setups};
use crate::report::CrashTestReport;
use crate::server_process::{ServerProcess, TestEnvironment};
use crate::verification;

/// Longest time between the server's start and its kill.
const MAX_UPTIME_MS: u64 = 1_200;
/// Rate per thousand of kills right after an acknowledgement: a command that was acknowledged too early would be
/// lost then.
const KILL_AFTER_ACK_RATE: u16 = 400;
/// Rate per thousand of kills while the server starts, and the longest time until such a kill in milliseconds.
const KILL_AT_START_RATE: u16 = 200;
const MAX_START_MS: u64 = 200;
/// Rate per thousand of servers that are frozen before their kill, and the shortest and longest time of that in
/// milliseconds.
const FREEZE_RATE: u16 = 300;
const MIN_FREEZE_MS: u64 = 200;
const MAX_FREEZE_MS: u64 = 1_500;
/// Rate per thousand of longer downtimes, and the longest of these in milliseconds.
const LONG_DOWNTIME_RATE: u16 = 400;
const MAX_DOWNTIME_MS: u64 = 1_500;
/// Time after the last kill until all series must be done.
const END_TIMEOUT: Duration = Duration::from_secs(180);

/// Settings of a crash test.
#[derive(Clone, Debug)]
pub struct CrashTestPlan {
    /// Path of the program, `intermezzo`.
    pub program: PathBuf,
    /// Folder of the server's data and log. Its old contents are removed.
    pub folder: PathBuf,
    /// Number of kills.
    pub kills: usize,
    /// Number of matches at a time.
    pub matches: usize,
    /// Number of servers: one on its own folder, or several on one database.
    pub servers: usize,
    /// Seed of the random numbers; the same seed kills after the same times.
    pub seed: u64,
}

impl CrashTestPlan {
    /// Creates a plan of the default size.
    #[must_use]
    pub fn new(program: PathBuf, folder: PathBuf) -> CrashTestPlan {
        CrashTestPlan { program, folder, kills: 200, matches: 20, servers: 1, seed: 1 }
    }
}

/// Runs a crash test.
///
/// # Errors
///
/// Fails if the program cannot be run or its folder cannot be written. Problems of the server are in the report.
pub fn run(plan: &CrashTestPlan) -> io::Result<CrashTestReport> {
    let _ = std::fs::remove_dir_all(&plan.folder);
    std::fs::create_dir_all(&plan.folder)?;
    if plan.servers > 1 {
        return cluster_run::run(plan);
    }
    let mut server = ServerProcess::new(&plan.program, &plan.folder)?;
    let mut report = CrashTestReport::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let played = runtime.block_on(run_with_kills(plan, &mut server, &mut report))?;
    drop(runtime);
    // Kill the server once more: only what is on disk counts.
    server.kill()?;
    report.starts.clone_from(&server.starts);
    check(&server, &played, &mut report);
    Ok(report)
}

/// Kills and restarts the server while matches are played, then lets the matches end.
async fn run_with_kills(
    plan: &CrashTestPlan,
    server: &mut ServerProcess,
    report: &mut CrashTestReport,
) -> io::Result<Vec<PlayedMatch>> {
    let mut random = Random::new(plan.seed);
    let starting = server.start()?;
    server.wait_until_ready(starting).await?;
    let (tell, kills_done) = watch::channel(false);
    let place = (&server.environment().addresses, &server.downtime, &server.acknowledged);
    let mut all_series = start_series(plan, place, &mut random, &kills_done);
    for _ in 0..plan.kills {
        kill_and_restart(server, &mut random, report).await?;
    }
    if server.is_stopped() {
        let starting = server.start()?;
        server.wait_until_ready(starting).await?;
    }
    let _ = tell.send(true);
    Ok(collect_results(&mut all_series, &server.environment(), report).await)
}

/// Waits until all series are done, and checks their matches over HTTP.
pub(crate) async fn collect_results(
    all_series: &mut JoinSet<Vec<PlayedMatch>>,
    environment: &TestEnvironment,
    report: &mut CrashTestReport,
) -> Vec<PlayedMatch> {
    let mut played = Vec::new();
    let gathering = async {
        while let Some(matches) = all_series.join_next().await {
            played.extend(matches.unwrap_or_default());
        }
    };
    if tokio::time::timeout(END_TIMEOUT, gathering).await.is_err() {
        report.add_problem("some match series do not end");
    }
    for played in &played {
        verification::check_over_http(environment, played, report).await;
    }
    played
}

pub(crate) fn start_series(
    plan: &CrashTestPlan,
    (addresses, downtime, acknowledged): (&ServerAddresses, &ServerDowntime, &Arc<Notify>),
    random: &mut Random,
    kills_done: &watch::Receiver<bool>,
) -> JoinSet<Vec<PlayedMatch>> {
    let setups = setups();
    let mut all_series = JoinSet::new();
    for number in 0..plan.matches {
        let series = MatchSeries {
            number,
            setup: setups[number % setups.len()].clone(),
            addresses: addresses.clone(),
            downtime: downtime.clone(),
            acknowledged: Arc::clone(acknowledged),
            random: Random::new(random.next_number()),
            kills_done: kills_done.clone(),
        };
        all_series.spawn(series.play());
    }
    all_series
}

/// Lets the server run for a while, kills it, and maybe waits. The next call restarts it.
async fn kill_and_restart(
    server: &mut ServerProcess,
    random: &mut Random,
    report: &mut CrashTestReport,
) -> io::Result<()> {
    let nap = async |ms| tokio::time::sleep(Duration::from_millis(ms)).await;
    if server.is_stopped() {
        let starting = server.start()?;
        if random.happens(KILL_AT_START_RATE) {
            report.kills_at_start += 1;
            nap(random.below(MAX_START_MS)).await;
        } else {
            server.wait_until_ready(starting).await?;
            run_before_kill(server, random, report).await?;
        }
    } else {
        run_before_kill(server, random, report).await?;
    }
    server.kill()?;
    report.kills += 1;
    if random.happens(LONG_DOWNTIME_RATE) {
        nap(random.below(MAX_DOWNTIME_MS)).await;
    }
    Ok(())
}

/// Lets the server run until its next kill, and sometimes freezes it meanwhile.
async fn run_before_kill(
    server: &ServerProcess,
    random: &mut Random,
    report: &mut CrashTestReport,
) -> io::Result<()> {
    wait_before_kill(server, random).await;
    if random.happens(FREEZE_RATE) {
        report.freezes += 1;
        let lasts = MIN_FREEZE_MS + random.below(MAX_FREEZE_MS - MIN_FREEZE_MS);
        server.freeze(Duration::from_millis(lasts)).await?;
        wait_before_kill(server, random).await;
    }
    Ok(())
}

/// Lets the server run for a while, sometimes until the next acknowledgement.
async fn wait_before_kill(server: &ServerProcess, random: &mut Random) {
    tokio::time::sleep(Duration::from_millis(random.below(MAX_UPTIME_MS))).await;
    if random.happens(KILL_AFTER_ACK_RATE) {
        // Stop waiting if no client plays right now.
        let _ =
            tokio::time::timeout(Duration::from_millis(MAX_UPTIME_MS), server.acknowledged.notified()).await;
    }
}

/// Compares the clients' journals with the stored rows.
fn check(server: &ServerProcess, played: &[PlayedMatch], report: &mut CrashTestReport) {
    let config = Config { data: Some(server.data()), ..Config::default() };
    let operator = match Operator::open(&config) {
        Ok(operator) => operator,
        Err(error) => return report.add_problem(format!("cannot open the store: {error}")),
    };
    verification::read_reported_stops(&server.log(), &server.downtime, report);
    for played in played {
        verification::check_rows(&operator, played, (&server.downtime, verification::SINGLE_SERVER), report);
    }
    ledger_check::check(&operator, played, report);
    operator.close();
    verification::check_server_log(&server.log(), report);
}
