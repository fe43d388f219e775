//! Paths: answers chosen step by step, where each step decides which options come next.
//!
//! Paths are never enumerated. The options after one prefix are computed on demand, by code of the asking
//! rule, on a copy of its registers.

use std::fmt;

use intermezzo_program::{
    AnswerShape, Choice, FaultCode, NULL, Reg, RoutineId, TextValues, TypeId, Word, word,
};

use crate::ask::input::{Answer, InputId, Refusal, Rejection, RuleFault};
use crate::ask::request::PendingQuestion;
use crate::run::evaluator::Evaluator;
use crate::run::frames::{CodeFrame, Frame, FrameStack, Meter};
use crate::run::match_instance::{Match, fault_at};
use crate::storage::board::Board;
use crate::storage::heap::HeapMark;
use crate::values::typed::Shapes;

/// A path under construction, on a copy of the match: the match itself does not change.
pub struct PathWalk<'a> {
    pending: PendingQuestion<'a>,
    board: Board,
    frames: FrameStack,
    picks: Vec<i32>,
    items: Vec<Word>,
    /// Options after each prefix from the empty one on, as far as computed.
    options: Vec<FoundOptions>,
}

/// The options after a prefix of a path.
#[derive(Clone, Copy)]
struct FoundOptions {
    list: Word,
    /// Length of the heap before them.
    heap: usize,
    /// The cost of computing them.
    steps: u32,
    words: usize,
}

/// The path that was numbered last. If it is given as the answer, its options need not be computed again.
#[derive(Debug)]
pub(crate) struct NumberedPath {
    question: InputId,
    changes: i64,
    picks: Vec<i32>,
    /// The items after the first, flattened.
    items: Vec<Word>,
    /// The cost of computing the options that they are picked from.
    steps: u32,
    words: usize,
}

/// Greatest number of words of the items of a [`NumberedPath`].
const MAX_ITEM_WORDS: usize = 1024;

impl<'a> PendingQuestion<'a> {
    /// Starts a path; returns `None` if the question does not ask for one.
    #[must_use]
    pub fn start_path(&self) -> Option<PathWalk<'a>> {
        self.choice.next?;
        let mut frames = FrameStack::default();
        frames.copy_from(self.frames);
        let board = self.board.clone_with_memo();
        let given = FoundOptions { list: self.ask.options, heap: board.heap.len(), steps: 0, words: 0 };
        let options = vec![given];
        Some(PathWalk { pending: *self, board, frames, picks: Vec::new(), items: Vec::new(), options })
    }

    /// Returns the longest valid prefix of `picks`.
    pub(crate) fn longest_valid_prefix(&self, picks: &[i32]) -> Vec<i32> {
        let Some(mut walk) = self.start_path() else { return Vec::new() };
        let taken = picks.iter().take_while(|pick| walk.step(**pick).is_ok()).count();
        picks[..taken].to_vec()
    }

    pub(crate) fn check_path(&self, picks: &[i32]) -> Result<(), Refusal> {
        self.check_max_length(picks.len())?;
        let mut walk = self.start_path().ok_or(Rejection::WrongShape)?;
        picks.iter().try_for_each(|pick| walk.step(*pick))?;
        self.check_min_length(picks.len()).map_err(Refusal::from)
    }

    /// Checks that a path is not too long. Runs before any option is computed.
    pub(crate) fn check_max_length(&self, got: usize) -> Result<(), Rejection> {
        if got > self.max_length() { Err(self.wrong_count(got)) } else { Ok(()) }
    }

    /// Checks that a path is not too short. Runs last, as for other answers.
    pub(crate) fn check_min_length(&self, got: usize) -> Result<(), Rejection> {
        if got < self.ask.min as usize { Err(self.wrong_count(got)) } else { Ok(()) }
    }

    fn max_length(&self) -> usize {
        self.ask.max.min(Choice::MAX_PATH) as usize
    }

    fn wrong_count(&self, got: usize) -> Rejection {
        let (expected_min, expected_max) = (self.ask.min, self.max_length() as u32);
        Rejection::WrongCount { expected_min, expected_max, got: got as u32 }
    }
}

