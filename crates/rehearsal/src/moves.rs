//! Answers put together move by move.
//!
//! An answer may be one of thousands: cards in slots, an order, a path. So it is built of moves, each one of a few
//! numbers. [`DONE`](Moves::DONE) ends the answer or leaves a slot empty, [`PASS`](Moves::PASS) declines, and the numbers from
//! [`FIRST`](Moves::FIRST) on stand for options. Every legal answer is built by exactly one row of moves, apart from ways
//! that lead nowhere; nothing is ever left out. Where there are more options than numbers, a move stands for several of them, and
//! the moves after it tell which.

use std::fmt;
use std::ops::Range;

use intermezzo_engine::{Answer, Board, Fault, Match, Pending, Walk};
use intermezzo_ruleset::{Shape, Word};

/// What has been picked so far for an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Begun {
    picks: Vec<i32>,
    /// The options among which the next one is, if some moves have told that much.
    within: Option<Range<u64>>,
}

impl Begun {
    /// Whether nothing has been picked.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.picks.is_empty() && self.within.is_none()
    }
}

/// What a move leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// More moves are needed.
    On(Begun),
    /// The answer.
    Answer(Answer),
}

/// Why nobody can tell what may be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// A rule failed that says what may follow on a path.
    Fault(Fault),
    /// There are more ways to take branches than can be numbered.
    Uncountable,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stuck::Fault(fault) => fault.fmt(f),
            Stuck::Uncountable => f.write_str("the question has more answers than can be numbered"),
        }
    }
}

/// The moves that can be made now.
pub struct Moves<'a> {
    pending: Pending<'a>,
    begun: &'a Begun,
    /// Where a path has come to.
    walk: Option<Walk<'a>>,
    board: &'a Board,
    options: Vec<Word>,
    /// By number of the option; empty where all are.
    legal: Vec<bool>,
    /// How many options there are, or answers where branches are taken.
    count: u64,
    may_end: bool,
    width: usize,
}

impl<'a> Moves<'a> {
    /// The answer is what was picked so far; of slots: this one stays empty.
    pub const DONE: usize = 0;
    /// Declines; where a path has come to nothing: begins again.
    pub const PASS: usize = 1;
    /// The first that stands for an option.
    pub const FIRST: usize = 2;
    /// There are at least so many numbers.
    pub const MIN_WIDTH: usize = Moves::FIRST + 2;

