//! Custom messages of a ruleset: written to one seat at a time, and read from one.
//!
//! Outgoing messages follow from the log alone. Writing them has no side effects: no names are assigned and
//! nothing is counted. Values the engine cannot know stay a [`Placeholder`] that the host fills in.

use intermezzo_program::{
    EventId, FieldValue, IncomingMessage, MessageDirection, MessageFence, MessageField, MessageTrigger, NULL,
    RoutineId, Seat, TypeId, Word, word,
};

use crate::ask::input::{Input, InputId, LeaveCause, Rejection};
use crate::ask::request::PendingQuestion;
use crate::run::match_instance::Match;
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::view::observer::Observer;

/// A message of the ruleset's custom protocol to one seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CustomMessage {
    pub to: Seat,
    pub name: String,
    /// Fields in order.
    pub fields: Vec<(String, MessageContent)>,
}

/// Content of a message field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageContent {
    /// A value of the match.
    Value(Datum),
    /// A value for the host to fill in.
    Placeholder(Placeholder),
}

/// A value that only the host knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placeholder {
    /// Display name of the player at a seat; null for none.
    PlayerName(Option<Seat>),
    /// End of the time to answer that question, in milliseconds since 1970; null for no limit.
    Deadline(InputId),
    /// The host's id of the match.
    MatchId,
    /// Error code.
    Code,
    /// Error text.
    Reason,
}

impl CustomMessage {
    /// Renders the message as an object: its name as `type`, then its fields, with placeholders filled in by
    /// `fill`.
    pub fn render(&self, mut fill: impl FnMut(Placeholder) -> Datum) -> Datum {
        let field = |(name, content): &(String, MessageContent)| match content {
            MessageContent::Value(value) => (name.into(), value.clone()),
            MessageContent::Placeholder(placeholder) => (name.into(), fill(*placeholder)),
        };
        let head = (ShortText::new_static("type"), Datum::text(&self.name));
        Datum::Map(std::iter::once(head).chain(self.fields.iter().map(field)).collect())
    }
}

/// Meaning of a received message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReceivedMessage {
    /// An input for the match.
    Input(Input),
    /// The sender joins the queue.
    JoinQueue,
    /// The sender leaves the queue.
    LeaveQueue,
}

/// Reason why a received message is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageError {
    /// The ruleset has no such incoming message.
    NoSuchMessage,
    /// The seat is not asked the question the message is about.
    NotAsked { question: String },
    /// A required key is missing.
    MissingKey { key: String },
    /// A key that the message does not have.
    UnknownKey { key: String },
    /// The message is for another question than the one that is open: a fence has another value now.
    WrongQuestion { key: String, now: Datum, got: Datum },
    /// It is not a valid answer to the question.
    Rejected(Rejection),
}

impl MessageError {
    /// Returns the stable name that clients see.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            MessageError::NoSuchMessage => "no_such_message",
            MessageError::NotAsked { .. } => "not_asked",
            MessageError::MissingKey { .. } => "missing_key",
            MessageError::UnknownKey { .. } => "unknown_key",
            MessageError::WrongQuestion { .. } => "wrong_question",
            MessageError::Rejected(rejection) => rejection.name(),
        }
    }
}

impl std::fmt::Display for MessageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MessageError::NoSuchMessage => f.write_str("unknown message"),
            MessageError::NotAsked { question } => write!(f, "`{question}` is not being asked now"),
            MessageError::MissingKey { key } => write!(f, "the message is missing `{key}`"),
            MessageError::UnknownKey { key } => write!(f, "the message has no `{}`", key.escape_default()),
            MessageError::WrongQuestion { key, now, got } => {
                write!(f, "this is for another question: `{key}` is {now} now, not {got}")
            }
            MessageError::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

impl std::error::Error for MessageError {}

