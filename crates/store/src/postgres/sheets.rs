//! A plan as columns, which is how the statements of the writer take it: a few arrays for any number of changes.

use uuid::Uuid;

use super::plan::Plan;
use super::statements::due;
use crate::transaction::{Due, Expect};

/// Changes of logs, in the order of their matches.
#[derive(Default)]
pub(super) struct LogSheet<'a> {
    pub(super) begun: Begun,
    pub(super) moved: Moved,
    pub(super) rows: Bodies<'a>,
    pub(super) snapshots: Bodies<'a>,
}

/// Matches of which nothing was known.
#[derive(Default)]
pub(super) struct Begun {
    pub(super) ids: Vec<Uuid>,
    pub(super) heads: Vec<i64>,
    pub(super) due_ms: Vec<Option<i64>>,
}

/// Matches whose logs go on.
#[derive(Default)]
pub(super) struct Moved {
    pub(super) ids: Vec<Uuid>,
    pub(super) before: Vec<i64>,
    pub(super) heads: Vec<i64>,
    pub(super) how: Vec<i16>,
    pub(super) due_ms: Vec<Option<i64>>,
}

/// Rows of logs, or snapshots.
#[derive(Default)]
pub(super) struct Bodies<'a> {
    pub(super) ids: Vec<Uuid>,
    pub(super) versions: Vec<i64>,
    pub(super) bodies: Vec<&'a [u8]>,
}

impl<'a> LogSheet<'a> {
    pub(super) fn of(plan: &Plan<'a>) -> LogSheet<'a> {
        let mut sheet = LogSheet::default();
        for (match_id, log) in &plan.logs {
            let id = Uuid::from_u128(match_id.0);
            let head = log.head.cast_signed();
            let (how, due_ms) = match log.due {
                Due::Keep => (due::KEEP, None),
                Due::At(due_ms) => (due::AT, Some(due_ms)),
                Due::Never => (due::NEVER, None),
            };
            match log.before {
                None => sheet.begun.add(id, head, due_ms),
                Some(before) => sheet.moved.add(id, before.cast_signed(), head, how, due_ms),
            }
            let first = head - log.rows.len() as i64 + 1;
            for (version, body) in (first..).zip(&log.rows) {
                sheet.rows.add(id, version, body);
            }
            if let Some(snapshot) = log.snapshot {
                sheet.snapshots.add(id, snapshot.version.cast_signed(), &snapshot.body);
            }
        }
        sheet
    }
}

impl Begun {
    fn add(&mut self, id: Uuid, head: i64, due_ms: Option<i64>) {
        self.ids.push(id);
        self.heads.push(head);
        self.due_ms.push(due_ms);
    }
}

impl Moved {
    fn add(&mut self, id: Uuid, before: i64, head: i64, how: i16, due_ms: Option<i64>) {
        self.ids.push(id);
        self.before.push(before);
        self.heads.push(head);
        self.how.push(how);
        self.due_ms.push(due_ms);
    }
}

impl<'a> Bodies<'a> {
    fn add(&mut self, id: Uuid, version: i64, body: &'a [u8]) {
        self.ids.push(id);
        self.versions.push(version);
        self.bodies.push(body);
    }
}

/// Changes of records, in the order of their keys.
#[derive(Default)]
pub(super) struct RecordSheet<'a> {
    /// Those that must not be there before.
    pub(super) made: Values<'a>,
    /// Those that must have a version before.
    pub(super) changed: Changed<'a>,
    /// Those that are there afterwards, whatever was before.
    pub(super) put: Values<'a>,
    pub(super) removed: Removed<'a>,
}

#[derive(Default)]
pub(super) struct Values<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) values: Vec<&'a [u8]>,
}

#[derive(Default)]
pub(super) struct Changed<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    pub(super) versions: Vec<i64>,
    pub(super) values: Vec<&'a [u8]>,
}

#[derive(Default)]
pub(super) struct Removed<'a> {
    pub(super) keys: Vec<&'a [u8]>,
    /// What they must have before, if that matters.
    pub(super) versions: Vec<Option<i64>>,
}

impl<'a> RecordSheet<'a> {
    pub(super) fn of(plan: &Plan<'a>) -> RecordSheet<'a> {
        let mut sheet = RecordSheet::default();
        for (key, change) in &plan.records {
            let key = key.as_bytes();
            match (change.before, change.value) {
                (Expect::Absent, Some(value)) => sheet.made.add(key, value),
                // It is made and removed again: so nobody else makes it before all of this is committed.
                (Expect::Absent, None) => {
                    sheet.made.add(key, &[]);
                    sheet.removed.add(key, None);
                }
                (Expect::Version(version), Some(value)) => {
                    sheet.changed.keys.push(key);
                    sheet.changed.versions.push(version.cast_signed());
                    sheet.changed.values.push(value);
                }
                (Expect::Version(version), None) => sheet.removed.add(key, Some(version.cast_signed())),
                (Expect::Anything, Some(value)) => sheet.put.add(key, value),
                (Expect::Anything, None) => sheet.removed.add(key, None),
            }
        }
        sheet
    }
}

impl<'a> Values<'a> {
    fn add(&mut self, key: &'a [u8], value: &'a [u8]) {
        self.keys.push(key);
        self.values.push(value);
    }
}

impl<'a> Removed<'a> {
    fn add(&mut self, key: &'a [u8], version: Option<i64>) {
        self.keys.push(key);
        self.versions.push(version);
    }
}
