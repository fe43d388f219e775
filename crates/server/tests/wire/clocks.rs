//! Time: deadlines, banks, lost connections, pauses, and servers that stop in between.

use std::sync::Arc;

use intermezzo_store::{Clock, ManualClock, Memory, Sqlite, SystemClock};
use serde_json::{Value, json};

use super::client::Client;
use super::world::{START, World, generous};

/// How often an event of that name was told.
fn count(client: &Client, name: &str) -> usize {
    client.events.iter().filter(|event| event["event"] == json!(name)).count()
}

fn deadline(client: &Client) -> Option<i64> {
    client.prompts[0].get("deadlineTs").and_then(Value::as_i64)
}

#[tokio::test]
async fn a_deadline_passes_once() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    assert_eq!(deadline(&anna), Some(START + 20_000));
    world.pass(19_999, &id).await;
    assert!(anna.answer(99, json!([])).await.is_err(), "nothing else has come before this");
    assert_eq!(count(&anna, "RoundEnded"), 0);
    world.pass(1, &id).await;
    world.pass(0, &id).await;
    for client in [&mut anna, &mut bela] {
        client.until(|client| client.asked().is_some() && count(client, "RoundEnded") > 0).await;
        assert!(client.answer(99, json!([])).await.is_err());
        assert_eq!(count(client, "RoundEnded"), 1);
        assert_eq!(deadline(client), Some(START + 40_000), "the next round has a deadline of its own");
    }
    let token = anna.token.clone().unwrap();
    let past = world.get(&format!("/matches/{id}/events"), Some(&token)).await.body;
    let ended =
        past["items"].as_array().unwrap().iter().filter(|step| step.to_string().contains("RoundEnded"));
    assert_eq!(ended.map(|step| step["atMs"].as_i64().unwrap()).collect::<Vec<_>>(), [START + 20_000]);
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_refused_even_if_the_timer_is_late() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, _bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let question = anna.asked().unwrap();
    world.clock.advance(20_000);
    let late = anna.answer(question, json!([null, null, null])).await.unwrap_err();
    assert_eq!(late.code.name(), "closed");
    assert_eq!(count(&anna, "RoundEnded"), 1);
}

#[tokio::test]
async fn timers_run_by_themselves() {
    let store = Arc::new(Memory::with_clock(Arc::new(SystemClock)));
    let clock = Arc::new(ManualClock::new(0));
    let world = World::on(store, clock, &["orcain"], generous()).await;
    let (mut anna, _bela) = world.pair(json!({"ruleset": "orcain", "options": {"prep_ms": 1000}})).await;
    anna.until(|client| count(client, "RoundEnded") > 0).await;
}

#[tokio::test]
async fn a_bank_runs_while_its_seat_is_asked_and_gains_with_every_answer() {
    let world = World::with(&["mages"]).await;
    let options = json!({"bank_ms": 60_000, "increment_ms": 5_000, "mulligan": false});
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "mages", "options": options})).await;
    let id = anna.match_id.clone().unwrap();
    assert_eq!(anna.banks[0], json!({"seat": 0, "leftMs": 60_000, "runningSince": START}));
    assert_eq!(bela.banks[1], json!({"seat": 1, "leftMs": 60_000}));
    world.clock.advance(20_000);
    anna.answer(anna.asked().unwrap(), json!("pass")).await.unwrap();
    let left = anna.banks[0]["leftMs"].as_i64().unwrap();
    assert_eq!(left, 45_000, "20 seconds are gone, 5 came back");
    bela.until(|client| client.banks[0]["leftMs"] == json!(45_000)).await;
    assert_eq!(bela.banks, anna.banks, "what is left is no secret where all can see who is asked");
    // Whoever has no time left passes, again and again, until somebody has lost.
    let mut both = [anna, bela];
    for _ in 0..40 {
        if both[0].is_over() {
            break;
        }
        world.pass(70_000, &id).await;
        let info = world.match_info(&id).await;
        if info["status"] == json!("ended") {
            for client in &mut both {
                client.until(Client::is_over).await;
            }
        }
    }
    assert!(both[0].is_over(), "who has no time left cannot play for ever");
}

#[tokio::test]
async fn without_grace_a_lost_connection_forfeits() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    anna.lose().await;
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    assert_eq!(bela.view["ending"]["winners"], json!(["p1"]));
}

