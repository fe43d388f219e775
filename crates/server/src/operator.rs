//! The operator's way to what is stored, while no server has it open.

use std::sync::Arc;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{AccountInfo, ModerationInfo};
use intermezzo_ruleset::Program;
use intermezzo_store::{MatchId, Store};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::app::opening;
use crate::config::Config;
use crate::house::{Audit, Caller, House, Window};
use crate::migration::{self, Rehearsed};
use crate::room::{Replica, RowInfo, row_info, unavailable};
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
        let store = runtime.block_on(open_store(config))?;
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
            let account = self.house.account(account).await?;
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
            let account = self.house.account(account).await?;
            let info = account.info();
            self.house.delete_account(&Caller::from(account)).await?;
            Ok(info)
        })
    }

    /// Makes somebody a moderator, or takes that away.
    ///
    /// # Errors
    ///
    /// If nobody has that name or id.
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

    /// What moderators did, in one match or in all, the latest first.
    ///
    /// # Errors
    ///
    /// If the store does not answer, or that is no match's name.
    pub fn moderations(&self, of: Option<&str>) -> Result<Vec<ModerationInfo>, Problem> {
        let of = of.map(str::parse).transpose().map_err(|_| Problem::not_found("match"))?;
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let window = Window { cursor: cursor.as_deref(), limit: Some(100) };
            let page = self.runtime.block_on(self.house.moderations(of, window))?;
            all.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// The rows of a match. All of it is played again on the way: every state and every link of the chain is compared.
    ///
    /// # Errors
    ///
    /// If there is no such match, it has not started, or a row is not what the rules make of it.
    pub fn rows(&self, match_id: &str) -> Result<Vec<RowInfo>, Problem> {
        let id = match_id.parse().map_err(|_| Problem::not_found("match"))?;
        self.runtime.block_on(self.read_rows(id))
    }

    async fn read_rows(&self, id: MatchId) -> Result<Vec<RowInfo>, Problem> {
        let mut replica = Replica::new(opening(&self.house, id).await?.terms);
        let rows = self.store.rows(id, 0, usize::MAX).await.map_err(|error| unavailable(&error))?;
        let mut told = Vec::with_capacity(rows.len());
        for row in &rows {
            let before = replica.room().map(|room| room.questions()).unwrap_or_default();
            replica.follow(id, &row.body)?;
            told.extend(replica.room().and_then(|room| row_info(&row.body, room, &before)));
        }
        Ok(told)
    }

    /// Plays all matches of a ruleset that are under way again as if that program had been there from the beginning.
    ///
    /// # Errors
    ///
    /// If something that is stored cannot be read.
    pub fn rehearse(&self, program: &Arc<Program>, tell: &mut dyn FnMut(&Rehearsed)) -> Result<(), Problem> {
        self.runtime.block_on(migration::rehearse(&self.store, &self.house, program, tell))
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
