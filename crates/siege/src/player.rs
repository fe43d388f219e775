//! One client on one seat: it follows the match, answers by chance, and comes again whenever it is cut off.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use intermezzo_bots::Random;
use intermezzo_client::{Absences, Answer, Journal, answer, step, step_content};
use intermezzo_protocol::{SUBPROTOCOL, json as wire};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::doors::Doors;
use crate::fortress::now_ms;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server that is away is tried so often.
const TRY_AGAIN: Duration = Duration::from_millis(15);
/// So many answers to one question are tried before the player gives up.
const MAX_TRIES: u32 = 40;
/// An answer is sent after at most so long, in milliseconds.
const THINKING: u64 = 40;
/// Who has a bank uses it up with thoughts of at most this length, in milliseconds.
const PONDERING: u64 = 400;
/// A connection is made within this time, or not at all.
const CONNECTED_WITHIN: Duration = Duration::from_secs(2);
/// What is not answered for so long is sent elsewhere.
const SILENCE: Duration = Duration::from_secs(4);
/// Problems that pass.
const PASSING: &[&str] = &["busy", "draining", "too_many"];
const PASSING_AFTER: Duration = Duration::from_millis(100);

/// How far a match is, for those who play it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// It is played.
    Played,
    /// It has to come to an end: everyone concedes.
    Ending,
    /// It is over; there is only the end to be read.
    Over,
}

/// How somebody plays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// So often in a thousand a question with a deadline is left to it.
    pub(crate) idles: u16,
    /// Takes time over every answer.
    pub(crate) ponders: bool,
}

/// One client on one seat.
pub(crate) struct Player {
    doors: Doors,
    absences: Absences,
    heard: Arc<Notify>,
    token: String,
    habits: Habits,
    random: Random,
    journal: Journal,
    stage: watch::Receiver<Stage>,
    prompts: Vec<Value>,
    act_at: Option<Instant>,
    next_command: u32,
    /// The answers tried for a question.
    tries: (u64, u32),
    /// A question that is left to its deadline.
    idle: Option<u64>,
    /// The way that is being gone, step by step.
    path: Vec<Value>,
    has_conceded: bool,
    /// Something has to be sent once more, on the same connection.
    sends_again: bool,
    /// The server does not let anyone follow right now.
    hangs_up: bool,
    notes: Notes,
}

/// What a player notes besides its journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// When each version was heard of first.
    pub(crate) heard_at: BTreeMap<u64, i64>,
    /// How long it took to be welcome again, each time a connection was lost.
    pub(crate) returns: Vec<Duration>,
    /// Since when there is no connection.
    lost_at: Option<Instant>,
}

/// Why a connection ended.
enum Ended {
    Lost,
    Done,
}

impl Player {
    pub(crate) fn new(
        (doors, absences, heard): (Doors, Absences, Arc<Notify>),
        token: &str,
        habits: Habits,
        random: Random,
        journal: Journal,
        stage: watch::Receiver<Stage>,
    ) -> Player {
        Player {
            doors,
            absences,
            heard,
            token: token.to_owned(),
            habits,
            random,
            journal,
            stage,
            prompts: Vec::new(),
            act_at: None,
            next_command: 0,
            tries: (0, 0),
            idle: None,
            path: Vec::new(),
            has_conceded: false,
            sends_again: false,
            hangs_up: false,
            notes: Notes::default(),
        }
    }

    /// Plays until the match is over and everything of it has been read.
    pub(crate) async fn play(mut self) -> (Journal, Notes) {
        loop {
            let stage = *self.stage.borrow_and_update();
            match self.connection(stage).await {
                Ok(Ended::Done) => return (self.journal, self.notes),
                Ok(Ended::Lost) | Err(_) => {
                    self.notes.lost_at.get_or_insert_with(Instant::now);
                    tokio::time::sleep(TRY_AGAIN).await;
                }
            }
        }
    }

