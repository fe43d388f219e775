//! Events and options with names instead of numbers.
//!
//! A [`Narrator`] folds the log along with the match, so that every event uses the names that entities had when
//! it happened.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_engine::{
    Board, Cause, Datum, EventLog, EventRecord, EventStatus, LogFold, Setup, StartError, describe,
};
use intermezzo_program::{DefId, KindId, NULL, Program, Symbol, Type, TypeId, Word, native, word};
use serde_json::{Map, Value};

use crate::file::{PayloadWords, SavedCause, SavedEvent, SavedStatus};

/// Converts a datum to JSON.
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

/// Converts JSON to a datum; `None` if a number is not an integer or too large.
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

/// The display names of entities: the value of the property named by `ui.label`, or the title of their def.
#[derive(Clone, Debug, Default)]
pub struct DisplayLabels {
    default_prop: Option<String>,
    by_kind: Map<String, Value>,
}

impl DisplayLabels {
    /// Reads the labels that the ruleset declares.
    #[must_use]
    pub fn from_program(program: &Program) -> DisplayLabels {
        let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
        match metadata.get("ui").and_then(|ui| ui.get("label")) {
            Some(Value::String(prop)) => {
                DisplayLabels { default_prop: Some(prop.clone()), ..DisplayLabels::default() }
            }
            Some(Value::Object(by_kind)) => {
                DisplayLabels { by_kind: by_kind.clone(), ..DisplayLabels::default() }
            }
            _ => DisplayLabels::default(),
        }
    }

    /// Returns the property that names entities of a kind.
    #[must_use]
    pub fn prop(&self, kind: &str) -> Option<&str> {
        self.by_kind.get(kind).and_then(Value::as_str).or(self.default_prop.as_deref())
    }

    /// Returns the title of a def.
    #[must_use]
    pub fn def_title(program: &Program, def: DefId) -> &str {
        let def = &program.defs[def.index()];
        match program.texts.get(def.title.index()).map(String::as_str) {
            Some(title) if !title.is_empty() => title,
            _ => program.symbol(def.name),
        }
    }
}

/// Follows a log and converts its events.
#[derive(Debug)]
pub(crate) struct Narrator {
    program: Arc<Program>,
    log_fold: LogFold,
    board: Board,
    labels: DisplayLabels,
    /// The def of every entity ever created.
    defs: BTreeMap<Word, DefId>,
}

impl Narrator {
    pub(crate) fn new(program: &Arc<Program>, setup: &Setup) -> Result<Narrator, StartError> {
        Ok(Narrator {
            program: Arc::clone(program),
            log_fold: LogFold::new(Arc::clone(program)),
            board: Board::new(program, setup)?,
            labels: DisplayLabels::from_program(program),
            defs: BTreeMap::new(),
        })
    }

    /// Converts the events of a log from `from` on.
    pub(crate) fn events(&mut self, log: &EventLog, from: usize) -> Vec<SavedEvent> {
        log.records()[from.min(log.len())..].iter().map(|record| self.event(log, record)).collect()
    }

    /// Converts an event. A created entity has no name before the event, a removed one none after it.
    fn event(&mut self, log: &EventLog, record: &EventRecord) -> SavedEvent {
        let words = log.payload(record);
        let is_created = record.event == native::CREATED;
        let before = (!is_created).then(|| self.fields(record, words));
        // `verify` reports fold errors; here an error only costs names.
        let _ = self.log_fold.fold(&mut self.board, log, record);
        if let (true, [entity, def, ..]) = (is_created, words) {
            self.record_def(*entity, *def);
        }
        SavedEvent {
            id: record.id,
            event: self.program.events[record.event.index()].name.clone(),
            cause: match record.cause {
                Cause::Input(number) => SavedCause::Input(number),
                Cause::Event(id) => SavedCause::Event(id),
            },
            status: match record.status {
                EventStatus::Applied => SavedStatus::Applied,
                EventStatus::Prevented => SavedStatus::Prevented,
                EventStatus::Failed => SavedStatus::Failed,
            },
            fields: before.unwrap_or_else(|| self.fields(record, words)),
            words: PayloadWords(words.to_vec()),
        }
    }

    fn record_def(&mut self, entity: Word, def: Word) {
        let is_named = |candidate: &intermezzo_program::Def| Word::from(candidate.name.0) == def;
        if let Some(def) = self.program.defs.iter().position(is_named) {
            self.defs.insert(entity, DefId(def as u16));
        }
    }

