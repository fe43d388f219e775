//! Prints the costs of a session: time per entry, including the updates of all viewers, and snapshots.
//!
//! `cargo run --release -p intermezzo-benches --bin session [RULESET]`. The memory of live sessions is printed by
//! `cargo run --release -p intermezzo-benches -- sessions`, whose allocator counts every byte.

#![expect(clippy::print_stdout, reason = "a program for people prints its result")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use intermezzo_benches::twins::mulberry::Mulberry;
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, EventLog, Input, Match, Observer, Seed, Setup};
use intermezzo_program::Program;
use intermezzo_session::{Session, SessionEntry};

/// The allocator of the server: views consist of many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Recorded matches; each round plays all of them.
const MATCHES: u64 = 40;
const ROUNDS: usize = 9;
/// Maximum entries per match.
const MAX_ENTRIES: usize = 200;

fn main() {
    let wanted = std::env::args().nth(1);
    for name in ["orcain", "mages", "skirmish", "draft", "dogma"] {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            report(name);
        }
    }
}

/// Matches of one ruleset with their entries.
struct RecordedMatches {
    program: Arc<Program>,
    matches: Vec<(Setup, Vec<SessionEntry>)>,
}

fn report(name: &str) {
    let recorded = record(&path(name));
    let entries: usize = recorded.matches.iter().map(|(_, entries)| entries.len()).sum();
    let per_entry = |time: Duration| time.as_nanos() as f64 / entries as f64;
    let all = fastest(|| recorded.time_sessions());
    println!(
        "{name} session:         {:9.0} ns/entry, {:.0} entries/s",
        per_entry(all),
        1e9 / per_entry(all)
    );
    println!(
        "{name}   match alone:   {:9.0} ns",
        per_entry(fastest(|| recorded.time_part(TimedPart::Match)))
    );
    println!("{name}   state hash:    {:9.0} ns", per_entry(fastest(|| recorded.time_part(TimedPart::Hash))));
    println!(
        "{name}   observer:      {:9.0} ns",
        per_entry(fastest(|| recorded.time_part(TimedPart::Observer)))
    );
    println!(
        "{name}   all views:     {:9.0} ns",
        per_entry(fastest(|| recorded.time_part(TimedPart::Views)))
    );
    println!(
        "{name}   all prompts:   {:9.0} ns",
        per_entry(fastest(|| recorded.time_part(TimedPart::Prompts)))
    );
    recorded.report_snapshots(name);
}

/// A part of a session's work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimedPart {
    Match,
    Hash,
    Observer,
    Views,
    Prompts,
}

impl RecordedMatches {
    /// Applies all entries in sessions. Returns the time this takes, without starting the matches.
    fn time_sessions(&self) -> Duration {
        let mut time = Duration::ZERO;
        for (setup, entries) in &self.matches {
            let (mut session, _) = Session::start(&self.program, setup).expect("the match starts");
            session.drop_history();
            let start = Instant::now();
            for entry in entries {
                session.apply(entry, None).expect("the entry was accepted while recording");
            }
            time += start.elapsed();
        }
        time
    }

    /// Returns the time that one part takes.
    fn time_part(&self, part: TimedPart) -> Duration {
        let mut time = Duration::ZERO;
        for (setup, entries) in &self.matches {
            let mut log = EventLog::new();
            let started = Match::start(Arc::clone(&self.program), setup, &mut log);
            let mut current = started.expect("the match starts");
            let mut observer = Observer::new(Arc::clone(&self.program), setup).expect("the match starts");
            observe_log(&mut observer, &log);
            for entry in entries {
                let SessionEntry::Input(input) = entry else { continue };
                log.clear();
                let mut timed = |is_counted: bool, work: &mut dyn FnMut()| {
                    let start = Instant::now();
                    work();
                    time += if is_counted { start.elapsed() } else { Duration::ZERO };
                };
                timed(part == TimedPart::Match, &mut || {
                    current.submit(input, &mut log).expect("the input was accepted while recording");
                });
                timed(part == TimedPart::Hash, &mut || {
                    std::hint::black_box(current.state_hash());
                });
                timed(part == TimedPart::Observer, &mut || observe_log(&mut observer, &log));
                for viewer in observer.viewers() {
                    timed(part == TimedPart::Views, &mut || drop(observer.view(viewer)));
                    timed(part == TimedPart::Prompts, &mut || drop(observer.prompts(&current, viewer)));
                }
            }
        }
        time
    }

    /// Prints the size of snapshots in mid-match and the time to restore them.
    fn report_snapshots(&self, name: &str) {
        let count = self.matches.len();
        let bytes: Vec<Vec<u8>> = (0..count).map(|number| self.play_half(number).snapshot()).collect();
        let size = bytes.iter().map(Vec::len).sum::<usize>() / count;
        let time = fastest(|| {
            let start = Instant::now();
            let restored = self.matches.iter().zip(&bytes).map(|((setup, _), bytes)| {
                Session::restore(&self.program, setup, bytes).expect("the snapshot is valid")
            });
            let restored: Vec<Session> = restored.collect();
            let time = start.elapsed();
            drop(restored);
            time
        });
        let micros = time.as_nanos() as f64 / 1e3 / count as f64;
        println!("{name} snapshot:        {size:9} bytes, restored in {micros:.1} µs");
    }

    fn play_half(&self, number: usize) -> Session {
        let (setup, entries) = &self.matches[number % self.matches.len()];
        let (mut session, _) = Session::start(&self.program, setup).expect("the match starts");
        session.drop_history();
        for entry in &entries[..entries.len() / 2] {
            session.apply(entry, None).expect("the entry was accepted while recording");
        }
        session
    }
}

fn observe_log(observer: &mut Observer, log: &EventLog) {
    observer.observe(log, 0, |_, event| drop(event)).expect("the log continues the observed one");
}

fn fastest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| run()).min().unwrap_or_default()
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(name)
}

/// Records random matches: mostly answers, and sometimes drafts where the question allows them.
fn record(path: &Path) -> RecordedMatches {
    let compiled = Ruleset::load(path).expect("the ruleset can be read").compile();
    let program = Arc::new(compiled.program.expect("the ruleset has no errors"));
    let matches = (1..=MATCHES).map(|seed| {
        let seats = program.seats.default;
        let setup = Setup { seats, options: Vec::new(), seed: Seed::from_number(seed), script: None };
        let started = Match::start(Arc::clone(&program), &setup, &mut EventLog::discard());
        let (mut current, mut rng) = (started.expect("the match starts"), Mulberry::new(seed as u32));
        let mut entries = Vec::new();
        while let Some(input) = decide(&current, &mut rng).filter(|_| entries.len() < MAX_ENTRIES) {
            if current.submit(&input, &mut EventLog::discard()).is_err() {
                break;
            }
            entries.push(SessionEntry::Input(input));
        }
        (setup, entries)
    });
    let matches = matches.collect();
    RecordedMatches { program, matches }
}

fn decide(state: &Match, rng: &mut Mulberry) -> Option<Input> {
    let questions = state.pending().count() as u32;
    let pending = state.pending().nth(rng.below(questions.max(1)) as usize)?;
    let count = pending.answer_count().min(u64::from(u32::MAX));
    let (input, seat, mut answer) = (pending.id(), pending.seat(), Answer::Pass);
    pending.nth_answer(u64::from(rng.below(count as u32)), &mut answer);
    let is_draft = pending.choice().draft.is_some() && rng.below(3) == 0;
    Some(match is_draft {
        true => Input::Draft { input, seat, answer },
        false => Input::Answer { input, seat, answer },
    })
}
