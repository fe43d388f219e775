//! The interpreter: runs the code of frames until something has to happen.
//!
//! [`Core`] knows the board and the agenda, nothing else: it computes and, in
//! an event's fold, writes. Instructions by which something happens are handed
//! to the caller, which is why the same loop serves matches, folding a log and
//! asking what a viewer may see.

use intermezzo_ruleset::{Bound, EventId, FaultCode, Instr, NULL, Program, PropId, Reg, RoutineId, Word};

use crate::agenda::{Agenda, Frame, MAX_REGISTERS, Meter, Stage};
use crate::board::Board;
use crate::tables::Tables;
use crate::typed::Shapes;
use crate::values::{self, holds, present};
use crate::{lists, reading};

type Result<T> = std::result::Result<T, FaultCode>;

/// All that pure code can reach.
pub(crate) struct Core<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tables: &'a Tables,
    pub(crate) board: &'a mut Board,
    pub(crate) agenda: &'a mut Agenda,
    pub(crate) meter: &'a mut Meter,
}

/// Why running stopped.
pub(crate) enum Exit {
    /// Nothing is left above the floor.
    Idle,
    /// The top frame is not code.
    Life,
    /// The instruction the top frame has just passed makes something happen.
    Effect,
}

/// Why the top frame stopped computing.
enum Stop {
    CallOn { dst: Reg, routine: RoutineId, entity: Word },
    Return { value: Word },
    Write { entity: Word, prop: PropId, value: Word },
    SetEvent { event: Word, field: u16, value: Word },
    Effect,
}

