//! Names of entities in scenario files: label and number, as in `attack#3`.
//!
//! The label is the value of the property named by `ui.label`, or else the name of the def.

use std::collections::BTreeMap;

use intermezzo_engine::{Board, Datum, EventLog, describe, describe_with};
use intermezzo_program::{Program, Symbol, Word, native, word};

use crate::values::is_called;

/// Names of all entities of a match.
pub(crate) struct EntityLabels {
    label: Option<Symbol>,
    /// Entities of each row, oldest first, with the names of their defs. A number is used again after its
    /// entity is removed.
    made: BTreeMap<u32, Vec<(Word, Symbol)>>,
}

impl EntityLabels {
    pub(crate) fn new(program: &Program) -> EntityLabels {
        EntityLabels { label: program.label, made: BTreeMap::new() }
    }

    /// Learns the entities created since `from_record`.
    pub(crate) fn learn(&mut self, log: &EventLog, from_record: usize) {
        for record in log.records().iter().skip(from_record).filter(|record| record.event == native::CREATED)
        {
            if let [entity, def, ..] = *log.payload(record) {
                self.made.entry(word::row(entity)).or_default().push((entity, Symbol(def as u32)));
            }
        }
    }

    /// Describes a value of the match in the form scenario files use.
    pub(crate) fn describe(
        &self,
        program: &Program,
        board: &Board,
        value: Word,
        ty: intermezzo_program::TypeId,
    ) -> Datum {
        describe_with(program, board, value, ty, &mut |entity| self.name(program, board, entity))
    }

    /// Returns the name of an entity, also of one that is gone: `attack#3`.
    pub(crate) fn name(&self, program: &Program, board: &Board, entity: Word) -> Datum {
        let row = word::row(entity);
        let made = self.made.get(&row).map_or(&[][..], Vec::as_slice);
        // A renewed entity has a later generation than the one it was created with.
        let made = made.iter().rfind(|(made, _)| word::generation(*made) <= word::generation(entity));
        let label = made.map(|(entity, def)| self.label(program, board, *entity, *def));
        Datum::text(format!("{}#{row}", label.unwrap_or_default()))
    }

    /// Replaces every `#3` in a value by `attack#3`.
    pub(crate) fn rename(&self, program: &Program, board: &Board, datum: Datum) -> Datum {
        let again = |datum| self.rename(program, board, datum);
        match datum {
            Datum::Text(text) => Datum::text(self.rename_text(program, board, text.into())),
            Datum::List(items) => Datum::List(items.into_iter().map(again).collect()),
            Datum::Map(entries) => {
                Datum::Map(entries.into_iter().map(|(key, value)| (key, again(value))).collect())
            }
            plain => plain,
        }
    }

    fn rename_text(&self, program: &Program, board: &Board, text: String) -> String {
        let number = text.strip_prefix('#').and_then(|rest| rest.split('.').next()?.parse().ok());
        match number.and_then(|row: u32| self.made.get(&row)?.last()) {
            Some((entity, def)) => self.label(program, board, *entity, *def) + &text,
            None => text,
        }
    }

    /// Returns the entities with that name, ordered by number.
    pub(crate) fn called(&self, program: &Program, board: &Board, name: &str) -> Vec<Word> {
        let newest = self.made.iter().filter_map(|(row, made)| made.last().map(|newest| (row, newest)));
        let is_meant = |(row, (entity, def)): &(&u32, &(Word, Symbol))| {
            let full = || format!("{}#{row}", self.label(program, board, *entity, *def));
            board.column(*entity, 0).is_some() && is_called(name, &full())
        };
        newest.filter(is_meant).map(|(_, (entity, _))| *entity).collect()
    }

    fn label(&self, program: &Program, board: &Board, entity: Word, def: Symbol) -> String {
        let printed = program.defs.iter().find(|printed| printed.name == def);
        let prop = printed.zip(self.label).and_then(|(printed, label)| program.prop_of(printed.kind, label));
        let prop = prop.map(|prop| &program.props[prop.index()]).filter(|prop| prop.derived.is_none());
        let value = prop.and_then(|prop| Some((board.column(entity, prop.column)?, prop.ty)));
        match value.map(|(value, ty)| describe(program, board, value, ty)) {
            Some(Datum::Text(label)) => label.into(),
            Some(Datum::Int(label)) => label.to_string(),
            _ => program.symbol(def).to_owned(),
        }
    }
}
