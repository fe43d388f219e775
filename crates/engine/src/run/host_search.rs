//! The search for hosts that have something to offer.
//!
//! Hosts whose only gate is shut or that fail their first tests are skipped, and those that offer an action without targets are
//! offered on the way. The code of all others runs.

use intermezzo_program::{FaultCode, Instr, NULL, Program, Reg, Word, ZoneId, word};

use crate::optimize::native_tests::TestScene;
use crate::optimize::program_index::ProgramIndex;
use crate::optimize::specializer::{HostJump, OfferCandidate};
use crate::run::registers::RegisterWindow;
use crate::run::state_reads;
use crate::storage::board::{Board, Entity};
use crate::storage::heap::Heap;

type Result<T> = std::result::Result<T, FaultCode>;

/// A host whose code has to run: the host, the trait whose actions it has, and the address to enter.
#[derive(Clone, Copy)]
pub(crate) struct FoundHost {
    pub(crate) host: Word,
    pub(crate) via: Word,
    pub(crate) entry: u32,
}

/// A search in progress.
struct HostSearch<'a, W: ?Sized> {
    program: &'a Program,
    scene: TestScene<'a>,
    heap: &'a mut Heap,
    building: &'a mut Vec<Word>,
    changes: Word,
    w: &'a mut W,
}

impl<W: RegisterWindow + ?Sized> HostSearch<'_, W> {
    /// Considers a host. Returns the address to enter if its code has to run.
    #[inline]
    fn consider(&mut self, jump: &HostJump, row: &Entity, host: Word, via: Word) -> Result<Option<u32>> {
        let tables = self.scene.tables;
        let all_tests = &tables.specialized.tests;
        let mut gate = *self.w.word(jump.gate);
        if gate == NULL {
            let tests = jump.gate_tests.of(all_tests);
            if tests.is_empty() {
                return Ok(Some(jump.entry));
            }
            let Some(is_open) = self.scene.all_hold(tests, row) else { return Ok(Some(jump.entry)) };
            gate = Word::from(is_open);
            *self.w.word(jump.gate) = gate;
        }
        if gate != 1 {
            return Ok(None);
        }
        match self.scene.all_hold(jump.tests.of(all_tests), row) {
            Some(false) => Ok(None),
            Some(true) => match jump.offer {
                Some(action) => {
                    if self.building.len() as u64 > u64::from(self.program.limits.heap) {
                        return Err(FaultCode::Memory);
                    }
                    let head = [Word::from(action.0), self.scene.actor, host, via, self.changes];
                    self.building.push(self.heap.new_list_in_two(head, &[])?);
                    Ok(None)
                }
                None => Ok(Some(jump.tested)),
            },
            None => Ok(Some(jump.open)),
        }
    }
}

/// Goes on with the search among the entities of a zone, whose jumps are `table`. Its registers from `iter` on hold the number
/// of the instance, the place in it, and the zone. Returns how many hosts it saw, and the one whose code has to run.
pub(crate) fn next_in_zone<W: RegisterWindow + ?Sized>(
    program: &Program,
    tables: &ProgramIndex,
    board: &mut Board,
    building: &mut Vec<Word>,
    table: u16,
    iter: Reg,
    w: &mut W,
) -> Result<(usize, Option<FoundHost>)> {
    let actor = *w.word(Reg::ACTOR);
    let (first, mut at) = (*w.word(iter) as usize, *w.word(iter.offset(1)) as usize);
    let zone = ZoneId(*w.word(iter.offset(2)) as u16);
    let seat = actor.wrapping_sub(1) as u8;
    // Mostly, entities are controlled by their owners.
    let are_owned = !board.sources.has_controllers();
    let Board { rows, cells, zones, phases, heap, changes, seats, sources, .. } = board;
    let (Some(actor_row), Some(match_row)) = (rows.get(word::row(actor) as usize), rows.first()) else {
        return Err(FaultCode::Missing);
    };
    let scene = TestScene { tables, cells, zones, phases, actor, actor_row, match_row };
    let jumps = tables.specialized.switches[usize::from(table)].as_slice();
    let mut search = HostSearch { program, scene, heap, building, changes: *changes, w };
    let (mut number, mut seen) = (first, 0);
    while let Some(instance) = state_reads::instance_of(tables, (rows, *seats), zone, actor, number) {
        let inside = zones.rows(instance);
        for (place, row) in inside.iter().enumerate().skip(at) {
            let Some(entity) = rows.get(*row as usize) else { continue };
            let controller = if are_owned { entity.owner } else { sources.controller_of(entity, cells) };
            if controller != seat {
                continue;
            }
            let Some(jump) = jumps.get(usize::from(entity.def)).filter(|jump| jump.entry != u32::MAX) else {
                continue;
            };
            seen += 1;
            let host = word::entity(entity.generation, *row);
            if let Some(entry) = search.consider(jump, entity, host, NULL)? {
                *search.w.word(iter) = number as Word;
                *search.w.word(iter.offset(1)) = place as Word + 1;
                return Ok((seen, Some(FoundHost { host, via: NULL, entry })));
            }
        }
        (number, at) = (number + 1, 0);
    }
    Ok((seen, None))
}

/// Goes on with the search among candidates that were collected before.
pub(crate) fn next_candidate<W: RegisterWindow + ?Sized>(
    program: &Program,
    tables: &ProgramIndex,
    board: &mut Board,
    building: &mut Vec<Word>,
    candidates: &[OfferCandidate],
    table: u16,
    w: &mut W,
) -> Result<(usize, Option<FoundHost>)> {
    let actor = *w.word(Reg::ACTOR);
    let Board { rows, cells, zones, phases, heap, changes, .. } = board;
    let (Some(actor_row), Some(match_row)) = (rows.get(word::row(actor) as usize), rows.first()) else {
        return Err(FaultCode::Missing);
    };
    let scene = TestScene { tables, cells, zones, phases, actor, actor_row, match_row };
    let jumps = tables.specialized.switches[usize::from(table)].as_slice();
    let mut search = HostSearch { program, scene, heap, building, changes: *changes, w };
    for (at, OfferCandidate { host, via, def }) in candidates.iter().copied().enumerate() {
        let Some(jump) = jumps.get(usize::from(def)) else { continue };
        let Some(row) = rows.get(word::row(host) as usize) else { continue };
        if let Some(entry) = search.consider(jump, row, host, via)? {
            return Ok((at + 1, Some(FoundHost { host, via, entry })));
        }
    }
    Ok((candidates.len(), None))
}

/// Makes the offer of an instruction with each item of a list, from a place on. Returns how many.
pub(crate) fn offer_items(
    program: &Program,
    board: &mut Board,
    building: &mut Vec<Word>,
    (list, first): (Word, Word),
    offer: Option<Instr>,
    [actor, host, via]: [Word; 3],
) -> Result<usize> {
    let Some(Instr::Offer { action, .. }) = offer else { return Err(FaultCode::Missing) };
    let head = [Word::from(action.0), actor, host, via, board.changes];
    let mut at = first;
    while let Some(item) = board.heap.item(list, at)? {
        if building.len() as u64 > u64::from(program.limits.heap) {
            return Err(FaultCode::Memory);
        }
        building.push(board.heap.new_list_in_two(head, &[item])?);
        at += 1;
    }
    Ok((at - first) as usize)
}
