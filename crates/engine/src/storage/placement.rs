//! Placement on the board: removing entities from zones, moving them into zones, reordering zones.

use intermezzo_program::{FaultCode, KindId, Program, Visibility, Word, word};

use crate::optimize::dependencies;
use crate::storage::board::{Board, Entity};
use crate::storage::undo::UndoNote;
use crate::storage::zones::NOWHERE;

impl Board {
    pub(crate) fn remove_from_zone(&mut self, zone: u32, at: u32) {
        let row = self.zones.rows(zone)[at as usize];
        self.undo.note(UndoNote::TakenOut { zone, at, row });
        self.touch_zone(zone);
        self.zones.remove(zone, at);
        self.set_place(row, NOWHERE, 0);
        self.follow_rules(row, zone, NOWHERE);
        self.renumber(zone, at);
    }

    /// Keeps the index of entities with rules up to date when an entity changes its zone.
    #[inline]
    pub(crate) fn follow_rules(&mut self, row: u32, from: u32, to: u32) {
        let family = |zone: u32| self.zones.head(zone).map(|head| head.family);
        self.sources.follow(row, self.rows[row as usize].def, family(from), family(to));
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
        let &Entity { zone: from, index, kind, def, .. } = self.live(entity)?;
        if !self.may_hold(program, instance, kind, def) {
            return Err(FaultCode::WrongKind);
        }
        self.transfer(word::row(entity), (from, index), (instance, at));
        if self.is_hidden(program, instance) {
            self.clear_known(word::row(entity));
        }
        Ok(())
    }

    /// Moves an entity from its place in a zone, if it is in one, to a place in a zone.
    #[inline]
    pub(crate) fn transfer(&mut self, row: u32, (from, index): (u32, u32), (zone, at): (u32, u32)) {
        if from != NOWHERE {
            self.undo.note(UndoNote::TakenOut { zone: from, at: index, row });
            self.touch_zone(from);
            self.zones.remove(from, index);
            self.renumber(from, index);
        }
        let len = self.zones.rows(zone).len() as u32;
        let at = at.min(len);
        self.undo.note(UndoNote::Inserted { zone, at });
        self.touch_zone(zone);
        self.zones.insert(zone, at, row);
        match at == len {
            true => self.set_place(row, zone, at),
            false => self.renumber(zone, at),
        }
        self.follow_rules(row, from, zone);
    }

    /// Puts a new entity, which nobody knows yet, at the end of a zone. Returns its index there.
    pub(crate) fn append_new(&mut self, row: u32, zone: u32) -> u32 {
        let at = self.zones.rows(zone).len() as u32;
        self.undo.note(UndoNote::Inserted { zone, at });
        self.touch_zone(zone);
        self.zones.insert(zone, at, row);
        self.set_place(row, zone, at);
        self.follow_rules(row, NOWHERE, zone);
        at
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
    pub(crate) fn clear_known(&mut self, row: u32) {
        let entity = &self.rows[row as usize];
        if entity.kind.0 > KindId::PLAYER.0 && entity.columns > 0 && self.cells[entity.base as usize] != 0 {
            let (base, zone) = (entity.base, entity.zone);
            let old = std::mem::take(&mut self.cells[base as usize]);
            self.touch(dependencies::column_of_other(0));
            self.touch_cell(zone, 0);
            self.undo.note(UndoNote::Cell { at: base, old });
        }
    }

    /// Returns true if a zone may hold an entity of a kind, made from the def of a number.
    pub(crate) fn may_hold(&self, program: &Program, zone: u32, kind: KindId, def: u16) -> bool {
        let Some(head) = self.zones.head(zone) else {
            return false;
        };
        match program.zones[head.family.index()].holds {
            Some(held) => program.is_kind(kind, held),
            // Only the stack holds items, and players, the match and traits are in no zone.
            None => {
                let is_trait = program.defs.get(usize::from(def)).is_some_and(|def| def.is_trait);
                let is_native = [KindId::MATCH, KindId::PLAYER, KindId::ITEM];
                !is_trait && !is_native.iter().any(|native| program.is_kind(kind, *native))
            }
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
        self.heap.forget_zone_lists();
        self.touch(self.zones.head(zone).map_or(dependencies::ALL, |head| dependencies::zone(head.family)));
    }
}
