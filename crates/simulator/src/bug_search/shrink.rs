//! Minimization of a test case: fewer inputs, simpler answers, fewer options and seats, a smaller seed.

use intermezzo_engine::{Answer, EventLog, Input, Match};

use super::case::{CaseEnd, SentInput, TestCase};
use super::{BugKind, BugSearch};
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Largest number of attempts.
const MAX_TRIES: usize = 600;
/// The same for endless matches, which take long to check.
const MAX_ENDLESS_TRIES: usize = 40;
/// Number of random continuations that must not end before a match counts as endless.
const CONTINUATIONS: u64 = 3;
/// Seeds below this number are tried.
const SMALL_SEEDS: u64 = 8;

/// Minimizer of a test case that shows one kind of bug.
pub(super) struct Shrinker<'a> {
    pub(super) search: &'a BugSearch<'a>,
    pub(super) kind: &'a BugKind,
    best: TestCase,
    tries: usize,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(search: &'a BugSearch<'a>, kind: &'a BugKind, case: TestCase) -> Shrinker<'a> {
        let tries = if *kind == BugKind::Endless { MAX_ENDLESS_TRIES } else { MAX_TRIES };
        Shrinker { search, kind, best: case, tries }
    }

    /// Returns the smallest case found that shows the same kind of bug.
    pub(super) fn smallest(mut self) -> TestCase {
        // No input at all may be enough.
        let whole = self.best.moves.len();
        self.attempt(&TestCase { moves: Vec::new(), ..self.best.clone() });
        if *self.kind == BugKind::Endless && self.best.moves.len() == whole {
            self.shorten();
        }
        self.simplify_setup();
        loop {
            let before = (self.best.moves.len(), self.tries);
            self.remove_moves();
            self.simplify_answers();
            if self.best.moves.len() == before.0 || self.tries == 0 {
                break;
            }
        }
        self.simplify_setup();
        self.best
    }

    /// Keeps a case if it still shows the bug.
    fn attempt(&mut self, case: &TestCase) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let (case, end) = case.replay(&self.search.fixture.program);
        let shows_bug = match (&end, self.kind) {
            (CaseEnd::Fault(fault, alone), kind) => BugKind::of_fault(fault, *alone) == *kind,
            (CaseEnd::Stuck(question), BugKind::DeadEnd { question: wanted }) => question == wanted,
            (CaseEnd::Waiting(state), BugKind::Endless) => self.does_not_end(state),
            _ => false,
        };
        if shows_bug {
            self.best = case;
        }
        shows_bug
    }

    /// Returns true if no random continuation ends.
    fn does_not_end(&self, state: &Match) -> bool {
        (0..CONTINUATIONS).all(|seed| {
            let mut copy = state.clone();
            let mut players = RandomPlay::new(seed, &InputMix::orderly());
            for _ in 0..self.search.max_inputs {
                let Some(input) = players.next(&copy) else { return false };
                if copy.submit(input, &mut EventLog::discard()).is_err() {
                    return false;
                }
            }
            !copy.is_over()
        })
    }

    /// Finds the shortest prefix after which the match does not end, by bisection.
    fn shorten(&mut self) {
        let (mut enough, mut too_short) = (self.best.moves.len(), 0);
        let whole = self.best.clone();
        while enough - too_short > 1 {
            let middle = (enough + too_short) / 2;
            match self.attempt(&TestCase { moves: whole.moves[..middle].to_vec(), ..whole.clone() }) {
                true => enough = middle,
                false => too_short = middle,
            }
        }
    }

    /// Removes runs of inputs, long ones first.
    fn remove_moves(&mut self) {
        let mut row = self.best.moves.len().div_ceil(2);
        while row > 0 {
            let mut at = 0;
            while at < self.best.moves.len() && self.tries > 0 {
                let mut moves = self.best.moves.clone();
                moves.drain(at..(at + row).min(moves.len()));
                if !self.attempt(&TestCase { moves, ..self.best.clone() }) {
                    at += row;
                }
            }
            row /= 2;
        }
    }

    /// Replaces answers by passing, by picking nothing, or by the first option.
    fn simplify_answers(&mut self) {
        for at in 0..self.best.moves.len() {
            for simple in [Answer::Pass, Answer::Picks(Vec::new()), Answer::Picks(vec![0])] {
                let Some(SentInput { input: Input::Answer { input, seat, answer }, .. }) =
                    self.best.moves.get(at)
                else {
                    break;
                };
                if *answer == simple {
                    break;
                }
                let mut moves = self.best.moves.clone();
                moves[at].input = Input::Answer { input: *input, seat: *seat, answer: simple };
                let length = moves.len();
                let case = TestCase { moves, ..self.best.clone() };
                // A replay drops illegal answers, and removing inputs was tried already.
                if case.replay(&self.search.fixture.program).0.moves.len() == length && self.attempt(&case) {
                    break;
                }
            }
        }
    }

    fn simplify_setup(&mut self) {
        for seats in self.search.fixture.program.seats.min..self.best.setup.seats {
            let mut case = self.best.clone();
            case.setup.seats = seats;
            if self.attempt(&case) {
                break;
            }
        }
        for at in (0..self.best.setup.options.len()).rev() {
            let mut case = self.best.clone();
            case.setup.options.remove(at);
            self.attempt(&case);
        }
        for seed in (0..SMALL_SEEDS).take_while(|seed| *seed < self.best.seed).collect::<Vec<_>>() {
            if self.attempt(&self.best.reseeded(seed)) {
                break;
            }
        }
    }
}
