//! Commands that may be sent twice and are carried out once.
//!
//! A command is a request with a key that its sender made up. Its [`Caller`] carries the key into every change, which
//! leaves it there in the same transaction as its effect; so a command that was cut off anywhere can be sent again, and
//! two that arrive at once do no harm. What was answered is kept for a day.

use std::sync::Arc;

use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::accounts::Account;
use super::change::{Mark, changing};
use super::{House, invalid};

/// The longest key of a command.
const MAX_KEY: usize = 100;

/// Who asks for something, and as part of which command.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who asks.
    pub account: Account,
    command: Option<Arc<Command>>,
}

#[derive(Debug)]
struct Command {
    key: String,
    fingerprint: String,
}

/// What was answered to a command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Answered {
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
    /// The mark of the change called `name`. A command makes each change at most once.
    pub(crate) fn mark(&self, house: &House, name: &str) -> Result<Mark, Problem> {
        let Some(command) = &self.command else { return house.mark() };
        let key = format!("{}/{name}", command.key);
        Ok(Mark { key, fingerprint: Some(command.fingerprint.clone()) })
    }
}

impl House {
    /// Carries out a command once, however often it is sent: the same key with the same fingerprint of the request gives
    /// the first answer again. What the server could not do for reasons of its own is not kept, so that it can be tried
    /// again.
    ///
    /// # Errors
    ///
    /// If the key will not do or was used for another request.
    pub async fn once<F, Answer>(
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
        if let Some(answered) = self.look::<Answered>(&format!("{key}/answer")).await? {
            return answered.to(fingerprint);
        }
        let command = Arc::new(Command { key, fingerprint: fingerprint.to_owned() });
        let caller = Caller { account: account.clone(), command: Some(Arc::clone(&command)) };
        let (status, body) = carry_out(caller).await;
        if status >= 500 && !planted!(KeepsTrouble) {
            return Ok((status, body));
        }
        let answered = Answered { at_ms: self.now(), fingerprint: fingerprint.to_owned(), status, body };
        self.keep_answer(&command, answered).await?.to(fingerprint)
    }

    /// Keeps an answer, unless one was given already: then that one counts.
    async fn keep_answer(&self, command: &Command, answered: Answered) -> Result<Answered, Problem> {
        let key = format!("{}/answer", command.key);
        changing!(self, self.mark()?, |change| async {
            if let Some(earlier) = change.read::<Answered>(&key).await? {
                return Ok(earlier);
            }
            change.write(&key, &answered)?;
            Ok::<_, Problem>(answered.clone())
        })
    }
}

impl Answered {
    /// The answer to a request with this fingerprint.
    fn to(self, fingerprint: &str) -> Result<(u16, Value), Problem> {
        if self.fingerprint == fingerprint {
            Ok((self.status, self.body))
        } else {
            Err(Problem::new(Code::CommandReused, "that key was used for another request"))
        }
    }
}

fn command_key(account: &Account, key: &str) -> Result<String, Problem> {
    let fits =
        (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    if fits {
        Ok(format!("command/{}/{key}", account.id))
    } else {
        Err(invalid(format!("the key of a command has 1 to {MAX_KEY} visible characters without `/`")))
    }
}
