//! The operator's way to what is stored: what can be done without a server, or beside one.

use std::sync::Arc;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::AccountInfo;
use intermezzo_store::Store;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::config::Config;
use crate::house::{Audit, Caller, House};
use crate::server::{ServerError, open_store};

/// What is stored, opened by its operator.
pub struct Operator {
    runtime: Runtime,
    store: Arc<dyn Store>,
    house: House,
}

impl Operator {
    /// Opens what a server with this configuration keeps.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(config: &Config) -> Result<Operator, ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(ServerError::Runtime)?;
        let store = runtime.block_on(async { open_store(config) })?;
        let house = House::new(Arc::clone(&store));
        Ok(Operator { runtime, store, house })
    }

    /// Everything that is kept about an account, named by its name or id.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn export(&self, account: &str) -> Result<Value, Problem> {
        self.runtime.block_on(async {
            let account = self.house.account_called(account).await?;
            self.house.export(&account).await
        })
    }

    /// Deletes an account and everything that says who it was.
    ///
    /// # Errors
    ///
    /// If there is none, or it is part of a match under way.
    pub fn delete(&self, account: &str) -> Result<AccountInfo, Problem> {
        self.runtime.block_on(async {
            let account = self.house.account_called(account).await?;
            let info = account.info();
            self.house.delete_account(&Caller::from(account)).await?;
            Ok(info)
        })
    }

    /// Makes somebody a moderator, or takes that away.
    ///
    /// # Errors
    ///
    /// If nobody has that name.
    pub fn set_moderator(&self, name: &str, moderator: bool) -> Result<AccountInfo, Problem> {
        self.runtime.block_on(self.house.set_moderator(name, moderator))
    }

    /// Counts all tokens again.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub fn audit(&self) -> Result<Audit, Problem> {
        self.runtime.block_on(self.house.audit())
    }

    /// Works out all ratings of a ruleset again; says how many were wrong.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub fn recount(&self, ruleset: &str) -> Result<usize, Problem> {
        self.runtime.block_on(self.house.recount(ruleset))
    }

    /// Finishes and closes.
    pub fn close(self) {
        self.runtime.block_on(self.store.close());
    }
}

impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator").finish_non_exhaustive()
    }
}
