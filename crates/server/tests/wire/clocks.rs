//! Deadlines, time banks, lost connections, pauses, and restarts in between.

use std::sync::Arc;

use intermezzo_store::{
    FaultInjector, ManualClock, MemoryStore, MonotonicClock, SqliteStore, Store, SystemClock, TimeSource,
};
use serde_json::{Value, json};

use super::client::WsClient;
use super::fixture::{START, WireFixture, without_rate_limits};

/// Returns the number of received events with a name.
fn count(client: &WsClient, name: &str) -> usize {
    client.events.iter().filter(|event| event["event"] == json!(name)).count()
}

fn deadline(client: &WsClient) -> Option<i64> {
    client.prompts[0].get("deadlineTs").and_then(Value::as_i64)
}

#[tokio::test]
async fn a_deadline_expires_once() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    assert_eq!(deadline(&anna), Some(START + 20_000));
    fixture.advance(19_999, &id).await;
    assert!(anna.answer(99, json!([])).await.is_err(), "no other frame comes first");
    assert_eq!(count(&anna, "RoundEnded"), 0);
    fixture.advance(1, &id).await;
    fixture.advance(0, &id).await;
    for client in [&mut anna, &mut bela] {
        client.wait_until(|client| client.open_question().is_some() && count(client, "RoundEnded") > 0).await;
        assert!(client.answer(99, json!([])).await.is_err());
        assert_eq!(count(client, "RoundEnded"), 1);
        assert_eq!(deadline(client), Some(START + 40_000), "the next round has its own deadline");
    }
    let token = anna.token.clone().unwrap();
    let past = fixture.get(&format!("/matches/{id}/events"), Some(&token)).await.body;
    let ended =
        past["items"].as_array().unwrap().iter().filter(|step| step.to_string().contains("RoundEnded"));
    assert_eq!(ended.map(|step| step["atMs"].as_i64().unwrap()).collect::<Vec<_>>(), [START + 20_000]);
}

#[tokio::test]
async fn a_late_answer_is_rejected_even_if_the_timer_is_late() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let question = anna.open_question().unwrap();
    fixture.clock.advance(20_000);
    let late = anna.answer(question, json!([null, null, null])).await.unwrap_err();
    assert_eq!(late.code.name(), "closed");
    assert_eq!(count(&anna, "RoundEnded"), 1);
}

#[tokio::test]
async fn timers_fire_without_requests() {
    let store = Arc::new(MemoryStore::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let fixture = WireFixture::with_store(store, clock, &["orcain"], without_rate_limits()).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "orcain", "options": {"prep_ms": 1000}})).await;
    anna.wait_until(|client| count(client, "RoundEnded") > 0).await;
}

