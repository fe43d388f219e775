//! Actions by their names, and by dragging one thing onto another.

use intermezzo_desk::{Desk, DeskRefusal, Entry};
use intermezzo_engine::{Answer, Datum, Input, Refusal, Rejection, Viewer};
use intermezzo_ruleset::Seat;
use intermezzo_simulator::{setup, subjects};

const FIRST: Seat = Seat(0);
const SECOND: Seat = Seat(1);

/// Two players with creatures and spells; the first has priority.
fn desk() -> Desk {
    let all = subjects::all();
    let stack = all.iter().find(|subject| subject.name == "stack").expect("the ruleset is there");
    Desk::open(&stack.program, &setup(&stack.program, 1, &stack.options)).expect("the match begins").0
}

fn text(text: &str) -> Datum {
    Datum::text(text)
}

fn map(entries: &[(&str, Datum)]) -> Datum {
    Datum::Map(entries.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())
}

/// What an entry answers, as the option its seat sees.
fn picked(desk: &Desk, entry: &Entry) -> Datum {
    let Entry::Input(Input::Answer { answer: Answer::Picks(picks), .. }) = entry else { panic!("{entry:?}") };
    let prompts = desk.prompts(Viewer::Seat(FIRST));
    let Some(Datum::List(prompts)) = prompts.get("prompts") else { panic!("{prompts:?}") };
    let Some(Datum::List(options)) = prompts[0].get("options") else { panic!("{prompts:?}") };
    options[picks[0] as usize].get("value").expect("options have values").clone()
}

#[test]
fn an_action_is_taken_by_its_name() {
    let mut desk = desk();
    let by_name = map(&[("type", text("cast_bolt")), ("targets", map(&[("victim", text("p1"))]))]);
    let entry = desk.submit_action(FIRST, &by_name).expect("it is offered");
    assert_eq!(picked(&desk, &entry).get("targets"), by_name.get("targets"));
    let in_order = map(&[("type", text("cast_bolt")), ("targets", Datum::List(vec![text("p1")]))]);
    assert_eq!(desk.submit_action(FIRST, &in_order).as_ref(), Ok(&entry));
    let alone = map(&[
        ("type", text("cast_bolt")),
        ("targets", text("p1")),
        ("params", map(&[("card", text("#1"))])),
    ]);
    assert_eq!(desk.submit_action(FIRST, &alone).as_ref(), Ok(&entry));
    desk.take(&entry, None).expect("what was offered is taken");

    let pass = map(&[("type", text("pass"))]);
    let asked = desk.pending()[0];
    let entry = desk.submit_action(asked.seat, &pass).expect("one may pass");
    let expected = Input::Answer { input: asked.input, seat: asked.seat, answer: Answer::Pass };
    assert_eq!(entry, Entry::Input(expected));
}

#[test]
fn what_could_mean_several_things_is_asked_back() {
    let mut desk = desk();
    let bolt = map(&[("type", text("cast_bolt"))]);
    let Err(DeskRefusal::MeansSeveral { action, fits }) = desk.submit_action(FIRST, &bolt) else {
        panic!("a bolt has many targets")
    };
    assert_eq!((action.as_str(), fits.len()), ("cast_bolt", 12));
    for one in fits {
        desk.submit_action(FIRST, &one).expect("each is told as it would be sent");
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_reasons_and_ways_out() {
    let mut desk = desk();
    let at_nobody = map(&[("type", text("cast_bolt")), ("targets", text("#99"))]);
    let Err(DeskRefusal::NotOffered { legal, reasons, .. }) = desk.submit_action(FIRST, &at_nobody) else {
        panic!("there is no such target")
    };
    assert_eq!((legal.len(), reasons.len()), (12, 0), "there are others");

    let actions = desk.actions(FIRST).expect("no rule fails");
    let Some(Datum::List(closed)) = actions.get("unavailable") else { panic!("{actions:?}") };
    let closed = closed.first().expect("not everything can be done");
    let (Some(name), Some(Datum::Text(reason))) = (closed.get("action"), closed.get("reason")) else {
        panic!("{closed:?}")
    };
    let refused = desk.submit_action(FIRST, &map(&[("type", name.clone())])).expect_err("it cannot be done");
    assert_eq!(refused.name(), "not_offered");
    assert!(refused.to_string().contains(reason.as_str()), "{refused}: {reason}");

    let second = desk.submit_action(SECOND, &map(&[("type", text("summon"))]));
    assert_eq!(second, Err(DeskRefusal::Refused(Refusal::Rejected(Rejection::NotAskedToAct))));
    assert_eq!(desk.submit_action(FIRST, &text("summon")), Err(DeskRefusal::NoAction));
}

#[test]
fn a_drag_means_an_action() {
    let mut desk = desk();
    let attack = map(&[("type", text("attack")), ("targets", text("p1"))]);
    let entry = match desk.submit_action(FIRST, &attack) {
        Err(DeskRefusal::MeansSeveral { fits, .. }) => {
            desk.submit_action(FIRST, &fits[0]).expect("it is offered")
        }
        entry => entry.expect("it is offered"),
    };
    let Some(Datum::Text(attacker)) = picked(&desk, &entry).get("host").cloned() else { panic!("{entry:?}") };
    assert_eq!(desk.drag(FIRST, &attacker, "p1"), Ok(entry));
    assert!(desk.drag(FIRST, &attacker, "nowhere").is_err());
}
