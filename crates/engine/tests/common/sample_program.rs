//! A program that uses a little of everything, for laws that hold for all programs.

use std::sync::Arc;

use super::{ProgramBuilder, l};
use intermezzo_engine::{Answer, EventLog, Input, Match};
use intermezzo_program::*;

/// Builds a program in which two players draw tokens from a bag nobody sees into a hand only they see, put
/// some into the open pool, roll, and lose the oldest token of the pool. It ends after `rounds` rounds.
pub fn sample_program(rounds: i32, listeners: bool) -> Arc<Program> {
    let mut build = ProgramBuilder::new();
    build.program.constants = vec![NULL];
    let (int, player) = (build.int(), build.player());
    let token = build.kind("token");
    let worth = build.prop(token, "worth", int, 0);
    let entity = build.ty(Type::Kind(token));
    let entities = build.list(Type::Kind(token));
    let score = build.prop(KindId::PLAYER, "score", int, 0);
    let notes = build.list(Type::Int);
    build.prop(KindId::PLAYER, "notes", notes, 0);
    let pool = build.zone("pool", None, Visibility::All, None);
    let bag = build.zone("bag", Some(KindId::PLAYER), Visibility::None, Some(12));
    let hand = build.zone("hand", Some(KindId::PLAYER), Visibility::Owner, None);
    let def = build.def("plain", token);
    build.program.constants.push(Word::from(def.0));
    let worth_name = build.program.props[worth.index()].name;
    build.program.creates.push(Create { with: vec![worth_name], top: true });
    let label = build.symbol("luck");
    build.program.rolls.push(Roll { label: Some(label) });
    let round = build.symbol("round");
    build.program.phases.push(Phase { name: round, title: TextId(0) });
    if listeners {
        let note = build.routine("note", 0, &[], |_| {
            vec![
                Instr::EventField { dst: l(0), event: Reg::EVENT, field: 3 },
                Instr::Int { dst: l(1), value: 2 },
                Instr::Change { entity: l(1), prop: score, value: l(0) },
                Instr::Done {},
            ]
        });
        build.program.reactions.push(Reaction::of_game(label, native::MOVED, ReactionTiming::After, note));
        build.event_mut(native::MOVED).after.push(ReactionId(0));
    }
    let setup_locals = [int, int, int, int, int, int];
    build.program.setup = Some(build.routine("setup", 0, &setup_locals, |at| {
        vec![
            Instr::Int { dst: l(0), value: 8 },
            Instr::Int { dst: l(1), value: 0 },
            Instr::NextCount { iter: l(0), to: at + 16 },
            Instr::Int { dst: l(3), value: 2 },
            Instr::Rem { dst: l(4), a: l(2), b: l(3) },
            Instr::Int { dst: l(3), value: 1 },
            Instr::Add { dst: l(8), a: l(4), b: l(3) },
            Instr::Const { dst: l(7), index: 1 },
            Instr::ZoneOf { dst: l(9), entity: l(8), zone: bag },
            Instr::Const { dst: l(10), index: 0 },
            Instr::Const { dst: l(11), index: 0 },
            Instr::Copy { dst: l(12), src: l(2) },
            Instr::Create { dst: l(13), create: CreateId(0), args: l(7) },
            Instr::Shuffle { zone: l(9) },
            Instr::Copy { dst: l(5), src: l(2) },
            Instr::Jump { to: at + 2 },
            Instr::Done {},
        ]
    }));
    let pick = build.choice(AnswerShape::Pick, AnswerMode::Each, entity, false);
    build.choice_mut(pick).secret = true;
    build.choice_mut(pick).draft = Some(DraftPolicy::Blank);
    let slots = build.choice(AnswerShape::Slots { empty: true }, AnswerMode::One, entity, false);
    build.choice_mut(slots).pass = true;
    let any = build.choice(AnswerShape::Order, AnswerMode::Any, int, false);
    let each_result = build.program.choices[pick.index()].result;
    let any_result = build.program.choices[any.index()].result;
    // Locals: 0-2 the round loop, 3-5 a loop over players, 6 answers, 7 a list, 8 any answer.
    let locals = [int, int, int, int, int, int, each_result, entities, any_result, player, entities];
    build.flow(&locals, |at| flow(at, rounds, bag, hand, pool, pick, slots, any, score));
    build.done()
}

