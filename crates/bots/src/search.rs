//! A player who searches: Monte Carlo tree search over what it may take for possible.
//!
//! This is information-set search with one observer (Cowling, Powley and
//! Whitehouse, 2012). Every playing draws a match as it might be, goes down one tree
//! for all of them, and counts for each answer how often it was taken and how often
//! it could have been. Others who are asked at the same time as oneself are expected to
//! look one step ahead; where several are asked later on, each chooses by counts of their
//! own, not knowing what the others take.
//!
//! Nothing here depends on a clock: the caller says before every playing whether
//! there is to be another one.

use std::collections::BTreeMap;

use intermezzo_engine::{Answer, Imagination, Input, InputId, Log, Match, Seed};
use intermezzo_ruleset::{How, Seat};

use crate::candidates::candidates;
use crate::greedy::Greedy;
use crate::policy::at_random;
use crate::random::Random;
use crate::rating::Rating;
use crate::step::Step;

/// So many answers to the question at hand are looked at …
const MAX_TRIED: usize = 80;
/// … and so many to each question after it.
const MAX_NESTED: usize = 10;
/// So many different matches are drawn; later playings use them again with other chance.
const MAX_WORLDS: usize = 64;
/// The tree is gone down for so many questions.
const MAX_DEPTH: usize = 24;
/// The first playings only show how far things usually go up and down.
const LEARNING: u32 = 16;
/// How much an answer that was seldom taken counts against one that did well: the width of what is still open.
const CURIOSITY: f64 = 0.3;

/// A player who searches, the same for the same seed and the same number of playings.
#[derive(Clone, Debug)]
pub struct Searcher {
    random: Random,
}

/// What was seen of one answer.
#[derive(Clone, Copy, Debug)]
struct Edge {
    seat: Seat,
    sameness: u64,
    taken: u32,
    available: u32,
    /// How well it went for the seat, from 0 to `taken`.
    total: f64,
}

/// What was seen after the same answers.
#[derive(Clone, Debug, Default)]
struct Node {
    edges: Vec<Edge>,
    /// Places of the edges by seat and sameness.
    places: BTreeMap<(Seat, u64), usize>,
    next: BTreeMap<u64, usize>,
}

/// A search under way.
struct Search<'a> {
    imagination: &'a Imagination,
    worlds: Vec<Match>,
    nodes: Vec<Node>,
    rating: Rating,
    step: Step,
    /// Answers to the question at hand.
    tried: &'a [Answer],
    input: InputId,
    random: Random,
    /// The edges taken in this playing, with their nodes.
    path: Vec<(usize, usize)>,
    /// The number of the match that is played.
    world: usize,
    /// What others who are asked at the same time would answer in each match, if they look one step ahead.
    expected: BTreeMap<(usize, Seat), Option<Answer>>,
}

impl Searcher {
    /// A player with that seed.
    #[must_use]
    pub fn new(seed: u64) -> Searcher {
        Searcher { random: Random::new(seed) }
    }

    /// Begins again with another seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// The answer to an open question; nothing if it is not open or has no legal answer. `goes_on` is told before each
    /// playing how many there were, and says whether there is time for one more.
    pub fn answer(
        &mut self,
        game: &Match,
        input: InputId,
        goes_on: &mut dyn FnMut(u32) -> bool,
    ) -> Option<Answer> {
        let pending = game.pending().find(|pending| pending.id() == input)?;
        let tried = candidates(&pending, MAX_TRIED, &mut self.random);
        if tried.len() < 2 {
            return tried.into_iter().next().or_else(|| at_random(&pending, &mut self.random));
        }
        let imagination = game.imagination(pending.seat());
        let mut search = Search {
            imagination: &imagination,
            worlds: Vec::new(),
            nodes: vec![Node::default()],
            rating: Rating::new(),
            step: Step::new(&pending),
            tried: &tried,
            input,
            random: Random::new(self.random.next_number()),
            path: Vec::new(),
            world: 0,
            expected: BTreeMap::new(),
        };
        let mut playings = 0;
        let mut copy = game.clone();
        while goes_on(playings) {
            search.play(&mut copy);
            playings += 1;
            if playings == LEARNING {
                search.begin_again();
            }
        }
        let best = search.best().unwrap_or(0);
        Some(tried[best].clone())
    }
}

