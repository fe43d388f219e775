//! Mistakes that new authors make, each with what the checker says, next to the same rules without the mistake.

use intermezzo_compiler::Ruleset;

const FRAME: &str = "
ir: 1
ruleset: {id: frame, version: 0.1.0, uses: [core@1]}
players: {seats: 2, props: {score: int}}
match: {props: {round: int}}
kinds: {card: {props: {value: {type: int, default: 1, mod: true}, mate: {type: maybe<card>}}}}
zones:
  deck: {visible: none}
  hand: {of: player, visible: owner, active: true}
  row: {visible: all, max: 1}
";

/// Returns code, message and hints of everything reported for the frame with an example added.
fn reported(example: &str) -> Vec<String> {
    let mut example = example.to_owned();
    if !example.contains("flow:") {
        example.push_str("\nflow: [{end: normal}]\n");
    }
    let files = [("frame.yaml", FRAME), ("example.yaml", &example)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let found = Ruleset::from_files(&files).compile().diagnostics;
    let own = found.into_iter().filter(|diagnostic| !diagnostic.message.starts_with("no rule uses the zone"));
    own.map(|one| format!("{} {} {}", one.code, one.message, one.hints.join(" "))).collect()
}

/// Checks that the mistake is reported with these words, and that nothing is reported without it.
fn check(wrong: &str, words: &[&str], right: &str) {
    let found = reported(wrong);
    let is_named = found.iter().any(|text| words.iter().all(|word| text.contains(word)));
    assert!(is_named, "{words:?} are missing for {wrong}: {found:?}");
    assert_eq!(reported(right), Vec::<String>::new(), "{right}");
}

#[test]
fn locals_that_nothing_reads() {
    check(
        "flow: [{let: {a: 1, b: 2}}, {set: {match.round: a}}, {end: normal}]",
        &["W-UNUSED", "nothing reads the local `b`"],
        "flow: [{let: {a: 1, b: 2}}, {set: {match.round: a + b}}, {end: normal}]",
    );
    check(
        "flow: [{roll: 1d6, as: thrown}, {end: normal}]",
        &["W-UNUSED", "`thrown`"],
        "flow: [{roll: 1d6, as: thrown}, {set: {match.round: thrown.total}}, {end: normal}]",
    );
}

#[test]
fn things_without_an_owner_ask_nobody() {
    let def = "defs: {imp: {kind: card, reactions: [{id: peek, when: {after: Moved}, may: true, effects: [{add: {match.round: 1}}], allow: {W-LEAK: it is fine}}]}}";
    check(
        &format!("{def}\nflow: [{{create: imp, in: deck}}, {{end: normal}}]"),
        &["W-UNREACH", "`peek` of `imp` never runs", "owner"],
        &format!("{def}\nflow: [{{create: imp, in: deck, owner: 'players[0]'}}, {{end: normal}}]"),
    );
}

#[test]
fn things_without_an_owner_offer_nothing() {
    let def = "defs: {imp: {kind: card, actions: [{id: bite, zones: [hand], timing: instant, effects: [{add: {match.round: 1}}]}]}}";
    let flow = |owner: &str| {
        format!(
            "{def}\nflow: [{{create: imp, in: 'players[0].hand'{owner}}}, {{choose: act, by: 'players[0]', from: 'actions(players[0])', pass: true}}, {{if: act != null, then: [{{take: act}}]}}, {{end: normal}}]"
        )
    };
    let owned = flow(", owner: 'players[0]'");
    check(&flow(""), &["W-UNREACH", "nobody is offered `bite` of `imp`", "owner"], &owned);
    let computed = flow("").replace("create: imp", "create: '[imp].first!'");
    check(&computed, &["W-UNREACH", "nothing in this ruleset has an owner", "controller"], &owned);
    let controlled = format!("kinds: {{card: {{props: {{controller: maybe<player>}}}}}}\n{computed}")
        .replace("[{create", "[{let: {you_are: 'players[0]'}}, {create")
        .replace("{choose", "{set: {'players[0].hand.first!.controller': you_are}}, {choose");
    assert_eq!(reported(&controlled), Vec::<String>::new());
}

#[test]
fn ids_of_modifiers_occur_once() {
    check(
        "modifiers: [{id: a, of: card.value, add: 1}, {id: a, of: card.value, add: 2}]",
        &["E-NAME", "already a modifier `a`"],
        "modifiers: [{id: a, of: card.value, add: 1}, {id: b, of: card.value, add: 2}]",
    );
}

#[test]
fn nobody_can_pick_more_than_there_is() {
    let choose = |from: &str, count: u32| {
        format!("flow: [{{choose: c, by: 'players[0]', from: \"{from}\", count: {count}}}, {{end: normal}}]")
    };
    for (from, most) in [("[players[0]]", 1), ("deck.top(2)", 2), ("row", 1), ("row.where(it.value > 1)", 1)]
    {
        check(&choose(from, most + 1), &["E-CHOOSE", &format!("at most {most}")], &choose(from, most));
    }
}

#[test]
fn names_that_begin_like_it_keep_what_is_known() {
    let proc = |name: &str| {
        format!(
            "procs: {{p: {{params: {{{name}: card}}, do: [{{if: {name}.mate != null and deck.any(it.value == {name}.mate.value), then: [{{add: {{match.round: 1}}}}]}}]}}}}\n\
             flow: [{{p: deck.top!}}, {{end: normal}}]"
        )
    };
    for name in ["thing", "item", "itself"] {
        assert_eq!(reported(&proc(name)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn values_of_the_server_are_spelt_right() {
    check(
        "messages: {m: {at: start, fields: {id: {hozt: match}}}}",
        &["E-KEY", "unknown key `hozt`", "did you mean `host`?"],
        "messages: {m: {at: start, fields: {id: {host: match}}}}",
    );
}

#[test]
fn keys_under_ui_are_checked() {
    for (wrong, right) in [
        ("ui: {minuts: 10}", "ui: {minutes: 10}"),
        ("ui: {events: {Movd: {hide: true}}}", "ui: {events: {Moved: {hide: true}}}"),
        ("ui: {events: {Moved: {animation: shaek}}}", "ui: {events: {Moved: {animation: shake}}}"),
    ] {
        check(wrong, &["did you mean"], right);
    }
}

#[test]
fn habits_of_other_languages_get_a_hint() {
    for (wrong, hint) in [
        ("flow: [{if: match.round > 1, then: [], elif: []}, {end: normal}]", "inside `else`"),
        ("flow: [{foreach: players, do: []}, {end: normal}]", "`each: list"),
        ("flow: [{while: match.round > 1, do: []}, {end: normal}]", "repeat: forever"),
        ("flow: [{print: hello}, {end: normal}]", "emit an event"),
        ("flow: [{spawn: card}, {end: normal}]", "`create: def`"),
    ] {
        let found = reported(wrong);
        assert!(found.iter().any(|text| text.contains(hint)), "{wrong}: {found:?}");
    }
}

#[test]
fn items_on_the_stack_have_a_type() {
    let example = "functions: {is_mine: {params: {item: stack_item, who: player}, returns: bool, is: item.actor == who}}\n\
                   flow: [{if: \"stack.any(is_mine(it, players[0]))\", then: [{add: {match.round: 1}}]}, {end: normal}]";
    assert_eq!(reported(example), Vec::<String>::new());
}

#[test]
fn a_rule_that_never_runs_is_a_warning() {
    let example = "events: {Sneezed: {payload: {player: player}}}\nreactions: [{id: bless, when: {after: Sneezed}, effects: []}]";
    let found = reported(example);
    assert!(found.iter().any(|text| text.starts_with("W-UNREACH")), "{found:?}");
    assert!(!found.iter().any(|text| text.starts_with("E-")), "{found:?}");
}

#[test]
fn misspelt_words_of_the_language_get_a_hint() {
    for (wrong, right) in [
        ("flow: [{repeat: foreevr, do: [{end: normal}]}]", "flow: [{repeat: forever, do: [{end: normal}]}]"),
        (
            "flow: [{group: simultanous, do: [{add: {match.round: 1}}]}, {end: normal}]",
            "flow: [{group: simultaneous, do: [{add: {match.round: 1}}]}, {end: normal}]",
        ),
        (
            "flow: [{if: match.round > 1 adn match.round < 3, then: [{end: normal}]}, {end: normal}]",
            "flow: [{if: match.round > 1 and match.round < 3, then: [{end: normal}]}, {end: normal}]",
        ),
        (
            "flow: [{set: {match.round: \"fi match.round > 1 then 2 else 3\"}}, {end: normal}]",
            "flow: [{set: {match.round: \"if match.round > 1 then 2 else 3\"}}, {end: normal}]",
        ),
        (
            "players: {props: {luck: {type: int, visible: ownr}}}",
            "players: {props: {luck: {type: int, visible: owner}}}",
        ),
        (
            "functions: {two: {returns: integer, is: 2}}\nflow: [{set: {match.round: two()}}, {end: normal}]",
            "functions: {two: {returns: int, is: 2}}\nflow: [{set: {match.round: two()}}, {end: normal}]",
        ),
        (
            "types: {Part: {record: {amount: int}}}\nmatch: {props: {parts: {type: list<Part>}}}\nflow: [{set: {match.parts: \"match.parts + [{amont: 1}]\"}}, {end: normal}]",
            "types: {Part: {record: {amount: int}}}\nmatch: {props: {parts: {type: list<Part>}}}\nflow: [{set: {match.parts: \"match.parts + [{amount: 1}]\"}}, {end: normal}]",
        ),
    ] {
        check(wrong, &["did you mean"], right);
    }
}

#[test]
fn names_are_listed_once() {
    check(
        "symbols: [red, red]\nflow: [{let: {a: red}}, {if: a == red, then: [{end: normal}]}, {end: normal}]",
        &["E-NAME", "`red` is listed twice"],
        "symbols: [red]\nflow: [{let: {a: red}}, {if: a == red, then: [{end: normal}]}, {end: normal}]",
    );
    check("outcomes: [won, won]", &["E-NAME", "`won` is listed twice"], "outcomes: [won]");
    check(
        "actions: [{id: play, abstract: true}, {id: play, extends: play, effects: []}]",
        &["E-NAME", "already a template `play`"],
        "actions: [{id: play, abstract: true}, {id: play_card, extends: play, effects: []}]",
    );
}

#[test]
fn things_go_where_their_kind_belongs() {
    let kinds = "kinds: {chest: {props: {size: int}}}\nzones: {attic: {visible: all, holds: chest}, tray: {visible: all, holds: card}}\ndefs: {crate: {kind: chest}}";
    let moving = |zone: &str| {
        format!(
            "{kinds}\nflow: [{{create: crate, as: made}}, {{move: made, to: {zone}}}, {{if: attic.count > tray.count, then: [{{end: normal}}]}}, {{end: normal}}]"
        )
    };
    check(
        &moving("tray"),
        &["E-TYPE", "this is a chest, but the zone holds things of the kind card"],
        &moving("attic"),
    );
}

#[test]
fn wrong_numbers_of_slots_are_marked_at_their_key() {
    let example = "flow: [{choose: c, by: 'players[0]', from: row, slots: 2, count: 2}, {end: normal}]";
    let files = [("frame.yaml", FRAME), ("example.yaml", example)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let found = Ruleset::from_files(&files).compile().diagnostics;
    let problem = found.iter().find(|one| one.message.contains("`slots` sets the number")).expect("reported");
    assert_eq!(&example[problem.span.start as usize..problem.span.end as usize], "2");
}

#[test]
fn questions_that_close_need_something_that_counts() {
    let ask = |keys: &str| {
        format!(
            "flow: [{{choose: c, by: 'players[0]', from: row, {keys}}}, {{if: c != null, then: [{{end: normal}}]}}, {{end: normal}}]"
        )
    };
    check(
        &ask("while: match.round > 0"),
        &["E-CHOOSE", "nothing counts"],
        &ask("while: match.round > 0, else: []"),
    );
    check(&ask("pass: true, else: []"), &["E-CHOOSE", "can always answer"], &ask("pass: true"));
}

#[test]
fn secret_rolls_have_an_owner() {
    let roll = |keys: &str| {
        format!(
            "flow: [{{roll: 1d6, visible: owner, {keys}as: thrown}}, {{set: {{match.round: thrown.total}}}}, {{end: normal}}]"
        )
    };
    check(&roll(""), &["E-ARGS", "nobody owns this roll"], &roll("by: 'players[0]', "));
}

#[test]
fn defs_have_printed_properties_only() {
    let defs = "kinds: {card: {props: {double: {type: int, derived: it.value * 2}}}}\ndefs: {ace: {kind: card, props: {value: 3}}}";
    let read = |prop: &str| {
        format!(
            "defs: {{ace: {{kind: card, props: {{value: 3}}}}}}\nflow: [{{set: {{match.round: ace.{prop}}}}}, {{end: normal}}]"
        )
    };
    check(&read("valeu"), &["E-PROP", "did you mean `value`?"], &read("value"));
    let derived = format!("{defs}\nflow: [{{set: {{match.round: ace.double}}}}, {{end: normal}}]");
    assert!(reported(&derived).iter().any(|text| text.contains("not printed")), "{:?}", reported(&derived));
}

#[test]
fn placeholders_that_nothing_fills() {
    let question = |title: &str| {
        format!(
            "flow: [{{choose: ready, by: 'players[0]', from: '[true, false]', title: '{title}'}}, {{if: ready, then: [{{end: normal}}]}}, {{end: normal}}]"
        )
    };
    check(
        &question("Are you ready, {player.name}?"),
        &["W-TEXT", "nothing fills `{player.name}` in `title`", "with the braces"],
        &question("Are you ready?"),
    );
    assert_eq!(reported(&question("Choose a set {1, 2} or {}")), Vec::<String>::new());
}

#[test]
fn habits_of_other_languages_in_expressions_get_a_hint() {
    let test = |test: &str| format!("flow: [{{if: \"{test}\", then: [{{end: normal}}]}}, {{end: normal}}]");
    for (wrong, hint, right) in [
        ("row.length > 1", "did you mean `count`?", "row.count > 1"),
        ("row.filter(it.value > 1).count > 0", "did you mean `where`?", "row.where(it.value > 1).count > 0"),
        ("row.contains(players[0])", "write `item in list`", "row.any(it.value > 1)"),
        ("len(row) > 1", "write `list.count`", "row.count > 1"),
        ("row.first is not null", "write `row.first != null`", "row.first != null"),
        ("row.first!.zone == deck", "zone is deck", "row.first!.zone is deck"),
        ("match.round > score", "such as `player.score`", "match.round > players[0].score"),
    ] {
        check(&test(wrong), &[hint], &test(right));
    }
    let zone = |visible: &str| {
        format!(
            "zones: {{attic: {{visible: {visible}}}}}\nflow: [{{if: attic.count > 0, then: [{{end: normal}}]}}, {{end: normal}}]"
        )
    };
    check(&zone("hidden"), &["did you mean `none`?"], &zone("none"));
    check(&zone("public"), &["did you mean `all`?"], &zone("all"));
}

#[test]
fn names_with_hyphens_get_their_real_name() {
    let read = |name: &str| {
        format!(
            "match: {{props: {{last_round: int}}}}\nflow: [{{set: {{match.round: {name}}}}}, {{end: normal}}]"
        )
    };
    check(&read("match.last-round"), &["the name is `last_round`"], &read("match.last_round"));
}

#[test]
fn properties_without_an_owner_get_one() {
    check(
        "flow: [{set: {round: 2}}, {end: normal}]",
        &["did you mean `match.round`?"],
        "flow: [{set: {match.round: 2}}, {end: normal}]",
    );
    check(
        "flow: [{add: match.round 1}, {end: normal}]",
        &["`add` takes an object", "write `add: {player.score: 1}`"],
        "flow: [{add: {match.round: 1}}, {end: normal}]",
    );
}

#[test]
fn arguments_and_fields_are_given_once_and_in_their_place() {
    let proc = "procs: {gain: {params: {who: player, amount: int}, do: [{add: {who.score: amount}}]}}\n";
    check(
        &format!("{proc}flow: [{{gain: 'players[0]', who: 'players[1]', amount: 1}}, {{end: normal}}]"),
        &["`who` of `gain` is given twice"],
        &format!("{proc}flow: [{{gain: 'players[0]', amount: 1}}, {{end: normal}}]"),
    );
    let event = "events: {Won: {payload: {player: player}, text: \"{player} wins\"}}\n";
    let emit = format!("{event}flow: [{{emit: Won, player: 'players[0]'}}, {{end: normal}}]");
    check(
        &emit.replace("player: 'players[0]'", "payload: {player: 'players[0]'}"),
        &["beside `emit`"],
        &emit,
    );
    check(&emit.replace("{player} wins", "{player wins"), &["is not closed"], &emit);
    check(&emit.replace("emit: Won, player", "Won: true, player"), &["write `{emit: Won, …}`"], &emit);
}

#[test]
fn follow_up_errors_of_a_def_without_a_kind_are_left_out() {
    let def = |key: &str| {
        format!("defs: {{ace: {{{key}: card}}}}\nflow: [{{create: ace, in: deck}}, {{end: normal}}]")
    };
    let found = reported(&def("kinds"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("did you mean `kind`?"), "{found:?}");
    assert_eq!(reported(&def("kind")), Vec::<String>::new());
}

#[test]
fn fields_of_an_event_without_payload_are_explained() {
    check(
        "events: {Won: {apply: [{set: {match.round: event.amount}}]}}\nflow: [{emit: Won}, {end: normal}]",
        &["the event Won has no fields", "payload: {amount: type}"],
        "events: {Won: {payload: {amount: int}, apply: [{set: {match.round: event.amount}}]}}\nflow: [{emit: Won, amount: 1}, {end: normal}]",
    );
}

#[test]
fn hints_are_about_the_word_that_is_wrong() {
    let event = "events: {Rang: {payload: {times: int}}}\n";
    check(
        &format!("{event}flow: [{{emitt: Rang, times: 2}}, {{end: normal}}]"),
        &["unknown operation `emitt`", "did you mean `emit`?"],
        &format!("{event}flow: [{{emit: Rang, times: 2}}, {{end: normal}}]"),
    );
    let attach = |name: &str| {
        format!(
            "traits: {{glowing: {{modifiers: [{{of: card.value, if: it == self, add: 1}}]}}}}\ndefs: {{ace: {{kind: card}}}}\nflow: [{{create: ace, in: row, as: made}}, {{if: made != null, then: [{{create: {name}, host: made}}]}}, {{end: normal}}]"
        )
    };
    let found = reported(&attach("glowin"));
    assert!(found.iter().any(|text| text.contains("did you mean `glowing`?")), "{found:?}");
}
