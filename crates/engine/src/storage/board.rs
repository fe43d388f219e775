//! The board: the state that events change. It holds entities, zones, phases, and how the match ended.
//!
//! Folding the log gives the board. Everything else a match needs (frames, questions, chance) lives beside it.
//! Only the methods here change a board, so that each change leaves its note in the [undo
//! log](crate::storage::undo).

use intermezzo_program::{
    DefId, FaultCode, KindId, NULL, PhaseId, Program, Seat, Symbol, Word, ZoneId, word,
};

use crate::optimize::dependencies::{self, BoardParts};
use crate::optimize::memo::{Memo, MemoParts};
use crate::optimize::program_index::ProgramIndex;
use crate::react::rule_sources::RuleSources;
use crate::run::frames::Interrupt;
use crate::storage::copy::{copy_list, copy_lists};
use crate::storage::heap::Heap;
use crate::storage::undo::{UndoLog, UndoNote};
use crate::storage::zones::{NOWHERE, ZoneTable};

/// The state of a match that events change.
#[derive(Debug)]
pub struct Board {
    pub(crate) rows: Vec<Entity>,
    pub(crate) free_rows: Vec<u32>,
    pub(crate) cells: Vec<Word>,
    /// Freed cell ranges by length. The outer vector grows on demand.
    pub(crate) free_cells: Vec<Vec<u32>>,
    pub(crate) zones: ZoneTable,
    /// Freed blocks of zone instances by kind. The outer vector grows on demand.
    pub(crate) free_blocks: Vec<Vec<u32>>,
    pub(crate) phases: Vec<PhaseEntry>,
    pub(crate) changes: i64,
    pub(crate) end: Option<RawEnding>,
    /// Per seat: true if it has left.
    pub(crate) left_seats: Vec<bool>,
    pub(crate) heap: Heap,
    pub(crate) undo: UndoLog,
    /// Index of the entities that have rules.
    pub(crate) sources: RuleSources,
    /// Parts of the state that may have changed since the state checks last had nothing to do.
    pub(crate) touched: BoardParts,
    /// Parts of the state that may have changed since results were last recalled.
    pub(crate) changed: MemoParts,
    pub(crate) memo: Memo,
    /// Columns, as bits, in which a reset had nothing to do and nothing has changed since.
    pub(crate) reset_columns: u64,
    /// Number of entities.
    pub(crate) live: u32,
    pub(crate) seats: u8,
    /// The host's wish to give up what is computed here outside of inputs.
    pub(crate) read_interrupt: Option<Interrupt>,
}

/// The data of an entity besides its properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entity {
    pub(crate) generation: u32,
    pub(crate) base: u32,
    pub(crate) zone: u32,
    pub(crate) index: u32,
    /// Its first zone instance; the others follow.
    pub(crate) zones: u32,
    pub(crate) host: Word,
    /// Index of its duration, or [`NO_DEF`].
    pub(crate) until: u16,
    pub(crate) kind: KindId,
    /// Index of its def, or [`NO_DEF`].
    pub(crate) def: u16,
    pub(crate) columns: u16,
    pub(crate) zone_count: u16,
    /// Seat that owns it, or [`NOBODY`].
    pub(crate) owner: u8,
    pub(crate) alive: bool,
}

pub(crate) const NO_DEF: u16 = u16::MAX;
pub(crate) const NOBODY: u8 = u8::MAX;
/// Position among the free rows of a row that did not exist before.
pub(crate) const NEW_ROW: u32 = u32::MAX;

/// A phase under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseEntry {
    /// Unique number of this occurrence of the phase.
    pub(crate) number: u32,
    pub(crate) phase: PhaseId,
    pub(crate) player: Word,
    pub(crate) subject: Word,
}

/// The ending in machine words; winners and losers are lists, the score is a map or null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RawEnding {
    pub(crate) outcome: Word,
    pub(crate) winners: Word,
    pub(crate) losers: Word,
    pub(crate) pot: Word,
    pub(crate) score: Word,
}

