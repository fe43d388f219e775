//! A match: one playing of a ruleset. Start with [`Match::start`] and [`Match::submit`].

use std::sync::Arc;

use intermezzo_ruleset::{FaultCode, How, NULL, Program, Reg, RoutineId, Seat, Symbol, TypeId, Word, native};

use crate::agenda::{Agenda, Frame, Meter, NO_ROUTINE, Stage};
use crate::autopass::AutoPass;
use crate::board::{Board, Ending};
use crate::chance::{Chance, Script};
use crate::copying::copy_list;
use crate::core::Core;
use crate::cycle;
use crate::datum::{Datum, describe};
use crate::explain::Trace;
use crate::fold::Folder;
use crate::happening::{Counters, Happening, Machine};
use crate::input::{Fault, Input, InputId, Refusal};
use crate::legal::Step;
use crate::log::Log;
use crate::reads::Parts;
use crate::request::{Ask, AskStanding, Pending, Requests};
use crate::setup::{Setup, StartError, new_board};
use crate::tables::Tables;
use crate::undo::Savepoint;

/// One playing of a ruleset.
#[derive(Debug)]
pub struct Match {
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Arc<Tables>,
    pub(crate) board: Board,
    pub(crate) agenda: Agenda,
    pub(crate) requests: Requests,
    pub(crate) chance: Chance,
    pub(crate) counters: Counters,
    /// Heap words alive when garbage was last collected.
    pub(crate) live_words: usize,
    before: Before,
    /// For answers on their way to becoming values, and for the heap when garbage is collected.
    pub(crate) words: Vec<Word>,
    /// Items on the stack that fail while the input under way is handled.
    doomed: Vec<u32>,
    pub(crate) failures: Vec<Fault>,
    /// Seats that pass by themselves, in order.
    pub(crate) auto: Vec<AutoPass>,
    /// Those that did while the last input was handled.
    pub(crate) passed: Vec<Seat>,
}

/// More failing items than this in one input are no accident.
const MAX_FAILURES: usize = 64;

/// How things stood before the input being handled, apart from the board.
#[derive(Debug, Default)]
struct Before {
    agenda: Agenda,
    requests: Requests,
    counters: Counters,
    position: u64,
    script_used: u32,
    script_len: usize,
    touched: Parts,
}

