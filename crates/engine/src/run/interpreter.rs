//! The interpreter: runs the code of frames until the match waits.
//!
//! Instructions that compute are executed here; those that emit events go to the [`Executor`]. The loop starts
//! over with the top frame whenever frames may have changed.

use intermezzo_program::{ActionId, AnswerMode, EntityInfo, FaultCode, Instr, NULL, Reg, Word, native};

use crate::ask::questions;
use crate::ask::request::Requests;
use crate::optimize::fast_path::{self, FastPath};
use crate::optimize::memo::{self, MemoSubject};
use crate::react::last_known;
use crate::run::creation_loop;
use crate::run::effects::Counters;
use crate::run::evaluator::{Evaluator, clamp_to, constant_bound};
use crate::run::frames::{
    AfterStep, CodeFrame, EventFrame, Frame, FrameStack, LifecycleStage, MAX_REGISTERS, event_type,
};
use crate::run::host_search;
use crate::run::item_filter::{self, FilterLoop};
use crate::run::log::EventLog;
use crate::run::registers::{NARROW, RegisterWindow};
use crate::run::state_reads;
use crate::storage::board::Board;
use crate::values::arithmetic::{self, holds, present};
use crate::values::lists;
use crate::values::typed::Shapes;

type Result<T> = std::result::Result<T, FaultCode>;

/// The caller that runs code: a match at work, or a pure evaluation.
pub(crate) trait Executor<'a> {
    /// True if events happen, false if code only computes or folds.
    const IS_MATCH: bool = false;

    /// Returns the evaluator.
    fn core(&mut self) -> &mut Evaluator<'a>;

    /// Returns the evaluator, and what else a match has.
    #[inline]
    fn parts(&mut self) -> (&mut Evaluator<'a>, Option<MatchParts<'_>>) {
        (self.core(), None)
    }

    /// Executes an instruction that emits events. Returns true if the match has to wait.
    fn execute_effect(&mut self, instr: Instr) -> Result<bool>;

    /// Advances the top frame, which runs no code, by one step.
    fn advance_frame(&mut self) -> Result<()>;

    /// Finishes the event on top, which has no listeners and has been applied by its code.
    fn finish_applied_event(&mut self) -> Result<()>;

    /// Puts an action on the stack. Returns true if the frames are as before.
    fn put_on_stack(&mut self, _: ActionId, _: Reg) -> Result<bool> {
        Err(FaultCode::Missing)
    }
}

/// The parts of a match that code alone does not need.
pub(crate) struct MatchParts<'m> {
    pub(crate) log: &'m mut EventLog,
    pub(crate) requests: &'m mut Requests,
    pub(crate) counters: &'m mut Counters,
}

impl<'a> Executor<'a> for Evaluator<'a> {
    fn core(&mut self) -> &mut Evaluator<'a> {
        self
    }

    fn execute_effect(&mut self, _: Instr) -> Result<bool> {
        Err(FaultCode::Missing)
    }

    fn advance_frame(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }

    fn finish_applied_event(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }
}

#[inline]
fn next_item(board: &Board, list: Word, at: Word) -> Result<Option<Word>> {
    board.heap.item(list, at)
}

#[inline]
fn next_in_zone(board: &Board, zone: Word, at: Word) -> Result<Option<Word>> {
    state_reads::zone_get(board, zone, at).map(|item| (item != NULL).then_some(item))
}

#[inline]
fn next_count(_: &Board, count: Word, at: Word) -> Result<Option<Word>> {
    Ok((at < present(count)?).then_some(at))
}

/// Runs the frames above `floor` until none is left (returns false) or the match has to wait (returns true).
#[inline]
pub(crate) fn run<'a, H: Executor<'a>>(executor: &mut H, floor: usize) -> Result<bool> {
    match executor.core().tables.is_wide {
        false => run_in::<H, [Word; NARROW]>(executor, floor),
        true => run_in::<H, [Word]>(executor, floor),
    }
}

/// The code of the frame on top.
struct RunningFrame<'a> {
    top: usize,
    base: usize,
    pc: usize,
    /// The batch whose last known information the code reads; 0 for none.
    looks_back_on: u32,
    code: &'a [Instr],
}

