//! Servers that are killed, and what becomes of the time of those who played there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_server::Company;
use intermezzo_store::{Clock, ManualClock, Memory, Store, SystemClock};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::client::Client;
use super::world::{START, World, generous};

/// What has to happen by itself happens within this time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with threads of its own, so that all of it can be ended at once.
pub(crate) struct Life {
    pub(crate) world: World,
    threads: Option<Runtime>,
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Life {
    pub(crate) async fn begin(
        store: &Arc<dyn Store>,
        clock: &Arc<ManualClock>,
        ruleset: &'static str,
    ) -> Life {
        Life::begin_among(store, clock, None, ruleset).await
    }

    /// The same as one of several servers.
    pub(crate) async fn begin_among(
        store: &Arc<dyn Store>,
        clock: &Arc<ManualClock>,
        company: Option<Company>,
        ruleset: &'static str,
    ) -> Life {
        let threads = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (store, clock) = (Arc::clone(store), Arc::clone(clock));
        let starting =
            threads.spawn(async move { World::among(store, clock, company, &[ruleset], generous()).await });
        Life { world: starting.await.unwrap(), threads: Some(threads) }
    }

    /// Ends everything where it stands.
    pub(crate) async fn kill(mut self) {
        let threads = self.threads.take().unwrap();
        let ending = move || threads.shutdown_timeout(PATIENCE);
        tokio::task::spawn_blocking(ending).await.unwrap();
    }
}

/// A store, and the clock it goes by.
pub(crate) fn by_hand() -> (Arc<dyn Store>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    (Arc::new(Memory::with_clock(Arc::clone(&clock) as Arc<dyn Clock>)), clock)
}

/// When the time is up for whoever has that token.
async fn deadline(world: &World, id: &str, token: &str) -> Value {
    let inputs = world.get(&format!("/matches/{id}/inputs"), Some(token)).await;
    inputs.body["prompts"][0]["deadlineTs"].clone()
}

#[tokio::test]
async fn a_deadline_comes_closer_even_if_no_server_lives_for_a_second() {
    let (store, clock) = by_hand();
    let life = Life::begin(&store, &clock, "orcain").await;
    let (anna, bela) = (life.world.guest("anna").await, life.world.guest("bela").await);
    let (cora, dora) = (life.world.guest("cora").await, life.world.guest("dora").await);
    let wish = json!({"ruleset": "orcain", "options": {"prep_ms": 1000}});
    let quiet = life.world.table(wish, &[&anna, &bela]).await;
    let busy = life.world.table(json!({"ruleset": "orcain"}), &[&cora, &dora]).await;
    assert_eq!(deadline(&life.world, &quiet, &anna).await, json!(START + 1_000));
    clock.advance(600);
    let draft = json!({"answers": ["attack", null, null]});
    let path = format!("/matches/{busy}/inputs/1/draft");
    assert_eq!(life.world.put(&path, &cora, draft).await.status, 200);
    life.kill().await;
    clock.advance(60_000);
    let life = Life::begin(&store, &clock, "orcain").await;
    assert_eq!(
        deadline(&life.world, &quiet, &anna).await,
        json!(START + 60_600 + 400),
        "the server was there when something happened in another match"
    );
    life.kill().await;
}

#[tokio::test]
async fn who_does_not_come_back_after_an_absence_is_lost_when_its_grace_is_over() {
    let (store, clock) = by_hand();
    let life = Life::begin(&store, &clock, "mages").await;
    let (cora, dora) = (life.world.guest("cora").await, life.world.guest("dora").await);
    let by_post = life.world.table(json!({"ruleset": "mages"}), &[&cora, &dora]).await;
    let (mut anna, mut bela) = life.world.pair(json!({"ruleset": "mages"})).await;
    let id = anna.match_id.clone().unwrap();
    anna.settle().await;
    bela.settle().await;
    life.kill().await;
    clock.advance(3_600_000);
    let life = Life::begin(&store, &clock, "mages").await;
    bela.return_to(&life.world).await;
    bela.settle().await;
    assert!(!bela.is_over(), "the absence is charged to nobody");
    life.world.pass(119_999, &id).await;
    assert_eq!(life.world.match_info(&id).await["status"], json!("playing"));
    life.world.pass(1, &id).await;
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    assert_eq!(bela.view["ending"]["winners"], json!(["p1"]));
    life.world.pass(3_600_000, &by_post).await;
    let info = life.world.match_info(&by_post).await;
    assert_eq!(info["status"], json!("playing"), "who never had a connection cannot lose it");
    life.kill().await;
}

#[tokio::test]
async fn a_match_nobody_comes_back_to_ends_by_itself() {
    let store: Arc<dyn Store> = Arc::new(Memory::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let life = Life::begin(&store, &clock, "mages").await;
    let wish = json!({"ruleset": "mages", "options": {"grace_ms": 300}});
    let (mut anna, mut bela) = life.world.pair(wish).await;
    let id = anna.match_id.clone().unwrap();
    anna.settle().await;
    bela.settle().await;
    life.kill().await;
    let life = Life::begin(&store, &clock, "mages").await;
    let begun = Instant::now();
    while life.world.match_info(&id).await["status"] != json!("ended") {
        assert!(begun.elapsed() < PATIENCE, "nobody comes, and the match does not end");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    life.kill().await;
}

#[tokio::test]
async fn even_where_a_lost_connection_forfeits_there_is_time_to_come_back_to_a_server() {
    let (store, clock) = by_hand();
    let life = Life::begin(&store, &clock, "orcain").await;
    let wish = json!({"ruleset": "orcain", "options": {"prep_ms": 100_000}});
    let (mut anna, mut bela) = life.world.pair(wish).await;
    let id = anna.match_id.clone().unwrap();
    anna.settle().await;
    bela.settle().await;
    life.kill().await;
    clock.advance(60_000);
    let life = Life::begin(&store, &clock, "orcain").await;
    clock.advance(29_000);
    bela.return_to(&life.world).await;
    bela.settle().await;
    assert!(!bela.is_over());
    life.world.pass(1_000, &id).await;
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    life.kill().await;
}

#[tokio::test]
async fn a_match_is_due_when_something_runs_out_and_never_after_its_end() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let due = async || world.store.due(i64::MAX, 9).await.unwrap().first().map(|(_, due)| *due);
    assert_eq!(due().await, Some(START + 20_000));
    world.clock.advance(15_000);
    for client in [&mut anna, &mut bela] {
        client.answer(client.asked().unwrap(), json!([null, null, null])).await.unwrap();
    }
    // The store is told when somebody is woken for nothing.
    let begun = Instant::now();
    while due().await != Some(START + 35_000) {
        assert!(begun.elapsed() < PATIENCE, "the match stays due for ever");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    anna.control(json!({"kind": "concede"})).await.unwrap();
    assert_eq!(due().await, None);
}
