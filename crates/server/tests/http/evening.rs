//! An evening at the server that uses every operation there is, on each store.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{World, duel, question, tiny};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

#[tokio::test]
async fn an_evening_in_memory_uses_every_operation() {
    evening(World::new().await).await;
}

#[tokio::test]
async fn an_evening_on_disk_uses_every_operation() {
    evening(World::on_disk().await).await;
}

async fn evening(world: World) {
    let door = world.stranger();
    look_around(&door).await;
    let (ann, bob) = people(&door).await;
    rulesets(&ann).await;
    lobby(&ann, &bob).await;
    let played = match_of(&ann, &bob).await;
    afterwards(&ann, &bob, &played).await;
    path_of(&ann).await;
    // Two whose ratings are the same, so that they need not wait.
    queue(&door.guest().await, &door.guest().await).await;
    good_bye(&ann, &bob).await;
    unused(&door);
    world.stop().await;
}

async fn look_around(door: &Client) {
    assert_eq!(door.get("/").await.good()["name"], "intermezzo");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(door.get(path).await.good()["status"], "ok");
    }
    assert_eq!(door.get("/openapi.json").await.good()["openapi"], "3.1.0");
    assert_eq!(door.get("/asyncapi.json").await.good()["asyncapi"], "3.0.0");
}

async fn people(door: &Client) -> (Client, Client) {
    let ann = door.guest().await;
    let wish = json!({"name": "ann", "password": "correct horse"});
    let signed_in = ann.put("/me/password", wish.clone()).await.good();
    assert_eq!(ann.get("/me").await.code(), "not_signed_in", "all tokens so far have ended");
    let ann = ann.with_token(signed_in["token"].as_str());
    let again = door.post("/sessions", wish).await;
    assert_eq!(again.status, 201);
    let elsewhere = door.with_token(again.good()["token"].as_str());
    assert_eq!(elsewhere.id().await, ann.id().await);
    assert_eq!(elsewhere.delete("/sessions/current").await.status, 204);
    assert_eq!(elsewhere.get("/me").await.code(), "not_signed_in");
    let renamed = ann.send("PATCH", "/me", &[], Some(json!({"name": "Anna"}))).await.good();
    assert_eq!(renamed["name"], "Anna");
    (ann, door.guest().await)
}

async fn rulesets(ann: &Client) {
    let known = ann.get("/rulesets?limit=1").await.good();
    assert_eq!(known["items"][0]["id"], "mages");
    let rest = ann.get(&format!("/rulesets?cursor={}", known["next"].as_str().unwrap())).await.good();
    assert_eq!(rest["items"][0]["id"], "orcain");
    let checked =
        ann.post("/rulesets/check", json!({"files": {"ruleset.yaml": "ir: 1\nflow: []"}})).await.good();
    assert_eq!(checked["playable"], false);
    assert!(checked["diagnostics"].as_array().is_some_and(|all| !all.is_empty()), "{checked}");
    let published = ann.post("/rulesets", tiny("1.0.0")).await;
    assert_eq!(published.status, 201);
    let hash = published.good()["hash"].as_str().unwrap().to_owned();
    assert_eq!(published.header("location"), Some(format!("/rulesets/{hash}").as_str()));
    for name in ["tiny", "tiny@1.0.0", &hash] {
        assert_eq!(ann.get(&format!("/rulesets/{name}")).await.good()["hash"], hash.as_str());
    }
    assert_eq!(ann.get("/rulesets/tiny/files").await.good()["files"], tiny("1.0.0")["files"]);
    assert!(ann.get("/rulesets/orcain/schema").await.good()["$defs"].is_object());
    let table = ann.get("/rulesets/orcain/table").await.good();
    assert_eq!(table["events"]["Healed"]["text"], "{player} heals {amount}");
    assert_eq!(table["ui"]["label"], "type");
}

