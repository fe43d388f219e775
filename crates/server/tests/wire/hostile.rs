//! What clients send that no client should, and that nobody else notices.

use std::time::Duration;

use intermezzo_protocol::{Problem, ServerFrame};
use intermezzo_server::Limits;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::Client;
use super::world::{World, generous};

/// The next problem the client is told of.
async fn problem(client: &mut Client) -> Problem {
    loop {
        if let ServerFrame::Error { problem, .. } = client.next().await {
            return problem;
        }
    }
}

/// Both lay out nothing, and the next round begins.
async fn go_on(anna: &mut Client, bela: &mut Client) {
    let round = anna.view["match"]["round"].clone();
    for client in [&mut *anna, &mut *bela] {
        client.until(|client| client.asked().is_some()).await;
        let question = client.asked().unwrap();
        client.answer(question, json!([null, "heal", null])).await.unwrap();
    }
    for client in [anna, bela] {
        client.until(|client| client.view["match"]["round"] != round).await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_changes_nothing() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
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
        assert_eq!(problem(&mut anna).await.code.name(), *code, "{text:.80}");
    }
    anna.send_message(Message::binary(vec![0, 159, 146, 150])).await;
    assert_eq!(problem(&mut anna).await.code.name(), "malformed");
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn who_sends_nothing_but_noise_is_let_go() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    for is_binary in [false, true] {
        let mut noisy = Client::connect(&world).await;
        for _ in 0..20 {
            let message = if is_binary { Message::binary(vec![1]) } else { Message::text("noise") };
            noisy.send_message(message).await;
        }
        let why = noisy.until_closed().await;
        assert_eq!(why, Some((1008, "too many frames that cannot be read".to_owned())));
    }
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn a_frame_that_is_too_large_ends_the_connection() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let mut large = Client::connect(&world).await;
    large.send_text("x".repeat(70_000)).await;
    // The rest of the frame may still be on its way when the connection ends.
    if let Some((code, _)) = large.until_closed().await {
        assert_eq!(code, 1009);
    }
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn nobody_sits_on_a_foreign_seat_or_with_a_forged_token() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
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
        let mut stranger = Client::connect(&world).await;
        assert_eq!(stranger.hello(hello.clone()).await.unwrap_err().code.name(), code, "{hello}");
        let frame = json!({"type": "input.submit", "inputId": 1, "answers": [null, null, null]});
        stranger.command(frame).await.unwrap_err();
    }
    let mut watcher = Client::join_as(&world, json!({"match": id})).await;
    let refused = watcher.answer(1, json!([null, null, null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_signed_in");
    let other = world.guest("carla").await;
    let mut watcher = Client::join(&world, &other, &id).await;
    for control in [json!({"kind": "concede"}), json!({"kind": "kick", "seat": 0}), json!({"kind": "undo"})] {
        assert_eq!(watcher.control(control).await.unwrap_err().code.name(), "not_allowed");
    }
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn a_command_that_comes_twice_is_done_once() {
    let world = World::with(&["race"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "race"})).await;
    let frame = json!({"type": "input.submit", "inputId": anna.asked(), "answers": [true]});
    let first = anna.command_called("once", frame.clone()).await.unwrap();
    let again = anna.command_called("once", frame.clone()).await.unwrap();
    assert_eq!(first, again, "the same command has the same outcome");
    anna.reconnect(&world).await;
    assert_eq!(
        anna.command_called("once", frame.clone()).await.unwrap(),
        first,
        "after a lost connection, too"
    );
    let another = json!({"type": "system.control", "control": {"kind": "concede"}});
    let reused = anna.command_called("once", another).await.unwrap_err();
    assert_eq!(reused.code.name(), "command_reused", "an id stands for one command");
    let other = anna.command_called("twice", frame).await.unwrap_err();
    assert_eq!(other.code.name(), "closed", "another command comes too late");
    bela.until(|client| client.asked().is_some()).await;
    let frame = json!({"type": "input.submit", "inputId": bela.asked(), "answers": [true]});
    bela.command_called("once", frame).await.unwrap();
    anna.until(|client| client.asked().is_some()).await;
    assert_ne!(anna.view["players"][1]["props"]["place"], json!(0), "ids of others are others");
}

#[tokio::test]
async fn a_command_for_a_match_that_has_gone_on_is_stale() {
    let world = World::with(&["mages"]).await;
    let (mut anna, _bela) = world.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    let before = anna.version;
    let pass = |branch: u64| json!({"type": "action.submit", "branchId": branch, "action": {"type": "pass"}});
    anna.command(pass(before)).await.unwrap();
    let stale = anna.command(pass(before)).await.unwrap_err();
    assert_eq!(stale.code.name(), "stale");
    assert_eq!(stale.more["branchId"], json!(anna.version));
}

#[tokio::test]
async fn a_flood_ends_the_connection_that_sends_it_and_no_other() {
    let limits = Limits { frames_per_second: 10, ..generous() };
    let world = World::limited(&["orcain"], limits).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let mut flood = Client::connect(&world).await;
    for _ in 0..200 {
        flood.send(&json!({"type": "hello"})).await;
    }
    assert_eq!(flood.until_closed().await, Some((1008, "you send too much".to_owned())));
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn who_says_no_hello_is_let_go() {
    let limits = Limits { hello_ms: 100, ..generous() };
    let world = World::limited(&["orcain"], limits).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let mut silent = Client::connect(&world).await;
    assert_eq!(silent.until_closed().await, Some((1008, "you have not said `hello`".to_owned())));
    go_on(&mut anna, &mut bela).await;
}

#[tokio::test]
async fn who_does_not_read_is_let_go_and_holds_up_nobody() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let mut slow = Client::connect(&world).await;
    // Each hello is answered with the whole view, and nothing of it is read, until no more fits into the socket.
    let hello = json!({"type": "hello", "match": id});
    for _ in 0..20_000 {
        if tokio::time::timeout(Duration::from_secs(2), slow.send(&hello)).await.is_err() {
            break;
        }
    }
    // Everybody who follows the match is told of each of these.
    for _ in 0..600 {
        anna.hello(json!({"match": id})).await.unwrap();
    }
    go_on(&mut anna, &mut bela).await;
    let why = slow.until_closed().await;
    assert!(why.is_none_or(|(_, why)| why == "you do not read what is sent to you"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_come_and_go() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    for batch in 0..20 {
        let connecting = (0..50).map(|n| come_and_go(&world, &id, batch + n));
        futures_util::future::join_all(connecting).await;
    }
    go_on(&mut anna, &mut bela).await;
    let ready = world.get("/readyz", None).await;
    assert_eq!(ready.status, 200);
}

/// Connects and leaves in one of several ways.
async fn come_and_go(world: &World, id: &str, n: u32) {
    match n % 4 {
        0 => drop(Client::connect(world).await),
        1 => drop(Client::join_as(world, json!({"match": id})).await),
        2 => Client::join_as(world, json!({"match": id})).await.lose().await,
        _ => {
            let mut stream = tokio::net::TcpStream::connect(world.address).await.unwrap();
            let _ = stream.write_all(b"GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: web").await;
        }
    }
}

#[tokio::test]
async fn problems_tell_what_would_be_legal() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, _bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let refused = anna.answer(anna.asked().unwrap(), json!(["attack", "attack", null])).await.unwrap_err();
    assert_eq!(refused.code.name(), "illegal");
    let legal: &Value = &refused.more["legal"][0];
    assert_eq!(legal["inputId"], json!(anna.asked()));
    assert_eq!(legal["options"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_crowd_does_not_hold_up_a_match() {
    let limits = Limits { spectators: 3, ..generous() };
    let world = World::limited(&["orcain"], limits).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let mut crowd = Vec::new();
    for _ in 0..3 {
        crowd.push(Client::join_as(&world, json!({"match": id})).await);
    }
    let mut late = Client::connect(&world).await;
    let refused = late.hello(json!({"match": id})).await.unwrap_err();
    assert_eq!(refused.code.name(), "too_many");
    go_on(&mut anna, &mut bela).await;
    // Who looks on later has a match run again for itself.
    let wish = json!({"ruleset": "orcain", "spectators": {"allowed": true, "delayMs": 1000}});
    let later = world.table(wish, &[&world.guest("cleo").await, &world.guest("dora").await]).await;
    for place in 0..4 {
        let mut client = Client::connect(&world).await;
        client.send(&json!({"type": "hello", "match": later})).await;
        let is_refused = match client.next_within(300).await {
            Some(ServerFrame::Error { problem, .. }) => problem.code.name() == "too_many",
            _ => false,
        };
        assert_eq!(is_refused, place == 3, "only three look on later");
        crowd.push(client);
    }
    crowd.truncate(2);
    // It is noticed at some time that a place is free.
    while late.hello(json!({"match": id})).await.is_err() {}
}

#[tokio::test]
async fn what_one_seat_has_sent_does_nothing_when_another_sends_it() {
    let world = World::with(&["mages"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    let id = anna.match_id.clone().unwrap();
    let frame = json!({"type": "input.submit", "inputId": anna.asked(), "answers": "pass"});
    bela.settle().await;
    assert_eq!(bela.asked(), None, "it is the other's turn");
    let before = bela.view.clone();
    // What the other is about to send, word for word; and with the other's seat.
    bela.command_called("stolen", frame.clone()).await.unwrap_err();
    assert_eq!(bela.hello(json!({"match": id, "seat": 0})).await.unwrap_err().code.name(), "not_allowed");
    bela.command_called("again", frame.clone()).await.unwrap_err();
    bela.settle().await;
    assert_eq!(bela.view, before);
    anna.command_called("stolen", frame).await.unwrap();
}

#[tokio::test]
async fn a_token_that_was_signed_out_opens_nothing_again() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, _bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let (token, id) = (anna.token.clone().unwrap(), anna.match_id.clone().unwrap());
    assert_eq!(world.delete("/sessions/current", &token).await.status, 204);
    let why = anna.until_closed().await;
    assert!(why.is_some(), "connections of that token end");
    let mut again = Client::connect(&world).await;
    let refused = again.hello(json!({"token": token, "match": id})).await.unwrap_err();
    assert_eq!(refused.code.name(), "not_signed_in");
    assert_eq!(world.get("/me", Some(&token)).await.status, 401);
}
