//! A ruleset's own messages: written for one seat at a time, and read from one.
//!
//! What goes out follows from the log alone. Writing it changes nothing: no names are given, nothing is counted. What
//! the engine cannot know stays a [`Blank`] that the host fills in.

use intermezzo_ruleset::{
    EventId, FieldValue, Incoming, MessageField, NULL, Occasion, RoutineId, Seat, Way, Word, word,
};

use crate::datum::{Datum, Text, describe_with};
use crate::input::{Input, InputId, LeaveCause, Rejection};
use crate::play::Match;
use crate::request::Pending;
use crate::witness::Witness;

/// A message of the ruleset's own protocol, written to one seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    /// Whom it is for.
    pub to: Seat,
    /// The name of the message.
    pub name: String,
    /// What it says, in order.
    pub fields: Vec<(String, Content)>,
}

/// What a field of a letter holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A value of the match.
    Value(Datum),
    /// To be filled in by the host.
    Blank(Blank),
}

/// What only the host knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blank {
    /// What the player at a seat is called; null if there is none.
    PlayerName(Option<Seat>),
    /// When the time to answer that question is up, in milliseconds since 1970; null if there is no end.
    Deadline(InputId),
    /// What the match is called.
    MatchId,
    /// The code of the error.
    Code,
    /// The sentence about the error.
    Reason,
}

impl Letter {
    /// The letter as an object: its name as `type`, then its fields, with blanks as `fill` says.
    pub fn filled(&self, mut fill: impl FnMut(Blank) -> Datum) -> Datum {
        let field = |(name, content): &(String, Content)| match content {
            Content::Value(value) => (name.into(), value.clone()),
            Content::Blank(blank) => (name.into(), fill(*blank)),
        };
        let head = (Text::new_static("type"), Datum::text(&self.name));
        Datum::Map(std::iter::once(head).chain(self.fields.iter().map(field)).collect())
    }
}

/// What a message that came in means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// Something for the match.
    Input(Input),
    /// The sender wants to play.
    JoinQueue,
    /// The sender no longer wants to.
    LeaveQueue,
}

/// Why a message that came in means nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// The ruleset has no such message, or it does not come in.
    NoSuchMessage,
    /// The seat is not asked the question the message is about.
    NotAsked {
        /// The question.
        question: String,
    },
    /// What the message should say is not there.
    Missing {
        /// The key.
        key: String,
    },
    /// It is no answer to the question.
    Rejected(Rejection),
}

impl Unread {
    /// Stable name, as clients see it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Unread::NoSuchMessage => "no_such_message",
            Unread::NotAsked { .. } => "not_asked",
            Unread::Missing { .. } => "missing_key",
            Unread::Rejected(rejection) => rejection.name(),
        }
    }
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unread::NoSuchMessage => f.write_str("there is no such message"),
            Unread::NotAsked { question } => write!(f, "you are not asked for `{question}` now"),
            Unread::Missing { key } => write!(f, "the message needs `{key}`"),
            Unread::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

impl std::error::Error for Unread {}

impl Witness {
    /// The letters of the beginning. To be asked for when the log of the start has been observed, and sent before all
    /// others.
    pub fn opening_letters(&mut self) -> Vec<Letter> {
        let seats = self.board.seats;
        let is_start = |occasion: &Occasion| *occasion == Occasion::Start;
        (0..seats).flat_map(|seat| self.write(Seat(seat), is_start, &[], None)).collect()
    }

    /// The letters that come with an open question: for a new one, or for a player who is back.
    pub fn question_letters(&mut self, game: &Match, input: InputId) -> Vec<Letter> {
        let pending = game.pending().find(|pending| pending.id() == input);
        let Some((seat, name)) = pending.map(|pending| (pending.seat(), &pending.choice().name)) else {
            return Vec::new();
        };
        let is_asked =
            |occasion: &Occasion| matches!(occasion, Occasion::Asked(question) if question == name);
        self.write(seat, is_asked, &[], Some(input))
    }

    /// The letters about something the seat sent that was refused.
    pub fn error_letters(&mut self, seat: Seat) -> Vec<Letter> {
        self.write(seat, |occasion| *occasion == Occasion::Error, &[], None)
    }

