//! Seats before a match starts: joining, leaving, and the entry fee.

use intermezzo_protocol::resources::{BotAlgorithm, Sit, TransferReason};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::{AccountId, active_account};
use super::idempotency::Caller;
use super::lobby::{read_hosted_match, read_open_match};
use super::matches::{MatchRecord, SeatRecord};
use super::transaction::{ServiceTransaction, transact};
use super::{Services, invalid};

impl Services {
    /// Takes a seat. A staked match charges its entry fee.
    ///
    /// # Errors
    ///
    /// If the seat is taken, the code is wrong, the account cannot pay, or it already has a seat.
    pub async fn take_seat(
        &self,
        caller: &Caller,
        id: MatchId,
        request: &Sit,
    ) -> Result<MatchRecord, Problem> {
        let account = &caller.account;
        transact!(self, caller.marker(self, "sit")?, |tx| async {
            let before = read_open_match(&mut tx, id).await?;
            check_code(&before, &account.id, request.code.as_deref())?;
            let seat = match request.seat {
                Some(seat) => seat,
                None => first_free_seat(&before, &account.id)?,
            };
            let mut record = before.clone();
            self.seat_account(&mut tx, &mut record, seat, &account.id).await?;
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok::<_, Problem>(record)
        })
    }

    /// Leaves the caller's seats, or one of them, before the start. The entry fee is refunded.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller has no such seat.
    pub async fn leave_seat(
        &self,
        caller: &Caller,
        id: MatchId,
        seat: Option<u8>,
    ) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "stand")?, |tx| async {
            let before = read_open_match(&mut tx, id).await?;
            let mut seats = before.seats_of(&caller.account.id);
            seats.retain(|other| seat.is_none_or(|seat| *other == seat));
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
            }
            let mut record = before.clone();
            for seat in seats {
                self.free_seat(&mut tx, &mut record, seat).await?;
            }
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// Leaves a match before the start, seats and all. The next seated account becomes the host; without one,
    /// the match is cancelled.
    ///
    /// # Errors
    ///
    /// If the match has started.
    pub async fn leave_match(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "leave")?, |tx| {
            self.leave_match_in(&mut tx, &caller.account.id, id)
        })
    }

    pub async fn leave_match_in(
        &self,
        tx: &mut ServiceTransaction<'_>,
        account: &AccountId,
        id: MatchId,
    ) -> Result<MatchRecord, Problem> {
        let before = read_open_match(tx, id).await?;
        let mut record = before.clone();
        for seat in before.seats_of(account) {
            self.free_seat(tx, &mut record, seat).await?;
        }
        if record.host.as_ref() == Some(account) {
            record.host = record.seats.iter().find_map(|seat| seat.account.clone());
        }
        if record.host.is_none() {
            self.mark_cancelled(&mut record);
        }
        self.save_match(tx, Some(&before), &record).await?;
        Ok(record)
    }

    /// Frees a seat, or its reservation, for the host.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller is not its host.
    pub async fn kick_seat(&self, caller: &Caller, id: MatchId, seat: u8) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "kick")?, |tx| async {
            let before = read_hosted_match(&mut tx, id, &caller.account).await?;
            let mut record = before.clone();
            self.free_seat(&mut tx, &mut record, seat).await?;
            record.seats[usize::from(seat)].reserved_for = None;
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok::<_, Problem>(record)
        })
    }

    /// Puts a bot on a free seat, or removes one, for the host.
    ///
    /// # Errors
    ///
    /// If a person has the seat, or the match is staked.
    pub async fn set_bot(
        &self,
        caller: &Caller,
        id: MatchId,
        seat: u8,
        bot: Option<BotAlgorithm>,
    ) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "bot")?, |tx| async {
            let before = read_hosted_match(&mut tx, id, &caller.account).await?;
            if before.stake.is_some() && bot.is_some() {
                return Err(invalid("bots cannot play for a stake"));
            }
            let mut record = before.clone();
            let seat_record = seat_mut(&mut record, seat)?;
            if seat_record.account.is_some() {
                return Err(Problem::new(Code::SeatTaken, "the seat is taken"));
            }
            *seat_record = bot.map_or_else(SeatRecord::default, SeatRecord::for_bot);
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// Puts an account on a seat and charges the entry fee.
    pub async fn seat_account(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &mut MatchRecord,
        seat: u8,
        account: &AccountId,
    ) -> Result<(), Problem> {
        // Reads the current name and rejects deleted accounts.
        let name = active_account(tx, account).await?.name;
        if !record.hotseat && !record.seats_of(account).is_empty() {
            return Err(Problem::new(Code::AlreadySeated, "you already have a seat in this match"));
        }
        let entry = record.stake.as_ref().map_or(0, |stake| stake.entry);
        let id = record.id;
        let seat_record = seat_mut(record, seat)?;
        if !seat_record.is_free()
            || seat_record.reserved_for.as_ref().is_some_and(|reserved| reserved != account)
        {
            return Err(Problem::new(Code::SeatTaken, "the seat is taken"));
        }
        seat_record.account = Some(account.clone());
        seat_record.name = Some(name);
        seat_record.ready = false;
        seat_record.paid = entry;
        self.pay_entry(tx, account, id, entry).await
    }

    /// Frees a seat and refunds the entry fee.
    pub async fn free_seat(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &mut MatchRecord,
        seat: u8,
    ) -> Result<(), Problem> {
        let id = record.id;
        let seat_record = seat_mut(record, seat)?;
        let reserved_for = seat_record.reserved_for.take();
        let SeatRecord { account, paid, .. } = std::mem::take(seat_record);
        seat_record.reserved_for = reserved_for;
        match account {
            Some(account) => self.pay_out(tx, id, &account, paid, TransferReason::Returned).await,
            None => Ok(()),
        }
    }
}

fn check_code(record: &MatchRecord, account: &AccountId, code: Option<&str>) -> Result<(), Problem> {
    let has_reservation = record.seats.iter().any(|seat| seat.reserved_for.as_ref() == Some(account));
    let knows = code.map(str::to_ascii_uppercase) == record.code;
    if !record.private || has_reservation || knows || record.participants().contains(account) {
        return Ok(());
    }
    Err(Problem::new(Code::NotAllowed, "the match is private and the code is wrong"))
}

pub(crate) fn first_free_seat(record: &MatchRecord, account: &AccountId) -> Result<u8, Problem> {
    let is_for = |seat: &SeatRecord| seat.reserved_for.as_ref().is_none_or(|reserved| reserved == account);
    let is_reserved = |seat: &&SeatRecord| seat.is_free() && seat.reserved_for.as_ref() == Some(account);
    let index = match record.seats.iter().find(is_reserved) {
        Some(_) => record.seats.iter().position(|seat| is_reserved(&seat)),
        None => record.seats.iter().position(|seat| seat.is_free() && is_for(seat)),
    };
    index.map(|index| index as u8).ok_or_else(|| Problem::new(Code::SeatTaken, "no seat is free"))
}

fn seat_mut(record: &mut MatchRecord, seat: u8) -> Result<&mut SeatRecord, Problem> {
    record.seats.get_mut(usize::from(seat)).ok_or_else(|| Problem::not_found("seat"))
}
