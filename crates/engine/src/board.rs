//! The state that events change: entities, zones, phases, and how the match ended.
//!
//! A board is what folding the log gives; whatever else a match needs (frames,
//! questions, chance) lives beside it. Changes come only through the methods
//! here, so that each leaves its note in the [undo notes](crate::undo).

use intermezzo_ruleset::{
    DefId, FaultCode, KindId, NULL, PhaseId, Program, Seat, Symbol, Word, ZoneId, word,
};

use crate::copying::{copy_list, copy_lists};
use crate::heap::Heap;
use crate::reads::{self, Parts};
use crate::sources::Sources;
use crate::tables::Tables;
use crate::undo::{Undo, UndoNotes};
use crate::zones::{NOWHERE, ZoneTable};

/// The foldable state of a match.
#[derive(Debug)]
pub struct Board {
    pub(crate) rows: Vec<Entity>,
    pub(crate) free_rows: Vec<u32>,
    pub(crate) cells: Vec<Word>,
    /// Freed cell ranges by their length; short where there are none of the longer ones.
    pub(crate) free_cells: Vec<Vec<u32>>,
    pub(crate) zones: ZoneTable,
    /// Freed blocks of zone instances by kind; short where there are none of the later ones.
    pub(crate) free_blocks: Vec<Vec<u32>>,
    pub(crate) phases: Vec<PhaseEntry>,
    pub(crate) changes: i64,
    pub(crate) end: Option<End>,
    /// Seats that have left.
    pub(crate) gone: Vec<bool>,
    pub(crate) heap: Heap,
    pub(crate) undo: UndoNotes,
    /// Entities that have rules.
    pub(crate) sources: Sources,
    /// Something may be attached to something.
    pub(crate) attaches: bool,
    /// What may have changed since no state check had anything to do.
    pub(crate) touched: Parts,
    /// How many entities there are.
    pub(crate) live: u32,
    pub(crate) seats: u8,
}

/// What is known of an entity apart from its properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entity {
    pub(crate) generation: u32,
    pub(crate) base: u32,
    pub(crate) zone: u32,
    pub(crate) index: u32,
    /// Its first zone instance; the others follow.
    pub(crate) zones: u32,
    pub(crate) host: Word,
    /// Number of the duration it lasts, or [`NO_DEF`].
    pub(crate) until: u16,
    pub(crate) kind: KindId,
    /// Number of its def, or [`NO_DEF`].
    pub(crate) def: u16,
    pub(crate) columns: u16,
    pub(crate) zone_count: u16,
    /// Seat it belongs to, or [`NOBODY`].
    pub(crate) owner: u8,
    pub(crate) alive: bool,
}

pub(crate) const NO_DEF: u16 = u16::MAX;
pub(crate) const NOBODY: u8 = u8::MAX;
/// Stands for the place among the free rows of one that was not there before.
pub(crate) const NEW_ROW: u32 = u32::MAX;

/// A phase under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseEntry {
    /// Tells this passing of the phase from others.
    pub(crate) number: u32,
    pub(crate) phase: PhaseId,
    pub(crate) player: Word,
    pub(crate) subject: Word,
}

/// How the match ended; winners and losers are lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) outcome: Word,
    pub(crate) winners: Word,
    pub(crate) losers: Word,
    pub(crate) pot: Word,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The outcome.
    pub outcome: Symbol,
    /// Who won, as the rules listed them.
    pub winners: Vec<Seat>,
    /// Who lost.
    pub losers: Vec<Seat>,
    /// What becomes of the pot.
    pub pot: Symbol,
}

/// Rows that may be passed over for one that lies further on.
const MAX_GAP: usize = 1 << 16;

