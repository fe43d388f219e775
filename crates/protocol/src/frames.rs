//! Frames: what goes over a WebSocket, one JSON object each. Start with [`ClientFrame`] and [`ServerFrame`].
//!
//! The server writes its frames by hand where that is quicker; these types are
//! what clients may rely on, and the published schemas are made from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::control::Control;
use crate::problem::Problem;
use crate::resources::object::one;

/// The subprotocol a client asks for when it connects.
pub const SUBPROTOCOL: &str = "intermezzo.v1+json";

/// What a client sends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum ClientFrame {
    /// The first frame: who it is, and which match to follow. Sent again, it follows another match or the same
    /// one afresh.
    #[serde(rename = "hello", rename_all = "camelCase")]
    Hello {
        /// A session's token; nobody in particular without one.
        #[serde(default)]
        token: Option<String>,
        /// The match; without one only what concerns the account is told.
        #[serde(default, rename = "match")]
        match_id: Option<String>,
        /// The version the client has; what came after it follows. Without it the whole view comes.
        #[serde(default)]
        since: Option<u64>,
        /// Which of its seats, if the account has several.
        #[serde(default)]
        seat: Option<u8>,
        /// Looks on, even if the account has a seat.
        #[serde(default)]
        spectate: bool,
    },
    /// Takes an action.
    #[serde(rename = "action.submit", rename_all = "camelCase")]
    ActionSubmit {
        /// Chosen by the client, new for each command: the same id again has the same outcome.
        command_id: String,
        /// The version the client has seen; the command is refused if it is no longer true.
        #[serde(default)]
        branch_id: Option<u64>,
        /// What to do.
        action: Action,
    },
    /// Answers a question.
    #[serde(rename = "input.submit", rename_all = "camelCase")]
    InputSubmit {
        /// As for actions.
        command_id: String,
        /// Which question.
        input_id: u32,
        /// Options by name, label or number, in a list or alone; null for an empty slot; `"pass"` to decline.
        answers: Value,
        /// As for actions; answers are good as long as their question is open.
        #[serde(default)]
        branch_id: Option<u64>,
    },
    /// Shows what the answer would be if the clock ran out.
    #[serde(rename = "input.draft", rename_all = "camelCase")]
    InputDraft {
        /// As for actions.
        command_id: String,
        /// Which question.
        input_id: u32,
        /// As for answers.
        answers: Value,
    },
    /// Everything else that changes a match.
    #[serde(rename = "system.control", rename_all = "camelCase")]
    SystemControl {
        /// As for actions.
        command_id: String,
        /// What.
        #[serde(deserialize_with = "one")]
        control: Control,
        /// As for actions.
        #[serde(default)]
        branch_id: Option<u64>,
    },
    /// Asks what can be done now, and why the rest cannot.
    #[serde(rename = "actions.get", rename_all = "camelCase")]
    ActionsGet {
        /// Comes back with the answer.
        command_id: String,
    },
    /// Asks what may follow the beginning of a path.
    #[serde(rename = "path.get", rename_all = "camelCase")]
    PathGet {
        /// Comes back with the answer.
        command_id: String,
        /// The question that asks for a path.
        input_id: u32,
        /// The beginning, written as an answer.
        so_far: Vec<Value>,
    },
    /// Waits for a match.
    #[serde(rename = "queue.join", rename_all = "camelCase")]
    QueueJoin {
        /// Comes back with the answer.
        command_id: String,
        /// The ruleset's id.
        ruleset: String,
        /// Whether to play for stakes.
        #[serde(default)]
        stake: bool,
    },
    /// Waits no longer.
    #[serde(rename = "queue.leave", rename_all = "camelCase")]
    QueueLeave {
        /// Comes back with the answer.
        command_id: String,
        /// The ruleset's id.
        ruleset: String,
    },
}

/// What to do: an action of the ruleset, or a thing dragged onto another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Action {
    /// One thing is dragged onto another; the rules say which action that means.
    Drag {
        /// The drag.
        #[serde(deserialize_with = "one")]
        direct_manipulation: Drag,
    },
    /// An action by its name.
    Named {
        /// The name of the action.
        #[serde(rename = "type")]
        name: String,
        /// What it is about, by the names of the view: by target, or in order.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        targets: Value,
        /// Further choices by name: modes, amounts, the card it is taken with (`card`, `host`).
        #[serde(default, skip_serializing_if = "Value::is_null")]
        params: Value,
    },
}

/// One thing dragged onto another, both by the names of the view: `#3`, `p0`, `p0.hand`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// What is dragged.
    pub what: String,
    /// Where it is dropped.
    pub onto: String,
}