/// The ending of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    pub outcome: Symbol,
    /// The winners, in the order the rules list them.
    pub winners: Vec<Seat>,
    pub losers: Vec<Seat>,
    /// Rule for distributing the pot.
    pub pot: Symbol,
    /// Score of each seat, if the rules gave one.
    pub score: Option<Vec<i64>>,
}

/// Returns the seat of the player in a cell, or else that of the owner.
pub(crate) fn controller_in(cell: Word, owner: u8) -> u8 {
    if cell == NULL { owner } else { word::seat(cell).0 }
}

/// Limit on the rows skipped to reach a row further on, as groups that reserve rows do.
const MAX_GAP: usize = 1 << 16;

impl Entity {
    /// Creates a row without an entity.
    pub(crate) fn vacant(generation: u32, base: u32) -> Entity {
        Entity {
            generation,
            base,
            zone: NOWHERE,
            index: 0,
            zones: 0,
            host: NULL,
            until: NO_DEF,
            kind: KindId::MATCH,
            def: NO_DEF,
            columns: 0,
            zone_count: 0,
            owner: NOBODY,
            alive: false,
        }
    }

    pub(crate) fn zone_block(&self) -> std::ops::Range<u32> {
        self.zones..self.zones + u32::from(self.zone_count)
    }
}

impl Board {
    /// Creates a board with the shared zones and nothing else.
    pub(crate) fn bare(program: &Program, tables: &ProgramIndex, seats: u8) -> Board {
        let mut zones = ZoneTable::default();
        add_shared_zones(program, &mut zones);
        Board {
            rows: Vec::new(),
            free_rows: Vec::new(),
            cells: Vec::new(),
            free_cells: Vec::new(),
            zones,
            free_blocks: Vec::new(),
            phases: Vec::new(),
            changes: 0,
            end: None,
            left_seats: vec![false; usize::from(seats)],
            heap: Heap::new(),
            undo: UndoLog::default(),
            sources: RuleSources::new(&tables.sources),
            touched: dependencies::ALL,
            changed: MemoParts::ALL,
            memo: Memo::default(),
            reset_columns: 0,
            live: 0,
            seats,
            read_interrupt: None,
        }
    }

    /// Makes the board like a new one, with the memory it has.
    pub(crate) fn reset(&mut self, program: &Program, tables: &ProgramIndex, seats: u8) {
        self.rows.clear();
        self.free_rows.clear();
        self.cells.clear();
        self.free_cells.iter_mut().for_each(Vec::clear);
        self.zones.clear();
        add_shared_zones(program, &mut self.zones);
        self.free_blocks.iter_mut().for_each(Vec::clear);
        self.phases.clear();
        (self.changes, self.end) = (0, None);
        self.left_seats.clear();
        self.left_seats.resize(usize::from(seats), false);
        self.heap.truncate(0);
        self.undo.clear();
        self.sources.reset(&tables.sources);
        (self.touched, self.changed) = (dependencies::ALL, MemoParts::ALL);
        (self.live, self.seats, self.reset_columns) = (0, seats, 0);
    }

    #[must_use]
    pub fn seats(&self) -> u8 {
        self.seats
    }

    /// Returns the size of the state in words, about.
    #[must_use]
    pub fn words(&self) -> usize {
        const ROW_WORDS: usize = size_of::<Entity>() / size_of::<Word>();
        self.rows.len() * ROW_WORDS + self.cells.len() + self.heap.len()
    }

    /// Returns true if a seat has left.
    #[must_use]
    pub fn has_left(&self, seat: Seat) -> bool {
        self.left_seats.get(usize::from(seat.0)) == Some(&true)
    }

    /// Returns the number of events that changed something.
    #[must_use]
    pub fn changes(&self) -> i64 {
        self.changes
    }

