//! Clients that use the custom messages of the duel ruleset.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::client::WsClient;
use super::fixture::{START, WireFixture};
use super::server_restarts::{KillableServer, store_with_manual_clock};

/// A client of the duel's custom messages.
struct Duellist {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// All received messages, in order.
    heard: Vec<Value>,
}

impl Duellist {
    async fn connect(fixture: &WireFixture, token: &str) -> Duellist {
        let ticket = fixture.ticket(token).await;
        let url = format!("ws://{}/ws/orcain?ticket={ticket}", fixture.address);
        Duellist { socket: connect_async(url).await.unwrap().0, heard: Vec::new() }
    }

    async fn send(&mut self, message: Value) {
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Sends an answer and waits until it counts: the same answer is rejected then.
    async fn answer(&mut self, message: Value) {
        self.send(message.clone()).await;
        self.send(message).await;
        self.expect("error_msg", ERROR).await;
    }

    async fn next(&mut self) -> Value {
        loop {
            let message = tokio::time::timeout(Duration::from_secs(20), self.socket.next()).await;
            match message.expect("no message in time") {
                Some(Ok(Message::Text(text))) => {
                    assert!(!text.to_ascii_lowercase().contains("grass"), "the placeholder is never sent");
                    let message: Value = serde_json::from_str(&text).unwrap();
                    self.heard.push(message.clone());
                    return message;
                }
                Some(Ok(_)) => {}
                other => panic!("the connection was closed: {other:?}"),
            }
        }
    }

    /// Receives the next message and checks its type and exact fields.
    async fn expect(&mut self, name: &str, fields: &[&str]) -> Value {
        let message = self.next().await;
        assert_eq!(message["type"], json!(name), "{message}");
        let has: Vec<&str> = message.as_object().unwrap().keys().skip(1).map(String::as_str).collect();
        assert_eq!(has, fields, "{message}");
        message
    }

    async fn prep(&mut self) -> Value {
        self.expect("prep_start", PREP).await
    }

    /// Receives three steps and the end of the round.
    async fn round(&mut self) -> (Vec<Value>, Value) {
        let mut steps = Vec::new();
        for step in 0..3 {
            let told = self.expect("step_reveal", STEP).await;
            assert_eq!(told["step"], json!(step));
            steps.push(told);
        }
        (steps, self.expect("round_end", ROUND).await)
    }
}

const FOUND: &[&str] = &["matchId", "yourNickname", "oppNickname", "yourHand"];
const PREP: &[&str] = &[
    "roundIndex",
    "deadlineTs",
    "yourNickname",
    "oppNickname",
    "yourHp",
    "oppHp",
    "pot",
    "cards",
    "yourHand",
    "suddenDeath",
];
const STEP: &[&str] = &["roundIndex", "step", "yourCard", "oppCard", "yourHp", "oppHp"];
const ROUND: &[&str] = &["roundIndex", "yourHp", "oppHp"];
const END: &[&str] = &["winner", "result", "reason", "yourHp", "oppHp", "pot"];
const ERROR: &[&str] = &["code", "message"];

fn confirm(layout: &Value) -> Value {
    json!({"type": "layout_confirm", "layout": layout})
}

fn draft(layout: &Value) -> Value {
    json!({"type": "layout_draft", "layout": layout})
}

/// Matches two guests through the queue, up to their first layout.
async fn start_duel(fixture: &WireFixture) -> (Duellist, Duellist, String) {
    let (anna, bela) = (fixture.guest("anna").await, fixture.guest("bela").await);
    start_duel_between(fixture, &anna, &bela).await
}

/// Matches two existing accounts named anna and bela.
async fn start_duel_between(fixture: &WireFixture, anna: &str, bela: &str) -> (Duellist, Duellist, String) {
    let mut one = Duellist::connect(fixture, anna).await;
    let mut other = Duellist::connect(fixture, bela).await;
    one.send(json!({"type": "queue_join"})).await;
    other.send(json!({"type": "queue_join"})).await;
    let found = one.expect("match_found", FOUND).await;
    assert_eq!(found["yourNickname"], json!("anna"));
    assert_eq!(found["oppNickname"], json!("bela"));
    assert_eq!(found["yourHand"], json!(["attack", "defense", "heal", "counter"]));
    let id = found["matchId"].as_str().unwrap().to_owned();
    assert_eq!(other.expect("match_found", FOUND).await["matchId"], json!(id));
    one.prep().await;
    other.prep().await;
    (one, other, id)
}

#[tokio::test]
async fn two_clients_play_a_round() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, _) = start_duel(&fixture).await;
    let prep = &one.heard[1];
    assert_eq!(
        [&prep["roundIndex"], &prep["deadlineTs"], &prep["yourHp"], &prep["oppHp"], &prep["pot"]],
        [&json!(1), &json!(START + 20_000), &json!(10), &json!(10), &json!(2)]
    );
    one.send(draft(&json!(["heal", null, null]))).await;
    one.send(confirm(&json!(["attack", null, "heal"]))).await;
    other.send(confirm(&json!(["defense", "attack", "counter"]))).await;
    let (steps, end) = one.round().await;
    let cards: Vec<(&Value, &Value)> =
        steps.iter().map(|step| (&step["yourCard"], &step["oppCard"])).collect();
    let expected = [
        (json!("attack"), json!("defense")),
        (Value::Null, json!("attack")),
        (json!("heal"), json!("counter")),
    ];
    assert_eq!(cards, expected.iter().map(|(own, other)| (own, other)).collect::<Vec<_>>());
    let hp: Vec<&Value> = steps.iter().map(|step| &step["yourHp"]).collect();
    assert_eq!(hp, [&json!(10), &json!(8), &json!(9)]);
    assert_eq!((&end["yourHp"], &end["oppHp"]), (&json!(9), &json!(10)));
    assert_eq!(one.prep().await["roundIndex"], json!(2));
    let (steps, _) = other.round().await;
    assert_eq!((&steps[1]["yourCard"], &steps[1]["oppCard"]), (&json!("attack"), &Value::Null));
}