async fn lobby(ann: &Client, bob: &Client) {
    let open = ann.post("/matches", json!({"ruleset": "orcain", "name": "come in"})).await;
    let path = open.header("location").unwrap().to_owned();
    assert!(
        bob.get("/matches").await.good()["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["name"] == "come in")
    );
    assert_eq!(bob.post(&format!("{path}/seats"), json!({})).await.good()["seats"][1]["ready"], false);
    assert!(ann.delete(&format!("{path}/seats/1")).await.good()["seats"][1].get("account").is_none());
    let bot = ann.put(&format!("{path}/seats/1/bot"), json!({"bot": "random"})).await.good();
    assert_eq!(bot["seats"][1]["bot"], "random");
    assert_eq!(ann.delete(&path).await.good()["status"], "cancelled");
    let private = ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.good();
    let code = private["code"].as_str().unwrap();
    let found = bob.get(&format!("/matches/by-code/{code}")).await.good();
    assert_eq!((&found["id"], found.get("code")), (&private["id"], None));
    let path = format!("/matches/{}", private["id"].as_str().unwrap());
    assert_eq!(bob.post(&format!("{path}/seats"), json!({})).await.code(), "not_allowed");
    bob.post(&format!("{path}/seats"), json!({"code": code})).await.good();
    assert_eq!(ann.post(&format!("{path}/start"), Value::Null).await.code(), "not_ready");
    bob.put(&format!("{path}/ready"), json!({"ready": true})).await.good();
    assert_eq!(ann.post(&format!("{path}/start"), Value::Null).await.good()["status"], "playing");
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.good();
}

async fn match_of(ann: &Client, bob: &Client) -> String {
    let path = format!("/matches/{}", duel(ann, bob, "orcain").await);
    let id = path.trim_start_matches("/matches/").to_owned();
    let view = ann.get(&format!("{path}/view")).await;
    assert_eq!(view.header("etag"), Some("\"1\""));
    assert_eq!(view.good()["view"]["you"], "p0");
    let (of_ann, of_bob) = (question(ann, &id).await, question(bob, &id).await);
    ann.put(&format!("{path}/inputs/{of_ann}/draft"), json!({"answers": LAYOUT})).await.good();
    ann.post(&format!("{path}/inputs/{of_ann}"), json!({"answers": LAYOUT})).await.good();
    bob.post(&format!("{path}/inputs/{of_bob}"), json!({"answers": LAYOUT})).await.good();
    assert_eq!(ann.get(&path).await.good()["status"], "playing");
    assert_eq!(bob.post(&format!("{path}/control"), json!({"kind": "concede"})).await.good()["branchId"], 3);
    path
}

async fn afterwards(ann: &Client, bob: &Client, path: &str) {
    let over = bob.get(path).await.good();
    assert_eq!((&over["status"], &over["ending"]["outcome"]), (&json!("ended"), &json!("concede")));
    let seen = bob.get(&format!("{path}/events?limit=2")).await.good();
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(2));
    let log = ann.get(&format!("{path}/log")).await.good();
    let replay = ann.get(&format!("{path}/replay")).await.good();
    ann.get(&format!("{path}/replay/{}", replay["eventCount"])).await.good();
    assert_eq!((&log["format"], &log["seed"]), (&json!(1), &over["seed"]));
    let fork = ann.post(&format!("{path}/fork"), json!({"at": 2})).await;
    assert_eq!(fork.status, 201);
    let fork_path = fork.header("location").unwrap().to_owned();
    let view = ann.get(&format!("{fork_path}/view?seat=1")).await.good();
    assert_eq!(view["view"]["match"]["round"], 1);
    assert_eq!(ann.post(&format!("{path}/rematch"), Value::Null).await.good()["status"], "open");
    let again = bob.post(&format!("{path}/rematch"), Value::Null).await.good();
    assert_eq!(again["status"], "playing");
    bob.post(&format!("/matches/{}/control", again["id"].as_str().unwrap()), json!({"kind": "concede"}))
        .await
        .good();
    ann.post(&format!("{fork_path}/control?seat=0"), json!({"kind": "concede"})).await.good();
    assert_eq!(ann.get("/leaderboards/orcain").await.good()["items"][0]["name"], "Anna");
    assert_eq!(ann.get("/me/ratings/orcain").await.good()["wins"], 2);
    let profile = bob.get("/accounts/Anna").await.good();
    assert_eq!((&profile["name"], &profile["ratings"][0]["wins"]), (&json!("Anna"), &json!(2)));
    assert!(profile.get("balance").is_none(), "what she owns is nobody's business: {profile}");
    let public = bob.get("/accounts/Anna/matches").await.good();
    let public = public["items"].as_array().unwrap();
    assert!(public.len() >= 2 && public.iter().all(|info| info["private"] == false), "{public:?}");
    assert!(ann.get("/me/matches").await.good()["items"].as_array().unwrap().len() >= 3);
    assert_eq!(ann.get("/me/transfers").await.good()["items"][0]["reason"], "welcome");
}

