//! Trees of small matches: every way in which a few sampled matches can go on, and what each seat knows on the way.
//!
//! A *deal* is a match from its beginning, with a seed for everything that chance decides. In each deal all answers to
//! all questions are tried. Decisions of a seat that sees the same in different deals belong to the same
//! *situation*: there it has to act alike, because it cannot tell them apart.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use intermezzo_engine::{Answer, EventLog, Input, Match, Observer, PendingQuestion, Seed, Viewer};
use intermezzo_program::Seat;

use crate::evaluation::evaluate;
use crate::random::Random;

/// Maximum number of answers to a question of a small match.
const MAX_ANSWERS: u64 = 8;
/// Maximum number of ways in which a match may go on, estimated from random play.
const MAX_WAYS: u64 = 20_000;
/// Number of random matches that are played for the estimate.
const TRIED_MATCHES: usize = 3;
/// Maximum number of nodes of a deal.
const MAX_NODES: usize = 2_000;
/// Maximum number of nodes of all deals.
const MAX_ALL_NODES: usize = 60_000;

/// Decisions and endings of the sampled deals.
#[derive(Debug)]
pub(crate) struct GameTree {
    pub(crate) seats: usize,
    pub(crate) nodes: Vec<TreeNode>,
    /// Values of endings, one for each seat.
    pub(crate) values: Vec<f64>,
    /// Nodes with which deals begin.
    pub(crate) roots: Vec<usize>,
    pub(crate) situations: Vec<KnownSituation>,
    known: BTreeMap<Knowledge, usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TreeNode {
    Decision {
        situation: usize,
        /// The node after the first answer; those after the others follow.
        first: usize,
    },
    /// The match is over. Its values begin here.
    Ending(usize),
}

/// All that a seat can tell apart when it is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownSituation {
    pub(crate) seat: usize,
    pub(crate) answers: usize,
    /// Index of its first answer among the answers of all situations.
    pub(crate) first: usize,
    /// Number of decisions that belong to it.
    pub(crate) decisions: usize,
}

/// Seat, and hash of its view and its questions.
type Knowledge = (Seat, u64);

/// The match is too large for a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

impl GameTree {
    /// Creates a tree without deals, after random play has shown that matches like this one are small.
    pub(crate) fn new(game: &Match, random: &mut Random) -> Option<GameTree> {
        let is_small = |_| start(game, random.next_number()).is_some_and(|begun| is_small(begun, random));
        let empty = || GameTree {
            seats: usize::from(game.board().seats()),
            nodes: Vec::new(),
            values: Vec::new(),
            roots: Vec::new(),
            situations: Vec::new(),
            known: BTreeMap::new(),
        };
        (0..TRIED_MATCHES).all(is_small).then(empty)
    }

    /// Adds a deal. The tree cannot be used after an error.
    pub(crate) fn add_deal(&mut self, game: &Match, seed: u64) -> Result<(), TooLarge> {
        let begun = start(game, seed).ok_or(TooLarge)?;
        let (root, limit) = (self.nodes.len(), self.nodes.len() + MAX_NODES);
        self.nodes.push(TreeNode::Ending(0));
        self.roots.push(root);
        self.expand(root, &begun, limit)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.nodes.len() < MAX_ALL_NODES
    }

    /// Returns the situation of a seat that is asked in a match.
    pub(crate) fn situation(&self, game: &Match, pending: &PendingQuestion<'_>) -> Option<&KnownSituation> {
        let situation = &self.situations[*self.known.get(&knowledge(game, pending))?];
        (situation.answers as u64 == pending.answer_count()).then_some(situation)
    }

    /// Returns the number of decisions per situation. If it is close to one, seats can tell nearly all deals apart, and
    /// the tree says nothing about what they do not know.
    pub(crate) fn decisions_per_situation(&self) -> usize {
        let decisions: usize = self.situations.iter().map(|situation| situation.decisions).sum();
        decisions / self.situations.len().max(1)
    }

    fn expand(&mut self, node: usize, game: &Match, limit: usize) -> Result<(), TooLarge> {
        let Some(pending) = game.pending().next() else {
            self.nodes[node] = TreeNode::Ending(self.values.len());
            self.values.extend((0..self.seats).map(|seat| evaluate(game, Seat(seat as u8)) as f64));
            return Ok(());
        };
        let (count, first) = (pending.answer_count(), self.nodes.len());
        if count == 0 || count > MAX_ANSWERS || first + count as usize > limit {
            return Err(TooLarge);
        }
        let situation = self.join_situation(game, &pending);
        self.nodes[node] = TreeNode::Decision { situation, first };
        self.nodes.extend((0..count).map(|_| TreeNode::Ending(0)));
        let mut copy = game.clone();
        for number in 0..count {
            copy.clone_from(game);
            submit(&mut copy, &pending, number).ok_or(TooLarge)?;
            self.expand(first + number as usize, &copy, limit)?;
        }
        Ok(())
    }

    /// Returns the situation to which a decision belongs, and counts the decision.
    fn join_situation(&mut self, game: &Match, pending: &PendingQuestion<'_>) -> usize {
        let next = self.situations.len();
        let found = *self.known.entry(knowledge(game, pending)).or_insert(next);
        if found == next {
            let first = self.situations.last().map_or(0, |last| last.first + last.answers);
            let (seat, answers) = (pending.seat().index(), pending.answer_count() as usize);
            self.situations.push(KnownSituation { seat, answers, first, decisions: 0 });
        }
        self.situations[found].decisions += 1;
        found
    }
}

/// Starts another match with the same seats and options.
fn start(game: &Match, seed: u64) -> Option<Match> {
    game.another(Seed::from_number(seed))
}

/// Plays at random. Returns false as soon as the match could have gone too many ways.
fn is_small(mut game: Match, random: &mut Random) -> bool {
    let mut ways: u64 = 1;
    loop {
        let before = game.clone();
        let Some(pending) = before.pending().next() else { return game.is_over() };
        let count = pending.answer_count();
        // A question with one answer counts, too: otherwise a match might never end.
        ways = ways.saturating_mul(count).max(ways + 1);
        if count == 0 || count > MAX_ANSWERS || ways > MAX_WAYS {
            return false;
        }
        if submit(&mut game, &pending, random.below(count)).is_none() {
            return false;
        }
    }
}

/// Gives an answer by its number.
fn submit(game: &mut Match, pending: &PendingQuestion<'_>, number: u64) -> Option<()> {
    let mut answer = Answer::Pass;
    if !pending.nth_answer(number, &mut answer) {
        return None;
    }
    let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
    game.submit(&input, &mut EventLog::discard()).ok()
}

/// Returns all that the asked seat knows: its view, its questions and how many questions have been asked, which tells most
/// courses of a match apart. It forgets what it has seen earlier and sees no longer.
fn knowledge(game: &Match, pending: &PendingQuestion<'_>) -> Knowledge {
    let (mut observer, seat) = (Observer::joining(game), pending.seat());
    let mut hasher = DefaultHasher::new();
    pending.id().0.hash(&mut hasher);
    observer.view(Viewer::Seat(seat)).hash(&mut hasher);
    observer.prompts(game, Viewer::Seat(seat)).hash(&mut hasher);
    (seat, hasher.finish())
}
