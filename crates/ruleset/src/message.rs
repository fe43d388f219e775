//! A ruleset's own words for its clients: messages that go out when something happens, and messages that come in.
//!
//! None of it is rules. Whoever serves clients reads it; the engine computes the fields.

use crate::{EventId, RoutineId, TypeId};

/// A message of a ruleset's own protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What clients call it: the `type` of the object on the wire.
    pub name: String,
    /// Where it goes.
    pub way: Way,
}

/// Where a message goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// To players.
    Out {
        /// When it is sent.
        occasion: Occasion,
        /// Whether it is sent to a player: a function of the player, and of the payload after an event.
        condition: Option<RoutineId>,
        /// What it says, in order.
        fields: Vec<MessageField>,
    },
    /// From a player.
    In(Incoming),
}

/// When a message is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Occasion {
    /// The match has begun: setup is done, and the first questions are asked.
    Start,
    /// The player is asked the question of that name.
    Asked(String),
    /// The player has been told of the event.
    After(EventId),
    /// Something the player sent was refused.
    Error,
}

/// A field of an outgoing message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageField {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub value: FieldValue,
}

/// What a field of a message holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// A value that follows from the match.
    Computed {
        /// A function of the player, and of the payload after an event.
        routine: RoutineId,
        /// The type of its value, in which no entities are but players.
        ty: TypeId,
    },
    /// The name of a player, which only the host knows: the player is a function as above, and may be null.
    PlayerName(RoutineId),
    /// When the time to answer is up, in milliseconds since 1970.
    Deadline,
    /// What the host calls the match.
    MatchId,
    /// The code of an error.
    Code,
    /// The sentence about an error.
    Reason,
}

/// What an incoming message means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    /// It answers the open question of that name.
    Answers {
        /// The question.
        question: String,
        /// The key under which the answer is; without, all but the `type` is the answer.
        from: Option<String>,
    },
    /// It drafts an answer to it.
    Drafts {
        /// The question.
        question: String,
        /// As above.
        from: Option<String>,
    },
    /// The sender wants to play.
    JoinQueue,
    /// The sender no longer wants to.
    LeaveQueue,
    /// The sender gives up.
    Concede,
}
