//! Execution of code: arithmetic, loops, calls, events, reactions, resets, guards.

mod common;

use common::*;
use intermezzo_engine::{
    Board, Cause, EventLog, Input, LeaveCause, LogFold, Match, Refusal, Rejection, RuleFault, StartError,
};
use intermezzo_program::*;

fn fault_of(locals: usize, code: impl FnOnce(u32) -> Vec<Instr>) -> Option<FaultCode> {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL, Word::MAX];
    let int = build.int();
    build.flow(&vec![int; locals], code);
    match Match::start(build.done(), &setup(1), &mut EventLog::new()) {
        Ok(_) => None,
        Err(StartError::Fault(RuleFault { code, .. })) => Some(code),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn arithmetic_is_checked() {
    let binary = |make: fn(Reg, Reg, Reg) -> Instr, a: Instr, b: Instr| {
        fault_of(3, |_| vec![a, b, make(l(2), l(0), l(1)), Instr::Done {}])
    };
    let max = |dst| Instr::Const { dst, index: 1 };
    let null = |dst| Instr::Const { dst, index: 0 };
    let one = |dst| Instr::Int { dst, value: 1 };
    let zero = |dst| Instr::Int { dst, value: 0 };
    let add = |dst, a, b| Instr::Add { dst, a, b };
    let div = |dst, a, b| Instr::Div { dst, a, b };
    let lt = |dst, a, b| Instr::Lt { dst, a, b };
    assert_eq!(binary(add, max(l(0)), one(l(1))), Some(FaultCode::Overflow));
    assert_eq!(binary(div, one(l(0)), zero(l(1))), Some(FaultCode::DivisionByZero));
    assert_eq!(binary(add, null(l(0)), one(l(1))), Some(FaultCode::Missing));
    assert_eq!(binary(lt, one(l(0)), null(l(1))), Some(FaultCode::Missing));
    assert_eq!(binary(add, one(l(0)), one(l(1))), None);
}

#[test]
fn division_rounds_down() {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL];
    let int = build.int();
    let function = build.routine("divide", 0, &[int, int], |_| {
        vec![
            Instr::Int { dst: l(0), value: -7 },
            Instr::Int { dst: l(1), value: 2 },
            Instr::Div { dst: l(2), a: l(0), b: l(1) },
            Instr::Rem { dst: l(3), a: l(0), b: l(1) },
            Instr::Int { dst: l(4), value: 100 },
            Instr::Mul { dst: l(2), a: l(2), b: l(4) },
            Instr::Add { dst: l(2), a: l(2), b: l(3) },
            Instr::Return { value: l(2) },
        ]
    });
    let choice = build.choice(AnswerShape::Pick, AnswerMode::One, int, true);
    build.flow(&[int], |_| ask_numbers(choice, l(0), &[0], 2, NULL, NULL, l(1)));
    let end = build.program.code.len() as u32;
    build.code(|_| vec![Instr::Done {}]);
    assert!(end > 0);
    let game = start(&build.done(), &mut EventLog::new());
    assert_eq!(game.evaluate(function, &[]).expect("the function runs").0, -400 + 1);
}

/// Program in which players have a score from 0 to 10. `Gained` adds a positive amount to it and then
/// increments a counter.
struct ScoreProgram {
    build: ProgramBuilder,
    gained: EventId,
    score: PropId,
    count: PropId,
}

fn scores() -> ScoreProgram {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL];
    let (int, player) = (build.int(), build.player());
    let score = build.prop(KindId::PLAYER, "score", int, 0);
    build.program.props[score.index()].max = PropBound::Word(10);
    let count = build.prop(KindId::MATCH, "count", int, 0);
    let gained = build.event("Gained", &[("player", player), ("amount", int)]);
    let routine = build.routine("events.Gained", 0, &[player, int], |_| vec![Instr::Done {}]);
    let unless = build.code(|_| {
        vec![
            Instr::Int { dst: l(2), value: 0 },
            Instr::Le { dst: l(2), a: l(1), b: l(2) },
            Instr::Return { value: l(2) },
        ]
    });
    let apply = build.code(|_| {
        vec![
            Instr::Prop { dst: l(2), entity: l(0), column: 0 },
            Instr::Add { dst: l(2), a: l(2), b: l(1) },
            Instr::Write { entity: l(0), prop: score, value: l(2) },
            Instr::Done {},
        ]
    });
    let then = build.code(|_| {
        vec![
            Instr::MatchProp { dst: l(2), column: 0 },
            Instr::Int { dst: l(3), value: 1 },
            Instr::Add { dst: l(2), a: l(2), b: l(3) },
            Instr::Int { dst: l(3), value: 0 },
            Instr::Change { entity: l(3), prop: count, value: l(2) },
            Instr::Done {},
        ]
    });
    let event = build.event_mut(gained);
    event.routine = Some(routine);
    event.unless = Some(unless);
    event.apply = Some(apply);
    event.then = Some(then);
    ScoreProgram { build, gained, score, count }
}

