//! What the journal writes down is enough to play the match again and to prove it.

use intermezzo_journal::{MatchFile, Recorder};

use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;

/// A match that was recorded, written out and read back verifies, and replays to the same state.
pub fn a_recorded_match_can_be_proved(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits { max_inputs: 120, ..Habits::unruly() })?;
    let played = &trial.played;
    let mut recorder =
        Recorder::start(&subject.program, &played.setup).map_err(|error| trial.broken(error.to_string()))?;
    for input in &played.inputs {
        recorder.submit(input).map_err(|refusal| trial.broken(refusal.to_string()))?;
    }
    let text = recorder.file().to_text();
    let file = MatchFile::parse(text.as_bytes()).map_err(|error| trial.broken(error.to_string()))?;
    trial.claim(file.to_text() == text, || "the file reads back as another".to_owned())?;
    file.verify(&subject.program).map_err(|mismatch| trial.broken(mismatch.to_string()))?;
    let replayed = file.replay(&subject.program).map_err(|mismatch| trial.broken(mismatch.to_string()))?;
    trial.claim(replayed.snapshot() == played.state.snapshot(), || "the replayed state is another".to_owned())
}
