//! What live matches occupy: one waiting in mid-game, and very many in one process.

use std::path::Path;

use intermezzo_benches::twins::mulberry::Mulberry;
use intermezzo_benches::{any, minitcg};
use intermezzo_desk::{Desk, Entry};
use intermezzo_engine::{Answer, Input, Log, Match};

use crate::ALLOCATOR;

/// Decisions taken before a match is looked at: about half of a usual one.
const DECISIONS: u32 = 60;
/// Entries taken before a desk is looked at.
const DESK_ENTRIES: u32 = 12;
/// Matches looked at one by one.
const SAMPLE: u32 = 200;
/// Matches alive at the same time.
const MANY: usize = 100_000;

/// The figures of the card game.
pub(crate) fn report_minitcg() {
    let begin = minitcg_matches();
    report_idle("minitcg", &begin);
    report_many("minitcg", begin);
}

/// Bytes of a match of the card game that waits and has given back its memory, on average.
pub(crate) fn idle_minitcg() -> usize {
    average(&idle_sizes(minitcg_matches())[1])
}

/// Begins the match of the card game with a seed.
fn minitcg_matches() -> impl Fn(u32) -> (Match, Mulberry) {
    let mut log = Log::discard();
    let (setup, _) = minitcg::setup(1);
    let first = Match::start(minitcg::program(), &setup, &mut log).expect("the match begins");
    move |seed| {
        let (setup, rng) = minitcg::setup(seed);
        let begun = first.start_another(&setup, &mut Log::discard());
        (begun.expect("the match begins"), rng)
    }
}

/// The figures of a ruleset, played with what it says itself about options.
pub(crate) fn report_ruleset(path: &Path) {
    let first = any::first(any::program(path));
    let begin = |seed: u32| {
        let begun = first.start_another(&any::setup(first.program(), seed), &mut Log::discard());
        (begun.expect("the match begins"), Mulberry::new(seed))
    };
    report_idle(&path.display().to_string(), begin);
}

/// The figures of desks in mid-match: the match, what its viewers have been told and have before them.
pub(crate) fn report_desks(name: &str, path: &Path) {
    let first = any::first(any::program(path));
    let (mut sizes, mut count) = ([0, 0], 0);
    for seed in 1..=SAMPLE {
        let (setup, mut rng) = (any::setup(first.program(), seed), Mulberry::new(seed));
        let before = live_bytes();
        let (mut desk, _) = Desk::open(first.program(), &setup).expect("the match begins");
        desk.forget_past();
        let mut input = Player::new().input;
        for _ in 0..DESK_ENTRIES {
            if !any::decide(desk.playing(), &mut rng, &mut input) {
                break;
            }
            desk.take(&Entry::Input(input.clone()), None).expect("a listed answer is legal");
        }
        drop(input);
        if desk.playing().is_over() {
            continue;
        }
        sizes[0] += live_bytes() - before + size_of::<Desk>();
        desk.compact();
        sizes[1] += live_bytes() - before + size_of::<Desk>();
        count += 1;
    }
    let [awake, resting] = sizes.map(|size| size / count.max(1));
    println!("{name} live desk: {awake:7} bytes as the last entry left it, {resting:6} compacted");
}

fn report_idle(name: &str, begin: impl Fn(u32) -> (Match, Mulberry)) {
    for (sizes, how) in idle_sizes(begin).iter().zip(["as the last input left it", "compacted"]) {
        let (usual, most) = (average(sizes), sizes.iter().max().copied().unwrap_or(0));
        println!("{name} idle match: {usual:6} bytes on average, {most:6} at most, {how}");
    }
}

fn average(sizes: &[usize]) -> usize {
    sizes.iter().sum::<usize>() / sizes.len().max(1)
}

/// The bytes of some matches in mid-game: as the last input left them, and compacted.
fn idle_sizes(begin: impl Fn(u32) -> (Match, Mulberry)) -> [Vec<usize>; 2] {
    let mut sizes: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    let mut player = Player::new();
    let mut seed = 0;
    while sizes[0].len() < SAMPLE as usize && seed < 10 * SAMPLE {
        seed += 1;
        let before = live_bytes();
        let (mut played, rng) = begin(seed);
        if !player.play(&mut played, rng) {
            continue;
        }
        sizes[0].push(live_bytes() - before + size_of::<Match>());
        played.compact();
        sizes[1].push(live_bytes() - before + size_of::<Match>());
    }
    sizes
}

fn report_many(name: &str, begin: impl Fn(u32) -> (Match, Mulberry)) {
    let (bytes, resident) = (live_bytes(), resident_bytes());
    let mut matches = Vec::with_capacity(MANY);
    let mut player = Player::new();
    let mut seed = 0;
    while matches.len() < MANY {
        seed += 1;
        let (mut played, rng) = begin(seed);
        if player.play(&mut played, rng) {
            played.compact();
            matches.push(played);
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

/// Takes decisions at random.
struct Player {
    input: Input,
}

impl Player {
    fn new() -> Self {
        let answer = Answer::Picks(Vec::with_capacity(64));
        let input = intermezzo_engine::InputId(0);
        Player { input: Input::Answer { input, seat: intermezzo_ruleset::Seat(0), answer } }
    }

    /// Plays the first decisions of a match. False if it is over by then.
    fn play(&mut self, played: &mut Match, mut rng: Mulberry) -> bool {
        for _ in 0..DECISIONS {
            if !any::decide(played, &mut rng, &mut self.input) {
                return false;
            }
            played.submit(&self.input, &mut Log::discard()).expect("a listed answer is legal");
        }
        !played.is_over()
    }
}

/// Bytes on the heap of the whole process.
fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Bytes of the process in memory, where the system tells.
fn resident_bytes() -> usize {
    const PAGE: usize = 4096;
    let told = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = told.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * PAGE
}
