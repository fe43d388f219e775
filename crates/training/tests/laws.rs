//! Laws of environments, checked on every ruleset: moves can build every answer, and observations equal
//! views.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use intermezzo_bots::{Random, random_answer};
use intermezzo_engine::{
    Answer, Datum, EventLog, Input, Match, Observer, PendingQuestion, Seed, Setup, Viewer, VisibleEntity,
};
use intermezzo_program::{AnswerShape, NULL, Seat, Type, Word, native};
use intermezzo_simulator::{Fixture, fixtures};
use intermezzo_training::{Encoding, EncodingSizes, Env, MoveResult, Moves, PartialAnswer, SeatObserver};

/// Questions with more answers are not enumerated.
const MAX_ANSWERS: u64 = 80;

fn setup(subject: &Fixture, seed: u64) -> Setup {
    let options = if seed % 2 == 1 { subject.options.clone() } else { Vec::new() };
    Setup { seats: subject.program.seats.default, options, seed: Seed::from_number(seed), script: None }
}

fn start(subject: &Fixture, seed: u64) -> Match {
    let started = Match::start(Arc::clone(&subject.program), &setup(subject, seed), &mut EventLog::discard());
    started.unwrap_or_else(|error| panic!("{}: {error}", subject.name))
}

/// Plays at random and shows every position.
fn walk(subject: &Fixture, seed: u64, inputs: usize, mut look: impl FnMut(&Match)) {
    let mut game = start(subject, seed);
    let mut random = Random::new(seed);
    for _ in 0..inputs {
        look(&game);
        let Some(pending) = game.pending().next() else { return };
        let (input, seat) = (pending.id(), pending.seat());
        let answer = random_answer(&pending, &mut random).expect("a legal answer exists");
        if game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()).is_err() {
            return;
        }
    }
}

/// Collects all answers that moves can build.
fn collect_answers(
    game: &Match,
    pending: &PendingQuestion<'_>,
    partial: &PartialAnswer,
    width: usize,
    out: &mut Vec<Answer>,
) {
    let moves = Moves::new(game, *pending, partial, width).expect("no rule fails");
    assert!((0..width).any(|number| moves.is_legal(number)), "{:?} leads nowhere", pending.choice().shape);
    for number in 0..width {
        match moves.apply(number) {
            Some(MoveResult::Answer(answer)) => out.push(answer),
            Some(MoveResult::Continue(next)) => collect_answers(game, pending, &next, width, out),
            None => assert!(!moves.is_legal(number)),
        }
    }
}

