//! Every change to a saved match is detected and located: bytes, inputs, events.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, Seed, Setup};
use intermezzo_matchfile::{
    InputRecord, MatchFile, NotCanonical, ReadError, Recorder, ReplayMismatch, SavedEvent,
};
use intermezzo_program::Program;

/// Rulesets with the number of inputs played and of bytes changed.
const GAMES: [(&str, usize, usize); 5] = [
    ("orcain", 4, usize::MAX),
    ("mages", 6, 150),
    ("skirmish", 6, 150),
    ("draft", 6, 150),
    ("dogma", 6, 150),
];

fn program(game: &str) -> Arc<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(game);
    let compiled = Ruleset::load(&folder).unwrap().compile();
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

/// A deterministic random number generator.
struct ByteRandom(u64);

impl ByteRandom {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

/// Plays a match with random answers.
fn play(program: &Arc<Program>, inputs: usize) -> MatchFile {
    let seed = Seed::from_number(7);
    let setup = Setup { seats: program.seats.default, options: Vec::new(), seed, script: None };
    let mut recorder = Recorder::start(program, &setup).unwrap();
    let mut dice = ByteRandom(7);
    for _ in 0..inputs {
        let Some(pending) = recorder.game().pending().next() else { break };
        let mut answer = Answer::Pass;
        pending.nth_answer(dice.below(pending.answer_count()), &mut answer);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        recorder.submit(&input).unwrap();
    }
    recorder.file().clone()
}

/// The check that detected a change.
#[derive(Debug)]
enum Detection {
    Unreadable(ReadError),
    Mismatch(ReplayMismatch),
    NotCanonical(NotCanonical),
}

/// Performs the checks of `intermezzo verify`.
fn examine(bytes: &[u8], program: &Arc<Program>) -> Result<MatchFile, Detection> {
    let file = MatchFile::parse(bytes).map_err(Detection::Unreadable)?;
    file.verify(program).map_err(Detection::Mismatch)?;
    file.check_canonical(bytes).map_err(Detection::NotCanonical)?;
    Ok(file)
}

/// Returns the part of the file a line belongs to: the number of an input, 0 for the start, `None` for the
/// rest.
fn part(lines: &[&str], line: usize) -> Option<u32> {
    let is_end = |text: &str| text == "  }," || text == "  ],";
    if lines[line..].iter().all(|text| !is_end(text)) {
        return None;
    }
    // The number is in the second line of an entry.
    let upto = lines[..=(line + 1).min(lines.len() - 1)].iter().rev();
    let head = upto.clone().find_map(|text| text.trim().strip_prefix("\"number\": "));
    match head {
        Some(number) => number.trim_end_matches(',').parse().ok(),
        None => upto.into_iter().any(|text| *text == "  \"start\": {").then_some(0),
    }
}

/// Returns another byte of the same kind, so that the result often still parses.
fn other(byte: u8, dice: &mut ByteRandom) -> u8 {
    match byte {
        b'0'..=b'8' => byte + 1,
        b'9' => b'8',
        b'a'..=b'y' => byte + 1,
        b'A'..=b'Y' => byte + 1,
        b' ' => [b'\t', b'\n', b'x'][dice.below(3) as usize],
        b'\n' => b' ',
        byte => byte ^ (1 << dice.below(7)),
    }
}

#[test]
fn a_change_to_any_byte_is_detected_and_located() {
    for (game, inputs, samples) in GAMES {
        let program = program(game);
        let text = play(&program, inputs).to_text();
        let lines: Vec<&str> = text.lines().collect();
        examine(text.as_bytes(), &program).unwrap_or_else(|found| panic!("{game}: {found:?}"));
        let mut dice = ByteRandom(11);
        let all = text.len() <= samples;
        for n in 0..text.len().min(samples) {
            let at = if all { n } else { dice.below(text.len() as u64) as usize };
            let mut bytes = text.clone().into_bytes();
            bytes[at] = other(bytes[at], &mut dice);
            let line = text[..at].matches('\n').count();
            let what = format!("{game}, byte {at}, line {}: {}", line + 1, lines[line]);
            let found = examine(&bytes, &program).err().unwrap_or_else(|| panic!("nothing detected: {what}"));
            match found {
                Detection::Unreadable(ReadError::Malformed { line: found, .. }) => {
                    assert!((line + 1..=line + 2).contains(&found), "found in line {found}: {what}");
                }
                Detection::Unreadable(error) => assert!(line == 1, "{error}: {what}"),
                Detection::NotCanonical(found) => {
                    assert!((line..=line + 2).contains(&found.line), "{found}: {what}");
                }
                Detection::Mismatch(mismatch) => match part(&lines, line) {
                    Some(number) => assert_eq!(mismatch.location.input, Some(number), "{mismatch}: {what}"),
                    // A change of the setup is detected there or at the start.
                    None => assert!(mismatch.location.input.unwrap_or(0) == 0, "{mismatch}: {what}"),
                },
            }
        }
    }
}

#[test]
fn inserted_or_removed_bytes_are_detected() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let text = play(&program, inputs).to_text();
        let mut dice = ByteRandom(13);
        for _ in 0..60 {
            let at = dice.below(text.len() as u64) as usize;
            let mut bytes = text.clone().into_bytes();
            if dice.below(2) == 0 {
                bytes.remove(at);
            } else {
                bytes.insert(at, b" 0a,\n"[dice.below(5) as usize]);
            }
            assert!(bytes == text.as_bytes() || examine(&bytes, &program).is_err(), "{game}, byte {at}");
        }
    }
}

