//! Rulesets that must be rejected, each with the expected codes, and rulesets that must compile.

use intermezzo_compiler::{Diagnostic, Ruleset};

/// The ruleset to which every example is added.
const FRAME: &str = "
allow: {W-UNUSED: examples use what they need}
ir: 1
ruleset: {id: frame, version: 0.1.0, uses: [core@1]}
types: {Suit: {enum: [sun, moon]}, Point: {record: {x: int, y: int}}}
players: {seats: 2, props: {score: int}}
match: {props: {round: int}}
kinds: {card: {props: {value: {type: int, default: 1}, suit: {type: Suit, default: sun}, mate: {type: maybe<card>}}}}
zones: {deck: {visible: none}, hand: {of: player, visible: owner}, table: {visible: all}}
defs: {plain: {kind: card}}
";

/// Returns the diagnostics of a frame with `example` added.
fn diagnostics(frame: &str, example: &str) -> Vec<Diagnostic> {
    let mut example = example.to_owned();
    if !example.contains("\nflow:") && !example.starts_with("flow:") {
        example.push_str("\nflow: [{end: normal}]\n");
    }
    let files = [("frame.yaml", frame), ("example.yaml", &example)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Ruleset::from_files(&files).compile().diagnostics
}

/// Returns the codes reported for the frame with `example` added.
fn codes(example: &str) -> Vec<&'static str> {
    diagnostics(FRAME, example).iter().map(|diagnostic| diagnostic.code).collect()
}

/// Returns what is reported for the frame with `example` added, also about what is never used: a code and a message per line.
fn report(example: &str) -> String {
    let frame: String =
        FRAME.lines().filter(|line| !line.starts_with("allow:")).map(|line| format!("{line}\n")).collect();
    let lines = diagnostics(&frame, example);
    lines.iter().map(|diagnostic| format!("{} {}\n", diagnostic.code, diagnostic.message)).collect()
}

fn flow(statements: &str) -> String {
    let mut lines = String::from("flow:\n");
    statements.lines().for_each(|line| lines.push_str(&format!("  {line}\n")));
    lines + "  - end: normal\n"
}

/// Returns a choice of alternatives, written on one line.
fn alternatives(rest: &str, choices: &str) -> String {
    flow(&format!("- {{choose: c, by: 'players[0]'{rest}, choices: [{choices}]}}"))
}

/// Returns alternatives nested this deep.
fn nested(levels: usize) -> String {
    let inner = (1..levels).fold("{id: a}".to_owned(), |inner, _| format!("{{id: a, choices: [{inner}]}}"));
    alternatives("", &inner)
}

#[test]
fn alternatives_may_nest() {
    let passing = [
        alternatives("", "{id: a, choices: [{id: b}, {id: c}]}"),
        // The same name on different levels, and under different parents.
        alternatives("", "{id: a, choices: [{id: a}, {id: b}]}, {id: b, choices: [{id: a}, {id: b}]}"),
        alternatives(", max: 2", "{id: a, min: 1, max: 2, choices: [{id: b, choices: table}, {id: c}]}, {id: d}"),
        alternatives("", "{id: a, count: 1, choices: [{id: b, exclusive: true}, {id: c, exclusive: true}]}"),
        alternatives("", "{id: a, if: table.count > 1, choices: [{id: b, if: table.count > 2}]}"),
        nested(8),
        "flow:\n  - choose: c\n    by: players[0]\n    choices:\n      - {id: a, choices: [{id: b, choices: table}]}\n      \
         - {id: d, choices: table}\n  - {move: c.selection, to: table}\n  - {move: 'c.chosen.flat(it.selection)', to: \
         table}\n  - if: c.chosen.any(it.id == b)\n    then: [{set: {match.round: c.chosen.count}}]\n  - end: normal"
            .to_owned(),
    ];
    passing.iter().for_each(|example| assert_eq!(codes(example), [""; 0], "{example}"));
}

#[test]
fn alternatives_that_must_not_pass() {
    let many = |count: usize| (0..count).map(|n| format!("{{id: a{n}}}")).collect::<Vec<_>>().join(", ");
    let table = [
        (alternatives("", "{id: a}, {id: a}"), "E-NAME"),
        (alternatives("", "{id: x, choices: [{id: a}, {id: b}, {id: a}]}"), "E-NAME"),
        (alternatives("", "{id: x, choices: [{choices: [{id: a}]}]}"), "E-CHOOSE"),
        (alternatives(", min: 3", "{id: a}, {id: b}"), "E-CHOOSE"),
        (alternatives(", count: 2", "{id: a}, {id: b, exclusive: true}"), "E-CHOOSE"),
        (alternatives("", "{id: x, min: 3, choices: [{id: a}, {id: b}]}"), "E-CHOOSE"),
        (
            alternatives(
                "",
                "{id: x, count: 2, choices: [{id: a, exclusive: true}, {id: b, exclusive: true}]}",
            ),
            "E-CHOOSE",
        ),
        (alternatives("", "{id: x, min: 2, max: 1, choices: [{id: a}, {id: b}]}"), "E-CHOOSE"),
        (alternatives("", "{id: x, min: -1, choices: [{id: a}, {id: b}]}"), "E-CHOOSE"),
        (alternatives("", "{id: x, choices: [{id: a, colour: red}]}"), "E-KEY"),
        (alternatives("", "{id: x, choices: [{id: a, if: match.round}]}"), "E-TYPE"),
        (alternatives("", "{id: x, choices: [{id: a, choices: [{id: b, choices: 3}]}]}"), "E-TYPE"),
        (
            alternatives("", "{id: x, choices: [{id: a, choices: table}, {id: b, choices: '[1, 2]'}]}"),
            "E-TYPE",
        ),
        (nested(9), "E-LIMIT"),
        (nested(25), "E-LIMIT"),
        (alternatives("", &many(257)), "E-LIMIT"),
        (alternatives("", &format!("{{id: x, choices: [{}]}}", many(256))), "E-LIMIT"),
    ];
    table.iter().for_each(|(example, code)| assert_eq!(codes(example), [*code], "{example}"));
}

