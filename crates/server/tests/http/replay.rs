//! Replays of ended matches, event by event.

use serde_json::{Value, json};

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, open_question, start_duel};

/// Plays one round of a duel, then Ann concedes.
async fn finished_duel(ann: &HttpClient, bob: &HttpClient, ruleset: &str) -> String {
    let id = start_duel(ann, bob, ruleset).await;
    let layouts = [json!(["attack", "defense", "heal"]), json!(["heal", "attack", "counter"])];
    for (player, answers) in [ann, bob].into_iter().zip(layouts) {
        let input = open_question(player, &id).await;
        player.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": answers})).await.ok_json();
    }
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    id
}

/// Returns all pages of a replay in one.
async fn full_replay(client: &HttpClient, id: &str, viewer: &str, limit: u32) -> Value {
    let mut after = 0;
    let (mut inputs, mut events) = (Vec::new(), Vec::new());
    loop {
        let path = format!("/matches/{id}/replay?as={viewer}&limit={limit}&after={after}");
        let mut page = client.get(&path).await.ok_json();
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
async fn an_ended_match_is_replayed_event_by_event() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = finished_duel(&ann, &bob, "orcain").await;
    let replay = full_replay(&fixture.anonymous(), &id, "all", 2000).await;
    assert_eq!(full_replay(&ann, &id, "all", 7).await["events"], replay["events"]);
    assert_eq!(full_replay(&ann, &id, "all", 7).await["inputs"], replay["inputs"]);
    let kinds: Vec<&str> =
        replay["inputs"].as_array().unwrap().iter().map(|i| i["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "answer", "answer", "leave"]);
    assert_eq!(replay["inputs"][2]["text"], "p1 answers heal #9, attack #7, counter #10");
    let times: Vec<i64> =
        replay["inputs"].as_array().unwrap().iter().map(|i| i["atMs"].as_i64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] == replay["startedMs"].as_i64().unwrap(), "{times:?}");
    let events = replay["events"].as_array().unwrap();
    let hurt = events.iter().find(|event| event["event"] == "Hurt").expect("no attack hurts");
    assert_eq!(hurt["text"], "p0 hits p1 for 2");
    assert_eq!((&hurt["input"], &hurt["status"]), (&json!(2), &json!("applied")));
    let ended = events.iter().find(|event| event["event"] == "MatchEnded").unwrap();
    let cause = ended["cause"].as_u64().expect("the event names no cause");
    assert_eq!((&events[cause as usize - 1]["event"], &ended["depth"]), (&json!("PlayerLeft"), &json!(1)));
    assert_eq!(replay["ending"]["winners"], json!([1]));

    // The states before and after the hit, in the middle of an input.
    let n = hurt["n"].as_u64().unwrap();
    let at = |n: u64| format!("/matches/{id}/replay/{n}?as=all");
    let (before, after) = (ann.get(&at(n - 1)).await.ok_json(), ann.get(&at(n)).await.ok_json());
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
    assert_eq!(ann.get(&at(0)).await.ok_json()["view"]["phases"], json!([]));
    assert_eq!(ann.get(&at(events.len() as u64 + 1)).await.problem_code(), "not_found");
    assert_eq!(ann.get(&at(events.len() as u64)).await.ok_json()["view"]["ending"]["winners"], json!(["p1"]));

    // A fork continues after an input.
    let fork_at = replay["inputs"][2]["forkAt"].clone();
    let fork = bob.post(&format!("/matches/{id}/fork"), json!({"at": fork_at})).await.ok_json();
    let view = bob.get(&format!("/matches/{}/view?seat=1", fork["id"].as_str().unwrap())).await.ok_json();
    let last = replay["inputs"][2]["lastEvent"].as_u64().unwrap();
    assert_eq!(hp(&view), hp(&ann.get(&at(last)).await.ok_json()));
}

#[tokio::test]
async fn a_seat_replay_shows_what_the_seat_saw() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = finished_duel(&ann, &bob, "orcain").await;
    let replay = full_replay(&fixture.anonymous(), &id, "seat0", 50).await;
    assert_eq!(replay["as"], "seat0");
    let texts: Vec<&Value> =
        replay["inputs"].as_array().unwrap().iter().map(|input| &input["text"]).collect();
    assert_eq!(texts[2], &Value::Null, "Ann may not see what Bob sent");
    let past = ann.get(&format!("/matches/{id}/events")).await.ok_json();
    let past: Vec<Value> = past["items"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|s| s["events"].as_array().unwrap().clone())
        .collect();
    let seen: Vec<&str> = past.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let again: Vec<&str> =
        replay["events"].as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(seen, again);
    let first = ann.get(&format!("/matches/{id}/replay/{}?as=seat0", 5)).await.ok_json();
    assert_eq!(first["view"]["you"], "p0");
    assert_eq!(first["underWay"], json!([]));
}

#[tokio::test]
async fn undone_inputs_are_a_branch() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let input = open_question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": ["heal", "heal", "heal"]}))
        .await
        .problem_code();
    ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": ["heal", "attack", null]}))
        .await
        .ok_json();
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "undo"})).await.ok_json();
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    let replay = ann.get(&format!("/matches/{id}/replay")).await.ok_json();
    assert_eq!(replay["as"], "all");
    let branch = &replay["branches"][0];
    assert_eq!((&branch["number"], &branch["from"], &branch["by"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!(branch["inputs"][0]["text"], "p0 answers heal #5, attack #3, nothing");
    assert_eq!(ann.get(&format!("/matches/{id}/replay?as=seat1")).await.ok_json()["branches"], json!([]));
}

#[tokio::test]
async fn replays_do_not_reveal_what_stays_hidden() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    // The same duel, but hidden information stays hidden afterwards.
    let files = ann.get("/rulesets/orcain/files").await.ok_json()["files"].clone();
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
    ann.post("/rulesets", json!({"files": files})).await.ok_json();
    let id = finished_duel(&ann, &bob, "closed-orcain").await;
    let stranger = fixture.anonymous();
    for (client, viewer) in [(&ann, "all"), (&ann, "seat1"), (&bob, "seat0"), (&stranger, "seat0")] {
        let refused = client.get(&format!("/matches/{id}/replay?as={viewer}")).await;
        assert_eq!(refused.problem_code(), "not_allowed");
        assert_eq!(refused.json()["reason"], "stays_hidden");
        assert_eq!(
            client.get(&format!("/matches/{id}/replay/3?as={viewer}")).await.problem_code(),
            "not_allowed"
        );
    }
    let own = bob.get(&format!("/matches/{id}/replay")).await.ok_json();
    assert_eq!(own["as"], "seat1");
    assert!(own["inputs"].as_array().unwrap().iter().all(|input| input["forkAt"].is_null()));
    assert!(own["events"].as_array().unwrap().iter().all(|event| event.get("id").is_none()));
    assert_eq!(stranger.get(&format!("/matches/{id}/replay")).await.ok_json()["as"], "spectator");
}

#[tokio::test]
async fn a_match_in_progress_has_no_replay() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let refused = ann.get(&format!("/matches/{id}/replay?as=seat0")).await;
    assert_eq!(
        (refused.problem_code().as_str(), &refused.json()["reason"]),
        ("not_allowed", &json!("not_over"))
    );
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    for wrong in ["as=seat", "as=seat256", "as=everyone", "as=seat%2B1", "limit=0", "after=-1"] {
        assert_eq!(
            ann.get(&format!("/matches/{id}/replay?{wrong}")).await.problem_code(),
            "malformed",
            "{wrong}"
        );
    }
    assert_eq!(ann.get(&format!("/matches/{id}/replay?as=seat7")).await.problem_code(), "invalid");
}
