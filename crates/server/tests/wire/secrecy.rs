//! What a seat may not know changes nothing of what it is sent: not a byte, not a number, not an order.
//!
//! Each story is played twice, on two servers whose clocks show the same. Both times one seat does the same, and
//! something happens that this seat may not see. What is chosen at random for each match, its id and the like, is
//! made the same before the frames are compared.

use intermezzo_protocol::resources::{CreateMatch, Sit};
use intermezzo_server::house::{Caller, MatchRecord};
use intermezzo_store::{Expect, Outcome, Put, Transaction};
use serde_json::{Value, json};

use super::client::Client;
use super::world::World;

/// A match whose chance is known beforehand, and the two at its seats.
async fn seeded(world: &World, wish: Value, seed: u8) -> (Client, Client) {
    let house = world.house();
    let tokens = [world.guest("anna").await, world.guest("bela").await];
    let anna = Caller::from(house.who(&tokens[0]).await.unwrap());
    let bela = Caller::from(house.who(&tokens[1]).await.unwrap());
    let wish: CreateMatch = serde_json::from_value(wish).unwrap();
    let id = house.create_match(&anna, &wish).await.unwrap().id;
    house.sit(&bela, id, &Sit::default()).await.unwrap();
    house.ready(&anna, id, true).await.unwrap();
    let record = house.ready(&bela, id, true).await.unwrap();
    let seed = [seed; 32];
    let record = MatchRecord {
        seed: Some(seed.iter().map(|byte| format!("{byte:02x}")).collect()),
        commitment: Some(blake3::hash(&seed).to_hex().to_string()),
        ..record
    };
    let value = serde_json::to_vec(&record).unwrap();
    let put = Put { key: format!("match/{id}"), expect: Expect::Anything, value: Some(value) };
    let outcome = world.store.commit(Transaction { puts: vec![put], ..Transaction::default() }).await;
    assert_eq!(outcome, Outcome::Committed);
    let id = id.to_string();
    (Client::join(world, &tokens[0], &id).await, Client::join(world, &tokens[1], &id).await)
}

/// Everything a client was sent, with what is chosen at random for each match made the same.
fn sent(client: &Client) -> Vec<String> {
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

fn assert_same(one: &Client, other: &Client) {
    let (one, other) = (sent(one), sent(other));
    for (place, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one, other, "frame {place} differs");
    }
    assert_eq!(one.len(), other.len(), "there are as many frames");
}

#[tokio::test]
async fn drafts_and_early_answers_of_a_duel_are_not_noticed() {
    let mut seen = Vec::new();
    for deeds in 0..3 {
        let world = World::with(&["orcain"]).await;
        let (mut anna, mut bela) = seeded(&world, json!({"ruleset": "orcain"}), 1).await;
        let question = bela.asked().unwrap();
        for card in ["attack", "heal", "defense"].iter().take(deeds) {
            bela.draft(question, json!([card, null, null])).await.unwrap();
        }
        if deeds == 2 {
            bela.answer(question, json!(["counter", "heal", null])).await.unwrap();
        }
        let own = anna.asked().unwrap();
        anna.draft(own, json!(["attack", null, "fireball"])).await.unwrap();
        anna.answer(own, json!(["attack", "attack", "attack"])).await.unwrap_err();
        anna.draft(own, json!(["attack", null, "heal"])).await.unwrap();
        anna.settle().await;
        seen.push(anna);
    }
    assert_same(&seen[0], &seen[1]);
    assert_same(&seen[0], &seen[2]);
}

#[tokio::test]
async fn who_has_answered_does_not_notice_what_the_other_drafts() {
    let mut seen = Vec::new();
    for drafts in [0, 1, 4] {
        let world = World::with(&["orcain"]).await;
        let (mut anna, mut bela) = seeded(&world, json!({"ruleset": "orcain"}), 1).await;
        anna.answer(anna.asked().unwrap(), json!(["attack", null, "heal"])).await.unwrap();
        for card in ["attack", "heal", "defense", "counter"].iter().take(drafts) {
            bela.draft(bela.asked().unwrap(), json!([null, card, null])).await.unwrap();
        }
        anna.settle().await;
        anna.control(json!({"kind": "teach"})).await.unwrap();
        anna.settle().await;
        seen.push(anna);
    }
    assert_same(&seen[0], &seen[1]);
    assert_same(&seen[0], &seen[2]);
}

