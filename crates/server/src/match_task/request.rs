//! Requests to a match task.

use std::time::Duration;

use intermezzo_engine::{Datum, Viewer};
use intermezzo_matchfile::to_json;
use intermezzo_program::Seat;
use intermezzo_protocol::resources::Answers;
use intermezzo_protocol::{ClientFrame, Code, Control, Problem, SubmittedAction, WireVersion, json};
use intermezzo_session::Command;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Span;

use super::resolve::parse_datum;
use crate::connections::outbox::{Outbox, SeenQuestions};

/// A request to a match task.
#[derive(Debug)]
pub(crate) enum MatchRequest {
    /// A command of a player or moderator.
    Command(Box<MatchCommand>),
    /// A read-only query.
    Query(Box<QueryRequest>),
    /// A connection starts to follow the match.
    Follow(Box<MatchFollower>),
    /// A connection stops following.
    Unfollow { connection: u64 },
    /// A deadline may be due.
    Wake {
        /// Due time that the store had; `None` if it was not asked.
        stored: Option<i64>,
    },
    /// Another server may have written rows.
    NewRows {
        /// Version of the last row.
        version: u64,
    },
    /// The server stops: save and unload.
    Drain {
        /// Notified when that is done.
        done: oneshot::Sender<()>,
    },
}

impl MatchRequest {
    /// Returns a span for the work of the match task on this request, within the span of the request's sender.
    pub(crate) fn span(&self) -> Span {
        let sender = match self {
            MatchRequest::Command(command) => &command.span,
            MatchRequest::Query(query) => &query.span,
            _ => return Span::none(),
        };
        tracing::debug_span!(parent: sender, "match")
    }
}

/// A command with its sender.
#[derive(Debug)]
pub(crate) struct MatchCommand {
    /// Seat of the sender; `None` for moderators.
    pub(crate) seat: Option<Seat>,
    /// Number of the account.
    pub(crate) account: u128,
    pub(crate) is_moderator: bool,
    /// Id chosen by the client; empty without one.
    pub(crate) id: String,
    /// Version that the client has seen.
    pub(crate) branch: Option<u64>,
    pub(crate) body: CommandBody,
    pub(crate) reply: CommandReply,
    /// Span of the frame or HTTP request that contains it.
    pub(crate) span: Span,
    pub(crate) received_at: Instant,
}

/// Time that a command may wait after its sender has disconnected.
const ABANDONED_AFTER: Duration = Duration::from_millis(200);

impl MatchCommand {
    /// Returns true if the sender has disconnected and the command has waited long.
    ///
    /// The sender may be connected elsewhere by now and have sent it again. If it was refused there, it must not take effect
    /// later.
    pub(crate) fn is_abandoned(&self) -> bool {
        let is_gone = match &self.reply {
            CommandReply::Frame(outbox) | CommandReply::Message(outbox) => outbox.is_closed(),
            CommandReply::Call(caller) => caller.is_closed(),
        };
        is_gone && self.received_at.elapsed() > ABANDONED_AFTER
    }
}

/// The content of a command.
#[derive(Debug)]
pub(crate) enum CommandBody {
    /// Possible meanings of the action, the most likely first.
    Act(Vec<SubmittedAction>),
    /// An answer or a draft.
    Player(Command),
    /// One of the ruleset's own messages.
    Message {
        name: String,
        body: Datum,
        /// The last question that the client had received for certain when it sent this.
        seen: SeenQuestions,
    },
    Control(Control),
}

/// A command as a frame contains it.
#[derive(Debug)]
pub(crate) struct FrameCommand {
    /// Id chosen by the client.
    pub(crate) id: String,
    /// Version that the client has seen.
    pub(crate) branch: Option<u64>,
    pub(crate) body: CommandBody,
}

impl FrameCommand {
    /// Reads the command in a frame; `None` if the frame contains something else.
    pub(crate) fn from_frame(frame: ClientFrame) -> Option<Result<FrameCommand, Problem>> {
        let read_answers = |answers: Answers| parse_datum(&answers.into_answers().map_err(malformed)?);
        let (id, branch, body) = match frame {
            ClientFrame::ActionSubmit { command_id, branch_id, action, .. } => {
                (command_id, branch_id, action.interpretations().map(CommandBody::Act).map_err(malformed))
            }
            ClientFrame::InputSubmit {
                command_id,
                input_id,
                answers,
                activate,
                target_id,
                branch_id,
                ..
            } => {
                let answers = read_answers(Answers { answers, activate, target_id });
                (
                    command_id,
                    branch_id,
                    answers.map(|answer| CommandBody::Player(Command::Answer { question: input_id, answer })),
                )
            }
            ClientFrame::InputDraft { command_id, input_id, answers, .. } => {
                let answers = parse_datum(&answers);
                let draft = |answer| CommandBody::Player(Command::Draft { question: input_id, answer });
                (command_id, None, answers.map(draft))
            }
            ClientFrame::SystemControl { command_id, control, branch_id, .. } => {
                (command_id, branch_id, Ok(CommandBody::Control(control)))
            }
            _ => return None,
        };
        Some(body.map(|body| FrameCommand { id, branch, body }))
    }
}

