//! How connections are made, and how long anything may take on them.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, NoTls};

use super::trouble::in_words;
use crate::error::StoreError;

/// Where a database is, and how long to wait for it.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) config: Config,
    /// How long the database may work on one statement.
    pub(super) patience: Duration,
}

impl Target {
    pub(super) fn new(url: &str, patience: Duration) -> Result<Target, StoreError> {
        let config: Config = url.parse().map_err(|error| {
            let error = in_words(&error);
            StoreError::new(format!(
                "the address of the database cannot be read: {error}; it should look like `postgres://user@host/database`"
            ))
        })?;
        let mut target = Target { config, patience };
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
        let why = match tokio::time::timeout(self.longest(), self.config.connect(NoTls)).await {
            Ok(Ok((client, connection))) => {
                let task = tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::warn!(error = in_words(&error), "a connection to the database was lost");
                    }
                });
                return Ok(Line { client, task });
            }
            Ok(Err(error)) => in_words(&error),
            Err(_) => "it does not answer".to_owned(),
        };
        Err(StoreError::new(format!("{} is not reachable: {why}", self.name())))
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
