//! The fixtures use every feature of the language, and random play reaches it.

use std::collections::BTreeSet;

use intermezzo_engine::{EventLog, Match};
use intermezzo_program::{AnswerMode, AnswerShape, BranchContent, DraftPolicy, Program, Visibility, native};
use intermezzo_simulator::{Fixture, InputMix, fixtures, play_from, setup};

/// Instructions that the compiler never emits, including internal ones of the engine.
const NEVER_EMITTED: &[&str] = &[
    "HasProp",
    "Exists",
    "Hosts",
    "NextHost",
    "Gate",
    "Nulls",
    "ContinueItem",
    "ContinueInZone",
    "ContinueCount",
    "FilterItems",
    "FilterZone",
    "InlineCall",
    "MemoCall",
    "EndInlineCall",
    "InlineEvent",
    "EndInlineEvent",
];
/// Native events that no fixture produces.
const NEVER_HAPPENS: &[&str] = &["EventPrevented", "Settled", "Announced", "Action", "Reaction"];
/// Choices that are not reached: prelude choices that need actions, automatic choices, and one that makes a rule fail.
const NEVER_ASKED: &[&str] = &["act", "only_one", "all_of_them", "divide"];

/// Returns the names of all instructions, from their declaration.
fn instructions() -> BTreeSet<String> {
    let source = include_str!("../../program/src/code.rs");
    let (_, list) = source.split_once("\ninstructions! {").expect("the instructions are listed");
    // A declaration is a class, a name and the operands in braces.
    let names = list.lines().filter_map(|line| line.trim().split_once(" {"));
    let names = names.filter_map(|(head, _)| head.split_once(' ')).map(|(_, name)| name.to_owned());
    names.filter(|name| name.chars().all(char::is_alphanumeric)).collect()
}

#[test]
fn every_instruction_is_in_some_ruleset() {
    let mut used = BTreeSet::new();
    let all = fixtures::all();
    // Only instrumented programs contain coverage points.
    let counting = all[0].instrumented();
    for program in all.iter().map(|fixture| &fixture.program).chain([&counting]) {
        let names = program.code.iter().map(|instr| format!("{instr:?}"));
        used.extend(names.map(|text| text.split(' ').next().unwrap_or_default().to_owned()));
    }
    let unused: Vec<String> = instructions()
        .difference(&used)
        .filter(|name| !NEVER_EMITTED.contains(&name.as_str()))
        .cloned()
        .collect();
    assert!(instructions().len() > 80, "the list is parsed");
    assert!(unused.is_empty(), "no ruleset uses {unused:?}");
}

#[test]
fn every_form_of_question_is_in_some_ruleset() {
    let all = fixtures::all();
    let choices = || all.iter().flat_map(|fixture| &fixture.program.choices);
    for how in [AnswerMode::One, AnswerMode::Each, AnswerMode::Any, AnswerMode::First] {
        assert!(choices().any(|choice| choice.mode == how), "{how:?}");
    }
    for shape in [
        AnswerShape::Pick,
        AnswerShape::Order,
        AnswerShape::Slots { empty: true },
        AnswerShape::Slots { empty: false },
        AnswerShape::Branches,
        AnswerShape::Path,
    ] {
        assert!(choices().any(|choice| choice.shape == shape), "{shape:?}");
    }
    for draft in [DraftPolicy::Blank, DraftPolicy::Refuse] {
        assert!(choices().any(|choice| choice.draft == Some(draft)), "{draft:?}");
    }
    assert!(choices().any(|choice| choice.secret) && choices().any(|choice| choice.pass));
    assert!(choices().any(|choice| choice.always_ask) && choices().any(|choice| !choice.single));
    assert!(choices().any(|choice| choice.branches.iter().any(|branch| branch.exclusive)));
    for inner in [BranchContent::Nothing, BranchContent::Options, BranchContent::Branches] {
        assert!(
            choices().any(|choice| choice.branches.iter().any(|branch| branch.inner == inner)),
            "{inner:?}"
        );
    }
}

#[test]
fn every_visibility_is_in_some_ruleset() {
    let all = fixtures::all();
    let zones = all.iter().flat_map(|fixture| fixture.program.zones.iter().map(|zone| zone.visible));
    let props = all.iter().flat_map(|fixture| fixture.program.props.iter().map(|prop| prop.visible));
    let events = all.iter().flat_map(|fixture| fixture.program.events.iter().map(|event| event.visible));
    let kinds = |found: Vec<Visibility>| -> BTreeSet<String> {
        found
            .iter()
            .map(|visible| format!("{visible:?}").split('(').next().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        kinds(zones.collect()).into_iter().collect::<Vec<_>>(),
        ["All", "ByPosition", "Computed", "None", "Owner"]
    );
    assert_eq!(kinds(props.collect()).into_iter().collect::<Vec<_>>(), ["All", "Computed", "None", "Owner"]);
    assert_eq!(
        kinds(events.collect()).into_iter().collect::<Vec<_>>(),
        ["All", "ByContents", "Computed", "None"]
    );
}

/// Parts of a ruleset that random play reached.
#[derive(Default)]
struct Reached {
    asked: BTreeSet<String>,
    happened: BTreeSet<String>,
    outcomes: BTreeSet<String>,
}

fn reached(fixture: &Fixture) -> Reached {
    let mut reached = Reached::default();
    let Program { seats, events, .. } = &*fixture.program;
    for seed in 0..200 {
        let options = if seed % 2 == 1 { &fixture.options[..] } else { &[] };
        let mut setup = setup(&fixture.program, seed, options);
        setup.seats = seats.min + (seed % u64::from(seats.max - seats.min + 1)) as u8;
        let played =
            play_from(&fixture.program, setup, seed, &InputMix::chaotic()).expect("the match starts");
        let names = played.log.records().iter().map(|record| events[record.event.index()].name.clone());
        reached.happened.extend(names);
        reached
            .outcomes
            .extend(played.ending().map(|ending| fixture.program.symbol(ending.outcome).to_owned()));
        let mut log = EventLog::discard();
        let mut state =
            Match::start(fixture.program.clone(), &played.setup, &mut log).expect("the match starts");
        for input in &played.inputs {
            reached.asked.extend(state.pending().map(|pending| pending.choice().name.clone()));
            state.submit(input, &mut log).expect("the input was accepted before");
        }
    }
    reached
}

#[test]
fn random_play_reaches_every_question_and_every_event() {
    let mut native_events = BTreeSet::new();
    for fixture in fixtures::all() {
        let reached = reached(&fixture);
        let never = |names: Vec<&str>, reached: &BTreeSet<String>, excused: &[&str]| -> Vec<String> {
            let missing =
                names.into_iter().filter(|name| !reached.contains(*name) && !excused.contains(name));
            missing.map(str::to_owned).collect()
        };
        let choices = fixture.program.choices.iter().map(|choice| choice.name.as_str()).collect();
        let unasked = never(choices, &reached.asked, NEVER_ASKED);
        assert!(unasked.is_empty(), "{}: {unasked:?} are never asked", fixture.name);
        let own =
            fixture.program.events[native::EVENTS.len()..].iter().map(|event| event.name.as_str()).collect();
        let unheard = never(own, &reached.happened, &[]);
        assert!(unheard.is_empty(), "{}: {unheard:?} never happen", fixture.name);
        assert!(reached.outcomes.len() > 1, "{} always ends in the same way", fixture.name);
        native_events.extend(reached.happened);
    }
    let missing: Vec<&str> = native::EVENTS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !native_events.contains(*name) && !NEVER_HAPPENS.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?} never happen");
}
