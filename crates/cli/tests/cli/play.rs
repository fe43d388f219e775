//! `play` with answers from standard input.

use std::path::Path;

use crate::{DUEL, file, folder, intermezzo, text, typed};

#[test]
fn a_whole_duel_can_be_played() {
    let run = typed(&["play", "orcain", "--humans", "0,1", "--seed", "1"], DUEL).exits(0);
    let run = run.says("Seat 1 is next").says("p0 hits p1 for 2").says("After round 3: p0 10, p1 4");
    run.says("The match is over: normal.").says("winners: p0, losers: p1, pot: winners");
}

#[test]
fn random_bots_play_the_other_seats() {
    let run =
        typed(&["play", "orcain", "--seed", "4"], "1 2 3\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n1 2 3\n");
    run.exits(0).says("The match is over");
}

#[test]
fn the_same_seed_gives_the_same_match() {
    let play = || typed(&["play", "orcain", "--seats", "random,random", "--seed", "9"], "").exits(0).out;
    assert_eq!(play(), play());
    assert!(play().contains("The match is over"));
}

#[test]
fn every_key_does_what_help_says() {
    let input = "?\nv\nl\nw\np\nx\n1 1 1\n1\nd 1 - -\nt\nconcede\n";
    let run = typed(&["play", "orcain", "--seed", "2"], input).exits(0);
    let run = run.says("simulate a timeout").says("not enforced here").says("Created · entity=attack #1");
    let run = run.says("rejected: passing is not allowed").says("no option `x`");
    let run = run.says("`attack #1` was picked twice").says("expected 3, got 1");
    run.says("your draft: attack #1, nothing, nothing").says("Step 1 · p0 attack").says("(concede)");
}

#[test]
fn a_draft_counts_on_timeout() {
    let run = typed(&["play", "orcain", "--humans", "0,1"], "d heal - -\nt\nt\n").exits(0);
    run.says("Step 1 · p0 heal, p1 nothing");
}

#[test]
fn the_end_of_input_quits() {
    let run = typed(&["play", "orcain", "--seed", "2"], "1 2 3\n").exits(0).says("The match is not over");
    assert!(!run.out.contains("Save the match?"), "{}", run.all());
}

#[test]
fn quitting_asks_whether_to_save() {
    let path = folder("play-quit").join("match.json");
    typed(&["play", "orcain"], "1 2 3\nq\n\n").exits(0).says("Save the match?");
    let typed_path = format!("1 2 3\nq\n{}\n", text(&path));
    typed(&["play", "orcain"], &typed_path).exits(0).says("saved to");
    intermezzo(&["verify", text(&path)]).exits(0).says("not finished");
}

#[test]
fn options_are_set() {
    let args = [
        "play",
        "orcain",
        "--seed",
        "1",
        "--option",
        "rounds=1",
        "--option",
        "hand=attack,heal",
        "--option=max_hp=3",
    ];
    let run = typed(&args, "1 2 -\n").exits(0);
    assert!(run.out.contains("hp 3") && !run.out.contains("defense"), "{}", run.all());
}

