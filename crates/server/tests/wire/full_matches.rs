//! Clients play the rulesets of this repository to the end, using only the protocol.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_protocol::Code;
use serde_json::{Value, json};

use super::client::WsClient;
use super::fixture::WireFixture;
use super::random_answers;

/// No match of these tests takes longer.
const MAX_ANSWERS: u32 = 5_000;

/// Answers all questions at random until the match is over or `is_enough` holds; returns the number of answers.
pub(crate) async fn play(
    client: &mut WsClient,
    random: &mut Random,
    is_enough: impl Fn(&WsClient) -> bool,
) -> u32 {
    for answers in 0..MAX_ANSWERS {
        client.wait_until(|client| client.is_over() || !client.prompts.is_empty() || is_enough(client)).await;
        if client.is_over() || is_enough(client) {
            return answers;
        }
        let prompt = client.prompts[0].clone();
        let answer = random_answers::random_answer(client, &prompt, random).await;
        let input = prompt["inputId"].as_u64().unwrap();
        match client.answer(input, answer.clone()).await {
            Ok(()) => {}
            Err(problem) if problem.code == Code::Closed => {}
            Err(problem) => panic!("{answer} to {prompt}: {problem}"),
        }
    }
    panic!("the match did not end");
}

/// A match to play.
struct FullMatch {
    request: Value,
    seats: usize,
    /// Zones hidden from spectators.
    hidden: &'static [&'static str],
    /// Condition at which the first player loses the connection once.
    breaks: Option<fn(&WsClient) -> bool>,
}

/// Plays a match with a spectator.
async fn play_full_match(full_match: FullMatch) {
    let ruleset = full_match.request["ruleset"].as_str().unwrap().to_owned();
    let fixture = Arc::new(WireFixture::new(&[&ruleset]).await);
    let mut tokens = Vec::new();
    for seat in 0..full_match.seats {
        tokens.push(fixture.guest(&format!("player{seat}")).await);
    }
    let id =
        fixture.start_match(full_match.request, &tokens.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let watcher = WsClient::join_as(&fixture, json!({"match": id})).await;
    let watching = tokio::spawn(watch(watcher, full_match.hidden));
    let mut playing = Vec::new();
    for (seat, token) in tokens.iter().enumerate() {
        let client = WsClient::join(&fixture, token, &id).await;
        let breaks = full_match.breaks.filter(|_| seat == 0);
        playing.push(tokio::spawn(play_to_end(Arc::clone(&fixture), client, seat as u64, breaks)));
    }
    let ending = watching.await.unwrap();
    for playing in playing {
        assert_eq!(playing.await.unwrap(), ending);
    }
    assert_eq!(fixture.match_info(&id).await["status"], json!("ended"));
}

async fn play_to_end(
    fixture: Arc<WireFixture>,
    mut client: WsClient,
    seed: u64,
    breaks: Option<fn(&WsClient) -> bool>,
) -> Value {
    let mut random = Random::new(seed);
    if let Some(breaks) = breaks {
        play(&mut client, &mut random, breaks).await;
        assert!(!client.is_over(), "the connection must break during the match");
        client.drop_connection().await;
        // The others may continue meanwhile, so that updates are missed.
        tokio::time::sleep(Duration::from_millis(50)).await;
        client.reconnect_to(&fixture).await;
    }
    play(&mut client, &mut random, |_| false).await;
    client.view["ending"].clone()
}

/// Watches until the match is over and checks that hidden zones stay hidden.
async fn watch(mut watcher: WsClient, hidden: &[&str]) -> Value {
    loop {
        assert!(watcher.prompts.is_empty(), "spectators have no questions");
        check_hidden(&watcher.view, hidden);
        if watcher.is_over() {
            return watcher.view["ending"].clone();
        }
        watcher.next().await;
    }
}

fn check_hidden(value: &Value, hidden: &[&str]) {
    match value {
        Value::Object(entries) => {
            for (name, zone) in entries.get("zones").and_then(Value::as_object).into_iter().flatten() {
                let is_open = zone.get("items").is_some();
                assert!(!is_open || !hidden.contains(&name.as_str()), "`{name}` is visible: {zone}");
            }
            entries.values().for_each(|value| check_hidden(value, hidden));
        }
        Value::Array(items) => items.iter().for_each(|item| check_hidden(item, hidden)),
        _ => {}
    }
}

fn after_some_versions(client: &WsClient) -> bool {
    client.version > 12
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duel_is_played_to_its_end() {
    let request = json!({"ruleset": "orcain"});
    // In this ruleset, losing the connection loses the match.
    play_full_match(FullMatch { request, seats: 2, hidden: &["hand"], breaks: None }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mages_play_to_the_end_though_a_connection_breaks_while_a_spell_waits() {
    let breaks: fn(&WsClient) -> bool = |client| client.view["zones"]["stack"]["count"].as_u64() > Some(0);
    let request = json!({"ruleset": "mages", "options": {"life": 12}});
    play_full_match(FullMatch { request, seats: 2, hidden: &["hand", "deck"], breaks: Some(breaks) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_lay_their_cards_to_the_end() {
    let request = json!({"ruleset": "dogma", "options": {"rounds": 6}});
    let hidden = &["hand", "scored", "supply"];
    play_full_match(FullMatch { request, seats: 3, hidden, breaks: Some(after_some_versions) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_draft_to_the_end() {
    let request = json!({"ruleset": "draft"});
    let hidden = &["cube", "unopened", "contents", "picks"];
    play_full_match(FullMatch { request, seats: 4, hidden, breaks: Some(after_some_versions) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skirmish_is_fought_to_the_end() {
    let request = json!({"ruleset": "skirmish", "options": {"rounds": 3}});
    play_full_match(FullMatch { request, seats: 2, hidden: &[], breaks: Some(after_some_versions) }).await;
}

#[tokio::test]
async fn events_name_their_causes() {
    let fixture = WireFixture::new(&["skirmish"]).await;
    let token = fixture.guest("anna").await;
    let id =
        fixture.start_match(json!({"ruleset": "skirmish", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = WsClient::join(&fixture, &token, &id).await;
    let follows = |client: &WsClient| client.events.iter().any(|event| event["cause"].is_u64());
    play(&mut anna, &mut Random::new(3), follows).await;
    assert!(follows(&anna), "a skirmish has events with causes");
    let past = fixture.get(&format!("/matches/{id}/events?limit=1000"), Some(&token)).await.body;
    let steps = past["items"].as_array().unwrap();
    let events: Vec<&Value> = steps.iter().flat_map(|step| step["events"].as_array().unwrap()).collect();
    for event in events.iter().filter(|event| event["cause"].is_u64()) {
        let is_cause = |cause: &&&Value| cause["n"] == event["cause"];
        assert!(events.iter().find(is_cause).is_some(), "the cause is not in the history: {event}");
    }
}
