//! A restored match continues as if it had never been saved.

use std::sync::Arc;

use intermezzo_engine::{EventLog, Match};

use super::{LawResult, LawRun, violation};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Checks that saving and restoring the match at every wait changes nothing.
pub fn restoring_a_snapshot_changes_nothing(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    run.walk(|state, log, at| {
        let bytes = state.snapshot();
        let restored = Match::restore(Arc::clone(&fixture.program), &bytes)
            .map_err(|error| run.violation(format!("after input {at}: {error}")))?;
        let same = restored.snapshot() == bytes;
        run.claim(same, || format!("after input {at} the restored match has a different snapshot"))?;
        *state = restored;
        if at < run.played.inputs.len() {
            return Ok(());
        }
        run.claim(*log == run.played.log, || "the log differs".to_owned())?;
        run.claim(bytes == run.played.state.snapshot(), || "the state differs".to_owned())
    })
}

/// Continues a match from a snapshot. Returns the hash of the state after each of some random inputs.
///
/// # Errors
///
/// Fails if the snapshot cannot be restored.
pub fn continuation(
    fixture: &Fixture,
    snapshot: &[u8],
    seed: u64,
    inputs: u32,
) -> Result<Vec<[u8; 32]>, super::LawViolation> {
    let state = Match::restore(Arc::clone(&fixture.program), snapshot);
    let mut state = state.map_err(|error| violation(fixture, seed, error.to_string()))?;
    let mut players = RandomPlay::new(seed, &InputMix::chaotic());
    let mut log = EventLog::discard();
    let mut hashes = vec![state.state_hash()];
    for _ in 0..inputs {
        let Some(input) = players.next(&state) else { break };
        // Refused inputs belong to the comparison.
        let _ = state.submit(input, &mut log);
        hashes.push(state.state_hash());
    }
    Ok(hashes)
}