    async fn connection(&mut self, stage: Stage) -> Result<Ended, Box<Error>> {
        let mut socket = self.connect().await?;
        (self.act_at, self.hangs_up) = (None, false);
        let hello = json!({
            "type": "hello", "token": self.token, "match": self.journal.match_id, "seat": self.journal.seat,
            "since": self.journal.since(),
        });
        send(&mut socket, hello.to_string()).await?;
        loop {
            let act_at = self.act_at;
            tokio::select! {
                frame = tokio::time::timeout(SILENCE, socket.next()) => match frame {
                    Ok(Some(Ok(Message::Text(text)))) => self.hear(&mut socket, &text).await?,
                    Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return Ok(Ended::Lost),
                    // Whoever waits for an answer so long tries another door.
                    Err(_) if self.journal.unanswered().next().is_some() => return Ok(Ended::Lost),
                    Ok(Some(Ok(_))) | Err(_) => {}
                },
                () = sleep_until(act_at.unwrap_or_else(Instant::now)), if act_at.is_some() => {
                    self.act(&mut socket).await?;
                }
                changed = self.stage.changed() => {
                    if changed.is_err() || *self.stage.borrow_and_update() == Stage::Over {
                        // What comes after the end is read on a connection of its own.
                        return Ok(Ended::Lost);
                    }
                    self.act_at = Some(Instant::now());
                }
            }
            if self.hangs_up {
                tokio::time::sleep(PASSING_AFTER).await;
                return Ok(Ended::Lost);
            }
            if stage == Stage::Over
                && self.journal.is_up_to_date()
                && self.journal.unanswered().next().is_none()
            {
                return Ok(Ended::Done);
            }
        }
    }

    async fn connect(&mut self) -> Result<Socket, Box<Error>> {
        let address = self.doors.door(self.random.next_number());
        let mut request = format!("ws://{address}/ws").into_client_request()?;
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
        // A server that stands still takes connections and says nothing.
        match tokio::time::timeout(CONNECTED_WITHIN, connect_async(request)).await {
            Ok(connected) => Ok(connected?.0),
            Err(_) => Err(Box::new(Error::ConnectionClosed)),
        }
    }

