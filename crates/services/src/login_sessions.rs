//! Login sessions and their tokens, of which only a hash is stored.
//!
//! A token is valid for thirty days after its last use. It ends earlier on sign-out, or when its account
//! advances to the next *epoch*, which ends all its tokens at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use intermezzo_protocol::resources::IssuedToken;
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::Services;
use super::accounts::{Account, AccountId, AccountRecord, active_account};
use super::idempotency::Caller;
use super::record_keys;
use super::transaction::{ServiceTransaction, transact};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Lifetime of an unused token.
const LIFETIME_MS: i64 = 30 * DAY_MS;
/// Maximum delay until a sign-out on another server is noticed.
const CACHE_MS: i64 = 2_000;
const MAX_CACHED: usize = 20_000;
/// Prefix of tokens, so that people and secret scanners recognize a leaked one.
const TOKEN_PREFIX: &str = "imz_";

/// A new token, with the text that only its owner receives.
pub struct LoginToken {
    text: String,
    hash: TokenHash,
}

/// Hash of a token: the only stored form of it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct TokenHash(String);

/// A login session as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoginSession {
    pub account: AccountId,
    epoch: u64,
    pub created_ms: i64,
    pub used_ms: i64,
    pub expires_ms: i64,
}

/// Accounts of recently used tokens, so that most requests need no read from the store.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<HashMap<TokenHash, (Account, i64)>>);

impl Services {
    /// Generates a token.
    pub fn new_token(&self) -> Result<LoginToken, Problem> {
        let text = format!("{TOKEN_PREFIX}{}", record_keys::hex(&self.random::<32>()?));
        let hash = TokenHash::of(&text);
        Ok(LoginToken { text, hash })
    }
}

impl TokenHash {
    fn of(token: &str) -> TokenHash {
        TokenHash(blake3::hash(token.as_bytes()).to_hex().to_string())
    }

    fn session_key(&self) -> String {
        format!("session/{}", self.0)
    }

    fn list_key(&self, account: &AccountId) -> String {
        format!("{}{}", sessions_prefix(account), self.0)
    }
}

/// Returns the prefix of the list of an account's tokens.
pub(crate) fn sessions_prefix(account: &AccountId) -> String {
    format!("session-of/{account}/")
}

/// Returns the response to a successful sign-in.
pub(crate) fn sign_in_response(
    token: &LoginToken,
    session: &LoginSession,
    record: &AccountRecord,
) -> IssuedToken {
    IssuedToken {
        token: token.text.clone(),
        expires_ms: session.expires_ms,
        account: record.account().info(),
    }
}

impl Services {
    /// Returns the account that a token belongs to.
    ///
    /// # Errors
    ///
    /// If the token is unknown or has expired.
    pub async fn authenticate(&self, token: &str) -> Result<Account, Problem> {
        if token.len() != TOKEN_PREFIX.len() + 64 || !token.starts_with(TOKEN_PREFIX) {
            return Err(unknown_token());
        }
        let hash = TokenHash::of(token);
        if let Some(account) = self.token_cache.find(&hash, self.now()) {
            return Ok(account);
        }
        let session: LoginSession = self.read_record(&hash.session_key()).await?.ok_or_else(unknown_token)?;
        let record: AccountRecord =
            self.read_record(&AccountRecord::key(&session.account)).await?.ok_or_else(unknown_token)?;
        if !session.is_valid(&record, self.now()) {
            return Err(unknown_token());
        }
        record.check_ban(self.now())?;
        if self.now() - session.used_ms >= DAY_MS {
            self.renew_session(&hash).await?;
        }
        let account = record.account();
        self.token_cache.add(hash, account.clone(), self.now());
        Ok(account)
    }

    /// Returns true if the token with that hash is still valid.
    pub async fn is_token_valid(&self, hash: &[u8; 32]) -> Result<bool, Problem> {
        let hash = TokenHash(record_keys::hex(hash));
        let Some(session) = self.read_record::<LoginSession>(&hash.session_key()).await? else {
            return Ok(false);
        };
        let record: Option<AccountRecord> = self.read_record(&AccountRecord::key(&session.account)).await?;
        let now = self.now();
        Ok(record.is_some_and(|record| session.is_valid(&record, now) && record.check_ban(now).is_ok()))
    }

