//! A ruleset's custom client messages: outgoing ones sent when something happens, and incoming ones.
//!
//! These messages are not rules. The host that serves clients interprets them; the engine computes the
//! fields.

use crate::{EventId, RoutineId, TypeId};

/// A message of the ruleset's custom protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The `type` of the object on the wire.
    pub name: String,
    pub direction: MessageDirection,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageDirection {
    /// From the match to players.
    Out {
        trigger: MessageTrigger,
        /// Condition for sending it to a player: a function of the player, and of the payload after an event.
        condition: Option<RoutineId>,
        /// Fields in order.
        fields: Vec<MessageField>,
    },
    /// From a player to the match.
    In(IncomingMessage),
}

/// The moment at which a message is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageTrigger {
    /// The match has started: setup is done and the first questions are open.
    Start,
    /// The player is asked the question with this name.
    Asked(String),
    /// The player has seen the event.
    After(EventId),
    /// An input of the player was rejected.
    Error,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageField {
    pub name: String,
    pub value: FieldValue,
}

/// Value of a message field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// A value computed from the match.
    Computed {
        /// Function of the player, and of the payload after an event.
        routine: RoutineId,
        /// Type of the value. It contains no entities except players.
        ty: TypeId,
    },
    /// Display name of a player, which only the host knows. The routine returns the player, or null.
    PlayerName(RoutineId),
    /// End of the time to answer, in milliseconds since 1970.
    Deadline,
    /// The host's id of the match.
    MatchId,
    /// Error code.
    Code,
    /// Error text.
    Reason,
}

/// Meaning of an incoming message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IncomingMessage {
    /// An answer to the open question with this name.
    Answers {
        question: String,
        /// Key that holds the answer; `None` means the whole object without `type` and fences.
        from: Option<String>,
        fences: Vec<MessageFence>,
    },
    /// A draft for the open question with this name.
    Drafts {
        question: String,
        /// Key that holds the draft; `None` means the whole object without `type` and fences.
        from: Option<String>,
        fences: Vec<MessageFence>,
    },
    /// The sender joins the queue.
    JoinQueue,
    /// The sender leaves the queue.
    LeaveQueue,
    /// The sender concedes.
    Concede,
}

/// Key of an incoming message that says which question the sender means, such as the number of the round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageFence {
    pub key: String,
    /// False if a message without the key means the question that is open.
    pub is_required: bool,
    /// Function of the player: the value of the key for the question that is open.
    pub routine: RoutineId,
    /// Type of the value. It contains no entities except players.
    pub ty: TypeId,
}