#[tokio::test]
async fn nobody_loses_to_bots_by_coming_back_later() {
    let world = World::with(&["orcain"]).await;
    let token = world.guest("anna").await;
    let id = world.table(json!({"ruleset": "orcain", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = Client::join(&world, &token, &id).await;
    anna.lose().await;
    let mut again = Client::join(&world, &token, &id).await;
    again.answer(again.asked().unwrap(), json!([null, null, null])).await.unwrap();
    again.until(|client| count(client, "RoundEnded") == 1).await;
    assert!(!again.is_over());
}

#[tokio::test]
async fn a_second_connection_keeps_the_seat() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let token = anna.token.clone().unwrap();
    let mut again = Client::join(&world, &token, &anna.match_id.clone().unwrap()).await;
    anna.lose().await;
    again.answer(again.asked().unwrap(), json!([null, null, null])).await.unwrap();
    bela.answer(bela.asked().unwrap(), json!([null, null, null])).await.unwrap();
    bela.until(|client| count(client, "RoundEnded") == 1).await;
    assert!(!bela.is_over());
}

#[tokio::test]
async fn within_its_grace_a_connection_may_be_lost() {
    let world = World::with(&["mages"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "mages"})).await;
    let id = anna.match_id.clone().unwrap();
    bela.until(|client| client.connected == [0, 1]).await;
    anna.lose().await;
    bela.until(|client| client.connected == [1]).await;
    world.pass(119_999, &id).await;
    anna.return_to(&world).await;
    bela.until(|client| client.connected == [0, 1]).await;
    world.pass(500_000, &id).await;
    assert_eq!(world.match_info(&id).await["status"], json!("playing"), "who is back in time is back");
    anna.lose().await;
    bela.until(|client| client.connected == [1]).await;
    world.pass(120_000, &id).await;
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
    anna.return_to(&world).await;
    assert!(anna.is_over(), "who comes too late sees how it ended");
}

#[tokio::test]
async fn a_bot_plays_on_for_who_is_away_until_they_come_back() {
    let world = World::with(&["relay"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "relay"})).await;
    let id = anna.match_id.clone().unwrap();
    assert!(anna.asked().is_some(), "it is her turn");
    anna.lose().await;
    bela.until(|client| client.connected == [1]).await;
    assert!(bela.asked().is_none());
    world.pass(10_000, &id).await;
    bela.until(|client| client.asked().is_some()).await;
    assert_eq!(count(&bela, "PlayerLeft"), 0, "nobody has left");
    anna.return_to(&world).await;
    bela.answer(bela.asked().unwrap(), json!([0])).await.unwrap();
    anna.until(|client| client.asked().is_some()).await;
    anna.answer(anna.asked().unwrap(), json!([0])).await.unwrap();
    bela.until(|client| client.asked().is_some()).await;
    // Whoever has no time left is played for, too.
    world.pass(60_000, &id).await;
    anna.until(|client| client.asked().is_some()).await;
    assert_eq!(world.match_info(&id).await["status"], json!("playing"));
}

/// A folder that is gone at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("intermezzo-wire-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    async fn server(&self, clock: &Arc<ManualClock>, rulesets: &[&str]) -> World {
        let store = Sqlite::open(&self.0, Arc::clone(clock) as Arc<dyn Clock>).unwrap();
        World::on(Arc::new(store), Arc::clone(clock), rulesets, generous()).await
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_server_that_was_away_goes_on_where_it_stopped() {
    let folder = Folder::new("away");
    let clock = Arc::new(ManualClock::new(START));
    let mut world = folder.server(&clock, &["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let (id, question) = (anna.match_id.clone().unwrap(), bela.asked().unwrap());
    anna.answer(anna.asked().unwrap(), json!(["attack", "attack", null])).await.unwrap_err();
    anna.answer(anna.asked().unwrap(), json!(["attack", "heal", null])).await.unwrap();
    bela.draft(question, json!(["defense", null, null])).await.unwrap();
    world.clock.advance(5_000);
    world.stop().await;
    assert_eq!(anna.until_closed().await, Some((1001, "the server stops".to_owned())));
    clock.advance(3_600_000);

    let mut world = folder.server(&clock, &["orcain"]).await;
    anna.return_to(&world).await;
    bela.return_to(&world).await;
    assert!(!anna.is_over(), "connections that the server itself has ended are held against nobody");
    assert_eq!(bela.asked(), Some(question), "questions keep their numbers");
    assert_eq!(bela.prompts[0]["draft"].as_array().unwrap().len(), 3, "drafts are kept");
    assert_eq!(deadline(&bela), Some(START + 3_600_000 + 20_000), "nobody is charged for the absence");
    assert!(anna.prompts.is_empty(), "what was answered is answered");
    world.pass(14_999, &id).await;
    assert_eq!(count(&bela, "RoundEnded"), 0);
    world.pass(1, &id).await;
    bela.until(|client| count(client, "RoundEnded") == 1).await;
    assert_eq!(bela.view["players"][0]["props"]["hp"], json!(10), "the attack met a defence");
    world.stop().await;
}

#[tokio::test]
async fn a_moderator_stops_the_clocks_and_sets_them_going() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let token = world.moderator("judge").await;
    let mut judge = Client::join(&world, &token, &id).await;
    let refused = bela.control(json!({"kind": "pause"})).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_allowed");
    world.clock.advance(5_000);
    judge.control(json!({"kind": "pause", "reason": "a fire alarm"})).await.unwrap();
    anna.until(|client| client.is_paused).await;
    assert_eq!(deadline(&anna), None);
    let refused = anna.answer(anna.asked().unwrap(), json!([null, null, null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "paused");
    world.pass(3_600_000, &id).await;
    judge.control(json!({"kind": "resume"})).await.unwrap();
    anna.until(|client| !client.is_paused).await;
    assert_eq!(deadline(&anna), Some(START + 3_600_000 + 20_000));
    assert_eq!(count(&anna, "RoundEnded"), 0);
    world.pass(15_000, &id).await;
    anna.until(|client| count(client, "RoundEnded") == 1).await;
}
