//! Passwords, hashed with Argon2id on blocking threads, a few at a time and in turn.

use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use intermezzo_protocol::Problem;

use super::fair_queue::{QueueLimits, Requester};
use super::{Services, internal, invalid};

const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 200;
const SALT_BYTES: usize = 16;

/// Limits on hashing: each hash needs 19 MiB and a good part of a core.
pub(crate) const HASHING_LIMITS: QueueLimits =
    QueueLimits { running: 2, running_each: 1, waiting: 64, waiting_each: 8 };

/// Hash that no password matches. It is verified when the account does not exist, so that the response takes
/// equally long either way.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aW50ZXJtZXp6bw$0000000000000000000000000000000000000000000";

/// Memory of finished hashes, used again by the next ones. Returned to the allocator, it would stay with the thread that
/// used it, and hashes run on any of many threads.
#[derive(Clone, Default)]
pub(crate) struct HashingMemory(Arc<Mutex<Vec<Vec<Block>>>>);

impl HashingMemory {
    /// Hashes a password.
    fn hash(&self, params: &Params, password: &str, salt: &[u8], output: &mut [u8]) -> Result<(), Problem> {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        blocks.resize(params.block_count(), Block::default());
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let hashed = argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, &mut blocks);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(blocks);
        hashed.map_err(|error| internal(&error.to_string()))
    }
}

/// Rejects passwords that are too short or too long.
pub(crate) fn check(password: &str) -> Result<(), Problem> {
    if (MIN_LENGTH..=MAX_LENGTH).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(invalid(format!("a password must have {MIN_LENGTH} to {MAX_LENGTH} characters")))
}

impl Services {
    /// Hashes a password with a random salt.
    pub async fn hash_password(&self, requester: &Requester, password: &str) -> Result<String, Problem> {
        check(password)?;
        let salt = self.random::<SALT_BYTES>()?;
        let password = password.to_owned();
        self.run_hashing(requester, move |memory| {
            let params = Params::default();
            let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
            memory.hash(&params, &password, &salt, &mut output)?;
            let unusable = |error: argon2::password_hash::Error| internal(&error.to_string());
            let hash = PasswordHash {
                algorithm: Algorithm::Argon2id.ident(),
                version: Some(Version::V0x13.into()),
                params: (&params).try_into().map_err(unusable)?,
                salt: Some(Salt::new(&salt).map_err(|error| internal(&error.to_string()))?),
                hash: Some(Output::new(&output).map_err(|error| internal(&error.to_string()))?),
            };
            Ok(hash.to_string())
        })
        .await
    }

    /// Verifies a password. Takes equally long if the account has none.
    pub async fn verify_password(
        &self,
        requester: &Requester,
        password: &str,
        hash: Option<&str>,
    ) -> Result<bool, Problem> {
        if password.len() > 4 * MAX_LENGTH {
            return Ok(false);
        }
        let is_known = hash.is_some();
        let (password, hash) = (password.to_owned(), hash.unwrap_or(DUMMY_HASH).to_owned());
        self.run_hashing(requester, move |memory| {
            let stored = PasswordHash::new(&hash).map_err(|error| internal(&error.to_string()))?;
            let params = Params::try_from(&stored).map_err(|error| internal(&error.to_string()))?;
            let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
                return Err(internal("a stored password has no salt or no hash"));
            };
            let mut output = vec![0; expected.as_bytes().len()];
            memory.hash(&params, &password, salt, &mut output)?;
            // The comparison of outputs takes constant time.
            let fits = Output::new(&output).is_ok_and(|output| output == *expected);
            Ok(fits && is_known)
        })
        .await
    }

    async fn run_hashing<T: Send + 'static>(
        &self,
        requester: &Requester,
        work: impl FnOnce(&HashingMemory) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.hashing_queue.acquire(requester).await?;
        let memory = self.hashing_memory.clone();
        self.run_blocking(move || {
            let outcome = work(&memory);
            drop(permit);
            outcome
        })
        .await?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use argon2::{Argon2, PasswordHasher, PasswordVerifier};
    use intermezzo_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn hashes_are_those_of_argon2() {
        let services = Services::new(Arc::new(MemoryStore::new()));
        let own = services.hash_password(&Requester::Server, "correct horse").await.unwrap();
        Argon2::default().verify_password(b"correct horse", own.as_str()).unwrap();
        let other: PasswordHash =
            Argon2::default().hash_password_with_salt(b"correct horse", b"sixteen bytes !!").unwrap();
        let verify = |password: &'static str| {
            let (services, hash) = (&services, other.to_string());
            async move { services.verify_password(&Requester::Server, password, Some(&hash)).await.unwrap() }
        };
        assert!(verify("correct horse").await);
        assert!(!verify("wrong horse").await);
        assert!(!services.verify_password(&Requester::Server, "correct horse", None).await.unwrap());
    }
}
