//! Going through a match that is over, event by event.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{World, duel, question};

/// A duel of one round and a half, which Ann gives up.
async fn over(ann: &Client, bob: &Client, ruleset: &str) -> String {
    let id = duel(ann, bob, ruleset).await;
    let layouts = [json!(["attack", "defense", "heal"]), json!(["heal", "attack", "counter"])];
    for (player, answers) in [ann, bob].into_iter().zip(layouts) {
        let input = question(player, &id).await;
        player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": answers})).await.good();
    }
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    id
}

/// All pages of a replay in one.
async fn whole(client: &Client, id: &str, viewer: &str, limit: u32) -> Value {
    let mut after = 0;
    let (mut inputs, mut events) = (Vec::new(), Vec::new());
    loop {
        let path = format!("/matches/{id}/replay?as={viewer}&limit={limit}&after={after}");
        let mut page = client.get(&path).await.good();
        assert!(page["events"].as_array().unwrap().len() <= limit as usize);
        inputs.extend(page["inputs"].as_array().unwrap().clone());
        events.extend(page["events"].as_array().unwrap().clone());
        match page["next"].as_u64() {
            Some(next) => after = next,
            None => {
                (page["inputs"], page["events"]) = (json!(inputs), json!(events));
                return page;
            }
        }
    }
}

#[tokio::test]
async fn a_match_that_is_over_is_gone_through_event_by_event() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = over(&ann, &bob, "orcain").await;
    let replay = whole(&world.stranger(), &id, "all", 2000).await;
    assert_eq!(whole(&ann, &id, "all", 7).await["events"], replay["events"]);
    assert_eq!(whole(&ann, &id, "all", 7).await["inputs"], replay["inputs"]);
    let kinds: Vec<&str> =
        replay["inputs"].as_array().unwrap().iter().map(|i| i["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "answer", "answer", "leave"]);
    assert_eq!(replay["inputs"][2]["text"], "p1 answers heal #9, attack #7, counter #10");
    let times: Vec<i64> =
        replay["inputs"].as_array().unwrap().iter().map(|i| i["atMs"].as_i64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] == replay["startedMs"].as_i64().unwrap(), "{times:?}");
    let events = replay["events"].as_array().unwrap();
    let hurt = events.iter().find(|event| event["event"] == "Hurt").expect("an attack hurts");
    assert_eq!(hurt["text"], "p1 loses 2 to p0");
    assert_eq!((&hurt["input"], &hurt["status"]), (&json!(2), &json!("applied")));
    let ended = events.iter().find(|event| event["event"] == "MatchEnded").unwrap();
    let cause = ended["cause"].as_u64().expect("what was caused names its cause");
    assert_eq!((&events[cause as usize - 1]["event"], &ended["depth"]), (&json!("PlayerLeft"), &json!(1)));
    assert_eq!(replay["ending"]["winners"], json!([1]));

    // Before and after the blow, in the middle of an input.
    let n = hurt["n"].as_u64().unwrap();
    let at = |n: u64| format!("/matches/{id}/replay/{n}?as=all");
    let (before, after) = (ann.get(&at(n - 1)).await.good(), ann.get(&at(n)).await.good());
    let hp = |moment: &Value| moment["view"]["players"][1]["props"]["hp"].as_i64().unwrap();
    let lost =
        events.iter().filter(|event| event["event"] == "Hurt" && event["n"].as_u64() <= Some(n)).count();
    assert_eq!((hp(&before), hp(&after), lost), (10, 8, 1));
    assert_eq!(after["isWaiting"], false);
    assert!(
        after["underWay"].as_array().unwrap().iter().any(|at| at["name"] == "flow"),
        "{}",
        after["underWay"]
    );
    assert_eq!(ann.get(&at(0)).await.good()["view"]["phases"], json!([]));
    assert_eq!(ann.get(&at(events.len() as u64 + 1)).await.code(), "not_found");
    assert_eq!(ann.get(&at(events.len() as u64)).await.good()["view"]["ending"]["winners"], json!(["p1"]));

    // Where an input has been taken, a match of one's own goes on.
    let fork_at = replay["inputs"][2]["forkAt"].clone();
    let fork = bob.post(&format!("/matches/{id}/fork"), json!({"at": fork_at})).await.good();
    let view = bob.get(&format!("/matches/{}/view?seat=1", fork["id"].as_str().unwrap())).await.good();
    let last = replay["inputs"][2]["lastEvent"].as_u64().unwrap();
    assert_eq!(hp(&view), hp(&ann.get(&at(last)).await.good()));
}

