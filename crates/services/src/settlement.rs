//! Settlement of a finished match: pot, ratings, and lists.
//!
//! The writes are part of the transaction that appends the last row of the match. The pot is therefore paid
//! exactly once: if the row is not committed, neither is the settlement, and a match that has ended cannot be
//! settled again.

use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_protocol::resources::{EndingInfo, MatchStatus, TransferReason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Expect, MatchId, Put};

use super::accounts::{AccountId, AccountRecord};
use super::ledger::TokenHolder;
use super::matches::MatchRecord;
use super::transaction::ServiceTransaction;
use super::{Services, internal};

/// The writes that the last transaction of a match must include.
#[derive(Clone, PartialEq, Debug)]
pub struct Settlement {
    /// Writes that require the records to be unchanged. If the store reports a conflict, prepare the
    /// settlement again.
    pub puts: Vec<Put>,
    /// The match after its settlement.
    pub record: MatchRecord,
}

/// Tokens that a seat receives from the pot.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Payout {
    seat: usize,
    amount: i64,
}

impl Services {
    /// Returns the writes that belong to the last row of a match. They take effect when the caller commits
    /// them.
    ///
    /// # Errors
    ///
    /// If the match is not in progress (`closed`, also if it is already settled).
    pub async fn prepare_settlement(
        &self,
        match_id: MatchId,
        ending: EndingInfo,
    ) -> Result<Settlement, Problem> {
        self.prepare_settlement_of(match_id, ending, true).await
    }

    /// Returns the writes that belong to the last row of a match in which somebody has moved, or nobody has. A match
    /// without a move counts for nothing, and guests win nothing: anybody can create accounts without end and let
    /// them lose.
    ///
    /// # Errors
    ///
    /// As for [`Services::prepare_settlement`].
    pub async fn prepare_settlement_of(
        &self,
        match_id: MatchId,
        ending: EndingInfo,
        has_moves: bool,
    ) -> Result<Settlement, Problem> {
        let mut tx = ServiceTransaction::new(self, self.new_marker()?);
        let before: Option<MatchRecord> = tx.read(&MatchRecord::key(match_id)).await?;
        let before = before.ok_or_else(|| Problem::not_found("match"))?;
        if before.status != MatchStatus::Playing {
            return Err(Problem::new(Code::Closed, "the match is not in progress"));
        }
        check_seats(&before, &ending)?;
        let counts = has_moves && !self.has_guests(&mut tx, &before).await?;
        self.pay_pot(&mut tx, &before, &ending, counts).await?;
        if counts {
            self.rate_match(&mut tx, &before, &ending).await?;
        }
        let mut record = before.clone();
        record.status = MatchStatus::Ended;
        record.ended_ms = Some(self.now());
        record.ending = Some(ending);
        record.seats.iter_mut().for_each(|seat| seat.paid = 0);
        self.save_match(&mut tx, Some(&before), &record).await?;
        let mut puts = tx.into_puts();
        if is_active(FailPoint::PayWithoutPrecondition) {
            puts.iter_mut().for_each(|put| put.expect = Expect::Anything);
        }
        Ok(Settlement { puts, record })
    }

    /// Returns true if an account without a password has a seat.
    async fn has_guests(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &MatchRecord,
    ) -> Result<bool, Problem> {
        for account in record.seats.iter().filter_map(|seat| seat.account.as_ref()) {
            let account: Option<AccountRecord> = tx.read(&AccountRecord::key(account)).await?;
            // A deleted account was not a guest's trick: it cannot be in a match in progress.
            if account.is_some_and(|account| account.password.is_none() && account.deleted_ms.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn pay_pot(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &MatchRecord,
        ending: &EndingInfo,
        counts: bool,
    ) -> Result<(), Problem> {
        if ending.pot == "burn" && counts {
            let pot = record.seats.iter().map(|seat| seat.paid).sum();
            let escrow = TokenHolder::Escrow(record.id);
            return self.transfer(tx, &escrow, &TokenHolder::Burned, pot, TransferReason::Burnt).await;
        }
        let (shares, reason) = match payouts(record, ending)? {
            shares if counts => shares,
            _ => refunds(record),
        };
        for Payout { seat, amount } in shares {
            let account = record.seats[seat].account.as_ref();
            let account: &AccountId =
                account.ok_or_else(|| internal(&format!("no account to pay in match {}", record.id)))?;
            self.pay_out(tx, record.id, account, amount, reason).await?;
        }
        Ok(())
    }
}

fn check_seats(record: &MatchRecord, ending: &EndingInfo) -> Result<(), Problem> {
    let is_seat = |seat: &u8| usize::from(*seat) < record.seats.len();
    if ending.winners.iter().chain(&ending.losers).all(is_seat) {
        return Ok(());
    }
    Err(internal(&format!("match {} ended with seats it does not have", record.id)))
}

/// Divides the pot. Without a winner, everyone gets back what they paid.
fn payouts(record: &MatchRecord, ending: &EndingInfo) -> Result<(Vec<Payout>, TransferReason), Problem> {
    let payers = record.seats.iter().enumerate().filter(|(_, seat)| seat.paid > 0);
    let pot: i64 = payers.clone().map(|(_, seat)| seat.paid).sum();
    let mut winners: Vec<usize> = ending.winners.iter().map(|seat| usize::from(*seat)).collect();
    winners.sort_unstable();
    winners.dedup();
    Ok(match ending.pot.as_str() {
        "winners" if !winners.is_empty() => (split(pot, &winners), TransferReason::Prize),
        "split" => (split(pot, &payers.map(|(seat, _)| seat).collect::<Vec<_>>()), TransferReason::Share),
        "refund" | "winners" | "burn" => refunds(record),
        other => return Err(internal(&format!("unknown pot rule `{other}`"))),
    })
}

/// Returns everyone's own stake.
fn refunds(record: &MatchRecord) -> (Vec<Payout>, TransferReason) {
    let payers = record.seats.iter().enumerate().filter(|(_, seat)| seat.paid > 0);
    (payers.map(|(seat, record)| Payout { seat, amount: record.paid }).collect(), TransferReason::Refund)
}

/// Splits the pot equally; the remainder goes to the lowest seat.
fn split(pot: i64, seats: &[usize]) -> Vec<Payout> {
    if pot == 0 || seats.is_empty() {
        return Vec::new();
    }
    let part = pot / seats.len() as i64;
    let left_over = pot - part * seats.len() as i64;
    let first = seats.iter().min().copied();
    let amount = |seat: usize| part + if Some(seat) == first { left_over } else { 0 };
    seats.iter().map(|seat| Payout { seat: *seat, amount: amount(*seat) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remainder_goes_to_the_lowest_seat() {
        let amounts = |pot, seats: &[usize]| -> Vec<(usize, i64)> {
            split(pot, seats).iter().map(|share| (share.seat, share.amount)).collect()
        };
        assert_eq!(amounts(10, &[0, 1, 2]), [(0, 4), (1, 3), (2, 3)]);
        assert_eq!(amounts(10, &[1]), [(1, 10)]);
        assert_eq!(amounts(2, &[0, 2, 3]), [(0, 2), (2, 0), (3, 0)]);
        assert_eq!(amounts(0, &[0, 1]), []);
    }
}
