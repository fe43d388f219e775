//! Invalid requests: each is rejected with a problem that gives the reason.

use serde_json::{Value, json};

use crate::fixture::{HttpFixture, start_duel};

#[tokio::test]
async fn invalid_bodies_are_rejected_with_a_reason() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let deep = format!("{{\"options\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let long = format!("{{\"ruleset\":\"{}\"}}", "x".repeat(70_000));
    let cases: &[(&[u8], u16, &str, &str)] = &[
        (b"{", 400, "malformed", "line 1, column 1"),
        (b"", 400, "malformed", "a JSON body is required"),
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
        (b"{\"ruleset\": \"nothing\"}", 404, "not_found", "ruleset not found"),
        (b"{\"ruleset\": \"../orcain\"}", 404, "not_found", "ruleset not found"),
        (b"{\"ruleset\": \"orcain\", \"seats\": 3}", 422, "invalid", ""),
        (b"{\"ruleset\": \"orcain\", \"options\": {\"damage\": 0.5}}", 422, "invalid", "must be integers"),
        (b"{\"ruleset\": \"orcain\", \"options\": {\"speed\": 1}}", 422, "invalid", "speed"),
    ];
    for (body, status, code, detail) in cases {
        let headers = [("content-type", "application/json")];
        let answer = ann.send_bytes("POST", "/matches", &headers, body).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        assert_eq!(
            (answer.status, answer.problem_code().as_str()),
            (*status, *code),
            "{shown}: {}",
            answer.text
        );
        let said = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(said.contains(detail), "{shown}: `{said}` does not contain `{detail}`");
    }
}

#[tokio::test]
async fn bodies_that_are_not_json_are_rejected() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
    ] {
        let answer = ann.send_bytes("POST", "/matches", &[("content-type", media)], b"{}").await;
        assert_eq!((answer.status, answer.problem_code().as_str()), (415, "wrong_media"), "{media}");
    }
    let none = ann.send_bytes("POST", "/matches", &[], b"{\"ruleset\":\"orcain\"}").await;
    assert_eq!(none.problem_code(), "wrong_media");
    let media = [("content-type", "application/json; charset=utf-8")];
    assert_eq!(ann.send_bytes("POST", "/matches", &media, b"{\"ruleset\":\"orcain\"}").await.status, 201);
}

#[tokio::test]
async fn invalid_tokens_are_rejected() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let forged = format!("imz_{}", "0".repeat(64));
    for token in ["", "x", &forged, &ann.token.clone().unwrap()[1..]] {
        let answer = ann.with_token(Some(token)).get("/me").await;
        assert_eq!((answer.status, answer.problem_code().as_str()), (401, "not_signed_in"), "`{token}`");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let nobody = fixture.anonymous();
    assert_eq!(nobody.get("/me").await.problem_code(), "not_signed_in");
    let basic = nobody.send("GET", "/me", &[("authorization", "Basic YTpi")], None).await;
    assert_eq!(basic.problem_code(), "not_signed_in");
    // An invalid token is rejected even if no token is needed.
    assert_eq!(ann.with_token(Some(&forged)).get("/matches").await.problem_code(), "not_signed_in");
}

#[tokio::test]
async fn unknown_paths_are_not_found() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let id =
        ann.post("/matches", json!({"ruleset": "orcain"})).await.ok_json()["id"].as_str().unwrap().to_owned();
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
        assert_eq!(
            (answer.status, answer.problem_code().as_str()),
            (404, "not_found"),
            "{path}: {}",
            answer.text
        );
    }
    assert_eq!(ann.delete(&format!("/matches/{id}/seats/7")).await.problem_code(), "not_found");
    assert_eq!(ann.delete(&format!("/matches/{id}/seats/300")).await.problem_code(), "not_found");
    assert_eq!(
        ann.post(&format!("/matches/{id}/inputs/x"), json!({"answers": []})).await.problem_code(),
        "not_found"
    );
}

#[tokio::test]
async fn invalid_queries_are_rejected() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    for query in [
        "/matches?limit=0",
        "/matches?limit=101",
        "/matches?limit=x",
        "/matches?limit=1&limit=2",
        "/matches?limti=1",
        "/matches?limit=%ff",
        "/me?x",
    ] {
        assert_eq!(ann.get(query).await.problem_code(), "malformed", "{query}");
    }
    let long = "x".repeat(300);
    assert_eq!(ann.get(&format!("/matches?cursor={long}")).await.problem_code(), "malformed");
    for query in ["seat=-1", "seat=256", "seat=", "spectate=yes", "since=-1", "since=99999999999999999999"] {
        assert_eq!(
            ann.get(&format!("/matches/{id}/events?{query}")).await.problem_code(),
            "malformed",
            "{query}"
        );
    }
}

