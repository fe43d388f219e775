//! Prints what a desk costs: time per entry with everything its viewers are shown, and snapshots.
//!
//! `cargo run --release -p intermezzo-benches --bin desk`, with the name of a ruleset only for that. What live desks
//! occupy is printed by `cargo run --release -p intermezzo-benches -- desks`, which counts every byte.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_benches::twins::mulberry::Mulberry;
use intermezzo_compiler::Ruleset;
use intermezzo_desk::{Desk, Entry};
use intermezzo_engine::{Answer, Input, Log, Match, Seed, Setup, Witness};
use intermezzo_ruleset::Program;

/// Views are many small things; the allocator counts.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Matches played; each round plays all of them.
const MATCHES: u64 = 40;
const ROUNDS: usize = 9;
/// Entries of a match at most.
const ENTRIES: usize = 200;

fn main() {
    let wanted = std::env::args().nth(1);
    for name in ["orcain", "mages", "skirmish", "draft", "dogma"] {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            report(name);
        }
    }
}

/// Matches of one ruleset and what was sent in them.
struct Recorded {
    program: Arc<Program>,
    matches: Vec<(Setup, Vec<Entry>)>,
}

fn report(name: &str) {
    let recorded = record(&path(name));
    let entries: usize = recorded.matches.iter().map(|(_, entries)| entries.len()).sum();
    let per_entry = |time: Duration| time.as_nanos() as f64 / entries as f64;
    let all = fastest(|| recorded.play_at_desks());
    println!(
        "{name} desk:            {:9.0} ns/entry, {:.0} entries/s",
        per_entry(all),
        1e9 / per_entry(all)
    );
    println!("{name}   match alone:   {:9.0} ns", per_entry(fastest(|| recorded.play_alone(Part::Match))));
    println!("{name}   state hash:    {:9.0} ns", per_entry(fastest(|| recorded.play_alone(Part::Hash))));
    println!("{name}   witness:       {:9.0} ns", per_entry(fastest(|| recorded.play_alone(Part::Witness))));
    println!("{name}   all views:     {:9.0} ns", per_entry(fastest(|| recorded.play_alone(Part::Views))));
    println!("{name}   all prompts:   {:9.0} ns", per_entry(fastest(|| recorded.play_alone(Part::Prompts))));
    recorded.report_waiting(name);
}

/// What is timed besides the match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Match,
    Hash,
    Witness,
    Views,
    Prompts,
}

impl Recorded {
    /// Takes all entries at desks; gives the time that took, without the beginnings.
    fn play_at_desks(&self) -> Duration {
        let mut time = Duration::ZERO;
        for (setup, entries) in &self.matches {
            let (mut desk, _) = Desk::open(&self.program, setup).expect("the match begins");
            desk.forget_past();
            let start = Instant::now();
            for entry in entries {
                desk.take(entry, None).expect("the entry was taken before");
            }
            time += start.elapsed();
        }
        time
    }

    /// The time one part of it takes.
    fn play_alone(&self, part: Part) -> Duration {
        let mut time = Duration::ZERO;
        for (setup, entries) in &self.matches {
            let mut log = Log::new();
            let begun = Match::start(Arc::clone(&self.program), setup, &mut log);
            let mut playing = begun.expect("the match begins");
            let mut witness = Witness::new(Arc::clone(&self.program), setup).expect("the match begins");
            watch(&mut witness, &log);
            for entry in entries {
                let Entry::Input(input) = entry else { continue };
                log.clear();
                let mut timed = |is_timed: bool, work: &mut dyn FnMut()| {
                    let start = Instant::now();
                    work();
                    time += if is_timed { start.elapsed() } else { Duration::ZERO };
                };
                timed(part == Part::Match, &mut || {
                    playing.submit(input, &mut log).expect("it was taken before");
                });
                timed(part == Part::Hash, &mut || {
                    std::hint::black_box(playing.state_hash());
                });
                timed(part == Part::Witness, &mut || watch(&mut witness, &log));
                for viewer in witness.viewers() {
                    timed(part == Part::Views, &mut || drop(witness.view(viewer)));
                    timed(part == Part::Prompts, &mut || drop(witness.prompts(&playing, viewer)));
                }
            }
        }
        time
    }

    /// What putting desks in mid-match away and taking them out again costs.
    fn report_waiting(&self, name: &str) {
        let count = self.matches.len();
        let bytes: Vec<Vec<u8>> = (0..count).map(|number| self.in_mid_match(number).snapshot()).collect();
        let size = bytes.iter().map(Vec::len).sum::<usize>() / count;
        let time = fastest(|| {
            let start = Instant::now();
            let restored = self.matches.iter().zip(&bytes).map(|((setup, _), bytes)| {
                Desk::restore(&self.program, setup, bytes).expect("it is a snapshot")
            });
            let restored: Vec<Desk> = restored.collect();
            let time = start.elapsed();
            drop(restored);
            time
        });
        let micros = time.as_nanos() as f64 / 1e3 / count as f64;
        println!("{name} snapshot:        {size:9} bytes, restored in {micros:.1} µs");
    }

    fn in_mid_match(&self, number: usize) -> Desk {
        let (setup, entries) = &self.matches[number % self.matches.len()];
        let (mut desk, _) = Desk::open(&self.program, setup).expect("the match begins");
        desk.forget_past();
        for entry in &entries[..entries.len() / 2] {
            desk.take(entry, None).expect("the entry was taken before");
        }
        desk
    }
}

fn watch(witness: &mut Witness, log: &Log) {
    witness.observe(log, 0, |_, event| drop(event)).expect("the log goes on");
}

fn fastest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| run()).min().unwrap_or_default()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(name)
}

/// Plays matches at random: drafts now and then, where they are taken, else answers.
fn record(path: &Path) -> Recorded {
    let compiled = Ruleset::load(path).expect("the ruleset can be read").compile();
    let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
    let matches = (1..=MATCHES).map(|seed| {
        let seats = program.seats.usual;
        let setup = Setup { seats, options: Vec::new(), seed: Seed::from_number(seed), script: None };
        let begun = Match::start(Arc::clone(&program), &setup, &mut Log::discard());
        let (mut playing, mut rng) = (begun.expect("the match begins"), Mulberry::new(seed as u32));
        let mut entries = Vec::new();
        while let Some(input) = decide(&playing, &mut rng).filter(|_| entries.len() < ENTRIES) {
            if playing.submit(&input, &mut Log::discard()).is_err() {
                break;
            }
            entries.push(Entry::Input(input));
        }
        (setup, entries)
    });
    let matches = matches.collect();
    Recorded { program, matches }
}

fn decide(state: &Match, rng: &mut Mulberry) -> Option<Input> {
    let open = state.pending().count() as u32;
    let pending = state.pending().nth(rng.below(open.max(1)) as usize)?;
    let count = pending.answer_count().min(u64::from(u32::MAX));
    let (input, seat, mut answer) = (pending.id(), pending.seat(), Answer::Pass);
    pending.nth_answer(u64::from(rng.below(count as u32)), &mut answer);
    let is_draft = pending.choice().draft.is_some() && rng.below(3) == 0;
    Some(match is_draft {
        true => Input::Draft { input, seat, answer },
        false => Input::Answer { input, seat, answer },
    })
}
