//! Journal of one client in one match: everything it sent and received. It detects inconsistencies at once.
//!
//! A reconnecting client says which version it has. A version is complete once its `state.delta` or any later frame
//! has arrived: an `event.appended` alone may have lost its patch.

use std::collections::BTreeMap;

use intermezzo_engine::Datum;
use intermezzo_protocol::{patch, text_hash, view_hash};
use serde_json::Value;

use crate::downtime::ServerDowntime;

/// Tolerance for deadlines that are earlier than the client expects, in milliseconds.
const EARLY: i64 = 5;
/// Tolerance for later ones. A server writes a heartbeat every second, so it may overestimate its downtime by this much.
const LATE: i64 = 1_200;

const MAX_FAULTS: usize = 20;

/// Result of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandResult {
    /// Acknowledged, with the sender's version.
    Acknowledged(u64),
    /// Refused, with the problem code.
    Refused(String),
}

#[derive(Clone, Debug)]
pub struct SentCommand {
    /// Frame that was sent.
    pub frame: String,
    /// Number of times it was sent.
    pub times: u32,
    /// Last result.
    pub answer: Option<CommandResult>,
}

/// Questions that a client received at a version.
#[derive(Debug)]
struct ShownQuestions {
    version: u64,
    /// Hash of the questions without their deadlines.
    content: String,
    /// Deadline of each question.
    deadlines: BTreeMap<u64, i64>,
    seen_at: i64,
}

/// Server's version at the start of a connection.
#[derive(Debug)]
struct StreamStart {
    version: u64,
    hash: String,
}

/// Journal of one client in one match.
#[derive(Debug, Default)]
pub struct ClientJournal {
    pub match_id: String,
    pub account: String,
    pub seat: u8,
    /// Sent commands by id.
    pub commands: BTreeMap<String, SentCommand>,
    /// Hash of the content of each version.
    pub stream: BTreeMap<u64, String>,
    /// Questions that were open again with the same id after a reconnect.
    pub reopened: usize,
    /// Number of connections.
    pub connections: usize,
    /// Missing versions.
    pub gaps: usize,
    /// Repeated versions.
    pub repeats: usize,
    /// Inconsistencies found.
    pub problems: Vec<String>,
    /// True to report deadlines that move by more than the heartbeat interval.
    pub is_punctual: bool,
    version: u64,
    whole: u64,
    view: Option<Datum>,
    stream_start: Option<StreamStart>,
    /// Time at which the current connection asked for the match.
    hello_at: Option<i64>,
    asked: Option<ShownQuestions>,
}

impl ClientJournal {
    /// Creates an empty journal.
    #[must_use]
    pub fn new(match_id: &str, account: &str, seat: u8) -> ClientJournal {
        let (match_id, account) = (match_id.to_owned(), account.to_owned());
        ClientJournal { match_id, account, seat, is_punctual: true, ..ClientJournal::default() }
    }

    /// Returns the version to send when connecting.
    #[must_use]
    pub fn since(&self) -> Option<u64> {
        self.view.as_ref().map(|_| self.whole)
    }

    /// Records an inconsistency.
    pub fn add_problem(&mut self, what: impl std::fmt::Display) {
        // The first ones are enough.
        if self.problems.len() == MAX_FAULTS {
            return;
        }
        self.problems.push(format!("match {} seat {}: {what}", self.match_id, self.seat));
    }

    /// Records that a connection asks for the match.
    pub fn record_hello(&mut self, now: i64) {
        self.hello_at = Some(now);
    }

    /// Records the response to `hello`.
    pub fn record_welcome(&mut self, version: u64, hash: &str, view: Option<Datum>) {
        self.connections += 1;
        match view {
            None if self.view.is_none() => self.add_problem("the first welcome has no view"),
            None => self.version = self.whole,
            Some(view) => {
                // A client that was away for long receives the whole view of a later version.
                if self.view.is_some() && version <= self.whole {
                    let whole = self.whole;
                    self.add_problem(format!(
                        "version {whole} was received, and now the server has only {version}"
                    ));
                }
                self.view = Some(view);
                (self.version, self.whole) = (version, version);
            }
        }
        self.stream_start = Some(StreamStart { version, hash: hash.to_owned() });
    }

