//! What one client has seen and sent in one match, and what it finds wrong on the way.
//!
//! A client that has lost its connection says which version it has. A version is whole when its `state.delta` or
//! anything later has come: an `event.appended` alone may have been cut off from the patch that belongs to it.

use std::collections::BTreeMap;

use intermezzo_engine::Datum;
use intermezzo_protocol::{patch, text_hash, view_hash};
use serde_json::Value;

use crate::absences::Absences;

/// Deadlines may differ by so much from what the client works out, in milliseconds.
const EARLY: i64 = 5;
/// A server leaves a sign of life every second: it may think that it was away for so much longer than it was.
const LATE: i64 = 1_200;

const MAX_FAULTS: usize = 20;

/// What became of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was acknowledged, with the version its sender had then.
    Taken(u64),
    /// It was refused, with this code.
    Refused(String),
}

/// A command that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// As it was sent.
    pub frame: String,
    /// How often.
    pub times: u32,
    /// The last answer to it.
    pub answer: Option<Answer>,
}

/// What a client was asked at a version.
#[derive(Debug)]
struct Asked {
    version: u64,
    /// Hash of the questions without their deadlines.
    content: String,
    /// When the time is over for each.
    deadlines: BTreeMap<u64, i64>,
    seen_at: i64,
}

/// How a stream begins after a connection was made.
#[derive(Debug)]
struct Arrival {
    version: u64,
    hash: String,
}

/// What one client has seen and sent in one match.
#[derive(Debug, Default)]
pub struct Journal {
    /// Which match.
    pub match_id: String,
    /// Whose journal.
    pub account: String,
    /// Where that one sits.
    pub seat: u8,
    /// By command id.
    pub commands: BTreeMap<String, Sent>,
    /// Hash of what each version has brought.
    pub stream: BTreeMap<u64, String>,
    /// Questions that were open again with the same id after the connection was lost.
    pub reopened: usize,
    /// Connections that were made.
    pub connections: usize,
    /// Versions that were left out.
    pub gaps: usize,
    /// Versions that came again.
    pub repeats: usize,
    /// What is wrong.
    pub faults: Vec<String>,
    /// Whether it is told when a deadline was put off by more than the time between two signs of life.
    pub is_punctual: bool,
    version: u64,
    whole: u64,
    view: Option<Datum>,
    arrival: Option<Arrival>,
    asked: Option<Asked>,
}

impl Journal {
    /// Nothing has been sent or seen.
    #[must_use]
    pub fn new(match_id: &str, account: &str, seat: u8) -> Journal {
        let (match_id, account) = (match_id.to_owned(), account.to_owned());
        Journal { match_id, account, seat, is_punctual: true, ..Journal::default() }
    }

    /// What to say when connecting: the version that is had.
    #[must_use]
    pub fn since(&self) -> Option<u64> {
        self.view.as_ref().map(|_| self.whole)
    }

    /// Something is wrong.
    pub fn fault(&mut self, what: impl std::fmt::Display) {
        // The first ones tell enough.
        if self.faults.len() == MAX_FAULTS {
            return;
        }
        self.faults.push(format!("match {} seat {}: {what}", self.match_id, self.seat));
    }

    /// The server has answered `hello`.
    pub fn welcomed(&mut self, version: u64, hash: &str, view: Option<Datum>) {
        self.connections += 1;
        match view {
            None if self.view.is_none() => self.fault("the first welcome has no view"),
            None => self.version = self.whole,
            Some(view) => {
                if self.view.is_some() {
                    let whole = self.whole;
                    self.fault(format!("version {whole} was shown, and now the server has only {version}"));
                }
                self.view = Some(view);
                (self.version, self.whole) = (version, version);
            }
        }
        self.arrival = Some(Arrival { version, hash: hash.to_owned() });
    }

    /// Something has happened; `content` is all of it.
    pub fn appended(&mut self, version: u64, content: &str) {
        let expected = self.version + 1;
        if version < expected {
            self.repeats += 1;
            self.fault(format!("version {version} comes again"));
        } else if version > expected {
            self.gaps += 1;
            self.fault(format!("version {version} comes where {expected} should"));
        }
        self.version = version;
        self.whole = self.whole.max(version - 1);
        let hash = text_hash(content);
        if self.stream.insert(version, hash.clone()).is_some_and(|before| before != hash) {
            self.fault(format!("version {version} was something else before"));
        }
    }

    /// The view changes.
    pub fn changed(&mut self, version: u64, operations: &Datum, hash: &str) {
        if version != self.version {
            self.fault(format!("a patch of version {version} comes at {}", self.version));
        }
        let Some(view) = &mut self.view else { return };
        let patched = patch::apply(operations, view);
        let is_right = patched.is_ok() && view_hash(view) == hash;
        self.whole = version;
        if !is_right {
            self.fault(format!("the view of version {version} is not as its hash says"));
        }
    }

    /// All questions that are open now.
    pub fn asked(&mut self, version: u64, prompts: &[Value], absences: &Absences, now: i64) {
        if let Some(arrival) = self.arrival.take() {
            self.arrived(&arrival);
            self.compare(version, prompts, absences, now);
        }
        if version != self.version {
            self.fault(format!("questions of version {version} come at {}", self.version));
        }
        self.whole = version;
        let content = content(prompts);
        self.asked = Some(Asked { version, content, deadlines: deadlines(prompts), seen_at: now });
    }

