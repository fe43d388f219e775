//! WebSocket frames, one JSON object each. Start with [`ClientFrame`] and [`ServerFrame`].
//!
//! The server formats some frames by hand because that is faster. These types are the contract with clients, and the
//! published schemas are generated from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::action_forms::AnyAction;
use crate::control::Control;
use crate::problem::Problem;
use crate::resources::object::object_field;
use crate::resources::play::given;

/// A version of the frames, which a client chooses by the subprotocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WireVersion {
    /// One frame for each kind of news, and the hash of a view is that of its text. Also the version of clients that
    /// choose none.
    #[default]
    V1,
    /// One frame for each step, and the hash of a view is the sum of the hashes of its parts.
    V2,
}

impl WireVersion {
    /// All versions, the newest first.
    pub const ALL: [WireVersion; 2] = [WireVersion::V2, WireVersion::V1];

    /// Returns the name of the WebSocket subprotocol.
    #[must_use]
    pub fn subprotocol(self) -> &'static str {
        match self {
            WireVersion::V1 => "intermezzo.v1+json",
            WireVersion::V2 => "intermezzo.v2+json",
        }
    }

    /// Returns the version that a subprotocol stands for.
    #[must_use]
    pub fn of_subprotocol(name: &str) -> Option<WireVersion> {
        WireVersion::ALL.into_iter().find(|version| version.subprotocol() == name)
    }

    /// Returns the number in `welcome`.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            WireVersion::V1 => 1,
            WireVersion::V2 => 2,
        }
    }
}

/// A frame from a client.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum ClientFrame {
    /// The first frame: authenticates and selects the match to follow. Sent again, it switches to another match or
    /// restarts the current one.
    #[serde(rename = "hello", rename_all = "camelCase")]
    Hello {
        /// The account's token. Without one the connection is anonymous.
        #[serde(default)]
        token: Option<String>,
        /// The match to follow. Without one the connection receives only account messages.
        #[serde(default, rename = "match")]
        match_id: Option<String>,
        /// The version the client has. The server sends what came after it; without it, the whole view.
        #[serde(default)]
        since: Option<u64>,
        /// Selects a seat if the account has several.
        #[serde(default)]
        seat: Option<u8>,
        /// Watches as a spectator, even if the account has a seat.
        #[serde(default)]
        spectate: bool,
    },
    /// Submits an action.
    #[serde(rename = "action.submit", rename_all = "camelCase")]
    ActionSubmit {
        /// An id chosen by the client, new for each command. The same id sent again has the same outcome.
        command_id: String,
        /// The version the client has seen. The command is rejected if the match has moved on since.
        #[serde(default)]
        branch_id: Option<u64>,
        /// The action.
        action: AnyAction,
        /// The match this is meant for, if the client says so. It must be the match the connection follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        match_id: Option<String>,
        /// The player this comes from, if the client says so: a name of the view (`p0`), a seat or an account. It must be
        /// the player of the connection.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player_id: Option<PlayerId>,
    },
    /// Answers a question.
    #[serde(rename = "input.submit", rename_all = "camelCase")]
    InputSubmit {
        /// As in `action.submit`.
        command_id: String,
        /// The question.
        input_id: u32,
        /// Options by value, label or number (`{"n": 2}`), as a list or a single one; null for an empty slot; `"pass"` to
        /// decline.
        #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
        answers: Option<Value>,
        /// In place of `answers`: true to accept what is offered, false to decline.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        activate: Option<bool>,
        /// With `activate`: the target, if there are several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_id: Option<Value>,
        /// As in `action.submit`, but an answer is valid as long as its question is open.
        #[serde(default)]
        branch_id: Option<u64>,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        match_id: Option<String>,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player_id: Option<PlayerId>,
    },
    /// Sets the answer that applies if time runs out.
    #[serde(rename = "input.draft", rename_all = "camelCase")]
    InputDraft {
        /// As in `action.submit`.
        command_id: String,
        /// The question.
        input_id: u32,
        /// As in `input.submit`.
        answers: Value,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        match_id: Option<String>,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player_id: Option<PlayerId>,
    },
    /// Changes the match in another way than by an action or an answer.
    #[serde(rename = "system.control", rename_all = "camelCase")]
    SystemControl {
        /// As in `action.submit`.
        command_id: String,
        /// The control.
        #[serde(deserialize_with = "object_field")]
        control: Control,
        /// As in `action.submit`.
        #[serde(default)]
        branch_id: Option<u64>,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        match_id: Option<String>,
        /// As in `action.submit`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player_id: Option<PlayerId>,
    },
    /// Requests the actions that are possible now, and why the others are not.
    #[serde(rename = "actions.get", rename_all = "camelCase")]
    ActionsGet {
        /// Repeated in the response.
        command_id: String,
    },
    /// Requests the steps that may follow the beginning of a path.
    #[serde(rename = "path.get", rename_all = "camelCase")]
    PathGet {
        /// Repeated in the response.
        command_id: String,
        /// The question that asks for a path.
        input_id: u32,
        /// The beginning of the path, in the form of an answer.
        so_far: Vec<Value>,
    },
    /// Enters the queue of a ruleset.
    #[serde(rename = "queue.join", rename_all = "camelCase")]
    QueueJoin {
        /// Repeated in the response.
        command_id: String,
        /// The ruleset's id.
        ruleset: String,
        /// Play for the ruleset's stake.
        #[serde(default)]
        stake: bool,
    },
    /// Leaves the queue of a ruleset.
    #[serde(rename = "queue.leave", rename_all = "camelCase")]
    QueueLeave {
        /// Repeated in the response.
        command_id: String,
        /// The ruleset's id.
        ruleset: String,
    },
}

