//! Requests of seats. Start with [`Session::resolve`].

use intermezzo_engine::{Datum, Input, LeaveCause, PassUntil};
use intermezzo_program::Seat;

use crate::entry::SessionEntry;
use crate::pre_sent_answers::QueuedAnswer;
use crate::refusal::SessionRefusal;
use crate::session::Session;

/// A request of a seat, in the numbers and names that it knows. Frames, requests over HTTP and the playground all become one of
/// these; the log has the [entry](SessionEntry) that follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// An answer to a question.
    Answer {
        question: u32,
        answer: Datum,
    },
    /// The answer that counts if the time runs out.
    Draft {
        question: u32,
        answer: Datum,
    },
    /// An action that is offered: `{type, targets, params}`.
    Act {
        action: Datum,
    },
    /// The drag of one entity onto another.
    Drag {
        what: String,
        onto: String,
    },
    /// Answers to the next questions.
    PreSend {
        answers: Vec<QueuedAnswer>,
    },
    /// Leaving the match.
    Leave {
        cause: LeaveCause,
    },
    /// Turning auto-pass on or off.
    AutoPass {
        until: PassUntil,
        /// Pause while something that others put there is on the stack.
        stops: bool,
    },
    /// Undoing the last answer, or asking the others for permission.
    Undo,
    AgreeToUndo,
    DeclineUndo,
    StartTutorial,
}

impl Session {
    /// Resolves a command of a seat into an entry. Nothing changes.
    ///
    /// # Errors
    ///
    /// If it is not about something that the seat may do now. Other commands than answers, drafts, actions and drags are
    /// checked when their entry is applied.
    pub fn resolve(&mut self, seat: Seat, command: &Command) -> Result<SessionEntry, SessionRefusal> {
        Ok(match command {
            Command::Answer { question, answer } => return self.resolve_answer(seat, *question, answer),
            Command::Draft { question, answer } => return self.resolve_draft(seat, *question, answer),
            Command::Act { action } => return self.resolve_action(seat, action),
            Command::Drag { what, onto } => return self.resolve_drag(seat, what, onto),
            Command::PreSend { answers } => SessionEntry::PreSend { seat, answers: answers.clone() },
            Command::Leave { cause } => SessionEntry::Input(Input::Leave { seat, cause: *cause }),
            Command::AutoPass { until, stops } => {
                SessionEntry::Input(Input::AutoPass { seat, until: *until, stops: *stops })
            }
            Command::Undo => SessionEntry::Undo { seat },
            Command::AgreeToUndo => SessionEntry::AgreeToUndo { seat },
            Command::DeclineUndo => SessionEntry::DeclineUndo { seat },
            Command::StartTutorial => SessionEntry::StartTutorial { seat },
        })
    }

    /// Resolves the first of these commands that the seat may issue now: the possible meanings of one request, the most
    /// likely first.
    ///
    /// # Errors
    ///
    /// The refusal of the first one, if none may be issued.
    pub fn resolve_first(
        &mut self,
        seat: Seat,
        meanings: &[Command],
    ) -> Result<SessionEntry, SessionRefusal> {
        let mut refused = Err(SessionRefusal::MissingActionType);
        for (place, meaning) in meanings.iter().enumerate() {
            match self.resolve(seat, meaning) {
                Err(refusal) if place == 0 => refused = Err(refusal),
                Err(_) => {}
                entry => return entry,
            }
        }
        refused
    }
}
