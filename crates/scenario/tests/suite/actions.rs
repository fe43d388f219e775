//! Steps and checks about actions: drags, offers, reasons, auto-pass and failures.

use crate::{SuiteFolder, all_mistakes, all_pass, only_failure};

/// Conformance ruleset for actions and the stack.
const STACK: &str = include_str!("../../conformance/stack/ruleset.yaml");

/// Writes a scenario in which p0 has a bolt and a bear in hand and a bear in play, and p1 a bear in play.
fn scenario(steps: &str) -> String {
    format!(
        "ignore: [Created, Moved, Removed, Changed, PhaseStarted, PhaseEnded, Settled]
scenarios:
  - name: a story
    options: {{hands: [[bolt, bear], []], fields: [[bear], [bear]], mana: 2}}
    play:
{steps}"
    )
}

#[track_caller]
fn passes(name: &str, steps: &str) {
    all_pass(&SuiteFolder::of(STACK, name, &scenario(steps)));
}

#[track_caller]
fn fails(name: &str, steps: &str, message: &str) {
    let failure = only_failure(&SuiteFolder::of(STACK, name, &scenario(steps)));
    assert_eq!(failure.message, message);
}

#[track_caller]
fn reports(name: &str, steps: &str, parts: &[&str]) {
    let text = all_mistakes(&SuiteFolder::of(STACK, name, &scenario(steps)));
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn a_drag_is_an_answer() {
    passes(
        "drag",
        "      - drag p0: [bear, p0.battlefield]
        events:
          - Announced: {action: summon, actor: p0, host: bear#4}
      - {p0: pass, p1: pass, expect: {p0.battlefield.count: 2}}
",
    );
    passes("drag_zone", "      - {drag p0: ['#4', battlefield], expect: {stack.count: 1}}\n");
    passes("drag_player", "      - {drag p0: [bear#5, p1], expect: {p0.battlefield.count: 1}}\n");
    passes("drag_entity", "      - {drag p0: [bear, bear#6]}\n");
}

#[test]
fn among_things_with_one_name_the_first_that_fits_is_dragged() {
    passes("drag_first", "      - {drag p0: [bear, p1], expect: {p0.battlefield.count: 1}}\n");
}

#[test]
fn a_drag_is_refused_with_its_reason() {
    passes(
        "drag_refused",
        "      - {drag p0: [bear#4, p1], refused: drag_refused}
      - {drag p1: [bear, p0], refused: not_asked_to_act}
      - {drag p1: [bear, p0], refused: you are not asked to act}
      - {p0: {cast_bolt: p1}}
      - {drag p0: [bear#4, p0.battlefield], refused: Something is on the stack}
      - {drag p0: [bear#6, p1], refused: that cannot be moved there now}
",
    );
    fails(
        "drag_reason",
        "      - {p0: {cast_bolt: p1}}\n      - {drag p0: [bear#4, battlefield]}\n",
        "step 2, line 7:\nthis was refused: Something is on the stack",
    );
    fails(
        "drag_taken",
        "      - {drag p0: [bear#4, battlefield], refused: drag_refused}\n",
        "step 1, line 6:\nthis should be refused (drag_refused) but was accepted",
    );
    fails(
        "drag_nothing",
        "      - {drag p0: [baer, battlefield]}\n",
        "step 1, line 6:\nunknown thing `baer`; did you mean `bear`?",
    );
}

#[test]
fn invalid_drags_are_reported() {
    reports(
        "drag_one",
        "      - {drag p0: bear}\n",
        &["a drag is a list of two: the dragged thing and its target"],
    );
    reports("drag_number", "      - {drag p0: [bear, 3]}\n", &["the target should be text"]);
    reports("drag_seat", "      - {drag p0: [bear, p5]}\n", &["unknown seat `p5`", "seats are p0 to p1"]);
    reports(
        "drag_zone_name",
        "      - {drag p0: [bear, p0.batlefield]}\n",
        &["unknown zone `batlefield`", "did you mean `battlefield`?", "all.yaml:6:29"],
    );
    reports("drag_late", "      - {drag p0: [bear, p1], late: true}\n", &["`late` and `to` are for answers"]);
    reports(
        "drag_key",
        "      - {drga p0: [bear, p1]}\n",
        &["unknown key `drga p0`", "did you mean `drag p0`?"],
    );
}

#[test]
fn offers_are_checked_in_the_form_of_answers() {
    passes(
        "offers",
        "      - actions:
          p0:
            asked: true
            available:
              - cast_bolt
              - {cast_bolt: p1}
              - {cast_bolt: bear#6}
              - {attack: {host: bear#5, defender: p1}}
              - {action: cast_bolt, victim: p0, label: Bolt → p0, text: Deals 3 damage.}
              - {action: summon, host: bear#4, costs: [{op: pay_resource, amount: 2}], hint: Creatures stay on the battlefield.}
            unavailable:
              - concede_all
          p1:
            asked: false
            unavailable: [attack, {action: attack, host: bear#6, reason: Only in your own turn}]
",
    );
    passes(
        "offers_only",
        "      - p0: {cast_bolt: p1}
        actions:
          p0:
            only: []
            unavailable:
              - {action: summon, host: bear#4, reason: Something is on the stack}
              - {action: attack, host: bear#5}
",
    );
}

#[test]
fn offers_that_differ_are_shown_short() {
    fails(
        "offer_missing",
        "      - {p0: {cast_bolt: p1}, actions: {p0: {available: [summon]}}}\n",
        "step 1, line 6:
p0 should be offered summon but is not
  summon of bear#4 is unavailable: Something is on the stack
  offered: nothing
this happened:
  Announced: {action: cast_bolt, actor: p0, host: bolt#3}",
    );
    fails(
        "offer_only",
        "      - actions: {p0: {only: [summon, {attack: p1}, {attack: bear#6}, {cast_bolt: p1}, cast_bolt, charm]}}\n",
        "step 1, line 6:
p0 is offered something else (- expected, + offered):
  - charm
  + {cast_bolt: bear#5}
  + {cast_bolt: bear#6}
nothing happened",
    );
    fails(
        "offer_closed",
        "      - actions: {p1: {unavailable: [{action: attack, reason: Not now}]}}\n",
        "step 1, line 6:
p1 should not have {action: attack, reason: \"Not now\"} available
  + {action: attack, title: Attack, host: bear#6, reason: \"Only in your own turn\"}
nothing happened",
    );
    fails(
        "offer_open",
        "      - actions: {p0: {unavailable: [summon], asked: false}}\n",
        "step 1, line 6:
p0 should not have summon available
  it is available
p0 should not be asked to act but is
nothing happened",
    );
    fails(
        "offer_options",
        "      - pending: {p0: {options: [summon, {attack: p1}]}}\n",
        "step 1, line 6:
`p0's options` should be [summon, {attack: p1}] but is [{cast_bolt: p0}, {cast_bolt: p1}, {cast_bolt: bear#5}, \
{cast_bolt: bear#6}, {summon: {host: bear#4}}, {attack: {host: bear#5, defender: p1}}, \
{attack: {host: bear#5, defender: bear#6}}]
nothing happened",
    );
}

#[test]
fn invalid_offers_are_reported() {
    let check = |text: &str| format!("      - actions: {{p0: {text}}}\n");
    reports(
        "offer_key",
        &check("{availabel: []}"),
        &["unknown key `availabel`", "did you mean `available`?"],
    );
    reports(
        "offer_id",
        &check("{only: [{sumon: bear}]}"),
        &["unknown action `sumon`", "did you mean `summon`?"],
    );
    reports(
        "offer_action",
        &check("{available: [{action: atack}]}"),
        &["unknown action `atack`", "did you mean `attack`?"],
    );
    reports(
        "offer_kind",
        &check("{available: [3]}"),
        &["an offer must be an action, written as in an answer"],
    );
    reports("offer_two", &check("{available: [{a: 1, b: 2}]}"), &["write `{action: target}`"]);
    reports("closed_key", &check("{unavailable: [{because: x}]}"), &["unknown key `because`"]);
    reports("closed_id", &check("{unavailable: [{action: atack}]}"), &["did you mean `attack`?"]);
    reports("offer_asked", &check("{asked: 3}"), &["`asked` must be true or false"]);
    reports("offer_seat", "      - actions: {p4: {}}\n", &["unknown seat `p4`"]);
}

#[test]
fn blessing_fills_in_offers_in_the_short_form() {
    let text = scenario(
        "      - actions:
          p0:
            only:   # all of it
      - p0: {cast_bolt: p1}
        actions: {p0: {only: [summon]}}
      - p0: pass
        actions:
          p1:
            only: [attack]
            asked: true
",
    );
    let folder = SuiteFolder::of(STACK, "offer_bless", &text);
    let report = folder.bless();
    assert!(report.is_ok() && report.blessed == 3, "\n{}", folder.suite().render(&report, false));
    let expected = text
        .replace(
            "only:   # all of it",
            "only:   # all of it
              - cast_bolt: p0",
        )
        .replace("[summon]", "[]")
        .replace("only: [attack]", "only: []");
    let lines = "
              - {cast_bolt: p1}
              - {cast_bolt: bear#5}
              - {cast_bolt: bear#6}
              - {summon: {host: bear#4}}
              - {attack: {host: bear#5, defender: p1}}
              - {attack: {host: bear#5, defender: bear#6}}";
    let expected = expected.replace("- cast_bolt: p0", &format!("- {{cast_bolt: p0}}{lines}"));
    assert_eq!(folder.read("scenarios/all.yaml"), expected);
    assert_eq!(folder.bless().blessed, 0);
}

#[test]
fn failed_events_are_listed_with_their_status() {
    let story = |events: &str| {
        format!(
            "ignore: [Created, Moved, Removed, Changed, PhaseStarted, PhaseEnded, Settled, Announced]
scenarios:
  - name: a story
    options: {{hands: [[faulty], []]}}
    play:
      - {{p0: cast_faulty}}
      - {{p0: pass}}
      - p1: pass
        events: {events}
        expect: {{match.heard: 0, stack.count: 0, p0.graveyard.count: 1}}
        sees: {{p1: {{events: [{{Action: {{status: failed}}}}]}}}}
"
        )
    };
    all_pass(&SuiteFolder::of(
        STACK,
        "failed",
        &story("[Action: {action: cast_faulty, actor: p0, status: failed}]"),
    ));
    let failure =
        only_failure(&SuiteFolder::of(STACK, "failed_not", &story("[Action: {action: cast_faulty}]")));
    assert!(failure.message.contains("+ Action: {action: cast_faulty"), "{}", failure.message);
    assert!(failure.message.contains("status: failed"), "{}", failure.message);
    let folder = SuiteFolder::of(STACK, "failed_bless", &story(""));
    let report = folder.bless();
    assert!(report.is_ok(), "{}", folder.suite().render(&report, false));
    assert!(folder.read("scenarios/all.yaml").contains("status: failed}"));
}

#[test]
fn auto_pass_is_invisible_to_others() {
    passes(
        "auto",
        "      - {auto p1: turn, unseen_by: [p0, spectator], events: [], pending: [p0]}
      - {p0: {cast_bolt: p1}}
      - p0: pass
        expect: {p1.life: 17}
        pending: [p0]
      # The turn is over, and with it the passing.
      - {p0: pass, pending: [p1], expect: {flow.active: p1}}
",
    );
    passes(
        "auto_open",
        "      - {auto p0: always, pending: [p1], expect: {flow.active: p0}}
      - {p1: pass, pending: [p1], expect: {flow.active: p1}}
",
    );
    passes(
        "auto_stop",
        "      - {auto p1: {until: always, stack: stop}}
      - {p0: {cast_bolt: p1}}
      - {p0: pass, pending: [p1]}
      - {p1: pass, pending: [p0], expect: {p1.life: 17}}
      - {p0: pass, pending: [p0], expect: {flow.active: p1}}
",
    );
    passes(
        "auto_off",
        "      - {auto p1: always}
      - {auto p1: off}
      - {p0: pass, pending: [p1]}
",
    );
}

#[test]
fn auto_pass_of_all_seats_runs_to_the_end() {
    passes("auto_all", "      - {auto p0: always}\n      - {auto p1: always, ended: {outcome: finished}}\n");
}

#[test]
fn auto_pass_is_refused_with_a_reason() {
    crate::passes(
        "auto_no_turn",
        "scenarios: [{name: a, play: [{auto p0: turn, refused: no turn is active}]}]",
    );
}

#[test]
fn invalid_auto_pass_is_reported() {
    reports("auto_word", "      - {auto p0: turns}\n", &["unknown duration `turns`", "did you mean `turn`?"]);
    reports("auto_until", "      - {auto p0: {stack: stop}}\n", &["`auto` needs `until`"]);
    reports("auto_stack", "      - {auto p0: {until: turn, stack: go}}\n", &["unknown `stack` setting `go`"]);
    reports(
        "auto_key",
        "      - {auto p0: {utnil: turn}}\n",
        &["unknown key `utnil`", "did you mean `until`?"],
    );
}
