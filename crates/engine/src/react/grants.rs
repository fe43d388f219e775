//! Grants: traits that standing effects give, and rules that they take away. Start with [`Machine::update_grants`].
//!
//! After every event of a program with grants, the traits that are given and the rules that are out of force are compared
//! with what should be, and each difference is an event of its own: a `Created` or `Removed` of a trait, or a `Changed` of
//! `silenced`. Nothing reacts before these events, because they only follow from the state, and they have no consequences.
//! So a log still rebuilds the board without running rules.

use intermezzo_program::{
    DefId, FaultCode, GrantEffect, KindId, NULL, PropId, RuleHost, Word, ZoneId, native, word,
};

use crate::optimize::program_index::symbol_word;
use crate::react::rule_sources::GrantColumns;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::evaluator::Evaluator;
use crate::storage::board::{Board, Entity};
use crate::storage::zones::NOWHERE;
use crate::values::arithmetic::holds;

/// Number of passes after which grants that keep changing each other are an endless loop.
const MAX_PASSES: usize = 64;

/// A trait that a grant gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct GivenTrait {
    grant: usize,
    source: Word,
    host: Word,
    def: DefId,
}

/// The traits and silences that should be in force.
#[derive(Debug, Default)]
struct GrantState {
    given: Vec<GivenTrait>,
    /// Things and traits whose rules are out of force.
    silenced: Vec<Word>,
}

/// A grant of an entity; the fields before the grant are the order of application.
type GrantEntry = (i32, Word, u32, usize);

impl Board {
    /// Returns the columns that grants need of a kind's entities.
    #[inline]
    pub(crate) fn grant_columns(&self, kind: KindId) -> Option<GrantColumns> {
        self.sources.grant_columns(kind)
    }

    /// Returns true if the rules of an entity are out of force, although it is in the right zone.
    #[inline]
    pub(crate) fn is_silenced(&self, entity: &Entity) -> bool {
        let columns = self.grant_columns(entity.kind);
        columns.is_some_and(|columns| self.cell(entity, columns.silenced).is_ok_and(holds))
    }

    /// Returns the number of the event with which an entity came where it is; 0 in programs without grants.
    pub(crate) fn since(&self, row: u32) -> Word {
        let Some(entity) = self.rows.get(row as usize) else { return 0 };
        let columns = self.grant_columns(entity.kind);
        columns.and_then(|columns| self.cell(entity, columns.since).ok()).unwrap_or(0)
    }

    /// Returns true if a grant gives the trait.
    pub(crate) fn is_given(&self, instance: Word) -> bool {
        let Some(entity) = self.entity(instance) else { return false };
        let columns = self.grant_columns(entity.kind);
        columns.is_some_and(|columns| self.cell(entity, columns.grant).is_ok_and(|grant| grant != NULL))
    }

    /// Returns true if two zones are instances of the same declared zone.
    pub(crate) fn is_same_family(&self, one: u32, other: Word) -> bool {
        let family = |zone: u32| self.zones.head(zone).map(|head| head.family);
        u32::try_from(other).is_ok_and(|other| family(one) == family(other))
    }

    /// Notes that an entity has come to where it is. `traits_of` is the def whose traits it gets with that, if any.
    pub(crate) fn stamp(&mut self, entity: Word, traits_of: Option<Word>) -> Result<()> {
        let Some(columns) = self.entity(entity).and_then(|found| self.grant_columns(found.kind)) else {
            return Ok(());
        };
        self.set_cell(entity, columns.since, self.changes)?;
        match traits_of.filter(|_| columns.traits_of != u16::MAX) {
            Some(traits_of) => self.set_cell(entity, columns.traits_of, traits_of),
            None => Ok(()),
        }
    }
}

