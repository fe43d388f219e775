//! Non-interference: hidden information does not affect a single byte of what a seat receives.
//!
//! Each test plays the same match several times, on servers with equal clocks. One seat does the same each time, while
//! something happens that this seat may not see. Random ids are normalised before the frames are compared.

use intermezzo_protocol::resources::{CreateMatch, Sit};
use intermezzo_services::{Caller, MatchRecord};
use intermezzo_store::{CommitOutcome, Expect, Put, Transaction};
use serde_json::{Value, json};

use super::client::WsClient;
use super::fixture::WireFixture;

/// Starts a match with a fixed seed; returns the two players' clients.
async fn seeded_match(fixture: &WireFixture, request: Value, seed: u8) -> (WsClient, WsClient) {
    let services = fixture.services();
    let tokens = [fixture.guest("anna").await, fixture.guest("bela").await];
    let anna = Caller::from(services.authenticate(&tokens[0]).await.unwrap());
    let bela = Caller::from(services.authenticate(&tokens[1]).await.unwrap());
    let request: CreateMatch = serde_json::from_value(request).unwrap();
    let id = services.create_match(&anna, &request).await.unwrap().id;
    services.take_seat(&bela, id, &Sit::default()).await.unwrap();
    services.set_ready(&anna, id, true).await.unwrap();
    let record = services.set_ready(&bela, id, true).await.unwrap();
    let seed = [seed; 32];
    let record = MatchRecord {
        seed: Some(seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        commitment: Some(blake3::hash(&seed).to_hex().to_string()),
        ..record
    };
    let value = serde_json::to_vec(&record).unwrap();
    let put = Put { key: format!("match/{id}"), expect: Expect::Anything, value: Some(value) };
    let outcome = fixture.store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
    assert_eq!(outcome, CommitOutcome::Committed);
    let id = id.to_string();
    (WsClient::join(fixture, &tokens[0], &id).await, WsClient::join(fixture, &tokens[1], &id).await)
}

/// Returns all frames a client received, with random ids replaced by fixed names.
fn normalised_frames(client: &WsClient) -> Vec<String> {
    let welcome: Value = serde_json::from_str(&client.texts[0]).unwrap();
    let chosen = [&welcome["account"], &welcome["match"]["id"], &welcome["match"]["seedCommitment"]];
    let same = |text: &String| {
        let mut text = text.clone();
        for (name, chosen) in ["ACCOUNT", "MATCH", "COMMITMENT"].iter().zip(chosen) {
            text = text.replace(chosen.as_str().unwrap(), name);
        }
        text
    };
    client.texts.iter().map(same).collect()
}

fn assert_same_frames(one: &WsClient, other: &WsClient) {
    let (one, other) = (normalised_frames(one), normalised_frames(other));
    for (place, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one, other, "frame {place} differs");
    }
    assert_eq!(one.len(), other.len(), "number of frames");
}

#[tokio::test]
async fn drafts_and_early_answers_of_a_duel_are_not_visible() {
    let mut seen = Vec::new();
    for drafts in 0..3 {
        let fixture = WireFixture::new(&["orcain"]).await;
        let (mut anna, mut bela) = seeded_match(&fixture, json!({"ruleset": "orcain"}), 1).await;
        let question = bela.open_question().unwrap();
        for card in ["attack", "heal", "defense"].iter().take(drafts) {
            bela.draft(question, json!([card, null, null])).await.unwrap();
        }
        if drafts == 2 {
            bela.answer(question, json!(["counter", "heal", null])).await.unwrap();
        }
        let own = anna.open_question().unwrap();
        anna.draft(own, json!(["attack", null, "fireball"])).await.unwrap();
        anna.answer(own, json!(["attack", "attack", "attack"])).await.unwrap_err();
        anna.draft(own, json!(["attack", null, "heal"])).await.unwrap();
        anna.sync().await;
        seen.push(anna);
    }
    assert_same_frames(&seen[0], &seen[1]);
    assert_same_frames(&seen[0], &seen[2]);
}

