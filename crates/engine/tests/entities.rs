//! Entities and zones: creation, moves, knowledge, removal; and scripted dice.

mod common;

use common::*;
use intermezzo_engine::*;
use intermezzo_program::*;
use std::sync::Arc;

/// Program with tokens, an open pool, a closed zone of capacity two, and a question between the steps of its
/// code.
struct TokenProgram {
    build: ProgramBuilder,
    pool: ZoneId,
    shut: ZoneId,
    ask: ChoiceId,
}

fn tokens() -> TokenProgram {
    let mut build = ProgramBuilder::new();
    let token = build.kind("token");
    let int = build.int();
    build.prop(token, "worth", int, 3);
    build.zone("inside", Some(token), Visibility::All, None);
    let pool = build.zone("pool", None, Visibility::All, None);
    let shut = build.zone("shut", None, Visibility::None, Some(2));
    let def = build.def("plain", token);
    build.program.constants = vec![NULL, Word::from(def.0)];
    build.program.creates.push(Create { with: vec![], top: false });
    let label = build.symbol("luck");
    build.program.rolls.push(Roll { label: Some(label) });
    let ask = build.choice(AnswerShape::Pick, AnswerMode::One, int, true);
    TokenProgram { build, pool, shut, ask }
}

impl TokenProgram {
    /// Returns the code that creates a token in the pool and stores it in `dst`.
    fn make(&self, dst: Reg) -> Vec<Instr> {
        let t = |n: u16| l(8 + n);
        vec![
            Instr::Const { dst: t(0), index: 1 },
            Instr::Int { dst: t(1), value: 1 },
            Instr::TheZone { dst: t(2), zone: self.pool },
            Instr::Const { dst: t(3), index: 0 },
            Instr::Const { dst: t(4), index: 0 },
            Instr::Create { dst, create: CreateId(0), args: t(0) },
        ]
    }

    fn pause(&self) -> Vec<Instr> {
        ask_numbers(self.ask, l(7), &[0], 2, NULL, NULL, l(8))
    }

    fn play(mut self, code: Vec<Instr>) -> (Arc<Program>, Match, EventLog) {
        let (entity, int) = (self.build.ty(Type::Entity), self.build.int());
        let mut locals = vec![entity; 7];
        locals.push(int);
        self.build.flow(&locals, |_| code);
        let program = self.build.done();
        let mut log = EventLog::new();
        let game = start(&program, &mut log);
        (program, game, log)
    }
}

fn to(zone: ZoneId, entity: Reg) -> Vec<Instr> {
    vec![Instr::TheZone { dst: l(8), zone }, Instr::Move { dst: Reg::NONE, entity, zone: l(8), top: false }]
}

#[test]
fn a_move_into_a_full_zone_is_prevented() {
    let tokens = tokens();
    let mut code = Vec::new();
    for n in 0..3 {
        code.extend(tokens.make(l(n)));
    }
    code.extend(to(tokens.shut, l(0)));
    code.extend(to(tokens.shut, l(1)));
    code.extend(to(tokens.shut, l(0)));
    code.extend(tokens.pause());
    code.extend(to(tokens.shut, l(2)));
    code.push(Instr::Done {});
    let (_, mut game, mut log) = tokens.play(code);
    let inside = |game: &Match, zone| game.board().zone_contents(zone).collect::<Vec<Word>>();
    assert_eq!(inside(&game, 0), [5], "the rest of the pool");
    assert_eq!(inside(&game, 1), [4, 3], "an entity that enters again goes to the end");
    answer(&mut game, &mut log, 0, &[0]).unwrap();
    assert_eq!(inside(&game, 0), [5]);
    assert_eq!(inside(&game, 1), [4, 3]);
    let prevented = log.records().iter().filter(|record| record.status == EventStatus::Prevented);
    assert_eq!(prevented.map(|record| record.event).collect::<Vec<_>>(), [native::MOVED]);
}

#[test]
fn new_entities_reuse_rows() {
    let tokens = tokens();
    let mut code = tokens.make(l(0));
    code.extend(tokens.make(l(1)));
    // The second enters the first; when the first is removed, the second is in no zone.
    code.extend([
        Instr::ZoneOf { dst: l(8), entity: l(0), zone: ZoneId(0) },
        Instr::Move { dst: Reg::NONE, entity: l(1), zone: l(8), top: false },
        Instr::Remove { entity: l(0) },
    ]);
    code.extend(tokens.make(l(2)));
    code.extend([
        Instr::Exists { dst: l(9), entity: l(0) },
        Instr::Info { dst: l(10), entity: l(1), what: EntityInfo::Zone },
        Instr::Copy { dst: l(3), src: l(10) },
    ]);
    code.extend(tokens.pause());
    code.extend([Instr::Prop { dst: l(8), entity: l(0), column: 1 }, Instr::Done {}]);
    let (program, mut game, mut log) = tokens.play(code);
    let pool: Vec<Word> = game.board().zone_contents(0).collect();
    assert_eq!(pool, [word::entity(1, 3)], "the row of the first, of the next generation");
    assert_eq!(game.board().column(word::entity(0, 3), 1), None, "the first is gone");
    let outcome = answer(&mut game, &mut log, 0, &[0]);
    assert!(matches!(outcome, Err(Refusal::Faulted(RuleFault { code: FaultCode::Gone, .. }))));
    let restored = Match::restore(program, &game.snapshot()).expect("a snapshot");
    assert_eq!(restored.snapshot(), game.snapshot());
}

