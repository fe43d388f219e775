//! Tests of a whole selection (`check` of a `choose`).
//!
//! A question whose selection is tested is asked only if some selection passes. The engine looks for one by size, then in the
//! order of the options. It tries a bounded number, so that a test that hardly anything passes costs a bounded time.

use intermezzo_program::{AnswerShape, Choice, FaultCode, NULL, Reg, Word, word};

use crate::ask::answer::value_of_picks;
use crate::ask::answer_count::{
    arrangements, combinations, nth_arrangement, nth_combination, nth_of_sizes, saturating_sum,
};
use crate::ask::input::{Answer, Refusal, Rejection, RuleFault};
use crate::ask::request::PendingQuestion;
use crate::run::evaluator::Evaluator;
use crate::run::frames::{FrameStack, Meter};
use crate::run::match_instance::fault_at;
use crate::storage::board::Board;

/// Greatest number of selections that are tried to find one that passes.
pub(crate) const MAX_TRIED: u64 = 2_000;

/// The selections of a question, by number: the small ones first, then in the order of the options.
#[derive(Clone, Copy)]
struct Selections {
    is_ordered: bool,
    bounds: (u32, u32),
    options: usize,
}

impl Selections {
    fn count(self) -> u64 {
        let ways = if self.is_ordered { arrangements } else { combinations };
        let (min, max) = self.bounds;
        saturating_sum((min..=max).map(|size| ways(self.options as u64, u64::from(size))))
    }

    fn nth(self, n: u64, picks: &mut Vec<i32>) {
        picks.clear();
        match self.is_ordered {
            true => nth_of_sizes(n, self.bounds, self.options, arrangements, nth_arrangement, picks),
            false => nth_of_sizes(n, self.bounds, self.options, combinations, nth_combination, picks),
        }
    }

    /// Finds the first selection from number `first` on that `passes`, going round after the last one. Those of the greatest
    /// size are tried, too, before the number of tries is used up: a minimum that a few cannot reach is often reached by all.
    fn find<E>(
        self,
        first: u64,
        mut passes: impl FnMut(&[i32]) -> Result<bool, E>,
    ) -> Result<Option<Vec<i32>>, E> {
        let (count, mut picks) = (self.count(), Vec::new());
        let is_all = count <= MAX_TRIED;
        let tries = count.min(MAX_TRIED);
        for step in 0..tries {
            let number = match is_all || step < MAX_TRIED / 2 {
                true => (first % count).checked_add(step).map_or(step, |number| number % count),
                // The last ones, from the end on.
                false => count.saturating_sub(1 + step - MAX_TRIED / 2),
            };
            self.nth(number, &mut picks);
            if passes(&picks)? {
                return Ok(Some(picks));
            }
        }
        Ok(None)
    }
}

impl PendingQuestion<'_> {
    fn selections(&self) -> Selections {
        Selections {
            is_ordered: self.choice.shape == AnswerShape::Order,
            bounds: self.bounds(),
            options: self.option_count(),
        }
    }

    /// Checks that a selection passes the tests of the rules.
    pub(crate) fn check_selection(&self, answer: &Answer) -> Result<(), Refusal> {
        let (Some(tests), Answer::Picks(picks)) = (&self.choice.tests, answer) else { return Ok(()) };
        let mut bench = TestBench::new(self);
        match bench.failed_test(self, picks).map_err(Refusal::Faulted)? {
            None => Ok(()),
            Some(number) => {
                let text = tests.reasons.get(number).and_then(|text| self.program.texts.get(text.index()));
                Err(Rejection::SelectionRefused { reason: text.cloned().unwrap_or_default() }.into())
            }
        }
    }

    /// Tells whether a selection passes the tests of the rules. Every selection does if there are none.
    ///
    /// # Errors
    ///
    /// Returns an error if a test fails as a rule.
    pub fn selection_passes(&self, picks: &[i32]) -> Result<bool, RuleFault> {
        if self.choice.tests.is_none() {
            return Ok(true);
        }
        TestBench::new(self).failed_test(self, picks).map(|failed| failed.is_none())
    }

    /// Returns the first selection from number `n` on that passes the tests; the first one of all if those tried do not.
    pub(crate) fn nth_tested_selection(&self, n: u64) -> Option<Vec<i32>> {
        let mut bench = TestBench::new(self);
        let mut passes = |picks: &[i32]| bench.failed_test(self, picks).map(|failed| failed.is_none());
        let found = self.selections().find(n, &mut passes).ok()?;
        if found.is_some() || n == 0 {
            return found;
        }
        self.selections().find(0, &mut passes).ok()?
    }
}

