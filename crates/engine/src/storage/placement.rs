//! Placement on the board: removing entities from zones, moving them into zones, reordering zones.

use intermezzo_program::{FaultCode, KindId, Program, Visibility, Word, word};

use crate::optimize::dependencies;
use crate::storage::board::Board;
use crate::storage::undo::UndoNote;
use crate::storage::zones::NOWHERE;

impl Board {
    pub(crate) fn remove_from_zone(&mut self, zone: u32, at: u32) {
        let row = self.zones.rows(zone)[at as usize];
        self.undo.note(UndoNote::TakenOut { zone, at, row });
        self.touch_zone(zone);
        self.zones.remove(zone, at);
        self.set_place(row, NOWHERE, 0);
        self.renumber(zone, at);
    }

    /// Moves an entity to index `at` of a zone. If not everyone sees the zone, the entity is no longer known to
    /// anyone.
    pub(crate) fn move_to_zone(
        &mut self,
        program: &Program,
        entity: Word,
        zone: Word,
        at: u32,
    ) -> Result<(), FaultCode> {
        let instance = self.instance(zone)?;
        let found = *self.live(entity)?;
        if found.zone != NOWHERE {
            self.remove_from_zone(found.zone, found.index);
        }
        let at = at.min(self.zones.rows(instance).len() as u32);
        self.undo.note(UndoNote::Inserted { zone: instance, at });
        self.touch_zone(instance);
        self.zones.insert(instance, at, word::row(entity));
        self.renumber(instance, at);
        if self.is_hidden(program, instance) {
            self.clear_known(word::row(entity));
        }
        Ok(())
    }

    /// Puts a new entity, which nobody knows yet, at the end of a zone.
    pub(crate) fn append_new(&mut self, row: u32, zone: u32) {
        let at = self.zones.rows(zone).len() as u32;
        self.undo.note(UndoNote::Inserted { zone, at });
        self.touch_zone(zone);
        self.zones.insert(zone, at, row);
        self.set_place(row, zone, at);
    }

    /// Reorders a zone: index i gets the entity that was at index `order[i]`.
    pub(crate) fn reorder(&mut self, zone: Word, order: Word) -> Result<(), FaultCode> {
        let instance = self.instance(zone)?;
        let order = self.heap.items(order)?;
        let old = self.undo.save_rows(self.zones.rows(instance));
        let rows = self.zones.rows_mut(instance);
        let mut is_sound = order.len() == rows.len();
        for (row, place) in rows.iter_mut().zip(order) {
            match usize::try_from(*place).ok().and_then(|place| self.undo.saved_rows(old).get(place)) {
                Some(kept) => *row = *kept,
                None => is_sound = false,
            }
        }
        self.renumber(instance, 0);
        // The order must be a permutation: every row then has the index it was given last.
        let rows = self.zones.rows(instance).iter().enumerate();
        is_sound &= rows.into_iter().all(|(place, row)| self.rows[*row as usize].index == place as u32);
        if !is_sound {
            self.zones.rows_mut(instance).copy_from_slice(self.undo.saved_rows(old));
            self.undo.drop_rows(old);
            self.renumber(instance, 0);
            return Err(FaultCode::OutOfRange);
        }
        self.undo.note_order(instance, old);
        self.touch_zone(instance);
        for place in 0..self.zones.rows(instance).len() {
            self.clear_known(self.zones.rows(instance)[place]);
        }
        Ok(())
    }

    fn is_hidden(&self, program: &Program, instance: u32) -> bool {
        self.zones
            .head(instance)
            .is_some_and(|head| !matches!(program.zones[head.family.index()].visible, Visibility::All))
    }

    /// Clears the list of players who know the entity in `row`.
    fn clear_known(&mut self, row: u32) {
        let entity = self.rows[row as usize];
        if entity.kind.0 > KindId::PLAYER.0 && entity.columns > 0 && self.cells[entity.base as usize] != 0 {
            let old = std::mem::take(&mut self.cells[entity.base as usize]);
            self.touch(dependencies::column_of_other(0));
            self.touch_cell(entity.zone, 0);
            self.undo.note(UndoNote::Cell { at: entity.base, old });
        }
    }

    /// Returns true if a zone has room for one more entity, not counting `entity` itself.
    pub(crate) fn has_room(&self, program: &Program, zone: u32, entity: Word) -> bool {
        let Some(head) = self.zones.head(zone) else {
            return false;
        };
        let Some(max) = program.zones[head.family.index()].max else {
            return true;
        };
        let inside = self.entity(entity).is_some_and(|entity| entity.zone == zone);
        self.zones.rows(zone).len() < max as usize + usize::from(inside)
    }

    #[inline]
    pub(crate) fn set_place(&mut self, row: u32, zone: u32, index: u32) {
        let entity = &mut self.rows[row as usize];
        entity.zone = zone;
        entity.index = index;
    }

    /// Updates the reverse index of a zone from index `from` on.
    pub(crate) fn renumber(&mut self, zone: u32, from: u32) {
        let rows = self.zones.rows(zone).get(from as usize..).unwrap_or_default();
        for (index, row) in (from..).zip(rows) {
            let entity = &mut self.rows[*row as usize];
            entity.zone = zone;
            entity.index = index;
        }
    }

    #[inline]
    fn touch_zone(&mut self, zone: u32) {
        self.touch(self.zones.head(zone).map_or(dependencies::ALL, |head| dependencies::zone(head.family)));
    }
}