impl Observer {
    /// Writes the messages for the start of the match. Call it after the log of the start has been observed,
    /// and send them before all others.
    pub fn start_messages(&mut self) -> Vec<CustomMessage> {
        let seats = self.board.seats;
        let is_start = |trigger: &MessageTrigger| *trigger == MessageTrigger::Start;
        (0..seats).flat_map(|seat| self.write_messages(Seat(seat), is_start, &[], None)).collect()
    }

    /// Writes the messages for an open question: for a new one, or for a player who reconnects.
    pub fn question_messages(&mut self, game: &Match, input: InputId) -> Vec<CustomMessage> {
        let pending = game.pending().find(|pending| pending.id() == input);
        let Some((seat, name)) = pending.map(|pending| (pending.seat(), &pending.choice().name)) else {
            return Vec::new();
        };
        let is_asked =
            |trigger: &MessageTrigger| matches!(trigger, MessageTrigger::Asked(question) if question == name);
        self.write_messages(seat, is_asked, &[], Some(input))
    }

    /// Writes the messages about a rejected input of a seat.
    pub fn error_messages(&mut self, seat: Seat) -> Vec<CustomMessage> {
        self.write_messages(seat, |trigger| *trigger == MessageTrigger::Error, &[], None)
    }

    /// Writes the messages about an event the seat has seen.
    pub(crate) fn event_messages(
        &mut self,
        seat: Seat,
        event: EventId,
        payload: &[Word],
    ) -> Vec<CustomMessage> {
        self.write_messages(seat, |trigger| *trigger == MessageTrigger::After(event), payload, None)
    }

    fn write_messages(
        &mut self,
        to: Seat,
        is_meant: impl Fn(&MessageTrigger) -> bool,
        payload: &[Word],
        question: Option<InputId>,
    ) -> Vec<CustomMessage> {
        let program = std::sync::Arc::clone(&self.program);
        let args: Vec<Word> = std::iter::once(word::player(to)).chain(payload.iter().copied()).collect();
        let mut messages = Vec::new();
        for message in &program.messages {
            let MessageDirection::Out { trigger, condition, fields } = &message.direction else {
                continue;
            };
            if !is_meant(trigger) || !condition.is_none_or(|condition| self.test(condition, &args)) {
                continue;
            }
            let content =
                |field: &MessageField| (field.name.clone(), self.field_content(field.value, &args, question));
            let fields = fields.iter().map(content).collect();
            messages.push(CustomMessage { to, name: message.name.clone(), fields });
        }
        messages
    }

    fn field_content(
        &mut self,
        value: FieldValue,
        args: &[Word],
        question: Option<InputId>,
    ) -> MessageContent {
        MessageContent::Placeholder(match value {
            FieldValue::Computed { routine, ty } => {
                return MessageContent::Value(self.computed(routine, ty, args));
            }
            FieldValue::PlayerName(routine) => Placeholder::PlayerName(self.with_computed(
                routine,
                args,
                |_, player| (player != NULL).then(|| word::seat(player)),
            )),
            FieldValue::Deadline => match question {
                Some(question) => Placeholder::Deadline(question),
                None => return MessageContent::Value(Datum::Null),
            },
            FieldValue::MatchId => Placeholder::MatchId,
            FieldValue::Code => Placeholder::Code,
            FieldValue::Reason => Placeholder::Reason,
        })
    }

    fn computed(&mut self, routine: RoutineId, ty: TypeId, args: &[Word]) -> Datum {
        self.with_computed(routine, args, |observer, value| {
            // No entity needs a name: the checker allows none except players.
            describe_with(&observer.program, &observer.board, value, ty, &mut |_| Datum::Null)
        })
    }

    /// Evaluates a function, null if it fails, and converts the value; leaves no garbage.
    fn with_computed<T>(
        &mut self,
        routine: RoutineId,
        args: &[Word],
        made_of: impl FnOnce(&Observer, Word) -> T,
    ) -> T {
        let heap = self.board.heap.len();
        let value = self.folder.with_evaluator(&mut self.board, |core| core.evaluate(routine, NULL, args));
        let made = made_of(self, value.unwrap_or(NULL));
        self.board.heap.truncate(heap);
        made
    }

