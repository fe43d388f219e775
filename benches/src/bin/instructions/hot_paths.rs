//! The hot paths of matches. Each prepares itself, then repeats one operation while its instructions are counted. Reused
//! memory is warmed up first, because first uses are not hot.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use intermezzo_benches::{any_ruleset, duel, large, midgame, minitcg};
use intermezzo_engine::{Board, EventLog, LogFold, Match, Observer, Setup, Viewer};
use intermezzo_program::Seat;

use crate::served_match::ServedMatch;

/// A hot path by its name. It calls [`collect_instructions`] once and returns the number of repetitions.
type HotPath = (&'static str, fn() -> u64);

const HOT_PATHS: &[HotPath] = &[
    ("minitcg-beginning", start_minitcg),
    ("skirmish-beginning", start_skirmish),
    ("minitcg-action", || play_minitcg(false)),
    ("minitcg-action-logged", || play_minitcg(true)),
    ("duel-action", || play_duel(false)),
    ("duel-action-logged", || play_duel(true)),
    ("mages-action", || play_ruleset("mages", RULESET_MATCHES)),
    ("skirmish-action", || play_ruleset("skirmish", 1)),
    ("large-action", play_large),
    ("copy", copy_match),
    ("try-out", preview_input),
    ("fold-of-an-event", fold_event),
    ("telling-an-event", observe_event),
    ("view-of-a-seat", view_seat),
    ("duel-move-served", || serve_moves("orcain", DUELS)),
    ("mages-move-served", || serve_moves("mages", RULESET_MATCHES)),
    ("checking-a-ruleset", compile_ruleset),
];

const MATCHES: u32 = 6;
const DUELS: u32 = 40;
const RULESET_MATCHES: u32 = 3;
const POSITIONS: usize = 16;
/// Decisions before a match is observed.
const DECISIONS: u32 = 60;

/// Returns the names of all hot paths.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HOT_PATHS.iter().map(|(name, _)| *name)
}

/// Runs the hot path of this name. Returns the number of repetitions, or `None` if the name is unknown.
pub(crate) fn run(name: &str) -> Option<u64> {
    let (_, run) = HOT_PATHS.iter().find(|(known, _)| *known == name)?;
    Some(run())
}

/// Runs the work whose instructions count: `valgrind` collects only while this function runs.
#[inline(never)]
fn collect_instructions(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

fn start_minitcg() -> u64 {
    let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), false);
    player.run(1);
    collect_instructions(&mut || {
        (1..=MATCHES).for_each(|seed| player.begin(seed));
        u64::from(MATCHES)
    })
}

/// Starts matches of Skirmish that differ only in their seed.
fn start_skirmish() -> u64 {
    let mut player =
        any_ruleset::RulesetPlayer::new(any_ruleset::program(&ruleset_folder("skirmish")), false);
    player.run(1);
    player.begin(1);
    collect_instructions(&mut || {
        (1..=MATCHES).for_each(|seed| player.begin(seed));
        u64::from(MATCHES)
    })
}

fn play_minitcg(logging: bool) -> u64 {
    let program = minitcg::program();
    let mut players: Vec<minitcg::MiniTcgPlayer> = (1..=MATCHES)
        .map(|seed| {
            let mut player = minitcg::MiniTcgPlayer::new(&program, logging);
            player.run(seed);
            player.begin(seed);
            player
        })
        .collect();
    collect_instructions(&mut || {
        players.iter_mut().map(|player| (0..).take_while(|_| player.step()).count() as u64).sum()
    })
}

fn play_duel(logging: bool) -> u64 {
    let mut player = duel::DuelPlayer::new(&duel::program(), logging);
    player.run(1);
    collect_instructions(&mut || (1..=DUELS).map(|seed| u64::from(player.run(seed))).sum())
}

/// Plays the matches of a bundled ruleset without a log.
fn play_ruleset(name: &str, matches: u32) -> u64 {
    let program = any_ruleset::program(&ruleset_folder(name));
    play_with(|| any_ruleset::RulesetPlayer::new(program.clone(), false), matches)
}

fn play_large() -> u64 {
    let program = large::program();
    let player = || any_ruleset::RulesetPlayer::new(program.clone(), false).with_options(large::options());
    play_with(player, RULESET_MATCHES)
}