#[tokio::test]
async fn a_whole_match_ends_with_its_winner_and_pays_the_pot() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    for _ in 0..3 {
        one.send(confirm(&json!(["attack", "defense", "heal"]))).await;
        other.send(confirm(&json!([null, null, "heal"]))).await;
        one.round().await;
        other.round().await;
        if one.heard.last().unwrap()["roundIndex"] != json!(3) {
            one.prep().await;
            other.prep().await;
        }
    }
    let end = one.expect("match_end", END).await;
    assert_eq!((&end["winner"], &end["result"]), (&json!("anna"), &json!("win")));
    assert_eq!((&end["reason"], &end["pot"]), (&json!("normal"), &json!("winners")));
    assert_eq!(other.expect("match_end", END).await["result"], json!("loss"));
    let info = fixture.match_info(&id).await;
    let winner = info["ending"]["winners"][0].as_u64().unwrap() as usize;
    assert_eq!(info["seats"][winner]["name"], json!("anna"));
}

#[tokio::test]
async fn drafts_are_cleaned_and_invalid_layouts_rejected() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    one.send(draft(&json!(["attack", "fireball", "attack"]))).await;
    for (layout, message) in [
        (json!(["attack", "attack", "attack"]), "Selection attack didn't exist in the choices"),
        (json!(["fireball", null, null]), "Selection fireball didn't exist in the choices"),
        (json!([1, 2, 3]), "Selection 1 didn't exist in the choices"),
        (json!(["attack"]), "Invalid number of options selected: expected 3-3, got 1"),
    ] {
        one.send(confirm(&layout)).await;
        let error = one.expect("error_msg", ERROR).await;
        assert_eq!((&error["code"], &error["message"]), (&json!("illegal"), &json!(message)), "{layout}");
    }
    one.send(json!({"type": "layout_confirm"})).await;
    one.expect("error_msg", ERROR).await;
    one.send(json!({"type": "make_me_win"})).await;
    one.expect("error_msg", ERROR).await;
    one.send(json!([1, 2, 3])).await;
    one.expect("error_msg", ERROR).await;
    other.send(confirm(&json!([null, null, null]))).await;
    fixture.advance(20_000, &id).await;
    let (steps, _) = one.round().await;
    let cards: Vec<&Value> = steps.iter().map(|step| &step["yourCard"]).collect();
    assert_eq!(
        cards,
        [&json!("attack"), &Value::Null, &Value::Null],
        "the draft applies, without its invalid cards"
    );
}

