//! Creation of entities whose data is always the same at first: prepared once per def, then copied.

use intermezzo_program::{FaultCode, GuardLimits, KindId, NULL, Program, Word, ZoneId, word};

use crate::optimize::dependencies;
use crate::optimize::static_analysis::InitialCells;
use crate::storage::board::{Board, Entity, NEW_ROW, NO_DEF, NOBODY};
use crate::storage::undo::UndoNote;
use crate::storage::zones::NOWHERE;

/// A new entity of a def, as all of them begin: without traits, in no zone, and known to nobody.
#[derive(Debug)]
pub(crate) struct BlankEntity {
    entity: Entity,
    cells: Vec<Word>,
    is_item: bool,
}

/// Prepares a new entity of each def whose entities all begin with the same cells, by def.
pub(crate) fn blank_entities(program: &Program, cells: &[Option<InitialCells>]) -> Vec<Option<BlankEntity>> {
    let blank = |(number, cells): (usize, &Option<InitialCells>)| {
        let def = program.defs.get(number).filter(|def| def.traits.is_empty())?;
        let kind = program.kinds.get(def.kind.index())?;
        // The first cell is the list of players who know the entity.
        let cells =
            cells.as_ref()?.constant().filter(|cells| cells.first().is_none_or(|known| *known == 0))?;
        let entity = Entity {
            generation: 0,
            base: 0,
            zone: NOWHERE,
            index: 0,
            zones: 0,
            host: NULL,
            until: NO_DEF,
            kind: def.kind,
            def: number as u16,
            columns: kind.columns,
            zone_count: kind.zones.len() as u16,
            owner: NOBODY,
            alive: true,
        };
        let is_item = program.is_kind(def.kind, KindId::ITEM);
        Some(BlankEntity { entity, cells: cells.to_vec(), is_item })
    };
    cells.iter().enumerate().map(blank).collect()
}

impl BlankEntity {
    pub(crate) fn kind(&self) -> KindId {
        self.entity.kind
    }
}

impl Board {
    /// Checks that there may be one more entity. The number of entities does not bound memory if kinds have many
    /// columns, so the cells count too.
    #[inline]
    pub(crate) fn check_entity_limit(&self, limits: &GuardLimits) -> Result<(), FaultCode> {
        let is_crowded = self.cells.len() > limits.heap as usize;
        if self.live >= limits.entities || is_crowded { Err(FaultCode::Entities) } else { Ok(()) }
    }

    /// Creates an entity with its first cells, in no zone.
    pub(crate) fn make_blank(&mut self, program: &Program, blank: &BlankEntity, owner: u8) -> Word {
        let mut entity = Entity { owner, ..blank.entity };
        self.changed.board |= dependencies::EXISTENCE;
        if !blank.is_item {
            self.reset_columns = 0;
        }
        let (row, free_at, old_generation) = match self.free_rows.pop() {
            Some(row) => (row, self.free_rows.len() as u32, self.rows[row as usize].generation),
            None => (self.rows.len() as u32, NEW_ROW, 0),
        };
        entity.base = self.allocate_filled(&blank.cells);
        let new_zones;
        (entity.zones, new_zones) = self.allocate_zones(program, entity.kind, row);
        match self.rows.get_mut(row as usize) {
            Some(place) => {
                entity.generation = (old_generation + 1) & 0x7fff_ffff;
                *place = entity;
            }
            None => self.rows.push(entity),
        }
        self.live += 1;
        self.sources.add(row, &entity, None);
        self.undo.note(UndoNote::Created { row, new_zones, free_at, old_generation });
        word::entity(entity.generation, row)
    }

    /// Notes that entities that are no items come into a zone.
    pub(crate) fn begin_series(&mut self, family: ZoneId) {
        self.changed.board |= dependencies::EXISTENCE;
        self.reset_columns = 0;
        self.heap.forget_zone_lists();
        self.touch(dependencies::zone(family));
    }

    /// Returns true if [`Board::append_blank`] can create the entity: it has no zones, and nothing freed is to be used again.
    #[inline]
    pub(crate) fn fits_series(&self, blank: &BlankEntity) -> bool {
        let has_freed = self.free_cells.get(blank.cells.len()).is_some_and(|free| !free.is_empty());
        !blank.is_item && blank.entity.zone_count == 0 && self.free_rows.is_empty() && !has_freed
    }

    /// Creates an entity at the end of a zone of a family, as part of a series. Returns it and its index there.
    #[inline]
    pub(crate) fn append_blank(
        &mut self,
        blank: &BlankEntity,
        owner: u8,
        (zone, family): (u32, ZoneId),
    ) -> (Word, u32) {
        let (row, base) = (self.rows.len() as u32, self.cells.len() as u32);
        self.cells.extend_from_slice(&blank.cells);
        let index = self.zones.push(zone, row);
        let zones = self.zones.count() as u32;
        let entity = Entity { owner, base, zone, index, zones, ..blank.entity };
        self.rows.push(entity);
        self.live += 1;
        self.sources.add(row, &entity, Some(family));
        let created = UndoNote::Created { row, new_zones: true, free_at: NEW_ROW, old_generation: 0 };
        self.undo.note(created);
        self.undo.note(UndoNote::Inserted { zone, at: index });
        (word::entity(0, row), index)
    }

    /// Returns the first of new cells with these values.
    fn allocate_filled(&mut self, cells: &[Word]) -> u32 {
        if let Some(base) = self.free_cells.get_mut(cells.len()).and_then(Vec::pop) {
            self.cells[base as usize..][..cells.len()].copy_from_slice(cells);
            return base;
        }
        let base = self.cells.len();
        self.cells.extend_from_slice(cells);
        base as u32
    }
}
