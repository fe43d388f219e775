//! Idempotent commands: they may be sent twice and are carried out once.
//!
//! A command is a request with a key chosen by its sender. Its [`Caller`] carries the key into every
//! transaction, which stores it together with its effect. A command that was interrupted at any point can
//! therefore be sent again, and two concurrent copies do no harm. Responses are stored for a day.

use std::sync::Arc;

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::accounts::Account;
use super::transaction::{CommitMarker, transact};
use super::{Services, invalid};

/// Maximum length of a command's key.
const MAX_KEY: usize = 100;

/// The account that makes a request, and the command that the request belongs to.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account: Account,
    command: Option<Arc<IdempotentCommand>>,
}

#[derive(Debug)]
struct IdempotentCommand {
    key: String,
    fingerprint: String,
}

/// The stored response to a command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SavedResponse {
    at_ms: i64,
    fingerprint: String,
    status: u16,
    body: Value,
}

impl From<Account> for Caller {
    fn from(account: Account) -> Caller {
        Caller { account, command: None }
    }
}

impl Caller {
    /// Returns the marker for the transaction called `name`. A command makes each transaction at most once.
    pub fn marker(&self, services: &Services, name: &str) -> Result<CommitMarker, Problem> {
        let Some(command) = &self.command else { return services.new_marker() };
        let key = format!("{}/{name}", command.key);
        Ok(CommitMarker { key, fingerprint: Some(command.fingerprint.clone()) })
    }
}

impl Services {
    /// Carries out a command once, however often it is sent: the same key with the same fingerprint of the
    /// request returns the first response again. Server errors (status 500 and above) are not stored, so that
    /// the command can be retried.
    ///
    /// # Errors
    ///
    /// If the key is invalid or was used for another request.
    pub async fn run_once<F, Answer>(
        &self,
        account: &Account,
        key: &str,
        fingerprint: &str,
        carry_out: F,
    ) -> Result<(u16, Value), Problem>
    where
        F: FnOnce(Caller) -> Answer,
        Answer: Future<Output = (u16, Value)>,
    {
        let key = command_key(account, key)?;
        if let Some(answered) = self.read_record::<SavedResponse>(&format!("{key}/answer")).await? {
            return answered.response_for(fingerprint);
        }
        let command = Arc::new(IdempotentCommand { key, fingerprint: fingerprint.to_owned() });
        let caller = Caller { account: account.clone(), command: Some(Arc::clone(&command)) };
        let (status, body) = carry_out(caller).await;
        if status >= 500 && !is_active(FailPoint::SaveTransientProblem) {
            return Ok((status, body));
        }
        let answered = SavedResponse { at_ms: self.now(), fingerprint: fingerprint.to_owned(), status, body };
        self.save_response(&command, answered).await?.response_for(fingerprint)
    }

    /// Stores a response. If one is already stored, returns that one and leaves it unchanged.
    async fn save_response(
        &self,
        command: &IdempotentCommand,
        answered: SavedResponse,
    ) -> Result<SavedResponse, Problem> {
        let key = format!("{}/answer", command.key);
        transact!(self, self.new_marker()?, |tx| async {
            if let Some(earlier) = tx.read::<SavedResponse>(&key).await? {
                return Ok(earlier);
            }
            tx.write(&key, &answered)?;
            Ok::<_, Problem>(answered.clone())
        })
    }
}

impl SavedResponse {
    /// Returns the response to a request with this fingerprint.
    fn response_for(self, fingerprint: &str) -> Result<(u16, Value), Problem> {
        if self.fingerprint == fingerprint {
            Ok((self.status, self.body))
        } else {
            Err(Problem::new(Code::CommandReused, "this key was already used for another request"))
        }
    }
}

fn command_key(account: &Account, key: &str) -> Result<String, Problem> {
    let fits =
        (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    if fits {
        Ok(format!("command/{}/{key}", account.id))
    } else {
        Err(invalid(format!("an idempotency key must have 1 to {MAX_KEY} visible characters without `/`")))
    }
}
