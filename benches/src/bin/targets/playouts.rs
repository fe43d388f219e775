//! Playouts per second of the searching bot in mid-match, including all its surrounding work.

use std::path::Path;
use std::time::Instant;

use intermezzo_benches::any_ruleset::{self, RulesetPlayer};
use intermezzo_bots::Searcher;
use intermezzo_engine::{InputId, Match};

use crate::rounds::{fastest, ns_each};
use crate::table::Row;

const RULESETS: [&str; 3] = ["orcain", "mages", "skirmish"];
const ROUNDS: usize = 5;
/// Matches per ruleset, each a third of the way to its end.
const MATCHES: u32 = 8;
/// Playouts per question; the bot stops earlier if the best answer is clear.
const PLAYOUTS: u32 = 50;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    Ok(RULESETS.iter().map(|ruleset| row(ruleset)).collect())
}

fn row(ruleset: &str) -> Row {
    let questions = questions(ruleset);
    let [ns] = fastest(ROUNDS, [&mut || playout_ns(&questions)]);
    let measured = format!("{:.0} /s", 1e9 / ns);
    Row::plain(&format!("{ruleset}: `mcts` playouts"), measured)
}

fn questions(ruleset: &str) -> Vec<(Match, InputId)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets").join(ruleset);
    let mut player = RulesetPlayer::new(any_ruleset::program(&folder), false);
    let mut questions = Vec::new();
    for seed in 1..=MATCHES {
        let actions = player.run(seed);
        player.begin(seed);
        (0..actions / 3).for_each(|_| _ = player.step());
        let question = player.current().pending().find(|pending| pending.answer_count() > 1);
        questions.extend(question.map(|pending| (player.current().clone(), pending.id())));
    }
    questions
}

fn playout_ns(questions: &[(Match, InputId)]) -> f64 {
    let mut playouts = 0;
    let start = Instant::now();
    for (game, input) in questions {
        let mut count = 0;
        Searcher::new(1).answer(game, *input, &mut |playouts| {
            count = playouts;
            playouts < PLAYOUTS
        });
        playouts += u64::from(count);
    }
    ns_each(start.elapsed(), playouts)
}