#[tokio::test]
async fn a_seat_sees_again_what_it_saw() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = over(&ann, &bob, "orcain").await;
    let replay = whole(&world.stranger(), &id, "seat0", 50).await;
    assert_eq!(replay["as"], "seat0");
    let texts: Vec<&Value> =
        replay["inputs"].as_array().unwrap().iter().map(|input| &input["text"]).collect();
    assert_eq!(texts[2], &Value::Null, "what Bob sent is not Ann's to know");
    let past = ann.get(&format!("/matches/{id}/events")).await.good();
    let past: Vec<Value> = past["items"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|s| s["events"].as_array().unwrap().clone())
        .collect();
    let told: Vec<&str> = past.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let again: Vec<&str> =
        replay["events"].as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(told, again);
    let first = ann.get(&format!("/matches/{id}/replay/{}?as=seat0", 5)).await.good();
    assert_eq!(first["view"]["you"], "p0");
    assert_eq!(first["underWay"], json!([]));
}

#[tokio::test]
async fn what_is_taken_back_is_a_branch() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let input = question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": ["heal", "heal", "heal"]}))
        .await
        .code();
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": ["heal", "attack", null]}))
        .await
        .good();
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "undo"})).await.good();
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    let replay = ann.get(&format!("/matches/{id}/replay")).await.good();
    assert_eq!(replay["as"], "all");
    let branch = &replay["branches"][0];
    assert_eq!((&branch["number"], &branch["from"], &branch["by"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!(branch["inputs"][0]["text"], "p0 answers heal #5, attack #3, nothing");
    assert_eq!(ann.get(&format!("/matches/{id}/replay?as=seat1")).await.good()["branches"], json!([]));
}

#[tokio::test]
async fn nobody_learns_from_a_replay_what_stays_hidden() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    // The same duel, but its secrets stay secrets.
    let files = ann.get("/rulesets/orcain/files").await.good()["files"].clone();
    let files: serde_json::Map<String, Value> = files
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, text)| {
            let text = text.as_str().unwrap();
            let text = text.replace("id: orcain", "id: closed-orcain\n  afterwards: closed");
            (name.clone(), Value::from(text))
        })
        .collect();
    ann.post("/rulesets", json!({"files": files})).await.good();
    let id = over(&ann, &bob, "closed-orcain").await;
    let stranger = world.stranger();
    for (client, viewer) in [(&ann, "all"), (&ann, "seat1"), (&bob, "seat0"), (&stranger, "seat0")] {
        let refused = client.get(&format!("/matches/{id}/replay?as={viewer}")).await;
        assert_eq!(refused.code(), "not_allowed");
        assert_eq!(refused.json()["reason"], "stays_hidden");
        assert_eq!(client.get(&format!("/matches/{id}/replay/3?as={viewer}")).await.code(), "not_allowed");
    }
    let own = bob.get(&format!("/matches/{id}/replay")).await.good();
    assert_eq!(own["as"], "seat1");
    assert!(own["inputs"].as_array().unwrap().iter().all(|input| input["forkAt"].is_null()));
    assert!(own["events"].as_array().unwrap().iter().all(|event| event.get("id").is_none()));
    assert_eq!(stranger.get(&format!("/matches/{id}/replay")).await.good()["as"], "spectator");
}

#[tokio::test]
async fn a_match_that_is_played_is_not_replayed() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let refused = ann.get(&format!("/matches/{id}/replay?as=seat0")).await;
    assert_eq!((refused.code().as_str(), &refused.json()["reason"]), ("not_allowed", &json!("not_over")));
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    for wrong in ["as=seat", "as=seat256", "as=everyone", "as=seat%2B1", "limit=0", "after=-1"] {
        assert_eq!(ann.get(&format!("/matches/{id}/replay?{wrong}")).await.code(), "malformed", "{wrong}");
    }
    assert_eq!(ann.get(&format!("/matches/{id}/replay?as=seat7")).await.code(), "invalid");
}
