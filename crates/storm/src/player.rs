//! One player in one match: follows it, answers by chance, hangs up now and then, and comes again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_bots::Random;
use intermezzo_client::{Answer, answer, step_content};
use intermezzo_protocol::json as wire;
use intermezzo_store::{Clock as _, Store as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use crate::diary::{Diary, Heard, Refused};
use crate::fleet::Fleet;
use crate::guest::{Guest, PASSING};
use crate::net::{Request, Wire};
use crate::weather::Fault;

/// A node that is away is tried again within so many milliseconds.
const TRY_AGAIN: u64 = 300;
/// So many answers to one question are tried before the player gives up.
const MAX_TRIES: u32 = 12;
/// So often in a thousand an answer is sent as a request.
const REQUESTS: u16 = 200;
/// An answer is sent after at most so long, in milliseconds.
const THINKING: u64 = 400;
/// Who hangs up comes again within so many milliseconds.
const GONE: u64 = 7_000;
/// Whoever keeps a connection open answers within this time.
const PATIENCE: Duration = Duration::from_secs(120);
/// Whoever is connected is told of the end within so many milliseconds.
const TOLD_WITHIN: i64 = 5_000;
/// After the storm it takes so long until no node stands still any more.
const SETTLED: Duration = Duration::from_secs(25);
/// So long after the storm matches are played on before they have to come to an end.
const PLAYED_ON: Duration = Duration::from_secs(4);

/// How somebody plays, each in a thousand times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// A question with a deadline is left to it.
    pub(crate) idles: u16,
    /// Hangs up in place of an answer.
    pub(crate) hangs_up: u16,
    /// Goes away for good when the storm is over, and leaves the rest to time.
    pub(crate) abandons: bool,
}

/// One player in one match.
pub(crate) struct Player {
    fleet: Arc<Fleet>,
    name: String,
    guest: Guest,
    habits: Habits,
    random: Random,
    diary: Diary,
    prompts: Vec<Value>,
    prompts_at: u64,
    act_at: Option<Instant>,
    next_command: u32,
    /// The answers tried for a question.
    tries: (u64, u32),
    /// A question that is left to its deadline.
    idle: Option<u64>,
    has_conceded: bool,
    /// Something has to be sent once more, on the same connection.
    sends_again: bool,
    hangs_up: bool,
    /// How many rows there were when a command was first sent.
    first_sent: BTreeMap<String, u64>,
    /// Somebody has to say something by then.
    answer_by: Option<Instant>,
    welcome_at: Option<i64>,
    /// Whether it was told that the match is over.
    knows_end: bool,
    /// Whether it has not listened for a while, and cannot say how long its connection was there.
    was_deaf: bool,
}

impl Player {
    pub(crate) fn new(fleet: &Arc<Fleet>, guest: &Guest, habits: Habits, diary: Diary) -> Player {
        let seat = diary.journal.seat;
        Player {
            fleet: Arc::clone(fleet),
            name: format!("{}@{seat}", guest.name),
            guest: guest.clone(),
            habits,
            random: fleet.world.random(),
            diary,
            prompts: Vec::new(),
            prompts_at: 0,
            act_at: None,
            next_command: 0,
            tries: (0, 0),
            idle: None,
            has_conceded: false,
            sends_again: false,
            hangs_up: false,
            first_sent: BTreeMap::new(),
            answer_by: None,
            welcome_at: None,
            knows_end: false,
            was_deaf: false,
        }
    }

    /// Plays until the match is over and everything of it has been read.
    pub(crate) async fn play(mut self) -> Diary {
        let mut is_over = false;
        loop {
            if !is_over && self.has_to_end() && self.habits.abandons {
                self.note(|| "goes away".to_owned());
                self.wait_for_the_end().await;
            }
            is_over = self.guest.is_over(self.diary.match_id).await;
            if self.connection(is_over).await {
                return self.diary;
            }
            if std::mem::take(&mut self.hangs_up) {
                sleep(self.fleet.world.ms(GONE)).await;
            }
            sleep(self.fleet.world.ms(TRY_AGAIN)).await;
            if self.fleet.world.is_wrong() {
                // One thing that is wrong leads to others.
                return self.diary;
            }
        }
    }

    fn note(&self, what: impl FnOnce() -> String) {
        self.fleet.world.note(&self.name, what);
    }

    /// Whether the match has to come to an end now.
    fn has_to_end(&self) -> bool {
        self.fleet.world.calm_for() > PLAYED_ON
    }