#[tokio::test]
async fn whether_a_mage_changes_its_hand_is_not_noticed_before_both_have_decided() {
    let mut seen = Vec::new();
    for again in [Some(true), Some(false), None] {
        let world = World::with(&["mages"]).await;
        let (mut anna, mut bela) = seeded(&world, json!({"ruleset": "mages"}), 1).await;
        if let Some(again) = again {
            bela.answer(bela.asked().unwrap(), json!(again)).await.unwrap();
        }
        anna.settle().await;
        anna.reconnect(&world).await;
        anna.settle().await;
        seen.push(anna);
    }
    assert_same(&seen[0], &seen[1]);
    assert_same(&seen[0], &seen[2]);
}

#[tokio::test]
async fn what_a_mage_holds_is_not_noticed() {
    let goblins = vec!["raider"; 30];
    let mut tower = vec!["refusal", "drake", "scholar", "bolt", "charm"];
    tower.extend(["scry"; 25]);
    let options = json!({"decks": [goblins, tower], "mulligan": false});
    let mut seen = Vec::new();
    let mut hands = Vec::new();
    for seed in [1, 2] {
        let world = World::with(&["mages"]).await;
        let (mut anna, mut bela) =
            seeded(&world, json!({"ruleset": "mages", "options": options}), seed).await;
        hands.push(bela.view["players"][1]["zones"]["hand"].to_string());
        // Both only pass, as far as that goes.
        for _ in 0..10 {
            anna.settle().await;
            bela.settle().await;
            let client = if anna.asked().is_some() { &mut anna } else { &mut bela };
            let question = client.asked().unwrap();
            if client.prompts[0]["pass"] == json!(true) {
                client.answer(question, json!("pass")).await.unwrap();
            }
        }
        anna.settle().await;
        assert!(anna.view["match"]["turn"].as_i64() > Some(2), "cards were drawn");
        seen.push(anna);
    }
    assert_ne!(hands[0], hands[1], "there is something to hide");
    assert_same(&seen[0], &seen[1]);
}

#[tokio::test]
async fn which_card_another_lays_first_is_not_noticed_before_all_are_laid() {
    let mut seen = Vec::new();
    for picks in [vec![], vec![0], vec![1]] {
        let world = World::with(&["dogma"]).await;
        let (mut anna, mut bela) = seeded(&world, json!({"ruleset": "dogma", "seats": 2}), 1).await;
        for pick in picks {
            bela.answer(bela.asked().unwrap(), json!([pick])).await.unwrap();
        }
        anna.settle().await;
        seen.push(anna);
    }
    assert_same(&seen[0], &seen[1]);
    assert_same(&seen[0], &seen[2]);
}

#[tokio::test]
async fn what_another_drafts_is_not_noticed() {
    let mut seen = Vec::new();
    for pick in [0, 1] {
        let world = World::with(&["draft"]).await;
        let (mut anna, mut bela) = seeded(&world, json!({"ruleset": "draft", "seats": 2}), 1).await;
        bela.answer(bela.asked().unwrap(), json!([pick])).await.unwrap();
        anna.settle().await;
        anna.reconnect(&world).await;
        anna.settle().await;
        seen.push(anna);
    }
    assert_same(&seen[0], &seen[1]);
}

#[tokio::test]
async fn dice_that_were_not_rolled_yet_are_not_noticed() {
    let mut seen = Vec::new();
    for seed in [1, 2] {
        let world = World::with(&["skirmish"]).await;
        let wish = json!({"ruleset": "skirmish", "options": {"order": "listed"}});
        let (mut anna, mut bela) = seeded(&world, wish, seed).await;
        anna.settle().await;
        bela.settle().await;
        seen.push((anna, bela));
    }
    assert_same(&seen[0].0, &seen[1].0);
    assert_same(&seen[0].1, &seen[1].1);
}