/// A player as a client names it in a frame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PlayerId {
    /// The seat.
    Seat(u8),
    /// A name of the view, such as `p0`, or the id of an account.
    Name(String),
}

/// An action of the ruleset by name, or one thing dragged onto another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Action")]
pub enum SubmittedAction {
    /// One thing dragged onto another. The ruleset decides which action that means.
    Drag {
        /// The two things.
        #[serde(deserialize_with = "object_field")]
        direct_manipulation: Drag,
    },
    /// An action by its name.
    Named {
        /// The action's name.
        #[serde(rename = "type")]
        name: String,
        /// Targets, by the names of the view: an object by target name, or a list in order.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        targets: Value,
        /// Other choices by name: modes, amounts, the card the action belongs to (`card`, `host`).
        #[serde(default, skip_serializing_if = "Value::is_null")]
        params: Value,
    },
}

/// One thing dragged onto another, both by the names of the view: `#3`, `p0`, `p0.hand`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// The thing that is dragged.
    pub what: String,
    /// The thing or zone it is dropped on.
    pub onto: String,
}

/// A frame from the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum ServerFrame {
    /// Answers `hello`.
    #[serde(rename = "welcome", rename_all = "camelCase")]
    Welcome {
        /// The version of this protocol.
        protocol: u32,
        /// The server's clock in milliseconds since 1970.
        server_time: i64,
        /// The account, if the client sent a token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<String>,
        /// The match the connection follows from now on.
        #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
        following: Option<Box<FollowedMatch>>,
        /// Limits of the connection.
        limits: FrameLimits,
    },
    /// One step of the match. Every version has exactly one such frame. Only in version 2 of the protocol, where it takes
    /// the place of `event.appended`, `state.delta` and the `pending.input` and `priority.changed` after them.
    #[serde(rename = "update", rename_all = "camelCase")]
    Update {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The viewer's version, one more than that of the previous step.
        version: u64,
        /// The events the viewer may see, in order: `n`, `event`, `cause`, `payload`.
        events: Vec<Value>,
        /// Notices that are not game events.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notices: Vec<MatchNotice>,
        /// The change of the view, an RFC 6902 patch. Absent if the view does not change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patch: Option<Vec<Value>>,
        /// Hash of the patched view, 16 hexadecimal digits: the sum of the hashes of its parts. Goes with `patch`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hash: Option<String>,
        /// All questions open for the viewer, with options and deadlines. Absent if they do not change; then the next
        /// fields are, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompts: Option<Vec<Value>>,
        /// The other seats that have open questions, `seat` and `kind`, unless that is hidden. Goes with `prompts`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        others: Option<Vec<Value>>,
        /// The auto-pass setting of the seat, if it is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auto: Option<Value>,
        /// Time left in the seats' time banks, if they have any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        banks: Vec<Bank>,
        /// True while a moderator has paused the match and its clocks.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        paused: bool,
    },
    /// One step of the match. Every version has exactly one such frame. Only in version 1 of the protocol.
    #[serde(rename = "event.appended", rename_all = "camelCase")]
    EventAppended {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The viewer's version, one more than that of the previous step.
        version: u64,
        /// The events the viewer may see, in order: `n`, `event`, `cause`, `payload`.
        events: Vec<Value>,
        /// Notices that are not game events.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notices: Vec<MatchNotice>,
        /// True if the view changes. The `state.delta` of this version then follows, and the client has the version
        /// only once it has that: if the connection breaks in between, reconnect with the previous version as `since`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        changes_view: bool,
    },
    /// The change of the view that goes with a step. Only in version 1 of the protocol.
    #[serde(rename = "state.delta", rename_all = "camelCase")]
    StateDelta {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version of the patched view.
        version: u64,
        /// An RFC 6902 patch.
        patch: Vec<Value>,
        /// Hash of the patched view, 16 hexadecimal digits.
        hash: String,
    },
    /// All questions open for the viewer.
    #[serde(rename = "pending.input", rename_all = "camelCase")]
    PendingInput {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version the questions belong to.
        version: u64,
        /// The questions, with options and deadlines.
        prompts: Vec<Value>,
        /// The other seats that have open questions, `seat` and `kind`, unless that is hidden. Only in version 2 of the
        /// protocol.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        others: Option<Vec<Value>>,
        /// The auto-pass setting of the seat, if it is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auto: Option<Value>,
        /// Time left in the seats' time banks, if they have any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        banks: Vec<Bank>,
        /// True while a moderator has paused the match and its clocks.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        paused: bool,
    },
    /// The other seats that have open questions, unless that is hidden. Only in version 1 of the protocol.
    #[serde(rename = "priority.changed", rename_all = "camelCase")]
    PriorityChanged {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version this belongs to.
        version: u64,
        /// The other seats: `seat` and `kind`.
        others: Vec<Value>,
    },
    /// A player connected or disconnected. Not part of the match.
    #[serde(rename = "presence", rename_all = "camelCase")]
    Presence {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The seats with a connection.
        connected: Vec<u8>,
    },
    /// A command was accepted and saved.
    #[serde(rename = "ack", rename_all = "camelCase")]
    Ack {
        /// The command.
        command_id: String,
        /// The viewer's version after the command.
        version: u64,
        /// The result of a request for data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// A command was rejected, or a frame was invalid. Nothing has changed.
    #[serde(rename = "error", rename_all = "camelCase")]
    Error {
        /// The command, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command_id: Option<String>,
        /// The problem.
        problem: Problem,
    },
    /// The queue found a match for the account, or a match in which it has a seat has started.
    #[serde(rename = "match.found", rename_all = "camelCase")]
    MatchFound {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The ruleset's id.
        ruleset: String,
        /// The account's seat.
        seat: u8,
    },
}

