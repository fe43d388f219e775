//! Requests that a match waits for: a stack of requests, each with one question per player asked.
//!
//! Only the request on top is open. A request that was set aside for something more urgent is asked again
//! when it is back on top.

use std::sync::Mutex;

use intermezzo_program::{AnswerShape, BranchContent, Choice, ChoiceId, NULL, Program, Seat, Symbol, Word};

use crate::ask::input::InputId;
use crate::ask::paths::NumberedPath;
use crate::optimize::program_index::ProgramIndex;
use crate::run::frames::FrameStack;
use crate::storage::board::Board;
use crate::storage::copy::copy_list;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestState {
    /// Its questions are being built.
    Asking,
    /// It waits for answers.
    Waiting,
    /// It was set aside and will be asked again.
    Aside,
}

/// An active `choose` statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoiceRequest {
    pub(crate) choice: ChoiceId,
    pub(crate) state: RequestState,
    /// Index of the asking frame, and the address of its `Open`.
    pub(crate) frame: u32,
    pub(crate) open_pc: u32,
    /// Indexes of its first question and its first branch word.
    pub(crate) first: u32,
    pub(crate) first_word: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QuestionState {
    Open,
    Answered,
}

/// One question to one player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeatQuestion {
    pub(crate) choice: ChoiceId,
    pub(crate) id: InputId,
    pub(crate) seat: Seat,
    pub(crate) state: QuestionState,
    pub(crate) touched: bool,
    pub(crate) has_draft: bool,
    /// True if the draft is a legal answer.
    pub(crate) draft_is_legal: bool,
    pub(crate) how: Symbol,
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// Index of its branch words: available, options, min, max for each branch.
    pub(crate) branches: u32,
    pub(crate) options: Word,
    pub(crate) deadline: Word,
    pub(crate) default: Word,
    pub(crate) draft: Word,
    pub(crate) answer: Word,
}

/// All requests of a match.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) stack: Vec<ChoiceRequest>,
    pub(crate) questions: Vec<SeatQuestion>,
    pub(crate) words: Vec<Word>,
    /// Unanswered questions of `any` requests that someone else answered, to be recognised when asked again.
    pub(crate) recent: Vec<SeatQuestion>,
    /// Questions of the request that is being asked again. Empty whenever the match waits.
    pub(crate) old: Vec<SeatQuestion>,
    pub(crate) old_words: Vec<Word>,
    /// The path that was numbered last. Numbering changes nothing else, so it only borrows the requests.
    pub(crate) numbered: Mutex<Option<NumberedPath>>,
}

impl Requests {
    /// Forgets the path that was numbered last: the state may be another one with the same numbers of questions and changes.
    fn forget_numbered(&mut self) {
        if let Ok(numbered) = self.numbered.get_mut() {
            *numbered = None;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.forget_numbered();
        self.stack.clear();
        self.questions.clear();
        self.words.clear();
        self.recent.clear();
        self.old.clear();
        self.old_words.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Requests) {
        copy_list(&mut self.stack, &other.stack);
        copy_list(&mut self.questions, &other.questions);
        copy_list(&mut self.words, &other.words);
        copy_list(&mut self.recent, &other.recent);
        self.forget_numbered();
        self.old.clear();
        self.old_words.clear();
    }

    /// Releases memory that is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        let mut new = Requests::default();
        new.copy_from(self);
        *self = new;
    }

    /// Returns the questions of the request on top, answered ones included.
    pub(crate) fn top_questions(&self) -> &[SeatQuestion] {
        match self.stack.last() {
            Some(request) if request.state == RequestState::Waiting => {
                &self.questions[request.first as usize..]
            }
            _ => &[],
        }
    }

    /// Opens a request of the frame with this index, whose `Open` is at `open_pc`, or reopens one that was set aside.
    pub(crate) fn open(&mut self, choice: ChoiceId, frame: u32, open_pc: u32) {
        self.old.clear();
        self.old_words.clear();
        if let Some(top) = self.stack.last().copied() {
            let is_again = top.state == RequestState::Aside && top.frame == frame && top.choice == choice;
            if is_again {
                let start = top.first_word;
                self.old.extend_from_slice(&self.questions[top.first as usize..]);
                self.old.iter_mut().for_each(|ask| ask.branches = ask.branches.wrapping_sub(start));
                self.old_words.extend_from_slice(&self.words[start as usize..]);
                self.drop_top();
            }
        }
        let (first, first_word) = (self.questions.len() as u32, self.words.len() as u32);
        let state = RequestState::Asking;
        self.stack.push(ChoiceRequest { choice, state, frame, open_pc, first, first_word });
    }

