//! A siege of several servers at once, and of all they stand on. Start with [`wage`].

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use intermezzo_bots::Random;
use intermezzo_client::{Absences, Patience};
use intermezzo_server::{Config, Operator};
use tokio::sync::{Notify, watch};

use crate::laying::{Plan, gather, sit_down};
use crate::realm::Realm;
use crate::report::Report;
use crate::table::Played;
use crate::{checking, money};

/// Everything is left in peace for at most so long, in milliseconds.
const PEACE: u64 = 1_200;
/// A server that was killed is away for at most so long, in milliseconds.
const AWAY: u64 = 2_000;
/// What stands still does so for at most so long, in milliseconds: sometimes longer than others believe in it.
const STILL: u64 = 7_000;
/// The database stands still for at most so long, in milliseconds.
const DATABASE_STILL: u64 = 3_000;
/// Something has to be acknowledged again so long after a strike.
const RECOVERED_WITHIN: Duration = Duration::from_secs(60);
/// How early and late deadlines may be: while the database is away nothing can be written.
const AMONG_MANY: Patience = Patience { early: 60, late: 30_000, late_per_kill: 0 };

/// What is done, and how often in a hundred.
const STRIKES: [(&str, u64); 7] = [
    ("server killed", 35),
    ("server replaced", 10),
    ("server stood still", 15),
    ("NATS killed", 10),
    ("NATS stood still", 5),
    ("database killed", 15),
    ("database stood still", 10),
];
const PROMOTION: &str = "standby promoted";

/// Lays siege to several servers on one database.
pub(crate) fn wage(plan: &Plan) -> io::Result<Report> {
    let mut realm = Realm::found(&plan.program, &plan.folder, plan.servers)?;
    let mut report = Report::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let played = runtime.block_on(rage(plan, &mut realm, &mut report))?;
    drop(runtime);
    for server in 0..plan.servers {
        realm.kill(server)?;
    }
    check(&realm, &played, &mut report);
    Ok(report)
}

async fn rage(plan: &Plan, realm: &mut Realm, report: &mut Report) -> io::Result<Vec<Played>> {
    let mut random = Random::new(plan.seed);
    realm.start_all().await?;
    let (tell, is_calm) = watch::channel(false);
    let (ground, heard) = (realm.ground(), Arc::new(Notify::new()));
    let place = (&ground.doors, &Absences::default(), &heard);
    let mut tables = sit_down(plan, place, &mut random, &is_calm);
    let acknowledged = Acknowledged::note(&heard);
    for number in 0..plan.kills {
        let peace = random.below(PEACE);
        tokio::time::sleep(Duration::from_millis(peace)).await;
        // Once in a third of them the database is lost for good.
        let is_promotion = plan.kills >= 3 && number % (plan.kills / 2).max(3) == 2;
        let what = if is_promotion { PROMOTION } else { drawn(&mut random, realm) };
        let begun = Instant::now();
        strike(what, realm, &mut random).await?;
        report.kills += 1;
        *report.strikes.entry(what).or_default() += 1;
        if tokio::time::timeout(RECOVERED_WITHIN, heard.notified()).await.is_err() {
            report.fault(format!("nothing is acknowledged for a minute after: {what}"));
        }
        report.silences.entry(what).or_default().push(acknowledged.longest_silence(begun));
    }
    realm.start_all().await?;
    let _ = tell.send(true);
    Ok(gather(&mut tables, &ground, report).await)
}

/// When clients were told that something is kept.
struct Acknowledged(Arc<Mutex<Vec<Instant>>>);

impl Acknowledged {
    /// Notes it from now on, whatever else is being done.
    fn note(heard: &Arc<Notify>) -> Acknowledged {
        let (times, heard) = (Arc::new(Mutex::new(vec![Instant::now()])), Arc::clone(heard));
        let noted = Arc::clone(&times);
        tokio::spawn(async move {
            loop {
                heard.notified().await;
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            }
        });
        Acknowledged(times)
    }

    /// For how many milliseconds nobody was told so, at the longest, from then until now.
    fn longest_silence(&self, since: Instant) -> u64 {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let later = times.iter().copied().filter(|time| *time > since);
        let ends = later.chain([Instant::now()]);
        let silences = ends.scan(since, |last, time| Some(time - std::mem::replace(last, time)));
        silences.max().map_or(0, |silence| silence.as_millis() as u64)
    }
}

fn drawn(random: &mut Random, realm: &Realm) -> &'static str {
    let all: u64 = STRIKES.iter().map(|(_, often)| often).sum();
    let mut drawn = random.below(all);
    for (what, often) in STRIKES {
        if drawn < often {
            let is_nats = what.starts_with("NATS");
            return if is_nats && !realm.has_nats() { STRIKES[0].0 } else { what };
        }
        drawn -= often;
    }
    STRIKES[0].0
}

async fn strike(what: &str, realm: &mut Realm, random: &mut Random) -> io::Result<()> {
    let nap = async |ms| tokio::time::sleep(Duration::from_millis(ms)).await;
    let server = random.below(realm.servers.len() as u64) as usize;
    match what {
        "server killed" => {
            realm.kill(server)?;
            nap(random.below(AWAY)).await;
            // It may be struck again before it is ready.
            drop(realm.start(server)?);
        }
        "server replaced" => {
            let is_kept = tokio::task::block_in_place(|| realm.replace(server))?;
            if !is_kept {
                return Err(io::Error::other(
                    "a server that is told to end does not end well; see servers.log",
                ));
            }
        }
        "server stood still" => {
            realm.freeze(server, true)?;
            nap(random.below(STILL)).await;
            realm.freeze(server, false)?;
        }
        "NATS killed" => {
            realm.kill_nats()?;
            nap(random.below(AWAY)).await;
            realm.run_nats()?;
        }
        "NATS stood still" => {
            realm.freeze_nats(true)?;
            nap(random.below(STILL)).await;
            realm.freeze_nats(false)?;
        }
        "database killed" => tokio::task::block_in_place(|| realm.kill_database())?,
        "database stood still" => {
            realm.freeze_database(true)?;
            nap(random.below(DATABASE_STILL)).await;
            realm.freeze_database(false)?;
        }
        _ => tokio::task::block_in_place(|| realm.promote())?,
    }
    Ok(())
}

/// Compares what clients have seen with what is stored.
fn check(realm: &Realm, played: &[Played], report: &mut Report) {
    let config = Config { database: Some(realm.url().into()), ..Config::default() };
    let operator = match Operator::open(&config) {
        Ok(operator) => operator,
        Err(error) => return report.fault(format!("the store cannot be opened: {error}")),
    };
    for played in played {
        checking::with_rows(&operator, played, (&Absences::default(), AMONG_MANY), report);
    }
    money::check(&operator, played, report);
    operator.close();
    checking::servers_log(&realm.log(), report);
}
