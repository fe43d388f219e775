//! What nobody should send: each is refused with a problem that says why.

use serde_json::{Value, json};

use crate::world::{World, duel};

#[tokio::test]
async fn bodies_that_will_not_do_are_refused_with_their_reason() {
    let world = World::new().await;
    let ann = world.guest().await;
    let deep = format!("{{\"options\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let long = format!("{{\"ruleset\":\"{}\"}}", "x".repeat(70_000));
    let cases: &[(&[u8], u16, &str, &str)] = &[
        (b"{", 400, "malformed", "line 1, column 1"),
        (b"", 400, "malformed", "a JSON body is needed here"),
        (b"{\"ruleset\": \"orcain\"} x", 400, "malformed", "line 1, column 23"),
        (b"{\"ruleset\": \"\xff\"}", 400, "malformed", "not UTF-8 after 13 bytes"),
        (deep.as_bytes(), 400, "malformed", "more than 32 levels deep"),
        (long.as_bytes(), 413, "too_large", "at most 65536 bytes"),
        (b"[]", 422, "invalid", "expected an object"),
        (b"{\"ruleset\": 3}", 422, "invalid", "`ruleset`: invalid type: integer `3`"),
        (b"{\"ruleset\": \"orcain\", \"seats\": 256}", 422, "invalid", "`seats`: "),
        (b"{\"ruleset\": \"orcain\", \"seats\": -1}", 422, "invalid", "`seats`: "),
        (b"{\"ruleset\": \"orcain\", \"sead\": 2}", 422, "invalid", "unknown field `sead`"),
        (b"{\"ruleset\": \"orcain\", \"clock\": {\"bankMs\": 1e400}}", 400, "malformed", ""),
        (b"{\"ruleset\": \"orcain\", \"ruleset\": \"mages\"}", 422, "invalid", "duplicate field `ruleset`"),
        (b"{\"ruleset\": \"nothing\"}", 404, "not_found", "there is no such ruleset"),
        (b"{\"ruleset\": \"../orcain\"}", 404, "not_found", "there is no such ruleset"),
        (b"{\"ruleset\": \"orcain\", \"seats\": 3}", 422, "invalid", ""),
        (b"{\"ruleset\": \"orcain\", \"options\": {\"damage\": 0.5}}", 422, "invalid", "whole numbers"),
        (b"{\"ruleset\": \"orcain\", \"options\": {\"speed\": 1}}", 422, "invalid", "speed"),
    ];
    for (body, status, code, detail) in cases {
        let headers = [("content-type", "application/json")];
        let answer = ann.send_bytes("POST", "/matches", &headers, body).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert_eq!((answer.status, answer.code().as_str()), (*status, *code), "{shown}: {}", answer.text);
        let said = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(said.contains(detail), "{shown}: `{said}` does not say `{detail}`");
    }
}

#[tokio::test]
async fn bodies_that_are_not_json_are_refused() {
    let world = World::new().await;
    let ann = world.guest().await;
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
    ] {
        let answer = ann.send_bytes("POST", "/matches", &[("content-type", media)], b"{}").await;
        assert_eq!((answer.status, answer.code().as_str()), (415, "wrong_media"), "{media}");
    }
    let none = ann.send_bytes("POST", "/matches", &[], b"{\"ruleset\":\"orcain\"}").await;
    assert_eq!(none.code(), "wrong_media");
    let media = [("content-type", "application/json; charset=utf-8")];
    assert_eq!(ann.send_bytes("POST", "/matches", &media, b"{\"ruleset\":\"orcain\"}").await.status, 201);
}

#[tokio::test]
async fn tokens_that_are_nobodys_are_refused() {
    let world = World::new().await;
    let ann = world.guest().await;
    let forged = format!("imz_{}", "0".repeat(64));
    for token in ["", "x", &forged, &ann.token.clone().unwrap()[1..]] {
        let answer = ann.with_token(Some(token)).get("/me").await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "not_signed_in"), "`{token}`");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let nobody = world.stranger();
    assert_eq!(nobody.get("/me").await.code(), "not_signed_in");
    let basic = nobody.send("GET", "/me", &[("authorization", "Basic YTpi")], None).await;
    assert_eq!(basic.code(), "not_signed_in");
    // A wrong token is told even where none is needed.
    assert_eq!(ann.with_token(Some(&forged)).get("/matches").await.code(), "not_signed_in");
}

#[tokio::test]
async fn addresses_that_lead_nowhere_are_refused() {
    let world = World::new().await;
    let ann = world.guest().await;
    let id =
        ann.post("/matches", json!({"ruleset": "orcain"})).await.good()["id"].as_str().unwrap().to_owned();
    let upper = id.to_ascii_uppercase();
    let paths = [
        "/nothing".to_owned(),
        "/matches/".to_owned(),
        "//matches".to_owned(),
        "/matches/1".to_owned(),
        "/matches/%2e%2e".to_owned(),
        "/matches/%00".to_owned(),
        "/matches/%ff".to_owned(),
        "/matches/..%2f..%2fetc%2fpasswd".to_owned(),
        format!("/matches/{}", "f".repeat(32)),
        format!("/matches/{}", "f".repeat(5000)),
        format!("/matches/{upper}/view"),
        format!("/matches/{id}/nothing"),
        "/rulesets/..%2forcain".to_owned(),
        "/rulesets/orcain%00".to_owned(),
        "/rulesets/orcain@".to_owned(),
        "/rulesets/orcain@9.9.9".to_owned(),
        "/matches/by-code/AAAAAA".to_owned(),
        "/matches/by-code/%E2%98%83".to_owned(),
        "/queue/orcain".to_owned(),
        "/leaderboards/nothing".to_owned(),
        "/accounts/nobody".to_owned(),
        "/accounts/nobody/matches".to_owned(),
    ];
    for path in paths.iter().filter(|path| !upper.eq(&id) || !path.contains(&upper)) {
        let answer = ann.get(path).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{path}: {}", answer.text);
    }
    assert_eq!(ann.delete(&format!("/matches/{id}/seats/7")).await.code(), "not_found");
    assert_eq!(ann.delete(&format!("/matches/{id}/seats/300")).await.code(), "not_found");
    assert_eq!(
        ann.post(&format!("/matches/{id}/inputs/x"), json!({"answers": []})).await.code(),
        "not_found"
    );
}

