//! Properties of a session that hold for any input, checked on every ruleset with random play.

mod random_commands;
use std::sync::OnceLock;

use intermezzo_engine::{Datum, Setup, Viewer};
use intermezzo_program::Seat;
use intermezzo_simulator::laws::HiddenPairs;
use intermezzo_simulator::{Fixture, InputMix, RandomPlay, fixtures, setup};

use crate::full_history::RecordedSession;
use crate::{Session, SessionEntry, SessionUpdate, ViewerUpdate, decode_log, encode_log, record};
use random_commands::RandomSenders;

/// Entries sent to each match, accepted or not.
const SENT: usize = 50;
/// Matches per ruleset.
const SEEDS: u64 = 3;

fn all() -> &'static [Fixture] {
    static SUBJECTS: OnceLock<Vec<Fixture>> = OnceLock::new();
    SUBJECTS.get_or_init(fixtures::all)
}

fn setup_of(subject: &Fixture, seed: u64) -> Setup {
    let options = if seed % 2 == 1 { &subject.options[..] } else { &[] };
    setup(&subject.program, seed, options)
}

/// Sends random entries to a match of every ruleset. `inspect` is called with the session and the result after
/// each.
fn send_random(mut inspect: impl FnMut(&str, &Setup, &mut Session, Option<&SessionEntry>, &ApplyResult)) {
    for subject in all() {
        for seed in 0..subject.seeds(SEEDS) {
            let (setup, name) = (setup_of(subject, seed), format!("{} seed {seed}", subject.name));
            let (mut session, update) = Session::start(&subject.program, &setup).expect("the match starts");
            inspect(&name, &setup, &mut session, None, &Ok(update));
            let mut senders = RandomSenders::new(seed);
            for _ in 0..SENT {
                let Some(entry) = senders.next(session.game(), session.undo_request().is_some()) else {
                    break;
                };
                let outcome = session.apply(&entry, None);
                inspect(&name, &setup, &mut session, Some(&entry), &outcome);
            }
        }
    }
}

type ApplyResult = Result<SessionUpdate, crate::SessionRefusal>;

fn views_and_prompts(session: &mut Session) -> Vec<(Datum, Datum)> {
    let seats = (0..session.game().board().seats()).map(|seat| Viewer::Seat(Seat(seat)));
    let viewers = seats.chain([Viewer::Spectator]);
    viewers.map(|viewer| (session.view(viewer).clone(), session.prompts(viewer).clone())).collect()
}

#[test]
fn a_session_agrees_with_the_one_that_keeps_its_history() {
    let (mut recorded, mut undos): (Option<RecordedSession>, u32) = (None, 0);
    send_random(|name, setup, session, entry, outcome| {
        let expected = match entry {
            None => {
                let started =
                    RecordedSession::start(session.game().program(), setup).expect("the match starts");
                recorded = Some(started.0);
                Ok(started.1)
            }
            Some(entry) => recorded.as_mut().expect("it was started").apply(entry),
        };
        assert_eq!(*outcome, expected, "{name}: {entry:?}");
        let undone = |viewer: &ViewerUpdate| {
            viewer.notices.iter().any(|notice| matches!(notice, crate::SessionNotice::Undone { .. }))
        };
        undos += u32::from(outcome.as_ref().is_ok_and(|update| update.viewers.iter().any(undone)));
        if outcome.is_err() {
            return;
        }
        // Compacting between entries must make no difference.
        if undos % 2 == 0 {
            session.compact();
        }
    });
    assert!(undos > 100, "only {undos} undos");
}

#[test]
fn a_restored_session_continues_unchanged() {
    let mut other: Option<Session> = None;
    let (mut number, mut restored) = (0_u32, 0_u32);
    send_random(|name, setup, session, entry, outcome| {
        let history = session.history().expect("the session keeps its history");
        let history = &history[..history.len() - usize::from(entry.is_some() && outcome.is_ok())];
        if let (Some(other), Some(entry)) = (&mut other, entry) {
            assert_eq!(other.apply(entry, Some(history)), *outcome, "{name}: {entry:?}");
            assert_eq!(views_and_prompts(other), views_and_prompts(session), "{name}");
        }
        number += 1;
        if entry.is_none() || number % 7 == 0 {
            let bytes = session.snapshot();
            let mut again =
                Session::restore(session.game().program(), setup, &bytes).expect("it is a snapshot");
            assert_eq!(again.snapshot(), bytes, "{name}");
            assert_eq!(views_and_prompts(&mut again), views_and_prompts(session), "{name}");
            assert_eq!(again.pending(), session.pending(), "{name}");
            assert_eq!(again.snapshot(), bytes, "{name}: a read left a trace");
            if let Some(other) = &other
                && entry.is_some()
            {
                assert_eq!(other.snapshot(), bytes, "{name}");
            }
            (other, restored) = (Some(again), restored + 1);
        }
    });
    assert!(restored > 300, "only {restored} sessions were restored");
}