impl Entity {
    /// A row without an entity.
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
    /// A board without rows: zones that belong to nobody, and nothing else.
    pub(crate) fn bare(program: &Program, tables: &Tables, seats: u8) -> Board {
        let mut zones = ZoneTable::default();
        for (index, zone) in program.zones.iter().enumerate() {
            if zone.of.is_none() {
                zones.add(ZoneId(index as u16), NOWHERE);
            }
        }
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
            gone: vec![false; usize::from(seats)],
            heap: Heap::new(),
            undo: UndoNotes::default(),
            sources: Sources::new(&tables.sources),
            attaches: false,
            touched: reads::ALL,
            live: 0,
            seats,
        }
    }

    /// How many seats the match has.
    #[must_use]
    pub fn seats(&self) -> u8 {
        self.seats
    }

    /// Whether a seat has left.
    #[must_use]
    pub fn has_left(&self, seat: Seat) -> bool {
        self.gone.get(usize::from(seat.0)) == Some(&true)
    }

    /// How many events have changed something.
    #[must_use]
    pub fn changes(&self) -> i64 {
        self.changes
    }

    /// How the match ended, if it has.
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
        })
    }

    /// The value of the property in `column` of an entity; nothing if it is gone or has no such column.
    #[must_use]
    pub fn column(&self, entity: Word, column: u16) -> Option<Word> {
        let entity = self.entity(entity)?;
        (column < entity.columns).then(|| self.cells[entity.base as usize + usize::from(column)])
    }

    /// Whose an entity is; nothing if it is nobody's or gone.
    #[must_use]
    pub fn owner(&self, entity: Word) -> Option<Seat> {
        self.entity(entity).map(|entity| entity.owner).filter(|owner| *owner != NOBODY).map(Seat)
    }

    /// The zone instance with that name that belongs to an entity.
    #[must_use]
    pub fn zone_named(&self, program: &Program, entity: Word, name: &str) -> Option<Word> {
        let entity = self.entity(entity)?;
        let families = &program.kinds[entity.kind.index()].zones;
        let is_it = |zone: &ZoneId| program.symbol(program.zones[zone.index()].name) == name;
        let slot = families.iter().position(is_it)?;
        Some(Word::from(entity.zones) + slot as Word)
    }

    /// The entities in a zone instance, in order.
    pub fn zone_contents(&self, zone: Word) -> impl Iterator<Item = Word> + '_ {
        let rows = u32::try_from(zone).map_or(&[][..], |zone| self.zones.rows(zone));
        rows.iter().map(|row| self.reference(*row))
    }

    /// All there is: the match, the players, then whatever was made.
    pub fn entities(&self) -> impl Iterator<Item = Word> + '_ {
        let alive = self.rows.iter().enumerate().filter(|(_, entity)| entity.alive);
        alive.map(|(row, entity)| word::entity(entity.generation, row as u32))
    }

    /// The items of a list, such as a property's value.
    #[must_use]
    pub fn list(&self, list: Word) -> Option<&[Word]> {
        self.heap.list(list)
    }

    pub(crate) fn is_player(&self, player: Word) -> bool {
        (1..=Word::from(self.seats)).contains(&player)
    }

    /// The entity a word refers to, if it still exists.
    #[inline]
    pub(crate) fn entity(&self, entity: Word) -> Option<&Entity> {
        if entity < 0 {
            return None;
        }
        let found = self.rows.get(word::row(entity) as usize)?;
        (found.alive && found.generation == word::generation(entity)).then_some(found)
    }

    /// The entity a word refers to, which has to exist.
    #[inline]
    pub(crate) fn live(&self, entity: Word) -> Result<&Entity, FaultCode> {
        match self.entity(entity) {
            Some(found) => Ok(found),
            None if entity == NULL => Err(FaultCode::Missing),
            None => Err(FaultCode::Gone),
        }
    }

    /// The word that refers to the entity in `row`.
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

    /// Sets a cell of an entity that exists.
    #[inline]
    pub(crate) fn set_cell(&mut self, entity: Word, column: u16, value: Word) -> Result<(), FaultCode> {
        let found = self.live(entity)?;
        if column >= found.columns {
            return Err(FaultCode::NoSuchProperty);
        }
        let at = found.base + u32::from(column);
        let cell = &mut self.cells[at as usize];
        let old = std::mem::replace(cell, value);
        self.touched |= reads::column_at(word::row(entity), self.seats, column);
        self.undo.note(Undo::Cell { at, old });
        Ok(())
    }

    /// The instance number a zone word stands for.
    #[inline]
    pub(crate) fn instance(&self, zone: Word) -> Result<u32, FaultCode> {
        match u32::try_from(zone).ok().filter(|zone| self.zones.head(*zone).is_some()) {
            Some(zone) => Ok(zone),
            None if zone == NULL => Err(FaultCode::Missing),
            None => Err(FaultCode::Gone),
        }
    }

    /// The reference the next new entity gets. Rows in `promised` are left to others.
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

    /// Makes the row of a new entity its own: gives where it stood among the free ones, if it did, and its old generation.
    fn claim_row(&mut self, entity: Word) -> Result<(u32, u32), FaultCode> {
        let (row, generation) = (word::row(entity), word::generation(entity));
        if entity < 0 || row as usize > self.rows.len() + MAX_GAP {
            return Err(FaultCode::Gone);
        }
        while self.rows.len() < row as usize {
            self.free_rows.push(self.rows.len() as u32);
            self.rows.push(Entity::vacant(0, 0));
            self.undo.note(Undo::Passed);
        }
        let Some(old) = self.rows.get(row as usize).copied() else {
            return if generation == 0 { Ok((NEW_ROW, 0)) } else { Err(FaultCode::Gone) };
        };
        // A row that was passed over has never been used, so its first entity may still come.
        let fits = generation == (old.generation + 1) & 0x7fff_ffff || (generation, old.generation) == (0, 0);
        let at = self.free_rows.iter().rposition(|free| *free == row).filter(|_| fits && !old.alive);
        let at = at.ok_or(FaultCode::Gone)?;
        self.free_rows.remove(at);
        Ok((at as u32, old.generation))
    }

    /// Makes an entity with null properties, in no zone, that is referred to by `made`.
    pub(crate) fn make(
        &mut self,
        program: &Program,
        made: Word,
        kind: KindId,
        def: Option<DefId>,
        owner: u8,
    ) -> Result<(), FaultCode> {
        let columns = program.kinds[kind.index()].columns;
        let (free_at, old_generation) = self.claim_row(made)?;
        let (row, generation) = (word::row(made), word::generation(made));
        let base = self.take_cells(columns);
        let (zones, new_zones) = self.take_zones(program, kind, row);
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
        self.sources.add(row, &entity);
        self.undo.note(Undo::Made { row, new_zones, free_at, old_generation });
        Ok(())
    }

    /// Fills the cells of a new entity; taking back its making takes them back too.
    pub(crate) fn fill(&mut self, entity: Word, cells: &[Word]) {
        let Some(found) = self.entity(entity) else { return };
        let base = found.base as usize;
        if usize::from(found.columns) == cells.len() {
            self.cells[base..base + cells.len()].copy_from_slice(cells);
        }
    }

    fn take_cells(&mut self, columns: u16) -> u32 {
        if let Some(base) = self.free_cells.get_mut(usize::from(columns)).and_then(Vec::pop) {
            self.cells[base as usize..base as usize + usize::from(columns)].fill(NULL);
            return base;
        }
        let base = self.cells.len();
        self.cells.resize(base + usize::from(columns), NULL);
        base as u32
    }

    fn take_zones(&mut self, program: &Program, kind: KindId, row: u32) -> (u32, bool) {
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

    /// Removes an entity for good; what is in its zones is then nowhere.
    pub(crate) fn remove(&mut self, entity: Word) -> Result<(), FaultCode> {
        let old = *self.live(entity)?;
        let row = word::row(entity);
        if row <= u32::from(self.seats) {
            return Err(FaultCode::OutOfRange);
        }
        for zone in old.zone_block() {
            while let Some(last) = self.zones.rows(zone).len().checked_sub(1) {
                self.take_out(zone, last as u32);
            }
            self.zones.free(zone);
        }
        if old.zone != NOWHERE {
            self.take_out(old.zone, old.index);
        }
        for at in old.base..old.base + u32::from(old.columns) {
            self.undo.note(Undo::Cell { at, old: self.cells[at as usize] });
        }
        self.undo.note_gone(row, old);
        bucket(&mut self.free_cells, usize::from(old.columns)).push(old.base);
        if old.zone_count > 0 {
            bucket(&mut self.free_blocks, old.kind.index()).push(old.zones);
        }
        self.free_rows.push(row);
        self.rows[row as usize].alive = false;
        self.touched |= reads::EXISTENCE;
        self.live -= 1;
        self.sources.take(row, &old);
        self.remove_attached(entity)
    }

    /// What was attached to something goes with it.
    fn remove_attached(&mut self, entity: Word) -> Result<(), FaultCode> {
        if !self.attaches {
            return Ok(());
        }
        for attached in 0..self.rows.len() {
            let found = self.rows[attached];
            if found.alive && found.host == entity {
                self.remove(word::entity(found.generation, attached as u32))?;
            }
        }
        Ok(())
    }

    /// Makes an entity a new object: nothing refers to it any more, and nothing is attached to it. Gives the new reference.
    pub(crate) fn renew(&mut self, entity: Word) -> Result<Word, FaultCode> {
        self.live(entity)?;
        self.remove_attached(entity)?;
        let row = word::row(entity);
        let found = &mut self.rows[row as usize];
        let old = found.generation;
        found.generation = (old + 1) & 0x7fff_ffff;
        self.touched |= reads::EXISTENCE;
        self.undo.note(Undo::Renewed { row, old });
        Ok(self.reference(row))
    }

    /// Attaches a new entity to a host.
    pub(crate) fn attach(&mut self, entity: Word, host: Word, until: u16) {
        let owner = self.entity(host).map_or(NOBODY, |host| host.owner);
        self.attaches = true;
        self.touched |= reads::ATTACHMENT;
        let row = &mut self.rows[word::row(entity) as usize];
        row.host = host;
        row.until = until;
        if row.owner == NOBODY {
            row.owner = owner;
        }
    }

    /// Whether an entity of the def is attached to the host.
    pub(crate) fn has_attached(&self, host: Word, def: u16) -> bool {
        self.attaches && self.rows.iter().any(|row| row.alive && row.host == host && row.def == def)
    }

    pub(crate) fn enter(&mut self, entry: PhaseEntry) {
        self.touched |= reads::FLOW;
        self.phases.push(entry);
        self.undo.note(Undo::Entered);
    }

    pub(crate) fn leave(&mut self) {
        if let Some(old) = self.phases.pop() {
            self.touched |= reads::FLOW;
            self.undo.note_left(old);
        }
    }

    /// Counts an event that has happened; that nothing happens any more is no change.
    pub(crate) fn count_event(&mut self, event: intermezzo_ruleset::EventId) {
        if event != intermezzo_ruleset::native::SETTLED {
            self.count_change();
        }
    }

    pub(crate) fn count_change(&mut self) {
        self.changes += 1;
    }

    pub(crate) fn set_end(&mut self, end: End) {
        if self.end.is_none() {
            self.end = Some(end);
            self.undo.note(Undo::Ended);
        }
    }

    pub(crate) fn seat_left(&mut self, seat: Seat) {
        if let Some(gone @ false) = self.gone.get_mut(usize::from(seat.0)) {
            *gone = true;
            self.undo.note(Undo::SeatLeft { seat: seat.0 });
        }
    }

    /// The zone instance of a family that belongs to an entity.
    pub(crate) fn zone_of(&self, tables: &Tables, entity: Word, zone: ZoneId) -> Result<Word, FaultCode> {
        let found = self.live(entity)?;
        let slot = tables.slot(found.kind, zone).ok_or(FaultCode::NoSuchProperty)?;
        Ok(Word::from(found.zones + slot))
    }

    /// Gives back memory that is not needed while nothing happens. No savepoint may be open.
    pub(crate) fn compact(&mut self) {
        self.zones.compact();
        *self = self.clone();
    }

    /// Takes as much memory as another board has, at once.
    pub(crate) fn reserve_as(&mut self, other: &Board) {
        self.rows.reserve(other.rows.len().saturating_sub(self.rows.len()));
        self.cells.reserve(other.cells.len().saturating_sub(self.cells.len()));
        self.heap.reserve_as(&other.heap);
        self.undo.reserve_as(&other.undo);
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
        copy_list(&mut self.gone, &other.gone);
        self.heap.copy_from(&other.heap);
        self.undo.clear();
        self.sources.copy_from(&other.sources);
        self.attaches = other.attaches;
        self.touched = other.touched;
        self.live = other.live;
        self.seats = other.seats;
    }
}

/// The list with that number, which may not exist yet: most kinds never need one.
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
            gone: self.gone.clone(),
            heap: self.heap.clone(),
            undo: UndoNotes::default(),
            sources: self.sources.clone(),
            attaches: self.attaches,
            touched: self.touched,
            live: self.live,
            seats: self.seats,
        }
    }

    fn clone_from(&mut self, other: &Board) {
        self.copy_from(other);
    }
}