    /// The letters about an event the seat has been told of.
    pub(crate) fn event_letters(&mut self, seat: Seat, event: EventId, payload: &[Word]) -> Vec<Letter> {
        self.write(seat, |occasion| *occasion == Occasion::After(event), payload, None)
    }

    fn write(
        &mut self,
        to: Seat,
        is_meant: impl Fn(&Occasion) -> bool,
        payload: &[Word],
        question: Option<InputId>,
    ) -> Vec<Letter> {
        let program = std::sync::Arc::clone(&self.program);
        let args: Vec<Word> = std::iter::once(word::player(to)).chain(payload.iter().copied()).collect();
        let mut letters = Vec::new();
        for message in &program.messages {
            let Way::Out { occasion, condition, fields } = &message.way else { continue };
            if !is_meant(occasion) || !condition.is_none_or(|condition| self.test(condition, &args)) {
                continue;
            }
            let content =
                |field: &MessageField| (field.name.clone(), self.content(field.value, &args, question));
            let fields = fields.iter().map(content).collect();
            letters.push(Letter { to, name: message.name.clone(), fields });
        }
        letters
    }

    fn content(&mut self, value: FieldValue, args: &[Word], question: Option<InputId>) -> Content {
        Content::Blank(match value {
            FieldValue::Computed { routine, ty } => {
                let describe = |witness: &Witness, value| {
                    // No entity is named: the checker lets none through but players.
                    describe_with(&witness.program, &witness.board, value, ty, &mut |_| Datum::Null)
                };
                return Content::Value(self.computed(routine, args, describe));
            }
            FieldValue::PlayerName(routine) => {
                Blank::PlayerName(
                    self.computed(routine, args, |_, player| (player != NULL).then(|| word::seat(player))),
                )
            }
            FieldValue::Deadline => match question {
                Some(question) => Blank::Deadline(question),
                None => return Content::Value(Datum::Null),
            },
            FieldValue::MatchId => Blank::MatchId,
            FieldValue::Code => Blank::Code,
            FieldValue::Reason => Blank::Reason,
        })
    }

    /// What is made of the value of a function, null if it fails; leaves no garbage.
    fn computed<T>(
        &mut self,
        routine: RoutineId,
        args: &[Word],
        made_of: impl FnOnce(&Witness, Word) -> T,
    ) -> T {
        let heap = self.board.heap.len();
        let value = self.folder.with_core(&mut self.board, |core| core.evaluate(routine, NULL, args));
        let made = made_of(self, value.unwrap_or(NULL));
        self.board.heap.truncate(heap);
        made
    }

    /// Reads a message of a seat: its name, and the rest of it without its `type`.
    ///
    /// # Errors
    ///
    /// If the ruleset has no such message, the seat is not asked what it is about, or it is no answer.
    pub fn read_message(
        &mut self,
        game: &Match,
        seat: Seat,
        name: &str,
        body: &Datum,
    ) -> Result<Received, Unread> {
        let program = std::sync::Arc::clone(&self.program);
        let Some(Way::In(incoming)) = program.message_named(name).map(|message| &message.way) else {
            return Err(Unread::NoSuchMessage);
        };
        let (question, from, is_draft) = match incoming {
            Incoming::Answers { question, from } => (question, from, false),
            Incoming::Drafts { question, from } => (question, from, true),
            Incoming::JoinQueue => return Ok(Received::JoinQueue),
            Incoming::LeaveQueue => return Ok(Received::LeaveQueue),
            Incoming::Concede => {
                return Ok(Received::Input(Input::Leave { seat, cause: LeaveCause::Concede }));
            }
        };
        let is_asked = |pending: &Pending<'_>| pending.seat() == seat && pending.choice().name == *question;
        let pending = game.pending().find(is_asked);
        let input = pending.ok_or_else(|| Unread::NotAsked { question: question.clone() })?.id();
        let said = match from {
            Some(key) => body.get(key).ok_or_else(|| Unread::Missing { key: key.clone() })?,
            None => body,
        };
        Ok(Received::Input(match is_draft {
            true => {
                let answer = self.read_draft(game, seat, input, said).map_err(Unread::Rejected)?;
                Input::Draft { input, seat, answer }
            }
            false => {
                let answer = self.read_answer(game, seat, input, said).map_err(Unread::Rejected)?;
                Input::Answer { input, seat, answer }
            }
        }))
    }
}