#[tokio::test]
async fn time_during_which_the_store_accepts_no_writes_is_charged_to_nobody() {
    let memory = MemoryStore::with_clock(Arc::new(SystemClock));
    let store = Arc::new(FaultInjector::scripted(memory, []));
    let clock = Arc::new(ManualClock::new(0));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let fixture = WireFixture::with_store(shared, clock, &["orcain"], without_rate_limits()).await;
    let tokens = [fixture.guest("anna").await, fixture.guest("bela").await];
    let request = json!({"ruleset": "orcain", "options": {"prep_ms": 3000}});
    let id = fixture.start_match(request, &[&tokens[0], &tokens[1]]).await;
    let path = format!("/matches/{id}/inputs");
    let before = fixture.get(&path, Some(&tokens[0])).await.body["prompts"][0].clone();
    store.refuse_writes(true);
    let answer = format!("{path}/{}", before["inputId"]);
    let refused = fixture.post(&answer, &tokens[0], json!({"answers": ["attack", null, null]})).await;
    assert_eq!(refused.status, 503, "{:?}", refused.body);
    assert!(store.now() > before["deadlineTs"].as_i64().unwrap(), "the deadline has passed meanwhile");
    store.refuse_writes(false);
    for _ in 0..50 {
        let response = fixture.get(&path, Some(&tokens[0])).await;
        if response.status == 503 {
            // The match still loads again.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        }
        let after = response.body["prompts"][0].clone();
        assert_eq!(after["inputId"], before["inputId"], "the question is still open");
        if after["deadlineTs"].as_i64().unwrap() > store.now() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let accepted = fixture.post(&answer, &tokens[0], json!({"answers": ["attack", null, null]})).await;
    assert_eq!(accepted.status, 200, "{:?}", accepted.body);
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_neither_ends_nor_extends_a_question() {
    let wall = Arc::new(ManualClock::new(1_700_000_000_000));
    let running = MonotonicClock::starting_at(wall.as_ref());
    let store = Arc::new(MemoryStore::with_clock(Arc::new(running)));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let fixture =
        WireFixture::with_store(shared, Arc::new(ManualClock::new(0)), &["orcain"], without_rate_limits())
            .await;
    let tokens = [fixture.guest("anna").await, fixture.guest("bela").await];
    let request = json!({"ruleset": "orcain", "options": {"prep_ms": 20_000}});
    let id = fixture.start_match(request, &[&tokens[0], &tokens[1]]).await;
    let path = format!("/matches/{id}/inputs");
    let before = fixture.get(&path, Some(&tokens[0])).await.body["prompts"][0].clone();
    for hours in [1, -2] {
        wall.advance(hours * 3_600_000);
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let after = fixture.get(&path, Some(&tokens[0])).await.body["prompts"][0].clone();
        assert_eq!(after["inputId"], before["inputId"], "the question is still open");
        let moved = after["deadlineTs"].as_i64().unwrap() - before["deadlineTs"].as_i64().unwrap();
        assert!(moved < 5_000, "the deadline moved by {moved} ms");
    }
    let answer = format!("{path}/{}", before["inputId"]);
    let accepted = fixture.post(&answer, &tokens[0], json!({"answers": ["attack", null, null]})).await;
    assert_eq!(accepted.status, 200, "{:?}", accepted.body);
}

#[tokio::test]
async fn a_short_stop_of_the_whole_server_is_charged_to_nobody() {
    let store = Arc::new(MemoryStore::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let fixture = WireFixture::with_store(shared, clock, &["orcain"], without_rate_limits()).await;
    let tokens = [fixture.guest("anna").await, fixture.guest("bela").await];
    let request = json!({"ruleset": "orcain", "options": {"prep_ms": 1500}});
    let id = fixture.start_match(request, &[&tokens[0], &tokens[1]]).await;
    let path = format!("/matches/{id}/inputs");
    let before = fixture.get(&path, Some(&tokens[0])).await.body["prompts"][0].clone();
    // The server runs on this thread, so nothing of it runs now, as after a SIGSTOP.
    let stop = std::time::Duration::from_millis(500);
    std::thread::sleep(stop);
    let after = fixture.get(&path, Some(&tokens[0])).await.body["prompts"][0].clone();
    assert_eq!(after["inputId"], before["inputId"], "the question is still open");
    let deadline = |prompt: &Value| prompt["deadlineTs"].as_i64().unwrap();
    let extra = deadline(&after) - deadline(&before);
    assert!(extra >= 500, "{extra} ms instead of the 500 of the stop");
}

#[tokio::test]
async fn a_bank_runs_while_its_seat_is_asked_and_gains_with_every_answer() {
    let fixture = WireFixture::new(&["mages"]).await;
    let options = json!({"bank_ms": 60_000, "increment_ms": 5_000, "mulligan": false});
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "mages", "options": options})).await;
    let id = anna.match_id.clone().unwrap();
    assert_eq!(anna.banks[0], json!({"seat": 0, "leftMs": 60_000, "runningSince": START}));
    assert_eq!(bela.banks[1], json!({"seat": 1, "leftMs": 60_000}));
    fixture.clock.advance(20_000);
    anna.answer(anna.open_question().unwrap(), json!("pass")).await.unwrap();
    let left = anna.banks[0]["leftMs"].as_i64().unwrap();
    assert_eq!(left, 45_000, "20 seconds used, 5 seconds increment");
    bela.wait_until(|client| client.banks[0]["leftMs"] == json!(45_000)).await;
    assert_eq!(bela.banks, anna.banks, "banks are public where open questions are");
    // A player without time passes every time, until somebody loses.
    let mut both = [anna, bela];
    for _ in 0..40 {
        if both[0].is_over() {
            break;
        }
        fixture.advance(70_000, &id).await;
        let info = fixture.match_info(&id).await;
        if info["status"] == json!("ended") {
            for client in &mut both {
                client.wait_until(WsClient::is_over).await;
            }
        }
    }
    assert!(both[0].is_over(), "the match ends when a player has no time left");
}

#[tokio::test]
async fn without_grace_a_lost_connection_forfeits() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    anna.drop_connection().await;
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    assert_eq!(bela.view["ending"]["winners"], json!(["p1"]));
}