    /// What was missed has come: the client has to have what the server has.
    fn arrived(&mut self, arrival: &Arrival) {
        if self.version != arrival.version {
            self.gaps += 1;
            self.fault(format!("the stream ends at {} and not at {}", self.version, arrival.version));
        }
        if self.view.as_ref().is_none_or(|view| view_hash(view) != arrival.hash) {
            self.fault(format!("the view of version {} is not the server's", arrival.version));
        }
    }

    /// Questions that were open before the connection was lost are open again, with more time.
    fn compare(&mut self, version: u64, prompts: &[Value], absences: &Absences, now: i64) {
        let Some(before) = self.asked.take().filter(|before| before.version == version) else { return };
        if before.content != content(prompts) {
            self.fault(format!("the questions of version {version} are not the ones from before"));
            return;
        }
        self.reopened += prompts.len();
        let away = absences.within(before.seen_at, now);
        let most = now - before.seen_at + LATE;
        for (question, due) in deadlines(prompts) {
            let more = due - before.deadlines.get(&question).copied().unwrap_or(due);
            if more < away - EARLY {
                self.fault(format!("question {question} got {more} ms more, the server was away for {away}"));
            }
            if more > most && self.is_punctual {
                self.fault(format!("question {question} got {more} ms more in {most} ms"));
            }
        }
    }

    /// Notes a command that is being sent, maybe once more.
    pub fn sending(&mut self, id: &str, frame: &str) {
        let fresh = || Sent { frame: frame.to_owned(), times: 0, answer: None };
        self.commands.entry(id.to_owned()).or_insert_with(fresh).times += 1;
    }

    /// A command was answered.
    pub fn answered(&mut self, id: &str, answer: &Answer) {
        let Some(sent) = self.commands.get_mut(id) else { return };
        let before = sent.answer.replace(answer.clone());
        if let Some(before) = before.filter(|before| before != answer) {
            self.fault(format!("command {id} was {before:?} and is {answer:?} now"));
        }
    }

    /// Commands that nobody has answered.
    pub fn unanswered(&self) -> impl Iterator<Item = (&String, &Sent)> {
        self.commands.iter().filter(|(_, sent)| sent.answer.is_none())
    }

    /// Whether everything has come that the server had when the connection was made.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        self.view.is_some() && self.arrival.is_none()
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

    fn begun() -> Journal {
        let mut journal = Journal::new("m", "a", 0);
        let view = read(b"{\"n\":1}").expect("it is JSON");
        let hash = view_hash(&view);
        journal.welcomed(1, &hash, Some(view));
        journal.asked(1, &[], &Absences::default(), 0);
        journal
    }

    #[test]
    fn a_version_is_whole_when_its_patch_or_something_later_has_come() {
        let mut journal = begun();
        journal.appended(2, "two");
        assert_eq!(journal.since(), Some(1));
        journal.appended(3, "three");
        assert_eq!(journal.since(), Some(2));
        let two = read(b"{\"n\":2}").expect("it is JSON");
        let operations = read(br#"[{"op":"replace","path":"/n","value":2}]"#).expect("it is JSON");
        journal.changed(3, &operations, &view_hash(&two));
        assert_eq!(journal.since(), Some(3));
        assert_eq!(journal.faults, Vec::<String>::new());
    }

    #[test]
    fn gaps_and_repeats_are_found() {
        let mut journal = begun();
        journal.appended(3, "three");
        journal.appended(3, "three");
        assert_eq!((journal.gaps, journal.repeats), (1, 1));
    }

    #[test]
    fn what_was_cut_off_may_come_again_and_has_to_be_the_same() {
        let mut journal = begun();
        journal.appended(2, "two");
        let hash = view_hash(&read(b"{\"n\":1}").expect("it is JSON"));
        journal.welcomed(2, &hash, None);
        journal.appended(2, "two");
        journal.asked(2, &[], &Absences::default(), 0);
        assert_eq!(journal.faults, Vec::<String>::new());
        journal.welcomed(3, &hash, None);
        journal.appended(3, "three");
        journal.welcomed(3, &hash, None);
        journal.appended(3, "something else");
        assert_eq!(journal.faults.len(), 1, "{:?}", journal.faults);
    }

    #[test]
    fn a_question_that_changes_while_the_server_is_away_is_found() {
        let mut journal = begun();
        let hash = view_hash(&read(b"{\"n\":1}").expect("it is JSON"));
        let asked = |id: u64, due: i64| [json!({"inputId": id, "deadlineTs": due})];
        journal.asked(1, &asked(4, 1_000), &Absences::default(), 0);
        journal.welcomed(1, &hash, None);
        journal.asked(1, &asked(4, 1_500), &Absences::default(), 700);
        assert_eq!((journal.reopened, journal.faults.len()), (1, 0));
        journal.welcomed(1, &hash, None);
        journal.asked(1, &asked(5, 1_500), &Absences::default(), 900);
        assert_eq!(journal.faults.len(), 1);
    }

    #[test]
    fn an_acknowledgement_that_is_taken_back_is_found() {
        let mut journal = begun();
        journal.sending("c1", "{}");
        journal.answered("c1", &Answer::Taken(2));
        journal.answered("c1", &Answer::Taken(2));
        assert_eq!(journal.faults.len(), 0);
        journal.answered("c1", &Answer::Refused("closed".to_owned()));
        assert_eq!(journal.faults.len(), 1);
    }
}
