//! Questions to players and the handling of their answers.

mod common;

use common::*;
use intermezzo_engine::*;
use intermezzo_program::*;
use std::sync::Arc;

/// Question of a test; the default is a plain pick of one option.
struct QuestionSpec {
    shape: AnswerShape,
    how: AnswerMode,
    single: bool,
    options: i32,
    min: Word,
    max: Word,
    deadline: Word,
    default: Word,
    seats: &'static [i32],
    alter: fn(&mut Choice),
}

impl Default for QuestionSpec {
    fn default() -> QuestionSpec {
        QuestionSpec {
            shape: AnswerShape::Pick,
            how: AnswerMode::One,
            single: false,
            options: 4,
            min: NULL,
            max: NULL,
            deadline: NULL,
            default: NULL,
            seats: &[0],
            alter: |_| {},
        }
    }
}

/// Builds a program that asks the question, stores the answer in a property of the match, then asks player 1
/// a plain question.
fn ask(question: &QuestionSpec) -> (Arc<Program>, TypeId) {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL];
    let int = build.int();
    let choice = build.choice(question.shape, question.how, int, question.single);
    (question.alter)(build.choice_mut(choice));
    let result = build.program.choices[choice.index()].result;
    let kept = build.prop(KindId::MATCH, "kept", result, NULL);
    let plain = build.choice(AnswerShape::Pick, AnswerMode::One, int, true);
    let left = build.prop(KindId::MATCH, "left", int, 0);
    let leaves = build.routine("leaves", 0, &[], |_| {
        vec![
            Instr::Int { dst: l(0), value: 0 },
            Instr::MatchProp { dst: l(1), column: 1 },
            Instr::Int { dst: l(2), value: 1 },
            Instr::Add { dst: l(1), a: l(1), b: l(2) },
            Instr::Change { entity: l(0), prop: left, value: l(1) },
            Instr::Done {},
        ]
    });
    let name = build.symbol("leaves");
    let event = native::PLAYER_LEFT;
    build.program.reactions.push(Reaction::of_game(name, event, ReactionTiming::After, leaves));
    build.event_mut(event).after.push(ReactionId(0));
    build.flow(&[result], |_| {
        let temps = l(1);
        let mut code =
            ask_numbers(choice, l(0), question.seats, question.options, question.min, question.max, temps);
        for at in 0..code.len() {
            if matches!(code[at], Instr::Ask { .. }) {
                code[at - 2] = word_to(temps.offset(4), question.deadline);
                code[at - 1] = word_to(temps.offset(5), question.default);
            }
        }
        code.extend([
            Instr::Int { dst: l(1), value: 0 },
            Instr::Change { entity: l(1), prop: kept, value: l(0) },
        ]);
        code.extend(ask_numbers(plain, l(1), &[1], 2, NULL, NULL, l(2)));
        code.push(Instr::Done {});
        code
    });
    (build.done(), result)
}

fn kept(game: &Match, ty: TypeId) -> Datum {
    let value = game.board().column(0, 0).expect("the match has the property");
    describe(game.program(), game.board(), value, ty)
}

fn numbers(list: &[i64]) -> Datum {
    Datum::List(list.iter().map(|n| Datum::Int(*n)).collect())
}

