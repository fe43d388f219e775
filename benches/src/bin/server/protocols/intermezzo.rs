//! Our own server: accounts and the match over HTTP, then JSON frames. Every move is on disk before its `ack`.

use std::io;
use std::net::SocketAddr;

use intermezzo_benches::twins::duel::{Card, Move};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::{Heard, Protocol};
use crate::http::{self, Request};

/// The duel that goes on: attacks that take nothing leave both equal, so sudden death never ends, and nobody runs out of time.
const ENDLESS: &str = r#"{"ruleset":"orcain","rated":false,"options":{"damage":0,"prep_ms":86400000}}"#;

/// A seat at our own server.
pub(crate) struct Intermezzo {
    pub(crate) token: String,
    pub(crate) match_id: String,
    /// The question that is open, or was last.
    question: u64,
}

impl Intermezzo {
    fn hear_question(&mut self, frame: &str) -> Heard {
        // No prompts: the other seat is waited for.
        let Some(question) = question(frame) else { return Heard::default() };
        let is_new = question > self.question;
        self.question = question;
        Heard { is_seated: true, may_move: is_new, ..Heard::default() }
    }
}

impl Protocol for Intermezzo {
    fn greeting(&self) -> Option<Message> {
        let (token, match_id) = (&self.token, &self.match_id);
        Some(Message::text(format!(r#"{{"type":"hello","token":"{token}","match":"{match_id}"}}"#)))
    }

    fn submit(&mut self, layout: u32) -> Message {
        let question = self.question;
        let [first, second, third] = Move::at(layout).layout().map(name);
        Message::text(format!(
            r#"{{"type":"input.submit","commandId":"{question}","inputId":{question},"answers":["{first}","{second}","{third}"]}}"#
        ))
    }

    fn hear(&mut self, message: &Message) -> Heard {
        let text = message.to_text().unwrap_or_default();
        let Some(frame) = text.strip_prefix(r#"{"type":""#) else { return Heard::default() };
        match frame.split('"').next() {
            Some("ack") => Heard { is_accepted: true, ..Heard::default() },
            Some("pending.input") => self.hear_question(frame),
            Some("error") => Heard::refusal(text),
            _ => Heard::default(),
        }
    }
}

/// Signs two guests in and seats them at a match that begins.
pub(crate) async fn begin(server: SocketAddr) -> io::Result<[Intermezzo; 2]> {
    let (host, guest) = (sign_in(server).await?, sign_in(server).await?);
    let request =
        |token, method, path, body| http::send(server, Request { method, path, token: Some(token), body });
    let made = request(host.as_str(), "POST", "/matches", ENDLESS).await?;
    let match_id = text(&made["id"])?.to_owned();
    let (seats, ready) = (format!("/matches/{match_id}/seats"), format!("/matches/{match_id}/ready"));
    request(guest.as_str(), "POST", &seats, "{}").await?;
    for token in [&host, &guest] {
        request(token.as_str(), "PUT", &ready, r#"{"ready":true}"#).await?;
    }
    Ok([host, guest].map(|token| Intermezzo { token, match_id: match_id.clone(), question: 0 }))
}

async fn sign_in(server: SocketAddr) -> io::Result<String> {
    Ok(text(&http::post(server, "/accounts", "{}").await?["token"])?.to_owned())
}

fn text(value: &Value) -> io::Result<&str> {
    value.as_str().ok_or_else(|| io::Error::other("the server's answer lacks something"))
}

/// The number of the first open question.
fn question(frame: &str) -> Option<u64> {
    const KEY: &str = r#""prompts":[{"inputId":"#;
    let number = &frame[frame.find(KEY)? + KEY.len()..];
    number[..number.find(|letter: char| !letter.is_ascii_digit())?].parse().ok()
}

fn name(card: Card) -> &'static str {
    match card {
        Card::Attack => "attack",
        Card::Defense => "defense",
        Card::Heal => "heal",
        Card::Counter => "counter",
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
    fn only_a_new_question_lets_a_seat_move() {
        let mut seat = seat();
        assert!(seat.hear(&pending(r#"{"inputId":1,"actor":"p0"}"#)).may_move);
        assert!(!seat.hear(&pending("")).may_move);
        assert!(!seat.hear(&pending(r#"{"inputId":1,"actor":"p0"}"#)).may_move);
        assert!(seat.hear(&pending(r#"{"inputId":2,"actor":"p0"}"#)).may_move);
    }

    #[test]
    fn a_layout_is_sent_by_the_names_of_its_cards() {
        let mut seat = seat();
        seat.hear(&pending(r#"{"inputId":7,"actor":"p0"}"#));
        let sent = seat.submit(0);
        let sent: Value = serde_json::from_str(sent.to_text().expect("it is a text")).expect("it is JSON");
        assert_eq!(sent["inputId"], 7);
        assert_eq!(sent["answers"], serde_json::json!(["attack", "defense", "heal"]));
    }

    #[test]
    fn a_problem_is_a_refusal() {
        assert!(seat().hear(&Message::text(r#"{"type":"error","problem":{}}"#)).refusal.is_some());
    }
}
