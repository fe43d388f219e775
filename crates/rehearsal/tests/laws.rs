//! Laws of rehearsals, tried on every ruleset: by moves one can say whatever can be said, and numbers tell what a view
//! tells.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use intermezzo_bots::{Random, at_random};
use intermezzo_engine::{Answer, Datum, InSight, Input, Log, Match, Pending, Seed, Setup, Viewer, Witness};
use intermezzo_rehearsal::{Begun, Encoding, Lane, Moves, Onlooker, Sizes, Taken};
use intermezzo_ruleset::{NULL, Seat, Shape, Type, Word, native};
use intermezzo_simulator::{Subject, subjects};

/// Questions with more answers are not tried one by one.
const MAX_ANSWERS: u64 = 80;

fn setup(subject: &Subject, seed: u64) -> Setup {
    let options = if seed % 2 == 1 { subject.options.clone() } else { Vec::new() };
    Setup { seats: subject.program.seats.usual, options, seed: Seed::from_number(seed), script: None }
}

fn start(subject: &Subject, seed: u64) -> Match {
    let started = Match::start(Arc::clone(&subject.program), &setup(subject, seed), &mut Log::discard());
    started.unwrap_or_else(|error| panic!("{}: {error}", subject.name))
}

/// Plays by chance and shows every position.
fn walk(subject: &Subject, seed: u64, inputs: usize, mut look: impl FnMut(&Match)) {
    let mut game = start(subject, seed);
    let mut random = Random::new(seed);
    for _ in 0..inputs {
        look(&game);
        let Some(pending) = game.pending().next() else { return };
        let (input, seat) = (pending.id(), pending.seat());
        let answer = at_random(&pending, &mut random).expect("there is an answer");
        if game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).is_err() {
            return;
        }
    }
}

/// Everything that can be built by moves.
fn built(game: &Match, pending: &Pending<'_>, begun: &Begun, width: usize, out: &mut Vec<Answer>) {
    let moves = Moves::new(game, *pending, begun, width).expect("no rule fails");
    assert!((0..width).any(|number| moves.is_legal(number)), "{:?} leads nowhere", pending.choice().shape);
    for number in 0..width {
        match moves.take(number) {
            Some(Taken::Answer(answer)) => out.push(answer),
            Some(Taken::On(next)) => built(game, pending, &next, width, out),
            None => assert!(!moves.is_legal(number)),
        }
    }
}

#[test]
fn every_answer_is_built_by_exactly_one_row_of_moves() {
    let mut tried = 0;
    for subject in subjects::all() {
        for seed in 0..subject.seeds(4) {
            walk(&subject, seed, 25, |game| {
                for pending in game.pending() {
                    let count = pending.answer_count();
                    if pending.choice().shape == Shape::Path || count > MAX_ANSWERS {
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
                        built(game, &pending, &Begun::default(), width, &mut found);
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
fn whatever_moves_are_made_the_match_goes_on() {
    for subject in subjects::all() {
        for seed in 0..subject.seeds(4) {
            let width = [Moves::MIN_WIDTH, 16, 128][seed as usize % 3];
            let sizes = Sizes { moves: width, entities: 8 };
            let encoding = Encoding::new(&subject.program, subject.program.seats.usual, sizes);
            let mut lane = Lane::new(start(&subject, seed), Vec::new(), width).expect("it begins");
            let (mut numbers, mut mask) = (vec![0.0; encoding.len()], vec![false; width]);
            let mut random = Random::new(seed);
            for _ in 0..150 {
                let Some(seat) = lane.to_move() else { break };
                let seen = lane.observe(&encoding, seat, &mut numbers, &mut mask);
                seen.unwrap_or_else(|error| panic!("{}: {error}", subject.name));
                assert!(numbers.iter().all(|number| number.is_finite()));
                let legal: Vec<usize> = (0..width).filter(|number| mask[*number]).collect();
                let number = *random.pick(&legal);
                lane.make(number).unwrap_or_else(|error| panic!("{} {seed}: {error}", subject.name));
            }
        }
    }
}

/// What a view shows of one entity that can be compared: kind, def, numbers and flags.
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

/// The same from a survey.
fn surveyed(witness: &mut Witness, subject: &Subject, viewer: Viewer, seen: &InSight) -> String {
    let program = &subject.program;
    let kind = &program.kinds[seen.kind.index()];
    let def = seen.def.map_or(Datum::Null, |def| Datum::text(program.symbol(program.defs[def.index()].name)));
    let mut line = format!("{} {:?}", kind.name, Some(def));
    for id in &kind.props {
        let prop = &program.props[id.index()];
        let name = program.symbol(prop.name);
        let value: Option<Word> = witness.value_in_sight(viewer, seen.entity, *id);
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
fn a_survey_tells_what_a_view_tells() {
    let mut compared = 0;
    for subject in subjects::all() {
        for seed in 0..subject.seeds(4) {
            walk(&subject, seed, 30, |game| {
                let mut witness = Witness::of(game);
                let viewers: Vec<Viewer> = witness.viewers().collect();
                for viewer in viewers {
                    let view = witness.view(viewer);
                    let mut viewed = Vec::new();
                    for part in ["players", "zones"] {
                        view.get(part).into_iter().for_each(|part| shown(part, &mut viewed));
                    }
                    let mut in_sight = Vec::new();
                    witness.in_sight(viewer, &mut in_sight);
                    let rows = in_sight.iter().filter(|seen| seen.zone.is_some());
                    let mut told: Vec<String> =
                        rows.map(|seen| surveyed(&mut witness, &subject, viewer, seen)).collect();
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

/// All a seat is told, in names that mean nothing outside of it.
fn told(game: &Match, seat: Seat) -> String {
    let mut witness = Witness::of(game);
    let viewer = Viewer::Seat(seat);
    let view = witness.view(viewer);
    format!("{view:?} {:?}", witness.prompts(game, viewer))
}

#[test]
fn who_is_told_the_same_is_shown_the_same_numbers() {
    let mut met_again = 0;
    for subject in subjects::all().into_iter().filter(|subject| subject.program.hidden().is_some()) {
        let sizes = Sizes { moves: 32, entities: 24 };
        let encoding = Encoding::new(&subject.program, subject.program.seats.usual, sizes);
        let mut known: BTreeMap<String, Vec<f32>> = BTreeMap::new();
        for seed in 0..subject.seeds(60) {
            walk(&subject, 2 * seed, 12, |game| {
                let mut onlooker = Onlooker::new(game);
                for seat in (0..game.board().seats()).map(Seat) {
                    let begun = Begun::default();
                    let own = game.pending().find(|pending| pending.seat() == seat);
                    let moves = own.map(|own| Moves::new(game, own, &begun, 32).expect("no rule fails"));
                    let mut numbers = vec![0.0; encoding.len()];
                    encoding.write(&mut onlooker, game, seat, moves.as_ref(), &mut numbers);
                    match known.insert(told(game, seat), numbers.clone()) {
                        Some(before) if before != numbers => {
                            panic!("{}: {}", subject.name, told(game, seat))
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
