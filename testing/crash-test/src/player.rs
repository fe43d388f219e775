//! Client on one seat: it follows the match, answers at random, and reconnects whenever it loses its connection.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use intermezzo_bots::Random;
use intermezzo_protocol::{WireVersion, json as wire};
use intermezzo_test_client::{
    ClientJournal, CommandResult, ServerDowntime, random_answer, random_path_step, step_content,
};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::addresses::ServerAddresses;
use crate::server_process::now_ms;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Wait before the next attempt to connect.
const RETRY_CONNECT: Duration = Duration::from_millis(15);
/// Number of answers to one question before the player concedes.
const MAX_TRIES: u32 = 40;
/// Longest time before an answer, in milliseconds.
const MAX_THINKING_MS: u64 = 40;
/// The same for players with a time bank, who use it up.
const MAX_LONG_THINKING_MS: u64 = 400;
/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time without an answer after which the client connects to another server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(4);
/// Problem codes after which a client retries.
const TRANSIENT_PROBLEMS: &[&str] = &["busy", "draining", "too_many"];
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Progress of a match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MatchStage {
    Played,
    /// Everyone concedes.
    Ending,
    /// The match is over, and clients read it to its end.
    Over,
}

/// Player's habits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayerHabits {
    /// Rate per thousand at which a question is left to its deadline.
    pub(crate) idle_rate: u16,
    /// Takes long over every answer.
    pub(crate) thinks_long: bool,
}

/// Client on one seat.
pub(crate) struct SocketPlayer {
    addresses: ServerAddresses,
    downtime: ServerDowntime,
    acknowledged: Arc<Notify>,
    token: String,
    habits: PlayerHabits,
    random: Random,
    journal: ClientJournal,
    stage: watch::Receiver<MatchStage>,
    prompts: Vec<Value>,
    act_at: Option<Instant>,
    next_command: u32,
    /// Question and the number of answers tried for it.
    tries: (u64, u32),
    /// Question that is left to its deadline.
    idle: Option<u64>,
    /// Steps of the path that is being built. A final `null` marks it as complete.
    path: Vec<Value>,
    has_conceded: bool,
    /// True if unanswered commands must be sent again on the same connection.
    must_resend: bool,
    /// True if the server has rejected the connection.
    disconnects: bool,
    timings: ClientTimings,
}

/// Timings that a client records besides its journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientTimings {
    /// Time at which each version was first received.
    pub(crate) received_at: BTreeMap<u64, i64>,
    /// Time from each lost connection to the next welcome.
    pub(crate) reconnects: Vec<Duration>,
    /// Time at which the connection was lost.
    lost_at: Option<Instant>,
}

/// Reason for the end of a connection.
enum ConnectionEnd {
    Lost,
    Done,
}

impl SocketPlayer {
    pub(crate) fn new(
        (addresses, downtime, acknowledged): (ServerAddresses, ServerDowntime, Arc<Notify>),
        token: &str,
        habits: PlayerHabits,
        random: Random,
        journal: ClientJournal,
        stage: watch::Receiver<MatchStage>,
    ) -> SocketPlayer {
        SocketPlayer {
            addresses,
            downtime,
            acknowledged,
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
            must_resend: false,
            disconnects: false,
            timings: ClientTimings::default(),
        }
    }

    /// Plays until the match is over and has been read to its end.
    pub(crate) async fn play(mut self) -> (ClientJournal, ClientTimings) {
        loop {
            let stage = *self.stage.borrow_and_update();
            match self.connection(stage).await {
                Ok(ConnectionEnd::Done) => return (self.journal, self.timings),
                Ok(ConnectionEnd::Lost) | Err(_) => {
                    self.timings.lost_at.get_or_insert_with(Instant::now);
                    tokio::time::sleep(RETRY_CONNECT).await;
                }
            }
        }
    }