fn rejection(outcome: Result<(), Refusal>) -> Rejection {
    match outcome {
        Err(Refusal::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    }
}

#[test]
fn picks_are_checked_in_order() {
    let (program, ty) = ask(&QuestionSpec { min: 1, max: 2, ..QuestionSpec::default() });
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    let mut reject = |picks: &[i32]| rejection(answer(&mut game, &mut log, 0, picks));
    assert_eq!(reject(&[7, 7, 7]).to_string(), "Selection 7 didn't exist in the choices");
    assert_eq!(reject(&[1, 1, 1]), Rejection::PickedTwice { pick: 1 });
    assert_eq!(reject(&[0, 1, 2]).to_string(), "Invalid number of options selected: expected 1-2, got 3");
    assert_eq!(reject(&[]), Rejection::WrongCount { expected_min: 1, expected_max: 2, got: 0 });
    let id = game.pending().next().expect("a question").id();
    let other = submit(&mut game, &mut log, id, 1, Answer::Picks(vec![0]));
    assert_eq!(rejection(other), Rejection::NotYourInput { asked: Seat(0) });
    assert_eq!(rejection(submit(&mut game, &mut log, id, 0, Answer::Pass)), Rejection::CannotPass);
    answer(&mut game, &mut log, 0, &[3, 1]).expect("legal");
    assert_eq!(kept(&game, ty), numbers(&[3, 1]));
    assert_eq!(
        rejection(submit(&mut game, &mut log, id, 0, Answer::Picks(vec![0]))),
        Rejection::InputClosed { input: id }
    );
    let never = InputId(99);
    assert_eq!(
        rejection(submit(&mut game, &mut log, never, 0, Answer::Pass)),
        Rejection::NoSuchInput { input: never }
    );
}

#[test]
fn forced_picks_are_answered_automatically() {
    let asks_first = |question: QuestionSpec| {
        let game = start(&ask(&question).0, &mut EventLog::new());
        let seat = game.pending().next().expect("someone is asked").seat();
        seat == Seat(0)
    };
    let all = || QuestionSpec { options: 2, min: 2, ..QuestionSpec::default() };
    assert!(!asks_first(all()));
    assert!(!asks_first(QuestionSpec { options: 0, max: 3, ..QuestionSpec::default() }), "nothing to pick");
    assert!(asks_first(QuestionSpec { shape: AnswerShape::Order, ..all() }), "two orders");
    assert!(asks_first(QuestionSpec { alter: |choice| choice.secret = true, ..all() }));
    assert!(asks_first(QuestionSpec { alter: |choice| choice.pass = true, ..all() }));
    assert!(asks_first(QuestionSpec { alter: |choice| choice.always_ask = true, ..all() }));
    assert!(asks_first(QuestionSpec { how: AnswerMode::Any, ..all() }));
    assert!(asks_first(QuestionSpec { shape: AnswerShape::Slots { empty: false }, max: 2, ..all() }));
}

#[test]
fn too_few_options_are_a_fault() {
    let (program, _) = ask(&QuestionSpec { options: 1, min: 2, ..QuestionSpec::default() });
    let outcome = Match::start(program, &setup(1), &mut EventLog::new());
    assert!(matches!(outcome, Err(StartError::Fault(RuleFault { code: FaultCode::NoOptions, .. }))));
}

#[test]
fn each_waits_for_all_and_reports_how() {
    let question = QuestionSpec {
        how: AnswerMode::Each,
        shape: AnswerShape::Slots { empty: true },
        max: 2,
        deadline: 1000,
        default: 0,
        seats: &[0, 1],
        alter: |choice| {
            choice.secret = true;
            choice.draft = Some(DraftPolicy::Blank);
        },
        ..QuestionSpec::default()
    };
    let (program, ty) = ask(&question);
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    let ids: Vec<InputId> = game.pending().map(|pending| pending.id()).collect();
    let draft =
        |picks: &[i32]| Input::Draft { input: ids[1], seat: Seat(1), answer: Answer::Picks(picks.to_vec()) };
    game.submit(&draft(&[2, 2, 9]), &mut log).expect("bad slots become empty");
    answer(&mut game, &mut log, 0, &[-1, 3]).expect("legal");
    assert_eq!(game.pending().count(), 1, "one has answered");
    assert_eq!(
        rejection(answer(&mut game, &mut log, 0, &[-1, 3])),
        Rejection::NoSuchInput { input: InputId(0) }
    );
    game.submit(&Input::Timeout { input: ids[1] }, &mut log).expect("the timeout resolves");
    let kept = kept(&game, ty);
    let of = |player: &str, field: &str| kept.get(player).and_then(|answer| answer.get(field)).cloned();
    assert_eq!(of("p0", "value"), Some(Datum::List(vec![Datum::Null, Datum::Int(3)])));
    assert_eq!(of("p0", "how"), Some(Datum::text("confirmed")));
    assert_eq!(of("p1", "value"), Some(Datum::List(vec![Datum::Int(2), Datum::Null])));
    assert_eq!(
        (of("p1", "how"), of("p1", "touched")),
        (Some(Datum::text("drafted")), Some(Datum::Bool(true)))
    );
}

#[test]
fn a_default_counts_when_nothing_was_drafted() {
    let question = QuestionSpec {
        how: AnswerMode::Each,
        deadline: 1000,
        default: 0,
        max: 2,
        seats: &[0],
        ..QuestionSpec::default()
    };
    let (program, ty) = ask(&question);
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    let input = game.pending().next().expect("a question").id();
    let draft = Input::Draft { input, seat: Seat(0), answer: Answer::Picks(vec![]) };
    assert_eq!(rejection(game.submit(&draft, &mut log)), Rejection::DraftsNotAccepted);
    game.submit(&Input::Timeout { input }, &mut log).expect("the timeout resolves");
    let answer = kept(&game, ty).get("p0").cloned().expect("it was asked");
    assert_eq!(answer.get("how"), Some(&Datum::text("defaulted")));
    assert_eq!(answer.get("touched"), Some(&Datum::Bool(false)));
    let next = game.pending().next().expect("the next question").id();
    assert_eq!(rejection(game.submit(&Input::Timeout { input: next }, &mut log)), Rejection::NoDeadline);
}

#[test]
fn the_first_of_any_counts() {
    let (program, ty) =
        ask(&QuestionSpec { how: AnswerMode::Any, single: true, seats: &[0, 1], ..QuestionSpec::default() });
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    let first = game.pending().next().expect("a question").id();
    answer(&mut game, &mut log, 1, &[2]).expect("legal");
    let kept = kept(&game, ty);
    assert_eq!((kept.get("actor"), kept.get("value")), (Some(&Datum::text("p1")), Some(&Datum::Int(2))));
    assert_eq!(
        rejection(submit(&mut game, &mut log, first, 0, Answer::Picks(vec![0]))),
        Rejection::InputClosed { input: first }
    );
}

#[test]
fn branches_have_their_own_picks() {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL];
    let int = build.int();
    let choice = build.choice(AnswerShape::Branches, AnswerMode::One, int, false);
    for (name, exclusive, inner) in [
        ("alone", true, BranchContent::Nothing),
        ("some", false, BranchContent::Options),
        ("never", false, BranchContent::Nothing),
        ("plain", false, BranchContent::Nothing),
    ] {
        let id = build.symbol(name);
        let branch = ChoiceBranch { id, title: TextId(0), exclusive, parent: None, inner };
        build.choice_mut(choice).branches.push(branch);
    }
    let result = build.program.choices[choice.index()].result;
    let kept_prop = build.prop(KindId::MATCH, "kept", result, NULL);
    build.flow(&[result], |_| {
        let t = |n: u16| l(1 + n);
        let mut code = vec![Instr::Open { choice }, Instr::Int { dst: t(0), value: 1 }];
        code.extend((1..22).map(|n| Instr::Const { dst: t(n % 19), index: 0 }));
        code.push(Instr::Int { dst: t(0), value: 1 });
        code.extend([Instr::Int { dst: t(2), value: 1 }, Instr::Int { dst: t(3), value: 2 }]);
        for (branch, available) in [1, 1, 0, 1].into_iter().enumerate() {
            code.push(Instr::Int { dst: t(6 + 4 * branch as u16), value: available });
        }
        code.extend([
            Instr::Range { dst: t(11), from: t(2), to: t(3) },
            Instr::Ask { choice, args: t(0) },
            Instr::Await { dst: l(0), choice },
            Instr::Int { dst: l(1), value: 0 },
            Instr::Change { entity: l(1), prop: kept_prop, value: l(0) },
            Instr::Done {},
        ]);
        code
    });
    // The flow needs more temporaries than the builder reserves.
    let flow = build.program.flow.expect("a flow");
    build.program.routines[flow.index()].registers += 20;
    let mut log = EventLog::new();
    let mut game = start(&build.done(), &mut log);
    let id = game.pending().next().expect("a question").id();
    let pending = game.pending().next().expect("a question");
    assert_eq!(pending.bounds(), (1, 2));
    // Alone; one of two; plain; one of two with plain.
    assert_eq!(pending.answer_count(), 1 + 2 + 1 + 2);
    let mut seen = Vec::new();
    for n in 0..6 {
        let mut given = Answer::Pass;
        assert!(pending.nth_answer(n, &mut given));
        assert_eq!(pending.check(&given), Ok(()));
        assert!(!seen.contains(&given));
        seen.push(given);
    }
    let mut reject = |branches: &[(u16, Vec<i32>)]| {
        rejection(submit(&mut game, &mut log, id, 0, Answer::Branches(branches.to_vec())))
    };
    assert_eq!(reject(&[(2, vec![])]), Rejection::NoSuchOption { pick: 2 });
    assert_eq!(reject(&[(0, vec![]), (3, vec![])]).to_string(), "Exclusive choice mixed with other choices");
    let none = reject(&[(1, vec![])]);
    assert_eq!(none.innermost(), &Rejection::WrongCount { expected_min: 1, expected_max: 1, got: 0 });
    submit(&mut game, &mut log, id, 0, Answer::Branches(vec![(1, vec![1]), (3, vec![])])).expect("legal");
    let Datum::List(taken) = kept(&game, result) else { panic!("a list") };
    assert_eq!(taken[0].get("id"), Some(&Datum::text("some")));
    assert_eq!(taken[0].get("selection"), Some(&numbers(&[2])));
    assert_eq!(taken[1].get("selection"), Some(&numbers(&[])));
}

