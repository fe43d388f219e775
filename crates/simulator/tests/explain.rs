//! Explanations of modified values.

use std::sync::Arc;

use intermezzo_engine::{Datum, EventLog, Explanation, ExplanationSubject, Match, Setup};
use intermezzo_program::FaultCode;
use intermezzo_simulator::{fixtures, setup};

/// Starts the `modifiers` ruleset with these defs in play; the first of them is entity 3.
fn table(defs: &[&str]) -> Match {
    let small_rulesets = fixtures::small_rulesets();
    let modifiers =
        small_rulesets.iter().find(|fixture| fixture.name == "modifiers").expect("the ruleset exists");
    let list = Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
    let options = vec![("table".into(), list)];
    let setup = Setup { options, ..setup(&modifiers.program, 1, &[]) };
    Match::start(Arc::clone(&modifiers.program), &setup, &mut EventLog::new()).expect("the match starts")
}

fn numbers(explanation: &Explanation) -> Vec<(&str, &Datum, &Datum)> {
    let steps = explanation.steps.iter();
    steps.map(|step| (step.source.as_deref().unwrap_or("the game"), &step.before, &step.after)).collect()
}

#[test]
fn modifiers_are_listed_in_the_order_they_apply() {
    let table = table(&["mirror", "captain", "plain", "captain"]);
    let mirror = table.entity_numbered(3).expect("the entity exists");
    let (value, told) = table.explain_property(mirror, "worth").expect("the value can be computed");
    assert_eq!((value, told.len()), (Datum::Int(8), 1));
    let worth = ExplanationSubject::Property { entity: "mirror #3".to_owned(), prop: "worth".to_owned() };
    assert_eq!((&told[0].subject, &told[0].base, &told[0].value), (&worth, &Datum::Int(2), &Datum::Int(8)));
    assert_eq!(
        numbers(&told[0]),
        [
            ("captain #4", &Datum::Int(2), &Datum::Int(3)),
            ("captain #6", &Datum::Int(3), &Datum::Int(4)),
            ("mirror #3", &Datum::Int(4), &Datum::Int(8)),
        ],
        "the mirror is in a later layer"
    );
    assert!(told[0].steps.iter().all(|step| step.place.is_some()));
}

#[test]
fn a_modifier_that_does_not_apply_leaves_the_value_as_it_was() {
    let table = table(&["captain"]);
    let captain = table.entity_numbered(3).expect("the entity exists");
    let (value, told) = table.explain_property(captain, "worth").expect("the value can be computed");
    assert_eq!(value, Datum::Int(2));
    assert_eq!(numbers(&told[0]), [("captain #3", &Datum::Int(2), &Datum::Int(2))]);
}

#[test]
fn the_inputs_of_a_chain_are_listed_below_it() {
    let table = table(&["plain", "captain", "toll"]);
    let record = [table.entity_numbered(3).expect("the entity exists"), 0, 0];
    let (bill, told) = table.explain_chain("price", &record).expect("the value can be computed");
    assert_eq!(bill.get("amount"), Some(&Datum::Int(13)));
    assert_eq!(told.iter().map(|told| told.depth).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(told[0].subject, ExplanationSubject::Chain { name: "price".to_owned() });
    assert_eq!(told[1].value, Datum::Int(3), "the worth of the token");
    assert!(table.explain_chain("prices", &record).is_err());
    assert!(table.explain_chain("price", &record[1..]).is_err());
}

#[test]
fn explaining_changes_nothing() {
    let table = table(&["mirror", "captain"]);
    let before = table.snapshot();
    let mirror = table.entity_numbered(3).expect("the entity exists");
    table.explain_property(mirror, "heavy").expect("derived values can be explained too");
    let fault = table.explain_property(mirror, "weight").expect_err("the property does not exist");
    assert_eq!(fault.code, FaultCode::NoSuchProperty);
    assert!(table.snapshot() == before);
}
