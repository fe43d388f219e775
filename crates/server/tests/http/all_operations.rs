//! One run through every operation of the HTTP API, on each store.

use serde_json::{Value, json};

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, open_question, start_duel, tiny_ruleset};

const LAYOUT: [&str; 3] = ["attack", "defense", "heal"];

#[tokio::test]
async fn every_operation_works_in_memory() {
    use_every_operation(HttpFixture::new().await).await;
}

#[tokio::test]
async fn every_operation_works_on_disk() {
    use_every_operation(HttpFixture::on_disk().await).await;
}

async fn use_every_operation(fixture: HttpFixture) {
    let client = fixture.anonymous();
    server_operations(&client).await;
    let (ann, bob) = account_operations(&client).await;
    ruleset_operations(&ann).await;
    lobby_operations(&ann, &bob).await;
    let played = play_operations(&ann, &bob).await;
    history_operations(&ann, &bob, &played).await;
    action_operations(&ann).await;
    // Two new accounts with equal ratings are matched without waiting.
    queue_operations(&member(&client, "carl").await, &member(&client, "dora").await).await;
    account_removal(&ann, &bob).await;
    assert_all_used(&client);
    fixture.stop().await;
}

async fn server_operations(client: &HttpClient) {
    assert_eq!(client.get("/").await.ok_json()["name"], "intermezzo");
    for path in ["/healthz", "/readyz"] {
        assert_eq!(client.get(path).await.ok_json()["status"], "ok");
    }
    assert_eq!(client.get("/openapi.json").await.ok_json()["openapi"], "3.1.0");
    assert_eq!(client.get("/asyncapi.json").await.ok_json()["asyncapi"], "3.0.0");
}

async fn account_operations(client: &HttpClient) -> (HttpClient, HttpClient) {
    let ann = client.guest().await;
    let request = json!({"name": "ann", "password": "correct horse"});
    let signed_in = ann.put("/me/password", request.clone()).await.ok_json();
    assert_eq!(ann.get("/me").await.problem_code(), "not_signed_in", "all earlier tokens are revoked");
    let ann = ann.with_token(signed_in["token"].as_str());
    let again = client.post("/sessions", request).await;
    assert_eq!(again.status, 201);
    let elsewhere = client.with_token(again.ok_json()["token"].as_str());
    assert_eq!(elsewhere.id().await, ann.id().await);
    assert_eq!(elsewhere.delete("/sessions/current").await.status, 204);
    assert_eq!(elsewhere.get("/me").await.problem_code(), "not_signed_in");
    let renamed = ann.send("PATCH", "/me", &[], Some(json!({"name": "Anna"}))).await.ok_json();
    assert_eq!(renamed["name"], "Anna");
    (ann, member(client, "bob").await)
}

/// Returns a client with a new account that has a password: guests win nothing.
async fn member(client: &HttpClient, name: &str) -> HttpClient {
    let made = client.post("/accounts", json!({"name": name, "password": "correct horse"})).await.ok_json();
    client.with_token(made["token"].as_str())
}

