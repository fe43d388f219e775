//! Rules that must not pass, each with the codes it earns, and rules that must.

use intermezzo_compiler::Ruleset;

/// What every example stands beside.
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

/// Codes of what is said about the frame with `example` beside it.
fn codes(example: &str) -> Vec<&'static str> {
    let mut example = example.to_owned();
    if !example.contains("\nflow:") && !example.starts_with("flow:") {
        example.push_str("\nflow: [{end: normal}]\n");
    }
    let files = [("frame.yaml", FRAME), ("example.yaml", &example)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Ruleset::from_files(&files).compile().diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn flow(statements: &str) -> String {
    let mut lines = String::from("flow:\n");
    statements.lines().for_each(|line| lines.push_str(&format!("  {line}\n")));
    lines + "  - end: normal\n"
}

#[test]
fn statements_that_must_not_pass() {
    let table: &[(&str, &[&str])] = &[
        ("- remove: players[0]", &["E-TYPE"]),
        ("- {roll: 2d6, keep: sun}", &["E-ENUM"]),
        ("- {roll: 1, from: players.count}", &["E-TYPE"]),
        ("- {each: players, as: if, do: [{set: {match.round: 1}}]}", &["E-NAME"]),
        ("- {phase: my phase, do: []}", &["E-NAME"]),
        ("- {switch: match.round, cases: [1, 2]}", &["E-TYPE"]),
        ("- {choose: c, by: 'players[0]', from: players, slots: 2, min: 1}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: players, draft: {}}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: table, min: 3, max: 1}", &["E-CHOOSE"]),
        ("- {choose: c, by: 'players[0]', from: deck}", &["W-LEAK"]),
        ("- {choose: c, by: 'players[0]', from: 'players[1].hand'}", &["W-LEAK"]),
        ("- if: '{x: 1, y: 2} in [{x: 1, y: 2}]'\n  then: [{set: {match.round: 1}}]", &["E-TYPE"]),
        (
            "- each: table\n  as: c\n  do:\n    - if: c.mate != null\n      then: [{set: {c.mate: null}}, {set: {c.mate.value: 3}}]",
            &["W-NULL"],
        ),
        ("- {set: {match.round: self.value}}", &["E-NAME"]),
        ("- {move: 'table.first!', to: nowhere}", &["E-NAME"]),
        ("- {set: {options.x: 1}}", &["E-TYPE"]),
        ("- {let: {x: 'players.where(it.score > 0 and players.any(it.score > 1))'}}", &["W-SHADOW"]),
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
        ("reactions: [{id: a, when: {after: MatchEnded}, effects: []}]", &["E-UNREACH"]),
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
