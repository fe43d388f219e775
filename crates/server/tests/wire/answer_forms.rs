//! The forms in which clients may answer and act.

use serde_json::{Value, json};

use super::client::WsClient;
use super::fixture::WireFixture;

fn score(client: &WsClient, seat: usize) -> i64 {
    client.view["players"][seat]["props"]["score"].as_i64().unwrap()
}

async fn submit(client: &mut WsClient, fields: Value) -> Result<(), (String, String)> {
    client.wait_until(|client| client.open_question().is_some()).await;
    let mut frame = json!({"type": "input.submit", "inputId": client.open_question().unwrap()});
    frame.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let outcome = client.command(frame).await.map(drop);
    outcome.map_err(|problem| (problem.code.name().to_owned(), problem.detail))
}

#[tokio::test]
async fn offers_are_accepted_and_declined_with_activate() {
    let fixture = WireFixture::new(&["spite"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "spite"})).await;
    let malformed = |detail: &str| Err(("malformed".to_owned(), detail.to_owned()));
    assert_eq!(submit(&mut anna, json!({})).await, malformed("`answers` is missing"));
    let both = "send either `answers` or `activate` and `targetId`, not both";
    assert_eq!(submit(&mut anna, json!({"answers": [], "activate": true})).await, malformed(both));
    // One legal target: it need not be named.
    submit(&mut anna, json!({"activate": true})).await.unwrap();
    assert_eq!(score(&anna, 1), 1);
    submit(&mut anna, json!({"activate": false})).await.unwrap();
    assert_eq!(score(&anna, 1), 1);
    let unclear = submit(&mut anna, json!({"activate": true})).await.unwrap_err();
    assert_eq!(unclear.1, "Selection true didn't exist in the choices");
    submit(&mut anna, json!({"activate": true, "targetId": "p0"})).await.unwrap();
    assert_eq!((score(&anna, 0), score(&anna, 1)), (1, 1));
}

#[tokio::test]
async fn actions_are_described_and_taken_in_all_forms() {
    let fixture = WireFixture::new(&["spite"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "spite"})).await;
    for _ in 0..3 {
        submit(&mut anna, json!({"activate": false})).await.unwrap();
    }
    let found = anna.command(json!({"type": "actions.get"})).await.unwrap();
    let offer = &found["actions"]["available"][0];
    for (key, value) in [
        ("id", "attack"),
        ("name", "Attack"),
        ("description", "Hit somebody"),
        ("cost", "3 mana"),
        ("timing", "instant"),
    ] {
        assert_eq!(offer[key], value, "{key}");
    }
    let act = |action: Value| json!({"type": "action.submit", "action": action});
    let wrong = anna.command(act(json!({"type": "attack", "attackerId": "p1"}))).await.unwrap_err();
    assert_eq!(wrong.code.name(), "illegal");
    let unknown = anna.command(act(json!({"type": "attack", "speed": 3}))).await.unwrap_err();
    assert_eq!((unknown.code.name(), unknown.detail.as_str()), ("malformed", "unknown field `speed`"));
    let imp = offer["targets"]["attacker"].clone();
    anna.command(act(json!({"type": "attack", "attackerId": imp, "defenderId": "p1"}))).await.unwrap();
    assert_eq!(score(&anna, 1), -1);
    // The targets are the only legal ones, so the id is enough.
    submit(&mut anna, json!({"answers": "attack"})).await.unwrap();
    assert_eq!(score(&anna, 1), -2);
    anna.command(act(json!({"type": "attack"}))).await.unwrap();
    assert_eq!(score(&anna, 1), -3);
}

#[tokio::test]
async fn a_frame_may_name_its_match_and_player() {
    let fixture = WireFixture::new(&["spite"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "spite"})).await;
    let id = anna.match_id.clone().unwrap();
    submit(&mut anna, json!({"activate": false, "matchId": id, "playerId": "p0"})).await.unwrap();
    submit(&mut anna, json!({"activate": false, "matchId": id, "playerId": 0})).await.unwrap();
    let refused = |detail: String| Err(("malformed".to_owned(), detail));
    let other = "00000000-0000-0000-0000-000000000000";
    assert_eq!(
        submit(&mut anna, json!({"activate": false, "matchId": other})).await,
        refused(format!("`matchId` is {other}, but this connection follows {id}; send `hello` to switch"))
    );
    for (named, shown) in [(json!("p1"), "p1"), (json!(1), "seat 1")] {
        assert_eq!(
            submit(&mut anna, json!({"activate": false, "playerId": named})).await,
            refused(format!(
                "`playerId` is {shown}, but this connection is p0; send `hello` with the right `seat`"
            ))
        );
    }
    let control = json!({"type": "system.control", "control": {"kind": "concede"}, "playerId": "p1"});
    assert_eq!(anna.command(control).await.unwrap_err().code.name(), "malformed");
}
