//! Why this number: the engine tells how a modified value came about.

use std::sync::Arc;

use intermezzo_engine::{Datum, Explained, Explanation, Log, Match, Setup};
use intermezzo_ruleset::FaultCode;
use intermezzo_simulator::{setup, subjects};

/// The bench for modifiers with these defs on the table; the first of them is entity 3.
fn table(defs: &[&str]) -> Match {
    let toys = subjects::toys();
    let modifiers = toys.iter().find(|toy| toy.name == "modifiers").expect("it is one of them");
    let list = Datum::List(defs.iter().map(|def| Datum::text(*def)).collect());
    let options = vec![("table".into(), list)];
    let setup = Setup { options, ..setup(&modifiers.program, 1, &[]) };
    Match::start(Arc::clone(&modifiers.program), &setup, &mut Log::new()).expect("it begins")
}

fn numbers(explanation: &Explanation) -> Vec<(&str, &Datum, &Datum)> {
    let steps = explanation.steps.iter();
    steps.map(|step| (step.source.as_deref().unwrap_or("the game"), &step.before, &step.after)).collect()
}

#[test]
fn each_modifier_is_told_in_the_order_it_applies() {
    let table = table(&["mirror", "captain", "plain", "captain"]);
    let mirror = table.entity_numbered(3).expect("it is there");
    let (value, told) = table.explain_property(mirror, "worth").expect("it can be computed");
    assert_eq!((value, told.len()), (Datum::Int(8), 1));
    let worth = Explained::Property { entity: "mirror #3".to_owned(), prop: "worth".to_owned() };
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
    let captain = table.entity_numbered(3).expect("it is there");
    let (value, told) = table.explain_property(captain, "worth").expect("it can be computed");
    assert_eq!(value, Datum::Int(2));
    assert_eq!(numbers(&told[0]), [("captain #3", &Datum::Int(2), &Datum::Int(2))]);
}

#[test]
fn what_a_chain_needed_is_told_below_it() {
    let table = table(&["plain", "captain", "toll"]);
    let record = [table.entity_numbered(3).expect("it is there"), 0, 0];
    let (bill, told) = table.explain_chain("price", &record).expect("it can be computed");
    assert_eq!(bill.get("amount"), Some(&Datum::Int(13)));
    assert_eq!(told.iter().map(|told| told.depth).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(told[0].subject, Explained::Chain { name: "price".to_owned() });
    assert_eq!(told[1].value, Datum::Int(3), "the worth of the token");
    assert!(table.explain_chain("prices", &record).is_err());
    assert!(table.explain_chain("price", &record[1..]).is_err());
}

#[test]
fn asking_changes_nothing() {
    let table = table(&["mirror", "captain"]);
    let before = table.snapshot();
    let mirror = table.entity_numbered(3).expect("it is there");
    table.explain_property(mirror, "heavy").expect("what is derived can be asked for, too");
    let fault = table.explain_property(mirror, "weight").expect_err("there is no such property");
    assert_eq!(fault.code, FaultCode::NoSuchProperty);
    assert!(table.snapshot() == before);
}