    async fn hear(&mut self, socket: &mut Socket, text: &str) -> Result<(), Box<Error>> {
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            self.journal.fault(format!("a frame is no JSON: {text}"));
            return Ok(());
        };
        let version = frame["version"].as_u64().unwrap_or(0);
        match frame["type"].as_str().unwrap_or_default() {
            "welcome" => {
                self.welcomed(&frame, text);
                self.notes.returns.extend(self.notes.lost_at.take().map(|since| since.elapsed()));
                self.send_again(socket).await?;
            }
            "event.appended" => {
                self.journal.appended(version, &step_content(&frame));
                self.notes.heard_at.entry(version).or_insert_with(now_ms);
                self.consent(socket, &frame).await?;
            }
            "state.delta" => self.patched(version, &frame, text),
            "pending.input" => self.asked(version, &frame),
            "ack" => self.acknowledged(&frame, version),
            "error" => self.refused(&frame),
            _ => {}
        }
        Ok(())
    }

    fn welcomed(&mut self, frame: &Value, text: &str) {
        let following = &frame["match"];
        // Views are read as the protocol reads them: the order of entries counts.
        let read = following.get("view").and_then(|_| wire::read(text.as_bytes()).ok());
        let view = read.as_ref().and_then(|frame| frame.get("match")?.get("view").cloned());
        let version = following["version"].as_u64().unwrap_or(0);
        self.journal.welcomed(version, following["hash"].as_str().unwrap_or_default(), view);
    }

    fn patched(&mut self, version: u64, frame: &Value, text: &str) {
        let read = wire::read(text.as_bytes()).ok();
        match read.as_ref().and_then(|frame| frame.get("patch")) {
            Some(patch) => self.journal.changed(version, patch, frame["hash"].as_str().unwrap_or_default()),
            None => self.journal.fault(format!("a patch cannot be read: {text}")),
        }
    }

    fn asked(&mut self, version: u64, frame: &Value) {
        self.prompts = frame["prompts"].as_array().cloned().unwrap_or_default();
        self.journal.asked(version, &self.prompts, &self.absences, now_ms());
        self.path.clear();
        self.act_soon();
    }

    fn act_soon(&mut self) {
        let most = if self.habits.ponders { PONDERING } else { THINKING };
        self.act_at = Some(Instant::now() + Duration::from_millis(self.random.below(most)));
    }

    fn acknowledged(&mut self, frame: &Value, version: u64) {
        let id = frame["commandId"].as_str().unwrap_or_default();
        match frame.get("result") {
            None => {
                self.journal.answered(id, &Answer::Taken(version));
                self.heard.notify_waiters();
                self.act_soon();
            }
            Some(follows) => {
                let next = step(follows, self.path.len(), &mut self.random);
                let is_end = next.is_none();
                self.path.extend(next);
                self.path.extend(is_end.then_some(Value::Null));
                self.act_at = Some(Instant::now());
            }
        }
    }

    fn refused(&mut self, frame: &Value) {
        let problem = &frame["problem"];
        let code = problem["code"].as_str().unwrap_or_default();
        if code == "internal" {
            self.journal.fault(format!("the server has failed: {}", problem["detail"]));
        }
        self.path.clear();
        match frame["commandId"].as_str() {
            Some(id) if !PASSING.contains(&code) => {
                self.journal.answered(id, &Answer::Refused(code.to_owned()));
            }
            Some(_) => self.sends_again = true,
            None => {
                self.hangs_up = true;
                if !PASSING.contains(&code) {
                    self.journal.fault(format!("the server refuses: {problem}"));
                }
            }
        }
        self.act_soon();
    }

    /// Does whatever is to be done now.
    async fn act(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        self.act_at = None;
        let stage = *self.stage.borrow();
        if self.journal.unanswered().next().is_some() {
            let has_to = std::mem::take(&mut self.sends_again);
            return if has_to { self.send_again(socket).await } else { Ok(()) };
        }
        if stage == Stage::Over {
            return Ok(());
        }
        if stage == Stage::Ending {
            return self.concede(socket).await;
        }
        let Some(prompt) = self.prompts.first().cloned() else { return Ok(()) };
        let input = prompt["inputId"].as_u64().unwrap_or(0);
        if self.idle == Some(input) {
            return Ok(());
        }
        if self.tries.0 != input {
            self.tries = (input, 0);
            if prompt.get("deadlineTs").is_some() && self.random.happens(self.habits.idles) {
                self.idle = Some(input);
                return self.draft(socket, &prompt).await;
            }
        }
        self.tries.1 += 1;
        match self.tries.1 {
            0..MAX_TRIES => self.answer(socket, &prompt).await,
            _ => self.concede(socket).await,
        }
    }

    async fn answer(&mut self, socket: &mut Socket, prompt: &Value) -> Result<(), Box<Error>> {
        if self.random.happens(15) {
            return self.command(socket, "system.control", json!({"control": {"kind": "undo"}})).await;
        }
        let input = &prompt["inputId"];
        let answers = if prompt["path"] == json!(true) {
            if self.path.last().is_none_or(|last| !last.is_null()) {
                self.tries.1 -= 1;
                let look =
                    json!({"type": "path.get", "commandId": "way", "inputId": input, "soFar": self.path});
                return send(socket, look.to_string()).await;
            }
            self.path.pop();
            Value::from(std::mem::take(&mut self.path))
        } else {
            answer(prompt, &mut self.random)
        };
        self.command(socket, "input.submit", json!({"inputId": input, "answers": answers})).await
    }

    async fn draft(&mut self, socket: &mut Socket, prompt: &Value) -> Result<(), Box<Error>> {
        if prompt["drafts"] != json!(true) || self.random.happens(500) {
            return Ok(());
        }
        let answers = answer(prompt, &mut self.random);
        self.command(socket, "input.draft", json!({"inputId": prompt["inputId"], "answers": answers})).await
    }

    async fn concede(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        if std::mem::replace(&mut self.has_conceded, true) {
            return Ok(());
        }
        self.command(socket, "system.control", json!({"control": {"kind": "concede"}})).await
    }

    /// Somebody would like to take something back.
    async fn consent(&mut self, socket: &mut Socket, frame: &Value) -> Result<(), Box<Error>> {
        let notices = frame["notices"].as_array().map_or(&[][..], Vec::as_slice);
        let seat = json!(self.journal.seat);
        let is_asked = |notice: &Value| notice["notice"] == "would_take_back" && notice["by"] != seat;
        if !self.journal.is_up_to_date() || !notices.iter().any(is_asked) {
            return Ok(());
        }
        let agree = self.random.happens(700);
        self.command(socket, "system.control", json!({"control": {"kind": "consent", "agree": agree}})).await
    }

    async fn command(&mut self, socket: &mut Socket, kind: &str, mut frame: Value) -> Result<(), Box<Error>> {
        self.next_command += 1;
        let id = format!("c{}", self.next_command);
        frame["type"] = json!(kind);
        frame["commandId"] = json!(id);
        let text = frame.to_string();
        self.journal.sending(&id, &text);
        send(socket, text.clone()).await?;
        // Some networks deliver twice.
        if self.random.happens(30) {
            self.journal.sending(&id, &text);
            send(socket, text).await?;
        }
        Ok(())
    }

    /// What nobody has answered is sent once more, under the same id.
    async fn send_again(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        let waiting: Vec<(String, String)> =
            self.journal.unanswered().map(|(id, sent)| (id.clone(), sent.frame.clone())).collect();
        for (id, frame) in waiting {
            self.journal.sending(&id, &frame);
            send(socket, frame).await?;
        }
        Ok(())
    }
}

async fn send(socket: &mut Socket, text: String) -> Result<(), Box<Error>> {
    Ok(socket.send(Message::Text(text.into())).await?)
}