    async fn wait_for_the_end(&self) {
        while !self.guest.is_over(self.diary.match_id).await && !self.fleet.world.is_wrong() {
            sleep(Duration::from_millis(500)).await;
        }
    }

    /// Follows the match on one connection; true if everything has been read to the end.
    async fn connection(&mut self, is_over: bool) -> bool {
        let berth = self.random.index(self.fleet.size());
        let Some(mut wire) = Wire::connect(&self.fleet, berth).await else { return false };
        let journal = &self.diary.journal;
        let hello = json!({
            "type": "hello", "token": self.guest.token, "match": journal.match_id, "seat": journal.seat,
            "since": journal.since(),
        });
        self.note(|| format!("says hello to {berth}, has {:?}", self.diary.journal.since()));
        wire.send(hello.to_string());
        self.was_deaf = false;
        (self.act_at, self.answer_by) = (None, Some(Instant::now() + PATIENCE));
        let is_done = self.follow(&mut wire, is_over).await;
        // Nobody can know that those are there who are connected to a node that stands still.
        if let Some(since) = self.welcome_at.take().filter(|_| !wire.has_stood() && !self.was_deaf) {
            self.diary.connected.push((since, self.fleet.world.now_ms()));
        }
        self.note(|| format!("is cut off at {:?}", self.diary.journal.since()));
        is_done
    }

    async fn follow(&mut self, wire: &mut Wire, is_over: bool) -> bool {
        let look = Duration::from_millis(1_000);
        let mut look_at = Instant::now() + look;
        loop {
            let act_at = self.act_at;
            tokio::select! {
                biased;
                frame = wire.hear() => match frame {
                    Some(text) => self.hear(wire, &text).await,
                    None => return false,
                },
                () = sleep_until(act_at.unwrap_or_else(Instant::now)), if act_at.is_some() => self.act(wire).await,
                () = sleep_until(look_at) => {
                    look_at += look;
                    if !is_over && self.should_know_end().await {
                        // What comes after the end is read on a connection of its own.
                        return false;
                    }
                    if self.has_to_end() && self.act_at.is_none() {
                        self.act_at = Some(Instant::now());
                    }
                }
            }
            let has_unanswered = self.diary.journal.unanswered().next().is_some();
            if self.answer_by.is_some_and(|by| by < Instant::now()) {
                self.fleet.world.wrong(format!("{}: nobody answers on an open connection", self.name));
                return false;
            }
            if self.hangs_up || self.habits.abandons && self.has_to_end() && !is_over {
                return false;
            }
            if is_over && self.diary.journal.is_up_to_date() && !has_unanswered {
                return true;
            }
        }
    }

    /// Whether the match is over and this one has been told, or has no reason to wait for that.
    async fn should_know_end(&self) -> bool {
        let Some(ended) = self.guest.ended_at(self.diary.match_id).await else { return false };
        let world = &self.fleet.world;
        let is_late = world.now_ms() - ended > TOLD_WITHIN && world.calm_for() > SETTLED;
        // Who came later has seen it so.
        let waits = !self.knows_end && self.welcome_at.is_some_and(|since| since < ended);
        if waits && is_late {
            world.wrong(format!("{}: is connected and is not told of the end", self.name));
        }
        !waits || is_late || !world.is_calm()
    }