#[tokio::test]
async fn wrong_methods_are_rejected_with_the_allowed_ones() {
    let fixture = HttpFixture::new().await;
    let client = fixture.anonymous();
    let answer = client.send("DELETE", "/rulesets", &[], None).await;
    assert_eq!((answer.status, answer.problem_code().as_str()), (405, "wrong_method"));
    assert_eq!(answer.header("allow"), Some("GET, POST, HEAD, OPTIONS"));
    for path in ["/ws", "/ws/orcain"] {
        assert_eq!(client.post(path, json!({})).await.problem_code(), "wrong_method");
        assert_eq!(
            client.get(path).await.problem_code(),
            "malformed",
            "a WebSocket needs an upgrade request"
        );
    }
    let head = client.send("HEAD", "/rulesets", &[], None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn invalid_keys_and_versions_are_rejected() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let long = "x".repeat(101);
    for key in ["a b", "a/b", &long] {
        let answer = ann
            .send("POST", "/matches", &[("idempotency-key", key)], Some(json!({"ruleset": "orcain"})))
            .await;
        assert_eq!(answer.problem_code(), "invalid", "`{key}`");
    }
    let id = start_duel(&ann, &bob, "orcain").await;
    for tag in ["x", "\"-1\"", "\"1\", \"2\"", ""] {
        let path = format!("/matches/{id}/control");
        let answer = ann.send("POST", &path, &[("if-match", tag)], Some(json!({"kind": "teach"}))).await;
        assert_eq!(answer.problem_code(), "malformed", "`{tag}`");
    }
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let fixture = HttpFixture::new().await;
    let client = fixture.anonymous();
    for path in ["/", "/rulesets", "/nothing"] {
        let answer = client.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"), "{path}");
    }
}

#[tokio::test]
async fn sign_in_does_not_reveal_which_names_exist() {
    let fixture = HttpFixture::new().await;
    let client = fixture.anonymous();
    let ann = json!({"name": "ann", "password": "correct horse"});
    client.post("/accounts", ann).await.ok_json();
    let wrong = client.post("/sessions", json!({"name": "ann", "password": "wrong horse"})).await;
    let unknown = client.post("/sessions", json!({"name": "nobody", "password": "wrong horse"})).await;
    assert_eq!((wrong.status, wrong.problem_code().as_str()), (401, "wrong_password"));
    assert_eq!(wrong.text, unknown.text);
    for (name, password) in [
        ("al", "correct horse"),
        ("ann smith", "correct horse"),
        ("alfred", "short"),
        ("a\u{0}bc", "correct horse"),
    ] {
        let answer = client.post("/accounts", json!({"name": name, "password": password})).await;
        assert_eq!(answer.problem_code(), "invalid", "{name}");
    }
    assert_eq!(
        client.post("/accounts", json!({"name": "ANN", "password": "correct horse"})).await.problem_code(),
        "name_taken"
    );
}

#[tokio::test]
async fn paths_outside_the_ruleset_are_not_published() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    for path in ["../ruleset.yaml", "/etc/ruleset.yaml", "a/../b.yaml", "c:\\x.yaml"] {
        let answer = ann.post("/rulesets", json!({"files": {path: "ir: 1"}})).await;
        assert_eq!(answer.problem_code(), "invalid", "{path}");
    }
    let large = "x".repeat(3 << 20);
    assert_eq!(
        ann.post("/rulesets", json!({"files": {"ruleset.yaml": large}})).await.problem_code(),
        "too_large"
    );
    let larger = "x".repeat(5 << 20);
    assert_eq!(ann.post("/rulesets", json!({"files": {"ruleset.yaml": larger}})).await.status, 413);
    assert_eq!(ann.post("/rulesets/check", json!({"files": {}})).await.problem_code(), "invalid");
    assert_eq!(ann.post("/rulesets/check", Value::Null).await.problem_code(), "invalid");
}

#[tokio::test]
async fn changing_a_password_is_limited_like_signing_in() {
    let mut config = crate::fixture::without_rate_limits();
    config.limits.accounts_per_minute = 6;
    let fixture = HttpFixture::with(config).await;
    let request = json!({"name": "anna", "password": "correct horse"});
    let signed_in = fixture.anonymous().post("/accounts", request).await.ok_json();
    let ann = fixture.anonymous().with_token(signed_in["token"].as_str());
    let mut codes = Vec::new();
    for n in 0..8 {
        let guess = json!({"current": format!("wrong horse {n}"), "password": "another horse"});
        codes.push(ann.put("/me/password", guess).await.problem_code());
    }
    assert_eq!(codes[0], "wrong_password");
    assert_eq!(codes.last().map(String::as_str), Some("too_many"), "{codes:?}");
}
