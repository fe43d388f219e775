//! The undo log: every change of the board leaves a note of how to undo it.
//!
//! Notes are recorded while a savepoint is open and undone newest first. The heap needs none: it only grows, so a
//! rollback truncates it.

use intermezzo_program::Word;

use crate::optimize::memo::MemoParts;
use crate::storage::board::{Board, Entity, NEW_ROW, PhaseEntry, bucket};
use crate::storage::heap::HeapMark;
use crate::storage::zones::NOWHERE;

/// A note of how to undo one change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UndoNote {
    /// A cell had another value.
    Cell { at: u32, old: Word },
    /// An entity was inserted into a zone.
    Inserted { zone: u32, at: u32 },
    /// An entity was taken out of a zone.
    TakenOut { zone: u32, at: u32, row: u32 },
    /// A zone was reordered. Its old order is at the end of the log's rows.
    Reordered { zone: u32, len: u32 },
    /// An entity was created, with new zones unless it took over freed ones. `free_at` is the former position of its
    /// row among the free ones, or [`NEW_ROW`].
    Created { row: u32, new_zones: bool, free_at: u32, old_generation: u32 },
    /// A new row was skipped and is free.
    RowSkipped,
    /// An entity was removed. Its data is at the end of the log's entities.
    EntityRemoved { row: u32 },
    /// An entity became a new object.
    Renewed { row: u32, old: u32 },
    /// An entity had another def.
    Redefined { row: u32, old: u16 },
    /// An entity had another owner.
    Owned { row: u32, old: u8 },
    /// A phase began.
    PhaseEntered,
    /// A phase ended. Its entry is at the end of the log's phases.
    PhaseLeft,
    /// The match ended.
    MatchEnded,
    /// A seat left.
    SeatLeft { seat: u8 },
}

/// The notes since the oldest open savepoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoLog {
    notes: Vec<UndoNote>,
    rows: Vec<u32>,
    entities: Vec<Entity>,
    phases: Vec<PhaseEntry>,
    open: u32,
}

/// A state of the board to return to.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint {
    notes: usize,
    heap: HeapMark,
    changes: i64,
    /// Number of savepoints open before it.
    open: u32,
}

impl UndoLog {
    #[inline]
    pub(crate) fn note(&mut self, undo: UndoNote) {
        if self.open > 0 {
            self.notes.push(undo);
        }
    }

    /// Returns the notes since the oldest open savepoint.
    pub(crate) fn notes(&self) -> &[UndoNote] {
        &self.notes
    }

    /// Returns the entities removed since then, in the order of their notes.
    pub(crate) fn removed(&self) -> &[Entity] {
        &self.entities
    }

    pub(crate) fn note_removed(&mut self, row: u32, old: Entity) {
        if self.open > 0 {
            self.entities.push(old);
            self.notes.push(UndoNote::EntityRemoved { row });
        }
    }

    pub(crate) fn note_phase_left(&mut self, old: PhaseEntry) {
        if self.open > 0 {
            self.phases.push(old);
            self.notes.push(UndoNote::PhaseLeft);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.clear_notes();
        self.open = 0;
    }

    fn clear_notes(&mut self) {
        self.notes.clear();
        self.rows.clear();
        self.entities.clear();
        self.phases.clear();
    }

    /// Saves the order of a zone before it changes and returns its position.
    pub(crate) fn save_rows(&mut self, rows: &[u32]) -> usize {
        let start = self.rows.len();
        self.rows.extend_from_slice(rows);
        start
    }

    pub(crate) fn saved_rows(&self, start: usize) -> &[u32] {
        &self.rows[start..]
    }

    pub(crate) fn drop_rows(&mut self, start: usize) {
        self.rows.truncate(start);
    }

    /// Notes that a zone had the order saved last.
    pub(crate) fn note_order(&mut self, zone: u32, start: usize) {
        if self.open > 0 {
            let len = (self.rows.len() - start) as u32;
            self.notes.push(UndoNote::Reordered { zone, len });
        } else {
            self.drop_rows(start);
        }
    }
}

impl Board {
    /// Opens a savepoint. Each is closed by [`Board::rollback`] or [`Board::commit`], innermost first. Savepoints
    /// inside it that a fault left open are closed with it.
    pub fn mark(&mut self) -> Savepoint {
        let open = self.undo.open;
        if open == 0 {
            self.memo.forgotten = MemoParts::default();
        }
        self.undo.open += 1;
        Savepoint { notes: self.undo.notes.len(), heap: self.heap.mark(), changes: self.changes, open }
    }

