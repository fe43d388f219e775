//! Seed corpora: small cases from real rulesets and matches. [`write()`] writes them to `fuzz/corpus`.

use std::io;
use std::path::Path;

use intermezzo_engine::{EventLog, Match};
use intermezzo_session::{SessionEntry, encode_log, record};
use intermezzo_simulator::{Random, fixtures};

use crate::frames;
use crate::sample_matches;
use crate::websocket;

/// Largest case. Larger ones would make fuzzing slow and the repository large.
const MAX_BYTES: usize = 6_000;

/// Returns the cases of all targets: target, name, bytes. They are deterministic.
#[must_use]
pub fn cases() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut cases = Vec::new();
    for subject in fixtures::small_rulesets() {
        let (_, text) = &subject.files[0];
        cases.push(("loader", subject.name.clone(), text.clone()));
    }
    for (n, text) in expressions().into_iter().enumerate() {
        cases.push(("expressions", format!("{n:02}"), text.into_bytes()));
    }
    let mut random = Random::new(1);
    for n in 0..12 {
        cases.push(("inputs", format!("{n:02}"), noise(&mut random, 120)));
        let changes = 3 * (n % 4);
        let head = [n as u8, n as u8, 3 * n as u8, n as u8 % 2];
        cases.push(("snapshots", format!("{n:02}"), [&head[..], &noise(&mut random, changes)].concat()));
        let head = [3, n as u8, n as u8, n as u8];
        cases.push(("logs", format!("changes-{n:02}"), [&head[..], &noise(&mut random, changes)].concat()));
    }
    for (n, frame) in frames::seeds().iter().enumerate() {
        let text = frame.to_string();
        cases.push(("frames", format!("{n:02}"), [&[n as u8 % 4], text.as_bytes()].concat()));
    }
    for (n, bytes) in websocket::seeds().into_iter().enumerate() {
        cases.push(("websocket", format!("{n:02}"), bytes));
    }
    cases.extend(matches());
    cases.retain(|(_, _, bytes)| bytes.len() <= MAX_BYTES);
    cases
}

/// Returns files, snapshots, entries and records of short matches.
fn matches() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut cases = Vec::new();
    for (n, program) in sample_matches::programs().iter().enumerate().take(12) {
        let setup = sample_matches::setup(program, n as u8);
        let (session, entries) = sample_matches::session(program, &setup, 4);
        if let Ok(file) = record(program, &setup, &entries) {
            cases.push(("logs", format!("file-{n:02}"), [&[0], file.to_text().as_bytes()].concat()));
        }
        if let Some(entry) = entries.first() {
            let mut bytes = vec![1];
            entry.encode(&mut bytes);
            cases.push(("logs", format!("entry-{n:02}"), bytes));
        }
        let mut log = EventLog::new();
        let started = Match::start(std::sync::Arc::clone(program), &setup, &mut log);
        if started.is_ok() {
            let mut bytes = vec![2];
            encode_log(&log, &mut bytes);
            cases.push(("logs", format!("records-{n:02}"), bytes));
        }
        // Without the header, which identifies the code the snapshot belongs to.
        let snapshot = session.game().snapshot();
        let body = snapshot.get(41..).unwrap_or_default();
        cases.push(("snapshots", format!("whole-{n:02}"), [&[n as u8, n as u8, 4, 2], body].concat()));
    }
    for (n, entry) in [SessionEntry::Undo { seat: intermezzo_program::Seat(1) }].iter().enumerate() {
        let mut bytes = vec![1];
        entry.encode(&mut bytes);
        cases.push(("logs", format!("taken-back-{n:02}"), bytes));
    }
    cases
}

/// Returns strings of the small rulesets that look like expressions, longest first.
fn expressions() -> Vec<String> {
    let files = fixtures::small_rulesets().into_iter().flat_map(|subject| subject.files);
    let texts: Vec<String> = files.map(|(_, text)| String::from_utf8_lossy(&text).into_owned()).collect();
    let quoted = texts.iter().flat_map(|text| text.split('"').skip(1).step_by(2));
    let mut found: Vec<String> = quoted.filter(|text| !text.contains('\n')).map(str::to_owned).collect();
    found.sort_by_key(|text| (std::cmp::Reverse(text.len()), text.clone()));
    found.dedup();
    found.into_iter().step_by(5).take(40).collect()
}

fn noise(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.below(256) as u8).collect()
}

/// Writes the cases into a folder for each target. Other files stay, since fuzzers may have found them.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn write(folder: &Path) -> io::Result<usize> {
    let cases = cases();
    for (target, name, bytes) in &cases {
        let folder = folder.join(target);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(cases.len())
}