impl PendingQuestion<'_> {
    /// Computes the values of the placeholders in the question's texts, on a copy of the match. Empty if it has none or a
    /// rule fails.
    pub(crate) fn text_values(&self) -> Option<(Board, Vec<Word>)> {
        let texts = self.choice.texts.as_ref()?;
        let mut frames = FrameStack::default();
        frames.copy_from(self.frames);
        let mut board = self.board.clone_with_memo();
        let mut meter = Meter::for_reading(self.program, &board);
        board.heap.allow(self.program.limits.heap);
        let mut core = Evaluator {
            program: self.program,
            tables: self.tables,
            board: &mut board,
            frames: &mut frames,
            meter: &mut meter,
        };
        let record = core.text_values(texts, word::player(self.ask.seat)).ok()?;
        let values = board.heap.fields(record, texts.fields.len())?.to_vec();
        Some((board, values))
    }
}

impl<'a> PathWalk<'a> {
    /// Returns the options of the next step: values of the choice's item type on [`PathWalk::board`]. Empty
    /// once the path has its greatest length.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn options(&mut self) -> Result<&[Word], RuleFault> {
        if self.items.len() >= self.pending.max_length() {
            return Ok(&[]);
        }
        if self.options.len() == self.items.len() {
            let follows = self.next_options()?;
            self.options.push(follows);
        }
        let list = self.options.last().map_or(0, |options| options.list);
        Ok(self.board.heap.list(list).unwrap_or(&[]))
    }

    /// Takes the option with that index.
    ///
    /// # Errors
    ///
    /// If the option does not exist or a rule fails; the path is then unchanged.
    pub fn step(&mut self, pick: i32) -> Result<(), Refusal> {
        let options = self.options().map_err(Refusal::Faulted)?;
        let found = usize::try_from(pick).ok().and_then(|pick| options.get(pick).copied());
        let item = found.ok_or(Rejection::NoSuchOption { pick: i64::from(pick) })?;
        self.picks.push(pick);
        self.items.push(item);
        Ok(())
    }

    /// Undoes the last step, if any.
    pub fn step_back(&mut self) {
        self.picks.pop();
        self.items.pop();
        while self.options.len() > self.items.len() + 1 {
            if let Some(options) = self.options.pop() {
                self.board.heap.truncate(options.heap);
            }
        }
    }

    /// Returns the indexes of the options taken.
    #[must_use]
    pub fn picks(&self) -> &[i32] {
        &self.picks
    }

    /// Returns the options taken: values of the choice's item type on [`PathWalk::board`].
    #[must_use]
    pub fn items(&self) -> &[Word] {
        &self.items
    }

    /// Returns the board that holds the values.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    #[must_use]
    pub fn pending(&self) -> &PendingQuestion<'a> {
        &self.pending
    }

    /// Tells whether the path is a complete answer.
    #[must_use]
    pub fn is_long_enough(&self) -> bool {
        self.pending.check_min_length(self.items.len()).is_ok()
    }

    /// Returns the path as an answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        Answer::Picks(self.picks.clone())
    }

    /// Remembers the path, in case it is given as the answer. Short ones are found as quickly.
    pub(crate) fn remember(&self) {
        let (program, board) = (self.pending.program, self.pending.board);
        let shapes = Shapes { program, seats: board.seats };
        let mut items = Vec::new();
        for item in self.items.get(1..).unwrap_or_default() {
            shapes.flatten(&self.board.heap, self.pending.choice.item, *item, MAX_ITEM_WORDS, &mut items);
        }
        if items.is_empty() || items.len() >= MAX_ITEM_WORDS {
            return;
        }
        let computed = self.options.get(1..self.items.len()).unwrap_or_default();
        let path = NumberedPath {
            question: self.pending.ask.id,
            changes: board.changes,
            picks: self.picks.clone(),
            items,
            steps: computed.iter().fold(0, |steps, options| steps.saturating_add(options.steps)),
            words: computed.iter().map(|options| options.words).sum(),
        };
        if let Ok(mut numbered) = self.pending.requests.numbered.lock() {
            *numbered = Some(path);
        }
    }

    fn next_options(&mut self) -> Result<FoundOptions, RuleFault> {
        let program = self.pending.program;
        let mark = self.frames.mark();
        let mut meter = Meter::for_reading(program, &self.board);
        self.board.heap.allow(program.limits.heap);
        let (heap, left, steps) = (self.board.heap.len(), self.board.heap.left(), meter.all_steps());
        let mut core = Evaluator {
            program,
            tables: self.pending.tables,
            board: &mut self.board,
            frames: &mut self.frames,
            meter: &mut meter,
        };
        let follows =
            core.next_path_options(self.pending.choice, word::player(self.pending.ask.seat), &self.items);
        let list = follows.map_err(|code| {
            let fault = fault_at(program, self.pending.tables, &self.frames, code);
            self.frames.truncate_to(mark);
            fault
        })?;
        let (steps, words) = (steps - meter.all_steps(), left - self.board.heap.left());
        Ok(FoundOptions { list, heap, steps, words })
    }
}

