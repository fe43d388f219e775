//! What the writer says to the database.

use futures_util::future::try_join_all;
use tokio_postgres::{Client, Error, Statement};

/// All statements of the writer, prepared.
pub(super) struct Statements {
    pub(super) lock_logs: Statement,
    pub(super) lock_records: Statement,
    pub(super) begin_logs: Statement,
    pub(super) move_logs: Statement,
    pub(super) add_rows: Statement,
    pub(super) keep_snapshots: Statement,
    pub(super) make_records: Statement,
    pub(super) change_records: Statement,
    pub(super) put_records: Statement,
    pub(super) remove_records: Statement,
    pub(super) forget: Statement,
}

// Rows are locked in the order of their keys, by everyone, so that nobody waits for somebody who waits for him.
const LOCK_LOGS: &str = "SELECT match, head FROM matches WHERE match = ANY($1) ORDER BY match FOR UPDATE";

const LOCK_RECORDS: &str = "SELECT key, version FROM records WHERE key = ANY($1) ORDER BY key FOR UPDATE";

const BEGIN_LOGS: &str = "
    INSERT INTO matches (match, head, due_ms, wake_ms)
    SELECT match, head, due_ms, due_ms FROM unnest($1::uuid[], $2::int8[], $3::int8[]) AS given (match, head, due_ms)";

/// What `move_logs` is to do with the time when a match is due.
pub(super) mod due {
    pub(crate) const KEEP: i16 = 0;
    pub(crate) const AT: i16 = 1;
    pub(crate) const NEVER: i16 = 2;
}

const MOVE_LOGS: &str = "
    WITH moved AS (
        UPDATE matches SET
            head = given.head,
            due_ms = CASE given.how WHEN 0 THEN matches.due_ms WHEN 1 THEN given.due_ms END,
            wake_ms = CASE given.how WHEN 1 THEN least(matches.wake_ms, given.due_ms) ELSE matches.wake_ms END,
            held_until_ms = CASE given.how WHEN 0 THEN matches.held_until_ms END
        FROM unnest($1::uuid[], $2::int8[], $3::int8[], $4::int2[], $5::int8[])
            AS given (match, before, head, how, due_ms)
        WHERE matches.match = given.match AND matches.head = given.before
        RETURNING 1)
    SELECT must_be(cardinality($1), count(*)) FROM moved";

const ADD_ROWS: &str = "
    INSERT INTO log (match, version, body) SELECT * FROM unnest($1::uuid[], $2::int8[], $3::bytea[])";

const KEEP_SNAPSHOTS: &str = "
    INSERT INTO snapshots (match, version, body) SELECT * FROM unnest($1::uuid[], $2::int8[], $3::bytea[])
    ON CONFLICT (match) DO UPDATE SET version = excluded.version, body = excluded.body
    WHERE excluded.version >= snapshots.version";

const MAKE_RECORDS: &str = "
    INSERT INTO records (key, version, value)
    SELECT key, nextval('record_changes'), value FROM unnest($1::bytea[], $2::bytea[]) AS given (key, value)";

const CHANGE_RECORDS: &str = "
    WITH changed AS (
        UPDATE records SET version = nextval('record_changes'), value = given.value
        FROM unnest($1::bytea[], $2::int8[], $3::bytea[]) AS given (key, version, value)
        WHERE records.key = given.key AND records.version = given.version
        RETURNING 1)
    SELECT must_be(cardinality($1), count(*)) FROM changed";

// The version is drawn anew when the record is there: the one drawn first may be older than what is there by then.
const PUT_RECORDS: &str = "
    INSERT INTO records (key, version, value)
    SELECT key, nextval('record_changes'), value FROM unnest($1::bytea[], $2::bytea[]) AS given (key, value)
    ON CONFLICT (key) DO UPDATE SET version = nextval('record_changes'), value = excluded.value";

const REMOVE_RECORDS: &str = "
    WITH removed AS (
        DELETE FROM records USING unnest($1::bytea[], $2::int8[]) AS given (key, version)
        WHERE records.key = given.key AND (given.version IS NULL OR records.version = given.version)
        RETURNING given.version)
    SELECT must_be((SELECT count(version) FROM unnest($2) AS wanted (version)), count(version)) FROM removed";

const FORGET: &str = "
    WITH rows AS (DELETE FROM log WHERE match = $1), snapshot AS (DELETE FROM snapshots WHERE match = $1)
    DELETE FROM matches WHERE match = $1";

impl Statements {
    pub(super) async fn prepare(client: &Client) -> Result<Statements, Error> {
        let texts = [
            LOCK_LOGS,
            LOCK_RECORDS,
            BEGIN_LOGS,
            MOVE_LOGS,
            ADD_ROWS,
            KEEP_SNAPSHOTS,
            MAKE_RECORDS,
            CHANGE_RECORDS,
            PUT_RECORDS,
            REMOVE_RECORDS,
            FORGET,
        ];
        let prepared = try_join_all(texts.map(|text| client.prepare(text))).await?;
        let mut next = prepared.into_iter();
        let mut take = || next.next().expect("as many are prepared as there are texts");
        Ok(Statements {
            lock_logs: take(),
            lock_records: take(),
            begin_logs: take(),
            move_logs: take(),
            add_rows: take(),
            keep_snapshots: take(),
            make_records: take(),
            change_records: take(),
            put_records: take(),
            remove_records: take(),
            forget: take(),
        })
    }
}
