//! Copies: entities that have the def, the rules and the printed properties of another. Start with
//! [`Machine::become_copy`].
//!
//! A copy has a trait that remembers what its host was. The trait is created and removed by ordinary events, so it can have a
//! duration, and it goes when its host becomes a new object. Folding these events changes the host. Of several such traits the
//! latest counts; the others keep what to go back to.

use intermezzo_program::{
    CopyForm, CreateId, DefId, FaultCode, InitialValue, NULL, Program, PropId, Reg, Word, native, word,
};

use crate::optimize::dependencies;
use crate::optimize::memo::MemoParts;
use crate::optimize::program_index::symbol_word;
use crate::run::effects::{EventHeader, Machine, Result};
use crate::storage::board::{Board, Entity};
use crate::storage::undo::UndoNote;
use crate::values::arithmetic::present;

/// The columns of a trait that makes its host a copy.
#[derive(Debug)]
pub(crate) struct CopyColumns {
    pub(crate) def: u16,
    form: u16,
    form_before: u16,
    order: u16,
    /// Column of the host, column of the copied value, column of the value before.
    printed: Vec<(u16, u16, u16)>,
    /// The defs that the host can have, with their names.
    defs: Vec<(Word, u16)>,
}

impl CopyColumns {
    pub(crate) fn new(program: &Program, form: &CopyForm) -> CopyColumns {
        let column = |prop: PropId| program.props[prop.index()].column;
        let defs = program.defs.iter().enumerate().filter(|(_, def)| def.kind == form.kind);
        CopyColumns {
            def: form.def.0,
            form: column(form.form),
            form_before: column(form.form_before),
            order: column(form.order),
            printed: (form.printed.iter())
                .map(|(own, copied, before)| (column(*own), column(*copied), column(*before)))
                .collect(),
            defs: defs.map(|(at, def)| (symbol_word(def.name), at as u16)).collect(),
        }
    }

    fn def_named(&self, name: Word) -> Result<u16> {
        self.defs.iter().find(|(known, _)| *known == name).map(|(_, def)| *def).ok_or(FaultCode::OutOfRange)
    }

    fn name_of(&self, def: u16) -> Word {
        self.defs.iter().find(|(_, known)| *known == def).map_or(NULL, |(name, _)| *name)
    }
}

impl Machine<'_> {
    /// Turns an entity into a copy of another entity, or of a def.
    pub(crate) fn become_copy(&mut self, create: CreateId, args: Reg, of_def: bool) -> Result<()> {
        let program = self.core.program;
        let (model, entity, until) =
            (present(self.reg(args))?, present(self.reg(args.offset(1)))?, self.reg(args.offset(2)));
        let kind = self.core.board.live(entity)?.kind;
        let form = program.copies.iter().find(|form| form.kind == kind).ok_or(FaultCode::WrongKind)?;
        let (def, source) = match of_def {
            true => (self.core.tables.def(model).ok_or(FaultCode::OutOfRange)?, None),
            false => {
                let source = *self.core.board.live(model)?;
                (DefId(source.def), Some(source))
            }
        };
        let printed = program.defs.get(def.index()).filter(|def| def.kind == kind);
        let printed = printed.ok_or(FaultCode::WrongKind)?;
        let mut given = Vec::new();
        self.collect_with_pairs(kind, &program.creates[create.index()].with, args, &mut given)?;
        let mut with = vec![Word::from(form.form.0), symbol_word(printed.name)];
        for (own, copied, _) in &form.printed {
            let written = given.chunks_exact(2).find(|pair| pair[0] == Word::from(own.0)).map(|pair| pair[1]);
            let prop = &program.props[own.index()];
            let initial = printed.props.iter().find(|(prop, _)| prop == own).map(|(_, initial)| *initial);
            let value = match (written, source, initial.unwrap_or(prop.initial)) {
                (Some(value), _, _) => value,
                (None, Some(source), _) => self.core.board.cell(&source, prop.column)?,
                (None, None, InitialValue::Word(value)) => value,
                (None, None, InitialValue::Computed(routine)) => {
                    self.core.evaluate(routine, NULL, &[entity])?
                }
            };
            with.extend([Word::from(copied.0), value]);
        }
        let name = symbol_word(program.defs[form.def.index()].name);
        self.begin(EventHeader::of(native::CREATED), &[NULL, name, NULL, NULL, NULL, entity, until], &with)
    }

    /// Replaces the traits that the def gives to what has another def than before. Returns true if there were some.
    pub(crate) fn replace_printed_traits(&mut self) -> Result<bool> {
        if self.core.program.copies.is_empty() {
            return Ok(false);
        }
        let mut has_changed = false;
        for row in 0..self.core.board.rows.len() {
            let entity = self.core.board.rows[row];
            let columns = self.core.board.grant_columns(entity.kind).filter(|_| entity.alive);
            let Some(columns) = columns.filter(|columns| columns.traits_of != u16::MAX) else { continue };
            let Some(def) = self.core.program.defs.get(usize::from(entity.def)) else { continue };
            let name = symbol_word(def.name);
            if self.core.board.cell(&entity, columns.traits_of)? != name {
                has_changed = true;
                self.replace_traits_of(
                    word::entity(entity.generation, row as u32),
                    columns.traits_of_prop,
                    name,
                )?;
            }
        }
        Ok(has_changed)
    }

    fn replace_traits_of(&mut self, host: Word, prop: PropId, name: Word) -> Result<()> {
        let attached = self.core.board.attached_to(host).filter(|row| self.core.is_printed(*row));
        let printed: Vec<Word> = attached.map(|row| self.core.board.reference(row)).collect();
        for instance in printed {
            self.apply_alone(EventHeader::of(native::REMOVED), &[instance], &[])?;
        }
        for number in 0..self.initial_trait_count(host) {
            let (payload, with) = self.initial_trait(host, number)?;
            self.apply_alone(EventHeader::of(native::CREATED), &payload, &with)?;
        }
        let header = EventHeader { detail: prop.0, ..EventHeader::of(native::CHANGED) };
        let symbol = symbol_word(self.core.program.props[prop.index()].name);
        self.apply_alone(header, &[host, symbol, NULL, name], &[])
    }
}

