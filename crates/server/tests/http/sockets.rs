//! Clients that keep sockets to themselves, send no end of headers, or bring what a page must not bring.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::world::{World, duel, generous, question};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends this and nothing more, and reads until the server has enough.
async fn send_and_wait(server: SocketAddr, text: &[u8]) -> String {
    let mut stream = TcpStream::connect(server).await.unwrap();
    // A server that has seen enough may hang up before all of it is sent.
    let _ = stream.write_all(text).await;
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let _ = reading.expect("the server has enough at some time");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn impatient() -> World {
    let mut config = generous();
    config.limits.request_ms = 300;
    World::with(config).await
}

#[tokio::test]
async fn who_sends_a_request_too_slowly_is_let_go() {
    let world = impatient().await;
    let server = world.stranger().server;
    for head in ["", "G", "GET / HTTP/1.1\r\nhost: x\r\n", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: 1"] {
        let answer = send_and_wait(server, head.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{head:?}: {answer}");
    }
    let body = "POST /accounts HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
                content-length: 100\r\n\r\n{\"name\":";
    let answer = send_and_wait(server, body.as_bytes()).await;
    assert!(answer.contains("the body does not come in time"), "{answer}");
    world.stranger().get("/rulesets").await.good();
}

#[tokio::test]
async fn a_byte_now_and_then_keeps_no_socket() {
    let world = impatient().await;
    let mut stream = TcpStream::connect(world.stranger().server).await.unwrap();
    let dripping = async {
        for byte in b"GET /rulesets HTTP/1.1\r\nx-never: ".iter().chain(std::iter::repeat(&b'x')) {
            if stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, dripping).await.expect("the server does not wait for ever");
}

#[tokio::test]
async fn headers_without_end_are_refused() {
    let world = World::new().await;
    let server = world.stranger().server;
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(200_000));
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nhost: x\r\n{many}\r\n");
    for request in [long, many] {
        let answer = send_and_wait(server, request.as_bytes()).await;
        // If it hangs up while much is still on its way, its answer may be lost.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    world.stranger().get("/rulesets").await.good();
}

#[tokio::test]
async fn one_address_does_not_take_all_sockets() {
    let mut config = generous();
    config.limits.connections_per_address = 10;
    let world = World::with(config).await;
    let server = world.stranger().server;
    let mut silent = Vec::new();
    for _ in 0..210 {
        silent.push(TcpStream::connect(server).await.unwrap());
    }
    assert_eq!(send_and_wait(server, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await, "");
    silent.clear();
    // It is noticed at some time that they are gone.
    for _ in 0..200 {
        let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        if send_and_wait(server, request).await.starts_with("HTTP/1.1 200") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("there is no room although everybody has gone");
}

/// Asks for a WebSocket with these headers besides the needed ones.
async fn upgrade(server: SocketAddr, headers: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let request = format!(
        "GET /ws HTTP/1.1\r\nhost: {server}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    (stream, String::from_utf8(head).unwrap().to_ascii_lowercase())
}

#[tokio::test]
async fn pages_from_elsewhere_get_no_websocket() {
    let world = World::new().await;
    let server = world.stranger().server;
    let (_, head) = upgrade(server, "origin: https://evil.example\r\n").await;
    assert!(head.starts_with("http/1.1 403"), "{head}");
    let (_, head) = upgrade(server, &format!("origin: http://{server}\r\n")).await;
    assert!(head.starts_with("http/1.1 101"), "{head}");
}

#[tokio::test]
async fn nothing_is_unpacked() {
    let world = World::new().await;
    let server = world.stranger().server;
    let (mut stream, head) =
        upgrade(server, "sec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n").await;
    assert!(head.starts_with("http/1.1 101") && !head.contains("sec-websocket-extensions"), "{head}");
    // A packed text all the same: final, first reserved bit, text; masked, five bytes.
    stream.write_all(&[0xc1, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5]).await.unwrap();
    let mut rest = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    let _ = reading.expect("the connection ends");
    let ann = world.guest().await;
    let packed = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let answer = ann.send_bytes("POST", "/matches", &packed, b"\x1f\x8b\x08\x00").await;
    assert!(answer.status >= 400, "{}", answer.text);
}

#[tokio::test]
async fn codes_are_not_guessed_quickly() {
    let mut config = generous();
    config.limits.accounts_per_minute = 5;
    let world = World::with(config).await;
    let ann = world.guest().await;
    let made = ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.good();
    let code = made["code"].as_str().unwrap();
    let mut codes = Vec::new();
    for n in 0..6 {
        codes.push(ann.get(&format!("/matches/by-code/AAAAA{n}")).await.code());
    }
    assert_eq!(codes.last().map(String::as_str), Some("too_many"), "{codes:?}");
    // Not even the right one is told then.
    assert_eq!(ann.get(&format!("/matches/by-code/{code}")).await.code(), "too_many");
}

#[tokio::test]
async fn who_is_no_proxy_speaks_for_itself() {
    let mut config = generous();
    config.limits.accounts_per_minute = 1;
    let world = World::with(config).await;
    let door = world.stranger();
    door.post("/accounts", json!({})).await.good();
    for forged in
        [("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=192.0.2.2"), ("x-real-ip", "192.0.2.3")]
    {
        let answer = door.send("POST", "/accounts", &[forged], Some(json!({}))).await;
        assert_eq!(answer.code(), "too_many", "{forged:?}");
    }
}

/// A ruleset whose first answer does this.
fn bomb(id: &str, statements: &str) -> serde_json::Value {
    let text = format!(
        "ir: 1\nruleset: {{id: {id}, version: 1.0.0, name: Bomb, description: Harm., uses: [core@1]}}\n\
         players: {{min: 2, max: 2, seats: 2}}\noutcomes: [done]\n\
         match: {{props: {{list: {{type: list<int>, default: \"[1]\"}}}}}}\n\
         kinds: {{token: {{}}}}\nzones: {{pile: {{visible: all, order: list}}}}\ndefs: {{coin: {{kind: token}}}}\n\
         flow:\n  - {{choose: x, by: \"players[0]\", from: \"[1, 2]\"}}\n{statements}  - {{end: done}}\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

#[tokio::test]
async fn a_ruleset_that_eats_everything_harms_only_its_own_match() {
    let world = World::new().await;
    let (ann, bob) = (world.guest().await, world.guest().await);
    let other = duel(&ann, &bob, "orcain").await;
    let bombs = [
        ("steps", "  - {repeat: 9000000000000000000, do: []}\n"),
        ("memory", "  - {repeat: 60, max: 60, do: [{set: {match.list: match.list + match.list}}]}\n"),
        ("entities", "  - {repeat: 1000000, max: 1000000, do: [{create: coin, in: pile}]}\n"),
    ];
    for (id, statements) in bombs {
        let published = ann.post("/rulesets", bomb(id, statements)).await;
        assert_eq!(published.status, 201, "{}", published.text);
        let id = duel(&ann, &bob, id).await;
        let input = question(&ann, &id).await;
        let refused = ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [1]})).await;
        assert!(refused.status >= 400, "{id}: {}", refused.text);
        // The match stands where it stood, and the other goes on.
        assert_eq!(question(&ann, &id).await, input);
        let input = question(&ann, &other).await;
        let answers = json!({"answers": [null, "heal", null]});
        let path = format!("/matches/{other}/inputs/{input}");
        if ann.get(&format!("/matches/{other}/inputs")).await.good()["prompts"][0]["inputId"] == input {
            ann.post(&path, answers.clone()).await.good();
            let input = question(&bob, &other).await;
            bob.post(&format!("/matches/{other}/inputs/{input}"), answers).await.good();
        }
    }
}

#[tokio::test]
async fn files_and_options_that_blow_up_are_refused() {
    let world = World::new().await;
    let ann = world.guest().await;
    let aliases = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
    let answer = ann.post("/rulesets", json!({"files": {"ruleset.yaml": aliases}})).await;
    assert!(answer.status >= 400, "{}", answer.text);
    let huge: Vec<u32> = (0..10_000).collect();
    let wish = json!({"ruleset": "orcain", "options": {"max_rounds": huge}});
    assert_eq!(ann.post("/matches", wish).await.code(), "invalid");
    let wish = json!({"ruleset": "orcain", "options": {"max_rounds": i64::MAX}});
    assert_eq!(ann.post("/matches", wish).await.code(), "invalid");
}
