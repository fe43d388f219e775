//! Modifiers: where rules are active, and how modifiers change a value.

use intermezzo_program::{FaultCode, Modifier, NULL, PropId, Reg, RuleHost, Word, ZoneId, word};

use crate::optimize::memo::MemoSubject;
use crate::react::explain::TraceSubject;
use crate::run::evaluator::Evaluator;
use crate::storage::board::Entity;
use crate::storage::zones::NOWHERE;

type Result<T> = std::result::Result<T, FaultCode>;

/// The context registers of a rule.
pub(crate) type RuleContext = [Word; Reg::CONTEXT as usize];

impl Evaluator<'_> {
    /// Returns the context registers of a rule of `source`.
    pub(crate) fn context(&self, source: Word, event: Word) -> RuleContext {
        self.context_before(source, event, 0)
    }

    /// Returns true if rules are active in a zone: one of `zones`, or an active zone if `zones` is empty.
    pub(crate) fn is_active(&self, zones: &[ZoneId], zone: u32) -> bool {
        if zone == NOWHERE {
            return false;
        }
        let Some(head) = self.board.zones.head(zone) else {
            return false;
        };
        if zones.is_empty() {
            return self.program.zones[head.family.index()].active;
        }
        zones.contains(&head.family)
    }

    /// Returns the entity whose zone counts for the one in `row`: its host if it is attached. `None` if the host is
    /// gone.
    pub(crate) fn zone_bearer<'b>(&'b self, row: u32, entity: &'b Entity) -> Option<(u32, &'b Entity)> {
        match self.board.entity(entity.host) {
            Some(host) => Some((word::row(entity.host), host)),
            None => (entity.host == NULL).then_some((row, entity)),
        }
    }

    /// Returns true for players and the match. They are in no zone; their rules are always active.
    pub(crate) fn has_no_zone(&self, row: u32) -> bool {
        row <= u32::from(self.board.seats)
    }

    /// Returns the value of a property with all modifiers applied, remembered if possible.
    pub(crate) fn modified_value(&mut self, entity: Word, prop: PropId) -> Result<Word> {
        let key = self.board.property_key(&self.tables.memo, prop, entity);
        let Some((number, key)) = key.filter(|_| self.may_remember()) else {
            return self.compute_modified(entity, prop);
        };
        let recalled = self.board.recall(&self.tables.memo, number, &key);
        self.compute_remembering(MemoSubject::Property { entity, prop }, Some(key), recalled)
    }

    /// Computes the value of a property with all modifiers applied.
    pub(crate) fn compute_modified(&mut self, entity: Word, prop: PropId) -> Result<Word> {
        let program = self.program;
        let column = program.props[prop.index()].column;
        let value = self.board.cell(self.board.live(entity)?, column)?;
        self.trace_begin(TraceSubject::Property { entity, prop }, value);
        let target = self.board.sources.target(prop);
        let value = self.apply_modifiers(target, Some(entity), value)?;
        self.trace_end();
        Ok(value)
    }

    /// Returns a record after all stages of a chain.
    pub(crate) fn apply_chain(&mut self, mut record: Word, chain: u16) -> Result<Word> {
        let tables = self.tables;
        self.trace_begin(TraceSubject::Chain { chain }, record);
        for target in tables.sources.stages(chain).ok_or(FaultCode::Missing)? {
            record = self.apply_modifiers(*target, None, record)?;
        }
        self.trace_end();
        Ok(record)
    }

    /// Applies modifiers to a value: by layer, then older sources first, then in order of declaration.
    fn apply_modifiers(&mut self, target: u16, of: Option<Word>, mut value: Word) -> Result<Word> {
        let program = self.program;
        let count = self.board.sources.modifiers_of(target).len();
        self.meter.charge_steps(count / 8)?;
        for at in 0..count {
            let Some(applies) = self.board.sources.modifiers_of(target).get(at).copied() else { break };
            let modifier = &program.modifiers[usize::from(applies.modifier)];
            let source = match modifier.host {
                RuleHost::Game => NULL,
                RuleHost::Def(_) => {
                    match self.active_source(modifier, applies.row, modifier.own.then_some(of).flatten()) {
                        Some(source) => source,
                        None => continue,
                    }
                }
            };
            if self.frames.trace.as_ref().is_some_and(|trace| trace.leaves_out(source)) {
                continue;
            }
            let context = self.context(source, NULL);
            let before = value;
            value = match of {
                Some(entity) => self.evaluate_in(modifier.change, &context, &[entity, value])?,
                None => self.evaluate_in(modifier.change, &context, &[value])?,
            };
            if let Some(trace) = &mut self.frames.trace {
                trace.step(applies.modifier, source, before, value);
            }
        }
        Ok(value)
    }

    /// Returns the entity in `row` if its modifier is in force. If `about` is given, the entity must be it or be attached
    /// to it.
    fn active_source(&self, modifier: &Modifier, row: u32, about: Option<Word>) -> Option<Word> {
        let entity = self.board.rows.get(row as usize)?;
        let source = word::entity(entity.generation, row);
        if about.is_some_and(|about| about != source && about != entity.host) {
            return None;
        }
        let (at, place) = self.zone_bearer(row, entity)?;
        (self.has_no_zone(at) || self.is_active(&modifier.zones, place.zone)).then_some(source)
    }

    fn trace_begin(&mut self, subject: TraceSubject, base: Word) {
        if let Some(trace) = &mut self.frames.trace {
            trace.begin(subject, base);
        }
    }

    fn trace_end(&mut self) {
        if let Some(trace) = &mut self.frames.trace {
            trace.end();
        }
    }
}
