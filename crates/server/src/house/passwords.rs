//! Passwords: hashed with Argon2id, in threads of their own, few at a time.

use argon2::password_hash::SaltString;
use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier};
use intermezzo_protocol::Problem;

use super::{House, internal, invalid};

const SHORTEST: usize = 8;
const LONGEST: usize = 200;

/// Of a password nobody has: checked where there is no account, so that it takes as long as where there is one.
const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$aW50ZXJtZXp6bw$0000000000000000000000000000000000000000000";

/// Whether a password will do.
pub(crate) fn check(password: &str) -> Result<(), Problem> {
    if (SHORTEST..=LONGEST).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(invalid(format!("a password has {SHORTEST} to {LONGEST} characters")))
}

impl House {
    /// What is kept of a password.
    pub(crate) async fn hash_password(&self, password: &str) -> Result<String, Problem> {
        check(password)?;
        let salt = self.random::<16>()?;
        let password = password.to_owned();
        self.hashing_thread(move || {
            let salt = SaltString::encode_b64(&salt).map_err(|error| internal(&error.to_string()))?;
            let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string()).map_err(|error| internal(&error.to_string()))
        })
        .await
    }

    /// Whether this is the password. Takes equally long if there is none.
    pub(crate) async fn is_password(&self, password: &str, hash: Option<&str>) -> Result<bool, Problem> {
        if password.len() > 4 * LONGEST {
            return Ok(false);
        }
        let is_known = hash.is_some();
        let (password, hash) = (password.to_owned(), hash.unwrap_or(NOBODYS).to_owned());
        self.hashing_thread(move || {
            let hash = PasswordHash::new(&hash).map_err(|error| internal(&error.to_string()))?;
            let fits = Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
            Ok(fits && is_known)
        })
        .await
    }

    async fn hashing_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let _turn = self.hashing.acquire().await.map_err(|error| internal(&error.to_string()))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| internal(&error.to_string()))?
    }
}
