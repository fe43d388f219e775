//! What must hold for a desk whatever is sent to it, tried on every ruleset with random play.

mod sending_at_random;

use std::sync::OnceLock;

use intermezzo_engine::{Datum, Setup, Viewer};
use intermezzo_ruleset::Seat;
use intermezzo_simulator::laws::HiddenPairs;
use intermezzo_simulator::{Habits, RandomPlay, Subject, setup, subjects};

use crate::reference::Reference;
use crate::{Desk, Entry, Shown, Taken, decode_log, encode_log, record};
use sending_at_random::Senders;

/// Entries sent to each match, taken or not.
const SENT: usize = 50;
/// Matches of each ruleset.
const SEEDS: u64 = 3;

fn all() -> &'static [Subject] {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    SUBJECTS.get_or_init(subjects::all)
}

fn setup_of(subject: &Subject, seed: u64) -> Setup {
    let options = if seed % 2 == 1 { &subject.options[..] } else { &[] };
    setup(&subject.program, seed, options)
}

/// Sends entries at random to a match of every ruleset. `look` is called with what each has led to, and sees the desk
/// after it.
fn send(mut look: impl FnMut(&str, &Setup, &mut Desk, Option<&Entry>, &Outcome)) {
    for subject in all() {
        for seed in 0..subject.seeds(SEEDS) {
            let (setup, name) = (setup_of(subject, seed), format!("{} seed {seed}", subject.name));
            let (mut desk, taken) = Desk::open(&subject.program, &setup).expect("the match begins");
            look(&name, &setup, &mut desk, None, &Ok(taken));
            let mut senders = Senders::new(seed);
            for _ in 0..SENT {
                let Some(entry) = senders.next(desk.playing(), desk.consent().is_some()) else { break };
                let outcome = desk.take(&entry, None);
                look(&name, &setup, &mut desk, Some(&entry), &outcome);
            }
        }
    }
}

type Outcome = Result<Taken, crate::DeskRefusal>;

fn before_all(desk: &mut Desk) -> Vec<(Datum, Datum)> {
    let seats = (0..desk.playing().board().seats()).map(|seat| Viewer::Seat(Seat(seat)));
    let viewers = seats.chain([Viewer::Spectator]);
    viewers.map(|viewer| (desk.view(viewer).clone(), desk.prompts(viewer).clone())).collect()
}

#[test]
fn a_desk_does_what_one_with_all_of_its_past_does() {
    let (mut reference, mut taken_back): (Option<Reference>, u32) = (None, 0);
    send(|name, setup, desk, entry, outcome| {
        let expected = match entry {
            None => {
                let begun = Reference::open(desk.playing().program(), setup).expect("the match begins");
                reference = Some(begun.0);
                Ok(begun.1)
            }
            Some(entry) => reference.as_mut().expect("it was begun").take(entry),
        };
        assert_eq!(*outcome, expected, "{name}: {entry:?}");
        let undone = |shown: &Shown| {
            shown.notices.iter().any(|notice| matches!(notice, crate::Notice::TakenBack { .. }))
        };
        taken_back += u32::from(outcome.as_ref().is_ok_and(|taken| taken.shown.iter().any(undone)));
        if outcome.is_err() {
            return;
        }
        // Between entries, what is given back does not matter.
        if taken_back % 2 == 0 {
            desk.compact();
        }
    });
    assert!(taken_back > 100, "only {taken_back} times something was taken back");
}

#[test]
fn a_restored_desk_goes_on_as_if_nothing_had_been() {
    let mut other: Option<Desk> = None;
    let (mut number, mut restored) = (0_u32, 0_u32);
    send(|name, setup, desk, entry, outcome| {
        let past = desk.past().expect("it keeps its entries");
        let past = &past[..past.len() - usize::from(entry.is_some() && outcome.is_ok())];
        if let (Some(other), Some(entry)) = (&mut other, entry) {
            assert_eq!(other.take(entry, Some(past)), *outcome, "{name}: {entry:?}");
            assert_eq!(before_all(other), before_all(desk), "{name}");
        }
        number += 1;
        if entry.is_none() || number % 7 == 0 {
            let bytes = desk.snapshot();
            let mut again = Desk::restore(desk.playing().program(), setup, &bytes).expect("it is a snapshot");
            assert_eq!(again.snapshot(), bytes, "{name}");
            assert_eq!(before_all(&mut again), before_all(desk), "{name}");
            assert_eq!(again.pending(), desk.pending(), "{name}");
            assert_eq!(again.snapshot(), bytes, "{name}: looking left a trace");
            if let Some(other) = &other
                && entry.is_some()
            {
                assert_eq!(other.snapshot(), bytes, "{name}");
            }
            (other, restored) = (Some(again), restored + 1);
        }
    });
    assert!(restored > 300, "only {restored} desks were restored");
}

#[test]
fn refusals_and_questions_change_nothing() {
    let mut last = Vec::new();
    send(|name, _, desk, entry, outcome| {
        if outcome.is_err() {
            assert_eq!(desk.snapshot(), last, "{name}: {entry:?} was refused");
        }
        last = desk.snapshot();
        for asked in desk.pending() {
            let _ = desk.answer(asked.seat, asked.question, &Datum::Int(0));
            let _ = desk.answer(asked.seat, asked.question, &Datum::text("no such thing"));
            let _ = desk.what_follows(asked.seat, asked.question, &[Datum::Int(0)]);
            let _ = desk.drag(asked.seat, "#1", "p0");
            let _ = desk.actions(asked.seat);
            let _ = desk.submit_action(asked.seat, &Datum::Map(vec![("type".into(), Datum::text("none"))]));
        }
        assert_eq!(desk.snapshot(), last, "{name}: asking left a trace");
    });
}

