//! Features of scenarios.

use crate::{SuiteFolder, all_pass, failure, passes};

#[test]
fn dice_are_rolled_as_written() {
    passes(
        "dice",
        "
scenarios:
  - name: dice
    dice: [4, {for: luck, faces: [6]}, [1]]
    play:
      - {p0: ace, expect: {p0.score: 4}}
      - {p1: king, expect: {p1.score: 6}}
      - {p0: king, expect: [p0.score == 5, p0.hand.count == 0, p0.score < p1.score]}
",
    );
}

#[test]
fn a_seed_gives_the_same_dice_every_time() {
    let story = |seed: u32, score: u32| {
        format!(
            "scenarios: [{{name: seed, seed: {seed}, play: [{{p0: ace, expect: {{p0.score: {score}}}}}]}}]"
        )
    };
    let scores: Vec<u32> = (0..6)
        .map(|seed| {
            let fits = |score: &u32| SuiteFolder::new("seed", &story(seed, *score)).run().is_ok();
            (1..=6).find(fits).unwrap()
        })
        .collect();
    assert!(scores.iter().any(|score| *score != scores[0]), "{scores:?}");
}

#[test]
fn entities_are_written_as_name_or_name_and_number() {
    passes(
        "names",
        r##"
scenarios:
  - name: names
    dice: [1, 1, 1]
    play:
      - pending: {p0: {options: [ace, king], title: Play a card, pass: true, min: 1, max: 1}, p1: false}
      - p0: ace#3
        events:
          - Moved: {entity: ace, from: p0.hand, to: table}
          - ...
      - p1: "#6"
        events:
          - Moved: {entity: king#6}
          - ...
      - expect: {table: [ace, king], table.first: "#3"}
      - p0: [king]
"##,
    );
}

#[test]
fn a_match_can_begin_in_any_position() {
    passes(
        "given",
        "
given: [{set: {p0.score: 7}}]
scenarios:
  - name: given
    given: [{set: {p1.score: p0.score + 1}}]
    options: {goal: 9}
    dice: [1, 1]
    play:
      - expect: {p0.score: 7, p1.score: 8}
      - {p0: ace, ended: false}
      - {p1: ace, ended: {outcome: normal, winners: [p1], losers: [p0], pot: winners}}
      - {p0: ace, refused: match_over}
",
    );
}

#[test]
fn pass_declines_a_question() {
    passes(
        "pass",
        "
scenarios:
  - name: pass
    play:
      - p0: pass
        events: [{Passed: {player: p0}}]
      - p1: [pass]
        refused: Selection pass didn't exist in the choices
",
    );
}

#[test]
fn the_start_of_a_match_has_events_too() {
    passes(
        "start",
        "
ignore: [Created]
scenarios:
  - name: start
    start: [MatchStarted]
",
    );
}

#[test]
fn ignored_events_are_compared_if_listed() {
    passes(
        "ignore",
        "
ignore: [Moved, Rolled]
scenarios:
  - name: ignored
    dice: [2]
    play:
      - {p0: ace, events: [{Scored: {amount: 2}}]}
  - name: listed
    dice: [2]
    play:
      - {p0: ace, events: [{Moved: {entity: ace}}, {Scored: {amount: 2}}]}
",
    );
}

#[test]
fn views_are_checked_per_viewer() {
    passes(
        "sees",
        r##"
scenarios:
  - name: sees
    dice: [3]
    play:
      - sees:
          p0: {view: {"players[0].zones.hand.items[0].def": ace, "prompts[0].title": Play a card}}
          p1:
            hidden: ["players[0].zones.hand.items", "prompts[0]"]
            never: [goat]
          spectator: {view: {"players[0].zones.hand": {count: 2}}}
      - p0: ace
        sees:
          p1:
            view: {"players[0].props.score": 3}
            events: [Moved, Rolled, {Scored: {player: p0, amount: 3}}]
"##,
    );
}

#[test]
fn unseen_inputs_must_not_be_noticed() {
    let failure = failure(
        "unseen",
        "
scenarios:
  - name: unseen
    play: [{p0: pass, unseen_by: p1}]
",
    );
    assert!(failure.message.contains("p1 should notice nothing, but does"), "{failure}");
    assert!(failure.message.contains("received: Passed: {player: p0}"), "{failure}");
}

#[test]
fn a_filter_chooses_by_name_or_file() {
    let folder =
        SuiteFolder::new("filter", "scenarios: [{name: one, start: [...]}, {name: other, start: [...]}]");
    let passed = |filter: Option<&str>| folder.suite().run(filter, false).passed;
    assert_eq!(passed(None), 2);
    assert_eq!(passed(Some("one")), 1);
    assert_eq!(passed(Some("all.yaml")), 2);
    assert_eq!(passed(Some("nothing")), 0);
}

#[test]
fn a_ruleset_may_hold_scenarios_itself() {
    let folder = SuiteFolder::new("own", "scenarios: []");
    folder.write("ruleset.yaml", &format!("{}{}", crate::RULES, "scenarios: [{name: own, start: [...]}]\n"));
    assert_eq!(folder.run().passed, 1);
}

#[test]
fn branches_are_answered_by_name_with_what_is_picked_in_them() {
    let rules = crate::RULES.split("flow:").next().expect("the rules have a flow").to_owned()
        + "
flow:
  - repeat: forever
    do:
      - choose: act
        by: players.first
        choices:
          - {id: rest, title: Rest}
          - {id: give, title: Give, choices: players.first.hand, min: 1, max: 2}
        title: What now?
      - {emit: Passed, player: players.first}
      - if: act.id == give
        then: [{move: act.selection, to: table}]
";
    let folder = SuiteFolder::new(
        "branches",
        "
scenarios:
  - name: branches
    play:
      - pending: {p0: {kind: mode_pick, branches: {rest: [], give: [ace, king]}}}
      - {p0: {give: null}, refused: wrong_count}
      - {p0: {give: [ace, ace]}, refused: \"Give: Selection ace didn't exist in the choices\"}
      - {p0: {take: [ace]}, refused: Selection take didn't exist in the choices}
      - {p0: [rest, give], refused: wrong_count}
      - {p0: {rest: null}, expect: {table.count: 0}}
      - {p0: rest, expect: {table.count: 0}}
      - {p0: {give: [ace, king]}, expect: {table.count: 2}}
",
    );
    folder.write("ruleset.yaml", &rules);
    let report = folder.run();
    assert!(report.is_ok(), "\n{}", folder.suite().render(&report, false));
}

/// Numbers are used again: the second card of a step takes the number of the first.
const REUSE: &str = "
ir: 1
ruleset: {id: reuse, version: 1.0.0, name: Reuse, uses: [core@1]}
outcomes: [normal]
players: {seats: 2}
kinds: {card: {}}
zones: {table: {visible: all}}
defs:
  ace: {kind: card}
  king: {kind: card}
events:
  Seen: {payload: {card: card, gone: maybe<card>}, visible: all}
flow:
  - {choose: go, by: 'players[0]', from: '[true]', pass: true}
  - {create: ace, in: table, as: first}
  - {emit: Seen, card: first}
  - {remove: first}
  - {create: king, in: table, as: second}
  - {emit: Seen, card: second}
  - {choose: again, by: 'players[0]', from: '[true]', pass: true}
  - end: normal
";

#[test]
fn a_number_that_is_used_again_keeps_both_names() {
    let scenario = "scenarios:
  - name: a story
    play:
      - p0: true
        events:
          - Created: {entity: ace, def: ace}
          - Seen: {card: ace}
          - Removed: {entity: ace}
          - Created: {entity: king, def: king}
          - Seen: {card: king}
          - ...
";
    let folder = SuiteFolder::of(REUSE, "reuse", scenario);
    all_pass(&folder);
    let unwritten = "scenarios: [{name: a story, play: [{p0: true, events: null}]}]";
    let blessed = SuiteFolder::of(REUSE, "reuse_blessed", unwritten);
    blessed.bless();
    let text = blessed.read("scenarios/all.yaml");
    let number = |label: &str| {
        let (_, rest) = text.split_once(&format!("entity: {label}#")).expect("it is listed");
        rest.split([',', '}']).next().unwrap_or_default().to_owned()
    };
    assert_eq!(number("ace"), number("king"), "{text}");
}
