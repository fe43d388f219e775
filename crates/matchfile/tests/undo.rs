//! Undo: alone if nothing was revealed or done since, otherwise with consent.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, LeaveCause, Seed, Setup};
use intermezzo_matchfile::{MatchFile, MismatchKind, Recorder, UndoRefusal};
use intermezzo_program::{Program, Seat};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// Options of a player: 0 add a point, 1 roll, 2 turn over a card, 3 peek, 4 let both bid in secret, 5 end the
/// turn.
const RULES: &str = r#"
ir: 1
ruleset: {id: deeds, version: 0.1.0, name: Deeds, uses: [core@1]}
outcomes: [done]
players: {min: 2, max: 3, seats: 2, props: {score: {type: int, default: 0}}}
kinds: {card: {}}
zones:
  deck: {visible: none, order: list}
  table: {visible: all, order: list}
defs: {slip: {kind: card}}
setup:
  - repeat: 9
    max: 9
    do: [{create: slip, in: deck}]
procs:
  deed:
    params: {who: player, which: int}
    do:
      - switch: which
        cases:
          0: [{add: {who.score: 1}}]
          1: [{roll: 1d6, as: r}, {add: {who.score: r.total}}]
          2: [{move: deck.top, to: table}]
          3: [{choose: seen, by: who, from: deck.top(2), ask: always}]
          4:
            - {choose: bids, by: players, how: each, secret: true, from: "[1, 2, 3]"}
            - add: {who.score: "bids[who].value"}
flow:
  - repeat: 20
    as: turn
    do:
      - let: {who: "players[turn % 2]"}
      - repeat: 9
        max: 9
        label: deeds
        do:
          - {choose: which, by: who, from: "[0, 1, 2, 3, 4, 5]"}
          - if: which == 5
            then: [{exit: deeds}]
          - {deed: who, which: which}
"#;

fn program() -> Arc<Program> {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let compiled = ruleset.compile();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

fn begin() -> Recorder {
    begin_with(2)
}

fn begin_with(seats: u8) -> Recorder {
    let setup = Setup { seats, options: Vec::new(), seed: Seed::from_number(1), script: None };
    Recorder::start(&program(), &setup).expect("the match starts")
}

fn answer(recorder: &mut Recorder, seat: Seat, pick: i32) {
    let pending = recorder.game().pending().find(|pending| pending.seat() == seat);
    let input = pending.expect("the seat is asked").id();
    let input = Input::Answer { input, seat, answer: Answer::Picks(vec![pick]) };
    recorder.submit(&input).expect("the answer is valid");
}

fn needs(recorder: &Recorder, seat: Seat) -> Vec<Seat> {
    recorder.plan_undo(seat).expect("something can be undone").needs
}

#[test]
fn nothing_revealed_means_undo_without_consent() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 0);
    let before = recorder.game().state_hash();
    answer(&mut recorder, FIRST, 0);
    let after = recorder.file().clone();

    let undo = recorder.undo(FIRST, &[]).expect("nothing was revealed");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    assert_eq!(recorder.game().state_hash(), before);
    answer(&mut recorder, FIRST, 0);
    assert_eq!(recorder.file().inputs, after.inputs, "the same answer leads to the same log");
    assert_eq!(recorder.file().branches.len(), 1, "the undone input is kept");
}

#[test]
fn chance_cards_and_peeks_need_consent() {
    for deed in [1, 2, 3] {
        let mut recorder = begin();
        answer(&mut recorder, FIRST, deed);
        assert_eq!(needs(&recorder, FIRST), [SECOND], "deed {deed}");
        let before = recorder.game().state_hash();
        let refused = recorder.undo(FIRST, &[FIRST]).expect_err("the other must agree");
        assert_eq!(refused, UndoRefusal::NeedsConsent { of: vec![SECOND] });
        assert_eq!(recorder.game().state_hash(), before, "nothing has changed");
        recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
        assert_eq!(recorder.game().input_count(), 0);
        assert_eq!(recorder.file().branches[0].agreed, [1]);
    }
}

#[test]
fn later_inputs_of_others_need_consent() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 5);
    assert_eq!(needs(&recorder, FIRST), [], "the other has not done anything yet");
    answer(&mut recorder, SECOND, 0);
    assert_eq!(needs(&recorder, FIRST), [SECOND]);
    assert_eq!(needs(&recorder, SECOND), [], "its own input is the last");
    recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
    assert_eq!(recorder.game().input_count(), 0, "everything since then is undone");
}

#[test]
fn a_secret_answer_can_be_undone_while_others_think() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, FIRST, 2);
    let undo = recorder.undo(FIRST, &[]).expect("it is still a secret");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    answer(&mut recorder, FIRST, 2);

    // The other seat has answered its own question, and its answer stays.
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, SECOND, 0);
    assert!(recorder.undo(SECOND, &[]).is_ok(), "an open secret answer can be changed");
    answer(&mut recorder, SECOND, 1);
    answer(&mut recorder, FIRST, 0);
    assert_eq!(recorder.game().pending().count(), 1, "both have answered");
    assert_eq!(needs(&recorder, FIRST), [SECOND], "the bids are known");
}

