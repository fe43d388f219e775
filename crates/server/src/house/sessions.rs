//! Being signed in: tokens, of which only a hash is kept.
//!
//! A token lasts for thirty days after its last use. It ends earlier when it is signed out, or when its account moves on
//! to the next *epoch*: that ends all its tokens at once, however many there are.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use intermezzo_protocol::resources::SignedIn;
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::accounts::{Account, AccountId, AccountRecord, account_of};
use super::change::{Change, changing};
use super::once::Caller;
use super::{House, keys};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a token lasts without being used.
const LASTS_MS: i64 = 30 * DAY_MS;
/// How long it may take until another server's signing out is noticed.
const KNOWN_MS: i64 = 2_000;
/// The most tokens known at a time.
const MAX_KNOWN: usize = 20_000;
/// What tokens begin with, so that people and scanners recognise one that was left lying about.
const PREFIX: &str = "imz_";

/// A token, before it is given away.
pub(crate) struct Token {
    text: String,
    hash: Hash,
}

/// All that is kept of a token.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Hash(String);

/// A session as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) account: AccountId,
    epoch: u64,
    pub(crate) created_ms: i64,
    pub(crate) used_ms: i64,
    pub(crate) expires_ms: i64,
}

/// Whose tokens have been seen lately.
#[derive(Default)]
pub(crate) struct Known(Mutex<HashMap<Hash, (Account, i64)>>);

impl House {
    /// A token nobody has yet.
    pub(crate) fn new_token(&self) -> Result<Token, Problem> {
        let text = format!("{PREFIX}{}", keys::hex(&self.random::<32>()?));
        let hash = Hash::of(&text);
        Ok(Token { text, hash })
    }
}

impl Hash {
    fn of(token: &str) -> Hash {
        Hash(blake3::hash(token.as_bytes()).to_hex().to_string())
    }

    fn session_key(&self) -> String {
        format!("session/{}", self.0)
    }

    fn list_key(&self, account: &AccountId) -> String {
        format!("{}{}", sessions_of(account), self.0)
    }
}

/// Where the tokens of an account are listed.
pub(crate) fn sessions_of(account: &AccountId) -> String {
    format!("session-of/{account}/")
}

/// What its owner is told of a new token.
pub(crate) fn signed_in(token: &Token, session: &Session, record: &AccountRecord) -> SignedIn {
    SignedIn { token: token.text.clone(), expires_ms: session.expires_ms, account: record.account().info() }
}

impl House {
    /// Whose token this is.
    ///
    /// # Errors
    ///
    /// If it is nobody's, or not any more.
    pub async fn who(&self, token: &str) -> Result<Account, Problem> {
        if token.len() != PREFIX.len() + 64 || !token.starts_with(PREFIX) {
            return Err(unknown());
        }
        let hash = Hash::of(token);
        if let Some(account) = self.known.find(&hash, self.now()) {
            return Ok(account);
        }
        let session: Session = self.look(&hash.session_key()).await?.ok_or_else(unknown)?;
        let record: AccountRecord =
            self.look(&AccountRecord::key(&session.account)).await?.ok_or_else(unknown)?;
        if !session.is_good(&record, self.now()) {
            return Err(unknown());
        }
        if self.now() - session.used_ms >= DAY_MS {
            self.renew(&hash).await?;
        }
        let account = record.account();
        self.known.add(hash, account.clone(), self.now());
        Ok(account)
    }

    /// Whether the token with that hash is still good.
    pub(crate) async fn is_signed_in(&self, hash: &[u8; 32]) -> Result<bool, Problem> {
        let hash = Hash(keys::hex(hash));
        let Some(session) = self.look::<Session>(&hash.session_key()).await? else { return Ok(false) };
        let record: Option<AccountRecord> = self.look(&AccountRecord::key(&session.account)).await?;
        Ok(record.is_some_and(|record| session.is_good(&record, self.now())))
    }

