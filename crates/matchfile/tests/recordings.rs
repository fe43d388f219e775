//! Recorded matches can be read back, replayed and verified, and tampering is detected.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Datum, Input, Seed, Setup};
use intermezzo_matchfile::{MatchFile, MismatchKind, MismatchLocation, ReadError, Recorder, SavedInput};
use intermezzo_program::Program;

fn orcain() -> Arc<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets/orcain");
    let ruleset = Ruleset::load(&path).expect("the ruleset can be read");
    Arc::new(ruleset.compile().program.expect("the ruleset has no errors"))
}

/// Plays a match with random answers and occasional timeouts.
fn play(program: &Arc<Program>, seed: u64, max_inputs: u32) -> Recorder {
    let options = vec![("max_rounds".into(), Datum::Int(5))];
    let setup = Setup { seats: 2, options, seed: Seed::from_number(seed), script: None };
    let mut recorder = Recorder::start(program, &setup).expect("the setup is valid");
    let mut dice = seed;
    while !recorder.game().is_over() && recorder.game().input_count() < max_inputs {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pending = recorder.game().pending().next().expect("an unfinished match waits for input");
        let mut answer = Answer::Pass;
        assert!(pending.nth_answer((dice >> 33) % pending.answer_count(), &mut answer));
        let (input, seat) = (pending.id(), pending.seat());
        let input = match dice >> 60 {
            0 => Input::Timeout { input },
            1 => Input::Draft { input, seat, answer },
            _ => Input::Answer { input, seat, answer },
        };
        recorder.submit(&input).expect("a legal input is accepted");
    }
    recorder
}