    /// Reads a message of a seat: its name, and its body without `type`.
    ///
    /// # Errors
    ///
    /// If the ruleset has no such message, the seat is not asked the question, or the body is not a valid
    /// answer.
    pub fn read_message(
        &mut self,
        game: &Match,
        seat: Seat,
        name: &str,
        body: &Datum,
    ) -> Result<ReceivedMessage, MessageError> {
        let program = std::sync::Arc::clone(&self.program);
        let Some(MessageDirection::In(incoming)) =
            program.message_named(name).map(|message| &message.direction)
        else {
            return Err(MessageError::NoSuchMessage);
        };
        let nothing = |meaning| match keys(body).next() {
            Some(key) => Err(MessageError::UnknownKey { key: key.to_owned() }),
            None => Ok(meaning),
        };
        let (question, from, fences, is_draft) = match incoming {
            IncomingMessage::Answers { question, from, fences } => (question, from, fences, false),
            IncomingMessage::Drafts { question, from, fences } => (question, from, fences, true),
            IncomingMessage::JoinQueue => return nothing(ReceivedMessage::JoinQueue),
            IncomingMessage::LeaveQueue => return nothing(ReceivedMessage::LeaveQueue),
            IncomingMessage::Concede => {
                return nothing(ReceivedMessage::Input(Input::Leave { seat, cause: LeaveCause::Concede }));
            }
        };
        let said = split_answer(body, from.as_deref(), fences)?;
        self.check_fences(seat, fences, body)?;
        let is_asked =
            |pending: &PendingQuestion<'_>| pending.seat() == seat && pending.choice().name == *question;
        let pending = game.pending().find(is_asked);
        let input = pending.ok_or_else(|| MessageError::NotAsked { question: question.clone() })?.id();
        Ok(ReceivedMessage::Input(match is_draft {
            true => {
                let answer = self.read_draft(game, seat, input, &said).map_err(MessageError::Rejected)?;
                Input::Draft { input, seat, answer }
            }
            false => {
                let answer = self.read_answer(game, seat, input, &said).map_err(MessageError::Rejected)?;
                Input::Answer { input, seat, answer }
            }
        }))
    }

    /// Checks that a message is for the question that is open: all its fences have their current values.
    fn check_fences(
        &mut self,
        seat: Seat,
        fences: &[MessageFence],
        body: &Datum,
    ) -> Result<(), MessageError> {
        for fence in fences {
            let Some(got) = body.get(&fence.key) else {
                if fence.is_required {
                    return Err(MessageError::MissingKey { key: fence.key.clone() });
                }
                continue;
            };
            let now = self.computed(fence.routine, fence.ty, &[word::player(seat)]);
            if now != *got {
                return Err(MessageError::WrongQuestion { key: fence.key.clone(), now, got: got.clone() });
            }
        }
        Ok(())
    }
}

fn keys(body: &Datum) -> impl Iterator<Item = &str> {
    let entries = match body {
        Datum::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, _)| key.as_str())
}

/// Returns the answer in a message: what is under its key, or everything except the fences.
fn split_answer(body: &Datum, from: Option<&str>, fences: &[MessageFence]) -> Result<Datum, MessageError> {
    let is_fence = |key: &str| fences.iter().any(|fence| fence.key == key);
    let Some(from) = from else {
        return Ok(match body {
            Datum::Map(entries) => {
                Datum::Map(entries.iter().filter(|(key, _)| !is_fence(key)).cloned().collect())
            }
            other => other.clone(),
        });
    };
    if let Some(key) = keys(body).find(|key| *key != from && !is_fence(key)) {
        return Err(MessageError::UnknownKey { key: key.to_owned() });
    }
    body.get(from).cloned().ok_or_else(|| MessageError::MissingKey { key: from.to_owned() })
}
