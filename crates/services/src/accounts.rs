//! Accounts: guests and people with passwords.

use std::fmt;

use intermezzo_protocol::resources::{AccountInfo, IssuedToken, NewAccount, NewPassword, Rename, SignIn};
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::fair_queue::{QueueLimits, Requester};
use super::idempotency::Caller;
use super::login_sessions::sign_in_response;
use super::names;
use super::passwords;
use super::reports::Ban;
use super::transaction::{ServiceTransaction, transact};
use super::{Services, internal};

/// Limits on accounts being created: when the store is slow, newcomers are asked to come back.
pub(crate) const CREATION_LIMITS: QueueLimits =
    QueueLimits { running: 16, running_each: 8, waiting: 256, waiting_each: 64 };

/// Limit of generated names that are tried for a guest.
const MAX_NAME_ATTEMPTS: u32 = 8;

/// Permanent id of an account.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub String);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A signed-in account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    /// True if the account has no password.
    pub guest: bool,
    /// True if the account may inspect and end other people's matches.
    pub moderator: bool,
    pub created_ms: i64,
}

/// An account as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AccountRecord {
    pub id: AccountId,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    #[serde(default)]
    pub moderator: bool,
    pub created_ms: i64,
    /// Number of times all login sessions were ended. Sessions of earlier epochs are invalid.
    #[serde(default)]
    pub epoch: u64,
    /// Set while a moderator has banned the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ban: Option<Ban>,
    /// Time of deletion. Only the id remains then, because matches and transfers refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_ms: Option<i64>,
}

impl AccountRecord {
    pub fn key(id: &AccountId) -> String {
        format!("account/{id}")
    }

    /// Rejects an account that is banned.
    pub fn check_ban(&self, now: i64) -> Result<(), Problem> {
        match self.ban.as_ref().filter(|ban| ban.applies(now)) {
            Some(ban) => Err(ban.problem()),
            None => Ok(()),
        }
    }

    pub fn account(&self) -> Account {
        Account {
            id: self.id.clone(),
            name: self.name.clone(),
            guest: self.password.is_none(),
            moderator: self.moderator,
            created_ms: self.created_ms,
        }
    }
}

impl Account {
    /// Returns the public information about the account.
    #[must_use]
    pub fn info(&self) -> AccountInfo {
        AccountInfo {
            id: self.id.to_string(),
            name: self.name.clone(),
            guest: self.guest,
            moderator: self.moderator,
            created_ms: self.created_ms,
            balance: None,
        }
    }
}

pub(crate) fn name_key(name: &str) -> String {
    format!("name/{}", names::fold(name))
}

impl Services {
    /// Creates an account with the welcome tokens and signs it in.
    ///
    /// # Errors
    ///
    /// If the name is taken, or the name or password is invalid.
    pub async fn create_account(&self, request: &NewAccount) -> Result<IssuedToken, Problem> {
        self.create_account_for(&Requester::Server, request).await
    }

    /// Creates an account on behalf of a client, which waits for its turn.
    ///
    /// # Errors
    ///
    /// As for [`Services::create_account`]; also if too many accounts are being created.
    pub async fn create_account_for(
        &self,
        requester: &Requester,
        request: &NewAccount,
    ) -> Result<IssuedToken, Problem> {
        if let Some(name) = &request.name {
            names::check(name)?;
            names::check_not_reserved(name)?;
        } else if request.password.is_some() {
            return Err(super::invalid("an account with a password needs a name"));
        }
        let password = match &request.password {
            Some(password) => Some(self.hash_password(requester, password).await?),
            None => None,
        };
        let _turn = self.account_queue.acquire(requester).await?;
        let id = AccountId(format!("{:032x}", self.new_id()?));
        let token = self.new_token()?;
        transact!(self, self.new_marker()?, |tx| async {
            let name = self.choose_name(&mut tx, request.name.as_deref()).await?;
            let record = AccountRecord {
                id: id.clone(),
                name,
                password: password.clone(),
                moderator: false,
                created_ms: self.now(),
                epoch: 0,
                ban: None,
                deleted_ms: None,
            };
            tx.write(&name_key(&record.name), &record.id)?;
            tx.write(&AccountRecord::key(&record.id), &record)?;
            self.grant_welcome_tokens(&mut tx, &record.id).await?;
            let session = self.open_session(&mut tx, &token, &record)?;
            Ok::<_, Problem>(sign_in_response(&token, &session, &record))
        })
    }