/// The match a connection follows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Following")]
pub struct FollowedMatch {
    /// The match.
    pub id: String,
    /// The seat; null for spectators.
    pub seat: Option<u8>,
    /// The viewer's version.
    pub version: u64,
    /// Hash of the rules.
    pub ruleset_hash: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// The ruleset's version.
    pub ruleset_version: String,
    /// Hash of the seed. The seed itself is published at the end of the match.
    pub seed_commitment: String,
    /// The players, by seat.
    pub seats: Vec<SeatOccupant>,
    /// The whole view, unless the server sends only what came after `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Value>,
    /// Hash of the view at that version.
    pub hash: String,
}

/// The player of a seat.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Seated")]
pub struct SeatOccupant {
    /// The seat.
    pub seat: u8,
    /// The player's name.
    pub name: String,
    /// The bot's algorithm, if the player is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
}

/// Time left in a seat's time bank.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bank {
    /// The seat.
    pub seat: u8,
    /// Milliseconds left.
    pub left_ms: i64,
    /// When the bank started running, in milliseconds since 1970; absent if it is not running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_since: Option<i64>,
}

/// A message to a viewer that is not an event of the game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[schemars(rename = "Notice")]
pub enum MatchNotice {
    /// An input was undone; the view shows the match without it.
    TakenBack {
        /// The seat that undid it.
        by: u8,
    },
    /// A seat asks to undo an input; the viewer may agree or decline.
    WouldTakeBack {
        /// The seat that asks.
        by: u8,
    },
    /// The undo was declined.
    NotTakenBack {
        /// The seat that asked.
        by: u8,
    },
    /// The seat's pre-sent answers no longer apply and were discarded.
    AheadForgotten,
}

/// Limits of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Limits")]
pub struct FrameLimits {
    /// Maximum bytes of a frame.
    pub frame_bytes: usize,
    /// Maximum nesting depth of a frame.
    pub depth: usize,
    /// Maximum frames per second, averaged over some time.
    pub frames_per_second: u32,
}
