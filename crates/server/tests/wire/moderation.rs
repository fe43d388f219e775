//! Moderation outside of matches: reports, bans, rulesets that are taken down or change hands; tickets.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use super::client::WsClient;
use super::fixture::{START, WireFixture};
use super::raw_http::{RawRequest, RawResponse};

fn tiny(version: &str) -> Value {
    let text = format!(
        "ir: 1\nruleset: {{id: tiny, version: {version}, name: Tiny, description: Nothing much., uses: [core@1]}}\n\
         players: {{min: 2, max: 4, seats: 2}}\noutcomes: [done]\nflow: [{{end: done}}]\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

async fn send(fixture: &WireFixture, method: &str, path: &str, token: &str, body: Value) -> RawResponse {
    let request = RawRequest { method, path, token: Some(token), ..RawRequest::default() };
    request.with_json(fixture.address, Some(&body)).await
}

#[tokio::test]
async fn a_ruleset_can_be_taken_down_and_change_hands() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (anna, bela, judge) =
        (fixture.guest("anna").await, fixture.guest("bela").await, fixture.moderator("judge").await);
    let published = fixture.post("/rulesets", &anna, tiny("1.0.0")).await;
    assert_eq!(published.status, 201, "{}", published.text);
    let hash = published.body["hash"].as_str().unwrap().to_owned();
    let reason = json!({"reason": "not a game"});
    for token in [&anna, &bela] {
        let refused = send(&fixture, "PUT", "/rulesets/tiny/takedown", token, reason.clone()).await;
        assert_eq!(refused.body["code"], "not_allowed");
    }
    let empty = send(&fixture, "PUT", "/rulesets/tiny/takedown", &judge, json!({"reason": " "})).await;
    assert_eq!(empty.body["code"], "invalid");
    let down = send(&fixture, "PUT", "/rulesets/tiny/takedown", &judge, reason.clone()).await;
    assert_eq!(down.status, 200, "{}", down.text);
    assert_eq!(fixture.get("/rulesets/tiny", None).await.status, 404);
    assert!(!fixture.get("/rulesets", None).await.text.contains("tiny"));
    // Matches in progress need the rules by their hash; nothing new can be made of them.
    assert_eq!(fixture.get(&format!("/rulesets/{hash}"), None).await.status, 200);
    let refused = fixture.post("/matches", &bela, json!({"ruleset": hash})).await;
    assert_eq!(refused.body["reason"], "taken_down", "{}", refused.text);
    let refused = fixture.post("/rulesets", &anna, tiny("1.1.0")).await;
    assert_eq!(refused.body["reason"], "taken_down", "{}", refused.text);
    let up =
        send(&fixture, "DELETE", "/rulesets/tiny/takedown", &judge, json!({"reason": "it is one"})).await;
    assert_eq!(up.status, 200, "{}", up.text);
    assert_eq!(fixture.get("/rulesets/tiny", None).await.status, 200);
    let change = json!({"account": "bela", "reason": "anna asked for it"});
    let changed = send(&fixture, "PUT", "/rulesets/tiny/owner", &judge, change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(fixture.post("/rulesets", &anna, tiny("1.1.0")).await.body["code"], "not_allowed");
    assert_eq!(fixture.post("/rulesets", &bela, tiny("1.1.0")).await.status, 201);
    let bundled = send(&fixture, "PUT", "/rulesets/orcain/takedown", &judge, reason).await;
    assert_eq!(bundled.body["code"], "not_allowed");
    let done = fixture.get("/moderations", Some(&judge)).await.body;
    let kinds: Vec<&str> = done["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["action"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["owner", "restore", "takedown"]);
}

#[tokio::test]
async fn a_banned_account_is_signed_out_and_stays_out() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let judge = fixture.moderator("judge").await;
    let (mut anna, _bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let token = anna.token.clone().unwrap();
    let reported = fixture.post("/reports", &token, json!({"account": "bela", "reason": "insults"})).await;
    assert_eq!(reported.status, 201, "{}", reported.text);
    let nothing = fixture.post("/reports", &token, json!({"reason": "hm"})).await;
    assert_eq!(nothing.body["code"], "invalid");
    assert_eq!(fixture.get("/reports", Some(&token)).await.body["code"], "not_allowed");
    let open = fixture.get("/reports", Some(&judge)).await.body;
    assert_eq!(open["items"][0]["reason"], "insults");
    let id = open["items"][0]["id"].as_str().unwrap();
    let ban = json!({"reason": "false reports", "untilMs": START + 60_000});
    let banned = send(&fixture, "PUT", "/accounts/anna/ban", &judge, ban).await;
    assert_eq!(banned.status, 200, "{}", banned.text);
    assert_eq!(anna.wait_for_close().await.unwrap().0, 1008);
    let refused = fixture.get("/me", Some(&token)).await;
    assert_eq!((&refused.body["code"], &refused.body["reason"]), (&json!("not_allowed"), &json!("banned")));
    let closed = fixture.post(&format!("/reports/{id}/close"), &judge, json!({"reason": "done"})).await;
    assert_eq!(closed.status, 204, "{}", closed.text);
    assert_eq!(fixture.get("/reports", Some(&judge)).await.body["items"], json!([]));
    fixture.clock.advance(61_000);
    assert_eq!(fixture.get("/me", Some(&token)).await.status, 200, "the ban has ended");
    let moderator = send(&fixture, "PUT", "/accounts/judge/ban", &judge, json!({"reason": "x"})).await;
    assert_eq!(moderator.body["code"], "not_allowed");
}

#[tokio::test]
async fn a_ticket_works_once_and_a_token_in_a_url_never() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let anna = fixture.guest("anna").await;
    let with_token = format!("ws://{}/ws/orcain?token={anna}", fixture.address);
    assert!(connect_async(with_token).await.is_err());
    let ticket = fixture.ticket(&anna).await;
    let url = format!("ws://{}/ws/orcain?ticket={ticket}", fixture.address);
    connect_async(url.clone()).await.unwrap();
    assert!(connect_async(url).await.is_err(), "a ticket works once");
    let late = fixture.ticket(&anna).await;
    fixture.clock.advance(31_000);
    let url = format!("ws://{}/ws/orcain?ticket={late}", fixture.address);
    assert!(connect_async(url).await.is_err(), "a ticket expires");
    // An event stream of a seat, as a browser opens it.
    let bela = fixture.guest("bela").await;
    let id = fixture.start_match(json!({"ruleset": "orcain"}), &[&anna, &bela]).await;
    let ticket = fixture.ticket(&anna).await;
    let path = format!("/matches/{id}/events?ticket={ticket}");
    let own = fixture.get(&path, None).await;
    assert_eq!(own.status, 200, "{}", own.text);
    assert!(own.text.contains("\"attack\""), "the seat sees its own cards");
    assert_eq!(fixture.get(&path, None).await.body["code"], "not_signed_in");
}

#[tokio::test]
async fn broken_frames_and_floods_of_pings_close_the_connection_with_their_codes() {
    let mut limits = super::fixture::without_rate_limits();
    limits.frames_per_second = 20;
    let fixture = WireFixture::with_limits(&["orcain"], limits).await;
    let mut pinging = WsClient::connect(&fixture).await;
    for _ in 0..200 {
        pinging.send_message(Message::Ping(vec![1].into())).await;
    }
    assert_eq!(pinging.wait_for_close().await.map(|(code, _)| code), Some(1008));
    let cases: [(&[u8], u16); 2] = [
        // Text that is not UTF-8: FIN and text, masked, two bytes.
        (&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe], 1007),
        // A reserved opcode.
        (&[0x83, 0x80, 0, 0, 0, 0], 1002),
    ];
    for (bytes, code) in cases {
        assert_eq!(close_code_after(&fixture, bytes).await, Some(code), "{bytes:?}");
    }
    let whole_message =
        [fragment(0x01, b"{\"type\":"), fragment(0x00, b"\"none\""), fragment(0x80, b"}")].concat();
    assert_eq!(close_code_after(&fixture, &whole_message).await, None, "fragments are accepted");
    let flood = [fragment(0x01, b"{"), fragment(0x00, b"").repeat(500)].concat();
    assert_eq!(close_code_after(&fixture, &flood).await, Some(1008), "each fragment counts as a frame");
    let (mut socket, _) = connect_async(format!("ws://{}/ws", fixture.address)).await.unwrap();
    let _ = socket.send(Message::text("x".repeat(70_000))).await;
    let closed = loop {
        match socket.next().await {
            Some(Ok(Message::Close(frame))) => break frame.map(|frame| u16::from(frame.code)),
            Some(Ok(_)) => {}
            _ => break None,
        }
    };
    assert!(closed.is_none_or(|code| code == 1009), "{closed:?}");
}

/// Returns a masked frame with this first byte.
fn fragment(first_byte: u8, text: &[u8]) -> Vec<u8> {
    [&[first_byte, 0x80 | text.len() as u8, 0, 0, 0, 0], text].concat()
}

/// Sends bytes over a new WebSocket and returns the code with which the server closes it.
async fn close_code_after(fixture: &WireFixture, bytes: &[u8]) -> Option<u16> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(fixture.address).await.unwrap();
    let request = format!(
        "GET /ws HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        fixture.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), stream.read_to_end(&mut answer)).await;
    // A close frame: FIN and close, its length, the code.
    let at = answer.windows(2).position(|pair| pair[0] == 0x88 && pair[1] >= 2)?;
    Some(u16::from_be_bytes([*answer.get(at + 2)?, *answer.get(at + 3)?]))
}

#[tokio::test]
async fn an_abandoned_match_against_bots_ends() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let anna = fixture.guest("anna").await;
    let request = json!({"ruleset": "orcain", "places": ["human", "random"]});
    let id = fixture.start_match(request, &[&anna]).await;
    fixture.advance(29 * 24 * 60 * 60 * 1000, &id).await;
    assert_eq!(fixture.match_info(&id).await["status"], "playing");
    // The bot may have answered as late as now.
    fixture.advance(31 * 24 * 60 * 60 * 1000, &id).await;
    for _ in 0..100 {
        if fixture.match_info(&id).await["status"] == "ended" {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the match is still there");
}
