//! Player in one match: it follows the match, answers at random, disconnects now and then, and reconnects.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_bots::Random;
use intermezzo_protocol::json as wire;
use intermezzo_store::{Store as _, TimeSource as _};
use intermezzo_test_client::{CommandResult, random_answer, step_content};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::account::{AccountClient, TRANSIENT_PROBLEMS};
use crate::fault_plan::FaultKind;
use crate::journal::{MatchJournal, ReceivedFrame, RefusedCommand};
use crate::network::{ClientConnection, SimulatedRequest};
use crate::nodes::NodeSet;

/// Longest wait before the next attempt to connect, in milliseconds.
const MAX_RETRY_MS: u64 = 300;
/// Number of answers to one question before the player concedes.
const MAX_TRIES: u32 = 12;
/// Rate per thousand of answers that are sent as HTTP requests.
const REQUESTS: u16 = 200;
/// Longest time before an answer, in milliseconds.
const MAX_THINKING_MS: u64 = 400;
/// Longest time until a player reconnects that has disconnected, in milliseconds.
const MAX_ABSENCE_MS: u64 = 7_000;
/// Longest time without an answer on an open connection.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// Longest time until a connected player receives the end of the match, in milliseconds.
const END_DELAY_MS: i64 = 5_000;
/// Time after the faults have stopped until no node is paused any more.
const SETTLED: Duration = Duration::from_secs(25);
/// Time after the faults have stopped until everyone concedes.
const PLAY_TIME: Duration = Duration::from_secs(4);

/// Player's style of play, with rates per thousand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayStyle {
    /// Leaves a question to its deadline.
    pub(crate) idle_rate: u16,
    /// Disconnects instead of answering.
    pub(crate) disconnects: u16,
    /// Leaves for good once faults have stopped, so that the match ends by its deadlines.
    pub(crate) leaves_for_good: bool,
}

/// Player in one match.
pub(crate) struct SimulatedPlayer {
    node_set: Arc<NodeSet>,
    name: String,
    account: AccountClient,
    style: PlayStyle,
    random: Random,
    match_journal: MatchJournal,
    prompts: Vec<Value>,
    prompts_at: u64,
    act_at: Option<Instant>,
    next_command: u32,
    /// Question and the number of answers tried for it.
    tries: (u64, u32),
    /// Question that is left to its deadline.
    idle: Option<u64>,
    has_conceded: bool,
    /// True if unanswered commands must be sent again on the same connection.
    must_resend: bool,
    disconnects: bool,
    /// Number of rows when each command was first sent.
    first_sent: BTreeMap<String, u64>,
    /// Time by which the server must answer.
    answer_by: Option<Instant>,
    welcome_at: Option<i64>,
    /// True once the player has received the end of the match.
    knows_end: bool,
    /// True if the player did not read its connection for a while, so that it cannot say how long the connection lasted.
    missed_frames: bool,
}

impl SimulatedPlayer {
    pub(crate) fn new(
        node_set: &Arc<NodeSet>,
        account: &AccountClient,
        style: PlayStyle,
        match_journal: MatchJournal,
    ) -> SimulatedPlayer {
        let seat = match_journal.journal.seat;
        SimulatedPlayer {
            node_set: Arc::clone(node_set),
            name: format!("{}@{seat}", account.name),
            account: account.clone(),
            style,
            random: node_set.sim.random(),
            match_journal,
            prompts: Vec::new(),
            prompts_at: 0,
            act_at: None,
            next_command: 0,
            tries: (0, 0),
            idle: None,
            has_conceded: false,
            must_resend: false,
            disconnects: false,
            first_sent: BTreeMap::new(),
            answer_by: None,
            welcome_at: None,
            knows_end: false,
            missed_frames: false,
        }
    }