#[test]
fn refusals_and_questions_change_nothing() {
    let mut last = Vec::new();
    send_random(|name, _, session, entry, outcome| {
        if outcome.is_err() {
            assert_eq!(session.snapshot(), last, "{name}: {entry:?} was rejected");
        }
        last = session.snapshot();
        for asked in session.pending() {
            let _ = session.resolve_answer(asked.seat, asked.question, &Datum::Int(0));
            let _ = session.resolve_answer(asked.seat, asked.question, &Datum::text("no such thing"));
            let _ = session.next_path_options(asked.seat, asked.question, &[Datum::Int(0)]);
            let _ = session.resolve_drag(asked.seat, "#1", "p0");
            let _ = session.actions(asked.seat);
            let _ =
                session.resolve_action(asked.seat, &Datum::Map(vec![("type".into(), Datum::text("none"))]));
        }
        assert_eq!(session.snapshot(), last, "{name}: a query left a trace");
    });
}

#[test]
fn encoded_entries_and_logs_read_back() {
    send_random(|name, _, _, entry, outcome| {
        let mut bytes = Vec::new();
        if let Some(entry) = entry {
            entry.encode(&mut bytes);
            assert_eq!(SessionEntry::decode(&bytes).as_ref(), Ok(entry), "{name}");
            assert!(
                (0..bytes.len()).all(|end| SessionEntry::decode(&bytes[..end]).is_err()),
                "{name}: {entry:?}"
            );
        }
        if let Ok(update) = outcome {
            bytes.clear();
            encode_log(&update.log, &mut bytes);
            assert_eq!(decode_log(&bytes).as_ref(), Ok(&update.log), "{name}");
            assert!(decode_log(&bytes[..bytes.len() - 1]).is_err(), "{name}");
        }
    });
}

#[test]
fn entries_make_a_match_file_that_verifies() {
    for subject in all() {
        let (setup, mut senders) = (setup_of(subject, 5), RandomSenders::new(5));
        let (mut session, _) = Session::start(&subject.program, &setup).expect("the match starts");
        for _ in 0..SENT {
            let Some(entry) = senders.next(session.game(), session.undo_request().is_some()) else { break };
            let _ = session.apply(&entry, None);
        }
        let file =
            record(&subject.program, &setup, session.history().expect("the session keeps its history"))
                .expect("the entries were accepted");
        file.verify(&subject.program).unwrap_or_else(|mismatch| panic!("{}: {mismatch}", subject.name));
        let replayed = file.replay(&subject.program).expect("the file verifies");
        assert_eq!(replayed.state_hash(), session.game().state_hash(), "{}", subject.name);
    }
}

#[test]
fn broken_bytes_are_rejected_or_give_a_working_session() {
    let mut random = intermezzo_simulator::Random::new(1);
    let (mut number, mut whole) = (0_u32, 0_u32);
    send_random(|_, setup, session, entry, _| {
        number += 1;
        if number % 5 != 0 {
            return;
        }
        let bytes = session.snapshot();
        let end = random.index(bytes.len());
        assert!(Session::restore(session.game().program(), setup, &bytes[..end]).is_err());
        for _ in 0..8 {
            let (mut changed, at) = (bytes.clone(), random.index(bytes.len()));
            changed[at] = changed[at].wrapping_add(1 + random.below(4) as u8);
            if let Ok(mut restored) = Session::restore(session.game().program(), setup, &changed) {
                whole += 1;
                views_and_prompts(&mut restored);
                entry.map(|entry| restored.apply(entry, None));
            }
        }
    });
    assert!(whole > 50, "only {whole} changed snapshots could be restored");
}

#[test]
fn hidden_information_does_not_reach_a_seat() {
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
        HiddenPairs::new(veil, options, &may_know, &hidden, &["vows"]).expect("the expressions compile");
    let mut alike: std::collections::BTreeMap<String, Vec<StartedSession>> =
        std::collections::BTreeMap::new();
    let seat = Seat(0);
    for seed in 0..120 {
        let twin = Session::start(&pairs.fixture.program, &pairs.setup(seed)).expect("the match starts");
        alike.entry(pairs.may_know(twin.0.game(), seat)).or_default().push(twin);
    }
    let mut compared = 0;
    for mut twins in alike.into_values() {
        while let (Some(left), Some(right)) = (twins.pop(), twins.pop()) {
            compared += compare(&pairs, seat, left, right);
        }
    }
    assert!(compared > 200, "only {compared} entries were compared");
}

type StartedSession = (Session, SessionUpdate);

/// Counts the entries that look the same to the seat while something hidden differs.
fn compare(pairs: &HiddenPairs, seat: Seat, left: StartedSession, right: StartedSession) -> usize {
    let (mut left, mut update) = (left.0, (left.1, right.1));
    let (mut right, mut compared) = (right.0, 0);
    let mut players = RandomPlay::new(1, &InputMix::varied());
    let own = |update: &SessionUpdate| {
        update.viewers.iter().find(|viewer| viewer.viewer == Viewer::Seat(seat)).cloned()
    };
    loop {
        assert_eq!(own(&update.0), own(&update.1));
        assert_eq!(left.version(Viewer::Seat(seat)), right.version(Viewer::Seat(seat)));
        compared += usize::from(pairs.is_hidden(left.game(), right.game()));
        let Some(input) = players.next(left.game()).cloned() else { return compared };
        let other = pairs.disguise(left.game(), &input, seat);
        let outcome =
            (left.apply(&SessionEntry::Input(input), None), right.apply(&SessionEntry::Input(other), None));
        let same = pairs.may_know(left.game(), seat) == pairs.may_know(right.game(), seat);
        match outcome {
            (Ok(left), Ok(right)) if same => update = (left, right),
            _ => return compared,
        }
    }
}
