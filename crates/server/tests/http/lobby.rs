//! Commands that are sent twice, by whom, and when the server is about to stop.

use serde_json::{Value, json};

use crate::world::{World, duel, generous};

#[tokio::test]
async fn a_command_that_is_sent_twice_is_carried_out_once() {
    let world = World::new().await;
    let ann = world.guest().await;
    let wish = json!({"ruleset": "orcain"});
    let key = [("idempotency-key", "first")];
    let first = ann.send("POST", "/matches", &key, Some(wish.clone())).await;
    let again = ann.send("POST", "/matches", &key, Some(wish.clone())).await;
    assert_eq!((first.status, first.good()), (again.status, again.good()));
    assert_eq!(ann.get("/me/matches").await.good()["items"].as_array().unwrap().len(), 1);
    let other = ann.send("POST", "/matches", &key, Some(json!({"ruleset": "mages"}))).await;
    assert_eq!(other.code(), "command_reused");
    let of_bob = world.guest().await.send("POST", "/matches", &key, Some(wish)).await.good();
    assert_ne!(of_bob["id"], first.good()["id"], "keys belong to accounts");
}

#[tokio::test]
async fn open_matches_of_one_ruleset_are_listed() {
    let world = World::new().await;
    let ann = world.guest().await;
    let mut ids = Vec::new();
    for ruleset in ["orcain", "mages", "orcain"] {
        let made = ann.post("/matches", json!({"ruleset": ruleset})).await.good();
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.good();
    let listed = async |query: &str| {
        let page = world.stranger().get(&format!("/matches{query}")).await.good();
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("").await, [&ids[2][..], &ids[1], &ids[0]]);
    assert_eq!(listed("?ruleset=orcain").await, [&ids[2][..], &ids[0]]);
    assert_eq!(listed("?ruleset=orcain&limit=1").await, [&ids[2][..]]);
    ann.delete(&format!("/matches/{}", ids[2])).await.good();
    assert_eq!(listed("?ruleset=orcain").await, [&ids[0][..]]);
    assert!(listed("?ruleset=chess").await.is_empty());
}

#[tokio::test]
async fn matches_that_may_be_watched_are_listed_while_they_are_played() {
    let world = World::new().await;
    let ann = world.guest().await;
    let begin = async |more: Value| {
        let mut wish = json!({"ruleset": "orcain", "places": ["human", "random"]});
        wish.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = ann.post("/matches", wish).await.good();
        let id = made["id"].as_str().unwrap().to_owned();
        ann.post(&format!("/matches/{id}/start"), json!({})).await.good();
        id
    };
    let seen = begin(json!({})).await;
    begin(json!({"private": true})).await;
    begin(json!({"spectators": {"allowed": false}})).await;
    let listed = async |query: &str| {
        let page = world.stranger().get(&format!("/matches?playing=true{query}")).await.good();
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("").await, [&seen[..]]);
    assert_eq!(listed("&ruleset=orcain").await, [&seen[..]]);
    assert!(listed("&ruleset=mages").await.is_empty());
    ann.post(&format!("/matches/{seen}/control"), json!({"kind": "concede"})).await.good();
    assert!(listed("").await.is_empty());
}

#[tokio::test]
async fn a_refusal_is_repeated_as_it_was() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id =
        ann.post("/matches", json!({"ruleset": "orcain"})).await.good()["id"].as_str().unwrap().to_owned();
    let path = format!("/matches/{id}/start");
    let key = [("idempotency-key", "go")];
    let first = bob.send("POST", &path, &key, None).await;
    let again = bob.send("POST", &path, &key, None).await;
    assert_eq!((first.code(), first.text), (again.code(), again.text));
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let mut world = World::on_disk().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    let before = ann.get(&format!("/matches/{id}/view")).await.good();
    world.restart().await;
    let ann = world.stranger().with_token(ann.token.as_deref());
    assert_eq!(ann.get(&format!("/matches/{id}/view")).await.good(), before);
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.good();
    assert_eq!(ann.get(&format!("/matches/{id}")).await.good()["status"], "ended");
    world.stop().await;
}

