//! Who plays here: guests and people with passwords.

use std::fmt;

use intermezzo_protocol::resources::{AccountInfo, NewAccount, NewPassword, Rename, SignIn, SignedIn};
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::change::{Change, changing};
use super::once::Caller;
use super::sessions::signed_in;
use super::{House, internal, names, passwords};

/// How many friendly names are tried for a guest.
const NAMES_TRIED: u32 = 8;

/// Names an account for ever.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub String);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Somebody who is signed in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Account {
    /// Stays the same for ever.
    pub id: AccountId,
    /// As others see it.
    pub name: String,
    /// Has no password.
    pub guest: bool,
    /// May look into and end matches of others.
    pub moderator: bool,
    /// Since when.
    pub created_ms: i64,
}

/// An account as it is stored.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct AccountRecord {
    pub(crate) id: AccountId,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) password: Option<String>,
    #[serde(default)]
    pub(crate) moderator: bool,
    pub(crate) created_ms: i64,
    /// Tokens of earlier epochs have ended.
    #[serde(default)]
    pub(crate) epoch: u64,
    /// Nothing is left of it but its id, which matches and transfers name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_ms: Option<i64>,
}

impl AccountRecord {
    pub(crate) fn key(id: &AccountId) -> String {
        format!("account/{id}")
    }

    pub(crate) fn account(&self) -> Account {
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
    /// As others see it.
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

impl House {
    /// Makes an account, with the tokens everyone starts with, and signs it in.
    ///
    /// # Errors
    ///
    /// If the name is taken, or name or password will not do.
    pub async fn create_account(&self, wish: &NewAccount) -> Result<SignedIn, Problem> {
        if let Some(name) = &wish.name {
            names::check(name)?;
        } else if wish.password.is_some() {
            return Err(super::invalid("an account with a password needs a name"));
        }
        let password = match &wish.password {
            Some(password) => Some(self.hash_password(password).await?),
            None => None,
        };
        let id = AccountId(format!("{:032x}", self.new_id()?));
        let token = self.new_token()?;
        changing!(self, self.mark()?, |change| async {
            let name = self.free_name(&mut change, wish.name.as_deref()).await?;
            let record = AccountRecord {
                id: id.clone(),
                name,
                password: password.clone(),
                moderator: false,
                created_ms: self.now(),
                epoch: 0,
                deleted_ms: None,
            };
            change.write(&name_key(&record.name), &record.id)?;
            change.write(&AccountRecord::key(&record.id), &record)?;
            self.welcome(&mut change, &record.id).await?;
            let session = self.open_session(&mut change, &token, &record)?;
            Ok::<_, Problem>(signed_in(&token, &session, &record))
        })
    }

    /// The name that is wanted, or a friendly one.
    async fn free_name(&self, change: &mut Change<'_>, wanted: Option<&str>) -> Result<String, Problem> {
        if let Some(name) = wanted {
            take_name(change, name).await?;
            return Ok(name.to_owned());
        }
        for _ in 0..NAMES_TRIED {
            let name = names::friendly(self.random()?);
            if take_name(change, &name).await.is_ok() {
                return Ok(name);
            }
        }
        Err(Problem::new(Code::NameTaken, "no friendly name is left, choose one yourself"))
    }

    /// Signs in with a password.
    ///
    /// # Errors
    ///
    /// If name and password do not fit.
    pub async fn sign_in(&self, wish: &SignIn) -> Result<SignedIn, Problem> {
        let wrong = || Problem::new(Code::WrongPassword, "name and password do not fit");
        let found = match names::check(&wish.name) {
            Ok(()) => self.account_named(&wish.name).await?,
            Err(_) => None,
        };
        let hash = found.as_ref().and_then(|record| record.password.as_deref());
        if !self.is_password(&wish.password, hash).await? {
            return Err(wrong());
        }
        let id = found.map(|record| record.id).ok_or_else(wrong)?;
        let token = self.new_token()?;
        changing!(self, self.mark()?, |change| async {
            let record = account_of(&mut change, &id).await?;
            let session = self.open_session(&mut change, &token, &record)?;
            Ok::<_, Problem>(signed_in(&token, &session, &record))
        })
    }

    /// Gives a guest's account a password, perhaps with another name, or changes the password. All tokens so far end.
    ///
    /// # Errors
    ///
    /// If the password so far is not right, the name is taken, or one of them will not do.
    pub async fn set_password(&self, caller: &Caller, wish: &NewPassword) -> Result<SignedIn, Problem> {
        passwords::check(&wish.password)?;
        let id = &caller.account.id;
        let before: AccountRecord = self.look(&AccountRecord::key(id)).await?.ok_or_else(gone)?;
        if let Some(hash) = &before.password {
            let current = wish.current.as_deref().unwrap_or_default();
            if !self.is_password(current, Some(hash)).await? {
                return Err(Problem::new(Code::WrongPassword, "the password so far is another"));
            }
        }
        let hash = self.hash_password(&wish.password).await?;
        let token = self.new_token()?;
        let outcome = changing!(self, self.mark()?, |change| async {
            let mut record = account_of(&mut change, id).await?;
            if record.password != before.password {
                return Err(Problem::new(Code::Stale, "the password was changed meanwhile"));
            }
            if let Some(name) = &wish.name {
                give_name(&mut change, &mut record, name).await?;
            }
            record.password = Some(hash.clone());
            record.epoch += 1;
            change.write(&AccountRecord::key(id), &record)?;
            let session = self.open_session(&mut change, &token, &record)?;
            Ok(signed_in(&token, &session, &record))
        });
        self.known.forget(id);
        outcome
    }

    /// Gives an account another name. Matches that have been played keep the name of then.
    ///
    /// # Errors
    ///
    /// If the name is taken or will not do.
    pub async fn rename(&self, caller: &Caller, wish: &Rename) -> Result<AccountInfo, Problem> {
        let id = &caller.account.id;
        let outcome = changing!(self, caller.mark(self, "rename")?, |change| async {
            let mut record = account_of(&mut change, id).await?;
            give_name(&mut change, &mut record, &wish.name).await?;
            change.write(&AccountRecord::key(id), &record)?;
            Ok::<_, Problem>(record.account().info())
        });
        self.known.forget(id);
        outcome
    }

    /// An account as it sees itself.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn me(&self, account: &Account) -> Result<AccountInfo, Problem> {
        Ok(AccountInfo { balance: Some(self.balance(&account.id).await?), ..account.info() })
    }

    /// Makes somebody a moderator, or takes that away. For the operator.
    ///
    /// # Errors
    ///
    /// If nobody has that name or id.
    pub async fn set_moderator(&self, name_or_id: &str, moderator: bool) -> Result<AccountInfo, Problem> {
        let found = self.account(name_or_id).await?;
        let outcome = changing!(self, self.mark()?, |change| async {
            let mut record = account_of(&mut change, &found.id).await?;
            record.moderator = moderator;
            change.write(&AccountRecord::key(&found.id), &record)?;
            Ok::<_, Problem>(record.account().info())
        });
        self.known.forget(&found.id);
        outcome
    }

    /// The account with that name or id.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn account(&self, name_or_id: &str) -> Result<Account, Problem> {
        let found = match self.account_named(name_or_id).await? {
            Some(record) => Some(record),
            None => self.look(&AccountRecord::key(&AccountId(name_or_id.to_owned()))).await?,
        };
        let found = found.filter(|record| record.deleted_ms.is_none());
        Ok(found.ok_or_else(|| Problem::not_found("account"))?.account())
    }

