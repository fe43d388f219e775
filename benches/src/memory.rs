//! Memory of live matches: one waiting in mid-game, and 100,000 in one process.

use std::path::Path;

use intermezzo_benches::twins::mulberry::Mulberry;
use intermezzo_benches::{any_ruleset, minitcg};
use intermezzo_engine::{Answer, EventLog, Input, Match};
use intermezzo_session::{Session, SessionEntry};

use crate::ALLOCATOR;

/// Decisions before a match is measured: about half of an average match.
const DECISIONS: u32 = 60;
/// Entries before a session is measured.
const SESSION_ENTRIES: u32 = 12;
/// Matches measured one by one.
const SAMPLE: u32 = 200;
/// Matches alive at the same time.
const MANY: usize = 100_000;

/// Prints the figures of MiniTCG.
pub(crate) fn report_minitcg() {
    let begin = minitcg_matches();
    report_idle("minitcg", &begin);
    report_many("minitcg", begin);
}

/// Returns the average bytes of a compacted idle match of MiniTCG.
pub(crate) fn idle_minitcg() -> usize {
    average(&idle_sizes(minitcg_matches())[1])
}

/// Returns a function that starts the MiniTCG match with a seed.
fn minitcg_matches() -> impl Fn(u32) -> (Match, Mulberry) {
    let mut log = EventLog::discard();
    let (setup, _) = minitcg::setup(1);
    let first = Match::start(minitcg::program(), &setup, &mut log).expect("the match starts");
    move |seed| {
        let (setup, rng) = minitcg::setup(seed);
        let started = first.start_another(&setup, &mut EventLog::discard());
        (started.expect("the match starts"), rng)
    }
}

/// Prints the figures of a ruleset with its default options.
pub(crate) fn report_ruleset(path: &Path) {
    let first = any_ruleset::first_match(any_ruleset::program(path));
    let begin = |seed: u32| {
        let started =
            first.start_another(&any_ruleset::setup(first.program(), seed), &mut EventLog::discard());
        (started.expect("the match starts"), Mulberry::new(seed))
    };
    report_idle(&path.display().to_string(), begin);
}

/// Prints the memory of sessions in mid-match: the match, and what each viewer has received.
pub(crate) fn report_sessions(name: &str, path: &Path) {
    let first = any_ruleset::first_match(any_ruleset::program(path));
    let (mut sizes, mut count) = ([0, 0], 0);
    for seed in 1..=SAMPLE {
        let (setup, mut rng) = (any_ruleset::setup(first.program(), seed), Mulberry::new(seed));
        let before = live_bytes();
        let (mut session, _) = Session::start(first.program(), &setup).expect("the match starts");
        session.drop_history();
        let mut input = RandomDecider::new().input;
        for _ in 0..SESSION_ENTRIES {
            if !any_ruleset::decide(session.game(), &mut rng, &mut input) {
                break;
            }
            session.apply(&SessionEntry::Input(input.clone()), None).expect("a listed answer is legal");
        }
        drop(input);
        if session.game().is_over() {
            continue;
        }
        sizes[0] += live_bytes() - before + size_of::<Session>();
        session.compact();
        sizes[1] += live_bytes() - before + size_of::<Session>();
        count += 1;
    }
    let [uncompacted, compacted] = sizes.map(|size| size / count.max(1));
    println!("{name} live session: {uncompacted:7} bytes as the last entry left it, {compacted:6} compacted");
}

fn report_idle(name: &str, begin: impl Fn(u32) -> (Match, Mulberry)) {
    for (sizes, state) in idle_sizes(begin).iter().zip(["as the last input left it", "compacted"]) {
        let (mean, max) = (average(sizes), sizes.iter().max().copied().unwrap_or(0));
        println!("{name} idle match: {mean:6} bytes on average, {max:6} at most, {state}");
    }
}

fn average(sizes: &[usize]) -> usize {
    sizes.iter().sum::<usize>() / sizes.len().max(1)
}

/// Measures matches in mid-game. Returns their bytes as the last input left them, and compacted.
fn idle_sizes(begin: impl Fn(u32) -> (Match, Mulberry)) -> [Vec<usize>; 2] {
    let mut sizes: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    let mut decider = RandomDecider::new();
    let mut seed = 0;
    while sizes[0].len() < SAMPLE as usize && seed < 10 * SAMPLE {
        seed += 1;
        let before = live_bytes();
        let (mut current, rng) = begin(seed);
        if !decider.play(&mut current, rng) {
            continue;
        }
        sizes[0].push(live_bytes() - before + size_of::<Match>());
        current.compact();
        sizes[1].push(live_bytes() - before + size_of::<Match>());
    }
    sizes
}

fn report_many(name: &str, begin: impl Fn(u32) -> (Match, Mulberry)) {
    let (bytes, resident) = (live_bytes(), resident_bytes());
    let mut matches = Vec::with_capacity(MANY);
    let mut decider = RandomDecider::new();
    let mut seed = 0;
    while matches.len() < MANY {
        seed += 1;
        let (mut current, rng) = begin(seed);
        if decider.play(&mut current, rng) {
            current.compact();
            matches.push(current);
        }
    }
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    let (bytes, resident) = (live_bytes() - bytes, resident_bytes() - resident);
    println!(
        "{name} {MANY} live matches: {:.0} MiB allocated, {:.0} MiB resident",
        mib(bytes),
        mib(resident)
    );
}

/// A player that decides at random.
struct RandomDecider {
    input: Input,
}

impl RandomDecider {
    fn new() -> Self {
        let answer = Answer::Picks(Vec::with_capacity(64));
        let input = intermezzo_engine::InputId(0);
        RandomDecider { input: Input::Answer { input, seat: intermezzo_program::Seat(0), answer } }
    }

    /// Makes the first decisions of a match. Returns false if the match ends with them.
    fn play(&mut self, current: &mut Match, mut rng: Mulberry) -> bool {
        for _ in 0..DECISIONS {
            if !any_ruleset::decide(current, &mut rng, &mut self.input) {
                return false;
            }
            current.submit(&self.input, &mut EventLog::discard()).expect("a listed answer is legal");
        }
        !current.is_over()
    }
}

/// Returns the bytes on the heap of the whole process.
fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Returns the resident bytes of the process, or 0 if `/proc` cannot be read.
fn resident_bytes() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * PAGE
}