    /// Plays until the match is over and has been read to its end.
    pub(crate) async fn play(mut self) -> MatchJournal {
        let mut is_over = false;
        loop {
            if !is_over && self.has_to_end() && self.style.leaves_for_good {
                self.trace(|| "leaves for good".to_owned());
                self.wait_for_the_end().await;
            }
            is_over = self.account.is_over(self.match_journal.match_id).await;
            if self.connection(is_over).await {
                return self.match_journal;
            }
            if std::mem::take(&mut self.disconnects) {
                sleep(self.node_set.sim.ms(MAX_ABSENCE_MS)).await;
            }
            sleep(self.node_set.sim.ms(MAX_RETRY_MS)).await;
            if self.node_set.sim.has_problems() {
                // One problem leads to others.
                return self.match_journal;
            }
        }
    }

    fn trace(&self, what: impl FnOnce() -> String) {
        self.node_set.sim.trace(&self.name, what);
    }

    /// Returns true once everyone has to concede.
    fn has_to_end(&self) -> bool {
        self.node_set.sim.fault_free_for() > PLAY_TIME
    }

    async fn wait_for_the_end(&self) {
        while !self.account.is_over(self.match_journal.match_id).await && !self.node_set.sim.has_problems() {
            sleep(Duration::from_millis(500)).await;
        }
    }

    /// Follows the match on one connection. Returns true if it was read to its end.
    async fn connection(&mut self, is_over: bool) -> bool {
        let slot = self.random.index(self.node_set.size());
        let Some(mut wire) = ClientConnection::connect(&self.node_set, slot).await else { return false };
        let journal = &self.match_journal.journal;
        let hello = json!({
            "type": "hello", "token": self.account.token, "match": journal.match_id, "seat": journal.seat,
            "since": journal.since(),
        });
        self.trace(|| {
            format!("says hello to node {slot}, has version {:?}", self.match_journal.journal.since())
        });
        self.match_journal.journal.record_hello(self.node_set.sim.now_ms());
        wire.send(hello.to_string());
        self.missed_frames = false;
        (self.act_at, self.answer_by) = (None, Some(Instant::now() + ANSWER_TIMEOUT));
        let is_done = self.follow(&mut wire, is_over).await;
        // While a node is paused, the others cannot know that its clients are connected.
        if let Some(since) = self.welcome_at.take().filter(|_| !wire.was_paused() && !self.missed_frames) {
            self.match_journal.connected.push((since, self.node_set.sim.now_ms()));
        }
        self.trace(|| format!("loses its connection at {:?}", self.match_journal.journal.since()));
        is_done
    }

    async fn follow(&mut self, wire: &mut ClientConnection, is_over: bool) -> bool {
        let poll = Duration::from_millis(1_000);
        let mut poll_at = Instant::now() + poll;
        loop {
            let act_at = self.act_at;
            tokio::select! {
                biased;
                frame = wire.receive() => match frame {
                    Some(text) => self.handle_frame(wire, &text).await,
                    None => return false,
                },
                () = sleep_until(act_at.unwrap_or_else(Instant::now)), if act_at.is_some() => self.act(wire).await,
                () = sleep_until(poll_at) => {
                    poll_at += poll;
                    if !is_over && self.should_know_end().await {
                        // The frames after the end are read on a new connection.
                        return false;
                    }
                    if self.has_to_end() && self.act_at.is_none() {
                        self.act_at = Some(Instant::now());
                    }
                }
            }
            let has_unanswered = self.match_journal.journal.unanswered().next().is_some();
            if self.answer_by.is_some_and(|by| by < Instant::now()) {
                self.node_set.sim.add_problem(format!("{}: no answer on an open connection", self.name));
                return false;
            }
            if self.disconnects || self.style.leaves_for_good && self.has_to_end() && !is_over {
                return false;
            }
            if is_over && self.match_journal.journal.is_up_to_date() && !has_unanswered {
                return true;
            }
        }
    }

