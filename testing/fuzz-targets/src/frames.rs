//! Fuzz target: any text as a client's frame or as the body of a request, without a socket.
//!
//! A parsed text must survive writing and reading again. Answers and actions are sent to a session.

use intermezzo_matchfile::from_json;
use intermezzo_program::Seat;
use intermezzo_protocol::resources::{
    Answers, CreateMatch, ForkAt, JoinQueue, JsonObject, NewAccount, NewPassword, PathSoFar, PublishRuleset,
    Ready, Rename, SeatBot, SignIn, Sit,
};
use intermezzo_protocol::{ClientFrame, Control, SubmittedAction, is_too_deep};
use intermezzo_session::{Command, Session};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::sample_matches;

/// Default limit of the server for the depth of messages.
const MAX_DEPTH: usize = 32;

/// Reads the first byte as the number of a match, and the rest as a frame for it.
pub(crate) fn frames(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    if is_too_deep(text, MAX_DEPTH) {
        return;
    }
    bodies(text);
    let Some(frame) = round_trip::<ClientFrame>(text) else { return };
    let program = sample_matches::program(*first);
    let (mut session, _) =
        sample_matches::session(program, &sample_matches::setup(program, *first), first % 5);
    send(&mut session, &frame);
}

fn bodies(text: &str) {
    round_trip::<NewAccount>(text);
    round_trip::<SignIn>(text);
    round_trip::<NewPassword>(text);
    round_trip::<Rename>(text);
    round_trip::<CreateMatch>(text);
    round_trip::<Sit>(text);
    round_trip::<Ready>(text);
    round_trip::<SeatBot>(text);
    round_trip::<Answers>(text);
    round_trip::<SubmittedAction>(text);
    round_trip::<Control>(text);
    round_trip::<PathSoFar>(text);
    round_trip::<ForkAt>(text);
    round_trip::<JoinQueue>(text);
    round_trip::<PublishRuleset>(text);
}

/// Parses a text. If that succeeds, checks that writing and reading it again produces the same value.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) -> Option<T> {
    let JsonObject(read) = serde_json::from_str::<JsonObject<T>>(text).ok()?;
    let written = serde_json::to_string(&read).expect("a parsed value can be written");
    let JsonObject(again) = serde_json::from_str::<JsonObject<T>>(&written)
        .unwrap_or_else(|error| panic!("`{written}` was written but cannot be read: {error}"));
    assert_eq!(read, again, "the value changes when it is written and read");
    Some(read)
}

/// Sends the frame to a session from each seat.
fn send(session: &mut Session, frame: &ClientFrame) {
    for seat in (0..session.game().board().seats()).map(Seat) {
        let before = session.snapshot();
        let meanings: Vec<Command> = match frame {
            ClientFrame::InputSubmit { input_id, answers, activate, target_id, .. } => {
                let answers =
                    Answers { answers: answers.clone(), activate: *activate, target_id: target_id.clone() };
                let answer = answers.into_answers().ok().and_then(|answers| from_json(&answers));
                answer.map(|answer| Command::Answer { question: *input_id, answer }).into_iter().collect()
            }
            ClientFrame::InputDraft { input_id, answers, .. } => {
                let draft = from_json(answers).map(|answer| Command::Draft { question: *input_id, answer });
                draft.into_iter().collect()
            }
            ClientFrame::ActionSubmit { action, .. } => {
                let meanings = action.clone().interpretations().unwrap_or_default();
                let command = |meaning: &SubmittedAction| match meaning {
                    SubmittedAction::Drag { direct_manipulation: drag } => {
                        Some(Command::Drag { what: drag.what.clone(), onto: drag.onto.clone() })
                    }
                    named @ SubmittedAction::Named { .. } => {
                        let action = serde_json::to_value(named).expect("an action can be written");
                        from_json(&action).map(|action| Command::Act { action })
                    }
                };
                meanings.iter().filter_map(command).collect()
            }
            ClientFrame::PathGet { input_id, so_far, .. } => {
                let so_far: Option<Vec<_>> = so_far.iter().map(from_json).collect();
                so_far.and_then(|so_far| session.next_path_options(seat, *input_id, &so_far).ok());
                Vec::new()
            }
            ClientFrame::ActionsGet { .. } => {
                let _ = session.actions(seat);
                Vec::new()
            }
            _ => Vec::new(),
        };
        let entry = session.resolve_first(seat, &meanings).ok();
        assert!(session.snapshot() == before, "resolving a frame changes the session");
        let Some(entry) = entry else { continue };
        if session.apply(&entry, None).is_err() {
            assert!(session.snapshot() == before, "a refused entry changes the session");
        }
    }
}

/// Returns a valid frame or body of each kind.
pub(crate) fn seeds() -> Vec<Value> {
    let texts = include_str!("frames.jsonl").lines();
    texts.map(|text| serde_json::from_str(text).expect("each line is JSON")).collect()
}