#[test]
fn what_is_written_down_reads_back() {
    send(|name, _, _, entry, outcome| {
        let mut bytes = Vec::new();
        if let Some(entry) = entry {
            entry.encode(&mut bytes);
            assert_eq!(Entry::decode(&bytes).as_ref(), Ok(entry), "{name}");
            assert!((0..bytes.len()).all(|end| Entry::decode(&bytes[..end]).is_err()), "{name}: {entry:?}");
        }
        if let Ok(taken) = outcome {
            bytes.clear();
            encode_log(&taken.log, &mut bytes);
            assert_eq!(decode_log(&bytes).as_ref(), Ok(&taken.log), "{name}");
            assert!(decode_log(&bytes[..bytes.len() - 1]).is_err(), "{name}");
        }
    });
}

#[test]
fn entries_make_a_match_file_that_can_be_proved() {
    for subject in all() {
        let (setup, mut senders) = (setup_of(subject, 5), Senders::new(5));
        let (mut desk, _) = Desk::open(&subject.program, &setup).expect("the match begins");
        for _ in 0..SENT {
            let Some(entry) = senders.next(desk.playing(), desk.consent().is_some()) else { break };
            let _ = desk.take(&entry, None);
        }
        let file =
            record(&subject.program, &setup, desk.past().expect("it keeps them")).expect("they were taken");
        file.verify(&subject.program).unwrap_or_else(|mismatch| panic!("{}: {mismatch}", subject.name));
        let replayed = file.replay(&subject.program).expect("the file is true");
        assert_eq!(replayed.state_hash(), desk.playing().state_hash(), "{}", subject.name);
    }
}

#[test]
fn broken_bytes_are_refused_or_make_a_desk_that_works() {
    let mut random = intermezzo_simulator::Random::new(1);
    let (mut number, mut whole) = (0_u32, 0_u32);
    send(|_, setup, desk, entry, _| {
        number += 1;
        if number % 5 != 0 {
            return;
        }
        let bytes = desk.snapshot();
        let end = random.index(bytes.len());
        assert!(Desk::restore(desk.playing().program(), setup, &bytes[..end]).is_err());
        for _ in 0..8 {
            let (mut changed, at) = (bytes.clone(), random.index(bytes.len()));
            changed[at] = changed[at].wrapping_add(1 + random.below(4) as u8);
            if let Ok(mut restored) = Desk::restore(desk.playing().program(), setup, &changed) {
                whole += 1;
                before_all(&mut restored);
                entry.map(|entry| restored.take(entry, None));
            }
        }
    });
    assert!(whole > 50, "only {whole} changed snapshots were worth a try");
}

#[test]
fn what_a_seat_may_not_see_is_not_shown_to_it() {
    let veil = all().iter().find(|subject| subject.name == "veil").expect("the ruleset is there");
    let options = [("cards", 12), ("deal", 1), ("turns", 6)];
    let options = options.map(|(name, value)| (name.into(), Datum::Int(value))).to_vec();
    let may_know = [
        "table.map(it.face)",
        "VIEWER.hand.map(it.face)",
        "players.flat(p => p.hand.where(VIEWER in it.known).map(it.face))",
        "players.map(it.kept)",
        "[VIEWER.wish]",
    ];
    let hidden = ["deck.map(it.face)", "players.flat(p => p.hand.map(it.face))", "players.map(it.vow)"];
    let pairs =
        HiddenPairs::new(veil, options, &may_know, &hidden, &["vows"]).expect("the expressions are good");
    let mut alike: std::collections::BTreeMap<String, Vec<Twin>> = std::collections::BTreeMap::new();
    let seat = Seat(0);
    for seed in 0..120 {
        let twin = Desk::open(&pairs.subject.program, &pairs.setup(seed)).expect("the match begins");
        alike.entry(pairs.may_know(twin.0.playing(), seat)).or_default().push(twin);
    }
    let mut compared = 0;
    for mut twins in alike.into_values() {
        while let (Some(left), Some(right)) = (twins.pop(), twins.pop()) {
            compared += compare(&pairs, seat, left, right);
        }
    }
    assert!(compared > 200, "only {compared} entries were compared");
}

type Twin = (Desk, Taken);

/// How many entries look the same to the seat while something hidden differs.
fn compare(pairs: &HiddenPairs, seat: Seat, left: Twin, right: Twin) -> usize {
    let (mut left, mut taken) = (left.0, (left.1, right.1));
    let (mut right, mut compared) = (right.0, 0);
    let mut players = RandomPlay::new(1, &Habits::lively());
    let own = |taken: &Taken| taken.shown.iter().find(|shown| shown.viewer == Viewer::Seat(seat)).cloned();
    loop {
        assert_eq!(own(&taken.0), own(&taken.1));
        assert_eq!(left.version(Viewer::Seat(seat)), right.version(Viewer::Seat(seat)));
        compared += usize::from(pairs.is_hidden(left.playing(), right.playing()));
        let Some(input) = players.next(left.playing()).cloned() else { return compared };
        let other = pairs.disguise(left.playing(), &input, seat);
        let outcome = (left.take(&Entry::Input(input), None), right.take(&Entry::Input(other), None));
        let same = pairs.may_know(left.playing(), seat) == pairs.may_know(right.playing(), seat);
        match outcome {
            (Ok(left), Ok(right)) if same => taken = (left, right),
            _ => return compared,
        }
    }
}
