//! Straight code: routines that neither loop nor call, such as most conditions and modifiers, evaluated without a frame.
//!
//! Whatever does not succeed here is evaluated again in a frame, which reports the fault. Builds with debug assertions
//! always do both and compare value and cost.

use intermezzo_program::{EntityInfo, FlowInfo, Instr, NULL, Program, Reg, Routine, RoutineId, Word, word};

use crate::optimize::program_index::ProgramIndex;
use crate::react::modifiers::RuleContext;
use crate::run::evaluator::Evaluator;
use crate::run::frames::MAX_REGISTERS;
use crate::run::state_reads;
use crate::storage::board::Board;
use crate::values::arithmetic::{self, holds, present};
use crate::values::lists;

/// Greatest number of registers of a straight routine; a power of two.
const REGISTERS: usize = 32;

/// The straight routines of a program.
#[derive(Debug, Default)]
pub(crate) struct StraightRoutines {
    /// Per routine.
    is_straight: Vec<bool>,
}

impl StraightRoutines {
    /// Finds the straight routines of a validated program. `owner` says which routine an instruction belongs to.
    pub(crate) fn new(program: &Program, owner: &[u16]) -> StraightRoutines {
        let fits = |routine: &Routine| usize::from(routine.registers) <= REGISTERS;
        let mut is_straight: Vec<bool> = program.routines.iter().map(fits).collect();
        for (at, (instr, owner)) in program.code.iter().zip(owner).enumerate() {
            if let Some(is_straight) = is_straight.get_mut(usize::from(*owner)) {
                let is_ahead = { *instr }.target_mut().is_none_or(|to| *to as usize > at);
                *is_straight &= is_ahead && is_covered(*instr);
            }
        }
        StraightRoutines { is_straight }
    }

    #[inline]
    pub(crate) fn covers(&self, routine: RoutineId) -> bool {
        self.is_straight.get(routine.index()) == Some(&true)
    }
}

/// Tells whether [`World::run`] executes an instruction.
fn is_covered(instr: Instr) -> bool {
    match instr {
        Instr::Info { what, .. } => {
            !matches!(what, EntityInfo::Rule | EntityInfo::Trigger | EntityInfo::About)
        }
        Instr::Flow { what, .. } => what != FlowInfo::Changes,
        Instr::Copy { .. }
        | Instr::Int { .. }
        | Instr::Const { .. }
        | Instr::Add { .. }
        | Instr::AddInt { .. }
        | Instr::Sub { .. }
        | Instr::Mul { .. }
        | Instr::Neg { .. }
        | Instr::Min { .. }
        | Instr::Max { .. }
        | Instr::Abs { .. }
        | Instr::Eq { .. }
        | Instr::Ne { .. }
        | Instr::Lt { .. }
        | Instr::Le { .. }
        | Instr::Not { .. }
        | Instr::Assert { .. }
        | Instr::Jump { .. }
        | Instr::JumpIf { .. }
        | Instr::JumpUnless { .. }
        | Instr::JumpNull { .. }
        | Instr::SkipEq { .. }
        | Instr::SkipNe { .. }
        | Instr::SkipLt { .. }
        | Instr::SkipLe { .. }
        | Instr::SkipEqInt { .. }
        | Instr::SkipNeInt { .. }
        | Instr::SkipLtInt { .. }
        | Instr::SkipLeInt { .. }
        | Instr::SkipGtInt { .. }
        | Instr::SkipGeInt { .. }
        | Instr::Len { .. }
        | Instr::Get { .. }
        | Instr::TryGet { .. }
        | Instr::Field { .. }
        | Instr::Prop { .. }
        | Instr::MatchProp { .. }
        | Instr::Modified { .. }
        | Instr::NamedProp { .. }
        | Instr::IsKind { .. }
        | Instr::IsDef { .. }
        | Instr::HasTrait { .. }
        | Instr::Exists { .. }
        | Instr::ZoneOf { .. }
        | Instr::TheZone { .. }
        | Instr::IsZone { .. }
        | Instr::ZoneHost { .. }
        | Instr::ZoneLen { .. }
        | Instr::PlayerCount { .. }
        | Instr::PlayerAfter { .. }
        | Instr::InPhase { .. }
        | Instr::EventField { .. }
        | Instr::Return { .. }
        | Instr::Done {} => true,
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Evaluates a straight routine and charges its cost. Returns `None`, and changes nothing, if it needs a frame.
    pub(crate) fn evaluate_straight(
        &mut self,
        routine: &Routine,
        context: &RuleContext,
        args: &[Word],
    ) -> Option<Word> {
        let depth = self.frames.stack.len() - self.frames.member_count;
        let has_room = depth < self.program.limits.depth as usize
            && self.meter.has_nesting_left(0)
            && self.frames.regs.len() + usize::from(routine.registers) <= MAX_REGISTERS;
        if !has_room || self.frames.trace.is_some() {
            return None;
        }
        let mut registers = [NULL; REGISTERS];
        registers[..context.len()].copy_from_slice(context);
        let args = args.get(..usize::from(routine.params)).unwrap_or(args);
        registers.get_mut(context.len()..)?.iter_mut().zip(args).for_each(|(place, arg)| *place = *arg);
        let world = World {
            program: self.program,
            tables: self.tables,
            board: self.board,
            events: &self.frames.regs,
        };
        let (value, steps) = world.run(routine.entry as usize, &mut registers)?;
        self.meter.charge_steps(1 + steps).ok()?;
        self.frames.returned = value;
        Some(value)
    }
}

/// Everything that straight code reads.
struct World<'a> {
    program: &'a Program,
    tables: &'a ProgramIndex,
    board: &'a Board,
    /// The registers of the frames below, which hold the payloads of events.
    events: &'a [Word],
}

