//! Published rulesets and their programs.
//!
//! A published version stays forever under the hash of its rules. Matches refer to that hash only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_program::Program;
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{Page, RulesetInfo};
use serde::{Deserialize, Serialize};

use super::accounts::AccountId;
use super::publish::{FilesByPath, compile};
use super::record_keys;
use super::record_keys::PageQuery;
use super::{Services, internal};

/// Limit of compiled programs in memory.
const MAX_PROGRAMS: usize = 64;

/// The record of a ruleset id.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RulesetIndexEntry {
    /// Account that may publish further versions; `None` for bundled rulesets.
    pub owner: Option<AccountId>,
    /// Highest published version.
    pub newest: RulesetInfo,
}

impl RulesetIndexEntry {
    pub(crate) fn key(id: &str) -> String {
        format!("ruleset-id/{id}")
    }
}

pub(crate) fn version_key(id: &str, version: &str) -> String {
    format!("ruleset-version/{id}/{version}")
}

pub(crate) fn info_key(hash: &str) -> String {
    format!("ruleset/{hash}")
}

pub(crate) fn files_key(hash: &str) -> String {
    format!("ruleset-files/{hash}")
}

/// Compiled programs by hash.
#[derive(Default)]
pub(crate) struct ProgramCache(Mutex<HashMap<String, Arc<Program>>>);

impl ProgramCache {
    fn entries(&self) -> MutexGuard<'_, HashMap<String, Arc<Program>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, program: Arc<Program>) -> Arc<Program> {
        let mut entries = self.entries();
        if entries.len() >= MAX_PROGRAMS {
            // Programs in use stay; others are compiled again when needed.
            entries.retain(|_, program| Arc::strong_count(program) > 1);
        }
        if entries.len() >= MAX_PROGRAMS {
            entries.clear();
        }
        entries.insert(record_keys::hex(&program.hash), Arc::clone(&program));
        program
    }
}

impl Services {
    /// Lists the newest version of every ruleset, by id.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn rulesets(&self, query: PageQuery<'_>) -> Result<Page<RulesetInfo>, Problem> {
        let found = self.read_page("ruleset-id/", query, false).await?;
        let items = found.values::<RulesetIndexEntry>()?.into_iter().map(|entry| entry.newest).collect();
        Ok(Page { items, next: found.next })
    }

    /// Finds a ruleset by `id` (its newest version), `id@version` or hash.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn ruleset(&self, name: &str) -> Result<RulesetInfo, Problem> {
        let found = if let Some((id, version)) = name.split_once('@') {
            match self.read_record::<String>(&version_key(id, version)).await? {
                Some(hash) => self.read_record(&info_key(&hash)).await?,
                None => None,
            }
        } else if record_keys::unhex::<32>(name).is_some() {
            self.read_record(&info_key(name)).await?
        } else {
            self.read_record::<RulesetIndexEntry>(&RulesetIndexEntry::key(name))
                .await?
                .map(|entry| entry.newest)
        };
        found.ok_or_else(|| Problem::not_found("ruleset"))
    }

    /// Returns the files of a ruleset as they were published.
    ///
    /// # Errors
    ///
    /// If no ruleset has that hash.
    pub async fn ruleset_files(&self, hash: &str) -> Result<Vec<(String, String)>, Problem> {
        let files: Option<FilesByPath> = self.read_record(&files_key(hash)).await?;
        Ok(files.ok_or_else(|| Problem::not_found("ruleset"))?.into_iter().collect())
    }

    /// Returns the program of a ruleset, compiling it if necessary.
    ///
    /// # Errors
    ///
    /// If no ruleset has that hash.
    pub async fn program(&self, hash: &str) -> Result<Arc<Program>, Problem> {
        if let Some(program) = self.program_cache.entries().get(hash) {
            return Ok(Arc::clone(program));
        }
        let files: FilesByPath =
            self.read_record(&files_key(hash)).await?.ok_or_else(|| Problem::not_found("ruleset"))?;
        let compiled = self.run_compilation(move || compile(&files, true)).await?;
        let program = compiled.map_err(|problem| internal(&format!("ruleset {hash}: {problem}")))?.program;
        if record_keys::hex(&program.hash) != hash {
            return Err(internal(&format!("ruleset {hash} compiles to a different hash with this version")));
        }
        Ok(self.program_cache.add(program))
    }

    /// Runs long computations on a blocking thread. With seeded entropy it runs them inline, so that
    /// deterministic tests stay reproducible.
    pub async fn run_compilation<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let _turn = self.compile_permits.acquire().await.map_err(|error| internal(&error.to_string()))?;
        if self.entropy.is_seeded() {
            return Ok(work());
        }
        tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error.to_string()))
    }
}
