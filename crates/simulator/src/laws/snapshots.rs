//! A match that was put away and taken out again goes on as if nothing had been.

use std::sync::Arc;

use intermezzo_engine::{Log, Match};

use super::{Trial, Verdict, broken};
use crate::habits::Habits;
use crate::random_play::RandomPlay;
use crate::subjects::Subject;

/// The match is snapshot and restored at every wait and goes on with what was restored.
pub fn restoring_a_snapshot_changes_nothing(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::unruly())?;
    trial.walk(|state, log, at| {
        let bytes = state.snapshot();
        let restored = Match::restore(Arc::clone(&subject.program), &bytes)
            .map_err(|error| trial.broken(format!("after input {at}: {error}")))?;
        let same = restored.snapshot() == bytes;
        trial.claim(same, || format!("after input {at} the restored match has another snapshot"))?;
        *state = restored;
        if at < trial.played.inputs.len() {
            return Ok(());
        }
        trial.claim(*log == trial.played.log, || "the log is another".to_owned())?;
        trial.claim(bytes == trial.played.state.snapshot(), || "the state is another".to_owned())
    })
}

/// How a match goes on from a snapshot: the hash of the state after each of some random inputs.
///
/// # Errors
///
/// If the snapshot cannot be restored.
pub fn continuation(
    subject: &Subject,
    snapshot: &[u8],
    seed: u64,
    inputs: u32,
) -> Result<Vec<[u8; 32]>, super::Broken> {
    let state = Match::restore(Arc::clone(&subject.program), snapshot);
    let mut state = state.map_err(|error| broken(subject, seed, error.to_string()))?;
    let mut players = RandomPlay::new(seed, &Habits::unruly());
    let mut log = Log::discard();
    let mut hashes = vec![state.state_hash()];
    for _ in 0..inputs {
        let Some(input) = players.next(&state) else { break };
        // Refused inputs are part of what must be the same.
        let _ = state.submit(input, &mut log);
        hashes.push(state.state_hash());
    }
    Ok(hashes)
}