#[test]
fn a_recorded_match_reads_back_and_verifies() {
    let program = orcain();
    for seed in 0..20 {
        let recorder = play(&program, seed, 1000);
        let text = recorder.file().to_text();
        let file = MatchFile::parse(text.as_bytes()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(&file, recorder.file(), "seed {seed}");
        let verified = file.verify(&program).unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
        assert_eq!(verified.inputs, file.inputs.len());
        assert!(verified.is_over, "seed {seed}");
        let replayed = file.replay(&program).expect("a file that verifies can be replayed");
        assert_eq!(replayed.state_hash(), recorder.game().state_hash(), "seed {seed}");
    }
}

#[test]
fn a_file_is_whole_on_disk() {
    let path = std::env::temp_dir().join(format!("intermezzo-matchfile-{}.json", std::process::id()));
    let recorder = play(&orcain(), 1, 6);
    recorder.file().write(&path).expect("the folder for temporary files can be written");
    let read = MatchFile::read(&path).expect("it was just written");
    std::fs::remove_file(&path).expect("it was just written");
    assert_eq!(&read, recorder.file());
    assert!(matches!(MatchFile::read(&path), Err(ReadError::Io(_))));
}

#[test]
fn names_are_for_people() {
    let program = orcain();
    let recorder = play(&program, 3, 8);
    let text = recorder.file().to_text();
    assert!(text.contains(r##""entity":"attack #"##), "{text}");
    assert!(text.contains(r#""to":"p0.hand""#), "{text}");
    assert!(text.contains(r#""event":"StepRevealed""#), "{text}");
}

/// Changes a saved match and returns the error that verification reports.
fn tampered(change: impl FnOnce(&mut MatchFile)) -> (MismatchLocation, MismatchKind) {
    let program = orcain();
    let mut file = play(&program, 5, 6).file().clone();
    file.verify(&program).expect("the recording verifies");
    change(&mut file);
    let mismatch = file.verify(&program).expect_err("the changed recording does not verify");
    (mismatch.location, *mismatch.kind)
}

fn place(input: u32, event: Option<u32>, field: &str) -> MismatchLocation {
    MismatchLocation { branch: None, input: Some(input), event, field: Some(field.to_owned()) }
}

#[test]
fn a_changed_field_of_an_event_is_named() {
    let mut id = 0;
    let (found, problem) = tampered(|file| {
        let event = file.inputs[1].events.iter_mut().find(|event| event.event == "StepRevealed");
        let event = event.expect("the second answer completes the round");
        event.fields["step"] = 7.into();
        id = event.id;
    });
    assert_eq!(found, place(2, Some(id), "step"));
    assert_eq!(problem, MismatchKind::Differs { recorded: "7".to_owned(), replayed: "1".to_owned() });
}

#[test]
fn a_changed_word_hash_or_cause_is_named() {
    let (found, _) = tampered(|file| file.start.events[1].words.0[0] += 1);
    assert_eq!(found, place(0, Some(2), "words"));
    let (found, _) = tampered(|file| file.inputs[2].state.0[7] ^= 1);
    assert_eq!(found, place(3, None, "state"));
    let (found, _) = tampered(|file| file.inputs[2].chain.0[7] ^= 1);
    assert_eq!(found, place(3, None, "chain"));
    let (found, _) = tampered(|file| file.start.events[2].id = 99);
    assert_eq!(found, place(0, Some(3), "id"));
}

#[test]
fn a_changed_answer_is_noticed_although_it_is_legal() {
    let (found, _) = tampered(|file| {
        let SavedInput::Answer { answer, .. } = &mut file.inputs[0].input else {
            panic!("an answer comes first")
        };
        let intermezzo_matchfile::SavedAnswer::Picks(picks) = answer else { panic!("a layout is picks") };
        picks.indices.reverse();
        picks.names.reverse();
    });
    assert_eq!(found, place(1, None, "chain"));
}

#[test]
fn events_left_out_or_made_up_are_noticed() {
    let (found, problem) = tampered(|file| drop(file.inputs[1].events.pop()));
    assert!(matches!(problem, MismatchKind::MissingEvent { .. }), "{problem}");
    assert_eq!(found.input, Some(2));
    let (_, problem) = tampered(|file| {
        let again = file.start.events[0].clone();
        file.inputs[0].events.push(again);
    });
    assert_eq!(problem, MismatchKind::ExtraEvent { event: "MatchStarted".to_owned() });
}

#[test]
fn other_rules_options_seats_and_seeds_are_noticed() {
    let (found, problem) = tampered(|file| file.ruleset.hash.0[0] ^= 1);
    assert_eq!(found.field.as_deref(), Some("ruleset"));
    assert!(matches!(problem, MismatchKind::WrongRuleset { .. }));
    let (found, _) = tampered(|file| file.seed.0[0] ^= 1);
    assert_eq!(found, place(0, None, "state"));
    let (_, problem) = tampered(|file| file.seats = 7);
    assert!(matches!(problem, MismatchKind::CannotStart(_)), "{problem}");
    let (_, problem) = tampered(|file| drop(file.options.insert("nonsense".to_owned(), 1.into())));
    assert!(matches!(problem, MismatchKind::CannotStart(_)), "{problem}");
    let (_, problem) = tampered(|file| drop(file.inputs.remove(0)));
    assert!(!problem.to_string().is_empty());
}

/// For any changed byte the file does not parse, does not verify, or still has the same content.
#[test]
fn no_changed_byte_goes_unnoticed() {
    let program = orcain();
    let recorder = play(&program, 5, 2);
    let text = recorder.file().to_text().into_bytes();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] = if changed[at] == b'1' { b'2' } else { b'1' };
        if let Ok(file) = MatchFile::parse(&changed) {
            let is_found = file == *recorder.file() || file.verify(&program).is_err();
            assert!(
                is_found,
                "byte {at}: {}",
                String::from_utf8_lossy(&text[at.saturating_sub(30)..at + 30])
            );
        }
    }
}

#[test]
fn hostile_files_give_errors_with_a_place() {
    let deep = "[".repeat(100_000);
    let deep_inside = format!(r#"{{"format":1,"options":{{"a":{}"#, "[".repeat(100_000));
    let hostile = [
        "",
        "{",
        "null",
        "[]",
        "{}",
        "\u{0}",
        "{\"format\":1}",
        "{\"format\":1,\"format\":1}",
        &deep,
        &deep_inside,
    ];
    for text in hostile {
        match MatchFile::parse(text.as_bytes()) {
            Err(ReadError::Malformed { problem, .. }) => assert!(!problem.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(MatchFile::parse(b"\xff\xfe"), Err(ReadError::Malformed { .. })));
    assert!(matches!(
        MatchFile::parse(br#"{"format":2,"new":[]}"#),
        Err(ReadError::WrongFormat { found: 2 })
    ));
}

#[test]
fn a_file_cut_short_is_an_error() {
    let text = play(&orcain(), 2, 2).file().to_text();
    for end in (0..text.len() - 2).step_by(97) {
        let error = MatchFile::parse(&text.as_bytes()[..end]).expect_err("a truncated file is rejected");
        assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
    }
}
