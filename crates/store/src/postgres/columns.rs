//! A write plan as columns: the write statement takes a few arrays, whatever the number of changes.

use uuid::Uuid;

use super::plan::WritePlan;
use super::statements::due;
use crate::transaction::{Due, Expect};

/// Changes to logs, ordered by match id.
#[derive(Default)]
pub(super) struct LogColumns<'a> {
    pub(super) created: NewMatchColumns,
    pub(super) updated: UpdatedMatchColumns,
    pub(super) rows: BodyColumns<'a>,
    pub(super) snapshots: BodyColumns<'a>,
}

/// Matches that must not exist yet.
#[derive(Default)]
pub(super) struct NewMatchColumns {
    pub(super) ids: Vec<Uuid>,
    pub(super) heads: Vec<i64>,
    pub(super) due_ms: Vec<Option<i64>>,
}

/// Existing matches with their expected and new heads.
#[derive(Default)]
pub(super) struct UpdatedMatchColumns {
    pub(super) ids: Vec<Uuid>,
    pub(super) before: Vec<i64>,
    pub(super) heads: Vec<i64>,
    pub(super) due_modes: Vec<i16>,
    pub(super) due_ms: Vec<Option<i64>>,
}

/// Log rows or snapshots.
#[derive(Default)]
pub(super) struct BodyColumns<'a> {
    pub(super) ids: Vec<Uuid>,
    pub(super) versions: Vec<i64>,
    pub(super) bodies: Vec<&'a [u8]>,
}

impl<'a> LogColumns<'a> {
    pub(super) fn from_plan(plan: &WritePlan<'a>) -> LogColumns<'a> {
        let mut columns = LogColumns::default();
        for (match_id, log) in &plan.logs {
            let id = Uuid::from_u128(match_id.0);
            let head = log.head.cast_signed();
            let (due_mode, due_ms) = match log.due {
                Due::Keep => (due::KEEP, None),
                Due::At(due_ms) => (due::AT, Some(due_ms)),
                Due::Never => (due::NEVER, None),
            };
            match log.before {
                None => columns.created.add(id, head, due_ms),
                Some(before) => columns.updated.add(id, before.cast_signed(), head, due_mode, due_ms),
            }
            let first = head - log.rows.len() as i64 + 1;
            for (version, body) in (first..).zip(&log.rows) {
                columns.rows.add(id, version, body);
            }
            if let Some(snapshot) = log.snapshot {
                columns.snapshots.add(id, snapshot.version.cast_signed(), &snapshot.body);
            }
        }
        columns
    }
}

impl NewMatchColumns {
    fn add(&mut self, id: Uuid, head: i64, due_ms: Option<i64>) {
        self.ids.push(id);
        self.heads.push(head);
        self.due_ms.push(due_ms);
    }
}

impl UpdatedMatchColumns {
    fn add(&mut self, id: Uuid, before: i64, head: i64, due_mode: i16, due_ms: Option<i64>) {
        self.ids.push(id);
        self.before.push(before);
        self.heads.push(head);
        self.due_modes.push(due_mode);
        self.due_ms.push(due_ms);
    }
}

impl<'a> BodyColumns<'a> {
    fn add(&mut self, id: Uuid, version: i64, body: &'a [u8]) {
        self.ids.push(id);
        self.versions.push(version);
        self.bodies.push(body);
    }
}

/// Changes to records, ordered by key.
#[derive(Default)]
pub(super) struct RecordColumns<'a> {
    /// Records that must not exist yet.
    pub(super) created: PutRecordColumns<'a>,
    /// Records that must have the given version.
    pub(super) updated: UpdatedRecordColumns<'a>,
    /// Records written unconditionally.
    pub(super) put: PutRecordColumns<'a>,
    pub(super) removed: RemovedRecordColumns<'a>,
}

#[derive(Default)]
pub(super) struct PutRecordColumns<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) values: Vec<&'a [u8]>,
}

#[derive(Default)]
pub(super) struct UpdatedRecordColumns<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) versions: Vec<i64>,
    pub(super) values: Vec<&'a [u8]>,
}

#[derive(Default)]
pub(super) struct RemovedRecordColumns<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    /// The expected versions; `None` removes unconditionally.
    pub(super) versions: Vec<Option<i64>>,
}

impl<'a> RecordColumns<'a> {
    pub(super) fn from_plan(plan: &WritePlan<'a>) -> RecordColumns<'a> {
        let mut columns = RecordColumns::default();
        for (key, change) in &plan.records {
            let key = key.as_bytes();
            match (change.before, change.value) {
                (Expect::Absent, Some(value)) => columns.created.add(key, value),
                // Inserting and deleting the key locks it, so nobody else can create the record before this
                // commits.
                (Expect::Absent, None) => {
                    columns.created.add(key, &[]);
                    columns.removed.add(key, None);
                }
                (Expect::Version(version), Some(value)) => {
                    columns.updated.keys.push(key);
                    columns.updated.versions.push(version.cast_signed());
                    columns.updated.values.push(value);
                }
                (Expect::Version(version), None) => columns.removed.add(key, Some(version.cast_signed())),
                (Expect::Anything, Some(value)) => columns.put.add(key, value),
                (Expect::Anything, None) => columns.removed.add(key, None),
            }
        }
        columns
    }
}

impl<'a> PutRecordColumns<'a> {
    fn add(&mut self, key: &'a [u8], value: &'a [u8]) {
        self.keys.push(key);
        self.values.push(value);
    }
}

impl<'a> RemovedRecordColumns<'a> {
    fn add(&mut self, key: &'a [u8], version: Option<i64>) {
        self.keys.push(key);
        self.versions.push(version);
    }
}
