//! Taking back: alone where nobody has learned or done anything since, with the others' consent otherwise.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, LeaveCause, Seed, Setup};
use intermezzo_journal::{MatchFile, Problem, Recorder, UndoRefusal};
use intermezzo_ruleset::{Program, Seat};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// What a player can do: 0 add a point, 1 roll, 2 turn over a card, 3 peek, 4 let both bid in secret, 5 hand over.
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
    Recorder::start(&program(), &setup).expect("the match begins")
}

fn answer(recorder: &mut Recorder, seat: Seat, pick: i32) {
    let pending = recorder.playing().pending().find(|pending| pending.seat() == seat);
    let input = pending.expect("the seat is asked").id();
    let input = Input::Answer { input, seat, answer: Answer::Picks(vec![pick]) };
    recorder.submit(&input).expect("the answer is good");
}

fn needs(recorder: &Recorder, seat: Seat) -> Vec<Seat> {
    recorder.undo_of(seat).expect("something can be taken back").needs
}

#[test]
fn what_nobody_could_learn_from_is_taken_back_alone() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 0);
    let before = recorder.playing().state_hash();
    answer(&mut recorder, FIRST, 0);
    let after = recorder.file().clone();

    let undo = recorder.undo(FIRST, &[]).expect("nobody has learned anything");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    assert_eq!(recorder.playing().state_hash(), before);
    answer(&mut recorder, FIRST, 0);
    assert_eq!(recorder.file().inputs, after.inputs, "the same answer leads to the same log");
    assert_eq!(recorder.file().branches.len(), 1, "what was taken back is kept");
}

#[test]
fn chance_cards_and_peeks_need_consent() {
    for deed in [1, 2, 3] {
        let mut recorder = begin();
        answer(&mut recorder, FIRST, deed);
        assert_eq!(needs(&recorder, FIRST), [SECOND], "deed {deed}");
        let before = recorder.playing().state_hash();
        let refused = recorder.undo(FIRST, &[FIRST]).expect_err("the other must agree");
        assert_eq!(refused, UndoRefusal::NeedsConsent { of: vec![SECOND] });
        assert_eq!(recorder.playing().state_hash(), before, "nothing has changed");
        recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
        assert_eq!(recorder.playing().inputs_taken(), 0);
        assert_eq!(recorder.file().branches[0].agreed, [1]);
    }
}

#[test]
fn what_others_have_done_since_needs_consent() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 5);
    assert_eq!(needs(&recorder, FIRST), [], "the other has not done anything yet");
    answer(&mut recorder, SECOND, 0);
    assert_eq!(needs(&recorder, FIRST), [SECOND]);
    assert_eq!(needs(&recorder, SECOND), [], "one's own is the last");
    recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
    assert_eq!(recorder.playing().inputs_taken(), 0, "all since then is taken back");
}

#[test]
fn a_secret_answer_is_taken_back_while_others_think() {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, FIRST, 2);
    let undo = recorder.undo(FIRST, &[]).expect("it is still a secret");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    answer(&mut recorder, FIRST, 2);

    // Now the other has answered a question of their own, and it stays answered.
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, SECOND, 0);
    assert!(recorder.undo(SECOND, &[]).is_ok(), "whoever answers may think again");
    answer(&mut recorder, SECOND, 1);
    answer(&mut recorder, FIRST, 0);
    assert_eq!(recorder.playing().pending().count(), 1, "both have answered");
    assert_eq!(needs(&recorder, FIRST), [SECOND], "the bids are known");
}

#[test]
fn the_answers_of_others_stay_when_one_thinks_again() {
    let mut recorder = begin_with(3);
    answer(&mut recorder, FIRST, 4);
    answer(&mut recorder, FIRST, 0);
    answer(&mut recorder, Seat(2), 1);
    let undo = recorder.undo(FIRST, &[]).expect("the second still thinks");
    assert_eq!((undo.number, undo.inputs), (2, 1));
    let asked: Vec<Seat> = recorder.playing().pending().map(|pending| pending.seat()).collect();
    assert_eq!(asked, [FIRST, SECOND], "the third has answered");
    assert_eq!(recorder.file().branches[0].inputs.len(), 2, "the old order of arrival is kept");
    recorder.file().verify(&program()).expect("both lines are true");
}

