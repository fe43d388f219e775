//! Playing over HTTP: versions, seats, commands and the forms of actions.

use serde_json::{Value, json};

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, open_question, start_duel};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

#[tokio::test]
async fn an_answer_sent_twice_with_one_key_is_applied_once() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", open_question(&ann, &id).await);
    let key = [("idempotency-key", "mine")];
    let first = ann.send("POST", &path, &key, Some(json!({"answers": LAYOUT}))).await.ok_json();
    let again = ann.send("POST", &path, &key, Some(json!({"answers": LAYOUT}))).await.ok_json();
    assert_eq!(first, again);
    let other = ann.post(&path, json!({"answers": LAYOUT})).await;
    assert_eq!(other.problem_code(), "closed", "without a key it is a new answer");
}

#[tokio::test]
async fn nobody_answers_for_another_seat() {
    let fixture = HttpFixture::new().await;
    let (ann, bob, carl) = (fixture.guest().await, fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", open_question(&bob, &id).await);
    let foreign = ann.post(&format!("{path}?seat=1"), json!({"answers": LAYOUT})).await;
    assert_eq!(foreign.problem_code(), "not_allowed");
    assert_eq!(carl.post(&path, json!({"answers": LAYOUT})).await.problem_code(), "not_allowed");
    let moderation = json!({"kind": "moderate", "winners": [0], "pot": "winners"});
    assert_eq!(ann.post(&format!("/matches/{id}/control"), moderation).await.problem_code(), "not_allowed");
    for look in ["view", "inputs", "actions"] {
        assert_eq!(
            ann.get(&format!("/matches/{id}/{look}?seat=1")).await.problem_code(),
            "not_allowed",
            "{look}"
        );
    }
}

#[tokio::test]
async fn a_command_with_an_old_version_is_rejected_with_the_new_version() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let input = open_question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": LAYOUT})).await.ok_json();
    let path = format!("/matches/{id}/control");
    let stale = ann.send("POST", &path, &[("if-match", "\"1\"")], Some(json!({"kind": "concede"}))).await;
    assert_eq!((stale.status, stale.problem_code().as_str()), (409, "stale"));
    assert_eq!(stale.json()["branchId"], 2);
    assert_eq!(stale.header("etag"), Some("\"2\""));
    ann.send("POST", &path, &[("if-match", "\"2\"")], Some(json!({"kind": "concede"}))).await.ok_json();
}

#[tokio::test]
async fn an_answer_is_valid_as_long_as_its_question_is_open() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let (of_ann, of_bob) = (open_question(&ann, &id).await, open_question(&bob, &id).await);
    ann.post(&format!("/matches/{id}/inputs/{of_ann}"), json!({"answers": LAYOUT})).await.ok_json();
    let path = format!("/matches/{id}/inputs/{of_bob}");
    bob.send("POST", &path, &[("if-match", "\"1\"")], Some(json!({"answers": LAYOUT}))).await.ok_json();
}

#[tokio::test]
async fn illegal_answers_are_rejected_with_the_legal_ones() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let path = format!("/matches/{id}/inputs/{}", open_question(&ann, &id).await);
    let refused = ann.post(&path, json!({"answers": ["attack", "attack", "heal"]})).await;
    assert_eq!((refused.status, refused.problem_code().as_str()), (422, "illegal"));
    assert_eq!(refused.json()["legal"][0]["kind"], "layout");
    let refused = ann.post(&path, json!({"answers": 0.5})).await;
    assert_eq!(refused.problem_code(), "malformed");
}

#[tokio::test]
async fn all_forms_of_an_action_are_accepted() {
    let fixture = HttpFixture::new().await;
    let shapes: [fn(&str, &str) -> Value; 4] = [
        |action, host| json!({"type": action, "params": {"host": host}}),
        |action, host| json!({"actionType": action, "params": {"host": host}}),
        |action, host| json!({"type": "semantic", "action_id": action, "cardId": host}),
        |action, host| json!({"type": action, "cardId": host}),
    ];
    for shape in shapes {
        let (ann, bob) = (fixture.guest().await, fixture.guest().await);
        let (player, id, offer) = first_offer(&ann, &bob).await;
        assert_eq!(offer["id"], offer["action"]);
        for key in ["name", "description", "cost", "timing"] {
            assert!(offer[key].is_string(), "{key}: {offer}");
        }
        let sent = shape(offer["action"].as_str().unwrap(), offer["host"].as_str().unwrap());
        let response = player.post(&format!("/matches/{id}/actions"), sent.clone()).await;
        assert_eq!(response.status, 200, "{sent}: {}", response.text);
    }
}

#[tokio::test]
async fn an_action_is_answered_by_its_id() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let (player, id, offer) = first_offer(&ann, &bob).await;
    let input = open_question(&player, &id).await;
    let answers = json!({"answers": {"action": offer["id"], "host": offer["host"]}});
    let response = player.post(&format!("/matches/{id}/inputs/{input}"), answers).await;
    assert_eq!(response.status, 200, "{}", response.text);
}

/// Plays mages until a player can take an action of a card; returns the player, the match and the action.
async fn first_offer(ann: &HttpClient, bob: &HttpClient) -> (HttpClient, String, Value) {
    let id = start_duel(ann, bob, "mages").await;
    for _ in 0..50 {
        for player in [ann, bob] {
            let actions = player.get(&format!("/matches/{id}/actions")).await.ok_json();
            let offers = actions["actions"].as_array().unwrap();
            let is_plain = |offer: &&Value| {
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
    panic!("no player can take an action of a card");
}

/// Answers the player's open question, if there is one, by passing or with the first options.
async fn answer_anything(player: &HttpClient, id: &str) {
    let inputs = player.get(&format!("/matches/{id}/inputs")).await.ok_json();
    let prompt = &inputs["prompts"][0];
    let Some(input) = prompt["inputId"].as_u64() else { return };
    let picks: Vec<Value> = (0..prompt["min"].as_u64().unwrap_or(0)).map(|n| json!({"n": n})).collect();
    let answers = if prompt["pass"] == true { json!("pass") } else { json!(picks) };
    player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": answers})).await.ok_json();
}

#[tokio::test]
async fn one_account_plays_several_seats_in_a_hotseat_match() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let made = ann.post("/matches", json!({"ruleset": "orcain", "hotseat": true})).await.ok_json();
    let path = format!("/matches/{}", made["id"].as_str().unwrap());
    ann.post(&format!("{path}/seats"), json!({"seat": 1})).await.ok_json();
    ann.post(&format!("{path}/start"), Value::Null).await.ok_json();
    for seat in 0..2 {
        let view = ann.get(&format!("{path}/view?seat={seat}")).await.ok_json();
        assert_eq!(view["view"]["you"], format!("p{seat}"));
    }
    let looking_on = ann.get(&format!("{path}/view?spectate=true")).await.ok_json();
    assert_eq!(looking_on["view"]["players"][0]["zones"]["hand"].get("items"), None);
}
