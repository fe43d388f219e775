//! The token ledger: balances, and every transfer ever made.
//!
//! The ledger is double-entry: a transfer takes from one holder what it gives to another, and a balance is
//! the sum of all transfers. The mint, the source of tokens, and burned tokens have no balance records: every
//! transaction would contend for them. The [audit](Services::audit_ledger) sums them up instead.

use intermezzo_protocol::resources::{Page, TransferInfo, TransferReason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::Services;
use super::accounts::AccountId;
use super::record_keys;
use super::record_keys::PageQuery;
use super::transaction::ServiceTransaction;

pub(crate) const WELCOME_TOKENS: i64 = 100;

/// A holder of tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenHolder {
    Account(AccountId),
    /// Entry fees paid by the seats of a match.
    Escrow(MatchId),
    /// Source of new tokens.
    Mint,
    /// Tokens that nobody receives.
    Burned,
}

impl TokenHolder {
    pub fn name(&self) -> String {
        match self {
            TokenHolder::Account(id) => format!("account:{id}"),
            TokenHolder::Escrow(match_id) => format!("escrow:{match_id}"),
            TokenHolder::Mint => "mint".to_owned(),
            TokenHolder::Burned => "burned".to_owned(),
        }
    }

    /// Returns the key of the balance; `None` if none is stored.
    fn balance_key(&self) -> Option<String> {
        let is_stored = !matches!(self, TokenHolder::Mint | TokenHolder::Burned);
        is_stored.then(|| format!("balance/{}", self.name()))
    }
}

/// Returns the prefix of the list of an account's transfers.
pub(crate) fn transfers_prefix(account: &AccountId) -> String {
    format!("transfer-of/{account}/")
}

impl Services {
    pub async fn balance(&self, account: &AccountId) -> Result<i64, Problem> {
        let key = format!("balance/{}", TokenHolder::Account(account.clone()).name());
        Ok(self.read_record(&key).await?.unwrap_or(0))
    }

    /// Lists the transfers of an account, newest first.
    ///
    /// # Errors
    ///
    /// If the cursor is invalid.
    pub async fn transfer_history(
        &self,
        account: &AccountId,
        query: PageQuery<'_>,
    ) -> Result<Page<TransferInfo>, Problem> {
        let found = self.read_page(&transfers_prefix(account), query, true).await?;
        Ok(Page { items: found.values()?, next: found.next })
    }

    pub async fn grant_welcome_tokens(
        &self,
        tx: &mut ServiceTransaction<'_>,
        account: &AccountId,
    ) -> Result<(), Problem> {
        let to = TokenHolder::Account(account.clone());
        self.transfer(tx, &TokenHolder::Mint, &to, WELCOME_TOKENS, TransferReason::Welcome).await
    }

    /// Moves the entry fee of a seat from its account to the match.
    pub async fn pay_entry(
        &self,
        tx: &mut ServiceTransaction<'_>,
        account: &AccountId,
        match_id: MatchId,
        amount: i64,
    ) -> Result<(), Problem> {
        let from = TokenHolder::Account(account.clone());
        self.transfer(tx, &from, &TokenHolder::Escrow(match_id), amount, TransferReason::Entry).await
    }

    /// Moves tokens from a match to an account.
    pub async fn pay_out(
        &self,
        tx: &mut ServiceTransaction<'_>,
        match_id: MatchId,
        account: &AccountId,
        amount: i64,
        reason: TransferReason,
    ) -> Result<(), Problem> {
        let to = TokenHolder::Account(account.clone());
        self.transfer(tx, &TokenHolder::Escrow(match_id), &to, amount, reason).await
    }

    /// Moves tokens.
    ///
    /// # Errors
    ///
    /// If the holder has too few.
    pub async fn transfer(
        &self,
        tx: &mut ServiceTransaction<'_>,
        from: &TokenHolder,
        to: &TokenHolder,
        amount: i64,
        reason: TransferReason,
    ) -> Result<(), Problem> {
        if amount == 0 {
            return Ok(());
        }
        if amount < 0 {
            return Err(super::internal("a transfer with a negative amount"));
        }
        add_to_balance(tx, from, -amount).await?;
        add_to_balance(tx, to, amount).await?;
        self.record_transfer(tx, from, to, amount, reason)
    }

    fn record_transfer(
        &self,
        tx: &mut ServiceTransaction<'_>,
        from: &TokenHolder,
        to: &TokenHolder,
        amount: i64,
        reason: TransferReason,
    ) -> Result<(), Problem> {
        let at_ms = self.now();
        let match_id = [from, to].into_iter().find_map(|holder| match holder {
            TokenHolder::Escrow(match_id) => Some(match_id.to_string()),
            _ => None,
        });
        let id = format!("{}-{:032x}", record_keys::time_key(at_ms), self.new_id()?);
        let transfer = TransferInfo { id, from: from.name(), to: to.name(), amount, reason, match_id, at_ms };
        tx.write(&format!("transfer/{}", transfer.id), &transfer)?;
        for holder in [from, to] {
            if let TokenHolder::Account(account) = holder {
                tx.write(&format!("{}{}", transfers_prefix(account), transfer.id), &transfer)?;
            }
        }
        Ok(())
    }
}

async fn add_to_balance(
    tx: &mut ServiceTransaction<'_>,
    holder: &TokenHolder,
    amount: i64,
) -> Result<(), Problem> {
    let Some(key) = holder.balance_key() else { return Ok(()) };
    let before = tx.read::<i64>(&key).await?.unwrap_or(0);
    let after =
        before.checked_add(amount).filter(|after| *after >= 0).ok_or_else(|| not_enough_tokens(before))?;
    if after == 0 && matches!(holder, TokenHolder::Escrow(_)) {
        tx.remove(&key);
        return Ok(());
    }
    tx.write(&key, &after)
}

fn not_enough_tokens(balance: i64) -> Problem {
    Problem::new(Code::NotEnough, format!("not enough tokens: the balance is {balance}"))
        .with("balance", balance)
}
