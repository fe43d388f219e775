//! Servers in a simulated world in which everything fails.
//!
//! [`run`] makes the world of one seed: real nodes of the server on one simulated store, with players who reach them
//! over a simulated network, all on one thread and in virtual time. The seed decides what fails, when, and how often.
//! After the storm everything is healed, matches come to their end, and what the players saw is compared with what is
//! stored. The same seed leads to the same world, to the last frame.

mod checking;
mod diary;
mod disk;
mod fleet;
mod grapevine;
mod guest;
mod listening;
mod net;
mod player;
mod report;
mod signal;
mod table;
mod weather;
mod world;

use std::sync::Arc;
use std::time::Duration;

use intermezzo_server::house::Bundle;
use intermezzo_server::planted::{self, Bug};
use intermezzo_store::Clock as _;
use tokio::task::JoinSet;

pub use report::Report;
pub use weather::Fault;

use fleet::Fleet;
use table::{SETTINGS, keep_table, wander};
use world::World;

/// A storm lasts for so long at least, and at most so much longer, in milliseconds.
const LASTS: Duration = Duration::from_secs(8);
const LONGER: u64 = 30_000;
/// All nodes die once more so long after the storm, if they do.
const LAST_BLOW: Duration = Duration::from_secs(6);
/// So many nodes are there at most.
const MOST_NODES: usize = 3;
/// So many tables are there at most, and so many who wander.
const TABLES: u64 = 3;
const WANDERERS: u64 = 4;

/// What storms have in common.
#[derive(Clone)]
pub struct Plan {
    bundle: Arc<Bundle>,
    /// How many nodes there are; 0 leaves it to the seed.
    pub nodes: usize,
    /// Whether everything that happens is noted.
    pub is_traced: bool,
    /// The bug that is planted, if any.
    pub planted: Option<Bug>,
}

impl Plan {
    /// Storms over so many nodes; 0 leaves it to each seed.
    ///
    /// # Panics
    ///
    /// If a ruleset of this crate has errors.
    #[must_use]
    pub fn new(nodes: usize) -> Plan {
        let rulesets = [
            ("bids", include_str!("../rulesets/bids.yaml")),
            ("relay", include_str!("../rulesets/relay.yaml")),
            ("orcain", include_str!("../../../rulesets/orcain/ruleset.yaml")),
        ];
        let bundled = rulesets
            .map(|(name, text)| (name.to_owned(), vec![("ruleset.yaml".to_owned(), text.to_owned())]));
        let bundle = Bundle::compile(bundled.into()).expect("the rulesets of this crate have no errors");
        Plan { bundle: Arc::new(bundle), nodes, is_traced: false, planted: None }
    }
}

/// Runs the world of one seed.
///
/// # Panics
///
/// If the runtime cannot be made.
#[must_use]
pub fn run(seed: u64, plan: &Plan) -> Report {
    planted::plant(plan.planted);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without sockets can always be made");
    let report = runtime.block_on(rage(seed, plan));
    // What is still under way has nobody to tell.
    runtime.shutdown_background();
    report
}

async fn rage(seed: u64, plan: &Plan) -> Report {
    let world = World::new(seed, plan.is_traced);
    let _listening = listening::listen(&world);
    let drawn = 1 + world.below(MOST_NODES as u64) as usize;
    let nodes = if plan.nodes == 0 { drawn } else { plan.nodes };
    let fleet = Fleet::new(&world, &plan.bundle, nodes);
    for berth in 0..nodes {
        tokio::spawn(Arc::clone(&fleet).sail(berth));
    }
    let mut players = JoinSet::new();
    let tables = 1 + world.below(TABLES);
    for number in 0..tables as usize {
        let setting = SETTINGS[world.below(SETTINGS.len() as u64) as usize];
        players.spawn(keep_table(Arc::clone(&fleet), number, setting));
    }
    let wanderers = world.below(WANDERERS + 1);
    for number in 0..wanderers as usize {
        players.spawn(wander(Arc::clone(&fleet), number));
    }
    tokio::time::sleep(LASTS + world.ms(LONGER)).await;
    world.calm_down();
    let mut calm_at = world.now_ms();
    if world.below(2) == 0 {
        // Who has gone away by then does not come back for this: matches have to go on by themselves.
        tokio::time::sleep(LAST_BLOW).await;
        fleet.strike_last();
        calm_at = world.now_ms();
    }
    let mut diaries = Vec::new();
    while let Some(more) = players.join_next().await {
        diaries.extend(more.unwrap_or_else(|error| {
            world.wrong(format!("a player has failed: {error}"));
            Vec::new()
        }));
    }
    let mut checked = checking::Checked::default();
    if !world.is_wrong() {
        match fleet.some_node().await {
            Some(node) => checked = checking::check(&fleet, &node, diaries, calm_at).await,
            None => world.wrong("there is no node after the storm"),
        }
    }
    let (trace, trace_hash) = world.take_trace();
    let mut report = Report::new(world.age(), world.struck(), checked);
    (report.trace, report.trace_hash, report.wrong) = (trace, trace_hash, world.take_wrong());
    report
}
