//! Where rules are in force, for whom, and what modifiers make of a value.

use intermezzo_ruleset::{FaultCode, NULL, PropId, Reg, RuleHost, Word, ZoneId, word};

use crate::board::Entity;
use crate::core::Core;
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
        let found = &program.props[prop.index()];
        let value = self.board.cell(self.board.live(entity)?, found.column)?;
        self.contribute(&found.modifiers, Some(entity), value)
    }

    /// A record after all stages of a chain.
    pub(crate) fn chained(&mut self, mut record: Word, chain: u16) -> Result<Word> {
        let program = self.program;
        let chain = program.chains.get(usize::from(chain)).ok_or(FaultCode::Missing)?;
        for stage in &chain.stages {
            record = self.contribute(stage, None, record)?;
        }
        Ok(record)
    }

    /// Lets modifiers change a value: by layer, then older sources, then as declared.
    fn contribute(&mut self, modifiers: &[u16], of: Option<Word>, value: Word) -> Result<Word> {
        if modifiers.is_empty() {
            return Ok(value);
        }
        let program = self.program;
        let mut found: Vec<(i32, u32, u16, Word)> = Vec::new();
        for number in modifiers {
            let modifier = &program.modifiers[usize::from(*number)];
            match modifier.host {
                RuleHost::Game => found.push((modifier.layer, 0, *number, NULL)),
                RuleHost::Def(def) => {
                    self.meter.steps(self.board.rows.len() / 8)?;
                    self.sources(def.0, modifier.own.then_some(of).flatten(), |row, source| {
                        found.push((modifier.layer, row, *number, source));
                    });
                }
            }
        }
        found.sort_unstable();
        let mut value = value;
        for (_, _, number, source) in found {
            let change = program.modifiers[usize::from(number)].change;
            let context = self.context(source, NULL);
            value = match of {
                Some(entity) => self.evaluate_in(change, &context, &[entity, value])?,
                None => self.evaluate_in(change, &context, &[value])?,
            };
        }
        Ok(value)
    }

    /// The entities of a def whose rules are in force; only those of `about`, if given.
    fn sources(&self, def: u16, about: Option<Word>, mut each: impl FnMut(u32, Word)) {
        for (row, entity) in self.board.rows.iter().enumerate() {
            if !entity.alive || entity.def != def {
                continue;
            }
            let source = word::entity(entity.generation, row as u32);
            if about.is_some_and(|about| about != source && about != entity.host) {
                continue;
            }
            let Some((at, place)) = self.decisive(row as u32, entity) else { continue };
            if self.is_everywhere(at) || self.is_active(&[], place.zone) {
                each(row as u32, source);
            }
        }
    }
}