    /// Records the events of a version; `content` is their text.
    pub fn record_events(&mut self, version: u64, content: &str) {
        let expected = self.version + 1;
        if version < expected {
            self.repeats += 1;
            self.add_problem(format!("version {version} is repeated"));
        } else if version > expected {
            self.gaps += 1;
            self.add_problem(format!("version {version} arrives instead of {expected}"));
        }
        self.version = version;
        self.whole = self.whole.max(version - 1);
        let hash = text_hash(content);
        if self.stream.insert(version, hash.clone()).is_some_and(|before| before != hash) {
            self.add_problem(format!("version {version} differs from what was received before"));
        }
    }

    /// Records a patch of the view.
    pub fn record_patch(&mut self, version: u64, operations: &Datum, hash: &str) {
        if version != self.version {
            self.add_problem(format!("a patch of version {version} arrives at version {}", self.version));
        }
        let Some(view) = &mut self.view else { return };
        let patched = patch::apply(operations, view);
        let is_right = patched.is_ok() && view_hash(view) == hash;
        self.whole = version;
        if !is_right {
            self.add_problem(format!("the view of version {version} does not match its hash"));
        }
    }

    /// Records the open questions.
    pub fn record_questions(&mut self, version: u64, prompts: &[Value], downtime: &ServerDowntime, now: i64) {
        if let Some(stream_start) = self.stream_start.take() {
            self.check_catch_up(&stream_start);
            self.compare(version, prompts, downtime, now);
        }
        if version != self.version {
            self.add_problem(format!("questions of version {version} arrive at version {}", self.version));
        }
        self.whole = version;
        let content = content(prompts);
        self.asked = Some(ShownQuestions { version, content, deadlines: deadlines(prompts), seen_at: now });
    }

    /// Checks that the client has caught up with the server.
    fn check_catch_up(&mut self, stream_start: &StreamStart) {
        if self.version != stream_start.version {
            self.gaps += 1;
            self.add_problem(format!(
                "the stream ends at {} instead of {}",
                self.version, stream_start.version
            ));
        }
        if self.view.as_ref().is_none_or(|view| view_hash(view) != stream_start.hash) {
            self.add_problem(format!(
                "the view of version {} differs from the server's",
                stream_start.version
            ));
        }
    }

    /// Checks that the questions from before the reconnect are open again, with extended deadlines.
    fn compare(&mut self, version: u64, prompts: &[Value], downtime: &ServerDowntime, now: i64) {
        let Some(before) = self.asked.take().filter(|before| before.version == version) else { return };
        if before.content != content(prompts) {
            self.add_problem(format!(
                "the questions of version {version} differ from those before the reconnect"
            ));
            return;
        }
        self.reopened += prompts.len();
        // The server has answered at some time after the client asked; what came after that it could not know yet.
        let away = downtime.duration_within(before.seen_at, self.hello_at.unwrap_or(now));
        let most = now - before.seen_at + LATE;
        for (question, due) in deadlines(prompts) {
            let more = due - before.deadlines.get(&question).copied().unwrap_or(due);
            if more < away - EARLY {
                self.add_problem(format!(
                    "the deadline of question {question} moved by {more} ms, but the server was down for {away} ms"
                ));
            }
            if more > most && self.is_punctual {
                self.add_problem(format!(
                    "the deadline of question {question} moved by {more} ms within {most} ms"
                ));
            }
        }
    }

    /// Records a command that is sent, possibly again.
    pub fn record_sent(&mut self, id: &str, frame: &str) {
        let fresh = || SentCommand { frame: frame.to_owned(), times: 0, answer: None };
        self.commands.entry(id.to_owned()).or_insert_with(fresh).times += 1;
    }

    /// Records the result of a command.
    pub fn record_result(&mut self, id: &str, answer: &CommandResult) {
        let Some(sent) = self.commands.get_mut(id) else { return };
        let before = sent.answer.replace(answer.clone());
        if let Some(before) = before.filter(|before| before != answer) {
            self.add_problem(format!("command {id} was {before:?} and is {answer:?} now"));
        }
    }

