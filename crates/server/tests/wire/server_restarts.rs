//! Crashes and restarts of servers, and their effect on clocks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_server::ClusterLink;
use intermezzo_store::{FaultInjector, ManualClock, MemoryStore, Store, SystemClock, TimeSource};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::client::WsClient;
use super::fixture::{START, WireFixture, without_rate_limits};
use super::shared_store::SharedStore;

/// Maximum time to wait for something that happens by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with its own runtime, so that everything in it can be killed at once.
pub(crate) struct KillableServer {
    pub(crate) fixture: WireFixture,
    runtime: Option<Runtime>,
}

impl Drop for KillableServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl KillableServer {
    pub(crate) async fn start(
        store: &Arc<dyn Store>,
        clock: &Arc<ManualClock>,
        ruleset: &'static str,
    ) -> KillableServer {
        KillableServer::start_in_cluster(store, clock, None, ruleset).await
    }

    /// Starts the server as one of several.
    pub(crate) async fn start_in_cluster(
        store: &Arc<dyn Store>,
        clock: &Arc<ManualClock>,
        company: Option<ClusterLink>,
        ruleset: &'static str,
    ) -> KillableServer {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store: Arc<dyn Store> = Arc::new(SharedStore(Arc::clone(store)));
        let clock = Arc::clone(clock);
        let starting = runtime.spawn(async move {
            WireFixture::in_cluster(store, clock, company, &[ruleset], without_rate_limits()).await
        });
        KillableServer { fixture: starting.await.unwrap(), runtime: Some(runtime) }
    }

    /// Stops the server as an operator does.
    pub(crate) async fn stop(mut self) {
        self.fixture.stop().await;
    }

    /// Kills the server without a shutdown.
    pub(crate) async fn kill(mut self) {
        let runtime = self.runtime.take().unwrap();
        let ending = move || runtime.shutdown_timeout(PATIENCE);
        tokio::task::spawn_blocking(ending).await.unwrap();
    }
}

/// Returns a store in memory with a manual clock.
pub(crate) fn store_with_manual_clock() -> (Arc<dyn Store>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    (Arc::new(MemoryStore::with_clock(Arc::clone(&clock) as Arc<dyn TimeSource>)), clock)
}

/// Returns the deadline of the token's open question.
async fn deadline(fixture: &WireFixture, id: &str, token: &str) -> Value {
    let inputs = fixture.get(&format!("/matches/{id}/inputs"), Some(token)).await;
    inputs.body["prompts"][0]["deadlineTs"].clone()
}

#[tokio::test]
async fn time_spent_before_a_crash_counts_even_within_a_second() {
    let (store, clock) = store_with_manual_clock();
    let server = KillableServer::start(&store, &clock, "orcain").await;
    let (anna, bela) = (server.fixture.guest("anna").await, server.fixture.guest("bela").await);
    let (cora, dora) = (server.fixture.guest("cora").await, server.fixture.guest("dora").await);
    let request = json!({"ruleset": "orcain", "options": {"prep_ms": 1000}});
    let quiet = server.fixture.start_match(request, &[&anna, &bela]).await;
    let busy = server.fixture.start_match(json!({"ruleset": "orcain"}), &[&cora, &dora]).await;
    assert_eq!(deadline(&server.fixture, &quiet, &anna).await, json!(START + 1_000));
    clock.advance(600);
    let draft = json!({"answers": ["attack", null, null]});
    let path = format!("/matches/{busy}/inputs/1/draft");
    assert_eq!(server.fixture.put(&path, &cora, draft).await.status, 200);
    server.kill().await;
    clock.advance(60_000);
    let server = KillableServer::start(&store, &clock, "orcain").await;
    assert_eq!(
        deadline(&server.fixture, &quiet, &anna).await,
        json!(START + 60_600 + 400),
        "a row of another match shows how long the server was up"
    );
    server.kill().await;
}

#[tokio::test]
async fn players_who_do_not_return_after_a_restart_lose_when_the_grace_expires() {
    let (store, clock) = store_with_manual_clock();
    let server = KillableServer::start(&store, &clock, "mages").await;
    let (cora, dora) = (server.fixture.guest("cora").await, server.fixture.guest("dora").await);
    let by_post = server.fixture.start_match(json!({"ruleset": "mages"}), &[&cora, &dora]).await;
    let (mut anna, mut bela) = server.fixture.pair(json!({"ruleset": "mages"})).await;
    let id = anna.match_id.clone().unwrap();
    anna.sync().await;
    bela.sync().await;
    server.kill().await;
    clock.advance(3_600_000);
    let server = KillableServer::start(&store, &clock, "mages").await;
    bela.reconnect_to(&server.fixture).await;
    bela.sync().await;
    assert!(!bela.is_over(), "downtime does not count");
    server.fixture.advance(119_999, &id).await;
    assert_eq!(server.fixture.match_info(&id).await["status"], json!("playing"));
    server.fixture.advance(1, &id).await;
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    assert_eq!(bela.view["ending"]["winners"], json!(["p1"]));
    server.fixture.advance(3_600_000, &by_post).await;
    let info = server.fixture.match_info(&by_post).await;
    assert_eq!(
        info["status"],
        json!("playing"),
        "players who were never connected cannot lose the connection"
    );
    server.kill().await;
}

