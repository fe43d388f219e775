//! Playing over HTTP: versions, seats, commands and the shapes of actions.

use serde_json::json;

use crate::client::Client;
use crate::world::{World, duel, question};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

#[tokio::test]
async fn an_answer_is_taken_once_however_often_it_is_sent() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", question(&ann, &id).await);
    let key = [("idempotency-key", "mine")];
    let first = ann.send("POST", &path, &key, Some(json!({"answers": LAYOUT}))).await.good();
    let again = ann.send("POST", &path, &key, Some(json!({"answers": LAYOUT}))).await.good();
    assert_eq!(first, again);
    let other = ann.post(&path, json!({"answers": LAYOUT})).await;
    assert_eq!(other.code(), "closed", "without a key it is another answer");
}

#[tokio::test]
async fn nobody_answers_for_another_seat() {
    let world = World::new().await;
    let (ann, bob, carl) = (world.guest().await, world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", question(&bob, &id).await);
    let foreign = ann.post(&format!("{path}?seat=1"), json!({"answers": LAYOUT})).await;
    assert_eq!(foreign.code(), "not_allowed");
    assert_eq!(carl.post(&path, json!({"answers": LAYOUT})).await.code(), "not_allowed");
    let moderation = json!({"kind": "moderate", "winners": [0], "pot": "winners"});
    assert_eq!(ann.post(&format!("/matches/{id}/control"), moderation).await.code(), "not_allowed");
    for look in ["view", "inputs", "actions"] {
        assert_eq!(ann.get(&format!("/matches/{id}/{look}?seat=1")).await.code(), "not_allowed", "{look}");
    }
}

#[tokio::test]
async fn what_was_decided_on_an_old_view_is_refused_with_the_new_version() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let input = question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": LAYOUT})).await.good();
    let path = format!("/matches/{id}/control");
    let stale = ann.send("POST", &path, &[("if-match", "\"1\"")], Some(json!({"kind": "concede"}))).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "stale"));
    assert_eq!(stale.json()["branchId"], 2);
    assert_eq!(stale.header("etag"), Some("\"2\""));
    ann.send("POST", &path, &[("if-match", "\"2\"")], Some(json!({"kind": "concede"}))).await.good();
}

#[tokio::test]
async fn an_answer_is_good_as_long_as_its_question_is_open() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let (of_ann, of_bob) = (question(&ann, &id).await, question(&bob, &id).await);
    ann.post(&format!("/matches/{id}/inputs/{of_ann}"), json!({"answers": LAYOUT})).await.good();
    let path = format!("/matches/{id}/inputs/{of_bob}");
    bob.send("POST", &path, &[("if-match", "\"1\"")], Some(json!({"answers": LAYOUT}))).await.good();
}

#[tokio::test]
async fn what_the_rules_refuse_comes_with_what_would_be_legal() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", question(&ann, &id).await);
    let refused = ann.post(&path, json!({"answers": ["attack", "attack", "heal"]})).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "illegal"));
    assert_eq!(refused.json()["legal"][0]["kind"], "layout");
    let refused = ann.post(&path, json!({"answers": 0.5})).await;
    assert_eq!(refused.code(), "malformed");
}

#[tokio::test]
async fn all_shapes_of_an_action_are_taken() {
    let world = World::new().await;
    let shapes: [fn(&str, &str) -> serde_json::Value; 4] = [
        |action, host| json!({"type": action, "params": {"host": host}}),
        |action, host| json!({"actionType": action, "params": {"host": host}}),
        |action, host| json!({"type": "semantic", "action_id": action, "cardId": host}),
        |action, host| json!({"type": action, "cardId": host}),
    ];
    for shape in shapes {
        let (ann, bob) = (world.guest().await, world.guest().await);
        let (player, id, offer) = first_offer(&ann, &bob).await;
        let sent = shape(offer["action"].as_str().unwrap(), offer["host"].as_str().unwrap());
        let taken = player.post(&format!("/matches/{id}/actions"), sent.clone()).await;
        assert_eq!(taken.status, 200, "{sent}: {}", taken.text);
    }
}

/// A match of mages at the point where somebody can take an action with a card, and that action.
async fn first_offer(ann: &Client, bob: &Client) -> (Client, String, serde_json::Value) {
    let id = duel(ann, bob, "mages").await;
    for _ in 0..50 {
        for player in [ann, bob] {
            let actions = player.get(&format!("/matches/{id}/actions")).await.good();
            let offers = actions["actions"].as_array().unwrap();
            let is_plain = |offer: &&serde_json::Value| {
                offer["host"].as_str().is_some_and(|host| host.starts_with('#'))
                    && offer["targets"].as_object().is_none_or(|targets| targets.is_empty())
            };
            if actions["asked"] == true
                && let Some(offer) = offers.iter().find(is_plain)
            {
                return (player.clone(), id, offer.clone());
            }
            answer_anything(player, &id).await;
        }
    }
    panic!("nobody can take an action with a card");
}

/// Answers the open question of a player, if there is one, by passing or with the first options.
async fn answer_anything(player: &Client, id: &str) {
    let inputs = player.get(&format!("/matches/{id}/inputs")).await.good();
    let prompt = &inputs["prompts"][0];
    let Some(input) = prompt["inputId"].as_u64() else { return };
    let picks: Vec<u64> = (0..prompt["min"].as_u64().unwrap_or(0)).collect();
    let answers = if prompt["pass"] == true { json!("pass") } else { json!(picks) };
    player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": answers})).await.good();
}

#[tokio::test]
async fn one_account_plays_several_seats_where_that_was_agreed() {
    let world = World::new().await;
    let ann = world.guest().await;
    let made = ann.post("/matches", json!({"ruleset": "orcain", "hotseat": true})).await.good();
    let path = format!("/matches/{}", made["id"].as_str().unwrap());
    ann.post(&format!("{path}/seats"), json!({"seat": 1})).await.good();
    ann.post(&format!("{path}/start"), serde_json::Value::Null).await.good();
    for seat in 0..2 {
        let view = ann.get(&format!("{path}/view?seat={seat}")).await.good();
        assert_eq!(view["view"]["you"], format!("p{seat}"));
    }
    let looking_on = ann.get(&format!("{path}/view?spectate=true")).await.good();
    assert_eq!(looking_on["view"]["players"][0]["zones"]["hand"].get("items"), None);
}
