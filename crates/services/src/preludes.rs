//! The preludes that published rulesets use.
//!
//! Their texts are stored with each version, so that a server with newer preludes still compiles it to the same program:
//! matches refer to the hash of all rules, preludes included.

use intermezzo_compiler::PreludeTexts;
use intermezzo_protocol::Problem;

use super::Services;
use super::publish::{CompiledRuleset, FilesByPath, compile_accepted};
use super::record_keys;
use super::rulesets::files_key;
use super::transaction::{ServiceTransaction, transact};

/// Returns the key of the digest of a version's preludes.
pub(crate) fn pointer_key(hash: &str) -> String {
    format!("ruleset-preludes/{hash}")
}

/// Returns the key of texts of preludes; many versions share them.
fn texts_key(digest: &str) -> String {
    format!("preludes/{digest}")
}

impl Services {
    /// Stores the preludes of a version, unless they are stored.
    pub(crate) async fn store_preludes(
        &self,
        tx: &mut ServiceTransaction<'_>,
        hash: &str,
        preludes: &PreludeTexts,
    ) -> Result<(), Problem> {
        if tx.read::<String>(&pointer_key(hash)).await?.is_some() {
            return Ok(());
        }
        let text = serde_json::to_vec(preludes).unwrap_or_default();
        let digest = blake3::hash(&text).to_hex().to_string();
        if tx.read::<PreludeTexts>(&texts_key(&digest)).await?.is_none() {
            tx.write(&texts_key(&digest), preludes)?;
        }
        tx.write(&pointer_key(hash), &digest)
    }

    /// Compiles a published version with the preludes it was published with.
    pub(crate) async fn compile_published(
        &self,
        hash: &str,
        files: FilesByPath,
    ) -> Result<Option<CompiledRuleset>, Problem> {
        let stored = match self.read_record::<String>(&pointer_key(hash)).await? {
            Some(digest) => self.read_record::<PreludeTexts>(&texts_key(&digest)).await?,
            None => None,
        };
        let is_stored = stored.is_some();
        let compiling = self.run_blocking(move || compile_accepted(&files, &stored.unwrap_or_default()));
        let compiled = compiling.await?.ok();
        let compiled = compiled.filter(|compiled| record_keys::hex(&compiled.program.hash) == hash);
        if let Some(compiled) = compiled.as_ref().filter(|_| !is_stored) {
            let preludes = compiled.preludes();
            transact!(self, self.new_marker()?, |tx| self.store_preludes(&mut tx, hash, &preludes))?;
        }
        Ok(compiled)
    }

    /// Stores the preludes of versions that were published by earlier versions of the server. Returns their number.
    ///
    /// # Errors
    ///
    /// If the store does not respond.
    pub async fn store_missing_preludes(&self) -> Result<usize, Problem> {
        let mut stored = 0;
        for (key, _) in self.read_all("ruleset/").await? {
            let hash = key.trim_start_matches("ruleset/").to_owned();
            if self.read_record::<String>(&pointer_key(&hash)).await?.is_some() {
                continue;
            }
            let Some(files) = self.read_record::<FilesByPath>(&files_key(&hash)).await? else { continue };
            stored += usize::from(self.compile_published(&hash, files).await?.is_some());
        }
        Ok(stored)
    }
}
