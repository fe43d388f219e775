//! What a match waits for: a stack of requests, each with one question for every player asked.
//!
//! Only the request on top is open. One that was set aside for something more
//! urgent is asked again when its turn comes back.

use intermezzo_ruleset::{Choice, ChoiceId, Inner, NULL, Program, Seat, Shape, Symbol, Word};

use crate::agenda::Agenda;
use crate::board::Board;
use crate::copying::copy_list;
use crate::input::InputId;
use crate::tables::Tables;

/// Where a request stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// Its questions are being put together.
    Asking,
    /// It waits for answers.
    Waiting,
    /// It will be asked again.
    Aside,
}

/// One `choose` under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) choice: ChoiceId,
    pub(crate) standing: Standing,
    /// Number of the frame that asks, and where its `Open` is.
    pub(crate) frame: u32,
    pub(crate) open_pc: u32,
    /// Where its questions and their branch words begin.
    pub(crate) first: u32,
    pub(crate) first_word: u32,
}

/// Where a question stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AskStanding {
    Open,
    Answered,
}

/// One question to one player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) choice: ChoiceId,
    pub(crate) id: InputId,
    pub(crate) seat: Seat,
    pub(crate) standing: AskStanding,
    pub(crate) touched: bool,
    pub(crate) has_draft: bool,
    /// The draft would do as an answer.
    pub(crate) draft_is_legal: bool,
    pub(crate) how: Symbol,
    pub(crate) min: u32,
    pub(crate) max: u32,
    /// Where its branch words begin: available, options, min, max for each branch.
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
    pub(crate) stack: Vec<Request>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) words: Vec<Word>,
    /// Unanswered questions of `any` requests that were answered by someone else, to be recognised when asked again.
    pub(crate) recent: Vec<Ask>,
    /// Questions of the request that is being asked again. Empty whenever the match waits.
    pub(crate) old: Vec<Ask>,
    pub(crate) old_words: Vec<Word>,
}

impl Requests {
    pub(crate) fn clear(&mut self) {
        self.stack.clear();
        self.asks.clear();
        self.words.clear();
        self.recent.clear();
        self.old.clear();
        self.old_words.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Requests) {
        copy_list(&mut self.stack, &other.stack);
        copy_list(&mut self.asks, &other.asks);
        copy_list(&mut self.words, &other.words);
        copy_list(&mut self.recent, &other.recent);
        self.old.clear();
        self.old_words.clear();
    }

    /// Gives back memory that is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        let mut new = Requests::default();
        new.copy_from(self);
        *self = new;
    }

    /// Questions of the request on top, answered ones included.
    pub(crate) fn top_asks(&self) -> &[Ask] {
        match self.stack.last() {
            Some(request) if request.standing == Standing::Waiting => &self.asks[request.first as usize..],
            _ => &[],
        }
    }

    /// Removes the request on top with its questions.
    pub(crate) fn drop_top(&mut self) {
        if let Some(request) = self.stack.pop() {
            self.asks.truncate(request.first as usize);
            self.words.truncate(request.first_word as usize);
        }
    }
}

/// One open question, as the outside may see it.
#[derive(Clone, Copy)]
pub struct Pending<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tables: &'a Tables,
    pub(crate) board: &'a Board,
    pub(crate) agenda: &'a Agenda,
    pub(crate) requests: &'a Requests,
    pub(crate) ask: &'a Ask,
    pub(crate) choice: &'a Choice,
}

impl<'a> Pending<'a> {
    /// Names the question.
    #[must_use]
    pub fn id(&self) -> InputId {
        self.ask.id
    }

    /// Who is asked.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.ask.seat
    }

    /// Which `choose` statement asks.
    #[must_use]
    pub fn choice_id(&self) -> ChoiceId {
        self.ask.choice
    }

    /// What is known about it before play.
    #[must_use]
    pub fn choice(&self) -> &'a Choice {
        self.choice
    }

    /// The ruleset it belongs to.
    #[must_use]
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// How many options there are (none for branches).
    #[must_use]
    pub fn option_count(&self) -> usize {
        self.options().len()
    }

    /// The option with that number.
    #[must_use]
    pub fn option(&self, index: usize) -> Option<Word> {
        self.options().get(index).copied()
    }

    /// All options.
    #[must_use]
    pub fn options(&self) -> &'a [Word] {
        self.board.heap.list(self.ask.options).unwrap_or(&[])
    }

    /// Least and greatest number of picks, slots or branches.
    #[must_use]
    pub fn bounds(&self) -> (u32, u32) {
        (self.ask.min, self.ask.max)
    }

    /// How many slots there are to fill.
    #[must_use]
    pub fn slots(&self) -> Option<u32> {
        matches!(self.choice.shape, Shape::Slots { .. }).then_some(self.ask.max)
    }

    /// How long there is to answer.
    #[must_use]
    pub fn deadline_ms(&self) -> Option<i64> {
        (self.ask.deadline != NULL).then_some(self.ask.deadline)
    }

    /// Whether something counts if the deadline passes without a draft.
    #[must_use]
    pub fn has_default(&self) -> bool {
        self.ask.default != NULL
    }

    /// Whether something counts if time is up: a draft, a default, declining, or leaving all slots empty. If not, a
    /// player without time can only leave.
    #[must_use]
    pub fn settles_without_answer(&self) -> bool {
        let may_be_empty = self.choice.shape == (Shape::Slots { empty: true });
        self.ask.has_draft || self.has_default() || self.choice.pass || may_be_empty
    }

    /// The answer if the deadline passes, a value of the choice's value type.
    #[must_use]
    pub fn default_value(&self) -> Option<Word> {
        (self.ask.default != NULL).then_some(self.ask.default)
    }

    /// What the player would answer if the clock ran out now, a value of the choice's value type.
    #[must_use]
    pub fn draft(&self) -> Option<Word> {
        self.ask.has_draft.then_some(self.ask.draft)
    }

    /// One of the branches as it stands for this player.
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

/// A branch as it stands for the player asked.
#[derive(Clone, Copy, Debug)]
pub struct BranchOffer<'a> {
    /// Can be picked now.
    pub available: bool,
    /// The branch it is an alternative of, if not of the question itself.
    pub parent: Option<u16>,
    /// What there is to pick in it.
    pub inner: Inner,
    /// Cannot be combined with others.
    pub exclusive: bool,
    /// The options that can be picked in it.
    pub options: &'a [Word],
    /// Least number of picks, or of its own branches.
    pub min: u32,
    /// Greatest number of picks, or of its own branches.
    pub max: u32,
}