    /// The moves for a question, with so much of the answer begun, if there are `width` numbers for them.
    ///
    /// # Errors
    ///
    /// If a rule fails, or answers cannot be numbered.
    pub fn new(
        game: &'a Match,
        pending: Pending<'a>,
        begun: &'a Begun,
        width: usize,
    ) -> Result<Moves<'a>, Stuck> {
        let (least, most) = pending.bounds();
        let picked = begun.picks.len();
        let width = width.max(Moves::MIN_WIDTH);
        let mut moves = Moves {
            pending,
            begun,
            walk: None,
            board: game.board(),
            options: Vec::new(),
            legal: Vec::new(),
            count: 0,
            may_end: picked >= least as usize,
            width,
        };
        match pending.choice().shape {
            Shape::Path => moves.go_along()?,
            Shape::Branches => {
                moves.count = pending.answer_count() - u64::from(pending.choice().pass);
                moves.may_end = false;
                if moves.count > u64::MAX / 2 {
                    return Err(Stuck::Uncountable);
                }
            }
            shape => {
                moves.options = pending.options().to_vec();
                let is_full = picked >= most as usize;
                moves.legal = (0..moves.options.len() as i32)
                    .map(|option| !is_full && moves.may_pick(shape, option, least as usize))
                    .collect();
                if let Shape::Slots { empty } = shape {
                    moves.may_end = empty && !is_full;
                }
            }
        }
        if !matches!(pending.choice().shape, Shape::Branches) {
            moves.count = moves.options.len() as u64;
        }
        Ok(moves)
    }

    fn go_along(&mut self) -> Result<(), Stuck> {
        let Some(mut walk) = self.pending.walk() else { return Ok(()) };
        for pick in &self.begun.picks {
            if walk.step(*pick).is_err() {
                break;
            }
        }
        self.options = walk.options().map_err(Stuck::Fault)?.to_vec();
        self.may_end = walk.is_enough();
        self.walk = Some(walk);
        Ok(())
    }

    /// Sets are picked in ascending order, so that each is built in one way; and never so that too few are left.
    fn may_pick(&self, shape: Shape, option: i32, least: usize) -> bool {
        let picks = &self.begun.picks;
        if shape != Shape::Pick {
            return !picks.contains(&option);
        }
        let left = self.options.len() - option as usize - 1;
        picks.last().is_none_or(|last| option > *last) && left + picks.len() + 1 >= least
    }

    /// The options a number stands for.
    fn range(&self, number: usize) -> Range<u64> {
        let Range { start, end } = self.begun.within.clone().unwrap_or(0..self.count);
        let Some(place) = number.checked_sub(Moves::FIRST).filter(|_| number < self.width) else {
            return 0..0;
        };
        let each = (end - start).div_ceil((self.width - Moves::FIRST) as u64).max(1);
        let first = start.saturating_add(each.saturating_mul(place as u64)).min(end);
        first..first.saturating_add(each).min(end)
    }

    /// Whether a move can be made.
    #[must_use]
    pub fn is_legal(&self, number: usize) -> bool {
        match number {
            Moves::DONE => self.may_end && self.begun.within.is_none(),
            Moves::PASS => {
                self.begun.is_fresh() && self.pending.choice().pass
                    || !self.begun.is_fresh() && self.is_dead_end()
            }
            _ => {
                let mut range = self.range(number);
                match self.legal.is_empty() {
                    true => !range.is_empty(),
                    false => range.any(|option| self.legal[option as usize]),
                }
            }
        }
    }

    fn is_dead_end(&self) -> bool {
        self.count == 0 && !self.may_end
    }

    /// Whether nothing is left to do but to end the answer, part of which is there.
    #[must_use]
    pub fn only_ends(&self) -> bool {
        let picks_more = || (Moves::FIRST..self.width).any(|number| self.is_legal(number));
        !self.begun.is_fresh() && self.is_legal(Moves::DONE) && !picks_more()
    }

    /// Writes for every number whether it can be made.
    pub fn write_mask(&self, mask: &mut [bool]) {
        for (number, legal) in mask.iter_mut().enumerate() {
            *legal = self.is_legal(number);
        }
    }

    /// What a move leads to; nothing if it cannot be made.
    #[must_use]
    pub fn take(&self, number: usize) -> Option<Taken> {
        if !self.is_legal(number) {
            return None;
        }
        let is_slots = matches!(self.pending.choice().shape, Shape::Slots { .. });
        match number {
            Moves::DONE if is_slots => Some(self.with(-1)),
            Moves::DONE => Some(Taken::Answer(Answer::Picks(self.begun.picks.clone()))),
            Moves::PASS if self.begun.is_fresh() => Some(Taken::Answer(Answer::Pass)),
            Moves::PASS => Some(Taken::On(Begun::default())),
            _ => {
                let range = self.range(number);
                if range.end - range.start > 1 {
                    return Some(Taken::On(Begun { picks: self.begun.picks.clone(), within: Some(range) }));
                }
                if self.pending.choice().shape == Shape::Branches {
                    return self.numbered(range.start);
                }
                Some(self.with(range.start as i32))
            }
        }
    }

    fn numbered(&self, number: u64) -> Option<Taken> {
        let mut answer = Answer::Pass;
        let number = number + u64::from(self.pending.choice().pass);
        self.pending.nth_answer(number, &mut answer).then_some(Taken::Answer(answer))
    }

    fn with(&self, pick: i32) -> Taken {
        let mut picks = self.begun.picks.clone();
        picks.push(pick);
        let is_full = self.pending.slots().is_some_and(|slots| picks.len() >= slots as usize);
        match is_full {
            true => Taken::Answer(Answer::Picks(picks)),
            false => Taken::On(Begun { picks, within: None }),
        }
    }

    /// The question.
    #[must_use]
    pub fn pending(&self) -> &Pending<'a> {
        &self.pending
    }

    /// How many have been picked.
    #[must_use]
    pub fn picked(&self) -> usize {
        self.begun.picks.len()
    }

    /// The one option a move stands for, a value of the choice's item type on [`Moves::board`], and as which it was picked
    /// already, from 1.
    #[must_use]
    pub fn option(&self, number: usize) -> Option<(Word, usize)> {
        let range = self.range(number);
        if range.end - range.start != 1 || self.pending.choice().shape == Shape::Branches {
            return None;
        }
        let option = *self.options.get(range.start as usize)?;
        let is_path = self.walk.is_some();
        let place = self.begun.picks.iter().position(|pick| !is_path && *pick == range.start as i32);
        Some((option, place.map_or(0, |place| place + 1)))
    }

    /// Where the values of options are.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.walk.as_ref().map_or(self.board, Walk::board)
    }
}

impl fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moves").field("begun", self.begun).field("count", &self.count).finish_non_exhaustive()
    }
}