    /// Iterates over commands without a result.
    pub fn unanswered(&self) -> impl Iterator<Item = (&String, &SentCommand)> {
        self.commands.iter().filter(|(_, sent)| sent.answer.is_none())
    }

    /// Returns true if the client has caught up with the version the server had when it connected.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.view.is_some() && self.stream_start.is_none()
    }
}

fn content(prompts: &[Value]) -> String {
    let mut prompts = prompts.to_vec();
    prompts.iter_mut().filter_map(Value::as_object_mut).for_each(|prompt| drop(prompt.remove("deadlineTs")));
    text_hash(&Value::from(prompts).to_string())
}

fn deadlines(prompts: &[Value]) -> BTreeMap<u64, i64> {
    let deadline = |prompt: &Value| Some((prompt["inputId"].as_u64()?, prompt["deadlineTs"].as_i64()?));
    prompts.iter().filter_map(deadline).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use intermezzo_protocol::json::read;
    use serde_json::json;

    fn connected() -> ClientJournal {
        let mut journal = ClientJournal::new("m", "a", 0);
        let view = read(b"{\"n\":1}").expect("it is JSON");
        let hash = view_hash(&view);
        journal.record_welcome(1, &hash, Some(view));
        journal.record_questions(1, &[], &ServerDowntime::default(), 0);
        journal
    }

    #[test]
    fn a_version_is_complete_after_its_patch_or_a_later_frame() {
        let mut journal = connected();
        journal.record_events(2, "two");
        assert_eq!(journal.since(), Some(1));
        journal.record_events(3, "three");
        assert_eq!(journal.since(), Some(2));
        let two = read(b"{\"n\":2}").expect("it is JSON");
        let operations = read(br#"[{"op":"replace","path":"/n","value":2}]"#).expect("it is JSON");
        journal.record_patch(3, &operations, &view_hash(&two));
        assert_eq!(journal.since(), Some(3));
        assert_eq!(journal.problems, Vec::<String>::new());
    }

    #[test]
    fn gaps_and_repeats_are_found() {
        let mut journal = connected();
        journal.record_events(3, "three");
        journal.record_events(3, "three");
        assert_eq!((journal.gaps, journal.repeats), (1, 1));
    }

    #[test]
    fn an_incomplete_version_may_repeat_with_the_same_content() {
        let mut journal = connected();
        journal.record_events(2, "two");
        let hash = view_hash(&read(b"{\"n\":1}").expect("it is JSON"));
        journal.record_welcome(2, &hash, None);
        journal.record_events(2, "two");
        journal.record_questions(2, &[], &ServerDowntime::default(), 0);
        assert_eq!(journal.problems, Vec::<String>::new());
        journal.record_welcome(3, &hash, None);
        journal.record_events(3, "three");
        journal.record_welcome(3, &hash, None);
        journal.record_events(3, "something else");
        assert_eq!(journal.problems.len(), 1, "{:?}", journal.problems);
    }

    #[test]
    fn a_question_that_changes_during_downtime_is_found() {
        let mut journal = connected();
        let hash = view_hash(&read(b"{\"n\":1}").expect("it is JSON"));
        let asked = |id: u64, due: i64| [json!({"inputId": id, "deadlineTs": due})];
        journal.record_questions(1, &asked(4, 1_000), &ServerDowntime::default(), 0);
        journal.record_welcome(1, &hash, None);
        journal.record_questions(1, &asked(4, 1_500), &ServerDowntime::default(), 700);
        assert_eq!((journal.reopened, journal.problems.len()), (1, 0));
        journal.record_welcome(1, &hash, None);
        journal.record_questions(1, &asked(5, 1_500), &ServerDowntime::default(), 900);
        assert_eq!(journal.problems.len(), 1);
    }

    #[test]
    fn a_revoked_acknowledgement_is_found() {
        let mut journal = connected();
        journal.record_sent("c1", "{}");
        journal.record_result("c1", &CommandResult::Acknowledged(2));
        journal.record_result("c1", &CommandResult::Acknowledged(2));
        assert_eq!(journal.problems.len(), 0);
        journal.record_result("c1", &CommandResult::Refused("closed".to_owned()));
        assert_eq!(journal.problems.len(), 1);
    }
}