#[tokio::test]
async fn queries_that_mean_nothing_are_refused() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let id = duel(&ann, &bob, "orcain").await;
    for query in [
        "/matches?limit=0",
        "/matches?limit=101",
        "/matches?limit=x",
        "/matches?limit=1&limit=2",
        "/matches?limti=1",
        "/matches?limit=%ff",
        "/me?x",
    ] {
        assert_eq!(ann.get(query).await.code(), "malformed", "{query}");
    }
    let long = "x".repeat(300);
    assert_eq!(ann.get(&format!("/matches?cursor={long}")).await.code(), "malformed");
    for query in ["seat=-1", "seat=256", "seat=", "spectate=yes", "since=-1", "since=99999999999999999999"] {
        assert_eq!(ann.get(&format!("/matches/{id}/events?{query}")).await.code(), "malformed", "{query}");
    }
}

#[tokio::test]
async fn what_cannot_be_done_there_is_said_with_what_can() {
    let world = World::new().await;
    let door = world.stranger();
    let answer = door.send("DELETE", "/rulesets", &[], None).await;
    assert_eq!((answer.status, answer.code().as_str()), (405, "wrong_method"));
    assert_eq!(answer.header("allow"), Some("GET, POST, HEAD, OPTIONS"));
    for path in ["/ws", "/ws/orcain"] {
        assert_eq!(door.post(path, json!({})).await.code(), "wrong_method");
        assert_eq!(door.get(path).await.code(), "malformed", "a WebSocket is asked for otherwise");
    }
    let head = door.send("HEAD", "/rulesets", &[], None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn keys_and_versions_that_will_not_do_are_refused() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let long = "x".repeat(101);
    for key in ["a b", "a/b", &long] {
        let answer = ann
            .send("POST", "/matches", &[("idempotency-key", key)], Some(json!({"ruleset": "orcain"})))
            .await;
        assert_eq!(answer.code(), "invalid", "`{key}`");
    }
    let id = duel(&ann, &bob, "orcain").await;
    for tag in ["x", "\"-1\"", "\"1\", \"2\"", ""] {
        let path = format!("/matches/{id}/control");
        let answer = ann.send("POST", &path, &[("if-match", tag)], Some(json!({"kind": "teach"}))).await;
        assert_eq!(answer.code(), "malformed", "`{tag}`");
    }
}

#[tokio::test]
async fn every_answer_says_how_it_may_be_used() {
    let world = World::new().await;
    let door = world.stranger();
    for path in ["/", "/rulesets", "/nothing", "/metrics"] {
        let answer = door.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"), "{path}");
    }
}

#[tokio::test]
async fn passwords_are_not_guessed_quickly_and_names_are_not_told() {
    let world = World::new().await;
    let door = world.stranger();
    let ann = json!({"name": "ann", "password": "correct horse"});
    door.post("/accounts", ann).await.good();
    let wrong = door.post("/sessions", json!({"name": "ann", "password": "wrong horse"})).await;
    let unknown = door.post("/sessions", json!({"name": "nobody", "password": "wrong horse"})).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (401, "wrong_password"));
    assert_eq!(wrong.text, unknown.text);
    for (name, password) in [
        ("al", "correct horse"),
        ("ann smith", "correct horse"),
        ("alfred", "short"),
        ("a\u{0}bc", "correct horse"),
    ] {
        let answer = door.post("/accounts", json!({"name": name, "password": password})).await;
        assert_eq!(answer.code(), "invalid", "{name}");
    }
    assert_eq!(
        door.post("/accounts", json!({"name": "ANN", "password": "correct horse"})).await.code(),
        "name_taken"
    );
}

#[tokio::test]
async fn files_that_lead_elsewhere_are_not_published() {
    let world = World::new().await;
    let ann = world.guest().await;
    for path in ["../ruleset.yaml", "/etc/ruleset.yaml", "a/../b.yaml", "c:\\x.yaml"] {
        let answer = ann.post("/rulesets", json!({"files": {path: "ir: 1"}})).await;
        assert_eq!(answer.code(), "invalid", "{path}");
    }
    let large = "x".repeat(3 << 20);
    assert_eq!(ann.post("/rulesets", json!({"files": {"ruleset.yaml": large}})).await.code(), "too_large");
    let larger = "x".repeat(5 << 20);
    assert_eq!(ann.post("/rulesets", json!({"files": {"ruleset.yaml": larger}})).await.status, 413);
    assert_eq!(ann.post("/rulesets/check", json!({"files": {}})).await.code(), "invalid");
    assert_eq!(ann.post("/rulesets/check", Value::Null).await.code(), "invalid");
}
