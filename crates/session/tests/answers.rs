//! Answers as seats write them: values, labels, option numbers, short forms of actions, and their errors.

use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, Input, Seed, Setup, Viewer};
use intermezzo_program::{Program, Seat};
use intermezzo_session::{QueuedAnswer, Session, SessionEntry};

const FIRST: Seat = Seat(0);

const RULES: &str = r#"
ir: 1
ruleset: {id: answers, version: 0.1.0, name: Answers, uses: [core@1]}
outcomes: [done]
players: {seats: 2, props: {score: {type: int, default: 0}}}
kinds: {card: {}}
zones: {hand: {of: player, visible: owner}, field: {of: player, visible: all, active: true}}
defs:
  ace: {kind: card, name: Ace, actions: [{id: wave, zones: [hand], effects: []}]}
  king: {kind: card, name: King}
  imp:
    kind: card
    name: Imp
    reactions:
      - id: imp_spite
        name: Punish a player?
        when: {after: Poked, if: event.card == self}
        may: true
        targets: [{id: victim, from: "players.where(it != you or match.friendly)"}]
        effects: [{add: {victim.score: 1}}]
match: {props: {friendly: {type: bool, default: false}}}
events: {Poked: {payload: {card: card}}}
actions:
  - {id: rest, name: Take a rest, effects: []}
  - {id: gift, name: Gift, targets: [{id: friend, from: players}], effects: [{add: {friend.score: 5}}]}
  - {id: hit, name: Hit, targets: [{id: foe, from: opponents(actor)}], effects: [{add: {foe.score: -1}}]}
setup:
  - {create: ace, owner: "players[0]", in: "players[0].hand"}
  - {create: ace, owner: "players[0]", in: "players[0].hand"}
  - {create: king, owner: "players[0]", in: "players[0].hand"}
  - {create: imp, owner: "players[0]", in: "players[0].field"}
flow:
  - {choose: amount, by: "players[0]", from: "[1, 2, 3]"}
  - {choose: cards, by: "players[0]", from: "players[0].hand", count: 2}
  - choose: plan
    by: "players[0]"
    max: 2
    choices:
      - {id: rest, title: Rest, exclusive: true}
      - {id: play, title: Play, choices: "players[0].hand", min: 1, max: 2}
      - {id: pay, title: "Pay {amount}"}
  - {emit: Poked, card: "players[0].field.first!"}
  - set: {match.friendly: true}
  - {emit: Poked, card: "players[0].field.first!"}
  - {choose: act, by: "players[0]", from: "actions(players[0])", pass: true}
  - {choose: point, by: "players[0]", from: "[{x: 1, y: 2}, {x: 2, y: 1}]"}
  - end: done
"#;

fn start() -> Session {
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let compiled = ruleset.compile();
    let program: Arc<Program> =
        Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)));
    let setup = Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None };
    Session::start(&program, &setup).expect("the match starts").0
}

