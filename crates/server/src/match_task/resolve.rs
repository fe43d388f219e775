//! Resolution of commands into session entries.

use intermezzo_engine::{Datum, Input, LeaveCause, MessageError, PassUntil, ReceivedMessage};
use intermezzo_matchfile::from_json;
use intermezzo_program::{IncomingMessage, MessageDirection, Seat, native};
use intermezzo_protocol::{AutoPassUntil, Code, Control, PotDistribution, Problem, SubmittedAction};
use intermezzo_session::{Command, QueuedAnswer, SessionEntry};
use serde_json::{Value, json};

use super::fold::MatchState;
use super::request::{CommandBody, MatchCommand};
use super::row::RowKind;
use crate::connections::outbox::SeenQuestions;
use crate::problem_mapping;

/// Resolves a command into the kind of its row, if its sender may issue it.
pub(crate) fn resolve_command(state: &mut MatchState, command: &MatchCommand) -> Result<RowKind, Problem> {
    if let CommandBody::Control(control) = &command.body
        && let Some(resolved) = resolve_moderation(state, control)
    {
        let may = command.is_moderator;
        return if may {
            resolved
        } else {
            Err(Problem::new(Code::NotAllowed, "only moderators without a seat in the match may do that"))
        };
    }
    if state.clocks.is_paused() {
        return Err(Problem::new(Code::Paused, "the match is paused; a moderator will review it"));
    }
    let Some(seat) = command.seat else {
        return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
    };
    if let Some(branch) = command.branch.filter(|_| needs_current_version(&command.body)) {
        let version = state.session.version(intermezzo_engine::Viewer::Seat(seat));
        if branch != version {
            let detail = format!("the match has changed; its version is now {version}");
            return Err(Problem::new(Code::Stale, detail).with("branchId", version));
        }
    }
    resolve_player_command(state, seat, &command.body).map(RowKind::Entry)
}

/// Returns true if the command requires the sender's version to be current. Answers do not: they are valid as
/// long as their prompt is open.
fn needs_current_version(body: &CommandBody) -> bool {
    matches!(body, CommandBody::Act(_) | CommandBody::Control(_))
}

fn resolve_player_command(
    state: &mut MatchState,
    seat: Seat,
    body: &CommandBody,
) -> Result<SessionEntry, Problem> {
    let resolved = match body {
        CommandBody::Player(command) => state.session.resolve(seat, command),
        CommandBody::Act(meanings) => {
            let meanings = meanings.iter().map(action_command).collect::<Result<Vec<_>, Problem>>()?;
            state.session.resolve_first(seat, &meanings)
        }
        CommandBody::Message { name, body, seen } => {
            let entry = resolve_custom_message(state, seat, name, body)?;
            check_is_in_time(state, name, body, seen, &entry)?;
            return Ok(entry);
        }
        CommandBody::Control(control) => state.session.resolve(seat, &control_command(control)?),
    };
    resolved.map_err(|refusal| problem_mapping::refusal_problem(&mut state.session, Some(seat), &refusal))
}

/// Returns the command for one meaning of an action.
fn action_command(meaning: &SubmittedAction) -> Result<Command, Problem> {
    Ok(match meaning {
        SubmittedAction::Drag { direct_manipulation: drag } => {
            Command::Drag { what: drag.what.clone(), onto: drag.onto.clone() }
        }
        SubmittedAction::Named { name, targets, params } => {
            let action = json!({"type": name, "targets": targets, "params": params});
            Command::Act { action: parse_datum(&action)? }
        }
    })
}

/// Resolves one of the ruleset's own messages.
fn resolve_custom_message(
    state: &mut MatchState,
    seat: Seat,
    name: &str,
    body: &Datum,
) -> Result<SessionEntry, Problem> {
    match state.session.read_message(seat, name, body) {
        Ok(ReceivedMessage::Input(input)) => Ok(SessionEntry::Input(input)),
        Ok(ReceivedMessage::JoinQueue | ReceivedMessage::LeaveQueue) => {
            Err(Problem::new(Code::Closed, "you are already in a match"))
        }
        Err(unread) => {
            let code = match unread {
                MessageError::NoSuchMessage
                | MessageError::MissingKey { .. }
                | MessageError::UnknownKey { .. } => Code::Malformed,
                MessageError::NotAsked { .. } | MessageError::WrongQuestion { .. } => Code::Closed,
                MessageError::Rejected(_) => Code::Illegal,
            };
            Err(Problem::new(code, unread.to_string()).with("reason", unread.name()))
        }
    }
}

