//! Fuzz target: damaged snapshots of matches and sessions. They are rejected, or the restored match works.
//!
//! The first four bytes select a match, its length, and the match or its session. The rest changes the snapshot, three
//! bytes at a time, or replaces it.

use std::sync::Arc;

use intermezzo_engine::{EventLog, Match, Setup};
use intermezzo_program::Program;
use intermezzo_session::{Session, SessionEntry};
use intermezzo_simulator::{InputMix, RandomPlay};

use crate::sample_matches;

/// Length of the header: version, hash of the ruleset, fingerprint of its code.
const HEAD: usize = 1 + 32 + 8;

pub(crate) fn snapshots(data: &[u8]) {
    let Some((&[which, seed, inputs, what], changes)) = data.split_first_chunk::<4>() else { return };
    let program = sample_matches::program(which);
    let setup = sample_matches::setup(program, seed);
    let (session, _) = sample_matches::session(program, &setup, inputs % 40);
    let is_session = what & 1 == 1;
    let whole = if is_session { session.snapshot() } else { session.game().snapshot() };
    let changed = match what >> 1 & 1 {
        0 => changed(&whole, changes),
        _ => [&whole[..HEAD.min(whole.len())], changes].concat(),
    };
    match is_session {
        true => restore_session(program, &setup, &changed, changed == whole),
        false => restore_match(program, &changed, changed == whole),
    }
}

fn restore_match(program: &Arc<Program>, bytes: &[u8], is_whole: bool) {
    let Ok(mut restored) = Match::restore(Arc::clone(program), bytes) else {
        return assert!(!is_whole, "an unchanged snapshot is rejected");
    };
    assert!(restored.snapshot() == bytes, "a restored snapshot changes when it is written");
    let mut players = RandomPlay::new(1, &InputMix::chaotic());
    for _ in 0..5 {
        let Some(input) = players.next(&restored).cloned() else { break };
        // The match only has to survive the input.
        let _ = restored.submit(&input, &mut EventLog::new());
    }
}

fn restore_session(program: &Arc<Program>, setup: &Setup, bytes: &[u8], is_whole: bool) {
    let Ok(mut restored) = Session::restore(program, setup, bytes) else {
        return assert!(!is_whole, "an unchanged snapshot is rejected");
    };
    assert!(restored.snapshot() == bytes, "a restored snapshot changes when it is written");
    let mut players = RandomPlay::new(2, &InputMix::chaotic());
    for _ in 0..5 {
        let Some(input) = players.next(restored.game()).cloned() else { break };
        let entry = SessionEntry::Input(input);
        // Undo needs the history, which a snapshot does not contain.
        if !restored.needs_history(&entry) {
            let _ = restored.apply(&entry, None);
        }
    }
}

/// Changes a snapshot: two bytes give the position and the kind of change, one byte the value.
fn changed(whole: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for change in changes.chunks_exact(3).take(16) {
        if bytes.is_empty() {
            break;
        }
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]) & 0x3fff) % bytes.len();
        match change[1] >> 6 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, change[2]),
            2 => drop(bytes.remove(at)),
            _ => bytes[at] ^= change[2],
        }
    }
    bytes
}
