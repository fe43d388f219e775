//! Answers built move by move.
//!
//! An answer may be one of thousands: cards in slots, an order, a path. So it is built from moves, each one
//! of a few numbers. [`DONE`](Moves::DONE) ends the answer or leaves a slot empty, [`PASS`](Moves::PASS)
//! declines, and numbers from [`FIRST`](Moves::FIRST) on stand for options. Exactly one sequence of moves
//! builds each legal answer, apart from path prefixes that lead nowhere and selections that fail a test. If there are more options than
//! numbers, a move stands for a range of options, and the following moves narrow it down.

use std::fmt;
use std::ops::Range;

use intermezzo_engine::{Answer, Board, Match, PathWalk, PendingQuestion, RuleFault};
use intermezzo_program::{AnswerShape, Word};

/// Answer in progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PartialAnswer {
    picks: Vec<i32>,
    /// Range of options that the last moves have narrowed down.
    within: Option<Range<u64>>,
}

impl PartialAnswer {
    /// Returns whether no move has been made.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.picks.is_empty() && self.within.is_none()
    }
}

/// Result of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveResult {
    /// More moves are needed.
    Continue(PartialAnswer),
    /// Complete answer.
    Answer(Answer),
}

/// Reason why the legal moves are unknown.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// A rule failed that determines the next step of a path or tests a selection.
    #[error(transparent)]
    Fault(RuleFault),
    /// The question has too many combinations of branches.
    #[error("the question has more answers than can be numbered")]
    Uncountable,
}

/// Legal moves of an answer in progress.
pub struct Moves<'a> {
    pending: PendingQuestion<'a>,
    partial: &'a PartialAnswer,
    /// Current position on a path.
    walk: Option<PathWalk<'a>>,
    board: &'a Board,
    options: Vec<Word>,
    /// Legality by option; empty if all options are legal.
    legal: Vec<bool>,
    /// Number of options, or of answers for branches.
    count: u64,
    may_end: bool,
    width: usize,
}

impl<'a> Moves<'a> {
    /// Ends the answer; for slots, leaves this slot empty.
    pub const DONE: usize = 0;
    /// Declines; on a path without a next step, or if a full selection fails a test, starts over.
    pub const PASS: usize = 1;
    /// First number that stands for an option.
    pub const FIRST: usize = 2;
    /// Minimum number of moves.
    pub const MIN_WIDTH: usize = Moves::FIRST + 2;

