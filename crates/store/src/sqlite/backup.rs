//! Backups of a store that a server may be using.

use std::fs::File;
use std::path::Path;

use super::folder;
use crate::error::StoreError;

/// Writes a copy of the store in `folder` into a new folder, and returns its size in bytes.
///
/// The copy holds everything that was durable when this was called, and is consistent: SQLite reads all of it as of one
/// moment, while the server goes on writing. It is a store itself, so a server can be started on it.
pub(super) fn back_up(folder: &Path, to: &Path) -> Result<u64, StoreError> {
    let failed = |error: &dyn std::fmt::Display| {
        StoreError::new(format!("the store in `{}` cannot be backed up: {error}", folder.display()))
    };
    let database = folder::database_path(folder);
    if !database.is_file() {
        return Err(failed(&"the folder contains no store"));
    }
    if to.exists() {
        return Err(failed(&format!("`{}` exists; give a new folder", to.display())));
    }
    folder::create(to).map_err(|error| failed(&error))?;
    // Under another name until it is complete, so that nobody takes half a copy for a store.
    let partial = to.join("store.db.partial");
    let connection = folder::open_to_read(&database).map_err(|error| failed(&error))?;
    let name = partial.to_str().ok_or_else(|| failed(&"the path is not valid UTF-8"))?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(|error| failed(&error))?;
    let finished = || -> std::io::Result<u64> {
        folder::make_private(&partial)?;
        let file = File::open(&partial)?;
        file.sync_all()?;
        std::fs::rename(&partial, folder::database_path(to))?;
        File::open(to)?.sync_all()?;
        Ok(file.metadata()?.len())
    };
    finished().map_err(|error| failed(&error))
}
