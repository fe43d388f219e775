//! Making small what was found: fewer inputs, simpler answers, fewer options and seats, a smaller seed.

use intermezzo_engine::{Answer, Input, Log, Match};

use super::case::{Case, End, Move};
use super::{Hunt, Kind};
use crate::habits::Habits;
use crate::random_play::RandomPlay;

/// A case is tried so often at most.
const MAX_TRIES: usize = 600;
/// Trying whether a match ends takes long: so often at most …
const MAX_ENDLESS_TRIES: usize = 40;
/// … with so many ways to go on.
const CONTINUATIONS: u64 = 3;
/// Seeds below this are tried.
const SMALL_SEEDS: u64 = 8;

/// Something that goes wrong in a way, and what is left of it.
pub(super) struct Shrinking<'a> {
    pub(super) hunt: &'a Hunt<'a>,
    pub(super) kind: &'a Kind,
    best: Case,
    tries: usize,
}

impl<'a> Shrinking<'a> {
    pub(super) fn new(hunt: &'a Hunt<'a>, kind: &'a Kind, case: Case) -> Shrinking<'a> {
        let tries = if *kind == Kind::Endless { MAX_ENDLESS_TRIES } else { MAX_TRIES };
        Shrinking { hunt, kind, best: case, tries }
    }

    /// The smallest case that goes wrong in the same way, as far as that is soon found.
    pub(super) fn smallest(mut self) -> Case {
        // Nothing at all may be enough; else half of it, and so on.
        let whole = self.best.moves.len();
        self.attempt(&Case { moves: Vec::new(), ..self.best.clone() });
        if *self.kind == Kind::Endless && self.best.moves.len() == whole {
            self.shorten();
        }
        self.simplify_setup();
        loop {
            let before = (self.best.moves.len(), self.tries);
            self.leave_out_moves();
            self.simplify_answers();
            if self.best.moves.len() == before.0 || self.tries == 0 {
                break;
            }
        }
        self.simplify_setup();
        self.best
    }

    /// Keeps a case if it still goes wrong.
    fn attempt(&mut self, case: &Case) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let (case, end) = case.replay(&self.hunt.subject.program);
        let goes_wrong = match (&end, self.kind) {
            (End::Fault(fault, alone), kind) => {
                Kind::of_fault(&self.hunt.subject.program, fault, *alone) == *kind
            }
            (End::Stuck(question), Kind::DeadEnd { question: wanted }) => question == wanted,
            (End::Waiting(state), Kind::Endless) => self.does_not_end(state),
            _ => false,
        };
        if goes_wrong {
            self.best = case;
        }
        goes_wrong
    }

    /// Whether a match goes on and on, however it is played.
    fn does_not_end(&self, state: &Match) -> bool {
        (0..CONTINUATIONS).all(|seed| {
            let mut copy = state.clone();
            let mut players = RandomPlay::new(seed, &Habits::orderly());
            for _ in 0..self.hunt.max_inputs {
                let Some(input) = players.next(&copy) else { return false };
                if copy.submit(input, &mut Log::discard()).is_err() {
                    return false;
                }
            }
            !copy.is_over()
        })
    }

    /// The shortest beginning after which the match does not end, by halves.
    fn shorten(&mut self) {
        let (mut enough, mut too_short) = (self.best.moves.len(), 0);
        let whole = self.best.clone();
        while enough - too_short > 1 {
            let middle = (enough + too_short) / 2;
            match self.attempt(&Case { moves: whole.moves[..middle].to_vec(), ..whole.clone() }) {
                true => enough = middle,
                false => too_short = middle,
            }
        }
    }

    /// Leaves out longer and shorter rows of moves.
    fn leave_out_moves(&mut self) {
        let mut row = self.best.moves.len().div_ceil(2);
        while row > 0 {
            let mut at = 0;
            while at < self.best.moves.len() && self.tries > 0 {
                let mut moves = self.best.moves.clone();
                moves.drain(at..(at + row).min(moves.len()));
                if !self.attempt(&Case { moves, ..self.best.clone() }) {
                    at += row;
                }
            }
            row /= 2;
        }
    }

    /// Answers by doing nothing, or by the first option.
    fn simplify_answers(&mut self) {
        for at in 0..self.best.moves.len() {
            for simple in [Answer::Pass, Answer::Picks(Vec::new()), Answer::Picks(vec![0])] {
                let Some(Move { input: Input::Answer { input, seat, answer }, .. }) = self.best.moves.get(at)
                else {
                    break;
                };
                if *answer == simple {
                    break;
                }
                let mut moves = self.best.moves.clone();
                moves[at].input = Input::Answer { input: *input, seat: *seat, answer: simple };
                let length = moves.len();
                let case = Case { moves, ..self.best.clone() };
                // An answer that is not legal is left out, which the other way of shrinking has tried.
                if case.replay(&self.hunt.subject.program).0.moves.len() == length && self.attempt(&case) {
                    break;
                }
            }
        }
    }

    fn simplify_setup(&mut self) {
        for seats in self.hunt.subject.program.seats.min..self.best.setup.seats {
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