#[test]
fn statements_that_must_not_pass() {
    let table: &[(&str, &[&str])] = &[
        ("- remove: players[0]", &["E-TYPE"]),
        ("- {end: normal, score: 'true'}", &["E-TYPE", "W-UNUSED"]),
        ("- {end: normal, score: 'map([sun, moon], 1)'}", &["E-TYPE", "W-UNUSED"]),
        ("- {roll: 2d6, keep: sun}", &["E-ENUM"]),
        ("- {roll: 1, from: players.count}", &["E-TYPE"]),
        ("- {each: players, as: if, do: [{set: {match.round: 1}}]}", &["E-NAME"]),
        ("- {phase: my phase, do: []}", &["E-NAME"]),
        ("- {switch: match.round, cases: [1, 2]}", &["E-TYPE"]),
        ("- {choose: c, by: 'players[0]', from: players, slots: 2, min: 1}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: players, draft: {}}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: table, min: 3, max: 1}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: deck}", &["W-LEAK"]),
        ("- {choose: c, by: 'players[0]', from: table, next: table}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: table, next: table, max: 300}", &["E-CHOOSE"]),
        (
            "- {choose: c, by: 'players[0]', from: table, next: 'table + table', min: 2, max: 3}",
            &["E-CHOOSE"],
        ),
        ("- {choose: c, by: 'players[0]', from: table, next: table, max: 3, order: true}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: table, next: table, count: 3}", &["E-CHOOSE", "E-CHOOSE"]),
        (
            "- {choose: c, by: 'players[0]', from: table, next: table, max: 3, slots: 3}",
            &["E-CHOOSE", "E-CHOOSE"],
        ),
        ("- {choose: c, by: 'players[0]', from: table, next: match.round, max: 3}", &["E-TYPE"]),
        ("- {choose: c, by: 'players[0]', from: table, next: players, max: 3}", &["E-TYPE"]),
        ("- {choose: c, by: 'players[0]', from: table, next: deck, max: 3}", &["W-LEAK"]),
        ("- {choose: c, by: 'players[0]', from: table, next: tabel, max: 3}", &["E-NAME"]),
        ("- {choose: c, by: 'players[0]', next: table, max: 3}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: 'players[1].hand'}", &["W-LEAK"]),
        ("- if: '{x: 1, y: 2} in [{x: 1, y: 2}]'\n  then: [{set: {match.round: 1}}]", &["E-TYPE"]),
        (
            "- each: table\n  as: c\n  do:\n    - if: c.mate != null\n      then: [{set: {c.mate: null}}, {set: {c.mate.value: 3}}]",
            &["W-NULL"],
        ),
        ("- {set: {match.round: self.value}}", &["E-NAME"]),
        ("- {move: 'table.first!', to: nowhere}", &["E-NAME"]),
        ("- {set: {options.x: 1}}", &["E-TYPE"]),
        (
            "- {let: {x: 'players.where(it.score > 0 and players.any(it.score > 1))'}}",
            &["W-UNUSED", "W-SHADOW"],
        ),
        ("- {set: {match.round: 1 / 0}}", &["E-TYPE"]),
        ("- {repeat: forever, do: [{set: {match.round: 1}}]}", &["E-LOOP"]),
        ("- {exit: nowhere}", &["E-NAME", "W-UNUSED"]),
    ];
    for (statements, expected) in table {
        assert_eq!(codes(&flow(statements)), *expected, "{statements}");
    }
}

#[test]
fn declarations_that_must_not_pass() {
    let table: &[(&str, &[&str])] = &[
        ("kinds: {token: {props: {color: Suit}}}", &["E-KEY"]),
        ("kinds: {token: {props: [a, b]}}", &["E-TYPE"]),
        ("kinds: {token: {props: {n: {type: int, mod: perhaps}}}}", &["E-TYPE"]),
        ("kinds: {token: {props: {n: {type: int, default: 99, max: 5}}}}", &["E-LIMIT"]),
        ("options: {n: {type: int, default: 1, min: 9, max: 2}}", &["E-LIMIT"]),
        ("types: {Suit: {enum: [a]}}", &["E-NAME"]),
        ("durations: {x: {after: Nope}}", &["E-NAME"]),
        ("aliases: {Moved: {of: Created}}", &["E-NAME"]),
        ("aliases: {Odd: {of: Moved, if: event.nonsense == 1}}", &["E-PROP"]),
        ("zones: {pile: {visible: all, allow: {W-UNUSD: why}}}", &["W-UNUSED", "E-KEY"]),
        ("reactions: [{id: a, when: {after: MatchEnded}, effects: []}]", &["W-UNREACH"]),
        ("reactions: [{id: a, when: {after: Moved}, conditions: event.nonsense, effects: []}]", &["E-TYPE"]),
        (
            "reactions: [{id: a, when: {after: Moved}, effects: [{set: {match.round: self.value}}]}]",
            &["E-NAME"],
        ),
        ("reactions: [{id: a, when: {before: Changed}, effects: [{set: {event.to: 1}}]}]", &["E-TYPE"]),
        (
            "reactions: [{id: a, when: {after: Moved}, effects: []}, {id: a, when: {after: Moved}, effects: []}]",
            &["E-NAME"],
        ),
        ("reactions: [{id: a, when: {before: Moved}, timing: stack, effects: []}]", &["E-KEY"]),
        ("actions: [{id: a, sig: b, effects: []}]", &["E-KEY"]),
        ("actions: [{id: a, effects: []}, {id: a, effects: []}]", &["E-NAME"]),
        ("actions: [{id: a, extends: b, effects: []}]", &["E-NAME"]),
        ("actions: [{id: a, targets: [{id: t, selector: {controller: self}}], effects: []}]", &["E-KEY"]),
        (
            "actions: [{id: a, targets: [{id: t, selector: {zone: hand, controller: slef}}], effects: []}]",
            &["E-ENUM"],
        ),
        (
            "actions: [{id: a, preconditions: [t > 1], targets: [{id: t, from: \"range(1, 3)\"}], effects: []}]",
            &["E-NAME"],
        ),
        ("zones: {attic: {visible: all}}", &["W-UNUSED"]),
        (
            "reactions: [{id: a, when: {after: PhaseStarted, if: event.phase == sun}, effects: []}]\nflow: [{phase: day, do: []}, {end: normal}]",
            &["E-ENUM"],
        ),
        (
            "procs: {f: {returns: int, do: [{return: \"'x'\"}]}}\nflow: [{f: null}, {end: normal}]",
            &["E-TYPE"],
        ),
        ("procs: {f: {returns: int, do: []}}\nflow: [{f: null}, {end: normal}]", &["E-TYPE"]),
        ("procs: {f: {do: []}}\nflow: [{f: null, as: x}, {end: normal}]", &["E-ARGS"]),
        ("procs: {f: {do: []}}\nflow: [{f: 5}, {end: normal}]", &["E-ARGS"]),
        ("functions: {f: {params: {n: int}, returns: int, is: f(n)}}", &["E-RECURSE"]),
        (
            "zones: {inside: {of: card, visible: all}}\nflow: [{move: \"table.first!\", to: inside}, {end: normal}]",
            &["E-TYPE"],
        ),
    ];
    for (declarations, expected) in table {
        assert_eq!(codes(declarations), *expected, "{declarations}");
    }
}

/// Returns reactions to the event `Burnt`, and a flow that emits it.
fn burnt_rules(reactions: &str, emits: &str) -> String {
    format!(
        "events: {{Burnt: {{payload: {{who: player, suit: Suit, amount: int, hot: bool, by: maybe<card>}}}}}}\nreactions:\n{reactions}\nflow:\n{emits}  - end: normal\n"
    )
}

const EMITS: &str = "  - {emit: Burnt, who: 'players[0]', suit: sun, amount: 1, hot: true}\n";