#[tokio::test]
async fn a_lost_connection_does_not_forfeit_against_bots() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let token = fixture.guest("anna").await;
    let id =
        fixture.start_match(json!({"ruleset": "orcain", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = WsClient::join(&fixture, &token, &id).await;
    anna.drop_connection().await;
    let mut again = WsClient::join(&fixture, &token, &id).await;
    again.answer(again.open_question().unwrap(), json!([null, null, null])).await.unwrap();
    again.wait_until(|client| count(client, "RoundEnded") == 1).await;
    assert!(!again.is_over());
}

#[tokio::test]
async fn a_second_connection_keeps_the_seat() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let token = anna.token.clone().unwrap();
    let mut again = WsClient::join(&fixture, &token, &anna.match_id.clone().unwrap()).await;
    anna.drop_connection().await;
    again.answer(again.open_question().unwrap(), json!([null, null, null])).await.unwrap();
    bela.answer(bela.open_question().unwrap(), json!([null, null, null])).await.unwrap();
    bela.wait_until(|client| count(client, "RoundEnded") == 1).await;
    assert!(!bela.is_over());
}

#[tokio::test]
async fn a_player_may_reconnect_within_the_grace_period() {
    let fixture = WireFixture::new(&["mages"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "mages"})).await;
    let id = anna.match_id.clone().unwrap();
    bela.wait_until(|client| client.connected == [0, 1]).await;
    anna.drop_connection().await;
    bela.wait_until(|client| client.connected == [1]).await;
    fixture.advance(119_999, &id).await;
    anna.reconnect_to(&fixture).await;
    bela.wait_until(|client| client.connected == [0, 1]).await;
    fixture.advance(500_000, &id).await;
    assert_eq!(fixture.match_info(&id).await["status"], json!("playing"), "the player is back in time");
    anna.drop_connection().await;
    bela.wait_until(|client| client.connected == [1]).await;
    fixture.advance(120_000, &id).await;
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    anna.reconnect_to(&fixture).await;
    assert!(anna.is_over(), "a late player sees the result");
}

#[tokio::test]
async fn a_bot_takes_over_for_an_absent_player() {
    let fixture = WireFixture::new(&["relay"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "relay"})).await;
    let id = anna.match_id.clone().unwrap();
    assert!(anna.open_question().is_some(), "it is her turn");
    anna.drop_connection().await;
    bela.wait_until(|client| client.connected == [1]).await;
    assert!(bela.open_question().is_none());
    fixture.advance(10_000, &id).await;
    bela.wait_until(|client| client.open_question().is_some()).await;
    assert_eq!(count(&bela, "PlayerLeft"), 0, "the player has not left");
    anna.reconnect_to(&fixture).await;
    bela.answer(bela.open_question().unwrap(), json!([{"n": 0}])).await.unwrap();
    anna.wait_until(|client| client.open_question().is_some()).await;
    anna.answer(anna.open_question().unwrap(), json!([{"n": 0}])).await.unwrap();
    bela.wait_until(|client| client.open_question().is_some()).await;
    // The bot also takes over for players without time.
    fixture.advance(60_000, &id).await;
    anna.wait_until(|client| client.open_question().is_some()).await;
    assert_eq!(fixture.match_info(&id).await["status"], json!("playing"));
}

