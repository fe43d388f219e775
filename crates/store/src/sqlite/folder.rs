//! The folder a store lives in: its files, and the lock that keeps others out.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::schema;
use crate::error::StoreError;

/// Held while the store is open. The operating system gives it back when the process ends, however it ends.
pub(super) struct Lock {
    _file: File,
}

/// The file with the tables.
pub(super) fn database_in(folder: &Path) -> PathBuf {
    folder.join("store.db")
}

/// Makes the folder if it is not there, and takes it for this process alone.
pub(super) fn take(folder: &Path) -> Result<Lock, StoreError> {
    let failed = |what: &str, error: std::io::Error| {
        StoreError::new(format!("the store in `{}` {what}: {error}", folder.display()))
    };
    make(folder).map_err(|error| failed("cannot be made", error))?;
    let file = File::create(folder.join("store.lock")).map_err(|error| failed("cannot be locked", error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock { _file: file }),
        Err(TryLockError::WouldBlock) => {
            let what = format!("the store in `{}` is in use, maybe by another process", folder.display());
            Err(StoreError::new(what))
        }
        Err(TryLockError::Error(error)) => Err(failed("cannot be locked", error)),
    }
}

/// Makes the folder so that it is still there after a loss of power.
fn make(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// How many pages the write-ahead log takes before they are moved to the database: 32 MiB.
///
/// Pages that are written again and again, such as the ends of logs, are moved once.
const PAGES_BEFORE_MOVING: i64 = 8192;

/// Opens the one connection that writes, with the newest tables.
pub(super) fn open_to_write(folder: &Path) -> Result<Connection, StoreError> {
    let opened = Connection::open(database_in(folder)).map_err(|error| StoreError::new(error.to_string()));
    let prepared = opened.and_then(|mut connection| {
        schema::prepare(&mut connection)?;
        set_up(&connection).map_err(|error| StoreError::new(error.to_string()))?;
        Ok(connection)
    });
    prepared.map_err(|error| {
        StoreError::new(format!("the store in `{}` cannot be opened: {error}", folder.display()))
    })
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", PAGES_BEFORE_MOVING, |_| Ok(()))
}

/// Opens a connection that only reads.
pub(super) fn open_to_read(database: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}
