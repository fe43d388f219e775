//! Connections that only read, used by threads that may block.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::folder;
use super::trouble::Trouble;
use crate::error::StoreError;

/// How many reads go on at the same time.
const READERS: u32 = 4;

/// A few connections and who may use them.
pub(super) struct Readers {
    database: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Readers {
    pub(super) fn new(database: PathBuf) -> Readers {
        Readers { database, idle: Mutex::default(), permits: Semaphore::new(READERS as usize) }
    }

    /// Reads on a thread of its own, as soon as a connection is free. `what` says what is read.
    pub(super) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        what: String,
        read: impl FnOnce(&Connection) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Ok(_permit) = self.permits.acquire().await else {
            return Err(StoreError::new("the store is closed"));
        };
        let readers = Arc::clone(&self);
        let reading = tokio::task::spawn_blocking(move || readers.read_now(read));
        let outcome = match reading.await {
            Ok(outcome) => outcome.map_err(|trouble| trouble.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let place = self.database.display();
        outcome.map_err(|error| StoreError::new(format!("{what} cannot be read from `{place}`: {error}")))
    }

    /// A connection on which something failed is not used again.
    fn read_now<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => folder::open_to_read(&self.database)?,
        };
        let value = read(&connection)?;
        self.idle().push(connection);
        Ok(value)
    }

    /// Lets reads that were begun come to their end, and closes all connections.
    pub(super) async fn close(&self) {
        if let Ok(_permits) = self.permits.acquire_many(READERS).await {
            self.permits.close();
        }
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
