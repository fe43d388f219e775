//! Where rules are in force, for whom, and what modifiers make of a value.

use intermezzo_ruleset::{FaultCode, NULL, PropId, Reg, RuleHost, Word, ZoneId, word};

use crate::board::Entity;
use crate::core::Core;
use crate::explain::Subject;
use crate::zones::NOWHERE;

type Result<T> = std::result::Result<T, FaultCode>;

/// The context registers of a rule.
pub(crate) type Context = [Word; Reg::CONTEXT as usize];

impl Core<'_> {
    /// The context registers of a rule of `source`.
    pub(crate) fn context(&self, source: Word, event: Word) -> Context {
        self.context_before(source, event, 0)
    }

    /// Whether rules are in force in a zone: one of those named, or an active one.
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

    /// The entity whose place decides for the one in `row`: its host if it is attached. Nothing if the host is gone.
    pub(crate) fn decisive<'b>(&'b self, row: u32, entity: &'b Entity) -> Option<(u32, &'b Entity)> {
        match self.board.entity(entity.host) {
            Some(host) => Some((word::row(entity.host), host)),
            None => (entity.host == NULL).then_some((row, entity)),
        }
    }

    /// Players and the match have no place: their rules are always in force.
    pub(crate) fn is_everywhere(&self, row: u32) -> bool {
        row <= u32::from(self.board.seats)
    }

    /// The value of a property with all that modifies it.
    pub(crate) fn modified(&mut self, entity: Word, prop: PropId) -> Result<Word> {
        let program = self.program;
        let column = program.props[prop.index()].column;
        let value = self.board.cell(self.board.live(entity)?, column)?;
        self.trace_begin(Subject::Property { entity, prop }, value);
        let target = self.board.sources.target(prop);
        let value = self.contribute(target, Some(entity), value)?;
        self.trace_end();
        Ok(value)
    }

    /// A record after all stages of a chain.
    pub(crate) fn chained(&mut self, mut record: Word, chain: u16) -> Result<Word> {
        let tables = self.tables;
        self.trace_begin(Subject::Chain { chain }, record);
        for target in tables.sources.stages(chain).ok_or(FaultCode::Missing)? {
            record = self.contribute(*target, None, record)?;
        }
        self.trace_end();
        Ok(record)
    }

    /// Lets modifiers change a value: by layer, then older sources, then as declared.
    fn contribute(&mut self, target: u16, of: Option<Word>, mut value: Word) -> Result<Word> {
        let program = self.program;
        let count = self.board.sources.applying(target).len();
        self.meter.steps(count / 8)?;
        for at in 0..count {
            let Some(applies) = self.board.sources.applying(target).get(at).copied() else { break };
            let modifier = &program.modifiers[usize::from(applies.modifier)];
            let source = match modifier.host {
                RuleHost::Game => NULL,
                RuleHost::Def(_) => match self.source(applies.row, modifier.own.then_some(of).flatten()) {
                    Some(source) => source,
                    None => continue,
                },
            };
            if self.agenda.trace.as_ref().is_some_and(|trace| trace.leaves_out(source)) {
                continue;
            }
            let context = self.context(source, NULL);
            let before = value;
            value = match of {
                Some(entity) => self.evaluate_in(modifier.change, &context, &[entity, value])?,
                None => self.evaluate_in(modifier.change, &context, &[value])?,
            };
            if let Some(trace) = &mut self.agenda.trace {
                trace.step(applies.modifier, source, before, value);
            }
        }
        Ok(value)
    }

    /// The entity in `row` if its rules are in force; only if it is or belongs to `about`, if given.
    fn source(&self, row: u32, about: Option<Word>) -> Option<Word> {
        let entity = self.board.rows.get(row as usize)?;
        let source = word::entity(entity.generation, row);
        if about.is_some_and(|about| about != source && about != entity.host) {
            return None;
        }
        let (at, place) = self.decisive(row, entity)?;
        (self.is_everywhere(at) || self.is_active(&[], place.zone)).then_some(source)
    }

    fn trace_begin(&mut self, subject: Subject, base: Word) {
        if let Some(trace) = &mut self.agenda.trace {
            trace.begin(subject, base);
        }
    }

    fn trace_end(&mut self) {
        if let Some(trace) = &mut self.agenda.trace {
            trace.end();
        }
    }
}
