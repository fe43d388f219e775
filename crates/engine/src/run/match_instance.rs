//! The match: a running instance of a ruleset. Start with [`Match::start`] and [`Match::submit`].

use std::sync::Arc;

use intermezzo_program::{
    AnswerMode, FaultCode, NULL, Program, Reg, RoutineId, Seat, Symbol, TypeId, Word, native,
};

use crate::ask::auto_pass::AutoPass;
use crate::ask::input::{Input, InputId, Refusal, RuleFault};
use crate::ask::input_validation::ValidatedInput;
use crate::ask::request::{PendingQuestion, QuestionState, Requests, SeatQuestion};
use crate::optimize::dependencies::BoardParts;
use crate::optimize::program_index::ProgramIndex;
use crate::react::explain::Trace;
use crate::run::beginning::{Beginnings, SpareMatch};
use crate::run::chance::{Chance, DiceScript};
use crate::run::cycle;
use crate::run::effects::{Counters, EventHeader, Machine};
use crate::run::evaluator::Evaluator;
use crate::run::frames::{Frame, FrameStack, Interrupt, ItemRule, Meter, NO_ROUTINE, ResolvingFrame};
use crate::run::log::EventLog;
use crate::run::setup::{Setup, StartError, new_board, reset_board};
use crate::storage::board::{Board, Ending};
use crate::storage::copy::copy_list;
use crate::storage::fold::LogFold;
use crate::storage::undo::Savepoint;
use crate::values::datum::{Datum, describe};

/// A running instance of a ruleset: the board, the frames under way, the open questions and the state of chance.
#[derive(Debug)]
pub struct Match {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<ProgramIndex>,
    pub(crate) board: Board,
    pub(crate) frames: FrameStack,
    pub(crate) requests: Requests,
    pub(crate) chance: Chance,
    pub(crate) counters: Counters,
    /// Live heap words after the last garbage collection.
    pub(crate) live_words: usize,
    checkpoint: InputCheckpoint,
    /// Scratch buffer: builds values from answers, and becomes the new heap during garbage collection.
    pub(crate) words: Vec<Word>,
    /// Stack items known to fail during the current input. See [`Match::execute_retrying`].
    pub(crate) failed_items: Vec<u32>,
    pub(crate) failures: Vec<RuleFault>,
    /// Seats with auto-pass on, in ascending order.
    pub(crate) auto_passes: Vec<AutoPass>,
    /// Seats that auto-passed during the last input.
    pub(crate) auto_passed: Vec<Seat>,
    spare: Option<Box<SpareMatch>>,
    /// The part of the limits that the last input used.
    cost: ExecutionCost,
    /// Limits of the current input that are lower than those of the ruleset.
    budget: Option<ExecutionCost>,
    /// The host's wish to give the current input up.
    interrupt: Option<Interrupt>,
}

/// The part of the execution limits that one input uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExecutionCost {
    /// Backward jumps, calls and loop passes.
    pub steps: u32,
    pub events: u32,
    /// Words of event payloads.
    pub words: u32,
}

/// Limit on failing stack items per input. Beyond it, the whole input fails.
const MAX_FAILURES: usize = 64;

/// Everything but the board as it was before the current input. The board has its own undo log.
#[derive(Debug, Default)]
struct InputCheckpoint {
    frames: FrameStack,
    requests: Requests,
    counters: Counters,
    position: u64,
    script_used: u32,
    script_len: usize,
    touched: BoardParts,
}