/// Starts a match in which the questions before that one have been answered.
fn at(question: &str) -> Session {
    let mut session = start();
    for (name, answer) in [
        ("amount", json(r"1")),
        ("cards", json(r#"["Ace", "King"]"#)),
        ("plan", json(r#""rest""#)),
        ("first offer", json("false")),
        ("second offer", json("false")),
        ("act", json(r#""pass""#)),
    ] {
        if name == question {
            return session;
        }
        let entry = resolve(&mut session, &answer).expect("the answer is valid");
        session.apply(&entry, None).expect("the answer is accepted");
    }
    session
}

fn json(text: &str) -> Datum {
    let value: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    intermezzo_matchfile::from_json(&value).expect("it has no fractions")
}

fn resolve(session: &mut Session, answer: &Datum) -> Result<SessionEntry, String> {
    let prompts = session.prompts(Viewer::Seat(FIRST));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    let Some(Datum::Int(number)) = prompts.first().and_then(|prompt| prompt.get("inputId")) else {
        panic!("the seat is not asked")
    };
    let number = *number as u32;
    session.resolve_answer(FIRST, number, answer).map_err(|refusal| format!("{}: {refusal}", refusal.name()))
}

/// Returns the engine's answer that a written answer means, or the error.
fn meant(question: &str, answer: &str) -> Result<Answer, String> {
    let mut session = at(question);
    let entry = resolve(&mut session, &json(answer))?;
    match session.apply(&entry, None) {
        Ok(_) => match entry {
            SessionEntry::Input(Input::Answer { answer, .. }) => Ok(answer),
            other => panic!("{other:?}"),
        },
        Err(refusal) => Err(format!("{}: {refusal}", refusal.name())),
    }
}

fn picks(numbers: &[i32]) -> Result<Answer, String> {
    Ok(Answer::Picks(numbers.to_vec()))
}

fn unknown(selection: &str) -> Result<Answer, String> {
    Err(format!("no_such_option: Selection {selection} didn't exist in the choices"))
}

#[test]
fn numbers_are_values_and_option_numbers_say_so() {
    assert_eq!(meant("amount", "1"), picks(&[0]));
    assert_eq!(meant("amount", "[3]"), picks(&[2]));
    assert_eq!(meant("amount", r#""3""#), picks(&[2]), "by its label");
    assert_eq!(meant("amount", r#"{"n": 0}"#), picks(&[0]));
    assert_eq!(meant("amount", "0"), unknown("0"));
    assert_eq!(meant("amount", r#"{"n": 3}"#), unknown("3"));
    assert_eq!(meant("cards", "[0, 1]"), unknown("0"));
    assert_eq!(meant("cards", r#"[{"n": 0}, {"n": 1}]"#), picks(&[0, 1]));
    assert_eq!(
        meant("plan", r#"[{"id": "play", "selection": [0]}]"#),
        Err("no_such_option: Play: Selection 0 didn't exist in the choices".to_owned())
    );
}

#[test]
fn wrong_answers_are_named_as_they_were_written() {
    assert_eq!(meant("cards", r#"["Ace", "Ace"]"#), picks(&[0, 1]));
    assert_eq!(meant("cards", r#"["King", "King"]"#), unknown("King"));
    assert_eq!(meant("cards", r##"["#1", "#1"]"##), unknown("#1"));
    assert_eq!(meant("cards", r#"["Ace", "Fireball"]"#), unknown("Fireball"));
    assert_eq!(meant("cards", r#"["Ace", {"suit": [1, "x"]}]"#), unknown("{suit: [1, x]}"));
    let count = "wrong_count: Invalid number of options selected: expected 2-2, got 1";
    assert_eq!(meant("cards", r#"["Ace"]"#), Err(count.to_owned()));
    assert_eq!(
        meant("cards", r#"["Ace", "Ace", "Fireball"]"#),
        unknown("Fireball"),
        "picks are checked before their number"
    );
}

#[test]
fn alternatives_are_checked_from_the_outside() {
    let mixed = "exclusive_mixed: Exclusive choice mixed with other choices";
    assert_eq!(
        meant("plan", r#"["rest", {"id": "play", "selection": ["Fireball"]}]"#),
        Err(mixed.to_owned()),
        "the outer mistake is reported, as for every other client"
    );
    assert_eq!(meant("plan", r#"["rest", "dance"]"#), unknown("dance"));
    let inner = "no_such_option: Play: Selection Fireball didn't exist in the choices";
    assert_eq!(meant("plan", r#"[{"id": "play", "selection": ["Fireball"]}]"#), Err(inner.to_owned()));
    let twice = "picked_twice: Selection Play didn't exist in the choices";
    let play = r#"{"id": "play", "selection": ["Ace"]}"#;
    assert_eq!(meant("plan", &format!("[{play}, {play}]")), Err(twice.to_owned()));
}

#[test]
fn an_offer_with_one_target_is_accepted_with_true() {
    assert_eq!(meant("first offer", "true"), picks(&[0]));
    assert_eq!(meant("first offer", r#""p1""#), picks(&[0]));
    assert_eq!(meant("first offer", "false"), picks(&[]));
    assert_eq!(meant("second offer", "false"), picks(&[]));
    assert_eq!(meant("second offer", r#""p1""#), picks(&[1]));
    assert_eq!(meant("second offer", "true"), unknown("true"), "it does not say which");
    assert_eq!(meant("act", "false"), Ok(Answer::Pass));
}

#[test]
fn an_action_is_answered_by_its_id() {
    for written in
        [r#""rest""#, r#"["rest"]"#, r#""Take a rest""#, r#"{"action": "rest"}"#, r#"{"rest": null}"#]
    {
        assert_eq!(meant("act", written), picks(&[0]), "{written}");
    }
    for written in [
        r#"{"gift": "p1"}"#,
        r#"{"gift": ["p1"]}"#,
        r#"{"gift": {"friend": "p1"}}"#,
        r#"{"action": "gift", "friend": "p1"}"#,
    ] {
        assert_eq!(meant("act", written), picks(&[2]), "{written}");
    }
    assert_eq!(meant("act", r#""hit""#), picks(&[3]), "it has only one legal target");
    let several = "means_several: `gift` is ambiguous: 2 options match; write one of them in full";
    assert_eq!(meant("act", r#""gift""#), Err(several.to_owned()));
    assert_eq!(meant("act", r#""wave""#), picks(&[4]), "of copies of one card, the first is meant");
    assert_eq!(meant("act", r#""dance""#), unknown("dance"));
    assert_eq!(meant("act", r#"{"hit": "p0"}"#), unknown("{hit: p0}"));
    assert_eq!(meant("act", r#""pass""#), Ok(Answer::Pass));
}

#[test]
fn answers_in_old_match_files_keep_their_meaning() {
    let entry = |head: u8| {
        // One answer for any question: the number 0.
        let mut bytes = Vec::new();
        let answers = vec![QueuedAnswer::new(None, Datum::Int(0))];
        SessionEntry::PreSend { seat: FIRST, answers }.encode(&mut bytes);
        assert_eq!(bytes[4], 2, "answers of today say so");
        bytes[4] = head;
        SessionEntry::decode(&bytes).expect("it is an entry")
    };
    let asked = |entry: &SessionEntry| {
        let mut session = start();
        session.apply(entry, None).expect("it is accepted");
        let prompts = session.prompts(Viewer::Seat(FIRST));
        let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
        prompts[0].get("name").cloned()
    };
    assert_eq!(asked(&entry(0)), Some(Datum::text("cards")), "the first option was meant");
    assert_eq!(asked(&entry(2)), Some(Datum::text("amount")), "no option has the value 0");
}

#[test]
fn things_are_called_as_in_scenarios_too() {
    assert_eq!(meant("cards", r#"["ace", "king"]"#), picks(&[0, 2]));
    assert_eq!(meant("cards", r#"["ace", "Ace"]"#), picks(&[0, 1]));
    assert_eq!(meant("cards", r#"["king", "King"]"#), unknown("King"));
    assert_eq!(meant("act", r#""ace""#), picks(&[4]), "the action of that card");
    assert_eq!(meant("act", r#"{"wave": {"host": "ace"}}"#), picks(&[4]));
    assert_eq!(meant("act", r#"{"action": "wave", "host": "king"}"#), unknown("{action: wave, host: king}"));
}

#[test]
fn alternatives_are_written_as_in_scenarios_too() {
    let play = |picks: &[i32]| Ok(Answer::Branches(vec![(1, picks.to_vec())]));
    for written in [
        r#"{"play": "ace"}"#,
        r#"[{"play": ["Ace"]}]"#,
        r#"{"Play": "Ace"}"#,
        r#"{"id": "play", "selection": "ace"}"#,
        r#"{"title": "Play", "selection": ["Ace"]}"#,
    ] {
        assert_eq!(meant("plan", written), play(&[0]), "{written}");
    }
    assert_eq!(meant("plan", r#"{"rest": null}"#), Ok(Answer::Branches(vec![(0, vec![])])));
    assert_eq!(meant("plan", r#""Rest""#), Ok(Answer::Branches(vec![(0, vec![])])));
    assert_eq!(
        meant("plan", r#""Pay 1""#),
        Ok(Answer::Branches(vec![(2, vec![])])),
        "as the player reads it"
    );
    assert_eq!(meant("plan", r#""Pay 2""#), unknown("Pay 2"));
    let mixed = "exclusive_mixed: Exclusive choice mixed with other choices";
    assert_eq!(meant("plan", r#"{"rest": null, "play": "ace"}"#), Err(mixed.to_owned()));
    let inner = "no_such_option: Play: Selection Fireball didn't exist in the choices";
    assert_eq!(meant("plan", r#"{"play": "Fireball"}"#), Err(inner.to_owned()));
    assert_eq!(meant("plan", r#"{"dance": "ace"}"#), unknown("dance"));
}

#[test]
fn passing_where_it_is_not_allowed_is_called_that() {
    let refused = || Err("cannot_pass: passing is not allowed".to_owned());
    for question in ["amount", "cards", "plan", "first offer", "point"] {
        assert_eq!(meant(question, r#""pass""#), refused(), "{question}");
    }
    assert_eq!(meant("act", r#""pass""#), Ok(Answer::Pass));
    assert_eq!(meant("act", "null"), Ok(Answer::Pass));
}

#[test]
fn the_fields_of_a_record_have_any_order() {
    assert_eq!(meant("point", r#"{"x": 2, "y": 1}"#), picks(&[1]));
    assert_eq!(meant("point", r#"{"y": 1, "x": 2}"#), picks(&[1]));
    assert_eq!(meant("point", r#"{"y": 2, "x": 2}"#), unknown("{y: 2, x: 2}"));
}

/// The action as a client may print it: the rules call the target `abilityId`, and so does the message.
#[test]
fn the_name_of_a_target_may_end_in_id() {
    const RULES: &str = r#"
ir: 1
ruleset: {id: abilities, version: 0.1.0, uses: [core@1]}
outcomes: [done]
players: {seats: 2}
kinds: {card: {}}
zones: {field: {of: player, visible: all, active: true}}
defs: {drum: {kind: card, abilities: [{id: beat, effects: []}, {id: roll_up, effects: []}]}}
actions:
  - id: activate_ability
    targets: [{id: source, from: actor.field}, {id: abilityId, from: source.abilities}]
    effects: [{call: abilityId, host: source}]
setup: [{create: drum, owner: "players[0]", in: "players[0].field"}]
flow: [{choose: act, by: "players[0]", from: "actions(players[0])"}, {end: done}]
"#;
    let ruleset = Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.as_bytes().to_vec())]);
    let program = Arc::new(ruleset.compile().program.expect("the rules are valid"));
    let setup = Setup { seats: 2, options: Vec::new(), seed: Seed::from_number(1), script: None };
    let mut session = Session::start(&program, &setup).expect("the match starts").0;
    let prompts = session.prompts(Viewer::Seat(FIRST));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    let Some(Datum::List(options)) = prompts[0].get("options") else { panic!("{prompts:?}") };
    let source = options[0].get("value").and_then(|value| value.get("targets")?.get("source"));
    let source = source.expect("it has that target").to_string();
    let mut action = |target: &str| {
        let text = format!(
            r#"{{"type": "activate_ability", "targets": {{"source": "{source}", "{target}": "roll_up"}}}}"#
        );
        session.resolve_action(FIRST, &json(&text)).map_err(|refusal| refusal.to_string())
    };
    let by_its_name = action("abilityId").expect("it is offered");
    assert_eq!(action("ability"), Ok(by_its_name));
    assert_eq!(
        action("spell"),
        Err("`activate_ability` is not possible like that now".to_owned()),
        "another name is none of its targets"
    );
    let unknown = session.resolve_action(FIRST, &json(r#"{"type": "fly"}"#)).unwrap_err();
    assert_eq!(unknown.to_string(), "this game has no action `fly`");
}
