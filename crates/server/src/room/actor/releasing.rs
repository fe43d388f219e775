//! What leaves the task of a match, once everything before it is kept.

use axum::extract::ws::Utf8Bytes;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::Outcome;

use crate::outbox::{Farewell, Outbox};
use crate::room::ask::{Ask, Command, Looking, Reply};
use crate::wire;

/// What leaves when a row is kept.
#[derive(Debug)]
pub(super) struct Held {
    /// The version of the match then.
    pub(super) version: u64,
    pub(super) releases: Vec<Release>,
}

/// Something that leaves the task once everything before it is kept.
#[derive(Debug)]
pub(super) enum Release {
    /// Those who follow are told what a row has brought. If the row is not kept, others take its place.
    Frame(Outbox, Utf8Bytes),
    /// What has become of a command: the version its sender has, or why not.
    Outcome(Box<Command>, Result<u64, Problem>),
    /// A refusal in the ruleset's own words.
    Complaint(Box<Command>, Vec<Utf8Bytes>),
    /// What somebody sees.
    Seen(Looking, Result<String, Problem>),
}

impl Release {
    pub(super) fn deliver(self) {
        match self {
            Release::Frame(outbox, frame) => outbox.send(frame),
            Release::Outcome(command, outcome) => match command.reply {
                Reply::Frame(outbox) => outbox.send(match &outcome {
                    Ok(version) => wire::ack(&command.id, *version, None),
                    Err(problem) => wire::error(Some(&command.id), problem),
                }),
                // Whoever asked may be gone.
                Reply::Call(reply) => drop(reply.send(outcome)),
                Reply::Message(_) => {}
            },
            Release::Complaint(command, frames) => {
                if let Reply::Message(outbox) = command.reply {
                    frames.into_iter().for_each(|frame| outbox.send(frame));
                }
            }
            Release::Seen(looking, seen) => drop(looking.reply.send(seen)),
        }
    }

    /// The row this waited for has come to that outcome, or a row before it has: what is to be done again.
    pub(super) fn again(self, outcome: &Outcome) -> Option<Ask> {
        match self {
            Release::Frame(..) => None,
            Release::Seen(looking, _) => Some(Ask::Look(looking)),
            // What was refused has not happened.
            Release::Complaint(command, _) | Release::Outcome(command, Err(_)) => Some(Ask::Command(command)),
            // A command that has an id is known again if it has happened after all. One that has none must not happen twice.
            Release::Outcome(command, Ok(_)) => {
                let has_not_happened = matches!(outcome, Outcome::Conflict(_) | Outcome::DefinitelyNot(_));
                if has_not_happened || !command.id.is_empty() {
                    return Some(Ask::Command(command));
                }
                refuse(Ask::Command(command), &uncertain());
                None
            }
        }
    }
}

/// It cannot be told whether something was kept.
pub(super) fn uncertain() -> Problem {
    Problem::new(Code::Busy, "it is not certain that this was kept; send it again with the same id")
}

/// Tells whoever asks that it is not possible now.
pub(super) fn refuse(ask: Ask, problem: &Problem) {
    match ask {
        Ask::Command(command) => match command.reply {
            Reply::Message(outbox) => outbox.end(Farewell::ComeAgain),
            Reply::Frame(outbox) => outbox.send(wire::error(Some(&command.id), problem)),
            Reply::Call(reply) => drop(reply.send(Err(problem.clone()))),
        },
        Ask::Look(looking) => drop(looking.reply.send(Err(problem.clone()))),
        Ask::Follow(follower) => follower.outbox.send(wire::error(None, problem)),
        Ask::Unfollow { .. } | Ask::Wake { .. } | Ask::News { .. } => {}
        Ask::Drain { done } => drop(done.send(())),
    }
}