impl Core<'_> {
    pub(crate) fn shapes(&self) -> Shapes<'_> {
        Shapes { program: self.program, seats: self.board.seats }
    }

    /// Runs the frames above `floor` until none is left or something has to happen.
    pub(crate) fn run(&mut self, floor: usize) -> Result<Exit> {
        loop {
            if self.agenda.frames.len() <= floor {
                return Ok(Exit::Idle);
            }
            let stage = self.agenda.frames[self.agenda.frames.len() - 1].stage;
            if !matches!(stage, Stage::Code | Stage::Then | Stage::Fold) {
                return Ok(Exit::Life);
            }
            match self.compute(floor)? {
                Stop::CallOn { dst, routine, entity } => self.call_on(dst, routine, entity)?,
                Stop::Return { value } => {
                    if self.leave(value) {
                        return Ok(Exit::Idle);
                    }
                }
                Stop::Write { entity, prop, value } => self.write(entity, prop, value)?,
                Stop::SetEvent { event, field, value } => self.set_event_field(event, field, value)?,
                Stop::Effect => return Ok(Exit::Effect),
            }
        }
    }

    /// Calls a function and gives its value. The frames below stay as they are.
    pub(crate) fn evaluate(&mut self, routine: RoutineId, event: Word, args: &[Word]) -> Result<Word> {
        let floor = self.agenda.frames.len();
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.steps(1)?;
        let base = self.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        self.agenda.regs[base + usize::from(Reg::EVENT.0)] = event;
        let params = usize::from(code.params).min(args.len());
        let first = base + usize::from(Reg::CONTEXT);
        self.agenda.regs[first..first + params].copy_from_slice(&args[..params]);
        self.agenda.frames.push(Frame::code(program, routine, base, Reg::NONE, 0));
        self.run_to_end(floor)?;
        Ok(self.agenda.returned)
    }

    /// Runs code that cannot make anything happen.
    pub(crate) fn run_to_end(&mut self, floor: usize) -> Result<()> {
        match self.run(floor)? {
            Exit::Idle => Ok(()),
            Exit::Life | Exit::Effect => Err(FaultCode::Missing),
        }
    }

    /// A value within the bounds of a property.
    pub(crate) fn clamp(&mut self, entity: Word, prop: PropId, value: Word) -> Result<Word> {
        let (min, max) = {
            let prop = &self.program.props[prop.index()];
            (prop.min, prop.max)
        };
        if value == NULL {
            return Ok(value);
        }
        let max = self.bound(max, entity)?;
        let min = self.bound(min, entity)?;
        Ok(within(value, min, max))
    }

    #[inline]
    fn bound(&mut self, bound: Bound, entity: Word) -> Result<Word> {
        match bound {
            Bound::None => Ok(NULL),
            Bound::Word(word) => Ok(word),
            Bound::Computed(routine) => self.evaluate(routine, NULL, &[entity]),
        }
    }

    /// Writes a property as part of an event's fold.
    pub(crate) fn write(&mut self, entity: Word, prop: PropId, value: Word) -> Result<()> {
        let value = self.clamp(entity, prop, value)?;
        let found = &self.program.props[prop.index()];
        if found.derived.is_some() {
            return Err(FaultCode::NoSuchProperty);
        }
        self.board.set_cell(entity, found.column, value)
    }

    fn call_on(&mut self, dst: Reg, routine: RoutineId, entity: Word) -> Result<()> {
        let program = self.program;
        let code = program.routines.get(routine.index()).ok_or(FaultCode::Missing)?;
        self.meter.steps(1)?;
        let base = self.agenda.grow(usize::from(code.registers), program.limits.depth)?;
        if code.params > 0 {
            self.agenda.regs[base + usize::from(Reg::CONTEXT)] = entity;
        }
        self.agenda.frames.push(Frame::code(program, routine, base, dst, 0));
        Ok(())
    }

    /// Ends the code of the top frame. True if whoever runs it must look again.
    fn leave(&mut self, value: Word) -> bool {
        self.agenda.returned = value;
        let top = self.agenda.frames.len() - 1;
        match self.agenda.frames[top].stage {
            Stage::Then => {
                let frame = &mut self.agenda.frames[top];
                frame.stage = Stage::After;
                frame.step = 0;
                false
            }
            Stage::Fold => true,
            _ => {
                let ret = self.agenda.frames[top].ret;
                self.agenda.drop_top();
                if let Some(below) = self.agenda.frames.last().filter(|_| ret != Reg::NONE) {
                    let at = below.base as usize + usize::from(ret.0);
                    if let Some(place) = self.agenda.regs.get_mut(at) {
                        *place = value;
                    }
                }
                false
            }
        }
    }

    /// Where in the registers a payload field of an event lies.
    fn payload_at(&self, event: Word, field: u16) -> Result<usize> {
        let frame = self.agenda.event_at(event).ok_or(FaultCode::Missing)?;
        let fields = self.program.events[frame.event.index()].fields.len();
        if usize::from(field) >= fields {
            return Err(FaultCode::NoSuchProperty);
        }
        Ok(frame.base as usize + usize::from(Reg::CONTEXT + field))
    }

    fn set_event_field(&mut self, event: Word, field: u16, value: Word) -> Result<()> {
        let at = self.payload_at(event, field)?;
        let is_pending = self.agenda.event_at(event).is_some_and(|frame| frame.stage == Stage::Before);
        if is_pending {
            self.agenda.regs[at] = value;
        }
        Ok(())
    }

    fn event_type(agenda_frames: &[Frame], event: Word) -> Option<EventId> {
        let base = u32::try_from(event).ok()?;
        let at = agenda_frames.partition_point(|frame| frame.base < base);
        agenda_frames[at..]
            .iter()
            .take_while(|frame| frame.base == base)
            .find(|frame| frame.is_event())
            .map(|frame| frame.event)
    }

    /// Computes in the top frames until one wants more than the registers, the heap and the board.
    fn compute(&mut self, floor: usize) -> Result<Stop> {
        let mut top = self.agenda.frames.len() - 1;
        let mut pc = self.agenda.frames[top].pc;
        let stop = self.execute(floor, &mut top, &mut pc);
        self.agenda.frames[top].pc = pc;
        stop
    }

    #[inline(always)]
    fn execute(&mut self, floor: usize, top: &mut usize, at: &mut u32) -> Result<Stop> {
        let Core { program, tables, board, agenda, meter } = self;
        let Agenda { frames, regs, building, .. } = &mut **agenda;
        let code = &program.code[..];
        'frame: loop {
            let base = frames[*top].base as usize;
            let (below, w) = regs.split_at_mut(base);
            let mut pc = *at;
            macro_rules! r {
                ($reg:expr) => {
                    w[usize::from($reg.0)]
                };
            }
            macro_rules! give {
                ($dst:expr, $value:expr) => {{
                    let value = $value;
                    w[usize::from($dst.0)] = value;
                }};
            }
            // A guard may trip in the middle: the place must be known then too.
            macro_rules! check {
                ($value:expr) => {
                    match $value {
                        Ok(value) => value,
                        Err(code) => {
                            *at = pc;
                            return Err(code);
                        }
                    }
                };
            }
            macro_rules! jump {
                ($to:expr) => {{
                    if $to < pc {
                        check!(meter.steps(1));
                    }
                    pc = $to;
                }};
            }
            macro_rules! pass {
                ($test:expr, $skip:expr) => {
                    if $test {
                        pc += u32::from($skip);
                    }
                };
            }
            macro_rules! stop {
                ($stop:expr) => {{
                    *at = pc;
                    return Ok($stop);
                }};
            }
            // Ends a routine. Straight on to its caller, if that is code too.
            macro_rules! leave {
                ($value:expr) => {{
                    let value = $value;
                    let frame = &frames[*top];
                    let ret = frame.ret;
                    let is_call = *top > floor
                        && frame.stage == Stage::Code
                        && matches!(frames[*top - 1].stage, Stage::Code | Stage::Then | Stage::Fold);
                    if !is_call {
                        stop!(Stop::Return { value });
                    }
                    frames.pop();
                    regs.truncate(base);
                    *top -= 1;
                    let caller = &frames[*top];
                    if ret != Reg::NONE
                        && let Some(place) = regs.get_mut(caller.base as usize + usize::from(ret.0))
                    {
                        *place = value;
                    }
                    *at = caller.pc;
                    continue 'frame;
                }};
            }
            loop {
                let Some(instr) = code.get(pc as usize) else {
                    *at = pc;
                    return Err(FaultCode::Missing);
                };
                pc += 1;
                match *instr {
                    Instr::Copy { dst, src } => give!(dst, r!(src)),
                    Instr::Int { dst, value } => give!(dst, Word::from(value)),
                    Instr::Const { dst, index } => give!(dst, program.constants[index as usize]),
                    Instr::Add { dst, a, b } => give!(dst, check!(values::add(r!(a), r!(b)))),
                    Instr::AddInt { dst, a, value } => {
                        give!(dst, check!(values::add(r!(a), Word::from(value))));
                    }
                    Instr::Sub { dst, a, b } => give!(dst, check!(values::sub(r!(a), r!(b)))),
                    Instr::Mul { dst, a, b } => give!(dst, check!(values::mul(r!(a), r!(b)))),
                    Instr::Div { dst, a, b } => give!(dst, check!(values::div(r!(a), r!(b)))),
                    Instr::Rem { dst, a, b } => give!(dst, check!(values::rem(r!(a), r!(b)))),
                    Instr::Neg { dst, a } => give!(dst, check!(values::sub(0, r!(a)))),
                    Instr::Min { dst, a, b } => give!(dst, check!(values::min(r!(a), r!(b)))),
                    Instr::Max { dst, a, b } => give!(dst, check!(values::max(r!(a), r!(b)))),
                    Instr::Abs { dst, a } => give!(dst, check!(present(r!(a))).abs()),
                    Instr::Eq { dst, a, b } => give!(dst, Word::from(r!(a) == r!(b))),
                    Instr::Ne { dst, a, b } => give!(dst, Word::from(r!(a) != r!(b))),
                    Instr::Lt { dst, a, b } => give!(dst, check!(values::less(r!(a), r!(b)))),
                    Instr::Le { dst, a, b } => give!(dst, check!(values::at_most(r!(a), r!(b)))),
                    Instr::Not { dst, a } => give!(dst, Word::from(!holds(r!(a)))),
                    Instr::Same { dst, a, b } => {
                        let Some(Instr::OfType { ty }) = code.get(pc as usize) else {
                            *at = pc;
                            return Err(FaultCode::Missing);
                        };
                        pc += 1;
                        let shapes = Shapes { program, seats: board.seats };
                        give!(
                            dst,
                            Word::from(check!(shapes.same_metered(&board.heap, meter, *ty, r!(a), r!(b))))
                        );
                    }
                    Instr::OfType { .. } => {}
                    Instr::Assert { value } => {
                        check!(present(r!(value)));
                    }
                    Instr::Fail { code } => {
                        *at = pc;
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
                    Instr::SkipEq { a, b, skip } => pass!(r!(a) == r!(b), skip),
                    Instr::SkipNe { a, b, skip } => pass!(r!(a) != r!(b), skip),
                    Instr::SkipLt { a, b, skip } => {
                        pass!(check!(values::less(r!(a), r!(b))) != 0, skip);
                    }
                    Instr::SkipLe { a, b, skip } => {
                        pass!(check!(values::at_most(r!(a), r!(b))) != 0, skip);
                    }
                    Instr::SkipEqInt { a, value, skip } => pass!(r!(a) == Word::from(value), skip),
                    Instr::SkipNeInt { a, value, skip } => pass!(r!(a) != Word::from(value), skip),
                    Instr::SkipLtInt { a, value, skip } => {
                        pass!(check!(present(r!(a))) < Word::from(value), skip);
                    }
                    Instr::SkipLeInt { a, value, skip } => {
                        pass!(check!(present(r!(a))) <= Word::from(value), skip);
                    }
                    Instr::SkipGtInt { a, value, skip } => {
                        pass!(check!(present(r!(a))) > Word::from(value), skip);
                    }
                    Instr::SkipGeInt { a, value, skip } => {
                        pass!(check!(present(r!(a))) >= Word::from(value), skip);
                    }
                    Instr::NextItem { iter, to } => {
                        let next = r!(iter.offset(1));
                        let items = check!(board.heap.items(r!(iter)));
                        match usize::try_from(next).ok().and_then(|next| items.get(next)) {
                            Some(item) => {
                                check!(meter.steps(1));
                                r!(iter.offset(1)) = next + 1;
                                r!(iter.offset(2)) = *item;
                            }
                            None => pc = to,
                        }
                    }
                    Instr::NextInZone { iter, to } => {
                        let next = r!(iter.offset(1));
                        let item = check!(reading::zone_get(board, r!(iter), next));
                        if item == NULL {
                            pc = to;
                        } else {
                            check!(meter.steps(1));
                            r!(iter.offset(1)) = next + 1;
                            r!(iter.offset(2)) = item;
                        }
                    }
                    Instr::NextCount { iter, to } => {
                        let next = r!(iter.offset(1));
                        if next < check!(present(r!(iter))) {
                            check!(meter.steps(1));
                            r!(iter.offset(1)) = next.saturating_add(1);
                            r!(iter.offset(2)) = next;
                        } else {
                            pc = to;
                        }
                    }

                    Instr::Begin { dst } => give!(dst, building.len() as Word),
                    Instr::Push { value } => {
                        if building.len() as u64 > u64::from(program.limits.heap) {
                            *at = pc;
                            return Err(FaultCode::Memory);
                        }
                        building.push(r!(value));
                    }
                    Instr::Finish { dst, mark } => {
                        give!(dst, check!(lists::finish(&mut board.heap, building, r!(mark))));
                    }
                    Instr::Len { dst, list } => {
                        give!(dst, check!(board.heap.items(r!(list))).len() as Word);
                    }
                    Instr::Get { dst, list, index } => {
                        give!(dst, check!(lists::get(&board.heap, r!(list), r!(index))));
                    }
                    Instr::TryGet { dst, list, index } => {
                        give!(dst, check!(lists::try_get(&board.heap, r!(list), r!(index))));
                    }
                    Instr::Concat { dst, a, b } => {
                        give!(dst, check!(lists::concat(&mut board.heap, meter, r!(a), r!(b))));
                    }
                    Instr::Contains { dst, list, value } => {
                        give!(dst, check!(lists::contains(&board.heap, meter, r!(list), r!(value))));
                    }
                    Instr::First { dst, list, count } => {
                        give!(dst, check!(lists::first(&mut board.heap, meter, r!(list), r!(count))));
                    }
                    Instr::Last { dst, list, count } => {
                        give!(dst, check!(lists::last(&mut board.heap, meter, r!(list), r!(count))));
                    }
                    Instr::Replace { dst, list, args } => {
                        let (index, value) = (r!(args), r!(args.offset(1)));
                        give!(dst, check!(lists::replace(&mut board.heap, meter, r!(list), index, value)));
                    }
                    Instr::SortBy { dst, items, keys } => {
                        give!(dst, check!(lists::sort_by(&mut board.heap, meter, r!(items), r!(keys))));
                    }
                    Instr::Range { dst, from, to } => {
                        give!(dst, check!(lists::range(&mut board.heap, meter, r!(from), r!(to))));
                    }
                    Instr::Distinct { dst, list } => {
                        give!(dst, check!(lists::distinct(&mut board.heap, meter, r!(list), building)));
                    }
                    Instr::Record { dst, first, count } => {
                        let first = usize::from(first.0);
                        let fields = &w[first..first + usize::from(count)];
                        give!(dst, check!(board.heap.new_record(fields)));
                    }
                    Instr::Field { dst, record, index } => {
                        give!(dst, check!(board.heap.field(r!(record), usize::from(index))));
                    }
                    Instr::CopyRecord { dst, record, count } => {
                        give!(dst, check!(board.heap.copy_record(r!(record), usize::from(count))));
                    }
                    Instr::PutField { record, index, value } => {
                        check!(board.heap.put(r!(record), usize::from(index), r!(value)));
                    }
                    Instr::NewMap { dst, keys } => {
                        let keys = check!(values::count(r!(keys)));
                        check!(meter.steps(keys));
                        give!(dst, check!(board.heap.new_map(keys)));
                    }
                    Instr::PutKey { map, index, value } => {
                        let index = check!(values::count(r!(index)));
                        check!(board.heap.put(r!(map), index, r!(value)));
                    }
                    Instr::Key { dst, map, index } => {
                        let index = check!(values::count(r!(index)));
                        let value = check!(board.heap.field(r!(map), index));
                        if value == NULL {
                            *at = pc;
                            return Err(FaultCode::OutOfRange);
                        }
                        give!(dst, value);
                    }
                    Instr::TryKey { dst, map, index } => {
                        let index = check!(values::count(r!(index)));
                        give!(dst, check!(board.heap.field(r!(map), index)));
                    }
                    Instr::EnumIndex { dst, symbol, of } => {
                        let symbol = check!(present(r!(symbol)));
                        let members = &program.enums[of.index()].members;
                        let place = members.iter().position(|member| Word::from(member.0) == symbol);
                        give!(dst, check!(place.ok_or(FaultCode::OutOfRange)) as Word);
                    }
                    Instr::Dice { dst, count, sides } => {
                        give!(dst, check!(values::dice(r!(count), r!(sides))));
                    }

                    Instr::Prop { dst, entity, column } => {
                        let found = check!(board.live(r!(entity)));
                        give!(dst, check!(board.cell(found, column)));
                    }
                    Instr::MatchProp { dst, column } => {
                        let found = check!(board.live(intermezzo_ruleset::word::MATCH));
                        give!(dst, check!(board.cell(found, column)));
                    }
                    Instr::NamedProp { dst, entity, name } => {
                        let entity = r!(entity);
                        let prop = check!(reading::named(tables, board, entity, r!(name)));
                        let prop = &program.props[prop.index()];
                        if let Some(routine) = prop.derived {
                            stop!(Stop::CallOn { dst, routine, entity });
                        }
                        let found = check!(board.live(entity));
                        give!(dst, check!(board.cell(found, prop.column)));
                    }
                    Instr::HasProp { dst, entity, name } => {
                        let kind = check!(board.live(r!(entity))).kind;
                        give!(dst, Word::from(tables.prop(kind, r!(name)).is_some()));
                    }
                    Instr::Info { dst, entity, what } => {
                        give!(dst, check!(reading::info(program, board, r!(entity), what)));
                    }
                    Instr::IsKind { dst, entity, kind } => {
                        let found = board.entity(r!(entity));
                        give!(dst, Word::from(found.is_some_and(|found| program.is_kind(found.kind, kind))));
                    }
                    Instr::IsDef { dst, entity, def } => {
                        let found = board.entity(r!(entity));
                        give!(dst, Word::from(found.is_some_and(|found| found.def == def.0)));
                    }
                    Instr::Exists { dst, entity } => {
                        give!(dst, Word::from(board.entity(r!(entity)).is_some()));
                    }
                    Instr::ZoneOf { dst, entity, zone } => {
                        give!(dst, check!(board.zone_of(tables, r!(entity), zone)));
                    }
                    Instr::TheZone { dst, zone } => give!(dst, tables.single(zone)),
                    Instr::IsZone { dst, value, zone } => {
                        give!(dst, reading::is_zone(board, r!(value), zone));
                    }
                    Instr::ZoneHost { dst, value } => {
                        give!(dst, check!(reading::zone_host(board, r!(value))));
                    }
                    Instr::ZoneLen { dst, zone } => {
                        let instance = check!(board.instance(r!(zone)));
                        give!(dst, board.zones.rows(instance).len() as Word);
                    }
                    Instr::ZoneGet { dst, zone, index } => {
                        give!(dst, check!(reading::zone_get(board, r!(zone), r!(index))));
                    }
                    Instr::ZoneList { dst, zone } => {
                        give!(dst, check!(reading::zone_list(board, meter, r!(zone))));
                    }
                    Instr::AllInZone { dst, zone } => {
                        give!(dst, check!(reading::all_in_zone(tables, board, meter, zone, building)));
                    }
                    Instr::Players { dst } => {
                        let seats = Word::from(board.seats);
                        give!(dst, check!(board.heap.new_list_of(seats as usize, 1..=seats)));
                    }
                    Instr::PlayerCount { dst } => give!(dst, Word::from(board.seats)),
                    Instr::PlayerAfter { dst, player, steps } => {
                        give!(dst, check!(reading::player_after(board, r!(player), i32::from(steps))));
                    }
                    Instr::PlayersFrom { dst, player } => {
                        give!(dst, check!(reading::players_from(board, r!(player))));
                    }
                    Instr::Flow { dst, what } => give!(dst, reading::flow(program, board, what)),
                    Instr::InPhase { dst, phase } => {
                        give!(dst, reading::in_phase(program, board, r!(phase)));
                    }
                    Instr::IsResource { dst, name } => {
                        give!(dst, Word::from(tables.is_resource(r!(name))));
                    }
                    Instr::EventField { dst, event, field } => {
                        let event = check!(present(r!(event)));
                        let place = usize::try_from(event).ok().and_then(|event| {
                            let place = event + usize::from(Reg::CONTEXT + field);
                            below.get(place).or_else(|| w.get(place - base))
                        });
                        give!(dst, *check!(place.ok_or(FaultCode::Missing)));
                    }
                    Instr::SetEventField { event, field, value } => {
                        let (event, value) = (check!(present(r!(event))), r!(value));
                        stop!(Stop::SetEvent { event, field, value });
                    }
                    Instr::IsEvent { dst, event, ty } => {
                        give!(dst, Word::from(Self::event_type(frames, r!(event)) == Some(ty)));
                    }

                    Instr::Call { dst, routine, args } => {
                        check!(meter.steps(1));
                        let called = &program.routines[routine.index()];
                        let frame = &mut frames[*top];
                        frame.pc = pc;
                        let cause = frame.cause;
                        let new = regs.len();
                        let (registers, params) = (usize::from(called.registers), usize::from(called.params));
                        if *top + 1 >= program.limits.depth as usize || new + registers > MAX_REGISTERS {
                            *at = pc;
                            return Err(FaultCode::Depth);
                        }
                        regs.resize(new + registers, NULL);
                        let context = usize::from(Reg::CONTEXT);
                        regs.copy_within(base..base + context, new);
                        let first = base + usize::from(args.0);
                        regs.copy_within(first..first + params, new + context);
                        frames.push(Frame::code(program, routine, new, dst, cause));
                        *top += 1;
                        *at = called.entry;
                        continue 'frame;
                    }
                    Instr::Return { value } => leave!(r!(value)),
                    Instr::Done {} => leave!(NULL),
                    Instr::Write { entity, prop, value } => {
                        let (entity, value) = (r!(entity), r!(value));
                        let found = &program.props[prop.index()];
                        let (Some(min), Some(max), None) =
                            (fixed(found.min), fixed(found.max), found.derived)
                        else {
                            stop!(Stop::Write { entity, prop, value });
                        };
                        let value = if value == NULL { value } else { within(value, min, max) };
                        check!(board.set_cell(entity, found.column, value));
                    }
                    Instr::WriteNamed { entity, name, value } => {
                        let (entity, value) = (r!(entity), r!(value));
                        let prop = check!(reading::named(tables, board, entity, r!(name)));
                        stop!(Stop::Write { entity, prop, value });
                    }
                    _ => stop!(Stop::Effect),
                }
            }
        }
    }
}

/// A bound that needs no computing; null for none.
#[inline]
fn fixed(bound: Bound) -> Option<Word> {
    match bound {
        Bound::None => Some(NULL),
        Bound::Word(word) => Some(word),
        Bound::Computed(_) => None,
    }
}

/// A number within bounds, of which either may be null.
#[inline]
fn within(value: Word, min: Word, max: Word) -> Word {
    let lowered = if max != NULL && value > max { max } else { value };
    if min != NULL && lowered < min { min } else { lowered }
}
