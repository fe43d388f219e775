//! Wishes become entries, or problems.

use intermezzo_desk::{Ahead, Entry};
use intermezzo_engine::{Datum, Input, LeaveCause, PassUntil, Received, Unread};
use intermezzo_journal::from_json;
use intermezzo_protocol::{Action, Code, Control, Pot, Problem, Until};
use intermezzo_ruleset::{Seat, native};
use serde_json::{Value, json};

use super::ask::{Command, Wish};
use super::fold::Room;
use super::row::Step;
use crate::refusing;

/// What a wish comes to.
#[derive(Debug)]
pub(crate) enum Deed {
    /// Something is taken at the desk.
    Entry(Entry),
    /// A row that does not touch the match itself.
    Note(Step),
}

/// What a command comes to, if whoever sends it may do that.
pub(crate) fn deed(room: &mut Room, command: &Command) -> Result<Deed, Problem> {
    if let Wish::Control(control) = &command.wish
        && let Some(deed) = moderators(room, control)
    {
        let may = command.is_moderator;
        return if may { deed } else { Err(Problem::new(Code::NotAllowed, "only moderators may do that")) };
    }
    if room.clocks.is_paused() {
        return Err(Problem::new(Code::Paused, "the match is paused; a moderator will look at it"));
    }
    let Some(seat) = command.seat else {
        return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
    };
    if let Some(branch) = command.branch.filter(|_| is_fenced(&command.wish)) {
        let version = room.desk.version(intermezzo_engine::Viewer::Seat(seat));
        if branch != version {
            let detail = format!("the match has gone on; look at it again (its version is {version} now)");
            return Err(Problem::new(Code::Stale, detail).with("branchId", version));
        }
    }
    players(room, seat, &command.wish).map(Deed::Entry)
}

/// Answers are good as long as their question is open; everything else only for the match as it was seen.
fn is_fenced(wish: &Wish) -> bool {
    matches!(wish, Wish::Act(_) | Wish::Control(_))
}

fn players(room: &mut Room, seat: Seat, wish: &Wish) -> Result<Entry, Problem> {
    let found = match wish {
        Wish::Answer { input, answers } => room.desk.answer(seat, *input, answers),
        Wish::Draft { input, answers } => room.desk.draft(seat, *input, answers),
        Wish::Act(Action::Drag { direct_manipulation: drag }) => room.desk.drag(seat, &drag.what, &drag.onto),
        Wish::Act(Action::Named { name, targets, params }) => {
            let action = json!({"type": name, "targets": targets, "params": params});
            room.desk.submit_action(seat, &datum(&action)?)
        }
        Wish::Message { name, body } => return received(room, seat, name, body),
        Wish::Control(control) => return own_control(seat, control),
    };
    found.map_err(|refusal| refusing::problem(&mut room.desk, Some(seat), &refusal))
}

/// What one of the ruleset's own messages means.
fn received(room: &mut Room, seat: Seat, name: &str, body: &Datum) -> Result<Entry, Problem> {
    match room.desk.read_message(seat, name, body) {
        Ok(Received::Input(input)) => Ok(Entry::Input(input)),
        Ok(Received::JoinQueue | Received::LeaveQueue) => {
            Err(Problem::new(Code::Closed, "you are in a match"))
        }
        Err(unread) => {
            let code = match unread {
                Unread::NoSuchMessage | Unread::Missing { .. } => Code::Malformed,
                Unread::NotAsked { .. } => Code::Closed,
                Unread::Rejected(_) => Code::Illegal,
            };
            Err(Problem::new(code, unread.to_string()).with("reason", unread.name()))
        }
    }
}

fn own_control(seat: Seat, control: &Control) -> Result<Entry, Problem> {
    Ok(match control {
        Control::Concede {} => Entry::Input(Input::Leave { seat, cause: LeaveCause::Concede }),
        Control::Undo {} => Entry::TakeBack { seat },
        Control::Consent { agree: true } => Entry::Agree { seat },
        Control::Consent { agree: false } => Entry::Decline { seat },
        Control::AutoPass { until, stops } => {
            let until = match until {
                Until::Off => PassUntil::Off,
                Until::Turn => PassUntil::TurnEnds,
                Until::Always => PassUntil::Always,
            };
            Entry::Input(Input::AutoPass { seat, until, stops: *stops })
        }
        Control::Ahead { answers } => {
            let read = |ahead: &intermezzo_protocol::Ahead| {
                Ok(Ahead { question: ahead.question.clone(), answer: datum(&ahead.answer)? })
            };
            Entry::Ahead { seat, answers: answers.iter().map(read).collect::<Result<_, Problem>>()? }
        }
        Control::Teach {} => Entry::Teach { seat },
        Control::Kick { .. } | Control::Moderate { .. } | Control::Pause { .. } | Control::Resume { .. } => {
            return Err(Problem::new(Code::NotAllowed, "only moderators may do that"));
        }
    })
}

/// A value as the engine reads it; it has no fractions.
pub(crate) fn datum(value: &Value) -> Result<Datum, Problem> {
    from_json(value).ok_or_else(|| Problem::new(Code::Malformed, "numbers are whole here"))
}

/// What only moderators may do; nothing for what players do.
fn moderators(room: &Room, control: &Control) -> Option<Result<Deed, Problem>> {
    let deed = match control {
        Control::Kick { seat, .. } => {
            Deed::Entry(Entry::Input(Input::Leave { seat: Seat(*seat), cause: LeaveCause::Kicked }))
        }
        Control::Moderate { winners, pot, .. } => {
            let pot = match pot {
                Pot::Winners => native::POT_WINNERS,
                Pot::Split => native::POT_SPLIT,
                Pot::Burn => native::POT_BURN,
                Pot::Refund => native::POT_REFUND,
            };
            let winners = winners.iter().copied().map(Seat).collect();
            Deed::Entry(Entry::Input(Input::Moderate { winners, pot }))
        }
        Control::Pause { .. } if room.clocks.is_paused() => {
            return Some(Err(Problem::new(Code::Paused, "the match is paused already")));
        }
        Control::Pause { reason } => Deed::Note(Step::Paused(reason.clone())),
        Control::Resume { .. } if !room.clocks.is_paused() => {
            return Some(Err(Problem::new(Code::Closed, "the match is not paused")));
        }
        Control::Resume { .. } => Deed::Note(Step::Resumed),
        _ => return None,
    };
    Some(Ok(deed))
}

/// Whether it is something only moderators do.
pub(crate) fn is_moderation(control: &Control) -> bool {
    matches!(
        control,
        Control::Kick { .. } | Control::Moderate { .. } | Control::Pause { .. } | Control::Resume { .. }
    )
}
