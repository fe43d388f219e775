//! What studies find, told by games in which it is known.

use intermezzo_bots::{Bot, BotKind};
use intermezzo_engine::{Datum, Log, Match};
use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::report::{self, Report, page};
use intermezzo_simulator::study::{Findings, Lots, Progress};
use intermezzo_simulator::{Habits, RandomPlay, Study, Subject, play, subjects};

fn study(subject: &Subject) -> Study {
    Study::new(&subject.program, &subject.probed())
}

fn named(name: &str) -> Subject {
    let mut all = subjects::all().into_iter();
    all.find(|subject| subject.name == name).expect("the ruleset is there")
}

fn written(rules: &str) -> Subject {
    let files = vec![("rules.yaml".to_owned(), rules.as_bytes().to_vec())];
    Subject::new("written", files).unwrap_or_else(|problems| panic!("{problems}"))
}

fn run(study: &Study) -> Findings {
    study.run(2, &Progress::default()).expect("matches begin")
}

/// A game in which nothing is hidden and looking ahead pays.
const ARENA: &str = include_str!("../../bots/tests/arena.yaml");

/// Whoever takes the lucky stone wins; the heavy one does nothing, and nobody ever gets a third.
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
fn what_wins_is_seen_in_who_used_it() {
    let study = Study { matches: 400, ..study(&written(STONES)) };
    let findings = run(&study);
    let report = Report { study: &study, findings: &findings };
    let things = report.things();
    let [lucky, heavy] = ["lucky", "heavy"].map(|name| {
        things.iter().find(|(thing, _)| thing == name).unwrap_or_else(|| panic!("{name} is told")).1
    });
    assert_eq!((lucky.seen, heavy.seen), (400, 400), "all have one of each");
    assert_eq!(lucky.matches + heavy.matches, 400, "one of them is taken in each match");
    assert_eq!(lucky.with.won, lucky.with.played, "who takes the lucky one wins");
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
fn what_is_never_reached_is_told_with_its_line() {
    let study = study(&written(STONES));
    let coverage = Coverage::of(&study, &run(&study));
    let found: Vec<(u32, &str)> = coverage.unreached.iter().map(|found| (found.line, found.what)).collect();
    assert_eq!(found, [(14, "function"), (24, "arm")]);
    assert!(coverage.unreached[1].name.contains("never holds"), "{:?}", coverage.unreached);
    assert_eq!(coverage.counts["reaction"], (2, 2));
}

#[test]
fn a_studied_match_is_the_match_of_its_seed() {
    for subject in subjects::all() {
        let study = Study { matches: 1, max_inputs: 300, ..study(&subject) };
        let habits = Habits { max_inputs: 300, ..Habits::orderly() };
        for seed in 0..subject.seeds(12) {
            let findings = run(&Study { seed, ..study.clone() });
            let played = play(&subject.program, seed, &[], &habits).expect("the match begins");
            let tally = &findings.tally;
            assert_eq!(tally.inputs.max() as usize, played.inputs.len(), "{} seed {seed}", subject.name);
            assert_eq!(tally.events.max(), played.state.event_count(), "{} seed {seed}", subject.name);
            let outcome = played.ending().map(|ending| ending.outcome);
            assert_eq!(tally.outcomes.keys().next().copied(), outcome, "{} seed {seed}", subject.name);
            let recorder = study.record(seed).expect("the match begins");
            assert!(recorder.playing().snapshot() == played.state.snapshot(), "{} seed {seed}", subject.name);
        }
    }
}

#[test]
fn findings_of_parts_make_the_findings_of_the_whole() {
    let mut study = Study { matches: 100, seats: 3, ..study(&named("dice")) };
    study.options = vec![("goal".into(), Datum::Int(12))];
    let whole = run(&study);
    let mut parts = [0, 50].map(|seed| run(&Study { seed, matches: 50, ..study.clone() }));
    let first = parts[0].clone();
    parts[1].merge(first);
    assert!(parts[1] == whole);
    let tally = &whole.tally;
    assert_eq!((tally.matches, tally.rejected, tally.faulty), (100, 0, 0));
    assert_eq!(tally.wins.iter().sum::<u64>(), 100, "one player reaches the goal in each");
    assert!(tally.events.mean() > tally.inputs.mean() && tally.branching() > 1.0);
}

#[test]
fn what_cannot_begin_is_refused() {
    let one = study(&named("orcain"));
    let options = vec![("no_such_option".into(), Datum::Int(1))];
    assert!(Study { options, ..one.clone() }.check().is_err());
    assert!(Study { seats: 99, ..one.clone() }.check().is_err());
    assert!(Study { bots: vec!["random".to_owned(); 3], ..one.clone() }.check().is_err());
    assert!(Study { bots: vec!["clever".to_owned()], ..one }.check().is_err(), "nobody knows it");
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    for name in ["orcain", "stack", "draft"] {
        let study = Study { matches: 60, seed: 5, ..study(&named(name)) };
        let [one, three] =
            [1, 3].map(|threads| study.run(threads, &Progress::default()).expect("matches begin"));
        assert!(one == three, "{name}");
        let json = |findings: &Findings| Report { study: &study, findings }.json().to_string();
        assert_eq!(json(&one), json(&three), "{name}");
    }
}

#[test]
fn bots_go_round_so_that_no_seat_is_theirs() {
    let mut study = Study { matches: 20, ..study(&written(ARENA)) };
    study.bots = vec!["random".to_owned(), "greedy".to_owned()];
    assert_eq!([study.bots_at(0), study.bots_at(1)], [[0, 1], [1, 0]]);
    let findings = run(&study);
    assert_eq!(findings.bots.iter().map(|record| record.played).collect::<Vec<_>>(), [20, 20]);
    assert!(findings.bots[1].won > findings.bots[0].won, "{:?}", findings.bots);
    assert!(findings.probes.iter().any(|found| found.times > 0), "what is played is counted");
}

/// What bots merely imagine must not count as having happened.
#[test]
fn what_bots_think_of_is_not_counted() {
    let mut study = Study { matches: 6, ..study(&written(ARENA)) };
    study.bots = vec!["greedy".to_owned()];
    let findings = run(&study);
    let mut replayed = vec![0; study.probed.probes.list().len()];
    for seed in 0..6 {
        let mut players = RandomPlay::new(0, &Habits::orderly());
        let bot = Some(Bot::new(BotKind::Greedy, 0));
        players.seat(vec![bot.clone(), bot]);
        players.reseed(seed);
        let [mut state, mut mirror] = [&study.program, &study.probed].map(|program| {
            Match::start(program.clone(), &study.setup(seed), &mut Log::discard()).expect("it begins")
        });
        while let Some(input) = players.next(&state) {
            state.submit(input, &mut Log::discard()).expect("the answer is legal");
            mirror.submit(input, &mut Log::discard()).expect("the answer is legal");
        }
        let counts = replayed.iter_mut().enumerate();
        counts.for_each(|(at, count)| *count += u64::from(study.probed.probes.take(at).times));
    }
    assert_eq!(findings.probes.iter().map(|found| found.times).collect::<Vec<_>>(), replayed);
}

#[test]
fn decks_change_seats_and_are_told_apart() {
    let mut study = Study { matches: 60, ..study(&named("mages")) };
    study.lots = Lots::of_setup(&study.program, &study.setup(0)).expect("the match begins");
    let lots = study.lots.as_ref().expect("there are decks");
    assert_eq!((lots.option.as_str(), lots.list.len()), ("decks", 2));
    let seat = |seed: u64| {
        study.setup(seed).options.iter().find(|(name, _)| name == "decks").map(|(_, value)| value.clone())
    };
    let (Some(Datum::List(first)), Some(Datum::List(second))) = (seat(0), seat(1)) else {
        panic!("decks are set")
    };
    assert_eq!((&first[0], &first[1]), (&second[1], &second[0]));
    let findings = run(&study);
    assert_eq!(findings.lots.iter().map(|record| record.played).sum::<u64>(), 120);
}

#[test]
fn a_study_that_is_stopped_tells_of_what_was_played() {
    let study = Study { matches: u64::MAX, ..study(&named("orcain")) };
    let progress = Progress::default();
    let findings = std::thread::scope(|scope| {
        let running = scope.spawn(|| study.run(2, &progress));
        while progress.played() < 20 {
            std::thread::yield_now();
        }
        progress.stop();
        running.join().expect("it does not panic").expect("matches begin")
    });
    assert_eq!(findings.tally.matches, progress.played());
}

#[test]
fn a_comparison_finds_the_change_and_nothing_else() {
    let before = Study { matches: 300, ..study(&written(STONES)) };
    let same = report_tables(&before, &before);
    assert!(!same.contains(['▲', '▼']), "{same}");
    let heavier = STONES.replace("if: event.stone.def == lucky}", "if: event.stone.def == heavy}");
    let after = Study {
        matches: 300,
        ..study(&written(
            &heavier.replace("before: Taken", "after: Taken").replace("prevent: event", "let: {n: 1}"),
        ))
    };
    let told = report_tables(&before, &after);
    let lucky = told.lines().find(|line| line.starts_with("lucky")).expect("the stone is told");
    assert!(lucky.contains('▼'), "who takes the lucky one no longer wins: {lucky}");
}

fn report_tables(before: &Study, after: &Study) -> String {
    let (old, new) = (run(before), run(after));
    let (before, after) = (Report { study: before, findings: &old }, Report { study: after, findings: &new });
    let tables = report::compare(&before, &after);
    tables.iter().flat_map(|table| table.lines(usize::MAX)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_page_needs_nothing_else_and_means_what_it_says() {
    let rules = STONES.replace("name: Stones", "name: \"<b>Stones</b> & 'Sons'\"");
    let study = Study { matches: 50, ..study(&written(&rules)) };
    let findings = run(&study);
    let report = Report { study: &study, findings: &findings };
    let coverage = Coverage::of(&study, &findings);
    let page = page::of(&report, Some(&coverage));
    assert!(page.contains("&lt;b&gt;Stones&lt;/b&gt; &amp; &#39;Sons&#39;") && !page.contains("<b>Stones"));
    let outside = ["http:", "https:", "src=", "<link", "@import", "url("];
    assert!(!outside.iter().any(|word| page.contains(word)), "a page asks for nothing");
    for part in ["<th scope=\"row\">lucky", "Never reached", "role=\"img\"", "prefers-color-scheme", "<svg"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
    assert_eq!(page, page::of(&report, Some(&coverage)));
}
