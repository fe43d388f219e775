//! The pool of read connections.

use std::sync::Arc;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Row};

use super::connection::PostgresTarget;
use super::errors::describe;
use crate::error::StoreError;

/// Maximum number of concurrent reads.
const MAX_CONNECTIONS: usize = 8;

/// The first statement of each connection: a separate commit, which waits for synchronous standbys like any
/// other.
///
/// A crashed database may have commits in its log that no standby has confirmed. No caller has seen them, but
/// after recovery they can be read, and they are lost if a standby is promoted then. No connection survives a
/// crash. So a connection whose own commit was confirmed reads only confirmed data.
const CONFIRMED_COMMIT: &str = "SELECT pg_logical_emit_message(true, 'intermezzo', 'settled')";

/// A statement parameter.
pub(super) type SqlParam = Box<dyn ToSql + Sync + Send>;

/// A pool of read connections.
pub(super) struct PostgresReadPool {
    target: PostgresTarget,
    pool: Pool,
}

/// A failed read, and whether another connection may succeed.
struct ReadFailure {
    why: String,
    is_disconnected: bool,
}

impl PostgresReadPool {
    pub(super) fn new(target: PostgresTarget) -> Result<PostgresReadPool, StoreError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let config = target.config.clone();
        let manager = match target.tls.clone() {
            Some(tls) => Manager::from_config(config, tls, recycling),
            None => Manager::from_config(config, NoTls, recycling),
        };
        let pool = Pool::builder(manager)
            .max_size(MAX_CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(target.timeout))
            .create_timeout(Some(target.timeout))
            .recycle_timeout(Some(target.timeout))
            .post_create(Hook::async_fn(|client: &mut ClientWrapper, _| {
                Box::pin(
                    async move { client.batch_execute(CONFIRMED_COMMIT).await.map_err(HookError::Backend) },
                )
            }))
            .build()
            .map_err(|error| StoreError::new(format!("{} cannot be read: {error}", target.name())))?;
        Ok(PostgresReadPool { target, pool })
    }

    /// Runs a query. `what` names the data in error messages.
    pub(super) async fn read(
        self: Arc<Self>,
        what: String,
        sql: &'static str,
        params: Vec<SqlParam>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut read = self.try_read(sql, &params).await;
        // A connection from before an outage says nothing about the database now, so retry once.
        if read.as_ref().is_err_and(|failed| failed.is_disconnected) {
            read = self.try_read(sql, &params).await;
        }
        read.map_err(|ReadFailure { why, .. }| {
            StoreError::new(format!("{what} cannot be read from {}: {why}", self.target.name()))
        })
    }

    async fn try_read(&self, sql: &str, params: &[SqlParam]) -> Result<Vec<Row>, ReadFailure> {
        let unreachable = |error: deadpool_postgres::PoolError| ReadFailure {
            why: format!("it is not reachable: {error}"),
            is_disconnected: false,
        };
        let client = self.pool.get().await.map_err(unreachable)?;
        let params: Vec<&(dyn ToSql + Sync)> =
            params.iter().map(|param| &**param as &(dyn ToSql + Sync)).collect();
        let reading = async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, &params).await
        };
        match tokio::time::timeout(self.target.max_wait(), reading).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => {
                let (why, is_cut_off) = (describe(&error), error.as_db_error().is_none());
                // A connection on which a statement failed is not reused.
                drop(Object::take(client));
                Err(ReadFailure { why, is_disconnected: is_cut_off })
            }
            Err(_) => {
                drop(Object::take(client));
                Err(ReadFailure { why: "it does not respond".to_owned(), is_disconnected: false })
            }
        }
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }
}