#[tokio::test]
async fn drafts_are_not_visible_to_a_player_who_has_answered() {
    let mut seen = Vec::new();
    for drafts in [0, 1, 4] {
        let fixture = WireFixture::new(&["orcain"]).await;
        let (mut anna, mut bela) = seeded_match(&fixture, json!({"ruleset": "orcain"}), 1).await;
        anna.answer(anna.open_question().unwrap(), json!(["attack", null, "heal"])).await.unwrap();
        for card in ["attack", "heal", "defense", "counter"].iter().take(drafts) {
            bela.draft(bela.open_question().unwrap(), json!([null, card, null])).await.unwrap();
        }
        anna.sync().await;
        anna.control(json!({"kind": "teach"})).await.unwrap();
        anna.sync().await;
        seen.push(anna);
    }
    assert_same_frames(&seen[0], &seen[1]);
    assert_same_frames(&seen[0], &seen[2]);
}

#[tokio::test]
async fn a_mulligan_is_not_visible_before_both_have_decided() {
    let mut seen = Vec::new();
    for again in [Some(true), Some(false), None] {
        let fixture = WireFixture::new(&["mages"]).await;
        let (mut anna, mut bela) = seeded_match(&fixture, json!({"ruleset": "mages"}), 1).await;
        if let Some(again) = again {
            bela.answer(bela.open_question().unwrap(), json!(again)).await.unwrap();
        }
        anna.sync().await;
        anna.reconnect(&fixture).await;
        anna.sync().await;
        seen.push(anna);
    }
    assert_same_frames(&seen[0], &seen[1]);
    assert_same_frames(&seen[0], &seen[2]);
}

#[tokio::test]
async fn the_contents_of_a_hand_are_not_visible() {
    let goblins = vec!["raider"; 30];
    let mut tower = vec!["refusal", "drake", "scholar", "bolt", "charm"];
    tower.extend(["scry"; 25]);
    let options = json!({"decks": [goblins, tower], "mulligan": false});
    let mut seen = Vec::new();
    let mut hands = Vec::new();
    for seed in [1, 2] {
        let fixture = WireFixture::new(&["mages"]).await;
        let (mut anna, mut bela) =
            seeded_match(&fixture, json!({"ruleset": "mages", "options": options}), seed).await;
        hands.push(bela.view["players"][1]["zones"]["hand"].to_string());
        // Both players only pass where they may.
        for _ in 0..10 {
            anna.sync().await;
            bela.sync().await;
            let client = if anna.open_question().is_some() { &mut anna } else { &mut bela };
            let question = client.open_question().unwrap();
            if client.prompts[0]["pass"] == json!(true) {
                client.answer(question, json!("pass")).await.unwrap();
            }
        }
        anna.sync().await;
        assert!(anna.view["match"]["turn"].as_i64() > Some(2), "cards were drawn");
        seen.push(anna);
    }
    assert_ne!(hands[0], hands[1], "the hidden hands must differ");
    assert_same_frames(&seen[0], &seen[1]);
}

#[tokio::test]
async fn a_face_down_card_is_not_visible_before_all_are_played() {
    let mut seen = Vec::new();
    for picks in [vec![], vec![0], vec![1]] {
        let fixture = WireFixture::new(&["dogma"]).await;
        let (mut anna, mut bela) = seeded_match(&fixture, json!({"ruleset": "dogma", "seats": 2}), 1).await;
        for pick in picks {
            bela.answer(bela.open_question().unwrap(), json!([{"n": pick}])).await.unwrap();
        }
        anna.sync().await;
        seen.push(anna);
    }
    assert_same_frames(&seen[0], &seen[1]);
    assert_same_frames(&seen[0], &seen[2]);
}

#[tokio::test]
async fn draft_picks_are_not_visible() {
    let mut seen = Vec::new();
    for pick in [0, 1] {
        let fixture = WireFixture::new(&["draft"]).await;
        let (mut anna, mut bela) = seeded_match(&fixture, json!({"ruleset": "draft", "seats": 2}), 1).await;
        bela.answer(bela.open_question().unwrap(), json!([{"n": pick}])).await.unwrap();
        anna.sync().await;
        anna.reconnect(&fixture).await;
        anna.sync().await;
        seen.push(anna);
    }
    assert_same_frames(&seen[0], &seen[1]);
}

#[tokio::test]
async fn future_dice_are_not_visible() {
    let mut seen = Vec::new();
    for seed in [1, 2] {
        let fixture = WireFixture::new(&["skirmish"]).await;
        let request = json!({"ruleset": "skirmish", "options": {"order": "listed"}});
        let (mut anna, mut bela) = seeded_match(&fixture, request, seed).await;
        anna.sync().await;
        bela.sync().await;
        seen.push((anna, bela));
    }
    assert_same_frames(&seen[0].0, &seen[1].0);
    assert_same_frames(&seen[0].1, &seen[1].1);
}
