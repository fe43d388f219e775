//! Several servers on one store: clients may use any of them, and any of them may crash.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use intermezzo_server::{Bus, ClusterLink, Notification, Topic};
use intermezzo_store::{ManualClock, Store};
use serde_json::json;
use tokio::sync::mpsc;

use super::client::WsClient;
use super::server_restarts::{KillableServer, store_with_manual_clock};

/// An in-memory bus between servers, which can be silenced.
#[derive(Default)]
struct TestBus {
    listeners: Mutex<Vec<BusListener>>,
    is_silent: AtomicBool,
}

struct BusListener {
    server: usize,
    topics: BTreeSet<Topic>,
    sender: mpsc::Sender<Notification>,
}

/// One server's connection to the bus.
struct TestBusHandle {
    bus: Arc<TestBus>,
    server: usize,
}

impl TestBus {
    fn connect(self: &Arc<TestBus>) -> ClusterLink {
        let (sender, news) = mpsc::channel(1_000);
        let mut listeners = self.listeners.lock().unwrap();
        let server = listeners.len();
        listeners.push(BusListener { server, topics: BTreeSet::new(), sender });
        ClusterLink { bus: Arc::new(TestBusHandle { bus: Arc::clone(self), server }), notifications: news }
    }
}

impl Bus for TestBusHandle {
    fn publish(&self, news: Notification) {
        if self.bus.is_silent.load(Ordering::Relaxed) {
            return;
        }
        for listener in self.bus.listeners.lock().unwrap().iter() {
            if listener.server != self.server && listener.topics.contains(&news.topic) {
                let _ = listener.sender.try_send(news);
            }
        }
    }

    fn subscribe(&self, topic: Topic) {
        self.bus.listeners.lock().unwrap()[self.server].topics.insert(topic);
    }

    fn unsubscribe(&self, topic: Topic) {
        self.bus.listeners.lock().unwrap()[self.server].topics.remove(&topic);
    }
}

/// Two servers on one store.
pub(crate) struct TwoServers {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    bus: Arc<TestBus>,
    ruleset: &'static str,
    pub(crate) one: KillableServer,
    pub(crate) other: KillableServer,
}

impl TwoServers {
    pub(crate) async fn start(ruleset: &'static str) -> TwoServers {
        let (store, clock) = store_with_manual_clock();
        let bus = Arc::new(TestBus::default());
        let one = KillableServer::start_in_cluster(&store, &clock, Some(bus.connect()), ruleset).await;
        let other = KillableServer::start_in_cluster(&store, &clock, Some(bus.connect()), ruleset).await;
        TwoServers { store, clock, bus, ruleset, one, other }
    }

    pub(crate) async fn start_third(&self) -> KillableServer {
        KillableServer::start_in_cluster(&self.store, &self.clock, Some(self.bus.connect()), self.ruleset)
            .await
    }

    /// Creates two guests in one match, each connected to a different server.
    async fn pair(&self) -> (WsClient, WsClient) {
        self.pair_named(["anna", "bela"]).await
    }

    /// Does the same with other names.
    pub(crate) async fn pair_named(&self, names: [&str; 2]) -> (WsClient, WsClient) {
        let (anna, bela) = (self.one.fixture.guest(names[0]).await, self.one.fixture.guest(names[1]).await);
        let id = self.one.fixture.start_match(json!({"ruleset": self.ruleset}), &[&anna, &bela]).await;
        let anna = WsClient::join(&self.one.fixture, &anna, &id).await;
        (anna, WsClient::join(&self.other.fixture, &bela, &id).await)
    }
}

/// Answers `turns` questions, whichever player is asked.
async fn play(anna: &mut WsClient, bela: &mut WsClient, turns: usize) {
    for _ in 0..turns {
        while anna.open_question().is_none() && bela.open_question().is_none() {
            tokio::select! {
                _ = anna.next() => {}
                _ = bela.next() => {}
            }
        }
        let client = if anna.open_question().is_some() { &mut *anna } else { &mut *bela };
        let question = client.open_question().unwrap();
        let options = client.prompts[0]["options"].as_array().unwrap();
        let first = options[0]["value"].clone();
        client.answer(question, first).await.unwrap();
        client.wait_until(|client| client.open_question() != Some(question)).await;
    }
}