    /// The account with that name.
    pub(crate) async fn account_named(&self, name: &str) -> Result<Option<AccountRecord>, Problem> {
        let Some(id) = self.look::<AccountId>(&name_key(name)).await? else { return Ok(None) };
        self.look(&AccountRecord::key(&id)).await
    }

    /// What an account is called now.
    pub(crate) async fn name_of(&self, id: &AccountId) -> Result<String, Problem> {
        let record: Option<AccountRecord> = self.look(&AccountRecord::key(id)).await?;
        Ok(record.map_or_else(|| names::NOBODY.to_owned(), |record| record.name))
    }
}

/// An account that is not deleted.
pub(crate) async fn account_of(change: &mut Change<'_>, id: &AccountId) -> Result<AccountRecord, Problem> {
    let record: Option<AccountRecord> = change.read(&AccountRecord::key(id)).await?;
    record.filter(|record| record.deleted_ms.is_none()).ok_or_else(gone)
}

/// The account was deleted while something was done for it.
fn gone() -> Problem {
    Problem::new(Code::NotSignedIn, "there is no such account any more")
}

async fn take_name(change: &mut Change<'_>, name: &str) -> Result<(), Problem> {
    match change.read::<AccountId>(&name_key(name)).await? {
        Some(_) => Err(Problem::new(Code::NameTaken, format!("somebody else is called `{name}`"))),
        None => Ok(()),
    }
}

async fn give_name(change: &mut Change<'_>, record: &mut AccountRecord, name: &str) -> Result<(), Problem> {
    names::check(name)?;
    if names::fold(name) != names::fold(&record.name) {
        take_name(change, name).await?;
        let old = name_key(&record.name);
        let owner: Option<AccountId> = change.read(&old).await?;
        if owner.as_ref() != Some(&record.id) {
            return Err(internal(&format!("`{old}` is not the name of {}", record.id)));
        }
        change.remove(&old);
        change.write(&name_key(name), &record.id)?;
    }
    name.clone_into(&mut record.name);
    Ok(())
}