    /// Returns how the match ended, or `None` while it is running.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        let end = self.end?;
        let seats = |list| {
            let players = self.heap.list(list).unwrap_or(&[]);
            players.iter().filter(|player| self.is_player(**player)).map(|p| word::seat(*p)).collect()
        };
        Some(Ending {
            outcome: Symbol(end.outcome as u32),
            winners: seats(end.winners),
            losers: seats(end.losers),
            pot: Symbol(end.pot as u32),
            score: (end.score != NULL).then(|| self.scores(end.score)),
        })
    }

    /// Returns the scores in a map, by seat. A player without an entry has 0.
    fn scores(&self, map: Word) -> Vec<i64> {
        let score = |seat: u8| self.heap.field(map, usize::from(seat)).ok().filter(|score| *score != NULL);
        (0..self.seats).map(|seat| score(seat).unwrap_or(0)).collect()
    }

    /// Returns the value in `column` of an entity, or `None` if the entity is gone or has no such column.
    #[must_use]
    pub fn column(&self, entity: Word, column: u16) -> Option<Word> {
        let entity = self.entity(entity)?;
        (column < entity.columns).then(|| self.cells[entity.base as usize + usize::from(column)])
    }

    /// Returns the owner of an entity, or `None` if it has none or is gone.
    #[must_use]
    pub fn owner(&self, entity: Word) -> Option<Seat> {
        self.entity(entity).map(|entity| entity.owner).filter(|owner| *owner != NOBODY).map(Seat)
    }

    /// Returns the seat that controls an entity: the player in its property `controller`, or else its owner.
    #[inline]
    pub(crate) fn controller_of(&self, entity: &Entity) -> u8 {
        self.sources.controller_of(entity, &self.cells)
    }

    /// Returns the zone instance of that name that belongs to an entity.
    #[must_use]
    pub fn zone_named(&self, program: &Program, entity: Word, name: &str) -> Option<Word> {
        let entity = self.entity(entity)?;
        let families = &program.kinds[entity.kind.index()].zones;
        let is_it = |zone: &ZoneId| program.symbol(program.zones[zone.index()].name) == name;
        let slot = families.iter().position(is_it)?;
        Some(Word::from(entity.zones) + slot as Word)
    }

    /// Returns the entities in a zone instance, in order.
    pub fn zone_contents(&self, zone: Word) -> impl Iterator<Item = Word> + '_ {
        let rows = u32::try_from(zone).map_or(&[][..], |zone| self.zones.rows(zone));
        rows.iter().map(|row| self.reference(*row))
    }

    /// Returns all entities: the match, the players, then everything created.
    pub fn entities(&self) -> impl Iterator<Item = Word> + '_ {
        let alive = self.rows.iter().enumerate().filter(|(_, entity)| entity.alive);
        alive.map(|(row, entity)| word::entity(entity.generation, row as u32))
    }

    /// Returns the items of a list, such as a property's value.
    #[must_use]
    pub fn list(&self, list: Word) -> Option<&[Word]> {
        self.heap.list(list)
    }

    pub(crate) fn is_player(&self, player: Word) -> bool {
        (1..=Word::from(self.seats)).contains(&player)
    }

    /// Returns the entity a word refers to, if it still exists.
    #[inline]
    pub(crate) fn entity(&self, entity: Word) -> Option<&Entity> {
        if entity < 0 {
            return None;
        }
        let found = self.rows.get(word::row(entity) as usize)?;
        (found.alive && found.generation == word::generation(entity)).then_some(found)
    }

    /// Returns the entity a word refers to, or a fault if it does not exist.
    #[inline]
    pub(crate) fn live(&self, entity: Word) -> Result<&Entity, FaultCode> {
        match self.entity(entity) {
            Some(found) => Ok(found),
            None if entity == NULL => Err(FaultCode::Missing),
            None => Err(FaultCode::Gone),
        }
    }

    /// Returns the reference to the entity in `row`.
    #[inline]
    pub(crate) fn reference(&self, row: u32) -> Word {
        word::entity(self.rows[row as usize].generation, row)
    }

    #[inline]
    pub(crate) fn cell(&self, entity: &Entity, column: u16) -> Result<Word, FaultCode> {
        if column >= entity.columns {
            return Err(FaultCode::NoSuchProperty);
        }
        Ok(self.cells[entity.base as usize + usize::from(column)])
    }

    /// Sets a cell of an existing entity.
    #[inline]
    pub(crate) fn set_cell(&mut self, entity: Word, column: u16, value: Word) -> Result<(), FaultCode> {
        let place = self.cell_place(entity, column)?;
        self.set_cell_at(entity, column, place, value);
        Ok(())
    }

    /// Returns the place of a cell, and the zone of its entity.
    #[inline]
    pub(crate) fn cell_place(&self, entity: Word, column: u16) -> Result<(u32, u32), FaultCode> {
        let found = self.live(entity)?;
        if column >= found.columns {
            return Err(FaultCode::NoSuchProperty);
        }
        Ok((found.base + u32::from(column), found.zone))
    }

    /// Sets the cell at a place that [`Board::cell_place`] returned.
    #[inline]
    pub(crate) fn set_cell_at(&mut self, entity: Word, column: u16, (at, zone): (u32, u32), value: Word) {
        let cell = &mut self.cells[at as usize];
        let old = std::mem::replace(cell, value);
        self.touch(dependencies::column_at(word::row(entity), self.seats, column));
        self.touch_cell(zone, column);
        self.reset_columns &= !(1 << (column & 63));
        self.undo.note(UndoNote::Cell { at, old });
        if self.sources.decides_rules(column) {
            self.follow_owner(entity, column, value);
            // Which rules and actions apply, and for whom, depends on it.
            self.touch(dependencies::ALL);
            self.changed = MemoParts::ALL;
        }
    }

    /// Changes the owner of an entity and of what is attached to it, if that is what the column is for.
    fn follow_owner(&mut self, entity: Word, column: u16, value: Word) {
        let is_owner = |found: &Entity| self.sources.is_owner_column(found.kind, column);
        if !self.is_player(value) || !self.entity(entity).is_some_and(is_owner) {
            return;
        }
        let rows: Vec<u32> = self.attached_to(entity).chain([word::row(entity)]).collect();
        for row in rows {
            let owner = word::seat(value).0;
            let old = std::mem::replace(&mut self.rows[row as usize].owner, owner);
            self.undo.note(UndoNote::Owned { row, old });
        }
    }

    /// Notes that parts of the state change.
    #[inline]
    pub(crate) fn touch(&mut self, parts: BoardParts) {
        self.touched |= parts;
        self.changed.board |= parts;
    }

    /// Notes that a cell of an entity in this zone changes.
    #[inline]
    pub(crate) fn touch_cell(&mut self, zone: u32, column: u16) {
        if let Some(head) = self.zones.head(zone) {
            self.changed.cells |= MemoParts::cells_in(head.family, column);
        }
    }

    /// Returns the number of the zone instance a word refers to.
    #[inline]
    pub(crate) fn instance(&self, zone: Word) -> Result<u32, FaultCode> {
        match u32::try_from(zone).ok().filter(|zone| self.zones.head(*zone).is_some()) {
            Some(zone) => Ok(zone),
            None if zone == NULL => Err(FaultCode::Missing),
            None => Err(FaultCode::Gone),
        }
    }

    /// Returns the reference of the next new entity. Skips rows in `promised`, which are reserved.
    pub(crate) fn next_reference(&self, promised: &[u32]) -> Word {
        if let Some(row) = self.free_rows.iter().rev().find(|row| !promised.contains(row)) {
            return word::entity((self.rows[*row as usize].generation + 1) & 0x7fff_ffff, *row);
        }
        let mut row = self.rows.len() as u32;
        while promised.contains(&row) {
            row += 1;
        }
        word::entity(0, row)
    }

    /// Claims the row of a new entity. Returns its former position among the free rows, or [`NEW_ROW`], and its old
    /// generation.
    fn claim_row(&mut self, entity: Word) -> Result<(u32, u32), FaultCode> {
        let (row, generation) = (word::row(entity), word::generation(entity));
        if entity < 0 || row as usize > self.rows.len() + MAX_GAP {
            return Err(FaultCode::Gone);
        }
        while self.rows.len() < row as usize {
            self.free_rows.push(self.rows.len() as u32);
            self.rows.push(Entity::vacant(0, 0));
            self.undo.note(UndoNote::RowSkipped);
        }
        let Some(old) = self.rows.get(row as usize).copied() else {
            return if generation == 0 { Ok((NEW_ROW, 0)) } else { Err(FaultCode::Gone) };
        };
        // A row that was skipped has never been used, so generation 0 is still possible.
        let fits = generation == (old.generation + 1) & 0x7fff_ffff || (generation, old.generation) == (0, 0);
        let at = self.free_rows.iter().rposition(|free| *free == row).filter(|_| fits && !old.alive);
        let at = at.ok_or(FaultCode::Gone)?;
        self.free_rows.remove(at);
        Ok((at as u32, old.generation))
    }

    /// Creates the entity `made` with null properties, in no zone.
    pub(crate) fn make(
        &mut self,
        program: &Program,
        made: Word,
        kind: KindId,
        def: Option<DefId>,
        owner: u8,
    ) -> Result<(), FaultCode> {
        let columns = program.kinds[kind.index()].columns;
        self.changed.board |= dependencies::EXISTENCE;
        if !program.is_kind(kind, KindId::ITEM) {
            self.reset_columns = 0;
        }
        let (free_at, old_generation) = self.claim_row(made)?;
        let (row, generation) = (word::row(made), word::generation(made));
        let base = self.allocate_cells(columns);
        let (zones, new_zones) = self.allocate_zones(program, kind, row);
        let entity = Entity {
            generation,
            base,
            zone: NOWHERE,
            index: 0,
            zones,
            host: NULL,
            until: NO_DEF,
            kind,
            def: def.map_or(NO_DEF, |def| def.0),
            columns,
            zone_count: program.kinds[kind.index()].zones.len() as u16,
            owner,
            alive: true,
        };
        match self.rows.get_mut(row as usize) {
            Some(place) => *place = entity,
            None => self.rows.push(entity),
        }
        self.live += 1;
        self.sources.add(row, &entity, None);
        self.undo.note(UndoNote::Created { row, new_zones, free_at, old_generation });
        Ok(())
    }

    /// Fills the cells of a new entity. Needs no undo note: undoing the creation frees the cells.
    pub(crate) fn fill(&mut self, entity: Word, cells: &[Word]) {
        let Some(found) = self.entity(entity) else { return };
        let base = found.base as usize;
        if usize::from(found.columns) == cells.len() {
            self.cells[base..base + cells.len()].copy_from_slice(cells);
        }
    }

    /// Sets a cell of a new entity. Nobody has read it yet, and undoing the creation frees it.
    #[inline]
    pub(crate) fn init_cell(&mut self, entity: Word, column: u16, value: Word) -> Result<(), FaultCode> {
        let found = self.live(entity)?;
        if column >= found.columns {
            return Err(FaultCode::NoSuchProperty);
        }
        let at = found.base as usize + usize::from(column);
        self.cells[at] = value;
        Ok(())
    }

    fn allocate_cells(&mut self, columns: u16) -> u32 {
        if let Some(base) = self.free_cells.get_mut(usize::from(columns)).and_then(Vec::pop) {
            self.cells[base as usize..base as usize + usize::from(columns)].fill(NULL);
            return base;
        }
        let base = self.cells.len();
        self.cells.resize(base + usize::from(columns), NULL);
        base as u32
    }

    pub(crate) fn allocate_zones(&mut self, program: &Program, kind: KindId, row: u32) -> (u32, bool) {
        let families = &program.kinds[kind.index()].zones;
        if let Some(first) = self.free_blocks.get_mut(kind.index()).and_then(Vec::pop) {
            for zone in first..first + families.len() as u32 {
                self.zones.revive(zone, row);
            }
            return (first, false);
        }
        let first = self.zones.count() as u32;
        for family in families {
            self.zones.add(*family, row);
        }
        (first, true)
    }

    /// Removes an entity. The contents of its zones are then in no zone.
    pub(crate) fn remove(&mut self, entity: Word) -> Result<(), FaultCode> {
        let old = *self.live(entity)?;
        let row = word::row(entity);
        if row <= u32::from(self.seats) {
            return Err(FaultCode::OutOfRange);
        }
        for zone in old.zone_block() {
            while let Some(last) = self.zones.rows(zone).len().checked_sub(1) {
                self.remove_from_zone(zone, last as u32);
            }
            self.zones.free(zone);
        }
        if old.zone != NOWHERE {
            self.remove_from_zone(old.zone, old.index);
        }
        for at in old.base..old.base + u32::from(old.columns) {
            self.undo.note(UndoNote::Cell { at, old: self.cells[at as usize] });
        }
        self.end_copy(entity, &old)?;
        self.undo.note_removed(row, old);
        bucket(&mut self.free_cells, usize::from(old.columns)).push(old.base);
        if old.zone_count > 0 {
            bucket(&mut self.free_blocks, old.kind.index()).push(old.zones);
        }
        self.free_rows.push(row);
        self.rows[row as usize].alive = false;
        let detached = if old.host == NULL { 0 } else { dependencies::ATTACHMENT };
        self.touch(dependencies::EXISTENCE | detached);
        self.live -= 1;
        self.sources.remove(row, &old);
        self.remove_attached(entity)
    }

    /// Removes everything attached to an entity.
    fn remove_attached(&mut self, entity: Word) -> Result<(), FaultCode> {
        loop {
            let Some(row) = self.attached_to(entity).next() else { return Ok(()) };
            self.remove(self.reference(row))?;
        }
    }

    /// Turns an entity into a new object and returns its new reference. Old references no longer find it, and
    /// attached entities are removed.
    pub(crate) fn renew(&mut self, entity: Word) -> Result<Word, FaultCode> {
        self.live(entity)?;
        self.remove_attached(entity)?;
        let row = word::row(entity);
        let found = &mut self.rows[row as usize];
        let old = found.generation;
        found.generation = (old + 1) & 0x7fff_ffff;
        self.touch(dependencies::EXISTENCE);
        self.heap.forget_zone_lists();
        self.undo.note(UndoNote::Renewed { row, old });
        Ok(self.reference(row))
    }

    /// Attaches a new entity to a host.
    pub(crate) fn attach(&mut self, entity: Word, host: Word, until: u16) {
        let owner = self.entity(host).map_or(NOBODY, |host| host.owner);
        self.touch(dependencies::ATTACHMENT);
        self.sources.attach(word::row(entity), until);
        let row = &mut self.rows[word::row(entity) as usize];
        row.host = host;
        row.until = until;
        if row.owner == NOBODY {
            row.owner = owner;
        }
    }

    /// Returns true if an entity of the def is attached to the host.
    pub(crate) fn has_attached(&self, host: Word, def: u16) -> bool {
        let is_it = |entity: &Entity| entity.def == def && !self.is_silenced(entity);
        self.attached_to(host).any(|row| is_it(&self.rows[row as usize]))
    }

    /// Returns the rows of the entities attached to a host, ascending.
    pub(crate) fn attached_to(&self, host: Word) -> impl Iterator<Item = u32> + '_ {
        let attached = self.sources.attached().iter().copied();
        attached.filter(move |row| self.rows[*row as usize].host == host)
    }

    pub(crate) fn enter_phase(&mut self, entry: PhaseEntry) {
        self.touch(dependencies::FLOW);
        self.phases.push(entry);
        self.undo.note(UndoNote::PhaseEntered);
    }

    pub(crate) fn leave_phase(&mut self) {
        if let Some(old) = self.phases.pop() {
            self.touch(dependencies::FLOW);
            self.undo.note_phase_left(old);
        }
    }

    /// Counts an event as a change. `Settled` is not a change.
    pub(crate) fn count_event(&mut self, event: intermezzo_program::EventId) {
        if event != intermezzo_program::native::SETTLED {
            self.count_change();
        }
    }

    pub(crate) fn count_change(&mut self) {
        self.changes += 1;
    }

    pub(crate) fn set_end(&mut self, end: RawEnding) {
        if self.end.is_none() {
            self.end = Some(end);
            self.undo.note(UndoNote::MatchEnded);
        }
    }

    pub(crate) fn seat_left(&mut self, seat: Seat) {
        if let Some(gone @ false) = self.left_seats.get_mut(usize::from(seat.0)) {
            *gone = true;
            self.undo.note(UndoNote::SeatLeft { seat: seat.0 });
        }
    }

    /// Returns the zone instance of a family that belongs to an entity.
    pub(crate) fn zone_of(
        &self,
        tables: &ProgramIndex,
        entity: Word,
        zone: ZoneId,
    ) -> Result<Word, FaultCode> {
        let found = self.live(entity)?;
        let slot = tables.slot(found.kind, zone).ok_or(FaultCode::NoSuchProperty)?;
        Ok(Word::from(found.zones + slot))
    }

    /// Clones the board and shares the results it remembers, for a computation.
    pub(crate) fn clone_with_memo(&self) -> Board {
        Board { changed: self.changed, memo: self.memo.clone(), ..self.clone() }
    }

    /// Frees memory that is not needed while nothing happens. No savepoint may be open.
    pub(crate) fn compact(&mut self) {
        self.zones.compact();
        *self = self.clone();
    }

    pub(crate) fn copy_from(&mut self, other: &Board) {
        copy_list(&mut self.rows, &other.rows);
        copy_list(&mut self.free_rows, &other.free_rows);
        copy_list(&mut self.cells, &other.cells);
        copy_lists(&mut self.free_cells, &other.free_cells);
        self.zones.copy_from(&other.zones);
        copy_lists(&mut self.free_blocks, &other.free_blocks);
        copy_list(&mut self.phases, &other.phases);
        self.changes = other.changes;
        self.end = other.end;
        copy_list(&mut self.left_seats, &other.left_seats);
        self.heap.copy_from(&other.heap);
        self.undo.clear();
        self.sources.copy_from(&other.sources);
        (self.touched, self.changed) = (other.touched, MemoParts::ALL);
        (self.live, self.reset_columns) = (other.live, 0);
        self.seats = other.seats;
    }
}

