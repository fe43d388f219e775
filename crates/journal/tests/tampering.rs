//! Whatever is changed in a saved match is found, and where: every byte, every input, every event.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, Seed, Setup};
use intermezzo_journal::{Entry, MatchFile, Mismatch, Misspelt, ReadError, Recorder, SavedEvent};
use intermezzo_ruleset::Program;

/// Rulesets with how many inputs are played, and how many bytes are tried.
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

/// The same dice for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

/// A match in which seats answer at random.
fn played(program: &Arc<Program>, inputs: usize) -> MatchFile {
    let seed = Seed::from_number(7);
    let setup = Setup { seats: program.seats.usual, options: Vec::new(), seed, script: None };
    let mut recorder = Recorder::start(program, &setup).unwrap();
    let mut dice = Dice(7);
    for _ in 0..inputs {
        let Some(pending) = recorder.playing().pending().next() else { break };
        let mut answer = Answer::Pass;
        pending.nth_answer(dice.below(pending.answer_count()), &mut answer);
        let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
        recorder.submit(&input).unwrap();
    }
    recorder.file().clone()
}

/// How a change was found.
#[derive(Debug)]
enum Found {
    Unreadable(ReadError),
    Untrue(Mismatch),
    Misspelt(Misspelt),
}

/// What `intermezzo verify` does.
fn examine(bytes: &[u8], program: &Arc<Program>) -> Result<MatchFile, Found> {
    let file = MatchFile::parse(bytes).map_err(Found::Unreadable)?;
    file.verify(program).map_err(Found::Untrue)?;
    file.check_spelling(bytes).map_err(Found::Misspelt)?;
    Ok(file)
}

/// The part of the file that a line belongs to: the number of an input, 0 for the start, nothing for what is around.
fn part(lines: &[&str], line: usize) -> Option<u32> {
    let is_end = |text: &str| text == "  }," || text == "  ],";
    if lines[line..].iter().all(|text| !is_end(text)) {
        return None;
    }
    // The number stands in the second line of an entry.
    let upto = lines[..=(line + 1).min(lines.len() - 1)].iter().rev();
    let head = upto.clone().find_map(|text| text.trim().strip_prefix("\"number\": "));
    match head {
        Some(number) => number.trim_end_matches(',').parse().ok(),
        None => upto.into_iter().any(|text| *text == "  \"start\": {").then_some(0),
    }
}

/// Another byte of the same sort, so that what is written often still makes sense.
fn other(byte: u8, dice: &mut Dice) -> u8 {
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
fn a_change_of_any_byte_is_found_and_located() {
    for (game, inputs, samples) in GAMES {
        let program = program(game);
        let text = played(&program, inputs).to_text();
        let lines: Vec<&str> = text.lines().collect();
        examine(text.as_bytes(), &program).unwrap_or_else(|found| panic!("{game}: {found:?}"));
        let mut dice = Dice(11);
        let all = text.len() <= samples;
        for n in 0..text.len().min(samples) {
            let at = if all { n } else { dice.below(text.len() as u64) as usize };
            let mut bytes = text.clone().into_bytes();
            bytes[at] = other(bytes[at], &mut dice);
            let line = text[..at].matches('\n').count();
            let what = format!("{game}, byte {at}, line {}: {}", line + 1, lines[line]);
            let found = examine(&bytes, &program).err().unwrap_or_else(|| panic!("nothing found: {what}"));
            match found {
                Found::Unreadable(ReadError::Malformed { line: found, .. }) => {
                    assert!((line + 1..=line + 2).contains(&found), "found in line {found}: {what}");
                }
                Found::Unreadable(error) => assert!(line == 1, "{error}: {what}"),
                Found::Misspelt(found) => {
                    assert!((line..=line + 2).contains(&found.line), "{found}: {what}");
                }
                Found::Untrue(mismatch) => match part(&lines, line) {
                    Some(number) => assert_eq!(mismatch.place.input, Some(number), "{mismatch}: {what}"),
                    // What a match begins with is noticed there or when it begins.
                    None => assert!(mismatch.place.input.unwrap_or(0) == 0, "{mismatch}: {what}"),
                },
            }
        }
    }
}

#[test]
fn bytes_put_in_or_left_out_are_found() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let text = played(&program, inputs).to_text();
        let mut dice = Dice(13);
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

/// Every way to leave out, double or swap one of a list.
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
fn inputs_left_out_doubled_or_swapped_are_found() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let file = played(&program, inputs);
        for list in rearranged::<Entry>(&file.inputs) {
            let changed = MatchFile { inputs: list, ..file.clone() };
            if let Ok(verified) = changed.verify(&program) {
                // A match that is not over, told to an earlier moment: true, but with another end of the chain.
                assert_eq!(changed.inputs, file.inputs[..changed.inputs.len()], "{game}");
                assert_ne!(verified.chain, file.chain(), "{game}");
            }
        }
    }
}

#[test]
fn events_left_out_doubled_or_swapped_are_found() {
    for (game, inputs, _) in GAMES {
        let program = program(game);
        let file = played(&program, inputs);
        let last = file.inputs.len() - 1;
        for list in rearranged::<SavedEvent>(&file.inputs[last].events).into_iter().take(60) {
            let mut changed = file.clone();
            changed.inputs[last].events = list;
            let mismatch = changed.verify(&program).unwrap_err();
            assert_eq!(mismatch.place.input, Some(last as u32 + 1), "{game}: {mismatch}");
            assert!(mismatch.place.event.is_some(), "{game}: {mismatch}");
        }
    }
}

#[test]
fn a_seed_is_the_one_that_was_promised() {
    let program = program("orcain");
    let file = played(&program, 4);
    let promised = file.commitment();
    // Another match, true in itself, is not the one that was promised.
    let setup = Setup { seed: Seed::from_number(8), ..file.setup(&program).unwrap() };
    let other = Recorder::start(&program, &setup).unwrap().file().clone();
    other.verify(&program).unwrap();
    assert_ne!(other.commitment(), promised);
    assert_eq!(promised.0, *blake3::hash(&file.seed.0).as_bytes());
}

#[test]
fn what_says_the_same_in_other_letters_is_found() {
    let program = program("orcain");
    let text = played(&program, 4).to_text();
    let tell = |bytes: &str| match examine(bytes.as_bytes(), &program) {
        Err(Found::Misspelt(found)) => found.to_string(),
        other => panic!("{other:?}"),
    };
    let said = tell(&text.replacen("\"seats\": 2", "\"seats\":  2", 1));
    assert!(said.starts_with("line 4, column 12:") && said.ends_with("here belongs `2,`"), "{said}");
    let said = tell(&text.replacen("MatchStarted", "\\u004datchStarted", 1));
    assert!(said.contains("here belongs `MatchStarted"), "{said}");
    assert!(tell(&format!("{text}\n")).ends_with("nothing more belongs here"));
    assert!(tell(text.trim_end()).ends_with("the line ends here"));
    assert!(tell(&text.replace('\n', "\r\n")).ends_with("the line ends here"));
}
