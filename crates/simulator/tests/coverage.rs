//! The rulesets the laws are tried on use everything there is, and random play reaches it.

use std::collections::BTreeSet;

use intermezzo_engine::{Log, Match};
use intermezzo_ruleset::{DraftPolicy, How, Inner, Program, Shape, Visibility, native};
use intermezzo_simulator::{Habits, Subject, play_from, setup, subjects};

/// Instructions no compiler emits, the engine's own among them.
const NEVER_EMITTED: &[&str] = &[
    "HasProp",
    "Exists",
    "Hosts",
    "NextHost",
    "Gate",
    "Nulls",
    "AgainItem",
    "AgainInZone",
    "AgainCount",
    "Inline",
    "Resume",
    "Happen",
    "Happened",
];
/// Native events of machinery that is not there yet.
const NEVER_HAPPENS: &[&str] = &["EventPrevented", "Settled", "Announced", "Action", "Reaction"];
/// Choices of the prelude that need actions, choices that answer themselves, and one that makes a rule fail.
const NEVER_ASKED: &[&str] = &["act", "only_one", "all_of_them", "divide"];

/// The names of all instructions, from where they are declared.
fn instructions() -> BTreeSet<String> {
    let source = include_str!("../../ruleset/src/code.rs");
    let (_, list) = source.split_once("\ninstructions! {").expect("the instructions are listed");
    let names = list.lines().filter_map(|line| line.trim().split_once(" {")).map(|(name, _)| name.to_owned());
    names.filter(|name| name.chars().all(char::is_alphanumeric)).collect()
}

#[test]
fn every_instruction_is_in_some_ruleset() {
    let mut used = BTreeSet::new();
    let all = subjects::all();
    // Probes are in programs that count alone.
    let counting = all[0].probed();
    for program in all.iter().map(|subject| &subject.program).chain([&counting]) {
        let names = program.code.iter().map(|instr| format!("{instr:?}"));
        used.extend(names.map(|text| text.split(' ').next().unwrap_or_default().to_owned()));
    }
    let unused: Vec<String> = instructions()
        .difference(&used)
        .filter(|name| !NEVER_EMITTED.contains(&name.as_str()))
        .cloned()
        .collect();
    assert!(instructions().len() > 80, "the list is read");
    assert!(unused.is_empty(), "no ruleset uses {unused:?}");
}

#[test]
fn every_form_of_question_is_in_some_ruleset() {
    let all = subjects::all();
    let choices = || all.iter().flat_map(|subject| &subject.program.choices);
    for how in [How::One, How::Each, How::Any] {
        assert!(choices().any(|choice| choice.how == how), "{how:?}");
    }
    for shape in [
        Shape::Pick,
        Shape::Order,
        Shape::Slots { empty: true },
        Shape::Slots { empty: false },
        Shape::Branches,
        Shape::Path,
    ] {
        assert!(choices().any(|choice| choice.shape == shape), "{shape:?}");
    }
    for draft in [DraftPolicy::Blank, DraftPolicy::Refuse] {
        assert!(choices().any(|choice| choice.draft == Some(draft)), "{draft:?}");
    }
    assert!(choices().any(|choice| choice.secret) && choices().any(|choice| choice.pass));
    assert!(choices().any(|choice| choice.always_ask) && choices().any(|choice| !choice.single));
    assert!(choices().any(|choice| choice.branches.iter().any(|branch| branch.exclusive)));
    for inner in [Inner::Nothing, Inner::Options, Inner::Branches] {
        assert!(
            choices().any(|choice| choice.branches.iter().any(|branch| branch.inner == inner)),
            "{inner:?}"
        );
    }
}

#[test]
fn every_visibility_is_in_some_ruleset() {
    let all = subjects::all();
    let zones = all.iter().flat_map(|subject| subject.program.zones.iter().map(|zone| zone.visible));
    let props = all.iter().flat_map(|subject| subject.program.props.iter().map(|prop| prop.visible));
    let events = all.iter().flat_map(|subject| subject.program.events.iter().map(|event| event.visible));
    let kinds = |found: Vec<Visibility>| -> BTreeSet<String> {
        found
            .iter()
            .map(|visible| format!("{visible:?}").split('(').next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(kinds(zones.collect()).into_iter().collect::<Vec<_>>(), ["All", "Computed", "None", "Owner"]);
    assert_eq!(kinds(props.collect()).into_iter().collect::<Vec<_>>(), ["All", "Computed", "None", "Owner"]);
    assert_eq!(
        kinds(events.collect()).into_iter().collect::<Vec<_>>(),
        ["All", "ByContents", "Computed", "None"]
    );
}

/// What random play of a ruleset comes by.
#[derive(Default)]
struct Reached {
    asked: BTreeSet<String>,
    happened: BTreeSet<String>,
    outcomes: BTreeSet<String>,
}

fn reached(subject: &Subject) -> Reached {
    let mut reached = Reached::default();
    let Program { seats, events, .. } = &*subject.program;
    for seed in 0..200 {
        let options = if seed % 2 == 1 { &subject.options[..] } else { &[] };
        let mut setup = setup(&subject.program, seed, options);
        setup.seats = seats.min + (seed % u64::from(seats.max - seats.min + 1)) as u8;
        let played = play_from(&subject.program, setup, seed, &Habits::unruly()).expect("the match begins");
        let names = played.log.records().iter().map(|record| events[record.event.index()].name.clone());
        reached.happened.extend(names);
        reached
            .outcomes
            .extend(played.ending().map(|ending| subject.program.symbol(ending.outcome).to_owned()));
        let mut log = Log::discard();
        let mut state =
            Match::start(subject.program.clone(), &played.setup, &mut log).expect("the match begins");
        for input in &played.inputs {
            reached.asked.extend(state.pending().map(|pending| pending.choice().name.clone()));
            state.submit(input, &mut log).expect("the input was taken before");
        }
    }
    reached
}

#[test]
fn random_play_reaches_every_question_and_every_event() {
    let mut native_events = BTreeSet::new();
    for subject in subjects::all() {
        let reached = reached(&subject);
        let never = |names: Vec<&str>, reached: &BTreeSet<String>, excused: &[&str]| -> Vec<String> {
            let missing =
                names.into_iter().filter(|name| !reached.contains(*name) && !excused.contains(name));
            missing.map(str::to_owned).collect()
        };
        let choices = subject.program.choices.iter().map(|choice| choice.name.as_str()).collect();
        let unasked = never(choices, &reached.asked, NEVER_ASKED);
        assert!(unasked.is_empty(), "{}: {unasked:?} are never asked", subject.name);
        let own =
            subject.program.events[native::EVENTS.len()..].iter().map(|event| event.name.as_str()).collect();
        let unheard = never(own, &reached.happened, &[]);
        assert!(unheard.is_empty(), "{}: {unheard:?} never happen", subject.name);
        assert!(reached.outcomes.len() > 1, "{} always ends in the same way", subject.name);
        native_events.extend(reached.happened);
    }
    let missing: Vec<&str> = native::EVENTS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !native_events.contains(*name) && !NEVER_HAPPENS.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?} never happen");
}
