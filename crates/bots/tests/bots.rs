//! Bots win against random play, do not harm themselves, and use only information of their seat.

use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind, Budget, Greedy, Random, Searcher, random_answer};
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, EventLog, Input, InputId, Match, Observer, Seed, Setup, Viewer};
use intermezzo_program::{Program, Seat, native, word};

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
    Match::start(Arc::clone(program), &setup, &mut EventLog::discard()).expect("the match starts")
}

/// Plays a greedy bot against random answers. Returns the match and all answers of the bot.
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
            false => game.pending().next().and_then(|pending| random_answer(&pending, &mut random)),
        };
        let answer = answer.expect("a legal answer exists");
        if seat == greedy_seat {
            answers.push(answer.clone());
        }
        game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()).expect("it is legal");
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
fn greedy_beats_random_play() {
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
fn greedy_avoids_self_harm_and_uses_helpful_reactions() {
    let program = compile(ARENA);
    let mut used = 0;
    for seed in 0..10 {
        let seat = Seat((seed % 2) as u8);
        let (game, _) = play(&program, seed, seat);
        assert_eq!(prop(&game, seat, "taken"), 0, "seed {seed}");
        used += prop(&game, seat, "used");
    }
    assert!(used > 0, "no attack was ever parried");
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
fn lookahead_changes_nothing_and_ignores_future_dice() {
    let program = compile(ARENA);
    for seed in 0..6 {
        let game = start(&program, seed, &[]);
        let before = game.snapshot();
        let pending = game.pending().next().expect("somebody is asked");
        let (id, seat) = (pending.id(), pending.seat());
        let answer = Greedy::new(3).answer(&game, id);
        assert_eq!(game.snapshot(), before);
        // The same position with different future dice.
        let other = game.determinize(seat, Seed::from_number(1000 + seed));
        let same = Greedy::new(3).answer(&other, id);
        assert_eq!(answer, same, "seed {seed}");
    }
}

#[test]
fn a_determinized_match_contains_no_future_dice() {
    let program = compile(ARENA);
    // Nothing is rolled before the first question, so these matches differ only in their future.
    let (one, other) = (start(&program, 1, &[]), start(&program, 2, &[]));
    assert_ne!(one.snapshot(), other.snapshot());
    let fork = |game: &Match| game.determinize(Seat(0), Seed::from_number(9)).snapshot();
    assert_eq!(fork(&one), fork(&other));
}

#[test]
fn answers_of_others_are_not_used() {
    let program = compile(ARENA);
    let think = |given: i32| {
        let mut game = start(&program, 1, &[("secrets", true)]);
        let asked: Vec<(InputId, Seat)> = game.pending().map(|asked| (asked.id(), asked.seat())).collect();
        assert_eq!(asked.len(), 2, "both are asked at once");
        let (theirs, seat) = asked[1];
        let input = Input::Answer { input: theirs, seat, answer: Answer::Picks(vec![given]) };
        game.submit(&input, &mut EventLog::discard()).expect("it is legal");
        Greedy::new(5).answer(&game, asked[0].0)
    };
    assert_eq!(think(0), think(1));
    assert_eq!(think(1), think(2));
}

/// Plays with hidden hit points. A bot must not know what its seat cannot see.
#[test]
fn bots_do_not_use_hidden_information() {
    let hp = "hp:    {type: int, default: 12, min: 0";
    let program = compile(&ARENA.replacen(hp, &format!("{hp}, visible: owner"), 1));
    let think = |harm: i64, kind: BotKind| {
        let mut game = start(&program, 1, &[]);
        // The other player falls or not, and only that player knows.
        let falls = |game: &Match| {
            let pending = game.pending().next().expect("somebody is asked");
            (pending.id(), pending.seat())
        };
        let (input, seat) = falls(&game);
        assert_eq!(seat, Seat(0));
        let answer = if harm > 0 { fall(&game) } else { Answer::Pass };
        game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard()).expect("it is legal");
        while game.pending().next().is_some_and(|pending| pending.seat() == Seat(0)) {
            let (input, seat) = falls(&game);
            let answer = Answer::Pass;
            game.submit(&Input::Answer { input, seat, answer }, &mut EventLog::discard())
                .expect("it is legal");
        }
        let (input, _) = falls(&game);
        Bot::new(kind, 5).answer(&game, input, &mut |_| true)
    };
    for kind in [BotKind::Random, BotKind::Greedy, BotKind::Mcts(Budget::Playouts(60))] {
        assert_eq!(think(0, kind), think(1, kind), "{kind}");
    }
}

/// Returns the answer with which the active player harms itself.
fn fall(game: &Match) -> Answer {
    let pending = game.pending().next().expect("somebody is asked");
    let harms = (0..pending.option_count() as i32).find(|pick| {
        let mut copy = game.clone();
        let sent =
            Input::Answer { input: pending.id(), seat: pending.seat(), answer: Answer::Picks(vec![*pick]) };
        let is_taken = copy.submit(&sent, &mut EventLog::discard()).is_ok();
        is_taken && prop(&copy, Seat(0), "taken") > 0
    });
    Answer::Picks(vec![harms.expect("one can fall")])
}

#[test]
fn search_is_deterministic_and_changes_nothing() {
    let program = compile(ARENA);
    let game = start(&program, 3, &[("secrets", true)]);
    let before = game.snapshot();
    let input = game.pending().next().expect("somebody is asked").id();
    let think = || Searcher::new(8).answer(&game, input, &mut |playouts| playouts < 200);
    assert!(think().is_some());
    assert_eq!(think(), think());
    assert_eq!(game.snapshot(), before);
}

#[test]
fn search_beats_random_play() {
    let program = compile(ARENA);
    let mut wins = 0;
    for seed in 0..10 {
        let seat = Seat((seed % 2) as u8);
        let mut game = start(&program, seed, &[]);
        let mut bots = [BotKind::Random, BotKind::Random].map(|kind| Bot::new(kind, seed));
        bots[usize::from(seat.0)] = Bot::new(BotKind::Mcts(Budget::Playouts(80)), seed);
        loop {
            let asked = game.pending().next().map(|asked| (asked.id(), asked.seat()));
            let Some((input, seat)) = asked else { break };
            let answer = bots[usize::from(seat.0)].answer(&game, input, &mut |_| true);
            let sent = Input::Answer { input, seat, answer: answer.expect("a legal answer exists") };
            game.submit(&sent, &mut EventLog::discard()).expect("it is legal");
        }
        wins += u32::from(game.ending().expect("the match ends").winners.contains(&seat));
    }
    assert!(wins >= 9, "{wins} of 10");
}

#[test]
fn bots_play_without_a_declared_evaluation() {
    let text = ARENA.split("\nbots:").next().expect("the ruleset declares an evaluation");
    let program = compile(text);
    assert!(program.evaluation.is_none());
    let (game, _) = play(&program, 2, Seat(0));
    let outcome = game.ending().expect("the match ends").outcome;
    assert_ne!(outcome, native::LOOP);
}

/// The safe answer wins and scores 1, the bold one loses and scores 30 in half of the matches.
const GAMBLE: &str = "
ir: 1
ruleset: {id: gamble, version: 1.0.0, uses: [core@1]}
players: {seats: 2}
flow:
  - choose: what
    by: players[0]
    choices: [{id: safe}, {id: bold}]
  - if: what.id == safe
    then:
      - {end: normal, winners: '[players[0]]', losers: '[players[1]]', score: 'if it == players[0] then 1 else 0'}
  - {roll: 1d10, as: rolled}
  - end: normal
    winners: '[players[1]]'
    losers: '[players[0]]'
    score: 'if it == players[0] and rolled.total > 5 then 30 else 0'
";

#[test]
fn bots_play_for_the_score_and_not_for_winning() {
    for (text, chosen) in [(GAMBLE.to_owned(), 1), (GAMBLE.replace("then 30", "then 1"), 0)] {
        let program = compile(&text);
        for bot in [BotKind::Greedy, "mcts:200".parse().expect("the bot exists")] {
            let game = start(&program, 1, &[]);
            let input = game.pending().next().expect("somebody is asked").id();
            let answer = Bot::new(bot, 7).answer(&game, input, &mut |_| false);
            assert_eq!(answer, Some(Answer::Branches(vec![(chosen, Vec::new())])), "{bot:?}");
        }
    }
}

/// Poker with three cards and one bet: the first player checks or bets, the second folds or calls.
const THREE_CARDS: &str = "
ir: 1
ruleset: {id: three-cards, version: 1.0.0, uses: [core@1]}
players: {seats: 2}
kinds:
  card: {props: {rank: int}}
zones:
  deck: {visible: none, order: list}
  hand: {of: player, visible: owner}
defs:
  jack:  {kind: card, props: {rank: 1}}
  queen: {kind: card, props: {rank: 2}}
  king:  {kind: card, props: {rank: 3}}
procs:
  showdown:
    params: {stake: int}
    do:
      - let: {best: 'players.max(it.hand.sum(it.rank))'}
      - end: normal
        winners: 'players.where(it.hand.sum(it.rank) == best)'
        losers: 'players.where(it.hand.sum(it.rank) < best)'
        score: 'if it.hand.sum(it.rank) == best then stake else -stake'
setup:
  - each: '[jack, queen, king]'
    as: which
    do: [{create: which, in: deck}]
  - shuffle: deck
  - each: players
    do: [{move: deck.top!, to: it.hand}]
flow:
  - choose: opening
    by: players[0]
    choices: [{id: check}, {id: bet}]
  - if: opening.id == check
    then: [{showdown: 1}]
  - choose: reply
    by: players[1]
    choices: [{id: fold}, {id: call}]
  - if: reply.id == call
    then: [{showdown: 2}]
  - {end: normal, winners: '[players[0]]', losers: '[players[1]]', score: 'if it == players[0] then 1 else -1'}
";

/// Returns the rank of the card that a seat holds.
fn rank_held(game: &Match, seat: usize) -> Option<i64> {
    let view = Observer::omniscient_of_match(game).view(Viewer::Spectator);
    let Datum::List(players) = view.get("players")? else { return None };
    let Datum::List(cards) = players.get(seat)?.get("zones")?.get("hand")?.get("items")? else { return None };
    match cards.first()?.get("props")?.get("rank")? {
        Datum::Int(rank) => Some(*rank),
        _ => None,
    }
}

/// Returns how often of 40 times `mcts` gives the second answer (bets, calls) with a card of this rank.
fn brave_answers(program: &Arc<Program>, seat: usize, rank: i64) -> usize {
    let deals = (0..).map(|seed| start(program, seed, &[]));
    let asked = deals.filter(|game| rank_held(game, seat) == Some(rank)).map(|mut game| {
        if seat == 1 {
            let input = game.pending().next().expect("the first player is asked").id();
            let answer = Answer::Branches(vec![(1, Vec::new())]);
            let bet = Input::Answer { input, seat: Seat(0), answer };
            game.submit(&bet, &mut EventLog::discard()).expect("it is legal");
        }
        game
    });
    let is_brave = |(seed, game): &(u64, Match)| {
        let input = game.pending().next().expect("the player is asked").id();
        let mut bot = Bot::new(BotKind::Mcts(Budget::Playouts(100)), *seed);
        bot.answer(game, input, &mut |_| false) == Some(Answer::Branches(vec![(1, Vec::new())]))
    };
    (0..40).zip(asked).filter(is_brave).count()
}

/// The best strategy of the first player bets with every king and bluffs with one jack in three. The second player's
/// calls with every king and with one queen in three.
#[test]
fn search_bluffs_sometimes_and_believes_a_bet_sometimes() {
    let program = compile(THREE_CARDS);
    let bets = [1, 2, 3].map(|rank| brave_answers(&program, 0, rank));
    let calls = [1, 2, 3].map(|rank| brave_answers(&program, 1, rank));
    assert!((4..=26).contains(&bets[0]) && bets[1] == 0 && bets[2] >= 38, "{bets:?}");
    assert!(calls[0] == 0 && (4..=26).contains(&calls[1]) && calls[2] == 40, "{calls:?}");
}
