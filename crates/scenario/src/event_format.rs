//! Events of a log in the form scenario files use.

use intermezzo_compiler::tree::MapEntry;
use intermezzo_engine::{Board, Datum, EventLog, EventRecord, EventStatus, ShortText};
use intermezzo_program::{NULL, Program, Type, TypeId, Word, native};

use crate::names::EntityLabels;
use crate::values::{fits, json, show};

/// Event in the form scenario files use.
#[derive(Clone, Debug)]
pub(crate) struct LoggedEvent {
    pub(crate) event: String,
    pub(crate) fields: Vec<(ShortText, Datum)>,
    /// True unless it was prevented or failed.
    took_place: bool,
}

impl LoggedEvent {
    /// Decodes a record of the log.
    pub(crate) fn read(
        program: &Program,
        board: &Board,
        names: &EntityLabels,
        log: &EventLog,
        record: &EventRecord,
    ) -> LoggedEvent {
        let mut payload = PayloadReader { program, board, names, words: log.payload(record) };
        let kind = &program.events[record.event.index()];
        let changed = (record.event == native::CHANGED).then(|| payload.next());
        let mut fields = Vec::with_capacity(kind.fields.len());
        for field in &kind.fields {
            let ty = match (&program.types[field.ty.index()], changed) {
                (Type::Any, Some(prop)) => program.props[prop as usize].ty,
                _ => field.ty,
            };
            fields.push((program.symbol(field.name).into(), payload.value(ty)));
        }
        if record.event == native::CREATED {
            fields.push(("with".into(), payload.with()));
        }
        match record.status {
            EventStatus::Applied => {}
            EventStatus::Prevented => fields.push(("status".into(), Datum::text("prevented"))),
            EventStatus::Failed => fields.push(("status".into(), Datum::text("failed"))),
        }
        LoggedEvent { event: kind.name.clone(), fields, took_place: record.status == EventStatus::Applied }
    }

    /// Reads an event as a viewer received it.
    pub(crate) fn from_viewer(datum: &Datum) -> LoggedEvent {
        let event = match datum.get("event") {
            Some(Datum::Text(event)) => event.to_string(),
            _ => String::new(),
        };
        let mut fields = match datum.get("payload") {
            Some(Datum::Map(fields)) => fields.clone(),
            _ => Vec::new(),
        };
        let status = datum.get("status").map(|status| ("status".into(), status.clone()));
        let took_place = status.is_none();
        fields.extend(status);
        LoggedEvent { event, fields, took_place }
    }

    /// Returns whether the event has that name and these fields. A prevented or failed event matches only
    /// with its `status`.
    pub(crate) fn is(&self, event: &str, fields: &[MapEntry]) -> bool {
        let value = |name: &str| self.fields.iter().find(|field| field.0 == name).map(|field| &field.1);
        let says_status = fields.iter().any(|entry| entry.key.value == "status");
        self.event == event
            && (says_status || self.took_place)
            && fields.iter().all(|entry| value(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
    }

    /// Formats the event on one line, without empty fields.
    pub(crate) fn show(&self) -> String {
        match self.fields_with_values() {
            fields if fields.is_empty() => self.event.to_string(),
            fields => format!("{}: {}", self.event, show(&Datum::Map(fields))),
        }
    }

    /// Formats the event for JSON files.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self.fields_with_values() {
            fields if fields.is_empty() => self.event.as_str().into(),
            fields => serde_json::json!({ self.event.as_str(): json(&Datum::Map(fields)) }),
        }
    }

    fn fields_with_values(&self) -> Vec<(ShortText, Datum)> {
        let is_empty = |datum: &Datum| *datum == Datum::Null || *datum == Datum::Map(Vec::new());
        self.fields.iter().filter(|field| !is_empty(&field.1)).cloned().collect()
    }
}

/// Reader for the words of a payload. Plain values are one word; lists, records and maps start with their
/// length.
struct PayloadReader<'a> {
    program: &'a Program,
    board: &'a Board,
    names: &'a EntityLabels,
    words: &'a [Word],
}

impl PayloadReader<'_> {
    fn next(&mut self) -> Word {
        self.words.split_off_first().copied().unwrap_or(NULL)
    }

    fn value(&mut self, ty: TypeId) -> Datum {
        let program = self.program;
        let first = self.next();
        match &program.types[ty.index()] {
            _ if first == NULL => Datum::Null,
            Type::List(item) => Datum::List((0..first).map(|_| self.value(*item)).collect()),
            Type::PlayerMap(item) => {
                Datum::Map((0..first).map(|seat| (format!("p{seat}").into(), self.value(*item))).collect())
            }
            Type::EnumMap(of, item) => {
                let members = &program.enums[of.index()].members;
                let entry = |member: &_| (program.symbol(*member).into(), self.value(*item));
                Datum::Map(members.iter().map(entry).collect())
            }
            Type::Record(fields) => {
                let entry = |(name, ty): &(_, _)| (program.symbol(*name).into(), self.value(*ty));
                Datum::Map(fields.iter().map(entry).collect())
            }
            _ => self.names.describe(program, self.board, first, ty),
        }
    }

    /// Reads the properties a created entity was given.
    fn with(&mut self) -> Datum {
        let count = self.next();
        let entry = |_| {
            let prop = &self.program.props[self.next() as usize];
            (self.program.symbol(prop.name).into(), self.value(prop.ty))
        };
        Datum::Map((0..count).map(entry).collect())
    }
}