#[test]
fn hidden_entities_are_forgotten() {
    let mut tokens = tokens();
    let known = tokens.build.program.kinds[2].props[0];
    let mut code = tokens.make(l(0));
    code.extend([Instr::Players { dst: l(8) }, Instr::Change { entity: l(0), prop: known, value: l(8) }]);
    code.extend(tokens.pause());
    code.extend(to(tokens.shut, l(0)));
    code.extend(tokens.pause());
    code.extend([Instr::Players { dst: l(8) }, Instr::Change { entity: l(0), prop: known, value: l(8) }]);
    code.extend(tokens.pause());
    code.extend([Instr::TheZone { dst: l(8), zone: tokens.shut }, Instr::Shuffle { zone: l(8) }]);
    code.extend(tokens.pause());
    code.push(Instr::Done {});
    tokens.build.event_mut(native::SHUFFLED).visible = Visibility::All;
    let (_, mut game, mut log) = tokens.play(code);
    let knowers = |game: &Match| {
        let known = game.board().column(3, 0).and_then(|list| game.board().list(list));
        known.map(<[Word]>::len)
    };
    for expected in [2, 0, 2, 0] {
        assert_eq!(knowers(&game), Some(expected));
        answer(&mut game, &mut log, 0, &[0]).expect("the match continues");
    }
}

fn rolling() -> Arc<Program> {
    let mut tokens = tokens();
    let mut code = vec![
        Instr::Int { dst: l(8), value: 2 },
        Instr::Int { dst: l(9), value: 6 },
        Instr::Dice { dst: l(8), count: l(8), sides: l(9) },
        Instr::Int { dst: l(9), value: native::HIGHEST.0 as i32 },
        Instr::Const { dst: l(10), index: 0 },
        Instr::Roll { dst: l(11), roll: RollId(0), args: l(8) },
        Instr::Field { dst: l(11), record: l(11), index: 1 },
        Instr::Copy { dst: l(7), src: l(11) },
    ];
    code.extend(tokens.pause());
    code.push(Instr::Done {});
    let int = tokens.build.int();
    tokens.build.flow(&[int; 8], |_| code);
    tokens.build.done()
}

#[test]
fn scripted_dice_must_match_the_roll() {
    let program = rolling();
    let luck = program.symbol_named("luck");
    let begin = |rolls: Vec<(Option<Symbol>, Vec<i64>)>| {
        let setup = Setup { script: Some(DiceScript { rolls, grows: false }), ..setup(1) };
        let mut log = EventLog::new();
        let game = Match::start(Arc::clone(&program), &setup, &mut log)?;
        let rolled = log.records().iter().find(|record| record.event == native::ROLLED).expect("a roll");
        Ok((game.script_left(), log.payload(rolled).to_vec()))
    };
    let label = Word::from(luck.expect("a label").0);
    assert_eq!(begin(vec![(luck, vec![2, 5])]), Ok((0, vec![word::dice(2, 6), 2, 2, 5, 5, label, NULL])));
    assert_eq!(begin(vec![(None, vec![1, 1]), (None, vec![3])]).map(|(left, _)| left), Ok(1));
    let faults = |outcome: Result<_, StartError>| {
        matches!(outcome, Err(StartError::Fault(RuleFault { code: FaultCode::Script, .. })))
    };
    assert!(faults(begin(vec![(Some(native::ALL), vec![2, 5])])), "the wrong label");
    assert!(faults(begin(vec![(None, vec![2, 7])])), "no such face");
    assert!(faults(begin(vec![(None, vec![2])])), "too few dice");
}

#[test]
fn invalid_setups_are_rejected() {
    let program = rolling();
    let start = |setup: Setup| Match::start(Arc::clone(&program), &setup, &mut EventLog::new()).err();
    assert_eq!(
        start(Setup { seats: 3, ..setup(1) }),
        Some(StartError::WrongSeats { min: 2, max: 2, got: 3 })
    );
    let options = vec![("pace".into(), Datum::Int(1))];
    assert_eq!(
        start(Setup { options, ..setup(1) }),
        Some(StartError::NoSuchOption { name: "pace".to_owned() })
    );
}