/// What the server sends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum ServerFrame {
    /// Answers `hello`.
    #[serde(rename = "welcome", rename_all = "camelCase")]
    Welcome {
        /// The version of this protocol.
        protocol: u32,
        /// The server's clock, milliseconds since 1970.
        server_time: i64,
        /// The account, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<String>,
        /// The match that is followed from here on.
        #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
        following: Option<Box<Following>>,
        /// What is taken at most.
        limits: Limits,
    },
    /// What happened in one step of the match. There is one such frame for each version.
    #[serde(rename = "event.appended", rename_all = "camelCase")]
    EventAppended {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The viewer's own version, one more than that of the frame before.
        version: u64,
        /// The events the viewer may see, in order: `n`, `event`, `cause`, `payload`.
        events: Vec<Value>,
        /// What else there is to know.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notices: Vec<Notice>,
        /// Whether the view changes by it. Then the `state.delta` of this version follows, and only who has that has the
        /// version: if the connection breaks in between, ask for what came after the one before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        changes_view: bool,
    },
    /// How the view changes by it.
    #[serde(rename = "state.delta", rename_all = "camelCase")]
    StateDelta {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version the view has then.
        version: u64,
        /// An RFC 6902 patch.
        patch: Vec<Value>,
        /// Hash of the patched view: 16 hex digits.
        hash: String,
    },
    /// All questions that are open for the viewer now.
    #[serde(rename = "pending.input", rename_all = "camelCase")]
    PendingInput {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version they belong to.
        version: u64,
        /// The questions, with options and deadlines.
        prompts: Vec<Value>,
        /// Whether the seat passes by itself, if it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auto: Option<Value>,
        /// Time left in the banks of the seats, if they have any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        banks: Vec<Bank>,
        /// Whether the match and its clocks stand until a moderator lets them go on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        paused: bool,
    },
    /// Who else is asked, as far as that is no secret.
    #[serde(rename = "priority.changed", rename_all = "camelCase")]
    PriorityChanged {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The version it belongs to.
        version: u64,
        /// The others that are asked: `seat` and `kind`.
        others: Vec<Value>,
    },
    /// A seat has come or gone. Not part of the match.
    #[serde(rename = "presence", rename_all = "camelCase")]
    Presence {
        /// The match.
        #[serde(rename = "match")]
        match_id: String,
        /// The seats that have a connection.
        connected: Vec<u8>,
    },
    /// A command was taken, and is kept.
    #[serde(rename = "ack", rename_all = "camelCase")]
    Ack {
        /// Which command.
        command_id: String,
        /// The version the viewer had then.
        version: u64,
        /// What was asked for, if something was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
    /// A command was refused, or a frame was no good. Nothing has changed.
    #[serde(rename = "error", rename_all = "camelCase")]
    Error {
        /// Which command, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command_id: Option<String>,
        /// What is wrong.
        problem: Problem,
    },
    /// A match has been found for the account, or one it has a seat in has begun.
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
pub struct Following {
    /// The match.
    pub id: String,
    /// The seat; nothing for those who look on.
    pub seat: Option<u8>,
    /// The viewer's version.
    pub version: u64,
    /// Hash of the rules.
    pub ruleset_hash: String,
    /// The ruleset's id.
    pub ruleset: String,
    /// The ruleset's version.
    pub ruleset_version: String,
    /// Hash of the seed, which is made known at the end.
    pub seed_commitment: String,
    /// Who sits where.
    pub seats: Vec<Seated>,
    /// The whole view, unless what followed `since` comes instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Value>,
    /// Hash of the view at that version.
    pub hash: String,
}

/// Who sits on a seat.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Seated {
    /// The seat.
    pub seat: u8,
    /// The name of who sits there.
    pub name: String,
    /// The kind of bot, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
}

/// Time left in a seat's bank.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bank {
    /// The seat.
    pub seat: u8,
    /// Milliseconds left.
    pub left_ms: i64,
    /// If it is running: since when, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_since: Option<i64>,
}

/// Something a viewer is told that is no event of the game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "notice", rename_all = "snake_case")]
pub enum Notice {
    /// Something was taken back; the view shows the match without it.
    TakenBack {
        /// Who took back.
        by: u8,
    },
    /// A seat would like to take something back; the viewer may agree or decline.
    WouldTakeBack {
        /// Who would.
        by: u8,
    },
    /// It is not taken back.
    NotTakenBack {
        /// Who would have.
        by: u8,
    },
    /// What the seat sent ahead no longer fits, and is forgotten.
    AheadForgotten,
}

/// What is taken at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Bytes of a frame.
    pub frame_bytes: usize,
    /// Levels of lists and objects in a frame.
    pub depth: usize,
    /// Frames in a second, over some time.
    pub frames_per_second: u32,
}
