//! Services on a test store, with a clock that is moved by hand.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{CreateMatch, EndingInfo, NewAccount, Sit};
use intermezzo_services::{AccountId, Caller, MatchRecord, Services, StartedMatch};
use intermezzo_store::{
    CommitOutcome, Expect, ManualClock, MatchId, MemoryStore, Put, SqliteStore, Store, TimeSource,
    Transaction,
};

pub(crate) const ORCAIN: &str = include_str!("../../../../rulesets/orcain/ruleset.yaml");

/// A ruleset for two to four seats without hidden information, which ends at once; with a stake.
pub(crate) const TINY: &str = "
ir: 1
ruleset: {id: tiny, version: 1.0.0, name: Tiny, description: Nothing much., uses: [core@1]}
options:
  entry: {type: int, default: 5, min: 0, max: 1000}
  mood:  {type: maybe<int>, default: null}
stakes: {currency: token, entry: options.entry, pot: options.entry * players.count}
players: {min: 2, max: 4, seats: 3}
outcomes: [done]
flow: [{end: done}]
";

pub(crate) struct ServicesFixture {
    pub(crate) services: Arc<Services>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
}

impl ServicesFixture {
    /// Creates services on a memory store.
    pub(crate) async fn new() -> ServicesFixture {
        ServicesFixture::on_store(|clock| Arc::new(MemoryStore::with_clock(clock))).await
    }

    /// Creates services on an SQLite store, where reads and writes take time, so that transactions conflict.
    pub(crate) async fn on_disk() -> (ServicesFixture, ServicesFolder) {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = ServicesFolder(
            std::env::temp_dir().join(format!("intermezzo-services-{}-{number}", std::process::id())),
        );
        let path = folder.0.clone();
        let fixture =
            ServicesFixture::on_store(move |clock| Arc::new(SqliteStore::open(&path, clock).unwrap())).await;
        (fixture, folder)
    }

    pub(crate) async fn on_store(
        store: impl FnOnce(Arc<dyn TimeSource>) -> Arc<dyn Store>,
    ) -> ServicesFixture {
        let clock = Arc::new(ManualClock::new(1_000_000_000_000));
        let store = store(Arc::clone(&clock) as Arc<dyn TimeSource>);
        let services = Arc::new(Services::new(Arc::clone(&store)));
        ServicesFixture { services, store, clock }
    }

    /// Creates services with two published rulesets.
    pub(crate) async fn with_rulesets() -> ServicesFixture {
        let fixture = ServicesFixture::new().await;
        fixture.publish_rulesets().await;
        fixture
    }

    pub(crate) async fn publish_rulesets(&self) {
        self.services.publish_bundled(bundled_rulesets()).await.unwrap();
    }

    /// Returns the services of another server on the same store.
    pub(crate) fn other_server(&self) -> Services {
        Services::new(Arc::clone(&self.store))
    }

    /// Creates an account with a password, without the time that hashing takes.
    pub(crate) async fn member(&self, name: &str) -> Caller {
        let guest = self.guest(name).await;
        let key = format!("account/{}", guest.account.id);
        let record = self.store.get(&key).await.unwrap().unwrap();
        let mut account: serde_json::Value = serde_json::from_slice(&record.value).unwrap();
        account["password"] = "not a hash".into();
        let value = Some(serde_json::to_vec(&account).unwrap());
        let put = Put { key, expect: Expect::Version(record.version), value };
        let transaction = Transaction { puts: vec![put], ..Transaction::default() };
        assert_eq!(self.store.commit(transaction).await, CommitOutcome::Committed);
        let mut account = guest.account.clone();
        account.guest = false;
        Caller::from(account)
    }

    pub(crate) async fn guest(&self, name: &str) -> Caller {
        let request = NewAccount { name: Some(name.to_owned()), password: None };
        let signed_in = self.services.create_account(&request).await.unwrap();
        Caller::from(self.services.authenticate(&signed_in.token).await.unwrap())
    }

    pub(crate) async fn balance(&self, caller: &Caller) -> i64 {
        self.services.balance(&caller.account.id).await.unwrap()
    }

    /// Starts a staked duel.
    pub(crate) async fn start_duel(&self, one: &Caller, other: &Caller) -> MatchRecord {
        let request = CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() };
        let created = self.services.create_match(one, &request).await.unwrap();
        self.services.take_seat(other, created.id, &Sit::default()).await.unwrap();
        self.services.set_ready(one, created.id, true).await.unwrap();
        self.services.set_ready(other, created.id, true).await.unwrap()
    }

    /// Ends a match like the server does.
    pub(crate) async fn end_match(&self, id: MatchId, ending: EndingInfo) -> Result<MatchRecord, Problem> {
        let settlement = self.services.prepare_settlement(id, ending).await?;
        let transaction = Transaction { puts: settlement.puts, ..Transaction::default() };
        assert_eq!(self.store.commit(transaction).await, CommitOutcome::Committed);
        Ok(settlement.record)
    }
}

/// A folder that is removed when dropped.
pub(crate) struct ServicesFolder(pub(crate) PathBuf);

impl Drop for ServicesFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn bundled_rulesets() -> Vec<(String, Vec<(String, String)>)> {
    let one = |name: &str, text: &str| (name.to_owned(), vec![("ruleset.yaml".to_owned(), text.to_owned())]);
    vec![one("orcain", ORCAIN), one("tiny", TINY)]
}

pub(crate) fn account_id(caller: &Caller) -> AccountId {
    caller.account.id.clone()
}

pub(crate) fn ending(winners: &[u8], losers: &[u8], pot: &str) -> EndingInfo {
    EndingInfo {
        outcome: "normal".to_owned(),
        winners: winners.to_vec(),
        losers: losers.to_vec(),
        pot: pot.to_owned(),
        score: None,
        reason: None,
    }
}

/// Returns the problem code of an outcome, or `fine`.
pub(crate) fn problem_code<T>(outcome: Result<T, Problem>) -> &'static str {
    match outcome {
        Ok(_) => "fine",
        Err(problem) => problem.code.name(),
    }
}

pub(crate) fn records(started: Vec<StartedMatch>) -> Vec<MatchRecord> {
    started.into_iter().map(|started| started.record).collect()
}
