//! Payments: entities as they were before they were used to pay, for the effects that read them.
//!
//! They are last known information under a batch of their own, which the code that pays and the effects look back on. It
//! is dropped once neither a frame nor a stack item refers to it.

use intermezzo_program::{KindId, NULL, Word, word};

use crate::run::effects::{Machine, Result};
use crate::run::frames::Frame;

/// Marks the batches of payments, which are numbered by the newest event, separately from those of events.
const PAYMENT: u32 = 1 << 30;

impl Machine<'_> {
    /// Remembers what is about to be used to pay.
    pub(crate) fn remember_payment(&mut self, value: Word, many: bool) -> Result<()> {
        if self.top().batch() == 0 {
            self.drop_old_payments()?;
            let batch = self.core.meter.newest | PAYMENT;
            self.top().set_batch(batch);
        }
        let batch = self.top().batch();
        self.listed(value, many)?.into_iter().try_for_each(|entity| self.core.remember(batch, entity))
    }

    /// Forgets what stayed in its zone, and returns the rest by its current references.
    pub(crate) fn settle_payment(&mut self, value: Word, many: bool) -> Result<Word> {
        let batch = self.top().batch();
        let entities = self.listed(value, many)?;
        let board = &self.core.board;
        let stayed = |entity: Word, zone: u32| board.entity(entity).is_some_and(|now| now.zone == zone);
        let is_payment = |of: u32| of == batch && of & PAYMENT != 0;
        let frames = &mut self.core.frames;
        frames.last_known.retain(|past| !is_payment(past.batch) || !stayed(past.entity, past.row.zone));
        let last_known = &frames.last_known;
        let now = |entity: Word| {
            let past = last_known.iter().find(|past| past.batch == batch && past.entity == entity);
            past.map_or(entity, |past| past.now)
        };
        if !many {
            return Ok(now(value));
        }
        let paid: Vec<Word> = entities.into_iter().map(now).collect();
        self.core.board.heap.new_list(&paid)
    }

    fn listed(&self, value: Word, many: bool) -> Result<Vec<Word>> {
        match (many, value) {
            (_, NULL) => Ok(Vec::new()),
            (true, list) => Ok(self.core.board.heap.items(list)?.to_vec()),
            (false, entity) => Ok(vec![entity]),
        }
    }

    /// Follows an entity that was used to pay to its new reference. Only its first move belongs to the payment.
    pub(crate) fn follow_payment(&mut self, entity: Word, now: Word) {
        let moved = |past: &&mut crate::react::last_known::LastKnown| {
            past.batch & PAYMENT != 0 && past.entity == entity && past.now == entity
        };
        self.core.frames.last_known.iter_mut().filter(moved).for_each(|past| past.now = now);
    }

    /// Drops payments that nothing reads any more.
    fn drop_old_payments(&mut self) -> Result<()> {
        let frames = &self.core.frames;
        if frames.last_known.iter().all(|past| past.batch & PAYMENT == 0) {
            return Ok(());
        }
        let mut used: Vec<u32> = frames.stack.iter().map(Frame::batch).collect();
        self.core.meter.charge_steps(self.core.board.rows.len() / 8)?;
        for (row, entity) in self.core.board.rows.iter().enumerate() {
            if entity.alive && self.core.program.is_kind(entity.kind, KindId::ACTION) {
                used.push(self.payment_of(word::entity(entity.generation, row as u32)));
            }
        }
        self.core.frames.last_known.retain(|past| past.batch & PAYMENT == 0 || used.contains(&past.batch));
        Ok(())
    }

    /// Returns the batch of what was used to pay for a stack item; 0 if nothing is remembered.
    pub(crate) fn payment_of(&self, item: Word) -> u32 {
        let program = self.core.program;
        let action = self.core.board.entity(item).and_then(|entity| self.core.tables.action_of(entity.def));
        let prop = action.and_then(|action| program.actions[action.index()].payment);
        let column = prop.map(|prop| program.props[prop.index()].column);
        column.and_then(|column| self.cell(item, column).ok()).map_or(0, |batch| batch as u32)
    }
}