impl World<'_> {
    /// Runs code from `pc` on. Returns its value and the steps that it takes besides the call.
    fn run(&self, mut pc: usize, registers: &mut [Word; REGISTERS]) -> Option<(Word, usize)> {
        let World { program, tables, board, events } = *self;
        let mut steps = 0;
        macro_rules! r {
            ($reg:expr) => {
                registers[usize::from($reg.0) & (REGISTERS - 1)]
            };
        }
        macro_rules! skip_if {
            ($test:expr, $skip:expr) => {
                if $test {
                    pc += usize::from($skip);
                }
            };
        }
        loop {
            let instr = program.code.get(pc)?;
            pc += 1;
            match *instr {
                Instr::Copy { dst, src } => r!(dst) = r!(src),
                Instr::Int { dst, value } => r!(dst) = Word::from(value),
                Instr::Const { dst, index } => r!(dst) = *program.constants.get(index as usize)?,
                Instr::Add { dst, a, b } => r!(dst) = arithmetic::add(r!(a), r!(b)).ok()?,
                Instr::AddInt { dst, a, value } => {
                    r!(dst) = arithmetic::add(r!(a), Word::from(value)).ok()?;
                }
                Instr::Sub { dst, a, b } => r!(dst) = arithmetic::sub(r!(a), r!(b)).ok()?,
                Instr::Mul { dst, a, b } => r!(dst) = arithmetic::mul(r!(a), r!(b)).ok()?,
                Instr::Neg { dst, a } => r!(dst) = arithmetic::sub(0, r!(a)).ok()?,
                Instr::Min { dst, a, b } => r!(dst) = arithmetic::min(r!(a), r!(b)).ok()?,
                Instr::Max { dst, a, b } => r!(dst) = arithmetic::max(r!(a), r!(b)).ok()?,
                Instr::Abs { dst, a } => r!(dst) = present(r!(a)).ok()?.abs(),
                Instr::Eq { dst, a, b } => r!(dst) = Word::from(r!(a) == r!(b)),
                Instr::Ne { dst, a, b } => r!(dst) = Word::from(r!(a) != r!(b)),
                Instr::Lt { dst, a, b } => r!(dst) = arithmetic::less(r!(a), r!(b)).ok()?,
                Instr::Le { dst, a, b } => r!(dst) = arithmetic::at_most(r!(a), r!(b)).ok()?,
                Instr::Not { dst, a } => r!(dst) = Word::from(!holds(r!(a))),
                Instr::Assert { value } => _ = present(r!(value)).ok()?,
                Instr::Jump { to } => pc = to as usize,
                Instr::JumpIf { cond, to } if holds(r!(cond)) => pc = to as usize,
                Instr::JumpUnless { cond, to } if !holds(r!(cond)) => pc = to as usize,
                Instr::JumpNull { value, to } if r!(value) == NULL => pc = to as usize,
                Instr::JumpIf { .. } | Instr::JumpUnless { .. } | Instr::JumpNull { .. } => {}
                Instr::SkipEq { a, b, skip } => skip_if!(r!(a) == r!(b), skip),
                Instr::SkipNe { a, b, skip } => skip_if!(r!(a) != r!(b), skip),
                Instr::SkipLt { a, b, skip } => {
                    skip_if!(arithmetic::less(r!(a), r!(b)).ok()? != 0, skip);
                }
                Instr::SkipLe { a, b, skip } => {
                    skip_if!(arithmetic::at_most(r!(a), r!(b)).ok()? != 0, skip);
                }
                Instr::SkipEqInt { a, value, skip } => skip_if!(r!(a) == Word::from(value), skip),
                Instr::SkipNeInt { a, value, skip } => skip_if!(r!(a) != Word::from(value), skip),
                Instr::SkipLtInt { a, value, skip } => {
                    skip_if!(present(r!(a)).ok()? < Word::from(value), skip);
                }
                Instr::SkipLeInt { a, value, skip } => {
                    skip_if!(present(r!(a)).ok()? <= Word::from(value), skip);
                }
                Instr::SkipGtInt { a, value, skip } => {
                    skip_if!(present(r!(a)).ok()? > Word::from(value), skip);
                }
                Instr::SkipGeInt { a, value, skip } => {
                    skip_if!(present(r!(a)).ok()? >= Word::from(value), skip);
                }
                Instr::Len { dst, list } => r!(dst) = board.heap.items(r!(list)).ok()?.len() as Word,
                Instr::Get { dst, list, index } => {
                    r!(dst) = lists::get(&board.heap, r!(list), r!(index)).ok()?;
                }
                Instr::TryGet { dst, list, index } => {
                    r!(dst) = lists::try_get(&board.heap, r!(list), r!(index)).ok()?;
                }
                Instr::Field { dst, record, index } => {
                    r!(dst) = board.heap.field(r!(record), usize::from(index)).ok()?;
                }
                Instr::Prop { dst, entity, column } => {
                    r!(dst) = board.cell(board.live(r!(entity)).ok()?, column).ok()?;
                }
                Instr::MatchProp { dst, column } => {
                    r!(dst) = board.cell(board.live(word::MATCH).ok()?, column).ok()?;
                }
                Instr::Modified { dst, entity, prop } if board.sources.is_idle(prop) => {
                    let found = board.live(r!(entity)).ok()?;
                    r!(dst) = board.cell(found, program.props[prop.index()].column).ok()?;
                }
                Instr::NamedProp { dst, entity, name, base } => {
                    let entity = r!(entity);
                    let id = state_reads::prop_named(tables, board, entity, r!(name)).ok()?;
                    let found = &program.props[id.index()];
                    if found.derived.is_some() || !base && !board.sources.is_idle(id) {
                        return None;
                    }
                    r!(dst) = board.cell(board.live(entity).ok()?, found.column).ok()?;
                }
                Instr::Info { dst, entity, what } => {
                    let entity = r!(entity);
                    r!(dst) = state_reads::info(program, board, entity, board.live(entity).ok()?, what);
                }
                Instr::IsKind { dst, entity, kind } => {
                    let found = board.entity(r!(entity));
                    r!(dst) = Word::from(found.is_some_and(|found| program.is_kind(found.kind, kind)));
                }
                Instr::IsDef { dst, entity, def } => {
                    let found = board.entity(r!(entity));
                    r!(dst) = Word::from(found.is_some_and(|found| found.def == def.0));
                }
                Instr::HasTrait { dst, entity, def } => {
                    steps += board.rows.len() / 8;
                    r!(dst) = Word::from(board.has_attached(r!(entity), def.0));
                }
                Instr::Exists { dst, entity } => {
                    r!(dst) = Word::from(board.entity(r!(entity)).is_some());
                }
                Instr::ZoneOf { dst, entity, zone } => {
                    r!(dst) = board.zone_of(tables, r!(entity), zone).ok()?;
                }
                Instr::TheZone { dst, zone } => r!(dst) = tables.single_zone(zone),
                Instr::IsZone { dst, value, zone } => {
                    r!(dst) = state_reads::is_zone(board, r!(value), zone);
                }
                Instr::ZoneHost { dst, value } => {
                    r!(dst) = state_reads::zone_host(board, r!(value)).ok()?;
                }
                Instr::ZoneLen { dst, zone } => {
                    let instance = board.instance(r!(zone)).ok()?;
                    r!(dst) = board.zones.rows(instance).len() as Word;
                }
                Instr::PlayerCount { dst } => r!(dst) = Word::from(board.seats),
                Instr::PlayerAfter { dst, player, steps } => {
                    r!(dst) = state_reads::player_after(board, r!(player), i32::from(steps)).ok()?;
                }
                Instr::Flow { dst, what } => r!(dst) = state_reads::flow(program, board, what),
                Instr::InPhase { dst, phase } => {
                    r!(dst) = state_reads::in_phase(program, board, r!(phase));
                }
                Instr::EventField { dst, event, field } => {
                    let event = usize::try_from(present(r!(event)).ok()?).ok()?;
                    r!(dst) = *events.get(event + usize::from(Reg::CONTEXT + field))?;
                }
                Instr::Return { value } => return Some((r!(value), steps)),
                Instr::Done {} => return Some((NULL, steps)),
                _ => return None,
            }
        }
    }
}
