//! The end of a match: the pot is paid, ratings change, and all lists know about it.
//!
//! The changes are handed to whoever writes the last row of the match, to be part of that one transaction. So the pot is
//! paid exactly once: if the row does not land, neither does the settlement, and a match that has ended cannot be
//! settled again.

use intermezzo_protocol::resources::{EndingInfo, MatchStatus, Reason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Expect, MatchId, Put};

use super::accounts::AccountId;
use super::change::Change;
use super::ledger::Holder;
use super::matches::MatchRecord;
use super::{House, internal};

/// What a match's last transaction has to include.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// Changes of records. They expect everything to be as it was read; if the store finds it otherwise, ask again.
    pub puts: Vec<Put>,
    /// The match as it is then.
    pub record: MatchRecord,
}

/// What somebody gets out of the pot.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Share {
    seat: usize,
    amount: i64,
}

impl House {
    /// The changes that go with the last row of a match. Nothing happens until they are committed.
    ///
    /// # Errors
    ///
    /// If the match is not under way: `closed`, if it has been settled.
    pub async fn settlement(&self, match_id: MatchId, ending: EndingInfo) -> Result<Settled, Problem> {
        let mut change = Change::new(self, self.mark()?);
        let before: Option<MatchRecord> = change.read(&MatchRecord::key(match_id)).await?;
        let before = before.ok_or_else(|| Problem::not_found("match"))?;
        if before.status != MatchStatus::Playing {
            return Err(Problem::new(Code::Closed, "the match is not under way"));
        }
        check_seats(&before, &ending)?;
        self.pay_pot(&mut change, &before, &ending).await?;
        self.rate(&mut change, &before, &ending).await?;
        let mut record = before.clone();
        record.status = MatchStatus::Ended;
        record.ended_ms = Some(self.now());
        record.ending = Some(ending);
        record.seats.iter_mut().for_each(|seat| seat.paid = 0);
        self.keep_match(&mut change, Some(&before), &record).await?;
        let mut puts = change.into_puts();
        if planted!(PaysBlindly) {
            puts.iter_mut().for_each(|put| put.expect = Expect::Anything);
        }
        Ok(Settled { puts, record })
    }

    async fn pay_pot(
        &self,
        change: &mut Change<'_>,
        record: &MatchRecord,
        ending: &EndingInfo,
    ) -> Result<(), Problem> {
        if ending.pot == "burn" {
            let pot = record.seats.iter().map(|seat| seat.paid).sum();
            let escrow = Holder::Escrow(record.id);
            return self.transfer(change, &escrow, &Holder::Burned, pot, Reason::Burnt).await;
        }
        let (shares, reason) = shares(record, ending)?;
        for Share { seat, amount } in shares {
            let account = record.seats[seat].account.as_ref();
            let account: &AccountId =
                account.ok_or_else(|| internal(&format!("nobody to pay at match {}", record.id)))?;
            self.pay_out(change, record.id, account, amount, reason).await?;
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

/// Who gets how much. Without a winner everyone gets back what they paid.
fn shares(record: &MatchRecord, ending: &EndingInfo) -> Result<(Vec<Share>, Reason), Problem> {
    let payers = record.seats.iter().enumerate().filter(|(_, seat)| seat.paid > 0);
    let pot: i64 = payers.clone().map(|(_, seat)| seat.paid).sum();
    let mut winners: Vec<usize> = ending.winners.iter().map(|seat| usize::from(*seat)).collect();
    winners.sort_unstable();
    winners.dedup();
    Ok(match ending.pot.as_str() {
        "winners" if !winners.is_empty() => (split(pot, &winners), Reason::Prize),
        "split" => (split(pot, &payers.map(|(seat, _)| seat).collect::<Vec<_>>()), Reason::Share),
        "refund" | "winners" => {
            (payers.map(|(seat, place)| Share { seat, amount: place.paid }).collect(), Reason::Refund)
        }
        other => return Err(internal(&format!("nobody knows what a pot for `{other}` is"))),
    })
}

/// Equal parts; what is left over goes to the lowest seat.
fn split(pot: i64, seats: &[usize]) -> Vec<Share> {
    if pot == 0 || seats.is_empty() {
        return Vec::new();
    }
    let part = pot / seats.len() as i64;
    let left_over = pot - part * seats.len() as i64;
    let first = seats.iter().min().copied();
    let amount = |seat: usize| part + if Some(seat) == first { left_over } else { 0 };
    seats.iter().map(|seat| Share { seat: *seat, amount: amount(*seat) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_split_goes_to_the_lowest_seat() {
        let amounts = |pot, seats: &[usize]| -> Vec<(usize, i64)> {
            split(pot, seats).iter().map(|share| (share.seat, share.amount)).collect()
        };
        assert_eq!(amounts(10, &[0, 1, 2]), [(0, 4), (1, 3), (2, 3)]);
        assert_eq!(amounts(10, &[1]), [(1, 10)]);
        assert_eq!(amounts(2, &[0, 2, 3]), [(0, 2), (2, 0), (3, 0)]);
        assert_eq!(amounts(0, &[0, 1]), []);
    }
}