fn add_shared_zones(program: &Program, zones: &mut ZoneTable) {
    for (index, zone) in program.zones.iter().enumerate() {
        if zone.of.is_none() {
            zones.add(ZoneId(index as u16), NOWHERE);
        }
    }
}

/// Returns the list with that number, creating it on demand. Most kinds never need one.
pub(crate) fn bucket(lists: &mut Vec<Vec<u32>>, number: usize) -> &mut Vec<u32> {
    if lists.len() <= number {
        lists.resize(number + 1, Vec::new());
    }
    &mut lists[number]
}

impl Clone for Board {
    fn clone(&self) -> Board {
        Board {
            rows: self.rows.clone(),
            free_rows: self.free_rows.clone(),
            cells: self.cells.clone(),
            free_cells: self.free_cells.clone(),
            zones: self.zones.clone(),
            free_blocks: self.free_blocks.clone(),
            phases: self.phases.clone(),
            changes: self.changes,
            end: self.end,
            left_seats: self.left_seats.clone(),
            heap: self.heap.clone(),
            undo: UndoLog::default(),
            sources: self.sources.clone(),
            touched: self.touched,
            changed: MemoParts::ALL,
            memo: Memo::default(),
            reset_columns: 0,
            live: self.live,
            seats: self.seats,
            read_interrupt: self.read_interrupt,
        }
    }

    fn clone_from(&mut self, other: &Board) {
        self.copy_from(other);
    }
}
