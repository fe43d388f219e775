//! A match file is enough to replay and verify its match.

use intermezzo_matchfile::{MatchFile, Recorder};

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Checks that a recorded match, written and read back, verifies and replays to the same state.
pub fn a_recorded_match_verifies(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix { max_inputs: 120, ..InputMix::chaotic() })?;
    let played = &run.played;
    let mut recorder =
        Recorder::start(&fixture.program, &played.setup).map_err(|error| run.violation(error.to_string()))?;
    for input in &played.inputs {
        recorder.submit(input).map_err(|refusal| run.violation(refusal.to_string()))?;
    }
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).map_err(|error| run.violation(error.to_string()))?;
    run.claim(file.to_text() == text, || "the file changes when it is read back".to_owned())?;
    file.verify(&fixture.program).map_err(|mismatch| run.violation(mismatch.to_string()))?;
    let replayed = file.replay(&fixture.program).map_err(|mismatch| run.violation(mismatch.to_string()))?;
    run.claim(replayed.snapshot() == played.state.snapshot(), || "the replayed state differs".to_owned())
}
