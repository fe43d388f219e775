//! What can be asked of a match's task.

use intermezzo_engine::{Datum, Viewer};
use intermezzo_journal::to_json;
use intermezzo_protocol::{Action, Control, Problem};
use intermezzo_ruleset::Seat;
use serde_json::json;
use tokio::sync::oneshot;

use crate::outbox::Outbox;

/// Something that is asked of a match.
#[derive(Debug)]
pub(crate) enum Ask {
    /// Somebody would like to do something.
    Command(Box<Command>),
    /// Somebody would like to know something.
    Look(Looking),
    /// A connection follows the match from here on.
    Follow(Box<Follower>),
    /// A connection no longer does.
    Unfollow {
        /// Which.
        connection: u64,
    },
    /// Something may be due.
    Wake {
        /// When, by the store, if it was asked.
        stored: Option<i64>,
    },
    /// Another server may have written rows.
    News {
        /// The version of the last one.
        version: u64,
    },
    /// The server stops: everything is put away.
    Drain {
        /// Told when that is done.
        done: oneshot::Sender<()>,
    },
}

/// Somebody would like to do something.
#[derive(Debug)]
pub(crate) struct Command {
    /// From which seat; moderators have none.
    pub(crate) seat: Option<Seat>,
    /// The account.
    pub(crate) account: u128,
    /// Whether the account may moderate.
    pub(crate) is_moderator: bool,
    /// The client's name for the command; empty if it has none.
    pub(crate) id: String,
    /// The version the client has seen.
    pub(crate) branch: Option<u64>,
    /// What.
    pub(crate) wish: Wish,
    /// Where the outcome goes.
    pub(crate) reply: Reply,
}

/// What somebody would like to do.
#[derive(Debug)]
pub(crate) enum Wish {
    Act(Action),
    Answer {
        input: u32,
        answers: Datum,
    },
    Draft {
        input: u32,
        answers: Datum,
    },
    /// One of the ruleset's own messages.
    Message {
        name: String,
        body: Datum,
    },
    Control(Control),
}

impl Wish {
    /// Stands for all of it, so that another wish under the same id is noticed.
    pub(crate) fn digest(&self) -> u64 {
        let said = match self {
            Wish::Act(action) => json!(["act", action]),
            Wish::Answer { input, answers } => json!(["answer", input, to_json(answers)]),
            Wish::Draft { input, answers } => json!(["draft", input, to_json(answers)]),
            Wish::Message { name, body } => json!(["message", name, to_json(body)]),
            Wish::Control(control) => json!(["control", control]),
        };
        let hash = blake3::hash(said.to_string().as_bytes());
        hash.as_bytes()[..8].try_into().map_or(0, u64::from_le_bytes)
    }
}

/// Where an outcome goes.
#[derive(Debug)]
pub(crate) enum Reply {
    /// To a connection, as a frame.
    Frame(Outbox),
    /// To a connection that speaks the ruleset's messages: only refusals are told.
    Message(Outbox),
    /// To a request.
    Call(oneshot::Sender<Result<u64, Problem>>),
}

/// Somebody would like to know something.
#[derive(Debug)]
pub(crate) struct Looking {
    /// Who looks.
    pub(crate) viewer: Viewer,
    /// At what.
    pub(crate) look: Look,
    /// The answer is JSON.
    pub(crate) reply: oneshot::Sender<Result<String, Problem>>,
}

/// What can be looked at.
#[derive(Debug)]
pub(crate) enum Look {
    /// The view with its version and hash.
    View,
    /// The open questions.
    Prompts,
    /// What can be done now, and why the rest cannot.
    Actions,
    /// What may follow the beginning of a path.
    Path { input: u32, so_far: Vec<Datum> },
}

/// A connection that follows a match.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    /// As whom.
    pub(crate) viewer: Viewer,
    /// Where to.
    pub(crate) outbox: Outbox,
    /// The version it has.
    pub(crate) since: Option<u64>,
    /// What a welcome says besides the match, as JSON without its closing brace.
    pub(crate) greeting: String,
    /// Wants the game's own messages in place of frames.
    pub(crate) speaks_messages: bool,
    /// Whether its seat counts as connected by it.
    pub(crate) is_presence: bool,
}

impl Follower {
    /// The seat that counts as connected by it.
    pub(crate) fn present(&self) -> Option<Seat> {
        match self.viewer {
            Viewer::Seat(seat) if self.is_presence => Some(seat),
            _ => None,
        }
    }
}
