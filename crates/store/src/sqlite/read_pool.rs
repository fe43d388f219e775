//! The pool of read-only connections, used on blocking threads.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::errors::SqliteError;
use super::folder;
use crate::error::StoreError;

/// Maximum number of concurrent reads.
const MAX_CONNECTIONS: usize = 4;

/// A pool of read-only connections.
pub(super) struct SqliteReadPool {
    database: PathBuf,
    permits: Semaphore,
    pool: Mutex<PoolState>,
    returned: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Connection>,
    in_use: usize,
    is_closed: bool,
}

impl SqliteReadPool {
    pub(super) fn new(database: PathBuf) -> SqliteReadPool {
        let (pool, returned) = (Mutex::default(), Condvar::new());
        SqliteReadPool { database, permits: Semaphore::new(MAX_CONNECTIONS), pool, returned }
    }

    /// Runs a read on a blocking thread as soon as a connection is free. `what` names the data in error
    /// messages.
    pub(super) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        what: String,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await;
        let pool_handle = Arc::clone(&self);
        let reading = tokio::task::spawn_blocking(move || pool_handle.read_now(read));
        let outcome = match reading.await {
            Ok(outcome) => outcome.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let path = self.database.display();
        outcome.map_err(|error| StoreError::new(format!("{what} cannot be read from `{path}`: {error}")))
    }

    fn read_now<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError>,
    ) -> Result<T, SqliteError> {
        let mut slot = self.acquire()?;
        let connection = match slot.connection.take() {
            Some(connection) => connection,
            None => folder::open_to_read(&self.database)?,
        };
        let value = read(&connection)?;
        // A connection on which a statement failed is not reused.
        slot.connection = Some(connection);
        Ok(value)
    }

    fn acquire(&self) -> Result<PooledConnection<'_>, SqliteError> {
        let mut pool = self.pool();
        if pool.is_closed {
            return Err(SqliteError::Corrupt("the store is closed".to_owned()));
        }
        pool.in_use += 1;
        Ok(PooledConnection { connection: pool.idle.pop(), owner: self })
    }

    /// Waits for running reads to finish, then closes all connections.
    pub(super) fn close(&self) {
        let mut pool = self.pool();
        pool.is_closed = true;
        let closed = self.returned.wait_while(pool, |pool| pool.in_use > 0);
        closed.unwrap_or_else(PoisonError::into_inner).idle.clear();
    }

    fn pool(&self) -> MutexGuard<'_, PoolState> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot in the pool. Dropping it returns its connection, if it has one.
struct PooledConnection<'a> {
    connection: Option<Connection>,
    owner: &'a SqliteReadPool,
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let mut pool = self.owner.pool();
        pool.in_use -= 1;
        pool.idle.extend(self.connection.take());
        self.owner.returned.notify_all();
    }
}
