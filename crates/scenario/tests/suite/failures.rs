//! Failing scenarios and their messages.

use crate::{SuiteFolder, failure, only_failure};

/// Runs a scenario with these steps, which start at line 5 of its file.
fn run_steps(name: &str, steps: &str) -> intermezzo_scenario::ScenarioFailure {
    failure(name, &format!("ignore: [Moved, Rolled]\nscenarios:\n  - name: a story\n    play:\n{steps}"))
}

#[test]
fn a_wrong_value_is_shown_beside_the_right_one() {
    let failure = run_steps(
        "value",
        "      - p0: pass\n        expect: {p0.score: 3, p1.score: 0, p0.hand.count: 1}\n",
    );
    assert_eq!(failure.name, "a story");
    assert_eq!(failure.line, 6);
    assert!(failure.file.ends_with("all.yaml"));
    assert_eq!(
        failure.message,
        "step 1, line 5:\n\
         `p0.score` should be 3 but is 0\n\
         `p0.hand.count` should be 1 but is 2\n\
         this happened:\n  Passed: {player: p0}"
    );
}

#[test]
fn a_comparison_that_does_not_hold_shows_its_sides() {
    let failure = run_steps("sides", "      - expect: [p0.score > p1.hand.count + 1]\n");
    assert_eq!(
        failure.message,
        "step 1, line 5:\n\
         `p0.score > p1.hand.count + 1` should be true but is false\n  \
         `p0.score` is 0\n  \
         `p1.hand.count + 1` is 3\n\
         nothing happened"
    );
}

#[test]
fn events_in_another_order_are_shown_line_by_line() {
    let failure = run_steps(
        "order",
        "      - {p0: pass, p1: pass}
      - p0: pass
        p1: pass
        events:
          - Passed: {player: p1}
          - Passed: {player: p0}
",
    );
    assert_eq!(failure.line, 8);
    assert_eq!(
        failure.message,
        "step 2, line 6:\n\
         the events differ (- expected, + happened):\n  \
         - Passed: {player: p1}\n    \
         Passed: {player: p0}\n  \
         + Passed: {player: p1}"
    );
}

#[test]
fn missing_and_extra_events_are_distinguished() {
    let failure = run_steps(
        "missing",
        "      - p0: pass
        events: [{Scored: {player: p0, amount: 6}}, {Passed: {player: p0}}, Settled]
",
    );
    let lines: Vec<&str> = failure.message.lines().skip(2).collect();
    assert_eq!(lines, ["  - Scored: {player: p0, amount: 6}", "    Passed: {player: p0}", "  - Settled"]);
}

#[test]
fn dots_do_not_hide_what_comes_too_late() {
    let failure = run_steps(
        "dots",
        "      - p0: pass\n        p1: pass\n        events: [{Passed: {player: p1}}, ...]\n",
    );
    let lines: Vec<&str> = failure.message.lines().skip(2).collect();
    assert_eq!(lines, ["  + Passed: {player: p0}", "    Passed: {player: p1}", "    ..."]);
}

#[test]
fn dice_that_are_left_over_are_a_failure() {
    let failure = failure("left", "scenarios: [{name: left, dice: [3, 4], play: [{p0: ace}]}]");
    assert_eq!(failure.message, "the last scripted roll was never used");
}

#[test]
fn dice_that_do_not_fit_are_a_failure() {
    let failure = failure("fit", "scenarios: [{name: fit, dice: [[3, 4]], play: [{p0: ace}]}]");
    assert!(
        failure.message.contains("this was refused: the next scripted dice do not match the roll"),
        "{failure}"
    );
    assert!(failure.message.contains("ruleset.yaml:"), "{failure}");
}

#[test]
fn an_unexpectedly_refused_input_is_a_failure() {
    let failure = run_steps("refused", "      - p0: queen\n");
    assert_eq!(
        failure.message,
        "step 1, line 5:\nthis was refused: Selection queen didn't exist in the choices\n\
         p0 is asked: Play a card\n  options: ace#3, king#4"
    );
}