    /// Extends the lifetime of a token that is in use.
    async fn renew_session(&self, hash: &TokenHash) -> Result<(), Problem> {
        let key = hash.session_key();
        transact!(self, self.new_marker()?, |tx| async {
            if let Some(mut session) = tx.read::<LoginSession>(&key).await? {
                session.used_ms = self.now();
                session.expires_ms = self.now() + LIFETIME_MS;
                tx.write(&key, &session)?;
            }
            Ok::<_, Problem>(())
        })
    }

    /// Ends a token. Does nothing if it has already ended.
    pub async fn sign_out(&self, token: &str) -> Result<(), Problem> {
        let hash = TokenHash::of(token);
        let outcome = transact!(self, self.new_marker()?, |tx| async {
            if let Some(session) = tx.read::<LoginSession>(&hash.session_key()).await? {
                tx.remove(&hash.session_key());
                tx.remove(&hash.list_key(&session.account));
            }
            Ok::<_, Problem>(())
        });
        self.token_cache.forget_token(&hash);
        outcome
    }

    /// Ends all tokens of an account.
    pub async fn sign_out_everywhere(&self, caller: &Caller) -> Result<(), Problem> {
        let id = &caller.account.id;
        transact!(self, self.new_marker()?, |tx| async {
            let mut record = active_account(&mut tx, id).await?;
            record.epoch += 1;
            tx.write(&AccountRecord::key(id), &record)
        })?;
        self.token_cache.forget_account(id);
        self.remove_sessions(id).await
    }

    /// Removes the records of tokens whose epoch has ended.
    pub async fn remove_sessions(&self, id: &AccountId) -> Result<(), Problem> {
        let record: Option<AccountRecord> = self.read_record(&AccountRecord::key(id)).await?;
        let epoch = record.filter(|record| record.deleted_ms.is_none()).map(|record| record.epoch);
        for (key, _) in self.read_all(&sessions_prefix(id)).await? {
            let hash = TokenHash(key.rsplit('/').next().unwrap_or_default().to_owned());
            transact!(self, self.new_marker()?, |tx| async {
                let session: Option<LoginSession> = tx.read(&hash.session_key()).await?;
                if session.is_none_or(|session| Some(session.epoch) != epoch) {
                    tx.remove(&hash.session_key());
                    tx.remove(&key);
                }
                Ok::<_, Problem>(())
            })?;
        }
        Ok(())
    }

    /// Adds a login session to a transaction, which commits only if the account is unchanged.
    pub fn open_session(
        &self,
        tx: &mut ServiceTransaction<'_>,
        token: &LoginToken,
        record: &AccountRecord,
    ) -> Result<LoginSession, Problem> {
        let now = self.now();
        let session = LoginSession {
            account: record.id.clone(),
            epoch: record.epoch,
            created_ms: now,
            used_ms: now,
            expires_ms: now + LIFETIME_MS,
        };
        tx.guard(&AccountRecord::key(&record.id));
        tx.write(&token.hash.session_key(), &session)?;
        tx.write(&token.hash.list_key(&record.id), &now)?;
        Ok(session)
    }
}

impl LoginSession {
    fn is_valid(&self, record: &AccountRecord, now: i64) -> bool {
        now < self.expires_ms && self.epoch == record.epoch && record.deleted_ms.is_none()
    }

    pub fn has_expired(&self, now: i64) -> bool {
        now >= self.expires_ms
    }
}

fn unknown_token() -> Problem {
    Problem::new(Code::NotSignedIn, "the token is invalid or has expired")
}

impl TokenCache {
    fn entries(&self) -> MutexGuard<'_, HashMap<TokenHash, (Account, i64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, hash: &TokenHash, now: i64) -> Option<Account> {
        let entries = self.entries();
        let (account, until_ms) = entries.get(hash)?;
        (now < *until_ms).then(|| account.clone())
    }

    fn add(&self, hash: TokenHash, account: Account, now: i64) {
        let mut entries = self.entries();
        if entries.len() >= MAX_CACHED {
            entries.retain(|_, (_, until_ms)| now < *until_ms);
        }
        if entries.len() < MAX_CACHED {
            entries.insert(hash, (account, now + CACHE_MS));
        }
    }

    fn forget_token(&self, hash: &TokenHash) {
        self.entries().remove(hash);
    }

    /// Drops an account's entries after the account has changed.
    pub(crate) fn forget_account(&self, id: &AccountId) {
        self.entries().retain(|_, (account, _)| account.id != *id);
    }
}
