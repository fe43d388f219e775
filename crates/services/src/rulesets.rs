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
use super::publish::FilesByPath;
use super::record_keys;
use super::record_keys::PageQuery;
use super::ruleset_quota::summary;
use super::{Services, internal};

/// Limit of compiled programs in memory that nobody uses at the moment.
const MAX_PROGRAMS: usize = 64;

/// The record of a ruleset id.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RulesetIndexEntry {
    /// Account that may publish further versions; `None` for bundled rulesets.
    pub owner: Option<AccountId>,
    /// Summary of the highest published version.
    pub newest: RulesetInfo,
    /// The reason why a moderator took the ruleset down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_down: Option<String>,
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

/// Compiled programs by hash. Bundled rulesets, and those of matches in memory, always stay.
#[derive(Default)]
pub(crate) struct ProgramCache(Mutex<CachedPrograms>);

#[derive(Default)]
struct CachedPrograms {
    by_hash: HashMap<String, CachedProgram>,
    /// Number of uses up to now.
    uses: u64,
}

struct CachedProgram {
    program: Arc<Program>,
    last_use: u64,
    is_pinned: bool,
}

impl ProgramCache {
    fn cached(&self) -> MutexGuard<'_, CachedPrograms> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, hash: &str) -> Option<Arc<Program>> {
        let mut cached = self.cached();
        cached.uses += 1;
        let uses = cached.uses;
        let found = cached.by_hash.get_mut(hash)?;
        found.last_use = uses;
        Some(Arc::clone(&found.program))
    }

    pub(crate) fn add(&self, program: Arc<Program>) -> Arc<Program> {
        self.insert(program, false)
    }

    /// Adds a program that always stays.
    pub(crate) fn pin(&self, program: Arc<Program>) {
        self.insert(program, true);
    }

    fn insert(&self, program: Arc<Program>, is_pinned: bool) -> Arc<Program> {
        let mut cached = self.cached();
        cached.uses += 1;
        let hash = record_keys::hex(&program.hash);
        let is_pinned = is_pinned || cached.by_hash.get(&hash).is_some_and(|known| known.is_pinned);
        let entry = CachedProgram { program: Arc::clone(&program), last_use: cached.uses, is_pinned };
        cached.by_hash.insert(hash, entry);
        cached.evict();
        program
    }
}

impl CachedPrograms {
    /// Removes the programs that were unused for longest, if there are too many.
    fn evict(&mut self) {
        let is_idle = |entry: &CachedProgram| !entry.is_pinned && Arc::strong_count(&entry.program) == 1;
        let mut idle: Vec<(u64, String)> = self
            .by_hash
            .iter()
            .filter(|(_, entry)| is_idle(entry))
            .map(|(hash, entry)| (entry.last_use, hash.clone()))
            .collect();
        idle.sort_unstable();
        for (_, hash) in idle.iter().take(idle.len().saturating_sub(MAX_PROGRAMS)) {
            self.by_hash.remove(hash);
        }
    }
}

impl Services {
    /// Lists summaries of the newest version of every ruleset, by id.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn rulesets(&self, query: PageQuery<'_>) -> Result<Page<RulesetInfo>, Problem> {
        let found = self.read_page("ruleset-id/", query, false).await?;
        let listed =
            found.values::<RulesetIndexEntry>()?.into_iter().filter(|entry| entry.taken_down.is_none());
        // Records of earlier versions have more than a summary.
        let items = listed.map(|entry| summary(&entry.newest)).collect();
        Ok(Page { items, next: found.next })
    }

    /// Finds a ruleset by `id` (its newest version), `id@version` or hash.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn ruleset(&self, name: &str) -> Result<RulesetInfo, Problem> {
        let not_found = || Problem::not_found("ruleset");
        // A hash is always found: matches that have started need it, even if the ruleset was taken down.
        if record_keys::unhex::<32>(name).is_some() {
            return self.read_record(&info_key(name)).await?.ok_or_else(not_found);
        }
        let (id, version) = name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)));
        let entry: Option<RulesetIndexEntry> = self.read_record(&RulesetIndexEntry::key(id)).await?;
        let entry = entry.filter(|entry| entry.taken_down.is_none()).ok_or_else(not_found)?;
        let hash = match version {
            Some(version) => self.read_record::<String>(&version_key(id, version)).await?,
            None => Some(entry.newest.hash),
        };
        self.read_record(&info_key(&hash.ok_or_else(not_found)?)).await?.ok_or_else(not_found)
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
        if let Some(program) = self.program_cache.find(hash) {
            return Ok(program);
        }
        let permit = self.program_queue.acquire(&hash.to_owned()).await?;
        // Another request may have compiled it while this one waited.
        if let Some(program) = self.program_cache.find(hash) {
            return Ok(program);
        }
        let files: FilesByPath =
            self.read_record(&files_key(hash)).await?.ok_or_else(|| Problem::not_found("ruleset"))?;
        let compiled = self.compile_published(hash, files).await?;
        drop(permit);
        let compiled = compiled.ok_or_else(|| {
            internal(&format!("ruleset {hash} compiles to a different hash with this version"))
        })?;
        Ok(self.program_cache.add(compiled.program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(number: u8) -> Arc<Program> {
        Arc::new(Program { hash: [number; 32], ..Program::default() })
    }

    #[test]
    fn bundled_and_running_programs_stay_in_memory() {
        let cache = ProgramCache::default();
        cache.pin(program(0));
        let running = cache.add(program(1));
        (2..=200).for_each(|number| drop(cache.add(program(number))));
        let is_cached = |number: u8| cache.find(&record_keys::hex(&[number; 32])).is_some();
        assert!(is_cached(0) && is_cached(1), "a bundled and a running program");
        assert!(is_cached(200) && !is_cached(2), "of the others, the most recent stay");
        drop(running);
    }
}
