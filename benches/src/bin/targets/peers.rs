//! The same matches in JavaScript: hand-written, and with boardgame.io used without a server.

use std::path::Path;
use std::process::Command;

use intermezzo_benches::{duel, minitcg, twins};

use crate::rounds::{Contender, ns_per_action};
use crate::table::{Row, Target};
use crate::twin_ratios::{CARD_GAMES, DUELS};

/// Rounds of the engine before the peers play, and again after them.
const ROUNDS: usize = 10;
/// Rounds of each peer.
const PEER_ROUNDS: &str = "10";

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut cards = minitcg::MiniTcgPlayer::new(&minitcg::program(), false);
    let mut run = |seed| cards.run(seed);
    let ours = Contender { matches: CARD_GAMES, play: &mut run };
    let peers = Peers { game: "minitcg", matches: "100", digest: twins::minitcg::digest(1..=1000) };
    let mut rows = compare(ours, &peers, 100.0)?;

    let mut duels = duel::DuelPlayer::new(&duel::program(), false);
    let mut run = |seed| duels.run(seed);
    let ours = Contender { matches: DUELS, play: &mut run };
    let peers = Peers { game: "duel", matches: "1000", digest: twins::duel::digest(1..=1000) };
    rows.extend(compare(ours, &peers, 80.0)?);
    Ok(rows)
}

/// Measures how many times as long the peers take per action. `min` is the target for the reducer.
fn compare(mut ours: Contender<'_>, peers: &Peers, min: f64) -> Result<Vec<Row>, String> {
    let [before] = ns_per_action(ROUNDS, [ours.reborrow()]);
    let [plain, reducer, client] = peers.play()?;
    let [after] = ns_per_action(ROUNDS, [ours]);
    let row = |version: &str, ns: f64, min: Option<f64>| {
        let times = ns / before.min(after);
        Row {
            figure: format!("{}: action, {version}", peers.game),
            measured: format!("{ns:.1} ns"),
            relative: format!("{times:.1}× the ruleset"),
            target: min.and_then(|min| Target::at_least(min, times, "×")),
        }
    };
    Ok(vec![
        row("plain JavaScript", plain, None),
        row("boardgame.io reducer", reducer, Some(min)),
        row("boardgame.io client", client, None),
    ])
}

/// The JavaScript versions of a game.
struct Peers {
    game: &'static str,
    /// Number of timed matches.
    matches: &'static str,
    /// The digest that every version must produce.
    digest: u32,
}

impl Peers {
    /// Compares the digests and returns the nanoseconds per action of each version.
    fn play(&self) -> Result<[f64; 3], String> {
        let output = Command::new("node")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("server"))
            .args(["local/main.mjs", self.game, self.matches, PEER_ROUNDS])
            .env("NODE_ENV", "production")
            .output()
            .map_err(|error| format!("`node` cannot be run: {error}"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("node failed; `cargo xtask bench` installs missing packages: {errors}"));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let times: Vec<f64> = text.lines().map(|line| self.read(line)).collect::<Result<_, _>>()?;
        times.try_into().map_err(|_| format!("expected three lines, not `{text}`"))
    }

    /// Reads a line of output: version, digest, nanoseconds per action.
    fn read(&self, line: &str) -> Result<f64, String> {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let &[version, found, ns] = &parts[..] else {
            return Err(format!("`{line}` is not a version, a digest and a time"));
        };
        let Peers { game, digest, .. } = self;
        if found != format!("{digest:08x}") {
            return Err(format!(
                "`{version}` plays a different {game} than the twin: digest {found} instead of {digest:08x}"
            ));
        }
        ns.parse().map_err(|_| format!("`{ns}` is not a time"))
    }
}