impl Board {
    /// If a new trait makes its host a copy, changes the host and notes what it was.
    pub(crate) fn start_copy(&mut self, instance: Word) -> Result<()> {
        let index = self.sources.shared_index();
        let found = *self.live(instance)?;
        let Some(columns) = index.copy_columns(found.def) else { return Ok(()) };
        let host = *self.live(found.host)?;
        let latest = self.copies_on(found.host, found.def, columns).into_iter().max();
        self.set_cell(instance, columns.order, latest.map_or(1, |(order, _)| order + 1))?;
        self.set_cell(instance, columns.form_before, columns.name_of(host.def))?;
        for (own, copied, before) in &columns.printed {
            let (old, new) = (self.cell(&host, *own)?, self.cell(&found, *copied)?);
            self.set_cell(instance, *before, old)?;
            self.set_cell(found.host, *own, new)?;
        }
        let def = columns.def_named(self.cell(&found, columns.form)?)?;
        self.redefine(word::row(found.host), def);
        Ok(())
    }

    /// If an entity that is removed made its host a copy, gives the host back what it was.
    pub(crate) fn end_copy(&mut self, instance: Word, found: &Entity) -> Result<()> {
        if found.host == NULL || self.entity(found.host).is_none() {
            return Ok(());
        }
        let index = self.sources.shared_index();
        let Some(columns) = index.copy_columns(found.def) else { return Ok(()) };
        let order = self.cell(found, columns.order)?;
        let others = self.copies_on(found.host, found.def, columns).into_iter();
        let next = others.filter(|(other, _)| *other > order).min().map(|(_, next)| next);
        for (own, _, before) in &columns.printed {
            let old = self.cell(found, *before)?;
            match next {
                Some(next) => self.set_cell(next, *before, old)?,
                None => self.set_cell(found.host, *own, old)?,
            }
        }
        let form = self.cell(found, columns.form_before)?;
        match next {
            Some(next) => self.set_cell(next, columns.form_before, form)?,
            None => self.redefine(word::row(found.host), columns.def_named(form)?),
        }
        self.set_cell(instance, columns.order, 0)
    }

    /// Lists the traits that make a host a copy: their number, and themselves.
    fn copies_on(&self, host: Word, def: u16, columns: &CopyColumns) -> Vec<(Word, Word)> {
        let rows = self.attached_to(host).map(|row| (row, &self.rows[row as usize]));
        let copies = rows.filter(|(_, entity)| entity.def == def);
        copies
            .filter_map(|(row, entity)| Some((self.cell(entity, columns.order).ok()?, self.reference(row))))
            .filter(|(order, _)| *order > 0)
            .collect()
    }

    fn redefine(&mut self, row: u32, def: u16) {
        let old = self.rows[row as usize].def;
        if old != def {
            self.undo.note(UndoNote::Redefined { row, old });
            self.replace_def(row, def);
        }
    }

    /// Gives an entity another def of its kind.
    pub(crate) fn replace_def(&mut self, row: u32, def: u16) {
        let entity = self.rows[row as usize];
        self.sources.remove(row, &entity);
        let entity = Entity { def, ..entity };
        let zone = self.zones.head(entity.zone).map(|head| head.family);
        self.sources.add(row, &entity, zone);
        self.rows[row as usize] = entity;
        self.touch(dependencies::ALL);
        self.changed = MemoParts::ALL;
    }
}