#[test]
fn a_player_may_leave_in_the_middle_of_a_question() {
    let question = QuestionSpec {
        how: AnswerMode::Each,
        seats: &[0, 1],
        alter: |choice| choice.secret = true,
        ..QuestionSpec::default()
    };
    let (program, ty) = ask(&question);
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    answer(&mut game, &mut log, 0, &[1]).expect("legal");
    let before: Vec<InputId> = game.pending().map(|pending| pending.id()).collect();
    let leave = Input::Leave { seat: Seat(0), cause: LeaveCause::Disconnect };
    game.submit(&leave, &mut log).expect("accepted");
    assert_eq!(game.board().column(0, 1), Some(1), "the rules saw it");
    let after: Vec<InputId> = game.pending().map(|pending| pending.id()).collect();
    assert_eq!(before, after, "the question is the same, and the answer given still counts");
    assert_eq!(rejection(game.submit(&leave, &mut log)), Rejection::SeatGone { seat: Seat(0) });
    let restored = Match::restore(Arc::clone(&program), &game.snapshot()).expect("a snapshot");
    assert_eq!(restored.state_hash(), game.state_hash());
    answer(&mut game, &mut log, 1, &[2]).expect("legal");
    let of = |player: &str| kept(&game, ty).get(player).and_then(|answer| answer.get("value")).cloned();
    assert_eq!((of("p0"), of("p1")), (Some(numbers(&[1])), Some(numbers(&[2]))));
}

#[test]
fn a_moderator_ends_the_match() {
    let (program, _) = ask(&QuestionSpec::default());
    let mut log = EventLog::new();
    let mut game = start(&program, &mut log);
    let bad = Input::Moderate { winners: vec![], pot: native::CONCEDE };
    assert_eq!(rejection(game.submit(&bad, &mut log)), Rejection::NoSuchPot);
    game.submit(&Input::Moderate { winners: vec![Seat(1)], pot: native::POT_BURN }, &mut log)
        .expect("accepted");
    let ending = game.ending().expect("it is over");
    assert_eq!(
        (ending.outcome, ending.winners, ending.losers),
        (native::MODERATOR, vec![Seat(1)], vec![Seat(0)])
    );
    assert_eq!(game.pending().count(), 0);
}