    /// Returns the requested name if it is free, or generates one.
    async fn choose_name(
        &self,
        tx: &mut ServiceTransaction<'_>,
        wanted: Option<&str>,
    ) -> Result<String, Problem> {
        if let Some(name) = wanted {
            check_name_free(tx, name).await?;
            return Ok(name.to_owned());
        }
        for _ in 0..MAX_NAME_ATTEMPTS {
            let name = names::guest_name(self.random()?);
            match check_name_free(tx, &name).await {
                Ok(()) => return Ok(name),
                Err(problem) if problem.code == Code::NameTaken => {}
                // The store does not respond: that says nothing about the name.
                Err(problem) => return Err(problem),
            }
        }
        Err(Problem::new(Code::NameTaken, "no generated name is free, choose a name"))
    }

    /// Signs in with a password, on behalf of a client.
    ///
    /// # Errors
    ///
    /// If the name or password is wrong.
    pub async fn sign_in(&self, requester: &Requester, request: &SignIn) -> Result<IssuedToken, Problem> {
        let wrong = || Problem::new(Code::WrongPassword, "wrong name or password");
        let found = match names::check(&request.name) {
            Ok(()) => self.account_named(&request.name).await?,
            Err(_) => None,
        };
        let hash = found.as_ref().and_then(|record| record.password.as_deref());
        if !self.verify_password(requester, &request.password, hash).await? {
            return Err(wrong());
        }
        let id = found.map(|record| record.id).ok_or_else(wrong)?;
        let token = self.new_token()?;
        transact!(self, self.new_marker()?, |tx| async {
            let record = active_account(&mut tx, &id).await?;
            record.check_ban(self.now())?;
            let session = self.open_session(&mut tx, &token, &record)?;
            Ok::<_, Problem>(sign_in_response(&token, &session, &record))
        })
    }

    /// Sets the password of a guest's account, optionally with a new name, or changes the password. All
    /// existing login sessions end.
    ///
    /// # Errors
    ///
    /// If the current password is wrong, the name is taken, or the name or password is invalid.
    pub async fn set_password(&self, caller: &Caller, request: &NewPassword) -> Result<IssuedToken, Problem> {
        passwords::check(&request.password)?;
        let id = &caller.account.id;
        let requester = &Requester::Account(id.clone());
        let before: AccountRecord =
            self.read_record(&AccountRecord::key(id)).await?.ok_or_else(account_gone)?;
        if let Some(hash) = &before.password {
            let current = request.current.as_deref().unwrap_or_default();
            if !self.verify_password(requester, current, Some(hash)).await? {
                return Err(Problem::new(Code::WrongPassword, "current password is wrong"));
            }
        }
        let hash = self.hash_password(requester, &request.password).await?;
        let token = self.new_token()?;
        let outcome = transact!(self, self.new_marker()?, |tx| async {
            let mut record = active_account(&mut tx, id).await?;
            if record.password != before.password {
                return Err(Problem::new(Code::Stale, "the password was changed in the meantime"));
            }
            if let Some(name) = &request.name {
                change_name(&mut tx, &mut record, name).await?;
            }
            record.password = Some(hash.clone());
            record.epoch += 1;
            tx.write(&AccountRecord::key(id), &record)?;
            let session = self.open_session(&mut tx, &token, &record)?;
            Ok(sign_in_response(&token, &session, &record))
        });
        self.token_cache.forget_account(id);
        outcome
    }

