//! Modifiers: where rules are active, and how modifiers change a value.

use intermezzo_program::{FaultCode, Modifier, NULL, PropId, Reg, RuleHost, Word, ZoneId, word};

use crate::optimize::memo::MemoSubject;
use crate::react::explain::TraceSubject;
use crate::react::rule_sources::ModifierEntry;
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

    /// Returns the value of a property with only the modifiers of layers below one. It is not part of an explanation.
    pub(crate) fn modified_below(&mut self, entity: Word, prop: PropId, layer: Word) -> Result<Word> {
        let column = self.program.props[prop.index()].column;
        let value = self.board.cell(self.board.live(entity)?, column)?;
        let target = self.board.sources.target(prop);
        let trace = self.frames.trace.take();
        let value = self.apply_layers(target, Some(entity), value, layer);
        self.frames.trace = trace;
        value
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
        if self.tables.has_layers {
            return self.apply_layers(target, of, value, Word::MAX);
        }
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

    /// Applies the modifiers of the layers below one, older sources first: in programs that know since when entities are
    /// where they are, and elsewhere the row stands for the age. Modifiers that add items to a list are tried again after
    /// another one of their layer has added some, so what depends on them follows, whichever is older.
    fn apply_layers(&mut self, target: u16, of: Option<Word>, mut value: Word, below: Word) -> Result<Word> {
        let mut entries = self.board.sources.modifiers_of(target).to_vec();
        self.meter.charge_steps(entries.len() / 8)?;
        entries.retain(|entry| Word::from(entry.layer) < below);
        entries.sort_by_key(|entry| (entry.layer, self.board.since(entry.row), entry.row, entry.modifier));
        for layer in entries.chunk_by(|one, other| one.layer == other.layer) {
            let mut waiting = Vec::new();
            for entry in layer {
                let new = self.apply_modifier(*entry, of, value)?;
                if new == value && self.program.modifiers[usize::from(entry.modifier)].adds_items {
                    waiting.push(*entry);
                }
                value = new;
            }
            while let Some(at) = self.next_that_adds(&waiting, of, &mut value)? {
                waiting.remove(at);
            }
        }
        Ok(value)
    }

    /// Applies the first of several modifiers that adds something, and returns its position.
    fn next_that_adds(
        &mut self,
        waiting: &[ModifierEntry],
        of: Option<Word>,
        value: &mut Word,
    ) -> Result<Option<usize>> {
        for (at, entry) in waiting.iter().enumerate() {
            let new = self.apply_modifier(*entry, of, *value)?;
            if new != *value {
                *value = new;
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Applies a modifier, if it is in force.
    fn apply_modifier(&mut self, applies: ModifierEntry, of: Option<Word>, value: Word) -> Result<Word> {
        let program = self.program;
        let modifier = &program.modifiers[usize::from(applies.modifier)];
        let source = match modifier.host {
            RuleHost::Game => NULL,
            RuleHost::Def(_) => {
                match self.active_source(modifier, applies.row, modifier.own.then_some(of).flatten()) {
                    Some(source) => source,
                    None => return Ok(value),
                }
            }
        };
        if self.frames.trace.as_ref().is_some_and(|trace| trace.leaves_out(source)) {
            return Ok(value);
        }
        let context = self.context(source, NULL);
        let new = match of {
            Some(entity) => self.evaluate_in(modifier.change, &context, &[entity, value])?,
            None => self.evaluate_in(modifier.change, &context, &[value])?,
        };
        if let Some(trace) = &mut self.frames.trace {
            trace.step(applies.modifier, source, value, new);
        }
        Ok(new)
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
        let is_placed = self.has_no_zone(at) || self.is_active(&modifier.zones, place.zone);
        (is_placed && !self.board.is_silenced(entity)).then_some(source)
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