#[allow(clippy::too_many_arguments)]
fn flow(
    at: u32,
    rounds: i32,
    bag: ZoneId,
    hand: ZoneId,
    pool: ZoneId,
    pick: ChoiceId,
    slots: ChoiceId,
    any: ChoiceId,
    score: PropId,
) -> Vec<Instr> {
    let t = |n: u16| l(11 + n);
    let null = |dst| Instr::Const { dst, index: 0 };
    let mut code: Vec<Instr> = Vec::new();
    macro_rules! here {
        () => {
            at + code.len() as u32
        };
    }
    code.extend([Instr::Int { dst: l(0), value: rounds }, Instr::Int { dst: l(1), value: 0 }]);
    let top = here!();
    code.push(Instr::NextCount { iter: l(0), to: 0 });
    let exit = code.len() - 1;
    null_phase(&mut code, t(0));
    // Each player draws one token from the bag.
    code.extend([Instr::Int { dst: l(3), value: 2 }, Instr::Int { dst: l(4), value: 0 }]);
    let take = here!();
    let next = code.len();
    code.push(Instr::NextCount { iter: l(3), to: 0 });
    code.extend([
        Instr::Int { dst: t(0), value: 1 },
        Instr::Add { dst: t(0), a: l(5), b: t(0) },
        Instr::ZoneOf { dst: t(1), entity: t(0), zone: bag },
        Instr::ZoneOf { dst: t(2), entity: t(0), zone: hand },
        Instr::Int { dst: t(3), value: 0 },
        Instr::ZoneGet { dst: t(4), zone: t(1), index: t(3) },
        Instr::JumpNull { value: t(4), to: take },
        Instr::Move { dst: Reg::NONE, entity: t(4), zone: t(2), top: false },
        Instr::Jump { to: take },
    ]);
    let after = here!();
    code[next] = Instr::NextCount { iter: l(3), to: after };
    // Each player picks up to two tokens of their hand, in secret.
    code.push(Instr::Open { choice: pick });
    for seat in 1..=2 {
        code.extend([
            Instr::Int { dst: t(0), value: seat },
            Instr::ZoneOf { dst: t(1), entity: t(0), zone: hand },
            Instr::ZoneList { dst: t(1), zone: t(1) },
            null(t(2)),
            Instr::Int { dst: t(3), value: 2 },
            Instr::Int { dst: t(4), value: 1000 },
            Instr::Int { dst: t(5), value: 0 },
            Instr::Ask { choice: pick, args: t(0) },
        ]);
    }
    code.push(Instr::Await { dst: l(6), choice: pick });
    for seat in 0..2 {
        code.extend([
            Instr::Int { dst: t(0), value: seat },
            Instr::Key { dst: t(1), map: l(6), index: t(0) },
            Instr::Field { dst: l(7), record: t(1), index: 0 },
            Instr::TheZone { dst: t(2), zone: pool },
            Instr::MoveAll { list: l(7), zone: t(2), top: seat == 1 },
        ]);
    }
    // A roll.
    code.extend([
        Instr::Int { dst: t(0), value: 2 },
        Instr::Int { dst: t(1), value: 6 },
        Instr::Dice { dst: t(0), count: t(0), sides: t(1) },
        null(t(1)),
        null(t(2)),
        Instr::Roll { dst: t(3), roll: RollId(0), args: t(0) },
        Instr::Field { dst: t(4), record: t(3), index: 1 },
        Instr::Int { dst: t(5), value: 1 },
        Instr::Change { entity: t(5), prop: score, value: t(4) },
    ]);
    // The first player may fill two slots from the pool.
    code.extend([
        Instr::Open { choice: slots },
        Instr::Int { dst: t(0), value: 1 },
        Instr::TheZone { dst: t(1), zone: pool },
        Instr::ZoneList { dst: t(1), zone: t(1) },
        null(t(2)),
        Instr::Int { dst: t(3), value: 2 },
        null(t(4)),
        null(t(5)),
        Instr::Ask { choice: slots, args: t(0) },
        Instr::Await { dst: l(10), choice: slots },
    ]);
    // The player who answers first orders three numbers.
    code.push(Instr::Open { choice: any });
    for seat in 1..=2 {
        code.extend([
            Instr::Int { dst: t(0), value: seat },
            Instr::Int { dst: t(1), value: 1 },
            Instr::Int { dst: t(2), value: 3 },
            Instr::Range { dst: t(1), from: t(1), to: t(2) },
            Instr::Int { dst: t(2), value: 2 },
            Instr::Int { dst: t(3), value: 3 },
            null(t(4)),
            null(t(5)),
            Instr::Ask { choice: any, args: t(0) },
        ]);
    }
    code.push(Instr::Await { dst: l(8), choice: any });
    code.push(Instr::Field { dst: l(9), record: l(8), index: 0 });
    // The oldest token of the pool is removed; a new one goes into the bag of the player who answered first.
    let keep = here!() + 6;
    code.extend([
        Instr::TheZone { dst: t(0), zone: pool },
        Instr::Int { dst: t(1), value: 0 },
        Instr::ZoneGet { dst: t(2), zone: t(0), index: t(1) },
        Instr::JumpNull { value: t(2), to: keep },
        Instr::Remove { entity: t(2) },
        Instr::Jump { to: keep },
    ]);
    code.extend([
        Instr::Const { dst: t(0), index: 1 },
        Instr::Copy { dst: t(1), src: l(9) },
        Instr::ZoneOf { dst: t(2), entity: l(9), zone: bag },
        Instr::Const { dst: t(3), index: 0 },
        Instr::Const { dst: t(4), index: 0 },
        Instr::Copy { dst: t(5), src: l(2) },
        Instr::Create { dst: t(6), create: CreateId(0), args: t(0) },
        Instr::Shuffle { zone: t(2) },
        Instr::LeavePhase {},
        Instr::Jump { to: top },
    ]);
    let end = here!();
    code[exit] = Instr::NextCount { iter: l(0), to: end };
    code.extend([
        Instr::Int { dst: t(0), value: i32::try_from(native::FINISHED.0).expect("a small number") },
        Instr::Players { dst: t(1) },
        Instr::Int { dst: t(2), value: 0 },
        Instr::Int { dst: t(3), value: i32::try_from(native::POT_SPLIT.0).expect("a small number") },
        Instr::End { args: t(0) },
        Instr::Done {},
    ]);
    code
}

fn null_phase(code: &mut Vec<Instr>, temp: Reg) {
    code.push(Instr::Const { dst: temp, index: 0 });
    code.push(Instr::EnterPhase { phase: PhaseId(0), player: temp, subject: temp });
}

/// Random numbers for tests, independent of the engine's.
pub struct TestRng(pub u64);

impl TestRng {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

/// Returns a random legal answer to a random open question.
pub fn random_input(game: &Match, rng: &mut TestRng) -> Option<Input> {
    let count = game.pending().count();
    let pending = game.pending().nth(rng.below(count as u64) as usize)?;
    let mut answer = Answer::Pass;
    assert!(
        pending.nth_answer(rng.below(pending.answer_count()), &mut answer),
        "every counted answer exists"
    );
    Some(Input::Answer { input: pending.id(), seat: pending.seat(), answer })
}

/// Plays to the end and returns the inputs.
pub fn play_out(game: &mut Match, log: &mut EventLog, rng: &mut TestRng) -> Vec<Input> {
    let mut inputs = Vec::new();
    while let Some(input) = random_input(game, rng) {
        game.submit(&input, log).expect("a legal answer is accepted");
        inputs.push(input);
    }
    inputs
}
