//! How things were just before a batch: what reactions that look back read of things that have left.
//!
//! Before a batch happens, what is going to move or be removed is remembered
//! with all its properties. Code that looks back finds it here first, so it
//! neither sees what has become of it nor misses what is gone.

use intermezzo_ruleset::{EventId, FaultCode, NULL, PropId, Reaction, Seat, Word, native, word};

use crate::agenda::{Agenda, Frame};
use crate::board::{Entity, NOBODY};
use crate::core::Core;
use crate::happening::{Machine, Result};
use crate::rules::Context;

/// An entity as it was just before a batch.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pub(crate) batch: u32,
    /// What referred to it then.
    pub(crate) entity: Word,
    /// What refers to it since.
    pub(crate) now: Word,
    /// Whether it was there at all.
    pub(crate) existed: bool,
    pub(crate) row: Entity,
    pub(crate) cells: Vec<Word>,
    /// Values of properties that something modified.
    pub(crate) modified: Vec<(PropId, Word)>,
    /// Numbers of the traits attached to it.
    pub(crate) traits: Vec<u16>,
}

impl Past {
    pub(crate) fn cell(&self, column: u16) -> Result<Word> {
        self.cells.get(usize::from(column)).copied().ok_or(FaultCode::NoSuchProperty)
    }

    /// The value of a property with all that modified it.
    pub(crate) fn property(&self, prop: PropId, column: u16) -> Result<Word> {
        match self.modified.iter().find(|(modified, _)| *modified == prop) {
            Some((_, value)) => Ok(*value),
            None => self.cell(column),
        }
    }

    fn is_of(&self, batch: u32, entity: Word) -> bool {
        self.batch == batch && (self.entity == entity || self.now == entity)
    }
}

/// The number of the batch an event is part of.
pub(crate) fn batch_of(frame: &Frame) -> u32 {
    if frame.batch == 0 { frame.id } else { frame.batch }
}

/// How an entity was just before the batch, if it has left in it.
pub(crate) fn find(past: &[Past], batch: u32, entity: Word) -> Option<&Past> {
    past.iter().find(|past| past.existed && past.is_of(batch, entity))
}

impl Agenda {
    /// How an entity was just before the batch, if it is known. No batch has the number 0.
    fn past(&self, batch: u32, entity: Word) -> Option<&Past> {
        if batch == 0 { None } else { find(&self.past, batch, entity) }
    }
}

impl Core<'_> {
    /// The context registers of a rule of `source` that looks back on a batch (or, for 0, does not).
    pub(crate) fn context_before(&self, source: Word, event: Word, batch: u32) -> Context {
        let seen = |entity: Word| match self.agenda.past(batch, entity) {
            Some(past) => Some(past.row),
            None => self.board.entity(entity).copied(),
        };
        let (host, instance) = match seen(source) {
            Some(entity) if entity.host != NULL => (entity.host, source),
            _ => (source, NULL),
        };
        let owner = match self.board.is_player(host) {
            true => word::seat(host).0,
            false => seen(host).map_or(NOBODY, |entity| entity.owner),
        };
        let you = if owner == NOBODY { NULL } else { word::player(Seat(owner)) };
        // What has become a new object is called by its new name.
        let host = self.agenda.past(batch, host).map_or(host, |past| past.now);
        [host, you, you, event, instance]
    }

    /// Whether a rule of an entity was in force just before the batch.
    fn was_in_force(&self, reaction: &Reaction, batch: u32, source: Word) -> bool {
        let is_new = |past: &Past| past.is_of(batch, source) && !past.existed;
        if self.agenda.past.iter().any(is_new) {
            return false;
        }
        let seen = |entity: Word| match self.agenda.past(batch, entity) {
            Some(past) => Some(past.row),
            None => self.board.entity(entity).copied(),
        };
        let Some(entity) = seen(source) else { return false };
        if entity.host == NULL {
            return self.is_active(&reaction.zones, entity.zone);
        }
        self.is_everywhere(word::row(entity.host))
            || seen(entity.host).is_some_and(|host| self.is_active(&reaction.zones, host.zone))
    }

    /// The entities of a def whose rule was in force just before the batch.
    pub(crate) fn sources_before(&self, reaction: &Reaction, batch: u32, def: u16) -> Vec<Word> {
        let board = &self.board;
        let rows = board.rows.iter().enumerate().filter(|(_, entity)| entity.alive && entity.def == def);
        let mut found: Vec<Word> =
            rows.map(|(row, entity)| word::entity(entity.generation, row as u32)).collect();
        let gone = |past: &&Past| {
            past.batch == batch && past.existed && past.row.def == def && board.entity(past.now).is_none()
        };
        found.extend(self.agenda.past.iter().filter(gone).map(|past| past.entity));
        found.retain(|source| self.was_in_force(reaction, batch, *source));
        found
    }

    /// Remembers an entity, what is attached to it and what is in it.
    pub(crate) fn remember(&mut self, batch: u32, entity: Word) -> Result<()> {
        let is_known = self.agenda.past.iter().any(|past| past.is_of(batch, entity));
        let Some(row) = self.board.entity(entity).copied().filter(|_| !is_known) else { return Ok(()) };
        let (first, count) = (row.base as usize, usize::from(row.columns));
        let cells = self.board.cells[first..first + count].to_vec();
        let program = self.program;
        let mut modified = Vec::new();
        for prop in &program.kinds[row.kind.index()].props {
            if !program.props[prop.index()].modifiers.is_empty() {
                modified.push((*prop, self.modified(entity, *prop)?));
            }
        }
        self.meter.steps(self.board.rows.len() / 8)?;
        let attached: Vec<(u32, Entity)> = (0..)
            .zip(self.board.rows.iter().copied())
            .filter(|(_, other)| other.alive && other.host == entity)
            .collect();
        let traits = attached.iter().map(|(_, other)| other.def).collect();
        self.agenda.past.push(Past {
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

    /// Remembers that an entity was not there before the batch.
    pub(crate) fn remember_new(&mut self, batch: u32, entity: Word) {
        if let Some(row) = self.board.entity(entity).copied() {
            let (cells, modified, traits) = (Vec::new(), Vec::new(), Vec::new());
            let now = entity;
            self.agenda.past.push(Past { batch, entity, now, existed: false, row, cells, modified, traits });
        }
    }
}

impl Machine<'_> {
    /// Before an event happens: remembers what leaves by it.
    pub(crate) fn look_before(&mut self, event: EventId, batch: u32, subject: Word) -> Result<()> {
        match event {
            native::MOVED | native::REMOVED => self.core.remember(batch, subject),
            _ => Ok(()),
        }
    }

    /// After it has happened: remembers what was not there before, and what has become of what was.
    pub(crate) fn look_after(&mut self, event: EventId, batch: u32, subject: Word, now: Word) {
        match event {
            native::CREATED => self.core.remember_new(batch, now),
            native::MOVED => {
                let is_it = |past: &&mut Past| past.is_of(batch, subject);
                if let Some(past) = self.core.agenda.past.iter_mut().find(is_it) {
                    past.now = now;
                }
            }
            _ => {}
        }
    }
}