impl Match {
    /// Starts a match and runs it until it first waits for an answer.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: Arc<Program>, setup: &Setup, log: &mut EventLog) -> Result<Match, StartError> {
        let mut log_fold = LogFold::new(program);
        let board = new_board(&mut log_fold, setup)?;
        let LogFold { program, tables, .. } = log_fold;
        let mut new = Match::assemble(program, tables, board, setup);
        new.begin(log)?;
        Ok(new)
    }

    /// Starts another match of the same ruleset. The new match shares the program index with this one, so this is
    /// faster and smaller than [`Match::start`].
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset, or a rule fails.
    pub fn start_another(&self, setup: &Setup, log: &mut EventLog) -> Result<Match, StartError> {
        let mut log_fold = LogFold::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables));
        let board = new_board(&mut log_fold, setup)?;
        let mut new = Match::assemble(Arc::clone(&self.program), Arc::clone(&self.tables), board, setup);
        new.begin(log)?;
        Ok(new)
    }

    /// Replaces this match with a new one of the same ruleset and reuses its memory. If the next match has the same seats and
    /// options, it begins with a copy of what comes before the first random event.
    ///
    /// # Errors
    ///
    /// Returns an error if the setup does not fit the ruleset, or a rule fails. This match is then unchanged.
    pub fn restart(&mut self, setup: &Setup, log: &mut EventLog) -> Result<(), StartError> {
        let mut spare = self.spare.take().unwrap_or_else(|| {
            Box::new(SpareMatch { state: self.clone(), beginnings: Beginnings::new(&self.program) })
        });
        let SpareMatch { state, beginnings } = &mut *spare;
        let outcome = state.begin_again(setup, beginnings, log);
        if outcome.is_ok() {
            std::mem::swap(self, state);
            std::mem::swap(&mut self.checkpoint, &mut state.checkpoint);
            std::mem::swap(&mut self.words, &mut state.words);
        }
        self.spare = Some(spare);
        outcome
    }

    /// Makes the match a new one that has not begun, with the memory it has.
    pub(crate) fn reset(&mut self, setup: &Setup) -> Result<(), StartError> {
        let mut log_fold = LogFold::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables));
        reset_board(&mut log_fold, setup, &mut self.board)?;
        self.clear(setup);
        Ok(())
    }

    pub(crate) fn assemble(
        program: Arc<Program>,
        tables: Arc<ProgramIndex>,
        board: Board,
        setup: &Setup,
    ) -> Match {
        Match {
            program,
            tables,
            board,
            frames: FrameStack::default(),
            requests: Requests::default(),
            chance: Chance::new(setup.seed, setup.script.clone().unwrap_or_default()),
            counters: Counters::default(),
            live_words: 0,
            checkpoint: InputCheckpoint::default(),
            words: Vec::new(),
            failed_items: Vec::new(),
            failures: Vec::new(),
            auto_passes: Vec::new(),
            auto_passed: Vec::new(),
            spare: None,
            cost: ExecutionCost::default(),
            budget: None,
            interrupt: None,
        }
    }

    pub(crate) fn from_parts(
        log_fold: LogFold,
        board: Board,
        frames: FrameStack,
        requests: Requests,
        chance: Chance,
        counters: Counters,
    ) -> Match {
        let LogFold { program, tables, .. } = log_fold;
        let live_words = board.heap.len();
        let checkpoint = InputCheckpoint::default();
        Match {
            program,
            tables,
            board,
            frames,
            requests,
            chance,
            counters,
            live_words,
            checkpoint,
            words: Vec::new(),
            failed_items: Vec::new(),
            failures: Vec::new(),
            auto_passes: Vec::new(),
            auto_passed: Vec::new(),
            spare: None,
            cost: ExecutionCost::default(),
            budget: None,
            interrupt: None,
        }
    }

    pub(crate) fn begin(&mut self, log: &mut EventLog) -> Result<(), StartError> {
        self.push_first_frames();
        self.run_beginning(log, |machine| {
            machine.core.update_rest();
            machine.begin(EventHeader::of(native::MATCH_STARTED), &[], &[])?;
            machine.run()
        })
    }

    /// Pushes the frames of the setup and, below it, of the flow.
    pub(crate) fn push_first_frames(&mut self) {
        let program = Arc::clone(&self.program);
        for routine in [program.flow, program.setup].into_iter().flatten() {
            let registers = usize::from(program.routines[routine.index()].registers);
            let base = self.frames.regs.len();
            self.frames.regs.push_nulls(registers);
            self.frames.stack.push(Frame::code(&program, routine, base, Reg::NONE, 0));
        }
    }

    /// Runs the match to its first wait.
    pub(crate) fn run_beginning(
        &mut self,
        log: &mut EventLog,
        work: impl FnOnce(&mut Machine<'_>) -> Result<(), FaultCode>,
    ) -> Result<(), StartError> {
        let mark = log.mark();
        self.board.heap.allow(self.program.limits.heap);
        let outcome = self.run_machine(log, 0, work);
        outcome.map_err(|fault| {
            if !log.has_stopped() {
                log.rollback(mark);
            }
            StartError::Fault(fault)
        })?;
        self.collect_if_due();
        Ok(())
    }

    /// Applies an input with all of its consequences up to the next wait, or not at all.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is not legal or a rule fails. The match is then unchanged.
    pub fn submit(&mut self, input: &Input, log: &mut EventLog) -> Result<(), Refusal> {
        self.submit_unless(None, input, log)
    }

    /// Applies an input like [`Match::submit`], unless the host interrupts its rules. What follows of itself, such as
    /// automatic passes, is not interrupted: an input either has all of its consequences or none.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Match::submit`], and [`FaultCode::Time`] if the host interrupts.
    pub fn submit_unless(
        &mut self,
        interrupt: Option<Interrupt>,
        input: &Input,
        log: &mut EventLog,
    ) -> Result<(), Refusal> {
        self.interrupt = interrupt;
        let applied = self.apply_input(input, log);
        self.interrupt = None;
        let savepoint = applied?;
        if let Some(savepoint) = savepoint {
            self.board.commit(savepoint);
        }
        self.collect_if_due();
        if !self.auto_passes.is_empty() {
            if let Input::Answer { seat, .. } = input {
                self.reset_pass_count(*seat);
            }
            self.run_auto_passes(log);
        }
        Ok(())
    }

    /// Lets the host give up what is computed outside of inputs, such as the options of a path: it fails then. The host must not
    /// use anything that was computed since, and must drop the match if an input was applied.
    pub fn interrupt_reads(&mut self, interrupt: Option<Interrupt>) {
        self.board.read_interrupt = interrupt;
    }

    /// Applies an input like [`Match::submit`], but with lower limits than those of the ruleset.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is not legal, a rule fails or the budget is not enough. The match is then
    /// unchanged.
    pub fn submit_within(
        &mut self,
        input: &Input,
        budget: ExecutionCost,
        log: &mut EventLog,
    ) -> Result<(), Refusal> {
        self.budget = Some(budget);
        let outcome = self.submit(input, log);
        self.budget = None;
        outcome
    }

    /// Returns what the last input that let the match continue used of the execution limits.
    #[must_use]
    pub fn last_cost(&self) -> ExecutionCost {
        self.cost
    }

    /// Applies an input, calls `look` on the resulting match, and undoes the input.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Match::submit`].
    pub fn preview<T>(&mut self, input: &Input, look: impl FnOnce(&Match) -> T) -> Result<T, Refusal> {
        if !self.auto_passes.is_empty() || matches!(input, Input::AutoPass { .. }) {
            let mut copy = self.clone();
            copy.submit(input, &mut EventLog::discard())?;
            return Ok(look(&copy));
        }
        let outer = self.board.mark();
        self.save_checkpoint();
        let outcome = self.apply_input(input, &mut EventLog::discard());
        let seen = match outcome {
            Ok(inner) => {
                let seen = look(self);
                if let Some(inner) = inner {
                    self.board.commit(inner);
                }
                Ok(seen)
            }
            Err(refusal) => Err(refusal),
        };
        self.board.rollback(outer);
        self.restore_checkpoint();
        seen
    }

    /// Applies an input and returns the open savepoint that would undo it. Inputs that only store an answer, a draft
    /// or a setting change nothing on the board, so they return `None`.
    fn apply_input(&mut self, input: &Input, log: &mut EventLog) -> Result<Option<Savepoint>, Refusal> {
        self.board.heap.allow(self.program.limits.heap);
        self.failures.clear();
        self.auto_passed.clear();
        let heap = self.board.heap.len();
        let step = match self.validate(input) {
            Ok(step) => step,
            Err(refusal) => {
                self.board.heap.truncate(heap);
                return Err(refusal);
            }
        };
        match step {
            ValidatedInput::Draft { at, value, is_legal } => {
                let ask = &mut self.requests.questions[at];
                ask.draft = value;
                ask.has_draft = true;
                ask.draft_is_legal = is_legal;
                ask.touched = true;
                self.counters.inputs += 1;
                Ok(None)
            }
            ValidatedInput::Answer { at, value, how } if !self.completes_request(at, value) => {
                self.requests.questions[at].record_answer(value, how);
                self.counters.inputs += 1;
                Ok(None)
            }
            ValidatedInput::AutoPass { seat, setting } => {
                self.set_auto_pass(seat, setting);
                self.counters.inputs += 1;
                Ok(None)
            }
            step => self.execute_step(&step, heap, self.counters.inputs + 1, log).map(Some),
        }
    }

    /// Executes a step that lets the match continue. If the rules then loop forever and the ruleset says
    /// `limits: { loop: draw }`, ends the match as a draw instead.
    pub(crate) fn execute_step(
        &mut self,
        step: &ValidatedInput,
        heap: usize,
        input: u32,
        log: &mut EventLog,
    ) -> Result<Savepoint, Refusal> {
        let outcome = match self.execute_retrying(step, heap, input, log) {
            Err(fault) if self.program.loops_draw && !fault.cycle.is_empty() => {
                self.execute_retrying(&ValidatedInput::Loop, heap, input, log).map_err(|_| fault)
            }
            outcome => outcome,
        };
        outcome.map_err(Refusal::Faulted)
    }

    /// Executes a step. If a stack item fails, rolls back and executes the step again without that item.
    fn execute_retrying(
        &mut self,
        step: &ValidatedInput,
        heap: usize,
        input: u32,
        log: &mut EventLog,
    ) -> Result<Savepoint, RuleFault> {
        let log_mark = log.mark();
        // With a savepoint open, `preview` has already saved the checkpoint to return to.
        let nested = self.board.has_savepoint();
        if !nested {
            self.save_checkpoint();
        }
        self.failed_items.clear();
        self.failures.clear();
        loop {
            let savepoint = self.board.mark();
            let fault = match self.with_machine(log, input, |machine| machine.execute_step(step)) {
                Ok(()) if log.has_passed_stop() => {
                    self.board.rollback(savepoint);
                    self.restore_checkpoint();
                    log.rollback(log_mark);
                    continue;
                }
                Ok(()) => {
                    self.counters.inputs = input;
                    return Ok(savepoint);
                }
                Err(fault) if log.has_stopped() => return Err(fault),
                Err(fault) => fault,
            };
            // A failing stack item must not take the input with it. Roll back and run the input again with this item
            // marked as failed, so that its effects are skipped.
            let item = self.failing_item(&fault);
            self.board.rollback(savepoint);
            self.restore_checkpoint();
            log.rollback(log_mark);
            let Some(item) = item else {
                self.board.heap.truncate(heap);
                self.failures.clear();
                return Err(fault);
            };
            self.failed_items.push(item);
            self.failures.push(fault);
        }
    }

    /// Returns the stack item that the fault belongs to, or `None` if the whole input must be rejected: a guard
    /// tripped, the item failed even while being cleaned up, or too many items failed.
    fn failing_item(&self, fault: &RuleFault) -> Option<u32> {
        let mut frames = self.frames.stack.iter().rev().filter_map(Frame::as_resolving);
        // A reaction that comes before an event is announced like an item but does not fail alone.
        let is_announced =
            |item: &ResolvingFrame| matches!(item.rule, ItemRule::Reaction(_)) && item.item == NULL;
        let is_item = |item: &&ResolvingFrame| !is_announced(item);
        let item = frames.find(is_item)?.id;
        let times = self.failed_items.iter().filter(|failed| **failed == item).count();
        let is_hopeless = fault.code.is_guard() || times > 1 || self.failed_items.len() >= MAX_FAILURES;
        (!is_hopeless).then_some(item)
    }

    /// Returns the faults of stack items that failed during the last input. The items were skipped; play continued.
    #[must_use]
    pub fn failures(&self) -> &[RuleFault] {
        &self.failures
    }

    /// Frees memory that is only needed while an input is being handled.
    pub(crate) fn release_scratch(&mut self) {
        self.checkpoint = InputCheckpoint::default();
        self.words = Vec::new();
        self.spare = None;
        self.failed_items = Vec::new();
        self.failures.shrink_to_fit();
    }

    /// Saves everything but the board, which undoes changes by itself.
    fn save_checkpoint(&mut self) {
        self.checkpoint.frames.copy_from(&self.frames);
        self.checkpoint.requests.copy_from(&self.requests);
        self.checkpoint.counters = self.counters;
        self.checkpoint.position = self.chance.position();
        self.checkpoint.script_used = self.chance.used;
        self.checkpoint.script_len = self.chance.script.rolls.len();
        self.checkpoint.touched = self.board.touched;
    }

    fn restore_checkpoint(&mut self) {
        self.frames.copy_from(&self.checkpoint.frames);
        self.requests.copy_from(&self.checkpoint.requests);
        self.counters = self.checkpoint.counters;
        self.chance.set_position(self.checkpoint.position);
        self.chance.used = self.checkpoint.script_used;
        // A growing script records rolls. Undone rolls must not stay in it.
        self.chance.script.rolls.truncate(self.checkpoint.script_len);
        self.board.touched = self.checkpoint.touched;
    }

    /// Runs `work` with a machine that knows whether this match is at rest.
    pub(crate) fn with_machine(
        &mut self,
        log: &mut EventLog,
        input: u32,
        work: impl FnOnce(&mut Machine<'_>) -> Result<(), FaultCode>,
    ) -> Result<(), RuleFault> {
        self.run_machine(log, input, |machine| {
            machine.core.update_rest();
            work(machine)
        })
    }

    /// Runs `work` with a machine on this match.
    fn run_machine(
        &mut self,
        log: &mut EventLog,
        input: u32,
        work: impl FnOnce(&mut Machine<'_>) -> Result<(), FaultCode>,
    ) -> Result<(), RuleFault> {
        let mut meter = Meter::full(&self.program);
        if let Some(budget) = self.budget {
            meter.tighten(budget);
        }
        let full = meter;
        (meter.newest, meter.input, meter.is_fast) = (self.counters.events, input, !log.may_stop());
        meter.interrupt_by(self.interrupt);
        self.frames.history.clear();
        let core = Evaluator {
            program: &self.program,
            tables: &self.tables,
            board: &mut self.board,
            frames: &mut self.frames,
            meter: &mut meter,
        };
        let mut machine = Machine {
            core,
            requests: &mut self.requests,
            chance: &mut self.chance,
            counters: &mut self.counters,
            log,
            failed_items: &self.failed_items,
        };
        let outcome = work(&mut machine);
        self.counters.events = meter.newest;
        self.cost = full.cost_until(&meter);
        let outcome = if meter.is_interrupted { Err(FaultCode::Time) } else { outcome };
        outcome.map_err(|code| fault_at(&self.program, &self.tables, &self.frames, code))
    }

    /// Returns true if this answer lets the match continue.
    pub(crate) fn completes_request(&self, at: usize, value: Word) -> bool {
        let ask = &self.requests.questions[at];
        let waits_for_all = match self.program.choices[ask.choice.index()].mode {
            AnswerMode::Each => true,
            AnswerMode::First => value == NULL,
            AnswerMode::One | AnswerMode::Any => false,
        };
        let is_last = || {
            let others = self.requests.top_questions().iter().filter(|other| other.id != ask.id);
            others.into_iter().all(|other| other.state == QuestionState::Answered)
        };
        !waits_for_all || is_last()
    }

    pub(crate) fn pending_at(&self, at: usize) -> PendingQuestion<'_> {
        let ask = &self.requests.questions[at];
        let choice = &self.program.choices[ask.choice.index()];
        PendingQuestion {
            program: &self.program,
            tables: &self.tables,
            board: &self.board,
            frames: &self.frames,
            requests: &self.requests,
            ask,
            choice,
        }
    }

    /// Returns the open questions, in seat order.
    pub fn pending(&self) -> impl Iterator<Item = PendingQuestion<'_>> {
        let asks = self.requests.top_questions();
        let first = self.requests.questions.len() - asks.len();
        (0..self.board.seats).flat_map(move |seat| {
            let is_open = move |ask: &&SeatQuestion| ask.seat.0 == seat && ask.state == QuestionState::Open;
            let place = asks.iter().position(|ask| is_open(&ask));
            place.map(|place| self.pending_at(first + place))
        })
    }

    /// Returns how the match ended, or `None` while it is running.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.board.ending()
    }

    #[must_use]
    pub fn is_over(&self) -> bool {
        self.board.end.is_some()
    }

    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the state that events change.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the number of accepted inputs.
    #[must_use]
    pub fn input_count(&self) -> u32 {
        self.counters.inputs
    }

    /// Returns the number of events that have begun, which is also the id of the newest.
    #[must_use]
    pub fn event_count(&self) -> u32 {
        self.counters.events
    }

    /// Returns a counter that grows with every roll and shuffle.
    #[must_use]
    pub fn chance_used(&self) -> u64 {
        self.chance.position() + u64::from(self.chance.used)
    }

    /// Returns true if the question was answered but the match still waits for other seats.
    #[must_use]
    pub fn waits_for_others(&self, input: InputId) -> bool {
        let is_it = |ask: &SeatQuestion| ask.id == input && ask.state == QuestionState::Answered;
        self.requests.top_questions().iter().any(is_it)
    }

    /// Returns the seats that auto-passed during the last input.
    #[must_use]
    pub fn auto_passed(&self) -> &[Seat] {
        &self.auto_passed
    }

    /// Returns the known dice: past rolls that were scripted or recorded, and scripted rolls to come.
    #[must_use]
    pub fn script(&self) -> &DiceScript {
        &self.chance.script
    }

    /// Returns the number of unused scripted rolls.
    #[must_use]
    pub fn script_left(&self) -> usize {
        self.chance.rolls_left()
    }

    /// Calls a pure function on the current state. Heap values in the result live on the returned board.
    ///
    /// # Errors
    ///
    /// Returns an error if the function fails.
    pub fn evaluate(&self, routine: RoutineId, args: &[Word]) -> Result<(Word, Board), RuleFault> {
        let (value, board, _) = self.compute(false, |core| core.evaluate(routine, NULL, args))?;
        Ok((value, board))
    }

    /// Computes something on a copy of the board, and traces modified values if `traces` is set.
    pub(crate) fn compute<T>(
        &self,
        traces: bool,
        work: impl FnOnce(&mut Evaluator<'_>) -> Result<T, FaultCode>,
    ) -> Result<(T, Board, Box<Trace>), RuleFault> {
        let mut board = self.board.clone();
        board.heap.allow(self.program.limits.heap);
        let mut frames = FrameStack::default();
        frames.trace = traces.then(Box::default);
        let mut meter = Meter::for_reading(&self.program, &board);
        let mut core = Evaluator {
            program: &self.program,
            tables: &self.tables,
            board: &mut board,
            frames: &mut frames,
            meter: &mut meter,
        };
        match work(&mut core) {
            Ok(value) => Ok((value, board, frames.trace.take().unwrap_or_default())),
            Err(code) => Err(fault_at(&self.program, &self.tables, &frames, code)),
        }
    }

    /// Calls a pure function without parameters and describes its value.
    ///
    /// # Errors
    ///
    /// Returns an error if the function fails.
    pub fn evaluate_datum(&self, routine: RoutineId, ty: TypeId) -> Result<Datum, RuleFault> {
        let (value, board) = self.evaluate(routine, &[])?;
        Ok(describe(&self.program, &board, value, ty))
    }
}