    async fn hear(&mut self, wire: &mut Wire, text: &str) {
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            return self.diary.journal.fault(format!("a frame is no JSON: {text}"));
        };
        let version = frame["version"].as_u64().unwrap_or(0);
        let text = text.to_owned();
        match frame["type"].as_str().unwrap_or_default() {
            "welcome" => {
                self.welcomed(&frame, &text);
                self.send_again(wire);
            }
            "event.appended" => {
                self.note(|| format!("hears version {version}"));
                let events = frame["events"].as_array().map_or(&[][..], Vec::as_slice);
                self.knows_end |= events.iter().any(|event| event["event"] == "MatchEnded");
                self.diary.journal.appended(version, &step_content(&frame));
                self.diary.heard.push(Heard::Step { version, text });
                self.consent(wire, &frame).await;
            }
            "state.delta" => {
                self.patched(version, &frame, &text);
                self.diary.heard.push(Heard::Step { version, text });
            }
            "pending.input" => {
                self.prompts = frame["prompts"].as_array().cloned().unwrap_or_default();
                self.prompts_at = version;
                let now = self.fleet.world.now_ms();
                self.diary.journal.asked(version, &self.prompts, &self.fleet.absences, now);
                self.diary.heard.push(Heard::Questions { version, text });
                self.act_soon();
            }
            "priority.changed" => self.diary.heard.push(Heard::Questions { version, text }),
            "ack" => {
                let id = frame["commandId"].as_str().unwrap_or_default();
                self.note(|| format!("{id} is acknowledged at {version}"));
                self.diary.journal.answered(id, &Answer::Taken(version));
                self.act_soon();
            }
            "error" => self.refused(&frame).await,
            _ => {}
        }
        let waits = self.diary.journal.unanswered().next().is_some() || self.welcome_at.is_none();
        self.answer_by = waits.then_some(self.answer_by).flatten();
    }

    fn welcomed(&mut self, frame: &Value, text: &str) {
        let following = &frame["match"];
        // Views are read as the protocol reads them: the order of entries counts.
        let read = following.get("view").and_then(|_| wire::read(text.as_bytes()).ok());
        let view = read.as_ref().and_then(|frame| frame.get("match")?.get("view").cloned());
        let version = following["version"].as_u64().unwrap_or(0);
        let hash = following["hash"].as_str().unwrap_or_default();
        self.note(|| format!("is welcome at {version}"));
        self.diary.journal.welcomed(version, hash, view);
        self.diary.heard.push(Heard::View { version, hash: hash.to_owned() });
        self.welcome_at = Some(self.fleet.world.now_ms());
    }

    fn patched(&mut self, version: u64, frame: &Value, text: &str) {
        let read = wire::read(text.as_bytes()).ok();
        let hash = frame["hash"].as_str().unwrap_or_default();
        match read.as_ref().and_then(|frame| frame.get("patch")) {
            Some(patch) => self.diary.journal.changed(version, patch, hash),
            None => self.diary.journal.fault(format!("a patch cannot be read: {text}")),
        }
    }

    fn act_soon(&mut self) {
        self.act_at = Some(Instant::now() + Duration::from_millis(self.random.below(THINKING)));
    }

    async fn refused(&mut self, frame: &Value) {
        let problem = &frame["problem"];
        let code = problem["code"].as_str().unwrap_or_default();
        self.note(|| format!("{} is refused: {code} {}", frame["commandId"], problem["detail"]));
        if code == "internal" {
            self.diary.journal.fault(format!("the server has failed: {}", problem["detail"]));
        }
        match frame["commandId"].as_str() {
            Some(id) => self.note_refusal(id, problem).await,
            None => {
                self.hangs_up = true;
                if !PASSING.contains(&code) {
                    self.diary.journal.fault(format!("the server refuses: {problem}"));
                }
            }
        }
        self.act_soon();
    }

    /// How many rows the match really has.
    async fn rows(&self) -> u64 {
        self.fleet.truth.head(self.diary.match_id).await.unwrap_or(0)
    }

    /// Does whatever is to be done now.
    async fn act(&mut self, wire: &mut Wire) {
        self.act_at = None;
        if self.diary.journal.unanswered().next().is_some() {
            if std::mem::take(&mut self.sends_again) {
                self.send_again(wire);
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
            if prompt.get("deadlineTs").is_some() && self.random.happens(self.habits.idles) {
                self.idle = Some(input);
                return self.draft(wire, &prompt).await;
            }
        }
        self.tries.1 += 1;
        if self.random.happens(self.habits.hangs_up) {
            self.hangs_up = true;
            return;
        }
        match self.tries.1 {
            0..MAX_TRIES => self.answer(wire, &prompt).await,
            _ => self.concede(wire).await,
        }
    }

    async fn answer(&mut self, wire: &mut Wire, prompt: &Value) {
        if self.random.happens(60) {
            let mut undo = json!({"control": {"kind": "undo"}});
            if self.random.happens(500) {
                undo["branchId"] = json!(self.prompts_at.saturating_sub(self.random.below(2)));
            }
            return self.command(wire, "system.control", undo).await;
        }
        // Some say things again that they have been told are taken.
        let taken = self.diary.journal.commands.iter().rev().find(|(_, sent)| sent.answer.is_some());
        if let Some((id, sent)) = taken.filter(|(_, sent)| matches!(sent.answer, Some(Answer::Taken(_))))
            && self.random.happens(100)
        {
            let (id, frame) = (id.clone(), sent.frame.clone());
            self.diary.journal.sending(&id, &frame);
            wire.send(frame);
        }
        let answers = answer(prompt, &mut self.random);
        let frame = json!({"inputId": prompt["inputId"], "answers": answers});
        self.command(wire, "input.submit", frame).await;
    }

    async fn draft(&mut self, wire: &mut Wire, prompt: &Value) {
        if prompt["drafts"] == json!(true) && self.random.happens(500) {
            let answers = answer(prompt, &mut self.random);
            let frame = json!({"inputId": prompt["inputId"], "answers": answers});
            self.command(wire, "input.draft", frame).await;
        }
    }

    async fn concede(&mut self, wire: &mut Wire) {
        if !std::mem::replace(&mut self.has_conceded, true) {
            self.command(wire, "system.control", json!({"control": {"kind": "concede"}})).await;
        }
    }

    /// Somebody would like to take something back.
    async fn consent(&mut self, wire: &mut Wire, frame: &Value) {
        let notices = frame["notices"].as_array().map_or(&[][..], Vec::as_slice);
        let seat = json!(self.diary.journal.seat);
        let is_asked = |notice: &Value| notice["notice"] == "would_take_back" && notice["by"] != seat;
        if self.diary.journal.is_up_to_date() && notices.iter().any(is_asked) {
            let agree = self.random.happens(700);
            let consent = json!({"control": {"kind": "consent", "agree": agree}});
            self.command(wire, "system.control", consent).await;
        }
    }

    async fn command(&mut self, wire: &mut Wire, kind: &str, mut frame: Value) {
        self.next_command += 1;
        let id = format!("c{}", self.next_command);
        frame["type"] = json!(kind);
        frame["commandId"] = json!(id);
        let text = frame.to_string();
        let rows = self.rows().await;
        self.first_sent.insert(id.clone(), rows);
        self.note(|| format!("sends {text}"));
        self.diary.journal.sending(&id, &text);
        self.answer_by.get_or_insert(Instant::now() + PATIENCE);
        if kind == "input.submit" && self.random.happens(REQUESTS) {
            return self.request(&id, &frame).await;
        }
        wire.send(text.clone());
        if self.fleet.world.strikes(Fault::Twice) {
            self.diary.journal.sending(&id, &text);
            wire.send(text);
        }
    }

    /// Answers with a request to some node, which may not have heard of what this one has been told.
    async fn request(&mut self, id: &str, frame: &Value) {
        let (match_id, seat) = (self.diary.match_id, self.diary.journal.seat);
        let path = format!("/matches/{match_id}/inputs/{}?seat={seat}", frame["inputId"]);
        let (token, key) = (Some(self.guest.token.clone()), Some(id.to_owned()));
        let body = Some(json!({"answers": frame["answers"]}));
        let request = Request { method: Method::POST, path, token, key, body };
        let berth = self.random.index(self.fleet.size());
        self.was_deaf = true;
        match request.send(&self.fleet, berth).await {
            Some((200, taken)) => {
                let version = taken["branchId"].as_u64().unwrap_or(0);
                self.diary.journal.answered(id, &Answer::Taken(version));
            }
            Some((400..=499, problem)) => self.note_refusal(id, &problem).await,
            _ => self.sends_again = true,
        }
        self.act_soon();
    }

    /// A command was refused. If that passes, it is sent again.
    async fn note_refusal(&mut self, id: &str, problem: &Value) {
        let code = problem["code"].as_str().unwrap_or_default();
        if PASSING.contains(&code) {
            self.sends_again = true;
            return;
        }
        let until = self.rows().await;
        let sent = self.diary.journal.commands.get(id);
        let frame = sent.map(|sent| sent.frame.clone()).unwrap_or_default();
        let from = self.first_sent.get(id).copied().unwrap_or(0);
        let (id, code) = (id.to_owned(), code.to_owned());
        self.diary.journal.answered(&id, &Answer::Refused(code.clone()));
        self.diary.refusals.push(Refused { id, frame, code, from, until });
    }

    /// What nobody has answered is sent once more, under the same id.
    fn send_again(&mut self, wire: &mut Wire) {
        let unanswered = self.diary.journal.unanswered();
        let waiting: Vec<(String, String)> =
            unanswered.map(|(id, sent)| (id.clone(), sent.frame.clone())).collect();
        for (id, frame) in waiting {
            self.note(|| format!("sends {id} again"));
            self.diary.journal.sending(&id, &frame);
            wire.send(frame);
            self.answer_by.get_or_insert(Instant::now() + PATIENCE);
        }
    }
}