impl Match {
    /// Begins a match and runs it to where it first waits.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: Arc<Program>, setup: &Setup, log: &mut Log) -> Result<Match, StartError> {
        let mut folder = Folder::new(program);
        let board = new_board(&mut folder, setup)?;
        let Folder { program, tables, .. } = folder;
        let mut new = Match::assemble(program, tables, board, setup);
        new.begin(log)?;
        Ok(new)
    }

    /// Begins another match of the same ruleset. What was worked out about the ruleset is shared, which takes
    /// less time and memory than [`Match::start`].
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start_another(&self, setup: &Setup, log: &mut Log) -> Result<Match, StartError> {
        let mut folder = Folder::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables));
        let board = new_board(&mut folder, setup)?;
        let mut new = Match::assemble(Arc::clone(&self.program), Arc::clone(&self.tables), board, setup);
        new.begin(log)?;
        Ok(new)
    }

    /// Begins another match of the same ruleset in place of this one.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails. Then this match stays as it is.
    pub fn restart(&mut self, setup: &Setup, log: &mut Log) -> Result<(), StartError> {
        let mut folder = Folder::with_tables(Arc::clone(&self.program), Arc::clone(&self.tables));
        let board = new_board(&mut folder, setup)?;
        let mut new = Match::assemble(Arc::clone(&self.program), Arc::clone(&self.tables), board, setup);
        new.board.reserve_as(&self.board);
        new.begin(log)?;
        (new.before, new.words) = (std::mem::take(&mut self.before), std::mem::take(&mut self.words));
        *self = new;
        Ok(())
    }

    pub(crate) fn assemble(program: Arc<Program>, tables: Arc<Tables>, board: Board, setup: &Setup) -> Match {
        Match {
            program,
            tables,
            board,
            agenda: Agenda::default(),
            requests: Requests::default(),
            chance: Chance::new(setup.seed, setup.script.clone().unwrap_or_default()),
            counters: Counters::default(),
            live_words: 0,
            before: Before::default(),
            words: Vec::new(),
            doomed: Vec::new(),
            failures: Vec::new(),
            auto: Vec::new(),
            passed: Vec::new(),
        }
    }

    pub(crate) fn from_parts(
        folder: Folder,
        board: Board,
        agenda: Agenda,
        requests: Requests,
        chance: Chance,
        counters: Counters,
    ) -> Match {
        let Folder { program, tables, .. } = folder;
        let live_words = board.heap.len();
        let before = Before::default();
        Match {
            program,
            tables,
            board,
            agenda,
            requests,
            chance,
            counters,
            live_words,
            before,
            words: Vec::new(),
            doomed: Vec::new(),
            failures: Vec::new(),
            auto: Vec::new(),
            passed: Vec::new(),
        }
    }

    pub(crate) fn begin(&mut self, log: &mut Log) -> Result<(), StartError> {
        let program = Arc::clone(&self.program);
        for routine in [program.flow, program.setup].into_iter().flatten() {
            let registers = usize::from(program.routines[routine.index()].registers);
            let base = self.agenda.regs.len();
            self.agenda.regs.blank(registers);
            self.agenda.frames.push(Frame::code(&program, routine, base, Reg::NONE, 0));
        }
        let mark = log.mark();
        self.board.heap.allow(program.limits.heap);
        let outcome = self.work(log, 0, |machine| {
            machine.begin(Happening::of(native::MATCH_STARTED), &[], &[])?;
            machine.run()
        });
        outcome.map_err(|fault| {
            if !log.has_stopped() {
                log.rollback(mark);
            }
            StartError::Fault(fault)
        })?;
        self.collect_if_due();
        Ok(())
    }

    /// Takes an input: all of its consequences happen, up to the next wait, or none.
    ///
    /// # Errors
    ///
    /// If the input is not legal or a rule fails; the match is then as it was before.
    pub fn submit(&mut self, input: &Input, log: &mut Log) -> Result<(), Refusal> {
        let savepoint = self.attempt(input, log)?;
        if let Some(savepoint) = savepoint {
            self.board.commit(savepoint);
        }
        self.collect_if_due();
        if !self.auto.is_empty() {
            if let Input::Answer { seat, .. } = input {
                self.has_answered(*seat);
            }
            self.pass_by_itself(log);
        }
        Ok(())
    }

    /// Looks at what the match would be after an input, and takes it back.
    ///
    /// # Errors
    ///
    /// As [`Match::submit`].
    pub fn try_out<T>(&mut self, input: &Input, look: impl FnOnce(&Match) -> T) -> Result<T, Refusal> {
        if !self.auto.is_empty() || matches!(input, Input::AutoPass { .. }) {
            let mut copy = self.clone();
            copy.submit(input, &mut Log::discard())?;
            return Ok(look(&copy));
        }
        let outer = self.board.mark();
        self.remember();
        let outcome = self.attempt(input, &mut Log::discard());
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
        self.recall();
        seen
    }

    /// Takes an input but leaves the way back open, if there is anything to take back.
    fn attempt(&mut self, input: &Input, log: &mut Log) -> Result<Option<Savepoint>, Refusal> {
        self.board.heap.allow(self.program.limits.heap);
        self.failures.clear();
        self.passed.clear();
        let heap = self.board.heap.len();
        let step = match self.prepare(input) {
            Ok(step) => step,
            Err(refusal) => {
                self.board.heap.truncate(heap);
                return Err(refusal);
            }
        };
        match step {
            Step::Draft { at, value, is_legal } => {
                let ask = &mut self.requests.asks[at];
                ask.draft = value;
                ask.has_draft = true;
                ask.draft_is_legal = is_legal;
                ask.touched = true;
                self.counters.inputs += 1;
                Ok(None)
            }
            Step::Answer { at, value, how } if !self.completes(at) => {
                self.requests.asks[at].take(value, how);
                self.counters.inputs += 1;
                Ok(None)
            }
            Step::AutoPass { seat, setting } => {
                self.set_auto_pass(seat, setting);
                self.counters.inputs += 1;
                Ok(None)
            }
            step => self.resolve(&step, heap, self.counters.inputs + 1, log).map(Some),
        }
    }

    /// Carries out a step that makes the match go on; where rules then never end, it may end the match.
    pub(crate) fn resolve(
        &mut self,
        step: &Step,
        heap: usize,
        input: u32,
        log: &mut Log,
    ) -> Result<Savepoint, Refusal> {
        let outcome = match self.carry_out(step, heap, input, log) {
            Err(fault) if self.program.loops_draw && !fault.cycle.is_empty() => {
                self.carry_out(&Step::Loop, heap, input, log).map_err(|_| fault)
            }
            outcome => outcome,
        };
        outcome.map_err(Refusal::Faulted)
    }

    fn carry_out(&mut self, step: &Step, heap: usize, input: u32, log: &mut Log) -> Result<Savepoint, Fault> {
        let log_mark = log.mark();
        let nested = self.board.is_marked();
        if !nested {
            self.remember();
        }
        self.doomed.clear();
        self.failures.clear();
        loop {
            let savepoint = self.board.mark();
            let fault = match self.work(log, input, |machine| machine.carry_out(step)) {
                Ok(()) if log.has_passed_stop() => {
                    self.board.rollback(savepoint);
                    self.recall();
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
            // What is on the stack fails alone: all is done again, only that it does not happen this time.
            let item = self.failing_item(&fault);
            self.board.rollback(savepoint);
            self.recall();
            log.rollback(log_mark);
            let Some(item) = item else {
                self.board.heap.truncate(heap);
                self.failures.clear();
                return Err(fault);
            };
            self.doomed.push(item);
            self.failures.push(fault);
        }
    }

    /// The item whose failing the fault is; nothing if the whole input is to be refused.
    fn failing_item(&self, fault: &Fault) -> Option<u32> {
        let mut frames = self.agenda.frames.iter().rev();
        let item = frames.find(|frame| frame.stage == Stage::Resolving)?.id;
        let times = self.doomed.iter().filter(|doomed| **doomed == item).count();
        let is_hopeless = fault.code.is_guard() || times > 1 || self.doomed.len() >= MAX_FAILURES;
        (!is_hopeless).then_some(item)
    }

    /// Rules that failed while the last input was handled: what was on the stack failed with them, play went on.
    #[must_use]
    pub fn failures(&self) -> &[Fault] {
        &self.failures
    }

    /// Drops what is only needed while an input is handled.
    pub(crate) fn forget_before(&mut self) {
        self.before = Before::default();
        self.words = Vec::new();
        self.doomed = Vec::new();
        self.failures.shrink_to_fit();
    }

    fn remember(&mut self) {
        self.before.agenda.copy_from(&self.agenda);
        self.before.requests.copy_from(&self.requests);
        self.before.counters = self.counters;
        self.before.position = self.chance.position();
        self.before.script_used = self.chance.used;
        self.before.script_len = self.chance.script.rolls.len();
        self.before.touched = self.board.touched;
    }

    fn recall(&mut self) {
        self.agenda.copy_from(&self.before.agenda);
        self.requests.copy_from(&self.before.requests);
        self.counters = self.before.counters;
        self.chance.set_position(self.before.position);
        self.chance.used = self.before.script_used;
        // What did not happen is not written down.
        self.chance.script.rolls.truncate(self.before.script_len);
        self.board.touched = self.before.touched;
    }

    /// Lets a machine work on this match.
    pub(crate) fn work(
        &mut self,
        log: &mut Log,
        input: u32,
        work: impl FnOnce(&mut Machine<'_>) -> Result<(), FaultCode>,
    ) -> Result<(), Fault> {
        let mut meter = Meter::full(&self.program);
        (meter.newest, meter.is_quiet) = (self.counters.events, log.is_off());
        self.agenda.trail.clear();
        let mut core = Core {
            program: &self.program,
            tables: &self.tables,
            board: &mut self.board,
            agenda: &mut self.agenda,
            meter: &mut meter,
        };
        core.know_rest();
        let mut machine = Machine {
            core,
            requests: &mut self.requests,
            chance: &mut self.chance,
            counters: &mut self.counters,
            log,
            input,
            doomed: &self.doomed,
        };
        let outcome = work(&mut machine);
        self.counters.events = meter.newest;
        outcome.map_err(|code| fault_at(&self.program, &self.tables, &self.agenda, code))
    }

    /// Whether answering this question lets the match go on.
    pub(crate) fn completes(&self, at: usize) -> bool {
        let ask = &self.requests.asks[at];
        let waits_for_all = self.program.choices[ask.choice.index()].how == How::Each;
        let is_last = || {
            let others = self.requests.top_asks().iter().filter(|other| other.id != ask.id);
            others.into_iter().all(|other| other.standing == AskStanding::Answered)
        };
        !waits_for_all || is_last()
    }

    pub(crate) fn pending_at(&self, at: usize) -> Pending<'_> {
        let ask = &self.requests.asks[at];
        let choice = &self.program.choices[ask.choice.index()];
        Pending {
            program: &self.program,
            tables: &self.tables,
            board: &self.board,
            agenda: &self.agenda,
            requests: &self.requests,
            ask,
            choice,
        }
    }

    /// The open questions, in seat order.
    pub fn pending(&self) -> impl Iterator<Item = Pending<'_>> {
        let asks = self.requests.top_asks();
        let first = self.requests.asks.len() - asks.len();
        (0..self.board.seats).flat_map(move |seat| {
            let is_open = move |ask: &&Ask| ask.seat.0 == seat && ask.standing == AskStanding::Open;
            let place = asks.iter().position(|ask| is_open(&ask));
            place.map(|place| self.pending_at(first + place))
        })
    }

    /// How the match ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.board.ending()
    }

    /// Whether the match is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.board.end.is_some()
    }

    /// The ruleset played.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The state that events change.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// How many inputs were taken.
    #[must_use]
    pub fn inputs_taken(&self) -> u32 {
        self.counters.inputs
    }

    /// How many events have begun, which is the id of the newest.
    #[must_use]
    pub fn event_count(&self) -> u32 {
        self.counters.events
    }

    /// How much chance was used: it grows with every roll and shuffle.
    #[must_use]
    pub fn chance_used(&self) -> u64 {
        self.chance.position() + u64::from(self.chance.used)
    }

    /// Whether a question was answered, but others are still asked the same.
    #[must_use]
    pub fn waits_for_others(&self, input: InputId) -> bool {
        let is_it = |ask: &Ask| ask.id == input && ask.standing == AskStanding::Answered;
        self.requests.top_asks().iter().any(is_it)
    }

    /// The seats that passed by themselves while the last input was handled.
    #[must_use]
    pub fn passed_by_themselves(&self) -> &[Seat] {
        &self.passed
    }

    /// The dice that are known: those rolled so far, if they were scripted or written down, and those to come.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.chance.script
    }

    /// How many scripted rolls are left.
    #[must_use]
    pub fn script_left(&self) -> usize {
        self.chance.left()
    }

    /// Calls a pure function on the state as it is. Values on the heap of the board returned with it.
    ///
    /// # Errors
    ///
    /// If the function fails.
    pub fn evaluate(&self, routine: RoutineId, args: &[Word]) -> Result<(Word, Board), Fault> {
        let (value, board, _) = self.compute(false, |core| core.evaluate(routine, NULL, args))?;
        Ok((value, board))
    }

    /// Computes something on a copy of the board; if told to, with a trace of modified values.
    pub(crate) fn compute<T>(
        &self,
        traces: bool,
        work: impl FnOnce(&mut Core<'_>) -> Result<T, FaultCode>,
    ) -> Result<(T, Board, Box<Trace>), Fault> {
        let mut board = self.board.clone();
        board.heap.allow(self.program.limits.heap);
        let mut agenda = Agenda::default();
        agenda.trace = traces.then(Box::default);
        let mut meter = Meter::full(&self.program);
        let mut core = Core {
            program: &self.program,
            tables: &self.tables,
            board: &mut board,
            agenda: &mut agenda,
            meter: &mut meter,
        };
        match work(&mut core) {
            Ok(value) => Ok((value, board, agenda.trace.take().unwrap_or_default())),
            Err(code) => Err(fault_at(&self.program, &self.tables, &agenda, code)),
        }
    }

    /// Calls a pure function without parameters and describes its value.
    ///
    /// # Errors
    ///
    /// If the function fails.
    pub fn evaluate_datum(&self, routine: RoutineId, ty: TypeId) -> Result<Datum, Fault> {
        let (value, board) = self.evaluate(routine, &[])?;
        Ok(describe(&self.program, &board, value, ty))
    }
}