    /// Returns the moves for a question with the given partial answer, numbered below `width`.
    ///
    /// # Errors
    ///
    /// Returns an error if a rule fails or the answers cannot be numbered.
    pub fn new(
        game: &'a Match,
        pending: PendingQuestion<'a>,
        partial: &'a PartialAnswer,
        width: usize,
    ) -> Result<Moves<'a>, MoveError> {
        let (least, most) = pending.bounds();
        let picked = partial.picks.len();
        let width = width.max(Moves::MIN_WIDTH);
        let mut moves = Moves {
            pending,
            partial,
            walk: None,
            board: game.board(),
            options: Vec::new(),
            legal: Vec::new(),
            count: 0,
            may_end: picked >= least as usize,
            width,
        };
        match pending.choice().shape {
            AnswerShape::Path => moves.follow_path()?,
            AnswerShape::Branches => {
                moves.count = pending.answer_count() - u64::from(pending.choice().pass);
                moves.may_end = false;
                if moves.count > u64::MAX / 2 {
                    return Err(MoveError::Uncountable);
                }
            }
            shape => {
                moves.options = pending.options().to_vec();
                let is_full = picked >= most as usize;
                moves.legal = (0..moves.options.len() as i32)
                    .map(|option| !is_full && moves.may_pick(shape, option, least as usize))
                    .collect();
                if let AnswerShape::Slots { empty } = shape {
                    moves.may_end = empty && !is_full;
                }
                moves.may_end =
                    moves.may_end && pending.selection_passes(&partial.picks).map_err(MoveError::Fault)?;
            }
        }
        if !matches!(pending.choice().shape, AnswerShape::Branches) {
            moves.count = moves.options.len() as u64;
        }
        Ok(moves)
    }

    fn follow_path(&mut self) -> Result<(), MoveError> {
        let Some(mut walk) = self.pending.start_path() else { return Ok(()) };
        for pick in &self.partial.picks {
            if walk.step(*pick).is_err() {
                break;
            }
        }
        self.options = walk.options().map_err(MoveError::Fault)?.to_vec();
        self.may_end = walk.is_long_enough();
        self.walk = Some(walk);
        Ok(())
    }

    /// Returns whether an option can be picked. Sets are picked in ascending order, so that only one
    /// sequence builds each, and never so that too few options remain.
    fn may_pick(&self, shape: AnswerShape, option: i32, least: usize) -> bool {
        let picks = &self.partial.picks;
        if shape != AnswerShape::Pick {
            return !picks.contains(&option);
        }
        let left = self.options.len() - option as usize - 1;
        picks.last().is_none_or(|last| option > *last) && left + picks.len() + 1 >= least
    }

    /// Returns the options a number stands for.
    fn range(&self, number: usize) -> Range<u64> {
        let Range { start, end } = self.partial.within.clone().unwrap_or(0..self.count);
        let Some(place) = number.checked_sub(Moves::FIRST).filter(|_| number < self.width) else {
            return 0..0;
        };
        let each = (end - start).div_ceil((self.width - Moves::FIRST) as u64).max(1);
        let first = start.saturating_add(each.saturating_mul(place as u64)).min(end);
        first..first.saturating_add(each).min(end)
    }

    /// Returns whether a move is legal.
    #[must_use]
    pub fn is_legal(&self, number: usize) -> bool {
        match number {
            Moves::DONE => self.may_end && self.partial.within.is_none(),
            Moves::PASS => {
                self.partial.is_fresh() && self.pending.choice().pass
                    || !self.partial.is_fresh() && self.is_dead_end()
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
        let may_pick = match self.legal.is_empty() {
            true => self.count > 0,
            false => self.legal.contains(&true),
        };
        !may_pick && !self.may_end
    }

    /// Returns whether ending a started answer is the only legal move.
    #[must_use]
    pub fn only_ends(&self) -> bool {
        let picks_more = || (Moves::FIRST..self.width).any(|number| self.is_legal(number));
        !self.partial.is_fresh() && self.is_legal(Moves::DONE) && !picks_more()
    }

    /// Writes the legality of every number.
    pub fn write_mask(&self, mask: &mut [bool]) {
        for (number, legal) in mask.iter_mut().enumerate() {
            *legal = self.is_legal(number);
        }
    }

    /// Applies a move; `None` if it is not legal.
    #[must_use]
    pub fn apply(&self, number: usize) -> Option<MoveResult> {
        if !self.is_legal(number) {
            return None;
        }
        let is_slots = matches!(self.pending.choice().shape, AnswerShape::Slots { .. });
        match number {
            Moves::DONE if is_slots => Some(self.with(-1)),
            Moves::DONE => Some(MoveResult::Answer(Answer::Picks(self.partial.picks.clone()))),
            Moves::PASS if self.partial.is_fresh() => Some(MoveResult::Answer(Answer::Pass)),
            Moves::PASS => Some(MoveResult::Continue(PartialAnswer::default())),
            _ => {
                let range = self.range(number);
                if range.end - range.start > 1 {
                    return Some(MoveResult::Continue(PartialAnswer {
                        picks: self.partial.picks.clone(),
                        within: Some(range),
                    }));
                }
                if self.pending.choice().shape == AnswerShape::Branches {
                    return self.numbered(range.start);
                }
                Some(self.with(range.start as i32))
            }
        }
    }

    fn numbered(&self, number: u64) -> Option<MoveResult> {
        let mut answer = Answer::Pass;
        let number = number + u64::from(self.pending.choice().pass);
        self.pending.nth_answer(number, &mut answer).then_some(MoveResult::Answer(answer))
    }

    fn with(&self, pick: i32) -> MoveResult {
        let mut picks = self.partial.picks.clone();
        picks.push(pick);
        let is_full = self.pending.slots().is_some_and(|slots| picks.len() >= slots as usize);
        match is_full {
            true => MoveResult::Answer(Answer::Picks(picks)),
            false => MoveResult::Continue(PartialAnswer { picks, within: None }),
        }
    }

    /// Returns the question.
    #[must_use]
    pub fn pending(&self) -> &PendingQuestion<'a> {
        &self.pending
    }

    /// Returns the number of picks.
    #[must_use]
    pub fn picked(&self) -> usize {
        self.partial.picks.len()
    }

    /// Returns the single option a move stands for, as a value of the choice's item type on
    /// [`Moves::board`], and its position among the picks from 1, or 0.
    #[must_use]
    pub fn option(&self, number: usize) -> Option<(Word, usize)> {
        let range = self.range(number);
        if range.end - range.start != 1 || self.pending.choice().shape == AnswerShape::Branches {
            return None;
        }
        let option = *self.options.get(range.start as usize)?;
        let is_path = self.walk.is_some();
        let place = self.partial.picks.iter().position(|pick| !is_path && *pick == range.start as i32);
        Some((option, place.map_or(0, |place| place + 1)))
    }

    /// Returns the board with the values of the options.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.walk.as_ref().map_or(self.board, PathWalk::board)
    }
}

impl fmt::Debug for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moves")
            .field("partial", self.partial)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
