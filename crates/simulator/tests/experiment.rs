//! Findings of experiments on rulesets with known results.

use intermezzo_bots::{Bot, BotKind};
use intermezzo_engine::{Datum, EventLog, Match};
use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::experiment::{DeckSet, ExperimentFindings, Progress};
use intermezzo_simulator::report::{self, ExperimentReport, page};
use intermezzo_simulator::{Experiment, Fixture, InputMix, RandomPlay, fixtures, play};

fn experiment(fixture: &Fixture) -> Experiment {
    Experiment::new(&fixture.program, &fixture.instrumented())
}

fn named(name: &str) -> Fixture {
    let mut all = fixtures::all().into_iter();
    all.find(|fixture| fixture.name == name).expect("the ruleset exists")
}

fn written(rules: &str) -> Fixture {
    let files = vec![("rules.yaml".to_owned(), rules.as_bytes().to_vec())];
    Fixture::new("written", files).unwrap_or_else(|problems| panic!("{problems}"))
}

fn run(experiment: &Experiment) -> ExperimentFindings {
    experiment.run(2, &Progress::default()).expect("the matches start")
}

/// Ruleset without hidden information in which lookahead pays off.
const ARENA: &str = include_str!("../../bots/tests/arena.yaml");

/// Ruleset in which taking the lucky stone wins, the heavy one does nothing, and nobody ever gets a third.
const STONES: &str = "ir: 1
ruleset: {id: stones, version: 0.1.0, name: Stones}
players: {seats: 2, props: {luck: {type: int, default: 0}}}
kinds: {stone: {props: {}}}
zones: {hand: {of: player, visible: all, holds: stone}}
defs: {lucky: {kind: stone}, heavy: {kind: stone}}
outcomes: [normal]
events:
  Taken: {payload: {player: player, stone: stone}}
reactions:
  - {id: luck_comes, when: {after: Taken, if: event.stone.def == lucky}, effects: [{add: {event.player.luck: 1}}]}
  - {id: weight_comes, when: {before: Taken, if: event.stone.def == heavy}, effects: [{prevent: event}]}
functions:
  unused: {params: {n: int}, returns: int, is: n + 1}
setup:
  - each: players
    as: p
    do: [{create: lucky, owner: p, in: p.hand}, {create: heavy, owner: p, in: p.hand}]
