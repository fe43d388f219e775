//! Who looks ahead wins, does itself no harm, and knows nothing that it should not.

use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind, Budget, Greedy, Random, Searcher, at_random};
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, Input, InputId, Log, Match, Seed, Setup};
use intermezzo_ruleset::{Program, Seat, native, word};

const ARENA: &str = include_str!("arena.yaml");

fn compile(text: &str) -> Arc<Program> {
    let ruleset = Ruleset::from_files(&[("arena.yaml".to_owned(), text.as_bytes().to_vec())]);
    let compiled = ruleset.compile();
    let problems = intermezzo_compiler::render(&compiled.diagnostics, ruleset.sources(), false);
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{problems}")))
}

fn start(program: &Arc<Program>, seed: u64, options: &[(&str, bool)]) -> Match {
    let options = options.iter().map(|(name, is)| ((*name).into(), Datum::Bool(*is))).collect();
    let setup = Setup { seats: 2, options, seed: Seed::from_number(seed), script: None };
    Match::start(Arc::clone(program), &setup, &mut Log::discard()).expect("the match begins")
}

/// Plays a match of one who looks ahead against chance; gives it with all answers of the former.
fn play(program: &Arc<Program>, seed: u64, greedy_seat: Seat) -> (Match, Vec<Answer>) {
    let mut game = start(program, seed, &[]);
    let mut greedy = Greedy::new(seed);
    let mut random = Random::new(seed);
    let mut answers = Vec::new();
    loop {
        let first = game.pending().next().map(|pending| (pending.id(), pending.seat()));
        let Some((input, seat)) = first else { break };
        let answer = match seat == greedy_seat {
            true => greedy.answer(&game, input),
            false => game.pending().next().and_then(|pending| at_random(&pending, &mut random)),
        };
        let answer = answer.expect("there is a legal answer");
        if seat == greedy_seat {
            answers.push(answer.clone());
        }
        game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).expect("it is legal");
    }
    (game, answers)
}

fn prop(game: &Match, seat: Seat, name: &str) -> i64 {
    let (value, _) = game.explain_property(word::player(seat), name).expect("players have it");
    match value {
        Datum::Int(number) => number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_looks_ahead_beats_chance() {
    let program = compile(ARENA);
    let mut wins = 0;
    for seed in 0..20 {
        let seat = Seat((seed % 2) as u8);
        let (game, _) = play(&program, seed, seat);
        wins += u32::from(game.ending().expect("the match ends").winners.contains(&seat));
    }
    assert!(wins >= 18, "{wins} of 20");
}

#[test]
fn who_looks_ahead_does_itself_no_harm_and_takes_reactions_that_help() {
    let program = compile(ARENA);
    let mut used = 0;
    for seed in 0..10 {
        let seat = Seat((seed % 2) as u8);
        let (game, _) = play(&program, seed, seat);
        assert_eq!(prop(&game, seat, "taken"), 0, "seed {seed}");
        used += prop(&game, seat, "used");
    }
    assert!(used > 0, "no blow was ever turned aside");
}

#[test]
fn the_same_seed_gives_the_same_answers() {
    let program = compile(ARENA);
    let (game, answers) = play(&program, 7, Seat(0));
    let (again, same) = play(&program, 7, Seat(0));
    assert_eq!(answers, same);
    assert_eq!(game.state_hash(), again.state_hash());
}

#[test]
fn thinking_changes_nothing_and_does_not_depend_on_the_dice_to_come() {
    let program = compile(ARENA);
    for seed in 0..6 {
        let game = start(&program, seed, &[]);
        let before = game.snapshot();
        let pending = game.pending().next().expect("somebody is asked");
        let (id, seat) = (pending.id(), pending.seat());
        let answer = Greedy::new(3).answer(&game, id);
        assert_eq!(game.snapshot(), before);
        // The same position with other dice to come.
        let other = game.imagined(seat, Seed::from_number(1000 + seed));
        let same = Greedy::new(3).answer(&other, id);
        assert_eq!(answer, same, "seed {seed}");
    }
}

#[test]
fn a_fork_has_no_trace_of_the_chance_to_come() {
    let program = compile(ARENA);
    // Nothing is rolled before the first question: these matches differ only in what will be.
    let (one, other) = (start(&program, 1, &[]), start(&program, 2, &[]));
    assert_ne!(one.snapshot(), other.snapshot());
    let fork = |game: &Match| game.imagined(Seat(0), Seed::from_number(9)).snapshot();
    assert_eq!(fork(&one), fork(&other));
}

#[test]
fn answers_that_others_have_given_are_not_looked_at() {
    let program = compile(ARENA);
    let think = |given: i32| {
        let mut game = start(&program, 1, &[("secrets", true)]);
        let asked: Vec<(InputId, Seat)> = game.pending().map(|asked| (asked.id(), asked.seat())).collect();
        assert_eq!(asked.len(), 2, "both are asked at once");
        let (theirs, seat) = asked[1];
        let input = Input::Answer { input: theirs, seat, answer: Answer::Picks(vec![given]) };
        game.submit(&input, &mut Log::discard()).expect("it is legal");
        Greedy::new(5).answer(&game, asked[0].0)
    };
    assert_eq!(think(0), think(1));
    assert_eq!(think(1), think(2));
}

/// Plays the bench with hidden hands of hit points: what one cannot see, one does not know.
#[test]
fn who_looks_ahead_plays_on_where_something_is_hidden() {
    let hp = "hp:    {type: int, default: 12, min: 0";
    let program = compile(&ARENA.replacen(hp, &format!("{hp}, visible: owner"), 1));
    let think = |harm: i64, kind: BotKind| {
        let mut game = start(&program, 1, &[]);
        // The other one falls, or does not; only it knows.
        let falls = |game: &Match| {
            let pending = game.pending().next().expect("somebody is asked");
            (pending.id(), pending.seat())
        };
        let (input, seat) = falls(&game);
        assert_eq!(seat, Seat(0));
        let answer = if harm > 0 { fall(&game) } else { Answer::Pass };
        game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).expect("it is legal");
        while game.pending().next().is_some_and(|pending| pending.seat() == Seat(0)) {
            let (input, seat) = falls(&game);
            let answer = Answer::Pass;
            game.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).expect("it is legal");
        }
        let (input, _) = falls(&game);
        Bot::new(kind, 5).answer(&game, input, &mut |_| true)
    };
    for kind in [BotKind::Random, BotKind::Greedy, BotKind::Mcts(Budget::Playings(60))] {
        assert_eq!(think(0, kind), think(1, kind), "{kind}");
    }
}