impl SeatQuestion {
    pub(crate) fn record_answer(&mut self, value: Word, how: Symbol) {
        self.answer = value;
        self.how = how;
        self.touched |= how == native::CONFIRMED;
        self.state = QuestionState::Answered;
    }
}

/// Builds a fault that points at the code the top frame was running.
pub(crate) fn fault_at(
    program: &Program,
    tables: &ProgramIndex,
    frames: &FrameStack,
    code: FaultCode,
) -> RuleFault {
    let top = frames.stack.last();
    let pc = top.and_then(|frame| frame.pc().checked_sub(1)).map(|pc| (pc, tables.specialized.origin(pc)));
    let place = pc.and_then(|(_, origin)| program.location(origin));
    let routine = match (top, pc) {
        (_, Some((pc, origin))) if pc != origin => {
            tables.owner.get(origin as usize).map_or(NO_ROUTINE, |owner| RoutineId(*owner))
        }
        (top, _) => top.and_then(|frame| frame.routine(program)).unwrap_or(NO_ROUTINE),
    };
    let file = place.and_then(|place| program.files.get(usize::from(place.file)).cloned());
    let cycle = cycle::find_cycle(program, frames, code);
    RuleFault { code, location: place, file: file.unwrap_or_default(), routine, cycle }
}

