//! Tokens: who holds how many, and every transfer there has been.
//!
//! Books are kept twice: a transfer takes from one holder what it gives to another, and balances are what all transfers
//! come to. The mint, where tokens come from, and the burned ones have no balance of their own: everybody would have to
//! wait in line to change it. What they come to is added up when the books are [audited](House::audit).

use intermezzo_protocol::resources::{Page, Reason, TransferInfo};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::AccountId;
use super::change::Change;
use super::keys::Window;
use super::{House, keys};

/// What every account starts with.
pub(crate) const WELCOME: i64 = 100;

/// Who can hold tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    /// An account.
    Account(AccountId),
    /// What the seats of a match have paid.
    Escrow(MatchId),
    /// Where tokens come from.
    Mint,
    /// Where tokens end that nobody gets.
    Burned,
}

impl Holder {
    pub(crate) fn name(&self) -> String {
        match self {
            Holder::Account(id) => format!("account:{id}"),
            Holder::Escrow(match_id) => format!("escrow:{match_id}"),
            Holder::Mint => "mint".to_owned(),
            Holder::Burned => "burned".to_owned(),
        }
    }

    /// Where its balance is kept.
    fn balance_key(&self) -> Option<String> {
        let is_kept = !matches!(self, Holder::Mint | Holder::Burned);
        is_kept.then(|| format!("balance/{}", self.name()))
    }
}

/// Where the transfers of an account are listed.
pub(crate) fn transfers_of(account: &AccountId) -> String {
    format!("transfer-of/{account}/")
}

impl House {
    /// How many tokens an account has.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn balance(&self, account: &AccountId) -> Result<i64, Problem> {
        let key = format!("balance/{}", Holder::Account(account.clone()).name());
        Ok(self.look(&key).await?.unwrap_or(0))
    }

    /// The transfers of an account, the latest first.
    ///
    /// # Errors
    ///
    /// If the cursor is not one of ours.
    pub async fn history(
        &self,
        account: &AccountId,
        window: Window<'_>,
    ) -> Result<Page<TransferInfo>, Problem> {
        let found = self.page(&transfers_of(account), window, true).await?;
        Ok(Page { items: found.values()?, next: found.next })
    }

    /// Gives a new account what everyone starts with.
    pub(crate) async fn welcome(&self, change: &mut Change<'_>, account: &AccountId) -> Result<(), Problem> {
        let to = Holder::Account(account.clone());
        self.transfer(change, &Holder::Mint, &to, WELCOME, Reason::Welcome).await
    }

    /// Moves the entry of a seat from its account to the match.
    pub(crate) async fn hold(
        &self,
        change: &mut Change<'_>,
        account: &AccountId,
        match_id: MatchId,
        amount: i64,
    ) -> Result<(), Problem> {
        let from = Holder::Account(account.clone());
        self.transfer(change, &from, &Holder::Escrow(match_id), amount, Reason::Entry).await
    }

    /// Moves tokens from a match back to an account.
    pub(crate) async fn pay_out(
        &self,
        change: &mut Change<'_>,
        match_id: MatchId,
        account: &AccountId,
        amount: i64,
        reason: Reason,
    ) -> Result<(), Problem> {
        let to = Holder::Account(account.clone());
        self.transfer(change, &Holder::Escrow(match_id), &to, amount, reason).await
    }

    /// Moves tokens, if there are enough.
    pub(crate) async fn transfer(
        &self,
        change: &mut Change<'_>,
        from: &Holder,
        to: &Holder,
        amount: i64,
        reason: Reason,
    ) -> Result<(), Problem> {
        if amount == 0 {
            return Ok(());
        }
        if amount < 0 {
            return Err(super::internal("a transfer of less than nothing"));
        }
        add(change, from, -amount).await?;
        add(change, to, amount).await?;
        self.note(change, from, to, amount, reason)
    }

    fn note(
        &self,
        change: &mut Change<'_>,
        from: &Holder,
        to: &Holder,
        amount: i64,
        reason: Reason,
    ) -> Result<(), Problem> {
        let at_ms = self.now();
        let match_id = [from, to].into_iter().find_map(|holder| match holder {
            Holder::Escrow(match_id) => Some(match_id.to_string()),
            _ => None,
        });
        let id = format!("{}-{:032x}", keys::time(at_ms), self.new_id()?);
        let transfer = TransferInfo { id, from: from.name(), to: to.name(), amount, reason, match_id, at_ms };
        change.write(&format!("transfer/{}", transfer.id), &transfer)?;
        for holder in [from, to] {
            if let Holder::Account(account) = holder {
                change.write(&format!("{}{}", transfers_of(account), transfer.id), &transfer)?;
            }
        }
        Ok(())
    }
}

async fn add(change: &mut Change<'_>, holder: &Holder, amount: i64) -> Result<(), Problem> {
    let Some(key) = holder.balance_key() else { return Ok(()) };
    let before = change.read::<i64>(&key).await?.unwrap_or(0);
    let after = before.checked_add(amount).filter(|after| *after >= 0).ok_or_else(|| not_enough(before))?;
    if after == 0 && matches!(holder, Holder::Escrow(_)) {
        change.remove(&key);
        return Ok(());
    }
    change.write(&key, &after)
}

fn not_enough(balance: i64) -> Problem {
    Problem::new(Code::NotEnough, format!("there are only {balance} tokens")).with("balance", balance)
}
