//! Passwords, hashed with Argon2id on blocking threads, a few at a time.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use intermezzo_protocol::Problem;

use super::{Services, internal, invalid};

const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 200;

/// Hash that no password matches. It is verified when the account does not exist, so that the response takes
/// equally long either way.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aW50ZXJtZXp6bw$0000000000000000000000000000000000000000000";

/// Rejects passwords that are too short or too long.
pub(crate) fn check(password: &str) -> Result<(), Problem> {
    if (MIN_LENGTH..=MAX_LENGTH).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(invalid(format!("a password must have {MIN_LENGTH} to {MAX_LENGTH} characters")))
}

impl Services {
    /// Hashes a password with a random salt.
    pub async fn hash_password(&self, password: &str) -> Result<String, Problem> {
        check(password)?;
        let salt = self.random::<16>()?;
        let password = password.to_owned();
        self.run_hashing(move || {
            let hash: Result<PasswordHash, _> =
                Argon2::default().hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string()).map_err(|error| internal(&error.to_string()))
        })
        .await
    }

    /// Verifies a password. Takes equally long if the account has none.
    pub async fn verify_password(&self, password: &str, hash: Option<&str>) -> Result<bool, Problem> {
        if password.len() > 4 * MAX_LENGTH {
            return Ok(false);
        }
        let is_known = hash.is_some();
        let (password, hash) = (password.to_owned(), hash.unwrap_or(DUMMY_HASH).to_owned());
        self.run_hashing(move || {
            let hash = PasswordHash::new(&hash).map_err(|error| internal(&error.to_string()))?;
            let fits = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            Ok(fits && is_known)
        })
        .await
    }

    async fn run_hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let _turn = self.hash_permits.acquire().await.map_err(|error| internal(&error.to_string()))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error.to_string()))?
    }
}
