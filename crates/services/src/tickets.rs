//! Tickets: one-time substitutes for a token where only a URL can carry it. Proxies and browsers keep URLs.

use intermezzo_protocol::resources::TicketInfo;
use intermezzo_protocol::{Code, Problem};
use serde::{Deserialize, Serialize};

use super::accounts::{Account, AccountRecord};
use super::idempotency::Caller;
use super::record_keys;
use super::transaction::{decode, transact};
use super::{Services, accounts::AccountId};

/// Time within which a ticket must be used.
const LIFETIME_MS: i64 = 30_000;
/// Prefix of tickets.
const TICKET_PREFIX: &str = "imk_";
pub(crate) const TICKETS_PREFIX: &str = "ticket/";

/// A ticket as it is stored: by its hash only.
#[derive(Serialize, Deserialize)]
struct StoredTicket {
    account: AccountId,
    /// Hash of the token it stands for.
    token_hash: String,
    expires_ms: i64,
}

fn ticket_key(ticket: &str) -> String {
    format!("{TICKETS_PREFIX}{}", blake3::hash(ticket.as_bytes()).to_hex())
}

impl Services {
    /// Issues a ticket for the token of a request.
    pub async fn issue_ticket(&self, caller: &Caller, token: &str) -> Result<TicketInfo, Problem> {
        let ticket = format!("{TICKET_PREFIX}{}", record_keys::hex(&self.random::<32>()?));
        let expires_ms = self.now() + LIFETIME_MS;
        let token_hash = blake3::hash(token.as_bytes()).to_hex().to_string();
        let stored = StoredTicket { account: caller.account.id.clone(), token_hash, expires_ms };
        transact!(self, self.new_marker()?, |tx| async { tx.write(&ticket_key(&ticket), &stored) })?;
        Ok(TicketInfo { ticket, expires_ms })
    }

    /// Uses a ticket up. Returns its account and the hash of the token it stands for.
    ///
    /// # Errors
    ///
    /// If it is unknown, has expired or was used already, or its token is no longer valid.
    pub async fn redeem_ticket(&self, ticket: &str) -> Result<(Account, [u8; 32]), Problem> {
        let invalid =
            || Problem::new(Code::NotSignedIn, "the ticket is invalid, has expired or was used already");
        if ticket.len() != TICKET_PREFIX.len() + 64 || !ticket.starts_with(TICKET_PREFIX) {
            return Err(invalid());
        }
        let key = ticket_key(ticket);
        let stored: StoredTicket = transact!(self, self.new_marker()?, |tx| async {
            let stored: Option<StoredTicket> = tx.read(&key).await?;
            let stored = stored.ok_or_else(invalid)?;
            tx.remove(&key);
            Ok::<_, Problem>(stored)
        })?;
        let hash = record_keys::unhex(&stored.token_hash).ok_or_else(invalid)?;
        if stored.expires_ms <= self.now() || !self.is_token_valid(&hash).await? {
            return Err(invalid());
        }
        let record: Option<AccountRecord> = self.read_record(&AccountRecord::key(&stored.account)).await?;
        Ok((record.ok_or_else(invalid)?.account(), hash))
    }

    /// Removes tickets that were not used in time.
    pub(crate) async fn sweep_tickets(&self) -> Result<usize, Problem> {
        let mut expired = Vec::new();
        for (key, record) in self.read_all(TICKETS_PREFIX).await? {
            let ticket: StoredTicket = decode(&key, &record.value)?;
            if ticket.expires_ms <= self.now() {
                expired.push((key, record));
            }
        }
        self.remove_all(expired).await
    }
}
