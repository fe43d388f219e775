//! The interpreter: runs the code of frames until the match waits.
//!
//! Instructions that compute are carried out here; those by which something
//! happens are handed to the [`Host`]. The loop starts over with the top frame
//! whenever frames may have changed.

use intermezzo_ruleset::{FaultCode, Instr, NULL, Reg, Word, native};

use crate::agenda::{Agenda, Frame, MAX_REGISTERS, NO_ROUTINE, Stage};
use crate::board::Board;
use crate::core::{Core, fixed, within};
use crate::registers::{NARROW, Window};
use crate::typed::Shapes;
use crate::values::{self, holds, present};
use crate::{lists, past, quick, reading};

type Result<T> = std::result::Result<T, FaultCode>;

/// Whoever has code run: a match at work, or a mere question.
pub(crate) trait Host<'a> {
    /// Whether events happen, and not merely their consequences for the board.
    const IS_MATCH: bool = false;

    /// What computing needs.
    fn core(&mut self) -> &mut Core<'a>;

    /// Carries out an instruction that makes something happen. True if the match has to wait.
    fn happen(&mut self, instr: Instr) -> Result<bool>;

    /// Takes the frame on top, which is not code, one step further.
    fn live(&mut self) -> Result<()>;

    /// The event on top, to which nobody listens, has been applied by its code.
    fn applied(&mut self) -> Result<()>;
}

impl<'a> Host<'a> for Core<'a> {
    fn core(&mut self) -> &mut Core<'a> {
        self
    }

    fn happen(&mut self, _: Instr) -> Result<bool> {
        Err(FaultCode::Missing)
    }

    fn live(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }

    fn applied(&mut self) -> Result<()> {
        Err(FaultCode::Missing)
    }
}

#[inline]
fn next_item(board: &Board, list: Word, at: Word) -> Result<Option<Word>> {
    board.heap.item(list, at)
}

#[inline]
fn next_in_zone(board: &Board, zone: Word, at: Word) -> Result<Option<Word>> {
    reading::zone_get(board, zone, at).map(|item| (item != NULL).then_some(item))
}

#[inline]
fn next_count(_: &Board, count: Word, at: Word) -> Result<Option<Word>> {
    Ok((at < present(count)?).then_some(at))
}

/// Runs the frames above `floor` until none is left, or the match has to wait (then it gives true).
#[inline]
pub(crate) fn run<'a, H: Host<'a>>(host: &mut H, floor: usize) -> Result<bool> {
    match host.core().tables.is_wide {
        false => run_in::<H, [Word; NARROW]>(host, floor),
        true => run_in::<H, [Word]>(host, floor),
    }
}