#[tokio::test]
async fn players_on_different_servers_see_the_same_match() {
    let servers = TwoServers::start("race").await;
    let (mut anna, mut bela) = servers.pair().await;
    play(&mut anna, &mut bela, 30).await;
    for client in [&mut anna, &mut bela] {
        client.wait_until(WsClient::is_over).await;
    }
    assert_eq!(anna.view["players"], bela.view["players"]);
    assert_eq!(anna.events.len(), bela.events.len(), "this ruleset hides nothing");
}

#[tokio::test]
async fn without_the_bus_servers_notice_changes_by_reading_the_store() {
    let servers = TwoServers::start("race").await;
    servers.bus.is_silent.store(true, Ordering::Relaxed);
    let (mut anna, mut bela) = servers.pair().await;
    play(&mut anna, &mut bela, 3).await;
    // The other server has not been notified of the question and accepts the answer anyway.
    bela.sync().await;
    assert_eq!(anna.version, bela.version);
}

#[tokio::test]
async fn simultaneous_answers_are_all_accepted() {
    let servers = TwoServers::start("orcain").await;
    let (mut anna, mut bela) = servers.pair().await;
    for round in 0..5 {
        if anna.is_over() || bela.is_over() {
            break;
        }
        for client in [&mut anna, &mut bela] {
            client.wait_until(|client| client.open_question().is_some() || client.is_over()).await;
        }
        let (one, other) = (anna.open_question().unwrap(), bela.open_question().unwrap());
        let layout = json!([null, null, null]);
        let (one, other) = tokio::join!(anna.answer(one, layout.clone()), bela.answer(other, layout));
        assert!(one.is_ok() && other.is_ok(), "round {round}: {one:?} {other:?}");
    }
}

#[tokio::test]
async fn a_stale_server_catches_up_before_it_rejects_a_command() {
    let servers = TwoServers::start("race").await;
    let (mut anna, mut bela) = servers.pair().await;
    servers.bus.is_silent.store(true, Ordering::Relaxed);
    let question = anna.open_question().unwrap();
    anna.answer(question, json!(true)).await.unwrap();
    // The other server's copy of the match does not have this question yet.
    let path = format!("/matches/{}/inputs", bela.match_id.clone().unwrap());
    let asked = servers.one.fixture.get(&path, bela.token.as_deref()).await.body["prompts"][0]["inputId"]
        .as_u64()
        .unwrap();
    bela.answer(asked, json!(true)).await.unwrap();
    let again = bela.answer(asked, json!(true)).await.unwrap_err();
    assert_eq!(again.code.name(), "closed");
}

#[tokio::test]
async fn clients_of_a_crashed_server_continue_on_another() {
    let servers = TwoServers::start("race").await;
    let (mut anna, mut bela) = servers.pair().await;
    play(&mut anna, &mut bela, 6).await;
    bela.sync().await;
    let TwoServers { one, other, .. } = servers;
    other.kill().await;
    bela.reconnect_to(&one.fixture).await;
    play(&mut anna, &mut bela, 6).await;
    bela.sync().await;
    anna.sync().await;
    assert_eq!(anna.version, bela.version);
}

#[tokio::test]
async fn a_command_repeated_on_another_server_is_executed_once() {
    let servers = TwoServers::start("race").await;
    let (mut anna, _bela) = servers.pair().await;
    let frame = json!({"type": "input.submit", "inputId": anna.open_question().unwrap(), "answers": true});
    let first = anna.command_with_id("mine", frame.clone()).await.unwrap();
    anna.drop_connection().await;
    anna.reconnect_to(&servers.other.fixture).await;
    let again = anna.command_with_id("mine", frame.clone()).await.unwrap();
    assert_eq!(first, again);
    let mut other = frame;
    other["answers"] = json!(false);
    assert_eq!(anna.command_with_id("mine", other).await.unwrap_err().code.name(), "command_reused");
}