impl Machine<'_> {
    /// Brings the traits that are given and the rules that are out of force up to date.
    ///
    /// # Errors
    ///
    /// Returns an error if a rule fails, or if the grants keep changing each other.
    pub(crate) fn update_grants(&mut self) -> Result<()> {
        if !self.core.program.has_changing_rules() || self.core.board.end.is_some() {
            return Ok(());
        }
        for _ in 0..MAX_PASSES {
            let has_changed = self.replace_printed_traits()?;
            let wanted = self.core.wanted_grants()?;
            if !self.apply_grants(&wanted)? && !has_changed {
                return Ok(());
            }
        }
        Err(FaultCode::Reactions)
    }

    /// Changes what differs from what is wanted. Returns false if nothing does.
    fn apply_grants(&mut self, wanted: &GrantState) -> Result<bool> {
        let mut missing = wanted.given.clone();
        let mut superfluous = Vec::new();
        for row in self.core.board.sources.attached() {
            let Some(given) = self.core.given_trait(*row) else { continue };
            match missing.iter().position(|wanted| *wanted == given) {
                Some(at) => {
                    missing.remove(at);
                }
                None => superfluous.push(self.core.board.reference(*row)),
            }
        }
        let changed = self.core.changed_silence(&wanted.silenced);
        if missing.is_empty() && superfluous.is_empty() && changed.is_empty() {
            return Ok(false);
        }
        for instance in superfluous {
            self.apply_alone(EventHeader::of(native::REMOVED), &[instance], &[])?;
        }
        for (entity, prop, is_silenced) in changed {
            let header = EventHeader { detail: prop.0, ..EventHeader::of(native::CHANGED) };
            let name = symbol_word(self.core.program.props[prop.index()].name);
            self.apply_alone(header, &[entity, name, NULL, Word::from(is_silenced)], &[])?;
        }
        for given in missing {
            self.give(given)?;
        }
        Ok(true)
    }

    /// Attaches a trait that a grant gives.
    fn give(&mut self, given: GivenTrait) -> Result<()> {
        let program = self.core.program;
        let Some(grant) = program.grants.get(given.grant) else { return Ok(()) };
        let GrantEffect::Gives(def, arguments) = &grant.effect else { return Ok(()) };
        let context = self.core.context(given.source, NULL);
        let mut with = Vec::with_capacity(2 * arguments.len() + 4);
        for (prop, routine) in arguments {
            let value = self.core.evaluate_in(*routine, &context, &[given.host])?;
            with.extend([Word::from(prop.0), value]);
        }
        let found = &program.defs[def.index()];
        if let Some(columns) = self.core.board.grant_columns(found.kind) {
            with.extend([Word::from(columns.given_by_prop.0), given.source]);
            with.extend([Word::from(columns.grant_prop.0), given.grant as Word]);
        }
        let payload = [NULL, symbol_word(found.name), NULL, NULL, NULL, given.host, NULL];
        self.apply_alone(EventHeader::of(native::CREATED), &payload, &with)
    }
}