    /// Returns true if the match is over and this player knows it, or need not wait for the frame.
    async fn should_know_end(&self) -> bool {
        let Some(ended) = self.account.ended_at(self.match_journal.match_id).await else { return false };
        let sim = &self.node_set.sim;
        let is_late = sim.now_ms() - ended > END_DELAY_MS && sim.fault_free_for() > SETTLED;
        // A player who connected after the end has seen it in the welcome.
        let waits = !self.knows_end && self.welcome_at.is_some_and(|since| since < ended);
        if waits && is_late {
            sim.add_problem(format!("{}: is connected and does not receive the end of the match", self.name));
        }
        !waits || is_late || !sim.is_fault_free()
    }

    async fn handle_frame(&mut self, wire: &mut ClientConnection, text: &str) {
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            return self.match_journal.journal.add_problem(format!("a frame is not JSON: {text}"));
        };
        let version = frame["version"].as_u64().unwrap_or(0);
        let text = text.to_owned();
        match frame["type"].as_str().unwrap_or_default() {
            "welcome" => {
                self.record_welcome(&frame, &text);
                self.resend_unanswered(wire);
            }
            "event.appended" => {
                self.trace(|| format!("receives version {version}"));
                let events = frame["events"].as_array().map_or(&[][..], Vec::as_slice);
                self.knows_end |= events.iter().any(|event| event["event"] == "MatchEnded");
                self.match_journal.journal.record_events(version, &step_content(&frame));
                self.match_journal.received.push(ReceivedFrame::Step { version, text });
                self.consent(wire, &frame).await;
            }
            "state.delta" => {
                self.patched(version, &frame, &text);
                self.match_journal.received.push(ReceivedFrame::Step { version, text });
            }
            "pending.input" => {
                self.prompts = frame["prompts"].as_array().cloned().unwrap_or_default();
                self.prompts_at = version;
                let now = self.node_set.sim.now_ms();
                self.match_journal.journal.record_questions(
                    version,
                    &self.prompts,
                    &self.node_set.downtime,
                    now,
                );
                self.match_journal.received.push(ReceivedFrame::Questions { version, text });
                self.act_soon();
            }
            "priority.changed" => {
                self.match_journal.received.push(ReceivedFrame::Questions { version, text });
            }
            "ack" => {
                let id = frame["commandId"].as_str().unwrap_or_default();
                self.trace(|| format!("{id} is acknowledged at {version}"));
                self.match_journal.journal.record_result(id, &CommandResult::Acknowledged(version));
                self.act_soon();
            }
            "error" => self.refused(&frame).await,
            _ => {}
        }
        let waits = self.match_journal.journal.unanswered().next().is_some() || self.welcome_at.is_none();
        self.answer_by = waits.then_some(self.answer_by).flatten();
    }

    fn record_welcome(&mut self, frame: &Value, text: &str) {
        let following = &frame["match"];
        // The protocol's own reader keeps the order of entries, which the hash of a view depends on.
        let read = following.get("view").and_then(|_| wire::read(text.as_bytes()).ok());
        let view = read.as_ref().and_then(|frame| frame.get("match")?.get("view").cloned());
        let version = following["version"].as_u64().unwrap_or(0);
        let hash = following["hash"].as_str().unwrap_or_default();
        self.trace(|| format!("is welcomed at {version}"));
        self.match_journal.journal.record_welcome(version, hash, view);
        self.match_journal.received.push(ReceivedFrame::View { version, hash: hash.to_owned() });
        self.welcome_at = Some(self.node_set.sim.now_ms());
    }

    fn patched(&mut self, version: u64, frame: &Value, text: &str) {
        let read = wire::read(text.as_bytes()).ok();
        let hash = frame["hash"].as_str().unwrap_or_default();
        match read.as_ref().and_then(|frame| frame.get("patch")) {
            Some(patch) => self.match_journal.journal.record_patch(version, patch, hash),
            None => self.match_journal.journal.add_problem(format!("a patch cannot be read: {text}")),
        }
    }

    fn act_soon(&mut self) {
        self.act_at = Some(Instant::now() + Duration::from_millis(self.random.below(MAX_THINKING_MS)));
    }

    async fn refused(&mut self, frame: &Value) {
        let problem = &frame["problem"];
        let code = problem["code"].as_str().unwrap_or_default();
        self.trace(|| format!("{} is refused: {code} {}", frame["commandId"], problem["detail"]));
        if code == "internal" {
            self.match_journal.journal.add_problem(format!("the server failed: {}", problem["detail"]));
        }
        match frame["commandId"].as_str() {
            Some(id) => self.record_refusal(id, problem).await,
            None => {
                self.disconnects = true;
                if !TRANSIENT_PROBLEMS.contains(&code) {
                    self.match_journal
                        .journal
                        .add_problem(format!("the server rejected the connection: {problem}"));
                }
            }
        }
        self.act_soon();
    }

    /// Returns the number of rows in the backing store.
    async fn rows(&self) -> u64 {
        self.node_set.backing.head(self.match_journal.match_id).await.unwrap_or(0)
    }

    /// Sends the next command.
    async fn act(&mut self, wire: &mut ClientConnection) {
        self.act_at = None;
        if self.match_journal.journal.unanswered().next().is_some() {
            if std::mem::take(&mut self.must_resend) {
                self.resend_unanswered(wire);
            }
            return;
        }
        if self.has_to_end() {
            return self.concede(wire).await;
        }
        let Some(prompt) = self.prompts.first().cloned() else { return };
        let input = prompt["inputId"].as_u64().unwrap_or(0);
        if self.idle == Some(input) {
            return;
        }
        if self.tries.0 != input {
            self.tries = (input, 0);
            if prompt.get("deadlineTs").is_some() && self.random.happens(self.style.idle_rate) {
                self.idle = Some(input);
                return self.draft(wire, &prompt).await;
            }
        }
        self.tries.1 += 1;
        if self.random.happens(self.style.disconnects) {
            self.disconnects = true;
            return;
        }
        match self.tries.1 {
            0..MAX_TRIES => self.answer(wire, &prompt).await,
            _ => self.concede(wire).await,
        }
    }

    async fn answer(&mut self, wire: &mut ClientConnection, prompt: &Value) {
        if self.random.happens(60) {
            let mut undo = json!({"control": {"kind": "undo"}});
            if self.random.happens(500) {
                undo["branchId"] = json!(self.prompts_at.saturating_sub(self.random.below(2)));
            }
            return self.command(wire, "system.control", undo).await;
        }
        // Now and then, an acknowledged command is sent again.
        let taken = self.match_journal.journal.commands.iter().rev().find(|(_, sent)| sent.answer.is_some());
        if let Some((id, sent)) =
            taken.filter(|(_, sent)| matches!(sent.answer, Some(CommandResult::Acknowledged(_))))
            && self.random.happens(100)
        {
            let (id, frame) = (id.clone(), sent.frame.clone());
            self.match_journal.journal.record_sent(&id, &frame);
            wire.send(frame);
        }
        let answers = random_answer(prompt, &mut self.random);
        let frame = json!({"inputId": prompt["inputId"], "answers": answers});
        self.command(wire, "input.submit", frame).await;
    }

    async fn draft(&mut self, wire: &mut ClientConnection, prompt: &Value) {
        if prompt["drafts"] == json!(true) && self.random.happens(500) {
            let answers = random_answer(prompt, &mut self.random);
            let frame = json!({"inputId": prompt["inputId"], "answers": answers});
            self.command(wire, "input.draft", frame).await;
        }
    }

    async fn concede(&mut self, wire: &mut ClientConnection) {
        if !std::mem::replace(&mut self.has_conceded, true) {
            self.command(wire, "system.control", json!({"control": {"kind": "concede"}})).await;
        }
    }

    /// Answers another player's undo request.
    async fn consent(&mut self, wire: &mut ClientConnection, frame: &Value) {
        let notices = frame["notices"].as_array().map_or(&[][..], Vec::as_slice);
        let seat = json!(self.match_journal.journal.seat);
        let is_asked = |notice: &Value| notice["notice"] == "would_take_back" && notice["by"] != seat;
        if self.match_journal.journal.is_up_to_date() && notices.iter().any(is_asked) {
            let agree = self.random.happens(700);
            let consent = json!({"control": {"kind": "consent", "agree": agree}});
            self.command(wire, "system.control", consent).await;
        }
    }

    async fn command(&mut self, wire: &mut ClientConnection, kind: &str, mut frame: Value) {
        self.next_command += 1;
        let id = format!("c{}", self.next_command);
        frame["type"] = json!(kind);
        frame["commandId"] = json!(id);
        let text = frame.to_string();
        let rows = self.rows().await;
        self.first_sent.insert(id.clone(), rows);
        self.trace(|| format!("sends {text}"));
        self.match_journal.journal.record_sent(&id, &text);
        self.answer_by.get_or_insert(Instant::now() + ANSWER_TIMEOUT);
        if kind == "input.submit" && self.random.happens(REQUESTS) {
            return self.request(&id, &frame).await;
        }
        wire.send(text.clone());
        if self.node_set.sim.injects(FaultKind::Duplicate) {
            self.match_journal.journal.record_sent(&id, &text);
            wire.send(text);
        }
    }

    /// Answers with an HTTP request to a random node, which may not have read the newest rows yet.
    async fn request(&mut self, id: &str, frame: &Value) {
        let (match_id, seat) = (self.match_journal.match_id, self.match_journal.journal.seat);
        let path = format!("/matches/{match_id}/inputs/{}?seat={seat}", frame["inputId"]);
        let (token, key) = (Some(self.account.token.clone()), Some(id.to_owned()));
        let body = Some(json!({"answers": frame["answers"]}));
        let request = SimulatedRequest { method: Method::POST, path, token, key, body };
        let slot = self.random.index(self.node_set.size());
        self.missed_frames = true;
        match request.send(&self.node_set, slot).await {
            Some((200, taken)) => {
                let version = taken["branchId"].as_u64().unwrap_or(0);
                self.match_journal.journal.record_result(id, &CommandResult::Acknowledged(version));
            }
            Some((400..=499, problem)) => self.record_refusal(id, &problem).await,
            _ => self.must_resend = true,
        }
        self.act_soon();
    }

    /// Records a refusal, or sends the command again if the problem is transient.
    async fn record_refusal(&mut self, id: &str, problem: &Value) {
        let code = problem["code"].as_str().unwrap_or_default();
        if TRANSIENT_PROBLEMS.contains(&code) {
            self.must_resend = true;
            return;
        }
        let until = self.rows().await;
        let sent = self.match_journal.journal.commands.get(id);
        let frame = sent.map(|sent| sent.frame.clone()).unwrap_or_default();
        let from = self.first_sent.get(id).copied().unwrap_or(0);
        let (id, code) = (id.to_owned(), code.to_owned());
        self.match_journal.journal.record_result(&id, &CommandResult::Refused(code.clone()));
        self.match_journal.refusals.push(RefusedCommand { id, frame, code, from, until });
    }

    /// Sends all unanswered commands again, under the same ids.
    fn resend_unanswered(&mut self, wire: &mut ClientConnection) {
        let unanswered = self.match_journal.journal.unanswered();
        let waiting: Vec<(String, String)> =
            unanswered.map(|(id, sent)| (id.clone(), sent.frame.clone())).collect();
        for (id, frame) in waiting {
            self.trace(|| format!("sends {id} again"));
            self.match_journal.journal.record_sent(&id, &frame);
            wire.send(frame);
            self.answer_by.get_or_insert(Instant::now() + ANSWER_TIMEOUT);
        }
    }
}