/// A temporary data folder, deleted on drop.
struct DataFolder(std::path::PathBuf);

impl DataFolder {
    fn new(name: &str) -> DataFolder {
        let path = std::env::temp_dir().join(format!("intermezzo-wire-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        DataFolder(path)
    }

    async fn server(&self, clock: &Arc<ManualClock>, rulesets: &[&str]) -> WireFixture {
        let store = SqliteStore::open(&self.0, Arc::clone(clock) as Arc<dyn TimeSource>).unwrap();
        WireFixture::with_store(Arc::new(store), Arc::clone(clock), rulesets, without_rate_limits()).await
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_restarted_server_continues_where_it_stopped() {
    let folder = DataFolder::new("away");
    let clock = Arc::new(ManualClock::new(START));
    let mut fixture = folder.server(&clock, &["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let (id, question) = (anna.match_id.clone().unwrap(), bela.open_question().unwrap());
    anna.answer(anna.open_question().unwrap(), json!(["attack", "attack", null])).await.unwrap_err();
    anna.answer(anna.open_question().unwrap(), json!(["attack", "heal", null])).await.unwrap();
    bela.draft(question, json!(["defense", null, null])).await.unwrap();
    fixture.clock.advance(5_000);
    fixture.stop().await;
    assert_eq!(anna.wait_for_close().await, Some((1001, "the server is shutting down".to_owned())));
    clock.advance(3_600_000);

    let mut fixture = folder.server(&clock, &["orcain"]).await;
    anna.reconnect_to(&fixture).await;
    bela.reconnect_to(&fixture).await;
    assert!(!anna.is_over(), "connections closed by the server are not forfeits");
    assert_eq!(bela.open_question(), Some(question), "questions keep their ids");
    assert_eq!(bela.prompts[0]["draft"].as_array().unwrap().len(), 3, "drafts are saved");
    assert_eq!(deadline(&bela), Some(START + 3_600_000 + 20_000), "downtime does not count");
    assert!(anna.prompts.is_empty(), "answered questions stay answered");
    fixture.advance(14_999, &id).await;
    assert_eq!(count(&bela, "RoundEnded"), 0);
    fixture.advance(1, &id).await;
    bela.wait_until(|client| count(client, "RoundEnded") == 1).await;
    assert_eq!(bela.view["players"][0]["props"]["hp"], json!(10), "the attack was blocked");
    fixture.stop().await;
}

#[tokio::test]
async fn a_moderator_pauses_and_resumes_the_clocks() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let token = fixture.moderator("judge").await;
    let mut judge = WsClient::join(&fixture, &token, &id).await;
    let refused = bela.control(json!({"kind": "pause"})).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_allowed");
    fixture.clock.advance(5_000);
    judge.control(json!({"kind": "pause", "reason": "a fire alarm"})).await.unwrap();
    anna.wait_until(|client| client.is_paused).await;
    assert_eq!(deadline(&anna), None);
    let refused = anna.answer(anna.open_question().unwrap(), json!([null, null, null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "paused");
    fixture.advance(3_600_000, &id).await;
    judge.control(json!({"kind": "resume"})).await.unwrap();
    anna.wait_until(|client| !client.is_paused).await;
    assert_eq!(deadline(&anna), Some(START + 3_600_000 + 20_000));
    assert_eq!(count(&anna, "RoundEnded"), 0);
    fixture.advance(15_000, &id).await;
    anna.wait_until(|client| count(client, "RoundEnded") == 1).await;
}