impl Match {
    /// Builds the value of a path on the match's own heap, or returns the error in it.
    pub(crate) fn path_value(&mut self, at: usize, picks: &[i32]) -> Result<Word, Refusal> {
        self.pending_at(at).check_max_length(picks.len())?;
        let mark = self.board.heap.mark();
        let numbered = self.numbered_value(at, picks);
        match numbered {
            Some(value) if !cfg!(debug_assertions) => return Ok(value),
            Some(value) => self.assert_numbered(at, picks, mark, value),
            None => self.board.heap.rollback(mark),
        }
        self.computed_path_value(at, picks)
    }

    /// Returns the value of the path that was numbered last, at the cost of computing its options. `None` if it is another
    /// path, or something does not fit.
    fn numbered_value(&mut self, at: usize, picks: &[i32]) -> Option<Word> {
        let ask = &self.requests.questions[at];
        let (question, choice, options) = (ask.id, ask.choice, ask.options);
        let numbered = self.requests.numbered.get_mut().ok()?;
        let is_it = numbered.as_ref().is_some_and(|path| {
            path.question == question && path.changes == self.board.changes && path.picks == picks
        });
        let path = numbered.take().filter(|_| is_it)?;
        if path.steps > self.program.limits.steps {
            return None;
        }
        let shapes = Shapes { program: &self.program, seats: self.board.seats };
        let first = self.board.heap.list(options)?.get(usize::try_from(*picks.first()?).ok()?);
        let mut items = vec![*first?];
        let (mut words, before) = (&path.items[..], self.board.heap.len());
        while items.len() < picks.len() {
            let ty = self.program.choices[choice.index()].item;
            items.push(shapes.unflatten(&mut self.board, ty, &mut words)?);
        }
        let built = self.board.heap.len() - before;
        self.board.heap.charge(path.words.checked_sub(built)?).ok()?;
        self.board.heap.new_list(&items).ok()
    }

    /// Asserts that computing the options of a numbered path gives the same value at the same cost. Drops the value.
    fn assert_numbered(&mut self, at: usize, picks: &[i32], mark: HeapMark, value: Word) {
        let ty = self.program.choices[self.requests.questions[at].choice.index()].value;
        let known = self.flattened(ty, value);
        self.board.heap.rollback(mark);
        let computed = self.computed_path_value(at, picks).map(|value| self.flattened(ty, value));
        assert_eq!(computed, Ok(known), "a numbered path is out of date");
        self.board.heap.rollback(mark);
    }

    /// Returns a value as words, and the memory that is left.
    fn flattened(&self, ty: TypeId, value: Word) -> (Vec<Word>, usize) {
        let shapes = Shapes { program: &self.program, seats: self.board.seats };
        let mut words = Vec::new();
        shapes.flatten(&self.board.heap, ty, value, usize::MAX, &mut words);
        (words, self.board.heap.left())
    }

    fn computed_path_value(&mut self, at: usize, picks: &[i32]) -> Result<Word, Refusal> {
        let pending = self.pending_at(at);
        let (choice, player) = (self.requests.questions[at].choice, word::player(pending.seat()));
        let mut list = pending.ask.options;
        let mut meter = Meter::for_reading(&self.program, &self.board);
        let mut items = Vec::with_capacity(picks.len());
        for (place, pick) in picks.iter().enumerate() {
            if place > 0 {
                list = self
                    .next_path_options(&mut meter, choice.index(), player, &items)
                    .map_err(Refusal::Faulted)?;
            }
            let options = self.board.heap.list(list).unwrap_or(&[]);
            let found = usize::try_from(*pick).ok().and_then(|pick| options.get(pick).copied());
            items.push(found.ok_or(Rejection::NoSuchOption { pick: i64::from(*pick) })?);
        }
        self.board.heap.new_list(&items).map_err(crate::ask::input_validation::memory_fault)
    }

    fn next_path_options(
        &mut self,
        meter: &mut Meter,
        choice: usize,
        player: Word,
        items: &[Word],
    ) -> Result<Word, RuleFault> {
        let mark = self.frames.mark();
        let program = &self.program;
        let mut core = Evaluator {
            program,
            tables: &self.tables,
            board: &mut self.board,
            frames: &mut self.frames,
            meter,
        };
        let follows = core.next_path_options(&program.choices[choice], player, items);
        follows.map_err(|code| {
            let fault = fault_at(&self.program, &self.tables, &self.frames, code);
            self.frames.truncate_to(mark);
            fault
        })
    }
}