    /// Renames an account. Matches that were already played keep the old name.
    ///
    /// # Errors
    ///
    /// If the name is taken or invalid.
    pub async fn rename(&self, caller: &Caller, request: &Rename) -> Result<AccountInfo, Problem> {
        let id = &caller.account.id;
        let outcome = transact!(self, caller.marker(self, "rename")?, |tx| async {
            let mut record = active_account(&mut tx, id).await?;
            change_name(&mut tx, &mut record, &request.name).await?;
            tx.write(&AccountRecord::key(id), &record)?;
            Ok::<_, Problem>(record.account().info())
        });
        self.token_cache.forget_account(id);
        outcome
    }

    /// Returns the account as its owner sees it, with its balance.
    pub async fn own_info(&self, account: &Account) -> Result<AccountInfo, Problem> {
        Ok(AccountInfo { balance: Some(self.balance(&account.id).await?), ..account.info() })
    }

    /// Grants or revokes moderator rights. For operators.
    ///
    /// # Errors
    ///
    /// If no account has that name or id.
    pub async fn set_moderator(&self, name_or_id: &str, moderator: bool) -> Result<AccountInfo, Problem> {
        let found = self.account(name_or_id).await?;
        let outcome = transact!(self, self.new_marker()?, |tx| async {
            let mut record = active_account(&mut tx, &found.id).await?;
            record.moderator = moderator;
            tx.write(&AccountRecord::key(&found.id), &record)?;
            Ok::<_, Problem>(record.account().info())
        });
        self.token_cache.forget_account(&found.id);
        outcome
    }

    /// Finds an account by name or id.
    ///
    /// # Errors
    ///
    /// If it does not exist.
    pub async fn account(&self, name_or_id: &str) -> Result<Account, Problem> {
        let found = match self.account_named(name_or_id).await? {
            Some(record) => Some(record),
            None => self.read_record(&AccountRecord::key(&AccountId(name_or_id.to_owned()))).await?,
        };
        let found = found.filter(|record| record.deleted_ms.is_none());
        Ok(found.ok_or_else(|| Problem::not_found(&format!("account `{name_or_id}`")))?.account())
    }

    pub async fn account_named(&self, name: &str) -> Result<Option<AccountRecord>, Problem> {
        let Some(id) = self.read_record::<AccountId>(&name_key(name)).await? else { return Ok(None) };
        self.read_record(&AccountRecord::key(&id)).await
    }

    /// Returns the current name of an account.
    pub async fn name_of(&self, id: &AccountId) -> Result<String, Problem> {
        let record: Option<AccountRecord> = self.read_record(&AccountRecord::key(id)).await?;
        Ok(record.map_or_else(|| names::FORMER_PLAYER.to_owned(), |record| record.name))
    }
}

/// Reads an account that is not deleted.
pub(crate) async fn active_account(
    tx: &mut ServiceTransaction<'_>,
    id: &AccountId,
) -> Result<AccountRecord, Problem> {
    let record: Option<AccountRecord> = tx.read(&AccountRecord::key(id)).await?;
    record.filter(|record| record.deleted_ms.is_none()).ok_or_else(account_gone)
}

/// Returns the problem for an account that was deleted while a request was handled for it.
fn account_gone() -> Problem {
    Problem::new(Code::NotSignedIn, "the account no longer exists")
}

async fn check_name_free(tx: &mut ServiceTransaction<'_>, name: &str) -> Result<(), Problem> {
    match tx.read::<AccountId>(&name_key(name)).await? {
        Some(_) => Err(Problem::new(Code::NameTaken, format!("the name `{name}` is taken"))),
        None => Ok(()),
    }
}

async fn change_name(
    tx: &mut ServiceTransaction<'_>,
    record: &mut AccountRecord,
    name: &str,
) -> Result<(), Problem> {
    names::check(name)?;
    if names::fold(name) != names::fold(&record.name) {
        names::check_not_reserved(name)?;
    }
    if names::fold(name) != names::fold(&record.name) {
        check_name_free(tx, name).await?;
        let old = name_key(&record.name);
        let owner: Option<AccountId> = tx.read(&old).await?;
        if owner.as_ref() != Some(&record.id) {
            return Err(internal(&format!("`{old}` is not the name of {}", record.id)));
        }
        tx.remove(&old);
        tx.write(&name_key(name), &record.id)?;
    }
    name.clone_into(&mut record.name);
    Ok(())
}