#[tokio::test]
async fn players_queued_on_different_servers_are_matched() {
    let servers = TwoServers::start("race").await;
    let (anna, bela) = (servers.one.fixture.guest("anna").await, servers.one.fixture.guest("bela").await);
    let mut anna = WsClient::join_as(&servers.one.fixture, json!({"token": anna})).await;
    let mut bela = WsClient::join_as(&servers.other.fixture, json!({"token": bela})).await;
    for client in [&mut anna, &mut bela] {
        client.command(json!({"type": "queue.join", "ruleset": "race", "stake": false})).await.unwrap();
    }
    let (one, other) = (anna.wait_for_match().await, bela.wait_for_match().await);
    assert_eq!(one, other);
}

#[tokio::test]
async fn signing_out_on_one_server_applies_to_all() {
    let servers = TwoServers::start("race").await;
    let token = servers.one.fixture.guest("anna").await;
    let mut anna = WsClient::join_as(&servers.other.fixture, json!({"token": token})).await;
    servers.one.fixture.delete("/sessions/current", &token).await;
    let (code, reason) = anna.wait_for_close().await.unwrap();
    assert_eq!((code, reason.as_str()), (1008, "the login session has ended"));
}

#[tokio::test]
async fn players_of_a_crashed_server_count_as_disconnected() {
    let servers = TwoServers::start("relay").await;
    let (mut anna, bela) = servers.pair().await;
    anna.wait_until(|client| client.connected == [0, 1]).await;
    let TwoServers { one: _one, other, clock, .. } = servers;
    other.kill().await;
    drop(bela);
    // After a while the server counts as dead, and after the grace period the player as gone.
    clock.advance(6_000);
    anna.wait_until(|client| client.connected == [0]).await;
    clock.advance(10_000);
    let question = anna.open_question().unwrap();
    anna.answer(question, json!(1)).await.unwrap();
    // A bot takes over, and it is this player's turn again.
    anna.wait_until(|client| client.open_question().is_some_and(|asked| asked != question)).await;
}

#[tokio::test]
async fn a_player_with_a_second_connection_on_another_server_is_present() {
    let servers = TwoServers::start("orcain").await;
    let (mut anna, bela) = servers.pair().await;
    let (token, id) = (anna.token.clone().unwrap(), anna.match_id.clone().unwrap());
    let mut again = WsClient::join(&servers.other.fixture, &token, &id).await;
    let mut bela = WsClient::join(&servers.one.fixture, &bela.token.clone().unwrap(), &id).await;
    bela.wait_until(|client| client.connected == [0, 1]).await;
    anna.drop_connection().await;
    bela.wait_until(|client| client.connected == [1]).await;
    bela.wait_until(|client| client.connected == [0, 1]).await;
    servers.clock.advance(4_000);
    again.answer(again.open_question().unwrap(), json!([null, null, null])).await.unwrap();
    bela.sync().await;
    assert!(!bela.is_over());
    // This ruleset has no grace period, apart from the time the servers need to notice.
    again.drop_connection().await;
    bela.wait_until(|client| client.connected == [1]).await;
    servers.clock.advance(4_000);
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
}

#[tokio::test]
async fn a_deadline_expires_once_on_several_servers() {
    let servers = TwoServers::start("orcain").await;
    let (mut anna, mut bela) = servers.pair().await;
    servers.clock.advance(20_000);
    let ended = |client: &WsClient| {
        client.events.iter().filter(|event| event["event"] == json!("RoundEnded")).count()
    };
    for client in [&mut anna, &mut bela] {
        client.wait_until(|client| ended(client) > 0 && client.open_question().is_some()).await;
        client.sync().await;
        assert_eq!(ended(client), 1);
    }
    assert_eq!(anna.prompts[0]["deadlineTs"], bela.prompts[0]["deadlineTs"]);
}

#[tokio::test]
async fn new_servers_continue_running_matches() {
    let servers = TwoServers::start("race").await;
    let (mut anna, mut bela) = servers.pair().await;
    play(&mut anna, &mut bela, 20).await;
    let third = servers.start_third().await;
    let TwoServers { one, other, .. } = servers;
    one.kill().await;
    other.kill().await;
    for client in [&mut anna, &mut bela] {
        client.reconnect_to(&third.fixture).await;
    }
    play(&mut anna, &mut bela, 10).await;
    for client in [&mut anna, &mut bela] {
        client.wait_until(WsClient::is_over).await;
    }
}