#[test]
fn exactly_one_sequence_of_moves_builds_each_answer() {
    let mut tried = 0;
    for subject in fixtures::all() {
        for seed in 0..subject.seeds(4) {
            walk(&subject, seed, 25, |game| {
                for pending in game.pending() {
                    let count = pending.answer_count();
                    if pending.choice().shape == AnswerShape::Path || count > MAX_ANSWERS {
                        continue;
                    }
                    let mut answers: Vec<Answer> = Vec::new();
                    for n in 0..count {
                        let mut answer = Answer::Pass;
                        assert!(pending.nth_answer(n, &mut answer));
                        answers.push(answer);
                    }
                    for width in [Moves::MIN_WIDTH, 64] {
                        let mut found = Vec::new();
                        collect_answers(game, &pending, &PartialAnswer::default(), width, &mut found);
                        let (name, shape) = (&subject.name, pending.choice().shape);
                        assert_eq!(found.len(), answers.len(), "{name}: {shape:?} with {width}");
                        assert!(answers.iter().all(|answer| found.contains(answer)), "{name}: {shape:?}");
                        tried += found.len();
                    }
                }
            });
        }
    }
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn random_moves_never_get_stuck() {
    for subject in fixtures::all() {
        for seed in 0..subject.seeds(4) {
            let width = [Moves::MIN_WIDTH, 16, 128][seed as usize % 3];
            let sizes = EncodingSizes { moves: width, entities: 8 };
            let encoding = Encoding::new(&subject.program, subject.program.seats.default, sizes);
            let mut env = Env::new(start(&subject, seed), Vec::new(), width).expect("it starts");
            let (mut numbers, mut mask) = (vec![0.0; encoding.len()], vec![false; width]);
            let mut random = Random::new(seed);
            for _ in 0..150 {
                let Some(seat) = env.to_move() else { break };
                let seen = env.observe(&encoding, seat, &mut numbers, &mut mask);
                seen.unwrap_or_else(|error| panic!("{}: {error}", subject.name));
                assert!(numbers.iter().all(|number| number.is_finite()));
                let legal: Vec<usize> = (0..width).filter(|number| mask[*number]).collect();
                let number = *random.pick(&legal);
                env.step(number).unwrap_or_else(|error| panic!("{} {seed}: {error}", subject.name));
            }
        }
    }
}

/// Describes what a view shows of one entity: kind, def, numbers and flags.
fn shown(datum: &Datum, out: &mut Vec<String>) {
    match datum {
        Datum::Map(entries) => {
            if let (Some(Datum::Text(kind)), Some(Datum::Map(props))) =
                (datum.get("kind"), datum.get("props"))
            {
                let mut line = format!("{kind} {:?}", datum.get("def"));
                for (name, value) in props.iter().filter(|(name, _)| !name.contains(' ')) {
                    if let Datum::Int(_) | Datum::Bool(_) = value {
                        write!(line, " {name}={value:?}").expect("a text takes more");
                    }
                }
                out.push(line);
            }
            let inside = entries.iter().filter(|(name, _)| name != "traits" && name != "props");
            inside.for_each(|(_, value)| shown(value, out));
        }
        Datum::List(items) => items.iter().for_each(|item| shown(item, out)),
        _ => {}
    }
}

/// Describes the same from the list of visible entities.
fn describe_visible(
    engine_observer: &mut Observer,
    subject: &Fixture,
    viewer: Viewer,
    seen: &VisibleEntity,
) -> String {
    let program = &subject.program;
    let kind = &program.kinds[seen.kind.index()];
    let def = seen.def.map_or(Datum::Null, |def| Datum::text(program.symbol(program.defs[def.index()].name)));
    let mut line = format!("{} {:?}", kind.name, Some(def));
    for id in &kind.props {
        let prop = &program.props[id.index()];
        let name = program.symbol(prop.name);
        let value: Option<Word> = engine_observer.visible_value(viewer, seen.entity, *id);
        let Some(value) = value.filter(|value| *value != NULL && prop.name != native::KNOWN) else {
            continue;
        };
        let value = match program.types[prop.ty.index()] {
            Type::Int => Datum::Int(value),
            Type::Bool => Datum::Bool(value == 1),
            _ => continue,
        };
        if !name.contains(' ') {
            write!(line, " {name}={value:?}").expect("a text takes more");
        }
    }
    line
}

#[test]
fn visible_entities_equal_the_view() {
    let mut compared = 0;
    for subject in fixtures::all() {
        for seed in 0..subject.seeds(4) {
            walk(&subject, seed, 30, |game| {
                let mut engine_observer = Observer::from_match(game);
                let viewers: Vec<Viewer> = engine_observer.viewers().collect();
                for viewer in viewers {
                    let view = engine_observer.view(viewer);
                    let mut viewed = Vec::new();
                    for part in ["players", "zones"] {
                        view.get(part).into_iter().for_each(|part| shown(part, &mut viewed));
                    }
                    let mut in_sight = Vec::new();
                    engine_observer.visible_entities(viewer, &mut in_sight);
                    let rows = in_sight.iter().filter(|seen| seen.zone.is_some());
                    let mut told: Vec<String> = rows
                        .map(|seen| describe_visible(&mut engine_observer, &subject, viewer, seen))
                        .collect();
                    viewed.sort();
                    told.sort();
                    assert_eq!(told, viewed, "{} {seed} {viewer:?}", subject.name);
                    compared += told.len();
                }
            });
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// Returns everything a seat knows, in its own names.
fn knowledge(game: &Match, seat: Seat) -> String {
    let mut engine_observer = Observer::from_match(game);
    let viewer = Viewer::Seat(seat);
    let view = engine_observer.view(viewer);
    format!("{view:?} {:?}", engine_observer.prompts(game, viewer))
}

#[test]
fn equal_knowledge_gives_equal_observations() {
    let mut met_again = 0;
    for subject in
        fixtures::all().into_iter().filter(|subject| subject.program.first_hidden_element().is_some())
    {
        let sizes = EncodingSizes { moves: 32, entities: 24 };
        let encoding = Encoding::new(&subject.program, subject.program.seats.default, sizes);
        let mut known: BTreeMap<String, Vec<f32>> = BTreeMap::new();
        for seed in 0..subject.seeds(60) {
            walk(&subject, 2 * seed, 12, |game| {
                let mut observer = SeatObserver::new(game);
                for seat in (0..game.board().seats()).map(Seat) {
                    let partial = PartialAnswer::default();
                    let own = game.pending().find(|pending| pending.seat() == seat);
                    let moves = own.map(|own| Moves::new(game, own, &partial, 32).expect("no rule fails"));
                    let mut numbers = vec![0.0; encoding.len()];
                    encoding.write(&mut observer, game, seat, moves.as_ref(), &mut numbers);
                    match known.insert(knowledge(game, seat), numbers.clone()) {
                        Some(before) if before != numbers => {
                            panic!("{}: {}", subject.name, knowledge(game, seat))
                        }
                        Some(_) => met_again += 1,
                        None => {}
                    }
                }
            });
        }
    }
    assert!(met_again > 500, "{met_again}");
}
