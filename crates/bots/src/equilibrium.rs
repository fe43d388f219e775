//! Near-optimal play of small matches with hidden information: a [tree](crate::game_tree) of sampled deals is
//! solved by CFR+ (counterfactual regret minimisation: Zinkevich et al., 2007; Tammelin, 2014).
//!
//! Every situation has a mixed strategy. In each iteration, a seat compares what each answer would have won with what its
//! strategy wins, and gives more weight to answers that it regrets not having given. The average of all strategies
//! approaches an equilibrium: with two seats, a player who knows it wins nothing from it on average.
//!
//! Because deals start at the beginning, the strategy takes into account what the answers of others say about what they
//! hide, and hides what it holds itself.

use intermezzo_engine::{Answer, Match, PendingQuestion};

use crate::game_tree::{GameTree, KnownSituation, TreeNode};
use crate::random::Random;

/// Maximum number of deals.
const MAX_DEALS: u32 = 400;
/// Deals that cost as much as one playout of the search.
const DEALS_PER_PLAYOUT: u32 = 2;
/// Number of deals after which it is clear whether situations occur in several of them.
const FIRST_DEALS: u32 = 16;
/// Minimum number of decisions per situation after the first deals.
const MIN_DECISIONS: usize = 2;
/// Number of iterations …
const ITERATIONS: u32 = 80;
/// … and of those at the beginning that do not count for the average, because they are far from the result.
const UNCOUNTED: u32 = 20;
/// Answers that are rarer than this are left out: they remain from early iterations.
const RARE: f64 = 0.02;

/// Returns an answer of the mixed strategy of the asked seat; `None` if the match is not small enough to be solved, or
/// the situation does not occur in the sampled deals. `has_budget` is called with the number of playouts that the deals count for.
pub(crate) fn solved_answer(
    game: &Match,
    pending: &PendingQuestion<'_>,
    random: &mut Random,
    has_budget: &mut dyn FnMut(u32) -> bool,
) -> Option<Answer> {
    let mut tree = GameTree::new(game, random)?;
    let mut deals = 0;
    while deals < MAX_DEALS && tree.has_room() && (deals == 0 || has_budget(deals / DEALS_PER_PLAYOUT)) {
        tree.add_deal(game, random.next_number()).ok()?;
        deals += 1;
        if deals == FIRST_DEALS && tree.decisions_per_situation() < MIN_DECISIONS {
            return None;
        }
    }
    let situation = *tree.situation(game, pending)?;
    let mut solver = Solver::new(&tree);
    for iteration in 1..=ITERATIONS {
        solver.iterate(iteration);
    }
    let mut answer = Answer::Pass;
    let number = pick(&solver.average(&situation), random);
    pending.nth_answer(number as u64, &mut answer).then_some(answer)
}

/// Strategies and regrets, by answer of each situation.
struct Solver<'a> {
    tree: &'a GameTree,
    regrets: Vec<f64>,
    /// Changes of regrets in the current iteration.
    changes: Vec<f64>,
    strategy: Vec<f64>,
    totals: Vec<f64>,
    /// Probability that the updated seat plays to a situation, in the current iteration.
    own_reach: Vec<f64>,
}

impl<'a> Solver<'a> {
    fn new(tree: &'a GameTree) -> Solver<'a> {
        let answers = tree.situations.last().map_or(0, |last| last.first + last.answers);
        let zeros = || vec![0.0; answers];
        let own_reach = vec![0.0; tree.situations.len()];
        Solver { tree, regrets: zeros(), changes: zeros(), strategy: zeros(), totals: zeros(), own_reach }
    }

    /// Updates every seat once.
    fn iterate(&mut self, iteration: u32) {
        let tree = self.tree;
        let weight = f64::from(iteration.saturating_sub(UNCOUNTED));
        for seat in 0..tree.seats {
            self.match_regrets();
            for root in &tree.roots {
                self.walk(*root, seat, 1.0, 1.0);
            }
            for (at, situation) in tree.situations.iter().enumerate().filter(|(_, own)| own.seat == seat) {
                let reach = std::mem::take(&mut self.own_reach[at]);
                for answer in situation.first..situation.first + situation.answers {
                    self.totals[answer] += weight * reach * self.strategy[answer];
                    let change = std::mem::take(&mut self.changes[answer]);
                    self.regrets[answer] = (self.regrets[answer] + change).max(0.0);
                }
            }
        }
    }

    /// Sets the strategies in proportion to the regrets.
    fn match_regrets(&mut self) {
        for situation in &self.tree.situations {
            let answers = situation.first..situation.first + situation.answers;
            let total: f64 = self.regrets[answers.clone()].iter().sum();
            for answer in answers {
                self.strategy[answer] =
                    if total > 0.0 { self.regrets[answer] / total } else { 1.0 / situation.answers as f64 };
            }
        }
    }

    /// Returns what a seat wins from a node on. `own` is the probability that its own strategy leads here, `others` that
    /// the strategies of the others do.
    fn walk(&mut self, node: usize, seat: usize, own: f64, others: f64) -> f64 {
        let (situation, first) = match self.tree.nodes[node] {
            TreeNode::Ending(values) => return self.tree.values[values + seat],
            TreeNode::Decision { situation, first } => (situation, first),
        };
        let KnownSituation { seat: asked, answers, first: place, .. } = self.tree.situations[situation];
        if asked != seat {
            let mut value = 0.0;
            for number in 0..answers {
                let chance = self.strategy[place + number];
                if chance > 0.0 {
                    value += chance * self.walk(first + number, seat, own, others * chance);
                }
            }
            return value;
        }
        self.own_reach[situation] = own;
        let mut value = 0.0;
        for number in 0..answers {
            let chance = self.strategy[place + number];
            let won = self.walk(first + number, seat, own * chance, others);
            self.changes[place + number] += others * won;
            value += chance * won;
        }
        for number in 0..answers {
            self.changes[place + number] -= others * value;
        }
        value
    }

    /// Returns how often each answer is to be given.
    fn average(&self, situation: &KnownSituation) -> Vec<f64> {
        let totals = &self.totals[situation.first..situation.first + situation.answers];
        let total: f64 = totals.iter().sum();
        let shares = totals.iter().map(|own| if total > 0.0 { own / total } else { 1.0 });
        shares.map(|share| if share < RARE { 0.0 } else { share }).collect()
    }
}

/// Returns the index of a random answer with these weights.
fn pick(weights: &[f64], random: &mut Random) -> usize {
    const STEPS: u64 = 1 << 32;
    let total: f64 = weights.iter().sum();
    let mut left = random.below(STEPS) as f64 / STEPS as f64 * total;
    for (number, weight) in weights.iter().enumerate() {
        if left < *weight {
            return number;
        }
        left -= weight;
    }
    weights.len().saturating_sub(1)
}
