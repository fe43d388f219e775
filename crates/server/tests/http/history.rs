//! The history of matches: pages, lines, streams, match files and forks.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, open_question, start_duel};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

async fn play_a_round(ann: &HttpClient, bob: &HttpClient, id: &str) {
    for player in [ann, bob] {
        let input = open_question(player, id).await;
        player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": LAYOUT})).await.ok_json();
    }
}

#[tokio::test]
async fn the_history_comes_in_pages_and_in_lines() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    let whole = ann.get(&format!("/matches/{id}/events")).await.ok_json();
    assert_eq!(whole.get("next"), None);
    let mut steps = Vec::new();
    let mut since = 0;
    loop {
        let page = ann.get(&format!("/matches/{id}/events?limit=1&since={since}")).await.ok_json();
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
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let before = bob.get(&format!("/matches/{id}/events")).await.ok_json();
    let input = open_question(&ann, &id).await;
    ann.put(&format!("/matches/{id}/inputs/{input}/draft"), json!({"answers": LAYOUT})).await.ok_json();
    assert_eq!(bob.get(&format!("/matches/{id}/events")).await.ok_json(), before);
}

/// Reads a stream until `enough` returns true.
async fn read_events(stream: &mut tokio::net::TcpStream, enough: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !enough(&text) {
        let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut buffer)).await;
        let read = read.expect("nothing arrived within ten seconds").unwrap();
        assert!(read > 0, "the stream has ended: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

/// Returns the versions of the appended steps.
fn appended_versions(text: &str) -> Vec<u64> {
    let frames = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let frames = frames.filter_map(|frame| serde_json::from_str::<Value>(frame).ok());
    let appended = frames.filter(|frame| frame["type"] == "event.appended");
    appended.filter_map(|frame| frame["version"].as_u64()).collect()
}

#[tokio::test]
async fn an_interrupted_stream_resumes() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/events");
    let accept = ("accept", "text/event-stream");
    let mut stream = ann.open("GET", &path, &[accept], b"").await;
    let welcome = read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    assert!(welcome.contains("content-type: text/event-stream"), "{welcome}");
    assert!(welcome.contains("event: welcome\nid: 1\ndata: {"), "{welcome}");
    play_a_round(&ann, &bob, &id).await;
    let live = read_events(&mut stream, |text| text.contains("id: 3\n")).await;
    assert_eq!(appended_versions(&live), [2, 3]);
    drop(stream);
    let mut stream = ann.open("GET", &path, &[accept, ("last-event-id", "2")], b"").await;
    let again = read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    assert_eq!(appended_versions(&again), [3]);
    assert!(
        again.contains("event: welcome\ndata: {"),
        "a version counts as received only when it is complete: {again}"
    );
    drop(stream);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let status = ann.get(&format!("/matches/{id}")).await.ok_json()["status"].clone();
    assert_eq!(status, "playing", "closing a stream does not count as leaving");
}

#[tokio::test]
async fn a_stream_ends_with_a_reason_when_the_server_stops() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let mut stream =
        ann.open("GET", &format!("/matches/{id}/events"), &[("accept", "text/event-stream")], b"").await;
    read_events(&mut stream, |text| text.contains("event: priority.changed")).await;
    let reading =
        tokio::spawn(async move { read_events(&mut stream, |text| text.contains("event: end")).await });
    fixture.stop().await;
    assert!(reading.await.unwrap().contains("the server is shutting down"));
}

#[tokio::test]
async fn delayed_spectators_see_nothing_early() {
    let fixture = HttpFixture::new().await;
    let (ann, bob, carl) = (fixture.guest().await, fixture.guest().await, fixture.guest().await);
    let request = json!({"ruleset": "orcain", "spectators": {"allowed": true, "delayMs": 600_000}});
    let path = format!("/matches/{}", ann.post("/matches", request).await.ok_json()["id"].as_str().unwrap());
    bob.post(&format!("{path}/seats"), json!({})).await.ok_json();
    for player in [&ann, &bob] {
        player.put(&format!("{path}/ready"), json!({"ready": true})).await.ok_json();
    }
    assert_eq!(carl.get(&format!("{path}/view")).await.problem_code(), "closed");
    assert_eq!(carl.get(&format!("{path}/inputs")).await.problem_code(), "not_allowed");
    assert_eq!(carl.get(&format!("{path}/events")).await.ok_json()["items"], json!([]));
    assert_eq!(ann.get(&format!("{path}/view?spectate=true")).await.problem_code(), "closed");
    ann.get(&format!("{path}/view")).await.ok_json();
}

#[tokio::test]
async fn spectators_are_rejected_if_not_allowed() {
    let fixture = HttpFixture::new().await;
    let (ann, carl) = (fixture.guest().await, fixture.guest().await);
    let request =
        json!({"ruleset": "orcain", "places": ["human", "random"], "spectators": {"allowed": false}});
    let path = format!("/matches/{}", ann.post("/matches", request).await.ok_json()["id"].as_str().unwrap());
    ann.post(&format!("{path}/start"), Value::Null).await.ok_json();
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.ok_json();
    for look in ["view", "events", "log"] {
        assert_eq!(carl.get(&format!("{path}/{look}")).await.problem_code(), "not_allowed", "{look}");
    }
    ann.get(&format!("{path}/log")).await.ok_json();
}

#[tokio::test]
async fn the_match_file_is_available_after_the_match_and_verifies() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    let early = ann.get(&format!("/matches/{id}/log")).await;
    assert_eq!((early.status, early.json()["reason"].as_str()), (403, Some("not_over")));
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    let log = fixture.anonymous().get(&format!("/matches/{id}/log")).await;
    let file = intermezzo_matchfile::MatchFile::parse(log.text.as_bytes()).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets/orcain");
    let program = intermezzo_compiler::Ruleset::load(&folder).unwrap().compile().program.unwrap();
    let verified = file.verify(&std::sync::Arc::new(program)).unwrap();
    assert!(verified.is_over);
}

#[tokio::test]
async fn a_fork_continues_from_any_input_and_does_not_change_the_match() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    play_a_round(&ann, &bob, &id).await;
    assert_eq!(
        ann.post(&format!("/matches/{id}/fork"), json!({"at": 1})).await.problem_code(),
        "not_allowed"
    );
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    let log = ann.get(&format!("/matches/{id}/log")).await.ok_json();
    let inputs = log["inputs"].as_array().unwrap().len();
    assert_eq!(
        bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs})).await.problem_code(),
        "invalid"
    );
    assert_eq!(
        bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs + 1})).await.problem_code(),
        "invalid"
    );
    let forked = bob.post(&format!("/matches/{id}/fork"), json!({"at": inputs - 1})).await.ok_json();
    let fork = forked["id"].as_str().unwrap();
    assert_eq!((&forked["rated"], forked.get("stake")), (&json!(false), None));
    let view = bob.get(&format!("/matches/{fork}/view?seat=0")).await.ok_json();
    assert_eq!(view["view"]["match"]["round"], 2);
    let input = open_question(&bob, fork).await;
    bob.post(&format!("/matches/{fork}/inputs/{input}?seat=0"), json!({"answers": LAYOUT})).await.ok_json();
    assert_eq!(ann.get(&format!("/matches/{id}/log")).await.ok_json(), log);
}
