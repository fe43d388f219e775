//! Hostile and broken clients, and that other players do not notice them.

use std::time::Duration;

use intermezzo_protocol::{Problem, ServerFrame};
use intermezzo_server::ServerLimits;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::WsClient;
use super::fixture::{WireFixture, without_rate_limits};

/// Receives frames until an error; returns its problem.
async fn next_problem(client: &mut WsClient) -> Problem {
    loop {
        if let ServerFrame::Error { problem, .. } = client.next().await {
            return problem;
        }
    }
}

/// Both players answer, and the next round begins.
async fn play_round(anna: &mut WsClient, bela: &mut WsClient) {
    let round = anna.view["match"]["round"].clone();
    for client in [&mut *anna, &mut *bela] {
        client.wait_until(|client| client.open_question().is_some()).await;
        let question = client.open_question().unwrap();
        client.answer(question, json!([null, "heal", null])).await.unwrap();
    }
    for client in [anna, bela] {
        client.wait_until(|client| client.view["match"]["round"] != round).await;
    }
}

#[tokio::test]
async fn invalid_frames_are_reported_and_change_nothing() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let deep = format!("{}{}", "[".repeat(100_000 / 4), "]".repeat(100_000 / 4));
    let texts: &[(&str, &str)] = &[
        ("", "malformed"),
        ("{", "malformed"),
        ("null", "malformed"),
        ("[1,2,3]", "malformed"),
        ("{\"type\":\"dance\"}", "malformed"),
        ("{\"type\":7}", "malformed"),
        ("{\"type\":\"hello\",\"token\":7}", "malformed"),
        ("{\"type\":\"input.submit\"}", "malformed"),
        ("{\"type\":\"input.submit\",\"commandId\":7,\"inputId\":1,\"answers\":[]}", "malformed"),
        ("{\"type\":\"input.submit\",\"commandId\":\"x\",\"inputId\":-1,\"answers\":[]}", "malformed"),
        (
            "{\"type\":\"input.submit\",\"commandId\":\"x\",\"inputId\":1,\"answers\":[],\"extra\":1}",
            "malformed",
        ),
        ("{\"type\":\"input.submit\",\"commandId\":\"x\",\"inputId\":1,\"answers\":[0.5]}", "malformed"),
        ("{\"type\":\"input.submit\",\"commandId\":\"\",\"inputId\":1,\"answers\":[]}", "malformed"),
        ("{\"type\":\"system.control\",\"commandId\":\"x\",\"control\":{\"kind\":\"win\"}}", "malformed"),
        (&deep, "too_large"),
    ];
    for (text, code) in texts {
        anna.send_text(*text).await;
        assert_eq!(next_problem(&mut anna).await.code.name(), *code, "{text:.80}");
    }
    anna.send_message(Message::binary(vec![0, 159, 146, 150])).await;
    assert_eq!(next_problem(&mut anna).await.code.name(), "malformed");
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn clients_that_send_only_garbage_are_disconnected() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    for is_binary in [false, true] {
        let mut noisy = WsClient::connect(&fixture).await;
        for _ in 0..20 {
            let message = if is_binary { Message::binary(vec![1]) } else { Message::text("noise") };
            noisy.send_message(message).await;
        }
        let why = noisy.wait_for_close().await;
        assert_eq!(why, Some((1008, "too many invalid frames".to_owned())));
    }
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn a_frame_that_is_too_large_ends_the_connection() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let mut large = WsClient::connect(&fixture).await;
    large.send_text("x".repeat(70_000)).await;
    // The close frame may be lost if the connection ends while data is still arriving.
    if let Some((code, _)) = large.wait_for_close().await {
        assert_eq!(code, 1009);
    }
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn foreign_seats_and_forged_tokens_are_rejected() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let token = anna.token.clone().unwrap();
    let mut forged = token.clone();
    forged.replace_range(forged.len() - 1.., if token.ends_with('0') { "1" } else { "0" });
    let hellos = [
        (json!({"token": token, "match": id, "seat": 1}), "not_allowed"),
        (json!({"match": id, "seat": 0}), "not_allowed"),
        (json!({"token": forged, "match": id}), "not_signed_in"),
        (json!({"token": "", "match": id}), "not_signed_in"),
        (json!({"token": token, "match": "nowhere"}), "not_found"),
        (json!({"token": token, "match": "00000000000000000000000000000000"}), "not_found"),
        (json!({"token": token, "match": id, "seat": 200}), "not_allowed"),
    ];
    for (hello, code) in hellos {
        let mut stranger = WsClient::connect(&fixture).await;
        assert_eq!(stranger.hello(hello.clone()).await.unwrap_err().code.name(), code, "{hello}");
        let frame = json!({"type": "input.submit", "inputId": 1, "answers": [null, null, null]});
        stranger.command(frame).await.unwrap_err();
    }
    let mut watcher = WsClient::join_as(&fixture, json!({"match": id})).await;
    let refused = watcher.answer(1, json!([null, null, null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_signed_in");
    let other = fixture.guest("carla").await;
    let mut watcher = WsClient::join(&fixture, &other, &id).await;
    for control in [json!({"kind": "concede"}), json!({"kind": "kick", "seat": 0}), json!({"kind": "undo"})] {
        assert_eq!(watcher.control(control).await.unwrap_err().code.name(), "not_allowed");
    }
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn a_command_sent_twice_is_executed_once() {
    let fixture = WireFixture::new(&["race"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "race"})).await;
    let frame = json!({"type": "input.submit", "inputId": anna.open_question(), "answers": [true]});
    let first = anna.command_with_id("once", frame.clone()).await.unwrap();
    let again = anna.command_with_id("once", frame.clone()).await.unwrap();
    assert_eq!(first, again, "the same command has the same outcome");
    anna.reconnect(&fixture).await;
    assert_eq!(anna.command_with_id("once", frame.clone()).await.unwrap(), first, "also after a reconnect");
    let another = json!({"type": "system.control", "control": {"kind": "concede"}});
    let reused = anna.command_with_id("once", another).await.unwrap_err();
    assert_eq!(reused.code.name(), "command_reused", "an id belongs to one command");
    let other = anna.command_with_id("twice", frame).await.unwrap_err();
    assert_eq!(other.code.name(), "closed", "a new command is too late");
    bela.wait_until(|client| client.open_question().is_some()).await;
    let frame = json!({"type": "input.submit", "inputId": bela.open_question(), "answers": [true]});
    bela.command_with_id("once", frame).await.unwrap();
    anna.wait_until(|client| client.open_question().is_some()).await;
    assert_ne!(anna.view["players"][1]["props"]["place"], json!(0), "command ids are per account");
}

#[tokio::test]
async fn a_command_with_an_old_version_is_stale() {
    let fixture = WireFixture::new(&["mages"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    let before = anna.version;
    let pass = |branch: u64| json!({"type": "action.submit", "branchId": branch, "action": {"type": "pass"}});
    anna.command(pass(before)).await.unwrap();
    let stale = anna.command(pass(before)).await.unwrap_err();
    assert_eq!(stale.code.name(), "stale");
    assert_eq!(stale.extra["branchId"], json!(anna.version));
}

#[tokio::test]
async fn a_flood_ends_the_connection_that_sends_it_and_no_other() {
    let limits = ServerLimits { frames_per_second: 10, ..without_rate_limits() };
    let fixture = WireFixture::with_limits(&["orcain"], limits).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let mut flood = WsClient::connect(&fixture).await;
    for _ in 0..200 {
        flood.send(&json!({"type": "hello"})).await;
    }
    assert_eq!(flood.wait_for_close().await, Some((1008, "rate limit exceeded".to_owned())));
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn clients_without_hello_are_disconnected() {
    let limits = ServerLimits { hello_ms: 100, ..without_rate_limits() };
    let fixture = WireFixture::with_limits(&["orcain"], limits).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let mut silent = WsClient::connect(&fixture).await;
    assert_eq!(silent.wait_for_close().await, Some((1008, "no `hello` received in time".to_owned())));
    play_round(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn clients_that_do_not_read_are_disconnected_and_block_nobody() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let mut slow = WsClient::connect(&fixture).await;
    // The server answers each `hello` with the whole view. The client reads nothing, until the socket is full.
    let hello = json!({"type": "hello", "match": id});
    for _ in 0..20_000 {
        if tokio::time::timeout(Duration::from_secs(2), slow.send(&hello)).await.is_err() {
            break;
        }
    }
    // Every follower of the match is notified of each of these.
    for _ in 0..600 {
        anna.hello(json!({"match": id})).await.unwrap();
    }
    play_round(&mut anna, &mut bela).await;
    let why = slow.wait_for_close().await;
    assert!(why.is_none_or(|(_, why)| why == "client reads too slowly"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_come_and_go() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    for batch in 0..20 {
        let connecting = (0..50).map(|n| connect_and_leave(&fixture, &id, batch + n));
        futures_util::future::join_all(connecting).await;
    }
    play_round(&mut anna, &mut bela).await;
    let ready = fixture.get("/readyz", None).await;
    assert_eq!(ready.status, 200);
}

/// Connects and leaves in one of four ways.
async fn connect_and_leave(fixture: &WireFixture, id: &str, n: u32) {
    match n % 4 {
        0 => drop(WsClient::connect(fixture).await),
        1 => drop(WsClient::join_as(fixture, json!({"match": id})).await),
        2 => WsClient::join_as(fixture, json!({"match": id})).await.drop_connection().await,
        _ => {
            let mut stream = tokio::net::TcpStream::connect(fixture.address).await.unwrap();
            let _ = stream.write_all(b"GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: web").await;
        }
    }
}

#[tokio::test]
async fn problems_include_the_legal_answers() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let refused =
        anna.answer(anna.open_question().unwrap(), json!(["attack", "attack", null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "illegal");
    let legal: &Value = &refused.extra["legal"][0];
    assert_eq!(legal["inputId"], json!(anna.open_question()));
    assert_eq!(legal["options"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn spectators_are_limited_and_do_not_block_a_match() {
    let limits = ServerLimits { spectators: 3, ..without_rate_limits() };
    let fixture = WireFixture::with_limits(&["orcain"], limits).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let mut crowd = Vec::new();
    for _ in 0..3 {
        crowd.push(WsClient::join_as(&fixture, json!({"match": id})).await);
    }
    let mut late = WsClient::connect(&fixture).await;
    let refused = late.hello(json!({"match": id})).await.unwrap_err();
    assert_eq!(refused.code.name(), "too_many");
    play_round(&mut anna, &mut bela).await;
    // Each delayed spectator has the match replayed separately.
    let request = json!({"ruleset": "orcain", "spectators": {"allowed": true, "delayMs": 1000}});
    let later =
        fixture.start_match(request, &[&fixture.guest("cleo").await, &fixture.guest("dora").await]).await;
    for place in 0..4 {
        let mut client = WsClient::connect(&fixture).await;
        client.send(&json!({"type": "hello", "match": later})).await;
        let is_refused = match client.next_within(300).await {
            Some(ServerFrame::Error { problem, .. }) => problem.code.name() == "too_many",
            _ => false,
        };
        assert_eq!(is_refused, place == 3, "only three delayed spectators are allowed");
        crowd.push(client);
    }
    crowd.truncate(2);
    // The server notices the free place after a while.
    while late.hello(json!({"match": id})).await.is_err() {}
}

#[tokio::test]
async fn a_frame_copied_from_another_seat_has_no_effect() {
    let fixture = WireFixture::new(&["mages"]).await;
    let (mut anna, mut bela) =
        fixture.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    let id = anna.match_id.clone().unwrap();
    let frame = json!({"type": "input.submit", "inputId": anna.open_question(), "answers": "pass"});
    bela.sync().await;
    assert_eq!(bela.open_question(), None, "it is the other player's turn");
    let before = bela.view.clone();
    // An exact copy of the other player's next frame, then with the other player's seat.
    bela.command_with_id("stolen", frame.clone()).await.unwrap_err();
    assert_eq!(bela.hello(json!({"match": id, "seat": 0})).await.unwrap_err().code.name(), "not_allowed");
    bela.command_with_id("again", frame.clone()).await.unwrap_err();
    bela.sync().await;
    assert_eq!(bela.view, before);
    anna.command_with_id("stolen", frame).await.unwrap();
}

#[tokio::test]
async fn a_revoked_token_is_rejected() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let (token, id) = (anna.token.clone().unwrap(), anna.match_id.clone().unwrap());
    assert_eq!(fixture.delete("/sessions/current", &token).await.status, 204);
    let why = anna.wait_for_close().await;
    assert!(why.is_some(), "connections of the token must close");
    let mut again = WsClient::connect(&fixture).await;
    let refused = again.hello(json!({"token": token, "match": id})).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_signed_in");
    assert_eq!(fixture.get("/me", Some(&token)).await.status, 401);
}
