//! Our own server: accounts and the match over HTTP, then JSON frames. Every move is on disk before its `ack`.

use std::io;
use std::net::SocketAddr;

use intermezzo_benches::twins::duel::{DuelCard, DuelMove};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::{Protocol, ServerMessage};
use crate::http::{self, JsonRequest};

/// An endless duel: attacks without damage leave both seats equal, so sudden death never ends, and the clock is a day.
const ENDLESS_DUEL: &str = r#"{"ruleset":"orcain","rated":false,"options":{"damage":0,"prep_ms":86400000}}"#;

/// A seat on our own server.
pub(crate) struct Intermezzo {
    pub(crate) token: String,
    pub(crate) match_id: String,
    /// The open or last question.
    question: u64,
}

impl Intermezzo {
    /// Returns the message that answers the open question.
    pub(crate) fn submit_answers(&self, answers: &str) -> Message {
        let question = self.question;
        Message::text(format!(
            r#"{{"type":"input.submit","commandId":"{question}","inputId":{question},"answers":{answers}}}"#
        ))
    }

    fn interpret_question(&mut self, frame: &str) -> ServerMessage {
        // A frame without prompts means that the match waits for the other seat.
        let Some(question) = question(frame) else { return ServerMessage::default() };
        let is_new = question > self.question;
        self.question = question;
        ServerMessage { is_seated: true, may_move: is_new, ..ServerMessage::default() }
    }
}

impl Protocol for Intermezzo {
    fn subprotocol(&self) -> Option<&'static str> {
        Some("intermezzo.v2+json")
    }

    fn greeting(&self) -> Option<Message> {
        let (token, match_id) = (&self.token, &self.match_id);
        Some(Message::text(format!(r#"{{"type":"hello","token":"{token}","match":"{match_id}"}}"#)))
    }

    fn submit(&mut self, layout: u32) -> Message {
        let [first, second, third] = DuelMove::at(layout).layout().map(name);
        self.submit_answers(&format!(r#"["{first}","{second}","{third}"]"#))
    }

    fn interpret(&mut self, message: &Message) -> ServerMessage {
        let text = message.to_text().unwrap_or_default();
        let Some(frame) = text.strip_prefix(r#"{"type":""#) else { return ServerMessage::default() };
        match frame.split('"').next() {
            Some("ack") => ServerMessage { is_accepted: true, ..ServerMessage::default() },
            Some("pending.input" | "update") => self.interpret_question(frame),
            Some("error") => ServerMessage::refusal(text),
            _ => ServerMessage::default(),
        }
    }
}

/// Signs in two guests and starts a match between them.
pub(crate) async fn start_match(server: SocketAddr) -> io::Result<[Intermezzo; 2]> {
    let (host, guest) = (sign_in(server).await?, sign_in(server).await?);
    seat_players(server, [&host, &guest], ENDLESS_DUEL).await
}

/// Starts a match between the players with these tokens, the first of whom creates it as requested.
pub(crate) async fn seat_players(
    server: SocketAddr,
    tokens: [&str; 2],
    match_request: &str,
) -> io::Result<[Intermezzo; 2]> {
    let request = |token, method, path, body| {
        http::send(server, JsonRequest { method, path, token: Some(token), body })
    };
    let created = request(tokens[0], "POST", "/matches", match_request).await?;
    let match_id = text(&created["id"])?.to_owned();
    let (seats, ready) = (format!("/matches/{match_id}/seats"), format!("/matches/{match_id}/ready"));
    request(tokens[1], "POST", &seats, "{}").await?;
    for token in tokens {
        request(token, "PUT", &ready, r#"{"ready":true}"#).await?;
    }
    Ok(tokens.map(|token| Intermezzo { token: token.to_owned(), match_id: match_id.clone(), question: 0 }))
}

/// Signs in a guest and returns its token.
pub(crate) async fn sign_in(server: SocketAddr) -> io::Result<String> {
    Ok(text(&http::post(server, "/accounts", "{}").await?["token"])?.to_owned())
}

fn text(value: &Value) -> io::Result<&str> {
    value.as_str().ok_or_else(|| io::Error::other("the server's response has no id or token"))
}

/// Returns the id of the first open question.
fn question(frame: &str) -> Option<u64> {
    const KEY: &str = r#""prompts":[{"inputId":"#;
    let number = &frame[frame.find(KEY)? + KEY.len()..];
    number[..number.find(|letter: char| !letter.is_ascii_digit())?].parse().ok()
}

fn name(card: DuelCard) -> &'static str {
    match card {
        DuelCard::Attack => "attack",
        DuelCard::Defense => "defense",
        DuelCard::Heal => "heal",
        DuelCard::Counter => "counter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat() -> Intermezzo {
        Intermezzo { token: "t".to_owned(), match_id: "m".to_owned(), question: 0 }
    }

    fn pending(prompts: &str) -> Message {
        Message::text(format!(r#"{{"type":"pending.input","match":"m","version":3,"prompts":[{prompts}]}}"#))
    }

    #[test]
    fn only_a_new_question_allows_a_move() {
        let mut seat = seat();
        assert!(seat.interpret(&pending(r#"{"inputId":1,"actor":"p0"}"#)).may_move);
        assert!(!seat.interpret(&pending("")).may_move);
        assert!(!seat.interpret(&pending(r#"{"inputId":1,"actor":"p0"}"#)).may_move);
        assert!(seat.interpret(&pending(r#"{"inputId":2,"actor":"p0"}"#)).may_move);
    }

    #[test]
    fn a_layout_is_sent_as_card_names() {
        let mut seat = seat();
        seat.interpret(&pending(r#"{"inputId":7,"actor":"p0"}"#));
        let sent = seat.submit(0);
        let sent: Value =
            serde_json::from_str(sent.to_text().expect("the message is text")).expect("the message is JSON");
        assert_eq!(sent["inputId"], 7);
        assert_eq!(sent["answers"], serde_json::json!(["attack", "defense", "heal"]));
    }

    #[test]
    fn an_error_frame_is_a_refusal() {
        assert!(seat().interpret(&Message::text(r#"{"type":"error","problem":{}}"#)).refusal.is_some());
    }
}