#[test]
fn reactions_that_contradict_every_event_never_happen() {
    let wants = |test: &str| {
        let reaction = format!("  - {{id: a, when: {{after: Burnt, if: \"{test}\"}}, effects: []}}");
        codes(&burnt_rules(&reaction, EMITS))
    };
    for test in [
        "event.suit == moon",
        "moon == event.suit",
        "event.amount == 2 and event.who == players[0]",
        "event.amount in [-1, 3]",
        "not event.hot",
        "event.by != null and event.suit == moon",
        "event.suit == sun and event.suit == moon",
        "match.round == 1 and match.round == 2",
    ] {
        assert_eq!(wants(test), ["W-UNREACH"], "{test}");
    }
    for test in [
        "event.suit == sun",
        "event.amount in [1, 2]",
        "event.amount > 3",
        "event.hot",
        "event.by == null",
        "event.suit == sun or event.suit == moon",
        "match.round == 1",
    ] {
        assert_eq!(wants(test), Vec::<&str>::new(), "{test}");
    }
}

#[test]
fn every_statement_that_sets_a_field_counts() {
    let reaction = "  - {id: a, when: {after: Burnt, if: event.suit == moon}, effects: []}";
    let other = "  - {emit: Burnt, who: 'players[0]', suit: \"table.first!.suit\", amount: 1, hot: true}\n";
    assert_eq!(codes(&burnt_rules(reaction, &format!("{EMITS}{other}"))), Vec::<&str>::new(), "anything");
    let rewrites = "  - {id: b, when: {before: Burnt}, effects: [{set: {event.suit: moon}}]}";
    assert_eq!(
        codes(&burnt_rules(&format!("{reaction}\n{rewrites}"), EMITS)),
        Vec::<&str>::new(),
        "rewritten"
    );
}

#[test]
fn reactions_to_properties_that_nothing_changes_never_happen() {
    let rule = |test: &str, statement: &str| {
        codes(&format!(
            "reactions: [{{id: a, when: {{after: Changed, if: {test}}}, effects: []}}]\nflow: [{statement}, {{end: normal}}]"
        ))
    };
    assert_eq!(rule("event.prop == score", "{set: {match.round: 1}}"), ["W-UNREACH"]);
    assert_eq!(rule("event.prop == score", "{add: {'players[0].score': 1}}"), Vec::<&str>::new());
    let rule = |test: &str, statement: &str| {
        codes(&format!(
            "defs: {{fancy: {{kind: card}}}}\nreactions: [{{id: a, when: {{after: Created, if: {test}}}, effects: []}}]\nflow: [{statement}, {{end: normal}}]"
        ))
    };
    assert_eq!(rule("event.def == fancy", "{create: plain, in: table}"), ["W-UNREACH"]);
    assert_eq!(rule("event.def == fancy", "{create: fancy, in: table}"), Vec::<&str>::new());
    assert_eq!(
        rule("event.def == fancy", "{create: 'table.first!.def!', in: table}"),
        Vec::<&str>::new(),
        "any def"
    );
}

/// Returns the codes reported for two reactions with these keys.
fn pair(first: &str, second: &str) -> Vec<&'static str> {
    let reactions = format!("  - {{id: a, {first}}}\n  - {{id: b, {second}}}");
    codes(&burnt_rules(&reactions, EMITS))
}

#[test]
fn rules_whose_order_matters_need_priorities() {
    let before = "when: {before: Burnt}";
    let clashing = [
        ("effects: [{set: {event.amount: 3}}]", "effects: [{set: {event.amount: event.amount * 2}}]"),
        (
            "effects: [{set: {event.amount: event.amount + 1}}]",
            "effects: [{set: {event.amount: event.amount / 2}}]",
        ),
        (
            "effects: [{set: {event.amount: event.amount / 3}}]",
            "effects: [{set: {event.amount: event.amount / 2}}]",
        ),
        (
            "effects: [{set: {event.who.score: 1}}]",
            "effects: [{if: event.hot, then: [{add: {event.who.score: 1}}]}]",
        ),
        ("effects: [{prevent: event}]", "effects: [{prevent: event, instead: []}]"),
        ("effects: [{prevent: event}]", "effects: [{set: {event.amount: 0}}]"),
    ];
    for (first, second) in clashing {
        assert_eq!(
            pair(&format!("{before}, {first}"), &format!("{before}, {second}")),
            ["W-ORDER"],
            "{second}"
        );
        assert_eq!(
            pair(&format!("{before}, {first}"), &format!("{before}, priority: 1, {second}")),
            Vec::<&str>::new(),
            "a priority decides: {second}"
        );
    }
    assert_eq!(
        pair(
            "when: {after: Burnt}, effects: [{set: {match.round: 1}}]",
            "when: {after: Burnt}, effects: [{set: {match.round: 2}}]"
        ),
        ["W-ORDER"]
    );
}

#[test]
fn rules_of_things_clash_where_both_can_be_there() {
    let things = |first: &str, second: &str| {
        let def = |id: &str, keys: &str| {
            format!("  {id}: {{kind: card, reactions: [{{id: {id}_acts, {keys}}}]}}\n")
        };
        let defs = def("salt", first) + &def("snow", second);
        codes(&format!(
            "zones: {{field: {{visible: all, active: true}}}}\nevents: {{Burnt: {{payload: {{card: card, amount: int}}}}}}\ndefs:\n{defs}flow: [{{emit: Burnt, card: 'field.first!', amount: 1}}, {{end: normal}}]\n"
        ))
    };
    let doubles = "effects: [{set: {event.amount: event.amount * 2}}]";
    let adds = "effects: [{set: {event.amount: event.amount + 1}}]";
    let all = "when: {before: Burnt}";
    let own = "when: {before: Burnt, if: event.card == self}";
    let pair =
        |first: &str, second: &str| things(&format!("{first}, {doubles}"), &format!("{second}, {adds}"));
    assert_eq!(pair(all, all), ["W-ORDER"]);
    assert_eq!(pair(all, own), ["W-ORDER"]);
    assert_eq!(pair(own, own), Vec::<&str>::new(), "one card is not of two defs");
    assert_eq!(pair(all, "when: {before: Burnt}, may: true"), Vec::<&str>::new(), "somebody decides");
}

#[test]
fn rules_that_may_change_places_need_none() {
    let both = |first: &str, second: &str| {
        pair(
            &format!("when: {{before: Burnt}}, effects: [{first}]"),
            &format!("when: {{before: Burnt}}, effects: [{second}]"),
        )
    };
    for (first, second) in [
        ("{set: {event.amount: event.amount + 1}}", "{set: {event.amount: event.amount - match.round}}"),
        ("{set: {event.amount: event.amount * 2}}", "{set: {event.amount: 3 * event.amount}}"),
        (
            "{set: {event.amount: \"max(event.amount, 1)\"}}",
            "{set: {event.amount: \"max(2, event.amount)\"}}",
        ),
        ("{set: {event.amount: 0}}", "{set: {event.amount: 0}}"),
        ("{set: {event.amount: 0}}", "{set: {event.hot: false}}"),
        ("{add: {match.round: 1}}", "{add: {match.round: 2}}"),
        ("{prevent: event}", "{prevent: event}"),
        ("{prevent: event}", "{add: {match.round: 1}}"),
    ] {
        assert_eq!(both(first, second), Vec::<&str>::new(), "{first} {second}");
    }
    let sets = |test: &str, value: i32| {
        format!("when: {{before: Burnt, if: {test}}}, effects: [{{set: {{event.amount: {value}}}}}]")
    };
    assert_eq!(pair(&sets("match.round == 1", 1), &sets("match.round == 2", 2)), Vec::<&str>::new());
    assert_eq!(pair(&sets("event.hot", 1), &sets("not event.who.score > 1", 2)), ["W-ORDER"]);
    assert_eq!(
        pair(
            "when: {before: Burnt}, effects: [{set: {match.round: 1}}]",
            "when: {after: Burnt}, effects: [{set: {match.round: 2}}]"
        ),
        Vec::<&str>::new(),
        "one comes before the event, the other after it"
    );
}

