//! How quickly a bot that searches thinks: its playings, in the midst of matches, with all it does around them.

use std::path::Path;
use std::time::Instant;

use intermezzo_benches::any::{self, Player};
use intermezzo_bots::Searcher;
use intermezzo_engine::{InputId, Match};

use crate::rounds::{fastest, ns_each};
use crate::table::Row;

const RULESETS: [&str; 3] = ["orcain", "mages", "skirmish"];
const ROUNDS: usize = 5;
/// Matches that are looked at, each a third of its way from the beginning.
const MATCHES: u32 = 8;
/// Playings for each answer; fewer where that is enough to see which one is best.
const PLAYINGS: u32 = 50;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    Ok(RULESETS.iter().map(|ruleset| row(ruleset)).collect())
}

fn row(ruleset: &str) -> Row {
    let questions = questions(ruleset);
    let [playing] = fastest(ROUNDS, [&mut || playing_ns(&questions)]);
    let measured = format!("{:.0} /s", 1e9 / playing);
    Row::plain(&format!("{ruleset}: playings of `mcts`"), measured)
}

fn questions(ruleset: &str) -> Vec<(Match, InputId)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(ruleset);
    let mut player = Player::new(any::program(&folder), false);
    let mut questions = Vec::new();
    for seed in 1..=MATCHES {
        let actions = player.run(seed);
        player.begin(seed);
        (0..actions / 3).for_each(|_| _ = player.step());
        let asked = player.current().pending().find(|asked| asked.answer_count() > 1).map(|asked| asked.id());
        questions.extend(asked.map(|asked| (player.current().clone(), asked)));
    }
    questions
}

fn playing_ns(questions: &[(Match, InputId)]) -> f64 {
    let mut playings = 0;
    let start = Instant::now();
    for (game, input) in questions {
        let mut so_far = 0;
        Searcher::new(1).answer(game, *input, &mut |playings| {
            so_far = playings;
            playings < PLAYINGS
        });
        playings += u64::from(so_far);
    }
    ns_each(start.elapsed(), playings)
}
