//! The siege itself. Start with [`lay`].

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_client::Absences;
use intermezzo_server::{Config, Operator};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::doors::Doors;
use crate::fortress::{Fortress, Ground};
use crate::report::Report;
use crate::table::{Played, Table, settings};
use crate::{campaign, checking, money};

/// The server is left in peace for at most so long, in milliseconds.
const PEACE: u64 = 1_200;
/// So often in a thousand it is killed as soon as some client hears that something is kept: if that were not so, it
/// would be lost now.
const AT_ONCE: u16 = 400;
/// So often in a thousand it is killed while it starts, within so many milliseconds.
const AT_START: u16 = 200;
const STARTING: u64 = 200;
/// So often in a thousand it is away for longer, at most so many milliseconds.
const AWAY: u16 = 400;
const LONGER: u64 = 1_500;
/// All tables have to be done so long after the last kill.
const ALL_DONE: Duration = Duration::from_secs(180);

/// How a siege is laid.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program, `intermezzo`.
    pub program: PathBuf,
    /// Where the server keeps its data and its log. What is there before is removed.
    pub folder: PathBuf,
    /// How often the server is killed.
    pub kills: usize,
    /// How many matches are played at a time.
    pub matches: usize,
    /// How many servers there are: one on a folder of its own, or several on one database.
    pub servers: usize,
    /// Chance of the siege; the same seed kills after the same times.
    pub seed: u64,
}

impl Plan {
    /// A siege of the usual size.
    #[must_use]
    pub fn new(program: PathBuf, folder: PathBuf) -> Plan {
        Plan { program, folder, kills: 200, matches: 20, servers: 1, seed: 1 }
    }
}

/// Lays siege to a server.
///
/// # Errors
///
/// If the program cannot be run or its folder cannot be written. What is wrong with the server is in the report.
pub fn lay(plan: &Plan) -> io::Result<Report> {
    let _ = std::fs::remove_dir_all(&plan.folder);
    std::fs::create_dir_all(&plan.folder)?;
    if plan.servers > 1 {
        return campaign::wage(plan);
    }
    let mut fortress = Fortress::new(&plan.program, &plan.folder)?;
    let mut report = Report::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let played = runtime.block_on(rage(plan, &mut fortress, &mut report))?;
    drop(runtime);
    // What counts is what is there after one more kill.
    fortress.kill()?;
    report.starts.clone_from(&fortress.starts);
    check(&fortress, &played, &mut report);
    Ok(report)
}

/// Kills and starts the server while matches are played, and lets them come to their end.
async fn rage(plan: &Plan, fortress: &mut Fortress, report: &mut Report) -> io::Result<Vec<Played>> {
    let mut random = Random::new(plan.seed);
    let starting = fortress.start()?;
    fortress.is_ready(starting).await?;
    let (tell, is_calm) = watch::channel(false);
    let place = (&fortress.ground().doors, &fortress.absences, &fortress.heard);
    let mut tables = sit_down(plan, place, &mut random, &is_calm);
    for _ in 0..plan.kills {
        kill_once(fortress, &mut random, report).await?;
    }
    if fortress.is_away() {
        let starting = fortress.start()?;
        fortress.is_ready(starting).await?;
    }
    let _ = tell.send(true);
    Ok(gather(&mut tables, &fortress.ground(), report).await)
}

/// Waits until all tables are done, and looks at what the server says about their matches.
pub(crate) async fn gather(
    tables: &mut JoinSet<Vec<Played>>,
    ground: &Ground,
    report: &mut Report,
) -> Vec<Played> {
    let mut played = Vec::new();
    let gathering = async {
        while let Some(matches) = tables.join_next().await {
            played.extend(matches.unwrap_or_default());
        }
    };
    if tokio::time::timeout(ALL_DONE, gathering).await.is_err() {
        report.fault("some tables do not come to an end");
    }
    for played in &played {
        checking::over_http(ground, played, report).await;
    }
    played
}

pub(crate) fn sit_down(
    plan: &Plan,
    (doors, absences, heard): (&Doors, &Absences, &Arc<Notify>),
    random: &mut Random,
    is_calm: &watch::Receiver<bool>,
) -> JoinSet<Vec<Played>> {
    let settings = settings();
    let mut tables = JoinSet::new();
    for number in 0..plan.matches {
        let table = Table {
            number,
            setting: settings[number % settings.len()].clone(),
            doors: doors.clone(),
            absences: absences.clone(),
            heard: Arc::clone(heard),
            random: Random::new(random.next_number()),
            is_calm: is_calm.clone(),
        };
        tables.spawn(table.play());
    }
    tables
}

/// Leaves the server in peace for a while, kills it, and starts it again, maybe later.
async fn kill_once(fortress: &mut Fortress, random: &mut Random, report: &mut Report) -> io::Result<()> {
    let nap = async |ms| tokio::time::sleep(Duration::from_millis(ms)).await;
    if fortress.is_away() {
        let starting = fortress.start()?;
        if random.happens(AT_START) {
            report.kills_at_start += 1;
            nap(random.below(STARTING)).await;
        } else {
            fortress.is_ready(starting).await?;
            wait_for_the_moment(fortress, random).await;
        }
    } else {
        wait_for_the_moment(fortress, random).await;
    }
    fortress.kill()?;
    report.kills += 1;
    if random.happens(AWAY) {
        nap(random.below(LONGER)).await;
    }
    Ok(())
}

/// Leaves the server in peace for a while.
async fn wait_for_the_moment(fortress: &Fortress, random: &mut Random) {
    tokio::time::sleep(Duration::from_millis(random.below(PEACE))).await;
    if random.happens(AT_ONCE) {
        // Maybe nobody plays right now.
        let _ = tokio::time::timeout(Duration::from_millis(PEACE), fortress.heard.notified()).await;
    }
}

/// Compares what clients have seen with what is stored.
fn check(fortress: &Fortress, played: &[Played], report: &mut Report) {
    let config = Config { data: Some(fortress.data()), ..Config::default() };
    let operator = match Operator::open(&config) {
        Ok(operator) => operator,
        Err(error) => return report.fault(format!("the store cannot be opened: {error}")),
    };
    for played in played {
        checking::with_rows(&operator, played, (&fortress.absences, checking::ALONE), report);
    }
    money::check(&operator, played, report);
    operator.close();
    checking::server_log(&fortress.log(), report);
}