/// Actions, and a question that is no path.
async fn path_of(ann: &Client) {
    let made = ann.post("/matches", json!({"ruleset": "mages", "places": ["human", "random"]})).await.good();
    let path = format!("/matches/{}", made["id"].as_str().unwrap());
    ann.post(&format!("{path}/start"), Value::Null).await.good();
    assert_eq!(ann.get("/me/turns").await.good()[0]["matchId"], made["id"]);
    let actions = ann.get(&format!("{path}/actions")).await.good();
    assert!(actions["actions"].is_array() && actions["unavailable"].is_array(), "{actions}");
    assert_eq!(ann.post(&format!("{path}/actions"), json!({"type": "juggle"})).await.status, 422);
    let answer = ann.post(&format!("{path}/inputs/0/path"), json!({"soFar": []})).await;
    assert!(matches!(answer.code().as_str(), "illegal" | "not_found" | "closed"), "{}", answer.text);
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.good();
}

async fn queue(ann: &Client, bob: &Client) {
    assert_eq!(ann.post("/queue/orcain", json!({"stake": true})).await.good()["state"], "waiting");
    assert_eq!(ann.post("/queue/orcain", json!({"stake": true})).await.code(), "already_queued");
    assert_eq!(bob.post("/queue/mages", json!({})).await.good()["state"], "waiting");
    let lengths = json!([{"ruleset": "mages", "waiting": 1}, {"ruleset": "orcain", "waiting": 1}]);
    assert_eq!(bob.get("/queues").await.good(), lengths);
    assert_eq!(bob.delete("/queue/mages").await.status, 204);
    bob.post("/queue/orcain", json!({"stake": true})).await.good();
    let found = loop {
        let status = bob.get("/queue/orcain").await.good();
        if status["state"] == "found" {
            break status;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert_eq!(ann.get("/queue").await.good()[0]["matchId"], found["matchId"]);
    let path = format!("/matches/{}", found["matchId"].as_str().unwrap());
    bob.post(&format!("{path}/control"), json!({"kind": "concede"})).await.good();
    assert_eq!(ann.get("/me").await.good()["balance"], 101, "the winner has the pot");
}

async fn good_bye(ann: &Client, bob: &Client) {
    let export = ann.get("/me/export").await.good();
    assert_eq!(export["account"]["name"], "Anna");
    assert_eq!(ann.get("/moderations").await.code(), "not_allowed");
    assert_eq!(bob.delete("/sessions").await.status, 204);
    assert_eq!(bob.get("/me").await.code(), "not_signed_in");
    let left = ann.delete("/me").await;
    assert_eq!(left.status, 204, "{}", left.text);
    assert_eq!(ann.get("/me").await.code(), "not_signed_in");
    assert!(ann.with_token(None).get("/metrics").await.text.contains("intermezzo_requests_total"));
}

/// Fails with the operations of the document that nobody has used.
fn unused(door: &Client) {
    let document = intermezzo_server::openapi_document();
    let used = door.used.lock().unwrap();
    let mut missing = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let is_it = |(used, at): &&(String, String)| used.eq_ignore_ascii_case(method) && is_at(at, path);
            if !used.iter().any(|one| is_it(&one)) {
                missing.push(format!("{method} {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "nobody has used {missing:?}");
}

fn is_at(used: &str, path: &str) -> bool {
    let used: Vec<&str> = used.split('?').next().unwrap().split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    used.len() == path.len()
        && used.iter().zip(&path).all(|(used, part)| part.starts_with('{') || used == part)
}
