//! The prepared statements of the writer.

use tokio_postgres::{Client, Error, Statement};

pub(super) struct WriteStatements {
    pub(super) lock_logs: Statement,
    pub(super) lock_records: Statement,
    /// Its parameters are documented in `functions.sql`.
    pub(super) write: Statement,
    pub(super) delete_match: Statement,
}

// Every server locks rows in key order, so lock cycles (deadlocks) cannot occur.
const LOCK_LOGS: &str = "SELECT match, head FROM matches WHERE match = ANY($1) ORDER BY match FOR UPDATE";

const LOCK_RECORDS: &str = "SELECT key, version FROM records WHERE key = ANY($1) ORDER BY key FOR UPDATE";

const WRITE: &str = "
    SELECT write_group(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)";

/// Codes for the change of a due time.
pub(super) mod due {
    pub(crate) const KEEP: i16 = 0;
    pub(crate) const AT: i16 = 1;
    pub(crate) const NEVER: i16 = 2;
}

const DELETE_MATCH: &str = "SELECT forget_match($1)";

impl WriteStatements {
    pub(super) async fn prepare(client: &Client) -> Result<WriteStatements, Error> {
        Ok(WriteStatements {
            lock_logs: client.prepare(LOCK_LOGS).await?,
            lock_records: client.prepare(LOCK_RECORDS).await?,
            write: client.prepare(WRITE).await?,
            delete_match: client.prepare(DELETE_MATCH).await?,
        })
    }
}
