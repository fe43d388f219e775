//! Match files, entries and records that nobody wrote, or that somebody has written over.
//!
//! The first byte says what the rest is: a match file, an entry of a desk, records of events, or changes to the file of
//! a match. Whatever was changed in a match file must be found.

use intermezzo_desk::{Entry, decode_log, encode_log, record};
use intermezzo_journal::{Hash, MatchFile, RulesetName};

use crate::tables;

pub(crate) fn logs(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind % 4 {
        0 => match_file(rest),
        1 => entry(rest),
        2 => records(rest),
        _ => tampered(rest),
    }
}

/// Reads any bytes as a match file of a ruleset that is at hand.
fn match_file(bytes: &[u8]) {
    let Ok(mut file) = MatchFile::parse(bytes) else { return };
    let text = file.to_text();
    let again = MatchFile::parse(text.as_bytes()).expect("what was written can be read");
    assert_eq!(file, again, "what is written is the same");
    let known = tables::programs().iter().find(|program| program.id == file.ruleset.id);
    let Some(program) = known else { return };
    let RulesetName { hash, version, .. } = &mut file.ruleset;
    // Rules change more often than what is worth trying on them.
    (*hash, *version) = (Hash(program.hash), program.version.clone());
    let _ = file.verify(program);
    if let Ok(replayed) = file.replay(program) {
        assert_eq!(replayed.inputs_taken() as usize, file.inputs.len(), "each input is taken");
    }
    for branch in 0..file.branches.len() {
        let _ = file.line(Some(branch));
    }
}

fn entry(bytes: &[u8]) {
    let Ok(entry) = Entry::decode(bytes) else { return };
    let mut written = Vec::new();
    entry.encode(&mut written);
    let again = Entry::decode(&written).expect("what was written can be read");
    assert_eq!(entry, again, "what is written is the same");
}

fn records(bytes: &[u8]) {
    let Ok(log) = decode_log(bytes) else { return };
    let mut written = Vec::new();
    encode_log(&log, &mut written);
    let again = decode_log(&written).expect("what was written can be read");
    assert_eq!(log.records(), again.records(), "what is written is the same");
}

/// Changes the file of a match: which match, how long, then where (two bytes) and what, again and again.
fn tampered(bytes: &[u8]) {
    let Some((&[which, seed, inputs], changes)) = bytes.split_first_chunk::<3>() else { return };
    let program = tables::program(which);
    let setup = tables::setup(program, seed);
    let (_, entries) = tables::desk(program, &setup, inputs % 12);
    let Ok(file) = record(program, &setup, &entries) else { panic!("what was taken can be recorded") };
    let text = file.to_text().into_bytes();
    let mut changed = text.clone();
    for change in changes.chunks_exact(3).take(8) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
        changed[at] = change[2];
    }
    let found = MatchFile::parse(&changed).ok().filter(|file| file.verify(program).is_ok());
    let is_taken = found.is_some_and(|file| file.check_spelling(&changed).is_ok());
    assert_eq!(is_taken, changed == text, "a changed byte is found, and nothing else");
}
