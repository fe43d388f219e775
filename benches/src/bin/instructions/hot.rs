//! What matches spend their time on. Each hot path prepares itself, then does the same thing some times while it is counted.
//! Memory that is used again and again was used before: first times are not what is hot.

use std::hint::black_box;

use intermezzo_benches::{duel, midgame, minitcg};
use intermezzo_engine::{Board, Folder, Log, Match, Setup, Viewer, Witness};
use intermezzo_ruleset::Seat;

/// A hot path by its name. It is run in [`counted`], once, and gives how often the same thing was done.
type HotPath = (&'static str, fn() -> u64);

const HOT_PATHS: &[HotPath] = &[
    ("minitcg-beginning", minitcg_beginning),
    ("minitcg-action", minitcg_action),
    ("duel-action", duel_action),
    ("copy", copy),
    ("try-out", try_out),
    ("fold-of-an-event", fold_of_an_event),
    ("telling-an-event", telling_an_event),
    ("view-of-a-seat", view_of_a_seat),
    ("checking-a-ruleset", checking_a_ruleset),
];

const MATCHES: u32 = 6;
const DUELS: u32 = 40;
const POSITIONS: usize = 16;
/// Decisions taken before somebody looks at a match.
const DECISIONS: u32 = 60;

/// The names of all hot paths.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HOT_PATHS.iter().map(|(name, _)| *name)
}

/// Runs one; gives how often it did what it does. Nothing if there is none of that name.
pub(crate) fn run(name: &str) -> Option<u64> {
    let (_, run) = HOT_PATHS.iter().find(|(known, _)| *known == name)?;
    Some(run())
}

/// All that is counted happens in here, so that `valgrind` knows when.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

fn minitcg_beginning() -> u64 {
    let mut player = minitcg::Player::new(&minitcg::program(), false);
    player.run(1);
    counted(&mut || {
        (1..=MATCHES).for_each(|seed| player.begin(seed));
        u64::from(MATCHES)
    })
}

fn minitcg_action() -> u64 {
    let program = minitcg::program();
    let mut players: Vec<minitcg::Player> = (1..=MATCHES)
        .map(|seed| {
            let mut player = minitcg::Player::new(&program, false);
            player.run(seed);
            player.begin(seed);
            player
        })
        .collect();
    counted(&mut || players.iter_mut().map(|player| (0..).take_while(|_| player.step()).count() as u64).sum())
}

fn duel_action() -> u64 {
    let mut player = duel::Player::new(&duel::program(), false);
    player.run(1);
    counted(&mut || (1..=DUELS).map(|seed| u64::from(player.run(seed))).sum())
}

fn copy() -> u64 {
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
    counted(&mut copy_all)
}

fn try_out() -> u64 {
    let mut positions = midgame::positions(POSITIONS);
    let mut try_all = || {
        let mut tried = 0;
        for position in &mut positions {
            for input in &position.inputs {
                black_box(position.state.try_out(input, Match::is_over).expect("a listed answer is legal"));
                tried += 1;
            }
        }
        tried
    };
    try_all();
    counted(&mut try_all)
}

/// Matches of the card game up to the middle, with their logs.
fn begun_matches() -> Vec<(Setup, Log)> {
    let mut player = minitcg::Player::new(&minitcg::program(), true);
    (1..=MATCHES)
        .map(|seed| {
            player.begin(seed);
            (0..DECISIONS).for_each(|_| assert!(player.step(), "the match goes on"));
            (minitcg::setup(seed).0, player.log().clone())
        })
        .collect()
}

fn fold_of_an_event() -> u64 {
    let (program, matches) = (minitcg::program(), begun_matches());
    let mut boards: Vec<Board> =
        matches.iter().map(|(setup, _)| Board::new(&program, setup).expect("the match begins")).collect();
    let mut folder = Folder::new(program);
    counted(&mut || {
        let mut folded = 0;
        for (board, (_, log)) in boards.iter_mut().zip(&matches) {
            for record in log.records() {
                folder.fold(board, log, record).expect("what was logged can be folded");
            }
            folded += log.len() as u64;
        }
        folded
    })
}

/// Somebody who has seen nothing yet, for each match.
fn witnesses(matches: &[(Setup, Log)]) -> Vec<Witness> {
    let program = minitcg::program();
    let witness = |(setup, _): &(Setup, Log)| Witness::new(program.clone(), setup).expect("the match begins");
    matches.iter().map(witness).collect()
}

fn telling_an_event() -> u64 {
    let matches = begun_matches();
    let mut witnesses = witnesses(&matches);
    counted(&mut || {
        let mut told = 0;
        for (witness, (_, log)) in witnesses.iter_mut().zip(&matches) {
            witness.observe(log, 0, |_, event| drop(black_box(event))).expect("the log is from the start");
            told += log.len() as u64;
        }
        told
    })
}

fn view_of_a_seat() -> u64 {
    let matches = begun_matches();
    let mut witnesses = witnesses(&matches);
    for (witness, (_, log)) in witnesses.iter_mut().zip(&matches) {
        witness.observe(log, 0, |_, event| drop(event)).expect("the log is from the start");
    }
    let mut view_all = || {
        for witness in &mut witnesses {
            drop(black_box(witness.view(Viewer::Seat(Seat(0)))));
        }
        witnesses.len() as u64
    };
    view_all();
    counted(&mut view_all)
}

fn checking_a_ruleset() -> u64 {
    counted(&mut || {
        black_box(minitcg::program());
        1
    })
}