#[tokio::test]
async fn a_late_layout_never_counts_for_the_next_round() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    let for_round = |kind: &str, round: Value, layout: Value| json!({"type": kind, "layout": layout, "roundIndex": round});
    other.answer(for_round("layout_confirm", json!(1), json!([null, null, null]))).await;
    fixture.advance(20_000, &id).await;
    one.round().await;
    assert_eq!(one.prep().await["roundIndex"], json!(2));
    for kind in ["layout_confirm", "layout_draft"] {
        one.send(for_round(kind, json!(1), json!(["attack", "heal", null]))).await;
        let error = one.expect("error_msg", ERROR).await;
        assert_eq!(error["code"], json!("closed"), "{error}");
        let message = "this is for another question: `roundIndex` is 2 now, not 1";
        assert_eq!(error["message"], json!(message));
    }
    one.send(for_round("layout_confirm", json!(3), json!(["attack", "heal", null]))).await;
    assert_eq!(one.expect("error_msg", ERROR).await["code"], json!("closed"));
    one.send(for_round("layout_confirm", json!(2), json!(["heal", null, null]))).await;
    other.round().await;
    other.prep().await;
    other.send(confirm(&json!([null, null, null]))).await;
    let (steps, _) = one.round().await;
    let cards: Vec<&Value> = steps.iter().map(|step| &step["yourCard"]).collect();
    assert_eq!(cards, [&json!("heal"), &Value::Null, &Value::Null], "only the answer to round 2 counts");
}

#[tokio::test]
async fn a_layout_sent_before_the_next_round_arrived_does_not_count_for_it() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    other.answer(confirm(&json!([null, null, null]))).await;
    fixture.advance(20_000, &id).await;
    // This client has read nothing of round 2 yet, and names no round.
    one.send(confirm(&json!(["attack", "heal", null]))).await;
    one.round().await;
    assert_eq!(one.prep().await["roundIndex"], json!(2));
    let error = one.expect("error_msg", ERROR).await;
    assert_eq!(error["code"], json!("closed"), "{error}");
    let message = "this was sent before the current question arrived, so it is for an earlier one";
    assert_eq!(error["message"], json!(message));
    // Now it has, but nobody reads this quickly: such a message was meant for round 1.
    one.send(confirm(&json!(["attack", "heal", null]))).await;
    let error = one.expect("error_msg", ERROR).await;
    assert_eq!(error["code"], json!("closed"), "{error}");
    assert!(error["message"].as_str().unwrap().contains("may be for the one before"), "{error}");
    tokio::time::sleep(Duration::from_millis(550)).await;
    one.send(confirm(&json!(["heal", null, null]))).await;
    other.round().await;
    other.prep().await;
    other.send(confirm(&json!([null, null, null]))).await;
    let (steps, _) = one.round().await;
    assert_eq!(steps[0]["yourCard"], json!("heal"));
}

#[tokio::test]
async fn unknown_keys_of_a_message_are_named() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let mut early = Duellist::connect(&fixture, &fixture.guest("cara").await).await;
    early.send(json!({"type": "queue_join", "stakes": 5})).await;
    let error = early.expect("error_msg", ERROR).await;
    assert_eq!(
        error,
        json!({"type": "error_msg", "code": "malformed", "message": "the message has no `stakes`"})
    );
    let (mut one, _other, _) = start_duel(&fixture).await;
    one.send(json!({"type": "layout_confirm", "layout": [null, null, null], "round": 1})).await;
    let error = one.expect("error_msg", ERROR).await;
    assert_eq!(
        error,
        json!({"type": "error_msg", "code": "malformed", "message": "the message has no `round`"})
    );
}

#[tokio::test]
async fn missing_two_rounds_loses() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    for round in 1..=2 {
        one.send(confirm(&json!([null, "heal", null]))).await;
        // Only a confirmed layout distinguishes the player from an absent one.
        tokio::time::sleep(Duration::from_millis(50)).await;
        fixture.advance(20_000, &id).await;
        if round == 1 {
            one.round().await;
            one.prep().await;
            other.round().await;
            other.prep().await;
        }
    }
    let end = one.expect("match_end", END).await;
    assert_eq!(
        (&end["result"], &end["reason"], &end["pot"]),
        (&json!("win"), &json!("timeout"), &json!("winners"))
    );
    let end = other.expect("match_end", END).await;
    assert_eq!((&end["result"], &end["winner"]), (&json!("loss"), &json!("anna")));
}

#[tokio::test]
async fn if_both_miss_two_rounds_the_pot_burns() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    fixture.advance(20_000, &id).await;
    one.round().await;
    one.prep().await;
    fixture.advance(20_000, &id).await;
    let end = one.expect("match_end", END).await;
    assert_eq!(
        (&end["result"], &end["reason"], &end["pot"]),
        (&json!("loss"), &json!("timeout"), &json!("burn"))
    );
    assert_eq!(end["winner"], Value::Null);
    other.round().await;
    other.prep().await;
    assert_eq!(other.expect("match_end", END).await["result"], json!("loss"));
}

#[tokio::test]
async fn disconnecting_loses_immediately() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, other, id) = start_duel(&fixture).await;
    drop(other);
    let end = one.expect("match_end", END).await;
    assert_eq!((&end["result"], &end["reason"]), (&json!("win"), &json!("disconnect")));
    assert_eq!(fixture.match_info(&id).await["ending"]["pot"], json!("winners"));
}

