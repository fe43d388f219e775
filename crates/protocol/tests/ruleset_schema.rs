//! The schema of a ruleset describes everything that viewers receive in random matches.

use std::sync::Arc;

use intermezzo_engine::{Datum, EventLog, Match, Observer, Viewer};
use intermezzo_protocol::{json, ruleset_schema};
use intermezzo_simulator::{Fixture, InputMix, fixtures, play};
use jsonschema::Validator;
use serde_json::{Value, json};

/// Returns a validator for one part of the schema.
fn part(schema: &Value, name: &str) -> Validator {
    let mut schema = schema.clone();
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn value(datum: &Datum) -> Value {
    let mut text = String::new();
    json::write(datum, &mut text);
    serde_json::from_str(&text).expect("invalid JSON")
}

fn check(validator: &Validator, value: &Value, what: &str) {
    if let Some(error) = validator.iter_errors(value).next() {
        panic!("{what}: {error} at {}\n{value:#}", error.instance_path());
    }
}

fn subject(name: &str) -> Fixture {
    fixtures::all().into_iter().find(|subject| subject.name == name).expect("no such ruleset")
}

#[test]
fn everything_viewers_receive_matches_the_schema() {
    for subject in fixtures::all() {
        let schema = ruleset_schema(&subject.program);
        let [view, event, prompts] = ["view", "event", "prompts"].map(|name| part(&schema, name));
        for seed in 0..4 {
            let habits = InputMix { max_inputs: 60, ..InputMix::varied() };
            let played = play(&subject.program, seed, &[], &habits).expect("the match does not start");
            let mut log = EventLog::new();
            let program = || Arc::clone(&subject.program);
            let mut game =
                Match::start(program(), &played.setup, &mut log).expect("the match does not start");
            let mut observer = Observer::new(program(), &played.setup).expect("the observer does not start");
            observer.start_tutorial(intermezzo_program::Seat(0));
            let mut from = 0;
            for at in 0..=played.inputs.len() {
                let what = |part: &str| format!("{} {seed}, input {at}: {part}", subject.name);
                let told = |_, told: Option<Datum>| {
                    told.iter().for_each(|told| check(&event, &value(told), &what("event")));
                };
                observer.observe(&log, from, told).expect("the log does not fit");
                for viewer in observer.viewers().collect::<Vec<Viewer>>() {
                    check(&view, &value(&observer.view(viewer)), &what("view"));
                    check(&prompts, &value(&observer.prompts(&game, viewer)), &what("prompts"));
                }
                from = log.len();
                if let Some(input) = played.inputs.get(at) {
                    game.submit(input, &mut log).expect("a recorded input is rejected");
                }
            }
        }
    }
}

#[test]
fn schemas_are_valid_schemas() {
    for subject in fixtures::all() {
        let schema = ruleset_schema(&subject.program);
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", subject.name);
        for name in ["view", "event", "prompt", "answer", "action", "options"] {
            part(&schema, name);
        }
    }
}

#[test]
fn views_of_another_ruleset_do_not_match() {
    let schema = ruleset_schema(&subject("mages").program);
    let orcain =
        play(&subject("orcain").program, 1, &[], &InputMix::varied()).expect("the match does not start");
    let mut observer = Observer::new(Arc::clone(orcain.state.program()), &orcain.setup)
        .expect("the observer does not start");
    let view = value(&observer.view(Viewer::Spectator));
    assert!(!part(&schema, "view").is_valid(&view));
    let event =
        json!({"n": 1, "event": "Hurt", "cause": null, "payload": {"player": "p0", "amount": 2, "by": "p1"}});
    assert!(!part(&schema, "event").is_valid(&event));
}

#[test]
fn options_have_types_bounds_defaults_and_texts() {
    let schema = ruleset_schema(&subject("orcain").program);
    let rounds = &schema["$defs"]["options"]["properties"]["rounds"];
    let expected = json!({
        "type": "integer", "minimum": 1, "maximum": 99, "default": 3, "description": "Rounds before sudden death",
    });
    assert_eq!(*rounds, expected);
    let options = part(&schema, "options");
    let good = [json!({}), json!({"rounds": 5}), json!({"hand": ["attack", "heal"]})];
    let bad = [
        json!({"rounds": 0}),
        json!({"rounds": null}),
        json!({"rounds": "5"}),
        json!({"hand": ["fireball"]}),
        json!({"speed": 1}),
    ];
    good.iter().for_each(|good| assert!(options.is_valid(good), "{good}"));
    bad.iter().for_each(|bad| assert!(!options.is_valid(bad), "{bad}"));
    let mages = part(&ruleset_schema(&subject("mages").program), "options");
    assert!(mages.is_valid(&json!({"bank_ms": null})) && !mages.is_valid(&json!({"bank_ms": 5})));
}

#[test]
fn answers_are_described_by_question() {
    let schema = ruleset_schema(&subject("orcain").program);
    let answer = part(&schema, "answer.answers");
    for good in [json!(["attack", null, "#3"]), json!([{"n": 0}, {"n": 1}, null]), json!([])] {
        assert!(answer.is_valid(&good), "{good}");
    }
    for bad in [json!("attack"), json!({"a": 1}), json!([["attack"]]), json!(true), json!([0, 1, 2])] {
        assert!(!answer.is_valid(&bad), "{bad}");
    }
    let mages = ruleset_schema(&subject("mages").program);
    let act = part(&mages, "answer.act");
    for good in
        [json!("pass"), json!("cast_bolt"), json!({"cast_bolt": "p1"}), json!({"action": "cast_bolt"})]
    {
        assert!(act.is_valid(&good), "{good}");
    }
    assert!(!act.is_valid(&json!({"cast_bold": "p1"})) && !act.is_valid(&json!(0)));
    let action = part(&mages, "action");
    assert!(action.is_valid(&json!({"type": "cast_bolt", "targets": {"victim": "p1"}})));
    assert!(!action.is_valid(&json!({"type": "cast_bold"})));
}