impl Search<'_> {
    /// Forgets all but what is usual, by which the first playings could not yet be rated.
    fn begin_again(&mut self) {
        self.nodes = vec![Node::default()];
        self.rating.has_learned();
    }

    /// One playing: down the tree, on from there, and back with what came of it.
    fn play(&mut self, copy: &mut Match) {
        self.draw(copy);
        self.path.clear();
        let mut at = 0;
        for depth in 0..MAX_DEPTH {
            let Some((next, is_new)) = self.descend(copy, at, depth == 0) else { break };
            at = next;
            if is_new {
                break;
            }
        }
        let mut random = Random::new(self.random.next_number());
        let worth = self.step.play_on(copy, &mut random, true);
        self.rating.learn(worth);
        let rate = self.rating.rate(worth);
        for (node, edge) in &self.path {
            let edge = &mut self.nodes[*node].edges[*edge];
            edge.taken += 1;
            edge.total += if edge.seat == self.step.seat { rate } else { 1.0 - rate };
        }
    }

    /// Makes the copy a match as it might be, with chance of its own.
    fn draw(&mut self, copy: &mut Match) {
        let seed = Seed::from_number(self.random.next_number());
        if self.worlds.len() < MAX_WORLDS {
            self.world = self.worlds.len();
            self.worlds.push(self.imagination.draw(seed));
            copy.clone_from(&self.worlds[self.world]);
            return;
        }
        self.world = self.random.index(self.worlds.len());
        copy.clone_from(&self.worlds[self.world]);
        copy.begin_chance(seed);
    }

    /// Answers everything that is asked now; gives the node after it, and whether something new was tried. Nothing if
    /// the match is over or will not go on.
    fn descend(&mut self, copy: &mut Match, at: usize, is_first: bool) -> Option<(usize, bool)> {
        let asked: Vec<(InputId, Seat)> = copy.pending().map(|asked| (asked.id(), asked.seat())).collect();
        let (mut joint, mut is_new, mut has_chosen) = (0_u64, false, false);
        for (input, seat) in asked {
            let how = copy.pending().find(|asked| asked.id() == input).map(|asked| asked.choice().how);
            let is_beside = is_first && seat != self.step.seat && how == Some(How::Each);
            if let Some(answer) = is_beside.then(|| self.expect(input, seat)).flatten()
                && copy.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).is_ok()
            {
                continue;
            }
            let Some(pending) = copy.pending().find(|asked| asked.id() == input) else { continue };
            let is_any = how == Some(How::Any);
            let is_own = is_first && input == self.input;
            let found;
            let answers = match is_own {
                true => self.tried,
                false => {
                    let most = if is_first { MAX_TRIED } else { MAX_NESTED };
                    found = candidates(&pending, most, &mut self.random);
                    &found[..]
                }
            };
            let answer = match answers {
                [] => return None,
                [only] => only.clone(),
                several => {
                    // The answers to the question at hand are the same in all matches, and known by their numbers.
                    let samenesses: Vec<u64> = match is_own {
                        true => (0..several.len() as u64).collect(),
                        false => several.iter().map(|one| pending.sameness(one)).collect(),
                    };
                    let (chosen, edge, is_untried) = self.choose(at, seat, &samenesses);
                    self.path.push((at, edge));
                    (has_chosen, is_new) = (true, is_new || is_untried);
                    joint = joint.wrapping_mul(0x0100_0000_01b3) ^ samenesses[chosen];
                    several[chosen].clone()
                }
            };
            copy.submit(&Input::Answer { input, seat, answer }, &mut Log::discard()).ok()?;
            if is_any {
                break;
            }
        }
        if copy.is_over() {
            return None;
        }
        if !has_chosen {
            return Some((at, false));
        }
        if let Some(next) = self.nodes[at].next.get(&joint) {
            return Some((*next, is_new));
        }
        let next = self.nodes.len();
        self.nodes.push(Node::default());
        self.nodes[at].next.insert(joint, next);
        Some((next, is_new))
    }

    /// What somebody who is asked at the same time is expected to answer in the match that is played.
    fn expect(&mut self, input: InputId, seat: Seat) -> Option<Answer> {
        let (world, seed) = (self.world, self.random.next_number());
        let answer = || Greedy::new(seed).answer(&self.worlds[world], input);
        self.expected.entry((world, seat)).or_insert_with(answer).clone()
    }

    /// Which of the answers to take: one never taken, else the one that may be best. Gives its number, its edge, and
    /// whether it is new.
    fn choose(&mut self, at: usize, seat: Seat, samenesses: &[u64]) -> (usize, usize, bool) {
        let node = &mut self.nodes[at];
        let mut best: Option<(f64, usize, usize)> = None;
        let mut untried = None;
        for (number, sameness) in samenesses.iter().enumerate() {
            let new = node.edges.len();
            let place = *node.places.entry((seat, *sameness)).or_insert(new);
            if place == new {
                node.edges.push(Edge { seat, sameness: *sameness, taken: 0, available: 0, total: 0.0 });
            }
            let edge = &mut node.edges[place];
            edge.available += 1;
            if edge.taken == 0 {
                untried = untried.or(Some((number, place)));
                continue;
            }
            let taken = f64::from(edge.taken);
            let value = edge.total / taken + CURIOSITY * (log2(edge.available) / taken).sqrt();
            if best.is_none_or(|(known, _, _)| value > known) {
                best = Some((value, number, place));
            }
        }
        match (untried, best) {
            (Some((number, place)), _) => (number, place, true),
            (None, Some((_, number, place))) => (number, place, false),
            (None, None) => (0, 0, true),
        }
    }

    /// The number of the answer that was taken most, the better one of two.
    fn best(&self) -> Option<usize> {
        let own = self.nodes[0].edges.iter().filter(|edge| edge.seat == self.step.seat);
        let mut best: Option<&Edge> = None;
        for edge in own {
            let is_better = |known: &Edge| {
                edge.taken > known.taken || (edge.taken == known.taken && edge.total > known.total)
            };
            if best.is_none_or(is_better) {
                best = Some(edge);
            }
        }
        best.map(|edge| edge.sameness as usize)
    }
}

/// The logarithm to base 2, between powers of two by a straight line: the same on every machine.
fn log2(number: u32) -> f64 {
    let whole = number.max(1).ilog2();
    let power = f64::from(1_u32 << whole);
    f64::from(whole) + (f64::from(number.max(1)) - power) / power
}

#[cfg(test)]
mod tests {
    use super::log2;

    #[test]
    fn the_logarithm_is_that_of_powers_of_two_and_grows_between_them() {
        assert!((log2(0) - 0.0).abs() < 1e-12 && (log2(1) - 0.0).abs() < 1e-12);
        assert!((log2(8) - 3.0).abs() < 1e-12 && (log2(12) - 3.5).abs() < 1e-12);
    }
}