#[tokio::test]
async fn an_abandoned_match_ends_by_itself() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let server = KillableServer::start(&store, &clock, "mages").await;
    let request = json!({"ruleset": "mages", "options": {"grace_ms": 300}});
    let (mut anna, mut bela) = server.fixture.pair(request).await;
    let id = anna.match_id.clone().unwrap();
    anna.sync().await;
    bela.sync().await;
    server.kill().await;
    let server = KillableServer::start(&store, &clock, "mages").await;
    let started = Instant::now();
    while server.fixture.match_info(&id).await["status"] != json!("ended") {
        assert!(started.elapsed() < PATIENCE, "the abandoned match did not end");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.kill().await;
}

#[tokio::test]
async fn after_a_restart_players_get_time_to_reconnect_even_without_grace() {
    let (store, clock) = store_with_manual_clock();
    let server = KillableServer::start(&store, &clock, "orcain").await;
    let request = json!({"ruleset": "orcain", "options": {"prep_ms": 100_000}});
    let (mut anna, mut bela) = server.fixture.pair(request).await;
    let id = anna.match_id.clone().unwrap();
    anna.sync().await;
    bela.sync().await;
    server.kill().await;
    clock.advance(60_000);
    let server = KillableServer::start(&store, &clock, "orcain").await;
    clock.advance(29_000);
    bela.reconnect_to(&server.fixture).await;
    bela.sync().await;
    assert!(!bela.is_over());
    server.fixture.advance(1_000, &id).await;
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    server.kill().await;
}

#[tokio::test]
async fn a_match_is_due_at_its_next_deadline_and_never_after_its_end() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let due = async || fixture.store.due(i64::MAX, 9).await.unwrap().first().map(|(_, due)| *due);
    assert_eq!(due().await, Some(START + 20_000));
    fixture.clock.advance(15_000);
    for client in [&mut anna, &mut bela] {
        client.answer(client.open_question().unwrap(), json!([null, null, null])).await.unwrap();
    }
    // The task updates the due time in the store when it wakes without work.
    let started = Instant::now();
    while due().await != Some(START + 35_000) {
        assert!(started.elapsed() < PATIENCE, "the due time was not updated");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anna.control(json!({"kind": "concede"})).await.unwrap();
    assert_eq!(due().await, None);
}

#[tokio::test]
async fn a_server_whose_store_accepts_no_writes_is_not_ready() {
    let clock = Arc::new(ManualClock::new(START));
    let inner = MemoryStore::with_clock(Arc::clone(&clock) as Arc<dyn TimeSource>);
    let store = Arc::new(FaultInjector::scripted(inner, []));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let fixture = WireFixture::with_store(shared, clock, &["orcain"], without_rate_limits()).await;
    let ready = async || fixture.get("/readyz", None).await.status;
    assert_eq!(ready().await, 200);
    for (is_full, expected) in [(true, 503), (false, 200)] {
        store.refuse_writes(is_full);
        let started = Instant::now();
        while ready().await != expected {
            assert!(started.elapsed() < PATIENCE, "/readyz does not become {expected}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    // A store that cannot be read is not a name that is taken.
    store.fail_reads(1_000);
    let request = super::raw_http::RawRequest { method: "POST", path: "/accounts", ..Default::default() };
    let refused = request.with_json(fixture.address, Some(&json!({}))).await;
    store.fail_reads(0);
    assert_eq!((refused.status, &refused.body["code"]), (503, &json!("busy")));
}

#[tokio::test]
async fn a_match_that_waits_for_a_bot_is_woken_after_a_crash_from_its_first_row_on() {
    let store = Arc::new(MemoryStore::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let fixture = WireFixture::with_store(shared, clock, &["skirmish"], without_rate_limits()).await;
    let host = fixture.guest("anna").await;
    let bots = json!({"ruleset": "skirmish", "places": ["mcts", "mcts"], "sit": false});
    let made = fixture.post("/matches", &host, bots).await;
    let id = made.body["id"].as_str().unwrap().to_owned();
    let started = fixture.post(&format!("/matches/{id}/start"), &host, json!({})).await;
    assert_eq!(started.status, 200, "{:?}", started.body);
    // Its first row is written, and the bot thinks for a while: a server that starts now must know of it.
    let view = fixture.get(&format!("/matches/{id}/view"), None).await;
    assert_eq!(view.body["version"], json!(1), "{:?}", view.body);
    let due = store.due(i64::MAX, 10).await.unwrap();
    assert!(due.iter().any(|(found, _)| found.to_string() == id), "{due:?}");
}