/// Returns every list with one item removed, duplicated or swapped.
fn rearranged<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    for at in 0..list.len() {
        let mut fewer = list.to_vec();
        let one = fewer.remove(at);
        all.push(fewer);
        let mut more = list.to_vec();
        more.insert(at, one);
        all.push(more);
        if at + 1 < list.len() {
            let mut swapped = list.to_vec();
            swapped.swap(at, at + 1);
            all.push(swapped);
        }
    }
    all
}

#[test]
fn removed_duplicated_or_swapped_inputs_are_detected() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let file = play(&program, inputs);
        for list in rearranged::<InputRecord>(&file.inputs) {
            let changed = MatchFile { inputs: list, ..file.clone() };
            if let Ok(verified) = changed.verify(&program) {
                // A prefix of an unfinished match is valid, but ends with another chain hash.
                assert_eq!(changed.inputs, file.inputs[..changed.inputs.len()], "{game}");
                assert_ne!(verified.chain, file.chain(), "{game}");
            }
        }
    }
}

#[test]
fn removed_duplicated_or_swapped_events_are_detected() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let file = play(&program, inputs);
        let last = file.inputs.len() - 1;
        for list in rearranged::<SavedEvent>(&file.inputs[last].events).into_iter().take(60) {
            let mut changed = file.clone();
            changed.inputs[last].events = list;
            let mismatch = changed.verify(&program).unwrap_err();
            assert_eq!(mismatch.location.input, Some(last as u32 + 1), "{game}: {mismatch}");
            assert!(mismatch.location.event.is_some(), "{game}: {mismatch}");
        }
    }
}

#[test]
fn the_seed_matches_its_commitment() {
    let program = program("orcain");
    let file = play(&program, 4);
    let promised = file.commitment();
    // Another valid match does not have the published commitment.
    let setup = Setup { seed: Seed::from_number(8), ..file.setup(&program).unwrap() };
    let other = Recorder::start(&program, &setup).unwrap().file().clone();
    other.verify(&program).unwrap();
    assert_ne!(other.commitment(), promised);
    assert_eq!(promised.0, *blake3::hash(&file.seed.0).as_bytes());
}

#[test]
fn non_canonical_text_is_detected() {
    let program = program("orcain");
    let text = play(&program, 4).to_text();
    let tell = |bytes: &str| match examine(bytes.as_bytes(), &program) {
        Err(Detection::NotCanonical(found)) => found.to_string(),
        other => panic!("{other:?}"),
    };
    let said = tell(&text.replacen("\"seats\": 2", "\"seats\":  2", 1));
    assert!(said.starts_with("line 4, column 12:") && said.ends_with("expected `2,`"), "{said}");
    let said = tell(&text.replacen("MatchStarted", "\\u004datchStarted", 1));
    assert!(said.contains("expected `MatchStarted"), "{said}");
    assert!(tell(&format!("{text}\n")).ends_with("expected the end of the file"));
    assert!(tell(text.trim_end()).ends_with("expected the end of the line"));
    assert!(tell(&text.replace('\n', "\r\n")).ends_with("expected the end of the line"));
}