/// The answer by which the active player harms itself.
fn fall(game: &Match) -> Answer {
    let pending = game.pending().next().expect("somebody is asked");
    let harms = (0..pending.option_count() as i32).find(|pick| {
        let mut copy = game.clone();
        let sent =
            Input::Answer { input: pending.id(), seat: pending.seat(), answer: Answer::Picks(vec![*pick]) };
        let is_taken = copy.submit(&sent, &mut Log::discard()).is_ok();
        is_taken && prop(&copy, Seat(0), "taken") > 0
    });
    Answer::Picks(vec![harms.expect("one can fall")])
}

#[test]
fn who_searches_gives_the_same_answer_for_the_same_seed_and_changes_nothing() {
    let program = compile(ARENA);
    let game = start(&program, 3, &[("secrets", true)]);
    let before = game.snapshot();
    let input = game.pending().next().expect("somebody is asked").id();
    let think = || Searcher::new(8).answer(&game, input, &mut |playings| playings < 200);
    assert!(think().is_some());
    assert_eq!(think(), think());
    assert_eq!(game.snapshot(), before);
}

#[test]
fn who_searches_beats_chance() {
    let program = compile(ARENA);
    let mut wins = 0;
    for seed in 0..10 {
        let seat = Seat((seed % 2) as u8);
        let mut game = start(&program, seed, &[]);
        let mut bots = [BotKind::Random, BotKind::Random].map(|kind| Bot::new(kind, seed));
        bots[usize::from(seat.0)] = Bot::new(BotKind::Mcts(Budget::Playings(80)), seed);
        loop {
            let asked = game.pending().next().map(|asked| (asked.id(), asked.seat()));
            let Some((input, seat)) = asked else { break };
            let answer = bots[usize::from(seat.0)].answer(&game, input, &mut |_| true);
            let sent = Input::Answer { input, seat, answer: answer.expect("there is a legal answer") };
            game.submit(&sent, &mut Log::discard()).expect("it is legal");
        }
        wins += u32::from(game.ending().expect("the match ends").winners.contains(&seat));
    }
    assert!(wins >= 9, "{wins} of 10");
}

#[test]
fn without_a_declared_worth_it_still_plays_to_the_end() {
    let text = ARENA.split("\nbots:").next().expect("the bench declares a worth");
    let program = compile(text);
    assert!(program.worth.is_none());
    let (game, _) = play(&program, 2, Seat(0));
    let outcome = game.ending().expect("the match ends").outcome;
    assert_ne!(outcome, native::LOOP);
}
