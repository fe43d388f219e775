//! Deterministic simulation test (DST) of the server.
//!
//! [`run`] runs the simulation of one seed: real server nodes on one simulated store, and players that reach them
//! over a simulated network, all on one thread and in virtual time. The seed decides which faults occur, when, and how
//! often. Then faults stop, the matches end, and the players' journals are compared with the stored rows. The same seed
//! produces the same simulation, down to the last frame.

mod account;
mod fault_plan;
mod faulty_store;
mod journal;
mod log_capture;
mod lossy_bus;
mod match_series;
mod network;
mod nodes;
mod player;
mod report;
mod signal;
mod simulator;
mod verification;

use std::sync::Arc;
use std::time::Duration;

use intermezzo_fail_points::{self as fail_points, FailPoint};
use intermezzo_services::RulesetBundle;
use intermezzo_store::TimeSource as _;
use tokio::task::JoinSet;

pub use fault_plan::FaultKind;
pub use report::DstReport;

use match_series::{SERIES, queue_repeatedly, run_series};
use nodes::NodeSet;
use simulator::Simulation;

/// Shortest time with faults, and how much longer it may last, in milliseconds.
const MIN_FAULT_TIME: Duration = Duration::from_secs(8);
const MAX_EXTRA_MS: u64 = 30_000;
/// Time without faults after which all nodes may crash once more.
const FINAL_CRASH_AFTER: Duration = Duration::from_secs(6);
const MAX_NODES: usize = 3;
/// Largest number of match series, and of players in the matchmaking queue.
const MAX_SERIES: u64 = 3;
const MAX_QUEUE_PLAYERS: u64 = 4;

/// Settings that all seeds share.
#[derive(Clone)]
pub struct DstPlan {
    bundle: Arc<RulesetBundle>,
    /// Number of nodes; 0 lets the seed decide.
    pub nodes: usize,
    /// True to record a trace.
    pub is_traced: bool,
    /// Fail point to switch on.
    pub fail_point: Option<FailPoint>,
}

impl DstPlan {
    /// Creates a plan with that many nodes; 0 lets each seed decide.
    ///
    /// # Panics
    ///
    /// Panics if a ruleset of this crate has errors.
    #[must_use]
    pub fn new(nodes: usize) -> DstPlan {
        let rulesets = [
            ("bids", include_str!("../rulesets/bids.yaml")),
            ("relay", include_str!("../rulesets/relay.yaml")),
            ("orcain", include_str!("../../../rulesets/orcain/ruleset.yaml")),
        ];
        let bundled = rulesets
            .map(|(name, text)| (name.to_owned(), vec![("ruleset.yaml".to_owned(), text.to_owned())]));
        let bundle =
            RulesetBundle::compile(bundled.into()).expect("the rulesets of this crate have no errors");
        DstPlan { bundle: Arc::new(bundle), nodes, is_traced: false, fail_point: None }
    }
}

/// Runs the simulation of one seed.
///
/// # Panics
///
/// Panics if the runtime cannot be created.
#[must_use]
pub fn run(seed: u64, plan: &DstPlan) -> DstReport {
    fail_points::activate(plan.fail_point);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without sockets can be created");
    let report = runtime.block_on(simulate(seed, plan));
    // Tasks that still run have no effect on the report.
    runtime.shutdown_background();
    report
}

async fn simulate(seed: u64, plan: &DstPlan) -> DstReport {
    let sim = Simulation::new(seed, plan.is_traced);
    let _listening = log_capture::capture(&sim);
    let drawn = 1 + sim.below(MAX_NODES as u64) as usize;
    let nodes = if plan.nodes == 0 { drawn } else { plan.nodes };
    let node_set = NodeSet::new(&sim, &plan.bundle, nodes);
    for slot in 0..nodes {
        tokio::spawn(Arc::clone(&node_set).keep_running(slot));
    }
    let mut players = JoinSet::new();
    let series = 1 + sim.below(MAX_SERIES);
    for number in 0..series as usize {
        let config = SERIES[sim.below(SERIES.len() as u64) as usize];
        players.spawn(run_series(Arc::clone(&node_set), number, config));
    }
    let queue_players = sim.below(MAX_QUEUE_PLAYERS + 1);
    for number in 0..queue_players as usize {
        players.spawn(queue_repeatedly(Arc::clone(&node_set), number));
    }
    tokio::time::sleep(MIN_FAULT_TIME + sim.ms(MAX_EXTRA_MS)).await;
    sim.stop_faults();
    let mut fault_free_at = sim.now_ms();
    if sim.below(2) == 0 {
        // Players who have left do not reconnect after this crash: the nodes must resume the matches without them.
        tokio::time::sleep(FINAL_CRASH_AFTER).await;
        node_set.crash_all_once_more();
        fault_free_at = sim.now_ms();
    }
    let mut match_journals = Vec::new();
    while let Some(more) = players.join_next().await {
        match_journals.extend(more.unwrap_or_else(|error| {
            sim.add_problem(format!("a player task failed: {error}"));
            Vec::new()
        }));
    }
    let mut checked = verification::VerificationSummary::default();
    if !sim.has_problems() {
        match node_set.some_node().await {
            Some(node) => {
                checked = verification::check(&node_set, &node, match_journals, fault_free_at).await;
            }
            None => sim.add_problem("no node is up after the faults have stopped"),
        }
    }
    let (trace, trace_hash) = sim.take_trace();
    let mut report = DstReport::new(sim.elapsed(), sim.injected(), checked);
    (report.trace, report.trace_hash, report.problems) = (trace, trace_hash, sim.take_problems());
    report
}