    /// Returns true if a savepoint is open.
    pub(crate) fn has_savepoint(&self) -> bool {
        self.undo.open > 0
    }

    /// Closes the savepoint and keeps the changes since.
    pub fn commit(&mut self, savepoint: Savepoint) {
        self.undo.open = savepoint.open;
        if self.undo.open == 0 {
            self.undo.clear_notes();
        }
    }

    /// Closes the savepoint and undoes the changes since.
    pub fn rollback(&mut self, savepoint: Savepoint) {
        self.rollback_keeping_heap(savepoint);
        self.heap.rollback(savepoint.heap);
    }

    /// Rolls back the board, but lists and records built since stay readable.
    pub(crate) fn rollback_keeping_heap(&mut self, savepoint: Savepoint) {
        // Undoing must not add notes.
        self.undo.open = 0;
        self.changed.add(self.memo.forgotten);
        self.heap.forget_zone_lists();
        self.reset_columns = 0;
        while self.undo.notes.len() > savepoint.notes {
            if let Some(note) = self.undo.notes.pop() {
                self.undo_one(note);
            }
        }
        self.changes = savepoint.changes;
        self.undo.open = savepoint.open;
    }

    fn undo_one(&mut self, undo: UndoNote) {
        match undo {
            UndoNote::Cell { at, old } => self.cells[at as usize] = old,
            UndoNote::Inserted { zone, at } => {
                if let Some(row) = self.zones.rows(zone).get(at as usize).copied() {
                    self.zones.remove(zone, at);
                    self.set_place(row, NOWHERE, 0);
                    self.follow_rules(row, zone, NOWHERE);
                    self.renumber(zone, at);
                }
            }
            UndoNote::TakenOut { zone, at, row } => {
                self.zones.insert(zone, at, row);
                self.renumber(zone, at);
                self.follow_rules(row, NOWHERE, zone);
            }
            UndoNote::Reordered { zone, len } => {
                let start = self.undo.rows.len() - len as usize;
                self.zones.rows_mut(zone).copy_from_slice(&self.undo.rows[start..]);
                self.undo.rows.truncate(start);
                self.renumber(zone, 0);
            }
            UndoNote::Created { row, new_zones, free_at, old_generation } => {
                self.unmake(row, new_zones);
                if free_at == NEW_ROW {
                    self.rows.truncate(row as usize);
                } else {
                    self.rows[row as usize].generation = old_generation;
                    self.free_rows.insert(free_at as usize, row);
                }
            }
            UndoNote::RowSkipped => {
                self.rows.pop();
                self.free_rows.pop();
            }
            UndoNote::EntityRemoved { row } => {
                if let Some(old) = self.undo.entities.pop() {
                    self.restore_entity(row, old);
                }
            }
            UndoNote::Renewed { row, old } => self.rows[row as usize].generation = old,
            UndoNote::Redefined { row, old } => self.replace_def(row, old),
            UndoNote::Owned { row, old } => self.rows[row as usize].owner = old,
            UndoNote::PhaseEntered => {
                self.phases.pop();
            }
            UndoNote::PhaseLeft => self.phases.extend(self.undo.phases.pop()),
            UndoNote::MatchEnded => self.end = None,
            UndoNote::SeatLeft { seat } => self.left_seats[usize::from(seat)] = false,
        }
    }

    /// Undoes the creation of the entity created last.
    fn unmake(&mut self, row: u32, new_zones: bool) {
        let entity = self.rows[row as usize];
        let kind = entity.kind.index();
        for zone in entity.zone_block().rev() {
            if new_zones {
                self.zones.drop_last();
            } else {
                self.zones.free(zone);
            }
        }
        if entity.zone_count > 0 && !new_zones {
            bucket(&mut self.free_blocks, kind).push(entity.zones);
        }
        bucket(&mut self.free_cells, usize::from(entity.columns)).push(entity.base);
        self.live -= 1;
        self.sources.remove(row, &entity);
        self.rows[row as usize].alive = false;
    }

    /// Undoes the removal of the entity removed last.
    fn restore_entity(&mut self, row: u32, old: Entity) {
        self.free_rows.pop();
        bucket(&mut self.free_cells, usize::from(old.columns)).pop();
        if old.zone_count > 0 {
            bucket(&mut self.free_blocks, old.kind.index()).pop();
        }
        for zone in old.zone_block() {
            self.zones.revive(zone, row);
        }
        self.live += 1;
        self.sources.add(row, &old, None);
        self.rows[row as usize] = Entity { zone: NOWHERE, index: 0, ..old };
    }
}