/// A copy of the match on which selections are tested.
struct TestBench {
    board: Board,
    frames: FrameStack,
}

impl TestBench {
    fn new(pending: &PendingQuestion<'_>) -> TestBench {
        let mut frames = FrameStack::default();
        frames.copy_from(pending.frames);
        TestBench { board: pending.board.clone_with_memo(), frames }
    }

    /// Returns the number of the first test that a selection fails.
    fn failed_test(
        &mut self,
        pending: &PendingQuestion<'_>,
        picks: &[i32],
    ) -> Result<Option<usize>, RuleFault> {
        let (program, heap) = (pending.program, self.board.heap.len());
        let mark = self.frames.mark();
        let mut meter = Meter::full(program);
        self.board.heap.allow(program.limits.heap);
        let mut core = Evaluator {
            program,
            tables: pending.tables,
            board: &mut self.board,
            frames: &mut self.frames,
            meter: &mut meter,
        };
        let failed = value_of_picks(&mut core.board.heap, pending.choice, pending.ask.options, picks)
            .and_then(|value| core.failed_test(pending.choice, word::player(pending.ask.seat), value));
        let failed = failed.map_err(|code| fault_at(program, pending.tables, &self.frames, code));
        self.frames.truncate_to(mark);
        self.board.heap.truncate(heap);
        failed
    }
}

impl Evaluator<'_> {
    /// Returns the number of the first test that a selection fails. The asking frame must be on top.
    pub(crate) fn failed_test(
        &mut self,
        choice: &Choice,
        player: Word,
        selection: Word,
    ) -> Result<Option<usize>, FaultCode> {
        let Some(tests) = &choice.tests else { return Ok(None) };
        let asking = *self.frames.stack.last().ok_or(FaultCode::Missing)?;
        if asking.routine(self.program) != Some(tests.routine) {
            return Err(FaultCode::Missing);
        }
        let (routine, entry, place) = (tests.routine, tests.entry, tests.selection);
        let frame = self.copy_frame(&asking, routine, entry)?;
        let base = frame.base() as usize;
        self.frames.regs[base + usize::from(Reg::ACTOR.0)] = player;
        self.frames.regs[base + usize::from(place.0)] = selection;
        let floor = self.frames.stack.len();
        self.frames.stack.push(frame);
        self.meter.charge_steps(1)?;
        self.run_to_end(floor)?;
        Ok(usize::try_from(self.frames.returned).ok().filter(|_| self.frames.returned != NULL))
    }

    /// Tells whether some selection of these options passes the tests of a choice.
    pub(crate) fn has_valid_selection(
        &mut self,
        choice: &Choice,
        player: Word,
        options: Word,
        bounds: (u32, u32),
    ) -> Result<bool, FaultCode> {
        let count = self.board.heap.items(options)?.len();
        let is_ordered = choice.shape == AnswerShape::Order;
        let selections = Selections { is_ordered, bounds, options: count };
        let heap = self.board.heap.len();
        let found = selections.find(0, |picks| {
            let value = value_of_picks(&mut self.board.heap, choice, options, picks)?;
            let failed = self.failed_test(choice, player, value)?;
            self.board.heap.truncate(heap);
            Ok(failed.is_none())
        })?;
        Ok(found.is_some())
    }
}