#[test]
fn dice_can_be_scripted() {
    let rules = "ir: 1
ruleset: {id: dice, version: 0.1.0, name: Dice}
outcomes: [rolled]
players: {seats: 1}
flow:
  - {choose: go, by: \"players[0]\", from: \"[1]\", ask: always}
  - {roll: 2d6, for: luck, as: r}
  - {end: rolled}
symbols: [luck]
";
    let ruleset = file("play-dice", "dice.yaml", rules);
    let dice = file("play-dice-script", "dice.json", r#"[{"for": "luck", "faces": [6, 5]}]"#);
    let args = ["play", text(&ruleset), "--script-file", text(&dice)];
    typed(&args, "1\n").exits(0).says("rolls 2d6 for luck: 6, 5 = 11");
    let bad = file("play-dice-bad", "dice.json", r#"[{"faces": [9, 9]}]"#);
    let args = ["play", text(&ruleset), "--script-file", text(&bad)];
    typed(&args, "1\n")
        .exits(5)
        .says("the scripted dice did not match the roll (script)")
        .says("the match has not changed");
}

#[test]
fn a_failing_rule_leaves_the_match_unchanged() {
    let rules = "ir: 1
ruleset: {id: faulty, version: 0.1.0, name: Faulty}
outcomes: [done]
players: {seats: 2}
match: {props: {total: {type: int, default: 0}}}
flow:
  - {choose: n, by: \"players[0]\", from: \"[3, 4]\"}
  - {set: {match.total: \"12 / (n - 3)\"}}
  - {end: done, winners: \"[players[0]]\"}
";
    let ruleset = file("play-fault", "faulty.yaml", rules);
    let run = typed(&["play", text(&ruleset)], "3\n4\n").exits(5);
    let run = run.says("(division_by_zero) in flow at").says("faulty.yaml:8");
    run.says("the match has not changed").says("The match is over: done");
    let run = intermezzo(&["simulate", text(&ruleset), "-n", "40"]).exits(5);
    run.says("a rule failed in").says("--seed").says("division_by_zero");
    let run = typed(&["play", text(&ruleset), "--seats", "random,random", "--seed", "0"], "");
    assert!(run.code == 0 || run.err.contains("play it again with --seed 0"), "{}", run.all());
}

/// Branches with options, several picks, an order, numbers, passing: each has its own syntax.
#[test]
fn every_kind_of_question_can_be_answered() {
    let rules = "ir: 1
ruleset: {id: forms, version: 0.1.0, name: Forms}
symbols: [rest, work, trade]
outcomes: [done]
players: {seats: 1}
events:
  Told: {payload: {what: list<symbol>, sum: int}, visible: all}
flow:
  - let: {p: \"players[0]\"}
  - choose: mode
    by: p
    min: 1
    max: 2
    choices:
      - {id: rest, title: Rest, exclusive: true}
      - {id: work, title: Work, choices: \"[10, 20, 30]\", min: 1, max: 2}
      - {id: trade, title: Trade}
  - {emit: Told, what: mode.map(it.id), sum: mode.sum(it.selection.sum())}
  - {choose: some, by: p, from: \"[rest, work, trade]\", max: 2, title: Any two}
  - {emit: Told, what: some, sum: 0}
  - {choose: order, by: p, from: \"[rest, work, trade]\", count: 3, order: true, title: In order}
  - {emit: Told, what: order, sum: 0}
  - {choose: maybe_one, by: p, from: \"[rest, work]\", pass: true, title: One or none}
  - {emit: Told, what: \"[maybe_one ?? trade]\", sum: 0}
  - {end: done}
";
    let ruleset = file("play-forms", "forms.yaml", rules);
    let input = "1; 2: 10\n2: 30,10; 3\n1,3\n3 1 2\np\n";
    let run = typed(&["play", text(&ruleset)], input).exits(0);
    let run = run.says("rejected: Exclusive choice mixed").says("Told what=work, trade sum=40");
    let run = run.says("Told what=rest, trade sum=0").says("Told what=trade, rest, work sum=0");
    run.says("Told what=trade sum=0").says("The match is over: done");
}

/// Inner alternatives are typed after a dot, by number or by name.
#[test]
fn alternatives_within_alternatives_can_be_typed() {
    let ruleset = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/conformance/alternatives");
    let saved = folder("play-nested").join("match.json");
    let input = "market\n2\n2.9\n2.1: 1; 2.2\n2.1: 1,1\n2.1: 2; 3.1.2\nmarket\ntravel.south\nhaggle\nclose\n";
    let run = typed(&["play", text(&ruleset), "--save", text(&saved)], input).exits(0);
    let run =
        run.says("   2  Trade\n      2.1  Buy\n").says("      3.1  To the north\n          3.1.1  By ship\n");
    let run = run.says("`Trade` needs 1 of its inner branches, e.g. `2.1`");
    let run = run.says("Trade: no option `9`; options are numbered 1 to 2");
    let run = run.says("first=trade, travel second=buy, north third=foot picked=1");
    run.says("first=trade second=haggle third=none picked=0").says("The match is over: closed");
    intermezzo(&["verify", text(&saved), "--ruleset", text(&ruleset)]).exits(0);
    let written = std::fs::read_to_string(&saved).expect("it was saved");
    for id in ["trade", "buy", "travel", "north", "foot", "haggle"] {
        assert!(
            written.contains(&format!("\"id\": \"{id}\"")) || written.contains(&format!("\"id\":\"{id}\"")),
            "{id}"
        );
    }
}

#[test]
fn the_tutorial_shows_lessons() {
    let run = typed(&["play", "skirmish", "--tutorial", "--seed", "3"], "walk\nb3\nq\n\n").exits(0);
    run.says("│ Walk towards your foes.").says("│ Strike who is next to you");
    intermezzo(&["play", "crates/bots/tests/arena.yaml", "--tutorial"]).exits(2).says("has no tutorial");
}

/// A rogue next to an ogre, both alone on the field.
const ROSTER: &str = "roster=[{def: rogue, seat: 0, x: 2, y: 2}, {def: ogre, seat: 1, x: 3, y: 2}]";

#[test]
fn an_attack_is_one_line_with_details_on_demand() {
    let path = folder("play-lines").join("match.json");
    let options = ["--option", ROSTER, "--option", "order=listed", "--option", "terrain=[]", "--seed", "3"];
    let args = [&["play", "skirmish", "--save", text(&path)], &options[..]].concat();
    let run = typed(&args, "strike\ndetails\nl\nl all\nq\n").exits(0);
    let attack = " attacks Ogre #6: 26 against armour 11, hit, 8 damage\n";
    let [news, rest] = run.out.splitn(2, "seat 0> details").collect::<Vec<_>>()[..] else {
        panic!("{}", run.out)
    };
    assert!(news.contains(attack) && !news.contains("rolls 19"), "{news}");
    let [details, log, all] = rest.split("seat 0> l").collect::<Vec<_>>()[..] else { panic!("{rest}") };
    assert!(details.contains("AttackRolled · ") && !details.contains(attack), "{details}");
    assert!(log.contains(attack) && !log.contains("AttackRolled · "), "{log}");
    assert!(all.contains("AttackRolled · ") && all.contains("MatchStarted"), "{all}");

    for seat in [&[][..], &["--seat", "1"]] {
        let replay =
            |more: &[&str]| intermezzo(&[&["replay", text(&path)], seat, more].concat()).exits(0).out;
        let (short, long) = (replay(&[]), replay(&["--details"]));
        assert!(
            short.contains("against armour 11, hit, 8 damage") && !short.contains("AttackRolled"),
            "{short}"
        );
        assert!(
            long.contains("against armour 11, hit, 8 damage") && long.contains("AttackRolled · "),
            "{long}"
        );
    }
}
