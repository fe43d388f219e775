//! Events and options in words: what the log says in numbers, with names.
//!
//! A [`Narrator`] folds the log beside the match, so that every event is told
//! with the names things had when it happened.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_engine::{Board, Cause, Datum, Folder, Log, Record, Setup, StartError, Status, describe};
use intermezzo_ruleset::{DefId, KindId, NULL, Program, Symbol, Type, TypeId, Word, native, word};
use serde_json::{Map, Value};

use crate::file::{SavedCause, SavedEvent, SavedStatus, Words};

/// A value as JSON.
#[must_use]
pub fn to_json(datum: &Datum) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Bool(value) => Value::from(*value),
        Datum::Int(value) => Value::from(*value),
        Datum::Text(text) => Value::from(text.as_str()),
        Datum::List(items) => items.iter().map(to_json).collect(),
        Datum::Map(entries) => {
            entries.iter().map(|(name, value)| (name.to_string(), to_json(value))).collect()
        }
    }
}

/// A JSON value as a datum; nothing if it has numbers that are not whole or too large.
#[must_use]
pub fn from_json(value: &Value) -> Option<Datum> {
    Some(match value {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Bool(*value),
        Value::Number(number) => Datum::Int(number.as_i64()?),
        Value::String(text) => Datum::text(text),
        Value::Array(items) => Datum::List(items.iter().map(from_json).collect::<Option<_>>()?),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| Some((name.into(), from_json(value)?));
            Datum::Map(entries.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}

/// What people call the entities of a ruleset: by the property its `ui.label` names, else by the title of their def.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    everywhere: Option<String>,
    by_kind: Map<String, Value>,
}

impl Labels {
    /// The labels the ruleset asks for.
    #[must_use]
    pub fn of(program: &Program) -> Labels {
        let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
        match metadata.get("ui").and_then(|ui| ui.get("label")) {
            Some(Value::String(prop)) => Labels { everywhere: Some(prop.clone()), ..Labels::default() },
            Some(Value::Object(by_kind)) => Labels { by_kind: by_kind.clone(), ..Labels::default() },
            _ => Labels::default(),
        }
    }

    /// The name of the property that says what entities of a kind are.
    #[must_use]
    pub fn prop(&self, kind: &str) -> Option<&str> {
        self.by_kind.get(kind).and_then(Value::as_str).or(self.everywhere.as_deref())
    }

    /// What people read of a def.
    #[must_use]
    pub fn def_title(program: &Program, def: DefId) -> &str {
        let def = &program.defs[def.index()];
        match program.texts.get(def.title.index()).map(String::as_str) {
            Some(title) if !title.is_empty() => title,
            _ => program.symbol(def.name),
        }
    }
}

/// Follows a log and tells its events.
#[derive(Debug)]
pub(crate) struct Narrator {
    program: Arc<Program>,
    folder: Folder,
    board: Board,
    labels: Labels,
    /// What each entity that was ever created is made from.
    defs: BTreeMap<Word, DefId>,
}

impl Narrator {
    pub(crate) fn new(program: &Arc<Program>, setup: &Setup) -> Result<Narrator, StartError> {
        Ok(Narrator {
            program: Arc::clone(program),
            folder: Folder::new(Arc::clone(program)),
            board: Board::new(program, setup)?,
            labels: Labels::of(program),
            defs: BTreeMap::new(),
        })
    }

    /// Tells the events of a log from `from` on.
    pub(crate) fn events(&mut self, log: &Log, from: usize) -> Vec<SavedEvent> {
        log.records()[from.min(log.len())..].iter().map(|record| self.event(log, record)).collect()
    }

    /// An entity that is created has no name before, one that is removed none after.
    fn event(&mut self, log: &Log, record: &Record) -> SavedEvent {
        let words = log.payload(record);
        let is_created = record.event == native::CREATED;
        let before = (!is_created).then(|| self.fields(record, words));
        // Whether a log folds is what `verify` finds out; here it would only cost names.
        let _ = self.folder.fold(&mut self.board, log, record);
        if let (true, [entity, def, ..]) = (is_created, words) {
            self.remember(*entity, *def);
        }
        SavedEvent {
            id: record.id,
            event: self.program.events[record.event.index()].name.clone(),
            cause: match record.cause {
                Cause::Input(number) => SavedCause::Input(number),
                Cause::Event(id) => SavedCause::Event(id),
            },
            status: match record.status {
                Status::Applied => SavedStatus::Applied,
                Status::Prevented => SavedStatus::Prevented,
                Status::Failed => SavedStatus::Failed,
            },
            fields: before.unwrap_or_else(|| self.fields(record, words)),
            words: Words(words.to_vec()),
        }
    }

    fn remember(&mut self, entity: Word, def: Word) {
        let is_named = |candidate: &intermezzo_ruleset::Def| Word::from(candidate.name.0) == def;
        if let Some(def) = self.program.defs.iter().position(is_named) {
            self.defs.insert(entity, DefId(def as u16));
        }
    }

    fn fields(&self, record: &Record, mut words: &[Word]) -> Map<String, Value> {
        let program = &self.program;
        let mut told = Map::new();
        let mut changed = None;
        if record.event == native::CHANGED {
            let prop = words.split_off_first().and_then(|prop| usize::try_from(*prop).ok());
            changed = prop.and_then(|prop| program.props.get(prop)).map(|prop| prop.ty);
        }
        for field in &program.events[record.event.index()].fields {
            let is_any = program.types[field.ty.index()] == Type::Any;
            let ty = changed.filter(|_| is_any).unwrap_or(field.ty);
            let value = self.flat(ty, &mut words).unwrap_or_default();
            told.insert(program.symbol(field.name).to_owned(), value);
        }
        if record.event == native::CREATED {
            let with = self.with(&mut words).unwrap_or_default();
            if !with.is_empty() {
                told.insert("with".to_owned(), Value::Object(with));
            }
        }
        told
    }

    /// The properties a created entity was given.
    fn with(&self, words: &mut &[Word]) -> Option<Map<String, Value>> {
        let mut told = Map::new();
        for _ in 0..*words.split_off_first()? {
            let prop = usize::try_from(*words.split_off_first()?).ok()?;
            let prop = self.program.props.get(prop)?;
            told.insert(self.program.symbol(prop.name).to_owned(), self.flat(prop.ty, words)?);
        }
        Some(told)
    }

    /// A value that is written out flat: lists after their lengths, records after a 1, maps after the number of keys.
    fn flat(&self, ty: TypeId, words: &mut &[Word]) -> Option<Value> {
        let first = *words.split_off_first()?;
        if first == NULL {
            return Some(Value::Null);
        }
        let program = &self.program;
        match &program.types[ty.index()] {
            Type::List(item) => (0..first).map(|_| self.flat(*item, words)).collect(),
            Type::PlayerMap(item) => {
                let entry = |seat| Some((format!("p{seat}"), self.flat(*item, words)?));
                (0..first).map(entry).collect()
            }
            Type::EnumMap(of, item) => {
                let members = program.enums[of.index()].members.iter();
                members.map(|member| Some((self.spelling(*member), self.flat(*item, words)?))).collect()
            }
            Type::Record(fields) => {
                fields.iter().map(|(name, ty)| Some((self.spelling(*name), self.flat(*ty, words)?))).collect()
            }
            _ => Some(self.plain(&self.board, first, ty)),
        }
    }

    fn spelling(&self, symbol: Symbol) -> String {
        self.program.symbol(symbol).to_owned()
    }

    /// A value as people read it, on the board it belongs to.
    pub(crate) fn plain(&self, board: &Board, value: Word, ty: TypeId) -> Value {
        let is_entity = matches!(self.program.types[ty.index()], Type::Entity | Type::Kind(_));
        match self.defs.get(&value) {
            Some(def) if is_entity => Value::from(self.label(board, value, *def)),
            _ if self.program.types[ty.index()] == Type::Offer => {
                self.named(board, &describe(&self.program, board, value, ty))
            }
            _ => to_json(&describe(&self.program, board, value, ty)),
        }
    }

    /// A datum with the entities in it by their names.
    fn named(&self, board: &Board, datum: &Datum) -> Value {
        match datum {
            Datum::Text(text) => {
                let row = text.strip_prefix('#').and_then(|row| row.parse::<u32>().ok());
                let is_it = |(entity, _): &(&Word, &DefId)| Some(word::row(**entity)) == row;
                // Of those that ever had the row, the newest is the one that is there.
                match self.defs.iter().rfind(is_it) {
                    Some((entity, def)) => Value::from(self.label(board, *entity, *def)),
                    None => Value::from(text.as_str()),
                }
            }
            Datum::List(items) => items.iter().map(|item| self.named(board, item)).collect(),
            Datum::Map(entries) => {
                entries.iter().map(|(name, value)| (name.to_string(), self.named(board, value))).collect()
            }
            plain => to_json(plain),
        }
    }

    fn label(&self, board: &Board, entity: Word, def: DefId) -> String {
        let kind = self.program.defs[def.index()].kind;
        let own = self.label_value(board, entity, kind);
        let own = own.unwrap_or_else(|| Labels::def_title(&self.program, def).to_owned());
        format!("{own} #{}", word::row(entity))
    }

    fn label_value(&self, board: &Board, entity: Word, kind: KindId) -> Option<String> {
        let program = &self.program;
        let name = self.labels.prop(&program.kinds[kind.index()].name)?;
        let prop = &program.props[program.prop_of(kind, program.symbol_named(name)?)?.index()];
        let value = prop.derived.is_none().then(|| board.column(entity, prop.column))??;
        match describe(program, board, value, prop.ty) {
            Datum::Text(text) => Some(text.into()),
            Datum::Int(number) => Some(number.to_string()),
            _ => None,
        }
    }
}
