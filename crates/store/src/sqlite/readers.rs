//! Connections that only read, used by threads that may block.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::folder;
use super::trouble::Trouble;
use crate::error::StoreError;

/// How many reads go on at the same time.
const READERS: usize = 4;

/// A few connections and who may use them.
pub(super) struct Readers {
    database: PathBuf,
    permits: Semaphore,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    in_use: usize,
    is_closed: bool,
}

impl Readers {
    pub(super) fn new(database: PathBuf) -> Readers {
        let (pool, returned) = (Mutex::default(), Condvar::new());
        Readers { database, permits: Semaphore::new(READERS), pool, returned }
    }

    /// Reads on a thread of its own, as soon as a connection is free. `what` says what is read.
    pub(super) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        what: String,
        read: impl FnOnce(&Connection) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await;
        let readers = Arc::clone(&self);
        let reading = tokio::task::spawn_blocking(move || readers.read_now(read));
        let outcome = match reading.await {
            Ok(outcome) => outcome.map_err(|trouble| trouble.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let place = self.database.display();
        outcome.map_err(|error| StoreError::new(format!("{what} cannot be read from `{place}`: {error}")))
    }

    fn read_now<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Trouble>) -> Result<T, Trouble> {
        let mut lent = self.lend()?;
        let connection = match lent.connection.take() {
            Some(connection) => connection,
            None => folder::open_to_read(&self.database)?,
        };
        let value = read(&connection)?;
        // A connection on which something failed is not used again.
        lent.connection = Some(connection);
        Ok(value)
    }

    fn lend(&self) -> Result<Lent<'_>, Trouble> {
        let mut pool = self.pool();
        if pool.is_closed {
            return Err(Trouble::Broken("the store is closed".to_owned()));
        }
        pool.in_use += 1;
        Ok(Lent { connection: pool.idle.pop(), readers: self })
    }

    /// Lets reads that go on come to their end, and closes all connections.
    pub(super) fn close(&self) {
        let mut pool = self.pool();
        pool.is_closed = true;
        let closed = self.returned.wait_while(pool, |pool| pool.in_use > 0);
        closed.unwrap_or_else(PoisonError::into_inner).idle.clear();
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among those who read, given back when it is dropped, with its connection if it has one.
struct Lent<'a> {
    connection: Option<Connection>,
    readers: &'a Readers,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool();
        pool.in_use -= 1;
        pool.idle.extend(self.connection.take());
        self.readers.returned.notify_all();
    }
}
