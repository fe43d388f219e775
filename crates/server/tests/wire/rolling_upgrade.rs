//! Two servers are replaced one after the other, as in an upgrade, while matches are played on them.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use intermezzo_protocol::ServerFrame;
use serde_json::json;

use super::client::{SocketMessage, WsClient};
use super::cluster::TwoServers;

const MATCHES: usize = 5;
/// Delay of a player before an answer, so that matches last longer than the replacement.
const THINKING: Duration = Duration::from_millis(20);

/// Maximum duration of the whole test.
const PATIENCE: Duration = Duration::from_secs(60);

/// State that all players share.
#[derive(Default)]
struct Shared {
    /// The servers that players may connect to.
    addresses: Mutex<Vec<SocketAddr>>,
    acknowledged: AtomicUsize,
    reconnects: AtomicUsize,
}

impl Shared {
    fn address(&self, player: usize) -> SocketAddr {
        let addresses = self.addresses.lock().unwrap();
        addresses[player % addresses.len()]
    }

    /// Waits until the players have answered so many questions more.
    async fn wait_for_answers(&self, count: usize) {
        let enough = self.acknowledged.load(Ordering::Relaxed) + count;
        while self.acknowledged.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Plays a match to its end on whichever server is there. Returns the client and the questions it has answered.
async fn play_through(
    mut client: WsClient,
    number: usize,
    shared: Arc<Shared>,
) -> (WsClient, BTreeSet<String>) {
    let mut answered = BTreeSet::new();
    let mut sent = None;
    while !client.is_over() {
        if let Some(question) = client.open_question().filter(|_| sent.is_none()) {
            tokio::time::sleep(THINKING).await;
            let answer = client.prompts[0]["options"][0]["value"].clone();
            sent =
                Some(json!({"type": "input.submit", "commandId": question.to_string(), "inputId": question,
                "answers": answer}));
            client.send(sent.as_ref().unwrap()).await;
        }
        match client.receive().await {
            SocketMessage::Frame(frame) => match *frame {
                ServerFrame::Ack { command_id, .. } => {
                    assert!(answered.insert(command_id), "a command is acknowledged once");
                    shared.acknowledged.fetch_add(1, Ordering::Relaxed);
                    sent = None;
                }
                ServerFrame::Error { problem, .. } => {
                    assert!(matches!(problem.code.name(), "draining" | "busy"), "{problem:?}");
                }
                _ => {}
            },
            SocketMessage::Closed(_) => {
                client.reconnect_at(shared.address(number)).await;
                shared.reconnects.fetch_add(1, Ordering::Relaxed);
                // The id of the command shows whether it was carried out.
                if let Some(sent) = &sent {
                    client.send(sent).await;
                }
            }
        }
    }
    (client, answered)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_played_on_while_servers_are_replaced() {
    tokio::time::timeout(PATIENCE, replace_servers()).await.expect("all matches end");
}

async fn replace_servers() {
    let mut servers = TwoServers::start("race").await;
    let shared = Arc::new(Shared::default());
    *shared.addresses.lock().unwrap() = vec![servers.one.fixture.address, servers.other.fixture.address];
    let mut players = Vec::new();
    for number in 0..MATCHES {
        let (anna, bela) = servers.pair_named([&format!("anna-{number}"), &format!("bela-{number}")]).await;
        for (seat, client) in [anna, bela].into_iter().enumerate() {
            players.push(tokio::spawn(play_through(client, number + seat, Arc::clone(&shared))));
        }
    }
    shared.wait_for_answers(20).await;
    for server in 0..2 {
        let new = servers.start_third().await;
        let slot = if server == 0 { &mut servers.one } else { &mut servers.other };
        let old = std::mem::replace(slot, new);
        let (stopped, started) = (old.fixture.address, slot.fixture.address);
        {
            let mut addresses = shared.addresses.lock().unwrap();
            addresses.retain(|address| *address != stopped);
            addresses.push(started);
        }
        old.stop().await;
        assert!(players.iter().all(|player| !player.is_finished()), "all matches are still being played");
        shared.wait_for_answers(20).await;
    }
    assert!(shared.reconnects.load(Ordering::Relaxed) >= MATCHES * 2, "all connections were replaced");
    let mut pairs = players.into_iter();
    while let (Some(anna), Some(bela)) = (pairs.next(), pairs.next()) {
        let ((anna, one), (bela, other)) = (anna.await.unwrap(), bela.await.unwrap());
        assert_eq!(anna.view["players"], bela.view["players"]);
        assert_eq!(anna.version, bela.version);
        let path = format!("/matches/{}/log", anna.match_id.as_ref().unwrap());
        let log = servers.one.fixture.get(&path, anna.token.as_deref()).await.body;
        let inputs = log["inputs"].as_array().map_or(0, Vec::len);
        // The frame that ends the match may come before the last acknowledgement.
        let acknowledged = one.len() + other.len();
        assert!(
            (inputs - 1..=inputs).contains(&acknowledged),
            "{acknowledged} of {inputs} were acknowledged"
        );
    }
}
