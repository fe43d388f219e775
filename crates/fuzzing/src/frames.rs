//! Any text as a frame of a client or the body of a request, without a socket.
//!
//! What can be read is written and read again: it must be the same. Answers and actions go on to a desk.

use intermezzo_desk::Desk;
use intermezzo_journal::from_json;
use intermezzo_protocol::resources::{
    Answers, CreateMatch, ForkAt, JoinQueue, NewAccount, NewPassword, Object, PathSoFar, PublishRuleset,
    Ready, Rename, SeatBot, SignIn, Sit,
};
use intermezzo_protocol::{Action, ClientFrame, Control, is_too_deep};
use intermezzo_ruleset::Seat;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::tables;

/// As deep as servers take messages if nobody says otherwise.
const MAX_DEPTH: usize = 32;

/// The first byte says for which match the frame is; the rest is the frame.
pub(crate) fn frames(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    if is_too_deep(text, MAX_DEPTH) {
        return;
    }
    bodies(text);
    let Some(frame) = same_again::<ClientFrame>(text) else { return };
    let program = tables::program(*first);
    let (mut desk, _) = tables::desk(program, &tables::setup(program, *first), first % 5);
    send(&mut desk, &frame);
}

fn bodies(text: &str) {
    same_again::<NewAccount>(text);
    same_again::<SignIn>(text);
    same_again::<NewPassword>(text);
    same_again::<Rename>(text);
    same_again::<CreateMatch>(text);
    same_again::<Sit>(text);
    same_again::<Ready>(text);
    same_again::<SeatBot>(text);
    same_again::<Answers>(text);
    same_again::<Action>(text);
    same_again::<Control>(text);
    same_again::<PathSoFar>(text);
    same_again::<ForkAt>(text);
    same_again::<JoinQueue>(text);
    same_again::<PublishRuleset>(text);
}

/// What a text says, if it can be read; then writing and reading it again gives the same.
fn same_again<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) -> Option<T> {
    let Object(read) = serde_json::from_str::<Object<T>>(text).ok()?;
    let written = serde_json::to_string(&read).expect("what was read can be written");
    let Object(again) = serde_json::from_str::<Object<T>>(&written)
        .unwrap_or_else(|error| panic!("`{written}` was written and cannot be read: {error}"));
    assert_eq!(read, again, "what is written is the same");
    Some(read)
}

/// Does at a desk what the frame asks for, from each seat.
fn send(desk: &mut Desk, frame: &ClientFrame) {
    for seat in (0..desk.playing().board().seats()).map(Seat) {
        let before = desk.snapshot();
        let entry = match frame {
            ClientFrame::InputSubmit { input_id, answers, .. } => {
                from_json(answers).and_then(|answer| desk.answer(seat, *input_id, &answer).ok())
            }
            ClientFrame::InputDraft { input_id, answers, .. } => {
                from_json(answers).and_then(|answer| desk.draft(seat, *input_id, &answer).ok())
            }
            ClientFrame::ActionSubmit { action: Action::Drag { direct_manipulation }, .. } => {
                desk.drag(seat, &direct_manipulation.what, &direct_manipulation.onto).ok()
            }
            ClientFrame::ActionSubmit { action, .. } => {
                let action = serde_json::to_value(action).expect("an action can be written");
                from_json(&action).and_then(|action| desk.submit_action(seat, &action).ok())
            }
            ClientFrame::PathGet { input_id, so_far, .. } => {
                let so_far: Option<Vec<_>> = so_far.iter().map(from_json).collect();
                so_far.and_then(|so_far| desk.what_follows(seat, *input_id, &so_far).ok());
                None
            }
            ClientFrame::ActionsGet { .. } => {
                let _ = desk.actions(seat);
                None
            }
            _ => None,
        };
        assert!(desk.snapshot() == before, "asking changes nothing");
        let Some(entry) = entry else { continue };
        if desk.take(&entry, None).is_err() {
            assert!(desk.snapshot() == before, "what is refused changes nothing");
        }
    }
}

/// Something of each kind to begin with.
pub(crate) fn seeds() -> Vec<Value> {
    let texts = include_str!("frames.jsonl").lines();
    texts.map(|text| serde_json::from_str(text).expect("each line is a frame or a body")).collect()
}
