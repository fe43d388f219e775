//! The folder of a store: its files and the lock against other processes.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::schema;
use crate::error::StoreError;

/// The lock of an open store. The operating system releases it when the process ends, however it ends.
pub(super) struct StoreLock {
    _file: File,
}

/// Returns the path of the database file.
pub(super) fn database_path(folder: &Path) -> PathBuf {
    folder.join("store.db")
}

/// Creates the folder if necessary and locks it for this process.
pub(super) fn lock(folder: &Path) -> Result<StoreLock, StoreError> {
    let failed = |what: &str, error: std::io::Error| {
        StoreError::new(format!("the store in `{}` {what}: {error}", folder.display()))
    };
    create(folder).map_err(|error| failed("cannot be created", error))?;
    let file = File::create(folder.join("store.lock")).map_err(|error| failed("cannot be locked", error))?;
    match file.try_lock() {
        Ok(()) => Ok(StoreLock { _file: file }),
        Err(TryLockError::WouldBlock) => {
            let what = format!("the store in `{}` is in use, possibly by another process", folder.display());
            Err(StoreError::new(what))
        }
        Err(TryLockError::Error(error)) => Err(failed("cannot be locked", error)),
    }
}

/// Creates the folder durably: syncing the parent keeps it across a power loss.
pub(super) fn create(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// Pages in the write-ahead log before a checkpoint: 32 MiB.
///
/// A large value pays off because hot pages, such as the log heads, are then checkpointed once instead of
/// often.
const CHECKPOINT_PAGES: i64 = 8192;

/// Opens the write connection and migrates the tables.
pub(super) fn open_to_write(folder: &Path) -> Result<Connection, StoreError> {
    let opened = Connection::open(database_path(folder)).map_err(|error| StoreError::new(error.to_string()));
    let prepared = opened.and_then(|mut connection| {
        schema::prepare(&mut connection)?;
        configure(&connection).map_err(|error| StoreError::new(error.to_string()))?;
        Ok(connection)
    });
    prepared.map_err(|error| {
        StoreError::new(format!("the store in `{}` cannot be opened: {error}", folder.display()))
    })
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, |_| Ok(()))
}

/// Opens a read-only connection.
pub(super) fn open_to_read(database: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}
