//! Loops that only create an entity for each item of a list, such as a deck: after the first turn, the entities are
//! created here, without a turn of the interpreter for each instruction.

use intermezzo_program::{CreateId, FaultCode, Instr, Reg, Word, ZoneId};

use crate::optimize::fast_path::FastPath;
use crate::optimize::program_index::ProgramIndex;
use crate::run::registers::RegisterWindow;
use crate::storage::board::Board;

/// Steps of one turn: the jump back, and the next item.
const STEPS_PER_TURN: usize = 2;

/// A loop whose body copies registers, finds a zone and creates an entity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CreationLoop {
    /// Address of its first instruction.
    pub(crate) to: u32,
    /// Address of the `Create`, with its operands.
    at: u32,
    create: CreateId,
    args: Reg,
    /// The registers that hold the item.
    items: Vec<Reg>,
    zone: Option<LoopZone>,
}

/// The zone of an entity, looked up in each turn.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LoopZone {
    /// Address of the `ZoneOf`, with its operands.
    at: u32,
    entity: Reg,
    zone: ZoneId,
    /// The registers that hold the zone.
    regs: Vec<Reg>,
}

/// The content of a register that the body writes.
#[derive(Clone, Copy, PartialEq)]
enum LoopRegister {
    Item,
    Zone,
    /// The same in every turn.
    Fixed,
}

impl CreationLoop {
    /// Finds the loop whose jump back is at `at`.
    fn find(code: &[Instr], at: usize, iter: Reg, to: usize) -> Option<CreationLoop> {
        let create_at = at.checked_sub(1)?;
        let Some(Instr::Create { dst: Reg::NONE, create, args }) = code.get(create_at).copied() else {
            return None;
        };
        let mut written = vec![(iter, LoopRegister::Fixed), (iter.offset(1), LoopRegister::Fixed)];
        written.push((iter.offset(2), LoopRegister::Item));
        let mut read = Vec::new();
        let mut found = None;
        for (distance, instr) in code.get(to..create_at)?.iter().enumerate() {
            let content_of = |reg: Reg| written.iter().find(|known| known.0 == reg).map(|known| known.1);
            let (dst, content) = match *instr {
                Instr::Int { dst, .. } | Instr::Const { dst, .. } | Instr::TheZone { dst, .. } => {
                    (dst, LoopRegister::Fixed)
                }
                Instr::Copy { dst, src } => {
                    let content = content_of(src);
                    read.extend(content.is_none().then_some(src));
                    (dst, content.unwrap_or(LoopRegister::Fixed))
                }
                Instr::ZoneOf { dst, entity, zone } if found.is_none() && content_of(entity).is_none() => {
                    read.push(entity);
                    found = Some(((to + distance) as u32, entity, zone));
                    (dst, LoopRegister::Zone)
                }
                _ => return None,
            };
            // Each register is written once, so that the order does not matter.
            if content_of(dst).is_some() {
                return None;
            }
            written.push((dst, content));
        }
        let holding = |content: LoopRegister| {
            let regs = written.iter().filter(|known| known.1 == content).map(|known| known.0);
            regs.collect::<Vec<Reg>>()
        };
        let is_fixed = read.iter().all(|reg| written.iter().all(|known| known.0 != *reg));
        let zone =
            found.map(|(at, entity, zone)| LoopZone { at, entity, zone, regs: holding(LoopRegister::Zone) });
        let (to, items) = (to as u32, holding(LoopRegister::Item));
        let whole = is_fixed && !is_entered(code, to as usize + 1..at + 1);
        whole.then_some(CreationLoop { to, at: create_at as u32, create, args, items, zone })
    }
}

/// Tells whether some jump leads into a range of addresses.
fn is_entered(code: &[Instr], range: std::ops::Range<usize>) -> bool {
    code.iter().enumerate().any(|(place, instr)| {
        let mut instr = *instr;
        let skip = instr.skip_mut().map(|skip| place + 1 + usize::from(*skip));
        skip.is_some_and(|to| range.contains(&to))
            || instr.target_mut().is_some_and(|to| range.contains(&(*to as usize)))
    })
}

/// Replaces jumps back to loops that create entities, and adds the loops to `loops`. No instruction moves.
pub(crate) fn find_creation_loops(code: &mut [Instr], loops: &mut Vec<CreationLoop>) {
    for at in 0..code.len() {
        let Instr::ContinueItem { iter, to } = code[at] else { continue };
        let Some(found) = CreationLoop::find(code, at, iter, to as usize) else { continue };
        code[at] = Instr::CreateItems { iter, creation: loops.len() as u32 };
        loops.push(found);
    }
}