    fn fields(&self, record: &EventRecord, mut words: &[Word]) -> Map<String, Value> {
        let program = &self.program;
        let mut fields = Map::new();
        let mut changed = None;
        if record.event == native::CHANGED {
            let prop = words.split_off_first().and_then(|prop| usize::try_from(*prop).ok());
            changed = prop.and_then(|prop| program.props.get(prop)).map(|prop| prop.ty);
        }
        for field in &program.events[record.event.index()].fields {
            let is_any = program.types[field.ty.index()] == Type::Any;
            let ty = changed.filter(|_| is_any).unwrap_or(field.ty);
            let value = self.read_flat(ty, &mut words).unwrap_or_default();
            fields.insert(program.symbol(field.name).to_owned(), value);
        }
        if record.event == native::CREATED {
            let with = self.created_props(&mut words).unwrap_or_default();
            if !with.is_empty() {
                fields.insert("with".to_owned(), Value::Object(with));
            }
        }
        fields
    }

    /// Reads the properties given to a created entity.
    fn created_props(&self, words: &mut &[Word]) -> Option<Map<String, Value>> {
        let mut props = Map::new();
        for _ in 0..*words.split_off_first()? {
            let prop = usize::try_from(*words.split_off_first()?).ok()?;
            let prop = self.program.props.get(prop)?;
            props.insert(self.program.symbol(prop.name).to_owned(), self.read_flat(prop.ty, words)?);
        }
        Some(props)
    }

    /// Reads a flattened value: lists after their lengths, records after a 1, maps after the number of keys.
    fn read_flat(&self, ty: TypeId, words: &mut &[Word]) -> Option<Value> {
        let first = *words.split_off_first()?;
        if first == NULL {
            return Some(Value::Null);
        }
        let program = &self.program;
        match &program.types[ty.index()] {
            Type::List(item) => (0..first).map(|_| self.read_flat(*item, words)).collect(),
            Type::PlayerMap(item) => {
                let entry = |seat| Some((format!("p{seat}"), self.read_flat(*item, words)?));
                (0..first).map(entry).collect()
            }
            Type::EnumMap(of, item) => {
                let members = program.enums[of.index()].members.iter();
                members
                    .map(|member| Some((self.symbol_name(*member), self.read_flat(*item, words)?)))
                    .collect()
            }
            Type::Record(fields) => fields
                .iter()
                .map(|(name, ty)| Some((self.symbol_name(*name), self.read_flat(*ty, words)?)))
                .collect(),
            _ => Some(self.display_value(&self.board, first, ty)),
        }
    }

    fn symbol_name(&self, symbol: Symbol) -> String {
        self.program.symbol(symbol).to_owned()
    }

    /// Converts a value for display, on the board it belongs to.
    pub(crate) fn display_value(&self, board: &Board, value: Word, ty: TypeId) -> Value {
        let is_entity = matches!(self.program.types[ty.index()], Type::Entity | Type::Kind(_));
        match self.defs.get(&value) {
            Some(def) if is_entity => Value::from(self.label(board, value, *def)),
            _ if self.program.types[ty.index()] == Type::Offer => {
                self.with_entity_names(board, &describe(&self.program, board, value, ty))
            }
            _ => to_json(&describe(&self.program, board, value, ty)),
        }
    }

    /// Converts a datum, replacing entity numbers by their names.
    fn with_entity_names(&self, board: &Board, datum: &Datum) -> Value {
        match datum {
            Datum::Text(text) => {
                let row = text.strip_prefix('#').and_then(|row| row.parse::<u32>().ok());
                let is_it = |(entity, _): &(&Word, &DefId)| Some(word::row(**entity)) == row;
                // Rows are reused; the newest entity in the row is the current one.
                match self.defs.iter().rfind(is_it) {
                    Some((entity, def)) => Value::from(self.label(board, *entity, *def)),
                    None => Value::from(text.as_str()),
                }
            }
            Datum::List(items) => items.iter().map(|item| self.with_entity_names(board, item)).collect(),
            Datum::Map(entries) => entries
                .iter()
                .map(|(name, value)| (name.to_string(), self.with_entity_names(board, value)))
                .collect(),
            plain => to_json(plain),
        }
    }

    fn label(&self, board: &Board, entity: Word, def: DefId) -> String {
        let kind = self.program.defs[def.index()].kind;
        let own = self.label_value(board, entity, kind);
        let own = own.unwrap_or_else(|| DisplayLabels::def_title(&self.program, def).to_owned());
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