/// Runs frames with registers in windows of type `W`.
///
/// The inner loop borrows the window `w` and keeps `pc` in a local variable. Work that may push or pop frames, or
/// move the registers, must therefore save `pc` and restart the outer loop.
fn run_in<'a, H: Executor<'a>, W: RegisterWindow + ?Sized>(executor: &mut H, floor: usize) -> Result<bool> {
    // Where the code goes on, if the frame on top is the one that ran last.
    let mut running: Option<RunningFrame<'a>> = None;
    'frame: loop {
        let (core, mut parts) = executor.parts();
        let Evaluator { program, tables, board, frames: frame_stack, meter } = core;
        let (program, tables) = (*program, *tables);
        let FrameStack {
            stack: frames,
            regs,
            building,
            returned,
            member_count,
            last_known,
            trace,
            plans,
            planned,
            checked_changes,
            has_waiting,
            held_batches,
            history,
            fired,
            reactions,
            candidates,
            ..
        } = &mut **frame_stack;
        let RunningFrame { top, base, mut pc, looks_back_on, code } = match running.take() {
            Some(frame) => frame,
            None if frames.len() <= floor => return Ok(false),
            None => {
                let top = frames.len() - 1;
                let (base, pc, looks_back_on) = match &frames[top] {
                    Frame::Code(code) => (code.base as usize, code.pc as usize, code.batch),
                    Frame::Event(event) if event.stage.is_code() => {
                        (event.base as usize, event.pc as usize, 0)
                    }
                    Frame::Scratch(code) => (code.base as usize, code.pc as usize, 0),
                    _ => {
                        executor.advance_frame()?;
                        continue 'frame;
                    }
                };
                let is_fast_path = H::IS_MATCH && meter.is_fast && plans.is_empty() && looks_back_on == 0;
                let specialized = &tables.specialized;
                let code = if is_fast_path { &specialized.inlined[..] } else { &specialized.code[..] };
                RunningFrame { top, base, pc, looks_back_on, code }
            }
        };
        let (below, w) = regs.window::<W>(base);
        // Starts over after work that left the frames as they are.
        macro_rules! resume {
            () => {{
                running = Some(RunningFrame { top, base, pc, looks_back_on, code });
                continue 'frame;
            }};
        }
        macro_rules! r {
            ($reg:expr) => {
                *w.word($reg)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                *w.word($dst) = value;
            }};
        }
        // A fault may occur in the middle of the code, so the program counter is saved for the report.
        macro_rules! check {
            ($value:expr) => {
                match $value {
                    Ok(value) => value,
                    Err(code) => {
                        frames[top].set_pc(pc as u32);
                        return Err(code);
                    }
                }
            };
        }
        // Last known information about an entity, if the code reads such information and the entity has left.
        macro_rules! last_known {
            ($entity:expr) => {
                if looks_back_on == 0 {
                    None
                } else {
                    last_known::find_last_known(last_known, looks_back_on, $entity)
                }
            };
        }
        macro_rules! jump {
            ($to:expr) => {{
                let to = $to as usize;
                if to < pc {
                    check!(meter.charge_steps(1));
                }
                pc = to;
            }};
        }
        // The next turn of a loop: jumps to `$some` with the next item, or to `$none` at the end.
        macro_rules! next {
            ($find:ident, $iter:expr, $steps:expr, $some:expr, $none:expr) => {{
                let next = r!($iter.offset(1));
                match check!($find(board, r!($iter), next)) {
                    Some(item) => {
                        check!(meter.charge_steps($steps));
                        r!($iter.offset(1)) = next.wrapping_add(1);
                        r!($iter.offset(2)) = item;
                        pc = $some as usize;
                    }
                    None => pc = $none as usize,
                }
            }};
        }
        macro_rules! skip_if {
            ($test:expr, $skip:expr) => {
                if $test {
                    pc += usize::from($skip);
                }
            };
        }
        // Leaves this loop for work that may change the frames, then starts over.
        macro_rules! restart_after {
            ($work:expr) => {{
                frames[top].set_pc(pc as u32);
                $work;
                continue 'frame;
            }};
        }
        // Computes a value that needs frames for its own code.
        macro_rules! compute {
            ($dst:expr, $work:expr) => {{
                frames[top].set_pc(pc as u32);
                let value = $work?;
                let at = base + usize::from($dst.0);
                if let Some(place) = core.frames.regs.get_mut(at) {
                    *place = value;
                }
                resume!()
            }};
        }
        // An event without listeners, caused by the event of the top frame or by `$parent`.
        macro_rules! fast_path {
            () => {
                fast_path!(frames[top].cause())
            };
            ($parent:expr) => {
                FastPath {
                    program,
                    board,
                    meter,
                    log: parts.as_mut().map(|parts| &mut *parts.log),
                    parent: $parent,
                }
            };
        }
        // Ends the code of the top frame.
        macro_rules! end_code {
            ($value:expr) => {{
                let value = $value;
                match &mut frames[top] {
                    Frame::Code(frame) => {
                        let ret = frame.ret;
                        *returned = value;
                        frames.pop();
                        regs.truncate(base);
                        if let Some(caller) = frames.last().filter(|_| ret != Reg::NONE)
                            && let Some(place) = regs.get_mut(caller.base() as usize + usize::from(ret.0))
                        {
                            *place = value;
                        }
                        if frames.len() <= floor {
                            return Ok(false);
                        }
                    }
                    Frame::Event(frame) => match frame.stage {
                        LifecycleStage::Then => frame.stage = LifecycleStage::After(AfterStep::Collect),
                        // Fast path: no code waits for the event's result and no reaction looks back on it.
                        LifecycleStage::FastPath
                            if frame.ret == Reg::NONE
                                && meter.is_fast
                                && tables.is_flat(frame.event)
                                && fired.is_empty()
                                && last_known.is_empty() =>
                        {
                            let (event, id, parent) = (frame.event, frame.id, frame.parent);
                            debug_assert_eq!(id, meter.newest, "nothing happens while an event is applied");
                            let first = usize::from(Reg::CONTEXT);
                            let fields = first..first + program.events[event.index()].fields.len();
                            fast_path!(parent).finish_event(event, &w.words()[fields])?;
                            frames.pop();
                            regs.truncate(base);
                        }
                        LifecycleStage::FastPath => executor.finish_applied_event()?,
                        _ => {
                            *returned = value;
                            return Ok(false);
                        }
                    },
                    _ => {
                        *returned = value;
                        return Ok(false);
                    }
                }
                continue 'frame;
            }};
        }
        loop {
            let Some(instr) = code.get(pc) else {
                frames[top].set_pc(pc as u32);
                return Err(FaultCode::Missing);
            };
            pc += 1;
            match *instr {
                Instr::Copy { dst, src } => set!(dst, r!(src)),
                Instr::Int { dst, value } => set!(dst, Word::from(value)),
                Instr::Const { dst, index } => set!(dst, program.constants[index as usize]),
                Instr::Nulls { first, count } => {
                    let (first, count) = (usize::from(first.0), usize::from(count));
                    w.words()[first..first + count].fill(NULL);
                    pc += count - 1;
                }
                Instr::Add { dst, a, b } => set!(dst, check!(arithmetic::add(r!(a), r!(b)))),
                Instr::AddInt { dst, a, value } => {
                    set!(dst, check!(arithmetic::add(r!(a), Word::from(value))));
                }
                Instr::Sub { dst, a, b } => set!(dst, check!(arithmetic::sub(r!(a), r!(b)))),
                Instr::Mul { dst, a, b } => set!(dst, check!(arithmetic::mul(r!(a), r!(b)))),
                Instr::Div { dst, a, b } => set!(dst, check!(arithmetic::div(r!(a), r!(b)))),
                Instr::Rem { dst, a, b } => set!(dst, check!(arithmetic::rem(r!(a), r!(b)))),
                Instr::Neg { dst, a } => set!(dst, check!(arithmetic::sub(0, r!(a)))),
                Instr::Min { dst, a, b } => set!(dst, check!(arithmetic::min(r!(a), r!(b)))),
                Instr::Max { dst, a, b } => set!(dst, check!(arithmetic::max(r!(a), r!(b)))),
                Instr::Abs { dst, a } => set!(dst, check!(present(r!(a))).abs()),
                Instr::Eq { dst, a, b } => set!(dst, Word::from(r!(a) == r!(b))),
                Instr::Ne { dst, a, b } => set!(dst, Word::from(r!(a) != r!(b))),
                Instr::Lt { dst, a, b } => set!(dst, check!(arithmetic::less(r!(a), r!(b)))),
                Instr::Le { dst, a, b } => set!(dst, check!(arithmetic::at_most(r!(a), r!(b)))),
                Instr::Not { dst, a } => set!(dst, Word::from(!holds(r!(a)))),
                Instr::Same { dst, a, b } => {
                    let Some(Instr::OfType { ty }) = code.get(pc) else {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Missing);
                    };
                    pc += 1;
                    let shapes = Shapes { program, seats: board.seats };
                    set!(dst, Word::from(check!(shapes.same_metered(&board.heap, meter, *ty, r!(a), r!(b)))));
                }
                Instr::OfType { .. } | Instr::Collect { .. } => {}
                Instr::CoverageHit { number } => program.coverage.record_hit(number, r!(Reg::YOU)),
                Instr::Assert { value } => {
                    check!(present(r!(value)));
                }
                Instr::Fail { code } => {
                    frames[top].set_pc(pc as u32);
                    return Err(code);
                }

                Instr::Jump { to } => jump!(to),
                Instr::JumpIf { cond, to } => {
                    if holds(r!(cond)) {
                        jump!(to);
                    }
                }
                Instr::JumpUnless { cond, to } => {
                    if !holds(r!(cond)) {
                        jump!(to);
                    }
                }
                Instr::JumpNull { value, to } => {
                    if r!(value) == NULL {
                        jump!(to);
                    }
                }
                Instr::SkipEq { a, b, skip } => skip_if!(r!(a) == r!(b), skip),
                Instr::SkipNe { a, b, skip } => skip_if!(r!(a) != r!(b), skip),
                Instr::SkipLt { a, b, skip } => {
                    skip_if!(check!(arithmetic::less(r!(a), r!(b))) != 0, skip);
                }
                Instr::SkipLe { a, b, skip } => {
                    skip_if!(check!(arithmetic::at_most(r!(a), r!(b))) != 0, skip);
                }
                Instr::SkipEqInt { a, value, skip } => skip_if!(r!(a) == Word::from(value), skip),
                Instr::SkipNeInt { a, value, skip } => skip_if!(r!(a) != Word::from(value), skip),
                Instr::SkipLtInt { a, value, skip } => {
                    skip_if!(check!(present(r!(a))) < Word::from(value), skip);
                }
                Instr::SkipLeInt { a, value, skip } => {
                    skip_if!(check!(present(r!(a))) <= Word::from(value), skip);
                }
                Instr::SkipGtInt { a, value, skip } => {
                    skip_if!(check!(present(r!(a))) > Word::from(value), skip);
                }
                Instr::SkipGeInt { a, value, skip } => {
                    skip_if!(check!(present(r!(a))) >= Word::from(value), skip);
                }
                Instr::NextItem { iter, to } => next!(next_item, iter, 1, pc, to),
                Instr::NextInZone { iter, to } => next!(next_in_zone, iter, 1, pc, to),
                Instr::NextCount { iter, to } => next!(next_count, iter, 1, pc, to),
                // A jump back costs one more step.
                Instr::ContinueItem { iter, to } => next!(next_item, iter, 2, to, pc),
                Instr::ContinueInZone { iter, to } => next!(next_in_zone, iter, 2, to, pc),
                Instr::ContinueCount { iter, to } => next!(next_count, iter, 2, to, pc),
                Instr::FilterItems { iter, filter } | Instr::FilterZone { iter, filter } => {
                    let is_zone = matches!(instr, Instr::FilterZone { .. });
                    let Some(filter) = tables.specialized.filters.get(filter as usize) else {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Missing);
                    };
                    if looks_back_on != 0 {
                        match is_zone {
                            true => next!(next_in_zone, iter, 2, filter.to, pc),
                            false => next!(next_item, iter, 2, filter.to, pc),
                        }
                        continue;
                    }
                    let turn = FilterLoop { at: pc - 1, iter, is_zone };
                    let (next, fault) = item_filter::next_item(program, filter, board, meter, w, turn);
                    pc = next;
                    if let Some(fault) = fault {
                        check!(Err(fault));
                    }
                }

                Instr::CreateItems { iter, creation } => {
                    let Some(creation) = tables.specialized.creations.get(creation as usize) else {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Missing);
                    };
                    let is_fast = H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && planned.is_empty()
                        && *member_count == 0
                        && tables.fast_natives[native::CREATED.index()];
                    if !is_fast {
                        next!(next_item, iter, 2, creation.to, pc);
                        continue;
                    }
                    let turn = (pc, iter);
                    let (next, fault) = creation_loop::create_items(tables, creation, turn, w, fast_path!());
                    pc = next;
                    if let Some(fault) = fault {
                        check!(Err(fault));
                    }
                }

                Instr::Begin { dst } => set!(dst, building.len() as Word),
                Instr::Push { value } => {
                    if building.len() as u64 > u64::from(program.limits.heap) {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Memory);
                    }
                    building.push(r!(value));
                }
                Instr::Finish { dst, mark } => {
                    set!(dst, check!(lists::finish(&mut board.heap, building, r!(mark))));
                }
                Instr::Len { dst, list } => {
                    set!(dst, check!(board.heap.items(r!(list))).len() as Word);
                }
                Instr::Get { dst, list, index } => {
                    set!(dst, check!(lists::get(&board.heap, r!(list), r!(index))));
                }
                Instr::TryGet { dst, list, index } => {
                    set!(dst, check!(lists::try_get(&board.heap, r!(list), r!(index))));
                }
                Instr::Concat { dst, a, b } => {
                    set!(dst, check!(lists::concat(&mut board.heap, meter, r!(a), r!(b))));
                }
                Instr::Contains { dst, list, value } => {
                    set!(dst, check!(lists::contains(&board.heap, meter, r!(list), r!(value))));
                }
                Instr::First { dst, list, count } => {
                    set!(dst, check!(lists::first(&mut board.heap, meter, r!(list), r!(count))));
                }
                Instr::Last { dst, list, count } => {
                    set!(dst, check!(lists::last(&mut board.heap, meter, r!(list), r!(count))));
                }
                Instr::Replace { dst, list, args } => {
                    let (index, value) = (r!(args), r!(args.offset(1)));
                    set!(dst, check!(lists::replace(&mut board.heap, meter, r!(list), index, value)));
                }
                Instr::SortBy { dst, items, keys } => {
                    set!(dst, check!(lists::sort_by(&mut board.heap, meter, r!(items), r!(keys))));
                }
                Instr::Range { dst, from, to } => {
                    set!(dst, check!(lists::range(&mut board.heap, meter, r!(from), r!(to))));
                }
                Instr::Distinct { dst, list } => {
                    set!(dst, check!(lists::distinct(&mut board.heap, meter, r!(list), building)));
                }
                Instr::Record { dst, first, count } => {
                    let first = usize::from(first.0);
                    let fields = &w.words()[first..first + usize::from(count)];
                    set!(dst, check!(board.heap.new_record(fields)));
                }
                Instr::Field { dst, record, index } => {
                    set!(dst, check!(board.heap.field(r!(record), usize::from(index))));
                }
                Instr::CopyRecord { dst, record, count } => {
                    set!(dst, check!(board.heap.copy_record(r!(record), usize::from(count))));
                }
                Instr::PutField { record, index, value } => {
                    check!(board.heap.put(r!(record), usize::from(index), r!(value)));
                }
                Instr::NewMap { dst, keys } => {
                    let keys = check!(arithmetic::count(r!(keys)));
                    check!(meter.charge_steps(keys));
                    set!(dst, check!(board.heap.new_map(keys)));
                }
                Instr::PutKey { map, index, value } => {
                    let index = check!(arithmetic::count(r!(index)));
                    check!(board.heap.put(r!(map), index, r!(value)));
                }
                Instr::Key { dst, map, index } => {
                    let index = check!(arithmetic::count(r!(index)));
                    let value = check!(board.heap.field(r!(map), index));
                    if value == NULL {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::OutOfRange);
                    }
                    set!(dst, value);
                }
                Instr::TryKey { dst, map, index } => {
                    let index = check!(arithmetic::count(r!(index)));
                    set!(dst, check!(board.heap.field(r!(map), index)));
                }
                Instr::EnumIndex { dst, symbol, of } => {
                    let symbol = check!(present(r!(symbol)));
                    let members = &program.enums[of.index()].members;
                    let place = members.iter().position(|member| Word::from(member.0) == symbol);
                    set!(dst, check!(place.ok_or(FaultCode::OutOfRange)) as Word);
                }
                Instr::Dice { dst, count, sides } => {
                    set!(dst, check!(arithmetic::dice(r!(count), r!(sides))));
                }

                Instr::Prop { dst, entity, column } => {
                    let entity = r!(entity);
                    if let Some(known) = last_known!(entity) {
                        set!(dst, check!(known.cell(column)));
                        continue;
                    }
                    let found = check!(board.live(entity));
                    set!(dst, check!(board.cell(found, column)));
                }
                Instr::MatchProp { dst, column } => {
                    let found = check!(board.live(intermezzo_program::word::MATCH));
                    set!(dst, check!(board.cell(found, column)));
                }
                Instr::ModifiedBelow { dst, args, prop } => {
                    let (entity, layer) = (r!(args), r!(args.offset(1)));
                    compute!(dst, core.modified_below(entity, prop, layer));
                }
                Instr::Modified { dst, entity, prop } => {
                    let entity = r!(entity);
                    let found = &program.props[prop.index()];
                    if let Some(known) = last_known!(entity) {
                        set!(dst, check!(known.property(prop, found.column)));
                    } else if board.sources.is_idle(prop) && trace.is_none() {
                        let live = check!(board.live(entity));
                        set!(dst, check!(board.cell(live, found.column)));
                    } else if let Some((number, key)) = board.property_key(&tables.memo, prop, entity)
                        && !cfg!(debug_assertions)
                        && trace.is_none()
                        && !board.memo.is_paused
                        && top + memo::MAX_CALL_DEPTH < program.limits.depth as usize
                        && meter.has_nesting_left(memo::MAX_CALL_DEPTH)
                        && let Some(result) = board.recall(&tables.memo, number, &key)
                    {
                        check!(meter.charge_steps(result.steps as usize));
                        check!(board.heap.charge(result.words as usize));
                        set!(dst, result.value);
                    } else {
                        compute!(dst, core.modified_value(entity, prop));
                    }
                }
                Instr::Chain { dst, record, chain } => {
                    let record = r!(record);
                    compute!(dst, core.apply_chain(record, chain));
                }
                Instr::Offers { dst, player } => {
                    let player = r!(player);
                    compute!(dst, core.offers(player));
                }
                Instr::Offer { action, params } => {
                    if building.len() as u64 > u64::from(program.limits.heap) {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Memory);
                    }
                    let first = usize::from(params.0);
                    let (host, actor, via) = (r!(Reg::SELF), r!(Reg::ACTOR), r!(Reg::TRAIT));
                    let head = [Word::from(action.0), actor, host, via, board.changes];
                    let params = &w.words()[first..first + tables.offered[action.index()]];
                    building.push(check!(board.heap.new_list_in_two(head, params)));
                }
                Instr::OfferItems { iter, to } => {
                    let offer = code.get(pc + 1).copied();
                    let items = (r!(iter), r!(iter.offset(1)));
                    let context = [r!(Reg::ACTOR), r!(Reg::SELF), r!(Reg::TRAIT)];
                    let seen =
                        check!(host_search::offer_items(program, board, building, items, offer, context));
                    // Each item costs a step, and so does the jump back; a rotated loop does not jump back after the last one.
                    let is_rotated = !matches!(code.get(pc + 2), Some(Instr::Jump { .. }));
                    check!(meter.charge_steps((2 * seen).saturating_sub(usize::from(is_rotated))));
                    pc = to as usize;
                }
                Instr::Hosts { iter, zone, .. } if !tables.offer_sources.has_traits => {
                    r!(iter) = 0;
                    r!(iter.offset(1)) = 0;
                    r!(iter.offset(2)) = Word::from(zone.0);
                }
                Instr::Hosts { iter, zone, table } => {
                    check!(meter.charge_steps(board.sources.attached().len()));
                    let start = candidates.len() as Word;
                    state_reads::collect_hosts(tables, board, (zone, table), r!(Reg::ACTOR), candidates);
                    r!(iter) = start;
                    r!(iter.offset(1)) = candidates.len() as Word;
                    r!(iter.offset(2)) = start;
                }
                Instr::NextHost { iter, table } => {
                    let (seen, next) = if tables.offer_sources.has_traits {
                        let (first, end) = (r!(iter) as usize, r!(iter.offset(1)) as usize);
                        let rest = candidates.get(first..end).unwrap_or_default();
                        let found =
                            host_search::next_candidate(program, tables, board, building, rest, table, w);
                        let (seen, next) = check!(found);
                        r!(iter) = (first + seen) as Word;
                        if next.is_none() {
                            candidates.truncate(r!(iter.offset(2)) as usize);
                        }
                        (seen, next)
                    } else {
                        check!(host_search::next_in_zone(program, tables, board, building, table, iter, w))
                    };
                    check!(meter.charge_steps(seen));
                    let Some(found) = next else { continue };
                    r!(Reg::SELF) = found.host;
                    r!(Reg::TRAIT) = found.via;
                    pc = found.entry as usize;
                }
                Instr::Gate { gate, open, shut } => match r!(gate) {
                    1 => pc += usize::from(open),
                    0 => pc += usize::from(shut),
                    _ => {}
                },
                Instr::Afford { dst, routine, args } => {
                    let count = usize::from(program.routines[routine.index()].params);
                    let first = usize::from(args.0);
                    let args = w.words()[first..first + count].to_vec();
                    let mut context = [NULL; Reg::CONTEXT as usize];
                    context.copy_from_slice(&w.words()[..usize::from(Reg::CONTEXT)]);
                    compute!(dst, core.can_afford(routine, &context, &args).map(Word::from));
                }
                Instr::Usable { dst, args, costs } => {
                    let (ability, host, actor) = (r!(args), r!(args.offset(1)), r!(Reg::ACTOR));
                    compute!(dst, core.is_usable(ability, host, actor, costs));
                }
                Instr::OfferAction { dst, offer } => {
                    let action = check!(lists::get(&board.heap, r!(offer), 0));
                    let action = check!(usize::try_from(action).map_err(|_| FaultCode::Missing));
                    let name = program.actions.get(action).map(|action| Word::from(action.name.0));
                    set!(dst, check!(name.ok_or(FaultCode::Missing)));
                }
                Instr::OfferHost { dst, offer } => {
                    set!(dst, check!(lists::get(&board.heap, r!(offer), 2)));
                }
                Instr::Targets { dst, item } => {
                    set!(dst, check!(state_reads::targets(program, tables, board, r!(item), building)));
                }
                Instr::Does { dst, item, event } => {
                    set!(dst, check!(state_reads::can_emit(program, tables, board, r!(item), event)));
                }
                Instr::Abilities { dst, entity } => {
                    set!(dst, check!(state_reads::abilities(program, board, r!(entity), building)));
                }
                Instr::Traits { dst, entity } => {
                    set!(dst, check!(state_reads::traits(program, board, r!(entity), building)));
                }
                Instr::HasTag { dst, ability, tag } => {
                    set!(dst, state_reads::has_tag(program, r!(ability), r!(tag)));
                }
                Instr::ZoneNamed { dst, entity, name } => {
                    set!(dst, check!(state_reads::zone_named(program, tables, board, r!(entity), r!(name))));
                }
                Instr::IsZoneNamed { dst, value, name } => {
                    set!(dst, state_reads::is_zone_named(program, board, r!(value), r!(name)));
                }
                Instr::NamedProp { dst, entity, name, base: is_base } => {
                    let entity = r!(entity);
                    if let Some(known) = last_known!(entity) {
                        let name = check!(present(r!(name)));
                        let id = check!(tables.prop(known.row.kind, name).ok_or(FaultCode::NoSuchProperty));
                        let prop = &program.props[id.index()];
                        if let Some(routine) = prop.derived {
                            restart_after!(core.call_on(dst, routine, entity)?);
                        }
                        let modified = known.property(id, prop.column);
                        set!(dst, check!(if is_base { known.cell(prop.column) } else { modified }));
                        continue;
                    }
                    let id = check!(state_reads::prop_named(tables, board, entity, r!(name)));
                    let prop = &program.props[id.index()];
                    if !is_base && !board.sources.is_idle(id) {
                        compute!(dst, core.modified_value(entity, id));
                    }
                    if let Some(routine) = prop.derived {
                        restart_after!(core.call_on(dst, routine, entity)?);
                    }
                    let found = check!(board.live(entity));
                    set!(dst, check!(board.cell(found, prop.column)));
                }
                Instr::HasProp { dst, entity, name } => {
                    let entity = r!(entity);
                    let kind = match last_known!(entity) {
                        Some(known) => known.row.kind,
                        None => check!(board.live(entity)).kind,
                    };
                    set!(dst, Word::from(tables.prop(kind, r!(name)).is_some()));
                }
                Instr::Info { dst, entity, what: EntityInfo::Owner } if looks_back_on == 0 => {
                    let found = check!(board.live(r!(entity)));
                    set!(dst, state_reads::player_or_null(found.owner));
                }
                Instr::Info { dst, entity, what } => {
                    let entity = r!(entity);
                    let found = match last_known!(entity) {
                        Some(known) if what == EntityInfo::Controller => {
                            let column = board.sources.controller_column(known.row.kind);
                            set!(dst, state_reads::player_or_null(known.controller(column)));
                            continue;
                        }
                        Some(known) => &known.row,
                        None => check!(board.live(entity)),
                    };
                    set!(dst, state_reads::info(program, board, entity, found, what));
                }
                Instr::IsKind { dst, entity, kind } => {
                    let entity = r!(entity);
                    let found = last_known!(entity).map(|known| &known.row).or_else(|| board.entity(entity));
                    set!(dst, Word::from(found.is_some_and(|found| program.is_kind(found.kind, kind))));
                }
                Instr::IsDef { dst, entity, def } => {
                    let entity = r!(entity);
                    let found = last_known!(entity).map(|known| &known.row).or_else(|| board.entity(entity));
                    set!(dst, Word::from(found.is_some_and(|found| found.def == def.0)));
                }
                Instr::HasTrait { dst, entity, def } => {
                    check!(meter.charge_steps(board.rows.len() / 8));
                    let entity = r!(entity);
                    let has = match last_known!(entity) {
                        Some(known) => known.traits.contains(&def.0),
                        None => board.has_attached(entity, def.0),
                    };
                    set!(dst, Word::from(has));
                }
                Instr::Exists { dst, entity } => {
                    set!(dst, Word::from(board.entity(r!(entity)).is_some()));
                }
                Instr::ZoneOf { dst, entity, zone } => {
                    set!(dst, check!(board.zone_of(tables, r!(entity), zone)));
                }
                Instr::TheZone { dst, zone } => set!(dst, tables.single_zone(zone)),
                Instr::IsZone { dst, value, zone } => {
                    set!(dst, state_reads::is_zone(board, r!(value), zone));
                }
                Instr::ZoneHost { dst, value } => {
                    set!(dst, check!(state_reads::zone_host(board, r!(value))));
                }
                Instr::ZoneLen { dst, zone } => {
                    let instance = check!(board.instance(r!(zone)));
                    set!(dst, board.zones.rows(instance).len() as Word);
                }
                Instr::ZoneGet { dst, zone, index } => {
                    set!(dst, check!(state_reads::zone_get(board, r!(zone), r!(index))));
                }
                Instr::ZoneList { dst, zone } => {
                    set!(dst, check!(state_reads::zone_list(board, meter, r!(zone))));
                }
                Instr::AllInZone { dst, zone } => {
                    set!(dst, check!(state_reads::all_in_zone(tables, board, meter, zone, building)));
                }
                Instr::Players { dst } => {
                    let seats = Word::from(board.seats);
                    set!(dst, check!(board.heap.new_list_of(seats as usize, 1..=seats)));
                }
                Instr::PlayerCount { dst } => set!(dst, Word::from(board.seats)),
                Instr::PlayerAfter { dst, player, steps } => {
                    set!(dst, check!(state_reads::player_after(board, r!(player), i32::from(steps))));
                }
                Instr::PlayersFrom { dst, player } => {
                    set!(dst, check!(state_reads::players_from(board, r!(player))));
                }
                Instr::Flow { dst, what } => set!(dst, state_reads::flow(program, board, what)),
                Instr::InPhase { dst, phase } => {
                    set!(dst, state_reads::in_phase(program, board, r!(phase)));
                }
                Instr::IsResource { dst, name } => {
                    set!(dst, Word::from(tables.is_resource(r!(name))));
                }
                Instr::EventField { dst, event, field } => {
                    let event = check!(present(r!(event)));
                    let place = usize::try_from(event).ok().and_then(|event| {
                        let place = event + usize::from(Reg::CONTEXT + field);
                        below.get(place).or_else(|| w.words().get(place - base))
                    });
                    set!(dst, *check!(place.ok_or(FaultCode::Missing)));
                }
                Instr::SetEventField { event, field, value } => {
                    let (event, value) = (check!(present(r!(event))), r!(value));
                    restart_after!(core.set_event_field(event, field, value)?);
                }
                Instr::IsEvent { dst, event, ty } => {
                    set!(dst, Word::from(event_type(frames, r!(event)) == Some(ty)));
                }

                // Without last known information and traces, and with room for the frames of the function.
                Instr::MemoCall { dst, routine, args }
                    if looks_back_on == 0
                        && trace.is_none()
                        && !board.memo.is_paused
                        && top + memo::MAX_CALL_DEPTH < program.limits.depth as usize
                        && meter.has_nesting_left(memo::MAX_CALL_DEPTH) =>
                {
                    let (first, count) =
                        (usize::from(args.0), usize::from(program.routines[routine.index()].params));
                    let key = tables.memo.key(&board.heap, routine, &w.words()[first..first + count]);
                    let recalled =
                        key.and_then(|key| board.recall(&tables.memo, tables.memo.number(routine), &key));
                    if let (Some(result), false) = (recalled, cfg!(debug_assertions)) {
                        check!(meter.charge_steps(result.steps as usize));
                        check!(board.heap.charge(result.words as usize));
                        set!(dst, result.value);
                        continue;
                    }
                    let mut context = [NULL; Reg::CONTEXT as usize];
                    context.copy_from_slice(&w.words()[..usize::from(Reg::CONTEXT)]);
                    let mut given = [NULL; memo::KEY_WORDS];
                    given[..count].copy_from_slice(&w.words()[first..first + count]);
                    let args = &given[..count];
                    let call = MemoSubject::Call { routine, context: &context, args };
                    compute!(dst, core.compute_remembering(call, key, recalled));
                }
                Instr::Call { dst, routine, args } | Instr::MemoCall { dst, routine, args } => {
                    check!(meter.charge_steps(1));
                    let called = &program.routines[routine.index()];
                    frames[top].set_pc(pc as u32);
                    let cause = frames[top].cause();
                    let new = regs.len();
                    let (registers, params) = (usize::from(called.registers), usize::from(called.params));
                    if top + 1 - *member_count >= program.limits.depth as usize
                        || new + registers > MAX_REGISTERS
                    {
                        return Err(FaultCode::Depth);
                    }
                    regs.push_nulls(registers);
                    let context = usize::from(Reg::CONTEXT);
                    regs.copy_within(base..base + context, new);
                    let first = base + usize::from(args.0);
                    regs.copy_within(first..first + params, new + context);
                    let called = CodeFrame::new(program, routine, new, dst, cause);
                    frames.push(Frame::Code(CodeFrame { batch: looks_back_on, ..called }));
                    continue 'frame;
                }
                Instr::InlineCall { depth, to } => {
                    check!(meter.charge_steps(1));
                    if top + usize::from(depth) - *member_count >= program.limits.depth as usize {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Depth);
                    }
                    pc = to as usize;
                }
                Instr::EndInlineCall { to } => pc = to as usize,
                Instr::InlineEvent { depth, to } => {
                    if top + usize::from(depth) - *member_count >= program.limits.depth as usize {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Depth);
                    }
                    check!(meter.next_event());
                    pc = to as usize;
                }
                Instr::EndInlineEvent { event, to } => {
                    let count = program.events[event.index()].fields.len();
                    board.count_change();
                    check!(meter.charge_words(count));
                    if parts.as_ref().is_some_and(|parts| !parts.log.is_off()) {
                        let first = usize::from(tables.specialized.event_args(to).0);
                        fast_path!().record(event, &w.words()[first..first + count]);
                    }
                    pc = to as usize;
                }
                Instr::Return { value } => end_code!(r!(value)),
                Instr::Done {} => end_code!(NULL),
                Instr::Write { entity, prop, value } => {
                    let (entity, value) = (r!(entity), r!(value));
                    let found = &program.props[prop.index()];
                    let (Some(min), Some(max), None) =
                        (constant_bound(found.min), constant_bound(found.max), found.derived)
                    else {
                        restart_after!(core.write(entity, prop, value)?);
                    };
                    let value = if value == NULL { value } else { clamp_to(value, min, max) };
                    check!(board.set_cell(entity, found.column, value));
                }
                Instr::WriteNamed { entity, name, value } => {
                    let (entity, value) = (r!(entity), r!(value));
                    let prop = check!(state_reads::prop_named(tables, board, entity, r!(name)));
                    restart_after!(core.write(entity, prop, value)?);
                }
                Instr::Change { entity, prop, value } | Instr::Increase { entity, prop, value }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && tables.fast_changes[prop.index()] =>
                {
                    let found = &program.props[prop.index()];
                    check!(fast_path!().change(prop, found, r!(entity), r!(value)));
                }
                Instr::Move { dst, entity, zone, top: is_top }
                    if H::IS_MATCH && meter.is_fast && plans.is_empty() && tables.fast_moves =>
                {
                    let entity = r!(entity);
                    if !check!(fast_path!().relocate(entity, r!(zone), is_top)) {
                        restart_after!(if executor.execute_effect(*instr)? {
                            return Ok(true);
                        });
                    }
                    if dst != Reg::NONE {
                        set!(dst, entity);
                    }
                }
                // With no row reserved for an entity of a group.
                Instr::Create { dst, create, args }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && planned.is_empty()
                        && *member_count == 0
                        && tables.fast_natives[native::CREATED.index()] =>
                {
                    let first = usize::from(args.0);
                    let args = &w.words()[first..first + 5];
                    match check!(fast_path!().create(tables, &program.creates[create.index()], args)) {
                        Some(made) if dst == Reg::NONE => _ = made,
                        Some(made) => set!(dst, made),
                        None => {
                            restart_after!(if executor.execute_effect(*instr)? {
                                return Ok(true);
                            })
                        }
                    }
                }
                Instr::Emit { dst: Reg::NONE, event, args }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && (tables.fast_emits[event.index()]
                            || tables.is_flat(event)
                                && tables.has_no_listener(
                                    board,
                                    event,
                                    &w.words()[usize::from(args.0)..],
                                )) =>
                {
                    let kind = &program.events[event.index()];
                    if top + 1 - *member_count >= program.limits.depth as usize {
                        frames[top].set_pc(pc as u32);
                        return Err(FaultCode::Depth);
                    }
                    let Some(apply) = kind.apply else {
                        let first = usize::from(args.0);
                        let fields = first..first + kind.fields.len();
                        check!(fast_path!().emit(event, &w.words()[fields]));
                        continue;
                    };
                    frames[top].set_pc(pc as u32);
                    let (new, window) = (regs.len(), tables.window(event));
                    if new + window > MAX_REGISTERS {
                        return Err(FaultCode::Depth);
                    }
                    let id = meter.next_event()?;
                    let parent = frames[top].cause();
                    regs.push_nulls(window);
                    regs[new + usize::from(Reg::EVENT.0)] = new as Word;
                    let first = base + usize::from(args.0);
                    regs.copy_within(first..first + kind.fields.len(), new + usize::from(Reg::CONTEXT));
                    frames.push(Frame::Event(EventFrame {
                        pc: apply,
                        id,
                        cause: id,
                        parent,
                        stage: LifecycleStage::FastPath,
                        ..EventFrame::new(event, new, reactions.len())
                    }));
                    continue 'frame;
                }
                Instr::Announce { dst, action }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && tables.fast_natives[native::ANNOUNCED.index()] =>
                {
                    let name = program.actions[action.index()].name;
                    check!(fast_path!().announce(name, r!(Reg::ACTOR), r!(Reg::SELF)));
                    if dst != Reg::NONE {
                        set!(dst, 1);
                    }
                }
                Instr::EnterPhase { phase, player, subject }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && tables.fast_natives[native::PHASE_STARTED.index()] =>
                {
                    check!(fast_path!().enter_phase(phase, r!(player), r!(subject)));
                }
                Instr::LeavePhase {}
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && tables.fast_natives[native::PHASE_ENDED.index()] =>
                {
                    check!(fast_path!().leave_phase());
                }
                // No event of this group has listeners.
                Instr::BeginGroup { .. }
                    if H::IS_MATCH && plans.is_empty() && tables.is_plain_group(pc as u32 - 1) => {}
                Instr::EndGroup { dst } if H::IS_MATCH && plans.is_empty() => {
                    if dst != Reg::NONE {
                        set!(dst, check!(board.heap.new_record(&[1])));
                    }
                }
                // At rest: no state checks are due, no reaction waits and the stack need not resolve.
                Instr::Settle { drain }
                    if H::IS_MATCH
                        && plans.is_empty()
                        && (!tables.checks_state || *checked_changes == board.changes)
                        && !*has_waiting
                        && held_batches.is_empty()
                        && (!drain || fast_path::stack_height(tables, board) == 0) =>
                {
                    if fast_path::stack_height(tables, board) == 0 {
                        history.clear_rounds();
                    }
                }
                // Nothing that a state check reads has changed. The event `Settled` is counted, but no check runs.
                Instr::Settle { .. }
                    if H::IS_MATCH
                        && meter.is_fast
                        && plans.is_empty()
                        && *checked_changes != board.changes
                        && board.touched & tables.specialized.check_reads == 0 =>
                {
                    check!(meter.next_event());
                    fast_path!().record(native::SETTLED, &[]);
                    *checked_changes = board.changes;
                    history.begin_round(fast_path::stack_height(tables, board), meter.newest);
                    board.touched = 0;
                    pc -= 1;
                    if cfg!(debug_assertions) {
                        restart_after!(core.assert_rest());
                    }
                }
                Instr::Open { choice } if H::IS_MATCH && plans.is_empty() => {
                    if let Some(parts) = &mut parts {
                        parts.requests.open(choice, top as u32, pc as u32 - 1);
                    }
                }
                Instr::Ask { choice, args } if H::IS_MATCH && plans.is_empty() => {
                    let words = w.words().get(usize::from(args.0)..).unwrap_or_default();
                    let is_asked = parts.as_mut().is_some_and(|MatchParts { requests, counters, .. }| {
                        questions::ask_plainly(program, board, requests, counters, choice, words)
                    });
                    if !is_asked {
                        frames[top].set_pc(pc as u32);
                        executor.execute_effect(*instr)?;
                        resume!()
                    }
                }
                Instr::Await { dst, choice } if H::IS_MATCH && plans.is_empty() => {
                    let is_one = program.choices[choice.index()].mode == AnswerMode::One;
                    let answer = parts.as_mut().filter(|_| is_one);
                    match answer.and_then(|parts| parts.requests.only_answer()) {
                        Some(Some(answer)) if dst == Reg::NONE => _ = answer,
                        Some(Some(answer)) => set!(dst, answer),
                        Some(None) => {
                            // Runs this instruction again when the answer arrives.
                            frames[top].set_pc(pc as u32 - 1);
                            return Ok(true);
                        }
                        None => {
                            frames[top].set_pc(pc as u32);
                            if executor.execute_effect(*instr)? {
                                return Ok(true);
                            }
                            resume!()
                        }
                    }
                }
                Instr::Stack { action, params } if H::IS_MATCH && plans.is_empty() => {
                    frames[top].set_pc(pc as u32);
                    if executor.put_on_stack(action, params)? {
                        resume!()
                    }
                    continue 'frame;
                }
                // Naming all of them spares the test of a number that no instruction has.
                Instr::Change { .. }
                | Instr::ChangeNamed { .. }
                | Instr::Increase { .. }
                | Instr::IncreaseNamed { .. }
                | Instr::Emit { .. }
                | Instr::Create { .. }
                | Instr::Duplicate { .. }
                | Instr::Become { .. }
                | Instr::Move { .. }
                | Instr::MoveAll { .. }
                | Instr::Remove { .. }
                | Instr::Shuffle { .. }
                | Instr::Roll { .. }
                | Instr::Draw { .. }
                | Instr::EnterPhase { .. }
                | Instr::TryPhase { .. }
                | Instr::LeavePhase {}
                | Instr::ExitPhase { .. }
                | Instr::CloseInner { .. }
                | Instr::End { .. }
                | Instr::Take { .. }
                | Instr::Announce { .. }
                | Instr::Announced { .. }
                | Instr::AnnounceReaction { .. }
                | Instr::Perform { .. }
                | Instr::Stack { .. }
                | Instr::Resolve {}
                | Instr::Counter { .. }
                | Instr::Settle { .. }
                | Instr::Invoke { .. }
                | Instr::Use {}
                | Instr::Remember { .. }
                | Instr::Paid { .. }
                | Instr::BeginGroup { .. }
                | Instr::Keep { .. }
                | Instr::EndGroup { .. }
                | Instr::Prevent { .. }
                | Instr::Open { .. }
                | Instr::Ask { .. }
                | Instr::Await { .. } => {
                    frames[top].set_pc(pc as u32);
                    if executor.execute_effect(*instr)? {
                        return Ok(true);
                    }
                    continue 'frame;
                }
            }
        }
    }
}
