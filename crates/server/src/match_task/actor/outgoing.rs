//! Outgoing items of a match task, held back until earlier rows are durable.

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::CommitOutcome;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::connections::frame_text;
use crate::connections::outbox::{CloseReason, Outbox};
use crate::match_task::request::{CommandReply, MatchCommand, MatchRequest, QueryRequest};

/// Items to send when a row is durable.
#[derive(Debug)]
pub(super) struct PendingBatch {
    /// Version of the match after the row.
    pub(super) version: u64,
    pub(super) outgoing: Vec<OutgoingItem>,
}

/// An item that is sent once all earlier rows are durable.
#[derive(Debug)]
pub(super) enum OutgoingItem {
    /// A frame for a follower. If its row is not committed, the row that replaced it is sent instead.
    Frame(Outbox, Utf8Bytes),
    /// A custom message of that name that asks a question.
    Question(Outbox, Utf8Bytes, String, u32),
    /// The outcome of a command: the sender's version after it, or a problem.
    Outcome(Box<MatchCommand>, Result<u64, Problem>),
    /// A rejection in the ruleset's own messages.
    CustomError(Box<MatchCommand>, Vec<Utf8Bytes>),
    /// The result of a query.
    QueryResult(QueryRequest, Result<String, Problem>),
}

impl OutgoingItem {
    pub(super) fn deliver(self) {
        match self {
            OutgoingItem::Frame(outbox, frame) => outbox.send(frame),
            OutgoingItem::Question(outbox, frame, message, question) => {
                outbox.send_question(frame, &message, question);
            }
            OutgoingItem::Outcome(command, outcome) => match command.reply {
                CommandReply::Frame(outbox) => outbox.send(match &outcome {
                    Ok(version) => frame_text::ack(&command.id, *version, None),
                    Err(problem) => frame_text::error(Some(&command.id), problem),
                }),
                // The caller may be gone.
                CommandReply::Call(reply) => drop(reply.send(outcome)),
                CommandReply::Message(_) => {}
            },
            OutgoingItem::CustomError(command, frames) => {
                if let CommandReply::Message(outbox) = command.reply {
                    frames.into_iter().for_each(|frame| outbox.send(frame));
                }
            }
            OutgoingItem::QueryResult(query, result) => drop(query.reply.send(result)),
        }
    }

    /// Returns the request to retry after the commit of this item's row, or of an earlier one, failed.
    pub(super) fn into_retry(self, outcome: &CommitOutcome) -> Option<MatchRequest> {
        match self {
            OutgoingItem::Frame(..) | OutgoingItem::Question(..) => None,
            OutgoingItem::QueryResult(query, _) => Some(MatchRequest::Query(Box::new(query))),
            // A rejected command has had no effect.
            OutgoingItem::CustomError(command, _) | OutgoingItem::Outcome(command, Err(_)) => {
                Some(MatchRequest::Command(command))
            }
            // A command with an id is recognized if it took effect after all. One without id must not run
            // twice.
            OutgoingItem::Outcome(command, Ok(_)) => {
                let has_not_happened =
                    matches!(outcome, CommitOutcome::Conflict(_) | CommitOutcome::NotCommitted(_));
                if has_not_happened || !command.id.is_empty() {
                    return Some(MatchRequest::Command(command));
                }
                refuse(MatchRequest::Command(command), &uncertain());
                None
            }
        }
    }
}

/// Returns the problem for a commit whose outcome is unknown.
pub(super) fn uncertain() -> Problem {
    Problem::new(Code::Busy, "the outcome is unknown; send the command again with the same id")
}

/// Answers a request with a problem.
pub(super) fn refuse(request: MatchRequest, problem: &Problem) {
    match request {
        MatchRequest::Command(command) => match command.reply {
            CommandReply::Message(outbox) => outbox.close(CloseReason::Reconnect),
            CommandReply::Frame(outbox) => outbox.send(frame_text::error(Some(&command.id), problem)),
            CommandReply::Call(reply) => drop(reply.send(Err(problem.clone()))),
        },
        MatchRequest::Query(query) => drop(query.reply.send(Err(problem.clone()))),
        MatchRequest::Follow(follower) => follower.outbox.send(frame_text::error(None, problem)),
        MatchRequest::Unfollow { .. } | MatchRequest::Wake { .. } | MatchRequest::NewRows { .. } => {}
        MatchRequest::Drain { done } => drop(done.send(())),
    }
}
