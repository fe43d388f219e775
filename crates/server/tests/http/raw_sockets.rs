//! Clients that hold sockets, send endless headers, forge addresses or submit harmful rulesets.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fixture::{HttpFixture, open_question, start_duel, without_rate_limits};

/// Much longer than any of these tests takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends the text and reads until the server closes the connection.
async fn send_and_read(server: SocketAddr, text: &[u8]) -> String {
    let mut stream = TcpStream::connect(server).await.unwrap();
    // The server may close the connection before all of it is sent.
    let _ = stream.write_all(text).await;
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let _ = reading.expect("the server did not close the connection");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn fixture_with_short_timeout() -> HttpFixture {
    let mut config = without_rate_limits();
    config.limits.request_ms = 300;
    HttpFixture::with(config).await
}

#[tokio::test]
async fn slow_requests_are_disconnected() {
    let fixture = fixture_with_short_timeout().await;
    let server = fixture.anonymous().server;
    for head in ["", "G", "GET / HTTP/1.1\r\nhost: x\r\n", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: 1"] {
        let answer = send_and_read(server, head.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{head:?}: {answer}");
    }
    let body = "POST /accounts HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
                content-length: 100\r\n\r\n{\"name\":";
    let answer = send_and_read(server, body.as_bytes()).await;
    assert!(answer.contains("the body did not arrive in time"), "{answer}");
    fixture.anonymous().get("/rulesets").await.ok_json();
}

#[tokio::test]
async fn a_trickle_of_bytes_does_not_hold_a_socket() {
    let fixture = fixture_with_short_timeout().await;
    let mut stream = TcpStream::connect(fixture.anonymous().server).await.unwrap();
    let dripping = async {
        for byte in b"GET /rulesets HTTP/1.1\r\nx-never: ".iter().chain(std::iter::repeat(&b'x')) {
            if stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, dripping).await.expect("the server waits forever");
}

#[tokio::test]
async fn endless_headers_are_rejected() {
    let fixture = HttpFixture::new().await;
    let server = fixture.anonymous().server;
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\nx-long: {}\r\n\r\n", "x".repeat(200_000));
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nhost: x\r\n{many}\r\n");
    for request in [long, many] {
        let answer = send_and_read(server, request.as_bytes()).await;
        // The response may be lost if the server closes the connection while data is still arriving.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    fixture.anonymous().get("/rulesets").await.ok_json();
}

#[tokio::test]
async fn one_address_cannot_take_all_sockets() {
    let mut config = without_rate_limits();
    config.limits.connections_per_address = 10;
    let fixture = HttpFixture::with(config).await;
    let server = fixture.anonymous().server;
    let mut silent = Vec::new();
    for _ in 0..210 {
        silent.push(TcpStream::connect(server).await.unwrap());
    }
    assert_eq!(send_and_read(server, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await, "");
    silent.clear();
    // The server notices the closed connections after a while.
    for _ in 0..200 {
        let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        if send_and_read(server, request).await.starts_with("HTTP/1.1 200") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("closed connections are still counted");
}

/// Requests a WebSocket with additional headers.
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
async fn pages_on_other_origins_get_no_websocket() {
    let fixture = HttpFixture::new().await;
    let server = fixture.anonymous().server;
    let (_, head) = upgrade(server, "origin: https://evil.example\r\n").await;
    assert!(head.starts_with("http/1.1 403"), "{head}");
    let (_, head) = upgrade(server, &format!("origin: http://{server}\r\n")).await;
    assert!(head.starts_with("http/1.1 101"), "{head}");
}

#[tokio::test]
async fn compressed_data_is_rejected() {
    let fixture = HttpFixture::new().await;
    let server = fixture.anonymous().server;
    let (mut stream, head) =
        upgrade(server, "sec-websocket-extensions: permessage-deflate; client_max_window_bits\r\n").await;
    assert!(head.starts_with("http/1.1 101") && !head.contains("sec-websocket-extensions"), "{head}");
    // A compressed text frame anyway: FIN, RSV1 and text; masked, five bytes.
    stream.write_all(&[0xc1, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5]).await.unwrap();
    let mut rest = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    let _ = reading.expect("the connection stays open");
    let ann = fixture.guest().await;
    let packed = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let answer = ann.send_bytes("POST", "/matches", &packed, b"\x1f\x8b\x08\x00").await;
    assert!(answer.status >= 400, "{}", answer.text);
}

#[tokio::test]
async fn codes_are_not_guessed_quickly() {
    let mut config = without_rate_limits();
    config.limits.accounts_per_minute = 5;
    let fixture = HttpFixture::with(config).await;
    let ann = fixture.guest().await;
    let made = ann.post("/matches", json!({"ruleset": "orcain", "private": true})).await.ok_json();
    let code = made["code"].as_str().unwrap();
    let mut codes = Vec::new();
    for n in 0..6 {
        codes.push(ann.get(&format!("/matches/by-code/AAAAA{n}")).await.problem_code());
    }
    assert_eq!(codes.last().map(String::as_str), Some("too_many"), "{codes:?}");
    // Not even the right code works then.
    assert_eq!(ann.get(&format!("/matches/by-code/{code}")).await.problem_code(), "too_many");
}

#[tokio::test]
async fn forwarding_headers_of_untrusted_clients_are_ignored() {
    let mut config = without_rate_limits();
    config.limits.accounts_per_minute = 1;
    let fixture = HttpFixture::with(config).await;
    let client = fixture.anonymous();
    client.post("/accounts", json!({})).await.ok_json();
    for forged in
        [("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=192.0.2.2"), ("x-real-ip", "192.0.2.3")]
    {
        let answer = client.send("POST", "/accounts", &[forged], Some(json!({}))).await;
        assert_eq!(answer.problem_code(), "too_many", "{forged:?}");
    }
}

/// Returns a ruleset that runs these statements after the first answer.
fn harmful_ruleset(id: &str, statements: &str) -> serde_json::Value {
    let text = format!(
        "ir: 1\nruleset: {{id: {id}, version: 1.0.0, name: Harmful, description: Too much., uses: [core@1]}}\n\
         players: {{min: 2, max: 2, seats: 2}}\noutcomes: [done]\n\
         match: {{props: {{list: {{type: list<int>, default: \"[1]\"}}}}}}\n\
         kinds: {{token: {{}}}}\nzones: {{pile: {{visible: all, order: list}}}}\ndefs: {{coin: {{kind: token}}}}\n\
         flow:\n  - {{choose: x, by: \"players[0]\", from: \"[1, 2]\"}}\n{statements}  - {{end: done}}\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

#[tokio::test]
async fn a_ruleset_that_exhausts_resources_affects_only_its_own_match() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let other = start_duel(&ann, &bob, "orcain").await;
    let cases = [
        ("steps", "  - {repeat: 9000000000000000000, do: []}\n"),
        ("memory", "  - {repeat: 60, max: 60, do: [{set: {match.list: match.list + match.list}}]}\n"),
        ("entities", "  - {repeat: 1000000, max: 1000000, do: [{create: coin, in: pile}]}\n"),
    ];
    for (id, statements) in cases {
        let published = ann.post("/rulesets", harmful_ruleset(id, statements)).await;
        assert_eq!(published.status, 201, "{}", published.text);
        let id = start_duel(&ann, &bob, id).await;
        let input = open_question(&ann, &id).await;
        let refused = ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [1]})).await;
        assert!(refused.status >= 400, "{id}: {}", refused.text);
        // The match is unchanged, and the other match continues.
        assert_eq!(open_question(&ann, &id).await, input);
        let input = open_question(&ann, &other).await;
        let answers = json!({"answers": [null, "heal", null]});
        let path = format!("/matches/{other}/inputs/{input}");
        if ann.get(&format!("/matches/{other}/inputs")).await.ok_json()["prompts"][0]["inputId"] == input {
            ann.post(&path, answers.clone()).await.ok_json();
            let input = open_question(&bob, &other).await;
            bob.post(&format!("/matches/{other}/inputs/{input}"), answers).await.ok_json();
        }
    }
}

#[tokio::test]
async fn oversized_files_and_options_are_rejected() {
    let fixture = HttpFixture::new().await;
    let ann = fixture.guest().await;
    let aliases = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
    let answer = ann.post("/rulesets", json!({"files": {"ruleset.yaml": aliases}})).await;
    assert!(answer.status >= 400, "{}", answer.text);
    let huge: Vec<u32> = (0..10_000).collect();
    let request = json!({"ruleset": "orcain", "options": {"max_rounds": huge}});
    assert_eq!(ann.post("/matches", request).await.problem_code(), "invalid");
    let request = json!({"ruleset": "orcain", "options": {"max_rounds": i64::MAX}});
    assert_eq!(ann.post("/matches", request).await.problem_code(), "invalid");
}

#[tokio::test]
async fn a_head_may_have_64_kib_and_no_more() {
    let fixture = HttpFixture::new().await;
    let server = fixture.anonymous().server;
    let request = |bytes: usize| {
        format!(
            "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: {}\r\n\r\n",
            "x".repeat(bytes)
        )
    };
    let answer = send_and_read(server, request(60_000).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for bytes in [66_000, 80_000, 120_000] {
        let answer = send_and_read(server, request(bytes).as_bytes()).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{bytes} bytes: {answer}");
    }
}

#[tokio::test]
async fn limits_of_zero_are_refused() {
    let mut config = without_rate_limits();
    config.limits.connections = 0;
    let error = intermezzo_server::Server::start(config, Vec::new()).await.err().unwrap().to_string();
    assert_eq!(error, "the limit `connections` is 0; it must be at least 1");
}
