use super::*;
use crate::{Extras, Ruleset};

const RULES: &str = "\
ir: 1
ruleset: {id: little, version: 0.1.0, name: Little, uses: [core@1]}
outcomes: [done]
players: {seats: 2, props: {score: {type: int, default: 0}}}
kinds: {card: {props: {power: {type: int, default: 1}}}}
zones: {deck: {of: player, holds: card}}
functions: {best: {returns: int, is: 3}}
events: {Scored: {payload: {player: player, amount: int}}}
procs: {deal: {do: []}}
defs: {knight: {kind: card}}
actions: [{id: play, abstract: true, timing: instant}, {id: strike, extends: play, effects: []}]
flow:
  - {emit: Scored, player: \"players[0]\", amount: best()}
";

/// Returns the labels offered at the `|` of a text, for the rules above.
fn labels(text: &str) -> Vec<String> {
    labels_in(text, FileKind::Rules)
}

fn labels_in(text: &str, kind: FileKind) -> Vec<String> {
    let index = index();
    let at = text.find('|').expect("there is a cursor");
    let line = text[..at].matches('\n').count() as u32 + 1;
    let column = text[..at].chars().rev().take_while(|letter| *letter != '\n').count() as u32 + 1;
    let text = text.replace('|', "");
    let found = complete(&Cursor { text: &text, line, column, kind, place: None }, &index);
    found.items.into_iter().map(|item| item.label).collect()
}

fn index() -> SymbolIndex {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let compiled = ruleset.compile_with(&Extras { index: true, ..Extras::default() });
    assert!(compiled.program.is_some(), "{:?}", compiled.diagnostics);
    compiled.index.expect("the index was asked for")
}

fn has(text: &str, wanted: &str) -> bool {
    labels(text).iter().any(|label| label == wanted)
}

#[test]
fn keys_come_from_the_schema() {
    assert_eq!(labels("eve|")[0], "events");
    assert!(has("events:\n  Hurt:\n    |", "payload"));
    assert!(!has("events:\n  Hurt:\n    payload: {}\n    |", "payload"), "the key exists already");
    assert!(has("zones:\n  deck: {|", "visible"));
    assert!(has("flow:\n  - em|", "emit"));
    assert!(has("flow:\n  - {move: x, |", "to"), "arguments of an operation");
    assert!(!has("flow:\n  - {move: x, |", "emit"), "a statement has one operation");
}

#[test]
fn names_come_from_the_rules() {
    assert_eq!(labels("flow:\n  - emit: Sc|")[0], "Scored");
    assert!(has("flow:\n  - {emit: Scored, am|", "amount"));
    assert!(has("flow:\n  - {create: kni|", "knight"));
    assert!(has("flow:\n  - {move: x, to: |", "deck"));
    assert!(has("flow:\n  - {if: be|", "best"));
    assert!(has("flow:\n  - end: |", "done"));
    assert!(has("flow:\n  - de|", "deal"), "a proc can replace an operation");
    assert!(has("defs:\n  bishop:\n    kind: |", "card"));
}

#[test]
fn names_fit_what_stands_beside() {
    assert_eq!(labels("flow:\n  - {emit: Scored, |"), ["player", "amount", "as", "keep"]);
    assert!(has("defs:\n  bishop:\n    kind: card\n    props: {|", "power"));
    assert!(!has("defs:\n  bishop:\n    kind: card\n    props: {|", "score"), "of players");
    assert!(has("flow:\n  - {create: knight, with: {|", "power"));
    assert!(has("modifiers:\n  - of: |", "card.power"));
    assert!(has("flow:\n  - |\n    then: []\n", "if"), "above its arguments");
    assert!(!has("flow:\n  - |\n    then: []\n", "emit"), "which does not have them");
    assert!(has("actions: [{id: a, extends: |", "play"), "a template");
    assert!(has("ui:\n  events: {|", "Scored"));
    assert!(has("flow:\n  - {add: {|", "players"));
}

#[test]
fn members_follow_from_the_type() {
    let index = index();
    let after = |ty: &str| members(&index, ty).into_iter().map(|item| item.label).collect::<Vec<_>>();
    let has_both = |found: &[String], one: &str, other: &str| {
        [one, other].map(|name| found.iter().any(|label| label == name))
    };
    assert_eq!(has_both(&after("player"), "score", "power"), [true, false], "a player is not a card");
    assert_eq!(has_both(&after("player"), "deck", "seat"), [true, true]);
    assert_eq!(
        has_both(&after("the zone `deck` of card"), "count", "power"),
        [true, false],
        "a zone is a list"
    );
    assert_eq!(has_both(&after("maybe<card>"), "power", "score"), [true, false]);
    assert_eq!(has_both(&after("list<player>"), "where", "score"), [true, false]);
    assert_eq!(has_both(&after("{total: int, faces: list<int>}"), "total", "faces"), [true, true]);
    assert_eq!(has_both(&after("the event Scored"), "amount", "score"), [true, false]);
    assert!(after("int").is_empty(), "a number has no members");
    assert_eq!(has_both(&after(""), "score", "power"), [true, true], "the type is unknown");
}

#[test]
fn scenarios_have_keys_and_names_of_their_own() {
    let has =
        |text: &str, wanted: &str| labels_in(text, FileKind::Scenarios).iter().any(|label| label == wanted);
    assert!(has("scen|", "scenarios"));
    assert!(has("ignore: [|", "Scored"));
    assert!(has("scenarios:\n  - na|", "name"));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - |", "p0"));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - |", "draft p1"));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - p0: |", "knight"));
    assert!(has(
        "scenarios:\n  - name: x\n    play:\n      - p0: x\n        events:\n          - |",
        "Scored"
    ));
    assert!(has(
        "scenarios:\n  - name: x\n    play:\n      - p0: x\n        events:\n          - Scored: {|",
        "amount"
    ));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - p0: x\n        ended: {outcome: |", "done"));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - pending: {p0: {|", "title"));
    assert!(has("scenarios:\n  - name: x\n    given:\n      - cr|", "create"));
    assert!(has("scenarios:\n  - name: x\n    play:\n      - sees: {|", "spectator"));
}

#[test]
fn values_come_from_the_schema() {
    assert!(has("zones:\n  deck:\n    order: |", "list"));
    assert!(has("zones:\n  deck:\n    active: |", "true"));
}

#[test]
fn invalid_text_is_harmless() {
    for text in ["|", "\u{1F600}: {|", "a:\n\t- |", "]]}}: [|", "- - - - |", "'|", "x: \"|"] {
        labels(text);
    }
    let cursor = Cursor { text: "", line: 99, column: 99, kind: FileKind::Rules, place: None };
    assert_eq!(complete(&cursor, &SymbolIndex::default()).items.first().map(|item| item.kind), Some("key"));
}