    /// Lets a token that is used last longer.
    async fn renew(&self, hash: &Hash) -> Result<(), Problem> {
        let key = hash.session_key();
        changing!(self, self.mark()?, |change| async {
            if let Some(mut session) = change.read::<Session>(&key).await? {
                session.used_ms = self.now();
                session.expires_ms = self.now() + LASTS_MS;
                change.write(&key, &session)?;
            }
            Ok::<_, Problem>(())
        })
    }

    /// Ends a token. If it has ended already, so be it.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn sign_out(&self, token: &str) -> Result<(), Problem> {
        let hash = Hash::of(token);
        let outcome = changing!(self, self.mark()?, |change| async {
            if let Some(session) = change.read::<Session>(&hash.session_key()).await? {
                change.remove(&hash.session_key());
                change.remove(&hash.list_key(&session.account));
            }
            Ok::<_, Problem>(())
        });
        self.known.forget_token(&hash);
        outcome
    }

    /// Ends all tokens of an account.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn sign_out_everywhere(&self, caller: &Caller) -> Result<(), Problem> {
        let id = &caller.account.id;
        changing!(self, self.mark()?, |change| async {
            let mut record = account_of(&mut change, id).await?;
            record.epoch += 1;
            change.write(&AccountRecord::key(id), &record)
        })?;
        self.known.forget(id);
        self.remove_sessions(id).await
    }

    /// Removes what is left of tokens that have ended with their epoch.
    pub(crate) async fn remove_sessions(&self, id: &AccountId) -> Result<(), Problem> {
        let record: Option<AccountRecord> = self.look(&AccountRecord::key(id)).await?;
        let epoch = record.filter(|record| record.deleted_ms.is_none()).map(|record| record.epoch);
        for (key, _) in self.all(&sessions_of(id)).await? {
            let hash = Hash(key.rsplit('/').next().unwrap_or_default().to_owned());
            changing!(self, self.mark()?, |change| async {
                let session: Option<Session> = change.read(&hash.session_key()).await?;
                if session.is_none_or(|session| Some(session.epoch) != epoch) {
                    change.remove(&hash.session_key());
                    change.remove(&key);
                }
                Ok::<_, Problem>(())
            })?;
        }
        Ok(())
    }

    /// Adds a session to a change. It lands only if the account is as it was read.
    pub(crate) fn open_session(
        &self,
        change: &mut Change<'_>,
        token: &Token,
        record: &AccountRecord,
    ) -> Result<Session, Problem> {
        let now = self.now();
        let session = Session {
            account: record.id.clone(),
            epoch: record.epoch,
            created_ms: now,
            used_ms: now,
            expires_ms: now + LASTS_MS,
        };
        change.guard(&AccountRecord::key(&record.id));
        change.write(&token.hash.session_key(), &session)?;
        change.write(&token.hash.list_key(&record.id), &now)?;
        Ok(session)
    }
}

impl Session {
    fn is_good(&self, record: &AccountRecord, now: i64) -> bool {
        now < self.expires_ms && self.epoch == record.epoch && record.deleted_ms.is_none()
    }

    /// Nobody can use it any more.
    pub(crate) fn has_expired(&self, now: i64) -> bool {
        now >= self.expires_ms
    }
}

fn unknown() -> Problem {
    Problem::new(Code::NotSignedIn, "that token is unknown or has ended")
}

impl Known {
    fn entries(&self) -> MutexGuard<'_, HashMap<Hash, (Account, i64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, hash: &Hash, now: i64) -> Option<Account> {
        let entries = self.entries();
        let (account, until_ms) = entries.get(hash)?;
        (now < *until_ms).then(|| account.clone())
    }

    fn add(&self, hash: Hash, account: Account, now: i64) {
        let mut entries = self.entries();
        if entries.len() >= MAX_KNOWN {
            entries.retain(|_, (_, until_ms)| now < *until_ms);
        }
        if entries.len() < MAX_KNOWN {
            entries.insert(hash, (account, now + KNOWN_MS));
        }
    }

    fn forget_token(&self, hash: &Hash) {
        self.entries().remove(hash);
    }

    /// Something about the account has changed.
    pub(crate) fn forget(&self, id: &AccountId) {
        self.entries().retain(|_, (account, _)| account.id != *id);
    }
}
