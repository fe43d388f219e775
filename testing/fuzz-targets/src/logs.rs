//! Fuzz target: arbitrary and tampered match files, session entries and event logs.
//!
//! The first byte says what the rest is: a match file, a session entry, an event log, or changes to a valid match file.
//! Every change of a match file must be detected.

use intermezzo_matchfile::{Hash256, MatchFile, RulesetName};
use intermezzo_session::{SessionEntry, decode_log, encode_log, record};

use crate::sample_matches;

pub(crate) fn logs(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind % 4 {
        0 => match_file(rest),
        1 => entry(rest),
        2 => records(rest),
        _ => tampered(rest),
    }
}

/// Reads any bytes as a match file of a sample ruleset.
fn match_file(bytes: &[u8]) {
    let Ok(mut file) = MatchFile::parse(bytes) else { return };
    let text = file.to_text();
    let again = MatchFile::parse(text.as_bytes()).expect("a written value can be read");
    assert_eq!(file, again, "the value changes when it is written and read");
    let known = sample_matches::programs().iter().find(|program| program.id == file.ruleset.id);
    let Some(program) = known else { return };
    let RulesetName { hash, version, .. } = &mut file.ruleset;
    // Ignore the recorded version of the rules, so that the corpus outlives changes of the rulesets.
    (*hash, *version) = (Hash256(program.hash), program.version.clone());
    let _ = file.verify(program);
    if let Ok(replayed) = file.replay(program) {
        assert_eq!(replayed.input_count() as usize, file.inputs.len(), "each input is replayed");
    }
    for branch in 0..file.branches.len() {
        let _ = file.line_inputs(Some(branch));
    }
}

fn entry(bytes: &[u8]) {
    let Ok(entry) = SessionEntry::decode(bytes) else { return };
    let mut written = Vec::new();
    entry.encode(&mut written);
    let again = SessionEntry::decode(&written).expect("a written value can be read");
    assert_eq!(entry, again, "the value changes when it is written and read");
}

fn records(bytes: &[u8]) {
    let Ok(log) = decode_log(bytes) else { return };
    let mut written = Vec::new();
    encode_log(&log, &mut written);
    let again = decode_log(&written).expect("a written value can be read");
    assert_eq!(log.records(), again.records(), "the value changes when it is written and read");
}

/// Tampers with a match file. The bytes give the match and its length, then changes of a position (two bytes) and a value.
fn tampered(bytes: &[u8]) {
    let Some((&[which, seed, inputs], changes)) = bytes.split_first_chunk::<3>() else { return };
    let program = sample_matches::program(which);
    let setup = sample_matches::setup(program, seed);
    let (_, entries) = sample_matches::session(program, &setup, inputs % 12);
    let Ok(file) = record(program, &setup, &entries) else { panic!("accepted entries can be recorded") };
    let text = file.to_text().into_bytes();
    let mut changed = text.clone();
    for change in changes.chunks_exact(3).take(8) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
        changed[at] = change[2];
    }
    let found = MatchFile::parse(&changed).ok().filter(|file| file.verify(program).is_ok());
    let verifies = found.is_some_and(|file| file.check_canonical(&changed).is_ok());
    assert_eq!(verifies, changed == text, "a file verifies exactly if it is unchanged");
}
