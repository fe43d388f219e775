//! The lobby: idempotency, lists, origins, rate limits, restarts and publishing.

use serde_json::{Value, json};

use crate::fixture::{HttpFixture, start_duel, without_rate_limits};

#[tokio::test]
async fn a_request_sent_twice_with_one_key_is_executed_once() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let request = json!({"ruleset": "orcain"});
    let key = [("idempotency-key", "first")];
    let first = ann.send("POST", "/matches", &key, Some(request.clone())).await;
    let again = ann.send("POST", "/matches", &key, Some(request.clone())).await;
    assert_eq!((first.status, first.ok_json()), (again.status, again.ok_json()));
    assert_eq!(ann.get("/me/matches").await.ok_json()["items"].as_array().unwrap().len(), 1);
    let other = ann.send("POST", "/matches", &key, Some(json!({"ruleset": "mages"}))).await;
    assert_eq!(other.problem_code(), "command_reused");
    let of_bob = fixture.guest().await.send("POST", "/matches", &key, Some(request)).await.ok_json();
    assert_ne!(of_bob["id"], first.ok_json()["id"], "keys belong to accounts");
}

#[tokio::test]
async fn clock_settings_that_the_ruleset_makes_itself_are_refused() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let refused = ann.post("/matches", json!({"ruleset": "orcain", "clock": {"graceMs": 5000}})).await;
    assert_eq!(refused.problem_code(), "invalid");
    assert!(
        refused.text.contains("`clock.graceMs` has no effect: the ruleset sets it to 0"),
        "{}",
        refused.text
    );
    let clock = json!({"bankMs": 60000, "incrementMs": 1000});
    let made = ann.post("/matches", json!({"ruleset": "orcain", "clock": clock})).await.ok_json();
    assert_eq!(made["clock"]["bankMs"], 60000, "what the ruleset leaves open can be set");
    let refused = ann.post("/matches", json!({"ruleset": "orcain", "clock": {"bankMs": 0}})).await;
    assert_eq!(refused.problem_code(), "invalid");
    assert!(refused.text.contains("nobody could answer in time"), "{}", refused.text);
}

#[tokio::test]
async fn open_matches_of_one_ruleset_are_listed() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let mut ids = Vec::new();
    for ruleset in ["orcain", "mages", "orcain"] {
        let made = ann.post("/matches", json!({"ruleset": ruleset})).await.ok_json();
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.ok_json();
    let listed = async |query: &str| {
        let page = fixture.anonymous().get(&format!("/matches{query}")).await.ok_json();
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("").await, [&ids[2][..], &ids[1], &ids[0]]);
    assert_eq!(listed("?ruleset=orcain").await, [&ids[2][..], &ids[0]]);
    assert_eq!(listed("?ruleset=orcain&limit=1").await, [&ids[2][..]]);
    ann.delete(&format!("/matches/{}", ids[2])).await.ok_json();
    assert_eq!(listed("?ruleset=orcain").await, [&ids[0][..]]);
    assert!(listed("?ruleset=chess").await.is_empty());
}

#[tokio::test]
async fn matches_that_may_be_watched_are_listed_while_they_are_played() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let begin = async |more: Value| {
        let mut request = json!({"ruleset": "orcain", "places": ["human", "random"]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = ann.post("/matches", request).await.ok_json();
        let id = made["id"].as_str().unwrap().to_owned();
        ann.post(&format!("/matches/{id}/start"), json!({})).await.ok_json();
        id
    };
    let seen = begin(json!({})).await;
    begin(json!({"private": true})).await;
    begin(json!({"spectators": {"allowed": false}})).await;
    let listed = async |query: &str| {
        let page = fixture.anonymous().get(&format!("/matches?playing=true{query}")).await.ok_json();
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("").await, [&seen[..]]);
    assert_eq!(listed("&ruleset=orcain").await, [&seen[..]]);
    assert!(listed("&ruleset=mages").await.is_empty());
    ann.post(&format!("/matches/{seen}/control"), json!({"kind": "concede"})).await.ok_json();
    assert!(listed("").await.is_empty());
}

#[tokio::test]
async fn a_stored_problem_is_returned_unchanged() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id =
        ann.post("/matches", json!({"ruleset": "orcain"})).await.ok_json()["id"].as_str().unwrap().to_owned();
    let path = format!("/matches/{id}/start");
    let key = [("idempotency-key", "go")];
    let first = bob.send("POST", &path, &key, None).await;
    let again = bob.send("POST", &path, &key, None).await;
    assert_eq!((first.problem_code(), first.text), (again.problem_code(), again.text));
}