/// Emits `Gained` for player 0, then asks a question so that the match waits.
fn gain_and_wait(scores: &mut ScoreProgram, amounts: &[i32]) {
    let int = scores.build.int();
    let choice = scores.build.choice(AnswerShape::Pick, AnswerMode::One, int, true);
    let gained = scores.gained;
    let mut code = Vec::new();
    for amount in amounts {
        code.extend([
            Instr::Int { dst: l(1), value: 1 },
            Instr::Int { dst: l(2), value: *amount },
            Instr::Emit { dst: l(4), event: gained, args: l(1) },
            Instr::Field { dst: l(4), record: l(4), index: 2 },
        ]);
    }
    code.extend(ask_numbers(choice, l(0), &[0], 2, NULL, NULL, l(5)));
    code.push(Instr::Done {});
    scores.build.flow(&[int], |_| code);
}

fn names(game: &Match, log: &EventLog) -> Vec<String> {
    log.records().iter().map(|record| game.program().events[record.event.index()].name.clone()).collect()
}

#[test]
fn an_event_is_applied_logged_and_has_consequences() {
    let mut scores = scores();
    gain_and_wait(&mut scores, &[3, 0, 9]);
    let mut log = EventLog::new();
    let game = start(&scores.build.done(), &mut log);
    assert_eq!(names(&game, &log), ["MatchStarted", "Gained", "Changed", "Gained", "Changed"]);
    assert_eq!(game.board().column(1, 0), Some(10), "3 and 9, clamped to 10");
    assert_eq!(game.board().column(0, 0), Some(2), "the event with amount 0 was suppressed");
    assert_eq!(log.records()[2].cause, Cause::Event(2));
    assert_eq!(log.records()[1].cause, Cause::Input(0));
    assert_eq!(log.payload(&log.records()[1]), [1, 3]);
    let _ = (scores.score, scores.count);
}

#[test]
fn reactions_come_before_and_after_by_priority() {
    let mut scores = scores();
    gain_and_wait(&mut scores, &[2]);
    let (gained, score) = (scores.gained, scores.score);
    let build = &mut scores.build;
    // Before-reactions: each applies once, and a condition sees the change made by the other.
    let is_three = build.routine("is_three", 0, &[], |_| {
        vec![
            Instr::EventField { dst: l(0), event: Reg::EVENT, field: 1 },
            Instr::Int { dst: l(1), value: 3 },
            Instr::Eq { dst: l(0), a: l(0), b: l(1) },
            Instr::Return { value: l(0) },
        ]
    });
    let grow = |build: &mut ProgramBuilder, by: i32| {
        build.routine("grow", 0, &[], |_| {
            vec![
                Instr::EventField { dst: l(0), event: Reg::EVENT, field: 1 },
                Instr::Int { dst: l(1), value: by },
                Instr::Add { dst: l(0), a: l(0), b: l(1) },
                Instr::SetEventField { event: Reg::EVENT, field: 1, value: l(0) },
                Instr::Done {},
            ]
        })
    };
    let (by_one, by_two) = (grow(build, 1), grow(build, 2));
    let after = build.routine("after", 0, &[], |_| {
        vec![
            Instr::Int { dst: l(0), value: 2 },
            Instr::EventField { dst: l(1), event: Reg::EVENT, field: 1 },
            Instr::Change { entity: l(0), prop: score, value: l(1) },
            Instr::Done {},
        ]
    });
    let name = build.symbol("grows");
    let reaction = |when, priority, condition, effects| Reaction {
        priority,
        condition,
        ..Reaction::of_game(name, gained, when, effects)
    };
    build.program.reactions = vec![
        reaction(ReactionTiming::Before, 0, Some(is_three), by_two),
        reaction(ReactionTiming::Before, -1, None, by_one),
        reaction(ReactionTiming::After, 0, None, after),
    ];
    build.event_mut(gained).before = vec![ReactionId(0), ReactionId(1)];
    build.event_mut(gained).after = vec![ReactionId(2)];
    let mut log = EventLog::new();
    let program = scores.build.done();
    let game = start(&program, &mut log);
    assert_eq!(game.board().column(1, 0), Some(5), "2, then 3, which triggers the other, then 5");
    assert_eq!(game.board().column(2, 0), Some(5));
    check_fold(&program, &game, &log);
}

fn check_fold(program: &std::sync::Arc<Program>, game: &Match, log: &EventLog) {
    let mut board = Board::new(program, &setup(1)).expect("a board");
    let mut folder = LogFold::new(std::sync::Arc::clone(program));
    for record in log.records() {
        folder.fold(&mut board, log, record).expect("it folds");
    }
    assert_eq!(board.encode(program), game.board().encode(program), "folding the log gives the board");
}