flow:
  - {choose: picked, by: \"players[0]\", from: \"players[0].hand\"}
  - {emit: Taken, player: \"players[0]\", stone: picked}
  - if: \"players[0].luck > 0\"
    then: [{end: normal, winners: \"[players[0]]\"}]
  - if: \"players[0].luck > 1\"
    then: [{end: normal, winners: \"players\"}]
  - {end: normal, winners: \"[players[1]]\"}
";

#[test]
fn a_winning_thing_shows_in_its_usage() {
    let experiment = Experiment { matches: 400, ..experiment(&written(STONES)) };
    let findings = run(&experiment);
    let report = ExperimentReport { experiment: &experiment, findings: &findings };
    let things = report.things();
    let [lucky, heavy] = ["lucky", "heavy"].map(|name| {
        things
            .iter()
            .find(|(thing, _)| thing == name)
            .unwrap_or_else(|| panic!("{name} is not in the report"))
            .1
    });
    assert_eq!((lucky.seen, heavy.seen), (400, 400), "all have one of each");
    assert_eq!(lucky.matches + heavy.matches, 400, "one of them is taken in each match");
    assert_eq!(lucky.with.won, lucky.with.played, "taking the lucky stone wins");
    assert_eq!(heavy.with.won, 0);
    let more = report::won_more(lucky.with, lucky.without).expect("both were counted");
    assert!(more.low > 0.0 && more.is_significant(), "{more:?}");
    let prevented = report.prevented();
    let [(event, rule, uses)] = &prevented[..] else { panic!("{prevented:?}") };
    assert_eq!((event.as_str(), rule.contains("weight_comes"), uses.times), ("Taken", true, heavy.times));
    assert_eq!(findings.first_play[0].max(), 0, "the first answer of seat 0 is a play");
    assert_eq!(findings.never_played, [0, 400], "seat 1 is never asked");
}

#[test]
fn unreached_rules_are_reported_with_their_line() {
    let experiment = experiment(&written(STONES));
    let coverage = Coverage::new(&experiment, &run(&experiment));
    let found: Vec<(u32, &str)> = coverage.unreached.iter().map(|found| (found.line, found.what)).collect();
    assert_eq!(found, [(14, "function"), (24, "arm")]);
    assert!(coverage.unreached[1].name.contains("never holds"), "{:?}", coverage.unreached);
    assert_eq!(coverage.counts["reaction"], (2, 2));
}

#[test]
fn an_experiments_match_is_the_match_of_its_seed() {
    for fixture in fixtures::all() {
        let experiment = Experiment { matches: 1, max_inputs: 300, ..experiment(&fixture) };
        let mix = InputMix { max_inputs: 300, ..InputMix::orderly() };
        for seed in 0..fixture.seeds(12) {
            let findings = run(&Experiment { seed, ..experiment.clone() });
            let played = play(&fixture.program, seed, &[], &mix).expect("the match starts");
            let totals = &findings.totals;
            assert_eq!(totals.inputs.max() as usize, played.inputs.len(), "{} seed {seed}", fixture.name);
            assert_eq!(totals.events.max(), played.state.event_count(), "{} seed {seed}", fixture.name);
            let outcome = played.ending().map(|ending| ending.outcome);
            assert_eq!(totals.outcomes.keys().next().copied(), outcome, "{} seed {seed}", fixture.name);
            let recorder = experiment.record(seed).expect("the match starts");
            assert!(recorder.game().snapshot() == played.state.snapshot(), "{} seed {seed}", fixture.name);
        }
    }
}

#[test]
fn findings_of_parts_make_the_findings_of_the_whole() {
    let mut experiment = Experiment { matches: 100, seats: 3, ..experiment(&named("dice")) };
    experiment.options = vec![("goal".into(), Datum::Int(12))];
    let whole = run(&experiment);
    let mut parts = [0, 50].map(|seed| run(&Experiment { seed, matches: 50, ..experiment.clone() }));
    let first = parts[0].clone();
    parts[1].merge(first);
    assert!(parts[1] == whole);
    let totals = &whole.totals;
    assert_eq!((totals.matches, totals.rejected, totals.faulty), (100, 0, 0));
    assert_eq!(totals.wins.iter().sum::<u64>(), 100, "one player reaches the goal in each");
    assert!(totals.events.mean() > totals.inputs.mean() && totals.branching() > 1.0);
}

#[test]
fn an_experiment_that_cannot_start_is_an_error() {
    let one = experiment(&named("orcain"));
    let options = vec![("no_such_option".into(), Datum::Int(1))];
    assert!(Experiment { options, ..one.clone() }.check().is_err());
    assert!(Experiment { seats: 99, ..one.clone() }.check().is_err());
    assert!(Experiment { bots: vec!["random".to_owned(); 3], ..one.clone() }.check().is_err());
    assert!(Experiment { bots: vec!["clever".to_owned()], ..one }.check().is_err(), "the bot is unknown");
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    for name in ["orcain", "stack", "draft"] {
        let experiment = Experiment { matches: 60, seed: 5, ..experiment(&named(name)) };
        let [one, three] =
            [1, 3].map(|threads| experiment.run(threads, &Progress::default()).expect("the matches start"));
        assert!(one == three, "{name}");
        let json = |findings: &ExperimentFindings| {
            ExperimentReport { experiment: &experiment, findings }.json().to_string()
        };
        assert_eq!(json(&one), json(&three), "{name}");
    }
}

#[test]
fn bots_rotate_through_the_seats() {
    let mut experiment = Experiment { matches: 20, ..experiment(&written(ARENA)) };
    experiment.bots = vec!["random".to_owned(), "greedy".to_owned()];
    assert_eq!([experiment.bots_at(0), experiment.bots_at(1)], [[0, 1], [1, 0]]);
    let findings = run(&experiment);
    assert_eq!(findings.bots.iter().map(|record| record.played).collect::<Vec<_>>(), [20, 20]);
    assert!(findings.bots[1].won > findings.bots[0].won, "{:?}", findings.bots);
    assert!(findings.probes.iter().any(|found| found.times > 0), "coverage is counted");
}

/// Lookahead of bots must not count.
#[test]
fn lookahead_of_bots_is_not_counted() {
    let mut experiment = Experiment { matches: 6, ..experiment(&written(ARENA)) };
    experiment.bots = vec!["greedy".to_owned()];
    let findings = run(&experiment);
    let mut replayed = vec![0; experiment.instrumented.coverage.points().len()];
    for seed in 0..6 {
        let mut players = RandomPlay::new(0, &InputMix::orderly());
        let bot = Some(Bot::new(BotKind::Greedy, 0));
        players.seat(vec![bot.clone(), bot]);
        players.reseed(seed);
        let [mut state, mut mirror] = [&experiment.program, &experiment.instrumented].map(|program| {
            Match::start(program.clone(), &experiment.setup(seed), &mut EventLog::discard())
                .expect("the match starts")
        });
        while let Some(input) = players.next(&state) {
            state.submit(input, &mut EventLog::discard()).expect("the answer is legal");
            mirror.submit(input, &mut EventLog::discard()).expect("the answer is legal");
        }
        let counts = replayed.iter_mut().enumerate();
        counts.for_each(|(at, count)| *count += u64::from(experiment.instrumented.coverage.drain(at).times));
    }
    assert_eq!(findings.probes.iter().map(|found| found.times).collect::<Vec<_>>(), replayed);
}

#[test]
fn decks_rotate_and_are_counted_separately() {
    let mut experiment = Experiment { matches: 60, ..experiment(&named("mages")) };
    experiment.decks =
        DeckSet::from_setup(&experiment.program, &experiment.setup(0)).expect("the match starts");
    let decks = experiment.decks.as_ref().expect("the ruleset has decks");
    assert_eq!((decks.option.as_str(), decks.list.len()), ("decks", 2));
    let seat = |seed: u64| {
        experiment
            .setup(seed)
            .options
            .iter()
            .find(|(name, _)| name == "decks")
            .map(|(_, value)| value.clone())
    };
    let (Some(Datum::List(first)), Some(Datum::List(second))) = (seat(0), seat(1)) else {
        panic!("decks are set")
    };
    assert_eq!((&first[0], &first[1]), (&second[1], &second[0]));
    let findings = run(&experiment);
    assert_eq!(findings.decks.iter().map(|record| record.played).sum::<u64>(), 120);
}

#[test]
fn a_stopped_experiment_reports_the_matches_played() {
    let experiment = Experiment { matches: u64::MAX, ..experiment(&named("orcain")) };
    let progress = Progress::default();
    let findings = std::thread::scope(|scope| {
        let running = scope.spawn(|| experiment.run(2, &progress));
        while progress.played() < 20 {
            std::thread::yield_now();
        }
        progress.stop();
        running.join().expect("it does not panic").expect("the matches start")
    });
    assert_eq!(findings.totals.matches, progress.played());
}

#[test]
fn a_comparison_finds_the_change_and_nothing_else() {
    let before = Experiment { matches: 300, ..experiment(&written(STONES)) };
    let same = report_tables(&before, &before);
    assert!(!same.contains(['▲', '▼']), "{same}");
    let heavier = STONES.replace("if: event.stone.def == lucky}", "if: event.stone.def == heavy}");
    let after = Experiment {
        matches: 300,
        ..experiment(&written(
            &heavier.replace("before: Taken", "after: Taken").replace("prevent: event", "let: {n: 1}"),
        ))
    };
    let told = report_tables(&before, &after);
    let lucky = told.lines().find(|line| line.starts_with("lucky")).expect("the stone is in the report");
    assert!(lucky.contains('▼'), "taking the lucky stone no longer wins: {lucky}");
}

fn report_tables(before: &Experiment, after: &Experiment) -> String {
    let (old, new) = (run(before), run(after));
    let (before, after) = (
        ExperimentReport { experiment: before, findings: &old },
        ExperimentReport { experiment: after, findings: &new },
    );
    let tables = report::compare(&before, &after);
    tables.iter().flat_map(|table| table.lines(usize::MAX)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_page_is_self_contained_and_escaped() {
    let rules = STONES.replace("name: Stones", "name: \"<b>Stones</b> & 'Sons'\"");
    let experiment = Experiment { matches: 50, ..experiment(&written(&rules)) };
    let findings = run(&experiment);
    let report = ExperimentReport { experiment: &experiment, findings: &findings };
    let coverage = Coverage::new(&experiment, &findings);
    let page = page::report_page(&report, Some(&coverage));
    assert!(page.contains("&lt;b&gt;Stones&lt;/b&gt; &amp; &#39;Sons&#39;") && !page.contains("<b>Stones"));
    let outside = ["http:", "https:", "src=", "<link", "@import", "url("];
    assert!(!outside.iter().any(|word| page.contains(word)), "a page loads nothing");
    for part in ["<th scope=\"row\">lucky", "Never reached", "role=\"img\"", "prefers-color-scheme", "<svg"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
    assert_eq!(page, page::report_page(&report, Some(&coverage)));
}
