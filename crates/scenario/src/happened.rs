//! Events of a log as scenario files write them.

use intermezzo_compiler::tree::Entry;
use intermezzo_engine::{Board, Datum, Log, Record, Status, Text};
use intermezzo_ruleset::{NULL, Program, Type, TypeId, Word, native};

use crate::names::Names;
use crate::values::{fits, json, show};

/// An event that happened.
#[derive(Clone, Debug)]
pub(crate) struct Happened {
    pub(crate) event: String,
    pub(crate) fields: Vec<(Text, Datum)>,
    /// It was neither prevented nor did it fail.
    took_place: bool,
}

impl Happened {
    /// Reads an event of a log.
    pub(crate) fn read(
        program: &Program,
        board: &Board,
        names: &Names,
        log: &Log,
        record: &Record,
    ) -> Happened {
        let mut payload = Payload { program, board, names, words: log.payload(record) };
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
            Status::Applied => {}
            Status::Prevented => fields.push(("status".into(), Datum::text("prevented"))),
            Status::Failed => fields.push(("status".into(), Datum::text("failed"))),
        }
        Happened { event: kind.name.clone(), fields, took_place: record.status == Status::Applied }
    }

    /// What a viewer was told of an event.
    pub(crate) fn told(datum: &Datum) -> Happened {
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
        Happened { event, fields, took_place }
    }

    /// Whether it is an event of that name with these among its fields. One that did not happen must be written so.
    pub(crate) fn is(&self, event: &str, fields: &[Entry]) -> bool {
        let value = |name: &str| self.fields.iter().find(|field| field.0 == name).map(|field| &field.1);
        let says_status = fields.iter().any(|entry| entry.key.value == "status");
        self.event == event
            && (says_status || self.took_place)
            && fields.iter().all(|entry| value(&entry.key.value).is_some_and(|got| fits(&entry.value, got)))
    }

    /// The event on one line; fields without a value are left out.
    pub(crate) fn show(&self) -> String {
        match self.fields_with_values() {
            fields if fields.is_empty() => self.event.to_string(),
            fields => format!("{}: {}", self.event, show(&Datum::Map(fields))),
        }
    }

    /// The same for files that are JSON.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self.fields_with_values() {
            fields if fields.is_empty() => self.event.as_str().into(),
            fields => serde_json::json!({ self.event.as_str(): json(&Datum::Map(fields)) }),
        }
    }

    fn fields_with_values(&self) -> Vec<(Text, Datum)> {
        let is_empty = |datum: &Datum| *datum == Datum::Null || *datum == Datum::Map(Vec::new());
        self.fields.iter().filter(|field| !is_empty(&field.1)).cloned().collect()
    }
}

/// The words of a payload: plain values as they are; before the items of a list, record or map their number.
struct Payload<'a> {
    program: &'a Program,
    board: &'a Board,
    names: &'a Names,
    words: &'a [Word],
}

impl Payload<'_> {
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

    /// The properties a created entity was given.
    fn with(&mut self) -> Datum {
        let count = self.next();
        let entry = |_| {
            let prop = &self.program.props[self.next() as usize];
            (self.program.symbol(prop.name).into(), self.value(prop.ty))
        };
        Datum::Map((0..count).map(entry).collect())
    }
}