fn run_in<'a, H: Host<'a>, W: Window + ?Sized>(host: &mut H, floor: usize) -> Result<bool> {
    'frame: loop {
        let core = host.core();
        let Core { program, tables, board, agenda, meter } = core;
        let Agenda {
            frames,
            regs,
            building,
            returned,
            members,
            past,
            trace,
            plans,
            settled,
            waiting,
            held,
            trail,
            fired,
            reactions,
            candidates,
            ..
        } = &mut **agenda;
        if frames.len() <= floor {
            return Ok(false);
        }
        let top = frames.len() - 1;
        let frame = &frames[top];
        if !frame.stage.is_code() {
            host.live()?;
            continue 'frame;
        }
        let base = frame.base as usize;
        let mut pc = frame.pc as usize;
        let looks_back_on = frame.looks_back_on();
        let is_quick = H::IS_MATCH && meter.is_quiet && plans.is_empty() && looks_back_on == 0;
        let code = if is_quick { &tables.linked.quick[..] } else { &tables.linked.code[..] };
        let (below, w) = regs.window::<W>(base);
        macro_rules! r {
            ($reg:expr) => {
                *w.word($reg)
            };
        }
        macro_rules! give {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                *w.word($dst) = value;
            }};
        }
        // A guard may trip in the middle: the place must be known then too.
        macro_rules! check {
            ($value:expr) => {
                match $value {
                    Ok(value) => value,
                    Err(code) => {
                        frames[top].pc = pc as u32;
                        return Err(code);
                    }
                }
            };
        }
        // How an entity was before the batch that the code looks back on, if it does and it has left.
        macro_rules! past {
            ($entity:expr) => {
                if looks_back_on == 0 { None } else { past::find(past, looks_back_on, $entity) }
            };
        }
        macro_rules! jump {
            ($to:expr) => {{
                let to = $to as usize;
                if to < pc {
                    check!(meter.steps(1));
                }
                pc = to;
            }};
        }
        // The next turn of a loop: goes on at one place if there is one, at the other if there is none.
        macro_rules! next {
            ($find:ident, $iter:expr, $steps:expr, $some:expr, $none:expr) => {{
                let next = r!($iter.offset(1));
                match check!($find(board, r!($iter), next)) {
                    Some(item) => {
                        check!(meter.steps($steps));
                        r!($iter.offset(1)) = next.wrapping_add(1);
                        r!($iter.offset(2)) = item;
                        pc = $some as usize;
                    }
                    None => pc = $none as usize,
                }
            }};
        }
        macro_rules! pass {
            ($test:expr, $skip:expr) => {
                if $test {
                    pc += usize::from($skip);
                }
            };
        }
        // Leaves this loop for something that may change the frames, then starts over.
        macro_rules! aside {
            ($work:expr) => {{
                frames[top].pc = pc as u32;
                $work;
                continue 'frame;
            }};
        }
        // Computes something that takes code of its own.
        macro_rules! compute {
            ($dst:expr, $work:expr) => {{
                frames[top].pc = pc as u32;
                let value = $work?;
                let at = base + usize::from($dst.0);
                if let Some(place) = core.agenda.regs.get_mut(at) {
                    *place = value;
                }
                continue 'frame;
            }};
        }
        // Ends the code of the top frame.
        macro_rules! leave {
            ($value:expr) => {{
                let value = $value;
                let frame = &mut frames[top];
                match frame.stage {
                    Stage::Then => {
                        frame.stage = Stage::After;
                        frame.step = 0;
                    }
                    // Nobody keeps the log, waits for the event or reacts to it.
                    Stage::Quick
                        if frame.ret == Reg::NONE
                            && meter.is_quiet
                            && tables.is_flat(frame.event)
                            && fired.is_empty()
                            && past.is_empty() =>
                    {
                        board.count_change();
                        meter.words(program.events[frame.event.index()].fields.len())?;
                        frames.pop();
                        regs.truncate(base);
                    }
                    Stage::Quick => host.applied()?,
                    Stage::Fold | Stage::Asked => {
                        *returned = value;
                        return Ok(false);
                    }
                    _ => {
                        let ret = frame.ret;
                        *returned = value;
                        frames.pop();
                        regs.truncate(base);
                        if let Some(caller) = frames.last().filter(|_| ret != Reg::NONE)
                            && let Some(place) = regs.get_mut(caller.base as usize + usize::from(ret.0))
                        {
                            *place = value;
                        }
                        if frames.len() <= floor {
                            return Ok(false);
                        }
                    }
                }
                continue 'frame;
            }};
        }
        loop {
            let Some(instr) = code.get(pc) else {
                frames[top].pc = pc as u32;
                return Err(FaultCode::Missing);
            };
            pc += 1;
            match *instr {
                Instr::Copy { dst, src } => give!(dst, r!(src)),
                Instr::Int { dst, value } => give!(dst, Word::from(value)),
                Instr::Const { dst, index } => give!(dst, program.constants[index as usize]),
                Instr::Nulls { first, count } => {
                    let (first, count) = (usize::from(first.0), usize::from(count));
                    w.words()[first..first + count].fill(NULL);
                    pc += count - 1;
                }
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
                    let Some(Instr::OfType { ty }) = code.get(pc) else {
                        frames[top].pc = pc as u32;
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
                Instr::Probe { number } => program.probes.reach(number, r!(Reg::YOU)),
                Instr::Assert { value } => {
                    check!(present(r!(value)));
                }
                Instr::Fail { code } => {
                    frames[top].pc = pc as u32;
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
                Instr::NextItem { iter, to } => next!(next_item, iter, 1, pc, to),
                Instr::NextInZone { iter, to } => next!(next_in_zone, iter, 1, pc, to),
                Instr::NextCount { iter, to } => next!(next_count, iter, 1, pc, to),
                // What jumps back takes a step more.
                Instr::AgainItem { iter, to } => next!(next_item, iter, 2, to, pc),
                Instr::AgainInZone { iter, to } => next!(next_in_zone, iter, 2, to, pc),
                Instr::AgainCount { iter, to } => next!(next_count, iter, 2, to, pc),

                Instr::Begin { dst } => give!(dst, building.len() as Word),
                Instr::Push { value } => {
                    if building.len() as u64 > u64::from(program.limits.heap) {
                        frames[top].pc = pc as u32;
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
                    let fields = &w.words()[first..first + usize::from(count)];
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
                        frames[top].pc = pc as u32;
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
                    let entity = r!(entity);
                    if let Some(past) = past!(entity) {
                        give!(dst, check!(past.cell(column)));
                        continue;
                    }
                    let found = check!(board.live(entity));
                    give!(dst, check!(board.cell(found, column)));
                }
                Instr::MatchProp { dst, column } => {
                    let found = check!(board.live(intermezzo_ruleset::word::MATCH));
                    give!(dst, check!(board.cell(found, column)));
                }
                Instr::Modified { dst, entity, prop } => {
                    let entity = r!(entity);
                    let found = &program.props[prop.index()];
                    if let Some(past) = past!(entity) {
                        give!(dst, check!(past.property(prop, found.column)));
                    } else if board.sources.is_idle(prop) && trace.is_none() {
                        let live = check!(board.live(entity));
                        give!(dst, check!(board.cell(live, found.column)));
                    } else {
                        compute!(dst, core.modified(entity, prop));
                    }
                }
                Instr::Chain { dst, record, chain } => {
                    let record = r!(record);
                    compute!(dst, core.chained(record, chain));
                }
                Instr::Offers { dst, player } => {
                    let player = r!(player);
                    compute!(dst, core.offers(player));
                }
                Instr::Offer { action, params } => {
                    if building.len() as u64 > u64::from(program.limits.heap) {
                        frames[top].pc = pc as u32;
                        return Err(FaultCode::Memory);
                    }
                    let first = usize::from(params.0);
                    let (host, actor, via) = (r!(Reg::SELF), r!(Reg::ACTOR), r!(Reg::TRAIT));
                    let head = [Word::from(action.0), actor, host, via, board.changes];
                    let params = &w.words()[first..first + tables.offered[action.index()]];
                    building.push(check!(board.heap.new_list_in_two(head, params)));
                }
                Instr::Hosts { iter, zone, table } => {
                    let start = candidates.len() as Word;
                    reading::hosts(tables, board, (zone, table), r!(Reg::ACTOR), candidates);
                    r!(iter) = start;
                    r!(iter.offset(1)) = candidates.len() as Word;
                    r!(iter.offset(2)) = start;
                }
                Instr::NextHost { iter } => {
                    let next = r!(iter);
                    let end = next >= r!(iter.offset(1));
                    let Some(found) = candidates.get(next as usize).filter(|_| !end).copied() else {
                        candidates.truncate(r!(iter.offset(2)) as usize);
                        continue;
                    };
                    check!(meter.steps(1));
                    r!(iter) = next + 1;
                    r!(Reg::SELF) = found.host;
                    let gate = if found.turn.gate == Reg::NONE { NULL } else { r!(found.turn.gate) };
                    pc = match gate {
                        0 => pc - 1,
                        1 => found.turn.open as usize,
                        _ => found.turn.place as usize,
                    };
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
                    compute!(dst, core.afford(routine, &context, &args).map(Word::from));
                }
                Instr::Usable { dst, args, costs } => {
                    let (ability, host, actor) = (r!(args), r!(args.offset(1)), r!(Reg::ACTOR));
                    compute!(dst, core.usable(ability, host, actor, costs));
                }
                Instr::OfferAction { dst, offer } => {
                    let action = check!(lists::get(&board.heap, r!(offer), 0));
                    let action = check!(usize::try_from(action).map_err(|_| FaultCode::Missing));
                    let name = program.actions.get(action).map(|action| Word::from(action.name.0));
                    give!(dst, check!(name.ok_or(FaultCode::Missing)));
                }
                Instr::OfferHost { dst, offer } => {
                    give!(dst, check!(lists::get(&board.heap, r!(offer), 2)));
                }
                Instr::Targets { dst, item } => {
                    give!(dst, check!(reading::targets(program, tables, board, r!(item), building)));
                }
                Instr::Does { dst, item, event } => {
                    give!(dst, check!(reading::does(program, tables, board, r!(item), event)));
                }
                Instr::Abilities { dst, entity } => {
                    give!(dst, check!(reading::abilities(program, board, r!(entity), building)));
                }
                Instr::HasTag { dst, ability, tag } => {
                    give!(dst, reading::has_tag(program, r!(ability), r!(tag)));
                }
                Instr::ZoneNamed { dst, entity, name } => {
                    give!(dst, check!(reading::zone_named(program, tables, board, r!(entity), r!(name))));
                }
                Instr::IsZoneNamed { dst, value, name } => {
                    give!(dst, reading::is_zone_named(program, board, r!(value), r!(name)));
                }
                Instr::NamedProp { dst, entity, name, base: is_base } => {
                    let entity = r!(entity);
                    if let Some(past) = past!(entity) {
                        let name = check!(present(r!(name)));
                        let id = check!(tables.prop(past.row.kind, name).ok_or(FaultCode::NoSuchProperty));
                        let prop = &program.props[id.index()];
                        if let Some(routine) = prop.derived {
                            aside!(core.call_on(dst, routine, entity)?);
                        }
                        let modified = past.property(id, prop.column);
                        give!(dst, check!(if is_base { past.cell(prop.column) } else { modified }));
                        continue;
                    }
                    let id = check!(reading::named(tables, board, entity, r!(name)));
                    let prop = &program.props[id.index()];
                    if !is_base && !board.sources.is_idle(id) {
                        compute!(dst, core.modified(entity, id));
                    }
                    if let Some(routine) = prop.derived {
                        aside!(core.call_on(dst, routine, entity)?);
                    }
                    let found = check!(board.live(entity));
                    give!(dst, check!(board.cell(found, prop.column)));
                }
                Instr::HasProp { dst, entity, name } => {
                    let entity = r!(entity);
                    let kind = match past!(entity) {
                        Some(past) => past.row.kind,
                        None => check!(board.live(entity)).kind,
                    };
                    give!(dst, Word::from(tables.prop(kind, r!(name)).is_some()));
                }
                Instr::Info { dst, entity, what } => {
                    let entity = r!(entity);
                    let found = match past!(entity) {
                        Some(past) => &past.row,
                        None => check!(board.live(entity)),
                    };
                    give!(dst, reading::info(program, board, entity, found, what));
                }
                Instr::IsKind { dst, entity, kind } => {
                    let entity = r!(entity);
                    let found = past!(entity).map(|past| &past.row).or_else(|| board.entity(entity));
                    give!(dst, Word::from(found.is_some_and(|found| program.is_kind(found.kind, kind))));
                }
                Instr::IsDef { dst, entity, def } => {
                    let entity = r!(entity);
                    let found = past!(entity).map(|past| &past.row).or_else(|| board.entity(entity));
                    give!(dst, Word::from(found.is_some_and(|found| found.def == def.0)));
                }
                Instr::HasTrait { dst, entity, def } => {
                    check!(meter.steps(board.rows.len() / 8));
                    let entity = r!(entity);
                    let has = match past!(entity) {
                        Some(past) => past.traits.contains(&def.0),
                        None => board.has_attached(entity, def.0),
                    };
                    give!(dst, Word::from(has));
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
                        below.get(place).or_else(|| w.words().get(place - base))
                    });
                    give!(dst, *check!(place.ok_or(FaultCode::Missing)));
                }
                Instr::SetEventField { event, field, value } => {
                    let (event, value) = (check!(present(r!(event))), r!(value));
                    aside!(core.set_event_field(event, field, value)?);
                }
                Instr::IsEvent { dst, event, ty } => {
                    give!(dst, Word::from(Core::event_type(frames, r!(event)) == Some(ty)));
                }

                Instr::Call { dst, routine, args } => {
                    check!(meter.steps(1));
                    let called = &program.routines[routine.index()];
                    let frame = &mut frames[top];
                    frame.pc = pc as u32;
                    let cause = frame.cause;
                    let new = regs.len();
                    let (registers, params) = (usize::from(called.registers), usize::from(called.params));
                    if top + 1 - *members >= program.limits.depth as usize || new + registers > MAX_REGISTERS
                    {
                        return Err(FaultCode::Depth);
                    }
                    regs.blank(registers);
                    let context = usize::from(Reg::CONTEXT);
                    regs.copy_within(base..base + context, new);
                    let first = base + usize::from(args.0);
                    regs.copy_within(first..first + params, new + context);
                    let called = Frame::code(program, routine, new, dst, cause);
                    frames.push(Frame { batch: looks_back_on, ..called });
                    continue 'frame;
                }
                Instr::Inline { depth, to } => {
                    check!(meter.steps(1));
                    if top + usize::from(depth) - *members >= program.limits.depth as usize {
                        frames[top].pc = pc as u32;
                        return Err(FaultCode::Depth);
                    }
                    pc = to as usize;
                }
                Instr::Resume { to } => pc = to as usize,
                Instr::Happen { depth, to } => {
                    if top + usize::from(depth) - *members >= program.limits.depth as usize {
                        frames[top].pc = pc as u32;
                        return Err(FaultCode::Depth);
                    }
                    check!(meter.next_event());
                    pc = to as usize;
                }
                Instr::Happened { event, to } => {
                    board.count_change();
                    check!(meter.words(program.events[event.index()].fields.len()));
                    pc = to as usize;
                }
                Instr::Return { value } => leave!(r!(value)),
                Instr::Done {} => leave!(NULL),
                Instr::Write { entity, prop, value } => {
                    let (entity, value) = (r!(entity), r!(value));
                    let found = &program.props[prop.index()];
                    let (Some(min), Some(max), None) = (fixed(found.min), fixed(found.max), found.derived)
                    else {
                        aside!(core.write(entity, prop, value)?);
                    };
                    let value = if value == NULL { value } else { within(value, min, max) };
                    check!(board.set_cell(entity, found.column, value));
                }
                Instr::WriteNamed { entity, name, value } => {
                    let (entity, value) = (r!(entity), r!(value));
                    let prop = check!(reading::named(tables, board, entity, r!(name)));
                    aside!(core.write(entity, prop, value)?);
                }
                Instr::Change { entity, prop, value }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && tables.quick_changes[prop.index()] =>
                {
                    let found = &program.props[prop.index()];
                    check!(quick::change(board, meter, found, r!(entity), r!(value)));
                }
                Instr::Move { dst, entity, zone, top: is_top }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && tables.quick_moves
                        && quick::keeps(program, board, r!(zone)) =>
                {
                    let entity = r!(entity);
                    check!(quick::relocate(program, board, meter, entity, r!(zone), is_top));
                    if dst != Reg::NONE {
                        give!(dst, entity);
                    }
                }
                Instr::Emit { dst: Reg::NONE, event, args }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && (tables.quick_emits[event.index()]
                            || tables.is_flat(event)
                                && tables.is_unheard(board, event, &w.words()[usize::from(args.0)..])) =>
                {
                    let kind = &program.events[event.index()];
                    frames[top].pc = pc as u32;
                    let (new, window) = (regs.len(), tables.window(event));
                    if top + 1 - *members >= program.limits.depth as usize || new + window > MAX_REGISTERS {
                        return Err(FaultCode::Depth);
                    }
                    let id = meter.next_event()?;
                    let Some(apply) = kind.apply else {
                        board.count_change();
                        meter.words(kind.fields.len())?;
                        continue 'frame;
                    };
                    let parent = frames[top].cause;
                    regs.blank(window);
                    regs[new + usize::from(Reg::EVENT.0)] = new as Word;
                    let first = base + usize::from(args.0);
                    regs.copy_within(first..first + kind.fields.len(), new + usize::from(Reg::CONTEXT));
                    frames.push(Frame {
                        routine: kind.routine.unwrap_or(NO_ROUTINE),
                        pc: apply,
                        event,
                        id,
                        cause: id,
                        parent,
                        reactions: reactions.len() as u32,
                        ..Frame::bare(Stage::Quick, new)
                    });
                    continue 'frame;
                }
                Instr::Announce { dst, .. }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && tables.quick_natives[native::ANNOUNCED.index()] =>
                {
                    check!(quick::happen(program, board, meter, native::ANNOUNCED));
                    if dst != Reg::NONE {
                        give!(dst, 1);
                    }
                }
                Instr::EnterPhase { phase, player, subject }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && tables.quick_natives[native::PHASE_STARTED.index()] =>
                {
                    check!(quick::enter(program, board, meter, phase, r!(player), r!(subject)));
                }
                Instr::LeavePhase {}
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && tables.quick_natives[native::PHASE_ENDED.index()] =>
                {
                    check!(quick::leave(program, board, meter));
                }
                // Nobody listens to what happens in it.
                Instr::BeginGroup { .. }
                    if H::IS_MATCH && plans.is_empty() && tables.is_plain_group(pc as u32 - 1) => {}
                Instr::EndGroup { dst } if H::IS_MATCH && plans.is_empty() => {
                    if dst != Reg::NONE {
                        give!(dst, check!(board.heap.new_record(&[1])));
                    }
                }
                // At rest: nothing is left to be checked, nothing waits, and nothing is to be resolved.
                Instr::Settle { drain }
                    if H::IS_MATCH
                        && plans.is_empty()
                        && (!tables.checks_state || *settled == board.changes)
                        && !*waiting
                        && held.is_empty()
                        && (!drain || quick::stack_height(tables, board) == 0) =>
                {
                    if quick::stack_height(tables, board) == 0 {
                        trail.rest();
                    }
                }
                // Nothing has changed that a state check reads: that it has come to rest is all that happens.
                Instr::Settle { .. }
                    if H::IS_MATCH
                        && meter.is_quiet
                        && plans.is_empty()
                        && *settled != board.changes
                        && board.touched & tables.linked.rest_reads == 0 =>
                {
                    check!(meter.next_event());
                    *settled = board.changes;
                    trail.begin_round(quick::stack_height(tables, board));
                    board.touched = 0;
                    pc -= 1;
                    if cfg!(debug_assertions) {
                        aside!(core.assert_rest());
                    }
                }
                effect @ (Instr::Prevent { .. }
                | Instr::Change { .. }
                | Instr::ChangeNamed { .. }
                | Instr::Emit { .. }
                | Instr::Create { .. }
                | Instr::Duplicate { .. }
                | Instr::Move { .. }
                | Instr::MoveAll { .. }
                | Instr::Remove { .. }
                | Instr::Shuffle { .. }
                | Instr::Roll { .. }
                | Instr::Draw { .. }
                | Instr::EnterPhase { .. }
                | Instr::LeavePhase {}
                | Instr::End { .. }
                | Instr::Take { .. }
                | Instr::Announce { .. }
                | Instr::Perform { .. }
                | Instr::Stack { .. }
                | Instr::Resolve {}
                | Instr::Counter { .. }
                | Instr::Settle { .. }
                | Instr::Invoke { .. }
                | Instr::Use {}
                | Instr::BeginGroup { .. }
                | Instr::Keep { .. }
                | Instr::EndGroup { .. }
                | Instr::Open { .. }
                | Instr::Ask { .. }
                | Instr::Await { .. }) => {
                    frames[top].pc = pc as u32;
                    if host.happen(effect)? {
                        return Ok(true);
                    }
                    continue 'frame;
                }
            }
        }
    }
}
