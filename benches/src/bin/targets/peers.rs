//! The same matches in JavaScript: by hand, and with boardgame.io as it is used without a server.

use std::path::Path;
use std::process::Command;

use intermezzo_benches::{duel, minitcg, twins};

use crate::rounds::{Contender, ns_per_action};
use crate::table::{Row, Target};
use crate::versus::{CARD_GAMES, DUELS};

/// Rounds of ours before a peer plays, and again after it.
const ROUNDS: usize = 10;
/// Rounds of a peer.
const PEER_ROUNDS: &str = "10";

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut cards = minitcg::Player::new(&minitcg::program(), false);
    let mut run = |seed| cards.run(seed);
    let ours = Contender { matches: CARD_GAMES, play: &mut run };
    let peers = Peers { game: "minitcg", matches: "100", digest: twins::minitcg::digest(1..=1000) };
    let mut rows = compare(ours, &peers, 100.0)?;

    let mut duels = duel::Player::new(&duel::program(), false);
    let mut run = |seed| duels.run(seed);
    let ours = Contender { matches: DUELS, play: &mut run };
    let peers = Peers { game: "duel", matches: "1000", digest: twins::duel::digest(1..=1000) };
    rows.extend(compare(ours, &peers, 80.0)?);
    Ok(rows)
}

/// How many times as long the peers take for an action; the target is for the reducer.
fn compare(mut ours: Contender<'_>, peers: &Peers, least: f64) -> Result<Vec<Row>, String> {
    let [before] = ns_per_action(ROUNDS, [ours.again()]);
    let [plain, reducer, client] = peers.play()?;
    let [after] = ns_per_action(ROUNDS, [ours]);
    let row = |who: &str, ns: f64, least: Option<f64>| {
        let times = ns / before.min(after);
        Row {
            figure: format!("{}: an action {who}", peers.game),
            measured: format!("{ns:.1} ns"),
            compared: format!("{times:.1}× the ruleset"),
            target: least.and_then(|least| Target::at_least(least, times, "×")),
        }
    };
    Ok(vec![
        row("in plain JavaScript", plain, None),
        row("of boardgame.io's reducer", reducer, Some(least)),
        row("of boardgame.io's client", client, None),
    ])
}

/// A game in JavaScript.
struct Peers {
    game: &'static str,
    /// How many matches are timed.
    matches: &'static str,
    /// What all of them have to come to.
    digest: u32,
}

impl Peers {
    /// Nanoseconds for an action in each way to play, after their digests have been compared.
    fn play(&self) -> Result<[f64; 3], String> {
        let played = Command::new("node")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("server"))
            .args(["local/main.mjs", self.game, self.matches, PEER_ROUNDS])
            .env("NODE_ENV", "production")
            .output()
            .map_err(|error| format!("`node` cannot be run: {error}"))?;
        if !played.status.success() {
            let told = String::from_utf8_lossy(&played.stderr).into_owned();
            return Err(format!("`cargo xtask bench` installs what is missing: {told}"));
        }
        let told = String::from_utf8_lossy(&played.stdout).into_owned();
        let times: Vec<f64> = told.lines().map(|line| self.read(line)).collect::<Result<_, _>>()?;
        times.try_into().map_err(|_| format!("three lines were expected, not `{told}`"))
    }

    /// A line of theirs: the way, its digest, its time.
    fn read(&self, line: &str) -> Result<f64, String> {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let &[way, found, ns] = &parts[..] else { return Err(format!("`{line}` says nothing")) };
        let Peers { game, digest, .. } = self;
        if found != format!("{digest:08x}") {
            return Err(format!(
                "`{way}` plays another {game} than the twin: {found} instead of {digest:08x}"
            ));
        }
        ns.parse().map_err(|_| format!("`{ns}` is not a time"))
    }
}