impl Clone for Match {
    fn clone(&self) -> Match {
        let mut frames = FrameStack::default();
        frames.copy_from(&self.frames);
        let mut requests = Requests::default();
        requests.copy_from(&self.requests);
        Match {
            program: Arc::clone(&self.program),
            tables: Arc::clone(&self.tables),
            board: self.board.clone(),
            frames,
            requests,
            chance: self.chance.clone(),
            counters: self.counters,
            live_words: self.live_words,
            checkpoint: InputCheckpoint::default(),
            words: Vec::new(),
            failed_items: Vec::new(),
            failures: Vec::new(),
            auto_passes: self.auto_passes.clone(),
            auto_passed: self.auto_passed.clone(),
            spare: None,
            cost: self.cost,
            budget: None,
            interrupt: None,
        }
    }

    fn clone_from(&mut self, other: &Match) {
        // Comparing the pointers is cheaper than touching two reference counts.
        if !Arc::ptr_eq(&self.tables, &other.tables) || !Arc::ptr_eq(&self.program, &other.program) {
            self.program.clone_from(&other.program);
            self.tables.clone_from(&other.tables);
        }
        self.board.copy_from(&other.board);
        self.frames.copy_from(&other.frames);
        self.requests.copy_from(&other.requests);
        self.chance.copy_from(&other.chance);
        self.counters = other.counters;
        self.live_words = other.live_words;
        copy_list(&mut self.auto_passes, &other.auto_passes);
        copy_list(&mut self.auto_passed, &other.auto_passed);
    }
}
