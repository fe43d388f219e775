//! Short run of every fuzz target on any toolchain: all committed cases, and seeded mutations of each.

use std::path::{Path, PathBuf};

use intermezzo_fuzz_targets::{FuzzTarget, TARGETS, mutate};
use intermezzo_simulator::Random;

/// Default number of mutations per target. The environment variable `FUZZ_MUTATIONS` overrides it.
const MUTATIONS: usize = 1_000;

fn mutations() -> usize {
    std::env::var("FUZZ_MUTATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(MUTATIONS)
}

fn cases(target: &FuzzTarget) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("the folder can be listed").path()).collect();
    paths.sort();
    let read = |path: PathBuf| (path.clone(), std::fs::read(&path).expect("the file can be read"));
    paths.into_iter().map(read).collect()
}

fn survives(target: &FuzzTarget, data: &[u8], what: &str) {
    let outcome = std::panic::catch_unwind(|| (target.run)(data));
    assert!(outcome.is_ok(), "{} fails on {what}: {:?}", target.name, String::from_utf8_lossy(data));
}

fn short_run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("the target exists");
    let cases = cases(target);
    assert!(cases.len() >= 5, "{name} has a corpus");
    for (path, data) in &cases {
        survives(target, data, &path.display().to_string());
    }
    for n in 0..mutations() {
        let mut random = Random::new(n as u64);
        let (path, data) = &cases[n % cases.len()];
        let (_, other) = random.pick(&cases);
        let mut data = data.clone();
        mutate(&mut data, other, &mut random);
        survives(target, &data, &format!("mutation {n} of {}", path.display()));
    }
}

#[test]
fn the_loader_survives_its_corpus() {
    short_run("loader");
}

#[test]
fn expressions_survive_their_corpus() {
    short_run("expressions");
}

#[test]
fn inputs_survive_their_corpus() {
    short_run("inputs");
}

#[test]
fn frames_survive_their_corpus() {
    short_run("frames");
}

#[test]
fn snapshots_survive_their_corpus() {
    short_run("snapshots");
}

#[test]
fn logs_survive_their_corpus() {
    short_run("logs");
}

#[test]
fn websocket_frames_survive_their_corpus() {
    short_run("websocket");
}

#[test]
fn every_target_is_run_here_and_by_libfuzzer() {
    let here = include_str!("corpora.rs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("the manifest exists");
    for target in TARGETS {
        assert!(here.contains(&format!("short_run(\"{}\")", target.name)), "{}", target.name);
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{}", target.name);
        assert!(folder.join(format!("fuzz_targets/{}.rs", target.name)).is_file(), "{}", target.name);
    }
}