/// Reports a mistake in the form of a frame.
fn malformed(problem: Problem) -> Problem {
    Problem::new(Code::Malformed, problem.detail)
}

impl CommandBody {
    /// Returns a digest of the content, to detect another command under the same id.
    pub(crate) fn digest(&self) -> u64 {
        let content = match self {
            CommandBody::Act(meanings) => {
                let kind = std::iter::once(json!("act"));
                let parts = kind.chain(meanings.iter().map(|action| json!(action)));
                parts.collect::<serde_json::Value>().to_string()
            }
            CommandBody::Player(Command::Answer { question, answer }) => {
                content_of_answers("answer", *question, answer)
            }
            CommandBody::Player(Command::Draft { question, answer }) => {
                content_of_answers("draft", *question, answer)
            }
            // Clients send nothing else in this form.
            CommandBody::Player(other) => format!("{other:?}"),
            CommandBody::Message { name, body, .. } => json!(["message", name, to_json(body)]).to_string(),
            CommandBody::Control(control) => json!(["control", control]).to_string(),
        };
        let hash = blake3::hash(content.as_bytes());
        hash.as_bytes()[..8].try_into().map_or(0, u64::from_le_bytes)
    }
}

fn content_of_answers(kind: &str, input: u32, answers: &Datum) -> String {
    let mut text = format!("[\"{kind}\",{input},");
    json::write(answers, &mut text);
    text.push(']');
    text
}

/// The destination of a command's outcome.
#[derive(Debug)]
pub(crate) enum CommandReply {
    /// A connection with standard frames.
    Frame(Outbox),
    /// A connection with custom messages, which receives only rejections.
    Message(Outbox),
    /// An HTTP request.
    Call(oneshot::Sender<Result<u64, Problem>>),
}

/// A query with its viewer.
#[derive(Debug)]
pub(crate) struct QueryRequest {
    pub(crate) viewer: Viewer,
    pub(crate) query: MatchQuery,
    /// Receiver of the result, in JSON.
    pub(crate) reply: oneshot::Sender<Result<String, Problem>>,
    /// Span of the frame or HTTP request that contains it.
    pub(crate) span: Span,
}

/// A read-only query.
#[derive(Clone, Debug)]
pub(crate) enum MatchQuery {
    /// The view with its version and hash.
    View,
    /// The open prompts.
    Prompts,
    /// The possible actions, and the reasons why others are not possible.
    Actions,
    /// The possible continuations of a partial path.
    Path { input: u32, so_far: Vec<Datum> },
}

/// A connection that follows a match.
#[derive(Clone, Debug)]
pub(crate) struct MatchFollower {
    pub(crate) viewer: Viewer,
    pub(crate) outbox: Outbox,
    /// Version that the client has.
    pub(crate) since: Option<u64>,
    /// Start of its `welcome` frame, as JSON without closing brace.
    pub(crate) greeting: String,
    /// Version of the frames it reads.
    pub(crate) wire: WireVersion,
    /// True for custom messages in place of frames.
    pub(crate) uses_custom_messages: bool,
    /// True if the connection makes its seat count as connected.
    pub(crate) counts_as_present: bool,
}

impl MatchFollower {
    /// Returns the viewer and the version of the frames it reads.
    pub(crate) fn frame_reader(&self) -> (Viewer, WireVersion) {
        (self.viewer, self.wire)
    }

    /// Returns the seat that counts as connected through it.
    pub(crate) fn present_seat(&self) -> Option<Seat> {
        match self.viewer {
            Viewer::Seat(seat) if self.counts_as_present => Some(seat),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_stay_the_same_across_versions() {
        let answers = Datum::List(vec![
            Datum::Null,
            Datum::Int(-3),
            Datum::Bool(true),
            Datum::Map(vec![
                ("b".into(), Datum::text("\"\u{1f}\n\u{7f}ü")),
                ("a".into(), Datum::List(vec![])),
            ]),
        ]);
        let earlier = serde_json::json!(["answer", 7, to_json(&answers)]).to_string();
        let earlier = blake3::hash(earlier.as_bytes()).as_bytes()[..8].try_into().map(u64::from_le_bytes);
        let command = Command::Answer { question: 7, answer: answers };
        assert_eq!(CommandBody::Player(command).digest(), earlier.unwrap());
    }
}
