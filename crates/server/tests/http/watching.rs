//! Looking at what has happened: pages, lines, streams, logs and forks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::client::Client;
use crate::world::{World, duel, question};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

async fn play_a_round(ann: &Client, bob: &Client, id: &str) {
    for player in [ann, bob] {
        let input = question(player, id).await;
        player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": LAYOUT})).await.good();
    }
}

#[tokio::test]
async fn the_past_comes_in_pages_and_in_lines() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    let whole = ann.get(&format!("/matches/{id}/events")).await.good();
    assert_eq!(whole.get("next"), None);
    let mut steps = Vec::new();
    let mut since = 0;
    loop {
        let page = ann.get(&format!("/matches/{id}/events?limit=1&since={since}")).await.good();
        steps.extend(page["items"].as_array().unwrap().clone());
        match page["next"].as_u64() {
            Some(next) => since = next,
            None => break,
        }
    }
    assert_eq!(whole["items"], json!(steps));
    let versions: Vec<u64> = steps.iter().map(|step| step["version"].as_u64().unwrap()).collect();
    assert_eq!(versions, [1, 2, 3]);
    let accept = [("accept", "application/x-ndjson")];
    let lines = ann.send("GET", &format!("/matches/{id}/events"), &accept, None).await;
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> = lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, steps);
}

#[tokio::test]
async fn a_secret_draft_leaves_no_trace_for_others() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let before = bob.get(&format!("/matches/{id}/events")).await.good();
    let input = question(&ann, &id).await;
    ann.put(&format!("/matches/{id}/inputs/{input}/draft"), json!({"answers": LAYOUT})).await.good();
    assert_eq!(bob.get(&format!("/matches/{id}/events")).await.good(), before);
}

/// Reads a stream until it has so many events, or nothing comes any more.
async fn read_events(stream: &mut tokio::net::TcpStream, enough: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !enough(&text) {
        let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut buffer)).await;
        let read = read.expect("something comes within ten seconds").unwrap();
        assert!(read > 0, "the stream has ended: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

#[tokio::test]
async fn a_stream_goes_on_where_it_was_cut_off() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/events");
    let accept = ("accept", "text/event-stream");
    let mut stream = ann.open("GET", &path, &[accept], b"").await;
    let welcome = read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    assert!(welcome.contains("content-type: text/event-stream"), "{welcome}");
    assert!(welcome.contains("event: welcome\nid: 1\ndata: {"), "{welcome}");
    play_a_round(&ann, &bob, &id).await;
    let live = read_events(&mut stream, |text| text.contains("id: 3\n")).await;
    assert!(live.contains("event: event.appended\nid: 2\n"), "{live}");
    drop(stream);
    let mut stream = ann.open("GET", &path, &[accept, ("last-event-id", "2")], b"").await;
    let again = read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    assert!(again.contains("event: event.appended\nid: 3\n"), "{again}");
    assert!(!again.contains("event: event.appended\nid: 2\n"), "{again}");
    drop(stream);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let status = ann.get(&format!("/matches/{id}")).await.good()["status"].clone();
    assert_eq!(status, "playing", "who only reads does not leave by hanging up");
}

#[tokio::test]
async fn a_stream_ends_with_a_reason_when_the_server_stops() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let mut stream =
        ann.open("GET", &format!("/matches/{id}/events"), &[("accept", "text/event-stream")], b"").await;
    read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    let reading =
        tokio::spawn(async move { read_events(&mut stream, |text| text.contains("event: end")).await });
    world.stop().await;
    assert!(reading.await.unwrap().contains("the server stops"));
}

#[tokio::test]
async fn who_looks_on_later_sees_nothing_early() {
    let world = World::new().await;
    let (ann, bob, carl) = (world.guest().await, world.guest().await, world.guest().await);
    let wish = json!({"ruleset": "orcain", "spectators": {"allowed": true, "delayMs": 600_000}});
    let path = format!("/matches/{}", ann.post("/matches", wish).await.good()["id"].as_str().unwrap());
    bob.post(&format!("{path}/seats"), json!({})).await.good();
    for player in [&ann, &bob] {
        player.put(&format!("{path}/ready"), json!({"ready": true})).await.good();
    }
    assert_eq!(carl.get(&format!("{path}/view")).await.code(), "closed");
    assert_eq!(carl.get(&format!("{path}/inputs")).await.code(), "not_allowed");
    assert_eq!(carl.get(&format!("{path}/events")).await.good()["items"], json!([]));
    assert_eq!(ann.get(&format!("{path}/view?spectate=true")).await.code(), "closed");
    ann.get(&format!("{path}/view")).await.good();
}

#[tokio::test]
async fn nobody_looks_on_where_that_is_not_wanted() {
    let world = World::new().await;
    let (ann, carl) = (world.guest().await, world.guest().await);
    let wish = json!({"ruleset": "orcain", "places": ["human", "random"], "spectators": {"allowed": false}});
    let path = format!("/matches/{}", ann.post("/matches", wish).await.good()["id"].as_str().unwrap());
    ann.post(&format!("{path}/start"), Value::Null).await.good();
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.good();
    for look in ["view", "events", "log"] {
        assert_eq!(carl.get(&format!("{path}/{look}")).await.code(), "not_allowed", "{look}");
    }
    ann.get(&format!("{path}/log")).await.good();
}

#[tokio::test]
async fn the_log_opens_when_the_match_is_over_and_verifies() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    let early = ann.get(&format!("/matches/{id}/log")).await;
    assert_eq!((early.status, early.json()["reason"].as_str()), (403, Some("not_over")));
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    let log = world.stranger().get(&format!("/matches/{id}/log")).await;
    let file = intermezzo_journal::MatchFile::parse(log.text.as_bytes()).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets/orcain");
    let program = intermezzo_compiler::Ruleset::load(&folder).unwrap().compile().program.unwrap();
    let verified = file.verify(&std::sync::Arc::new(program)).unwrap();
    assert!(verified.is_over);
}

#[tokio::test]
async fn a_fork_goes_on_from_any_input_and_leaves_the_match_alone() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    assert_eq!(ann.post(&format!("/matches/{id}/fork"), json!({"at": 1})).await.code(), "not_allowed");
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    let log = ann.get(&format!("/matches/{id}/log")).await.good();
    let inputs = log["inputs"].as_array().unwrap().len();
    assert_eq!(bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs})).await.code(), "invalid");
    assert_eq!(bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs + 1})).await.code(), "invalid");
    let forked = bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs - 1})).await.good();
    let fork = forked["id"].as_str().unwrap();
    assert_eq!((&forked["rated"], forked.get("stake")), (&json!(false), None));
    let view = bob.get(&format!("/matches/{fork}/view?seat=0")).await.good();
    assert_eq!(view["view"]["match"]["round"], 2);
    let input = question(&bob, fork).await;
    bob.post(&format!("/matches/{fork}/inputs/{input}?seat=0"), json!({"answers": LAYOUT})).await.good();
    assert_eq!(ann.get(&format!("/matches/{id}/log")).await.good(), log);
}
