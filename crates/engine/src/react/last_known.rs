//! Last known information: entities as they were just before a batch, for reactions that look back on them.
//!
//! Before a batch happens, entities that are going to move or be removed are saved with all their properties.
//! Code that looks back reads these first, so it neither sees their new state nor misses what is gone.

use intermezzo_program::{EventId, FaultCode, NULL, PropId, Reaction, Seat, Word, native, word};

use crate::react::modifiers::RuleContext;
use crate::run::effects::{Machine, Result};
use crate::run::evaluator::Evaluator;
use crate::run::frames::{EventFrame, FrameStack};
use crate::storage::board::{Entity, NOBODY, controller_in};
use crate::values::arithmetic::holds;

/// An entity as it was just before a batch.
#[derive(Clone, Debug)]
pub(crate) struct LastKnown {
    pub(crate) batch: u32,
    /// Its reference at that time.
    pub(crate) entity: Word,
    /// Its current reference.
    pub(crate) now: Word,
    /// False if the batch itself created it.
    pub(crate) existed: bool,
    pub(crate) row: Entity,
    pub(crate) cells: Vec<Word>,
    /// Values of properties that had modifiers.
    pub(crate) modified: Vec<(PropId, Word)>,
    /// Defs of the traits attached to it.
    pub(crate) traits: Vec<u16>,
}

impl LastKnown {
    pub(crate) fn cell(&self, column: u16) -> Result<Word> {
        self.cells.get(usize::from(column)).copied().ok_or(FaultCode::NoSuchProperty)
    }

    /// Returns the value of a property with its modifiers at that time.
    pub(crate) fn property(&self, prop: PropId, column: u16) -> Result<Word> {
        match self.modified.iter().find(|(modified, _)| *modified == prop) {
            Some((_, value)) => Ok(*value),
            None => self.cell(column),
        }
    }

    /// Returns the seat that controlled it.
    pub(crate) fn controller(&self, column: Option<u16>) -> u8 {
        let cell = column.and_then(|column| self.cells.get(usize::from(column)));
        controller_in(cell.copied().unwrap_or(NULL), self.row.owner)
    }

    fn is_of(&self, batch: u32, entity: Word) -> bool {
        self.batch == batch && (self.entity == entity || self.now == entity)
    }
}

/// Returns the number of the batch that an event belongs to.
pub(crate) fn batch_of(frame: &EventFrame) -> u32 {
    if frame.batch == 0 { frame.id } else { frame.batch }
}

/// Returns an entity as it was just before the batch, if it left in that batch.
pub(crate) fn find_last_known(past: &[LastKnown], batch: u32, entity: Word) -> Option<&LastKnown> {
    past.iter().find(|past| past.existed && past.is_of(batch, entity))
}

impl FrameStack {
    /// Returns an entity as it was just before the batch, if known. No batch has the number 0.
    fn last_known_of(&self, batch: u32, entity: Word) -> Option<&LastKnown> {
        if batch == 0 { None } else { find_last_known(&self.last_known, batch, entity) }
    }
}

