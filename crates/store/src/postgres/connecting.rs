//! How connections are made, and how long anything may take on them.

use std::time::Duration;

use rustls_tokio_postgres::MakeRustlsConnect;
use tokio::task::JoinHandle;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};

use super::encryption::encryption;
use super::trouble::in_words;
use crate::error::StoreError;

/// Where a database is, and how long to wait for it.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) encryption: Option<MakeRustlsConnect>,
    /// How long the database may work on one statement.
    pub(super) patience: Duration,
}

impl Target {
    pub(super) fn new(url: &str, patience: Duration) -> Result<Target, StoreError> {
        let config: Config = url.parse().map_err(|error| {
            let error = in_words(&error);
            StoreError::new(format!(
                "the address of the database cannot be read: {error}; it should look like `postgres://user@host/database`, with `?sslmode=require` behind it to have \
                 connections encrypted and the certificate checked"
            ))
        })?;
        let encryption = encryption(&config)?;
        let mut target = Target { config, encryption, patience };
        target.set_limits();
        Ok(target)
    }

    /// Every session has limits of its own, so that nothing waits for ever on either side.
    ///
    /// Plans are made for many matches even while there are few: a plan that reads a whole
    /// table is right on the first day only.
    fn set_limits(&mut self) {
        let patience_ms = self.patience.as_millis();
        let given = self.config.get_options().unwrap_or_default();
        let options = format!(
            "{given} -c statement_timeout={patience_ms} -c lock_timeout={} \
             -c idle_in_transaction_session_timeout={patience_ms} -c client_connection_check_interval=1000 \
             -c default_transaction_isolation=read\\ committed \
             -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off",
            patience_ms / 2
        );
        self.config.options(options.trim_start());
        self.config.connect_timeout(self.patience / 2).tcp_user_timeout(self.patience);
        self.config.keepalives_idle(self.patience);
        if self.config.get_application_name().is_none() {
            self.config.application_name("intermezzo");
        }
    }

    /// How long to wait for an answer that the database should have given long ago.
    pub(super) fn longest(&self) -> Duration {
        self.patience + self.patience / 2
    }

    /// The name for messages: without a password.
    pub(super) fn name(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(tokio_postgres::config::Host::Tcp(name)) => name.clone(),
            Some(tokio_postgres::config::Host::Unix(path)) => path.display().to_string(),
            None => "nowhere".to_owned(),
        };
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        format!("the database `{database}` at `{host}`")
    }

    /// Connects, or says why not, after a time at most.
    pub(super) async fn connect(&self) -> Result<Line, StoreError> {
        let connected = async {
            match self.encryption.clone() {
                Some(encryption) => self.connect_by(encryption).await,
                None => self.connect_by(NoTls).await,
            }
        };
        let why = match tokio::time::timeout(self.longest(), connected).await {
            Ok(Ok(line)) => return Ok(line),
            Ok(Err(error)) => in_words(&error),
            Err(_) => "it does not answer".to_owned(),
        };
        Err(StoreError::new(format!("{} is not reachable: {why}", self.name())))
    }

    async fn connect_by<T>(&self, encryption: T) -> Result<Line, tokio_postgres::Error>
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static>,
    {
        let (client, connection) = self.config.connect(encryption).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = in_words(&error), "a connection to the database was lost");
            }
        });
        Ok(Line { client, task })
    }
}

/// A connection. It is closed at once when this is dropped, whatever is under way on it.
pub(super) struct Line {
    pub(super) client: Client,
    task: JoinHandle<()>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}