#[test]
fn an_answer_of_a_seat_that_is_not_asked_names_the_asked_seats() {
    let failure = run_steps("unasked", "      - p1: ace\n");
    assert_eq!(
        failure.message,
        "step 1, line 5:\nthis was refused: p1 is not asked anything; asked: p0 (Play a card)"
    );
    // Also a seat that was asked before.
    let failure = run_steps("unasked_again", "      - p0: pass\n      - p0: pass\n");
    assert_eq!(
        failure.message,
        "step 2, line 6:\nthis was refused: p0 is not asked anything; asked: p1 (Play a card)"
    );
}

#[test]
fn dice_that_do_not_fit_inside_an_item_on_the_stack_are_a_failure() {
    let arena = include_str!("../../../../examples/scenarios/arena/ruleset.yaml");
    let scenario = "scenarios:
  - name: a story
    dice: [[3, 4]]
    play:
      - p0: strike
      - {p0: pass, p1: pass, expect: {p0.ring.count: 1}}
";
    let failure = only_failure(&SuiteFolder::of(arena, "fit_stack", scenario));
    assert!(
        failure.message.starts_with("step 2, line 6:\nthe next scripted dice do not match the roll at "),
        "{failure}"
    );
    assert!(failure.message.contains("ruleset.yaml:"), "{failure}");
}

#[test]
fn an_unexpectedly_accepted_input_is_a_failure() {
    let failure = run_steps("taken", "      - p0: pass\n        refused: cannot_pass\n");
    assert_eq!(failure.message, "step 1, line 5:\nthis should be refused (cannot_pass) but was accepted");
}

#[test]
fn another_reason_is_a_failure() {
    let failure = run_steps("reason", "      - p1: pass\n        refused: wrong_count\n");
    assert_eq!(failure.line, 6);
    assert_eq!(
        failure.message,
        "step 1, line 5:\nthis was refused for a different reason:\n  - wrong_count\n  + \
         input 0 does not exist (no_such_input)"
    );
}

#[test]
fn a_wrong_question_is_shown_beside_the_right_one() {
    let failure = run_steps("question", "      - pending: {p0: {title: Play, options: [ace]}, p1: {}}\n");
    assert_eq!(
        failure.message,
        "step 1, line 5:\n\
         `p0's title` should be Play but is \"Play a card\"\n\
         `p0's options` should be [ace] but is [ace#3, king#4]\n\
         p1 should be asked but is not\n\
         nothing happened"
    );
    let failure = run_steps("asked", "      - pending: [p1]\n");
    assert!(failure.message.contains("p1 should be asked but p0 is"), "{failure}");
}

#[test]
fn an_end_that_does_not_come_is_a_failure() {
    let failure = run_steps("end", "      - p0: pass\n        ended: {outcome: normal}\n");
    assert!(
        failure.message.contains("the match should have ended with {outcome: normal} but continues"),
        "{failure}"
    );
}

#[test]
fn views_that_differ_are_a_failure() {
    let failure =
        run_steps("seen", "      - sees: {p0: {view: {you: p1}, hidden: [match], never: [king]}}\n");
    let lines: Vec<&str> = failure.message.lines().collect();
    assert_eq!(lines[1], "`you of p0's view` should be p1 but is p0");
    assert_eq!(lines[2], "p0 should not see `match` but sees {}");
    assert_eq!(lines[3], "p0 should never see `king`, which occurs in the view");
}

#[test]
fn a_listing_that_is_still_empty_is_a_failure() {
    let failure = run_steps("empty", "      - p0: pass\n        events:\n");
    assert!(
        failure.message.contains("`--bless` fills it in with what happened:\n  + Passed: {player: p0}"),
        "{failure}"
    );
}

#[test]
fn a_failure_prints_its_place_and_its_message() {
    let failure = run_steps("print", "      - expect: 1 == 2\n");
    let text = failure.to_string();
    assert!(text.starts_with(&format!("{}:5: a story\n  step 1, line 5:\n", failure.file)), "{text}");
}