    async fn connection(&mut self, stage: MatchStage) -> Result<ConnectionEnd, Box<Error>> {
        let mut socket = self.connect().await?;
        (self.act_at, self.disconnects) = (None, false);
        let hello = json!({
            "type": "hello", "token": self.token, "match": self.journal.match_id, "seat": self.journal.seat,
            "since": self.journal.since(),
        });
        self.journal.record_hello(now_ms());
        send(&mut socket, hello.to_string()).await?;
        loop {
            let act_at = self.act_at;
            tokio::select! {
                frame = tokio::time::timeout(ANSWER_TIMEOUT, socket.next()) => match frame {
                    Ok(Some(Ok(Message::Text(text)))) => self.handle_frame(&mut socket, &text).await?,
                    Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return Ok(ConnectionEnd::Lost),
                    // A command stays unanswered: try another server.
                    Err(_) if self.journal.unanswered().next().is_some() => return Ok(ConnectionEnd::Lost),
                    Ok(Some(Ok(_))) | Err(_) => {}
                },
                () = sleep_until(act_at.unwrap_or_else(Instant::now)), if act_at.is_some() => {
                    self.act(&mut socket).await?;
                }
                changed = self.stage.changed() => {
                    if changed.is_err() || *self.stage.borrow_and_update() == MatchStage::Over {
                        // The frames after the end are read on a new connection.
                        return Ok(ConnectionEnd::Lost);
                    }
                    self.act_at = Some(Instant::now());
                }
            }
            if self.disconnects {
                tokio::time::sleep(RETRY_AFTER).await;
                return Ok(ConnectionEnd::Lost);
            }
            if stage == MatchStage::Over
                && self.journal.is_up_to_date()
                && self.journal.unanswered().next().is_none()
            {
                return Ok(ConnectionEnd::Done);
            }
        }
    }

    async fn connect(&mut self) -> Result<Socket, Box<Error>> {
        let address = self.addresses.pick(self.random.next_number());
        let mut request = format!("ws://{address}/ws").into_client_request()?;
        request
            .headers_mut()
            .insert("sec-websocket-protocol", HeaderValue::from_static(WireVersion::V1.subprotocol()));
        // A frozen server accepts connections and never responds.
        match tokio::time::timeout(CONNECT_TIMEOUT, connect_async(request)).await {
            Ok(connected) => Ok(connected?.0),
            Err(_) => Err(Box::new(Error::ConnectionClosed)),
        }
    }