#[tokio::test]
async fn players_receive_the_new_deadline_after_a_pause() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, id) = start_duel(&fixture).await;
    let token = fixture.moderator("judge").await;
    let mut judge = WsClient::join(&fixture, &token, &id).await;
    fixture.clock.advance(5_000);
    judge.control(json!({"kind": "pause"})).await.unwrap();
    fixture.clock.advance(3_600_000);
    one.send(confirm(&json!([null, null, null]))).await;
    assert_eq!(one.expect("error_msg", ERROR).await["code"], json!("paused"));
    judge.control(json!({"kind": "resume"})).await.unwrap();
    for duellist in [&mut one, &mut other] {
        assert_eq!(duellist.prep().await["deadlineTs"], json!(START + 3_600_000 + 20_000));
    }
}

#[tokio::test]
async fn players_continue_the_duel_after_a_server_restart() {
    let (store, clock) = store_with_manual_clock();
    let server = KillableServer::start(&store, &clock, "orcain").await;
    let back = [server.fixture.guest("anna").await, server.fixture.guest("bela").await];
    let (_one, _other, id) = start_duel_between(&server.fixture, &back[0], &back[1]).await;
    let token = server.fixture.moderator("judge").await;
    // Reading returns only saved state, so the presence of both players is saved by then.
    WsClient::join(&server.fixture, &token, &id).await;
    server.kill().await;
    clock.advance(60_000);
    let server = KillableServer::start(&store, &clock, "orcain").await;
    clock.advance(10_000);
    let mut both = Vec::new();
    for token in &back {
        let mut duellist = Duellist::connect(&server.fixture, token).await;
        assert_eq!(duellist.expect("match_found", FOUND).await["matchId"], json!(id));
        assert_eq!(duellist.prep().await["deadlineTs"], json!(START + 60_000 + 20_000));
        both.push(duellist);
    }
    for duellist in &mut both {
        duellist.send(confirm(&json!(["attack", null, null]))).await;
    }
    for duellist in &mut both {
        duellist.round().await;
    }
    server.kill().await;
}

#[tokio::test]
async fn guests_need_no_account() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let url = format!("ws://{}/ws/orcain", fixture.address);
    let mut both = Vec::new();
    for _ in 0..2 {
        let socket = connect_async(&url).await.unwrap().0;
        both.push(Duellist { socket, heard: Vec::new() });
    }
    for guest in &mut both {
        guest.send(json!({"type": "queue_join"})).await;
    }
    for guest in &mut both {
        guest.expect("match_found", FOUND).await;
        guest.prep().await;
    }
}

#[tokio::test]
async fn a_tie_continues_in_sudden_death() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut one, mut other, _) = start_duel(&fixture).await;
    for round in 1..=4 {
        let own = if round == 4 { json!(["attack", null, null]) } else { json!([null, "heal", null]) };
        one.send(confirm(&own)).await;
        other.send(confirm(&json!([null, "heal", null]))).await;
        one.round().await;
        other.round().await;
        if round < 4 {
            assert_eq!(one.prep().await["suddenDeath"], json!(round == 3));
            other.prep().await;
        }
    }
    assert_eq!(one.expect("match_end", END).await["result"], json!("win"));
}

#[tokio::test]
async fn a_custom_client_plays_against_a_protocol_client() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (anna, bela) = (fixture.guest("anna").await, fixture.guest("bela").await);
    let mut one = Duellist::connect(&fixture, &anna).await;
    let mut other = WsClient::join_as(&fixture, json!({"token": bela})).await;
    one.send(json!({"type": "queue_join"})).await;
    let waiting = other.command(json!({"type": "queue.join", "ruleset": "orcain", "stake": true})).await;
    assert_eq!(waiting.unwrap()["ruleset"], json!("orcain"));
    let id = other.wait_for_match().await;
    assert_eq!(one.expect("match_found", FOUND).await["matchId"], json!(id));
    one.prep().await;
    other.hello(json!({"match": id})).await.unwrap();
    one.send(confirm(&json!(["attack", null, null]))).await;
    other.answer(other.open_question().unwrap(), json!(["heal", null, null])).await.unwrap();
    let (steps, _) = one.round().await;
    assert_eq!((&steps[0]["yourCard"], &steps[0]["oppCard"]), (&json!("attack"), &json!("heal")));
    other.wait_until(|client| client.view["match"]["round"] == json!(2)).await;
    other.drop_connection().await;
    one.prep().await;
    assert_eq!(one.expect("match_end", END).await["reason"], json!("disconnect"));
}