impl Evaluator<'_> {
    /// Returns the context registers of a rule of `source` that looks back on a batch; 0 for none.
    pub(crate) fn context_before(&self, source: Word, event: Word, batch: u32) -> RuleContext {
        let seen = |entity: Word| match self.frames.last_known_of(batch, entity) {
            Some(past) => Some(past.row),
            None => self.board.entity(entity).copied(),
        };
        let (host, instance) = match seen(source) {
            Some(entity) if entity.host != NULL => (entity.host, source),
            _ => (source, NULL),
        };
        let owner = match self.board.is_player(host) {
            true => word::seat(host).0,
            false => self.controller_before(host, batch),
        };
        let you = if owner == NOBODY { NULL } else { word::player(Seat(owner)) };
        // An entity that has become a new object goes by its new reference.
        let host = self.frames.last_known_of(batch, host).map_or(host, |past| past.now);
        [host, you, you, event, instance]
    }

    /// Returns the seat that controls an entity, or controlled it just before the batch.
    fn controller_before(&self, entity: Word, batch: u32) -> u8 {
        match self.frames.last_known_of(batch, entity) {
            Some(past) => past.controller(self.board.sources.controller_column(past.row.kind)),
            None => self.board.entity(entity).map_or(NOBODY, |entity| self.board.controller_of(entity)),
        }
    }

    /// Returns true if a rule of an entity was active just before the batch.
    fn was_rule_active(&self, reaction: &Reaction, batch: u32, source: Word) -> bool {
        let is_new = |past: &LastKnown| past.is_of(batch, source) && !past.existed;
        if self.frames.last_known.iter().any(is_new) {
            return false;
        }
        let seen = |entity: Word| match self.frames.last_known_of(batch, entity) {
            Some(past) => Some(past.row),
            None => self.board.entity(entity).copied(),
        };
        let Some(entity) = seen(source) else { return false };
        if self.was_silenced(batch, source) {
            return false;
        }
        if entity.host == NULL {
            return self.is_active(&reaction.zones, entity.zone);
        }
        self.has_no_zone(word::row(entity.host))
            || seen(entity.host).is_some_and(|host| self.is_active(&reaction.zones, host.zone))
    }

    /// Returns true if an entity was of the def just before the batch. It may be, or have been, a copy of something else.
    fn was_of(&self, def: u16, batch: u32, entity: Word) -> bool {
        let past = self.frames.last_known_of(batch, entity).map(|past| past.row.def);
        past.or_else(|| self.board.entity(entity).map(|entity| entity.def)) == Some(def)
    }

    /// Returns true if the rules of an entity were out of force just before the batch.
    fn was_silenced(&self, batch: u32, entity: Word) -> bool {
        let Some(past) = self.frames.last_known_of(batch, entity) else {
            return self.board.entity(entity).is_some_and(|entity| self.board.is_silenced(entity));
        };
        let columns = self.board.grant_columns(past.row.kind);
        columns.is_some_and(|columns| past.cell(columns.silenced).is_ok_and(holds))
    }

    /// Returns the entities of a def whose rule was active just before the batch.
    pub(crate) fn sources_before(&self, reaction: &Reaction, batch: u32, def: u16) -> Vec<Word> {
        let board = &self.board;
        let rows = board.sources.of(def);
        let mut found: Vec<Word> = rows.iter().map(|row| board.reference(*row)).collect();
        let gone = |past: &&LastKnown| {
            let is_listed = board.entity(past.now).is_some() && rows.contains(&word::row(past.now));
            past.batch == batch && past.existed && past.row.def == def && !is_listed
        };
        let reference = |past: &LastKnown| {
            let is_same = board.entity(past.now).is_some_and(|now| now.def == def);
            if is_same { past.now } else { past.entity }
        };
        found.extend(self.frames.last_known.iter().filter(gone).map(reference));
        found.retain(|source| {
            self.was_of(def, batch, *source) && self.was_rule_active(reaction, batch, *source)
        });
        found
    }

    /// Saves an entity, the traits attached to it and the contents of its zones.
    pub(crate) fn remember(&mut self, batch: u32, entity: Word) -> Result<()> {
        let is_known = self.frames.last_known.iter().any(|past| past.is_of(batch, entity));
        let Some(row) = self.board.entity(entity).copied().filter(|_| !is_known) else { return Ok(()) };
        let (first, count) = (row.base as usize, usize::from(row.columns));
        let cells = self.board.cells[first..first + count].to_vec();
        let program = self.program;
        let mut modified = Vec::new();
        for prop in &program.kinds[row.kind.index()].props {
            if !program.props[prop.index()].modifiers.is_empty() {
                modified.push((*prop, self.modified_value(entity, *prop)?));
            }
        }
        self.meter.charge_steps(self.board.rows.len() / 8)?;
        let attached = self.board.attached_to(entity).map(|row| (row, self.board.rows[row as usize]));
        let attached: Vec<(u32, Entity)> = attached.collect();
        let in_force = attached.iter().filter(|(_, other)| !self.board.is_silenced(other));
        let traits = in_force.map(|(_, other)| other.def).collect();
        self.frames.last_known.push(LastKnown {
            batch,
            entity,
            now: entity,
            existed: true,
            row,
            cells,
            modified,
            traits,
        });
        let inside = row.zone_block().flat_map(|zone| self.board.zones.rows(zone).to_vec());
        let inside: Vec<u32> = inside.chain(attached.iter().map(|(row, _)| *row)).collect();
        inside.into_iter().try_for_each(|row| self.remember(batch, self.board.reference(row)))
    }

    /// Saves that an entity did not exist before the batch.
    pub(crate) fn remember_new(&mut self, batch: u32, entity: Word) {
        if let Some(row) = self.board.entity(entity).copied() {
            let (cells, modified, traits) = (Vec::new(), Vec::new(), Vec::new());
            let now = entity;
            self.frames.last_known.push(LastKnown {
                batch,
                entity,
                now,
                existed: false,
                row,
                cells,
                modified,
                traits,
            });
        }
    }
}

impl Machine<'_> {
    /// Saves the entity that an event is going to move or remove.
    pub(crate) fn remember_before(&mut self, event: EventId, batch: u32, subject: Word) -> Result<()> {
        match event {
            native::MOVED | native::REMOVED => self.core.remember(batch, subject),
            _ => Ok(()),
        }
    }

    /// Saves that an event created an entity, or the new reference of the entity it moved.
    pub(crate) fn remember_after(&mut self, event: EventId, batch: u32, subject: Word, now: Word) {
        match event {
            native::CREATED => self.core.remember_new(batch, now),
            native::MOVED => {
                self.follow_payment(subject, now);
                let is_it = |past: &&mut LastKnown| past.is_of(batch, subject);
                if let Some(past) = self.core.frames.last_known.iter_mut().find(is_it) {
                    past.now = now;
                }
            }
            _ => {}
        }
    }
}