impl Evaluator<'_> {
    /// Computes the list of options that may follow `items` on a path. The asking frame must be on top.
    pub(crate) fn next_path_options(
        &mut self,
        choice: &Choice,
        player: Word,
        items: &[Word],
    ) -> Result<Word, FaultCode> {
        let next = choice.next.ok_or(FaultCode::Missing)?;
        let asking = *self.frames.stack.last().ok_or(FaultCode::Missing)?;
        if asking.routine(self.program) != Some(next.routine) {
            return Err(FaultCode::Missing);
        }
        let so_far = self.board.heap.new_list(items)?;
        let frame = self.copy_frame(&asking, next.routine, next.entry)?;
        let base = frame.base() as usize;
        self.frames.regs[base + usize::from(Reg::ACTOR.0)] = player;
        self.frames.regs[base + usize::from(next.prefix.0)] = so_far;
        let floor = self.frames.stack.len();
        self.frames.stack.push(frame);
        self.meter.charge_steps(1)?;
        self.run_to_end(floor)?;
        match self.frames.returned {
            NULL => Err(FaultCode::Missing),
            list => self.board.heap.items(list).map(|_| list),
        }
    }

    /// Computes the values of the placeholders in the texts of a choice, a record. The asking frame must be on top.
    pub(crate) fn text_values(&mut self, texts: &TextValues, player: Word) -> Result<Word, FaultCode> {
        let asking = *self.frames.stack.last().ok_or(FaultCode::Missing)?;
        if asking.routine(self.program) != Some(texts.routine) {
            return Err(FaultCode::Missing);
        }
        let frame = self.copy_frame(&asking, texts.routine, texts.entry)?;
        self.frames.regs[frame.base() as usize + usize::from(Reg::ACTOR.0)] = player;
        let floor = self.frames.stack.len();
        self.frames.stack.push(frame);
        self.meter.charge_steps(1)?;
        self.run_to_end(floor)?;
        Ok(self.frames.returned)
    }

    /// Pushes the registers of a frame with a copy of the asking frame's locals.
    pub(crate) fn copy_frame(
        &mut self,
        asking: &Frame,
        asking_routine: RoutineId,
        entry: u32,
    ) -> Result<Frame, FaultCode> {
        let routine = &self.program.routines[asking_routine.index()];
        let base = self.frames.push_registers(usize::from(routine.registers), self.program.limits.depth)?;
        let from = asking.base() as usize;
        self.frames.regs.copy_within(from..from + routine.locals.len(), base);
        let code = CodeFrame::new(self.program, asking_routine, base, Reg::NONE, asking.cause());
        Ok(Frame::Code(CodeFrame { pc: entry, batch: asking.looks_back_on(), ..code }))
    }

    /// Tells whether a list of values is still a path: each of them is offered after the ones before it.
    pub(crate) fn is_path(&mut self, choice: &Choice, player: Word, first: Word, path: Word) -> bool {
        let mark = self.frames.mark();
        let items = self.board.heap.list(path).unwrap_or(&[]).to_vec();
        for (place, item) in items.iter().enumerate() {
            let options = match place {
                0 => Ok(first),
                _ => self.next_path_options(choice, player, &items[..place]),
            };
            let heap = &self.board.heap;
            let is_same = |option: &Word| self.shapes().same(heap, choice.item, *option, *item);
            let is_offered =
                options.is_ok_and(|options| heap.list(options).unwrap_or(&[]).iter().any(is_same));
            if !is_offered {
                self.frames.truncate_to(mark);
                return false;
            }
        }
        true
    }
}

/// Stack heights before a computation.
#[derive(Clone, Copy)]
pub(crate) struct FrameMark {
    frames: usize,
    regs: usize,
    building: usize,
}

impl FrameStack {
    pub(crate) fn mark(&self) -> FrameMark {
        FrameMark { frames: self.stack.len(), regs: self.regs.len(), building: self.building.len() }
    }

    /// Drops what a failed computation left behind.
    pub(crate) fn truncate_to(&mut self, mark: FrameMark) {
        self.stack.truncate(mark.frames);
        self.regs.truncate(mark.regs);
        self.building.truncate(mark.building);
    }
}

impl fmt::Debug for PathWalk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PathWalk")
            .field("picks", &self.picks)
            .field("shape", &AnswerShape::Path)
            .finish_non_exhaustive()
    }
}
