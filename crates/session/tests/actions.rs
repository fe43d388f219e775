//! Actions by name and by drag.

use intermezzo_engine::{Answer, Datum, Input, Refusal, Rejection, Viewer};
use intermezzo_program::Seat;
use intermezzo_session::{Session, SessionEntry, SessionRefusal};
use intermezzo_simulator::{fixtures, setup};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// Starts a match of two players with creatures and spells; the first has priority.
fn start() -> Session {
    let all = fixtures::all();
    let stack = all.iter().find(|subject| subject.name == "stack").expect("the ruleset is there");
    Session::start(&stack.program, &setup(&stack.program, 1, &stack.options)).expect("the match starts").0
}

fn text(text: &str) -> Datum {
    Datum::text(text)
}

fn map(entries: &[(&str, Datum)]) -> Datum {
    Datum::Map(entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())
}

/// Returns the option an entry picks, as its seat sees it.
fn picked(session: &Session, entry: &SessionEntry) -> Datum {
    let SessionEntry::Input(Input::Answer { answer: Answer::Picks(picks), .. }) = entry else {
        panic!("{entry:?}")
    };
    let prompts = session.prompts(Viewer::Seat(FIRST));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    let Some(Datum::List(options)) = prompts[0].get("options") else { panic!("{prompts:?}") };
    options[picks[0] as usize].get("value").expect("options have values").clone()
}

#[test]
fn an_action_is_taken_by_its_name() {
    let mut session = start();
    let by_name = map(&[("type", text("cast_bolt")), ("targets", map(&[("victim", text("p1"))]))]);
    let entry = session.resolve_action(FIRST, &by_name).expect("it is offered");
    assert_eq!(picked(&session, &entry).get("targets"), by_name.get("targets"));
    let in_order = map(&[("type", text("cast_bolt")), ("targets", Datum::List(vec![text("p1")]))]);
    assert_eq!(session.resolve_action(FIRST, &in_order).as_ref(), Ok(&entry));
    let alone = map(&[
        ("type", text("cast_bolt")),
        ("targets", text("p1")),
        ("params", map(&[("card", text("#1"))])),
    ]);
    assert_eq!(session.resolve_action(FIRST, &alone).as_ref(), Ok(&entry));
    session.apply(&entry, None).expect("an offered action is accepted");

    let pass = map(&[("type", text("pass"))]);
    let asked = session.pending()[0];
    let entry = session.resolve_action(asked.seat, &pass).expect("passing is allowed");
    let expected = Input::Answer { input: asked.input, seat: asked.seat, answer: Answer::Pass };
    assert_eq!(entry, SessionEntry::Input(expected));
}

#[test]
fn ambiguous_actions_list_the_alternatives() {
    let mut session = start();
    let bolt = map(&[("type", text("cast_bolt"))]);
    let Err(SessionRefusal::AmbiguousAction { action, fits }) = session.resolve_action(FIRST, &bolt) else {
        panic!("a bolt has many targets")
    };
    assert_eq!((action.as_str(), fits.len()), ("cast_bolt", 12));
    for one in fits {
        session.resolve_action(FIRST, &one).expect("each alternative can be sent as it is");
    }
}

#[test]
fn unavailable_actions_give_reasons_and_alternatives() {
    let mut session = start();
    let at_nobody = map(&[("type", text("cast_bolt")), ("targets", text("#99"))]);
    let Err(SessionRefusal::NotOffered { legal, reasons, .. }) = session.resolve_action(FIRST, &at_nobody)
    else {
        panic!("there is no such target")
    };
    assert_eq!((legal.len(), reasons.len()), (12, 0), "there are others");

    let actions = session.actions(FIRST).expect("no rule fails");
    let Some(Datum::List(closed)) = actions.get("unavailable") else { panic!("{actions:?}") };
    let closed = closed.first().expect("not everything can be done");
    let (Some(name), Some(Datum::Text(reason))) = (closed.get("action"), closed.get("reason")) else {
        panic!("{closed:?}")
    };
    let refused =
        session.resolve_action(FIRST, &map(&[("type", name.clone())])).expect_err("it cannot be done");
    assert_eq!(refused.name(), "not_offered");
    assert!(refused.to_string().contains(reason.as_str()), "{refused}: {reason}");

    let second = session.resolve_action(SECOND, &map(&[("type", text("summon"))]));
    assert_eq!(second, Err(SessionRefusal::Refused(Refusal::Rejected(Rejection::NotAskedToAct))));
    assert_eq!(session.resolve_action(FIRST, &text("summon")), Err(SessionRefusal::MissingActionType));
}

#[test]
fn a_drag_means_an_action() {
    let mut session = start();
    let attack = map(&[("type", text("attack")), ("targets", text("p1"))]);
    let entry = match session.resolve_action(FIRST, &attack) {
        Err(SessionRefusal::AmbiguousAction { fits, .. }) => {
            session.resolve_action(FIRST, &fits[0]).expect("it is offered")
        }
        entry => entry.expect("it is offered"),
    };
    let Some(Datum::Text(attacker)) = picked(&session, &entry).get("host").cloned() else {
        panic!("{entry:?}")
    };
    assert_eq!(session.resolve_drag(FIRST, &attacker, "p1"), Ok(entry));
    assert!(session.resolve_drag(FIRST, &attacker, "nowhere").is_err());
}