#[tokio::test]
async fn pages_from_elsewhere_need_leave() {
    let mut config = generous();
    config.origins = vec!["https://play.example.org".to_owned()];
    let world = World::with(config).await;
    let door = world.stranger();
    let from = |origin: &'static str| [("origin", origin)];
    let foreign = door.send("GET", "/rulesets", &from("https://evil.example"), None).await;
    assert_eq!(foreign.code(), "wrong_origin");
    assert_eq!(foreign.header("access-control-allow-origin"), None);
    let known = door.send("GET", "/rulesets", &from("https://play.example.org"), None).await;
    known.good();
    assert_eq!(known.header("access-control-allow-origin"), Some("https://play.example.org"));
    let asked = door.send("OPTIONS", "/matches", &from("https://play.example.org"), None).await;
    assert_eq!(
        (asked.status, asked.header("access-control-allow-methods")),
        (204, Some("GET, POST, HEAD, OPTIONS"))
    );
    let own = format!("http://{}", door.server);
    door.send("GET", "/rulesets", &[("origin", own.as_str())], None).await.good();
}

#[tokio::test]
async fn who_sends_too_much_is_told_when_to_come_again() {
    let mut config = generous();
    config.limits.accounts_per_minute = 2;
    let world = World::with(config).await;
    let door = world.stranger();
    for _ in 0..2 {
        door.post("/accounts", json!({})).await.good();
    }
    let refused = door.post("/accounts", json!({})).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

#[tokio::test]
async fn an_address_is_what_a_trusted_proxy_says() {
    let mut config = generous();
    config.limits.accounts_per_minute = 1;
    config.trusted_proxies = vec![[127, 0, 0, 1].into()];
    let world = World::with(config).await;
    let door = world.stranger();
    let from = |address: &'static str| [("x-forwarded-for", address)];
    for address in ["192.0.2.1", "192.0.2.2, 127.0.0.1", "203.0.113.9, 192.0.2.3"] {
        door.send("POST", "/accounts", &from(address), Some(json!({}))).await.good();
    }
    // What stands before an address that nobody vouches for may be made up.
    let made_up = door.send("POST", "/accounts", &from("198.51.100.1, 192.0.2.3"), Some(json!({}))).await;
    assert_eq!(made_up.code(), "too_many");
}

#[tokio::test]
async fn matches_wait_for_those_who_are_asked() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    assert_eq!(ann.get("/me/turns").await.good(), json!([]));
    let id = duel(&ann, &bob, "orcain").await;
    let turns = ann.get("/me/turns").await.good();
    assert_eq!(turns[0]["matchId"], id.as_str());
    assert_eq!(turns[0]["title"], "Lay out your three cards");
    assert!(turns[0]["deadlineTs"].is_i64(), "{turns}");
    let question = crate::world::question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{question}"), json!({"answers": [0, 1, 2]})).await.good();
    assert_eq!(ann.get("/me/turns").await.good(), json!([]), "the other is asked alone now");
    assert_eq!(bob.get("/me/turns").await.good()[0]["seat"], 1);
    assert_eq!(world.stranger().get("/me/turns").await.code(), "not_signed_in");
    world.stop().await;
}

#[tokio::test]
async fn rulesets_tell_clients_how_to_show_them() {
    let world = World::new().await;
    let info = world.stranger().get("/rulesets/mages").await.good();
    assert_eq!(info["ui"]["card"]["turned"], "tapped");
    assert!(info["ui"]["minutes"].is_u64(), "{info}");
    world.stop().await;
}

#[tokio::test]
async fn a_server_that_stops_lets_go_of_everyone() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    duel(&ann, &bob, "orcain").await;
    let address = ann.server;
    world.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn rulesets_belong_to_who_published_them_first() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    ann.post("/rulesets", crate::world::tiny("1.0.0")).await.good();
    assert_eq!(bob.post("/rulesets", crate::world::tiny("1.1.0")).await.code(), "not_allowed");
    let bad =
        ann.post("/rulesets", json!({"files": {"ruleset.yaml": "ir: 1\nruleset: {id: bad}\nflow: 3"}})).await;
    assert_eq!(bad.code(), "bad_ruleset");
    let first = &bad.json()["diagnostics"][0];
    assert!(first["code"].is_string() && first["message"].is_string(), "{first}");
    assert_eq!(first.get("nothing"), None::<&Value>);
}