/// Creates the entities of the remaining items. Returns where the code continues, or the address after the instruction
/// that failed and its fault. `after` is the address after the jump back.
#[inline(never)]
pub(crate) fn create_items<W: RegisterWindow + ?Sized>(
    tables: &ProgramIndex,
    creation: &CreationLoop,
    (after, iter): (usize, Reg),
    w: &mut W,
    mut path: FastPath<'_>,
) -> (usize, Option<FaultCode>) {
    let Some(create) = path.program.creates.get(creation.create.index()) else {
        return (creation.at as usize, None);
    };
    let first = usize::from(creation.args.0);
    let mut series = None;
    if let Some(zone) = creation.fixed_zone(tables, path.board, w) {
        series = path.begin_series(create, &w.words()[first..first + 5], zone);
        if let (Some(_), Ok(items)) = (&series, path.board.heap.items(*w.word(iter))) {
            path.board.zones.reserve(zone as u32, items.len());
        }
    }
    loop {
        let next = *w.word(iter.offset(1));
        let item = match path.board.heap.item(*w.word(iter), next) {
            Ok(Some(item)) => item,
            Ok(None) => return (after, None),
            Err(fault) => return (after, Some(fault)),
        };
        if let Err(fault) = path.meter.charge_steps(STEPS_PER_TURN) {
            return (after, Some(fault));
        }
        *w.word(iter.offset(1)) = next.wrapping_add(1);
        creation.items.iter().for_each(|reg| *w.word(*reg) = item);
        if let Some(series) = &mut series {
            match path.create_next(tables, series, *w.word(creation.args)) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(fault) => return (creation.at as usize + 1, Some(fault)),
            }
        }
        if let Some(LoopZone { at, entity, zone, regs }) = &creation.zone {
            let zone: Word = match path.board.zone_of(tables, *w.word(*entity), *zone) {
                Ok(zone) => zone,
                Err(fault) => return (*at as usize + 1, Some(fault)),
            };
            regs.iter().for_each(|reg| *w.word(*reg) = zone);
        }
        match path.create(tables, create, &w.words()[first..first + 5]) {
            Ok(Some(_)) => {}
            // The general path creates it.
            Ok(None) => return (creation.at as usize, None),
            Err(fault) => return (creation.at as usize + 1, Some(fault)),
        }
    }
}

impl CreationLoop {
    /// Returns the zone that all entities of the loop come to, if nothing but their def differs.
    fn fixed_zone<W: RegisterWindow + ?Sized>(
        &self,
        tables: &ProgramIndex,
        board: &Board,
        w: &mut W,
    ) -> Option<Word> {
        if (1..5).any(|at| self.items.contains(&self.args.offset(at))) {
            return None;
        }
        match &self.zone {
            Some(zone) => board.zone_of(tables, *w.word(zone.entity), zone.zone).ok(),
            None => Some(*w.word(self.args.offset(2))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITER: Reg = Reg(6);
    const ITEM: Reg = Reg(8);
    const OWNER: Reg = Reg(5);
    const ARGS: Reg = Reg(9);

    /// Returns the jump back of a loop with this body before its `Create`.
    fn jump_back(body: &[Instr], last: Instr) -> Instr {
        let mut code = vec![Instr::NextItem { iter: ITER, to: 3 + body.len() as u32 }];
        code.extend_from_slice(body);
        code.push(Instr::Create { dst: Reg::NONE, create: CreateId(0), args: ARGS });
        code.push(Instr::ContinueItem { iter: ITER, to: 1 });
        code.push(last);
        find_creation_loops(&mut code, &mut Vec::new());
        code[body.len() + 2]
    }

    fn body() -> [Instr; 5] {
        [
            Instr::Copy { dst: ARGS, src: ITEM },
            Instr::Copy { dst: ARGS.offset(1), src: OWNER },
            Instr::ZoneOf { dst: ARGS.offset(2), entity: OWNER, zone: ZoneId(1) },
            Instr::Const { dst: ARGS.offset(3), index: 0 },
            Instr::Const { dst: ARGS.offset(4), index: 0 },
        ]
    }

    const PLAIN: Instr = Instr::ContinueItem { iter: ITER, to: 1 };

    #[test]
    fn a_loop_that_only_creates_is_found() {
        assert_eq!(jump_back(&body(), Instr::Done {}), Instr::CreateItems { iter: ITER, creation: 0 });
    }

    #[test]
    fn a_loop_that_changes_what_it_reads_is_left_alone() {
        let mut counting = body().to_vec();
        counting.push(Instr::Copy { dst: OWNER, src: ITEM });
        assert_eq!(jump_back(&counting, Instr::Done {}), PLAIN);
    }

    #[test]
    fn a_loop_that_does_more_is_left_alone() {
        let mut more = body().to_vec();
        more.push(Instr::AddInt { dst: Reg(14), a: Reg(14), value: 1 });
        assert_eq!(jump_back(&more, Instr::Done {}), PLAIN);
    }

    #[test]
    fn a_loop_that_is_entered_in_the_middle_is_left_alone() {
        assert_eq!(jump_back(&body(), Instr::Jump { to: 3 }), PLAIN);
    }
}
