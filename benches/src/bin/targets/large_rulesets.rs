//! Large rulesets: time per input, and whole matches of a bot that looks one step ahead.

use std::path::Path;
use std::time::Instant;

use intermezzo_benches::any_ruleset::{self, RulesetPlayer};
use intermezzo_benches::large;
use intermezzo_bots::Greedy;
use intermezzo_engine::{EventLog, Input, Match, Seed, Setup};

use crate::rounds::{Contender, fastest, ns_each, ns_per_action};
use crate::table::{Row, Target};

const ROUNDS: usize = 5;
/// Matches of greedy bots per round.
const GREEDY_MATCHES: u32 = 4;
/// Greatest time per input of the large ruleset, in microseconds.
const MAX_INPUT_MICROS: f64 = 15.0;
/// Least number of its matches per second between greedy bots.
const MIN_GREEDY_MATCHES: f64 = 20.0;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = ["mages", "skirmish"].map(bundled_row).into();
    let mut player = RulesetPlayer::new(large::program(), false).with_options(large::options());
    let micros = input_micros(&mut player);
    rows.push(Row {
        target: Target::at_most(MAX_INPUT_MICROS, micros, " µs"),
        ..Row::plain("large: input", format!("{micros:.2} µs"))
    });
    let [ns] = fastest(ROUNDS, [&mut || greedy_match_ns(player.current())]);
    let per_second = 1e9 / ns;
    rows.push(Row {
        target: Target::at_least(MIN_GREEDY_MATCHES, per_second, " /s"),
        ..Row::plain("large: matches of `greedy` bots", format!("{per_second:.1} /s"))
    });
    Ok(rows)
}

fn bundled_row(name: &str) -> Row {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(name);
    let micros = input_micros(&mut RulesetPlayer::new(any_ruleset::program(&folder), false));
    Row::plain(&format!("{name}: input"), format!("{micros:.2} µs"))
}

fn input_micros(player: &mut RulesetPlayer) -> f64 {
    let [ns] = ns_per_action(ROUNDS, [Contender { matches: 1, play: &mut |seed| player.run(seed) }]);
    ns / 1000.0
}

/// Returns the nanoseconds of a match in which greedy bots decide for all seats.
fn greedy_match_ns(first: &Match) -> f64 {
    let (mut log, mut state) = (EventLog::discard(), first.clone());
    let start = Instant::now();
    for seed in 1..=GREEDY_MATCHES {
        let setup = any_ruleset::setup(state.program(), seed);
        let setup = Setup { options: large::options(), seed: Seed::from_number(u64::from(seed)), ..setup };
        state.restart(&setup, &mut log).expect("the match starts");
        let mut bot = Greedy::new(u64::from(seed));
        loop {
            let open = state.pending().next().map(|open| (open.id(), open.seat()));
            let Some((input, seat)) = open else { break };
            let answer = bot.answer(&state, input).expect("an open question has an answer");
            state.submit(&Input::Answer { input, seat, answer }, &mut log).expect("the answer is legal");
        }
    }
    ns_each(start.elapsed(), u64::from(GREEDY_MATCHES))
}