    async fn handle_frame(&mut self, socket: &mut Socket, text: &str) -> Result<(), Box<Error>> {
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            self.journal.add_problem(format!("a frame is not JSON: {text}"));
            return Ok(());
        };
        let version = frame["version"].as_u64().unwrap_or(0);
        match frame["type"].as_str().unwrap_or_default() {
            "welcome" => {
                self.record_welcome(&frame, text);
                self.timings.reconnects.extend(self.timings.lost_at.take().map(|since| since.elapsed()));
                self.resend_unanswered(socket).await?;
            }
            "event.appended" => {
                self.journal.record_events(version, &step_content(&frame));
                self.timings.received_at.entry(version).or_insert_with(now_ms);
                self.consent(socket, &frame).await?;
            }
            "state.delta" => self.patched(version, &frame, text),
            "pending.input" => self.record_questions(version, &frame),
            "ack" => self.acknowledged(&frame, version),
            "error" => self.refused(&frame),
            _ => {}
        }
        Ok(())
    }

    fn record_welcome(&mut self, frame: &Value, text: &str) {
        let following = &frame["match"];
        // The protocol's own reader keeps the order of entries, which the hash of a view depends on.
        let read = following.get("view").and_then(|_| wire::read(text.as_bytes()).ok());
        let view = read.as_ref().and_then(|frame| frame.get("match")?.get("view").cloned());
        let version = following["version"].as_u64().unwrap_or(0);
        self.journal.record_welcome(version, following["hash"].as_str().unwrap_or_default(), view);
    }

    fn patched(&mut self, version: u64, frame: &Value, text: &str) {
        let read = wire::read(text.as_bytes()).ok();
        match read.as_ref().and_then(|frame| frame.get("patch")) {
            Some(patch) => {
                self.journal.record_patch(version, patch, frame["hash"].as_str().unwrap_or_default());
            }
            None => self.journal.add_problem(format!("a patch cannot be read: {text}")),
        }
    }

    fn record_questions(&mut self, version: u64, frame: &Value) {
        self.prompts = frame["prompts"].as_array().cloned().unwrap_or_default();
        self.journal.record_questions(version, &self.prompts, &self.downtime, now_ms());
        self.path.clear();
        self.act_soon();
    }

    fn act_soon(&mut self) {
        let most = if self.habits.thinks_long { MAX_LONG_THINKING_MS } else { MAX_THINKING_MS };
        self.act_at = Some(Instant::now() + Duration::from_millis(self.random.below(most)));
    }

    fn acknowledged(&mut self, frame: &Value, version: u64) {
        let id = frame["commandId"].as_str().unwrap_or_default();
        match frame.get("result") {
            None => {
                self.journal.record_result(id, &CommandResult::Acknowledged(version));
                self.acknowledged.notify_waiters();
                self.act_soon();
            }
            Some(follows) => {
                let next = random_path_step(follows, self.path.len(), &mut self.random);
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
            self.journal.add_problem(format!("the server failed: {}", problem["detail"]));
        }
        self.path.clear();
        match frame["commandId"].as_str() {
            Some(id) if !TRANSIENT_PROBLEMS.contains(&code) => {
                self.journal.record_result(id, &CommandResult::Refused(code.to_owned()));
            }
            Some(_) => self.must_resend = true,
            None => {
                self.disconnects = true;
                if !TRANSIENT_PROBLEMS.contains(&code) {
                    self.journal.add_problem(format!("the server rejected the connection: {problem}"));
                }
            }
        }
        self.act_soon();
    }

    /// Sends the next command.
    async fn act(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        self.act_at = None;
        let stage = *self.stage.borrow();
        if self.journal.unanswered().next().is_some() {
            let has_to = std::mem::take(&mut self.must_resend);
            return if has_to { self.resend_unanswered(socket).await } else { Ok(()) };
        }
        if stage == MatchStage::Over {
            return Ok(());
        }
        if stage == MatchStage::Ending {
            return self.concede(socket).await;
        }
        let Some(prompt) = self.prompts.first().cloned() else { return Ok(()) };
        let input = prompt["inputId"].as_u64().unwrap_or(0);
        if self.idle == Some(input) {
            return Ok(());
        }
        if self.tries.0 != input {
            self.tries = (input, 0);
            if prompt.get("deadlineTs").is_some() && self.random.happens(self.habits.idle_rate) {
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
            random_answer(prompt, &mut self.random)
        };
        self.command(socket, "input.submit", json!({"inputId": input, "answers": answers})).await
    }

    async fn draft(&mut self, socket: &mut Socket, prompt: &Value) -> Result<(), Box<Error>> {
        if prompt["drafts"] != json!(true) || self.random.happens(500) {
            return Ok(());
        }
        let answers = random_answer(prompt, &mut self.random);
        self.command(socket, "input.draft", json!({"inputId": prompt["inputId"], "answers": answers})).await
    }

    async fn concede(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        if std::mem::replace(&mut self.has_conceded, true) {
            return Ok(());
        }
        self.command(socket, "system.control", json!({"control": {"kind": "concede"}})).await
    }

    /// Answers another player's undo request.
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
        self.journal.record_sent(&id, &text);
        send(socket, text.clone()).await?;
        // Some commands are sent twice, as if the network had duplicated them.
        if self.random.happens(30) {
            self.journal.record_sent(&id, &text);
            send(socket, text).await?;
        }
        Ok(())
    }

    /// Sends all unanswered commands again, under the same ids.
    async fn resend_unanswered(&mut self, socket: &mut Socket) -> Result<(), Box<Error>> {
        let waiting: Vec<(String, String)> =
            self.journal.unanswered().map(|(id, sent)| (id.clone(), sent.frame.clone())).collect();
        for (id, frame) in waiting {
            self.journal.record_sent(&id, &frame);
            send(socket, frame).await?;
        }
        Ok(())
    }
}

async fn send(socket: &mut Socket, text: String) -> Result<(), Box<Error>> {
    Ok(socket.send(Message::Text(text.into())).await?)
}
