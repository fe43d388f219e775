//! Operator access to a server's data, whether or not a server has it open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_program::Program;
use intermezzo_protocol::resources::{AccountInfo, ModerationInfo, ServerStatus};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::Store;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::config::Config;
use crate::match_task::RowInfo;
use crate::operations::admin_socket;
use crate::operations::migration::{self, MigrationCheck};
use crate::operations::operator_request::OperatorRequest;
use crate::server::{ServerError, open_store};
use intermezzo_services::{LedgerAudit, Services};

/// The data of a server, for its operator.
pub struct Operator {
    runtime: Runtime,
    access: DataAccess,
}

/// How the data is reached.
enum DataAccess {
    /// The store is open here.
    Store { store: Arc<dyn Store>, services: Box<Services> },
    /// A running server has it open, and listens on this socket.
    Server(PathBuf),
}

impl Operator {
    /// Opens the data of a server with this configuration. If a server is running on its folder, everything is done by
    /// that server.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(config: &Config) -> Result<Operator, ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServerError::Runtime)?;
        let folder = config.data.as_deref().filter(|_| config.database.is_none());
        let socket = folder.map(admin_socket::path);
        if let Some(socket) = socket.filter(|socket| runtime.block_on(admin_socket::is_open(socket))) {
            return Ok(Operator { runtime, access: DataAccess::Server(socket) });
        }
        let store = runtime.block_on(open_store(config))?;
        let services = Box::new(Services::new(Arc::clone(&store)));
        Ok(Operator { runtime, access: DataAccess::Store { store, services } })
    }

    /// Returns the socket of the running server that does everything, if there is one.
    #[must_use]
    pub fn server_socket(&self) -> Option<&Path> {
        match &self.access {
            DataAccess::Server(socket) => Some(socket),
            DataAccess::Store { .. } => None,
        }
    }

    fn request<T: DeserializeOwned>(&self, request: OperatorRequest) -> Result<T, Problem> {
        let result = self.runtime.block_on(async {
            match &self.access {
                DataAccess::Store { store, services } => request.execute(services, store).await,
                DataAccess::Server(socket) => admin_socket::send(socket, &request).await,
            }
        });
        serde_json::from_value(result?).map_err(|error| Problem::new(Code::Internal, error.to_string()))
    }

    /// Returns all data about an account, found by name or id.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub fn export_account(&self, account: &str) -> Result<Value, Problem> {
        self.request(OperatorRequest::ExportAccount { account: account.to_owned() })
    }

    /// Deletes an account and everything that identifies it.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is part of a match in progress.
    pub fn delete_account(&self, account: &str) -> Result<AccountInfo, Problem> {
        self.request(OperatorRequest::DeleteAccount { account: account.to_owned() })
    }

    /// Grants or revokes moderator rights.
    ///
    /// # Errors
    ///
    /// If no account has that name or id.
    pub fn set_moderator(&self, account: &str, moderator: bool) -> Result<AccountInfo, Problem> {
        self.request(OperatorRequest::SetModerator { account: account.to_owned(), moderator })
    }

    /// Sums all transfers and compares them with the balances.
    ///
    /// # Errors
    ///
    /// If the store does not respond.
    pub fn audit_ledger(&self) -> Result<LedgerAudit, Problem> {
        self.request(OperatorRequest::AuditLedger)
    }

    /// Recalculates all ratings of a ruleset. Returns the number of corrections.
    ///
    /// # Errors
    ///
    /// If the store does not respond.
    pub fn recount_ratings(&self, ruleset: &str) -> Result<usize, Problem> {
        self.request(OperatorRequest::RecountRatings { ruleset: ruleset.to_owned() })
    }

    /// Lists the actions of moderators, in one match or in all, newest first.
    ///
    /// # Errors
    ///
    /// If the store does not respond, or the id is invalid.
    pub fn moderations(&self, match_id: Option<&str>) -> Result<Vec<ModerationInfo>, Problem> {
        self.request(OperatorRequest::Moderations { match_id: match_id.map(str::to_owned) })
    }

    /// Returns the rows of a match. The match is replayed, and every state hash and chain hash is compared.
    ///
    /// # Errors
    ///
    /// If the match does not exist or has not started, or a row does not follow from the rules.
    pub fn rows(&self, match_id: &str) -> Result<Vec<RowInfo>, Problem> {
        self.request(OperatorRequest::Rows { match_id: match_id.to_owned() })
    }

    /// Returns what the running server is doing.
    ///
    /// # Errors
    ///
    /// If no server is running on the data folder.
    pub fn server_status(&self) -> Result<ServerStatus, Problem> {
        self.request(OperatorRequest::Status)
    }

    /// Tells the running server to save everything, close its connections and exit.
    ///
    /// # Errors
    ///
    /// If no server is running on the data folder.
    pub fn stop_server(&self) -> Result<(), Problem> {
        self.request(OperatorRequest::Stop)
    }

    /// Replays all live matches of a ruleset under that program and reports the differences.
    ///
    /// # Errors
    ///
    /// If a record or row cannot be read, or a server is running on the data folder.
    pub fn check_migration(
        &self,
        program: &Arc<Program>,
        report: &mut dyn FnMut(&MigrationCheck),
    ) -> Result<(), Problem> {
        match &self.access {
            DataAccess::Store { store, services } => {
                self.runtime.block_on(migration::check_migration(store, services, program, report))
            }
            DataAccess::Server(_) => {
                let detail =
                    "a server is running on this data folder; stop it, or check a backup of the folder";
                Err(Problem::new(Code::Busy, detail))
            }
        }
    }

    /// Completes pending writes and closes the store.
    pub fn close(self) {
        if let DataAccess::Store { store, .. } = &self.access {
            self.runtime.block_on(store.close());
        }
    }
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator").finish_non_exhaustive()
    }
}