/// Rejects an answer that names no question if it may be meant for an earlier one than is open now: it was sent before the
/// client had received that, or so soon after it that nobody can have read it, while the one before is unanswered.
fn check_is_in_time(
    state: &MatchState,
    name: &str,
    body: &Datum,
    seen: &SeenQuestions,
    entry: &SessionEntry,
) -> Result<(), Problem> {
    let SessionEntry::Input(Input::Answer { input, .. } | Input::Draft { input, .. }) = entry else {
        return Ok(());
    };
    let names_question =
        match state.session.game().program().message_named(name).map(|found| &found.direction) {
            Some(MessageDirection::In(
                IncomingMessage::Answers { fences, .. } | IncomingMessage::Drafts { fences, .. },
            )) => fences.iter().any(|fence| body.get(&fence.key).is_some()),
            _ => false,
        };
    let is_doubtful = seen.doubtful.contains(&input.0);
    let is_early = seen.last.is_some_and(|seen| seen < input.0);
    if names_question || !(is_early || is_doubtful) {
        return Ok(());
    }
    let detail = match is_early {
        true => "this was sent before the current question arrived, so it is for an earlier one",
        false => {
            "this came so soon after the question that it may be for the one before; send it again, or say for which it is"
        }
    };
    Err(Problem::new(Code::Closed, detail).with("reason", "wrong_question"))
}

/// Returns the command for a control of a player.
fn control_command(control: &Control) -> Result<Command, Problem> {
    Ok(match control {
        Control::Concede {} => Command::Leave { cause: LeaveCause::Concede },
        Control::Undo {} => Command::Undo,
        Control::Consent { agree: true } => Command::AgreeToUndo,
        Control::Consent { agree: false } => Command::DeclineUndo,
        Control::AutoPass { until, stops } => {
            let until = match until {
                AutoPassUntil::Off => PassUntil::Off,
                AutoPassUntil::Turn => PassUntil::TurnEnds,
                AutoPassUntil::Always => PassUntil::Always,
            };
            Command::AutoPass { until, stops: *stops }
        }
        Control::Ahead { answers } => {
            let read = |ahead: &intermezzo_protocol::PreSentAnswer| {
                Ok(QueuedAnswer::new(ahead.question.clone(), parse_datum(&ahead.answer)?))
            };
            Command::PreSend { answers: answers.iter().map(read).collect::<Result<_, Problem>>()? }
        }
        Control::Teach {} => Command::StartTutorial,
        Control::Kick { .. } | Control::Moderate { .. } | Control::Pause { .. } | Control::Resume { .. } => {
            return Err(Problem::new(Code::NotAllowed, "only moderators may do that"));
        }
    })
}

/// Converts JSON to an engine value, which has no fractions.
pub(crate) fn parse_datum(value: &Value) -> Result<Datum, Problem> {
    from_json(value).ok_or_else(|| Problem::new(Code::Malformed, "numbers must be integers"))
}

/// Resolves a moderator's command; `None` for players' commands.
fn resolve_moderation(state: &MatchState, control: &Control) -> Option<Result<RowKind, Problem>> {
    let resolved = match control {
        Control::Kick { seat, .. } => {
            RowKind::Entry(SessionEntry::Input(Input::Leave { seat: Seat(*seat), cause: LeaveCause::Kicked }))
        }
        Control::Moderate { winners, pot, .. } => {
            let pot = match pot {
                PotDistribution::Winners => native::POT_WINNERS,
                PotDistribution::Split => native::POT_SPLIT,
                PotDistribution::Burn => native::POT_BURN,
                PotDistribution::Refund => native::POT_REFUND,
            };
            let winners = winners.iter().copied().map(Seat).collect();
            RowKind::Entry(SessionEntry::Input(Input::Moderate { winners, pot }))
        }
        Control::Pause { .. } if state.clocks.is_paused() => {
            return Some(Err(Problem::new(Code::Paused, "the match is already paused")));
        }
        Control::Pause { reason } => RowKind::Paused(reason.clone()),
        Control::Resume { .. } if !state.clocks.is_paused() => {
            return Some(Err(Problem::new(Code::Closed, "the match is not paused")));
        }
        Control::Resume { .. } => RowKind::Resumed,
        _ => return None,
    };
    Some(Ok(resolved))
}

/// Returns true if only moderators may issue the command.
pub(crate) fn is_moderation(control: &Control) -> bool {
    matches!(
        control,
        Control::Kick { .. } | Control::Moderate { .. } | Control::Pause { .. } | Control::Resume { .. }
    )
}