impl Evaluator<'_> {
    /// Returns the trait in a row if a grant gives it.
    fn given_trait(&self, row: u32) -> Option<GivenTrait> {
        let entity = self.board.rows.get(row as usize)?;
        let columns = self.board.grant_columns(entity.kind)?;
        let grant = self.board.cell(entity, columns.grant).ok().filter(|grant| *grant != NULL)?;
        let source = self.board.cell(entity, columns.given_by).ok()?;
        let grant = usize::try_from(grant).ok()?;
        Some(GivenTrait { grant, source, host: entity.host, def: DefId(entity.def) })
    }

    /// Returns true if an entity's def has given it a trait, in contrast to rules during play.
    pub(crate) fn is_printed(&self, row: u32) -> bool {
        let Some(entity) = self.board.rows.get(row as usize) else { return false };
        let columns = self.board.grant_columns(entity.kind);
        let given_by = columns.and_then(|columns| self.board.cell(entity, columns.given_by).ok());
        given_by.is_some_and(|given_by| given_by != NULL && given_by == entity.host)
    }

    /// Lists the things and traits whose rules go out of force or come into force, with the property that says so.
    fn changed_silence(&self, silenced: &[Word]) -> Vec<(Word, PropId, bool)> {
        let mut changed = Vec::new();
        for (row, entity) in self.board.rows.iter().enumerate().filter(|(_, entity)| entity.alive) {
            let Some(columns) = self.board.grant_columns(entity.kind) else { continue };
            let reference = word::entity(entity.generation, row as u32);
            let is_silenced = silenced.contains(&reference);
            if is_silenced != self.board.is_silenced(entity) {
                changed.push((reference, columns.silenced_prop, is_silenced));
            }
        }
        changed
    }

    /// Lists the grants of all entities that have some, in order: layer, then older sources, then declaration.
    fn grant_entries(&self) -> Vec<GrantEntry> {
        let mut entries = Vec::new();
        for (number, grant) in self.program.grants.iter().enumerate() {
            match grant.host {
                RuleHost::Game => entries.push((grant.layer, 0, 0, number)),
                RuleHost::Def(def) => {
                    let rows = self.board.sources.of(def.0).iter();
                    entries.extend(rows.map(|row| (grant.layer, self.board.since(*row), *row, number)));
                }
            }
        }
        entries.sort_unstable();
        entries
    }

    /// Computes what should be in force now.
    fn wanted_grants(&mut self) -> Result<GrantState> {
        let mut state = GrantState::default();
        for (_, since, row, number) in self.grant_entries() {
            let program = self.program;
            let grant = &program.grants[number];
            let source = if grant.host == RuleHost::Game { NULL } else { self.board.reference(row) };
            // What an earlier one has put out of force does nothing.
            if source != NULL && (state.silenced.contains(&source) || !self.is_placed(row, &grant.zones)) {
                continue;
            }
            let context = self.context(source, NULL);
            for host in self.bearers(grant.to, &grant.within) {
                let applies = match grant.condition {
                    Some(condition) => holds(self.evaluate_in(condition, &context, &[host])?),
                    None => true,
                };
                if !applies {
                    continue;
                }
                match &grant.effect {
                    GrantEffect::Gives(def, _) => {
                        state.given.push(GivenTrait { grant: number, source, host, def: *def });
                    }
                    GrantEffect::LosesAll => self.lose(&mut state, host, since, None),
                    GrantEffect::Loses(defs) => self.lose(&mut state, host, since, Some(defs)),
                }
            }
        }
        Ok(state)
    }

    /// Returns true if the rules of the thing or trait in a row are in the right zone.
    fn is_placed(&self, row: u32, zones: &[ZoneId]) -> bool {
        let Some(entity) = self.board.rows.get(row as usize).filter(|entity| entity.alive) else {
            return false;
        };
        let Some((at, place)) = self.zone_bearer(row, entity) else { return false };
        self.has_no_zone(at) || self.is_active(zones, place.zone)
    }

    /// Lists the entities of a kind that a grant may be about.
    fn bearers(&self, kind: KindId, within: &[ZoneId]) -> Vec<Word> {
        let board = &self.board;
        let rows = board.rows.iter().enumerate();
        let fits = |(row, entity): &(usize, &Entity)| {
            entity.alive
                && self.program.is_kind(entity.kind, kind)
                && match kind {
                    KindId::PLAYER => board.is_player(word::entity(entity.generation, *row as u32)),
                    _ => entity.zone != NOWHERE && self.is_active(within, entity.zone),
                }
        };
        rows.filter(fits).map(|(row, entity)| word::entity(entity.generation, row as u32)).collect()
    }

    /// Puts the rules that an entity has up to now out of force: all of them, or the traits of these names. What came
    /// after the source of the grant, at change `since`, stays.
    fn lose(&self, state: &mut GrantState, host: Word, since: Word, traits: Option<&[DefId]>) {
        let is_lost = |def: DefId| match traits {
            Some(traits) => traits.contains(&def),
            None => !self.program.lasting_traits.contains(&def),
        };
        state.given.retain(|given| given.host != host || !is_lost(given.def));
        let attached = self.board.attached_to(host).filter(|row| {
            let is_older = self.is_printed(*row) || self.board.since(*row) < since;
            is_older && self.given_trait(*row).is_none() && is_lost(DefId(self.board.rows[*row as usize].def))
        });
        state.silenced.extend(attached.map(|row| self.board.reference(row)));
        if traits.is_none() && !self.board.is_player(host) {
            state.silenced.push(host);
        }
    }
}