#[test]
fn answers_of_others_survive_an_undo() {
    let mut recorder = begin_with(3);
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, FIRST, 0);
    answer(&mut recorder, Seat(2), 1);
    let undo = recorder.undo(FIRST, &[]).expect("the second seat has not answered");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    let asked: Vec<Seat> = recorder.game().pending().map(|pending| pending.seat()).collect();
    assert_eq!(asked, [FIRST, SECOND], "the third has answered");
    assert_eq!(recorder.file().branches[0].inputs.len(), 2, "the old order of arrival is kept");
    recorder.file().verify(&program()).expect("both lines verify");
}

#[test]
fn some_undos_are_never_allowed() {
    let mut recorder = begin();
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::NothingToUndo));
    assert_eq!(recorder.undo(Seat(7), &[]), Err(UndoRefusal::NoSuchSeat { seat: Seat(7) }));
    answer(&mut recorder, FIRST, 0);
    recorder
        .submit(&Input::Leave { seat: SECOND, cause: LeaveCause::Disconnect })
        .expect("leaving is always allowed");
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::SeatGone));
    recorder
        .submit(&Input::Moderate { winners: vec![], pot: intermezzo_program::native::POT_REFUND })
        .expect("a moderator can always end the match");
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::MatchOver));
}

/// Plays 0, 0, undoes one, plays 2, undoes all, plays 5.
fn branched() -> Recorder {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 0);
    answer(&mut recorder, FIRST, 0);
    recorder.undo(FIRST, &[]).expect("nothing was revealed");
    answer(&mut recorder, FIRST, 2);
    recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
    recorder.undo(FIRST, &[]).expect("nothing was revealed");
    answer(&mut recorder, FIRST, 5);
    recorder
}

#[test]
fn branches_are_listed_replayed_and_compared() {
    let recorder = branched();
    let file = recorder.file();
    let lengths = |branch| file.line_inputs(branch).map(|line| line.len());
    assert_eq!([None, Some(0), Some(1), Some(2)].map(lengths), [Some(1), Some(2), Some(2), Some(1)]);
    assert_eq!(lengths(Some(3)), None, "there is no fourth");
    assert_eq!(file.common_inputs(Some(0), Some(1)), Some(1), "both begin with a point");
    assert_eq!(file.common_inputs(None, Some(0)), Some(0));
    let verified = file.verify(&program()).expect("branches verify as well");
    assert_eq!((verified.inputs, verified.undone_inputs), (1, 3));
}

#[test]
fn a_falsified_branch_is_detected() {
    let recorder = branched();
    let mut file = recorder.file().clone();
    file.branches[1].inputs[0].events.pop();
    let mismatch = file.verify(&program()).expect_err("an event is missing");
    assert_eq!(mismatch.location.branch, Some(1));
    assert!(mismatch.to_string().starts_with("branch 2, input 2"), "{mismatch}");

    let mut file = recorder.file().clone();
    file.branches[0].parent = Some(0);
    let mismatch = file.verify(&program()).expect_err("a branch cannot leave itself");
    assert!(matches!(*mismatch.kind, MismatchKind::BadInput { .. }), "{mismatch}");
}

#[test]
fn the_undoing_seat_and_its_consents_cannot_be_changed() {
    let recorder = branched();
    let lie = |change: fn(&mut MatchFile)| {
        let mut file = recorder.file().clone();
        change(&mut file);
        file.verify(&program()).expect_err("the branch was changed").to_string()
    };
    let said = lie(|file| file.branches[1].by = 1);
    assert!(said.starts_with("branch 2, input 2, `by`: that seat could not undo"), "{said}");
    let said = lie(|file| file.branches[1].by = 9);
    assert!(said.contains("`by`"), "{said}");
    let said = lie(|file| file.branches[1].agreed.clear());
    assert_eq!(said, "branch 2, input 2, `agreed`: the file says [], replaying gives [1]");
    let said = lie(|file| file.branches[0].agreed.push(1));
    assert_eq!(said, "branch 1, input 2, `agreed`: the file says [1], replaying gives []");
    let said = lie(|file| file.branches[0].from = 0);
    assert!(said.starts_with("branch 1, "), "{said}");
    lie(|file| file.branches[0].parent = None);
    lie(|file| drop(file.branches.remove(2)));
}

#[test]
fn a_match_can_be_resumed_from_any_point() {
    let recorder = branched();
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).expect("it was just written");
    let mut resumed = Recorder::resume(&file, &program()).expect("the file verifies");
    assert_eq!(resumed.file(), &file);
    answer(&mut resumed, SECOND, 0);

    let fork = file.fork(Some(0), 1).expect("the branch has an input");
    let mut other = Recorder::resume(&fork, &program()).expect("a fork can be resumed");
    assert_eq!(other.game().input_count(), 1);
    answer(&mut other, FIRST, 1);
    other.file().verify(&program()).expect("a fork verifies");
    let over = Input::Moderate { winners: vec![], pot: intermezzo_program::native::POT_REFUND };
    other.submit(&over).expect("a moderator can always end the match");
    let whole = other.file().fork(None, 3).expect("it has three inputs");
    let whole = Recorder::resume(&whole, &program()).expect("a fork may reach the end");
    assert!(whole.game().is_over());
    assert!(file.fork(Some(0), 3).is_err(), "it has only two inputs");
    assert!(file.fork(Some(9), 0).is_err(), "there is no such branch");
}
