//! Crash test of several servers, their database and NATS. Start with [`run`].

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use intermezzo_bots::Random;
use intermezzo_server::{Config, Operator};
use intermezzo_test_client::{DeadlineTolerance, ServerDowntime};
use tokio::sync::{Notify, watch};

use crate::cluster::TestCluster;
use crate::ledger_check;
use crate::match_series::PlayedMatch;
use crate::report::CrashTestReport;
use crate::run::{CrashTestPlan, collect_results, start_series};
use crate::verification;

/// Longest time between two faults.
const MAX_UPTIME_MS: u64 = 1_200;
/// Longest time until a killed server restarts, in milliseconds.
const MAX_DOWNTIME_MS: u64 = 2_000;
/// Longest time a process is frozen, in milliseconds. It exceeds the time after which others consider it gone.
const MAX_FREEZE_MS: u64 = 7_000;
/// Longest time the database is frozen, in milliseconds.
const MAX_DATABASE_FREEZE_MS: u64 = 3_000;
/// Longest time until a command is acknowledged again after a fault.
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);
/// Tolerance for deadlines: while the database is down, nothing can be written.
const SEVERAL_SERVERS: DeadlineTolerance = DeadlineTolerance { early: 60, late: 30_000, late_per_kill: 0 };

/// Faults and their rates in percent.
const FAULTS: [(&str, u64); 7] = [
    ("server killed", 35),
    ("server replaced", 10),
    ("server frozen", 15),
    ("NATS killed", 10),
    ("NATS frozen", 5),
    ("database killed", 15),
    ("database frozen", 10),
];
const PROMOTION: &str = "standby promoted";

/// Runs the crash test of several servers on one database.
pub(crate) fn run(plan: &CrashTestPlan) -> io::Result<CrashTestReport> {
    let mut cluster = TestCluster::create(&plan.program, &plan.folder, plan.servers)?;
    let mut report = CrashTestReport::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let played = runtime.block_on(run_with_kills(plan, &mut cluster, &mut report))?;
    drop(runtime);
    for server in 0..plan.servers {
        cluster.kill(server)?;
    }
    check(&cluster, &played, &mut report);
    Ok(report)
}

async fn run_with_kills(
    plan: &CrashTestPlan,
    cluster: &mut TestCluster,
    report: &mut CrashTestReport,
) -> io::Result<Vec<PlayedMatch>> {
    let mut random = Random::new(plan.seed);
    cluster.start_all().await?;
    let (tell, kills_done) = watch::channel(false);
    let (environment, acknowledged) = (cluster.environment(), Arc::new(Notify::new()));
    let place = (&environment.addresses, &ServerDowntime::default(), &acknowledged);
    let mut all_series = start_series(plan, place, &mut random, &kills_done);
    let times = AcknowledgementTimes::watch(&acknowledged);
    for number in 0..plan.kills {
        let peace = random.below(MAX_UPTIME_MS);
        tokio::time::sleep(Duration::from_millis(peace)).await;
        // The third fault, and one more in longer runs, loses the primary database for good.
        let is_promotion = plan.kills >= 3 && number % (plan.kills / 2).max(3) == 2;
        let what = if is_promotion { PROMOTION } else { pick_fault(&mut random, cluster) };
        let begun = Instant::now();
        inject(what, cluster, &mut random).await?;
        report.kills += 1;
        *report.injected.entry(what).or_default() += 1;
        if tokio::time::timeout(RECOVERED_WITHIN, acknowledged.notified()).await.is_err() {
            report.add_problem(format!("nothing was acknowledged for a minute after: {what}"));
        }
        report.stalls.entry(what).or_default().push(times.longest_gap(begun));
    }
    cluster.start_all().await?;
    let _ = tell.send(true);
    Ok(collect_results(&mut all_series, &environment, report).await)
}

/// Times at which a command was acknowledged.
struct AcknowledgementTimes(Arc<Mutex<Vec<Instant>>>);

impl AcknowledgementTimes {
    /// Records the times from now on, in the background.
    fn watch(acknowledged: &Arc<Notify>) -> AcknowledgementTimes {
        let (times, acknowledged) = (Arc::new(Mutex::new(vec![Instant::now()])), Arc::clone(acknowledged));
        let noted = Arc::clone(&times);
        tokio::spawn(async move {
            loop {
                acknowledged.notified().await;
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            }
        });
        AcknowledgementTimes(times)
    }

    /// Returns the longest time without an acknowledgement since then, in milliseconds.
    fn longest_gap(&self, since: Instant) -> u64 {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let later = times.iter().copied().filter(|time| *time > since);
        let ends = later.chain([Instant::now()]);
        let stalls = ends.scan(since, |last, time| Some(time - std::mem::replace(last, time)));
        stalls.max().map_or(0, |stall| stall.as_millis() as u64)
    }
}

fn pick_fault(random: &mut Random, cluster: &TestCluster) -> &'static str {
    let all: u64 = FAULTS.iter().map(|(_, often)| often).sum();
    let mut drawn = random.below(all);
    for (what, often) in FAULTS {
        if drawn < often {
            let is_nats = what.starts_with("NATS");
            return if is_nats && !cluster.has_nats() { FAULTS[0].0 } else { what };
        }
        drawn -= often;
    }
    FAULTS[0].0
}

async fn inject(what: &str, cluster: &mut TestCluster, random: &mut Random) -> io::Result<()> {
    let nap = async |ms| tokio::time::sleep(Duration::from_millis(ms)).await;
    let server = random.below(cluster.servers.len() as u64) as usize;
    match what {
        "server killed" => {
            cluster.kill(server)?;
            nap(random.below(MAX_DOWNTIME_MS)).await;
            // The next fault may hit the server before it is ready.
            drop(cluster.start(server)?);
        }
        "server replaced" => {
            let exited_cleanly = tokio::task::block_in_place(|| cluster.replace(server))?;
            if !exited_cleanly {
                return Err(io::Error::other("a server exited with an error after SIGTERM; see servers.log"));
            }
        }
        "server frozen" => {
            cluster.freeze(server, true)?;
            nap(random.below(MAX_FREEZE_MS)).await;
            cluster.freeze(server, false)?;
        }
        "NATS killed" => {
            cluster.kill_nats()?;
            nap(random.below(MAX_DOWNTIME_MS)).await;
            cluster.run_nats()?;
        }
        "NATS frozen" => {
            cluster.freeze_nats(true)?;
            nap(random.below(MAX_FREEZE_MS)).await;
            cluster.freeze_nats(false)?;
        }
        "database killed" => tokio::task::block_in_place(|| cluster.kill_database())?,
        "database frozen" => {
            cluster.freeze_database(true)?;
            nap(random.below(MAX_DATABASE_FREEZE_MS)).await;
            cluster.freeze_database(false)?;
        }
        _ => tokio::task::block_in_place(|| cluster.promote())?,
    }
    Ok(())
}

/// Compares the clients' journals with the stored rows.
fn check(cluster: &TestCluster, played: &[PlayedMatch], report: &mut CrashTestReport) {
    let config = Config { database: Some(cluster.url().into()), ..Config::default() };
    let operator = match Operator::open(&config) {
        Ok(operator) => operator,
        Err(error) => return report.add_problem(format!("cannot open the store: {error}")),
    };
    for played in played {
        verification::check_rows(&operator, played, (&ServerDowntime::default(), SEVERAL_SERVERS), report);
    }
    ledger_check::check(&operator, played, report);
    operator.close();
    verification::check_cluster_log(&cluster.log(), report);
}