#[test]
fn a_property_that_nobody_sees_and_no_rule_reads_is_unused() {
    let codes = |prop: &str, statement: &str| {
        let text = format!(
            "ir: 1\nruleset: {{id: small, version: 0.1.0}}\noutcomes: [normal]\nmatch: {{props: {{x: {prop}, y: int}}}}\nflow: [{statement}, {{end: normal}}]\n"
        );
        let compiled = Ruleset::from_files(&[("small.yaml".to_owned(), text.into_bytes())]).compile();
        compiled.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    let hidden = "{type: int, visible: none}";
    assert_eq!(codes(hidden, "{set: {match.x: 1}}"), ["W-UNUSED"]);
    assert_eq!(codes(hidden, "{add: {match.x: 1}}"), ["W-UNUSED"], "adding to it is not reading it");
    assert_eq!(codes(hidden, "{set: {match.y: match.x}}"), Vec::<&str>::new());
    assert_eq!(codes("int", "{set: {match.x: 1}}"), Vec::<&str>::new(), "players see it");
}

#[test]
fn questions_an_event_can_lead_to_are_bounded() {
    let prompts = |example: &str| {
        let files = [("frame.yaml", FRAME), ("example.yaml", example)];
        let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
        let compiled = Ruleset::from_files(&files).compile();
        assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
        compiled.prompt_bounds.iter().map(|prompts| (prompts.rule.clone(), prompts.max)).collect::<Vec<_>>()
    };
    let ask = "{choose: c, by: 'players[0]', from: '[1, 2]'}";
    let flow = "\nflow: [{emit: A}, {emit: B}, {end: normal}]";
    let found = prompts(&format!(
        "events:\n  A: {{then: [{ask}, {{repeat: 3, do: [{{emit: B}}]}}]}}\n  B: {{then: [{{if: match.round > 1, then: [{ask}, {ask}], else: [{ask}]}}]}}\n  C: {{}}{flow}"
    ));
    assert_eq!(found, [("events.A".to_owned(), Some(7)), ("events.B".to_owned(), Some(2))]);
    let found = prompts(&format!(
        "procs: {{p: {{do: [{{each: players, as: p, do: [{ask}]}}]}}}}\nevents: {{A: {{then: [p]}}, B: {{}}}}\nreactions: [{{id: r, when: {{after: B}}, effects: [{ask}, {{emit: A}}]}}]{flow}"
    ));
    assert_eq!(found, [("events.B".to_owned(), Some(3)), ("events.A".to_owned(), Some(2))]);
    let found = prompts(&format!(
        "allow: {{W-CYCLE: that is meant}}\nevents: {{A: {{then: [{ask}, {{emit: B}}]}}, B: {{then: [{{emit: A}}]}}, Q: {{then: [{{emit: R}}]}}, R: {{then: [{{emit: Q}}]}}}}{flow}"
    ));
    assert_eq!(
        found,
        [("events.A".to_owned(), None), ("events.B".to_owned(), None)],
        "cycles that ask nothing are fine"
    );
}

#[test]
fn rules_that_must_pass() {
    let table: &[&str] = &[
        "functions: {opponent: {params: {p: player}, returns: player, is: next(p), override: true}}\nflow: [{end: normal, winners: '[opponent(players[0])]'}]",
        "flow: [{op: end, first: normal}]",
        "flow:\n  - choose: picked\n    by: players[0]\n    from: table\n    order: true\n  - let: {n: picked.count}\n  - {set: {match.round: n}}\n  - end: normal",
        "flow:\n  - let: {by_suit: 'map([sun, moon], s => table.count(it.suit == s))'}\n  - {set: {match.round: 'by_suit[moon]'}}\n  - end: normal",
        "flow:\n  - switch: match.round > 3\n    cases: {true: [{set: {match.round: 0}}], false: []}\n  - end: normal",
        "functions: {whose: {params: {c: card}, returns: player, is: \"c.owner ?? players[0]\"}}\nflow: [{end: normal, winners: '[whose(table.first!)]'}]",
        "procs: {f: {returns: maybe<int>, do: []}}\nflow:\n  - {f: null, as: x}\n  - {set: {match.round: x ?? 3}}\n  - end: normal",
    ];
    for rules in table {
        assert_eq!(codes(rules), Vec::<&str>::new(), "{rules}");
    }
}

#[test]
fn a_payload_field_named_like_a_modified_property_gives_no_warning() {
    let example = "
kinds: {card: {props: {power: {type: int, default: 2, mod: true}}}}
defs: {pawn: {kind: card, modifiers: [{of: card.power, if: it == self, add: 1}]}}
events: {Clash: {payload: {power: int}}}
reactions:
  - {id: harder, when: {before: Clash}, effects: [{set: {event.power: event.power + 1}}]}
flow: [{emit: Clash, power: 1}, {end: normal}]
";
    assert_eq!(codes(example), Vec::<&str>::new());
}

#[test]
fn lessons_that_must_not_pass() {
    let table: &[(&str, &[&str])] = &[
        ("tutorial: [{id: a}]", &["E-KEY"]),
        ("tutorial: [{say: Play.}]", &["E-KEY"]),
        ("tutorial: [{id: a, say: Play., sya: x}]", &["E-KEY"]),
        ("tutorial: [{id: a, say: One.}, {id: a, say: Two.}]", &["E-NAME"]),
        ("tutorial: [{id: a, say: Play., question: nothing_asked}]", &["E-NAME"]),
        ("tutorial: [{id: a, say: Play., if: you.score}]", &["E-TYPE"]),
        ("tutorial: [{id: a, say: Play., highlight: you.score}]", &["E-TYPE"]),
        ("tutorial: [{id: a, say: Play., highlight: self}]", &["E-NAME"]),
        ("tutorial: [{id: a, say: Play., until: {before: Moved}}]", &["E-KEY", "E-KEY"]),
        ("tutorial: [{id: a, say: Play., until: {after: Mooved}}]", &["E-NAME"]),
        ("tutorial: [{id: a, say: Play., until: {after: Moved, if: event.entity}}]", &["E-TYPE"]),
        ("tutorial: {id: a, say: Play.}", &["E-TYPE"]),
        (
            "tutorial: [{id: a, say: Play., if: actor.score > 0, highlight: you.hand, until: {after: Moved, if: event.entity.owner == you}}]",
            &[],
        ),
    ];
    for (example, expected) in table {
        assert_eq!(codes(example), *expected, "{example}");
    }
}

/// Returns the messages and hints reported for the frame with `example` added.
fn messages(example: &str) -> Vec<String> {
    let files = [("frame.yaml", FRAME), ("example.yaml", example)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let diagnostics = Ruleset::from_files(&files).compile().diagnostics;
    diagnostics
        .iter()
        .map(|diagnostic| format!("{}: {}", diagnostic.message, diagnostic.hints.join(" ")))
        .collect()
}

#[test]
fn a_modifiable_property_of_another_kind_does_not_matter() {
    let wound = "kinds: {foe: {props: {round: {type: int, default: 0, mod: true}}}}\n";
    assert_eq!(codes(&format!("{wound}{}", flow("- set: {match.round: match.round + 1}"))), [""; 0]);
    let own = format!(
        "{wound}procs: {{up: {{params: {{f: foe}}, do: [{{set: {{f.round: f.round + 1}}}}]}}}}\n\
         defs: {{ogre: {{kind: foe}}}}\nsetup: [{{create: ogre, as: o}}, {{up: o}}]\n"
    );
    assert_eq!(codes(&own), ["W-MODBASE"]);
}

#[test]
fn what_can_only_be_read_is_not_an_unknown_property() {
    let writes = |path: &str| messages(&flow(&format!("- set: {{\"{path}\": null}}")));
    for (path, hint) in [("table.first!.owner", "another `owner`"), ("table.first!.zone", "`move`")] {
        let found = writes(path);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("can only be read") && found[0].contains(hint), "{found:?}");
    }
    let found = writes("players[0].hand");
    assert!(found[0].contains("`hand` can only be read: use `move`"), "{found:?}");
    // The suggestions name properties alone.
    let found = writes("players[0].ownr");
    assert!(found[0].contains("unknown property") && !found[0].contains("owner"), "{found:?}");
}

#[test]
fn lines_of_the_log_are_checked() {
    let events = "events:
  Began: {payload: {who: player, heat: int}, text: '{who} begins'}
  Mid: {payload: {heat: int}, text: 'heat {heat}'}
  Ended: {payload: {who: player}, text: ''}
procs:
  all: {params: {p: player}, do: [{emit: Began, who: p, heat: 1}, {emit: Mid, heat: 1}, {emit: Ended, who: p}]}
setup: [{all: 'players[0]'}]
";
    let lines = |hints: &str| codes(&format!("{events}ui: {{events: {{{hints}}}}}\n"));
    assert_eq!(
        lines("Began: {line: {until: Ended, same: [who]}}, Mid: {adds: ', {heat}'}, Rolled: {detail: true}"),
        [""; 0]
    );
    assert_eq!(lines("Mid: {animation: shake, sound: hit}, Rolled: {hide: true}"), [""; 0]);
    let wrong = [
        ("Nothing: {animation: shake}", "E-NAME"),
        ("Mid: {color: red}", "E-KEY"),
        ("Mid: {animation: shak}", "E-ENUM"),
        ("Mid: {sound: boom}", "E-ENUM"),
        ("Nothing: {detail: true}", "E-NAME"),
        ("Mid: {detail: 3}", "E-TYPE"),
        ("Mid: {adds: '{cold}'}", "E-PROP"),
        ("Began: {line: {until: End}}", "E-NAME"),
        ("Began: {line: {same: [who]}}", "E-KEY"),
        ("Began: {line: {until: Ended, same: [heat]}}", "E-PROP"),
        ("Began: {line: {until: Ended, like: [who]}}", "E-KEY"),
        ("Ended: {line: {until: Began}}", "E-KEY"),
        ("Rolled: {line: {until: Began}}", "E-KEY"),
    ];
    for (hints, code) in wrong {
        assert_eq!(lines(hints), [code], "{hints}");
    }
}

/// Returns a ruleset part with reactions, and what `codes` reports for it without `allow`.
fn warnings(reactions: &str) -> Vec<String> {
    let frame = FRAME.replace("allow: {W-UNUSED: examples use what they need}\n", "");
    let rules = format!(
        "symbols: [slow, quick, early]\nevents: {{Rang: {{payload: {{n: int}}}}}}\nreactions:\n{reactions}\nflow: [{{emit: Rang, n: 1}}, {{end: normal}}]\n"
    );
    let files = [("frame.yaml", frame), ("rules.yaml", rules)];
    let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let compiled = Ruleset::from_files(&files).compile();
    compiled.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect()
}

#[test]
fn a_reaction_that_waits_for_one_that_is_never_announced_is_reported() {
    let rules = |rest: &str| {
        warnings(&format!(
            "  - {{id: slow, when: {{after: Rang}}, timing: stack, effects: [{{add: {{match.round: 1}}}}]}}
  - {{id: quick, when: {{after: Rang}}, effects: [{{add: {{match.round: 1}}}}]}}
  - {{id: early, when: {{before: Rang}}, effects: [{{set: {{event.n: 2}}}}]}}
  - {{id: listener, when: {{{rest}}}, effects: [{{prevent: event}}]}}"
        ))
    };
    let is_reported =
        |rest: &str| rules(rest).iter().any(|message| message.contains("nothing triggers `listener`"));
    for rest in [
        "before: Reaction",
        "before: Reaction, if: event.reaction == slow",
        "before: Reaction, if: event.reaction == early",
    ] {
        assert!(!is_reported(rest), "{rest}: {:?}", rules(rest));
    }
    let rest = "before: Reaction, if: event.reaction == quick";
    assert!(is_reported(rest), "{:?}", rules(rest));
}

#[test]
fn conditions_of_a_prevention_that_never_comes_are_reported() {
    let rule = |effects: &str| {
        warnings(&format!(
            "  - {{id: early, when: {{before: Rang}}, prevention_conditions: [event.n > 1], effects: [{effects}]}}"
        ))
    };
    let is_reported = |effects: &str| {
        rule(effects).iter().any(|message| message.contains("`prevention_conditions` has no effect"))
    };
    assert!(is_reported("{set: {event.n: 2}}"));
    assert!(!is_reported("{prevent: event}"));
}

#[test]
fn the_new_value_of_a_change_can_be_written_once_its_property_is_known() {
    let rule = |test: &str, effects: &str| {
        codes(&format!(
            "reactions: [{{id: r, when: {{before: Changed, if: {test}}}, effects: [{effects}]}}]\nflow: [{{add: {{match.round: 1}}}}, {{end: normal}}]"
        ))
    };
    assert_eq!(
        rule("event.prop == round and event.to > event.from", "{set: {event.to: event.from + 1}}"),
        [""; 0]
    );
    assert_eq!(rule("event.prop == round", "{set: {event.to: true}}"), ["E-TYPE"]);
    assert_eq!(rule("event.prop == round", "{set: {event.from: 1}}"), ["E-TYPE"]);
    assert_eq!(rule("event.entity == match", "{set: {event.to: 1}}"), ["E-TYPE"]);
}

#[test]
fn a_group_collects_events_whose_values_have_a_type() {
    let group = |rest: &str| flow(&format!("- group: [{{move: 'deck.top!', to: table}}]{rest}"));
    assert_eq!(
        codes(&group(
            "\n  collect: Moved\n  as: moved\n- each: moved.events\n  as: m\n  do: [{move: m.entity, to: deck}]"
        )),
        [""; 0]
    );
    assert_eq!(codes(&group("\n  collect: Changed\n  as: moved")), ["E-TYPE"]);
    assert_eq!(codes(&group("\n  collect: Nothing\n  as: moved")), ["E-NAME"]);
    assert_eq!(codes("reactionOrder: [apnap, fixed]"), ["E-KEY"]);
    assert_eq!(codes("reactionOrder: [apnap, chosen]"), [""; 0]);
}

#[test]
fn names_are_declared_once_and_are_no_reserved_words() {
    for word in ["if", "it", "and", "you", "players", "3d"] {
        for section in ["symbols", "outcomes"] {
            assert_eq!(codes(&format!("{section}: [{word}]")), ["E-NAME"], "{section}: {word}");
        }
    }
    let twice = |section: &str, declaration: &str| {
        let files = [
            ("frame.yaml", FRAME.to_owned()),
            ("one.yaml", format!("{section}: {{same: {declaration}}}\nflow: [{{end: normal}}]\n")),
            ("two.yaml", format!("{section}: {{same: {declaration}}}\n")),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
        let diagnostics = Ruleset::from_files(&files).compile().diagnostics;
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    assert_eq!(twice("durations", "{after: PhaseEnded}"), ["E-NAME"]);
    assert_eq!(twice("aliases", "{of: PhaseEnded}"), ["E-NAME"]);
}

/// Returns a def with a secret reaction whose keys begin with these.
fn secret(keys: &str) -> String {
    format!(
        "events: {{Scored: {{payload: {{player: player, amount: int, card: card}}}}, Hidden: {{payload: {{n: int}}, visible: none}}}}\n\
         functions: {{rich: {{params: {{p: player}}, returns: bool, is: p.hand.any(it.value > 1)}}}}\n\
         defs:\n  trap:\n    kind: card\n    reactions:\n      - {{id: springs, effects: [], {keys}}}\n\
         procs: {{use: {{params: {{c: card}}, do: [{{emit: Scored, player: 'players[0]', amount: 1, card: c}}, {{emit: Hidden, n: 1}}]}}}}\n"
    )
}

#[test]
fn who_is_asked_about_a_secret_reaction_is_public() {
    let whole = "may: true, secret: true, zones: [hand]";
    let passing = [
        format!("{whole}, when: {{before: Scored, if: event.player != you and event.amount > match.round}}"),
        format!(
            "{whole}, when: {{after: Scored, if: you.hand.count > 1}}, conditions: [self.value > 1, rich(you)]"
        ),
        format!("{whole}, when: {{eventType: Scored, filters: {{amount: 1}}}}"),
        format!("{whole}, when: {{after: Moved, if: event.to is table}}, conditions: [event.entity != self]"),
        "may: true, secret: false, zones: [hand], when: {before: Scored}".to_owned(),
        "may: true, zones: [table], when: {before: Scored}".to_owned(),
    ];
    let codes = |keys: &str| -> Vec<&str> {
        codes(&secret(keys)).into_iter().filter(|code| *code != "W-UNUSED").collect()
    };
    for keys in &passing {
        assert_eq!(codes(keys), [""; 0], "{keys}");
    }
    let failing = [
        ("may: true, zones: [hand], when: {before: Scored}".to_owned(), "W-LEAK"),
        (format!("{whole}, when: {{before: Scored, if: self.value > 1}}"), "E-SECRET"),
        (format!("{whole}, when: {{before: Scored, if: you.hand.any(it.value > 1)}}"), "E-SECRET"),
        (format!("{whole}, when: {{before: Scored, if: rich(you)}}"), "E-SECRET"),
        (format!("{whole}, when: {{before: Scored, if: event.card.value > 1}}"), "E-SECRET"),
        (format!("{whole}, when: {{before: Hidden}}"), "E-SECRET"),
        (format!("{whole}, when: {{after: Changed}}"), "E-SECRET"),
        ("secret: true, zones: [hand], when: {before: Scored}".to_owned(), "E-KEY"),
        ("may: true, secret: true, when: {before: Scored}".to_owned(), "E-KEY"),
        ("may: true, secret: true, zones: [table], when: {before: Scored}".to_owned(), "E-KEY"),
        ("may: true, secret: true, zones: [deck], when: {before: Scored}".to_owned(), "E-KEY"),
        (format!("{whole}, auto: true, when: {{before: Scored}}"), "E-KEY"),
        (format!("{whole}, when: {{after: Scored, look: before}}"), "E-KEY"),
    ];
    for (keys, code) in &failing {
        assert_eq!(codes(keys), [*code], "{keys}");
    }
}

/// Returns the frame's reaction with these keys.
fn reaction(keys: &str) -> String {
    format!("reactions: [{{id: rule, {keys}}}]")
}

#[test]
fn zones_hold_their_kind_only() {
    let kinds = "kinds: {gem: {}, jewel: {extends: gem}}\ndefs: {ruby: {kind: gem}, pearl: {kind: jewel}}\n\
                 zones: {vault: {visible: all, holds: gem}, crown: {visible: all, holds: jewel}, heap: {visible: all}, \
                 pile: {visible: all, holds: card}}\n";
    let codes = |statement: &str| -> Vec<&str> {
        let found = codes(&format!("{kinds}{}", flow(&format!("- {statement}"))));
        found.into_iter().filter(|code| *code != "W-UNUSED").collect()
    };
    let passing = [
        "{create: ruby, in: vault}",
        "{create: pearl, in: vault}",
        "{create: pearl, in: crown}",
        "{create: plain, in: heap}",
        "{move: vault.first!, to: heap}",
        // Whether it is a jewel is known during play.
        "{move: vault.first!, to: crown}",
        "{move: heap.first!, to: vault}",
    ];
    for statement in passing {
        assert_eq!(codes(statement), [""; 0], "{statement}");
    }
    for statement in [
        "{create: ruby, in: pile}",
        "{create: plain, in: vault}",
        "{move: vault.first!, to: pile}",
        "{move: vault, to: pile}",
        "{move: vault.first!, to: stack}",
    ] {
        assert_eq!(codes(statement), ["E-TYPE"], "{statement}");
    }
}

#[test]
fn reactions_rewrite_what_the_engine_does_not_fill_in() {
    let passing = [
        "when: {before: Moved}, effects: [{set: {event.to: table}}]",
        "when: {before: Moved}, effects: [{set: {event.to: 'players[0].hand'}}]",
        "when: {before: Created}, effects: [{set: {event.owner: null, event.to: table, event.def: plain}}]",
        "when: {before: Rolled}, effects: [{set: {event.total: 3}}]",
        "when: {before: PhaseStarted}, effects: [{set: {event.player: 'players[0]'}}]",
    ];
    for keys in passing {
        assert_eq!(codes(&reaction(keys)), [""; 0], "{keys}");
    }
    let failing = [
        // Each player has a hand.
        ("when: {before: Moved}, effects: [{set: {event.to: hand}}]", "E-TYPE"),
        ("when: {before: Moved}, effects: [{set: {event.index: 3}}]", "E-APPLY"),
        ("when: {before: Created}, effects: [{set: {event.entity: 'players[0]'}}]", "E-APPLY"),
        ("when: {before: Changed}, effects: [{set: {event.prop: value}}]", "E-APPLY"),
        ("when: {before: PhaseStarted}, effects: [{set: {event.phase: turn}}]", "E-APPLY"),
        ("when: {before: Announced}, effects: [{set: {event.actor: 'players[0]'}}]", "E-APPLY"),
        ("when: {before: PlayerLeft}, effects: [{set: {event.player: 'players[0]'}}]", "E-APPLY"),
    ];
    for (keys, code) in failing {
        assert_eq!(codes(&reaction(keys)), [code], "{keys}");
    }
}

#[test]
fn the_bare_name_of_a_single_zone_is_a_zone_where_one_is_expected() {
    let procs = "procs: {put: {params: {what: card, where: zone}, do: [{move: what, to: where}]}}\n";
    let codes = |statement: &str| codes(&format!("{procs}{}", flow(statement)));
    assert_eq!(codes("- {put: table.first!, where: deck}"), [""; 0]);
    assert_eq!(codes("- {put: table.first!, where: hand}"), ["E-TYPE"]);
    assert_eq!(codes("- {put: table.first!, where: 'players[0].hand'}"), [""; 0]);
}

#[test]
fn a_trait_can_be_compared_with_what_is_created() {
    let traits = "traits: {lit: {}}\n";
    let light = flow("- {create: lit, host: table.first!}");
    let rule = |test: &str| {
        let rule = format!("when: {{before: Created, if: {test}}}, effects: [{{prevent: event}}]");
        codes(&format!("{traits}{}\n{light}", reaction(&rule)))
    };
    assert_eq!(rule("event.def == lit and event.host is card"), [""; 0]);
    assert_eq!(rule("event.def != lit"), [""; 0]);
    assert_eq!(rule("event.def == hand"), ["E-TYPE"]);
}

#[test]
fn a_refund_without_resources_has_no_effect() {
    let action = |rest: &str| format!("actions: [{{id: act, {rest} effects: []}}]");
    assert_eq!(codes(&action("refund: prevented,")), ["W-UNUSED"]);
    let resources = "resources: {mana: {of: player, default: 3}}\n";
    assert_eq!(codes(&format!("{resources}{}", action("refund: prevented,"))), [""; 0]);
}

/// Returns a def with one reaction that has these keys.
fn thrower(keys: &str) -> String {
    let when = "when: {after: Moved, if: event.entity == self}";
    format!(
        "defs: {{thrower: {{kind: card, reactions: [{{id: throws, {when}, {keys}, effects: [{{add: {{match.round: 1}}}}]}}]}}}}"
    )
}

#[test]
fn targets_chosen_on_the_stack() {
    let targets = "targets: [{id: victim, from: players}]";
    let table = [
        (thrower(&format!("timing: stack, targeting: stack, {targets}")), None),
        (thrower(&format!("timing: stack, targeting: resolve, {targets}")), None),
        (format!("reactionTargeting: stack\n{}", thrower(&format!("timing: stack, {targets}"))), None),
        // Nothing to choose, or no stack to choose it on.
        (thrower("timing: stack, targeting: stack"), Some("E-KEY")),
        (thrower(&format!("targeting: stack, {targets}")), Some("E-KEY")),
        (thrower(&format!("timing: stack, targeting: later, {targets}")), Some("E-ENUM")),
        (format!("reactionTargeting: now\n{}", thrower("timing: stack")), Some("E-ENUM")),
        (
            thrower("timing: stack, targeting: stack, targets: [{id: victim, from: match.round}]"),
            Some("E-TYPE"),
        ),
        (thrower("timing: stack, targeting: stack, targets: [{from: players}]"), Some("E-KEY")),
    ];
    for (example, expected) in table {
        let found = codes(&example);
        assert_eq!(found.first().copied(), expected, "{example}: {found:?}");
    }
}

#[test]
fn choices_made_to_pay() {
    let action = |keys: &str| {
        format!(
            "actions: [{{id: burn, host: card, zones: [hand], {keys}, effects: [{{add: {{match.round: given.value}}}}]}}]"
        )
    };
    let ability = "defs: {torch: {kind: card, abilities: [{id: burn, payment: [{id: given, from: hand}], effects: []}]}}";
    let table = [
        (action("payment: [{id: given, from: actor.hand}], costs: [{remove: given}]"), None),
        (action("payment: [{id: given, from: actor.hand, constraints: [it.value > 1]}]"), None),
        (thrower("may: true, payment: [{id: given, from: you.hand}], costs: [{remove: given}]"), None),
        // What pays is an entity, has a name, and somebody chooses it.
        (action("payment: [{id: given, from: 'range(1, 3)'}]"), Some("E-TYPE")),
        (action("payment: [{from: actor.hand}]"), Some("E-KEY")),
        (action("payment: {id: given, from: actor.hand}"), Some("E-TYPE")),
        (ability.to_owned(), Some("E-KEY")),
        (
            "reactions: [{id: r, when: {after: Moved}, payment: [{id: given, from: hand}], effects: []}]"
                .to_owned(),
            Some("E-CHOOSE"),
        ),
    ];
    for (example, expected) in table {
        let found = codes(&example);
        assert_eq!(found.first().copied(), expected, "{example}: {found:?}");
    }
}

#[test]
fn controllers() {
    let kind = |controller: &str| format!("kinds: {{minion: {{props: {{controller: {controller}}}}}}}");
    let used = "procs: {seize: {params: {m: minion, p: player}, do: [{set: {m.controller: p}}, {move: m, to: \
                m.controller.hand}, {set: {m.controller: null}}]}}";
    let table = [
        (format!("{}\n{used}", kind("maybe<player>")), None),
        (format!("{}\n{used}", kind("{type: maybe<player>, resets: {when: {after: RoundEnd}}}")), None),
        ("zones: {field: {of: player, visible: all, renews: outside}}".to_owned(), None),
        (kind("int"), Some("E-TYPE")),
        (kind("{type: player, default: 'players[0]'}"), Some("E-TYPE")),
        (kind("{type: maybe<player>, mod: true}"), Some("E-KEY")),
        // Without the property nobody but the owner has control.
        (
            "procs: {seize: {params: {c: card, p: player}, do: [{set: {c.controller: p}}]}}".to_owned(),
            Some("E-PROP"),
        ),
        ("zones: {field: {of: player, visible: all, renews: inside}}".to_owned(), Some("E-TYPE")),
    ];
    for (example, expected) in table {
        let found: Vec<_> = codes(&example).into_iter().filter(|code| *code != "W-UNUSED").collect();
        assert_eq!(found.first().copied(), expected, "{example}: {found:?}");
    }
}

#[test]
fn modifiers_in_other_zones() {
    let kinds = "kinds: {spell: {props: {cost: {type: int, default: 5, mod: true}}}}";
    let on = |keys: &str| {
        format!("{kinds}\ndefs: {{flood: {{kind: spell, modifiers: [{{of: spell.cost, {keys}}}]}}}}")
    };
    let table = [
        (on("zones: [hand], if: it == self, add: -1"), None),
        (on("zones: [hand, table], add: -1"), None),
        (on("zones: [hnad], add: -1"), Some("E-NAME")),
        (on("zones: hand, add: -1"), Some("E-TYPE")),
        (format!("{kinds}\nmodifiers: [{{of: spell.cost, zones: [hand], add: 1}}]"), Some("E-KEY")),
    ];
    for (example, expected) in table {
        let found = codes(&example);
        assert_eq!(found.first().copied(), expected, "{example}: {found:?}");
    }
}

#[test]
fn mistakes_in_teams_are_reported() {
    let teams = |teams: &str, rest: &str| codes(&format!("players: {{teams: {teams}}}\n{rest}"));
    assert_eq!(teams("[[0], [1]]", ""), [""; 0]);
    assert_eq!(teams("together", ""), [""; 0]);
    assert_eq!(teams("\"if players.count > 2 then [[0, 2]] else []\"", ""), [""; 0]);
    assert_eq!(teams("[[0, 2], [1]]", ""), ["E-LIMIT"]);
    assert_eq!(teams("[[0, 1], [1]]", ""), ["E-NAME"]);
    assert_eq!(teams("togehter", ""), ["E-NAME"]);
    assert_eq!(teams("[[0], [1]]", "zones: {pile: {visible: team}}"), ["E-TYPE"]);
    assert_eq!(codes("players: {props: {side: {type: int, visible: team}}}"), ["E-NAME"]);
    let fixed = flow("- each: players\n  as: p\n  do: [{set: {p.team: p.team}}]");
    assert_eq!(teams("[[0], [1]]", &fixed), ["E-TYPE"]);
}

#[test]
fn placeholders_of_titles_are_names_in_scope() {
    let title = |title: &str| {
        codes(&flow(&format!(
            "- let: {{price: 3}}\n- {{choose: c, by: 'players[0]', from: table, title: '{title}', else: []}}\n\
             - add: {{match.round: price}}\n- if: c != null\n  then: [{{remove: c}}]"
        )))
    };
    assert_eq!(title("Pay {price} of {match.round}?"), [""; 0]);
    assert_eq!(title("Pay {prise}?"), ["W-TEXT"]);
    assert_eq!(title("Pay {price.x}?"), ["E-PROP"]);
}

#[test]
fn the_timing_agrees_with_the_event() {
    let on = |when: &str, timing: &str| {
        format!(
            "events: {{Rang: {{payload: {{}}}}}}\nreactions: [{{id: r, when: {{{when}}}, timing: {timing}, effects: [{{add: \
             {{match.round: 1}}}}]}}]\n{}",
            flow("- emit: Rang")
        )
    };
    let table = [
        (on("after: Rang", "after"), None),
        (on("before: Rang", "before"), None),
        (on("eventType: Rang", "before"), None),
        (on("eventType: Rang", "after"), None),
        (on("after: Rang", "stack"), None),
        (on("after: Rang", "before"), Some("E-KEY")),
        (on("before: Rang", "after"), Some("E-KEY")),
        (on("before: Rang", "stack"), Some("E-KEY")),
        (on("before: Rang, after: Rang", "now"), Some("E-KEY")),
        (on("after: Rang, eventType: Rang", "now"), Some("E-KEY")),
    ];
    for (example, expected) in table {
        let found: Vec<_> = codes(&example).into_iter().filter(|code| *code != "W-UNUSED").collect();
        assert_eq!(found.first().copied(), expected, "{example}: {found:?}");
    }
}

#[test]
fn an_exact_count_makes_bounds_superfluous() {
    let warned = [
        flow("- {choose: c, by: 'players[0]', from: '[1, 2, 3]', count: 2, min: 1, max: 1}"),
        flow("- {choose: c, by: 'players[0]', from: '[1, 2, 3]', count: 2, min: 3, max: 1}"),
        alternatives("", "{id: a, choices: table, count: 1, max: 2}, {id: b}"),
        alternatives("", "{id: x, count: 1, max: 1, choices: [{id: a}, {id: b}]}"),
    ];
    for example in warned {
        let found = report(&example);
        let superfluous = found.lines().filter(|line| line.contains("has no effect: `count`")).count();
        assert!(superfluous > 0 && !found.contains("E-CHOOSE"), "{found}");
    }
}

#[test]
fn only_a_before_reaction_prevents_its_event() {
    let rang = "events: {Rang: {payload: {}}}\n";
    let of_proc = report(&format!("{rang}procs: {{stop: {{do: [{{prevent: event}}]}}}}"));
    assert!(of_proc.contains("is not in the effects of a `before` reaction"), "{of_proc}");
    let late = report(&format!(
        "{rang}reactions: [{{id: r, when: {{after: Rang}}, effects: [{{prevent: event}}]}}]"
    ));
    assert!(late.contains("an event that has happened cannot be prevented"), "{late}");
}

/// Returns two traits and a grant, each with these keys.
fn grant(traits: &str, keys: &str) -> String {
    format!("traits: {{{traits}}}\ngrants:\n  - {{{keys}}}\n")
}

#[test]
fn grants_are_checked() {
    let traits = "wet: {}, cold: {params: {by: int}}";
    let passing = [
        "to: card, traits: [wet, {cold: {by: it.value}}]",
        "to: card, if: it.has(wet), traits: [{cold: {by: 1}}]",
        "to: player, if: it.score > 1, traits: [wet]",
        "to: card, in: [hand], loses: all, layer: 2",
        "to: card, as: c, if: c.value > 1, loses: [wet, cold]",
    ];
    for keys in passing {
        let found = codes(&grant(traits, keys));
        assert!(found.iter().all(|code| code.starts_with("W-")), "{keys}: {found:?}");
    }
    let failing = [
        ("if: true, traits: [wet]", "E-KEY"),
        ("to: card", "E-KEY"),
        ("to: card, traits: [wett]", "E-NAME"),
        ("to: card, traits: [cold]", "E-ARGS"),
        ("to: card, traits: [{cold: {bye: 1}}]", "E-ARGS"),
        ("to: card, traits: [{cold: {by: sun}}]", "E-TYPE"),
        ("to: card, if: it.value, traits: [wet]", "E-TYPE"),
        ("to: stack_item, traits: [wet]", "E-NAME"),
        ("to: match, traits: [wet]", "E-TYPE"),
        ("to: card, loses: everything", "E-ENUM"),
        ("to: card, zones: [hand], traits: [wet]", "E-KEY"),
        ("to: card, if: self == it, traits: [wet]", "E-NAME"),
        // who is wet may not depend on who is
        ("to: card, if: it.has(wet), traits: [wet]", "E-CYCLE-MOD"),
    ];
    for (keys, code) in failing {
        let found = codes(&grant(traits, keys));
        assert!(found.contains(&code), "{keys}: {found:?}");
    }
}
