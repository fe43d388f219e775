//! Paths: answers that are chosen step by step, where what may come next follows from what came before.
//!
//! Nothing is ever enumerated. What may follow is computed for one prefix at a
//! time, by code of the rule that asks, on a copy of its registers.

use std::fmt;

use intermezzo_ruleset::{Choice, FaultCode, NULL, Next, Reg, Shape, Word, word};

use crate::agenda::{Agenda, Frame, Meter};
use crate::board::Board;
use crate::core::Core;
use crate::input::{Answer, Fault, Refusal, Rejection};
use crate::play::{Match, fault_at};
use crate::request::Pending;

/// A path on its way, on a copy of the match: nothing here changes anything there.
pub struct Walk<'a> {
    pending: Pending<'a>,
    board: Board,
    agenda: Agenda,
    picks: Vec<i32>,
    items: Vec<Word>,
    /// What may follow each prefix from the empty one on, as far as somebody asked, and where the heap ended before.
    options: Vec<(Word, usize)>,
}

impl<'a> Pending<'a> {
    /// Begins a path; nothing if the question does not ask for one.
    #[must_use]
    pub fn walk(&self) -> Option<Walk<'a>> {
        self.choice.next?;
        let mut agenda = Agenda::default();
        agenda.copy_from(self.agenda);
        let board = self.board.clone();
        let options = vec![(self.ask.options, board.heap.len())];
        Some(Walk { pending: *self, board, agenda, picks: Vec::new(), items: Vec::new(), options })
    }

    /// The longest beginning of `picks` that is a path.
    pub(crate) fn beginning(&self, picks: &[i32]) -> Vec<i32> {
        let Some(mut walk) = self.walk() else { return Vec::new() };
        let taken = picks.iter().take_while(|pick| walk.step(**pick).is_ok()).count();
        picks[..taken].to_vec()
    }

    pub(crate) fn check_path(&self, picks: &[i32]) -> Result<(), Refusal> {
        self.check_length(picks.len())?;
        let mut walk = self.walk().ok_or(Rejection::WrongShape)?;
        picks.iter().try_for_each(|pick| walk.step(*pick))?;
        self.check_enough(picks.len()).map_err(Refusal::from)
    }

    /// Checked before anything is computed for a path: that it is not too long.
    pub(crate) fn check_length(&self, got: usize) -> Result<(), Rejection> {
        if got > self.longest() { Err(self.wrong_count(got)) } else { Ok(()) }
    }

    /// Checked last, as with other answers: that it is not too short.
    pub(crate) fn check_enough(&self, got: usize) -> Result<(), Rejection> {
        if got < self.ask.min as usize { Err(self.wrong_count(got)) } else { Ok(()) }
    }

    fn longest(&self) -> usize {
        self.ask.max.min(Choice::MAX_PATH) as usize
    }

    fn wrong_count(&self, got: usize) -> Rejection {
        let (expected_min, expected_max) = (self.ask.min, self.longest() as u32);
        Rejection::WrongCount { expected_min, expected_max, got: got as u32 }
    }
}

impl<'a> Walk<'a> {
    /// What may come next: values of the choice's item type on [`Walk::board`]. Nothing where the path is as long as
    /// it may be.
    ///
    /// # Errors
    ///
    /// If a rule fails.
    pub fn options(&mut self) -> Result<&[Word], Fault> {
        if self.items.len() >= self.pending.longest() {
            return Ok(&[]);
        }
        if self.options.len() == self.items.len() {
            let heap = self.board.heap.len();
            let follows = self.follows()?;
            self.options.push((follows, heap));
        }
        let list = self.options.last().map_or(0, |(list, _)| *list);
        Ok(self.board.heap.list(list).unwrap_or(&[]))
    }

    /// Goes on to the option with that number.
    ///
    /// # Errors
    ///
    /// If there is no such option or a rule fails; the path is then as it was.
    pub fn step(&mut self, pick: i32) -> Result<(), Refusal> {
        let options = self.options().map_err(Refusal::Faulted)?;
        let found = usize::try_from(pick).ok().and_then(|pick| options.get(pick).copied());
        let item = found.ok_or(Rejection::NoSuchOption { pick: i64::from(pick) })?;
        self.picks.push(pick);
        self.items.push(item);
        Ok(())
    }

    /// Takes the last step back, if there was one.
    pub fn step_back(&mut self) {
        self.picks.pop();
        self.items.pop();
        while self.options.len() > self.items.len() + 1 {
            if let Some((_, heap)) = self.options.pop() {
                self.board.heap.truncate(heap);
            }
        }
    }

    /// The numbers of the options taken so far.
    #[must_use]
    pub fn picks(&self) -> &[i32] {
        &self.picks
    }

    /// What was taken so far: values of the choice's item type on [`Walk::board`].
    #[must_use]
    pub fn items(&self) -> &[Word] {
        &self.items
    }