#[tokio::test]
async fn data_survives_a_restart() {
    let mut fixture = HttpFixture::on_disk().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let before = ann.get(&format!("/matches/{id}/view")).await.ok_json();
    fixture.restart().await;
    let ann = fixture.anonymous().with_token(ann.token.as_deref());
    assert_eq!(ann.get(&format!("/matches/{id}/view")).await.ok_json(), before);
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    assert_eq!(ann.get(&format!("/matches/{id}")).await.ok_json()["status"], "ended");
    fixture.stop().await;
}

#[tokio::test]
async fn pages_on_other_origins_need_permission() {
    let mut config = without_rate_limits();
    config.origins = vec!["https://play.example.org".to_owned()];
    let fixture = HttpFixture::with(config).await;
    let client = fixture.anonymous();
    let from = |origin: &'static str| [("origin", origin)];
    let foreign = client.send("GET", "/rulesets", &from("https://evil.example"), None).await;
    assert_eq!(foreign.problem_code(), "wrong_origin");
    assert_eq!(foreign.header("access-control-allow-origin"), None);
    let known = client.send("GET", "/rulesets", &from("https://play.example.org"), None).await;
    known.ok_json();
    assert_eq!(known.header("access-control-allow-origin"), Some("https://play.example.org"));
    let asked = client.send("OPTIONS", "/matches", &from("https://play.example.org"), None).await;
    assert_eq!(
        (asked.status, asked.header("access-control-allow-methods")),
        (204, Some("GET, POST, HEAD, OPTIONS"))
    );
    let own = format!("http://{}", client.server);
    client.send("GET", "/rulesets", &[("origin", own.as_str())], None).await.ok_json();
}

