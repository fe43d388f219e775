//! What the writer says to the database.

use tokio_postgres::{Client, Error, Statement};

/// All statements of the writer, prepared.
pub(super) struct Statements {
    pub(super) lock_logs: Statement,
    pub(super) lock_records: Statement,
    /// See `functions.sql`, which says what the parameters are.
    pub(super) write: Statement,
    pub(super) forget: Statement,
}

// Rows are locked in the order of their keys, by everyone, so that nobody waits for somebody who waits for him.
const LOCK_LOGS: &str = "SELECT match, head FROM matches WHERE match = ANY($1) ORDER BY match FOR UPDATE";

const LOCK_RECORDS: &str = "SELECT key, version FROM records WHERE key = ANY($1) ORDER BY key FOR UPDATE";

const WRITE: &str = "
    SELECT write_group(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)";

/// What is to become of the time when a match is due.
pub(super) mod due {
    pub(crate) const KEEP: i16 = 0;
    pub(crate) const AT: i16 = 1;
    pub(crate) const NEVER: i16 = 2;
}

const FORGET: &str = "SELECT forget_match($1)";

impl Statements {
    pub(super) async fn prepare(client: &Client) -> Result<Statements, Error> {
        Ok(Statements {
            lock_logs: client.prepare(LOCK_LOGS).await?,
            lock_records: client.prepare(LOCK_RECORDS).await?,
            write: client.prepare(WRITE).await?,
            forget: client.prepare(FORGET).await?,
        })
    }
}
