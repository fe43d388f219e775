//! Connections that read, shared by all who ask.

use std::sync::Arc;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Row};

use super::connecting::Target;
use super::trouble::in_words;
use crate::error::StoreError;

/// How many reads go on at the same time.
const READERS: usize = 8;

/// The first thing each connection does: a commit of its own, after which it waits for synchronous standbys like any other.
///
/// A database that has crashed has commits in its log that no standby has confirmed. Nobody was told of them, but once
/// it has recovered they can be read, and they are lost if a standby is promoted then. No connection lives through a crash; so what
/// is read by one that has seen its own commit confirmed was confirmed as well.
const SETTLED: &str = "SELECT pg_logical_emit_message(true, 'intermezzo', 'settled')";

/// What goes into a statement.
pub(super) type Param = Box<dyn ToSql + Sync + Send>;

/// A few connections.
pub(super) struct Readers {
    target: Target,
    pool: Pool,
}

/// A read that failed, and whether another connection may do better.
struct Failed {
    why: String,
    is_cut_off: bool,
}

impl Readers {
    pub(super) fn new(target: Target) -> Result<Readers, StoreError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let config = target.config.clone();
        let manager = match target.encryption.clone() {
            Some(encryption) => Manager::from_config(config, encryption, recycling),
            None => Manager::from_config(config, NoTls, recycling),
        };
        let pool = Pool::builder(manager)
            .max_size(READERS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(target.patience))
            .create_timeout(Some(target.patience))
            .recycle_timeout(Some(target.patience))
            .post_create(Hook::async_fn(|client: &mut ClientWrapper, _| {
                Box::pin(async move { client.batch_execute(SETTLED).await.map_err(HookError::Backend) })
            }))
            .build()
            .map_err(|error| StoreError::new(format!("{} cannot be read: {error}", target.name())))?;
        Ok(Readers { target, pool })
    }

    /// Asks for rows. `what` says what is read.
    pub(super) async fn read(
        self: Arc<Self>,
        what: String,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        let mut read = self.try_to_read(sql, &params).await;
        // A connection that was left over from before the database went away says nothing about now.
        if read.as_ref().is_err_and(|failed| failed.is_cut_off) {
            read = self.try_to_read(sql, &params).await;
        }
        read.map_err(|Failed { why, .. }| {
            StoreError::new(format!("{what} cannot be read from {}: {why}", self.target.name()))
        })
    }

    async fn try_to_read(&self, sql: &str, params: &[Param]) -> Result<Vec<Row>, Failed> {
        let unreachable = |error: deadpool_postgres::PoolError| Failed {
            why: format!("it is not reachable: {error}"),
            is_cut_off: false,
        };
        let client = self.pool.get().await.map_err(unreachable)?;
        let params: Vec<&(dyn ToSql + Sync)> =
            params.iter().map(|param| &**param as &(dyn ToSql + Sync)).collect();
        let reading = async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, &params).await
        };
        match tokio::time::timeout(self.target.longest(), reading).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => {
                let (why, is_cut_off) = (in_words(&error), error.as_db_error().is_none());
                // One on which something failed is not used again.
                drop(Object::take(client));
                Err(Failed { why, is_cut_off })
            }
            Err(_) => {
                drop(Object::take(client));
                Err(Failed { why: "it does not answer".to_owned(), is_cut_off: false })
            }
        }
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }
}
