//! Damaged snapshots of matches and desks: refused, or those of a match that plays on.
//!
//! The first four bytes say which match is played how far, and whether its desk is meant; what follows changes its
//! snapshot, three bytes at a time, or stands in its place.

use std::sync::Arc;

use intermezzo_desk::{Desk, Entry};
use intermezzo_engine::{Log, Match, Setup};
use intermezzo_ruleset::Program;
use intermezzo_simulator::{Habits, RandomPlay};

use crate::tables;

/// Version, hash of the ruleset, fingerprint of its code: all else is refused for being another's.
const HEAD: usize = 1 + 32 + 8;

pub(crate) fn snapshots(data: &[u8]) {
    let Some((&[which, seed, inputs, what], changes)) = data.split_first_chunk::<4>() else { return };
    let program = tables::program(which);
    let setup = tables::setup(program, seed);
    let (desk, _) = tables::desk(program, &setup, inputs % 40);
    let is_desk = what & 1 == 1;
    let whole = if is_desk { desk.snapshot() } else { desk.playing().snapshot() };
    let changed = match what >> 1 & 1 {
        0 => changed(&whole, changes),
        _ => [&whole[..HEAD.min(whole.len())], changes].concat(),
    };
    match is_desk {
        true => restore_desk(program, &setup, &changed, changed == whole),
        false => restore_match(program, &changed, changed == whole),
    }
}

fn restore_match(program: &Arc<Program>, bytes: &[u8], is_whole: bool) {
    let Ok(mut restored) = Match::restore(Arc::clone(program), bytes) else {
        return assert!(!is_whole, "a whole snapshot is refused");
    };
    assert!(restored.snapshot() == bytes, "a snapshot was taken that nobody would write");
    let mut players = RandomPlay::new(1, &Habits::unruly());
    for _ in 0..5 {
        let Some(input) = players.next(&restored).cloned() else { break };
        // Refused or not: the match only has to survive it.
        let _ = restored.submit(&input, &mut Log::new());
    }
}

fn restore_desk(program: &Arc<Program>, setup: &Setup, bytes: &[u8], is_whole: bool) {
    let Ok(mut restored) = Desk::restore(program, setup, bytes) else {
        return assert!(!is_whole, "a whole snapshot is refused");
    };
    assert!(restored.snapshot() == bytes, "a snapshot was taken that nobody would write");
    let mut players = RandomPlay::new(2, &Habits::unruly());
    for _ in 0..5 {
        let Some(input) = players.next(restored.playing()).cloned() else { break };
        let entry = Entry::Input(input);
        // What takes back needs what came before, which is not at hand.
        if !restored.needs_past(&entry) {
            let _ = restored.take(&entry, None);
        }
    }
}

/// A snapshot with changes: two bytes say where, one says what.
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
