//! The tables, and how older files get them: numbered steps, each taken once and never changed.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// Marks a file as ours, in the header of every SQLite file.
const APPLICATION_ID: i32 = 0x494d_5a4f;

/// Step n makes a file of format n from one of format n - 1.
///
/// The log is written at its end only: an index by (match, version) would touch a
/// page for almost every row. Instead a row knows the place of the row before it,
/// and `tails` where the log of each match ends, in few and small rows.
const STEPS: &[&str] = &["
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE tails (
        match INTEGER PRIMARY KEY,
        head INTEGER NOT NULL,
        last INTEGER NOT NULL,
        landing INTEGER NOT NULL,
        due_ms INTEGER
    ) STRICT;
    CREATE INDEX tails_by_due ON tails (due_ms) WHERE due_ms IS NOT NULL;
    CREATE TABLE log (
        place INTEGER PRIMARY KEY,
        match INTEGER NOT NULL,
        version INTEGER NOT NULL,
        before INTEGER NOT NULL,
        landing INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE snapshots (
        match INTEGER PRIMARY KEY,
        version INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE records (
        key BLOB PRIMARY KEY,
        version INTEGER NOT NULL,
        value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counters (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO counters VALUES ('record changes', 0);
"];

/// Brings a file to the newest format. A file that is not ours, or newer than this program, is left alone.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    prepare_with(connection, STEPS)
}

fn prepare_with(connection: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    let format = format_of(connection)?;
    if format > steps.len() {
        let known = steps.len();
        let what = format!("it has format {format}, but this program knows formats up to {known} only");
        return Err(StoreError::new(what));
    }
    for (at, step) in steps.iter().enumerate().skip(format) {
        take(connection, step, at + 1).map_err(|error| {
            StoreError::new(format!("it cannot be brought to format {}: {error}", at + 1))
        })?;
    }
    Ok(())
}

/// How many steps a file has behind it; 0 if it is empty.
fn format_of(connection: &Connection) -> Result<usize, StoreError> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let unreadable = |error| StoreError::new(format!("it cannot be read: {error}"));
    let application = number("application_id").map_err(unreadable)?;
    let pages = number("page_count").map_err(unreadable)?;
    if application == i64::from(APPLICATION_ID) {
        return number("user_version")
            .map(|format| usize::try_from(format).unwrap_or(usize::MAX))
            .map_err(unreadable);
    }
    if pages > 0 { Err(StoreError::new("it is a database of another program")) } else { Ok(0) }
}

fn take(connection: &mut Connection, step: &str, format: usize) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(step)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", format as i64)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
        let texts = statement.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
        texts.map(|text| text.unwrap().unwrap_or_default()).collect()
    }

    #[test]
    fn every_older_format_becomes_the_newest() {
        let mut fresh = Connection::open_in_memory().unwrap();
        prepare(&mut fresh).unwrap();
        for format in 0..=STEPS.len() {
            let mut older = Connection::open_in_memory().unwrap();
            prepare_with(&mut older, &STEPS[..format]).unwrap();
            prepare(&mut older).unwrap();
            assert_eq!(tables(&older), tables(&fresh), "from format {format}");
        }
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        prepare(&mut connection).unwrap();
        let before = tables(&connection);
        let mut steps = STEPS.to_vec();
        steps.push("CREATE TABLE more (a); CREATE TABLE log (a);");
        let error = prepare_with(&mut connection, &steps).unwrap_err().to_string();
        assert!(error.starts_with(&format!("it cannot be brought to format {}: ", steps.len())), "{error}");
        assert_eq!(tables(&connection), before);
        assert_eq!(format_of(&connection), Ok(STEPS.len()));
    }

    #[test]
    fn a_newer_format_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        let newer: Vec<&str> = STEPS.iter().copied().chain(["CREATE TABLE more (a)"]).collect();
        prepare_with(&mut connection, &newer).unwrap();
        let error = prepare(&mut connection).unwrap_err().to_string();
        let (has, knows) = (newer.len(), STEPS.len());
        assert_eq!(error, format!("it has format {has}, but this program knows formats up to {knows} only"));
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (a)").unwrap();
        let error = prepare(&mut connection).unwrap_err().to_string();
        assert_eq!(error, "it is a database of another program");
        assert_eq!(tables(&connection), ["CREATE TABLE theirs (a)"]);
    }
}
