//! Random play, legal answers found for each decision: rulesets against their hand-written twins.

use intermezzo_benches::{duel, minitcg, twins};

use crate::rounds::{Contender, ns_per_action};
use crate::table::{Row, Target};

const ROUNDS: usize = 40;
/// Matches of a ruleset at a time; twins play ten times as many.
pub(crate) const DUELS: u32 = 200;
pub(crate) const CARD_GAMES: u32 = 5;

const DIGEST: std::ops::RangeInclusive<u32> = 1..=1000;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    same_digest("minitcg", twins::minitcg::digest(DIGEST), minitcg::digest(DIGEST))?;
    same_digest("duel", twins::duel::digest(DIGEST), duel::digest(DIGEST))?;
    let mut rows = card_game();
    rows.extend(duels());
    Ok(rows)
}

fn card_game() -> Vec<Row> {
    let program = minitcg::program();
    let mut moves = Vec::new();
    let mut silent = minitcg::Player::new(&program, false);
    let mut logged = minitcg::Player::new(&program, true);
    let mut twin = |seed| twins::minitcg::play_with(seed, &mut moves).actions;
    let [twin, silent, logged] = ns_per_action(
        ROUNDS,
        [
            Contender { matches: 10 * CARD_GAMES, play: &mut twin },
            Contender { matches: CARD_GAMES, play: &mut |seed| silent.run(seed) },
            Contender { matches: CARD_GAMES, play: &mut |seed| logged.run(seed) },
        ],
    );
    vec![
        Row::plain("minitcg: an action of the twin", format!("{twin:.1} ns")),
        against("minitcg: an action of the ruleset", silent, twin, Some(8.0)),
        against("minitcg: the same, log kept", logged, twin, None),
    ]
}

fn duels() -> Vec<Row> {
    let program = duel::program();
    let mut silent = duel::Player::new(&program, false);
    let mut logged = duel::Player::new(&program, true);
    let [twin, silent, logged] = ns_per_action(
        ROUNDS,
        [
            Contender { matches: 10 * DUELS, play: &mut |seed| twins::duel::play(seed).actions },
            Contender { matches: DUELS, play: &mut |seed| silent.run(seed) },
            Contender { matches: DUELS, play: &mut |seed| logged.run(seed) },
        ],
    );
    vec![
        Row::plain("duel: an action of the twin", format!("{twin:.1} ns")),
        against("duel: an action of the ruleset", silent, twin, Some(20.0)),
        against("duel: the same, log kept", logged, twin, None),
    ]
}

fn against(figure: &str, ns: f64, twin: f64, most: Option<f64>) -> Row {
    let times = ns / twin;
    let target = most.and_then(|most| Target::at_most(most, times, "×"));
    let compared = format!("{times:.1}× the twin");
    Row { figure: figure.to_owned(), measured: format!("{ns:.1} ns"), compared, target }
}

fn same_digest(game: &str, twin: u32, ruleset: u32) -> Result<(), String> {
    if twin == ruleset {
        return Ok(());
    }
    Err(format!("the ruleset plays another {game} than its twin: {ruleset:08x} instead of {twin:08x}"))
}
