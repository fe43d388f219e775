//! The folder of a store: its files, who may read them, and the lock against other processes.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
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
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(FILE_MODE);
    let file = options.open(folder.join("store.lock")).map_err(|error| failed("cannot be locked", error))?;
    match file.try_lock() {
        Ok(()) => {
            restrict(folder);
            Ok(StoreLock { _file: file })
        }
        Err(TryLockError::WouldBlock) => {
            let what = format!("the store in `{}` is in use, possibly by another process", folder.display());
            Err(StoreError::new(what))
        }
        Err(TryLockError::Error(error)) => Err(failed("cannot be locked", error)),
    }
}

/// Only the server's user may read the data: it contains the seeds of running matches.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Takes the data of earlier versions away from other users. A folder that also holds other files keeps its
/// permissions.
fn restrict(folder: &Path) {
    let is_own = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            // The socket stays behind when the server is killed.
            name.to_string_lossy().starts_with("store.") || name == "admin.sock"
        })
    };
    let Ok(mut entries) = std::fs::read_dir(folder) else { return };
    if entries.all(is_own) {
        set_mode(folder, FOLDER_MODE);
    } else {
        tracing::warn!(folder = %folder.display(), "the data folder holds other files; it stays readable as it is");
    }
    for file in ["store.db", "store.db-wal", "store.db-shm", "store.lock"] {
        let path = folder.join(file);
        if path.exists() {
            set_mode(&path, FILE_MODE);
        }
    }
}

/// Takes a file away from other users.
pub(super) fn make_private(path: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(FILE_MODE))
}

fn set_mode(path: &Path, mode: u32) {
    let is_wider = std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o777 & !mode != 0);
    if is_wider && let Err(error) = std::fs::set_permissions(path, Permissions::from_mode(mode)) {
        tracing::warn!(path = %path.display(), %error, "others may be able to read the data");
    }
}

/// Creates the folder durably: syncing the parent keeps it across a power loss.
pub(super) fn create(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
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
    let opened = create_database(folder).and_then(|()| {
        Connection::open(database_path(folder)).map_err(|error| StoreError::new(error.to_string()))
    });
    let prepared = opened.and_then(|mut connection| {
        schema::prepare(&mut connection)?;
        configure(&connection).map_err(|error| StoreError::new(error.to_string()))?;
        Ok(connection)
    });
    prepared.map_err(|error| {
        StoreError::new(format!("the store in `{}` cannot be opened: {error}", folder.display()))
    })
}

/// Creates the database file, if there is none. It gets its name when it is complete: an empty file of that name is one
/// whose contents are lost; starting over would hide that.
fn create_database(folder: &Path) -> Result<(), StoreError> {
    let (path, unfinished) = (database_path(folder), folder.join("store.new"));
    if let Ok(about) = std::fs::metadata(&path) {
        return match about.len() {
            0 => Err(StoreError::new(
                "`store.db` is empty: its contents are lost. Restore it from a backup; to start over, remove it",
            )),
            _ => Ok(()),
        };
    }
    let failed = |error: std::io::Error| StoreError::new(error.to_string());
    if unfinished.exists() {
        std::fs::remove_file(&unfinished).map_err(failed)?;
    }
    OpenOptions::new().create_new(true).write(true).mode(FILE_MODE).open(&unfinished).map_err(failed)?;
    let mut connection = Connection::open(&unfinished).map_err(|error| StoreError::new(error.to_string()))?;
    schema::prepare(&mut connection)?;
    connection.close().map_err(|(_, error)| StoreError::new(error.to_string()))?;
    File::open(&unfinished).and_then(|file| file.sync_all()).map_err(failed)?;
    std::fs::rename(&unfinished, &path).map_err(failed)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
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
