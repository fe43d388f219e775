//! Blessing: listings are updated, and every other byte stays.

use crate::SuiteFolder;

/// Blesses a file and returns its new text.
#[track_caller]
fn blessed(name: &str, scenarios: &str) -> String {
    let folder = SuiteFolder::new(name, scenarios);
    let report = folder.bless();
    assert!(report.is_ok() && report.blessed > 0, "\n{}", folder.suite().render(&report, false));
    assert!(folder.run().is_ok());
    let text = folder.read("scenarios/all.yaml");
    assert_eq!(folder.bless().blessed, 0);
    assert_eq!(folder.read("scenarios/all.yaml"), text);
    text
}

#[test]
fn empty_listings_are_filled_in_and_comments_stay() {
    let text = "# About this file.
ignore: [Moved, Rolled]   # noise
scenarios:
  - name: a story   # its name
    dice: [3]
    play:
      # Both decline.
      - p0: pass
        p1: pass
        events:      # to be filled in
        expect: {p0.score: 0}
      - events: []   # nothing yet
        p0: ace
      # The end.
";
    let expected = text
        .replace(
            "to be filled in\n",
            "to be filled in\n          - Passed: {player: p0}\n          - Passed: {player: p1}\n",
        )
        .replace(
            "- events: []   # nothing yet\n",
            "- events:   # nothing yet\n          - Scored: {player: p0, amount: 3}\n",
        );
    assert_eq!(blessed("fill", text), expected);
}

#[test]
fn only_lines_that_do_not_hold_are_rewritten() {
    let text = "scenarios:
  - name: a story
    dice: [3, 4]
    play:
      - p0: ace
        p1: king
        events:
          # The card first.
          - Moved: {entity: ace}          # only what matters
          - Settled                       # never happened
          - Rolled: {total: 6}            # was six once
          - Scored: {player:   p0}
          # Then the other.
          - ...
          - Passed: {player: p1}
          - Scored: {player: p1, amount: 4}
";
    let expected = text
        .replace("- Settled                       # never", "# never")
        .replace("Rolled: {total: 6}", "Rolled: {dice: 1d6, faces: [3], total: 3, for: luck}")
        .replace("          - Passed: {player: p1}\n", "");
    assert_eq!(blessed("lines", text), expected);
}

#[test]
fn missing_lines_are_inserted_where_they_belong() {
    let text = "scenarios:
  - name: a story
    play:
      - p0: pass
        p1: pass
        events:
        - Passed: {player: p1}
      - p0: pass
        p1: pass
        events:
        - Passed: {player: p0}   # first
";
    let expected = text
        .replace(
            "        - Passed: {player: p1}\n",
            "        - Passed: {player: p0}\n        - Passed: {player: p1}\n",
        )
        .replace("# first\n", "# first\n        - Passed: {player: p1}\n");
    assert_eq!(blessed("insert", text), expected);
}

#[test]
fn a_listing_may_become_empty() {
    let text = "ignore: [Moved, Rolled, Scored]
scenarios:
  - name: a story
    play:
      - p0: ace
        events:   # none
          # What was here?
          - Passed: {player: p1}   # not this
          - Settled
        expect: {p0.hand.count: 1}
";
    let expected = text
        .replace("events:   # none", "events: []   # none")
        .replace("- Passed: {player: p1}   # not", "# not")
        .replace("          - Settled\n", "");
    assert_eq!(blessed("shrink", text), expected);
}

#[test]
fn listings_in_brackets_stay_in_brackets() {
    let text = r#"{"scenarios": [{"name": "a", "start": [], "play": [{"p0": "pass", "events": ["Settled"]}]}], "ignore": ["Created"]}"#;
    let expected = text
        .replace(r#""start": []"#, r#""start": [MatchStarted]"#)
        .replace(r#"["Settled"]"#, "[{Passed: {player: p0}}]");
    assert_eq!(blessed("brackets", text), expected);
}

#[test]
fn json_stays_json() {
    let text = r#"{"scenarios": [{"name": "a", "play": [{"p0": "pass", "events": []}]}]}"#;
    let folder = SuiteFolder::new("json", "scenarios: []");
    folder.write("scenarios/tools.json", text);
    assert!(folder.bless().is_ok());
    let expected = text.replace("[]", r#"[{"Passed":{"player":"p0"}}]"#);
    assert_eq!(folder.read("scenarios/tools.json"), expected);
}

#[test]
fn windows_line_ends_stay() {
    let text = "scenarios:\r\n  - name: a\r\n    play:\r\n      - p0: pass\r\n        events:\r\n      - p1: pass\r\n";
    let expected = text.replace("events:\r\n", "events:\r\n          - Passed: {player: p0}\r\n");
    assert_eq!(blessed("windows", text), expected);
}

#[test]
fn events_of_a_viewer_can_be_blessed() {
    let text = "scenarios:
  - name: a
    dice: [2]
    play:
      - p0: ace
        sees:
          p1:
            events:
";
    let text = blessed("viewer_events", text);
    assert!(text.ends_with("              - Scored: {player: p0, amount: 2}\n"), "{text}");
}

#[test]
fn scenarios_inside_the_ruleset_are_blessed_there() {
    let folder = SuiteFolder::new("inside", "scenarios: []");
    let rules = format!(
        "{}scenarios:\n  - name: own\n    play:\n      - p0: pass\n        events: []\n",
        crate::RULES
    );
    folder.write("ruleset.yaml", &rules);
    assert!(folder.bless().is_ok());
    let expected = rules.replace("events: []\n", "events:\n          - Passed: {player: p0}\n");
    assert_eq!(folder.read("ruleset.yaml"), expected);
}

#[test]
fn other_failures_are_not_blessed_away() {
    let folder = SuiteFolder::new(
        "other",
        "scenarios: [{name: a, play: [{p0: pass, events: [], expect: {p0.score: 1}}]}]",
    );
    let report = folder.bless();
    assert_eq!((report.blessed, report.failed.len()), (1, 1));
}

#[test]
fn a_listing_that_is_written_as_null_is_replaced() {
    let text = "ignore: [Moved, Rolled]
scenarios:
  - name: a story
    play:
      - p0: pass
        events: null   # to be filled in
      - p1: pass
        events: null
      - {p0: pass, events: null}
";
    let expected = "ignore: [Moved, Rolled]
scenarios:
  - name: a story
    play:
      - p0: pass
        events:   # to be filled in
          - Passed: {player: p0}
      - p1: pass
        events:
          - Passed: {player: p1}
      - {p0: pass, events: [{Passed: {player: p0}}]}
";
    assert_eq!(blessed("null", text), expected);
}