#[test]
fn there_are_things_nobody_takes_back() {
    let mut recorder = begin();
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::NothingToUndo));
    assert_eq!(recorder.undo(Seat(7), &[]), Err(UndoRefusal::NoSuchSeat { seat: Seat(7) }));
    answer(&mut recorder, FIRST, 0);
    recorder
        .submit(&Input::Leave { seat: SECOND, cause: LeaveCause::Disconnect })
        .expect("one may always leave");
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::SeatGone));
    recorder
        .submit(&Input::Moderate { winners: vec![], pot: intermezzo_ruleset::native::POT_REFUND })
        .expect("a moderator may always end it");
    assert_eq!(recorder.undo(FIRST, &[]), Err(UndoRefusal::MatchOver));
}

/// Plays 0, 0, takes one back, plays 2, takes back all, plays 5.
fn branched() -> Recorder {
    let mut recorder = begin();
    answer(&mut recorder, FIRST, 0);
    answer(&mut recorder, FIRST, 0);
    recorder.undo(FIRST, &[]).expect("nobody has learned anything");
    answer(&mut recorder, FIRST, 2);
    recorder.undo(FIRST, &[SECOND]).expect("the other agrees");
    recorder.undo(FIRST, &[]).expect("nobody has learned anything");
    answer(&mut recorder, FIRST, 5);
    recorder
}

#[test]
fn branches_are_listed_replayed_and_compared() {
    let recorder = branched();
    let file = recorder.file();
    let lengths = |branch| file.line(branch).map(|line| line.len());
    assert_eq!([None, Some(0), Some(1), Some(2)].map(lengths), [Some(1), Some(2), Some(2), Some(1)]);
    assert_eq!(lengths(Some(3)), None, "there is no fourth");
    assert_eq!(file.common(Some(0), Some(1)), Some(1), "both begin with a point");
    assert_eq!(file.common(None, Some(0)), Some(0));
    let verified = file.verify(&program()).expect("branches tell the truth, too");
    assert_eq!((verified.inputs, verified.taken_back), (1, 3));
}

#[test]
fn a_branch_that_lies_is_found() {
    let recorder = branched();
    let mut file = recorder.file().clone();
    file.branches[1].inputs[0].events.pop();
    let mismatch = file.verify(&program()).expect_err("an event is missing");
    assert_eq!(mismatch.place.branch, Some(1));
    assert!(mismatch.to_string().starts_with("branch 2, input 2"), "{mismatch}");

    let mut file = recorder.file().clone();
    file.branches[0].parent = Some(0);
    let mismatch = file.verify(&program()).expect_err("no branch leaves itself");
    assert!(matches!(*mismatch.problem, Problem::BadInput { .. }), "{mismatch}");
}

#[test]
fn who_took_back_and_who_agreed_cannot_be_changed() {
    let recorder = branched();
    let lie = |change: fn(&mut MatchFile)| {
        let mut file = recorder.file().clone();
        change(&mut file);
        file.verify(&program()).expect_err("the file lies about who took back").to_string()
    };
    let said = lie(|file| file.branches[1].by = 1);
    assert!(said.starts_with("branch 2, input 2, `by`: that seat could take nothing back"), "{said}");
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
fn a_match_goes_on_from_any_point() {
    let recorder = branched();
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).expect("it was written just now");
    let mut resumed = Recorder::resume(&file, &program()).expect("the file tells the truth");
    assert_eq!(resumed.file(), &file);
    answer(&mut resumed, SECOND, 0);

    let fork = file.fork(Some(0), 1).expect("the branch has an input");
    let mut other = Recorder::resume(&fork, &program()).expect("a fork is a match of its own");
    assert_eq!(other.playing().inputs_taken(), 1);
    answer(&mut other, FIRST, 1);
    other.file().verify(&program()).expect("a fork is a match like any other");
    let over = Input::Moderate { winners: vec![], pot: intermezzo_ruleset::native::POT_REFUND };
    other.submit(&over).expect("a moderator may always end it");
    let whole = other.file().fork(None, 3).expect("it has three inputs");
    let whole = Recorder::resume(&whole, &program()).expect("a fork may reach the end");
    assert!(whole.playing().is_over());
    assert!(file.fork(Some(0), 3).is_err(), "it has only two inputs");
    assert!(file.fork(Some(9), 0).is_err(), "there is no such branch");
}
