//! Operator access to the store while no server has it open.

use std::sync::Arc;

use intermezzo_program::Program;
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{AccountInfo, ModerationInfo};
use intermezzo_store::{MatchId, Store};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::app::match_details;
use crate::config::Config;
use crate::match_task::{Replica, RowInfo, row_info, store_unavailable};
use crate::operations::migration::{self, MigrationCheck};
use crate::server::{ServerError, open_store};
use intermezzo_services::{Caller, LedgerAudit, PageQuery, Services};

/// A store opened by its operator.
pub struct Operator {
    runtime: Runtime,
    store: Arc<dyn Store>,
    services: Services,
}

impl Operator {
    /// Opens the store of a server with this configuration.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(config: &Config) -> Result<Operator, ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServerError::Runtime)?;
        let store = runtime.block_on(open_store(config))?;
        let services = Services::new(Arc::clone(&store));
        Ok(Operator { runtime, store, services })
    }

    /// Returns all data about an account, found by name or id.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub fn export_account(&self, account: &str) -> Result<Value, Problem> {
        self.runtime.block_on(async {
            let account = self.services.account(account).await?;
            self.services.export_account(&account).await
        })
    }

    /// Deletes an account and everything that identifies it.
    ///
    /// # Errors
    ///
    /// If it does not exist, or is part of a match in progress.
    pub fn delete_account(&self, account: &str) -> Result<AccountInfo, Problem> {
        self.runtime.block_on(async {
            let account = self.services.account(account).await?;
            let info = account.info();
            self.services.delete_account(&Caller::from(account)).await?;
            Ok(info)
        })
    }

    /// Grants or revokes moderator rights.
    ///
    /// # Errors
    ///
    /// If no account has that name or id.
    pub fn set_moderator(&self, name: &str, moderator: bool) -> Result<AccountInfo, Problem> {
        self.runtime.block_on(self.services.set_moderator(name, moderator))
    }

    /// Sums all transfers and compares them with the balances.
    ///
    /// # Errors
    ///
    /// If the store does not respond.
    pub fn audit_ledger(&self) -> Result<LedgerAudit, Problem> {
        self.runtime.block_on(self.services.audit_ledger())
    }

    /// Recalculates all ratings of a ruleset. Returns the number of corrections.
    ///
    /// # Errors
    ///
    /// If the store does not respond.
    pub fn recount_ratings(&self, ruleset: &str) -> Result<usize, Problem> {
        self.runtime.block_on(self.services.recount_ratings(ruleset))
    }

    /// Lists the actions of moderators, in one match or in all, newest first.
    ///
    /// # Errors
    ///
    /// If the store does not respond, or the id is invalid.
    pub fn moderations(&self, of: Option<&str>) -> Result<Vec<ModerationInfo>, Problem> {
        let of = of.map(str::parse).transpose().map_err(|_| Problem::not_found("match"))?;
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let query = PageQuery { cursor: cursor.as_deref(), limit: Some(100) };
            let page = self.runtime.block_on(self.services.moderations(of, query))?;
            all.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// Returns the rows of a match. The match is replayed, and every state hash and chain hash is compared.
    ///
    /// # Errors
    ///
    /// If the match does not exist or has not started, or a row does not follow from the rules.
    pub fn rows(&self, match_id: &str) -> Result<Vec<RowInfo>, Problem> {
        let id = match_id.parse().map_err(|_| Problem::not_found("match"))?;
        self.runtime.block_on(self.read_rows(id))
    }

    async fn read_rows(&self, id: MatchId) -> Result<Vec<RowInfo>, Problem> {
        let mut replica = Replica::new(match_details(&self.services, id).await?.config);
        let rows = self.store.rows(id, 0, usize::MAX).await.map_err(|error| store_unavailable(&error))?;
        let mut infos = Vec::with_capacity(rows.len());
        for row in &rows {
            let before = replica.state().map(|state| state.open_questions()).unwrap_or_default();
            replica.apply_row(id, &row.body)?;
            infos.extend(replica.state().and_then(|state| row_info(&row.body, state, &before)));
        }
        Ok(infos)
    }

    /// Replays all live matches of a ruleset under that program and reports the differences.
    ///
    /// # Errors
    ///
    /// If a record or row cannot be read.
    pub fn check_migration(
        &self,
        program: &Arc<Program>,
        report: &mut dyn FnMut(&MigrationCheck),
    ) -> Result<(), Problem> {
        self.runtime.block_on(migration::check_migration(&self.store, &self.services, program, report))
    }

    /// Completes pending writes and closes the store.
    pub fn close(self) {
        self.runtime.block_on(self.store.close());
    }
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator").finish_non_exhaustive()
    }
}