    /// Where the values are.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The question.
    #[must_use]
    pub fn pending(&self) -> &Pending<'a> {
        &self.pending
    }

    /// Whether the path as it is would do as an answer.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.pending.check_enough(self.items.len()).is_ok()
    }

    /// The path as an answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        Answer::Picks(self.picks.clone())
    }

    fn follows(&mut self) -> Result<Word, Fault> {
        let program = self.pending.program;
        let mark = self.agenda.mark();
        let mut meter = Meter::full(program);
        self.board.heap.allow(program.limits.heap);
        let mut core = Core {
            program,
            tables: self.pending.tables,
            board: &mut self.board,
            agenda: &mut self.agenda,
            meter: &mut meter,
        };
        let follows = core.follows(self.pending.choice, word::player(self.pending.ask.seat), &self.items);
        follows.map_err(|code| {
            let fault = fault_at(program, self.pending.tables, &self.agenda, code);
            self.agenda.cut(mark);
            fault
        })
    }
}

impl Match {
    /// The value of a path, on the match's own heap; what is wrong with it if it is none.
    pub(crate) fn path_value(&mut self, at: usize, picks: &[i32]) -> Result<Word, Refusal> {
        let pending = self.pending_at(at);
        pending.check_length(picks.len())?;
        let (choice, player) = (self.requests.asks[at].choice, word::player(pending.seat()));
        let mut list = pending.ask.options;
        let mut meter = Meter::full(&self.program);
        let mut items = Vec::with_capacity(picks.len());
        for (place, pick) in picks.iter().enumerate() {
            if place > 0 {
                list = self.follows(&mut meter, choice.index(), player, &items).map_err(Refusal::Faulted)?;
            }
            let options = self.board.heap.list(list).unwrap_or(&[]);
            let found = usize::try_from(*pick).ok().and_then(|pick| options.get(pick).copied());
            items.push(found.ok_or(Rejection::NoSuchOption { pick: i64::from(*pick) })?);
        }
        self.board.heap.new_list(&items).map_err(crate::legal::memory)
    }

    fn follows(
        &mut self,
        meter: &mut Meter,
        choice: usize,
        player: Word,
        items: &[Word],
    ) -> Result<Word, Fault> {
        let mark = self.agenda.mark();
        let program = &self.program;
        let mut core =
            Core { program, tables: &self.tables, board: &mut self.board, agenda: &mut self.agenda, meter };
        let follows = core.follows(&program.choices[choice], player, items);
        follows.map_err(|code| {
            let fault = fault_at(&self.program, &self.tables, &self.agenda, code);
            self.agenda.cut(mark);
            fault
        })
    }
}

impl Core<'_> {
    /// What may follow `items` on a path, a list. The frame on top is the one that asks.
    pub(crate) fn follows(
        &mut self,
        choice: &Choice,
        player: Word,
        items: &[Word],
    ) -> Result<Word, FaultCode> {
        let next = choice.next.ok_or(FaultCode::Missing)?;
        let asking = *self.agenda.frames.last().ok_or(FaultCode::Missing)?;
        if asking.routine != next.routine {
            return Err(FaultCode::Missing);
        }
        let so_far = self.board.heap.new_list(items)?;
        let frame = self.copy_frame(&asking, &next)?;
        let base = frame.base as usize;
        self.agenda.regs[base + usize::from(Reg::ACTOR.0)] = player;
        self.agenda.regs[base + usize::from(next.so_far.0)] = so_far;
        let floor = self.agenda.frames.len();
        self.agenda.frames.push(frame);
        self.meter.steps(1)?;
        self.run_to_end(floor)?;
        match self.agenda.returned {
            NULL => Err(FaultCode::Missing),
            list => self.board.heap.items(list).map(|_| list),
        }
    }

    /// A frame above the asking one with a copy of its locals.
    fn copy_frame(&mut self, asking: &Frame, next: &Next) -> Result<Frame, FaultCode> {
        let routine = &self.program.routines[next.routine.index()];
        let base = self.agenda.grow(usize::from(routine.registers), self.program.limits.depth)?;
        let from = asking.base as usize;
        self.agenda.regs.copy_within(from..from + routine.locals.len(), base);
        let frame = Frame::code(self.program, next.routine, base, Reg::NONE, asking.cause);
        Ok(Frame { pc: next.entry, batch: asking.looks_back_on(), ..frame })
    }

    /// Whether a list of values is still a path: each of them is offered after those before it.
    pub(crate) fn is_path(&mut self, choice: &Choice, player: Word, first: Word, path: Word) -> bool {
        let mark = self.agenda.mark();
        let items = self.board.heap.list(path).unwrap_or(&[]).to_vec();
        for (place, item) in items.iter().enumerate() {
            let options = match place {
                0 => Ok(first),
                _ => self.follows(choice, player, &items[..place]),
            };
            let heap = &self.board.heap;
            let is_same = |option: &Word| self.shapes().same(heap, choice.item, *option, *item);
            let is_offered =
                options.is_ok_and(|options| heap.list(options).unwrap_or(&[]).iter().any(is_same));
            if !is_offered {
                self.agenda.cut(mark);
                return false;
            }
        }
        true
    }
}

/// How much was under way before a computation.
#[derive(Clone, Copy)]
struct Mark {
    frames: usize,
    regs: usize,
    building: usize,
}

impl Agenda {
    fn mark(&self) -> Mark {
        Mark { frames: self.frames.len(), regs: self.regs.len(), building: self.building.len() }
    }

    /// Drops what a computation that failed left behind.
    fn cut(&mut self, mark: Mark) {
        self.frames.truncate(mark.frames);
        self.regs.truncate(mark.regs);
        self.building.truncate(mark.building);
    }
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("picks", &self.picks)
            .field("shape", &Shape::Path)
            .finish_non_exhaustive()
    }
}