#[test]
fn events_reset_properties() {
    let mut scores = scores();
    gain_and_wait(&mut scores, &[4]);
    let (gained, score) = (scores.gained, scores.score);
    let build = &mut scores.build;
    let seven = build.routine("seven", 1, &[], |_| {
        vec![Instr::Int { dst: l(1), value: 7 }, Instr::Return { value: l(1) }]
    });
    build.program.resets =
        vec![PropReset { prop: score, kind: KindId::PLAYER, concerning: vec![], condition: None, to: seven }];
    build.event_mut(gained).resets = vec![0];
    let mut log = EventLog::new();
    let program = scores.build.done();
    let game = start(&program, &mut log);
    assert_eq!((game.board().column(1, 0), game.board().column(2, 0)), (Some(7), Some(7)));
    assert_eq!(names(&game, &log), ["MatchStarted", "Gained", "Changed", "Changed", "Changed"]);
    check_fold(&program, &game, &log);
}

#[test]
fn a_flow_that_runs_out_ends_the_match() {
    let mut build = ProgramBuilder::new();
    build.flow(&[], |_| vec![Instr::Done {}]);
    let mut log = EventLog::new();
    let mut game = start(&build.done(), &mut log);
    let ending = game.ending().expect("it is over");
    assert_eq!((ending.outcome, ending.pot), (native::FINISHED, native::POT_REFUND));
    let leave = Input::Leave { seat: Seat(0), cause: LeaveCause::Concede };
    assert_eq!(game.submit(&leave, &mut log), Err(Refusal::Rejected(Rejection::MatchOver)));
}

/// Waits for a number, then runs `code`; checks that the fault changed nothing and returns its code.
fn fault_after_answer(limits: GuardLimits, code: impl FnOnce(u32) -> Vec<Instr>) -> FaultCode {
    let mut scores = scores();
    let int = scores.build.int();
    let choice = scores.build.choice(AnswerShape::Pick, AnswerMode::One, int, true);
    let ask = ask_numbers(choice, l(0), &[0], 2, NULL, NULL, l(5));
    let kind = scores.build.kind("token");
    let token = scores.build.def("token", kind);
    scores.build.program.constants.push(Word::from(token.0));
    scores.build.program.creates.push(Create { with: vec![], top: false });
    scores.build.program.limits = limits;
    scores.build.flow(&[int], |at| {
        let from = at + ask.len() as u32;
        let mut all = ask;
        all.extend(code(from));
        all
    });
    let mut log = EventLog::new();
    let program = scores.build.done();
    let mut game = start(&program, &mut log);
    let (before, log_before) = (game.snapshot(), log.clone());
    let outcome = answer(&mut game, &mut log, 0, &[1]);
    assert_eq!(game.snapshot(), before, "a fault changes nothing");
    assert_eq!(log, log_before);
    match outcome {
        Err(Refusal::Faulted(fault)) => fault.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn guards_stop_endless_rules() {
    let small = GuardLimits { steps: 1000, depth: 20, reactions: 100, events: 50, entities: 30, heap: 500 };
    let change = |at: u32| {
        vec![
            Instr::Int { dst: l(1), value: 1 },
            Instr::Int { dst: l(2), value: 1 },
            Instr::Emit { dst: Reg::NONE, event: EventId(16), args: l(1) },
            Instr::Jump { to: at },
        ]
    };
    assert_eq!(fault_after_answer(small, |at| vec![Instr::Jump { to: at }]), FaultCode::Steps);
    assert_eq!(fault_after_answer(small, change), FaultCode::Events);
    let grow = |at: u32| {
        vec![
            Instr::Int { dst: l(1), value: 0 },
            Instr::Int { dst: l(2), value: 99 },
            Instr::Range { dst: l(3), from: l(1), to: l(2) },
            Instr::Jump { to: at },
        ]
    };
    assert_eq!(fault_after_answer(small, grow), FaultCode::Memory);
    let create = |at: u32| {
        vec![
            Instr::Const { dst: l(2), index: 0 },
            Instr::Const { dst: l(3), index: 0 },
            Instr::Int { dst: l(1), value: 0 },
            Instr::Create { dst: Reg::NONE, create: CreateId(0), args: l(1) },
            Instr::Jump { to: at + 3 },
        ]
    };
    let token = |at: u32| {
        let mut code = create(at);
        code[2] = Instr::Const { dst: l(1), index: 1 };
        code
    };
    assert_eq!(fault_after_answer(GuardLimits { events: 1000, ..small }, token), FaultCode::Entities);
}

#[test]
fn calls_are_bounded() {
    let small = GuardLimits { steps: 1000, depth: 20, reactions: 100, events: 50, entities: 30, heap: 500 };
    let mut build = ProgramBuilder::new();
    build.program.limits = small;
    let id = RoutineId(0);
    build.routine("again", 0, &[], |_| {
        vec![Instr::Call { dst: l(0), routine: id, args: l(0) }, Instr::Done {}]
    });
    build.program.flow = Some(id);
    let outcome = Match::start(build.done(), &setup(1), &mut EventLog::new());
    assert!(matches!(outcome, Err(StartError::Fault(RuleFault { code: FaultCode::Depth, .. }))));
}
