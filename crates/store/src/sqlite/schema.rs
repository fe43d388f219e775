//! The tables and their numbered migrations. Each migration runs once and never changes.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// The application id in the header of the SQLite file.
const APPLICATION_ID: i32 = 0x494d_5a4f;

/// Migration n turns format n - 1 into format n.
///
/// Log rows are appended at the end of one table: an index by (match, version) would touch another page for
/// almost every row. Instead, each row stores the place of its predecessor, and `tails` stores the head of each
/// log in few small rows.
const MIGRATIONS: &[&str] = &["
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

/// Migrates a file to the newest format. Rejects files of other programs and newer formats.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    prepare_with(connection, MIGRATIONS)
}

fn prepare_with(connection: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    let format = format_of(connection)?;
    if format > steps.len() {
        let known = steps.len();
        let what = format!("its format is {format}, but this version supports formats up to {known}");
        return Err(StoreError::new(what));
    }
    for (at, step) in steps.iter().enumerate().skip(format) {
        apply_migration(connection, step, at + 1).map_err(|error| {
            StoreError::new(format!("the migration to format {} failed: {error}", at + 1))
        })?;
    }
    Ok(())
}

/// Returns the format of a file; 0 if it is empty.
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
    if pages > 0 { Err(StoreError::new("it belongs to another program")) } else { Ok(0) }
}

fn apply_migration(connection: &mut Connection, step: &str, format: usize) -> rusqlite::Result<()> {
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
        for format in 0..=MIGRATIONS.len() {
            let mut older = Connection::open_in_memory().unwrap();
            prepare_with(&mut older, &MIGRATIONS[..format]).unwrap();
            prepare(&mut older).unwrap();
            assert_eq!(tables(&older), tables(&fresh), "from format {format}");
        }
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        prepare(&mut connection).unwrap();
        let before = tables(&connection);
        let mut steps = MIGRATIONS.to_vec();
        steps.push("CREATE TABLE more (a); CREATE TABLE log (a);");
        let error = prepare_with(&mut connection, &steps).unwrap_err().to_string();
        assert!(error.starts_with(&format!("the migration to format {} failed: ", steps.len())), "{error}");
        assert_eq!(tables(&connection), before);
        assert_eq!(format_of(&connection), Ok(MIGRATIONS.len()));
    }

    #[test]
    fn a_newer_format_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        let newer: Vec<&str> = MIGRATIONS.iter().copied().chain(["CREATE TABLE more (a)"]).collect();
        prepare_with(&mut connection, &newer).unwrap();
        let error = prepare(&mut connection).unwrap_err().to_string();
        let (has, knows) = (newer.len(), MIGRATIONS.len());
        assert_eq!(error, format!("its format is {has}, but this version supports formats up to {knows}"));
    }

    #[test]
    fn a_database_of_another_program_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (a)").unwrap();
        let error = prepare(&mut connection).unwrap_err().to_string();
        assert_eq!(error, "it belongs to another program");
        assert_eq!(tables(&connection), ["CREATE TABLE theirs (a)"]);
    }
}