    /// Takes the answer to the only question of the request on top, or lets the request wait for it. Returns `None` if it
    /// has no question or several.
    #[inline]
    pub(crate) fn only_answer(&mut self) -> Option<Option<Word>> {
        let request = self.stack.last_mut()?;
        let [ask] = self.questions.get(request.first as usize..)? else { return None };
        self.old.clear();
        self.old_words.clear();
        if ask.state == QuestionState::Open {
            request.state = RequestState::Waiting;
            return Some(None);
        }
        let answer = ask.answer;
        self.drop_top();
        Some(Some(answer))
    }

    /// Removes the request on top with its questions.
    pub(crate) fn drop_top(&mut self) {
        if let Some(request) = self.stack.pop() {
            self.questions.truncate(request.first as usize);
            self.words.truncate(request.first_word as usize);
        }
    }
}

/// One open question, as seen from outside.
#[derive(Clone, Copy)]
pub struct PendingQuestion<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tables: &'a ProgramIndex,
    pub(crate) board: &'a Board,
    pub(crate) frames: &'a FrameStack,
    pub(crate) requests: &'a Requests,
    pub(crate) ask: &'a SeatQuestion,
    pub(crate) choice: &'a Choice,
}

impl<'a> PendingQuestion<'a> {
    #[must_use]
    pub fn id(&self) -> InputId {
        self.ask.id
    }

    #[must_use]
    pub fn seat(&self) -> Seat {
        self.ask.seat
    }

    #[must_use]
    pub fn choice_id(&self) -> ChoiceId {
        self.ask.choice
    }

    #[must_use]
    pub fn choice(&self) -> &'a Choice {
        self.choice
    }

    #[must_use]
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Returns the number of options (0 for branches).
    #[must_use]
    pub fn option_count(&self) -> usize {
        self.options().len()
    }

    /// Returns the option with that index.
    #[must_use]
    pub fn option(&self, index: usize) -> Option<Word> {
        self.options().get(index).copied()
    }

    #[must_use]
    pub fn options(&self) -> &'a [Word] {
        self.board.heap.list(self.ask.options).unwrap_or(&[])
    }

    /// Returns the least and greatest number of picks, slots or branches.
    #[must_use]
    pub fn bounds(&self) -> (u32, u32) {
        (self.ask.min, self.ask.max)
    }

    /// Returns the number of slots to fill.
    #[must_use]
    pub fn slots(&self) -> Option<u32> {
        matches!(self.choice.shape, AnswerShape::Slots { .. }).then_some(self.ask.max)
    }

    /// Returns the time to answer.
    #[must_use]
    pub fn deadline_ms(&self) -> Option<i64> {
        (self.ask.deadline != NULL).then_some(self.ask.deadline)
    }

    #[must_use]
    pub fn has_default(&self) -> bool {
        self.ask.default != NULL
    }

    /// Tells whether something counts when time is up: a draft, a default, passing, or leaving all slots
    /// empty. If not, a player without time can only leave.
    #[must_use]
    pub fn resolves_on_timeout(&self) -> bool {
        let may_be_empty = self.choice.shape == (AnswerShape::Slots { empty: true });
        self.ask.has_draft || self.has_default() || self.choice.pass || may_be_empty
    }

    /// Returns the answer used if the deadline passes, a value of the choice's value type.
    #[must_use]
    pub fn default_value(&self) -> Option<Word> {
        (self.ask.default != NULL).then_some(self.ask.default)
    }

    /// Returns the draft, a value of the choice's value type.
    #[must_use]
    pub fn draft(&self) -> Option<Word> {
        self.ask.has_draft.then_some(self.ask.draft)
    }

    /// Returns a branch with its state for this player.
    #[must_use]
    pub fn branch(&self, index: usize) -> Option<BranchOffer<'a>> {
        let branch = self.choice.branches.get(index)?;
        let at = self.ask.branches as usize + 4 * index;
        let words = self.requests.words.get(at..at + 4)?;
        let options = self.board.heap.list(words[1]).unwrap_or(&[]);
        let (min, max) = (words[2] as u32, words[3] as u32);
        Some(BranchOffer {
            available: words[0] == 1,
            parent: branch.parent,
            inner: branch.inner,
            exclusive: branch.exclusive,
            options,
            min,
            max,
        })
    }
}

/// A branch with its state for the player asked.
#[derive(Clone, Copy, Debug)]
pub struct BranchOffer<'a> {
    /// True if it can be taken now.
    pub available: bool,
    /// The branch it is an alternative of; `None` for an alternative of the question itself.
    pub parent: Option<u16>,
    pub inner: BranchContent,
    /// True if it cannot be combined with others.
    pub exclusive: bool,
    pub options: &'a [Word],
    /// Least number of picks, or of child branches.
    pub min: u32,
    /// Greatest number of picks, or of child branches.
    pub max: u32,
}