/// Plays matches without counting their start.
fn play_with(player: impl Fn() -> any_ruleset::RulesetPlayer, matches: u32) -> u64 {
    let mut players: Vec<any_ruleset::RulesetPlayer> = (1..=matches)
        .map(|seed| {
            let mut player = player();
            player.run(seed);
            player.begin(seed);
            player
        })
        .collect();
    collect_instructions(&mut || {
        players.iter_mut().map(|player| (0..).take_while(|_| player.step()).count() as u64).sum()
    })
}

fn copy_match() -> u64 {
    let positions = midgame::positions(POSITIONS);
    let mut copy = positions[0].state.clone();
    let mut copy_all = || {
        for position in &positions {
            copy.clone_from(&position.state);
            black_box(&copy);
        }
        positions.len() as u64
    };
    copy_all();
    collect_instructions(&mut copy_all)
}

fn preview_input() -> u64 {
    let mut positions = midgame::positions(POSITIONS);
    let mut preview_all = || {
        let mut previews = 0;
        for position in &mut positions {
            for input in &position.inputs {
                black_box(position.state.preview(input, Match::is_over).expect("a listed answer is legal"));
                previews += 1;
            }
        }
        previews
    };
    preview_all();
    collect_instructions(&mut preview_all)
}

/// Plays MiniTCG matches to mid-game. Returns their setups and logs.
fn half_played_matches() -> Vec<(Setup, EventLog)> {
    let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), true);
    (1..=MATCHES)
        .map(|seed| {
            player.begin(seed);
            (0..DECISIONS).for_each(|_| assert!(player.step(), "the match is not over"));
            (minitcg::setup(seed).0, player.log().clone())
        })
        .collect()
}

fn fold_event() -> u64 {
    let (program, matches) = (minitcg::program(), half_played_matches());
    let mut boards: Vec<Board> =
        matches.iter().map(|(setup, _)| Board::new(&program, setup).expect("the match starts")).collect();
    let mut folder = LogFold::new(program);
    collect_instructions(&mut || {
        let mut folded = 0;
        for (board, (_, log)) in boards.iter_mut().zip(&matches) {
            for record in log.records() {
                folder.fold(board, log, record).expect("the log can be folded");
            }
            folded += log.len() as u64;
        }
        folded
    })
}

/// Returns a new observer for each match.
fn observers(matches: &[(Setup, EventLog)]) -> Vec<Observer> {
    let program = minitcg::program();
    let observer =
        |(setup, _): &(Setup, EventLog)| Observer::new(program.clone(), setup).expect("the match starts");
    matches.iter().map(observer).collect()
}

fn observe_event() -> u64 {
    let matches = half_played_matches();
    let mut observers = observers(&matches);
    collect_instructions(&mut || {
        let mut observed = 0;
        for (observer, (_, log)) in observers.iter_mut().zip(&matches) {
            observer.observe(log, 0, |_, event| drop(black_box(event))).expect("the log is from the start");
            observed += log.len() as u64;
        }
        observed
    })
}

fn view_seat() -> u64 {
    let matches = half_played_matches();
    let mut observers = observers(&matches);
    for (observer, (_, log)) in observers.iter_mut().zip(&matches) {
        observer.observe(log, 0, |_, event| drop(event)).expect("the log is from the start");
    }
    let mut view_all = || {
        for observer in &mut observers {
            drop(black_box(observer.view(Viewer::Seat(Seat(0)))));
        }
        observers.len() as u64
    };
    view_all();
    collect_instructions(&mut view_all)
}

fn serve_moves(name: &str, matches: u32) -> u64 {
    let program = any_ruleset::program(&ruleset_folder(name));
    let mut matches: Vec<ServedMatch> =
        (1..=matches).map(|seed| ServedMatch::record(&program, seed)).collect();
    // Measured after the first moves, when caches are filled.
    matches.iter_mut().for_each(ServedMatch::warm_up);
    collect_instructions(&mut || matches.iter_mut().map(ServedMatch::serve_all).sum())
}

fn ruleset_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(name)
}

fn compile_ruleset() -> u64 {
    collect_instructions(&mut || {
        black_box(minitcg::program());
        1
    })
}
