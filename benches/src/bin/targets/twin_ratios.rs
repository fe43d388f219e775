//! Random play of rulesets compared with their hand-written twins, including the search for legal answers.

use intermezzo_benches::{duel, minitcg, twins};

use crate::rounds::{Contender, ns_per_action};
use crate::table::{Row, Target};

const ROUNDS: usize = 40;
/// Duels of a ruleset per chunk; twins play ten times as many.
pub(crate) const DUELS: u32 = 200;
/// The same for MiniTCG.
pub(crate) const CARD_GAMES: u32 = 5;

const DIGEST_SEEDS: std::ops::RangeInclusive<u32> = 1..=1000;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    check_digest("minitcg", twins::minitcg::digest(DIGEST_SEEDS), minitcg::digest(DIGEST_SEEDS))?;
    check_digest("duel", twins::duel::digest(DIGEST_SEEDS), duel::digest(DIGEST_SEEDS))?;
    let mut rows = minitcg_rows();
    rows.extend(duel_rows());
    Ok(rows)
}

fn minitcg_rows() -> Vec<Row> {
    let program = minitcg::program();
    let mut moves = Vec::new();
    let mut unlogged = minitcg::MiniTcgPlayer::new(&program, false);
    let mut logged = minitcg::MiniTcgPlayer::new(&program, true);
    let mut twin = |seed| twins::minitcg::play_with(seed, &mut moves).actions;
    let [twin, unlogged, logged] = ns_per_action(
        ROUNDS,
        [
            Contender { matches: 10 * CARD_GAMES, play: &mut twin },
            Contender { matches: CARD_GAMES, play: &mut |seed| unlogged.run(seed) },
            Contender { matches: CARD_GAMES, play: &mut |seed| logged.run(seed) },
        ],
    );
    vec![
        Row::plain("minitcg: action, twin", format!("{twin:.1} ns")),
        compare("minitcg: action, ruleset", unlogged, twin, Some(8.0)),
        compare("minitcg: action, ruleset with log", logged, twin, None),
    ]
}

fn duel_rows() -> Vec<Row> {
    let program = duel::program();
    let mut unlogged = duel::DuelPlayer::new(&program, false);
    let mut logged = duel::DuelPlayer::new(&program, true);
    let [twin, unlogged, logged] = ns_per_action(
        ROUNDS,
        [
            Contender { matches: 10 * DUELS, play: &mut |seed| twins::duel::play(seed).actions },
            Contender { matches: DUELS, play: &mut |seed| unlogged.run(seed) },
            Contender { matches: DUELS, play: &mut |seed| logged.run(seed) },
        ],
    );
    vec![
        Row::plain("duel: action, twin", format!("{twin:.1} ns")),
        compare("duel: action, ruleset", unlogged, twin, Some(20.0)),
        compare("duel: action, ruleset with log", logged, twin, None),
    ]
}

fn compare(figure: &str, ns: f64, twin: f64, max: Option<f64>) -> Row {
    let times = ns / twin;
    let target = max.and_then(|max| Target::at_most(max, times, "×"));
    let relative = format!("{times:.1}× the twin");
    Row { figure: figure.to_owned(), measured: format!("{ns:.1} ns"), relative, target }
}

fn check_digest(game: &str, twin: u32, ruleset: u32) -> Result<(), String> {
    if twin == ruleset {
        return Ok(());
    }
    Err(format!(
        "the ruleset plays a different {game} than its twin: digest {ruleset:08x} instead of {twin:08x}"
    ))
}
