//! What entities are called in scenario files: their label and their number, as in `attack#3`.
//!
//! The label is the value of the property the ruleset's `ui.label` names, or
//! else the name of the def.

use std::collections::BTreeMap;

use intermezzo_engine::{Board, Datum, Log, describe};
use intermezzo_ruleset::{Program, Symbol, Word, native, word};

use crate::values::is_called;

/// Remembers what every entity was made from.
pub(crate) struct Names {
    label: Option<Symbol>,
    /// By row: the newest entity there and the name of its def.
    made: BTreeMap<u32, (Word, Symbol)>,
}

impl Names {
    pub(crate) fn new(program: &Program) -> Names {
        Names { label: program.label, made: BTreeMap::new() }
    }

    /// Takes note of what was created since `from_record`.
    pub(crate) fn learn(&mut self, log: &Log, from_record: usize) {
        for record in log.records().iter().skip(from_record).filter(|record| record.event == native::CREATED)
        {
            if let [entity, def, ..] = *log.payload(record) {
                self.made.insert(word::row(entity), (entity, Symbol(def as u32)));
            }
        }
    }

    /// A value of the match as scenario files write it.
    pub(crate) fn describe(
        &self,
        program: &Program,
        board: &Board,
        value: Word,
        ty: intermezzo_ruleset::TypeId,
    ) -> Datum {
        self.rename(program, board, describe(program, board, value, ty))
    }

    /// The same value with every `#3` in it called `attack#3`.
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
        match number.and_then(|row: u32| self.made.get(&row)) {
            Some((entity, def)) => self.label(program, board, *entity, *def) + &text,
            None => text,
        }
    }

    /// The entities with that name, in order of their numbers.
    pub(crate) fn called(&self, program: &Program, board: &Board, name: &str) -> Vec<Word> {
        let is_meant = |(row, (entity, def)): &(&u32, &(Word, Symbol))| {
            let full = || format!("{}#{row}", self.label(program, board, *entity, *def));
            board.column(*entity, 0).is_some() && is_called(name, &full())
        };
        self.made.iter().filter(is_meant).map(|(_, (entity, _))| *entity).collect()
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