impl Ask {
    pub(crate) fn take(&mut self, value: Word, how: Symbol) {
        self.answer = value;
        self.how = how;
        self.touched |= how == native::CONFIRMED;
        self.standing = AskStanding::Answered;
    }
}

/// A fault with the place the top frame has come to.
pub(crate) fn fault_at(program: &Program, tables: &Tables, agenda: &Agenda, code: FaultCode) -> Fault {
    let top = agenda.frames.last();
    let pc = top.and_then(|frame| frame.pc.checked_sub(1)).map(|pc| (pc, tables.linked.origin(pc)));
    let place = pc.and_then(|(_, origin)| program.place(origin));
    let routine = match (top, pc) {
        (_, Some((pc, origin))) if pc != origin => {
            tables.owner.get(origin as usize).map_or(NO_ROUTINE, |owner| RoutineId(*owner))
        }
        (top, _) => top.map_or(NO_ROUTINE, |frame| frame.routine),
    };
    Fault { code, place, routine, cycle: cycle::find(program, agenda, code) }
}

impl Clone for Match {
    fn clone(&self) -> Match {
        let mut agenda = Agenda::default();
        agenda.copy_from(&self.agenda);
        let mut requests = Requests::default();
        requests.copy_from(&self.requests);
        Match {
            program: Arc::clone(&self.program),
            tables: Arc::clone(&self.tables),
            board: self.board.clone(),
            agenda,
            requests,
            chance: self.chance.clone(),
            counters: self.counters,
            live_words: self.live_words,
            before: Before::default(),
            words: Vec::new(),
            doomed: Vec::new(),
            failures: Vec::new(),
            auto: self.auto.clone(),
            passed: self.passed.clone(),
        }
    }

    fn clone_from(&mut self, other: &Match) {
        // Counting who shares them takes longer than looking.
        if !Arc::ptr_eq(&self.tables, &other.tables) || !Arc::ptr_eq(&self.program, &other.program) {
            self.program.clone_from(&other.program);
            self.tables.clone_from(&other.tables);
        }
        self.board.copy_from(&other.board);
        self.agenda.copy_from(&other.agenda);
        self.requests.copy_from(&other.requests);
        self.chance.copy_from(&other.chance);
        self.counters = other.counters;
        self.live_words = other.live_words;
        copy_list(&mut self.auto, &other.auto);
        copy_list(&mut self.passed, &other.passed);
    }
}
