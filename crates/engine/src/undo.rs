//! The way back: every change of the board leaves a note of how to undo it.
//!
//! Notes are kept while a savepoint is open and undone newest first. The heap
//! needs none: it only grows, so going back cuts it off.

use intermezzo_ruleset::Word;

use crate::board::{Board, Entity, NEW_ROW, PhaseEntry, bucket};
use crate::zones::NOWHERE;

/// How to undo one change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    /// A cell had another value.
    Cell { at: u32, old: Word },
    /// An entity was put into a zone.
    Inserted { zone: u32, at: u32 },
    /// An entity was taken out of a zone.
    Taken { zone: u32, at: u32, row: u32 },
    /// A zone got a new order; the old one is at the end of the notes' rows.
    Ordered { zone: u32, len: u32 },
    /// An entity was made, and new zones with it unless it took over freed ones. Its row stood at that place
    /// among the free ones (or was new) and had that generation.
    Made { row: u32, new_zones: bool, free_at: u32, old_generation: u32 },
    /// A new row was passed over and is free.
    Passed,
    /// An entity is gone; what it was is at the end of the notes' entities.
    Gone { row: u32 },
    /// An entity became a new object.
    Renewed { row: u32, old: u32 },
    /// A phase began.
    Entered,
    /// A phase ended; which is at the end of the notes' phases.
    Left,
    /// The match ended.
    Ended,
    /// A seat left.
    SeatLeft { seat: u8 },
}

/// The notes since the oldest open savepoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoNotes {
    notes: Vec<Undo>,
    rows: Vec<u32>,
    entities: Vec<Entity>,
    phases: Vec<PhaseEntry>,
    open: u32,
}

/// A state of the board to return to.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint {
    notes: usize,
    heap: usize,
    changes: i64,
    /// How many were open before it.
    open: u32,
}

impl UndoNotes {
    #[inline]
    pub(crate) fn note(&mut self, undo: Undo) {
        if self.open > 0 {
            self.notes.push(undo);
        }
    }

    /// Notes that an entity is gone.
    pub(crate) fn note_gone(&mut self, row: u32, old: Entity) {
        if self.open > 0 {
            self.entities.push(old);
            self.notes.push(Undo::Gone { row });
        }
    }

    /// Notes that a phase ended.
    pub(crate) fn note_left(&mut self, old: PhaseEntry) {
        if self.open > 0 {
            self.phases.push(old);
            self.notes.push(Undo::Left);
        }
    }

    /// Takes as much memory as other notes have, at once.
    pub(crate) fn reserve_as(&mut self, other: &UndoNotes) {
        self.notes.reserve(other.notes.capacity());
    }

    pub(crate) fn clear(&mut self) {
        self.forget();
        self.open = 0;
    }

    fn forget(&mut self) {
        self.notes.clear();
        self.rows.clear();
        self.entities.clear();
        self.phases.clear();
    }

    /// Keeps the order of a zone before it changes; gives where.
    pub(crate) fn keep_rows(&mut self, rows: &[u32]) -> usize {
        let start = self.rows.len();
        self.rows.extend_from_slice(rows);
        start
    }

    pub(crate) fn kept(&self, start: usize) -> &[u32] {
        &self.rows[start..]
    }

    pub(crate) fn drop_rows(&mut self, start: usize) {
        self.rows.truncate(start);
    }

    /// Notes that a zone had the order kept last.
    pub(crate) fn note_order(&mut self, zone: u32, start: usize) {
        if self.open > 0 {
            let len = (self.rows.len() - start) as u32;
            self.notes.push(Undo::Ordered { zone, len });
        } else {
            self.drop_rows(start);
        }
    }
}

impl Board {
    /// Opens a savepoint. Each is closed by [`Board::rollback`] or [`Board::commit`], innermost first; those inside
    /// it that a fault has left open are closed with it.
    pub fn mark(&mut self) -> Savepoint {
        let open = self.undo.open;
        self.undo.open += 1;
        Savepoint { notes: self.undo.notes.len(), heap: self.heap.len(), changes: self.changes, open }
    }

    /// Whether a savepoint is open.
    pub(crate) fn is_marked(&self) -> bool {
        self.undo.open > 0
    }

    /// Keeps what happened since the savepoint and closes it.
    pub fn commit(&mut self, savepoint: Savepoint) {
        self.undo.open = savepoint.open;
        if self.undo.open == 0 {
            self.undo.forget();
        }
    }

    /// Undoes what happened since the savepoint and closes it.
    pub fn rollback(&mut self, savepoint: Savepoint) {
        self.rollback_keeping_heap(savepoint);
        self.heap.truncate(savepoint.heap);
    }

    /// The same, but lists and records made since stay readable.
    pub(crate) fn rollback_keeping_heap(&mut self, savepoint: Savepoint) {
        self.undo.open = 0;
        while self.undo.notes.len() > savepoint.notes {
            if let Some(note) = self.undo.notes.pop() {
                self.undo_one(note);
            }
        }
        self.changes = savepoint.changes;
        self.undo.open = savepoint.open;
    }

    fn undo_one(&mut self, undo: Undo) {
        match undo {
            Undo::Cell { at, old } => self.cells[at as usize] = old,
            Undo::Inserted { zone, at } => {
                if let Some(row) = self.zones.rows(zone).get(at as usize).copied() {
                    self.zones.take(zone, at);
                    self.set_place(row, NOWHERE, 0);
                    self.renumber(zone, at);
                }
            }
            Undo::Taken { zone, at, row } => {
                self.zones.insert(zone, at, row);
                self.renumber(zone, at);
            }
            Undo::Ordered { zone, len } => {
                let start = self.undo.rows.len() - len as usize;
                self.zones.rows_mut(zone).copy_from_slice(&self.undo.rows[start..]);
                self.undo.rows.truncate(start);
                self.renumber(zone, 0);
            }
            Undo::Made { row, new_zones, free_at, old_generation } => {
                self.unmake(row, new_zones);
                if free_at == NEW_ROW {
                    self.rows.truncate(row as usize);
                } else {
                    self.rows[row as usize].generation = old_generation;
                    self.free_rows.insert(free_at as usize, row);
                }
            }
            Undo::Passed => {
                self.rows.pop();
                self.free_rows.pop();
            }
            Undo::Gone { row } => {
                if let Some(old) = self.undo.entities.pop() {
                    self.bring_back(row, old);
                }
            }
            Undo::Renewed { row, old } => self.rows[row as usize].generation = old,
            Undo::Entered => {
                self.phases.pop();
            }
            Undo::Left => self.phases.extend(self.undo.phases.pop()),
            Undo::Ended => self.end = None,
            Undo::SeatLeft { seat } => self.gone[usize::from(seat)] = false,
        }
    }

    /// Takes back the making of the entity made last.
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
        self.sources.take(row, &entity);
        self.rows[row as usize].alive = false;
    }

    /// Brings back the entity removed last.
    fn bring_back(&mut self, row: u32, old: Entity) {
        self.free_rows.pop();
        bucket(&mut self.free_cells, usize::from(old.columns)).pop();
        if old.zone_count > 0 {
            bucket(&mut self.free_blocks, old.kind.index()).pop();
        }
        for zone in old.zone_block() {
            self.zones.revive(zone, row);
        }
        self.live += 1;
        self.sources.add(row, &old);
        self.rows[row as usize] = Entity { zone: NOWHERE, index: 0, ..old };
    }
}