#[tokio::test]
async fn rate_limited_clients_are_told_when_to_retry() {
    let mut config = without_rate_limits();
    config.limits.accounts_per_minute = 2;
    let fixture = HttpFixture::with(config).await;
    let client = fixture.anonymous();
    for _ in 0..2 {
        client.post("/accounts", json!({})).await.ok_json();
    }
    let refused = client.post("/accounts", json!({})).await;
    assert_eq!((refused.status, refused.problem_code().as_str()), (429, "too_many"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

#[tokio::test]
async fn refused_requests_count_against_the_rate_limit() {
    for (method, path, headers) in [
        ("GET", "/no/such/path", [("x-none", "")]),
        ("PUT", "/healthz", [("x-none", "")]),
        ("GET", "/healthz", [("origin", "https://elsewhere.example")]),
    ] {
        let mut config = without_rate_limits();
        config.limits.address_per_second = 1;
        let fixture = HttpFixture::with(config).await;
        let client = fixture.anonymous();
        let mut codes = Vec::new();
        for _ in 0..8 {
            codes.push(client.send(method, path, &headers, None).await.problem_code());
        }
        assert!(codes.contains(&"too_many".to_owned()), "{method} {path}: {codes:?}");
    }
}

#[tokio::test]
async fn a_trusted_proxy_determines_the_client_address() {
    let mut config = without_rate_limits();
    config.limits.accounts_per_minute = 1;
    config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let fixture = HttpFixture::with(config).await;
    let client = fixture.anonymous();
    let from = |address: &'static str| [("x-forwarded-for", address)];
    for address in ["192.0.2.1", "192.0.2.2, 127.0.0.1", "203.0.113.9, 192.0.2.3"] {
        client.send("POST", "/accounts", &from(address), Some(json!({}))).await.ok_json();
    }
    // Entries before an address that is not a trusted proxy may be forged.
    let forged = client.send("POST", "/accounts", &from("198.51.100.1, 192.0.2.3"), Some(json!({}))).await;
    assert_eq!(forged.problem_code(), "too_many");
}

#[tokio::test]
async fn turns_list_matches_with_open_questions() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    assert_eq!(ann.get("/me/turns").await.ok_json(), json!([]));
    let id = start_duel(&ann, &bob, "orcain").await;
    let turns = ann.get("/me/turns").await.ok_json();
    assert_eq!(turns[0]["matchId"], id.as_str());
    assert_eq!(turns[0]["title"], "Lay out your three cards");
    assert!(turns[0]["deadlineTs"].is_i64(), "{turns}");
    let question = crate::fixture::open_question(&ann, &id).await;
    ann.post(&format!("/matches/{id}/inputs/{question}"), json!({"answers": [{"n": 0}, {"n": 1}, {"n": 2}]}))
        .await
        .ok_json();
    assert_eq!(
        ann.get("/me/turns").await.ok_json(),
        json!([]),
        "only the other player has an open question now"
    );
    assert_eq!(bob.get("/me/turns").await.ok_json()[0]["seat"], 1);
    assert_eq!(fixture.anonymous().get("/me/turns").await.problem_code(), "not_signed_in");
    fixture.stop().await;
}

#[tokio::test]
async fn rulesets_include_their_ui_section() {
    let fixture = HttpFixture::new().await;
    let info = fixture.anonymous().get("/rulesets/mages").await.ok_json();
    assert_eq!(info["ui"]["card"]["turned"], "tapped");
    assert!(info["ui"]["minutes"].is_u64(), "{info}");
    fixture.stop().await;
}

#[tokio::test]
async fn a_stopped_server_closes_all_connections() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    start_duel(&ann, &bob, "orcain").await;
    let address = ann.server;
    fixture.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn rulesets_belong_to_their_first_publisher() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    ann.post("/rulesets", crate::fixture::tiny_ruleset("1.0.0")).await.ok_json();
    assert_eq!(
        bob.post("/rulesets", crate::fixture::tiny_ruleset("1.1.0")).await.problem_code(),
        "not_allowed"
    );
    let bad =
        ann.post("/rulesets", json!({"files": {"ruleset.yaml": "ir: 1\nruleset: {id: bad}\nflow: 3"}})).await;
    assert_eq!(bad.problem_code(), "bad_ruleset");
    let first = &bad.json()["diagnostics"][0];
    assert!(first["code"].is_string() && first["message"].is_string(), "{first}");
    assert_eq!(first.get("nothing"), None::<&Value>);
}

#[tokio::test]
async fn guests_win_neither_ratings_nor_tokens() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    for stake in [false, true] {
        let made = ann.post("/matches", json!({"ruleset": "orcain", "stake": stake})).await.ok_json();
        let id = made["id"].as_str().unwrap();
        bob.post(&format!("/matches/{id}/seats"), json!({})).await.ok_json();
        for player in [&ann, &bob] {
            player.put(&format!("/matches/{id}/ready"), json!({"ready": true})).await.ok_json();
        }
        let input = crate::fixture::open_question(&bob, id).await;
        bob.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [null, null, null]}))
            .await
            .ok_json();
        bob.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
    }
    assert_eq!(ann.get("/me").await.ok_json()["balance"], 100, "the stake came back");
    assert_eq!(ann.get("/leaderboards/orcain").await.ok_json()["items"], json!([]));
}

#[tokio::test]
async fn codes_are_not_guessed_by_sitting_down_either() {
    let mut config = without_rate_limits();
    config.limits.accounts_per_minute = 6;
    let fixture = HttpFixture::with(config).await;
    let (ann, eve) = (fixture.guest().await, fixture.guest().await);
    let made = ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.ok_json();
    let path = format!("/matches/{}/seats", made["id"].as_str().unwrap());
    let mut codes = Vec::new();
    for n in 0..6 {
        codes.push(eve.post(&path, json!({"code": format!("AAAAA{n}")})).await.problem_code());
    }
    assert_eq!(codes.last().map(String::as_str), Some("too_many"), "{codes:?}");
}

#[tokio::test]
async fn reserved_names_are_not_given_away() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    for name in ["admin", "M0derator", "sy5tem"] {
        assert_eq!(
            fixture.anonymous().post("/accounts", json!({"name": name})).await.problem_code(),
            "invalid"
        );
        assert_eq!(
            ann.send("PATCH", "/me", &[], Some(json!({"name": name}))).await.problem_code(),
            "invalid"
        );
    }
}