async fn ruleset_operations(ann: &HttpClient) {
    let known = ann.get("/rulesets?limit=1").await.ok_json();
    assert_eq!(known["items"][0]["id"], "mages");
    let rest = ann.get(&format!("/rulesets?cursor={}", known["next"].as_str().unwrap())).await.ok_json();
    assert_eq!(rest["items"][0]["id"], "orcain");
    let checked =
        ann.post("/rulesets/check", json!({"files": {"ruleset.yaml": "ir: 1\nflow: []"}})).await.ok_json();
    assert_eq!(checked["playable"], false);
    assert!(checked["diagnostics"].as_array().is_some_and(|all| !all.is_empty()), "{checked}");
    let published = ann.post("/rulesets", tiny_ruleset("1.0.0")).await;
    assert_eq!(published.status, 201);
    let hash = published.ok_json()["hash"].as_str().unwrap().to_owned();
    assert_eq!(published.header("location"), Some(format!("/rulesets/{hash}").as_str()));
    for name in ["tiny", "tiny@1.0.0", &hash] {
        assert_eq!(ann.get(&format!("/rulesets/{name}")).await.ok_json()["hash"], hash.as_str());
    }
    assert_eq!(ann.get("/rulesets/tiny/files").await.ok_json()["files"], tiny_ruleset("1.0.0")["files"]);
    assert!(ann.get("/rulesets/orcain/schema").await.ok_json()["$defs"].is_object());
    let table = ann.get("/rulesets/orcain/table").await.ok_json();
    assert_eq!(table["events"]["Healed"]["text"], "{player} regains {amount}");
    assert_eq!(table["ui"]["label"], "type");
    assert!(table["manual"].as_str().is_some_and(|manual| manual.contains("## A round")), "{table}");
    let mut pictured = tiny_ruleset("1.1.0");
    let sun = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><circle r=\"4\"/></svg>";
    pictured["files"]["assets/sun.svg"] = json!(sun);
    ann.post("/rulesets", pictured).await.ok_json();
    let table = ann.get("/rulesets/tiny/table").await.ok_json();
    let url = table["pictures"]["assets/sun.svg"]["url"].as_str().unwrap();
    let picture = ann.get(url).await;
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/svg+xml")));
    assert_eq!(picture.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(picture.header("content-security-policy"), Some("default-src 'none'; sandbox"));
}

async fn lobby_operations(ann: &HttpClient, bob: &HttpClient) {
    let open = ann.post("/matches", json!({"ruleset": "orcain", "name": "come in"})).await;
    let path = open.header("location").unwrap().to_owned();
    assert!(
        bob.get("/matches").await.ok_json()["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["name"] == "come in")
    );
    assert_eq!(bob.post(&format!("{path}/seats"), json!({})).await.ok_json()["seats"][1]["ready"], false);
    assert!(ann.delete(&format!("{path}/seats/1")).await.ok_json()["seats"][1].get("account").is_none());
    let bot = ann.put(&format!("{path}/seats/1/bot"), json!({"bot": "random"})).await.ok_json();
    assert_eq!(bot["seats"][1]["bot"], "random");
    assert_eq!(ann.delete(&path).await.ok_json()["status"], "cancelled");
    let private = ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.ok_json();
    let code = private["code"].as_str().unwrap();
    let found = bob.get(&format!("/matches/by-code/{code}")).await.ok_json();
    assert_eq!((&found["id"], found.get("code")), (&private["id"], None));
    let path = format!("/matches/{}", private["id"].as_str().unwrap());
    assert_eq!(bob.post(&format!("{path}/seats"), json!({})).await.problem_code(), "not_allowed");
    bob.post(&format!("{path}/seats"), json!({"code": code})).await.ok_json();
    assert_eq!(ann.post(&format!("{path}/start"), Value::Null).await.problem_code(), "not_ready");
    bob.put(&format!("{path}/ready"), json!({"ready": true})).await.ok_json();
    assert_eq!(ann.post(&format!("{path}/start"), Value::Null).await.ok_json()["status"], "playing");
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.ok_json();
}

async fn play_operations(ann: &HttpClient, bob: &HttpClient) -> String {
    let path = format!("/matches/{}", start_duel(ann, bob, "orcain").await);
    let id = path.trim_start_matches("/matches/").to_owned();
    let view = ann.get(&format!("{path}/view")).await;
    assert_eq!(view.header("etag"), Some("\"1\""));
    assert_eq!(view.ok_json()["view"]["you"], "p0");
    let (of_ann, of_bob) = (open_question(ann, &id).await, open_question(bob, &id).await);
    ann.put(&format!("{path}/inputs/{of_ann}/draft"), json!({"answers": LAYOUT})).await.ok_json();
    ann.post(&format!("{path}/inputs/{of_ann}"), json!({"answers": LAYOUT})).await.ok_json();
    bob.post(&format!("{path}/inputs/{of_bob}"), json!({"answers": LAYOUT})).await.ok_json();
    assert_eq!(ann.get(&path).await.ok_json()["status"], "playing");
    assert_eq!(
        bob.post(&format!("{path}/control"), json!({"kind": "concede"})).await.ok_json()["branchId"],
        3
    );
    path
}

async fn history_operations(ann: &HttpClient, bob: &HttpClient, path: &str) {
    let over = bob.get(path).await.ok_json();
    assert_eq!((&over["status"], &over["ending"]["outcome"]), (&json!("ended"), &json!("concede")));
    let seen = bob.get(&format!("{path}/events?limit=2")).await.ok_json();
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(2));
    let log = ann.get(&format!("{path}/log")).await.ok_json();
    let replay = ann.get(&format!("{path}/replay")).await.ok_json();
    ann.get(&format!("{path}/replay/{}", replay["eventCount"])).await.ok_json();
    assert_eq!((&log["format"], &log["seed"]), (&json!(1), &over["seed"]));
    let fork = ann.post(&format!("{path}/fork"), json!({"at": 2})).await;
    assert_eq!(fork.status, 201);
    let fork_path = fork.header("location").unwrap().to_owned();
    let view = ann.get(&format!("{fork_path}/view?seat=1")).await.ok_json();
    assert_eq!(view["view"]["match"]["round"], 1);
    assert_eq!(ann.post(&format!("{path}/rematch"), Value::Null).await.ok_json()["status"], "open");
    let again = bob.post(&format!("{path}/rematch"), Value::Null).await.ok_json();
    assert_eq!(again["status"], "playing");
    bob.post(&format!("/matches/{}/control", again["id"].as_str().unwrap()), json!({"kind": "concede"}))
        .await
        .ok_json();
    ann.post(&format!("{fork_path}/control?seat=0"), json!({"kind": "concede"})).await.ok_json();
    assert_eq!(ann.get("/leaderboards/orcain").await.ok_json()["items"][0]["name"], "Anna");
    let rating = ann.get("/me/ratings/orcain").await.ok_json();
    assert_eq!(rating["wins"], 1, "the rematch had no move and counts for nothing");
    let profile = bob.get("/accounts/Anna").await.ok_json();
    assert_eq!((&profile["name"], &profile["ratings"][0]["wins"]), (&json!("Anna"), &json!(1)));
    assert!(profile.get("balance").is_none(), "the balance is private: {profile}");
    let public = bob.get("/accounts/Anna/matches").await.ok_json();
    let public = public["items"].as_array().unwrap();
    assert!(public.len() >= 2 && public.iter().all(|info| info["private"] == false), "{public:?}");
    assert!(ann.get("/me/matches").await.ok_json()["items"].as_array().unwrap().len() >= 3);
    assert_eq!(ann.get("/me/transfers").await.ok_json()["items"][0]["reason"], "welcome");
}

/// Actions, and a path request for a question that is not a path.
async fn action_operations(ann: &HttpClient) {
    let made =
        ann.post("/matches", json!({"ruleset": "mages", "places": ["human", "random"]})).await.ok_json();
    let path = format!("/matches/{}", made["id"].as_str().unwrap());
    ann.post(&format!("{path}/start"), Value::Null).await.ok_json();
    assert_eq!(ann.get("/me/turns").await.ok_json()[0]["matchId"], made["id"]);
    let actions = ann.get(&format!("{path}/actions")).await.ok_json();
    assert!(actions["actions"].is_array() && actions["unavailable"].is_array(), "{actions}");
    assert_eq!(ann.post(&format!("{path}/actions"), json!({"type": "juggle"})).await.status, 422);
    let answer = ann.post(&format!("{path}/inputs/0/path"), json!({"soFar": []})).await;
    assert!(matches!(answer.problem_code().as_str(), "illegal" | "not_found" | "closed"), "{}", answer.text);
    ann.post(&format!("{path}/control"), json!({"kind": "concede"})).await.ok_json();
}

async fn queue_operations(ann: &HttpClient, bob: &HttpClient) {
    assert_eq!(ann.post("/queue/orcain", json!({"stake": true})).await.ok_json()["state"], "waiting");
    assert_eq!(ann.post("/queue/orcain", json!({"stake": true})).await.problem_code(), "already_queued");
    assert_eq!(bob.post("/queue/mages", json!({})).await.ok_json()["state"], "waiting");
    let lengths = json!([{"ruleset": "mages", "waiting": 1}, {"ruleset": "orcain", "waiting": 1}]);
    assert_eq!(bob.get("/queues").await.ok_json(), lengths);
    assert_eq!(bob.delete("/queue/mages").await.status, 204);
    bob.post("/queue/orcain", json!({"stake": true})).await.ok_json();
    let found = loop {
        let status = bob.get("/queue/orcain").await.ok_json();
        if status["state"] == "found" {
            break status;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert_eq!(ann.get("/queue").await.ok_json()[0]["matchId"], found["matchId"]);
    let id = found["matchId"].as_str().unwrap();
    let path = format!("/matches/{id}");
    let input = open_question(bob, id).await;
    bob.post(&format!("{path}/inputs/{input}"), json!({"answers": LAYOUT})).await.ok_json();
    bob.post(&format!("{path}/control"), json!({"kind": "concede"})).await.ok_json();
    assert_eq!(ann.get("/me").await.ok_json()["balance"], 101, "the winner gets the pot");
}

/// Uses the operations of moderators, which others may not use.
async fn moderation_operations(ann: &HttpClient) {
    assert_eq!(ann.post("/tickets", json!({})).await.status, 201);
    let report = json!({"ruleset": "orcain", "reason": "the rules are unclear"});
    assert_eq!(ann.post("/reports", report).await.status, 201);
    assert_eq!(ann.get("/reports").await.problem_code(), "not_allowed");
    let reason = Some(json!({"reason": "none"}));
    let owner = Some(json!({"account": "Anna", "reason": "none"}));
    for (method, path, body) in [
        ("POST", "/reports/x/close", &reason),
        ("PUT", "/accounts/Anna/ban", &reason),
        ("DELETE", "/accounts/Anna/ban", &reason),
        ("PUT", "/rulesets/tiny/takedown", &reason),
        ("DELETE", "/rulesets/tiny/takedown", &reason),
        ("PUT", "/rulesets/tiny/owner", &owner),
    ] {
        assert_eq!(ann.send(method, path, &[], body.clone()).await.problem_code(), "not_allowed", "{path}");
    }
}

async fn account_removal(ann: &HttpClient, bob: &HttpClient) {
    let export = ann.get("/me/export").await.ok_json();
    assert_eq!(export["account"]["name"], "Anna");
    assert_eq!(ann.get("/moderations").await.problem_code(), "not_allowed");
    assert_eq!(ann.get("/server").await.problem_code(), "not_allowed");
    moderation_operations(ann).await;
    assert_eq!(bob.delete("/sessions").await.status, 204);
    assert_eq!(bob.get("/me").await.problem_code(), "not_signed_in");
    let left = ann.delete("/me").await;
    assert_eq!(left.status, 204, "{}", left.text);
    assert_eq!(ann.get("/me").await.problem_code(), "not_signed_in");
}

/// Fails if an operation of the OpenAPI document was not used.
fn assert_all_used(client: &HttpClient) {
    let document = intermezzo_server::openapi_document();
    let used = client.used.lock().unwrap();
    let mut missing = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let is_it =
                |(used, at): &&(String, String)| used.eq_ignore_ascii_case(method) && matches_path(at, path);
            if !used.iter().any(|one| is_it(&one)) {
                missing.push(format!("{method} {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "operations not used: {missing:?}");
}

fn matches_path(used: &str, path: &str) -> bool {
    let used: Vec<&str> = used.split('?').next().unwrap().split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    used.len() == path.len()
        && used.iter().zip(&path).all(|(used, part)| part.starts_with('{') || used == part)
}
