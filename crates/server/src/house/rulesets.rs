//! Rulesets that are published: finding them, and their programs.
//!
//! A version that was published stays for ever, under the hash of its rules: matches name that hash and nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{Page, RulesetInfo};
use intermezzo_ruleset::Program;
use serde::{Deserialize, Serialize};

use super::accounts::AccountId;
use super::keys::Window;
use super::publishing::{Files, compile};
use super::{House, internal, keys};

/// Programs kept ready.
const MAX_PROGRAMS: usize = 64;

/// What a ruleset's id stands for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Title {
    /// Who may publish further versions; nobody if it came with the server.
    pub(crate) owner: Option<AccountId>,
    /// The highest version.
    pub(crate) newest: RulesetInfo,
}

impl Title {
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

/// Programs that are ready.
#[derive(Default)]
pub(crate) struct Programs(Mutex<HashMap<String, Arc<Program>>>);

impl Programs {
    fn entries(&self) -> MutexGuard<'_, HashMap<String, Arc<Program>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, program: Arc<Program>) -> Arc<Program> {
        let mut entries = self.entries();
        if entries.len() >= MAX_PROGRAMS {
            // Matches keep what they use; the rest is made again when it is wanted.
            entries.retain(|_, program| Arc::strong_count(program) > 1);
        }
        if entries.len() >= MAX_PROGRAMS {
            entries.clear();
        }
        entries.insert(keys::hex(&program.hash), Arc::clone(&program));
        program
    }
}

impl House {
    /// The newest versions of all rulesets, by id.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn rulesets(&self, window: Window<'_>) -> Result<Page<RulesetInfo>, Problem> {
        let found = self.page("ruleset-id/", window, false).await?;
        let items = found.values::<Title>()?.into_iter().map(|title| title.newest).collect();
        Ok(Page { items, next: found.next })
    }

    /// A ruleset by `id` (its newest version), `id@version` or hash.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn ruleset(&self, name: &str) -> Result<RulesetInfo, Problem> {
        let found = if let Some((id, version)) = name.split_once('@') {
            match self.look::<String>(&version_key(id, version)).await? {
                Some(hash) => self.look(&info_key(&hash)).await?,
                None => None,
            }
        } else if keys::unhex::<32>(name).is_some() {
            self.look(&info_key(name)).await?
        } else {
            self.look::<Title>(&Title::key(name)).await?.map(|title| title.newest)
        };
        found.ok_or_else(|| Problem::not_found("ruleset"))
    }

    /// The files of a ruleset as they were published.
    ///
    /// # Errors
    ///
    /// If there is none with that hash.
    pub async fn ruleset_files(&self, hash: &str) -> Result<Vec<(String, String)>, Problem> {
        let files: Option<Files> = self.look(&files_key(hash)).await?;
        Ok(files.ok_or_else(|| Problem::not_found("ruleset"))?.into_iter().collect())
    }

    /// The program of a ruleset, of whatever age.
    ///
    /// # Errors
    ///
    /// If there is none with that hash.
    pub async fn program(&self, hash: &str) -> Result<Arc<Program>, Problem> {
        if let Some(program) = self.programs.entries().get(hash) {
            return Ok(Arc::clone(program));
        }
        let files: Files = self.look(&files_key(hash)).await?.ok_or_else(|| Problem::not_found("ruleset"))?;
        let compiled = self.compiling_thread(move || compile(&files)).await?;
        let program = compiled.map_err(|problem| internal(&format!("ruleset {hash}: {problem}")))?.program;
        if keys::hex(&program.hash) != hash {
            return Err(internal(&format!("ruleset {hash} cannot be made again by this version")));
        }
        Ok(self.programs.add(program))
    }

    /// Does what takes its time, away from the threads that serve; at once, where everything is to happen again in the
    /// same way.
    pub(crate) async fn compiling_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let _turn = self.compiling.acquire().await.map_err(|error| internal(&error.to_string()))?;
        if self.entropy.is_seeded() {
            return Ok(work());
        }
        tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error.to_string()))
    }
}
