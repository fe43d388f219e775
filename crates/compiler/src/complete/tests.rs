use super::*;
use crate::Ruleset;

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
flow:
  - {emit: Scored, player: \"players[0]\", amount: best()}
";

/// Returns the labels offered at the `|` of a text, for the rules above.
fn labels(text: &str) -> Vec<String> {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let program = ruleset.compile().program.expect("the rules compile");
    let at = text.find('|').expect("there is a cursor");
    let line = text[..at].matches('\n').count() as u32 + 1;
    let column = text[..at].chars().rev().take_while(|letter| *letter != '\n').count() as u32 + 1;
    let found = complete(&text.replace('|', ""), line, column, Some(&program));
    found.items.into_iter().map(|item| item.label).collect()
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
    assert!(has("flow:\n  - {add: {\"players[0].sc|", "score"));
    assert!(has("flow:\n  - {if: \"players[0].|", "score"));
    assert!(has("flow:\n  - end: |", "done"));
    assert!(has("flow:\n  - de|", "deal"), "a proc can replace an operation");
    assert!(has("defs:\n  bishop:\n    kind: |", "card"));
}

#[test]
fn members_follow_a_dot() {
    let after = |written: &str| labels(&format!("flow:\n  - {{if: \"{written}.|"));
    let has_both = |found: &[String], one: &str, other: &str| {
        [one, other].map(|name| found.iter().any(|label| label == name))
    };
    assert_eq!(has_both(&after("players[0]"), "score", "power"), [true, false], "a player is not a card");
    assert_eq!(has_both(&after("you.deck"), "count", "power"), [true, false], "a zone is a list");
    assert_eq!(has_both(&after("you.deck.first!"), "power", "score"), [true, false]);
    assert_eq!(has_both(&after("you.deck[0].owner"), "score", "power"), [true, false]);
    assert_eq!(has_both(&after("players.where(it.score > best()).first!"), "deck", "power"), [true, false]);
    assert_eq!(has_both(&after("players"), "where", "score"), [true, false]);
    assert!(after("you.score").is_empty(), "a number has no members");
    assert_eq!(has_both(&after("something"), "score", "power"), [true, true], "the type is unknown");
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
    assert_eq!(complete("", 99, 99, None).items.first().map(|item| item.kind), Some("key"));
}
