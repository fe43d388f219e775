//! Connections to the database and their timeouts.

use std::time::Duration;

use rustls_tokio_postgres::MakeRustlsConnect;
use tokio::task::JoinHandle;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};

use super::errors::describe;
use super::tls::tls_connector;
use crate::error::StoreError;

/// The database address and the timeout for it.
#[derive(Clone)]
pub(super) struct PostgresTarget {
    pub(super) config: Config,
    pub(super) tls: Option<MakeRustlsConnect>,
    /// Time limit for one statement.
    pub(super) timeout: Duration,
}

impl PostgresTarget {
    pub(super) fn new(url: &str, timeout: Duration) -> Result<PostgresTarget, StoreError> {
        let config: Config = url.parse().map_err(|error| {
            let error = describe(&error);
            StoreError::new(format!(
                "invalid database address: {error}; it should look like `postgres://user@host/database`; append \
                 `?sslmode=require` to encrypt connections and check the certificate"
            ))
        })?;
        let tls = tls_connector(&config)?;
        let mut target = PostgresTarget { config, tls, timeout };
        target.set_limits();
        Ok(target)
    }

    /// Sets session limits so that neither side waits forever.
    ///
    /// Sequential scans, hash joins and merge joins are disabled: they are the best plan only while the tables
    /// are almost empty, and prepared plans are reused for the life of the connection.
    fn set_limits(&mut self) {
        let timeout_ms = self.timeout.as_millis();
        let given = self.config.get_options().unwrap_or_default();
        let options = format!(
            "{given} -c statement_timeout={timeout_ms} -c lock_timeout={} \
             -c idle_in_transaction_session_timeout={timeout_ms} -c client_connection_check_interval=1000 \
             -c default_transaction_isolation=read\\ committed \
             -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off",
            timeout_ms / 2
        );
        self.config.options(options.trim_start());
        self.config.connect_timeout(self.timeout / 2).tcp_user_timeout(self.timeout);
        self.config.keepalives_idle(self.timeout);
        if self.config.get_application_name().is_none() {
            self.config.application_name("intermezzo");
        }
    }

    /// Returns the time after which a request without a reply is given up. It exceeds the statement timeout, so
    /// the database normally reports first.
    pub(super) fn max_wait(&self) -> Duration {
        self.timeout + self.timeout / 2
    }

    /// Returns the name of the database for messages, without the password.
    pub(super) fn name(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(tokio_postgres::config::Host::Tcp(name)) => name.clone(),
            Some(tokio_postgres::config::Host::Unix(path)) => path.display().to_string(),
            None => "nowhere".to_owned(),
        };
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("the database `{database}` at `{host}`")
    }

    /// Connects within the time limit.
    pub(super) async fn connect(&self) -> Result<PostgresConnection, StoreError> {
        let connected = async {
            match self.tls.clone() {
                Some(tls) => self.connect_with(tls).await,
                None => self.connect_with(NoTls).await,
            }
        };
        let why = match tokio::time::timeout(self.max_wait(), connected).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => describe(&error),
            Err(_) => "it does not respond".to_owned(),
        };
        Err(StoreError::new(format!("{} is not reachable: {why}", self.name())))
    }

    async fn connect_with<T>(&self, tls: T) -> Result<PostgresConnection, tokio_postgres::Error>
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static>,
    {
        let (client, connection) = self.config.connect(tls).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = describe(&error), "database connection lost");
            }
        });
        Ok(PostgresConnection { client, task })
    }
}

/// A connection. Dropping it closes it at once, even in the middle of a statement.
pub(super) struct PostgresConnection {
    pub(super) client: Client,
    task: JoinHandle<()>,
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        self.task.abort();
    }
}
